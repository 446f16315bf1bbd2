"""The comparison: bounds against values worked out by hand and in float64."""

from __future__ import annotations

import math

import pytest
import torch

from agentkernelarena.judge.compare import (
    K_OUT,
    MAXIMUM_K,
    MINIMUM_K,
    Expected,
    calibrate,
    compare,
    expect,
    minimum_k,
    sensitivity_ratio,
)
from agentkernelarena.judge.draw import Source
from agentkernelarena.task.dtype import DTYPES
from agentkernelarena.task.loader import load_task
from agentkernelarena.task.operator import Family, Rule
from agentkernelarena.task.task import TensorSpec

U32 = 2.0**-24


def expected(values, dtype="float32", rule=Rule.CLOSE) -> Expected:
    value = torch.tensor(values, dtype=torch.float64)
    spec = TensorSpec("y", tuple(value.shape), DTYPES[dtype], rule)
    return Expected(spec, value, value.abs().nan_to_num(0.0, 0.0, 0.0), U32)


def test_an_error_just_inside_the_bound_passes_and_just_outside_fails():
    item = expected([1.0, 2.0])
    bound = K_OUT * U32 + 24.0 * U32  # at the element 1.0, whose magnitude is 1.0 here
    inside = torch.tensor([1.0 + 0.98 * bound, 2.0], dtype=torch.float64).to(torch.float32)
    outside = torch.tensor([1.0 + 1.1 * bound, 2.0], dtype=torch.float64).to(torch.float32)
    assert compare(inside, item, 24.0, "d").mismatch is None
    found = compare(outside, item, 24.0, "d")
    assert found.mismatch is not None
    assert found.mismatch.index == (0,)
    assert found.mismatch.wrong_elements == 1
    assert found.mismatch.bound == pytest.approx(bound, rel=1e-3)
    assert found.error_ratio == pytest.approx(1.1, rel=0.05)


def test_no_quota_one_wrong_element_of_many_fails():
    item = expected([1.0] * 10000)
    out = torch.ones(10000)
    out[7777] = 1.01
    found = compare(out, item, MAXIMUM_K, "d").mismatch
    assert found is not None
    assert found.index == (7777,)


@pytest.mark.parametrize(
    ("value", "reference", "right"),
    [
        (math.nan, 1.0, False), (1.0, math.nan, False), (math.nan, math.nan, True), (math.inf, math.inf, True),
        (-math.inf, math.inf, False), (3.0e38, math.inf, False), (math.inf, 1.0, False), (1.0, -math.inf, False),
    ],
)  # fmt: skip
def test_nan_and_infinities_match_exactly(value, reference, right):
    found = compare(torch.tensor([value]), expected([reference]), MAXIMUM_K, "d")
    assert (found.mismatch is None) == right


def test_at_the_overflow_threshold_of_half_both_neighbours_are_right():
    item = expected([65520.0], "float16")  # rounds to infinity, is within one unit of the largest finite value
    assert compare(torch.tensor([math.inf], dtype=torch.float16), item, 24.0, "d").mismatch is None
    assert compare(torch.tensor([65504.0], dtype=torch.float16), item, 24.0, "d").mismatch is None
    assert compare(torch.tensor([-math.inf], dtype=torch.float16), item, 24.0, "d").mismatch is not None
    assert compare(torch.tensor([1.0], dtype=torch.float16), item, 24.0, "d").mismatch is not None


def test_integers_are_equal_or_wrong():
    item = expected([16777217, -3], "int32", Rule.EXACT)
    assert compare(torch.tensor([16777217, -3], dtype=torch.int32), item, 0.0, "d").mismatch is None
    found = compare(torch.tensor([16777216, -3], dtype=torch.int32), item, 0.0, "d").mismatch
    assert found is not None
    assert (found.value, found.expected) == (16777216, 16777217)


def test_nothing_to_compare_is_right():
    spec = TensorSpec("y", (0, 4), DTYPES["float32"], Rule.CLOSE)
    empty = torch.zeros(0, 4)
    assert compare(empty, Expected(spec, empty.double(), empty.double(), U32), 24.0, "d").mismatch is None


def test_calibration_stays_between_its_limits():
    assert calibrate(0.0, 4.0) == MINIMUM_K
    assert calibrate(100.0, 4.0) == 400.0
    assert calibrate(math.inf, 4.0) == MAXIMUM_K
    assert calibrate(5000.0, 4.0) == 5000.0  # never less than the baseline needs
    assert calibrate(3000.0, 4.0) == MAXIMUM_K
    assert calibrate(1.0, 4.0, minimum=700.0) == 700.0


def test_sensitivity_allows_for_cancellation_and_only_there():
    task = load_task("torch2hip/row_variance")
    source = Source(task, b"s" * 32, "cpu")
    plain = expect(task, task.smoke, source.case(task.smoke, Family.NORMAL))
    offset = expect(task, task.smoke, source.case(task.smoke, Family.CLUSTERED))
    # Moving each x by a relative unit moves the variance by about 2 |x| sigma / sqrt(n): for values 8 +- 1/8 that is
    # 2 * 8 / (1/8 * sqrt(n)) units of the variance, about 15 at n = 70; for values around 0 it is 2 sqrt(3 / n), 0.4.
    assert 4 < max(sensitivity_ratio(offset).values()) < 60
    assert max(sensitivity_ratio(plain).values()) < 3


def test_the_float64_reference_is_what_outputs_are_compared_with():
    task = load_task("torch2hip/softmax")
    case = Source(task, b"s" * 32, "cpu").case(task.smoke, Family.WIDE)
    item = expect(task, task.smoke, case)["y"]
    x = case.values["x"].double()
    by_hand = (x - x.amax(-1, keepdim=True)).exp()
    by_hand /= by_hand.sum(-1, keepdim=True)
    assert torch.allclose(item.value, by_hand, rtol=1e-12, atol=0)
    assert compare(by_hand.to(torch.float32), item, MINIMUM_K, "d").mismatch is None
    assert compare((by_hand * 1.0001).to(torch.float32), item, MINIMUM_K, "d").mismatch is not None


def test_long_sums_are_allowed_what_summing_one_after_the_other_costs():
    task = load_task("torch2hip/gemm_f32")
    long = task.configuration({"m": 64, "n": 64, "k": 16384})
    terms = task.mathematics.work(long).operations / (2 * 64 * 64)
    assert 16384 <= terms <= 3 * 16384
    assert minimum_k(task, long) == pytest.approx(6.0 * math.sqrt(terms))
    copying = load_task("torch2hip/transpose_tiled")
    assert minimum_k(copying, copying.smoke) == MINIMUM_K
    # float32 sums in index order, the worst honest order, against the float64 product
    case = Source(task, b"s" * 32, "cpu").case(long, Family.POSITIVE)
    a, b = case.values["a"], case.values["b"]
    total = torch.zeros(64, 64)
    for i in range(a.shape[1]):
        total = total + a[:, i : i + 1] * b[i : i + 1]
    item = expect(task, long, case)["c"]
    assert compare(total, item, minimum_k(task, long), "d").mismatch is None
    # and inputs rounded to bfloat16 are not let through, where terms cancel and their errors do not
    case = Source(task, b"s" * 32, "cpu").case(long, Family.NORMAL)
    narrow = case.values["a"].bfloat16().float() @ case.values["b"].bfloat16().float()
    assert compare(narrow, expect(task, long, case)["c"], minimum_k(task, long), "d").mismatch is not None
