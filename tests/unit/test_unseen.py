"""Draws of unseen configurations: allowed, never seen, what their stratum says, and the same everywhere."""

from __future__ import annotations

import hashlib
import inspect
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentkernelarena.task import Operator, Tensor, Work, choice, int_range, loader, log_range
from agentkernelarena.task.task import Mathematics, Task
from agentkernelarena.task.unseen import Stratum, Stream, draw_unseen

SEEDS = 40


def make_task(axes, seen, smoke, constraint=""):
    dtype = "dtype" if "dtype" in axes else "float32"
    operator = Operator(
        title="t", family="f", axes=axes, constraint=constraint, seen=seen, smoke=smoke, inputs={},
        outputs={"y": Tensor(next(iter(axes)), dtype=dtype)},
    )
    none = Mathematics(lambda cfg, draw: {}, lambda: None, lambda cfg: Work(bytes=1))
    return Task("hip2hip/made", "hip2hip", "made", Path("made"), operator, none)


def gemm():
    return make_task(
        {"m": log_range(1, 16384), "n": log_range(16, 16384, 8), "k": log_range(16, 16384, 8),
         "dtype": choice("float16", "bfloat16", "float32")},
        {"a": {"m": 4096, "n": 4096, "k": 4096, "dtype": "float16"},
         "b": {"m": 64, "n": 11008, "k": 4096, "dtype": "bfloat16"},
         "c": {"m": 2048, "n": 1024, "k": 512, "dtype": "float16"}},
        {"m": 5, "n": 24, "k": 40, "dtype": "float32"}, "m * n * k <= 2**37",
    )


def routing():
    return make_task(
        {"tokens": log_range(1, 65536), "experts": choice(8, 64, 256), "topk": int_range(1, 8), "skew": int_range(0, 4),
         "sorted": choice(False, True)},
        {"a": {"tokens": 4096, "experts": 64, "topk": 6, "skew": 1, "sorted": False},
         "b": {"tokens": 128, "experts": 8, "topk": 2, "skew": 1, "sorted": False}},
        {"tokens": 3, "experts": 8, "topk": 1, "skew": 0, "sorted": True}, "topk <= experts",
    )


def grouped():
    return make_task(
        {"rows": log_range(1, 4096), "cols": log_range(128, 16384), "dtype": choice("float16", "float32")},
        {"a": {"rows": 512, "cols": 4096, "dtype": "float16"}, "b": {"rows": 33, "cols": 1024, "dtype": "float32"}},
        {"rows": 2, "cols": 128, "dtype": "float32"}, "cols % 128 == 0",
    )


SUITE = ["hip2hip/rmsnorm", "torch2hip/gemm_half", "triton2triton/embedding_bag", "hip2hip/transpose_tiled"]
MADE = {"gemm": gemm, "routing": routing, "grouped": grouped}


def every_task():
    return [make() for make in MADE.values()] + [loader.load_task(t) for t in SUITE]


def twos(n):
    count = 0
    while n and n % 2 == 0:
        n, count = n // 2, count + 1
    return count


def product(cfg, sizes):
    return math.prod(cfg[n] for n in sizes)


