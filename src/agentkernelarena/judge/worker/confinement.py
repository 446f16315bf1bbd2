"""Closes what would let a worker leave something for the next one where folders and processes cannot be seen.

System V and POSIX message queues, System V shared memory and semaphores, and keys outlive the process that made them
and are not files. A nursery installs this filter before it forks; the calls then fail with EPERM, in every worker and
in all that it starts (seccomp(2), a classic BPF program over the number of the call).
"""

from __future__ import annotations

import ctypes
import platform
import struct

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # the latter: return EPERM
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_X32 = 0x40000000

# Per machine: its audit number, and mq_open, msgget, semget, shmget, add_key, request_key, keyctl.
_CALLS = {
    "x86_64": (0xC000003E, (240, 68, 64, 29, 248, 249, 250)),
    "aarch64": (0xC00000B7, (180, 186, 190, 194, 217, 218, 219)),
}


def _program(audit: int, numbers: tuple[int, ...]) -> bytes:
    """Refuse another architecture's calls, the x32 range and `numbers`; allow the rest."""
    steps: list[tuple[int, int, int, int]] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _REFUSE)]
    steps += [(_LOAD, 0, 0, 0), (_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _REFUSE)]
    for number in numbers:
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", code, yes, no, k) for code, yes, no, k in steps)


def confine() -> bool:
    """Install the filter for this process and all its children; False where this machine has no such thing."""
    known = _CALLS.get(platform.machine())
    if known is None:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    code = _program(*known)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    place = ctypes.create_string_buffer(header, len(header))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, place, 0, 0) == 0)
