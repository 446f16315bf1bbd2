# Answers with a time of a hundred thousand digits.
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
    body = ('{"time_us": [' + "9" * 100000 + '], "host_us": [1], "nonce": "' + nonce + '"}').encode()
    channel.socket.sendall(len(body).to_bytes(4, "big") + body)
