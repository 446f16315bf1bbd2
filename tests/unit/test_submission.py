"""What leaves a workspace, and what stays behind."""

from __future__ import annotations

import hashlib
import os
import random
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.result import Outcome, Status
from agentkernelarena.submission import MAXIMUM_FILE_BYTES, Submission, collect, from_path
from agentkernelarena.task.category.hip2hip import CATEGORY as HIP
from agentkernelarena.task.category.triton2triton import CATEGORY as TRITON


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "kernel.hip").write_text("// a kernel\n")
    return folder


def frozen(workspace: Path, category: object = HIP) -> Submission:
    result = collect(workspace, category)  # type: ignore[arg-type]
    assert isinstance(result, Submission), result
    return result


def reasons(submission: Submission) -> dict[str, str]:
    return {name: reason for name, _, reason in (line.partition(": ") for line in submission.refused)}


def test_entry_and_added_sources_belong_to_it(workspace: Path) -> None:
    (workspace / "detail").mkdir()
    for name in ("tile.hpp", "detail/load.cuh", "detail/notes.txt", "a.out", "kernel.o", ".hidden.h"):
        (workspace / name).write_text(name)
    assert list(frozen(workspace).files) == ["detail/load.cuh", "kernel.hip", "tile.hpp"]


def test_files_of_the_task_never_belong_to_it_even_when_changed(workspace: Path) -> None:
    for name in ("operator.py", "reference.py", "operator.h", "TASK.md", "configurations.json", "aka"):
        (workspace / name).write_text("changed by the agent")
    assert list(frozen(workspace).files) == ["kernel.hip"]


def test_without_entry_there_is_no_submission(workspace: Path) -> None:
    (workspace / "kernel.hip").unlink()
    result = collect(workspace, HIP)
    assert isinstance(result, Outcome)
    assert (result.status, result.reason) == (Status.NO_SUBMISSION, "kernel.hip: is missing")


def test_a_workspace_that_is_gone_gives_no_submission(tmp_path: Path) -> None:
    result = collect(tmp_path / "nowhere", HIP)
    assert isinstance(result, Outcome)
    assert result.status is Status.NO_SUBMISSION


@pytest.mark.parametrize("kind", ["symlink", "fifo", "socket", "folder", "hard link", "oversize", "device"])
def test_an_entry_of_another_kind_is_refused(workspace: Path, kind: str, tmp_path: Path) -> None:
    entry = workspace / "kernel.hip"
    entry.unlink()
    secret = tmp_path / "secret"
    secret.write_text("secret")
    expected = "is not a regular file"
    if kind == "symlink":
        entry.symlink_to(secret)
        expected = "is a symbolic link"
    elif kind == "fifo":
        os.mkfifo(entry)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            folder = os.open(workspace, os.O_RDONLY)
            server.bind(f"/proc/self/fd/{folder}/kernel.hip")
            os.close(folder)
    elif kind == "folder":
        entry.mkdir()
    elif kind == "hard link":
        os.link(secret, entry)
        expected = "is a hard link"
    elif kind == "oversize":
        entry.write_bytes(b"x" * (MAXIMUM_FILE_BYTES + 1))
        expected = f"is larger than {MAXIMUM_FILE_BYTES} bytes"
    elif subprocess.run(["mknod", entry, "c", "1", "5"], capture_output=True).returncode != 0:
        pytest.skip("device nodes cannot be made here")
    result = collect(workspace, HIP)
    assert isinstance(result, Outcome)
    assert result.reason == f"kernel.hip: {expected}"


def test_refused_additions_are_listed_and_the_rest_is_kept(workspace: Path, tmp_path: Path) -> None:
    (workspace / "out.h").symlink_to(tmp_path)
    os.mkfifo(workspace / "pipe.h")
    (workspace / "huge.h").write_bytes(b"x" * (MAXIMUM_FILE_BYTES + 1))
    (workspace / "ok.h").write_text("ok")
    submission = frozen(workspace)
    assert list(submission.files) == ["kernel.hip", "ok.h"]
    assert reasons(submission) == {
        "out.h": "is a symbolic link", "pipe.h": "is not a regular file",
        "huge.h": f"is larger than {MAXIMUM_FILE_BYTES} bytes",
    }


def test_a_linked_folder_is_not_entered(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "stolen.h").write_text("x")
    (workspace / "inside").symlink_to(outside)
    assert list(frozen(workspace).files) == ["kernel.hip"]


@pytest.mark.parametrize("name", ["torch.py", "sitecustomize.py", "conftest.py", "json.py", "triton/__init__.py"])
def test_names_that_hide_a_module_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "kernel.py").write_text("def launch(): ...")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("raise SystemExit")
    (tmp_path / "tiles.py").write_text("BLOCK = 4")
    submission = frozen(tmp_path, TRITON)
    assert list(submission.files) == ["kernel.py", "tiles.py"]
    assert "would hide the module" in submission.refused[0]


