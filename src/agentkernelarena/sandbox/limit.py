"""Limits on what a sandboxed program uses: control groups where they can be made, else rlimits and a watchdog.

A control group holds for everything inside it and cannot be left, so it comes first: version 2 where it is delegated
to us, then version 1 where it is writable. What has no group is watched: four times a second the resident memory,
the number of processes and the size of the writable folders are summed, and the program is ended when they exceed
their limit. RLIMIT_AS is never used: GPU drivers and several runtimes reserve far more than they touch.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from agentkernelarena.sandbox.spec import Limits, SandboxSpec

WATCH_INTERVAL_S = 0.25
GROUP_PREFIX = "aka-"


@dataclass(frozen=True)
class GroupParent:
    """A control group below which this process may make others. version: 1 or 2; controllers: what they limit."""

    folder: Path
    version: int
    controllers: frozenset[str]


@dataclass
class Group:
    """The control groups made for one program; `tasks` are the files through which a process joins them."""

    folders: list[tuple[Path, int]] = field(default_factory=list)
    controllers: set[str] = field(default_factory=set)

    @property
    def tasks(self) -> list[Path]:
        return [folder / "cgroup.procs" for folder, _ in self.folders]

    def memory_events(self) -> int:
        """How often the kernel ended a process of the group for want of memory."""
        total = 0
        for folder, version in self.folders:
            file = folder / ("memory.events" if version == 2 else "memory.oom_control")
            with contextlib.suppress(OSError, ValueError):
                counts = dict(line.split() for line in file.read_text().splitlines())
                total += int(counts.get("oom_kill", 0))
        return total

    def pids(self) -> set[int]:
        found: set[int] = set()
        for file in self.tasks:
            with contextlib.suppress(OSError):
                found.update(int(p) for p in file.read_text().split())
        return found

    def remove(self) -> None:
        """Remove the groups; the kernel needs a moment after the last process has gone."""
        for folder, _ in self.folders:
            for _ in range(50):
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)
        self.folders.clear()


def parse_mounts(mounts: str) -> tuple[dict[str, Path], Path | None]:
    """From the text of /proc/mounts: version 1 controller -> mount point, and the version 2 mount point."""
    first: dict[str, Path] = {}
    second: Path | None = None
    for line in mounts.splitlines():
        _, folder, kind, options, *_ = line.split()
        if kind == "cgroup2" and second is None:
            second = Path(folder)
        elif kind == "cgroup" and "rw" in options.split(","):
            first.update({name: Path(folder) for name in options.split(",") if name in ("memory", "pids")})
    return first, second


def parse_membership(text: str) -> dict[str, str]:
    """From the text of /proc/self/cgroup: controller -> path of our group; version 2 stands under ''."""
    found = {}
    for line in text.splitlines():
        _, names, path = line.split(":", 2)
        found.update(dict.fromkeys(names.split(","), path))
    return found


@lru_cache(maxsize=1)
def group_parents() -> tuple[GroupParent, ...]:
    """Where groups can really be made, found by making one: at most one parent per controller."""
    try:
        first, second = parse_mounts(Path("/proc/mounts").read_text())
        own = parse_membership(Path("/proc/self/cgroup").read_text())
    except OSError:
        return ()
    candidates: list[GroupParent] = []
    if second is not None and "" in own:
        here = second / own[""].lstrip("/")
        # Version 2 lets a group that holds processes have no limited children; its parent may, when it was delegated
        # to this user. Root could write to any parent, and would leave the limits of its own group that way.
        folders = (here,) if os.geteuid() == 0 or here == second else (here, here.parent)
        candidates += [GroupParent(folder, 2, frozenset(("memory", "pids"))) for folder in folders]
    for name, folder in first.items():
        candidates.append(GroupParent(folder / own.get(name, "/").lstrip("/"), 1, frozenset((name,))))
    chosen: list[GroupParent] = []
    for candidate in candidates:
        missing = candidate.controllers - {c for parent in chosen for c in parent.controllers}
        usable = frozenset(name for name in missing if _can_limit(candidate, name))
        if usable:
            chosen.append(GroupParent(candidate.folder, candidate.version, usable))
    return tuple(chosen)


_LIMIT_FILES = {(1, "memory"): "memory.limit_in_bytes", (2, "memory"): "memory.max",
                (1, "pids"): "pids.max", (2, "pids"): "pids.max"}


def _can_limit(parent: GroupParent, controller: str) -> bool:
    folder = parent.folder / f"{GROUP_PREFIX}probe-{uuid.uuid4().hex[:12]}"
    try:
        folder.mkdir()
    except OSError:
        return False
    try:
        limit = folder / _LIMIT_FILES[parent.version, controller]
        if not limit.exists():
            return False
        limit.write_text(str(2**30) if controller == "memory" else "1000")
        return os.access(folder / "cgroup.procs", os.W_OK)
    except OSError:
        return False
    finally:
        folder.rmdir()


def make_group(limits: Limits) -> Group:
    """Make the groups that `limits` need, as far as this machine lets us; an empty `Group` where it does not."""
    wanted = {"memory": limits.memory_mib, "pids": limits.processes}
    group = Group()
    for parent in group_parents():
        needed = [c for c in parent.controllers if wanted[c] is not None]
        if not needed:
            continue
        folder = parent.folder / f"{GROUP_PREFIX}{os.getpid()}-{uuid.uuid4().hex[:12]}"
        with contextlib.suppress(OSError):
            folder.mkdir()
            group.folders.append((folder, parent.version))
            for controller in needed:
                _write_limit(folder, parent.version, controller, limits)
                group.controllers.add(controller)
    return group


def _write_limit(folder: Path, version: int, controller: str, limits: Limits) -> None:
    file = folder / _LIMIT_FILES[version, controller]
    if controller == "pids":
        # The engine's own outer and inner process live in the group too.
        file.write_text(str((limits.processes or 0) + 3))
        return
    size = str((limits.memory_mib or 0) * 2**20)
    file.write_text(size)
    swap = folder / ("memory.swap.max" if version == 2 else "memory.memsw.limit_in_bytes")
    with contextlib.suppress(OSError):
        swap.write_text("0" if version == 2 else size)


def prefix(limits: Limits, group: Group) -> list[str]:
    """The argv that joins the groups, sets the rlimits and then runs what follows it."""
    lines = [f"echo 0 > '{file}' || exit 125" for file in group.tasks]
    lines.append("ulimit -c 0")
    if limits.file_mib is not None:
        lines.append(f"ulimit -f {limits.file_mib * 2048}")  # in blocks of 512 bytes, as POSIX has it
    if limits.open_files is not None:
        lines.append(f"ulimit -n {limits.open_files}")
    return ["/bin/sh", "-c", "; ".join([*lines, 'exec "$@"']), "sh"]


def enforcement(limits: Limits, group: Group) -> tuple[str, ...]:
    """What holds each limit that is set, for the record: such as ``memory 512 MiB by cgroup v1``."""
    versions = sorted({v for _, v in group.folders})
    by_group = "cgroup v" + "+v".join(str(v) for v in versions)
    out = []
    if limits.memory_mib is not None:
        out.append(f"memory {limits.memory_mib} MiB by {by_group if 'memory' in group.controllers else 'watchdog'}")
    if limits.processes is not None:
        out.append(f"processes {limits.processes} by {by_group if 'pids' in group.controllers else 'watchdog'}")
    if limits.file_mib is not None:
        out.append(f"file size {limits.file_mib} MiB by rlimit")
    if limits.disk_mib is not None:
        out.append(f"disk {limits.disk_mib} MiB by watchdog")
    return tuple(out)


@dataclass
class Watch:
    """One watched program. stop(reason) ends it."""

    root: int
    limits: Limits
    folders: tuple[Path, ...]
    memory: bool
    processes: bool
    disk: bool
    stop: Callable[[str], None]

    def check(self) -> str:
        """The limit that is exceeded, or ''."""
        if self.memory or self.processes:
            pids = descendants(self.root)
            if self.processes and len(pids) > (self.limits.processes or 0) + 2:
                return "processes"
            if self.memory and sum(resident_kib(p) for p in pids) > (self.limits.memory_mib or 0) * 1024:
                return "memory"
        if self.disk and sum(size_mib(f) for f in self.folders) > (self.limits.disk_mib or 0):
            return "disk"
        return ""


class Watchdog:
    """One daemon thread for all watched programs of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watches: dict[int, Watch] = {}
        self._thread: threading.Thread | None = None

    def add(self, watch: Watch) -> None:
        with self._lock:
            self._watches[watch.root] = watch
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="sandbox-watchdog", daemon=True)
                self._thread.start()

    def remove(self, root: int) -> None:
        with self._lock:
            self._watches.pop(root, None)

    def _run(self) -> None:
        while True:
            time.sleep(WATCH_INTERVAL_S)
            with self._lock:
                if not self._watches:
                    self._thread = None
                    return
                watches = list(self._watches.values())
            for watch in watches:
                if exceeded := watch.check():
                    self.remove(watch.root)
                    watch.stop(exceeded)


