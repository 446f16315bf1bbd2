"""`aka transcript`: a trial's events in the terminal and as JSON, and how trials are named."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
import synthetic

from agentkernelarena.cli import main
from agentkernelarena.store import Store
from agentkernelarena.transcript import Event, Tokens, Transcript


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return synthetic.store(synthetic.Plan(tasks=2, trials=1), seed=3, folder=tmp_path / "run")


def call(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    terminate = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as ended:
            main(["transcript", *map(str, arguments)])
    finally:
        signal.signal(signal.SIGTERM, terminate)
    out, err = capfd.readouterr()
    return int(ended.value.code or 0), out, err


EVENTS = [
    Event(t=0.0, kind="start", name="a-model", session="s"), Event(t=1.0, kind="text", text="Looking.\nSecond line."),
    Event(t=2.0, kind="tool_call", id="1", name="Bash", arguments='{"command": "ls"}'),
    Event(t=3.0, kind="tool_result", id="1", text="kernel.hip \x1b[2J\x9b31m\rgone " + "x" * 3000, exit_code=2),
    Event(t=4.0, kind="raw", text="{}"), Event(t=4.5, kind="text", name="to the model", text="Go on."),
    Event(t=5.0, kind="usage", tokens=Tokens(input=5, output=7)), Event(t=6.0, kind="retry", text="529 overloaded"),
    Event(t=7.0, kind="end", text="done"),
]


def said(store: Store, trial: str) -> None:
    with Transcript(store.trial_folder(trial)) as writing:
        for event in EVENTS:
            writing.add(event)


def test_a_trial_is_readable(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    trial = store.run.plan[0].id
    said(store, trial)
    code, out, _ = call(capfd, store.folder, trial)
    lines = out.splitlines()
    assert code == 0
    assert lines[:4] == ["[     0.0 s] started a-model", "[     1.0 s] Looking.", "             Second line.",
                         "[     2.0 s] > Bash ls"]
    assert lines[4].startswith(r"[     3.0 s] < (exit status 2) kernel.hip \x1b[2J\x9b31m\x0dgone xxx")
    assert lines[4].endswith(" more]")
    assert lines[5:9] == ["[     4.5 s] to the model: Go on.", "[     5.0 s] 12 tokens",
                          "[     6.0 s] retry: 529 overloaded", "[     7.0 s] end: done"]
    assert lines[9].startswith(f"{trial}: completed")
    assert "\x1b" not in out
    assert len(call(capfd, store.folder, trial, "--width", 0)[1]) > 3000


def test_as_json_it_is_every_event(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    trial = store.run.plan[0].id
    said(store, trial)
    code, out, _ = call(capfd, store.folder, trial, "--json")
    document = json.loads(out)
    assert (code, document["trial"], document["agent_status"]["status"]) == (0, trial, "completed")
    assert [Event.model_validate(e) for e in document["events"]] == EVENTS


def test_without_a_trial_they_are_listed(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    plan = [p.id for p in store.run.plan]
    said(store, plan[1])
    code, out, _ = call(capfd, store.folder)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:]] == plan
    assert out.splitlines()[3].split() == [plan[1], "completed", "9", "1"]
    listed = json.loads(call(capfd, store.folder, "--json")[1])["trials"]
    assert listed[1] == {"trial": plan[1], "status": "completed", "events": 9, "tool_calls": 1}


def test_a_part_of_an_id_is_enough_where_it_is_the_only_one(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    first, second = (p.id for p in store.run.plan[:2])
    part = next(first[n:] for n in range(len(first) - 1, -1, -1) if not any(
        first[n:] in p.id for p in store.run.plan if p.id != first))
    assert call(capfd, store.folder, part)[1].splitlines()[-1].startswith(f"{first}: ")
    assert len(call(capfd, store.folder, "--", "-")[1].splitlines()) == len(store.run.plan) + 2
    assert second in call(capfd, store.folder, second)[1]


def test_an_unfinished_trial_and_one_without_a_transcript_say_so(store: Store,
                                                                 capfd: pytest.CaptureFixture[str]) -> None:
    trial = store.run.plan[0].id
    assert "keeps no transcript" in call(capfd, store.folder, trial)[1]
    said(store, trial)
    (store.trial_folder(trial) / "trial.json").unlink()
    assert call(capfd, store.folder, trial)[1].splitlines()[-1] == f"{trial}: not finished"
    assert json.loads(call(capfd, store.folder, trial, "--json")[1])["agent_status"] is None


def test_what_is_no_trial_is_an_error_with_a_remedy(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capfd, store.folder, "no-such-trial")
    assert (code, out) == (2, "")
    assert "is none of this run's" in err
    assert "remedy: list them: aka transcript" in err
    assert call(capfd, "/nonexistent")[0] == 2
