"""Reports, computed from the store alone: ask `build` for the numbers and a renderer for their form.

    report = build(store)
    table.render(report) | markdown.render(report) | csv.render(report) | json.render(report) | html.render(report)

`compare` sets two contenders against each other, `verify` recomputes a run from its raw records, `explain` says where
every number of a task comes from.
"""

from __future__ import annotations

from agentkernelarena.report.comparison import Comparison, compare
from agentkernelarena.report.computation import build, compute
from agentkernelarena.report.explanation import explain
from agentkernelarena.report.model import Report
from agentkernelarena.report.verification import Problem, Verification, inspect, verify

__all__ = [
    "Comparison", "Problem", "Report", "Verification", "build", "compare", "compute", "explain", "inspect", "verify",
]
