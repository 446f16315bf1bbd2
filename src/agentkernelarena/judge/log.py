"""Output of untrusted programs: drained always, kept up to a limit."""

from __future__ import annotations

import os
import threading

LOG_LIMIT = 64 << 10


def readable(text: str) -> str:
    """Text of untrusted origin as it may be kept and shown: valid Unicode without control characters."""
    valid = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c in "\n\t" or c.isprintable() or c == " " else "\N{REPLACEMENT CHARACTER}" for c in valid)


class Log:
    """Drains a pipe in a thread and keeps its first `LOG_LIMIT` bytes, so that no output can block or fill anything."""

    def __init__(self) -> None:
        self._read, self.write_fd = os.pipe2(os.O_CLOEXEC)
        self._kept = bytearray()
        self._total = 0
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        while part := os.read(self._read, 1 << 16):
            self._total += len(part)
            room = LOG_LIMIT - len(self._kept)
            if room > 0:
                self._kept += part[:room]
        os.close(self._read)

    def close_write(self) -> None:
        if self.write_fd >= 0:
            os.close(self.write_fd)
            self.write_fd = -1

    def text(self) -> str:
        text = readable(bytes(self._kept).decode("utf-8", "replace"))
        dropped = self._total - len(self._kept)
        return text + (f"\n[{dropped} more bytes were not kept]" if dropped else "")
