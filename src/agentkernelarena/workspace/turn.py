"""One at a time on a device, first come first served, across threads and processes.

Each waiter draws a numbered ticket, a file that it keeps locked; the lowest living ticket has the turn. A holder that
dies loses its lock with its life, so nobody waits for the dead.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from agentkernelarena.errors import InfrastructureError

_POLL_S = 0.01


class Cancelled(Exception):
    """The waiter does not want the turn any more."""


class DeviceQueue:
    """The queue of one device. folder: shared by all who use the device, on a file system with locks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise InfrastructureError(f"{folder}: the device's queue cannot be made: {error}") from error

    @classmethod
    def of(cls, device: str) -> DeviceQueue:
        """The queue of the device called `device` (such as a target's name and index) for this user and machine."""
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", device)
        return cls(Path(tempfile.gettempdir()) / f"aka-devices-{os.getuid()}" / name)

    @contextlib.contextmanager
    def turn(self, cancelled: Callable[[], bool] = lambda: False) -> Iterator[float]:
        """Wait for the turn and hold it; gives the seconds waited.

        Raises:
            Cancelled: `cancelled` said so while waiting.
        """
        started = time.monotonic()
        number, ticket = self._draw()
        try:
            while self._is_behind(number):
                if cancelled():
                    raise Cancelled
                time.sleep(_POLL_S)
            yield time.monotonic() - started
        finally:
            self._path(number).unlink(missing_ok=True)
            os.close(ticket)

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:012d}.ticket"

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[int]:
        descriptor = os.open(self._folder / "last", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def _draw(self) -> tuple[int, int]:
        with self._exclusive() as last:
            number = int(os.pread(last, 20, 0) or b"0") + 1
            os.pwrite(last, str(number).encode(), 0)
            ticket = os.open(self._path(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(ticket, fcntl.LOCK_EX)
        return number, ticket

    def _is_behind(self, number: int) -> bool:
        """Whether somebody living holds a lower ticket; those of the dead are removed."""
        with self._exclusive():
            for path in self._folder.glob("*.ticket"):
                if int(path.stem) < number and not _is_free(path):
                    return True
        return False


def _is_free(path: Path) -> bool:
    """Whether nobody holds the ticket; it is removed then."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        path.unlink(missing_ok=True)
        return True
    finally:
        os.close(descriptor)