def test_no_more_than_64_files_and_8_mib(workspace: Path) -> None:
    for n in range(100):
        (workspace / f"f{n:03}.h").write_text("x")
    submission = frozen(workspace)
    assert len(submission.files) == 64
    assert "kernel.hip" in submission.files
    for n in range(100):
        (workspace / f"f{n:03}.h").unlink()
    for n in range(10):
        (workspace / f"g{n}.h").write_bytes(bytes(MAXIMUM_FILE_BYTES))
    submission = frozen(workspace)
    assert sum(len(b) for b in submission.files.values()) <= 8 * 2**20
    assert len(submission.files) == 8


def test_a_flood_of_files_is_cut_off_quickly(workspace: Path) -> None:
    (workspace / "z").mkdir()
    for n in range(8000):
        (workspace / "z" / f"{n}.h").touch()
    submission = frozen(workspace)
    assert "kernel.hip" in submission.files
    assert any("entries" in line for line in submission.refused)
    assert len(submission.refused) <= 50


def test_deep_folders_end_somewhere(workspace: Path) -> None:
    folder = workspace
    for _ in range(200):
        folder = folder / "d"
        folder.mkdir()
    (folder / "deep.h").write_text("x")
    assert list(frozen(workspace).files) == ["kernel.hip"]


def test_the_digest_covers_names_and_contents(workspace: Path) -> None:
    first = frozen(workspace)
    assert first.digest == frozen(workspace).digest
    (workspace / "a.h").write_text("1")
    second = frozen(workspace)
    (workspace / "a.h").rename(workspace / "b.h")
    third = frozen(workspace)
    (workspace / "b.h").write_text("2")
    assert len({first.digest, second.digest, third.digest, frozen(workspace).digest}) == 4


def test_what_is_written_is_what_was_frozen(workspace: Path, tmp_path: Path) -> None:
    (workspace / "sub").mkdir()
    (workspace / "sub" / "a.h").write_bytes(b"\x00\xff\n")
    submission = frozen(workspace)
    (workspace / "kernel.hip").write_text("changed afterwards")
    submission.write_to(tmp_path / "out")
    assert (tmp_path / "out" / "kernel.hip").read_text() == "// a kernel\n"
    assert (tmp_path / "out" / "sub" / "a.h").read_bytes() == b"\x00\xff\n"
    again = from_path(tmp_path / "out", "kernel.hip")
    assert again.digest == submission.digest
    with pytest.raises(InfrastructureError):
        submission.write_to(tmp_path / "out")


def test_the_record_is_a_manifest(workspace: Path) -> None:
    record = frozen(workspace).record()
    assert record.files[0].sha256 == hashlib.sha256(b"// a kernel\n").hexdigest()
    assert (record.files[0].path, record.files[0].bytes) == ("kernel.hip", 12)


def test_the_diff_can_be_applied(workspace: Path, tmp_path: Path) -> None:
    start = {"kernel.hip": b"one\ntwo\nthree"}
    (workspace / "kernel.hip").write_bytes(b"one\n2\nthree\n")
    (workspace / "more.h").write_bytes(b"new\n")
    submission = frozen(workspace)
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "kernel.hip").write_bytes(start["kernel.hip"])
    subprocess.run(["patch", "-p1", "-s"], cwd=tmp_path / "base", input=submission.diff(start).encode(), check=True)
    for name, content in submission.files.items():
        assert (tmp_path / "base" / name).read_bytes() == content


def test_an_unchanged_submission_has_an_empty_diff(workspace: Path) -> None:
    assert frozen(workspace).diff({"kernel.hip": b"// a kernel\n"}) == ""


def test_a_single_file_is_taken_as_the_entry(tmp_path: Path) -> None:
    (tmp_path / "mine.cpp").write_text("x")
    assert from_path(tmp_path / "mine.cpp", "kernel.hip").files == {"kernel.hip": b"x"}


def test_a_path_that_cannot_be_a_submission_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        from_path(tmp_path / "nothing", "kernel.hip")
    with pytest.raises(InputError, match=r"kernel\.hip: is missing"):
        from_path(tmp_path, "kernel.hip")
    (tmp_path / "kernel.hip").symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="is a symbolic link"):
        from_path(tmp_path, "kernel.hip")


def test_a_file_that_is_swapped_for_a_link_meanwhile_never_leaks(workspace: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    entry, stop = workspace / "kernel.hip", threading.Event()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            new = workspace / f".new{number % 2}"
            if number % 2:
                new.symlink_to(secret)
            else:
                new.write_text("// a kernel\n")
            os.replace(new, entry)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(400):
            result = collect(workspace, HIP)
            if isinstance(result, Submission):
                assert b"SECRET" not in result.files["kernel.hip"]
    finally:
        stop.set()
        thread.join()


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=12),
                       st.binary(max_size=50), max_size=6), st.integers(0, 9))
def test_any_names_and_contents_give_a_submission_that_is_plain(names: dict[str, bytes], seed: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        (folder / "kernel.hip").write_text("k")
        random.seed(seed)
        for name, content in names.items():
            if name not in (".", "..", "kernel.hip"):
                (folder / (name + random.choice(["", ".h", ".py"]))).write_bytes(content)
        submission = frozen(folder)
        assert all(path.isascii() and path.isprintable() and ".." not in path.split("/") for path in submission.files)
        submission.write_to(folder / "out")
