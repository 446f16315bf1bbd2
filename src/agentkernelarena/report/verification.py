"""Recomputes what a run claims from its raw records, and names every record that does not agree with them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentkernelarena.commitment import RunSeed
from agentkernelarena.errors import ArenaError, InputError
from agentkernelarena.judge.statistic import ratio_interval, trimmed_mean
from agentkernelarena.record import Reveal, RunRecord, TrialRecord
from agentkernelarena.result import ConfigurationResult, SideResult, Verdict
from agentkernelarena.store import Store
from agentkernelarena.submission import Submission
from agentkernelarena.task import loader
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.task import Task
from agentkernelarena.task.unseen import draw_unseen

Fits = Callable[[Task, Configuration], bool]

_RELATIVE = 1e-9


@dataclass(frozen=True)
class Problem:
    """One thing that does not agree: `place` is a file, and a field where one is to blame."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


@dataclass
class Verification:
    """What was found. checked: how many of each thing were looked at; unchecked: what could not be, and why."""

    problems: list[Problem] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)
    unchecked: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.problems

    def count(self, thing: str) -> None:
        self.checked[thing] = self.checked.get(thing, 0) + 1


def verify(store: Store, secret_file: Path | None = None, fits: Fits | None = None) -> list[Problem]:
    """The problems that `inspect` finds; none means that everything which could be checked agrees."""
    return inspect(store, secret_file, fits).problems


def inspect(store: Store, secret_file: Path | None = None, fits: Fits | None = None) -> Verification:
    """Recompute commitment, draws, hashes of records and submissions, and every derived number.

    secret_file: seed material of a secret draw. fits: what the run's target took for small enough (default: asks the
    target of that name on this machine).
    """
    found = Verification()
    run = store.run
    trials: list[TrialRecord] = []
    for planned in run.plan:
        try:
            if store.is_finished(planned.id):
                trials.append(store.trial(planned.id))
        except InputError as error:
            found.problems.append(Problem(error.place, error.problem))
    reveal = _reveal(store, found)
    _completeness(store, run, trials, reveal, found)
    seed = _seed(run, reveal, secret_file, found)
    for trial in trials:
        place = f"trials/{trial.id}/trial.json"
        found.count("trials")
        found.problems += [Problem(place, text) for text in _identity(run, trial)]
        found.problems += [Problem(place, text) for text in _numbers(trial, found)]
        found.problems += _files(store, trial, found)
    if seed is not None:
        _draws(run, trials, seed, fits, found)
    return found


def _reveal(store: Store, found: Verification) -> Reveal | None:
    try:
        return store.reveal
    except InputError as error:
        found.problems.append(Problem(error.place, error.problem))
        return None


def _completeness(
    store: Store, run: RunRecord, trials: list[TrialRecord], reveal: Reveal | None, found: Verification
) -> None:
    ids = [p.id for p in run.plan]
    if len(set(ids)) != len(ids):
        found.problems.append(Problem("run.json: plan", "holds a trial twice"))
    missing = [i for i in ids if not store.is_finished(i)]
    if missing and reveal is not None:
        found.problems += [Problem(f"trials/{i}/trial.json", "is missing from a run that has ended") for i in missing]
    elif missing:
        found.unchecked.append(f"{len(missing)} of {len(ids)} planned trials: unfinished")
    folder = store.folder / "trials"
    extra = sorted(p.name for p in folder.iterdir() if p.name not in set(ids)) if folder.is_dir() else []
    found.problems += [Problem(f"trials/{name}", "is not in the plan") for name in extra]
    for name, digest in (reveal.digests if reveal else {}).items():
        file = store.folder / name
        found.count("record hashes")
        if file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            found.problems.append(Problem(name, "was altered after the run ended"))


def _seed(run: RunRecord, reveal: Reveal | None, secret_file: Path | None, found: Verification) -> RunSeed | None:
    draw = run.settings.draw
    if draw == "secret":
        if secret_file is None:
            found.unchecked.append("commitment and draws: the draw is secret (--unseen-secret FILE)")
            return None
        seed = RunSeed.secret(secret_file, run.id)
    elif reveal is None:
        found.unchecked.append("commitment and draws: the seed has not been revealed")
        return None
    else:
        try:
            seed = RunSeed.from_reveal(reveal, draw)
        except InputError as error:
            found.problems.append(Problem("reveal.json", error.problem))
            return None
    found.count("commitment")
    if seed.commitment != run.commitment:
        found.problems.append(Problem("reveal.json", "seed and salt do not open the commitment of run.json"))
    return seed