def check_stratum(task, seen, unseen):
    """What each stratum means, written out again from its definition and independently of the drawing code."""
    cfg = unseen.configuration
    dtype_axes = set(task.dtype_axes)
    logs = [n for n, a in task.operator.axes.items() if getattr(a, "logarithmic", False)]
    sizes = logs or [n for n, a in task.operator.axes.items() if hasattr(a, "low")]
    tops, floors = ({n: f(c[n] for c in seen) for n in sizes} for f in (max, min))
    if unseen.stratum == "between":
        assert all(floors[n] <= cfg[n] <= tops[n] for n in sizes)
        assert all(cfg[n] in {c[n] for c in seen} for n in dtype_axes)
    elif unseen.stratum == "larger":
        assert any(cfg[n] > tops[n] for n in sizes) or all(product(cfg, sizes) > product(c, sizes) for c in seen)
        assert all(cfg[n] >= floors[n] for n in sizes)
    elif unseen.stratum == "smaller":
        assert any(cfg[n] < floors[n] for n in sizes) or all(product(cfg, sizes) < product(c, sizes) for c in seen)
        assert all(cfg[n] <= tops[n] for n in sizes)
    elif unseen.stratum == "misaligned":
        steps = {n: task.operator.axes[n].multiple_of for n in sizes}
        assert any(
            twos(cfg[n]) < min(twos(c[n]) for c in seen) or (cfg[n] > steps[n] and cfg[n] // steps[n] % 2)
            for n in sizes
        )
    elif unseen.stratum == "skewed":
        pairs = [(a, b) for a in sizes for b in sizes if a != b]
        assert any(all(cfg[a] / cfg[b] > c[a] / c[b] for c in seen) for a, b in pairs)
    else:
        assert unseen.stratum == "other_dtype"
        rest = [n for n in task.operator.axes if n not in dtype_axes]
        alike = [c for c in seen if all(c[n] == cfg[n] for n in rest)]
        assert alike
        assert cfg not in alike


@pytest.mark.parametrize("task", every_task(), ids=lambda t: t.id + "/" + t.name)
def test_every_draw_is_allowed_new_distinct_and_of_its_stratum(task):
    seen = list(task.seen.values())
    for seed in range(SEEDS):
        drawn = draw_unseen(task, seed.to_bytes(4, "big"), 12)
        assert [u.name for u in drawn] == [f"unseen-{i}" for i in range(1, 13)]
        configurations = [u.configuration for u in drawn]
        assert len(set(configurations)) == 12
        assert not set(configurations) & {*seen, task.smoke}
        for unseen in drawn:
            assert task.allows(unseen.configuration)
            assert list(unseen.configuration) == list(task.operator.axes)
            check_stratum(task, seen, unseen)


def test_twelve_draws_are_two_of_each_stratum_where_all_exist():
    for seed in range(SEEDS):
        strata = [u.stratum for u in draw_unseen(gemm(), bytes([seed]), 12)]
        assert {s: strata.count(s) for s in set(strata)} == {s.value: 2 for s in Stratum}


def test_few_draws_reach_every_stratum_over_seeds():
    strata = {u.stratum for seed in range(SEEDS) for u in draw_unseen(gemm(), bytes([seed]), 2)}
    assert strata == {s.value for s in Stratum}


@settings(max_examples=60, deadline=None)
@given(seed=st.binary(max_size=40), count=st.integers(0, 30))
def test_any_seed_and_count_give_distinct_allowed_draws(seed, count):
    task = gemm()
    drawn = draw_unseen(task, seed, count)
    assert len({u.configuration for u in drawn}) == count
    assert all(task.allows(u.configuration) for u in drawn)


def test_stream_is_sha256_in_counter_mode():
    key = hashlib.sha256(b"seed\0unseen/larger").digest()
    first = hashlib.sha256(key + (0).to_bytes(8, "big")).digest()
    second = hashlib.sha256(key + (1).to_bytes(8, "big")).digest()
    stream = Stream(b"seed", "unseen/larger")
    assert stream.below(1000) == int.from_bytes(first[:16], "big") % 1000
    assert stream.below(7) == int.from_bytes(second[:16], "big") % 7


def test_the_draw_is_the_same_in_other_processes_whatever_their_hash_seed():
    # The functions of this file, without its test libraries: building a task needs nothing heavy.
    imports = (
        "from pathlib import Path\n"
        "from agentkernelarena.task import Operator, Tensor, Work, choice, int_range, log_range\n"
        "from agentkernelarena.task.task import Mathematics, Task\n"
        "from agentkernelarena.task.unseen import draw_unseen\n"
    )
    program = imports + inspect.getsource(make_task) + inspect.getsource(gemm) + (
        "print([(u.stratum, u.configuration.label) for u in draw_unseen(gemm(), b'7', 12)])\n"
    )
    here = [(u.stratum, u.configuration.label) for u in draw_unseen(gemm(), b"7", 12)]
    for hash_seed in ("0", "4711"):
        run = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True,
            text=True, check=True,
        )
        assert run.stdout.strip() == repr(here)


def test_the_draw_never_changes_between_versions():
    # Pinned when the public draws were fixed: a change here changes every public and every revealed draw.
    drawn = draw_unseen(gemm(), b"pinned", 12)
    text = "\n".join(f"{u.name} {u.stratum} {u.configuration.label}" for u in drawn)
    assert hashlib.sha256(text.encode()).hexdigest() == PINNED, text


PINNED = "6c63ed367436b9648b4165683cbddc271a8bb8bf266fcff1909b70855f968936"


def test_another_seed_gives_another_draw():
    draws = {tuple(u.configuration for u in draw_unseen(gemm(), bytes([s]), 12)) for s in range(50)}
    assert len(draws) == 50


