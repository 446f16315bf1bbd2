"""Tunes the kernel's numeric constants and launch parameters by timing: what a program without a model reaches.

It asks the judge as every agent does. One constant after the other is halved and doubled, what is faster stays, until
a whole round brings nothing or the budget is used up (`turns` counts calls to the judge). The result is timed once
more against the start, so that a lucky measurement is not handed in.

option `gain`: by which factor a change has to be faster to stay (default 1.02).
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass, field

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent._constant import Site, replaced, sites
from agentkernelarena.agent._program import check_settings
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, AgentStatus, Usage
from agentkernelarena.transcript import Event, Transcript
from agentkernelarena.workspace import client

GAIN = 1.02
RESERVE_S = 2.0


class Sweep:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        check_settings(settings, options=("gain",))
        try:
            gain = float(settings.options.get("gain", GAIN))
        except ValueError:
            gain = math.nan
        if not 1.0 <= gain <= 10.0:
            raise InputError("agent sweep: options.gain", "is no factor from 1 to 10", "write a number such as 1.02")

    def solve(self, task: AgentTask) -> AgentStatus:
        with Transcript(task.trial) as transcript:
            return _Search(task, transcript).run()


class _Spent(Exception):
    """The budget is used up."""


class _Unavailable(Exception):
    """The judge does not answer."""


@dataclass
class _Search:
    """The state of one search: for every site the value chosen, and the speedup that all together reach."""

    task: AgentTask
    transcript: Transcript
    started: float = field(default_factory=time.monotonic)
    calls: int = 0
    longest_s: float = 0.0

    def __post_init__(self) -> None:
        self.entry = self.task.workspace.folder / self.task.category.entry
        self.start = self.entry.read_text(encoding="utf-8")
        self.sites = sites(self.start, self.task.category.language)
        self.chosen: dict[Site, int | None] = dict.fromkeys(self.sites)
        self.gain = float(self.task.settings.options.get("gain", GAIN))
        self.reached = 0.0

    def run(self) -> AgentStatus:
        names = ", ".join(f"{s.name}={s.value}" for s in self.sites)
        self.transcript.add(Event(t=self.transcript.now(), kind="start", text=f"{len(self.sites)} constants: {names}"))
        status, reason = "completed", ""
        try:
            self.search()
        except _Spent as spent:
            status, reason = "limit", str(spent)
        except _Unavailable as gone:
            status, reason = "crashed", f"the judge did not answer: {gone}"
        self.entry.write_text(self.source(), encoding="utf-8")
        changed = ", ".join(f"{s.name}={v}" for s, v in self.chosen.items() if v is not None)
        said = reason or f"{len(self.sites)} constants, {self.calls} measurements, chosen: {changed or 'nothing'}"
        self.transcript.add(Event(t=self.transcript.now(), kind="end", text=said))
        return AgentStatus.model_validate({
            "status": status, "reason": said, "version": "1", "seconds": time.monotonic() - self.started,
            "usage": Usage(turns=self.calls), "sandbox": "not needed"})

    def source(self) -> str:
        return replaced(self.start, list(self.chosen.items()))

    def search(self) -> None:
        """Rounds over all sites until one changes nothing; then the confirmation."""
        measured = self.measure(self.start)
        if measured is None or not self.sites:
            return
        self.reached, improved = measured, True
        while improved:
            improved = False
            for site in self.sites:
                improved = self.improve(site) or improved
        if any(v is not None for v in self.chosen.values()):
            confirmed = self.measure(self.source())
            if confirmed is None or confirmed <= measured:
                self.chosen = dict.fromkeys(self.sites)

    def improve(self, site: Site) -> bool:
        """Try the site's values; keep the best if it is faster by the gain."""
        before, best = self.chosen[site], (self.reached, self.chosen[site])
        for value in site.values:
            if value == before:
                continue
            tried = [(s, value if s is site else v) for s, v in self.chosen.items()]
            measured = self.measure(replaced(self.start, tried))
            if measured is not None and measured > best[0] * (self.gain if best[1] == before else 1.0):
                best = (measured, value)
        self.reached, self.chosen[site] = best
        return best[1] != before

    def measure(self, source: str) -> float | None:
        """Geometric mean of the speedups over the seen configurations; None when the source does not pass."""
        budget = self.task.budget
        if budget.turns is not None and self.calls >= budget.turns:
            raise _Spent(f"{budget.turns} turns are used up")
        if time.monotonic() - self.started + self.longest_s + RESERVE_S > budget.wall_s:
            raise _Spent(f"{budget.wall_s:g} s of wall time are used up")
        self.entry.write_text(source, encoding="utf-8")
        began = time.monotonic()
        try:
            answer = client.ask(str(self.task.workspace.run), "time", [])
            document = json.loads(answer["document"])
        except (OSError, ValueError, KeyError) as error:
            raise _Unavailable(str(error)) from error
        self.calls += 1
        self.longest_s = max(self.longest_s, time.monotonic() - began)
        if answer["status"] == "3":
            raise _Unavailable(answer["text"])
        speedup = _geometric_mean([c.get("speedup") for c in document.get("configurations", [])])
        passed = answer["status"] == "0" and speedup is not None
        self.transcript.add(Event(t=self.transcript.now(), kind="tool_result", name="time", text=answer["text"],
                                  exit_code=int(answer["status"])))
        return speedup if passed else None


def _geometric_mean(speedups: list[float | None]) -> float | None:
    known = [s for s in speedups if s]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None


AGENT = Sweep()
