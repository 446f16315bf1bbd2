"""Plots as inline SVG, drawn here: no library, no network, readable in print and by screen readers.

Colours are CSS variables of the page (``--s1`` ... for contenders), so that plots follow its light and dark theme.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
_FINE_TICKS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
COLOURS = 6


@dataclass(frozen=True)
class Frame:
    """Plot area inside an SVG of `width` x `height`, with room for labels at the left and below."""

    width: float = 460.0
    height: float = 360.0
    left: float = 64.0
    right: float = 14.0
    top: float = 14.0
    bottom: float = 46.0

    @property
    def inner(self) -> tuple[float, float]:
        return self.width - self.left - self.right, self.height - self.top - self.bottom

    def x(self, share: float) -> float:
        return self.left + share * self.inner[0]

    def y(self, share: float) -> float:
        return self.top + (1 - share) * self.inner[1]


@dataclass(frozen=True)
class LogScale:
    """Speedups from `low` to `high` onto 0 to 1, evenly in the logarithm; values outside are put at the ends."""

    low: float
    high: float

    @classmethod
    def around(cls, values: Sequence[float]) -> LogScale:
        """A scale that holds 1 and all `values`, with a margin; never wider than 1/100 to 1000."""
        low, high = min([0.8, *values]) / 1.1, max([1.6, *values]) * 1.1
        return cls(max(low, 0.01), min(high, 1000.0))

    def __call__(self, value: float) -> float:
        share = math.log(max(value, 1e-9) / self.low) / math.log(self.high / self.low)
        return min(1.0, max(0.0, share))

    @property
    def ticks(self) -> list[float]:
        ticks = _FINE_TICKS if self.high / self.low < 8 else _TICKS
        return [t for t in ticks if self.low <= t <= self.high]


@dataclass(frozen=True)
class Point:
    """One task. seen and unseen are None where no trial passed; failures: unseen configurations that regressed."""

    label: str
    seen: float | None
    low: float | None
    high: float | None
    unseen: float | None
    failures: int


def _svg(frame: Frame, title: str, description: str, parts: Iterator[str]) -> str:
    kind = "plot wide" if frame.width > 600 else "plot"
    head = (
        f'<svg class="{kind}" viewBox="0 0 {frame.width:g} {frame.height:g}" role="img" '
        f'aria-label="{escape(f"{title}. {description}")}"><title>{escape(title)}</title>'
    )
    return head + "".join(parts) + "</svg>"


def _text(x: float, y: float, text: str, anchor: str = "middle", kind: str = "", turn: bool = False) -> str:
    rotate = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turn else ""
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}{rotate}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _dot(x: float, y: float, kind: str, tip: str, size: float = 4.5) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" class="{kind}"><title>{escape(tip)}</title></circle>'


def _cross(x: float, y: float, kind: str, tip: str, size: float = 4.5) -> str:
    path = f"M{x - size:.1f} {y - size:.1f}l{2 * size:g} {2 * size:g}m0 {-2 * size:g}l{-2 * size:g} {2 * size:g}"
    return f'<path d="{path}" class="{kind}"><title>{escape(tip)}</title></path>'


def _ratio(value: float) -> str:
    return f"{value:g}×"


def agents(points: Sequence[Point]) -> str:
    """Every contender's mean seen and unseen speedup, by name."""
    frame = Frame()
    known = [(i % COLOURS + 1, p) for i, p in enumerate(points) if p.seen is not None and p.unseen is not None]
    scale = LogScale.around([v for _, p in known for v in (p.seen, p.unseen) if v is not None])

    def parts() -> Iterator[str]:
        yield from _square(frame, scale)
        for colour, p in known:
            x, y = frame.x(scale(p.seen or 1.0)), frame.y(scale(p.unseen or 1.0))
            yield _dot(x, y, f"mark s{colour}", f"{p.label}: seen {p.seen:.2f}×, unseen {p.unseen:.2f}×", 6)
            right = x < frame.x(0.6)
            yield _text(x + (10 if right else -10), y + 15, p.label[:28], "start" if right else "end", "title")

    said = "; ".join(f"{p.label} seen {p.seen:.2f}, unseen {p.unseen:.2f}" for _, p in known)
    return _svg(frame, "Mean seen against mean unseen speedup of each agent", said, parts())


