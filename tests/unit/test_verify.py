"""Verification: a sound run agrees, and every altered record is named."""

from __future__ import annotations

import json

import pytest
import synthetic
from synthetic import Contender, Plan

from agentkernelarena.commitment import RunSeed
from agentkernelarena.report import inspect, verify

REAL = ("hip2hip/rmsnorm", "torch2hip/transpose_tiled")


def anything(task, cfg):
    return True


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    plan = Plan(real=REAL, trials=1, samples=12, contenders=(Contender(pass_mean=1.0),))
    return synthetic.store(plan, 5, tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture
def store(pristine, tmp_path):
    import shutil

    shutil.copytree(pristine.folder, tmp_path / "run")
    return type(pristine)(tmp_path / "run")


def alter(store, change, index=0, seal=True):
    """Edit the JSON of one trial by `change`; `seal` also writes its new hash into the reveal, as a forger would."""
    path = store.trial_folder(store.run.plan[index].id) / "trial.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    if seal:
        store.write_reveal(store.reveal.model_copy(update={"digests": store.digests()}))
    return f"trials/{store.run.plan[index].id}/trial.json"


def test_a_sound_run_agrees_and_says_what_was_checked(store):
    found = inspect(store, fits=anything)
    assert found.problems == []
    assert found.unchecked == []
    assert found.checked == {
        "commitment": 1, "record hashes": 3, "trials": 2, "draws": 2, "submissions": 2, "submission files": 2,
        "configurations": sum(len(t.judgement.configurations) for t in store.trials()),
    }


def first_configuration(document):
    return document["judgement"]["configurations"][0]


def faster(document):
    first_configuration(document)["speedup"] *= 1.01


def samples(document):
    times = first_configuration(document)["submission"]["samples"]["time_us"]
    times[:] = [t * 0.9 for t in times]


def mean(document):
    first_configuration(document)["submission"]["time_us"] *= 0.99


def interval(document):
    first_configuration(document)["interval"]["low"] *= 0.9


def verdict(document):
    c = first_configuration(document)
    c["verdict"] = "slower" if c["verdict"] != "slower" else "faster"


def outcome(document):
    document["outcome"] = {"status": "incorrect", "reason": "", "gate": "correctness"}


def hidden_failure(document):
    first_configuration(document)["submission"]["outcome"]["status"] = "incorrect"


def error(document):
    first_configuration(document)["submission"]["error_ratio"] = 1.5


def draw(document):
    unseen = next(c for c in document["judgement"]["configurations"] if not c["seen"])
    unseen["configuration"]["rows"] += 1


def stratum(document):
    next(c for c in document["judgement"]["configurations"] if not c["seen"])["stratum"] = "skewed"


def dropped(document):
    document["judgement"]["configurations"].pop()


def task_version(document):
    document["judgement"]["task_digest"] = "0" * 64


def protocol(document):
    document["judgement"]["protocol"] = "0"


def other_agent(document):
    document["agent"] = "somebody"


def submission(document):
    document["judgement"]["submission_digest"] = "0" * 64


@pytest.mark.parametrize(("change", "said"), [
    (faster, "speedup is"), (samples, "submission.time_us is"), (mean, "submission.time_us is"),
    (interval, "interval.low"), (verdict, "verdict is"), (outcome, "outcome is incorrect"),
    (hidden_failure, "ended as incorrect"), (error, "error_ratio is 1.5"), (draw, "the draw says"),
    (stratum, "the draw says"), (dropped, "was not judged"),
    (task_version, "task_digest"), (protocol, "protocol"), (other_agent, "agent is 'somebody'"),
    (submission, "submission_digest"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_an_altered_record_is_named_even_when_its_hash_was_forged(store, change, said):
    place = alter(store, change)
    problems = verify(store, fits=anything)
    assert problems
    assert {p.place for p in problems} == {place}
    assert any(said in p.problem for p in problems), problems


def test_any_change_breaks_the_seal_of_the_reveal(store):
    def reason(document):
        document["agent_status"]["reason"] = "a friendlier story"

    place = alter(store, reason, seal=False)
    assert [str(p) for p in verify(store, fits=anything)] == [f"{place}: was altered after the run ended"]


def test_an_unreadable_record_is_named(store):
    path = store.trial_folder(store.run.plan[0].id) / "trial.json"
    path.write_text(path.read_text().replace('"repetition"', '"repetitoin"', 1))
    assert any(p.place.endswith("trial.json: repetition") for p in verify(store, fits=anything))


def test_altered_missing_and_added_submission_files_are_named(store):
    folder = store.trial_folder(store.run.plan[0].id) / "submission"
    (folder / "kernel.hip").write_text("// another kernel\n")
    (folder / "extra.h").write_text("")
    said = [str(p) for p in verify(store, fits=anything)]
    assert any("kernel.hip: its content is not what was judged" in s for s in said)
    assert any("extra.h: is not in the manifest" in s for s in said)
    assert any("do not give the recorded digest" in s for s in said)
    (folder / "kernel.hip").unlink()
    assert any("kernel.hip: is missing" in str(p) for p in verify(store, fits=anything))


def test_a_seed_that_does_not_open_the_commitment_is_named(store):
    store.write_reveal(RunSeed.fixed(6).reveal())
    problems = verify(store, fits=anything)
    assert any("do not open the commitment" in p.problem for p in problems)
    assert sum("the draw says" in p.problem for p in problems) > 12


def test_a_missing_trial_of_an_ended_run_and_a_foreign_one_are_named(store):
    folder = store.trial_folder(store.run.plan[0].id)
    folder.rename(folder.with_name("foreign"))
    said = [str(p) for p in verify(store, fits=anything)]
    assert any("is missing from a run that has ended" in s for s in said)
    assert any("trials/foreign: is not in the plan" in s for s in said)


def test_what_cannot_be_checked_is_said(store):
    (store.folder / "reveal.json").unlink()
    found = inspect(store, fits=anything)
    assert found.passed
    assert any("has not been revealed" in u for u in found.unchecked)
    assert "draws" not in found.checked


def test_a_draw_that_was_sized_to_another_device_is_not_called_altered(store):
    alter(store, draw)
    found = inspect(store)
    assert found.passed
    assert any("sized to Synthetic device" in u for u in found.unchecked)


def test_a_secret_draw_is_checked_with_its_file_only(tmp_path):
    file = tmp_path / "secret"
    file.write_bytes(bytes(range(32)))
    plan = Plan(real=REAL[:1], trials=1, samples=6, contenders=(Contender(pass_mean=1.0),))
    seed = RunSeed.secret(file, "synthetic")
    run = synthetic.run_record(plan, seed)
    run = run.model_copy(update={"settings": run.settings.model_copy(update={"draw": "secret"})})
    from agentkernelarena.store import Store

    store = Store.create(tmp_path / "run", run)
    for record in synthetic.records(plan, 1, seed):
        synthetic.submission(run.plan[0]).write_to(store.trial_folder(record.id) / "submission")
        store.finish(record)
    store.write_reveal(seed.reveal())
    assert any("secret" in u for u in inspect(store, fits=anything).unchecked)
    found = inspect(store, file, anything)
    assert found.problems == []
    assert found.checked["draws"] == found.checked["commitment"] == 1
    file.write_bytes(bytes(range(1, 33)))
    assert any("commitment" in p.problem for p in verify(store, file, anything))
