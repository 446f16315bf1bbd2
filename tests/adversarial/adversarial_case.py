"""Cases of the adversarial suite: what a file's header declares, and how the judge is called on it.

A case is one source file. Its first comment block names the catalogue's id and what it does, then lines of the form
``key: value``:

- expect: the statuses that the judgement may have, separated by ``|``.
- reason: a regular expression that the outcome's reason must contain (optional).
- task: which task it is judged for (default: rmsnorm in HIP, swiglu in Triton).
- unseen: how many unseen configurations are judged besides the seen ones (default: the smoke configuration alone).
- unseen_expect: the status that at least one unseen configuration must end with.
- speedup: ``< 1.5`` or ``> 3``: what the measured speedup must be when it passes.
- time: ``no`` leaves the performance gate out, to show that the correctness gate alone is not fooled.
- call_s, load_s, compile_s, gate_s: deadlines of this case in seconds.
- next: ``harvest`` runs a program afterwards that looks for what this one left; otherwise an honest one runs.
- raw: ``yes`` for a Python case that is the submission by itself and is compiled as it stands; the others are modules
  of one submission that compiles the pristine kernel and runs the case's code in the worker.
- marks: ``slow`` for the expensive ones.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agentkernelarena.judge import JudgeOptions, judge
from agentkernelarena.judge.trial import shared_nurseries
from agentkernelarena.result import Judgement
from agentkernelarena.sandbox.limit import descendants
from agentkernelarena.submission import Submission
from agentkernelarena.target.cpu import CpuTarget
from agentkernelarena.task.loader import categories, load_task
from agentkernelarena.task.unseen import draw_unseen

HERE = Path(__file__).parent
SEED = b"adversarial suite, one public seed"
KEYS = {"expect", "reason", "task", "unseen", "unseen_expect", "speedup", "time", "call_s", "load_s", "compile_s",
        "gate_s", "next", "marks", "raw"}
_DEFAULT_TASK = {".hip": "hip2hip/rmsnorm", ".py": "triton2triton/swiglu"}


@dataclass(frozen=True)
class Case:
    """One case: its file and what the header declares."""

    path: Path
    title: str
    options: dict[str, str]

    @property
    def id(self) -> str:
        return f"{self.path.parent.name}-{self.path.stem}{self.path.suffix.replace('.', '-')}"

    @property
    def task_id(self) -> str:
        return self.options.get("task", _DEFAULT_TASK[self.path.suffix])

    @property
    def expected(self) -> set[str]:
        return set(self.options["expect"].split("|"))

    def target(self) -> BriefTarget:
        """The cpu target with this case's deadlines."""
        names = ("call_s", "load_s", "compile_s", "gate_s")
        return BriefTarget({n: float(self.options[n]) for n in names if n in self.options}, _module(self.path))


class BriefTarget(CpuTarget):
    """The cpu target, with one build variant instead of two and deadlines that a test can wait for."""

    def __init__(self, deadlines: dict[str, float], module: str) -> None:
        self.deadlines = dataclasses.replace(CpuTarget.deadlines, **deadlines)
        self._module = module

    def device_settings(self) -> dict[str, str]:
        """Which case the worker runs; on this target the settings become its environment."""
        return {"AKA_ADVERSARIAL_CASE": self._module}

    def build_variants(self, language: str) -> tuple[frozenset[str], ...]:
        return super().build_variants(language)[:1]


def read_case(path: Path) -> Case:
    """Read a case's header; anything that is not declared as above is an error, so that a typo cannot disarm a test."""
    title, options = [], {}
    marker = "//" if path.suffix == ".hip" else "#"
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if not line.startswith(marker):
            break
        text = line[len(marker):].strip()
        key, _, value = text.partition(": ")
        if key in KEYS:
            options[key] = value.strip()
        else:
            title.append(text)
    assert "expect" in options, f"{path}: no `expect` in the header"
    return Case(path, " ".join(title), options)


