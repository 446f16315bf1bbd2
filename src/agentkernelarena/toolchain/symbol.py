"""Which functions an ELF64 file defines, and what C++ calls them."""

from __future__ import annotations

import ctypes
import re
import struct
from pathlib import Path

ENTRY_POINT = "launch"
"""The host function that a built HIP kernel offers: the ABI of a task is its argument list."""

_SYMTAB, _DYNSYM = 2, 11
_GLOBAL, _WEAK = 1, 2
_FUNCTION = 2
_DEFAULT_VISIBILITY, _PROTECTED_VISIBILITY = 0, 3


def defined_functions(path: Path) -> frozenset[str]:
    """Names of the functions that `path`, a little-endian ELF64 object or library, offers to others.

    A file that is no such ELF, or a damaged one, offers none.
    """
    data = path.read_bytes()
    try:
        return frozenset(_defined_functions(data))
    except (struct.error, IndexError):
        return frozenset()


def _defined_functions(data: bytes) -> set[str]:
    if data[:6] != b"\x7fELF\x02\x01":
        return set()
    (sections_at,) = struct.unpack_from("<Q", data, 0x28)
    entry_size, count = struct.unpack_from("<HH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections_at + i * entry_size) for i in range(count)]
    tables = [h for h in headers if h[1] == _DYNSYM] or [h for h in headers if h[1] == _SYMTAB]
    found = set()
    for _, _, _, _, offset, size, link, _, _, symbol_size in tables:
        names_at = headers[link][4]
        for at in range(offset, offset + size, symbol_size or 24):
            name, info, other, section, _, _ = struct.unpack_from("<IBBHQQ", data, at)
            visible = (other & 3) in (_DEFAULT_VISIBILITY, _PROTECTED_VISIBILITY)
            if info & 15 == _FUNCTION and info >> 4 in (_GLOBAL, _WEAK) and section and visible:
                end = data.index(b"\0", names_at + name)
                found.add(data[names_at + name : end].decode("utf-8", "replace"))
    return found


def demangled(name: str) -> str:
    """The C++ spelling of an Itanium-mangled `name`; the name itself when it has none."""
    # Names come from judged sources; the demangler's time grows with their length.
    if not name.startswith("_Z") or len(name) > 2000:
        return name
    try:
        library = ctypes.CDLL("libstdc++.so.6")
    except OSError:
        return name
    demangle = library.__cxa_demangle
    demangle.restype = ctypes.c_void_p
    demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
    status = ctypes.c_int(-1)
    text = demangle(name.encode(), None, None, ctypes.byref(status))
    if not text or status.value != 0:
        # Vendor types (DF16_ for _Float16) are beyond older demanglers: the plain name is what remains readable.
        plain = re.match(r"_Z(\d+)", name)
        start = plain.end() if plain else 0
        return name[start : start + int(plain[1])] if plain else name
    spelled = ctypes.string_at(text).decode("utf-8", "replace")
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free(text)
    return spelled
