"""`aka evaluate`: judge one submission, without an agent and without a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from agentkernelarena.cli._flag import Json, Seed, TaskId, flag
from agentkernelarena.cli.completion import targets

if TYPE_CHECKING:
    from agentkernelarena.result import ConfigurationResult, Judgement


_TARGET = "auto, cpu, nvidia, amd; with --compile-only also amd:gfx942 and the like."


def register(app: typer.Typer) -> None:
    app.command("evaluate")(evaluate)


def evaluate(
    task: TaskId,
    submission: Annotated[str, flag("PATH", "A file, a folder of files, or `baseline` for the suite's own kernel.")],
    target: Annotated[str, flag("NAME", _TARGET, targets)] = "auto",
    compile_only: Annotated[bool, typer.Option("--compile-only", help="Stop after the compile gate.")] = False,
    smoke: Annotated[bool, typer.Option("--smoke", help="The smoke configuration only: quick.")] = False,
    no_timing: Annotated[bool, typer.Option("--no-timing", help="Stop after the correctness gate.")] = False,
    sanitize: Annotated[bool, typer.Option("--sanitize", help="Also with AddressSanitizer (HIP on cpu).")] = False,
    unseen: Annotated[int, flag("N", "Unseen configurations to judge besides the seen ones.")] = 0,
    seed: Seed = None,
    isolation: Annotated[str, flag("NAME", "Confinement of the kernels: auto, bwrap, unshare or none.")] = "auto",
    json_: Json = False,
) -> int:
    """Compile, check and time one submission.

    For example: aka evaluate hip2hip/rmsnorm --submission kernel.hip --target cpu
    """
    from agentkernelarena.cli._output import only_result_on_stdout, say
    from agentkernelarena.run.evaluate import evaluate as judge_submission

    with only_result_on_stdout():
        judgement = judge_submission(
            task, submission, target=target, unseen=unseen, seed=seed, isolation=isolation, compile_only=compile_only,
            smoke_only=smoke, time=not no_timing, sanitize=sanitize, progress=lambda stage: say(f"  {stage}"),
        )
    print(judgement.model_dump_json(indent=1) if json_ else page(judgement))
    return 0 if judgement.outcome.passed else 1


def page(judgement: Judgement) -> str:
    """The judgement for a person."""
    from agentkernelarena.cli._output import columns

    ranked = "" if judgement.ranked else " (times are smoke: not ranked)"
    lines = [f"{judgement.task} on {judgement.target}{ranked}: {judgement.outcome.status.value}"]
    if judgement.outcome.reason:
        gate = f"{judgement.outcome.gate.value} gate: " if judgement.outcome.gate else ""
        lines.append(f"  {gate}{judgement.outcome.reason}")
    for result in judgement.gates:
        lines.append(f"  {result.gate.value:<12} {result.outcome.status.value:<14} {result.seconds:.1f} s")
    failed = next((g for g in judgement.gates if not g.outcome.passed and g.log), None)
    if failed:
        lines += ["", *(f"  | {line}" for line in failed.log.strip().splitlines()[-20:])]
    if judgement.configurations:
        head = (
            "configuration", "values", "submission", "error/bound", "baseline us", "submission us", "speedup",
            "interval",
        )
        lines += ["", columns(head, [_row(c) for c in judgement.configurations], right=range(3, 8))]
    return "\n".join(lines)


def _row(result: ConfigurationResult) -> tuple[str, ...]:
    def number(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    interval = f"{result.interval.low:.3f}..{result.interval.high:.3f}" if result.interval else "-"
    return (
        result.name + (f" ({result.stratum})" if result.stratum else ""),
        " ".join(f"{k}={v}" for k, v in result.configuration.items()),
        result.submission.outcome.status.value, number(result.submission.error_ratio, ".3f"),
        number(result.baseline.time_us, ".1f"), number(result.submission.time_us, ".1f"),
        number(result.speedup, ".3f"), interval,
    )
