"""Tokens of C++ with HIP's launch brackets, and walks between brackets. For `hip_source`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<space>(?:\s|\\\r?\n)+)
  | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
  | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^\s()\\]{0,16})\(.*?(?:\)(?P=delimiter)"|\Z))
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"?)
  | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])*'?)
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9a-zA-Z_]|[0-9a-zA-Z_.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<punctuation><<<|>>>|::|->\*?|\#\#|<<=|>>=|<=|>=|==|!=|&&|\|\||[+\-*/%&|^]=|\+\+|--|.)
    """,
    re.VERBOSE | re.DOTALL,
)
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: opening for opening, close in OPENING.items()}


_BEFORE_PARENTHESIS = frozenset(
    ["__launch_bounds__", "__attribute__", "void", "alignas", "amdgpu_flat_work_group_size", "amdgpu_waves_per_eu"]
)


@dataclass(frozen=True)
class Token:
    """A piece of the text from `start` to `end`; `kind` is one of the group names of the lexer."""

    kind: str
    text: str
    start: int
    end: int
    directive: int
    """Number of the preprocessor directive that it is part of, 0 outside of directives."""


def tokens_of(text: str) -> list[Token]:
    """Split `text` into tokens that together are the whole text."""
    out: list[Token] = []
    directive, inside, line_start = 0, False, True
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None, "the lexer accepts any character"
        kind = match.lastgroup if match.lastgroup != "delimiter" else "raw"
        assert kind is not None
        piece = match.group()
        if kind == "space" and inside and "\n" in re.sub(r"\\\r?\n", "", piece):
            inside = False
        if kind == "punctuation" and piece == "#" and line_start and not inside:
            inside, directive = True, directive + 1
        out.append(Token(kind, piece, position, match.end(), directive if inside else 0))
        if kind == "space":
            line_start = line_start or "\n" in piece
        elif kind != "comment":
            line_start = False
        position = match.end()
    return out


def kernel_names(text: str) -> set[str]:
    """Return the names of the functions that `text` declares with ``__global__``."""
    code = [t for t in tokens_of(text) if t.kind not in ("space", "comment")]
    names = set()
    for i, token in enumerate(code):
        if token.text != "__global__":
            continue
        for j in range(i + 1, len(code) - 1):
            if code[j].text in (";", "{", "}"):
                break
            if code[j].kind == "word" and code[j + 1].text == "(" and code[j].text not in _BEFORE_PARENTHESIS:
                names.add(code[j].text)
                break
    return names


def forward(code: list[Token], i: int) -> int | None:
    """Return the index of the bracket that closes the one at `i`; None when it stays open."""
    stack = []
    for j in range(i, len(code)):
        text = code[j].text
        if code[j].kind != "punctuation":
            continue
        if text in OPENING:
            stack.append(text)
        elif text in CLOSING:
            if not stack or stack.pop() != CLOSING[text]:
                return None
            if not stack:
                return j
    return None


def backward(code: list[Token], i: int) -> int | None:
    """Return the index of the bracket that opens the one at `i` (also ``>`` and ``>>>``); None when there is none."""
    close, depth = ">" if code[i].text == ">>>" else code[i].text, 0
    opening = "<" if close == ">" else CLOSING[close]
    j = i
    while j >= 0:
        text = code[j].text
        if text == close:
            depth += 1
        elif text == opening:
            depth -= 1
            if depth == 0:
                return j
        elif close == ">" and text in (")", "]", "}"):
            inner = backward(code, j)
            if inner is None:
                return None
            j = inner
        elif close == ">" and text == ">>>":
            depth += 3
        elif close == ">" and text in (";", "{"):
            return None
        j -= 1
    return None


def macro_parameters(code: list[Token], directive: int) -> set[str]:
    """Return the parameter names of the function-like macro that `directive` defines."""
    line = [t for t in code if t.directive == directive] if directive else []
    if len(line) < 4 or line[1].text != "define" or line[3].text != "(" or line[3].start != line[2].end:
        return set()
    names = set()
    for token in line[4:]:
        if token.text == ")":
            break
        names.add(token.text)
    return names


def angle(code: list[Token], i: int) -> int | None:
    """Return the index of the ``>`` that closes the ``<`` at `i`; None when it stays open."""
    depth, j = 0, i
    while j < len(code):
        text = code[j].text
        if text in ("(", "[", "{"):
            close = forward(code, j)
            if close is None:
                return None
            j = close
        elif text == "<":
            depth += 1
        elif text == ">":
            depth -= 1
            if depth == 0:
                return j
        elif text in (";", ")"):
            return None
        j += 1
    return None


def aligns(word: str) -> bool:
    """Whether `word` begins an alignment specifier or an attribute."""
    return word in ("__align__", "alignas", "__attribute__", "_Alignas", "__declspec")


def without_alignment(body: list[Token]) -> list[Token]:
    """Drop alignment specifiers: storage is aligned to 16 bytes anyway, and a typedef cannot carry them."""
    kept, j = [], 0
    while j < len(body):
        if aligns(body[j].text) and j + 1 < len(body) and body[j + 1].text == "(":
            depth = 0
            while j < len(body):
                depth += (body[j].text == "(") - (body[j].text == ")")
                j += 1
                if depth == 0 and body[j - 1].text == ")":
                    break
            continue
        kept.append(body[j])
        j += 1
    return kept


@dataclass(frozen=True)
class Declarator:
    """A declared name, and whether a value is assigned to it."""

    name: Token
    initialised: bool


def declarators(tokens: list[Token]) -> list[Declarator]:
    """Find the declared names in ``type a[2], *b, c`` (without the semicolon)."""
    groups: list[list[Token]] = [[]]
    depth = angle = 0
    for k, token in enumerate(tokens):
        text = token.text
        if token.kind == "punctuation":
            depth += (text in OPENING) - (text in CLOSING)
            if depth == 0:
                if text == "<" and k and tokens[k - 1].kind == "word":
                    angle += 1
                elif text == ">" and angle:
                    angle -= 1
                elif text == ">>>" and angle:
                    angle = max(0, angle - 3)
                elif text == "," and angle == 0:
                    groups.append([])
                    continue
        groups[-1].append(token)
    found = []
    for group in groups:
        name, initialised = _declared_name(group)
        if name is None:
            return []
        found.append(Declarator(name, initialised))
    if len(groups[0]) < 2:
        return []
    return found


def _declared_name(group: list[Token]) -> tuple[Token | None, bool]:
    name, depth, angle, initialised = None, 0, 0, False
    for k, token in enumerate(group):
        text = token.text
        if token.kind == "punctuation":
            if text == "<" and depth == 0 and k and group[k - 1].kind == "word":
                angle += 1
            elif text == ">" and depth == 0 and angle:
                angle -= 1
            elif text == ">>>" and depth == 0 and angle:
                angle = max(0, angle - 3)
            depth += (text in OPENING) - (text in CLOSING)
            if depth == 0 and text == "=" and angle == 0:
                initialised = True
                break
        elif token.kind == "word" and depth == 0 and angle == 0:
            name = token
    return name, initialised
