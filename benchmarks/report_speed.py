"""How long `aka report` and `aka verify` take on a large run: 200 tasks x 3 trials of synthetic records.

    python benchmarks/report_speed.py [--tasks 200] [--trials 3] [--samples 40]

Prints seconds of processor time (what a busy machine does not change) and of wall time for each step.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "unit"))

import synthetic

from agentkernelarena import report
from agentkernelarena.report import csv, html, json, markdown


def measured(name: str, step: Callable[[], object]) -> object:
    """Run `step` and print how long it took."""
    wall, processor = time.perf_counter(), time.process_time()
    answer = step()
    spent = time.process_time() - processor, time.perf_counter() - wall
    print(f"{name:<28} {spent[0]:6.2f} s cpu {spent[1]:7.2f} s wall", flush=True)
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--samples", type=int, default=40)
    chosen = parser.parse_args()
    plan = synthetic.Plan(tasks=chosen.tasks, trials=chosen.trials, samples=chosen.samples)
    with tempfile.TemporaryDirectory() as folder:
        store = synthetic.store(plan, 1, Path(folder) / "run")
        size = sum(f.stat().st_size for f in store.folder.rglob("*") if f.is_file())
        print(f"{chosen.tasks} tasks x {chosen.trials} trials, {size / 2**20:.0f} MiB of records")
        built = measured("report: compute", lambda: report.build(store))
        assert isinstance(built, report.Report)
        for module in (html, markdown, csv, json):
            name = module.__name__.rpartition(".")[2]
            text = measured(f"report: render {name}", lambda module=module: module.render(built))  # type: ignore[misc]
            print(f"{'':<28} {len(str(text)) / 2**20:6.2f} MiB")
        found = measured("verify", lambda: report.inspect(store))
        assert isinstance(found, report.Verification)
        print(found.checked, f"{len(found.problems)} problems")
        task = plan.task_ids()[0]
        measured("explain", lambda: report.explain(store, task))
    return 0


if __name__ == "__main__":
    sys.exit(main())
