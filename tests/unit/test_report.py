"""Reports of hand-made runs: every number worked out by hand, every rendering read back."""

from __future__ import annotations

import csv as csv_reader
import io
import math
import re
from html.parser import HTMLParser

import pytest
import synthetic
from rich.console import Console
from synthetic import PASSED, Contender, Plan, configuration, wrong

from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentStatus, RunRecord
from agentkernelarena.report import Report, build, compute, csv, explain, html, json, markdown, table
from agentkernelarena.result import Gate, Outcome, Status

PLAN = Plan(contenders=(Contender("maker"),), tasks=3, trials=2, unseen=3)


def ended(status, gate=None, reason="why"):
    return Outcome(status=status, reason=reason, gate=gate)


def results(seen, unseen):
    """Configurations from speedups; None is a wrong submission, "both" where the baseline is wrong too."""
    made = [configuration(f"seen {i}", s, values={"rows": 64 * (i + 1)}) for i, s in enumerate(seen)]
    strata = ["between", "larger", "misaligned"]
    for i, s in enumerate(unseen):
        baseline = wrong() if s in ("both", "improved") else PASSED
        submission = wrong() if s in (None, "both") else PASSED
        speedup = s if isinstance(s, float) else None
        made.append(configuration(
            f"unseen-{i + 1}", speedup, strata[i], {"rows": 1001 + i}, baseline=baseline, submission=submission
        ))
    return tuple(made)


def make(*trials, plan=PLAN, **changes):
    """A report from one entry per planned trial: configurations (passed), (outcome, configurations), or None."""
    run = synthetic.run_record(plan)
    run = run.model_copy(update=changes)
    records = []
    for planned, trial in zip(run.plan, trials, strict=True):
        if trial is None:
            continue
        outcome, configurations = trial if isinstance(trial[0], Outcome) else (PASSED, trial)
        records.append(synthetic.trial(planned, run, configurations, outcome))
    return compute(run, records)


@pytest.fixture
def report():
    return make(
        results([2.0, 8.0], [4.0, 1.0, None]), results([4.0, 4.0], [2.0, 2.0, 2.0]),  # hip2hip: 4 and 4
        results([1.0, 1.0], [1.0, "both", "improved"]),  # torch2hip, first trial
        (ended(Status.COMPILE_ERROR, Gate.COMPILE), ()),
        (ended(Status.INFRASTRUCTURE_ERROR), ()), None,  # triton2triton
    )


def test_rates_have_the_plan_as_denominator(report):
    whole = report.agents[0].overall
    assert (whole.planned, whole.tasks, whole.unscored) == (6, 3, 2)
    assert (whole.passed.count, whole.passed.total) == (3, 6)
    assert (whole.compiled.count, whole.compiled.total) == (3, 6)
    assert whole.outcomes == {"passed": 3, "compile_error": 1, "infrastructure_error": 1, "unfinished": 1}
    assert [f.rate.count for f in whole.fast_p] == [3, 2, 2, 2, 0]
    assert all(f.rate.total == 6 for f in whole.fast_p)
    assert report.agents[0].fast_p_curve[0] == (1.0, 0.5)
    assert (report.planned, report.finished) == (6, 5)


def test_speedups_are_geometric_means_over_tasks_trials_and_configurations(report):
    whole = report.agents[0].overall
    # Seen: task one 4 and 4, task two 1 (its only passing trial): sqrt(4 * 1).
    assert whole.generalisation.seen.value == pytest.approx(2.0)
    # Unseen: task one sqrt(4*1) = 2 and 2, task two 1.
    assert whole.generalisation.unseen.value == pytest.approx(math.sqrt(2.0))
    assert whole.generalisation.retention.value == pytest.approx(math.sqrt(0.5))
    # Delivered: task one 4; task two (1 and 1 for the trial that did not compile); task three was never scored.
    assert whole.delivered.value == pytest.approx(2.0)
    assert whole.gain.value == pytest.approx(1.0)
    # Paper: task one (620 + 520) / 2, task two (220 + 0) / 2.
    assert whole.paper.value == pytest.approx((570 + 110) / 2)


def test_quadrants_conditional_correctness_and_worst(report):
    first, second, third = report.agents[0].tasks
    q = first.generalisation.quadrants
    assert (q.both_pass, q.regression, q.improvement, q.both_fail, q.not_reached) == (5, 1, 0, 0, 0)
    assert first.generalisation.conditional.share == pytest.approx(5 / 6)
    assert (first.worst.name, first.worst.stratum, first.worst.speedup) == ("unseen-3", "misaligned", None)
    assert "incorrect" in first.worst.reason
    q = second.generalisation.quadrants
    assert (q.both_pass, q.regression, q.improvement, q.both_fail, q.not_reached) == (1, 0, 1, 1, 3)
    assert (second.generalisation.correct.count, second.generalisation.correct.total) == (2, 6)
    assert (second.generalisation.conditional.count, second.generalisation.conditional.total) == (1, 1)
    assert third.generalisation.quadrants.not_reached == third.generalisation.quadrants.planned == 6
    whole = report.agents[0].overall.generalisation
    assert (whole.quadrants.planned, whole.conditional.count, whole.conditional.total) == (18, 6, 7)
    assert report.agents[0].worst == first.worst