def _square(frame: Frame, scale: LogScale) -> Iterator[str]:
    """Axes, grid and diagonal of a plot of unseen against seen speedups."""
    for tick in scale.ticks:
        strong = "axis" if tick == 1 else "grid"
        yield _line(frame.x(scale(tick)), frame.y(0), frame.x(scale(tick)), frame.y(1), strong)
        yield _line(frame.x(0), frame.y(scale(tick)), frame.x(1), frame.y(scale(tick)), strong)
        yield _text(frame.x(scale(tick)), frame.y(0) + 16, _ratio(tick))
        yield _text(frame.x(0) - 6, frame.y(scale(tick)) + 4, _ratio(tick), "end")
    yield _line(frame.x(0), frame.y(0), frame.x(1), frame.y(1), "diagonal")
    yield _text(frame.x(0.97), frame.y(0.97) - 6, "unseen = seen", "end")
    yield _text(frame.x(0.5), frame.height - 6, "speedup on seen configurations", kind="title")
    yield _text(13, frame.y(0.5), "speedup on unseen configurations", kind="title", turn=True)


def generalisation(points: Sequence[Point], colour: int) -> str:
    """Seen speedup across, unseen speedup up; on the diagonal gains carry over. Crosses have unseen failures."""
    frame = Frame()
    known = [p for p in points if p.seen is not None and p.unseen is not None]
    scale = LogScale.around([v for p in known for v in (p.seen, p.unseen) if v is not None])
    failed = sum(p.failures > 0 for p in known)
    missing = len(points) - len(known)

    def parts() -> Iterator[str]:
        yield from _square(frame, scale)
        for p in known:
            assert p.seen is not None
            assert p.unseen is not None
            tip = f"{p.label}: seen {p.seen:.2f}×, unseen {p.unseen:.2f}×"
            x, y = frame.x(scale(p.seen)), frame.y(scale(p.unseen))
            if p.failures:
                yield _cross(x, y, "failure", f"{tip}, {p.failures} unseen failures")
            else:
                yield _dot(x, y, f"mark s{colour}", tip)

    description = f"{len(known)} tasks, {failed} of which have unseen failures; {missing} without a passing trial"
    return _svg(frame, "Seen against unseen speedup of each task", description, parts())


def sorted_speedups(points: Sequence[Point], colour: int) -> str:
    """Tasks by seen speedup, each with its interval and its unseen speedup; tasks that failed stand at the left."""
    frame = Frame(width=940, height=300)
    failed = [p for p in points if p.seen is None]
    timed = sorted((p for p in points if p.seen is not None), key=lambda p: p.seen or 0.0)
    ends = [v for p in timed for v in (p.seen, p.unseen, p.low, p.high) if v is not None]
    scale = LogScale.around([min(max(v, 0.05), 50.0) for v in ends])
    count = max(1, len(points))
    size = min(5.0, max(1.6, 300 / count))

    def parts() -> Iterator[str]:
        for tick in scale.ticks:
            strong = "axis" if tick == 1 else "grid"
            yield _line(frame.x(0), frame.y(scale(tick)), frame.x(1), frame.y(scale(tick)), strong)
            yield _text(frame.x(0) - 6, frame.y(scale(tick)) + 4, _ratio(tick), "end")
        for index, p in enumerate([*failed, *timed]):
            x = frame.x((index + 0.5) / count)
            if p.seen is None:
                yield _cross(x, frame.y(0) - 8, "failure", f"{p.label}: no passing trial", size)
                continue
            if p.low is not None and p.high is not None:
                yield _line(x, frame.y(scale(p.low)), x, frame.y(scale(p.high)), f"whisker s{colour}")
            if p.unseen is not None:
                tip = f"{p.label}: unseen {p.unseen:.2f}×"
                yield _dot(x, frame.y(scale(p.unseen)), f"hollow s{colour}", tip, size)
            yield _dot(x, frame.y(scale(p.seen)), f"mark s{colour}", f"{p.label}: seen {p.seen:.2f}×", size)
        yield _text(frame.x(0.5), frame.height - 12, "tasks, by seen speedup", kind="title")
        yield _text(13, frame.y(0.5), "speedup", kind="title", turn=True)

    description = f"{len(timed)} tasks with a passing trial, {len(failed)} without"
    return _svg(frame, "Speedup of each task, sorted", description, parts())


