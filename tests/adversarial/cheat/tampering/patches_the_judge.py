# H09: imports the judge's modules and replaces them; only its own process has these copies.
# expect: incorrect
import agentkernelarena.judge.compare as compare
import agentkernelarena.judge.session as session
import agentkernelarena.result as result

compare.compare = compare.calibrate = lambda *a, **k: 4096.0
session.check = lambda *a, **k: None
result.Status = None


def launch(x, y, rows, cols):
    y.fill_(1.0)
