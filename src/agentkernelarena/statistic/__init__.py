"""Statistics: resampling, intervals, tests and power. Pure functions of numbers; they know no records."""

from __future__ import annotations
