"""Trials and runs: the flow from a task to a stored record, many times, interruptible and resumable.

The package is also the public function: `agentkernelarena.run(...)` is `agentkernelarena.run.run.run(...)`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentkernelarena.run.run import RunResult


class _Package(ModuleType):
    # Importing a subpackage sets the attribute of that name on its parent, so `agentkernelarena.run` cannot be
    # anything but this module. It is made callable, because that is also the name under which people look for it.
    def __call__(self, *arguments: Any, **options: Any) -> RunResult:
        from agentkernelarena.run.run import run

        return run(*arguments, **options)


sys.modules[__name__].__class__ = _Package
