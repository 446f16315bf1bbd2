"""What an agent said and did, in one form for all agents: a list of events, kept as JSON lines.

Adapters translate their program's stream into these events; what they do not know goes through as `raw`, so that a
newer version of a program never breaks a run. The program's own lines are kept beside it.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from agentkernelarena.record import Usage
from agentkernelarena.result import Record

FILE = "transcript.jsonl"
FIELD_CHARACTERS = 32_000
FILE_BYTES = 64 * 2**20

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

Kind = Literal["start", "text", "tool_call", "tool_result", "usage", "retry", "error", "end", "raw"]


class Tokens(Record):
    """Tokens of one request or of a whole run; None where they were not told.

    input: those that were not read from a cache. cache_read, cache_write: those that were, and that went into one.
    output: all that the model wrote, `reasoning` of them as reasoning.
    """

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(**{
            name: None if a is None and b is None else (a or 0) + (b or 0)
            for name, a, b in ((n, getattr(self, n), getattr(other, n)) for n in Tokens.model_fields)
        })

    def minus(self, other: Tokens) -> Tokens:
        """What was added since `other`, for streams that count cumulatively."""
        return Tokens(**{
            name: None if a is None else a - (b or 0)
            for name, a, b in ((n, getattr(self, n), getattr(other, n)) for n in Tokens.model_fields)
        })

    @property
    def total(self) -> int:
        """Every token that was read or written."""
        return sum(v or 0 for v in (self.input, self.cache_read, self.cache_write, self.output))

    def usage(self, turns: int | None, cost_usd: float | None) -> Usage:
        """As a trial's record has it: input with all that came from or went into a cache."""
        parts = [v for v in (self.input, self.cache_read, self.cache_write) if v is not None]
        return Usage(turns=turns, input_tokens=sum(parts) if parts else None, cached_tokens=self.cache_read,
                     output_tokens=self.output, cost_usd=cost_usd)


class Event(Record):
    """One event. t: seconds since the agent was started, by our clock.

    id: links a tool's result to its call. name: the tool, or the model of a `start`. text: what was said, the tool's
    output, the error's message, or a raw line. arguments: a tool call's, as JSON. session: the program's own id of the
    conversation.
    """

    t: float
    kind: Kind
    id: str = ""
    name: str = ""
    text: str = ""
    arguments: str = ""
    exit_code: int | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    session: str = ""


class Transcript:
    """Writes events to a file as they come; cuts long fields and stops at 64 MiB. Safe for several threads."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._stream = open(folder / FILE, "a", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._lock, self._started, self._bytes = threading.Lock(), time.monotonic(), 0
        self.full = False

    def now(self) -> float:
        """Seconds since this transcript was begun."""
        return round(time.monotonic() - self._started, 3)

    def add(self, event: Event) -> None:
        cut = {name: value[:FIELD_CHARACTERS] + f" [{len(value) - FIELD_CHARACTERS} more]"
               for name in ("text", "arguments") if len(value := getattr(event, name)) > FIELD_CHARACTERS}
        line = event.model_copy(update=cut).model_dump_json(exclude_defaults=True) + "\n"
        with self._lock:
            self._bytes += len(line)
            if self._bytes > FILE_BYTES:
                self.full = True
                return
            self._stream.write(line)
            self._stream.flush()

    def close(self) -> None:
        with self._lock:
            self._stream.close()

    def __enter__(self) -> Transcript:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read(folder: Path) -> Iterator[Event]:
    """Events in a trial's folder, none without a transcript; half a last line, as a kill leaves it, is skipped."""
    path = folder / FILE
    if not path.is_file():
        return
    with open(path, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            try:
                yield Event.model_validate_json(line)
            except ValidationError:
                continue


def render(events: Iterator[Event], width: int | None = 2000) -> Iterator[str]:
    """The transcript as lines for a terminal; texts longer than `width` characters are cut, None cuts nothing.

    Control characters are spelt out: what an agent prints must not drive the reader's terminal.
    """
    for event in events:
        head = f"[{event.t:8.1f} s] "
        body = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", _body(event))
        if not body:
            continue
        cut = body if width is None or len(body) <= width else f"{body[:width]} [{len(body) - width} more]"
        yield head + cut.replace("\n", "\n" + " " * len(head))


def _body(event: Event) -> str:
    match event.kind:
        case "start":
            return f"started {event.name}".rstrip()
        case "text":
            return f"{event.name}: {event.text.strip()}" if event.name else event.text.strip()
        case "tool_call":
            return f"> {event.name} {_arguments(event.arguments)}"
        case "tool_result":
            status = f" (exit status {event.exit_code})" if event.exit_code else ""
            return f"<{status} {event.text.strip()}"
        case "usage":
            return f"{event.tokens.total} tokens" if event.tokens else ""
        case "retry" | "error" | "end":
            return f"{event.kind}: {event.text}".rstrip(": ")
        case "raw":
            return ""


def _arguments(text: str) -> str:
    try:
        values = json.loads(text)
    except ValueError:
        return text
    if isinstance(values, dict) and len(values) == 1:
        return str(next(iter(values.values())))
    return text