def test_strata(report):
    strata = {s.stratum: s for s in report.agents[0].strata}
    assert set(strata) == {"between", "larger", "misaligned"}
    assert strata["misaligned"].quadrants.regression == 1
    assert strata["misaligned"].quadrants.improvement == 1
    assert strata["between"].speedup.value == pytest.approx(math.sqrt(math.sqrt(8.0)))
    assert (strata["larger"].conditional.count, strata["larger"].conditional.total) == (2, 2)


def test_verdicts_and_their_intervals():
    same = make(
        results([1.004, 1.004], []), results([1.003, 1.005], []),  # inside the null band of 0.8 %
        results([1.5, 1.5], []), results([1.52, 1.48], []),
        results([0.5, 0.5], []), (wrong(), results([None, None], [])),
    )
    assert [t.verdict for t in same.agents[0].tasks] == ["no change", "faster", "slower"]
    assert [t.interval_from for t in same.agents[0].tasks] == ["trials", "trials", "measurement"]
    single = same.agents[0].tasks[2].generalisation.seen
    # Two configurations, each 0.3 % wide in the logarithm: 0.3 % / sqrt(2) for their mean.
    half = math.log(1.003 / 0.997) / 2 / math.sqrt(2)
    assert (single.low, single.high) == pytest.approx((0.5 * math.exp(-half), 0.5 * math.exp(half)))
    unclear = make(
        results([3.0], []), results([0.9], []), (wrong(), ()), (wrong(), ()), None, None,
    )
    assert [t.verdict for t in unclear.agents[0].tasks] == ["unclear", "failed", "unfinished"]


def test_short_kernels_have_the_wider_null_band():
    run = synthetic.run_record(PLAN)
    short = tuple(configuration("c", 1.01, time_us=5.0) for _ in range(1))
    long = tuple(configuration("c", 1.01, time_us=50.0) for _ in range(1))
    first = [p for p in run.plan if p.repetition == 1]
    records = [synthetic.trial(p, run, short if p.task == "hip2hip/operator_00" else long) for p in first]
    tasks = compute(run, records).agents[0].tasks
    assert [(t.null_band, t.verdict) for t in tasks[:2]] == [(0.015, "no change"), (0.008, "faster")]


def test_cpu_times_are_never_ranked_and_say_so(tmp_path):
    plan = Plan(tasks=3, trials=1, unseen=0, target="cpu")
    report = make(results([3.0], []), results([3.0], []), results([3.0], []), plan=plan)
    assert not report.ranked
    assert {t.verdict for t in report.agents[0].tasks} == {"smoke"}
    page = " ".join(read(html.render(report)).text).replace("times faster", "")
    for text in (markdown.render(report), page, render_table(report)):
        assert "smoke" in text
        assert "faster" not in text
    store = synthetic.store(plan, 1, tmp_path / "run")
    assert "never ranked" in explain(store, "hip2hip/operator_00")


def test_several_trials():
    report = make(
        results([4.0], []), (wrong(), ()), results([2.0], []), results([8.0], []), (wrong(), ()), (wrong(), ()),
    )
    one, two = report.agents[0].several
    assert (one.k, two.k) == (1, 2)
    assert one.pass_at_k == pytest.approx((0.5 + 1 + 0) / 3)
    assert two.pass_at_k == pytest.approx((1 + 1 + 0) / 3)
    assert one.best_of_k == pytest.approx(2 ** ((1 + 2 + 0) / 3))
    assert two.best_of_k == pytest.approx(2 ** ((2 + 3 + 0) / 3))


def test_notes_say_what_a_reader_must_know(report):
    text = "\n".join(report.notes)
    assert "1 of 6 planned trials are unfinished" in text
    assert "1 trials failed through the harness" in text
    assert not any("calibrate" in n for n in report.notes)
    bare = make(*[results([1.0], [])] * 6, null_band=None)
    assert any("calibrate" in n for n in bare.notes)


def test_an_empty_run_has_a_report():
    report = make(*[None] * 6)
    assert report.finished == 0
    assert report.agents[0].overall.passed.count == 0
    assert report.agents[0].overall.delivered is None
    for text in (markdown.render(report), html.render(report), csv.render(report), render_table(report)):
        assert "unfinished" in text


