"""Call NAME(float* y, int n, int mode) of a library: python call.py LIBRARY NAME COUNT MODE; prints y and the result.

y lies between two pages that an AddressSanitizer build is told to poison, as a worker's buffers do.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import sys

BAND = 4096


def main() -> None:
    library, name, n, mode = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    loaded = ctypes.CDLL(library)
    memory = mmap.mmap(-1, 2 * BAND + (4 * (n + 1) + 15) // 16 * 16)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    y = (ctypes.c_float * (n + 1)).from_address(base + BAND)
    for i in range(n + 1):
        y[i] = -9.0
    if hasattr(loaded, "aka_asan_poison"):
        loaded.aka_asan_poison.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        loaded.aka_asan_poison(base, BAND)
        loaded.aka_asan_poison(base + BAND + 4 * n, BAND)
    if os.environ.get("FORK"):  # a first launch in this process, then the one that counts in a child
        loaded[name](ctypes.byref(y), n, mode)
        child = os.fork()
        if child:
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    result = loaded[name](ctypes.byref(y), n, mode)
    print(json.dumps({"result": result, "y": list(y)[:n]}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
