# H04: while it is compiled, writes what the build process would report, with a path out of its folder, and links.
# raw: yes
# expect: compile_error|crashed|incorrect
import glob
import json
import os
import sys

if "agentkernelarena.judge.worker.loop" not in sys.modules:
    for out in glob.glob("/tmp/aka-build-*/out") + glob.glob("/tmp/*/out"):
        for name, target in (("link", "/etc/passwd"), ("folder", "/")):
            try:
                os.symlink(target, os.path.join(out, name))
            except OSError:
                pass
        document = {"artefact": "../../../../../etc/hostname", "log": "\ud800", "diagnostics": [], "resources": [],
                    "commands": []}
        with open(os.path.join(out, "build.json"), "w") as file:
            json.dump(document, file)
    os.kill(os.getppid(), 9)
    os._exit(0)


def launch(x, y, rows, cols):
    y.zero_()