def test_without_a_dtype_axis_the_stratum_is_filled_from_others_that_say_what_they_are():
    task = routing()
    for seed in range(SEEDS):
        drawn = draw_unseen(task, bytes([seed]), 12)
        assert len(drawn) == 12
        assert "other_dtype" not in {u.stratum for u in drawn}
        assert "skewed" not in {u.stratum for u in drawn}  # one size axis has no ratio


def test_structure_axes_take_values_that_no_seen_configuration_has():
    drawn = [u.configuration for s in range(SEEDS) for u in draw_unseen(routing(), bytes([s]), 12)]
    assert {c["skew"] for c in drawn} == {0, 1, 2, 3, 4}
    assert {c["sorted"] for c in drawn} == {False, True}
    assert {c["experts"] for c in drawn} == {8, 64, 256}
    between = [u for s in range(SEEDS) for u in draw_unseen(routing(), bytes([s]), 12) if u.stratum == "between"]
    assert {u.configuration["skew"] for u in between} == {1}


def test_a_constraint_on_divisibility_leaves_the_other_axis_to_misalign():
    for seed in range(SEEDS):
        for unseen in draw_unseen(grouped(), bytes([seed]), 12):
            assert unseen.configuration["cols"] % 128 == 0


def test_fits_bounds_every_draw_and_costs_no_draw_where_room_is_left():
    def fits(cfg):
        return cfg["m"] * cfg["n"] * cfg["k"] <= 2**24

    task = gemm()
    anchors = [task.configuration({"m": 16, "n": 64, "k": 48, "dtype": "float16"}),
               task.configuration({"m": 7, "n": 128, "k": 32, "dtype": "float32"})]
    for seed in range(SEEDS):
        drawn = draw_unseen(task, bytes([seed]), 12, fits, anchors)
        assert len(drawn) == 12
        assert all(fits(u.configuration) for u in drawn)
        assert not {u.configuration for u in drawn} & {*anchors, *task.seen.values(), task.smoke}
        for unseen in drawn:
            check_stratum(task, anchors, unseen)


def test_a_small_space_gives_what_there_is_once():
    task = make_task(
        {"n": int_range(1, 3), "dtype": choice("float16", "float32")}, {"a": {"n": 2, "dtype": "float16"}},
        {"n": 2, "dtype": "float32"},
    )
    drawn = [u.configuration for u in draw_unseen(task, b"x", 12)]
    assert len(drawn) == len(set(drawn)) <= 4
    assert draw_unseen(task, b"x", 12, lambda cfg: False) == ()


def test_where_no_axis_has_room_the_product_of_sizes_grows_and_shrinks():
    task = make_task(
        {"a": log_range(1, 1024), "b": log_range(1, 1024)},
        {"long": {"a": 1024, "b": 1}, "wide": {"a": 1, "b": 1024}}, {"a": 2, "b": 3}, "a * b <= 2**16",
    )
    for seed in range(SEEDS):
        strata = {u.stratum: u.configuration for u in draw_unseen(task, bytes([seed]), 12)}
        assert product(strata["larger"], "ab") > 1024
        assert product(strata["smaller"], "ab") < 1024


def test_only_misaligned_draws_break_the_alignment_that_all_seen_sizes_share():
    task = make_task(
        {"rows": log_range(1, 65536), "cols": log_range(1, 65536)},
        {"a": {"rows": 4096, "cols": 1024}, "b": {"rows": 512, "cols": 8192}}, {"rows": 3, "cols": 5},
    )
    for seed in range(SEEDS):
        for unseen in draw_unseen(task, bytes([seed]), 12):
            aligned = all(unseen.configuration[n] % 64 == 0 for n in ("rows", "cols"))
            if unseen.stratum == "misaligned":
                assert not aligned
            elif unseen.stratum in ("between", "larger"):
                assert aligned, unseen


def test_a_thousand_seeds_cover_every_axis():
    task = loader.load_task("hip2hip/rmsnorm")
    drawn = [u.configuration for s in range(1000) for u in draw_unseen(task, s.to_bytes(4, "big"), 12)]
    assert {c["dtype"] for c in drawn} == {"float32", "float16", "bfloat16"}
    # Every octave of rows (1 to 2**17) and of columns (16 to 2**15) is reached.
    assert {c["rows"].bit_length() for c in drawn} == set(range(1, 19))
    assert {c["cols"].bit_length() for c in drawn} == set(range(5, 17))
