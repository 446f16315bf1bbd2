"""Inside the sandbox: 127.0.0.1:<port> is the gateway's unix socket while a program runs.

Run as a script, by path, with ``-I -S``: relay.py SOCKET PROGRAM [ARGUMENT ...]. A free port is taken, and {port} in
arguments and in the environment stands for it. Exit status: the program's, 128 + n when signal n ended it.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading

MARK = "{port}"


def pump(source: socket.socket, sink: socket.socket) -> None:
    """Copy until the source ends, then tell the sink so."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for end, how in ((sink, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with contextlib.suppress(OSError):
            end.shutdown(how)


def join(client: socket.socket, path: str) -> None:
    """Connect a client with the gateway; closes both when both directions have ended."""
    with client, socket.socket(socket.AF_UNIX) as gateway:
        try:
            folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
            try:
                gateway.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
            finally:
                os.close(folder)
        except OSError:
            return
        back = threading.Thread(target=pump, args=(gateway, client), daemon=True)
        back.start()
        pump(client, gateway)
        back.join()


def serve(listener: socket.socket, path: str) -> None:
    while True:
        client, _ = listener.accept()
        threading.Thread(target=join, args=(client, path), daemon=True).start()


def main() -> int:
    path, argv = sys.argv[1], sys.argv[2:]
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    port = str(listener.getsockname()[1])
    threading.Thread(target=serve, args=(listener, path), daemon=True).start()
    environment = {name: value.replace(MARK, port) for name, value in os.environ.items()}
    try:
        code = subprocess.call([word.replace(MARK, port) for word in argv], env=environment, stdin=subprocess.DEVNULL)
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        return 127
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
