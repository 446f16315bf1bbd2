"""Categories: what is asked of an agent. One file per category, each assigning `CATEGORY`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class LibraryPolicy(StrEnum):
    """What a submission may call besides kernels of its own; checked by execution evidence and reported."""

    ALLOWED = "allowed"
    REPORTED = "reported"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True)
class Category:
    """One category.

    requires: files that an operator folder must hold to give a task of this category.
    baseline: the file that speedup is measured against (``operator.py`` means its reference).
    language, baseline_language: ``hip``, ``triton`` or ``torch``.
    entry: the file that the submission must contain.
    start: the file of the operator folder that the agent starts from, or "" for a skeleton with the prototype.
    """

    name: str
    title: str
    requires: tuple[str, ...]
    baseline: str
    baseline_language: str
    language: str
    entry: str
    start: str
    libraries: LibraryPolicy
