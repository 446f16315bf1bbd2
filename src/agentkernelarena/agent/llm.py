"""Plain calls of a model, without an agent around it: what the model alone reaches in one answer, or in a few.

The model is shown TASK.md and the files, and answers with the whole kernel in one fenced block. With `shots` above
one, every answer is judged on the seen configurations as by `./aka time`, the model is told the judge's words, and may
answer again; handed in is the fastest answer that passed, else the last one. The calls go through the gateway, which
counts and stops them as it does those of every agent.

option `shots`: answers asked for (default 1). option `api`: the provider's format, ``chat`` (OpenAI Chat Completions
and its many likes; the default), ``responses`` (OpenAI Responses) or ``anthropic`` (Anthropic Messages).
option `output_tokens`: the longest answer (default: the provider's own; 16384 for ``anthropic``, which wants one).
options `base_url`, `key_env`, `price_input` and the other prices: as for the command-line agents.
"""

from __future__ import annotations

import json
import math
import re
import time
from dataclasses import dataclass, field

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent import _cli as cli
from agentkernelarena.agent._model import Late, Model, Refused, Spent
from agentkernelarena.agent._program import check_settings
from agentkernelarena.agent._wire import WIRES, Message
from agentkernelarena.errors import InputError, nearest
from agentkernelarena.gateway import Gateway
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.transcript import Event, Transcript
from agentkernelarena.workspace import client

