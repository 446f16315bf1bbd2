"""Source of ./aka, the judge's counter in a workspace; `workspace.client_script` tells it where to ask.

Standard library only, so that it runs on any interpreter and starts at once.
"""

from __future__ import annotations

import json
import os
import socket
import sys

FOLDER = "/run/aka"
COMMANDS = ("check", "time", "profile", "info")
USAGE = """Asks the judge about this workspace.

    ./aka check|time|profile [CONFIGURATION ...] [--json]
    ./aka info [--json]

Exit status: 0 passed, 1 not passed, 2 wrong use, 3 not available."""


def ask(run: str, command: str, configurations: list[str], timeout_s: float | None = None) -> dict[str, str]:
    """Send one request to the broker of the folder `run`; return the fields of its answer.

    timeout_s: raise TimeoutError after this time; None waits however long it takes.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout_s)
        # A path through the folder's descriptor: socket addresses are limited to 107 bytes, folders are not.
        folder = os.open(run, os.O_RDONLY | os.O_DIRECTORY)
        try:
            connection.connect(f"/proc/self/fd/{folder}/broker.sock")
        finally:
            os.close(folder)
        request = {"command": command, "configurations": configurations}
        connection.sendall(json.dumps(request).encode() + b"\n")
        with connection.makefile("rb") as stream:
            line = stream.readline()
    if not line:
        raise OSError("the judge closed the connection")
    answer: dict[str, str] = json.loads(line)
    return answer


def main() -> int:
    words = [w for w in sys.argv[1:] if w != "--json"]
    if not words or words[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if words else 2
    if words[0] not in COMMANDS or any(w.startswith("-") for w in words[1:]):
        print(f"./aka: cannot do {' '.join(words)!r}; see ./aka --help", file=sys.stderr)
        return 2
    try:
        answer = ask(FOLDER, words[0], words[1:])
    except (OSError, ValueError) as error:
        print(f"./aka: the judge is not available: {error}", file=sys.stderr)
        return 3
    print(answer["document" if "--json" in sys.argv[1:] else "text"])
    return int(answer["status"])


if __name__ == "__main__":
    sys.exit(main())
