"""What unseen draws cover: for each axis of each task, the share of its range that many seeds reach.

    python benchmarks/unseen_coverage.py [--seeds 1000] [--tasks 'hip2hip/*'] [--count 12]

Checks every draw (allowed, new, distinct, of its stratum) and prints, for each task, the strata drawn and per axis the
octaves (ranges) or values (choices) that were reached, of those that the axis has. Exit code 1 when a draw is wrong.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time

from agentkernelarena.task import loader
from agentkernelarena.task.axis import Choice, Configuration
from agentkernelarena.task.task import Task
from agentkernelarena.task.unseen import Anchors, Stratum, UnseenConfiguration, draw_unseen


def wrong(task: Task, anchors: Anchors, drawn: tuple[UnseenConfiguration, ...]) -> list[str]:
    """What is wrong with a draw."""
    configurations = [u.configuration for u in drawn]
    known = {*task.seen.values(), task.smoke}
    said = [f"not allowed: {c.label}" for c in configurations if not task.allows(c)]
    said += [f"seen: {c.label}" for c in configurations if c in known]
    said += [f"not {u.stratum}: {u.configuration.label}" for u in drawn
             if not anchors.is_of(Stratum(u.stratum), u.configuration)]
    return said + (["a configuration twice"] if len(set(configurations)) < len(configurations) else [])


def reached(task: Task, drawn: set[Configuration]) -> str:
    """Per axis: how many of its octaves or values occur."""
    parts = []
    for name, axis in task.operator.axes.items():
        values = {c[name] for c in drawn}
        if isinstance(axis, Choice):
            parts.append(f"{name} {len(values)}/{len(axis.values)}")
        else:
            octaves = {int(v).bit_length() for v in values}
            first, last = -(-axis.low // axis.multiple_of), axis.high // axis.multiple_of
            whole = {(first * axis.multiple_of).bit_length(), (last * axis.multiple_of).bit_length()}
            parts.append(f"{name} {len(octaves)}/{max(whole) - min(whole) + 1}")
    return ", ".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--tasks", default="hip2hip/*")
    chosen = parser.parse_args()
    start, total, faults = time.process_time(), 0, 0
    for task_id in fnmatch.filter(loader.task_ids(), chosen.tasks):
        task = loader.load_task(task_id)
        anchors = Anchors(task, tuple(task.seen.values()))
        configurations: set[Configuration] = set()
        strata: dict[str, int] = {}
        for seed in range(chosen.seeds):
            drawn = draw_unseen(task, seed.to_bytes(4, "big"), chosen.count)
            total += len(drawn)
            for text in wrong(task, anchors, drawn):
                faults += 1
                print(f"{task_id}, seed {seed}: {text}")
            configurations |= {u.configuration for u in drawn}
            for u in drawn:
                strata[u.stratum] = strata.get(u.stratum, 0) + 1
        counts = " ".join(f"{s}={n}" for s, n in strata.items())
        print(f"{task_id}: {counts}; {reached(task, configurations)}", flush=True)
    print(f"{total} draws checked, {faults} wrong, {time.process_time() - start:.0f} s of processor time")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
