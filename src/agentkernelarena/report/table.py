"""The report in a terminal, as rich renderables: one summary row per agent, then one row per task."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agentkernelarena.report import wording
from agentkernelarena.report.comparison import Comparison
from agentkernelarena.report.model import AgentReport, Report, TaskReport

_STYLE = {"faster": "green", "slower": "red", "failed": "red", "unfinished": "yellow", "smoke": "cyan"}


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
    verdict = Text(f"{wording.VERDICT_MARK[task.verdict]} {wording.state(task)}", style=_STYLE.get(task.verdict, ""))
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


def comparison(answer: Comparison) -> RenderableType:
    """`aka compare` in a terminal."""
    first, second = f"A {answer.first.agent}", f"B {answer.second.agent}"
    sides = ("A", answer.first), ("B", answer.second)
    parts: list[RenderableType] = [Text("\n".join(f"{s}: {who.agent} of run {who.run}" for s, who in sides))]
    parts += [Panel(Text(d), border_style="red", title="differs", title_align="left") for d in answer.differences]
    parts += [Panel(Text(n), border_style="yellow", title="note", title_align="left") for n in answer.notes]
    table = Table(title="Delivered speedup, paired by task and configuration", title_justify="left")
    table.add_column("over")
    for name in ("tasks", Text(first), Text(second), "A / B", "p (Wilcoxon)", "p (Holm)", "better"):
        table.add_column(name, justify="right")
    single = [c for c in (answer.overall, answer.where_both_pass, answer.unseen) if c is not None]
    for claim in (*single, *answer.categories):
        corrected = f"{claim.p_adjusted:.3f}" if claim in answer.categories else ""
        table.add_row(
            claim.name, str(claim.tasks), wording.speedup(claim.first), wording.speedup(claim.second),
            wording.estimate(claim.ratio), f"{claim.p_value:.3f}", corrected,
            {"first": "A", "second": "B"}.get(claim.verdict, "not shown"),
        )
    parts.append(table)
    gap = answer.pass_difference
    ends = "" if gap.low is None or gap.high is None else f" ({100 * gap.low:+.0f} to {100 * gap.high:+.0f})"
    parts.append(Text(
        f"Passed: A {wording.rate(answer.first.passed)}, B {wording.rate(answer.second.passed)}; "
        f"difference {100 * gap.value:+.0f} points{ends}, p = {answer.pass_p_value:.3f}"
    ))
    parts += [Text(line) for line in _power(answer)]
    return Group(*parts)


def _power(answer: Comparison) -> list[str]:
    lines = []
    for n in answer.power:
        trials = "more trials alone are not enough" if n.trials is None else f"{n.trials} trials a task on these tasks"
        lines.append(f"To see a true ratio of {n.ratio:g} with 80 % power: {trials}, or {n.tasks} tasks like these.")
    return lines
