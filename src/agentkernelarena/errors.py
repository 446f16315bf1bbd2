"""The two kinds of failure: bad input (the caller can mend it) and a fault of ours.

    ArenaError
    |- InputError           wrong file, field, flag or value: says where and what to do; exit code 2
    |- InfrastructureError  the harness or the machine failed; recorded as `infrastructure_error`, never scored

What a submission or an agent does wrong is neither: it is an `Outcome`, a value.
"""

from __future__ import annotations


class ArenaError(Exception):
    """Base class of every exception that this package raises on purpose."""


class InputError(ArenaError):
    """Bad input: names the place, what is wrong there, and the remedy.

    `place` is a file, a file and field, or a command-line flag.
    """

    def __init__(self, place: str, problem: str, remedy: str = "") -> None:
        self.place, self.problem, self.remedy = place, problem, remedy
        super().__init__(f"{place}: {problem}" + (f"\n  remedy: {remedy}" if remedy else ""))


class InfrastructureError(ArenaError):
    """The harness, its machine or its tools failed; nobody's submission is to blame."""


def nearest(word: str, known: list[str]) -> str:
    """Return a hint such as ``did you mean 'rows'?``, or the list of known words when none is close."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(known))}"
