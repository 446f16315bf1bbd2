"""Running compilers and reading what they print, without any compiler."""

from __future__ import annotations

import struct
import sys
import time
from pathlib import Path

import pytest

from agentkernelarena.errors import InputError
from agentkernelarena.toolchain import Source, compiler, device_library
from agentkernelarena.toolchain.diagnostic import clang_diagnostics, clang_resources, nvcc_diagnostics, ptxas_resources
from agentkernelarena.toolchain.hip_amd import HipAmd
from agentkernelarena.toolchain.hip_cuda import HipCuda
from agentkernelarena.toolchain.symbol import defined_functions, demangled
from agentkernelarena.toolchain.triton_gpu import TritonGpu


def test_commands_share_one_deadline_and_leave_no_children(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True); import time; time.sleep(60)"
    )
    start = time.monotonic()
    slow, quick = compiler.run(
        [[sys.executable, "-c", script], [sys.executable, "-c", "print('done')"]], tmp_path, compiler.Deadline(6)
    )
    assert time.monotonic() - start < 30
    assert slow.status is None
    assert "not done within 6 s" in slow.output
    grandchild = int(slow.output.split()[0])
    for _ in range(100):
        try:
            state = Path(f"/proc/{grandchild}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            break
        if state == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("the slow command's own child is still running")
    assert (quick.ok, quick.output) == (True, "done\n")


def test_a_flood_of_output_is_cut(tmp_path: Path) -> None:
    (ran,) = compiler.run([[sys.executable, "-c", "print('x' * 3_000_000)"]], tmp_path, compiler.Deadline(30))
    assert ran.ok
    assert 400_000 < len(ran.output) < 401_000
    assert "cut after 400000 bytes" in ran.output


def test_a_digest_depends_on_names_contents_and_order(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "b").write_text("2")
    first = compiler.digest([tmp_path, "flag"])
    assert first == compiler.digest([tmp_path, "flag"])
    assert first != compiler.digest(["flag", tmp_path])
    assert compiler.digest(["ab", "c"]) != compiler.digest(["a", "bc"])
    (tmp_path / "b").rename(tmp_path / "c")
    assert first != compiler.digest([tmp_path, "flag"])


def test_headers_and_defines_become_arguments(tmp_path: Path) -> None:
    header = tmp_path / "generated" / "operator.h"
    header.parent.mkdir()
    header.write_text("")
    for entry in (header, header.parent):
        source = Source(tmp_path, "kernel.hip", (entry,), {"B": "2", "A": ""})
        assert compiler.preprocessor_arguments(source) == [f"-I{tmp_path}", f"-I{header.parent}", "-DA", "-DB=2"]


CLANG = """In file included from kernel.hip:2:
./part.h:7:3: warning: unused variable 'q' [-Wunused-variable]
    7 |   int q = 1;
/elsewhere/hip_runtime.h:10:1: error: static assertion failed: no
kernel.hip:3:10: error: use of undeclared identifier 'foo'
kernel.hip:9:1: note: expanded from here
fatal error: too many errors emitted, stopping now [-ferror-limit=]
lld: error: undefined hidden symbol: ext(float)
/usr/bin/ld: /tmp/x.o: in function `launch': x.cpp:(.text+0x1): undefined reference to `host_only(int)'
clang++-22: error: amdgcn-link command failed with exit code 1 (use -v to see invocation)
kernel.hip:3:10: error: use of undeclared identifier 'foo'
"""


def test_clang_messages_become_diagnostics(tmp_path: Path) -> None:
    found = [str(d) for d in clang_diagnostics(CLANG, Source(tmp_path, "kernel.hip"))]
    assert found == [
        "part.h:7:3: warning: unused variable 'q' [-Wunused-variable]",
        "/elsewhere/hip_runtime.h:10:1: error: static assertion failed: no",
        "kernel.hip:3:10: error: use of undeclared identifier 'foo'",
        "kernel.hip: error: too many errors emitted, stopping now [-ferror-limit=]",
        "kernel.hip: error: undefined hidden symbol: ext(float)",
        "kernel.hip: error: undefined symbol host_only(int)",
    ]


NVCC = """kernel.hip(4): warning #177-D: variable "unused" was declared but never referenced
    int unused = 3;

kernel.hip(5): error: identifier "foo" is undefined
kernel.hip:7:12: error: expected ';' before '}' token
ptxas error   : Entry function '_Z1kPfi' uses too much shared data (0x14000 bytes, 0xc000 max)
ptxas /tmp/x.ptx, line 12; error   : Feature 'wgmma' not supported on .target 'sm_80'
ptxas fatal   : Ptx assembly aborted due to errors
ptxas info    : 0 bytes gmem
1 error detected in the compilation of "kernel.hip".
"""


def test_nvcc_messages_become_diagnostics(tmp_path: Path) -> None:
    found = [str(d) for d in nvcc_diagnostics(NVCC, Source(tmp_path, "kernel.hip"))]
    assert found == [
        'kernel.hip:4: warning: variable "unused" was declared but never referenced',
        'kernel.hip:5: error: identifier "foo" is undefined',
        "kernel.hip:7:12: error: expected ';' before '}' token",
        f"kernel.hip: error: Entry function '{demangled('_Z1kPfi')}' uses too much shared data (0x14000 bytes, 0xc000 "
        "max)",
        "kernel.hip: error: Feature 'wgmma' not supported on .target 'sm_80'",
        "kernel.hip: error: Ptx assembly aborted due to errors",
    ]


REMARKS = "\n".join(
    f"kernel.hip:3:1: remark: {text} [-Rpass-analysis=kernel-resource-usage]"
    for text in (
        "Function Name: plain", "    TotalSGPRs: 20", "    VGPRs: 40", "    AGPRs: 8",
        "    ScratchSize [bytes/lane]: 12", "    Dynamic Stack: False", "    Occupancy [waves/SIMD]: 5",
        "    SGPRs Spill: 2", "    VGPRs Spill: 3", "    LDS Size [bytes/block]: 2176",
        "Function Name: unresolved", "    TotalSGPRs: unresolved.numbered_sgpr+6", "    VGPRs Spill: 0",
    )
)  # fmt: skip


def test_resource_remarks_become_resources() -> None:
    plain, unresolved = clang_resources(REMARKS)
    assert (plain.kernel, plain.registers, plain.scalar_registers) == ("plain", 48, 20)
    assert (plain.spills, plain.shared_bytes, plain.occupancy_waves) == (5, 2176, 5)
    assert (unresolved.kernel, unresolved.registers, unresolved.scalar_registers) == ("unresolved", None, None)


def test_ptxas_output_becomes_resources() -> None:
    log = """ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
    8 bytes stack frame, 24 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 2176 bytes smem, 380 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Used 10 registers
"""
    first, second = ptxas_resources(log)
    assert (first.kernel, first.registers, first.spills, first.shared_bytes) == ("first", 255, 6, 2176)
    assert (second.kernel, second.registers, second.spills, second.shared_bytes) == ("second", 10, 0, 0)


def elf(symbols: list[tuple[str, int, int, int]]) -> bytes:
    """An ELF64 object with a symbol table of (name, info, visibility, section) and nothing else."""
    names, table = b"\0", struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    for name, info, visibility, section in symbols:
        table += struct.pack("<IBBHQQ", len(names), info, visibility, section, 0, 0)
        names += name.encode() + b"\0"
    at = 64
    sections = struct.pack("<IIQQQQIIQQ", *[0] * 10)
    sections += struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, at, len(table), 2, 0, 8, 24)
    sections += struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, at + len(table), len(names), 0, 0, 1, 0)
    end = at + len(table) + len(names)
    header = (
        b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, end, 0, 64, 0, 0, 64, 3, 0)
    )
    return header + table + names + sections


