"""Three ways of asking a model for words over HTTP: what is sent, and where the words are in what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant"]

ANTHROPIC_OUTPUT_TOKENS = 16_384
"""Anthropic Messages does without no limit of the output; the two OpenAI formats do."""


@dataclass(frozen=True)
class Message:
    role: Role
    text: str


@dataclass(frozen=True)
class Answer:
    """What a model said. cut: the provider ended it before the model did. model: the name that the provider gives."""

    text: str
    cut: bool
    model: str


@dataclass(frozen=True)
class Wire:
    """One format. body: (model, conversation, output tokens or None) -> document. read: raises ValueError, KeyError,
    TypeError or AttributeError for a document that is no answer.
    """

    path: str
    headers: Mapping[str, str]
    body: Callable[[str, Sequence[Message], int | None], Mapping[str, object]]
    read: Callable[[Mapping[str, object]], Answer]


def encode(wire: Wire, model: str, conversation: Sequence[Message], output_tokens: int | None) -> bytes:
    """The body of a request."""
    return json.dumps(wire.body(model, conversation, output_tokens)).encode()


def decode(wire: Wire, body: bytes) -> Answer | None:
    """The answer in a body; None when it is none, such as the first half of one."""
    try:
        document = json.loads(body)
        return wire.read(document) if isinstance(document, dict) else None
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return None


def _plain(conversation: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": m.role, "content": m.text} for m in conversation]


def _chat_body(model: str, conversation: Sequence[Message], output_tokens: int | None) -> Mapping[str, object]:
    limit = {"max_completion_tokens": output_tokens} if output_tokens else {}
    return {"model": model, "messages": _plain(conversation), **limit}


def _chat_read(document: Mapping[str, object]) -> Answer:
    choices = document["choices"]
    if not isinstance(choices, list):
        raise ValueError("no choices")
    text = choices[0]["message"].get("content")
    return Answer(_text(text), choices[0].get("finish_reason") == "length", str(document.get("model", "")))


def _responses_body(model: str, conversation: Sequence[Message], output_tokens: int | None) -> Mapping[str, object]:
    limit = {"max_output_tokens": output_tokens} if output_tokens else {}
    return {"model": model, "input": _plain(conversation), "store": False, **limit}


def _responses_read(document: Mapping[str, object]) -> Answer:
    items = document["output"]
    if not isinstance(items, list) or document.get("status") not in ("completed", "incomplete"):
        raise ValueError("no finished response")
    text = "".join(_text(item["content"]) for item in items if item["type"] == "message")
    return Answer(text, document["status"] == "incomplete", str(document.get("model", "")))


def _anthropic_body(model: str, conversation: Sequence[Message], output_tokens: int | None) -> Mapping[str, object]:
    return {"model": model, "messages": _plain(conversation), "max_tokens": output_tokens or ANTHROPIC_OUTPUT_TOKENS}


def _anthropic_read(document: Mapping[str, object]) -> Answer:
    if document.get("type") != "message":
        raise ValueError("no message")
    return Answer(_text(document["content"]), document.get("stop_reason") == "max_tokens",
                  str(document.get("model", "")))


def _text(content: object) -> str:
    """The words of a content that is text itself, or a list of parts of which some are; thoughts are not words."""
    if isinstance(content, str) or content is None:
        return content or ""
    if not isinstance(content, list):
        raise ValueError("no content")
    return "".join(part["text"] for part in content if part["type"] in ("text", "output_text"))


WIRES: Mapping[str, Wire] = {
    "chat": Wire("/v1/chat/completions", {}, _chat_body, _chat_read),
    "responses": Wire("/v1/responses", {}, _responses_body, _responses_read),
    "anthropic": Wire("/v1/messages", {"anthropic-version": "2023-06-01"}, _anthropic_body, _anthropic_read),
}
