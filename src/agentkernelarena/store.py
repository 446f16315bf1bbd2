"""The on-disk record of runs. Only this module knows the layout.

    <run>/run.json                    RunRecord, written before the first trial
    <run>/reveal.json                 Reveal, written at the end
    <run>/seed                        the run's seed while trials are open, readable by its owner alone
    <run>/lock                        held by the process that works on the run
    <run>/trials/<id>/trial.json      TrialRecord; present means finished
    <run>/trials/<id>/submission/     the frozen files
    <run>/trials/<id>/handed_in.json  HandedIn; present means that the agent's part is over
    <run>/trials/<id>/diff.patch      against what the agent was given
    <run>/trials/<id>/transcript.jsonl, agent.log   what the agent said and did
    <run>/report.html                 written by `aka run` and `aka report --html`

Every document is written to a temporary name and renamed, so a reader never sees half of one and a kill at any
moment leaves a run that can be resumed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agentkernelarena.document import read_document, write_atomic
from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.record import HandedIn, Reveal, RunRecord, TrialRecord

MINIMUM_FREE_MIB = 64


class Store:
    """One run's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path, run: RunRecord) -> Store:
        """Make the folder and write `run.json`.

        Raises:
            InputError: the folder already holds a run, cannot be written, or its disk is (nearly) full.
        """
        if (folder / "run.json").exists():
            raise InputError(str(folder), "already holds a run", "choose another --out, or `aka resume` it")
        check_writable(folder)
        store = cls(folder)
        write_atomic(folder / "run.json", run.model_dump_json(indent=1))
        return store

    @property
    def run(self) -> RunRecord:
        return read_document(self.folder / "run.json", RunRecord)

    @property
    def reveal(self) -> Reveal | None:
        path = self.folder / "reveal.json"
        return read_document(path, Reveal) if path.exists() else None

    def write_reveal(self, reveal: Reveal) -> None:
        write_atomic(self.folder / "reveal.json", reveal.model_dump_json(indent=1))

    def write_seed(self, text: str) -> None:
        """Keep the seed for `resume`. It tells the unseen configurations, so only its owner may read it."""
        path = self.folder / "seed"
        write_atomic(path, text, mode=0o600)

    def read_seed(self) -> str | None:
        """What `write_seed` kept; None when it was not kept or is forgotten."""
        path = self.folder / "seed"
        return path.read_text(encoding="utf-8") if path.exists() else None

    def forget_seed(self) -> None:
        (self.folder / "seed").unlink(missing_ok=True)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the run for this process; the operating system lets go of it however the process ends.

        Raises:
            InputError: another process works on it.
        """
        with (self.folder / "lock").open("a") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(
                    str(self.folder), "another process works on this run", "wait for it, or end it first"
                ) from error
            yield

    def trial_folder(self, trial_id: str) -> Path:
        return self.folder / "trials" / trial_id

    def begin(self, trial_id: str) -> Path:
        """Return an empty folder for a trial; what an interrupted attempt left there is removed."""
        folder = self.trial_folder(trial_id)
        if folder.exists():
            shutil.rmtree(folder)
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise InfrastructureError(f"{folder}: {error.strerror}") from error
        return folder

    def hand_in(self, trial_id: str, handed_in: HandedIn) -> None:
        """Write `handed_in.json`, after the submission's files: they are complete when it is there."""
        write_atomic(self.trial_folder(trial_id) / "handed_in.json", handed_in.model_dump_json(indent=1))

    def handed_in(self, trial_id: str) -> HandedIn | None:
        """What an interrupted attempt has handed in, None when it did not come to that."""
        path = self.trial_folder(trial_id) / "handed_in.json"
        return read_document(path, HandedIn) if path.exists() else None

    def finish(self, trial: TrialRecord) -> None:
        """Write `trial.json`: from now on the trial is finished and `resume` does not repeat it."""
        write_atomic(self.trial_folder(trial.id) / "trial.json", trial.model_dump_json(indent=1))

    def is_finished(self, trial_id: str) -> bool:
        return (self.trial_folder(trial_id) / "trial.json").exists()

    def trial(self, trial_id: str) -> TrialRecord:
        return read_document(self.trial_folder(trial_id) / "trial.json", TrialRecord)

    def matching(self, part: str) -> list[str]:
        """Ids of planned trials that hold `part`, in the order of the plan; where one is `part`, that one alone."""
        ids = [planned.id for planned in self.run.plan if part in planned.id]
        return [part] if part in ids else ids

    def digests(self) -> dict[str, str]:
        """SHA-256 of `run.json` and of every `trial.json`, by path in the folder: what `reveal.json` seals."""
        files = [self.folder / "run.json", *sorted((self.folder / "trials").glob("*/trial.json"))]
        return {str(f.relative_to(self.folder)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}

    def trials(self) -> Iterator[TrialRecord]:
        """Finished trials in the order of the plan."""
        for planned in self.run.plan:
            if self.is_finished(planned.id):
                yield self.trial(planned.id)


def open_run(folder: Path) -> Store:
    """Open an existing run; raise `InputError` when `folder` is none."""
    if not (folder / "run.json").is_file():
        raise InputError(str(folder), "is not a run (no run.json)", "give the folder that `aka run` printed")
    return Store(folder)


def check_writable(folder: Path) -> None:
    """Raise `InputError` when `folder` cannot be made or written, or its disk has less than 64 MiB free."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x" * 4096)
            probe.flush()
        free_mib = shutil.disk_usage(folder).free // 2**20
    except OSError as error:
        remedy = "free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "choose another --out"
        raise InputError(str(folder), error.strerror or str(error), remedy) from error
    if free_mib < MINIMUM_FREE_MIB:
        raise InputError(str(folder), f"only {free_mib} MiB are free on its disk", "free some space or change --out")
