"""The compile gate: every compile-time variant of baseline and submission that a trial needs is really built."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from agentkernelarena.judge.build import BuildOrder, BuildOutcome, build, key
from agentkernelarena.judge.session import Artefact
from agentkernelarena.result import Gate, GateResult, Outcome, Status
from agentkernelarena.target import Target
from agentkernelarena.task import abi
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.category import Category
from agentkernelarena.task.task import Task, TensorSpec

_PARALLEL = min(8, os.cpu_count() or 2)
_ARGUMENTS = "arguments.json"


@dataclass(frozen=True)
class Product:
    """Artefacts of one side: by compile-time part of the configuration and option set (first set: the timed one)."""

    artefacts: Mapping[tuple[tuple[tuple[str, str], ...], frozenset[str]], Artefact]
    variants: tuple[frozenset[str], ...]

    def timed(self, task: Task, cfg: Configuration) -> Artefact:
        return self.artefacts[task.build_key(cfg), self.variants[0]]

    def all(self, task: Task, cfg: Configuration) -> list[Artefact]:
        return [self.artefacts[task.build_key(cfg), v] for v in self.variants]


@dataclass(frozen=True)
class Compiled:
    """How the gate ended: a product, or the outcome that stopped it."""

    product: Product | None
    result: GateResult
    builds: tuple[BuildOutcome, ...]


def orders(
    task: Task,
    target: Target,
    files: Mapping[str, bytes],
    main: str,
    language: str,
    configurations: Iterable[Configuration],
    variants: tuple[frozenset[str], ...],
) -> dict[tuple[tuple[tuple[str, str], ...], frozenset[str]], BuildOrder]:
    """What has to be built for `configurations`, without repetition."""
    out = {}
    for cfg in configurations:
        for options in variants:
            if language == "hip":
                headers, defines = {abi.HEADER_NAME: abi.header(task)}, abi.defines(task, cfg)
            elif (task.build_key(cfg), options) in out:
                continue
            else:
                # Where kernels are interpreted, one real compilation shows that they compile at all.
                typical = cfg if target.queued else task.smoke
                headers, defines = {_ARGUMENTS: arguments(task, typical)}, {"AKA_ARGUMENTS": _ARGUMENTS}
            out[task.build_key(cfg), options] = BuildOrder(files, main, headers, defines, options, language)
    return out


def arguments(task: Task, cfg: Configuration) -> str:
    """The call at `cfg` as JSON, in the order of `launch`: what a Triton compiler specialises for."""
    described: list[dict[str, object]] = []
    for spec in (*task.inputs(cfg), *task.outputs(cfg)):
        if isinstance(spec, TensorSpec):
            described.append({"kind": "tensor", "shape": list(spec.shape), "dtype": spec.dtype.name})
        else:
            described.append({"kind": "scalar", "value": 1e-5 if spec.dtype.is_float else 1})
    described += [{"kind": "scalar", "value": int(cfg[axis])} for axis in task.integer_axes]
    return json.dumps(described)


def compile_side(
    task: Task,
    target: Target,
    files: Mapping[str, bytes],
    main: str,
    language: str,
    configurations: list[Configuration],
    engine: str,
    variants: tuple[frozenset[str], ...] | None = None,
) -> Compiled:
    """Build one side, in the target's variants or the given ones.

    A torch baseline has nothing to compile: its artefact is the operator file.
    """
    start = time.monotonic()
    if language == "torch":
        artefact = Artefact("reference", task.folder / "operator.py", "operator.py", "torch")
        keys = {(task.build_key(c), frozenset[str]()): artefact for c in configurations}
        passed = Outcome(status=Status.PASSED, gate=Gate.COMPILE)
        return Compiled(Product(keys, (frozenset(),)), GateResult(gate=Gate.COMPILE, outcome=passed, seconds=0.0), ())
    variants = variants or target.build_variants(language)
    wanted = orders(task, target, files, main, language, configurations, variants)
    distinct = {key(order, target): order for order in wanted.values()}
    limit_s = target.deadlines.compile_s
    with ThreadPoolExecutor(_PARALLEL) as pool:
        built = dict(
            zip(distinct, pool.map(lambda o: build(o, target, engine, limit_s), distinct.values()), strict=True)
        )
    failed = next((b for b in built.values() if not b.ok), None)
    log = "\n".join(b.build.log for b in built.values() if b.build.log.strip())[: 16 << 10]
    seconds = time.monotonic() - start
    if failed is not None:
        outcome = _failure(failed)
        return Compiled(
            None, GateResult(gate=Gate.COMPILE, outcome=outcome, seconds=seconds, log=log), tuple(built.values())
        )
    artefacts = {}
    for place, order in wanted.items():
        address = key(order, target)
        path = built[address].build.artefact
        assert path is not None
        folder = path if language == "hip" else path.parent
        artefacts[place] = Artefact(address, folder, path.name, language)
    passed = Outcome(status=Status.PASSED, gate=Gate.COMPILE)
    result = GateResult(gate=Gate.COMPILE, outcome=passed, seconds=seconds, log=log)
    return Compiled(Product(artefacts, variants), result, tuple(built.values()))


def _failure(failed: BuildOutcome) -> Outcome:
    errors = [str(d) for d in failed.build.diagnostics if d.severity in ("error", "fatal error", "fatal")]
    reason = "; ".join(errors[:3]) or failed.build.log.strip()[-1000:] or "the compiler failed without a message"
    status = Status.TIMEOUT if failed.timed_out else Status.COMPILE_ERROR
    return Outcome(status=status, reason=reason[:2000], gate=Gate.COMPILE)


def baseline_files(task: Task, category: Category) -> dict[str, bytes]:
    """The pristine baseline's sources."""
    if category.baseline_language == "torch":
        return {}
    return {category.baseline: (task.folder / category.baseline).read_bytes()}
