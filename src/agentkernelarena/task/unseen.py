"""Unseen configurations: drawn from an operator's axes by rule and seed, never by hand or by a language model.

Every draw belongs to a stratum that says how it differs from the seen configurations (the anchors). *Size axes* are
the `log_range` axes (all integer ranges where an operator has none); *structure axes* are its other ranges and
non-dtype choices (routing skew, sortedness, head sizes).

    between      every size inside the seen range of its axis, structure and dtype as some seen configuration has them
    larger       at least one size above everything seen on its axis (where no axis has room: the product of sizes above
                 every seen product), none below everything seen on its axis
    smaller      the same downwards
    misaligned   a size with fewer factors of two than any seen one on its axis (or odd, where odd ones were seen)
    skewed       the ratio of two sizes lies outside every seen ratio, at no more volume than the largest seen
    other_dtype  the sizes of a seen configuration with a dtype that it was not seen with

All strata but `misaligned` keep the power of two (at most 64) that the seen sizes share, so that a submission with a
hard-coded divisibility fails where it should and not everywhere. Outside `between` and `other_dtype`, structure axes
are drawn anew in half of the draws. Only integers and SHA-256 are used, so a seed gives the same draw everywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from agentkernelarena.task.axis import Choice, Configuration, Range, Value
from agentkernelarena.task.task import Task

Fits = Callable[[Configuration], bool]
Values = dict[str, Value]

_ATTEMPTS = 400
_LARGEST_ALIGNMENT = 64


class Stratum(StrEnum):
    """How an unseen configuration differs from the seen ones."""

    BETWEEN = "between"
    LARGER = "larger"
    SMALLER = "smaller"
    MISALIGNED = "misaligned"
    SKEWED = "skewed"
    OTHER_DTYPE = "other_dtype"


@dataclass(frozen=True)
class UnseenConfiguration:
    """One draw: `name` is ``unseen-1`` and so on, `stratum` a value of `Stratum`."""

    name: str
    stratum: str
    configuration: Configuration


class Stream:
    """Integers from SHA-256 in counter mode: the same on every machine and version of Python."""

    def __init__(self, key: bytes, label: str) -> None:
        self._key = hashlib.sha256(key + b"\0" + label.encode()).digest()
        self._counter = 0

    def below(self, limit: int) -> int:
        """One integer, uniform in 0 to `limit` - 1 (limit at most 2**64)."""
        ceiling = 2**128 - 2**128 % limit
        while True:
            block = hashlib.sha256(self._key + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
            value = int.from_bytes(block[:16], "big")
            if value < ceiling:
                return value % limit

    def between(self, low: int, high: int) -> int:
        """Uniform in `low` to `high` inclusive."""
        return low + self.below(high - low + 1)

    def octave(self, low: int, high: int) -> int:
        """An integer in `low` to `high` (1 <= low): the octave is uniform, then the value within it."""
        exponent = self.between(low.bit_length(), high.bit_length())
        return self.between(max(low, 1 << (exponent - 1)), min(high, (1 << exponent) - 1))

    def pick(self, values: Sequence[Value]) -> Value:
        return values[self.below(len(values))]

    def order(self, count: int) -> list[int]:
        """A permutation of 0 to `count` - 1 (Fisher and Yates)."""
        places = list(range(count))
        for last in range(count - 1, 0, -1):
            other = self.below(last + 1)
            places[last], places[other] = places[other], places[last]
        return places


def factors_of_two(value: int) -> int:
    """Exponent of two in `value`; 64 for zero, which is a multiple of everything."""
    return 64 if value == 0 else (value & -value).bit_length() - 1


@dataclass(frozen=True)
class Anchors:
    """The seen configurations of a task, and the predicates that say what each stratum means relative to them."""

    task: Task
    seen: tuple[Configuration, ...]

    @cached_property
    def ranges(self) -> dict[str, Range]:
        return {n: a for n, a in self.task.operator.axes.items() if isinstance(a, Range)}

    @cached_property
    def sizes(self) -> tuple[str, ...]:
        """Names of the size axes."""
        return tuple(n for n, a in self.ranges.items() if a.logarithmic) or tuple(self.ranges)

    @cached_property
    def structure(self) -> tuple[str, ...]:
        """Names of the structure axes."""
        return tuple(n for n in self.task.operator.axes if n not in self.sizes and n not in self.task.dtype_axes)

    @cached_property
    def low(self) -> dict[str, int]:
        return {n: min(int(c[n]) for c in self.seen) for n in self.ranges}

    @cached_property
    def high(self) -> dict[str, int]:
        return {n: max(int(c[n]) for c in self.seen) for n in self.ranges}

    @cached_property
    def shared_twos(self) -> dict[str, int]:
        """Per size axis: the exponent of two that all its seen values share."""
        return {n: min(factors_of_two(int(c[n])) for c in self.seen) for n in self.sizes}

    @property
    def impossible(self) -> set[Stratum]:
        """Strata that the axes rule out whatever the values."""
        without_dtype = {Stratum.OTHER_DTYPE} if not self.task.dtype_axes else set()
        return without_dtype | ({Stratum.SKEWED} if len(self.sizes) < 2 else set())

    def volume(self, cfg: Mapping[str, Value]) -> int:
        """Product of the sizes."""
        product = 1
        for name in self.sizes:
            product *= max(int(cfg[name]), 1)
        return product

    def is_of(self, stratum: Stratum, cfg: Mapping[str, Value]) -> bool:
        """Whether `cfg` is what `stratum` says. Strata may overlap (a skewed configuration can be misaligned)."""
        sizes = {n: int(cfg[n]) for n in self.sizes}
        above = any(v > self.high[n] for n, v in sizes.items())
        below = any(v < self.low[n] for n, v in sizes.items())
        match stratum:
            case Stratum.BETWEEN:
                return bool(self.sizes) and all(self._is_inside(n, cfg[n]) for n in self.task.operator.axes)
            case Stratum.LARGER:
                return (above or self.volume(cfg) > max(map(self.volume, self.seen))) and not below
            case Stratum.SMALLER:
                return (below or self.volume(cfg) < min(map(self.volume, self.seen))) and not above
            case Stratum.MISALIGNED:
                return any(self._is_misaligned(n, v) for n, v in sizes.items())
            case Stratum.SKEWED:
                return self._is_skewed(sizes) and self.volume(cfg) <= max(map(self.volume, self.seen))
            case Stratum.OTHER_DTYPE:
                return any(
                    all(cfg[n] == c[n] for n in self.task.operator.axes if n not in self.task.dtype_axes)
                    and any(cfg[n] != c[n] for n in self.task.dtype_axes)
                    for c in self.seen
                )

    def _is_inside(self, name: str, value: Value) -> bool:
        if name in self.ranges:
            return self.low[name] <= int(value) <= self.high[name]
        return any(value == c[name] for c in self.seen)

    def _is_misaligned(self, name: str, value: int) -> bool:
        if factors_of_two(value) < self.shared_twos[name]:
            return True
        step = self.ranges[name].multiple_of
        return self.shared_twos[name] <= factors_of_two(step) and value > step and value // step % 2 == 1

    def _is_skewed(self, sizes: Mapping[str, int]) -> bool:
        # a/b beyond every seen a/b, compared as integers: sizes[a] * seen[b] > seen[a] * sizes[b] for all seen.
        return any(
            all(sizes[a] * max(int(c[b]), 1) > int(c[a]) * max(sizes[b], 1) for c in self.seen)
            for a in sizes
            for b in sizes
            if a != b
        )


def draw_unseen(
    task: Task, seed: bytes, count: int, fits: Fits | None = None, seen: Sequence[Configuration] | None = None
) -> tuple[UnseenConfiguration, ...]:
    """Draw `count` configurations of `task` that nobody has seen, spread evenly over the six strata.

    fits: whether a configuration is small enough for the target. seen: the anchors, where the target's seen list is
    not the task's own (default `task.seen`). A stratum that the axes, the constraint or `fits` rule out is filled
    from the others, and each draw names its own stratum. Fewer than `count` come back only where fewer exist within
    reach. Every draw is allowed by the task and differs from all seen ones, the smoke one and the other draws.
    """
    anchors = Anchors(task, tuple(task.seen.values() if seen is None else seen))
    taken: set[Configuration] = {*task.seen.values(), task.smoke, *anchors.seen}
    streams = {s: Stream(seed, f"unseen/{s.value}") for s in Stratum}
    drawn: list[tuple[Stratum, Configuration]] = []
    exhausted = anchors.impossible
    for wanted in _quota(seed, count):
        order = list(Stratum)
        first = order.index(wanted)
        for stratum in order[first:] + order[:first]:
            if stratum in exhausted:
                continue
            found = _draw(anchors, stratum, streams[stratum], taken, fits)
            if found is not None:
                taken.add(found)
                drawn.append((stratum, found))
                break
            exhausted.add(stratum)
    return tuple(UnseenConfiguration(f"unseen-{i}", s.value, c) for i, (s, c) in enumerate(drawn, start=1))


def _quota(seed: bytes, count: int) -> list[Stratum]:
    """The strata in turn; which ones get the remainder of `count` / 6 is drawn, so small counts cover all in time."""
    strata = list(Stratum)
    whole, rest = divmod(count, len(strata))
    extra = sorted(Stream(seed, "unseen/quota").order(len(strata))[:rest])
    return strata * whole + [strata[i] for i in extra]


def _draw(
    anchors: Anchors, stratum: Stratum, stream: Stream, taken: set[Configuration], fits: Fits | None
) -> Configuration | None:
    for attempt in range(_ATTEMPTS):
        anchor = anchors.seen[stream.below(len(anchors.seen))]
        values: Values = dict(anchor)
        _PROPOSALS[stratum](anchors, anchor, values, stream, attempt)
        if stratum not in (Stratum.BETWEEN, Stratum.OTHER_DTYPE) and stream.below(2):
            for name in anchors.structure:
                values[name] = _from_domain(anchors, name, stream)
        cfg = anchors.task.configuration(values)
        if (
            cfg not in taken
            and anchors.task.allows(cfg)
            and anchors.is_of(stratum, cfg)
            and (fits is None or fits(cfg))
        ):
            return cfg
    return None


def _from_domain(anchors: Anchors, name: str, stream: Stream) -> Value:
    axis = anchors.task.operator.axes[name]
    if isinstance(axis, Choice):
        return stream.pick(axis.values)
    low, high = -(-axis.low // axis.multiple_of), axis.high // axis.multiple_of
    return stream.between(low, high) * axis.multiple_of


def _size(anchors: Anchors, name: str, low: int, high: int, stream: Stream) -> int:
    """A size in `low` to `high` (clipped to the axis), even in its octaves, keeping the seen alignment if possible."""
    axis = anchors.ranges[name]
    low, high = max(low, axis.low), min(high, axis.high)
    twos = max(min(anchors.shared_twos[name], _LARGEST_ALIGNMENT.bit_length() - 1), factors_of_two(axis.multiple_of))
    odd_part = axis.multiple_of >> factors_of_two(axis.multiple_of)
    while True:
        step = odd_part << twos
        first, last = -(-low // step), high // step
        if last - first >= 3 or step <= axis.multiple_of:
            break
        twos -= 1
    if last < first:
        return low  # nothing there: the predicate refuses it
    units = stream.octave(first, last) if first >= 1 and axis.logarithmic else stream.between(first, last)
    return units * step


def _between(anchors: Anchors, anchor: Configuration, values: Values, stream: Stream, attempt: int) -> None:
    for name in anchors.sizes:
        values[name] = _size(anchors, name, anchors.low[name], anchors.high[name], stream)
    for name in (*anchors.structure, *anchors.task.dtype_axes):
        values[name] = anchors.seen[stream.below(len(anchors.seen))][name]


def _chosen(anchors: Anchors, stream: Stream, can: Callable[[str], bool]) -> str | None:
    names = [n for n in anchors.sizes if can(n)]
    return str(stream.pick(names)) if names else None


def _larger(anchors: Anchors, anchor: Configuration, values: Values, stream: Stream, attempt: int) -> None:
    grown = _chosen(anchors, stream, lambda n: anchors.high[n] < anchors.ranges[n].high)
    for name in anchors.sizes:
        top, limit = anchors.high[name], anchors.ranges[name].high
        if name == grown:
            # Later attempts ask for less, so that a tight constraint or a small target still gets a larger one.
            values[name] = _size(anchors, name, top + 1, max(top + 1, limit >> (attempt // 24)), stream)
        elif grown is None:
            values[name] = _size(anchors, name, int(anchor[name]), limit, stream)
        else:
            values[name] = _size(anchors, name, anchors.low[name], max(int(anchor[name]), anchors.low[name]), stream)


def _smaller(anchors: Anchors, anchor: Configuration, values: Values, stream: Stream, attempt: int) -> None:
    shrunk = _chosen(anchors, stream, lambda n: anchors.low[n] > anchors.ranges[n].low)
    for name in anchors.sizes:
        if name == shrunk:
            values[name] = _size(anchors, name, anchors.ranges[name].low, anchors.low[name] - 1, stream)
        else:  # where no axis has room below, small values of several make a small product
            values[name] = _size(anchors, name, anchors.low[name], int(anchor[name]), stream)


def _misaligned(anchors: Anchors, anchor: Configuration, values: Values, stream: Stream, attempt: int) -> None:
    everywhere = attempt < _ATTEMPTS // 4  # then, where a constraint wants a multiple, only some axes
    for name in anchors.sizes:
        if not everywhere and stream.below(2):
            continue
        axis = anchors.ranges[name]
        low, high = max(int(anchor[name]) // 2, anchors.low[name], axis.low), min(anchors.high[name], axis.high)
        first, last = -(-low // axis.multiple_of), high // axis.multiple_of
        if last < first:
            continue
        units = stream.octave(first, last) if first >= 1 and axis.logarithmic else stream.between(first, last)
        for odd in (units | 1, units - 1):
            if first <= odd <= last and odd % 2 == 1:
                values[name] = odd * axis.multiple_of
                break


def _skewed(anchors: Anchors, anchor: Configuration, values: Values, stream: Stream, attempt: int) -> None:
    if len(anchors.sizes) < 2:
        return
    first, second = (anchors.sizes[i] for i in stream.order(len(anchors.sizes))[:2])
    long, short = anchors.ranges[first], anchors.ranges[second]
    factor = 2 << stream.below(8)
    wide = _size(anchors, first, int(anchor[first]), min(int(anchor[first]) * factor, long.high), stream)
    values[first] = wide
    values[second] = _size(anchors, second, short.low, max(int(anchor[second]) // factor, short.low), stream)


def _other_dtype(anchors: Anchors, anchor: Configuration, values: Values, stream: Stream, attempt: int) -> None:
    for name in anchors.task.dtype_axes:
        axis = anchors.task.operator.axes[name]
        assert isinstance(axis, Choice)
        never = [v for v in axis.values if all(c[name] != v for c in anchors.seen)]
        others = [v for v in axis.values if v != anchor[name]]
        if never and stream.below(2):
            values[name] = stream.pick(never)
        elif others:
            values[name] = stream.pick(others)


_PROPOSALS: dict[Stratum, Callable[[Anchors, Configuration, Values, Stream, int], None]] = {
    Stratum.BETWEEN: _between,
    Stratum.LARGER: _larger,
    Stratum.SMALLER: _smaller,
    Stratum.MISALIGNED: _misaligned,
    Stratum.SKEWED: _skewed,
    Stratum.OTHER_DTYPE: _other_dtype,
}
