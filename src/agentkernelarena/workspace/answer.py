"""From a judgement to what ./aka prints: everything about the seen configurations, nothing about how it was drawn."""

from __future__ import annotations

import json

from agentkernelarena.record import Budget
from agentkernelarena.result import ConfigurationResult, DeviceFacts, Gate, Judgement, Mismatch, SideResult
from agentkernelarena.workspace import prompt
from agentkernelarena.workspace.broker import Command, ToolAnswer
from agentkernelarena.workspace.workspace import Workspace

LOG_CHARACTERS = 12_000


def from_judgement(command: Command, judgement: Judgement) -> ToolAnswer:
    """What the agent is told about a judgement that was made of seen configurations only.

    Unseen ones are left out should there be any.
    """
    lines = [_headline(judgement)]
    for gate in judgement.gates:
        wanted = not gate.outcome.passed or (command == "profile" and gate.gate is Gate.COMPILE)
        if wanted and gate.log.strip():
            lines.append(gate.log.strip()[-LOG_CHARACTERS:])
    lines += [_line(command, result) for result in judgement.seen]
    if command != "check" and not judgement.ranked:
        lines.append("Times on this target are for trying out only.")
    return ToolAnswer(judgement.outcome.passed, str(judgement.outcome.status), "\n".join(lines), _document(judgement))


def info(workspace: Workspace, facts: DeviceFacts, budget: Budget, left_s: float) -> ToolAnswer:
    """The answer to ./aka info: the task, the target and the budget, with the wall time that is left."""
    left = max(0.0, left_s)
    lines = [f"task {workspace.task_id}", *prompt.target_lines(facts), *prompt.budget_lines(budget),
             f"{left:.0f} s of wall time left", "configurations: " + ", ".join(repr(s) for s in workspace.seen)]
    document = {"task": workspace.task_id, "target": facts.model_dump(mode="json"), "wall_left_s": round(left, 1),
                "budget": budget.model_dump(mode="json"), "configurations": list(workspace.seen)}
    return ToolAnswer(True, "passed", "\n".join(lines), json.dumps(document))


def _headline(judgement: Judgement) -> str:
    outcome = judgement.outcome
    gate = f" ({outcome.gate} gate)" if outcome.gate and not outcome.passed else ""
    return f"{outcome.status}{gate}" + (f": {outcome.reason}" if outcome.reason else "")


def _line(command: Command, result: ConfigurationResult) -> str:
    side = result.submission
    out = f"{result.name}: {side.outcome.status}"
    if side.error_ratio is not None and side.outcome.passed:
        out += f", error {side.error_ratio:.2g} of its bound"
    if side.mismatch is not None:
        out += f", {_mismatch(side.mismatch)}"
    elif not side.outcome.passed and side.outcome.reason:
        out += f", {side.outcome.reason}"
    if command != "check":
        out += _times(result)
        if command == "profile":
            out += _profile(side)
    return out


def _mismatch(found: Mismatch) -> str:
    return (f"{found.output}{list(found.index)} is {found.value}, expected {found.expected} within {found.bound:.3g}; "
            f"{found.wrong_elements} of {found.elements} elements are wrong ({found.draw} values)")


def _times(result: ConfigurationResult) -> str:
    if result.submission.time_us is None:
        return ""
    out = f", {result.submission.time_us:.2f} us"
    if result.baseline.time_us is not None:
        out += f" (baseline {result.baseline.time_us:.2f} us)"
    if result.speedup is not None:
        out += f", speedup {result.speedup:.3f}"
    if result.interval is not None:
        out += f" [{result.interval.low:.3f}, {result.interval.high:.3f}]"
    if result.verdict is not None:
        out += f", {result.verdict}"
    if result.floor_us:
        out += f", {result.floor_us / result.submission.time_us:.0%} of the device's limit"
    return out


def _profile(side: SideResult) -> str:
    out = f", host {side.host_us:.2f} us a call" if side.host_us is not None else ""
    times = sorted(side.samples.time_us)
    if times:
        middle = times[len(times) // 2]
        out += f", {len(times)} samples: {times[0]:.2f} fastest, {middle:.2f} median, {times[-1]:.2f} us slowest"
    return out


def _document(judgement: Judgement) -> str:
    seen = [
        {"name": r.name, "configuration": r.configuration, "outcome": r.submission.outcome.status,
         "reason": r.submission.outcome.reason, "error_ratio": r.submission.error_ratio,
         "mismatch": r.submission.mismatch.model_dump(mode="json") if r.submission.mismatch else None,
         "time_us": r.submission.time_us, "baseline_time_us": r.baseline.time_us, "host_us": r.submission.host_us,
         "speedup": r.speedup, "interval": [r.interval.low, r.interval.high] if r.interval else None,
         "verdict": r.verdict, "floor_us": r.floor_us}
        for r in judgement.seen
    ]
    gates = [{"gate": g.gate, "outcome": g.outcome.status, "reason": g.outcome.reason, "seconds": round(g.seconds, 3),
              "log": g.log[-LOG_CHARACTERS:]} for g in judgement.gates]
    return json.dumps({
        "passed": judgement.outcome.passed, "outcome": judgement.outcome.status, "reason": judgement.outcome.reason,
        "ranked": judgement.ranked, "seconds": round(judgement.seconds, 3), "gates": gates, "configurations": seen})
