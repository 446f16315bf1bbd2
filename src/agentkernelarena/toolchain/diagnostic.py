"""Reading what compilers print: messages with file and line, and the resources of kernels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from agentkernelarena.toolchain import Diagnostic, KernelResources, Source
from agentkernelarena.toolchain.compiler import Deadline, Ran
from agentkernelarena.toolchain.symbol import ENTRY_POINT, demangled

_CLANG = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+): (?P<severity>fatal error|error|warning): (?P<text>.*)$"
)
_CLANG_PLACELESS = re.compile(r"^(?:<unknown>:0: |\S*(?:clang\S*|ld\.lld|lld\S*|hipcc|g\+\+|ld): )?"
                              r"(?P<severity>fatal error|error): (?P<text>.*)$")  # fmt: skip
_REMARK = re.compile(r"remark: *(?P<key>[A-Za-z][\w /\[\]]*?)(?: \[[^\]]*\])?: (?P<value>.*?) \[-Rpass-analysis=")
_NVCC = re.compile(r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d+)\): (?P<severity>catastrophic error|error|warning)"
                   r"(?: #\S+)?: (?P<text>.*)$")  # fmt: skip
_NVCC_PLACELESS = re.compile(
    r"^(?:ptxas|nvlink|nvcc|cudafe\+\+|fatbinary|[^\s:]*ld|collect2)(?: [^,;]*, line \d+; *)?\s*"
    r"(?:(?P<severity>fatal|error|warning)\s*:|: (?P<lower>error|warning|fatal error):)\s*(?P<text>.*)$"
)
_PTXAS_ENTRY = re.compile(r"Compiling entry function '(?P<name>[^']+)' for")
_PTXAS_SPILL = re.compile(r"(\d+) bytes spill stores")
_PTXAS_USED = re.compile(r"Used (?P<registers>\d+) registers(?P<rest>.*)")
_PTXAS_SHARED = re.compile(r"(\d+) bytes smem")
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:) [`']?(?P<name>[^'`\n]+)")


def clang_diagnostics(log: str, source: Source) -> tuple[Diagnostic, ...]:
    """Errors and warnings of clang and lld; paths inside the source's folder are given relative to it."""
    return _unique(d for line in log.splitlines() if (d := _clang_line(line, source)) is not None)


def nvcc_diagnostics(log: str, source: Source) -> tuple[Diagnostic, ...]:
    """Errors and warnings of nvcc: of its front end, of ptxas and of the host compiler and linker."""
    found = []
    for line in log.splitlines():
        if m := _NVCC.match(line):
            place = _relative(m["file"], source)
            found.append(Diagnostic(place, int(m["line"]), 0, m["severity"].split()[-1], m["text"].strip()))
        elif (m := _NVCC_PLACELESS.match(line)) and "returned" not in m["text"]:
            severity = "warning" if "warning" in (m["severity"], m["lower"]) else "error"
            found.append(Diagnostic(source.main, 0, 0, severity, _readable(m["text"].strip())))
        elif (d := _clang_line(line, source)) is not None:
            found.append(d)
    return _unique(found)


def _clang_line(line: str, source: Source) -> Diagnostic | None:
    if m := _CLANG.match(line):
        severity = m["severity"].split()[-1]
        place = _relative(m["file"], source)
        # A message without a position of its own (a resource limit) is printed at column 0.
        return Diagnostic(place, int(m["line"]), int(m["column"]), severity, m["text"])
    if (m := _CLANG_PLACELESS.match(line)) and "command failed" not in m["text"] and "linker command" not in m["text"]:
        return Diagnostic(source.main, 0, 0, "error", m["text"])
    if m := _UNDEFINED.search(line):
        return Diagnostic(source.main, 0, 0, "error", f"undefined symbol {demangled(m['name'])}")
    return None


def _readable(text: str) -> str:
    return re.sub(r"'(_Z\w+)'", lambda m: f"'{demangled(m[1])}'", text)


def _relative(file: str, source: Source) -> str:
    folder = source.folder.resolve()
    path = Path(file) if Path(file).is_absolute() else folder / file
    try:
        return str(path.resolve().relative_to(folder))
    except ValueError:
        return file


def _unique(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    # Device and host passes read the same file and say the same about it.
    return tuple(dict.fromkeys(found))


def clang_resources(log: str) -> tuple[KernelResources, ...]:
    """Kernels in the remarks of ``-Rpass-analysis=kernel-resource-usage``.

    `registers` counts vector and accumulation registers of a lane, `spills` scalar and vector registers spilled,
    `occupancy_waves` waves on one SIMD; LDS that a launch adds dynamically is not in `shared_bytes`.
    """
    kernels: list[dict[str, str]] = []
    for line in log.splitlines():
        if not (m := _REMARK.search(line)):
            continue
        if m["key"] in ("Function Name", "Name"):
            kernels.append({"Name": m["value"]})
        elif kernels:
            kernels[-1][m["key"]] = m["value"]
    return tuple(_clang_kernel(kernel) for kernel in kernels)


def _clang_kernel(facts: dict[str, str]) -> KernelResources:
    def count(*keys: str) -> int | None:
        values = [int(facts[key]) for key in keys if facts.get(key, "").isdigit()]
        return sum(values) if values else None

    return KernelResources(
        kernel=demangled(facts["Name"]),
        registers=count("VGPRs", "AGPRs"),
        scalar_registers=count("TotalSGPRs"),
        spills=count("SGPRs Spill", "VGPRs Spill"),
        shared_bytes=count("LDS Size"),
        occupancy_waves=count("Occupancy"),
    )


def ptxas_resources(log: str) -> tuple[KernelResources, ...]:
    """Kernels in the output of ``ptxas -v``; `spills` counts 32-bit registers stored (bytes spilled / 4)."""
    kernels = []
    name, spills = "", 0
    for line in log.splitlines():
        if m := _PTXAS_ENTRY.search(line):
            name, spills = m["name"], 0
        elif name and (m := _PTXAS_SPILL.search(line)):
            spills = int(m[1]) // 4
        elif name and (m := _PTXAS_USED.search(line)):
            shared = _PTXAS_SHARED.search(m["rest"])
            kernels.append(
                KernelResources(
                    kernel=demangled(name),
                    registers=int(m["registers"]),
                    spills=spills,
                    shared_bytes=int(shared[1]) if shared else 0,
                )
            )
            name = ""
    return tuple(kernels)


def no_entry_point(source: Source) -> Diagnostic:
    """The message for a source that compiles and offers no launcher."""
    text = f'defines no function {ENTRY_POINT} with C linkage: write extern "C" void {ENTRY_POINT}(...)'
    return Diagnostic(source.main, 0, 0, "error", text)


def unexplained_failure(source: Source, ran: list[Ran], deadline: Deadline) -> Diagnostic:
    """A message for a build that failed without one: the deadline, or a compiler that ended by itself."""
    bad = next((r for r in ran if not r.ok), ran[0])
    program = Path(bad.argv[0]).name
    if bad.status is None:
        return Diagnostic(source.main, 0, 0, "error", f"{program} was not done within {deadline.timeout_s:g} s")
    last = next((line for line in reversed(bad.output.splitlines()) if line.strip()), "no output")
    return Diagnostic(source.main, 0, 0, "error", f"{program} ended with status {bad.status}: {last[:300]}")
