"""The task format: what an operator declares, and what follows from it.

Operator files import from here and nowhere else in this package.
"""

from __future__ import annotations

from agentkernelarena.task.axis import Configuration, choice, int_range, log_range
from agentkernelarena.task.draw import Draw
from agentkernelarena.task.operator import ALL_FAMILIES, Family, Operator, Rule, Scalar, Tensor, Work

__all__ = [
    "ALL_FAMILIES",
    "Configuration",
    "Draw",
    "Family",
    "Operator",
    "Rule",
    "Scalar",
    "Tensor",
    "Work",
    "choice",
    "int_range",
    "log_range",
]
