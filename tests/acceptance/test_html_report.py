"""The HTML report in a real headless Chromium: content, no console errors, nothing wider than a phone."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))

import synthetic

from agentkernelarena.report import compute, html

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here (apt-get install chromium)")

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--allow-file-access-from-files", "--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000",
)
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"

# Measures the page inside a frame as wide as a phone, after opening every task, and leaves what it found as its title.
PROBE = """<!doctype html><body style="margin:0">
<iframe id="f" src="report.html" style="border:0;width:%dpx;height:4000px"></iframe>
<script>
document.getElementById("f").addEventListener("load", (event) => {
  const page = event.target.contentDocument;
  for (const details of page.querySelectorAll("details")) details.open = true;
  const search = page.querySelector("input[type=search]");
  search.value = "torch2hip";
  search.dispatchEvent(new event.target.contentWindow.Event("input"));
  const shown = page.querySelector("output").textContent;
  search.value = "";
  search.dispatchEvent(new event.target.contentWindow.Event("input"));
  const wide = [...page.querySelectorAll("body *")].filter((e) => !e.closest(".scroll") && !e.closest("svg")
    && e.getBoundingClientRect().right > %d + 1).map((e) => e.tagName + "." + e.className);
  const unnamed = [...page.querySelectorAll("input, select, svg.plot")].filter((e) => !e.labels?.length
    && !e.getAttribute("aria-label")).length;
  document.title = [page.documentElement.scrollWidth, shown, unnamed, wide.slice(0, 5).join(" "), page.title].join("|");
});
</script>"""


def chromium(*arguments: str) -> subprocess.CompletedProcess[str]:
    assert CHROMIUM is not None
    return subprocess.run([CHROMIUM, *FLAGS, *arguments], capture_output=True, text=True, timeout=120, check=True)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    contenders = (synthetic.Contender("claude_code"), synthetic.Contender(HOSTILE, mean=0.1, pass_mean=0.5))
    plan = synthetic.Plan(tasks=9, trials=2, target="cpu", contenders=contenders)
    records = list(synthetic.records(plan, 3))
    outcome = synthetic.wrong(HOSTILE)
    records[0] = records[0].model_copy(update={"outcome": outcome})
    file = tmp_path_factory.mktemp("html") / "report.html"
    file.write_text(html.render(compute(synthetic.run_record(plan), records)), encoding="utf-8")
    return file


def console_lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_the_console_check_itself_sees_errors(tmp_path: Path) -> None:
    broken = tmp_path / "broken.html"
    broken.write_text("<script>console.error('seen'); missing()</script>")
    lines = console_lines(chromium("--dump-dom", broken.as_uri()))
    assert any("seen" in line for line in lines)
    assert any("missing" in line for line in lines)


def test_content_is_there_and_the_console_is_silent(page: Path) -> None:
    done = chromium("--dump-dom", page.as_uri())
    assert console_lines(done) == []
    dom = done.stdout
    assert "<title>synthetic: AgentKernelArena report</title>" in dom
    assert dom.count('class="task"') == 18
    assert dom.count("<svg class=\"plot") == 2 + 2 * 3
    for text in ("smoke: times not ranked", "Unseen strata", "misaligned", "hip2hip/operator_00", "9 of 9"):
        assert text in dom
    assert "taken" not in re.search("<title>(.*?)</title>", dom).group(1)  # type: ignore[union-attr]


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_and_the_search_works(page: Path, width: int) -> None:
    probe = page.with_name(f"probe_{width}.html")
    probe.write_text(PROBE % (width, width), encoding="utf-8")
    done = chromium("--dump-dom", f"--window-size={max(width, 500)},4000", probe.as_uri())
    found = re.search("<title>(.*?)</title>", done.stdout)
    assert found, done.stderr[-2000:]
    scroll_width, shown, unnamed, wide, title = found.group(1).split("|")
    assert wide == ""
    assert int(scroll_width) <= width
    assert shown == "3 of 9"
    assert unnamed == "0"
    assert title == "synthetic: AgentKernelArena report"


def test_it_prints(page: Path) -> None:
    pdf = page.with_name("report.pdf")
    chromium(f"--print-to-pdf={pdf}", "--no-pdf-header-footer", page.as_uri())
    content = pdf.read_bytes()
    assert content.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 20
