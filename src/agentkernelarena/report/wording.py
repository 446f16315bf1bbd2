"""How numbers are written in every rendering."""

from __future__ import annotations

from collections.abc import Iterator

from agentkernelarena.report.model import Estimated, Rate, Report, TaskReport, Worst

NOTHING = "–"

VERDICT_MARK = {
    "faster": "▲", "slower": "▼", "no change": "=", "unclear": "?", "failed": "✗", "unfinished": "…", "smoke": "○",
}


def speedup(value: float | None) -> str:
    """Such as ``1.42×``."""
    if value is None:
        return NOTHING
    return f"{value:.0f}×" if value >= 100 else f"{value:.2f}×"


def percent(share: float | None) -> str:
    """Such as ``87 %``; ``99.6 %`` where rounding would hide that some are missing."""
    if share is None:
        return NOTHING
    text = f"{100 * share:.0f}"
    return f"{100 * share:.1f} %" if text in ("0", "100") and share not in (0.0, 1.0) else f"{text} %"


def interval(low: float | None, high: float | None, form: str = "speedup") -> str:
    """Such as ``1.31–1.55`` or ``80–92 %``; empty where there is none."""
    if low is None or high is None:
        return ""
    if form == "percent":
        return f"{100 * low:.0f}–{100 * high:.0f} %"
    return f"{low:.2f}–{high:.2f}"


def estimate(answer: Estimated | None) -> str:
    """Such as ``1.42× (1.31–1.55)``."""
    if answer is None:
        return NOTHING
    ends = interval(answer.low, answer.high)
    return f"{speedup(answer.value)} ({ends})" if ends else speedup(answer.value)


def number(answer: Estimated | None, digits: int = 0) -> str:
    """A mean with its interval, without a unit."""
    if answer is None:
        return NOTHING
    text = f"{answer.value:.{digits}f}"
    if answer.low is None or answer.high is None:
        return text
    return f"{text} ({answer.low:.{digits}f}–{answer.high:.{digits}f})"


def rate(answer: Rate, counts: bool = True) -> str:
    """Such as ``26/30, 87 % (70–95 %)``."""
    if not answer.total:
        return NOTHING
    ends = interval(answer.low, answer.high, "percent")
    head = f"{answer.count}/{answer.total}, " if counts else ""
    return f"{head}{percent(answer.share)}" + (f" ({ends})" if ends else "")


def fraction(count: int, total: int) -> str:
    """Such as ``11/12``."""
    return f"{count}/{total}" if total else NOTHING


def worst(answer: Worst | None) -> str:
    """The worst unseen configuration in a line."""
    if answer is None:
        return NOTHING
    how = answer.reason or "fails" if answer.speedup is None else speedup(answer.speedup)
    return f"{answer.label} [{answer.stratum}]: {how}"


def outcomes(counts: dict[str, int]) -> str:
    """Such as ``passed 2, incorrect 1``."""
    return ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in counts.items()) or NOTHING


def state(task: TaskReport) -> str:
    """The verdict, or the outcomes of a task that no trial passed."""
    return outcomes(task.outcomes) if task.verdict == "failed" else task.verdict


def facts(report: Report) -> Iterator[tuple[str, str]]:
    """What was run, where and under which rules: (label, text) pairs."""
    yield "Target", report.target + ("" if report.ranked else " (smoke: times are not ranked)")
    yield "Device", report.device.name
    yield "Trials", f"{report.finished} of {report.planned} finished"
    yield "Unseen configurations", f"{report.unseen} a task, draw {report.draw}"
    band = report.null_band
    yield "Null band", (
        f"±{100 * band.long_kernels:.1f} % (±{100 * band.short_kernels:.1f} % under 10 µs)" if band
        else "not calibrated"
    )
    yield "Versions", (
        f"package {report.versions.package}, protocol {report.versions.protocol}, suite {report.versions.suite[:12]}"
    )
    yield "Commitment", report.commitment[:16] + (" (revealed)" if report.revealed else " (not revealed)")
