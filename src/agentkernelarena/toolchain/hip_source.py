"""Rewrite HIP's extensions of C++ into calls that an ordinary compiler accepts, for HIP on the CPU.

What is rewritten: kernel launches ``k<<<grid, block, bytes, stream>>>(...)``, declarations with ``__shared__``, casts
of kernels to ``void*``, and the word ``__noinline__``. Everything else stays byte for byte, and every construct stays
on its lines, so that a compiler's line numbers are those of the author's file.

The work is done on tokens (comments, strings and raw strings are one token each), not on a syntax tree: launches and
shared variables also occur inside macro definitions and arguments, where there is no tree.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from agentkernelarena.toolchain.hip_token import (
    CLOSING,
    OPENING,
    aligns,
    angle,
    backward,
    declarators,
    forward,
    kernel_names,
    macro_parameters,
    tokens_of,
    without_alignment,
)

_STATEMENT_WORDS = frozenset(
    [
        "return",
        "else",
        "do",
        "case",
        "if",
        "while",
        "for",
        "switch",
        "goto",
        "throw",
        "co_return",
        "co_yield",
        "co_await",
        "sizeof",
        "new",
        "delete",
    ]
)
_QUALIFIERS = frozenset(["static", "extern", "__shared__"])


@dataclass(frozen=True)
class Note:
    """Something that looks like HIP and could not be rewritten; shown when the compiler fails."""

    line: int
    message: str


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Rewritten:
    """The new text, and the edits that led to it (for columns)."""

    text: str
    notes: tuple[Note, ...] = ()
    line_edits: dict[int, tuple[tuple[int, int, int], ...]] = field(default_factory=dict)
    """For each line: edits as (0-based column in the original, characters taken out, characters put in)."""

    def column(self, line: int, column: int) -> int:
        """Return the 1-based column in the author's line for a 1-based column in the rewritten one."""
        at, shift = column - 1, 0
        for original, removed, added in self.line_edits.get(line, ()):
            begin = original + shift
            if at < begin:
                break
            if at < begin + added:
                return original + 1
            shift += added - removed
        return at - shift + 1


def rewrite(text: str, kernels: Iterable[str] = ()) -> Rewritten:
    """Rewrite one file; `kernels` are the kernels declared in other files of the same program."""
    if not any(word in text for word in ("<<<", "__shared__", "__noinline__", "__global__", "void")):
        return Rewritten(text)
    return _Rewriter(text, kernel_names(text) | set(kernels)).run()


