"""The sandbox from outside: what a confined program sees, what it cannot do, and that nothing survives it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from agentkernelarena.errors import InputError
from agentkernelarena.sandbox import (
    ENGINES,
    Bind,
    Engine,
    Limits,
    Process,
    SandboxSpec,
    bwrap,
    choose,
    launch,
    limit,
    python_binds,
    python_environment,
    unshare,
)


@pytest.fixture(params=["bwrap", "unshare", "none"])
def engine(request: pytest.FixtureRequest) -> Engine:
    return usable(request.param)


@pytest.fixture(params=["bwrap", "unshare"])
def confining(request: pytest.FixtureRequest) -> Engine:
    return usable(request.param)


def usable(name: str) -> Engine:
    problem = ENGINES[name].problem()
    if problem:
        pytest.skip(f"{name}: {problem[0]}")
    return ENGINES[name]


def run(engine: Engine, spec: SandboxSpec, *argv: str, timeout_s: float = 30) -> tuple[int | None, str, str]:
    with launch(engine, spec, list(argv)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = process.stdout.read().decode(), process.stderr.read().decode()
        return process.wait(timeout_s), out, err


def shell(engine: Engine, script: str, spec: SandboxSpec | None = None) -> tuple[int | None, str, str]:
    return run(engine, spec or SandboxSpec(), "sh", "-c", script)


def alive(marker: str) -> list[int]:
    """Processes of this machine whose command line holds `marker`."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                if marker.encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                    found.append(int(name))
            except OSError:
                continue
    return found


def settles(marker: str, count: int) -> bool:
    """Whether within 5 s exactly `count` such processes are alive."""
    deadline = time.monotonic() + 5
    while len(alive(marker)) != count and time.monotonic() < deadline:
        time.sleep(0.02)
    return len(alive(marker)) == count


def test_exit_status_and_streams_come_through(engine: Engine) -> None:
    assert shell(engine, "echo out; echo err >&2; exit 7") == (7, "out\n", "err\n")


def test_death_by_signal_is_128_plus_its_number(engine: Engine) -> None:
    assert shell(engine, "kill -SEGV $$")[0] == 128 + 11


def test_a_program_that_does_not_exist_ends_with_a_message(engine: Engine) -> None:
    status, _, err = run(engine, SandboxSpec(), "no-such-program-here")
    assert status not in (0, None)
    assert "no-such-program-here" in err


