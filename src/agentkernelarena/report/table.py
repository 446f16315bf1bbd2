"""The report in a terminal, as rich renderables: one summary row per agent, then one row per task."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agentkernelarena.report import wording
from agentkernelarena.report.model import AgentReport, Report, TaskReport

_STYLE = {"faster": "green", "slower": "red", "failed": "red", "no change": "", "unclear": "", "unfinished": "yellow", "smoke": "cyan"}


def render(report: Report) -> RenderableType:
    """Everything that fits a terminal: notes, summary, strata and tasks."""
    parts: list[RenderableType] = [_heading(report)]
    parts += [Panel(Text(note), border_style="yellow", title="note", title_align="left") for note in report.notes]
    parts.append(summary(report))
    for agent in report.agents:
        parts.append(_tasks(agent, report))
        if agent.strata:
            parts.append(_strata(agent))
    return Group(*parts)


def summary(report: Report) -> Table:
    """One row per agent: the headline numbers with their intervals."""
    table = Table(title="Summary", title_justify="left", header_style="bold", caption_justify="left")
    table.caption = "Rates count every planned trial. Speedups are geometric means with 95 % intervals."
    table.add_column("agent", overflow="fold")
    for name in ("passed", "delivered", "seen", "unseen", "unseen right | baseline right", "retention", "paper"):
        table.add_column(name, justify="right")
    for agent in report.agents:
        whole, general = agent.overall, agent.overall.generalisation
        table.add_row(
            Text(agent.name, style="bold"), wording.rate(whole.passed), wording.estimate(whole.delivered),
            wording.estimate(general.seen), wording.estimate(general.unseen), wording.rate(general.conditional),
            wording.estimate(general.retention), wording.number(whole.paper),
        )
    return table


def _heading(report: Report) -> Text:
    text = Text(f"Run {report.run}\n", style="bold")
    for label, value in wording.facts(report):
        text.append(f"{label}: ", style="dim")
        text.append(f"{value}\n", style="not bold")
    text.rstrip()
    return text


def _tasks(agent: AgentReport, report: Report) -> Table:
    table = Table(title=f"Tasks: {agent.name}", title_justify="left", header_style="bold", caption_justify="left")
    if not report.ranked:
        table.caption = "○ smoke: measured on a target whose times are not ranked"
    table.add_column("task", overflow="fold", min_width=18)
    table.add_column("verdict", overflow="fold")
    for name in ("seen", "unseen", "unseen right"):
        table.add_column(name, justify="right")
    table.add_column("worst unseen", overflow="fold")
    for task in agent.tasks:
        table.add_row(*_task(task))
    return table


def _task(task: TaskReport) -> tuple[Text | str, ...]:
    general = task.generalisation
    verdict = Text(f"{wording.VERDICT_MARK[task.verdict]} {wording.state(task)}", style=_STYLE[task.verdict])
    count = wording.fraction(general.quadrants.correct, general.quadrants.planned)
    right = Text(count, style="red" if general.quadrants.regression else "")
    return (
        task.task, verdict, wording.estimate(general.seen), wording.estimate(general.unseen), right,
        Text(wording.worst(task.worst)),
    )


def _strata(agent: AgentReport) -> Table:
    table = Table(title=f"Unseen strata: {agent.name}", title_justify="left", header_style="bold")
    table.add_column("stratum")
    counts = ("both pass", "regression", "improvement", "both fail")
    for name in (*counts, "right | baseline right", "speedup", "retention"):
        table.add_column(name, justify="right")
    for stratum in agent.strata:
        q = stratum.quadrants
        table.add_row(
            stratum.stratum, str(q.both_pass), Text(str(q.regression), style="red" if q.regression else ""),
            str(q.improvement), str(q.both_fail), wording.rate(stratum.conditional, counts=False),
            wording.estimate(stratum.speedup), wording.estimate(stratum.retention),
        )
    return table
