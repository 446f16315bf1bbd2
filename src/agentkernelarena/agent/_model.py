"""A model behind the gateway, asked by us instead of by an agent's program: one answer to one conversation."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agentkernelarena.agent._wire import Answer, Message, Wire, decode, encode
from agentkernelarena.gateway import Gateway, Meter
from agentkernelarena.gateway.gateway import SOCKET
from agentkernelarena.transcript import Event, Tokens, Transcript

ATTEMPTS = 5
LONGEST_WAIT_S = 60.0
AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""Answers after which the same request may succeed."""


class Spent(Exception):
    """A budget of turns, tokens or cost is used up."""


class Late(Exception):
    """The wall time is used up."""


class Refused(Exception):
    """The provider gave no answer, and will not for this request."""


@dataclass
class Model:
    """folder: where the gateway listens. deadline: when to give up, by time.monotonic."""

    gateway: Gateway
    folder: Path
    wire: Wire
    name: str
    output_tokens: int | None
    deadline: float
    transcript: Transcript

    def ask(self, conversation: Sequence[Message]) -> Answer:
        """Send the conversation; ask again, with growing waits, when the provider is busy or its answer breaks off.

        Raises:
            Spent, Late, Refused: see there.
        """
        body, told = encode(self.wire, self.name, conversation, self.output_tokens), ""
        for attempt in range(1, ATTEMPTS + 1):
            status, content, wait_s = self._request(body)
            answer = decode(self.wire, content) if status == 200 else None
            if answer is not None:
                self._count(content)
                return answer
            if status == 403 and (spent := self.gateway.spent()):
                raise Spent(spent)
            # The gateway wrote down what the provider answered; a body that breaks off has no words of its own.
            told = self.gateway.errors[-1] if status >= 400 and self.gateway.errors else "the answer broke off"
            if status not in AGAIN and status != 200:
                break
            if attempt < ATTEMPTS:
                self.transcript.add(Event(t=self.transcript.now(), kind="retry", text=f"{told}, attempt {attempt}"))
                self._wait(min(wait_s or 2.0 ** (attempt - 1), LONGEST_WAIT_S))
        raise Refused(told)

    def _wait(self, seconds: float) -> None:
        if time.monotonic() + seconds >= self.deadline:
            time.sleep(max(0.0, self.deadline - time.monotonic()))
            raise Late
        time.sleep(seconds)

    def _request(self, body: bytes) -> tuple[int, bytes, float]:
        """(status, body, seconds that the provider asks to wait or 0); a broken connection is status 200 and half a
        body.
        """
        content = b""
        with contextlib.closing(_Connection(self.folder)) as connection:
            try:
                connection.timeout = self._left()
                connection.request("POST", self.wire.path, body,
                                   {"Content-Type": "application/json", **self.wire.headers})
                answer = connection.getresponse()
                while data := answer.read1(65536):
                    content += data
                    connection.limit(self._left())
            except TimeoutError:
                raise Late from None
            except (OSError, http.client.HTTPException):
                return 200, b"", 0.0
        return answer.status, content, _seconds(answer.headers.get("Retry-After", ""))

    def _left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Late
        return left

    def _count(self, content: bytes) -> None:
        meter = Meter(self.gateway.upstream.api, streamed=False)
        meter.feed(content)
        meter.end()
        self.transcript.add(Event(t=self.transcript.now(), kind="usage", tokens=meter.tokens or Tokens()))


class _Connection(http.client.HTTPConnection):
    """HTTP to the gateway's socket in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__("gateway")
        self._folder = folder

    def connect(self) -> None:
        # A path through the folder's descriptor: socket addresses are limited to 107 bytes, folders are not.
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(self.timeout)
            self.sock.connect(f"/proc/self/fd/{folder}/{SOCKET}")
        finally:
            os.close(folder)

    def limit(self, seconds: float) -> None:
        """Wait no longer than this for the next bytes."""
        if self.sock is not None:
            self.sock.settimeout(seconds)


def _seconds(text: str) -> float:
    return float(text) if text.isdigit() else 0.0