def cases(folder: str) -> list[Case]:
    """Every case below `folder`, in a fixed order."""
    found = sorted(p for p in (HERE / folder).rglob("*") if p.suffix in (".hip", ".py") and p.is_file())
    return [read_case(p) for p in found]


DISPATCHER = b"""import importlib
import os
import sys

_at_work = "agentkernelarena.judge.worker.loop" in sys.modules
launch = importlib.import_module(os.environ["AKA_ADVERSARIAL_CASE"] if _at_work else "honest").launch
"""


def _module(path: Path) -> str:
    return "_".join((*path.parent.relative_to(HERE).parts, path.stem))


@functools.cache
def _together() -> dict[str, bytes]:
    """All Python cases that act in the worker only, as modules of one submission, so that one build serves them all."""
    paths = [*HERE.glob("cheat/*/*.py"), *HERE.glob("next/*.py")]
    return {f"{_module(p)}.py": p.read_bytes() for p in sorted(paths) if read_case(p).options.get("raw") != "yes"}


def submission(path: Path, task_id: str) -> Submission:
    """The file as a submission, with what it may include: the pristine baseline, and plain host code that is right."""
    task = load_task(task_id)
    entry = categories()[task.category].entry
    together = path.suffix == ".py" and read_case(path).options.get("raw") != "yes"
    files = {entry: DISPATCHER, **_together()} if together else {entry: path.read_bytes()}
    if entry.endswith(".hip"):
        files["right.h"] = (HERE / "right.h").read_bytes()
        source = task.folder / "kernel.hip"
        if source.is_file():
            text = source.read_text().replace('extern "C" void launch(', "static void honest(")
            files["honest.h"] = text.encode()
    else:
        files["right.py"] = (HERE / "right.py").read_bytes()
        files["honest.py"] = (task.folder / "kernel.py").read_bytes()
    return Submission(entry, files)


def judged(case: Case) -> Judgement:
    """Judge one case on the cpu target."""
    return _judge(case.path, case.task_id, case.target(), int(case.options.get("unseen", 0)),
                  case.options.get("time") != "no")


def _judge(path: Path, task_id: str, target: CpuTarget, unseen: int, time: bool) -> Judgement:
    task = load_task(task_id)
    drawn = ()
    if unseen:
        seen = list(target.seen(task).values())
        drawn = draw_unseen(task, SEED, unseen, lambda cfg: target.fits(task, cfg), seen)
    options = JudgeOptions(seed=SEED, unseen=drawn, time=time, smoke_only=not unseen)
    return judge(task, submission(path, task_id), target, options)


def judged_next(case: Case) -> Judgement:
    """Judge what comes after a case in the same nursery: an honest program, or one that looks for remains."""
    harvest = case.options.get("next") == "harvest"
    path = HERE / "next" / f"{'harvest' if harvest else 'honest'}{case.path.suffix}"
    return _judge(path, _DEFAULT_TASK[path.suffix], BriefTarget({}, _module(path)), 0, not harvest)


def strangers() -> Iterator[str]:
    """Processes below the warm nurseries that are no part of them: what a submission left running."""
    own = _nursery_size()
    for nursery in shared_nurseries()._all.values():
        if nursery.alive:
            pids = descendants(nursery._process.pid)
            if len(pids) > own:
                for pid in pids[own:]:
                    yield Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]


@functools.cache
def _nursery_size() -> int:
    """Processes of one idle nursery with its sandbox: the sandbox's outer process, its init if it has one, itself."""
    from agentkernelarena.judge.nursery import Nursery

    nursery = Nursery("hip", "auto", {})
    try:
        nursery._wait_ready()
        return len(descendants(nursery._process.pid))
    finally:
        nursery.close()


def matches_speedup(rule: str, speedup: float) -> bool:
    """Whether a measured speedup keeps the header's rule."""
    match = re.fullmatch(r"([<>]) ([0-9.]+)", rule)
    assert match, f"speedup: {rule!r}"
    bound = float(match[2])
    return speedup < bound if match[1] == "<" else speedup > bound


os.environ.setdefault("AKA_HIP_THREADS", "2")
