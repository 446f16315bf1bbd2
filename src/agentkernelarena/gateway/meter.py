"""Reads token counts from answers of model providers as they pass, whether streamed or whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from agentkernelarena.transcript import Tokens

WHOLE_LIMIT = 32 * 2**20
LINE_LIMIT = 8 * 2**20


class Meter:
    """The usage of one answer. Feed it the body's bytes; `tokens` is what they said so far, None if nothing.

    api: ``anthropic`` (Messages), ``responses`` or ``chat`` (OpenAI), ``gemini``. Counts are brought to one meaning:
    input excludes what came from a cache.
    """

    def __init__(self, api: str, streamed: bool) -> None:
        self._read, self._streamed = _READERS[api], streamed
        self._rest = b""
        self.tokens: Tokens | None = None

    def feed(self, data: bytes) -> None:
        self._rest += data
        if not self._streamed:
            self._rest = self._rest[:WHOLE_LIMIT]
            return
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                self._take(line[5:])
        if len(self._rest) > LINE_LIMIT:
            self._rest = b""

    def end(self) -> None:
        """The body is complete, or broke off."""
        self._take(self._rest.removeprefix(b"data:"))
        self._rest = b""

    def _take(self, text: bytes) -> None:
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            return
        if isinstance(document, dict):
            self.tokens = self._read(document, self.tokens)


Reader = Callable[[Mapping[str, object], Tokens | None], Tokens | None]


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _count(table: Mapping[str, object], name: str) -> int | None:
    value = table.get(name)
    return value if type(value) is int and value >= 0 else None


def _anthropic(document: Mapping[str, object], before: Tokens | None) -> Tokens | None:
    """message_start holds the input's counts and a placeholder for the output; message_delta the output so far."""
    usage = _table(document.get("usage") or _table(document.get("message")).get("usage"))
    if not usage:
        return before
    known = before or Tokens()
    return Tokens(
        input=_first(_count(usage, "input_tokens"), known.input),
        cache_read=_first(_count(usage, "cache_read_input_tokens"), known.cache_read),
        cache_write=_first(_count(usage, "cache_creation_input_tokens"), known.cache_write),
        output=_first(_count(usage, "output_tokens"), known.output))


def _responses(document: Mapping[str, object], before: Tokens | None) -> Tokens | None:
    usage = _table(document.get("usage") or _table(document.get("response")).get("usage"))
    return _openai(usage, "input_tokens", "output_tokens") or before


def _chat(document: Mapping[str, object], before: Tokens | None) -> Tokens | None:
    return _openai(_table(document.get("usage")), "prompt_tokens", "completion_tokens") or before


def _openai(usage: Mapping[str, object], given: str, made: str) -> Tokens | None:
    total = _count(usage, given)
    if total is None:
        return None
    cached = _count(_table(usage.get(f"{given}_details")), "cached_tokens")
    reasoning = _count(_table(usage.get(f"{made}_details")), "reasoning_tokens")
    return Tokens(input=total - (cached or 0), cache_read=cached, output=_count(usage, made), reasoning=reasoning)


def _gemini(document: Mapping[str, object], before: Tokens | None) -> Tokens | None:
    """Every part of a stream may hold the counts so far; thoughts are counted apart from the words."""
    usage = _table(document.get("usageMetadata"))
    total = _count(usage, "promptTokenCount")
    if total is None:
        return before
    cached, made = _count(usage, "cachedContentTokenCount"), _count(usage, "candidatesTokenCount")
    reasoning = _count(usage, "thoughtsTokenCount")
    output = None if made is None and reasoning is None else (made or 0) + (reasoning or 0)
    return Tokens(input=total - (cached or 0), cache_read=cached, output=output, reasoning=reasoning)


def _first(*values: int | None) -> int | None:
    return next((v for v in values if v is not None), None)


_READERS: dict[str, Reader] = {"anthropic": _anthropic, "responses": _responses, "chat": _chat,
                             "gemini": _gemini}
