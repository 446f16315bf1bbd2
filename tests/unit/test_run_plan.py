"""Plans: which tasks patterns name, and the order and names of trials."""

from __future__ import annotations

import pytest

from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, RunSettings
from agentkernelarena.run.plan import plan_trials, select_tasks


def test_patterns_keep_their_order_and_name_each_task_once() -> None:
    assert select_tasks(["triton2triton/softmax", "*/rmsnorm", "hip2hip/rmsnorm"]) == (
        "triton2triton/softmax", "hip2hip/rmsnorm", "torch2hip/rmsnorm", "triton2triton/rmsnorm",
    )


def test_an_exclamation_mark_takes_away() -> None:
    assert select_tasks(["*/rmsnorm", "!torch2hip/*"]) == ("hip2hip/rmsnorm", "triton2triton/rmsnorm")


@pytest.mark.parametrize(("pattern", "remedy"), [("hip2hip/rmsnrm", "hip2hip/rmsnorm"), ("nothing/*", "aka task list")])
def test_a_pattern_that_matches_nothing_is_an_error(pattern: str, remedy: str) -> None:
    with pytest.raises(InputError, match="matches no task") as caught:
        select_tasks([pattern])
    assert remedy in caught.value.remedy


def test_taking_everything_away_is_an_error() -> None:
    with pytest.raises(InputError, match="no task is left"):
        select_tasks(["*/rmsnorm", "!*/rmsnorm"])


def test_repetitions_are_outermost_and_ids_are_unique() -> None:
    agents = (AgentSettings(agent="noop"), AgentSettings(agent="command", label="my agent/1"))
    settings = RunSettings(agents=agents, tasks=("*",), trials=2)
    plan = plan_trials(settings, ("hip2hip/a", "torch2hip/a"))
    assert [(t.repetition, t.task, t.agent) for t in plan] == [
        (repetition, task, agent)
        for repetition in (1, 2) for task in ("hip2hip/a", "torch2hip/a") for agent in ("noop", "my agent/1")
    ]
    assert plan[1].id == "my_agent_1--hip2hip-a--1"
    assert len({t.id for t in plan}) == len(plan) == 8


def test_two_contenders_of_one_name_are_an_error() -> None:
    settings = RunSettings(agents=(AgentSettings(agent="noop"), AgentSettings(agent="noop")), tasks=("*",))
    with pytest.raises(InputError, match="two contenders are called 'noop'"):
        plan_trials(settings, ("hip2hip/a",))
