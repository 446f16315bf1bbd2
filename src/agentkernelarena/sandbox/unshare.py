"""Confinement by plain namespaces, where bubblewrap is not installed: the same surroundings, made by `enter.py`."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from agentkernelarena.sandbox.engine import bound_path
from agentkernelarena.sandbox.spec import HOME, UID, SandboxSpec, system_binds, system_links


class Unshare:
    """Namespaces by the kernel's own calls; the start costs one more Python interpreter than bubblewrap's."""

    name = "unshare"
    has_namespace = True

    def describe(self) -> str:
        return f"unshare, Linux {platform.release()}" + ("" if self._user() else ", no user namespace")

    def inside(self, spec: SandboxSpec, path: Path) -> Path:
        return bound_path(spec, path)

    @lru_cache(maxsize=2)  # noqa: B019 - one engine object lives as long as the process
    def _try(self, user: bool) -> str:
        try:
            with open(os.devnull, "w") as info:
                command = self._command(SandboxSpec(), ["true"], info.fileno(), user)
                probe = subprocess.run(command, capture_output=True, text=True, timeout=20, pass_fds=[info.fileno()])
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if probe.returncode == 0:
            return ""
        return probe.stderr.strip().rpartition("\n")[2] or f"exit status {probe.returncode}"

    def _user(self) -> bool:
        """Whether a user namespace is used; root may be refused one and still be allowed all the others."""
        return self._try(True) == "" or self._try(False) != ""

    def problem(self) -> tuple[str, str] | None:
        if self._try(True) == "" or self._try(False) == "":
            return None
        return (f"plain namespaces are refused on this machine ({self._try(True)})",
                "allow unprivileged user namespaces, or install bubblewrap (apt install bubblewrap)")

    def wrap(self, spec: SandboxSpec, argv: Sequence[str], info_fd: int) -> list[str]:
        return self._command(spec, argv, info_fd, self._user())

    def _command(self, spec: SandboxSpec, argv: Sequence[str], info_fd: int, user: bool) -> list[str]:
        binds = [[str(b.source), str(b.target), False] for b in system_binds(spec.network)]
        if spec.home is not None:
            binds.append([str(spec.home.absolute()), str(HOME), True])
        binds += [[str(b.source), str(b.target), writable] for b, writable in spec.ordered_binds()]
        cwd = self.inside(spec, spec.cwd) if spec.cwd is not None else HOME
        masked = [str(folder) for folder in spec.masked_folders()]
        plan = {
            "user": user, "uid": UID, "network": spec.network, "info_fd": info_fd, "links": system_links(),
            "binds": binds, "devices": [str(d) for d in spec.devices], "masked": masked,
            "home": "" if spec.home is not None else str(HOME), "scratch_mib": spec.limits.scratch_mib, "cwd": str(cwd),
        }
        script = str(Path(__file__).with_name("enter.py"))
        return [sys.executable, "-I", "-S", "-E", script, json.dumps(plan), *argv]


ENGINE = Unshare()
