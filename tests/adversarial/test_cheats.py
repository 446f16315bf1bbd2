"""Every cheat gets the outcome that its header declares, leaves nothing behind and spares the next judgement."""

from __future__ import annotations

import re

import pytest
from adversarial_case import Case, cases, judged, judged_next, matches_speedup, strangers

FOLLOWED = {"environment", "fault", "tampering"}
"""Classes whose cases are followed by another judgement in the same warm processes."""


def _parameters() -> list[object]:
    return [pytest.param(c, id=c.id, marks=[pytest.mark.slow] if c.options.get("marks") == "slow" else [])
            for c in cases("cheat")]


@pytest.mark.parametrize("case", _parameters())
def test_cheat_gets_its_outcome(case: Case) -> None:
    judgement = judged(case)
    outcome = judgement.outcome
    assert outcome.status.value in case.expected, f"{outcome.status.value}: {outcome.reason}"
    if "reason" in case.options:
        assert re.search(case.options["reason"], outcome.reason), outcome.reason
    if "speedup" in case.options and outcome.passed:
        speedup = judgement.configurations[0].speedup
        assert speedup is not None
        assert matches_speedup(case.options["speedup"], speedup), speedup
    if "unseen_expect" in case.options:
        found = {c.submission.outcome.status.value for c in judgement.configurations if not c.seen}
        assert case.options["unseen_expect"] in found, found
    assert list(strangers()) == []
    if case.path.parent.name in FOLLOWED:
        after = judged_next(case)
        assert after.outcome.passed, f"after it: {after.outcome.status.value}: {after.outcome.reason}"
    judgement.model_dump_json()


def test_every_class_is_there() -> None:
    count: dict[str, int] = {}
    for case in cases("cheat"):
        count[case.path.parent.name] = count.get(case.path.parent.name, 0) + 1
    assert set(count) == {"caching", "correctness", "environment", "fault", "precision", "reference", "specialisation",
                          "tampering", "timing"}
    assert sum(count.values()) >= 100
