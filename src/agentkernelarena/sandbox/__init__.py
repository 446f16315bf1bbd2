"""The sandbox: what an agent, a compiler or a worker may see, write and use, and its certain end.

    engine = choose("auto")
    with launch(engine, SandboxSpec(read_only=python_binds(package=True)), ["python3", "-c", "print(1)"]) as process:
        ...

Engines: bwrap (default), unshare (plain namespaces), none (no confinement; only when asked for by name).
"""

from __future__ import annotations

from agentkernelarena.errors import InputError, nearest
from agentkernelarena.sandbox import bwrap, none, unshare
from agentkernelarena.sandbox.engine import Engine
from agentkernelarena.sandbox.process import Process, launch
from agentkernelarena.sandbox.spec import (
    HOME,
    Bind,
    Limits,
    SandboxSpec,
    package_folder,
    python_binds,
    python_environment,
)

__all__ = [
    "ENGINES", "HOME", "Bind", "Engine", "Limits", "Process", "SandboxSpec", "choose", "launch", "package_folder",
    "probe", "python_binds", "python_environment",
]

ENGINES: dict[str, Engine] = {e.name: e for e in (bwrap.ENGINE, unshare.ENGINE, none.ENGINE)}


def choose(name: str) -> Engine:
    """The engine called `name`; ``auto`` takes bwrap, else plain namespaces, and never `none`.

    Raises:
        InputError: no such engine, or it is refused on this machine; says why and what to do about it.
    """
    if name == "auto":
        problems = []
        for engine in (bwrap.ENGINE, unshare.ENGINE):
            problem = engine.problem()
            if problem is None:
                return engine
            problems.append(problem)
        raise InputError(
            "sandbox", "; ".join(p for p, _ in problems),
            f"{problems[0][1]}; or run without confinement, which the record will say: --sandbox none")
    if name not in ENGINES:
        raise InputError("sandbox", f"there is no engine {name!r}", nearest(name, ["auto", *ENGINES]))
    problem = ENGINES[name].problem()
    if problem is not None:
        raise InputError(f"sandbox {name}", problem[0], problem[1])
    return ENGINES[name]


def probe() -> dict[str, tuple[str, str] | None]:
    """Engine name -> None when it works here, else (what is wrong, remedy): for `aka doctor`."""
    return {name: engine.problem() for name, engine in ENGINES.items()}
