"""The display of a run that goes on: live on a terminal, one line per event elsewhere; always on standard error."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from agentkernelarena.run.event import (
    Event,
    RunEnded,
    RunStarted,
    StageEntered,
    TrialEnded,
    TrialRetried,
    TrialStarted,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from agentkernelarena.record import TrialRecord


@contextlib.contextmanager
def watching() -> Iterator[Callable[[Event], None]]:
    """An observer for `run`. When the run is interrupted, say how to go on with it."""
    display = Live() if sys.stderr.isatty() else Lines()
    try:
        with display.showing():
            yield display.observe
    except KeyboardInterrupt:
        if display.progress.folder:
            done, total = display.progress.done, display.progress.total
            folder = shlex.quote(display.progress.folder)
            print(f"\n{done} of {total} trials are finished. To go on: aka resume {folder}", file=sys.stderr)
        raise


class Progress:
    """What the events amount to so far."""

    def __init__(self) -> None:
        self.folder = ""
        self.total = self.done = 0
        self.started = time.monotonic()
        self.running: dict[str, tuple[str, float]] = {}
        self.outcomes: Counter[str] = Counter()

    def follow(self, event: Event) -> None:
        match event:
            case RunStarted(folder, run, finished):
                self.folder, self.total, self.done = str(folder), len(run.plan), finished
            case TrialStarted(trial, _):
                self.running[trial] = ("start", time.monotonic())
            case StageEntered(trial, stage) if trial in self.running:
                self.running[trial] = (stage, self.running[trial][1])
            case TrialRetried(trial, _):
                self.running.pop(trial, None)
            case TrialEnded(trial, record):
                self.running.pop(trial, None)
                self.done += 1
                self.outcomes[record.outcome.status.value] += 1


class Lines:
    """One line when a trial ends or is retried."""

    def __init__(self) -> None:
        self.progress = Progress()

    @contextlib.contextmanager
    def showing(self) -> Iterator[None]:
        yield

    def observe(self, event: Event) -> None:
        self.progress.follow(event)
        for line in describe(event, self.progress):
            self.write(line)

    def write(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


def describe(event: Event, progress: Progress) -> list[str]:
    """The lines that an event is worth."""
    match event:
        case RunStarted(folder, run, finished):
            done = f", {finished} finished already" if finished else ""
            return [f"run {run.id} on {run.settings.target}: {len(run.plan)} trials{done}, folder {folder}"]
        case TrialRetried(trial, reason):
            return [f"{trial}: the harness failed, trying once more: {reason.splitlines()[0]}"]
        case TrialEnded(_, record):
            return [f"[{progress.done}/{progress.total}] {_summary(record)}"]
        case RunEnded():
            counts = ", ".join(f"{n} {status}" for status, n in progress.outcomes.most_common())
            return [f"done in {time.monotonic() - progress.started:.0f} s" + (f": {counts}" if counts else "")]
        case _:
            return []


def _summary(record: TrialRecord) -> str:
    repetition = f" #{record.repetition}" if record.repetition > 1 else ""
    head = f"{record.outcome.status.value:<12} {record.task}  {record.agent}{repetition}"
    seconds = f"{sum(record.seconds.values()):.1f} s"
    if record.outcome.passed or not record.outcome.reason:
        return f"{head}  {seconds}"
    reason = record.outcome.reason.splitlines()[0]
    return f"{head}  {seconds}\n    {reason[:160]}"


class Live(Lines):
    """Below the lines: a bar, and one line for each trial that is being worked on."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.live import Live as RichLive

        self._console = Console(stderr=True, highlight=False)
        self._live = RichLive(console=self._console, get_renderable=self._picture, refresh_per_second=4, transient=True)

    @contextlib.contextmanager
    def showing(self) -> Iterator[None]:
        with self._live:
            yield

    def write(self, line: str) -> None:
        self._console.print(line, markup=False)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        progress, now = self.progress, time.monotonic()
        if not progress.total:
            return Text("preparing: checking target, agents and tasks ...", style="dim")
        head = Table.grid(padding=(0, 2))
        head.add_row(
            ProgressBar(total=progress.total, completed=progress.done, width=32),
            f"{progress.done}/{progress.total} trials", f"{now - progress.started:.0f} s",
            "  ".join(f"{n} {status}" for status, n in progress.outcomes.most_common()),
        )
        rows = Table.grid(padding=(0, 2))
        for trial, (stage, since) in sorted(progress.running.items()):
            rows.add_row(Text(trial, style="bold"), Text(stage, style="cyan"), f"{now - since:.0f} s")
        return Group(head, rows)
