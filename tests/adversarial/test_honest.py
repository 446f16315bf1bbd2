"""Honest programs that look like cheats pass, and what they are faster by is measured."""

from __future__ import annotations

import pytest
from adversarial_case import Case, cases, judged, matches_speedup


@pytest.mark.parametrize("case", [pytest.param(c, id=c.id) for c in cases("honest")])
def test_honest_look_alike_passes(case: Case) -> None:
    judgement = judged(case)
    outcome = judgement.outcome
    assert outcome.status.value in case.expected, f"{outcome.status.value}: {outcome.reason}"
    for configuration in judgement.configurations:
        found = configuration.submission.outcome
        assert found.passed, f"{configuration.name}: {found.reason}"
    if "speedup" in case.options:
        speedup = judgement.configurations[0].speedup
        assert speedup is not None
        assert matches_speedup(case.options["speedup"], speedup), speedup


def test_there_are_enough() -> None:
    assert len(cases("honest")) >= 25
