"""Comparisons: pairing, refusal, correction, and what is said when nothing can be said."""

from __future__ import annotations

import io
import math

import pytest
import synthetic
from rich.console import Console
from scipy import stats
from synthetic import PASSED, Contender, Plan, configuration, wrong

from agentkernelarena.errors import InputError
from agentkernelarena.report import Comparison, compare, table
from agentkernelarena.report.comparison import compare_facts
from agentkernelarena.report.facts import gather
from agentkernelarena.store import Store


def facts(speedups, plan):
    """Facts of one contender from [task][trial] speedups of its single seen configuration; None fails."""
    run = synthetic.run_record(plan)
    records = []
    for planned in run.plan:
        speedup = speedups[plan.task_ids().index(planned.task)][planned.repetition - 1]
        outcome = PASSED if speedup else wrong()
        records.append(synthetic.trial(planned, run, (configuration("c", speedup, submission=outcome),), outcome))
    return gather(run, records)["maker"]


def test_ratio_pairs_tasks_and_counts_failures_as_the_baseline():
    plan = Plan(tasks=3, trials=2)
    first = facts([[4.0, 4.0], [2.0, None], [1.0, 1.0]], plan)
    second = facts([[2.0, 2.0], [2.0, 2.0], [None, None]], plan)
    answer = compare_facts(first, second)
    assert [t.ratio for t in answer.tasks] == pytest.approx([2.0, math.sqrt(2) / 2, 1.0])
    assert answer.overall.ratio.value == pytest.approx(2 ** ((1 - 0.5 + 0) / 3))
    assert (answer.overall.first, answer.overall.second) == pytest.approx((2 ** (2.5 / 3), 2 ** (2 / 3)))
    assert answer.where_both_pass.tasks == 2
    assert answer.where_both_pass.ratio.value == pytest.approx(math.sqrt(2.0))
    assert (answer.first.passed.count, answer.second.passed.count) == (5, 4)
    assert answer.pass_difference.value == pytest.approx((0 - 0.5 + 1) / 3)
    assert any("too few" in n for n in answer.notes)


def test_significance_is_wilcoxons_over_tasks_with_holm_over_categories():
    plan = Plan(tasks=24, trials=1)
    rises = [1.02 + 0.01 * i for i in range(24)]
    answer = compare_facts(facts([[r] for r in rises], plan), facts([[1.0]] * 24, plan))
    assert answer.overall.p_value == pytest.approx(stats.wilcoxon([math.log(r) for r in rises]).pvalue)
    assert answer.overall.verdict == "first"
    assert [c.name for c in answer.categories] == list(synthetic.CATEGORIES)
    for claim in answer.categories:  # eight rises each: p = 2 / 2**8, times three
        assert claim.p_value == pytest.approx(2 / 256)
        assert claim.p_adjusted == pytest.approx(6 / 256)
        assert claim.verdict == "first"
    reverse = compare_facts(facts([[1.0]] * 24, plan), facts([[r] for r in rises], plan))
    assert reverse.overall.verdict == "second"
    assert reverse.overall.ratio.value == pytest.approx(1 / answer.overall.ratio.value)


def test_equal_contenders_differ_in_nothing():
    plan = Plan(tasks=9, trials=2)
    same = facts([[1.5, 1.4]] * 9, plan)
    answer = compare_facts(same, same)
    assert (answer.overall.ratio.value, answer.overall.p_value, answer.overall.verdict) == (1.0, 1.0, "none")


def test_power_comes_from_repeated_trials_only():
    single = Plan(tasks=6, trials=1)
    assert compare_facts(facts([[1.5]] * 6, single), facts([[1.0]] * 6, single)).power == ()
    plan = Plan(tasks=6, trials=2)
    answer = compare_facts(facts([[1.5, 1.3]] * 6, plan), facts([[1.0, 1.1]] * 6, plan))
    assert [n.ratio for n in answer.power] == [1.05, 1.1, 1.2, 1.5]
    assert [n.tasks for n in answer.power] == sorted((n.tasks for n in answer.power), reverse=True)


def make_store(folder, seed, **changes) -> Store:
    plan = Plan(**{"tasks": 9, "trials": 2, "contenders": (Contender("one"), Contender("two", mean=0.0)), **changes})
    return synthetic.store(plan, seed, folder)


def test_two_agents_of_one_run_share_their_draw(tmp_path):
    store = make_store(tmp_path / "a", 1)
    answer = compare(store, store, "one", "two")
    assert answer.unseen is not None
    assert answer.ranked
    assert Comparison.model_validate_json(answer.model_dump_json()) == answer
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(table.comparison(answer))
    text = console.export_text()
    for expected in ("A: one", "B: two", "p (Holm)", "80 % power", "unseen"):
        assert expected in text


def test_an_agent_has_to_be_named_where_there_are_several(tmp_path):
    store = make_store(tmp_path / "a", 1)
    with pytest.raises(InputError, match="one, two"):
        compare(store, store, "one")
    with pytest.raises(InputError, match="did you mean 'two'"):
        compare(store, store, "one", "twoo")


@pytest.mark.parametrize(("changes", "said"), [
    ({"suite": "6" * 64}, "suite: 555555555555 and 666666666666"),
    ({"protocol": "2"}, "protocol: 1 and 2"),
    ({"target": "amd:gfx942"}, "target: nvidia:sm_90 and amd:gfx942"),
])
def test_unlike_runs_are_refused_unless_forced_and_the_difference_is_named(tmp_path, changes, said):
    first, second = make_store(tmp_path / "a", 1), make_store(tmp_path / "b", 2, **changes)
    with pytest.raises(InputError, match=said):
        compare(first, second, "one", "one")
    answer = compare(first, second, "one", "one", force=True)
    assert answer.differences == (said,)


def test_runs_without_a_common_task_are_refused(tmp_path):
    first = make_store(tmp_path / "a", 1)
    second = make_store(tmp_path / "b", 1, real=("hip2hip/rmsnorm",))
    with pytest.raises(InputError, match="share no task"):
        compare(first, second, "one", "one")


def test_smoke_runs_get_no_verdict(tmp_path):
    store = make_store(tmp_path / "a", 1, target="cpu", tasks=24)
    answer = compare(store, store, "one", "two")
    assert answer.overall.verdict == "none"
    assert any("never ranked" in n for n in answer.notes)


def test_different_draws_leave_only_seen_configurations(tmp_path):
    real = ("hip2hip/rmsnorm", "hip2hip/transpose_tiled")
    first = make_store(tmp_path / "a", 1, real=real, contenders=(Contender("one", pass_mean=1.0),))
    second = make_store(tmp_path / "b", 2, real=real, contenders=(Contender("one", pass_mean=1.0),))
    answer = compare(first, second)
    assert answer.unseen is None
    assert any("different unseen configurations" in n for n in answer.notes)
