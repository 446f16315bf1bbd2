"""The overfitting submissions of examples/: right on all seen configurations, wrong in the stratum that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentkernelarena.report.facts import quadrants
from agentkernelarena.result import Judgement
from agentkernelarena.run.evaluate import evaluate

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "overfitting"

ALL = {"between", "larger", "smaller", "misaligned", "skewed", "other_dtype"}


@pytest.fixture(autouse=True)
def suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AKA_SUITE", str(EXAMPLES / "suite"))


def judge(task: str, submission: str, unseen: int = 12) -> Judgement:
    return evaluate(task, submission, target="cpu", unseen=unseen, seed=11, time=False)


def failing(judgement: Judgement) -> set[str]:
    """Strata in which the submission fails somewhere."""
    return {c.stratum for c in judgement.unseen if not c.submission.outcome.passed}


@pytest.mark.slow
@pytest.mark.parametrize(("task", "submission", "certain", "possible"), [
    ("hip2hip/scale_rows", "shape.hip", ALL - {"other_dtype"}, ALL - {"other_dtype"}),
    ("hip2hip/scale_rows", "divisibility.hip", {"misaligned"}, {"misaligned"}),
    ("torch2hip/scale_rows", "dtype.hip", {"other_dtype"}, {"other_dtype"}),
    ("triton2triton/scale_rows", "small_size.py", {"larger"}, {"larger", "skewed"}),
])
def test_seen_passes_and_the_right_stratum_fails(
    task: str, submission: str, certain: set[str], possible: set[str]
) -> None:
    judgement = judge(task, str(EXAMPLES / "submission" / submission))
    assert judgement.outcome.passed
    assert all(c.submission.outcome.passed for c in judgement.seen)
    assert all(c.baseline.outcome.passed for c in judgement.configurations)
    assert {c.stratum for c in judgement.unseen} == ALL
    assert certain <= failing(judgement) <= possible
    count = quadrants(judgement.unseen)
    assert count.regression == sum(not c.submission.outcome.passed for c in judgement.unseen)
    assert count.both_pass + count.regression == 12


@pytest.mark.slow
@pytest.mark.parametrize("task", ["hip2hip/scale_rows", "triton2triton/scale_rows"])
def test_the_baseline_is_right_everywhere(task: str) -> None:
    assert failing(judge(task, "baseline", unseen=6)) == set()
