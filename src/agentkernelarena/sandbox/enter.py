"""Runs a program in namespaces of its own, with no help but the kernel's: the inner half of the `unshare` engine.

Run as a script, by path, with ``-I -S``; imports nothing of this package, so that it starts in a few milliseconds.
argv: a JSON plan, then the program and its arguments. Exit status: the program's, 128 + n when signal n ended it,
125 when the surroundings could not be made (with one line on standard error).
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
NEW_NS, NEW_CGROUP, NEW_UTS, NEW_IPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEW_USER, NEW_PID, NEW_NET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_SLAVE = 1, 2, 4, 8, 4096, 16384, 1 << 19
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
SYS_MOUNT_SETATTR = 442
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS = 1, 24, 28, 38
SECURE_NOROOT_LOCKED = 0x3 | 0xC
FAILED = 125


class Plan:
    """The JSON plan: what `unshare.py` wrote, read field by field."""

    def __init__(self, text: str) -> None:
        values = json.loads(text)
        self.user: bool = values["user"]
        self.uid: int = values["uid"]
        self.network: bool = values["network"]
        self.info_fd: int = values["info_fd"]
        self.links: list[tuple[str, str]] = values["links"]
        self.binds: list[tuple[str, str, bool]] = values["binds"]
        self.devices: list[str] = values["devices"]
        self.masked: list[str] = values["masked"]
        self.home: str = values["home"]
        self.scratch_mib: int | None = values["scratch_mib"]
        self.cwd: str = values["cwd"]


def checked(result: int, what: str) -> None:
    """Raise OSError naming `what` when a call of the C library failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encode = [x.encode() if x is not None else None for x in (source, target, kind, data)]
    checked(LIBC.mount(encode[0], encode[1], encode[2], ctypes.c_ulong(flags), encode[3]), f"mount {target}")


def lock(target: str, read_only: bool) -> None:
    """Take set-uid and device rights (and writing) from a mount and from all below it."""
    attributes = struct.pack("QQQQ", ATTR_NOSUID | ATTR_NODEV | (ATTR_RDONLY if read_only else 0), 0, 0, 0)
    call = LIBC.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, target.encode(), AT_RECURSIVE, attributes, len(attributes))
    checked(call, f"mount_setattr {target}")


def set_read_only(target: str) -> None:
    """Not recursive: only this mount itself, not what is mounted on it."""
    attributes = struct.pack("QQQQ", ATTR_RDONLY, 0, 0, 0)
    call = LIBC.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, target.encode(), 0, attributes, len(attributes))
    checked(call, f"mount_setattr {target}")


def bind(source: str, target: str, read_only: bool, device: bool = False) -> None:
    """Bind `/old<source>` at `/new<target>`, making the mount point."""
    source, target = "/old" + source, "/new" + target
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.lexists(target):
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    mount(source, target, None, MS_BIND | MS_REC)
    if not device:
        lock(target, read_only)


def scratch(target: str, size_mib: int | None, mode: str = "0755") -> None:
    os.makedirs(target, exist_ok=True)
    size = f",size={size_mib}m" if size_mib else ""
    mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, f"mode={mode}{size}")