def test_environment_is_only_what_the_spec_gives(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-of-the-caller")
    _, out, _ = shell(engine, "env", SandboxSpec(environment={"GIVEN": "yes"}))
    names = {line.partition("=")[0] for line in out.splitlines()}
    assert names <= {"PATH", "LANG", "USER", "TMPDIR", "HOME", "PWD", "GIVEN", "AKA_SANDBOX", "SHLVL", "_", "OLDPWD"}
    assert "GIVEN=yes" in out


def test_only_bound_paths_are_visible(confining: Engine, tmp_path: Path) -> None:
    shown, hidden = tmp_path / "shown", tmp_path / "hidden"
    for folder in (shown, hidden):
        folder.mkdir()
        (folder / "file").write_text(folder.name)
    spec = SandboxSpec(read_only=(Bind.of(shown),))
    assert shell(confining, f"cat {shown}/file", spec)[1] == "shown"
    _, out, _ = shell(confining, f"cat {hidden}/file; ls {tmp_path}; ls /root /home /tmp", spec)
    assert "hidden" not in out
    assert shell(confining, f"ls -d {Path(__file__).parent}")[1] == ""


def test_read_only_binds_and_system_cannot_be_written(confining: Engine, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("before")
    script = (f"echo after > {file}; touch {tmp_path}/new /usr/new /etc/new /new; mkdir /opt/x;"
              f"mount -o remount,rw {tmp_path}; umount {tmp_path}; rm -rf {tmp_path}/*; cat {file}")
    _, out, _ = shell(confining, script, SandboxSpec(read_only=(Bind.of(tmp_path),)))
    assert out == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert not Path("/usr/new").exists()
    assert not Path("/new").exists()


def test_writable_bind_is_written_through_and_appears_at_its_target(confining: Engine, tmp_path: Path) -> None:
    spec = SandboxSpec(writable=(Bind.of(tmp_path, "/workspace"),), cwd=tmp_path)
    assert shell(confining, "pwd; echo hello > made", spec)[1] == "/workspace\n"
    assert (tmp_path / "made").read_text() == "hello\n"
    assert confining.inside(spec, tmp_path / "a" / "b") == Path("/workspace/a/b")


def test_cwd_is_the_host_folder_without_confinement(tmp_path: Path) -> None:
    spec = SandboxSpec(writable=(Bind.of(tmp_path, "/workspace"),), cwd=tmp_path)
    assert shell(ENGINES["none"], "pwd", spec)[1].strip() == str(tmp_path)


def test_masked_folder_appears_empty(confining: Engine, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "secret").write_text("x")
    spec = SandboxSpec(read_only=(Bind.of(tmp_path),), masked=(tmp_path / "in",))
    assert shell(confining, f"ls -A {tmp_path}/in; touch {tmp_path}/in/x", spec)[1] == ""
    assert (tmp_path / "in" / "secret").exists()


def test_home_and_tmp_are_private_and_gone_afterwards(engine: Engine, tmp_path: Path) -> None:
    script = "echo mine > $HOME/note && echo mine > $TMPDIR/note && cat $HOME/note; echo $HOME"
    _, first, _ = shell(engine, script)
    assert first.startswith("mine\n")
    assert shell(engine, "ls $HOME; ls $TMPDIR/note 2>/dev/null")[1] == ""
    if not engine.has_namespace:
        assert not Path(first.split()[1]).exists()


def test_a_host_folder_can_be_the_home(engine: Engine, tmp_path: Path) -> None:
    shell(engine, "echo kept > $HOME/note", SandboxSpec(home=tmp_path))
    assert (tmp_path / "note").read_text() == "kept\n"


def test_no_network_but_a_loopback_of_its_own(confining: Engine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"""if True:
            import socket
            own = socket.create_server(("127.0.0.1", 0))
            socket.create_connection(own.getsockname(), 2); print("own loopback")
            for address in (("127.0.0.1", {server.getsockname()[1]}), ("1.1.1.1", 80)):
                try: socket.create_connection(address, 2); print("REACHED", address)
                except OSError: print("refused")
        """
        spec = SandboxSpec(read_only=python_binds(package=False))
        assert run(confining, spec, sys.executable, "-c", code)[1] == "own loopback\nrefused\nrefused\n"


def test_other_processes_cannot_be_seen_or_signalled(confining: Engine) -> None:
    with subprocess.Popen(["sleep", "60"]) as victim:
        _, out, _ = shell(confining, f"kill -9 {victim.pid} 2>/dev/null; kill -9 -1; ls /proc | grep -c '^[0-9]'")
        assert victim.poll() is None
        victim.kill()
    _, out, _ = shell(confining, "ls /proc | grep '^[0-9]' | wc -l")
    assert int(out) < 8


def test_no_privilege_is_left(confining: Engine) -> None:
    _, out, _ = shell(confining, "grep -E '^(CapEff|CapPrm|NoNewPrivs)' /proc/self/status; id -u; "
                                 "mount -t tmpfs x /tmp && echo MOUNTED")
    none = "0" * 16
    assert out.split() == ["CapPrm:", none, "CapEff:", none, "NoNewPrivs:", "1", "1000"]


def test_inherited_descriptors_are_those_of_the_spec(engine: Engine) -> None:
    ours, theirs = socket.socketpair()
    leak_read, leak_write = os.pipe()
    os.set_inheritable(leak_write, True)
    code = (f"import os, socket; s = socket.socket(fileno={theirs.fileno()}); s.send(b'hi');"
            "listing = os.listdir('/proc/self/fd');"
            "print(*[n for n in listing if os.path.lexists(f'/proc/self/fd/{n}')])")
    spec = SandboxSpec(read_only=python_binds(package=False), pass_fds=(theirs.fileno(),))
    _, out, err = run(engine, spec, sys.executable, "-c", code)
    assert ours.recv(10) == b"hi", err
    assert {int(n) for n in out.split()} - {3} == {0, 1, 2, theirs.fileno()} - {3}
    for end in (leak_read, leak_write):
        os.close(end)
    ours.close()
    theirs.close()


def test_the_package_can_be_imported_inside(engine: Engine) -> None:
    spec = SandboxSpec(read_only=python_binds(package=True), environment=python_environment())
    assert run(engine, spec, sys.executable, "-c", "import agentkernelarena; print('in')")[1] == "in\n"


DAEMONS = """
(setsid sh -c 'exec sleep {n}1' &)
nohup setsid sh -c 'trap "" TERM HUP INT; exec sleep {n}2' >/dev/null 2>&1 &
env -i setsid sh -c 'sh -c "exec sleep {n}3" & exit' &
sleep 0.3; echo ready; {end}
"""


@pytest.mark.parametrize("end", ["exit 0", "sleep {n}4"], ids=["after-its-end", "killed"])
def test_nothing_survives(engine: Engine, end: str) -> None:
    n = f"9{os.getpid()}{engine.name.__len__()}"
    script = DAEMONS.format(n=n, end=end.format(n=n))
    with launch(engine, SandboxSpec(), ["sh", "-c", script]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        if end == "exit 0":
            assert process.wait(20) == 0
        else:
            assert settles(f"sleep\0{n}", 4)
            process.kill()
        assert alive(f"sleep\0{n}") == []


def test_a_fork_bomb_ends_with_its_sandbox(engine: Engine) -> None:
    n = f"8{os.getpid()}"
    bomb = f"while :; do (setsid sh -c 'sleep {n} & sleep {n}' >/dev/null 2>&1 &); done"
    spec = SandboxSpec(limits=Limits(processes=60))
    with launch(engine, spec, ["sh", "-c", bomb], stderr=subprocess.DEVNULL) as process:
        time.sleep(1.0)
        assert len(alive(f"sleep\0{n}")) <= 80
        process.kill()
        assert alive(f"sleep\0{n}") == []


def test_the_child_ends_when_the_harness_is_killed(engine: Engine, tmp_path: Path) -> None:
    n = f"7{os.getpid()}"
    code = f"""if True:
        from agentkernelarena.sandbox import ENGINES, SandboxSpec, launch
        p = launch(ENGINES[{engine.name!r}], SandboxSpec(), ["sh", "-c", "echo up; sleep {n}"])
        print(p.stdout.readline().decode(), flush=True)
        import time; time.sleep(60)
    """
    environment = {**os.environ, **python_environment()}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE) as harness:
        assert harness.stdout is not None
        assert harness.stdout.readline() == b"up\n"
        assert settles(f"sleep\0{n}", 1)
        harness.kill()
    assert settles(f"sleep\0{n}", 0)


def test_the_child_outlives_the_thread_that_launched_it(engine: Engine) -> None:
    started: list[Process] = []
    thread = threading.Thread(target=lambda: started.append(launch(engine, SandboxSpec(), ["sleep", "30"])))
    thread.start()
    thread.join()
    time.sleep(0.2)
    assert started[0].poll() is None
    started[0].close()


def test_memory_limit_ends_the_program_and_says_so(engine: Engine) -> None:
    spec = SandboxSpec(read_only=python_binds(package=False), limits=Limits(memory_mib=200))
    code = "x = [bytearray(1 << 20) for _ in range(2000)]; import time; time.sleep(9)"
    silent = subprocess.DEVNULL
    with launch(engine, spec, [sys.executable, "-c", code], stdout=silent, stderr=silent) as process:
        assert process.wait(20) not in (0, None)
        assert process.exceeded == "memory"
        assert any(line.startswith("memory 200 MiB by ") for line in process.enforcement)


def test_file_size_limit(engine: Engine, tmp_path: Path) -> None:
    spec = SandboxSpec(writable=(Bind.of(tmp_path),), cwd=tmp_path, limits=Limits(file_mib=4))
    status, _, _ = shell(engine, "head -c 50000000 /dev/zero > big", spec)
    assert status != 0
    assert (tmp_path / "big").stat().st_size == 4 * 2**20


def test_disk_limit_ends_the_program_and_says_so(engine: Engine, tmp_path: Path) -> None:
    spec = SandboxSpec(writable=(Bind.of(tmp_path),), cwd=tmp_path, limits=Limits(disk_mib=8))
    script = "i=0; while :; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); sleep 0.02; done"
    with launch(engine, spec, ["sh", "-c", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert process.wait(30) not in (0, None)
        assert process.exceeded == "disk"


def test_the_watchdog_holds_memory_and_processes_where_no_group_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "group_parents", lambda: ())
    for limits, code, what in (
        (Limits(memory_mib=150), "x = [bytearray(1 << 20) for _ in range(400)]; import time; time.sleep(20)", "memory"),
        (Limits(processes=10), "import subprocess\nfor _ in range(30): p = subprocess.Popen(['sleep', '20'])\np.wait()",
         "processes"),
    ):
        spec = SandboxSpec(read_only=python_binds(package=False), limits=limits)
        with launch(ENGINES["none"], spec, [sys.executable, "-c", code]) as process:
            assert process.enforcement[0].endswith("by watchdog")
            process.wait(15)
            assert process.exceeded == what


def test_private_tmp_is_bounded(confining: Engine) -> None:
    _, out, _ = shell(confining, "head -c 50000000 /dev/zero > /tmp/x; stat -c %s /tmp/x",
                           SandboxSpec(limits=Limits(scratch_mib=4)))
    assert int(out) <= 4 * 2**20


def test_no_control_group_is_left_behind(engine: Engine) -> None:
    before = {f for parent in limit.group_parents() for f in parent.folder.glob(f"aka-{os.getpid()}-*")}
    shell(engine, "true", SandboxSpec(limits=Limits(memory_mib=300, processes=50)))
    assert {f for parent in limit.group_parents() for f in parent.folder.glob(f"aka-{os.getpid()}-*")} <= before


@pytest.mark.parametrize("name", ["bwrap", "unshare"])
def test_a_refused_engine_is_an_error_with_a_remedy(name: str) -> None:
    if ENGINES[name].problem() is None:
        assert choose(name).name == name
        return
    with pytest.raises(InputError, match=r"refused|not installed"):
        choose(name)


def test_auto_is_refused_where_nothing_confines(monkeypatch: pytest.MonkeyPatch) -> None:
    for engine in (bwrap.ENGINE, unshare.ENGINE):
        monkeypatch.setattr(engine, "problem", lambda: ("is refused here", "allow it"))
    with pytest.raises(InputError, match="is refused here") as raised:
        choose("auto")
    assert "--sandbox none" in raised.value.remedy


def test_unknown_engine_is_named_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'bwrap'"):
        choose("bwarp")


def test_mounts_and_membership_are_read_as_the_kernel_writes_them() -> None:
    first, second = limit.parse_mounts(
        "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,nosuid,memory 0 0\n"
        "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\ncgroup /sys/fs/cgroup/pids cgroup ro,pids 0 0\n"
        "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nsdelegate 0 0\n")
    assert first == {"memory": Path("/sys/fs/cgroup/memory")}
    assert second == Path("/sys/fs/cgroup/unified")
    assert limit.parse_membership("4:memory:/a/b\n1:cpu,cpuacct:/\n0::/user.slice\n") == {
        "memory": "/a/b", "cpu": "/", "cpuacct": "/", "": "/user.slice"}
