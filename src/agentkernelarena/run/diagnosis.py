"""What this machine can do: the facts behind `aka doctor`."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from enum import StrEnum

import agentkernelarena
from agentkernelarena import agent as agents
from agentkernelarena import plugin, sandbox
from agentkernelarena import target as targets
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings
from agentkernelarena.result import DeviceFacts, Record
from agentkernelarena.run.version import installed, suite_digest
from agentkernelarena.target import Target
from agentkernelarena.task import loader
from agentkernelarena.toolchain import Toolchain

COMPILE_ONLY = ("amd:gfx942", "nvidia:sm_90")
"""Targets whose toolchains are looked at although their device may be absent: kernels can be compiled for them."""


class State(StrEnum):
    """How a part of the installation is."""

    OK = "ok"
    MISSING = "missing"
    """It lacks something, and the remedy says how to get it."""
    ABSENT = "absent"
    """Not on this machine, such as a GPU."""


class Finding(Record):
    """One part, how it is, and what to do about it."""

    part: str
    state: State
    detail: str = ""
    remedy: str = ""


class Diagnosis(Record):
    """Everything that `aka doctor` shows. usable: whether `target` can run tasks here."""

    target: str
    usable: bool
    findings: tuple[Finding, ...]
    devices: tuple[DeviceFacts, ...]


def diagnose(name: str = "auto") -> Diagnosis:
    """Look at the package, the suite, sandboxes, targets with their toolchains, and agents.

    Raises:
        InputError: there is no target called `name`.
    """
    wanted = targets.load(name)
    findings = [*_package(), *_sandboxes()]
    devices = []
    usable = not wanted.compile_only and any(f.state is State.OK and f.part.startswith("sandbox ") for f in findings)
    for kind in dict.fromkeys([*targets.names(), name if ":" in name else wanted.name.partition(":")[0]]):
        place, found = _target(kind)
        findings += found
        if place is not None and not place.compile_only:
            devices.append(place.facts())
        if place is not None and place.name == wanted.name:
            usable = usable and all(f.state is State.OK for f in found)
    for name in COMPILE_ONLY:
        findings += _target(name)[1][1:] if name not in {d.target for d in devices} else []
    findings += _agents()
    return Diagnosis(target=wanted.name, usable=usable, findings=tuple(findings), devices=tuple(devices))


def _package() -> Iterator[Finding]:
    yield Finding(part="agentkernelarena", state=State.OK, detail=agentkernelarena.__version__)
    yield Finding(part="python", state=State.OK, detail=f"{platform.python_version()} on {platform.platform()}")
    for package in ("torch", "triton"):
        version = installed(package)
        if version:
            yield Finding(part=package, state=State.OK, detail=version)
        else:
            yield Finding(part=package, state=State.MISSING, remedy=f"pip install {package}")
    try:
        tasks = loader.task_ids()
        detail = f"{len(tasks)} tasks, {len(loader.operator_folders())} operators, digest {suite_digest()}"
        yield Finding(part="suite", state=State.OK, detail=detail)
    except InputError as error:
        yield Finding(part="suite", state=State.MISSING, detail=error.problem, remedy=error.remedy)


def _sandboxes() -> Iterator[Finding]:
    for name, problem in sandbox.probe().items():
        if problem is None:
            detail = sandbox.ENGINES[name].describe() if name != "none" else "no confinement: only if asked for"
            state = State.OK if name != "none" else State.ABSENT
            yield Finding(part=f"sandbox {name}", state=state, detail=detail)
        else:
            yield Finding(part=f"sandbox {name}", state=State.MISSING, detail=problem[0], remedy=problem[1])


def _target(name: str) -> tuple[Target | None, list[Finding]]:
    try:
        place = targets.load(name)
    except InputError as error:
        return None, [Finding(part=f"target {name}", state=State.ABSENT, detail=error.problem, remedy=error.remedy)]
    if place.compile_only:
        found = [Finding(part=f"target {place.name}", state=State.ABSENT, detail="no device here: compile gate only")]
    else:
        facts = place.facts()
        detail = ", ".join(t for t in (facts.name, facts.architecture, _size(facts)) if t)
        found = [Finding(part=f"target {place.name}", state=State.OK, detail=detail)]
    for language in ("hip", "triton"):
        try:
            found.append(_toolchain(place, language, place.toolchain(language)))
        except InputError as error:
            part = f"{place.name}: {language}"
            found.append(Finding(part=part, state=State.ABSENT, detail=error.problem, remedy=error.remedy))
    return place, found


def _size(facts: DeviceFacts) -> str:
    return f"{facts.memory_mib / 1024:.0f} GiB" if facts.memory_mib else ""


def _toolchain(place: Target, language: str, toolchain: Toolchain) -> Finding:
    part = f"{place.name}: {language}"
    missing = toolchain.missing()
    if not missing:
        return Finding(part=part, state=State.OK, detail=toolchain.version())
    return Finding(
        part=part, state=State.MISSING, detail=", ".join(m.what for m in missing),
        remedy="; ".join(dict.fromkeys(m.install for m in missing)),
    )


def _agents() -> Iterator[Finding]:
    for name in plugin.names("agent"):
        try:
            agents.load(name).preflight(AgentSettings(agent=name))
            yield Finding(part=f"agent {name}", state=State.OK)
        except InputError as error:
            detail = f"{error.place.partition(': ')[2]} {error.problem}".strip()
            yield Finding(part=f"agent {name}", state=State.ABSENT, detail=detail, remedy=error.remedy)
