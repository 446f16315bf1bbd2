"""Framed messages between judge and worker: a length, then JSON; file descriptors ride along where needed.

Every request carries a fresh nonce that the reply has to echo, so a stale or invented frame is a protocol error. The
judge accepts small frames only and parses JSON, never pickle. Both ends use this module; it imports nothing heavy.
"""

from __future__ import annotations

import array
import json
import select
import socket
import struct
import time
from collections.abc import Sequence

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Message = dict[str, Json]

MAX_FRAME = 1 << 20
_HEADER = struct.Struct(">I")
_MAX_FDS = 4


class WireError(Exception):
    """Base class: the other end cannot be talked to any more."""


class Closed(WireError):
    """The other end closed the connection."""


class Malformed(WireError):
    """The other end sent something that is not a frame of ours."""


class DeadlinePassed(WireError):
    """Nothing (complete) came in time."""


class Channel:
    """One end of a stream socket. accept_fds: whether descriptors may come in; the judge takes none from a worker."""

    def __init__(self, sock: socket.socket, accept_fds: bool = True) -> None:
        self.socket = sock
        self._accept_fds = accept_fds
        self.received_fds: list[int] = []

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, message: Message, fds: Sequence[int] = ()) -> None:
        """Send one frame; raise `Closed` when the other end has gone."""
        body = json.dumps(message, allow_nan=False).encode()
        frame = _HEADER.pack(len(body)) + body
        try:
            sent = 0
            if fds:
                rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
                sent = self.socket.sendmsg([frame], rights)
            self.socket.sendall(frame[sent:])
        except OSError as error:
            raise Closed(str(error)) from error

    def receive(self, timeout_s: float | None = None, also: int | None = None) -> Message:
        """Receive one frame.

        Args:
            timeout_s: None waits for ever.
            also: a descriptor that, when readable before anything arrives, means that the other end is gone.

        Raises:
            DeadlinePassed, Closed, Malformed
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        (length,) = _HEADER.unpack(self._exactly(_HEADER.size, deadline, also))
        if length > MAX_FRAME:
            raise Malformed(f"a frame of {length} bytes")
        try:
            message = json.loads(self._exactly(length, deadline, also))
        except (ValueError, RecursionError) as error:
            raise Malformed(f"not JSON: {error}") from error
        if not isinstance(message, dict):
            raise Malformed(f"a {type(message).__name__} instead of an object")
        return message

    def _exactly(self, count: int, deadline: float | None, also: int | None) -> bytes:
        data = b""
        while len(data) < count:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise DeadlinePassed
            watched = [self.socket.fileno()] + ([also] if also is not None else [])
            ready, _, _ = select.select(watched, [], [], left)
            if not ready:
                raise DeadlinePassed
            if self.socket.fileno() not in ready:
                raise Closed("the worker ended")
            try:
                part = self._receive(count - len(data))
            except OSError as error:
                raise Closed(str(error)) from error
            if not part:
                raise Closed("end of stream")
            data += part
        return data

    def _receive(self, count: int) -> bytes:
        if not self._accept_fds:
            # Without room for them the kernel closes descriptors on arrival: they cannot use up ours.
            return self.socket.recv(count)
        part, ancillary, _, _ = self.socket.recvmsg(count, socket.CMSG_SPACE(_MAX_FDS * 4))
        self._keep_fds(ancillary)
        return part

    def _keep_fds(self, ancillary: list[tuple[int, int, bytes]]) -> None:
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds = array.array("i")
                fds.frombytes(payload[: len(payload) - len(payload) % fds.itemsize])
                self.received_fds.extend(fds)

    def take_fds(self) -> list[int]:
        """Descriptors that came with frames received so far; the caller owns them."""
        fds, self.received_fds = self.received_fds, []
        return fds

    def close(self) -> None:
        for fd in self.take_fds():
            import os

            os.close(fd)
        self.socket.close()
