"""What the adapters of command-line agents share: finding the program, its key, its gateway, and telling how it ended.

Options that all of them take: `program` (path of the program, default: looked up in PATH), `base_url` (the model
provider), `key_env` (the variable of the caller's environment that holds its key), `arguments` (more arguments),
`price_input`, `price_output`, `price_cache_read`, `price_cache_write` (US dollars per million tokens; a budget in
dollars needs them).
"""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent._program import Ended, Stop, check_settings, run_program, status_of, tail
from agentkernelarena.errors import InputError
from agentkernelarena.gateway import Gateway, Prices, Upstream
from agentkernelarena.gateway import relay as relay_module
from agentkernelarena.gateway.gateway import SOCKET, Api
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.sandbox import HOME, Bind, launch
from agentkernelarena.transcript import Event, Tokens, Transcript
from agentkernelarena.workspace.workspace import INSIDE_RUN

PROMPT = "Read TASK.md in this folder and do what it asks. Nobody will answer questions; work until you are done."
OPTIONS = ("program", "base_url", "key_env", "arguments", "price_input", "price_output", "price_cache_read",
           "price_cache_write")
RELAY_INSIDE = Path("/opt/aka/relay.py")
PLACEHOLDER_KEY = "the-gateway-adds-the-key"

State = Literal["completed", "limit", "api_error", "crashed"]


@dataclass(frozen=True)
class Verdict:
    """How a run ended by the program's own words. state: None when it said nothing of its end."""

    state: State | None
    reason: str = ""
    turns: int | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None


class Parser(Protocol):
    """Translates one program's output into events; never raises, whatever the line."""

    def feed(self, line: bytes, t: float) -> list[Event]:
        """Events of one line of standard output; a line that it does not know becomes a `raw` event."""
        ...

    def verdict(self) -> Verdict:
        """How it ended, by what was fed."""
        ...


@dataclass(frozen=True)
class Provider:
    """Where an agent's model is unless its options say otherwise. install: the command that installs the program.

    api: None for a program that reaches its maker by itself, without the gateway.
    """

    api: Api | None
    base_url: str
    key_env: str
    program: str
    install: str


def preflight(settings: AgentSettings, provider: Provider, options: Sequence[str] = OPTIONS) -> None:
    """Check the program, the key, the model and the options.

    Raises:
        InputError: which of them is missing or wrong, and the remedy.
    """
    check_settings(settings, options=options, model=True)
    place = f"agent {settings.agent}"
    program = find_program(settings, provider)
    if not os.access(program, os.X_OK):
        raise InputError(f"{place}: options.program", f"{program} is not an executable file", provider.install)
    if not settings.model:
        raise InputError(f"{place}: model", "is not set", "name the model, so that the record says what was measured")
    key(settings, provider)
    prices(settings)
    try:
        shlex.split(settings.options.get("arguments", ""))
    except ValueError as error:
        raise InputError(f"{place}: options.arguments", str(error), "quote it as for a shell") from error


def find_program(settings: AgentSettings, provider: Provider) -> Path:
    """Path of the program; raise `InputError` when it is not installed."""
    wanted = settings.options.get("program") or provider.program
    found = shutil.which(wanted)
    if found is None:
        raise InputError(f"agent {settings.agent}", f"{wanted} is not installed", provider.install)
    return Path(found).absolute()


def upstream(settings: AgentSettings, provider: Provider) -> Upstream:
    """The provider with its key; raise `InputError` when the key is not set."""
    assert provider.api is not None
    return Upstream(provider.api, settings.options.get("base_url", provider.base_url), key(settings, provider))


def key(settings: AgentSettings, provider: Provider) -> str:
    """The caller's key; raise `InputError` when it is not set."""
    variable = settings.options.get("key_env", provider.key_env)
    value = os.environ.get(variable, "")
    if not value:
        raise InputError(f"agent {settings.agent}", f"{variable} is not set",
                         f"export {variable}, or name another variable in options.key_env")
    return value


def prices(settings: AgentSettings) -> Prices | None:
    """Prices from the options; None when they name none."""
    values = {}
    for name in ("input", "output", "cache_read", "cache_write"):
        text = settings.options.get(f"price_{name}")
        try:
            values[name] = float(text) if text is not None else 0.0
        except ValueError:
            values[name] = math.nan
        if not values[name] >= 0:
            raise InputError(f"agent {settings.agent}: options.price_{name}", f"{text!r} is no price",
                             "give US dollars per million tokens")
    if not any(f"price_{n}" in settings.options for n in ("input", "output")):
        return None
    return Prices(**values)


def unkept(task: AgentTask) -> AgentStatus | None:
    """Why the agent is not started: a budget in dollars without prices could not be kept. None when all is well."""
    if task.budget.cost_usd is None or prices(task.settings) is not None:
        return None
    return AgentStatus(status="not_started", reason="a budget in dollars needs prices: give options.price_input and "
                                                    "options.price_output, per million tokens")


