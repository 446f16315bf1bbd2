"""What a call did, and what that amounts to: the outcome of one call and of a worker that failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentkernelarena.judge.compare import Comparison, Expected, compare
from agentkernelarena.judge.nursery import WorkerFailed
from agentkernelarena.result import Gate, Outcome, Status

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Call:
    """What one call did.

    wall_us: by the judge's clock, from the moment it let the call run to the moment it held the outputs itself, less
    what an empty call takes the same way. queued: whether the call waited for the judge's flag on the device.
    """

    time_us: float
    host_us: float
    wall_us: float
    results: dict[str, torch.Tensor]
    touched: tuple[str, ...]
    queued: bool = False


@dataclass(frozen=True)
class Checked:
    """A call with its comparison; `outcome` is None when everything was right."""

    call: Call
    outcome: Outcome | None
    comparison: Comparison | None


def touched_outcome(call: Call, gate: Gate) -> Outcome | None:
    """The outcome of a call that wrote where it must not, None when it did not."""
    if not call.touched:
        return None
    reason = "wrote outside its outputs: " + ", ".join(call.touched[:4])
    return Outcome(status=Status.INCORRECT, reason=reason, gate=gate)


def check(call: Call, expected: dict[str, Expected], k_acc: float, draw: str, gate: Gate) -> Checked:
    """Judge what a call left behind."""
    if touched := touched_outcome(call, gate):
        return Checked(call, touched, None)
    worst: Comparison | None = None
    for name, item in expected.items():
        found = compare(call.results[name], item, k_acc, draw)
        if found.mismatch is not None:
            m = found.mismatch
            reason = (
                f"{m.output}{list(m.index)} is {m.value}, expected {m.expected} within {m.bound:.3g} "
                f"({m.wrong_elements} of {m.elements} elements wrong; values: {draw})"
            )
            return Checked(call, Outcome(status=Status.INCORRECT, reason=reason, gate=gate), found)
        if worst is None or found.error_ratio > worst.error_ratio:
            worst = Comparison(found.error_ratio, max(found.needed_k, worst.needed_k if worst else 0.0), None)
        else:
            worst = Comparison(worst.error_ratio, max(found.needed_k, worst.needed_k), None)
    return Checked(call, None, worst)


def outcome_of(failure: WorkerFailed, gate: Gate, log: str = "") -> Outcome:
    """The outcome that a failed worker stands for."""
    known = {"timeout": Status.TIMEOUT, "load": Status.COMPILE_ERROR, "tampered": Status.TAMPERED}
    status = known.get(failure.kind, Status.CRASHED)
    detail = failure.text.strip()
    if failure.kind == "load":
        detail = detail.splitlines()[-1] if detail else "it could not be loaded"
    if status is Status.CRASHED and log.strip():
        detail += "; it said: " + log.strip()[-600:]
    return Outcome(
        status=status, reason=detail[-1500:], gate=gate if status is not Status.COMPILE_ERROR else Gate.COMPILE
    )
