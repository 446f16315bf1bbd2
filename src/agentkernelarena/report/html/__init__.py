"""The report as one self-contained HTML file: no network, readable on a phone, in print and by screen readers."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from agentkernelarena.report import wording
from agentkernelarena.report.html import plot
from agentkernelarena.report.model import AgentReport, Report, TaskReport

_FOLDER = Path(__file__).parent


def render(report: Report) -> str:
    """HTML text of the whole report."""
    style, script = ((_FOLDER / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    # Names and reasons come from agents: the page lets nothing run but its own script, named by its hash.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _template().render(
        report=report, style=Markup(style), script=Markup(script), script_hash=digest,
        curves=Markup(plot.fast_p([(a.name, a.fast_p_curve) for a in report.agents])), colours=plot.COLOURS,
        contenders=Markup(plot.agents([_contender(a) for a in report.agents])),
        plots={a.name: _plots(a, i % plot.COLOURS + 1) for i, a in enumerate(report.agents)},
    )


def _plots(agent: AgentReport, colour: int) -> dict[str, Markup | dict[str, Markup]]:
    points = {t.task: _point(t) for t in agent.tasks}
    ends = [v for p in points.values() for v in (p.seen, p.unseen) if v is not None]
    scale = plot.LogScale.around(ends)
    return {
        "generalisation": Markup(plot.generalisation(list(points.values()), colour)),
        "fast_p": Markup(plot.fast_p([(agent.name, agent.fast_p_curve)], colour)),
        "sorted": Markup(plot.sorted_speedups(list(points.values()), colour)),
        "strips": {task: Markup(plot.strip(point, scale, colour)) for task, point in points.items()},
    }


def _contender(agent: AgentReport) -> plot.Point:
    seen, unseen = agent.overall.generalisation.seen, agent.overall.generalisation.unseen
    return plot.Point(agent.name, seen.value if seen else None, None, None, unseen.value if unseen else None, 0)


def _point(task: TaskReport) -> plot.Point:
    general = task.generalisation
    seen, unseen = general.seen, general.unseen
    return plot.Point(
        task.task, seen.value if seen else None, seen.low if seen else None, seen.high if seen else None,
        unseen.value if unseen else None, general.quadrants.regression,
    )


def _bar(share: float | None, low: float | None, high: float | None) -> Markup:
    return Markup(plot.bar(share, low, high))


def _microseconds(value: float | None) -> str:
    return wording.NOTHING if value is None else f"{value:.4g}"


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(words=wording, bar=_bar, microseconds=_microseconds)
    return environment.get_template("page.html")
