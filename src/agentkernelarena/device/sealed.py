"""Shared host memory that an untrusted process can write but not resize."""

from __future__ import annotations

import fcntl
import os


def sealed_memory(name: str, size_bytes: int) -> int:
    """A descriptor of shared memory whose size is fixed: a worker that shrank it would end the judge by SIGBUS."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size_bytes)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return fd
