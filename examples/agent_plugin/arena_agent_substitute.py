"""An agent that replaces one text of the kernel by another, and keeps the change if the judge passes it.

It shows all that an agent of a package of its own needs: settings that are checked before the run, the judge that it
asks as `./aka` does, a transcript, and a status. options `find`, `replace`: the two texts.
"""

from __future__ import annotations

import time

from agentkernelarena.agent import AgentTask
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, AgentStatus, Usage
from agentkernelarena.transcript import Event, Transcript
from agentkernelarena.workspace import client

OPTIONS = ("find", "replace")


class Substitute:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        """Both texts are needed, and nothing else is understood."""
        for option in settings.options:
            if option not in OPTIONS:
                raise InputError(f"agent substitute: options.{option}", "is not an option", f"known: {OPTIONS}")
        if not settings.options.get("find") or "replace" not in settings.options:
            raise InputError("agent substitute: options", "need find and replace", "see the example's run.yaml")

    def solve(self, task: AgentTask) -> AgentStatus:
        """Replace, ask the judge, and take the change back if it does not pass."""
        started = time.monotonic()
        kernel = task.workspace.folder / task.category.entry
        before, find = kernel.read_text(encoding="utf-8"), task.settings.options["find"]
        if find not in before:
            return AgentStatus(status="completed", reason=f"{kernel.name} holds no {find!r}", version="1.0")
        kernel.write_text(before.replace(find, task.settings.options["replace"]), encoding="utf-8")
        with Transcript(task.trial) as transcript:
            transcript.add(Event(t=transcript.now(), kind="tool_call", name="check"))
            try:
                answer = client.ask(str(task.workspace.run), "check", [], timeout_s=task.budget.wall_s)
            except OSError as error:
                kernel.write_text(before, encoding="utf-8")
                return AgentStatus(status="crashed", reason=f"the judge did not answer: {error}", version="1.0")
            passed = answer["status"] == "0"
            transcript.add(Event(t=transcript.now(), kind="tool_result", name="check", text=answer["text"],
                                 exit_code=int(answer["status"])))
        if not passed:
            kernel.write_text(before, encoding="utf-8")
        return AgentStatus(
            status="completed", reason="the change passes" if passed else "the change does not pass", version="1.0",
            seconds=time.monotonic() - started, usage=Usage(turns=1), sandbox="not needed")


AGENT = Substitute()
