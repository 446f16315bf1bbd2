"""Judge one kernel from Python, then let an agent loose on a task: python examples/evaluate.py [FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path

import agentkernelarena as aka


def main(out: Path) -> None:
    """Everything happens on the `cpu` target: no GPU is needed, and the times mean nothing."""
    task = aka.load_task("hip2hip/softmax")
    print(f"{task.id}: {task.operator.title}, {len(task.seen)} seen configurations")

    # A kernel of your own is a file or a folder; the word "baseline" stands for the suite's.
    judgement = aka.evaluate(task, "baseline", target="cpu", unseen=1, seed=7)
    print(f"outcome: {judgement.outcome.status}")
    for found in judgement.configurations:
        kind = "seen" if found.seen else f"unseen ({found.stratum})"
        side = found.submission
        print(f"  {found.name}, {kind}: {side.outcome.status}, error {side.error_ratio:.2f} of its bound")

    # `noop` hands in what it was given. Other agents, more tasks and trials: see `aka run --help`.
    result = aka.run("noop", "hip2hip/softmax", target="cpu", unseen=0, seed=7, out=out)
    for trial in result.trials:
        print(f"{trial.agent} on {trial.task}: {trial.outcome.status}")
    print(f"everything passed: {result.passed}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs/example"))
