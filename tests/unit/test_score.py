"""Scores of hand-made trials, worked out by hand."""

from __future__ import annotations

import math

import pytest
import synthetic
from synthetic import PASSED, configuration, wrong

from agentkernelarena import score
from agentkernelarena.errors import InputError
from agentkernelarena.record import PlannedTrial
from agentkernelarena.result import Gate, Outcome, Status
from agentkernelarena.score import fast_p

PLAN = synthetic.Plan(tasks=1, trials=1)


def make(speedups, outcome=PASSED, unseen=()):
    run = synthetic.run_record(PLAN)
    planned = PlannedTrial(id="t", agent="maker", task=PLAN.task_ids()[0], repetition=1)
    seen = [configuration(f"c{i}", s, values={"rows": i}) for i, s in enumerate(speedups)]
    rest = [configuration(f"unseen-{i}", s, "larger", {"rows": 99 + i}) for i, s in enumerate(unseen)]
    return synthetic.trial(planned, run, (*seen, *rest), outcome)


def ended(status, gate=None):
    return Outcome(status=status, reason="r", gate=gate)


def test_the_registered_policies():
    assert set(score.policies()) == {"fast_p", "gain", "headline", "paper", "speed_of_light"}
    assert all(score.policies().values())


def test_an_unknown_policy_is_bad_input_and_names_the_nearest():
    with pytest.raises(InputError, match="paper"):
        score.score_trial(make([1.0]), "papper")


def test_a_submission_that_changes_nothing_has_220_one_and_zero():
    trial = make([1.0, 1.0, 1.0])
    assert score.score_trial(trial, "paper") == 220
    assert score.score_trial(trial, "headline") == 1
    assert score.score_trial(trial, "gain") == 0
    assert score.score_trial(trial, "fast_p") == 1


def test_the_paper_takes_the_arithmetic_mean_and_the_headline_the_geometric():
    trial = make([0.5, 2.0, 8.0], unseen=[100.0])
    assert score.score_trial(trial, "paper") == pytest.approx(120 + 100 * 3.5)
    assert score.score_trial(trial, "headline") == pytest.approx(2.0)
    assert score.score_trial(trial, "gain") == pytest.approx(1.0)
    assert score.score_trial(trial, "fast_p") == pytest.approx(2.0)


@pytest.mark.parametrize(("outcome", "paper"), [
    (ended(Status.COMPILE_ERROR, Gate.COMPILE), 0),
    (ended(Status.TIMEOUT, Gate.COMPILE), 0),
    (ended(Status.NO_SUBMISSION), 0),
    (ended(Status.AGENT_ERROR), 0),
    (ended(Status.TAMPERED, Gate.CORRECTNESS), 0),
    (ended(Status.INCORRECT, Gate.CORRECTNESS), 20),
    (ended(Status.CRASHED, Gate.CORRECTNESS), 20),
    (ended(Status.TIMEOUT, Gate.CORRECTNESS), 20),
    (ended(Status.IMPOSSIBLE_TIME, Gate.PERFORMANCE), 120),
    (ended(Status.TIMING_INCONSISTENT, Gate.PERFORMANCE), 120),
])
def test_what_failed_trials_score(outcome, paper):
    trial = make([3.0, 3.0], outcome)
    assert score.score_trial(trial, "paper") == paper
    assert score.score_trial(trial, "headline") == 1
    assert score.score_trial(trial, "gain") == 0
    assert score.score_trial(trial, "fast_p") == 0
    assert score.score_trial(trial, "speed_of_light") == 0


def test_a_fault_of_the_harness_is_no_score():
    trial = make([3.0], ended(Status.INFRASTRUCTURE_ERROR))
    for policy in ("paper", "headline", "gain", "speed_of_light"):
        assert math.isnan(score.score_trial(trial, policy))
    assert score.score_trial(trial, "fast_p") == 0


def test_speed_of_light_is_the_floor_over_the_submission_time():
    # Baseline 100 us, floor 25 us: at speedup 2 the submission takes 50 us, half of the speed of light.
    assert score.score_trial(make([2.0]), "speed_of_light") == pytest.approx(0.5)
    assert score.score_trial(make([1.0, 4.0]), "speed_of_light") == pytest.approx(math.sqrt(0.25 * 1.0))


def test_speed_of_light_cannot_be_said_without_a_floor():
    trial = make([2.0])
    bare = trial.judgement.configurations[0].model_copy(update={"floor_us": None})
    judgement = trial.judgement.model_copy(update={"configurations": (bare,)})
    assert math.isnan(score.score_trial(trial.model_copy(update={"judgement": judgement}), "speed_of_light"))


def test_fast_p_shares_have_the_plan_as_denominator():
    scores = [score.score_trial(make([s]), "fast_p") for s in (0.9, 1.0, 1.2, 2.0)]
    scores.append(score.score_trial(make([9.0], wrong()), "fast_p"))
    assert [fast_p.share(scores, 10, p) for p in (1.0, 1.1, 1.5, 2.0, 5.0)] == [0.3, 0.2, 0.1, 0.1, 0.0]