def make_root(plan: Plan) -> None:
    """Build the new root under /new and make it `/`."""
    mount(None, "/", None, MS_REC | MS_SLAVE)
    mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755")
    os.mkdir("/tmp/old")
    os.mkdir("/tmp/new")
    pivot = SYS_PIVOT_ROOT[os.uname().machine]
    checked(LIBC.syscall(pivot, b"/tmp", b"/tmp/old"), "pivot_root")
    os.chdir("/")
    mount("tmpfs", "/new", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755")
    for link, path in plan.links:
        os.symlink(link, "/new" + path)
    scratch("/new/tmp", plan.scratch_mib, "1777")
    make_devices(plan.devices, plan.scratch_mib)
    os.makedirs("/new/proc")
    mount("proc", "/new/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    if plan.home:
        scratch("/new" + plan.home, plan.scratch_mib)
    for source, target, writable in plan.binds:
        bind(source, target, not writable)
    for target in plan.masked:
        if os.path.isdir("/new" + target):
            scratch("/new" + target, 1)
    checked(LIBC.umount2(b"/old", 2), "umount /old")
    os.chdir("/new")
    checked(LIBC.syscall(pivot, b".", b"."), "pivot_root")
    checked(LIBC.umount2(b".", 2), "umount old root")
    os.chdir("/")
    set_read_only("/")


def make_devices(extra: list[str], scratch_mib: int | None) -> None:
    scratch("/new/dev", 64)
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        bind("/dev/" + name, "/dev/" + name, False, device=True)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", "/new/dev/" + name)
    os.symlink("/proc/self/fd", "/new/dev/fd")
    os.mkdir("/new/dev/pts")
    mount("devpts", "/new/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    os.symlink("pts/ptmx", "/new/dev/ptmx")
    scratch("/new/dev/shm", scratch_mib, "1777")
    for path in extra:
        bind(path, path, False, device=True)
    set_read_only("/new/dev")


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: UP, RUNNING


def enter(plan: Plan) -> None:
    """Leave the caller's namespaces; the PID namespace holds from the next fork on."""
    uid, gid = os.geteuid(), os.getegid()
    flags = NEW_NS | NEW_PID | NEW_IPC | NEW_UTS | NEW_CGROUP
    flags |= (0 if plan.network else NEW_NET) | (NEW_USER if plan.user else 0)
    checked(LIBC.unshare(flags), "unshare")
    if plan.user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{plan.uid} {uid} 1"),
                           ("gid_map", f"{plan.uid} {gid} 1")):
            with open("/proc/self/" + name, "w") as file:
                file.write(text)


def drop_privileges() -> None:
    """No capability survives the exec, not even for a root that has none but itself to rule."""
    for capability in range(64):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    LIBC.prctl(PR_SET_SECUREBITS, SECURE_NOROOT_LOCKED, 0, 0, 0)
    checked(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def execute(argv: list[str]) -> None:
    """Search PATH by hand: the `execvp` of `os` imports a module from a root that has no Python."""
    folders = [""] if "/" in argv[0] else os.environ.get("PATH", "/usr/bin:/bin").split(":")
    failure: OSError = FileNotFoundError(2, "no such program")
    for folder in folders:
        try:
            os.execv(os.path.join(folder, argv[0]), argv)
        except FileNotFoundError:
            continue
        except OSError as error:
            failure = error
    raise failure


def status_of(raw: int) -> int:
    code = os.waitstatus_to_exitcode(raw)
    return code if code >= 0 else 128 - code


def reap_until(pid: int) -> int:
    """Wait for every child until `pid` ends; return its exit status."""
    while True:
        ended, raw = os.wait()
        if ended == pid:
            return status_of(raw)


def init(plan: Plan, argv: list[str], ready: int) -> None:
    """PID 1 of the namespace: makes the root, starts the program, reaps orphans; its end ends all the rest."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.close(plan.info_fd)
    make_root(plan)
    if plan.user:
        # Of our own user namespace only: none can be made inside, with its fresh set of capabilities.
        try:
            with open("/proc/sys/user/max_user_namespaces", "w") as file:
                file.write("0")
        except FileNotFoundError:
            pass  # a kernel before 4.9
    socket.sethostname("sandbox")
    if not plan.network:
        raise_loopback()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            os.chdir(plan.cwd)
            drop_privileges()
            os.close(ready)
            execute(argv)
        except OSError as error:
            sys.stderr.write(f"sandbox: {argv[0]}: {error.strerror or error}\n")
            sys.stderr.flush()
        os._exit(127)
    os.close(ready)
    os._exit(reap_until(pid))


def main() -> None:
    plan, argv = Plan(sys.argv[1]), sys.argv[2:]
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.umask(0o022)
    try:
        enter(plan)
        alive, ready = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(alive)
            try:
                init(plan, argv, ready)
            except (OSError, ValueError) as error:
                sys.stderr.write(f"sandbox: cannot be made: {error}\n")
                sys.stderr.flush()
            os._exit(FAILED)
        os.close(ready)
        with os.fdopen(plan.info_fd, "w") as info:
            json.dump({"child-pid": pid}, info)
        os._exit(status_of(os.waitpid(pid, 0)[1]))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"sandbox: cannot be made: {error}\n")
        sys.stderr.flush()
    os._exit(FAILED)


if __name__ == "__main__":
    main()