def _identity(run: RunRecord, trial: TrialRecord) -> Iterator[str]:
    planned = next(p for p in run.plan if p.id == trial.id)
    for name in ("agent", "task", "repetition"):
        if getattr(trial, name) != getattr(planned, name):
            yield f"{name} is {getattr(trial, name)!r}, planned was {getattr(planned, name)!r}"
    judged = trial.judgement
    if judged is None:
        if trial.outcome.passed:
            yield "passed without a judgement"
        return
    if judged.task != trial.task:
        yield f"judgement.task is {judged.task!r}"
    if judged.outcome != trial.outcome:
        yield f"outcome is {trial.outcome.status}, the judgement says {judged.outcome.status}"
    if judged.task_digest != run.task_digests.get(trial.task, judged.task_digest):
        yield "judgement.task_digest is not the digest in run.json: another version of the task was judged"
    if judged.protocol != run.versions.protocol:
        yield f"judgement.protocol is {judged.protocol}, that of the run {run.versions.protocol}"
    if trial.submission is None or judged.submission_digest != trial.submission.digest:
        yield "judgement.submission_digest is not the digest of the submission"


def _files(store: Store, trial: TrialRecord, found: Verification) -> Iterator[Problem]:
    """The stored files against the manifest, and the manifest against its digest."""
    if trial.submission is None:
        return
    root = store.trial_folder(trial.id) / "submission"
    place = f"trials/{trial.id}/submission"
    stored = {p.relative_to(root).as_posix(): p for p in sorted(root.rglob("*")) if p.is_file()}
    for name in sorted(stored.keys() - {f.path for f in trial.submission.files}):
        yield Problem(f"{place}/{name}", "is not in the manifest")
    contents: dict[str, bytes] = {}
    for entry in trial.submission.files:
        found.count("submission files")
        if entry.path not in stored:
            yield Problem(f"{place}/{entry.path}", "is missing")
            continue
        contents[entry.path] = stored[entry.path].read_bytes()
        if hashlib.sha256(contents[entry.path]).hexdigest() != entry.sha256:
            yield Problem(f"{place}/{entry.path}", "its content is not what was judged (SHA-256 differs)")
    category = loader.categories().get(trial.task.partition("/")[0])
    if category is None:
        found.unchecked.append(f"digest of {place}: category unknown here")
    elif len(contents) == len(trial.submission.files):
        found.count("submissions")
        if Submission(category.entry, contents).digest != trial.submission.digest:
            yield Problem(place, "its files do not give the recorded digest")


def _numbers(trial: TrialRecord, found: Verification) -> Iterator[str]:
    judged = trial.judgement
    if judged is None:
        return
    for c in judged.configurations:
        found.count("configurations")
        for text in _configuration(c):
            yield f"{c.name}: {text}"
    failed = next((c.submission.outcome for c in judged.seen if not c.submission.outcome.passed), None)
    if judged.outcome.passed and failed is not None:
        yield f"passed, though a seen configuration ended as {failed.status}"
    if judged.outcome.passed and not judged.seen:
        yield "passed without any seen configuration"