PROVIDERS = {
    "chat": cli.Provider("chat", "https://api.openai.com/v1", "OPENAI_API_KEY", "", ""),
    "responses": cli.Provider("responses", "https://api.openai.com/v1", "OPENAI_API_KEY", "", ""),
    "anthropic": cli.Provider("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "", ""),
}
NUMBERS = {"shots": (1, 100), "output_tokens": (1, 1_000_000)}
OPTIONS = ("api", *NUMBERS, *(o for o in cli.OPTIONS if o not in ("program", "arguments")))
SHOWN = ("reference.py", "operator.h")

_FENCE = re.compile(r"^(?P<fence>```+|~~~+)[^\n`]*\n(?P<code>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)


class Llm:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        check_settings(settings, options=OPTIONS, model=True)
        provider(settings)
        for name in NUMBERS:
            number(settings, name)
        if not settings.model:
            raise InputError("agent llm: model", "is not set", "name the model that is to be measured")
        cli.upstream(settings, provider(settings))
        cli.prices(settings)

    def solve(self, task: AgentTask) -> AgentStatus:
        if refused := cli.unkept(task):
            return refused
        upstream = cli.upstream(task.settings, provider(task.settings))
        gateway = Gateway(upstream, task.workspace.run, task.budget, task.trial / "gateway.jsonl",
                          cli.prices(task.settings))
        with Transcript(task.trial) as transcript, gateway:
            return _Conversation(task, gateway, transcript).run()


def provider(settings: AgentSettings) -> cli.Provider:
    """The provider of option `api`."""
    api = settings.options.get("api", "chat")
    if api not in PROVIDERS:
        raise InputError("agent llm: options.api", f"{api!r} is unknown", nearest(api, list(PROVIDERS)))
    return PROVIDERS[api]


def number(settings: AgentSettings, name: str) -> int | None:
    """A numeric option; None when it is not given."""
    text = settings.options.get(name)
    smallest, largest = NUMBERS[name]
    if text is None:
        return None
    if not text.isdecimal() or not smallest <= int(text) <= largest:
        raise InputError(f"agent llm: options.{name}", f"{text!r} is no whole number from {smallest} to {largest}",
                         "write such a number")
    return int(text)


def code_of(answer: str) -> str | None:
    """The last fenced block of an answer, None when it holds none that is closed."""
    blocks = [match["code"] for match in _FENCE.finditer(answer)]
    return blocks[-1] if blocks else None


class _NoJudge(Exception):
    """The judge does not answer."""


@dataclass
class _Conversation:
    """One trial's conversation. best: (speedup, source) of the fastest answer that passed."""

    task: AgentTask
    gateway: Gateway
    transcript: Transcript
    started: float = field(default_factory=time.monotonic)
    best: tuple[float, str] | None = None
    model_name: str = ""

    def __post_init__(self) -> None:
        settings = self.task.settings
        self.entry = self.task.workspace.folder / self.task.category.entry
        self.shots = number(settings, "shots") or 1
        self.deadline = self.started + self.task.budget.wall_s
        self.model = Model(self.gateway, self.task.workspace.run, WIRES[self.gateway.upstream.api], settings.model,
                           number(settings, "output_tokens"), self.deadline, self.transcript)

    def run(self) -> AgentStatus:
        self.note("start", name=self.task.settings.model)
        status, reason = "completed", ""
        try:
            reason = self.talk()
        except Spent as spent:
            status, reason = "limit", str(spent)
        except Late:
            status, reason = "timeout", f"{self.task.budget.wall_s:g} s of wall time are used up"
        except Refused as refused:
            status, reason = "api_error", str(refused)
        except _NoJudge as gone:
            status, reason = "crashed", f"the judge did not answer: {gone}"
        if self.best is not None:
            self.entry.write_text(self.best[1], encoding="utf-8")
        self.note("end" if status == "completed" else "error", text=reason)
        return AgentStatus.model_validate({
            "status": status, "reason": reason, "version": f"1 ({self.model_name or 'no answer'})",
            "seconds": time.monotonic() - self.started, "usage": self.gateway.usage,
            "sandbox": "not needed: the model has no hands"})

    def talk(self) -> str:
        """Ask, judge, tell, until the shots are used up; return what came of it in a few words."""
        said = Message("user", self.question())
        conversation = [said]
        self.note("text", name="to the model", text=said.text)
        for shot in range(1, self.shots + 1):
            answer = self.model.ask(conversation)
            self.model_name = answer.model
            self.note("text", text=answer.text)
            feedback = self.feedback(answer.text, answer.cut)
            if shot < self.shots:
                # A provider refuses an empty message; a model that said nothing is told so all the same.
                conversation += [Message("assistant", answer.text.strip() or "(nothing)"), Message("user", feedback)]
                self.note("text", name="to the model", text=feedback)
        if self.best is not None:
            return f"{self.shots} answers, the fastest that passed reaches {self.best[0]:.2f}"
        return "" if self.shots == 1 and code_of(answer.text) is not None else f"{feedback.partition(chr(10))[0]}"

    def feedback(self, answer: str, cut: bool) -> str:
        """Put the answer's kernel in place and return what the model is told about it."""
        source = None if cut else code_of(answer)
        if source is None:
            what = "was cut off at its longest length" if cut else "holds no closed fenced block"
            return f"Your answer {what}. Answer with the whole of {self.entry.name} in one fenced block."
        self.entry.write_text(source, encoding="utf-8")
        if self.shots == 1:
            return ""
        passed, speedup, text = self.judged()
        if passed and (self.best is None or speedup > self.best[0]):
            self.best = (speedup, source)
        head = "Your kernel passes. Make it faster." if passed else "Your kernel does not pass. Correct it."
        return (f"{head} The judge says:\n\n{text}\n\nAnswer with the whole of {self.entry.name} in one fenced block. "
                "The fastest of your answers that passes counts.")

    def judged(self) -> tuple[bool, float, str]:
        """(whether it passes, geometric mean of the speedups, the judge's words) of the kernel in the workspace."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Late
        self.note("tool_call", name="time", arguments="{}")
        try:
            answer = client.ask(str(self.task.workspace.run), "time", [], left)
            document = json.loads(answer["document"])
        except TimeoutError:
            raise Late from None
        except (OSError, ValueError, KeyError) as error:
            raise _NoJudge(str(error)) from error
        self.note("tool_result", name="time", text=answer["text"], exit_code=int(answer["status"]))
        if answer["status"] == "3":
            raise _NoJudge(answer["text"])
        known = [s for c in document.get("configurations", []) if (s := c.get("speedup"))]
        speedup = math.exp(sum(map(math.log, known)) / len(known)) if known else 0.0
        return answer["status"] == "0", speedup, answer["text"]

    def question(self) -> str:
        """The task and its files, and how to answer when one cannot run anything."""
        folder = self.task.workspace.folder
        parts = [(folder / "TASK.md").read_text(encoding="utf-8")]
        for name in (*SHOWN, self.entry.name):
            if (folder / name).is_file():
                text = (folder / name).read_text(encoding="utf-8")
                fence = "`" * (max(map(len, re.findall("`{3,}", text)), default=2) + 1)
                parts.append(f"## {name}\n{fence}\n{text.rstrip()}\n{fence}")
        more = "" if self.shots == 1 else (
            f" You have {self.shots} answers; after each you are told what `./aka time` says about it.")
        parts.append(f"## How to answer\nYou cannot run anything here and have no files but those above. Answer with "
                     f"the whole of the new {self.entry.name} in one fenced block; it is put in place as it is.{more}")
        return "\n\n".join(parts) + "\n"

    def note(self, kind: str, **values: object) -> None:
        self.transcript.add(Event.model_validate({"t": self.transcript.now(), "kind": kind, **values}))


AGENT = Llm()
