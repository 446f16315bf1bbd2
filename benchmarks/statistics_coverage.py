"""Do the intervals cover the truth, and do comparisons of equal contenders find a difference too often?

    python benchmarks/statistics_coverage.py [--runs 1000] [--tasks 24] [--trials 3] [--part records|arrays|all]

records: whole synthetic runs (tests/unit/synthetic.py states the model) through the functions that give `aka report`
its headline numbers and `aka compare` its answer. arrays: the resampling functions alone, over more shapes of run.
Every line says how often the 95 % interval held the true value, or how often p was at most 5 % where nothing differed.
Exit code 1 when a coverage lies outside 93 to 97 % or a false-positive rate above 6 %; lines marked `shown` are for
information.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "unit"))

import synthetic

from agentkernelarena.report.comparison import compare_facts
from agentkernelarena.report.computation import group_report
from agentkernelarena.report.facts import gather
from agentkernelarena.report.model import Estimated, GroupReport, Rate
from agentkernelarena.statistic.bootstrap import Level, hierarchical
from agentkernelarena.statistic.interval import clustered_proportion

WHO = synthetic.Contender("one", mean=0.3, task=0.3, trial=0.15, configuration=0.1, unseen=-0.05, pass_mean=0.75)
SEEN, UNSEEN = 2, 4


class Tally:
    """Hits per name; `kind` is coverage, error or shown."""

    def __init__(self) -> None:
        self.hits: dict[str, list[bool]] = {}
        self.kind: dict[str, str] = {}

    def add(self, name: str, hit: bool, kind: str = "coverage") -> None:
        self.hits.setdefault(name, []).append(hit)
        self.kind[name] = kind

    def interval(self, name: str, truth: float, answer: Estimated | Rate | None, kind: str = "coverage") -> None:
        if answer is not None and answer.low is not None and answer.high is not None:
            self.add(name, answer.low <= truth <= answer.high, kind)

    def print(self) -> bool:
        """Print all lines; whether every bound holds."""
        fine = True
        for name, hits in self.hits.items():
            share, kind = sum(hits) / len(hits), self.kind[name]
            inside = {"coverage": 0.93 <= share <= 0.97, "error": share <= 0.06, "shown": True}[kind]
            mark = "" if inside else "  <-- outside"
            fine &= inside
            print(f"{kind:>9} {100 * share:5.1f} %  of {len(hits):5d}  {name}{mark}", flush=True)
        return fine


def truths() -> dict[str, float]:
    """Exact values of what reports estimate, from the model's parameters."""
    spread = math.sqrt(WHO.task**2 + WHO.trial**2 + WHO.configuration**2 / SEEN)
    p = WHO.pass_mean
    mean_speedup = math.exp(WHO.mean + (WHO.task**2 + WHO.trial**2 + WHO.configuration**2) / 2)
    return {
        "seen": math.exp(WHO.mean), "unseen": math.exp(WHO.mean + WHO.unseen), "retention": math.exp(WHO.unseen),
        "delivered": math.exp(p * WHO.mean), "passed": p, "conditional": WHO.unseen_right * (p + (1 - p) / 2),
        "paper": 20 * (1 - p) + p * (120 + 100 * mean_speedup),
        "fast_p": p * float(stats.norm.sf((math.log(1.1) - WHO.mean) / spread)),
    }


def observe(whole: GroupReport, truth: dict[str, float], tally: Tally) -> None:
    general = whole.generalisation
    tally.interval("seen speedup", truth["seen"], general.seen)
    tally.interval("unseen speedup", truth["unseen"], general.unseen)
    tally.interval("retention", truth["retention"], general.retention)
    tally.interval("delivered speedup", truth["delivered"], whole.delivered)
    tally.interval("pass rate", truth["passed"], whole.passed)
    tally.interval("conditional correctness", truth["conditional"], general.conditional)
    tally.interval("fast_p at 1.1", truth["fast_p"], next(f.rate for f in whole.fast_p if f.p == 1.1))
    tally.interval("paper score", truth["paper"], whole.paper)


