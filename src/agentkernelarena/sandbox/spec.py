"""What a sandboxed program may see, write and use. Every engine reads the same description.

Paths in a spec are paths of the host. Where an engine has a mount namespace of its own, a bind may appear elsewhere
inside; `Engine.inside` translates.
"""

from __future__ import annotations

import site
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

HOME = Path("/home/agent")
"""Home of the program inside engines with a mount namespace."""

UID = 1000

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt/rocm")
SYSTEM_FILES = (
    "/etc/alternatives", "/etc/ca-certificates", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/localtime", "/etc/nsswitch.conf", "/etc/OpenCL", "/etc/pki", "/etc/ssl",
)
NETWORK_FILES = ("/etc/resolv.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols")


@dataclass(frozen=True)
class Bind:
    """A file, socket or folder of the host that is visible inside at `target` (default: where it is)."""

    source: Path
    target: Path

    @classmethod
    def of(cls, source: Path, target: Path | str | None = None) -> Bind:
        """Bind `source` (made absolute) at `target`, or at its own path."""
        absolute = source.absolute()
        return cls(absolute, Path(target) if target is not None else absolute)


@dataclass(frozen=True)
class Limits:
    """Upper bounds; None means none.

    memory_mib and processes hold for everything that the program starts, together. file_mib bounds each file that it
    writes, disk_mib all that it leaves in the writable binds, open_files its descriptors, scratch_mib the private
    /tmp, /dev/shm and (when it is not a bind) the home, each.
    """

    memory_mib: int | None = None
    processes: int | None = None
    file_mib: int | None = None
    disk_mib: int | None = None
    open_files: int | None = None
    scratch_mib: int | None = 2048


@dataclass(frozen=True)
class SandboxSpec:
    """One program's surroundings.

    read_only, writable: binds; nothing else of the host's files is visible but the system's programs and libraries.
    masked: folders inside a bind that appear empty. environment: the whole environment besides PATH, HOME, TMPDIR,
    USER and LANG; nothing of the caller's is inherited. devices: device nodes. network: False leaves a loopback of
    its own and nothing else. cwd: a host path inside a bind, None for the home. home: a folder of the host that
    becomes the home, None for an empty one that is gone afterwards. pass_fds: descriptors that stay open, under the
    same numbers. as_init: the program itself is PID 1 of its namespace where the engine can do that, not the child of
    a process that it could trace; it has to reap orphans then.
    """

    read_only: tuple[Bind, ...] = ()
    writable: tuple[Bind, ...] = ()
    masked: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[Path, ...] = ()
    network: bool = False
    limits: Limits = Limits()
    cwd: Path | None = None
    home: Path | None = None
    pass_fds: tuple[int, ...] = ()
    as_init: bool = False

    def ordered_binds(self) -> list[tuple[Bind, bool]]:
        """All binds with whether they are writable, outer paths first, so that an inner one lies on top."""
        marked = [(b, False) for b in self.read_only] + [(b, True) for b in self.writable]
        return sorted(marked, key=lambda item: len(item[0].target.parts))

    def masked_folders(self) -> list[Path]:
        """The masked folders that would be visible without the mask."""
        shown = [b.target for b, _ in self.ordered_binds()]
        return [m for m in self.masked if m.is_dir() and any(m == s or s in m.parents for s in shown)]


def system_links() -> list[tuple[str, str]]:
    """(link target, path) of the system folders that are symbolic links, such as /bin -> usr/bin."""
    links = [(Path(p), p) for p in SYSTEM_FOLDERS if Path(p).is_symlink()]
    return [(str(path.readlink()), name) for path, name in links if not path.readlink().is_absolute()]


def system_binds(network: bool = False) -> tuple[Bind, ...]:
    """The system's programs, libraries and the few files in /etc that they read, as far as they exist."""
    linked = {name for _, name in system_links()}
    found = [Bind(Path(p).resolve(), Path(p)) for p in SYSTEM_FOLDERS if p not in linked and Path(p).is_dir()]
    files = SYSTEM_FILES + (NETWORK_FILES if network else ())
    found += [Bind(Path(p).resolve(), Path(p)) for p in files if Path(p).exists()]
    own = Path(__file__).parent / "etc"
    names = ("passwd", "group") if network else ("passwd", "group", "hosts")
    found += [Bind(own / name, Path("/etc") / name) for name in names]
    if network and Path("/etc/hosts").exists():
        found.append(Bind.of(Path("/etc/hosts")))
    return tuple(found)


def package_folder() -> Path:
    """The installed package's folder."""
    return Path(__file__).resolve().parents[1]


def python_binds(package: bool) -> tuple[Bind, ...]:
    """This interpreter with all that is installed for it, read-only, at its own paths.

    package: also bind this package where it is not installed below the interpreter's prefix (an editable install).
    """
    prefixes = {Path(sys.prefix).absolute(), Path(sys.base_prefix).absolute(), Path(sys.base_prefix).resolve()}
    kept = [p for p in sorted(prefixes) if p != Path("/usr") and Path("/usr") not in p.parents]
    binds = [Bind.of(p) for p in kept]
    folder = package_folder()
    if package and not any(p in folder.parents for p in [*kept, Path("/usr")]):
        binds.append(Bind.of(folder))
    return tuple(binds)


def python_environment() -> dict[str, str]:
    """Variables with which the interpreter of `python_binds(package=True)` finds this package, installed or not."""
    root = str(package_folder().parent)
    installed = any(root == str(Path(p).resolve()) for p in site.getsitepackages())
    return {} if installed else {"PYTHONPATH": root}
