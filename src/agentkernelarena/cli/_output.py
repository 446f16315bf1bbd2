"""Where a command's words go: results to standard output, everything else to standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType


@contextlib.contextmanager
def only_result_on_stdout() -> Iterator[None]:
    """Inside, whatever anybody prints (a library, an operator file, a child process) goes to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def say(text: str = "") -> None:
    """A line for a person: standard error."""
    print(text, file=sys.stderr)


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Plain text columns, as wide as their contents; the columns in `right` are flushed right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = [c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        return "  ".join(cells).rstrip()

    return "\n".join([line(head), "  ".join("-" * w for w in widths), *(line(row) for row in rows)])


def plain(picture: RenderableType) -> str:
    """A table as plain text, as wide as it needs to be."""
    from rich.console import Console

    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(file=nowhere, width=160, record=True)
        console.print(picture)
        return console.export_text()


def show_table(picture: RenderableType) -> None:
    """A table on standard output; a terminal's gets colours and the terminal's width."""
    if sys.stdout.isatty():
        from rich.console import Console

        Console().print(picture)
    else:
        print(plain(picture).rstrip("\n"))