class _Rewriter:
    def __init__(self, text: str, kernels: set[str]) -> None:
        self.text = text
        self.kernels = kernels
        self.all = tokens_of(text)
        self.code = [t for t in self.all if t.kind not in ("space", "comment")]
        self.edits: list[_Edit] = []
        self.notes: list[Note] = []
        self.dynamic_globals: set[str] = set()
        self.newlines = [m.start() for m in re.finditer("\n", text)]

    def run(self) -> Rewritten:
        scopes: list[str] = []
        done = -1
        for i, token in enumerate(self.code):
            self._track_scope(scopes, i)
            if i <= done:
                continue
            if token.text == "<<<" and not self._is_operator(i):
                self._launch(i)
            elif token.text == "__shared__":
                done = self._shared(i, "function" in scopes or token.directive > 0)
            elif token.text == "__noinline__" and not self._previous(i, 2).endswith("(("):
                self.edits.append(_Edit(token.start, token.end, "HIP_CPU_NOINLINE"))
            elif token.text == "(" and self.kernels:
                self._c_cast(i)
            elif token.text == "reinterpret_cast":
                self._reinterpret_cast(i)
        return self._apply()

    # ---- walking -------------------------------------------------------------------------------------------------
    def _previous(self, i: int, count: int) -> str:
        return "".join(t.text for t in self.code[max(0, i - count) : i])

    def _is_operator(self, i: int) -> bool:
        return i > 0 and self.code[i - 1].text == "operator"

    def _track_scope(self, scopes: list[str], i: int) -> None:
        """Keep `scopes` as the kinds of the braces that are open at token `i`: function or other."""
        token = self.code[i]
        if token.directive or token.text not in "{}":
            return
        if token.text == "}":
            if scopes:
                scopes.pop()
            return
        head: list[str] = []
        depth = 0
        for j in range(i - 1, max(-1, i - 400), -1):
            text = self.code[j].text
            if self.code[j].directive:
                continue
            if depth == 0 and text in (";", "{", "}"):
                break
            depth += (text == ")") - (text == "(")
            if depth == 0:
                head.append(text)
        plain = "namespace" in head or head[:1] in (['"C"'], ['"C++"'])
        record = any(word in head for word in ("class", "struct", "union", "enum")) and "(" not in head
        scopes.append("other" if plain or record else "function")

    def _callee(self, end: int) -> int | None:
        """Return where the expression begins that ends before token `end`: a name, a call, a member, ``k<T, 4>``."""
        i = end - 1
        while i >= 0:
            token = self.code[i]
            if token.text in (")", "]", ">", ">>>"):
                opening = backward(self.code, i)
                if opening is None:
                    return None
                before = self.code[opening - 1] if opening else None
                named = before is not None and (before.kind == "word" or before.text in (")", "]", ">"))
                if token.text == ")" and (not named or (before and before.text in _STATEMENT_WORDS | {")"})):
                    i = opening
                    break
                if not named:
                    return None
                i = opening - 1
                continue
            if token.kind != "word" or token.text in _STATEMENT_WORDS:
                return None
            before_text = self.code[i - 1].text if i else ""
            if before_text == "template" and i > 1 and self.code[i - 2].text in ("::", ".", "->"):
                i, before_text = i - 1, self.code[i - 2].text
            if before_text in (".", "->", "##"):
                i -= 2
                continue
            if before_text == "::":
                scope = self.code[i - 2] if i > 1 else None
                if scope and (scope.text == ">" or (scope.kind == "word" and scope.text not in _STATEMENT_WORDS)):
                    i -= 2
                    continue
                i -= 1
            break
        return i if 0 <= i < end else None

    def _note(self, i: int, message: str) -> None:
        self.notes.append(Note(bisect.bisect_left(self.newlines, self.code[i].start) + 1, message))

    # ---- launches ------------------------------------------------------------------------------------------------
    def _launch(self, i: int) -> None:
        start = self._callee(i)
        if start is None:
            self._note(i, "a launch configuration <<<...>>> without a kernel before it")
            return
        close = self._configuration_end(i)
        if close is None:
            self._note(i, "a launch configuration <<< without >>>( after it")
            return
        first = self.code[start]
        self.edits.append(_Edit(first.start, first.start, "HIP_CPU_LAUNCH(("))
        self.edits.append(_Edit(self.code[i].start, self.code[i].end, "), "))
        self.edits.append(_Edit(self.code[close].start, self.code[close].end, ")"))
        end = forward(self.code, close + 1)
        for j in range(close + 2, end or 0):  # NULL deduces as an integer
            if self.code[j].text == "NULL":
                self.edits.append(_Edit(self.code[j].start, self.code[j].end, "nullptr"))

    def _configuration_end(self, i: int) -> int | None:
        """Return the index of the ``>>>`` that ends the configuration begun at `i`."""
        depth = angles = 0
        for j in range(i + 1, len(self.code) - 1):
            text = self.code[j].text
            if self.code[j].kind != "punctuation":
                continue
            depth += (text in OPENING) - (text in CLOSING)
            if depth < 0 or (depth == 0 and text == ";"):
                return None
            if depth == 0 and text == "<" and self.code[j - 1].kind == "word":
                angles += 1
            elif depth == 0 and text == ">>>" and angles >= 3:
                angles -= 3  # three template lists end here
            elif depth == 0 and text == ">>>" and self.code[j + 1].text == "(":
                return j
        return None

    # ---- shared variables ----------------------------------------------------------------------------------------
    def _shared(self, i: int, in_function: bool) -> int:
        """Rewrite the declaration that holds the ``__shared__`` at `i`; return the index of its last token."""
        begin = self._declaration_start(i)
        end = self._declaration_end(i)
        if end is None:
            self._note(i, "a __shared__ declaration without an end")
            return i
        body = [t for t in self.code[begin:end] if t.text not in _QUALIFIERS]
        external = any(t.text == "extern" for t in self.code[begin:end])
        kept = without_alignment(body)
        declared = declarators(kept)
        if not declared:
            self._note(i, "this __shared__ declaration is not understood")
            return i
        if any(d.initialised for d in declared):
            self._note(i, "a __shared__ variable cannot have an initialiser")
            return i
        if not in_function and not external:
            self._note(i, "__shared__ at namespace scope: declare the variable in the kernel that uses it")
            return i
        parameters = macro_parameters(self.code, self.code[i].directive)
        removed = [t for t in self.code[begin:end] if t not in kept]
        for k, token in enumerate(removed):
            text = "typedef" if k == 0 else ""
            self.edits.append(_Edit(token.start, token.end, text))
        tail = []
        for d in declared:
            paste = "##" if d.name.text in parameters else ""
            alias, slot = f"hip_cpu_t_{paste}{d.name.text}", f"hip_cpu_s_{paste}{d.name.text}"
            self.edits.append(_Edit(d.name.start, d.name.end, alias))
            if not in_function:
                tail.append(f" static const hip_cpu::DynamicShared<{alias}> {d.name.text}{{}};")
                self.dynamic_globals.add(d.name.text)
            elif external:
                tail.append(f" {alias}& {d.name.text} = hip_cpu::dynamic_shared<{alias}>();")
            else:
                what = f"#{d.name.text}" if paste else f'"{d.name.text}"'
                tail.append(
                    f" static hip_cpu::Slot {slot}; {alias}& {d.name.text} = hip_cpu::shared<{alias}>({slot}, {what});"
                )
        semicolon = end < len(self.code) and self.code[end].text == ";"
        at = self.code[end].end if semicolon else self.code[end - 1].end
        after = "".join(tail)
        if not semicolon:  # the body of a macro whose user writes the semicolon
            after = ";" + after.removesuffix(";")
        self.edits.append(_Edit(at, at, after))
        return end if semicolon else end - 1

    def _declaration_start(self, i: int) -> int:
        """Go back over what may stand before ``__shared__``: static, extern, a type, an alignment."""
        begin, directive = i, self.code[i].directive
        while begin > 0:
            token = self.code[begin - 1]
            if token.directive != directive:
                break
            if token.text == ")":
                opening = backward(self.code, begin - 1)
                if opening is None or not opening or not aligns(self.code[opening - 1].text):
                    break
                begin = opening - 1
            elif token.kind == "word" and token.text not in _STATEMENT_WORDS:
                if directive and self._starts_directive(begin - 1):
                    break
                begin -= 1
            else:
                break
        return begin

    def _starts_directive(self, i: int) -> bool:
        """Whether token `i` is ``define`` or the name that it defines."""
        return self.code[i - 1].text == "#" or (i > 1 and self.code[i - 1].text == "define")

    def _declaration_end(self, i: int) -> int | None:
        """Return the index of the ``;`` of the declaration, or of the token after it at the end of a directive."""
        directive, j = self.code[i].directive, i
        while j < len(self.code):
            token = self.code[j]
            if token.directive != directive:
                return j if directive else None
            if token.text == ";":
                return j
            if token.kind == "punctuation" and token.text in OPENING:
                closing = forward(self.code, j)
                if closing is None:
                    return None
                j = closing
            elif token.kind == "punctuation" and token.text in CLOSING:
                return None
            j += 1
        return j if directive else None

    # ---- kernels as data -----------------------------------------------------------------------------------------
    def _c_cast(self, i: int) -> None:
        """``(const void*)kernel`` and ``(void*)&kernel<T>``."""
        inner = [t.text for t in self.code[i + 1 : i + 5]]
        width = 2 if inner[:1] == ["void"] else 3 if inner[:2] in (["const", "void"], ["void", "const"]) else 0
        if not width or inner[width - 1 : width + 1] != ["*", ")"]:
            return
        self._erase(i, i + width + 2)

    def _reinterpret_cast(self, i: int) -> None:
        inner = [t.text for t in self.code[i + 1 : i + 7]]
        if inner[:4] == ["<", "void", "*", ">"]:
            self._erase(i, i + 5)
        elif inner[:5] in (["<", "const", "void", "*", ">"], ["<", "void", "const", "*", ">"]):
            self._erase(i, i + 6)
        elif self.dynamic_globals:
            opening = next((j for j in range(i, min(i + 40, len(self.code))) if self.code[j].text == "("), None)
            if opening is not None and opening + 1 < len(self.code):
                name = self.code[opening + 1]
                if name.text in self.dynamic_globals:
                    self.edits.append(_Edit(name.end, name.end, ".data()"))

    def _erase(self, start: int, operand: int) -> None:
        """Replace the cast in [start, operand) if a kernel follows."""
        j = operand
        while j < len(self.code) and self.code[j].text in ("(", "&"):
            j += 1
        while j + 1 < len(self.code) and self.code[j].kind == "word" and self.code[j + 1].text == "::":
            j += 2
        if j >= len(self.code) or self.code[j].text not in self.kernels:
            return
        last = j
        if self.code[operand].text == "(":
            close = forward(self.code, operand)
            if close is None:
                return
            last = close
        elif j + 1 < len(self.code) and self.code[j + 1].text == "<":
            close = angle(self.code, j + 1)
            if close is None:
                return
            last = close
        elif j + 1 < len(self.code) and self.code[j + 1].text == "(":
            return  # a call, not the kernel itself
        name = self.code[j].text
        cast = self.code[start:operand]
        self.edits.append(_Edit(cast[0].start, cast[0].end, f'hip_cpu::erased("{name}", '))
        for token in cast[1:]:
            self.edits.append(_Edit(token.start, token.end, ""))
        self.edits.append(_Edit(self.code[last].end, self.code[last].end, ")"))

    # ---- result --------------------------------------------------------------------------------------------------
    def _apply(self) -> Rewritten:
        pieces, position = [], 0
        lines: dict[int, list[tuple[int, int, int]]] = {}
        for _, edit in sorted(enumerate(self.edits), key=lambda pair: (pair[1].start, pair[1].end, pair[0])):
            pieces += [self.text[position : edit.start], edit.text]
            position = edit.end
            line = bisect.bisect_left(self.newlines, edit.start) + 1
            column = edit.start - (self.newlines[line - 2] + 1 if line > 1 else 0)
            lines.setdefault(line, []).append((column, edit.end - edit.start, len(edit.text)))
        pieces.append(self.text[position:])
        return Rewritten("".join(pieces), tuple(self.notes), {k: tuple(v) for k, v in lines.items()})
