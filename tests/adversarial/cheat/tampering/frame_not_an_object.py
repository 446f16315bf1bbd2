# Answers with a number.
# expect: crashed
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
    channel.socket.sendall(b"\x00\x00\x00\x0242")
