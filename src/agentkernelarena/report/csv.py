"""The report as CSV: one row per agent and task, for spreadsheets. Empty cells are numbers that do not exist."""

from __future__ import annotations

import csv
import io

from agentkernelarena.report.model import AgentReport, Estimated, Report, TaskReport

COLUMNS = (
    "run", "target", "ranked", "agent", "model", "category", "task", "planned", "passed", "verdict", "outcomes",
    "seen_speedup", "seen_low", "seen_high", "unseen_speedup", "unseen_low", "unseen_high", "retention",
    "unseen_planned", "unseen_correct", "both_pass", "regression", "improvement", "both_fail", "not_reached",
    "conditional_correctness", "speed_of_light", "worst_unseen", "worst_stratum", "worst_speedup", "worst_reason",
)


def render(report: Report) -> str:
    """CSV text with a header row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for agent in report.agents:
        for task in agent.tasks:
            writer.writerow(_row(report, agent, task))
    return out.getvalue()


def _row(report: Report, agent: AgentReport, task: TaskReport) -> list[str]:
    general, q, worst = task.generalisation, task.generalisation.quadrants, task.worst
    return [
        report.run, report.target, str(report.ranked).lower(), _plain(agent.name), _plain(agent.model), task.category,
        task.task, str(task.planned), str(task.passed), task.verdict,
        " ".join(f"{name}={n}" for name, n in task.outcomes.items()), *_estimate(general.seen),
        *_estimate(general.unseen), _number(general.retention.value if general.retention else None), str(q.planned),
        str(q.correct), str(q.both_pass), str(q.regression), str(q.improvement), str(q.both_fail), str(q.not_reached),
        _number(general.conditional.share), _number(task.speed_of_light), worst.label if worst else "",
        worst.stratum if worst else "", _number(worst.speedup if worst else None),
        _plain(worst.reason if worst else ""),
    ]


def _plain(text: str) -> str:
    """Text that a submission or a user chose: a spreadsheet must not take it for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _estimate(answer: Estimated | None) -> tuple[str, str, str]:
    return ("", "", "") if answer is None else (_number(answer.value), _number(answer.low), _number(answer.high))