def program_binds(program: Path) -> tuple[Bind, ...]:
    """What has to be visible for a program to run: its installation, found from where it really lies.

    An npm package is its node_modules folder, a Python tool its virtual environment with the interpreter below it;
    anything else is the folder of the file itself.
    """
    places = [program, program.resolve()]
    folders: list[Path] = []
    for path in places:
        modules = next((p for p in path.parents if p.name == "node_modules"), None)
        environment = path.parent.parent
        if modules is not None:
            folders.append(modules)
        elif (environment / "pyvenv.cfg").is_file():
            folders += [environment, *_base_python(environment)]
        else:
            folders.append(path.parent)
    visible = [f for f in dict.fromkeys(folders) if f != Path("/usr") and Path("/usr") not in f.parents]
    return tuple(Bind.of(f) for f in visible if f != Path("/bin"))


def _base_python(environment: Path) -> list[Path]:
    python = (environment / "bin" / "python").resolve()
    return [python.parent.parent] if python.exists() else []


def version_of(task: AgentTask, program: Path) -> str:
    """What the program says of its version, asked in the sandbox; "" when it says nothing in 20 s."""
    spec = task.workspace.spec(read_only=program_binds(program))
    with launch(task.engine, spec, [str(program), "--version"], stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        if process.wait(20.0) is None:
            return ""
        return process.stdout.read(400).decode("utf-8", "replace").strip().partition("\n")[0]


def solve(task: AgentTask, provider: Provider, argv: Sequence[str], parser: Parser, environment: Mapping[str, str],
          ) -> AgentStatus:
    """Run a command-line agent behind its gateway; {port} in arguments and environment is the gateway's port."""
    if refused := unkept(task):
        return refused
    program = find_program(task.settings, provider)
    confined = task.engine.has_namespace
    script = Path(relay_module.__file__)
    relay = RELAY_INSIDE if confined else script
    socket = (INSIDE_RUN if confined else task.workspace.run) / SOCKET
    binds = (*program_binds(program), Bind.of(script, RELAY_INSIDE))
    stop = Stop()
    gateway = Gateway(upstream(task.settings, provider), task.workspace.run, task.budget,
                      task.trial / "gateway.jsonl", prices(task.settings), stop)
    version = version_of(task, program)
    extra = shlex.split(task.settings.options.get("arguments", ""))
    with Transcript(task.trial) as transcript, gateway:
        def on_line(line: bytes) -> None:
            for event in parser.feed(line, transcript.now()):
                transcript.add(event)

        ended = run_program(
            task, [sys.executable, "-I", "-S", str(relay), str(socket), str(program), *argv, *extra],
            environment=environment, read_only=binds, on_line=on_line, stop=stop)
    return refine(status_of(task, ended, version), ended, parser.verdict(), gateway, task.trial)


def refine(status: AgentStatus, ended: Ended, verdict: Verdict, gateway: Gateway, trial: Path) -> AgentStatus:
    """The status from the process's end, the program's own words and the gateway's count, in this order of trust.

    A program that says nothing of its end has not completed, whatever its exit status.
    """
    usage = gateway.usage
    if usage.input_tokens is None and verdict.tokens is not None:
        usage = verdict.tokens.usage(verdict.turns, verdict.cost_usd)
    changed: dict[str, object] = {"usage": usage}
    if status.status in ("completed", "crashed"):
        if verdict.state is not None:
            changed |= {"status": verdict.state, "reason": verdict.reason}
        else:
            changed |= {"status": "crashed", "reason": f"it ended (exit status {ended.exit_code}) without saying how: "
                                                       f"{tail(trial / 'agent.log', 300)}"}
        if changed["status"] == "crashed" and gateway.errors and usage.output_tokens is None:
            changed |= {"status": "api_error", "reason": gateway.errors[-1]}
    return status.model_copy(update=changed)


def lay_home(task: AgentTask, name: str, document: Mapping[str, object]) -> None:
    """Write a program's settings, as JSON, into its home."""
    path = task.workspace.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")


def events_of(line: bytes, t: float, read: Callable[[Mapping[str, object], float], list[Event]]) -> list[Event]:
    """The events that `read` finds in a line with a JSON object; one `raw` event where it finds none or fails."""
    text = line.decode("utf-8", "replace")
    try:
        document = json.loads(text)
        events = read(document, t) if isinstance(document, dict) else []
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        events = []
    return events or ([Event(t=t, kind="raw", text=text)] if text.strip() else [])


def home_inside(task: AgentTask) -> str:
    """The program's home as it sees it."""
    return str(HOME if task.engine.has_namespace else task.workspace.home)
