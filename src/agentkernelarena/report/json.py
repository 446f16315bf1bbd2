"""The report as one JSON document: every field of `report.model`, nothing else."""

from __future__ import annotations

from agentkernelarena.report.model import Report


def render(report: Report) -> str:
    """JSON text with a final newline."""
    return report.model_dump_json(indent=1) + "\n"
