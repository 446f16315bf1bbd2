"""Operator folders: what is accepted, what is refused, and what errors say."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from agentkernelarena.errors import InputError
from agentkernelarena.task import abi
from agentkernelarena.task.axis import Configuration, choice, int_range, log_range
from agentkernelarena.task.expression import parse
from agentkernelarena.task.loader import categories, load_folder, load_task, operator_folders, task_ids, title_of
from agentkernelarena.task.sizing import Capacity, argument_bytes, fit_configuration, sized_seen

GOOD = '''
"""Doubling, for tests."""
from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Doubling", family="elementwise",
    axes={"rows": log_range(1, 4096), "cols": log_range(8, 4096, 8), "dtype": choice("float32", "float16")},
    constraint="rows * cols <= 2**20",
    inputs={"x": Tensor("rows", "cols"), "factor": Scalar("float32")},
    outputs={"y": Tensor("rows", "cols")},
    seen={"one": {"rows": 64, "cols": 64, "dtype": "float32"}, "two": {"rows": 63, "cols": 128, "dtype": "float16"}},
    smoke={"rows": 3, "cols": 8, "dtype": "float32"},
)

def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype), "factor": draw.scalar(1.0, 2.0)}

def reference(x, factor):
    return x * factor

def work(cfg):
    return Work(bytes=8 * cfg.rows * cfg.cols)
'''
LAUNCH = 'extern "C" void launch(const scalar_t* x, float f, scalar_t* y, int64_t r, int64_t c, hipStream_t s) {}\n'


def folder(tmp_path: Path, text: str, kernel: str = LAUNCH) -> Path:
    place = tmp_path / "elementwise" / "doubling"
    place.mkdir(parents=True)
    (place / "operator.py").write_text(textwrap.dedent(text))
    (place / "kernel.hip").write_text(kernel)
    return place


def load(place: Path, category: str = "hip2hip"):
    return load_folder(place, categories()[category])


def test_a_folder_gives_the_tasks_that_its_files_allow(tmp_path):
    place = folder(tmp_path, GOOD)
    assert task_ids(tmp_path) == ["hip2hip/doubling", "torch2hip/doubling"]
    (place / "kernel.py").write_text("def launch(x, factor, y, rows, cols):\n    pass\n")
    assert task_ids(tmp_path) == ["hip2hip/doubling", "torch2hip/doubling", "triton2triton/doubling"]
    task = load_task("hip2hip/doubling", tmp_path)
    assert task.operator.title == "Doubling"
    assert title_of(place) == "Doubling, for tests"
    assert list(task.seen["two"].items()) == [("rows", 63), ("cols", 128), ("dtype", "float16")]


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ('title="Doubling"', 'titel="Doubling"', "titel", "did you mean 'title'?"),
        ('"rows": 64, "cols": 64', '"rows": 64, "cols": 60', "seen['one']['cols']", "outside its axis"),
        ('"rows": 64, "cols": 64', '"rows": 4096, "cols": 4096', "seen['one']", "breaks the constraint"),
        ('"rows": 64, "cols": 64', '"row": 64, "cols": 64', "seen['one']['row']", "did you mean 'rows'?"),
        ('"cols": 8, "dtype": "float32"}', '"cols": 8}', "smoke", "no value for axis"),
        ('Tensor("rows", "cols")}', 'Tensor("rows", "colls")}', "y", "not an axis"),
        ('Tensor("rows", "cols")}', 'Tensor("rows", "cols - 4096")}', "y", "shape"),
        ('Tensor("rows", "cols")}', 'Tensor("rows", "cols", dtype="flot32")}', "outputs['y']", "did you mean"),
        ('choice("float32", "float16")', 'choice("float32", "half")', "axes['dtype']", "no dtype"),
        ("log_range(1, 4096)", "log_range(0, 4096)", "axes['rows']", "starts at 0"),
        ("def reference(x, factor)", "def reference(x, fac)", "reference", "missing ['factor']"),
        ("def work(cfg)", "def wirk(cfg)", "work", "is not defined"),
        ("rows * cols <= 2**20", "rows.cols <= 2**20", "constraint", "Attribute"),
        ("rows * cols <= 2**20", "__import__('os')", "constraint", "expressions do not have"),
        ("from agentkernelarena", "import no_such_module_here\nfrom agentkernelarena", "operator.py", "cleanly"),
    ],
)  # fmt: skip
def test_a_wrong_declaration_names_place_and_remedy(tmp_path, old, new, place, said):
    assert old in GOOD
    with pytest.raises(InputError) as caught:
        load(folder(tmp_path, GOOD.replace(old, new)))
    assert place in caught.value.place
    assert said in str(caught.value)
    assert caught.value.remedy


def test_a_kernel_without_its_entry_point_is_refused(tmp_path):
    with pytest.raises(InputError, match="entry point"):
        load(folder(tmp_path, GOOD, kernel="__global__ void k() {}\n"))


def test_a_missing_file_and_an_unknown_id_are_refused(tmp_path):
    folder(tmp_path, GOOD)
    with pytest.raises(InputError, match=r"kernel\.py"):
        load_task("triton2triton/doubling", tmp_path)
    with pytest.raises(InputError, match="did you mean 'doubling'"):
        load_task("hip2hip/dubling", tmp_path)
    with pytest.raises(InputError, match="did you mean 'hip2hip'"):
        load_task("hip2hop/doubling", tmp_path)


def test_the_interface_is_the_same_for_hip_and_triton(tmp_path):
    task = load(folder(tmp_path, GOOD))
    assert abi.signature(task) == "def launch(x, factor, y, rows, cols):"
    assert " ".join(abi.prototype(task).split()) == (
        'extern "C" void launch( const scalar_t* x, float factor, scalar_t* y, int64_t rows, int64_t cols, '
        "hipStream_t stream)"
    )
    assert abi.defines(task, task.seen["one"]) != abi.defines(task, task.seen["two"])


def test_a_changed_file_changes_the_digest(tmp_path):
    place = folder(tmp_path, GOOD)
    before = load(place).digest
    (place / "kernel.hip").write_text(LAUNCH + "// changed\n")
    assert load(place).digest != before


def test_sizing_keeps_alignment_bounds_and_what_already_fits(tmp_path):
    task = load(folder(tmp_path, GOOD))
    large = Configuration({"rows": 1001, "cols": 1024, "dtype": "float32"})
    small = fit_configuration(task, large, Capacity(bytes=16384, operations=10**9))
    assert argument_bytes(task, small) <= 16384
    assert small["cols"] % 8 == 0
    assert task.allows(small)
    assert fit_configuration(task, small, Capacity(bytes=16384, operations=10**9)) == small
    chosen = sized_seen(task, Capacity(bytes=4096, operations=10**9), limit=3)
    assert len(set(chosen.values())) == len(chosen)
    assert {c["dtype"] for c in chosen.values()} == {"float32", "float16"}


def test_axes_contain_what_they_say():
    assert log_range(1, 10).contains(10)
    assert not log_range(1, 10).contains(11)
    assert not int_range(0, 12, 4).contains(6)
    assert not int_range(0, 12).contains(True)
    assert choice(True, False).contains(True)
    assert not choice(0, 1).contains(True)


@pytest.mark.parametrize(
    ("text", "value"),
    [("rows // 2 + 1", 4), ("min(rows, cols) * 2", 10), ("rows <= 7 and not cols == 7", True), ("ceil_div(rows, 2)", 4),
     ("rows % 0 == 0", 0), ("-rows + 2**3", 1)],
)  # fmt: skip
def test_expressions(text, value):
    assert parse(text, ["rows", "cols"], "here")({"rows": 7, "cols": 5}) == value


def test_configurations_are_values():
    a = Configuration({"rows": 1, "dtype": "float32"})
    assert a == Configuration({"rows": 1, "dtype": "float32"})
    assert len({a, Configuration({"rows": 1, "dtype": "float32"})}) == 1
    assert a.label == "rows=1 dtype=float32"
    with pytest.raises(AttributeError, match="no axis"):
        a.cols
    with pytest.raises(AttributeError, match="immutable"):
        a.rows = 2


def test_every_operator_of_the_suite_loads_in_every_category():
    ids = task_ids()
    assert len(ids) == 3 * len(operator_folders())
    for task_id in ids:
        task = load_task(task_id)
        assert 4 <= len(task.seen) <= 8, task_id
        assert task.mathematics.work(task.smoke).bytes > 0, task_id
