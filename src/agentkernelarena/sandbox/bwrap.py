"""Confinement by bubblewrap: own user, PID, IPC, UTS, cgroup and network namespaces and a root of read-only binds."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from agentkernelarena.sandbox.engine import bound_path
from agentkernelarena.sandbox.spec import HOME, UID, SandboxSpec, system_binds, system_links


@lru_cache(maxsize=1)
def _program() -> str | None:
    return shutil.which("bwrap")


@lru_cache(maxsize=1)
def _version() -> str:
    answer = subprocess.run([_program() or "bwrap", "--version"], capture_output=True, text=True, timeout=10)
    return answer.stdout.strip().rpartition(" ")[2]


@lru_cache(maxsize=1)
def _options() -> frozenset[str]:
    answer = subprocess.run([_program() or "bwrap", "--help"], capture_output=True, text=True, timeout=10)
    return frozenset(word for word in answer.stdout.split() if word.startswith("--"))


class Bwrap:
    """The default engine."""

    name = "bwrap"
    has_namespace = True

    def describe(self) -> str:
        return f"bwrap {_version()}"

    def inside(self, spec: SandboxSpec, path: Path) -> Path:
        return bound_path(spec, path)

    @lru_cache(maxsize=1)  # noqa: B019 - one engine object lives as long as the process
    def problem(self) -> tuple[str, str] | None:
        if _program() is None:
            return "bubblewrap is not installed", "apt install bubblewrap"
        try:
            command = [*self._head(SandboxSpec()), "--", "true"]
            probe = subprocess.run(command, capture_output=True, text=True, timeout=20)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not run: {error}", "reinstall bubblewrap"
        if probe.returncode == 0:
            return None
        said = probe.stderr.strip().partition("\n")[0] or f"exit status {probe.returncode}"
        return (f"bubblewrap is refused on this machine ({said})",
                "allow unprivileged user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0, "
                "kernel.unprivileged_userns_clone=1; in a container: a seccomp profile that allows unshare and mount)")

    def _head(self, spec: SandboxSpec) -> list[str]:
        options = _options()
        argv = [
            _program() or "bwrap", "--unshare-user", "--uid", str(UID), "--gid", str(UID), "--unshare-pid",
            "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox",
            "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        ]
        if not spec.network:
            argv.append("--unshare-net")
        if "--disable-userns" in options:
            argv.append("--disable-userns")
        for link, path in system_links():
            argv += ["--symlink", link, path]
        argv += ["--proc", "/proc", "--dev", "/dev", *self._scratch(spec, "/dev/shm"), "--remount-ro", "/dev"]
        argv += self._scratch(spec, "/tmp")
        for bind in system_binds(spec.network):
            argv += ["--ro-bind", str(bind.source), str(bind.target)]
        return argv

    def _scratch(self, spec: SandboxSpec, target: str) -> list[str]:
        size = spec.limits.scratch_mib
        limited = size is not None and "--size" in _options()
        return [*(["--size", str((size or 0) * 2**20)] if limited else []), "--tmpfs", target]

    def wrap(self, spec: SandboxSpec, argv: Sequence[str], info_fd: int) -> list[str]:
        out = [*self._head(spec), *(["--as-pid-1"] if spec.as_init else []), "--info-fd", str(info_fd)]
        if spec.home is not None:
            out += ["--bind", str(spec.home.absolute()), str(HOME)]
        else:
            out += self._scratch(spec, str(HOME))
        for bind, writable in spec.ordered_binds():
            out += ["--bind" if writable else "--ro-bind", str(bind.source), str(bind.target)]
        for device in spec.devices:
            out += ["--dev-bind", str(device), str(device)]
        for folder in spec.masked_folders():
            out += ["--tmpfs", str(folder), "--remount-ro", str(folder)]
        cwd = self.inside(spec, spec.cwd) if spec.cwd is not None else HOME
        return [*out, "--remount-ro", "/", "--chdir", str(cwd), "--", *argv]


ENGINE = Bwrap()
