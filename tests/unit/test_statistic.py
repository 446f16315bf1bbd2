"""Statistics against scipy, enumeration, closed forms and published values."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pytest
from scipy import stats

from agentkernelarena.statistic.bootstrap import Level, bootstrap_mean, geometric, hierarchical, mean_of_means
from agentkernelarena.statistic.interval import (
    clustered_proportion,
    normal_quantile,
    student_mean,
    student_quantile,
    wilson,
)
from agentkernelarena.statistic.paired import holm, wilcoxon
from agentkernelarena.statistic.power import Spread, need, spread
from agentkernelarena.statistic.several import best_of_k, pass_at_k


@pytest.mark.parametrize(("count", "total"), [(0, 10), (3, 10), (10, 10), (81, 263), (1, 1)])
def test_wilson_agrees_with_scipy(count, total):
    expected = stats.binomtest(count, total).proportion_ci(method="wilson")
    assert wilson(count, total) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_students_interval_agrees_with_scipy():
    values = [0.3, 0.1, 0.7, 0.2]
    answer = student_mean(values)
    assert (answer.low, answer.high) == pytest.approx(stats.t.interval(0.95, 3, np.mean(values), stats.sem(values)))
    assert student_mean([2.0]).low is None
    with pytest.raises(ValueError, match="no values"):
        student_mean([])


def test_wilson_gives_the_published_example():
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81/263 and 15/148.
    assert [round(v, 4) for v in wilson(81, 263)] == [0.2553, 0.3662]
    assert [round(v, 4) for v in wilson(15, 148)] == [0.0624, 0.1605]


def test_quantiles():
    assert normal_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert student_quantile(0.95, 4) == pytest.approx(2.776445, abs=1e-6)


def test_a_clustered_proportion_of_single_observations_is_wilsons_up_to_student():
    clusters = [(1, 1)] * 30 + [(0, 1)] * 20
    answer = clustered_proportion(clusters)
    effective = 49 * (normal_quantile(0.95) / student_quantile(0.95, 49)) ** 2  # n - 1: the sample variance
    assert answer.value == 0.6
    assert (answer.low, answer.high) == pytest.approx(wilson(0.6 * max(50, effective), max(50, effective)), rel=1e-9)


def test_fully_dependent_clusters_count_once_each():
    answer = clustered_proportion([(10, 10)] * 6 + [(0, 10)] * 6)
    assert (answer.low, answer.high) == pytest.approx(wilson(6, 12), rel=1e-9)
    assert clustered_proportion([(10, 10)] * 5).low == pytest.approx(wilson(5, 5)[0])


def test_a_proportion_of_nothing_is_not_a_number():
    assert math.isnan(clustered_proportion([]).value)
    assert math.isnan(clustered_proportion([(0, 0)]).value)


@pytest.mark.parametrize("trials", [1, 3, 5])
def test_pass_at_k_is_the_share_of_subsets_with_a_pass(trials):
    for passed in range(trials + 1):
        for k in range(1, trials + 1):
            outcomes = [True] * passed + [False] * (trials - passed)
            subsets = list(itertools.combinations(outcomes, k))
            assert pass_at_k(trials, passed, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_pass_at_k_refuses_more_than_there_is():
    for arguments in ((3, 1, 4), (3, 1, 0), (3, 4, 1)):
        with pytest.raises(ValueError, match="pass@"):
            pass_at_k(*arguments)


def test_best_of_k_is_the_mean_over_subsets():
    values = [0.0, 0.3, -0.2, 1.1, 0.3]
    for k in range(1, 6):
        expected = statistics.mean(max(s) for s in itertools.combinations(values, k))
        assert best_of_k(values, k) == pytest.approx(expected)
    with pytest.raises(ValueError, match="best of"):
        best_of_k(values, 6)


def test_holm_step_by_step():
    # Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04, made monotone.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_wilcoxon_has_the_exact_tail():
    # All n differences of one sign: p = 2 / 2**n.
    assert wilcoxon([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).p_value == pytest.approx(2 / 64)
    # Conover, Practical Nonparametric Statistics (twins' aggressiveness), as scipy's documentation has it.
    twins = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
    assert wilcoxon([float(v) for v in twins]).p_value == pytest.approx(0.041259765625)


def test_wilcoxon_with_ties_is_the_enumeration_of_all_signs():
    differences = [1.0, -1.0, 1.0, 2.0, 2.0, -3.0, 3.0, 4.0]
    ranks = stats.rankdata(np.abs(differences))
    sums = [sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in itertools.product((0, 1), repeat=8)]
    observed = sum(r for r, d in zip(ranks, differences, strict=True) if d > 0)
    expected = 2 * min(sum(s <= observed for s in sums), sum(s >= observed for s in sums)) / 256
    assert wilcoxon(differences).p_value == pytest.approx(expected)


@pytest.mark.parametrize("pairs", [7, 25, 50, 51, 80])
def test_wilcoxon_agrees_with_scipy_where_nothing_is_tied(pairs):
    values = np.random.default_rng(pairs).normal(0.3, 1.0, pairs)
    assert wilcoxon(values.tolist()).p_value == pytest.approx(stats.wilcoxon(values).pvalue)


def test_wilcoxon_without_a_difference():
    answer = wilcoxon([0.0, 0.0])
    assert (answer.p_value, answer.pairs) == (1.0, 0)
    assert wilcoxon([0.0, 1.0, 2.0, 3.0]).pairs == 3


def test_mean_of_means_weights_tasks_equally():
    assert mean_of_means([[[1.0], [3.0]], [[10.0, 20.0, 30.0]]]) == pytest.approx((2 + 20) / 2)


def test_the_interval_of_many_units_is_students():
    values = np.random.default_rng(5).normal(2.0, 1.0, 400).tolist()
    answer = bootstrap_mean(values, seed=1)
    expected = stats.t.interval(0.95, 399, np.mean(values), stats.sem(values))
    assert (answer.low, answer.high) == pytest.approx(expected, abs=0.012)


def test_the_interval_agrees_with_scipys_percentile_bootstrap_but_for_the_stretch():
    values = np.random.default_rng(6).exponential(1.0, 60)
    answer = bootstrap_mean(values.tolist(), seed=1, resamples=8000)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=8000, rng=3).confidence_interval
    stretch = math.sqrt(60 / 59) * stats.t.ppf(0.975, 59) / stats.norm.ppf(0.975)
    mean = values.mean()
    assert (answer.low, answer.high) == pytest.approx(
        (mean + stretch * (theirs.low - mean), mean + stretch * (theirs.high - mean)), abs=0.02
    )


def test_the_same_seed_gives_the_same_interval():
    values = [math.sqrt(i) for i in range(30)]
    assert bootstrap_mean(values, 1) == bootstrap_mean(values, 1)
    assert bootstrap_mean(values, 1) != bootstrap_mean(values, 2)


def test_a_single_unit_has_no_interval_and_no_unit_no_mean():
    answer = bootstrap_mean([3.0], 1)
    assert (answer.value, answer.low, answer.high) == (3.0, None, None)
    with pytest.raises(ValueError, match="no values"):
        hierarchical([], 1)
    with pytest.raises(ValueError, match="no values"):
        hierarchical([[[]]], 1)


def test_a_single_task_falls_back_to_its_trials_and_then_to_configurations():
    assert hierarchical([[[1.0], [2.0], [3.0]]], 1).units == 3
    assert hierarchical([[[1.0, 2.0, 3.0, 4.0]]], 1).units == 4


def test_fixed_tasks_leave_only_the_spread_of_trials():
    # Two tasks far apart, trials close together: as a sample of tasks the mean is vague, on these tasks it is sharp.
    values = [[[0.0], [0.02], [0.01]], [[5.0], [5.02], [5.01]]]
    sampled, fixed = (hierarchical(values, 1, level) for level in (Level.TASK, Level.TRIAL))
    assert sampled.high - sampled.low > 5
    # sd of a trial 0.01, six trials, four degrees of freedom.
    assert (fixed.high - fixed.low) / 2 == pytest.approx(stats.t.ppf(0.975, 4) * 0.01 / math.sqrt(6), rel=0.25)


def test_geometric_means():
    answer = geometric([[[2.0, 8.0]], [[4.0]]], 1)
    assert answer.value == pytest.approx(4.0)
    assert answer.low <= 4.0 <= answer.high


def test_spread_finds_the_components_it_was_made_from():
    rng = np.random.default_rng(1)
    task = rng.normal(0, 0.5, 4000)
    first = [[t + rng.normal(0, 0.3) for _ in range(3)] for t in task]
    second = [[rng.normal(0, 0.3) for _ in range(3)] for _ in task]
    parts = spread(first, second)
    assert parts.trial == pytest.approx(0.09, rel=0.05)
    assert parts.task == pytest.approx(0.25, rel=0.05)
    assert spread([[1.0], [2.0]], [[1.0], [2.0]]) is None


def test_need_by_hand():
    # (z.975 + z.8)^2 = 7.8489; ratio e^0.1 on 100 tasks allows a variance of 0.01 / 7.8489 = 0.00127406.
    parts = Spread(trial=0.04, task=0.05)
    answer = need(parts, tasks=100, trials=1, ratio=math.exp(0.1))
    assert answer.trials == math.ceil(0.08 / (0.127406 - 0.05))
    assert answer.tasks == math.ceil(0.13 / 0.00127406)
    assert need(Spread(0.04, 0.2), 100, 1, math.exp(0.1)).trials is None
    with pytest.raises(ValueError, match="no difference"):
        need(parts, 100, 1, 1.0)


def test_with_what_need_asks_for_a_difference_is_seen_four_times_in_five():
    parts, ratio, tasks = Spread(trial=0.09, task=0.02), 1.1, 80
    trials = need(parts, tasks, 1, ratio).trials
    rng = np.random.default_rng(2)
    seen = 0
    for _ in range(800):
        effect = math.log(ratio) + rng.normal(0, math.sqrt(parts.task), tasks)
        noise = rng.normal(0, math.sqrt(2 * parts.trial / trials), tasks)
        seen += stats.ttest_1samp(effect + noise, 0).pvalue < 0.05
    assert 0.76 <= seen / 800 <= 0.87