def fast_p(curves: Sequence[tuple[str, Sequence[tuple[float, float]]]], colour: int = 1) -> str:
    """Share of planned trials that pass and are at least p times faster, against p; colours count up from `colour`."""
    frame = Frame()
    highest = max((p for _, curve in curves for p, share in curve if share > 0), default=2.0)
    scale = LogScale(1.0, max(2.0, min(10.0, highest * 1.15)))

    def parts() -> Iterator[str]:
        for tick in (1.0, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0):
            if tick <= scale.high:
                yield _line(frame.x(scale(tick)), frame.y(0), frame.x(scale(tick)), frame.y(1), "grid")
                yield _text(frame.x(scale(tick)), frame.y(0) + 16, _ratio(tick))
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            yield _line(frame.x(0), frame.y(share), frame.x(1), frame.y(share), "axis" if share == 0 else "grid")
            yield _text(frame.x(0) - 6, frame.y(share) + 4, f"{100 * share:.0f} %", "end")
        for index, (name, curve) in enumerate(curves):
            kept = [(p, share) for p, share in curve if p <= scale.high]
            line = " ".join(f"{frame.x(scale(p)):.1f},{frame.y(share):.1f}" for p, share in kept)
            series = (index + colour - 1) % COLOURS + 1
            kind = f"curve s{series} d{series if len(curves) > 1 else 1}"
            yield f'<polyline points="{line}" class="{kind}"><title>{escape(name)}</title></polyline>'
        yield _text(frame.x(0.5), frame.height - 6, "at least p times faster", kind="title")
        yield _text(13, frame.y(0.5), "share of planned trials", kind="title", turn=True)

    said = "; ".join(f"{name}: {100 * curve[0][1]:.0f} % at 1×" for name, curve in curves if curve)
    return _svg(frame, "fast_p: share of planned trials that are at least p times faster", said, parts())


def strip(point: Point, scale: LogScale, colour: int) -> str:
    """One task as a line of a dot plot: 1× as a tick, the seen speedup with its interval, the unseen one hollow."""
    width, height, middle = 180.0, 22.0, 11.0

    def x(value: float) -> float:
        return 6 + scale(value) * (width - 12)

    def parts() -> Iterator[str]:
        yield _line(6, middle, width - 6, middle, "grid")
        yield _line(x(1.0), 2, x(1.0), height - 2, "axis")
        if point.low is not None and point.high is not None:
            yield _line(x(point.low), middle, x(point.high), middle, f"whisker s{colour}")
        if point.unseen is not None:
            yield _dot(x(point.unseen), middle, f"hollow s{colour}", f"unseen {point.unseen:.2f}×")
        if point.seen is not None:
            yield _dot(x(point.seen), middle, f"mark s{colour}", f"seen {point.seen:.2f}×")
        else:
            yield _cross(12, middle, "failure", "no passing trial")

    head = f'<svg class="strip" viewBox="0 0 {width:g} {height:g}" aria-hidden="true" focusable="false">'
    return head + "".join(parts()) + "</svg>"


def bar(share: float | None, low: float | None, high: float | None) -> str:
    """A share as a bar with its interval, beside the number that says it."""
    if share is None:
        return ""
    width, height = 120.0, 12.0
    parts = [f'<rect x="0" y="3" width="{width:g}" height="6" rx="3" class="track"/>']
    parts.append(f'<rect x="0" y="3" width="{width * share:.1f}" height="6" rx="3" class="filled"/>')
    if low is not None and high is not None:
        parts.append(_line(width * low, 6, width * high, 6, "range"))
    return f'<svg class="bar" viewBox="0 0 {width:g} {height:g}" aria-hidden="true">{"".join(parts)}</svg>'