WATCHDOG = Watchdog()


def watch_for(spec: SandboxSpec, group: Group, root: int, stop: Callable[[str], None]) -> Watch | None:
    """What has to be watched because no group holds it; None when nothing has."""
    limits = spec.limits
    memory = limits.memory_mib is not None and "memory" not in group.controllers
    processes = limits.processes is not None and "pids" not in group.controllers
    disk = limits.disk_mib is not None
    if not (memory or processes or disk):
        return None
    folders = tuple(b.source for b in spec.writable) + ((spec.home,) if spec.home else ())
    return Watch(root, limits, folders, memory, processes, disk, stop)


def descendants(root: int) -> list[int]:
    """`root` and all processes below it, as this machine's /proc has them."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    found, stack = [root], [root]
    while stack:
        below = children.get(stack.pop(), [])
        found += below
        stack += below
    return found


def resident_kib(pid: int) -> int:
    """Memory that is resident for `pid` and not merely mapped from files."""
    total = 0
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(("RssAnon:", "RssShmem:")):
                total += int(line.split()[1])
    return total


def size_mib(folder: Path, entries: int = 200_000) -> float:
    """Disk space taken below `folder`; links are not followed, and counting stops after `entries`."""
    blocks, stack = 0, [str(folder)]
    while stack and entries > 0:
        with contextlib.suppress(OSError), os.scandir(stack.pop()) as listing:
            for entry in listing:
                entries -= 1
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    blocks += status.st_blocks
                    if entry.is_dir(follow_symlinks=False):
                        stack.append(entry.path)
    return blocks / 2048
