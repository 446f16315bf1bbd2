"""Validate the suite on the GPU at hand: build everything in parallel, then judge task by task.

    python benchmarks/h200/validate.py --out benchmarks/h200/results.jsonl [--limit-s 500] [PATTERN ...]

Writes one JSON line per task as it goes and skips tasks that the file already has with the same digest, so it can be
stopped and started again. Prints a summary: tasks sound, A/A error (where the baseline is judged against
itself, in hip2hip and triton2triton), seconds per task.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from agentkernelarena import target as targets
from agentkernelarena.judge.compile_gate import compile_side
from agentkernelarena.judge.validate import Validation, baseline_submission, validate
from agentkernelarena.result import Judgement
from agentkernelarena.task.loader import categories, load_task, task_ids


def build(task_id: str, target: targets.Target, isolation: str) -> str:
    """Fill the build cache for one task; returns what went wrong, or ""."""
    task = load_task(task_id)
    category = categories()[task.category]
    files = baseline_submission(task).files
    configurations = list(target.seen(task).values())
    compiled = compile_side(task, target, files, category.entry, category.language, configurations, isolation)
    return "" if compiled.product else compiled.result.outcome.reason


def done_before(path: Path) -> dict[str, str]:
    """Task id -> digest of what the results file holds."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return {row["task"]: row["digest"] for row in rows}


def summarise(path: Path) -> None:
    """Print what the results file says."""
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    sound = [r for r in rows if not r["validation"]["findings"]]
    alike = [r for r in rows if not r["task"].startswith("torch2hip/")]
    long = sorted(abs(s - 1) for r in alike for s, us in r["ratios"] if us >= 10)
    short = sorted(abs(s - 1) for r in alike for s, us in r["ratios"] if us < 10)
    covered = [low <= 1 <= high for r in alike for low, high in r["intervals"]]
    print(f"{len(sound)} of {len(rows)} tasks sound")
    for r in rows:
        if r["validation"]["findings"]:
            print(f"  {r['task']}: {'; '.join(r['validation']['findings'])[:300]}")
    for name, errors in (("from 10 us", long), ("below 10 us", short)):
        if errors:
            print(f"A/A |speedup - 1| {name}: median {median(errors):.4f}, maximum {errors[-1]:.4f}, n {len(errors)}")
    if covered:
        print(f"95 % intervals that hold 1: {sum(covered) / len(covered):.3f} of {len(covered)}")
    print(f"seconds per task: median {median(r['validation']['seconds'] for r in rows):.2f}")


def judge_one(task_id: str, target: targets.Target, arguments: argparse.Namespace) -> dict[str, object]:
    """Validate one task; the row that goes into the results file."""
    found: list[tuple[float, float]] = []
    intervals: list[tuple[float, float]] = []

    def keep(judgement: Judgement) -> None:
        for c in judgement.configurations:
            if c.speedup is not None and c.interval is not None:
                found.append((c.speedup, c.submission.time_us or 0.0))
                intervals.append((c.interval.low, c.interval.high))

    task = load_task(task_id)
    result: Validation = validate(
        task,
        target,
        unseen=arguments.unseen,
        compile_for=(),
        isolation=arguments.isolation,
        inspect=keep,
    )
    return {"task": task_id, "digest": task.digest, "validation": result.model_dump(mode="json"), "ratios": found,
            "intervals": intervals}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("patterns", nargs="*", default=["*"])
    parser.add_argument("--out", type=Path, default=Path("benchmarks/h200/results.jsonl"))
    parser.add_argument("--limit-s", type=float, default=1e9)
    parser.add_argument("--unseen", type=int, default=12)
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--summary", action="store_true", help="only summarise what the results file holds")
    arguments = parser.parse_args()
    if arguments.summary:
        summarise(arguments.out)
        return 0
    start = time.monotonic()
    target = targets.load("auto")
    print(target.facts().model_dump_json())
    known = done_before(arguments.out)
    wanted = [t for t in task_ids() if any(fnmatch.fnmatch(t, p) for p in arguments.patterns)]
    todo = [t for t in wanted if known.get(t) != load_task(t).digest]
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for task_id, problem in zip(todo, pool.map(lambda t: build(t, target, arguments.isolation), todo), strict=True):
            if problem:
                print(f"{task_id}: does not build: {problem[:300]}")
    print(f"builds: {time.monotonic() - start:.0f} s", flush=True)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.open("a") as stream:
        for task_id in todo:
            if time.monotonic() - start > arguments.limit_s:
                print("stopped at the time limit; run again to go on")
                break
            row = judge_one(task_id, target, arguments)
            stream.write(json.dumps(row) + "\n")
            stream.flush()
            result = Validation.model_validate(row["validation"])
            print(f"{task_id}: {result.seconds:.1f} s {'; '.join(result.findings) or 'sound'}", flush=True)
    summarise(arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