def _configuration(c: ConfigurationResult) -> Iterator[str]:
    for name, side in (("baseline", c.baseline), ("submission", c.submission)):
        if side.error_ratio is not None and side.outcome.passed and side.error_ratio > 1:
            yield f"{name}.error_ratio is {side.error_ratio:.3g}, yet it passed"
        for label in ("time_us", "host_us"):
            value, samples = getattr(side, label), getattr(side.samples, label)
            if value is not None and samples and not _close(value, trimmed_mean(samples)):
                yield f"{name}.{label} is {value:.6g}, its samples give {trimmed_mean(samples):.6g}"
    if c.speedup is None:
        return
    if not (c.baseline.outcome.passed and c.submission.outcome.passed):
        yield "has a speedup, though a side failed"
    groups = _groups(c.baseline), _groups(c.submission)
    if not groups[0] or groups[0].keys() != groups[1].keys():
        yield "speedup has no samples of both sides behind it"
        return
    expected, interval = ratio_interval(
        [groups[0][g] for g in sorted(groups[0])], [groups[1][g] for g in sorted(groups[1])], seed=1
    )
    if not _close(c.speedup, expected):
        yield f"speedup is {c.speedup:.6g}, its samples give {expected:.6g}"
    if c.interval is None:
        return
    # The judge's resampling seed is its secret: another seed gives the same ends but for resampling noise.
    slack = 0.5 * math.log(interval.high / interval.low) + 1e-6
    for end in ("low", "high"):
        given, wanted = getattr(c.interval, end), getattr(interval, end)
        if given <= 0 or abs(math.log(given / wanted)) > slack:
            yield f"interval.{end} is {given:.6g}, its samples give {wanted:.6g}"
    if (c.verdict is Verdict.FASTER) != (c.interval.low > 1) or (c.verdict is Verdict.SLOWER) != (c.interval.high < 1):
        yield f"verdict is {c.verdict}, its interval is {c.interval.low:.4g} to {c.interval.high:.4g}"


def _groups(side: SideResult) -> dict[int, list[float]]:
    groups: dict[int, list[float]] = {}
    labels = side.samples.group or (0,) * len(side.samples.time_us)
    for group, time_us in zip(labels, side.samples.time_us, strict=False):
        groups.setdefault(group, []).append(time_us)
    return groups


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=_RELATIVE)


def _draws(
    run: RunRecord, trials: list[TrialRecord], seed: RunSeed, fits: Fits | None, found: Verification
) -> None:
    """The unseen configurations of every judged trial against the draw that the seed gives."""
    by_task: dict[str, list[TrialRecord]] = {}
    for trial in trials:
        if trial.judgement and trial.judgement.unseen:
            by_task.setdefault(trial.task, []).append(trial)
    for task_id, records in by_task.items():
        task = _pristine(run, task_id, found)
        if task is None:
            continue
        anchors = tuple(task.configuration(c.configuration) for c in records[0].judgement.seen)  # type: ignore[union-attr]
        suits = fits or _fits_of(run)
        drawn = draw_unseen(
            task, seed.for_task(task_id), run.settings.unseen, None if suits is None else _bound(suits, task), anchors
        )
        wanted = {u.name: (u.stratum, u.configuration) for u in drawn}
        for trial in records:
            found.count("draws")
            given = {
                c.name: (c.stratum, task.configuration(c.configuration))
                for c in (trial.judgement.unseen if trial.judgement else ())
            }
            unlike = [Problem(f"trials/{trial.id}/trial.json", text) for text in _unlike(given, wanted)]
            if unlike and suits is None:
                # Whoever draws for a small device refuses what does not fit it: only that device can tell.
                found.unchecked.append(f"draws of {trial.id}: sized to {run.device.name}, which is not this machine's")
            else:
                found.problems += unlike


def _bound(suits: Fits, task: Task) -> Callable[[Configuration], bool]:
    return lambda cfg: suits(task, cfg)


def _unlike(
    given: Mapping[str, tuple[str, Configuration]], wanted: Mapping[str, tuple[str, Configuration]]
) -> Iterator[str]:
    for name in wanted.keys() - given.keys():
        yield f"{name} of the draw was not judged"
    for name, (stratum, cfg) in given.items():
        if name not in wanted:
            yield f"{name} is not in the draw"
        elif wanted[name] != (stratum, cfg):
            yield f"{name} is {cfg.label} [{stratum}], the draw says {wanted[name][1].label} [{wanted[name][0]}]"


def _pristine(run: RunRecord, task_id: str, found: Verification) -> Task | None:
    try:
        task = loader.load_task(task_id)
    except InputError as error:
        found.unchecked.append(f"draws of {task_id}: {error.problem}")
        return None
    if task.digest != run.task_digests.get(task_id):
        found.unchecked.append(f"draws of {task_id}: this suite holds another version of the task")
        return None
    return task


def _fits_of(run: RunRecord) -> Fits | None:
    """What fits the run's target, where this machine has a device like it."""
    from agentkernelarena import target

    try:
        place = target.load(run.settings.target)
        same = place.name == "cpu" or (not place.compile_only and place.facts().memory_mib == run.device.memory_mib)
        return place.fits if same else None
    except ArenaError:
        return None