def render_table(report, width=160):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(table.render(report))
    return console.export_text()


def test_json_reads_back_as_the_same_report(report):
    assert Report.model_validate_json(json.render(report)) == report


def test_csv_has_one_row_per_agent_and_task(report):
    rows = list(csv_reader.DictReader(io.StringIO(csv.render(report))))
    assert [r["task"] for r in rows] == [t.task for t in report.agents[0].tasks]
    assert rows[0]["seen_speedup"] == "4"
    assert rows[0]["regression"] == "1"
    assert rows[0]["worst_unseen"] == "rows=1003"
    assert rows[2]["seen_speedup"] == ""
    assert rows[2]["outcomes"] == "infrastructure_error=1 unfinished=1"


def test_the_terminal_table_shows_seen_beside_unseen(report):
    text = render_table(report)
    for expected in ("2.00×", "1.41×", "3/6", "[misaligned]", "hip2hip/operator_00", "unfinished"):
        assert expected in text
    assert max(map(len, render_table(report, 80).splitlines())) <= 80


HOSTILE = "=cmd() | <script>alert(1)</script> [red]x[/red] *b* \x1b[31m"


@pytest.fixture
def hostile():
    plan = Plan(contenders=(Contender("<img src=x onerror=alert(2)>"),), tasks=3, trials=1, unseen=0)
    return make(*[(ended(Status.INCORRECT, Gate.CORRECTNESS, HOSTILE), results([None], []))] * 3, plan=plan)


class Reader(HTMLParser):
    VOID = frozenset({"meta", "link", "input", "br", "hr", "img"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.references, self.ids, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.references += [v for k, v in attributes if k in ("src", "href", "action", "data", "xlink:href")]
        self.ids += [v for k, v in attributes if k == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


def test_html_is_well_formed_self_contained_and_says_everything(report):
    page = html.render(report)
    reader = read(page)
    assert all(r.startswith("#") or r == "data:," for r in reader.references), reader.references
    assert all(r[1:] in reader.ids for r in reader.references if r.startswith("#"))
    assert len(reader.ids) == len(set(reader.ids))
    assert not re.search(r"url\(|@import|https?://", page)
    text = " ".join(" ".join(reader.text).split())
    for expected in ("hip2hip/operator_00", "2.00×", "1.41×", "unfinished", "misaligned", "carry over?", "fast_p"):
        assert expected in text
    assert reader.tags.count("svg") >= 3 + 3


def test_nothing_that_an_agent_wrote_runs_or_breaks_out(hostile):
    page = html.render(hostile)
    reader = read(page)
    assert reader.tags.count("script") == 1
    assert "img" not in reader.tags
    assert "<script>alert" not in page
    text = markdown.render(hostile)
    assert "<script>" not in text
    assert "<img" not in text
    for line in text.splitlines():
        if line.startswith("| hip2hip/"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (7, 8)
    rows = list(csv_reader.reader(io.StringIO(csv.render(hostile))))
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    assert "[red]" not in render_table(hostile) or "[/red]" in render_table(hostile)


def test_explain_names_gates_configurations_and_samples(tmp_path):
    store = synthetic.store(Plan(tasks=3, trials=2, samples=8), 4, tmp_path / "run")
    task = build(store).agents[0].tasks[0]
    text = explain(store, task.task)
    for trial in task.trials:
        assert trial.id in text
    for expected in ("gate compile", "score paper", "trimmed mean of 8 samples", "unseen-12", "null band ±0.8 %"):
        assert expected in text
    with pytest.raises(InputError, match="operator_00"):
        explain(store, "hip2hip/operator_0")


def test_a_report_from_the_store_is_the_report_from_its_records(tmp_path):
    plan = Plan(tasks=6, trials=2)
    store = synthetic.store(plan, 9, tmp_path / "run")
    again = compute(store.run, synthetic.records(plan, 9), store.reveal)
    assert build(store) == again
    assert again.revealed


def test_usage_is_summed(report):
    usage = report.agents[0].usage
    assert usage.tokens == 5 * 100_000
    assert usage.cost_usd == pytest.approx(2.5)
    assert usage.agent_hours == pytest.approx(5 * 600 / 3600)


def test_agents_that_nobody_counted_have_no_usage():
    run: RunRecord = synthetic.run_record(PLAN)
    bare = synthetic.trial(run.plan[0], run, results([2.0], [])).model_copy(
        update={"agent_status": AgentStatus(status="completed")}
    )
    report = compute(run, [bare])
    assert report.agents[0].usage.tokens is None
    assert "Tokens" not in html.render(report)
