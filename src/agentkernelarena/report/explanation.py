"""Where every number of a task comes from: gates, configurations, samples, and the arithmetic on top of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from agentkernelarena import score
from agentkernelarena.errors import InputError, nearest
from agentkernelarena.record import TrialRecord
from agentkernelarena.report import wording
from agentkernelarena.report.computation import build
from agentkernelarena.report.model import AgentReport, TaskReport
from agentkernelarena.result import ConfigurationResult, SideResult
from agentkernelarena.store import Store
from agentkernelarena.task.axis import Configuration


def explain(store: Store, task: str) -> str:
    """Plain text about `task`, for every agent and trial; raise `InputError` when the run has no such task."""
    report = build(store)
    known = sorted({t.task for a in report.agents for t in a.tasks})
    if task not in known:
        raise InputError(f"task {task!r}", "is not in this run", nearest(task, known))
    records = {t.id: t for t in store.trials() if t.task == task}
    lines = [f"{task} in run {report.run}, target {report.target}"]
    if not report.ranked:
        lines.append("Times of this target are smoke: measured and kept, never ranked.")
    for agent in report.agents:
        for found in agent.tasks:
            if found.task == task:
                lines += ["", f"== {agent.name}", *_task(agent, found)]
                for trial in found.trials:
                    lines += ["", *_trial(trial.id, records.get(trial.id))]
    return "\n".join(lines) + "\n"


def _task(agent: AgentReport, task: TaskReport) -> Iterator[str]:
    general = task.generalisation
    sources = {"trials": "Student's t over trials", "measurement": "the timing's own noise (one trial passed)"}
    yield f"outcomes      {wording.outcomes(task.outcomes)}; {task.passed} of {task.planned} planned trials passed"
    band = "no null band on record" if task.null_band is None else f"null band ±{100 * task.null_band:.2g} %"
    yield f"verdict       {task.verdict} ({band})"
    yield (
        f"seen          {wording.estimate(general.seen)}: geometric mean over trials of the geometric mean over seen "
        f"configurations; interval from {sources.get(task.interval_from, 'nothing: there is none')}"
    )
    yield f"unseen        {wording.estimate(general.unseen)}: the same over unseen configurations where both sides pass"
    yield f"retention     {wording.estimate(general.retention)}: unseen / seen"
    q = general.quadrants
    yield (
        f"quadrants     {q.both_pass} both pass, {q.regression} regressions, {q.improvement} improvements, "
        f"{q.both_fail} both fail, {q.not_reached} not reached; {q.planned} planned unseen configurations"
    )
    yield f"conditional   {wording.rate(general.conditional)}: submission right where the baseline is right"
    yield f"worst unseen  {wording.worst(task.worst)}"


def _trial(trial_id: str, record: TrialRecord | None) -> Iterator[str]:
    if record is None:
        yield f"-- trial {trial_id}: unfinished; counts as not passed in every rate"
        return
    reason = f": {record.outcome.reason}" if record.outcome.reason else ""
    yield f"-- trial {trial_id} (trials/{trial_id}/trial.json): {record.outcome.status}{reason}"
    yield f"   agent {record.agent_status.status} after {record.agent_status.seconds:.0f} s"
    judged = record.judgement
    if judged is None:
        yield "   never judged"
    else:
        yield f"   submission {judged.submission_digest[:16]}, protocol {judged.protocol}, isolation {judged.isolation}"
        for gate in judged.gates:
            why = f": {gate.outcome.reason}" if gate.outcome.reason else ""
            yield f"   gate {gate.gate:<12} {gate.outcome.status}, {gate.seconds:.1f} s{why}"
    for policy, title in score.policies().items():
        value = score.score_trial(record, policy)
        yield f"   score {policy:<15} {'cannot be said' if math.isnan(value) else f'{value:.4g}'}  ({title})"
    for c in judged.configurations if judged else ():
        yield from _configuration(c)


def _configuration(c: ConfigurationResult) -> Iterator[str]:
    kind = "seen" if c.seen else c.stratum
    yield f"   {c.name} [{kind}] {Configuration(c.configuration).label}"
    yield f"      baseline    {_side(c.baseline)}"
    yield f"      submission  {_side(c.submission)}"
    if c.speedup is not None:
        ends = f", 95 % interval {c.interval.low:.4f}–{c.interval.high:.4f}" if c.interval else ""
        floor = f", floor {c.floor_us:.3g} us" if c.floor_us is not None else ""
        yield f"      speedup     {c.speedup:.4f}{ends}, {c.verdict}{floor}"


def _side(side: SideResult) -> str:
    parts = [side.outcome.status.value + (f": {side.outcome.reason}" if side.outcome.reason else "")]
    if side.error_ratio is not None:
        parts.append(f"largest error {side.error_ratio:.3g} of its bound")
    if side.mismatch is not None:
        m = side.mismatch
        parts.append(
            f"{m.output}{list(m.index)} is {m.value}, expected {m.expected} within {m.bound:.3g}, draw {m.draw}, "
            f"{m.wrong_elements} of {m.elements} wrong"
        )
    if side.time_us is not None:
        parts.append(f"{side.time_us:.4g} us (trimmed mean of {len(side.samples.time_us)} samples)")
    return ", ".join(parts)
