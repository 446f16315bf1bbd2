"""The report as Markdown (tables of GitHub's flavour), for pull requests and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentkernelarena.report import wording
from agentkernelarena.report.model import AgentReport, Report


def render(report: Report) -> str:
    """Markdown text: facts, notes, summary, then strata, categories and tasks of each agent."""
    lines = [f"# Run {escape(report.run)}", ""]
    lines += [f"- {label}: {escape(text)}" for label, text in wording.facts(report)]
    for note in report.notes:
        lines += ["", f"> **Note.** {escape(note)}"]
    lines += ["", "## Summary", "", *_summary(report), ""]
    lines += ["Rates count every planned trial. Speedups are geometric means with 95 % intervals.", ""]
    for agent in report.agents:
        lines += [f"## {escape(agent.name)}", "", *_fast_p(agent), "", *_categories(agent), ""]
        if agent.strata:
            lines += ["### Unseen strata", "", *_strata(agent), ""]
        lines += ["### Tasks", "", *_tasks(agent), ""]
    return "\n".join(lines).rstrip() + "\n"


def escape(text: str) -> str:
    """Text as it is: no table cell, HTML or formatting can be broken out of by a name or a reason."""
    text = " ".join(text.split()).replace("\\", "\\\\")
    for mark in "|*_`[]":
        text = text.replace(mark, "\\" + mark)
    return text.replace("<", "&lt;")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Iterator[str]:
    yield "| " + " | ".join(escape(cell) for cell in head) + " |"
    yield "|" + "|".join(" --- " if i < left else " ---: " for i in range(len(head))) + "|"
    for row in rows:
        yield "| " + " | ".join(escape(cell) for cell in row) + " |"


def _summary(report: Report) -> Iterator[str]:
    head = ("agent", "passed", "delivered", "seen", "unseen", "unseen right | baseline right", "retention", "paper")
    rows = []
    for agent in report.agents:
        whole, general = agent.overall, agent.overall.generalisation
        rows.append((
            agent.name, wording.rate(whole.passed), wording.estimate(whole.delivered), wording.estimate(general.seen),
            wording.estimate(general.unseen), wording.rate(general.conditional), wording.estimate(general.retention),
            wording.number(whole.paper),
        ))
    return _table(head, rows)


def _fast_p(agent: AgentReport) -> Iterator[str]:
    steps = agent.overall.fast_p
    return _table(
        ("share of planned trials", *(f"at least {s.p:g}×" for s in steps)),
        [("fast_p", *(wording.rate(s.rate, counts=False) for s in steps))],
    )


def _categories(agent: AgentReport) -> Iterator[str]:
    head = ("category", "tasks", "passed", "delivered", "seen", "unseen", "unseen right | baseline right")
    rows = [
        (
            g.name, str(g.tasks), wording.rate(g.passed), wording.estimate(g.delivered),
            wording.estimate(g.generalisation.seen), wording.estimate(g.generalisation.unseen),
            wording.rate(g.generalisation.conditional),
        )
        for g in agent.categories
    ]
    return _table(head, rows)


def _strata(agent: AgentReport) -> Iterator[str]:
    head = (
        "stratum", "both pass", "regression", "improvement", "both fail", "right | baseline right", "speedup",
        "retention",
    )
    rows = [
        (
            s.stratum, str(s.quadrants.both_pass), str(s.quadrants.regression), str(s.quadrants.improvement),
            str(s.quadrants.both_fail), wording.rate(s.conditional, counts=False), wording.estimate(s.speedup),
            wording.estimate(s.retention),
        )
        for s in agent.strata
    ]
    return _table(head, rows)


def _tasks(agent: AgentReport) -> Iterator[str]:
    head = ("task", "verdict", "seen", "unseen", "unseen right", "worst unseen")
    rows = [
        (
            t.task, f"{wording.VERDICT_MARK[t.verdict]} {wording.state(t)}", wording.estimate(t.generalisation.seen),
            wording.estimate(t.generalisation.unseen),
            wording.fraction(t.generalisation.quadrants.correct, t.generalisation.quadrants.planned),
            wording.worst(t.worst),
        )
        for t in agent.tasks
    ]
    return _table(head, rows, left=2)