def test_only_functions_that_others_can_call_are_defined(tmp_path: Path) -> None:
    file = tmp_path / "x.o"
    everything = [("launch", 0x12, 0, 1), ("weak", 0x22, 0, 1), ("local", 0x02, 0, 1), ("hidden", 0x12, 2, 1),
                  ("undefined", 0x12, 0, 0), ("data", 0x11, 0, 1)]  # fmt: skip
    file.write_bytes(elf(everything))
    assert defined_functions(file) == {"launch", "weak"}
    for broken in (b"", b"#!/bin/sh\n", elf(everything)[:100], b"\x7fELF\x02\x01" + bytes(range(200)) * 2):
        file.write_bytes(broken)
        assert defined_functions(file) == frozenset()


def test_the_device_library_supplies_what_the_bitcode_asks_for() -> None:
    """The names are those that ocml.bc and ockl.bc of HIP 7.1 declare and do not define (listed with llvm-dis)."""
    made = "\n".join(device_library.modules().values())
    for symbol in ("unsafe_math_opt", "correctly_rounded_sqrt32", "finite_only_opt", "ISA_version", "wavefrontsize64",
                   "wavefrontsize_log2", "ABI_version"):  # fmt: skip
        assert f"@__oclc_{symbol} = " in made
    assert "constant i32 9402\n" in device_library.modules()["oclc_isa_version_942"]
    assert "constant i32 11000\n" in device_library.modules()["oclc_isa_version_1100"]


def test_unknown_architectures_are_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="gfx90a, gfx942, gfx950, gfx1100"):
        HipAmd("gfx906")
    with pytest.raises(InputError, match="sm_90"):
        HipCuda("gfx942")
    with pytest.raises(InputError, match="sm_90"):
        TritonGpu("cuda", "gfx942")
    with pytest.raises(InputError, match="cuda"):
        TritonGpu("metal", "m1")
    assert HipAmd("gfx942:sramecc+:xnack-").arch == "gfx942"
    assert TritonGpu("cuda", "sm_90a").arch == "sm_90"


def test_fingerprints_differ_by_architecture_and_repeat() -> None:
    made = [HipAmd("gfx942"), HipAmd("gfx950"), HipCuda("sm_90"), HipCuda("sm_100"), TritonGpu("hip", "gfx942"),
            TritonGpu("cuda", "sm_90")]  # fmt: skip
    prints = [toolchain.fingerprint() for toolchain in made]
    assert len(set(prints)) == len(made)
    assert prints == [toolchain.fingerprint() for toolchain in made]


def test_what_is_missing_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    monkeypatch.setenv("AKA_CLANG", str(tmp_path / "clang++"))
    amd = HipAmd("gfx942")
    if not amd.loadable:
        assert any(lack.install == "apt-get install clang-22 lld-22" for lack in amd.missing())
        assert "no compiler" in amd.version()
    assert any(lack.what.startswith("g++") for lack in HipCuda("sm_90").missing())
