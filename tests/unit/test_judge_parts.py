"""Parts of the judge: frames, buffers, ratio statistics, draws, null candidates."""

from __future__ import annotations

import socket
import struct
import time

import numpy as np
import pytest
import torch

from agentkernelarena import target as targets
from agentkernelarena.judge.buffer import GUARD, Buffers
from agentkernelarena.judge.compare import MINIMUM_K, expect
from agentkernelarena.judge.draw import Source
from agentkernelarena.judge.null_candidate import GENERATORS, run, situation
from agentkernelarena.judge.statistic import ratio_interval, trimmed_mean, verdict
from agentkernelarena.judge.wire import Channel, Closed, DeadlinePassed, Malformed
from agentkernelarena.result import Interval, Verdict
from agentkernelarena.task.loader import load_task
from agentkernelarena.task.operator import Family


@pytest.fixture
def pair():
    a, b = socket.socketpair()
    yield Channel(a), b
    a.close()
    b.close()


def test_frames_arrive_whole(pair):
    channel, raw = pair
    body = b'{"op": "x", "n": 3}'
    raw.sendall(struct.pack(">I", len(body)) + body[:5])
    raw.sendall(body[5:])
    assert channel.receive(1.0) == {"op": "x", "n": 3}


@pytest.mark.parametrize("frame", [struct.pack(">I", 3) + b"[1]", struct.pack(">I", 2) + b"{x", b"\x40\0\0\0"])
def test_what_is_no_frame_is_refused(pair, frame):
    channel, raw = pair
    raw.sendall(frame)
    with pytest.raises(Malformed):
        channel.receive(1.0)


def test_silence_ends_at_the_deadline_and_a_closed_end_is_seen(pair):
    channel, raw = pair
    start = time.monotonic()
    with pytest.raises(DeadlinePassed):
        channel.receive(0.05)
    assert time.monotonic() - start < 2.0
    raw.close()
    with pytest.raises(Closed):
        channel.receive(1.0)


@pytest.fixture
def buffers():
    task = load_task("torch2hip/rmsnorm")
    made = Buffers(targets.load("cpu"), task, task.smoke, 2)
    yield made
    made.close()


def case_of(buffers):
    return Source(buffers.task, b"k" * 32, "cpu").case(buffers.cfg, Family.NORMAL)


def test_outputs_are_poisoned_and_inputs_are_what_was_drawn(buffers):
    case = case_of(buffers)
    for poison in range(6):
        buffers.fill(0, case.values, poison)
        y = buffers.results(0)["y"]
        assert not torch.equal(y, torch.zeros_like(y))
        assert buffers.changed_inputs(0, case.values) == []
        assert buffers.broken_guards(0) == []


def test_a_write_beside_a_buffer_or_into_an_input_is_named(buffers):
    case = case_of(buffers)
    buffers.fill(0, case.values, 0)
    data = buffers.arena.data()
    y = next(s for s in buffers.sets[0] if s.output)
    data[y.offset + y.spec.bytes] = 1
    assert buffers.broken_guards(0) == ["y (after)"]
    assert buffers.broken_guards(0) == []  # mended
    data[y.offset - GUARD] = 1
    assert buffers.broken_guards(0) == ["y (before)"]
    x = next(s for s in buffers.sets[0] if s.spec.name == "x")
    data[x.offset + 3] ^= 1
    assert buffers.changed_inputs(0, case.values) == ["x"]


def test_base_pointers_are_aligned_to_16_bytes_and_sets_do_not_overlap(buffers):
    ends = 0
    for slots in buffers.sets:
        for slot in slots:
            assert slot.offset % 16 == 0
            assert slot.offset - GUARD >= ends
            ends = slot.offset + slot.spec.bytes + GUARD
    assert len({s[0].offset % 256 for s in buffers.sets}) == 2


def test_trimmed_mean_leaves_out_the_extremes():
    assert trimmed_mean([1.0, 2.0, 3.0, 4.0, 1000.0]) == pytest.approx(3.0)


def test_the_ratio_per_set_is_free_of_what_the_sets_do_to_both():
    # One set is 40 % slower for both sides: the ratio of pooled means would be as wide as that, per set it is exact.
    rng = np.random.default_rng(1)
    fast, slow = 100 + rng.normal(0, 0.2, 16), 140 + rng.normal(0, 0.2, 16)
    speedup, interval = ratio_interval([fast * 1.25, slow * 1.25], [fast[::-1], slow[::-1]], seed=3)
    assert speedup == pytest.approx(1.25, rel=2e-3)
    assert interval.low < 1.25 < interval.high
    assert interval.high - interval.low < 0.01


def test_the_interval_covers_one_for_equal_sides_in_about_95_of_100():
    rng = np.random.default_rng(7)
    covered = 0
    for i in range(300):
        a, b = rng.normal(100, 2, (2, 2, 24))
        _, interval = ratio_interval(list(a), list(b), seed=i)
        covered += interval.low <= 1.0 <= interval.high
    assert 0.88 <= covered / 300 <= 0.99


def test_verdicts():
    assert verdict(Interval(low=1.01, high=1.02), 0.005) is Verdict.FASTER
    assert verdict(Interval(low=0.9, high=0.95), 0.005) is Verdict.SLOWER
    assert verdict(Interval(low=0.998, high=1.002), 0.005) is Verdict.SAME
    assert verdict(Interval(low=0.8, high=1.3), 0.005) is Verdict.UNSTABLE


def test_draws_depend_on_the_seed_and_scalars_are_what_the_kernel_gets():
    task = load_task("torch2hip/rmsnorm")
    a, b, c = (Source(task, key * 32, "cpu").case(task.smoke, Family.NORMAL) for key in (b"a", b"a", b"b"))
    assert torch.equal(a.values["x"], b.values["x"])
    assert not torch.equal(a.values["x"], c.values["x"])
    assert a.values["eps"] == struct.unpack("f", struct.pack("f", a.values["eps"]))[0]


def test_a_perturbation_moves_every_float_by_one_unit():
    task = load_task("torch2hip/rmsnorm")
    case = Source(task, b"a" * 32, "cpu").case(task.smoke, Family.NORMAL)
    x = case.values["x"].double()
    change = (case.perturbed(2.0**-24)["x"] / x - 1).abs()
    assert torch.allclose(change, torch.full_like(change, 2.0**-24), rtol=1e-6)


@pytest.mark.parametrize("operator", ["rmsnorm", "gemm_half", "histogram", "adamw_step", "row_argmax"])
def test_null_candidates_are_rejected(operator):
    task = load_task(f"torch2hip/{operator}")
    source = Source(task, b"n" * 32, "cpu")
    situations = []
    for family in list(task.operator.families)[:6]:
        case = source.case(task.smoke, family)
        situations.append(
            situation(task, task.smoke, case, expect(task, task.smoke, case), source.case(task.smoke, family))
        )
    results = run(task, situations, MINIMUM_K)
    assert len(results) >= 9
    assert [r.name for r in results if not r.rejected and not r.exempt] == []


def test_a_checker_that_accepts_everything_would_be_found_out():
    task = load_task("torch2hip/softmax")
    source = Source(task, b"n" * 32, "cpu")
    case = source.case(task.smoke, Family.NORMAL)
    where = situation(task, task.smoke, case, expect(task, task.smoke, case), source.case(task.smoke, Family.NORMAL))
    accepted = [r.name for r in run(task, [where], 1e12) if not r.rejected]
    assert {"zeros", "mean"} <= set(accepted)
    assert len(GENERATORS) >= 12