def records(runs: int, tasks: int, trials: int) -> Tally:
    """Whole runs of two equal contenders."""
    tally, truth = Tally(), truths()
    other = synthetic.Contender(**{**WHO.__dict__, "name": "two"})
    plan = synthetic.Plan(contenders=(WHO, other), tasks=tasks, trials=trials, seen=SEEN, unseen=UNSEEN)
    run = synthetic.run_record(plan)
    for seed in range(runs):
        drawn = list(synthetic.records(plan, seed))
        agents = gather(run, drawn)
        observe(group_report("all", agents["one"]), truth, tally)
        answer = compare_facts(agents["one"], agents["two"])
        tally.add("compare: p at most 5 %", answer.overall.p_value <= 0.05, "error")
        tally.add("compare: a verdict", answer.overall.verdict != "none", "error")
        tally.add("compare: some category has a verdict", any(c.verdict != "none" for c in answer.categories), "error")
        tally.add("compare: p of the pass rates at most 5 %", answer.pass_p_value <= 0.05, "error")
        tally.interval("compare: interval of the ratio", 1.0, answer.overall.ratio)
        tally.interval("compare: interval of the pass difference", 0.0, answer.pass_difference)
    return tally


def shapes() -> Iterator[tuple[int, int, int]]:
    yield from ((10, 1, 5), (10, 3, 5), (30, 1, 5), (30, 3, 5), (100, 3, 5))


def arrays(runs: int) -> Tally:
    """The resampling functions alone."""
    tally, rng = Tally(), np.random.default_rng(12345)
    for tasks, trials, configurations in shapes():
        for name, spread in (("tasks vary", (0.3, 0.15, 0.1)), ("only noise", (0.0, 0.15, 0.1))):
            for _ in range(runs):
                values = rng.normal(0, spread[2], (tasks, trials, configurations))
                values += rng.normal(0, spread[1], (tasks, trials, 1)) + rng.normal(0, spread[0], (tasks, 1, 1))
                answer = hierarchical(values.tolist(), seed=int(rng.integers(2**31)))
                label = f"mean, {tasks} tasks x {trials} trials, {name}"
                tally.add(label, answer.low <= 0 <= answer.high)  # type: ignore[operator]
    for _ in range(runs):
        effect = np.array([-1.0, 0.0, 1.0, 2.0])[:, None, None]
        values = effect + rng.normal(0, 0.15, (4, 5, 1)) + rng.normal(0, 0.1, (4, 5, 5))
        answer = hierarchical(values.tolist(), int(rng.integers(2**31)), Level.TRIAL)
        tally.add("mean of 4 fixed tasks x 5 trials", answer.low <= 0.5 <= answer.high)  # type: ignore[operator]
    for mean in (0.5, 0.8, 0.95):
        for tasks in (30, 100):
            for _ in range(runs):
                chance = rng.beta(mean * 4, (1 - mean) * 4, tasks)
                passed = rng.binomial(3, chance)
                answer = clustered_proportion([(int(s), 3) for s in passed])
                kind = "coverage" if mean < 0.95 else "shown"
                hit = answer.low <= mean <= answer.high  # type: ignore[operator]
                tally.add(f"pass rate {mean}, {tasks} tasks x 3 trials", hit, kind)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--tasks", type=int, default=24)
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--part", choices=("records", "arrays", "all"), default="all")
    chosen = parser.parse_args()
    fine = True
    if chosen.part in ("arrays", "all"):
        print(f"arrays: {chosen.runs} simulations a line")
        fine &= arrays(chosen.runs).print()
    if chosen.part in ("records", "all"):
        print(f"records: {chosen.runs} simulated runs of {chosen.tasks} tasks x {chosen.trials} trials")
        fine &= records(chosen.runs, chosen.tasks, chosen.trials).print()
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
