"""A run that is killed or interrupted at any moment leaves complete files or none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
import pytest

import ontomask as om
from ontomask.job.outputs import Outputs

from support.jobs import JOB, listing
from support.marked import HEADER, MARK, make_marked_job, marked_rows, says_what_to_do

OUTPUTS = ("masked.csv", "masked.private.toml", "run.plan")

# Runs the command many times, each in a new process, and sends it a signal: sometimes at a random moment, sometimes as
# soon as writing has begun or a moment later. Imports are done before, to save time.
SENDER = """
import json, os, random, sys, time
from pathlib import Path

import ontomask.cli.commands, ontomask.job.validation, ontomask.report
from ontomask.cli import main

folder, sent, often = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
outputs = sys.argv[4:]
reference = {}
chance = random.Random(7)

def listing():
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

def start():
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        sys.argv = ["ontomask", "mask", str(folder / "job.toml"), "--seed", str(2**64 + 1)]
        main()
        os._exit(0)
    return child

def ended(child):
    done, status = os.waitpid(child, os.WNOHANG)
    return None if done == 0 else os.waitstatus_to_exitcode(status)

begun = time.monotonic()
before = listing()
assert os.waitstatus_to_exitcode(os.waitpid(start(), 0)[1]) == 0
duration = time.monotonic() - begun
reference = listing()
found = []
for number in range(often):
    for name in outputs:
        (folder / name).unlink(missing_ok=True)
    in_writing = number % 2 == 1
    moment = chance.random() * (0.02 if in_writing else duration)
    begun, child, code = time.monotonic(), start(), None
    while code is None and in_writing and not any(folder.glob(".ontomask-*")):
        time.sleep(0.0005)
        code = ended(child)
    begun = time.monotonic() if in_writing else begun
    while code is None and time.monotonic() - begun < moment:
        time.sleep(0.0005)
        code = ended(child)
    if code is None:
        os.kill(child, sent)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    there = listing()
    found.append({
        "code": code,
        "complete": [name for name in outputs if there.get(name) == reference[name]],
        "broken": [name for name in there if there[name] != reference.get(name)],
        "folders": [path.name for path in folder.iterdir() if path.is_dir()],
    })
for name in outputs:
    (folder / name).unlink(missing_ok=True)
assert os.waitstatus_to_exitcode(os.waitpid(start(), 0)[1]) == 0
print(json.dumps({"runs": found, "after": listing() == reference, "left": [p.name for p in folder.glob(".*")]}))
"""


def send(folder: Path, signal: int, often: int) -> dict:
    """What the runs left behind."""
    make_marked_job(folder, JOB + 'plan = "run.plan"\n')
    (folder / "data.csv").write_text("\n".join([HEADER, *marked_rows(20_000)]) + "\n")
    command = [sys.executable, "-c", SENDER, str(folder), str(signal), str(often), *OUTPUTS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_killed_run_leaves_no_part_of_a_file(tmp_path):
    found = send(tmp_path, 9, 20)
    assert [run["broken"] for run in found["runs"]] == [[]] * 20
    # Some were killed while writing. The files they left are hidden and have the name of the program.
    left = [name for run in found["runs"] for name in run["folders"]]
    assert left
    assert all(name.startswith(".ontomask-") for name in left)
    # The next run removes them.
    assert found["after"]
    assert found["left"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupted_run_leaves_nothing_at_all(tmp_path):
    found = send(tmp_path, 2, 4)
    for run in found["runs"]:
        assert run["broken"] == run["folders"] == []
        # All files or none. It may have been interrupted when the files were there, or have finished before.
        assert run["complete"] in ([], list(OUTPUTS))
        assert run["code"] == 130 or run["complete"]
        assert run["code"] in (130, 0, -2)
    assert (130, []) in [(run["code"], run["complete"]) for run in found["runs"]]


# A process that cannot write files of more than a few kilobytes, as on a full disk.
FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
from ontomask.cli import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
@pytest.mark.parametrize(("room", "masked"), [(20_000, "masked.csv"), (100, "masked.csv"), (20_000, "masked.parquet")])
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path, room, masked):
    path = make_marked_job(tmp_path, JOB.replace("masked.csv", masked))
    (tmp_path / "data.csv").write_text("\n".join([HEADER, *marked_rows(20_000)]) + "\n")
    before = listing(tmp_path)
    command = [sys.executable, "-c", FULL, str(room), "mask", str(path), "--seed", str(2**64 + 1), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2, done.stderr
    assert "written" in done.stderr
    assert says_what_to_do(done.stderr)
    assert MARK not in done.stderr
    assert "Traceback" not in done.stderr
    assert listing(tmp_path) == before
    assert not [folder for folder in tmp_path.iterdir() if folder.is_dir()]


# Makes a draft folder and is killed while it writes there.
KILLED = """
import os, sys
from pathlib import Path
from ontomask.base.drafts import DraftFolder
(DraftFolder.create(Path(sys.argv[1])).path / "half").write_text("half of a table")
os.kill(os.getpid(), 9)
"""


def left_by_a_killed_run(folder: Path) -> Path:
    subprocess.run([sys.executable, "-c", KILLED, str(folder)], timeout=60)
    (left,) = folder.glob(".ontomask-*")
    assert (left / "half").exists()
    return left


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_a_run_removes_what_a_killed_one_left_and_leaves_alone_what_another_is_writing(tmp_path):
    left = left_by_a_killed_run(tmp_path)
    with Outputs({"one": tmp_path / "a"}, {}).writing() as first:
        first["one"].write_text("one")
        assert not left.exists()
        with Outputs({"two": tmp_path / "b"}, {}).writing() as second:
            second["two"].write_text("two")
    assert listing(tmp_path) == {"a": b"one", "b": b"two"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such links")
def test_folders_of_others_are_never_removed(tmp_path):
    ours = left_by_a_killed_run(tmp_path)
    marker = next(path for path in ours.iterdir() if path.name != "half")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "letter").write_text("mine")
    (outside / marker.name).write_bytes(marker.read_bytes())
    kept = {}
    for name, content in {"notes": None, "empty": b"", "other": b"another marker\n"}.items():
        kept[name] = tmp_path / f".ontomask-{name}"
        kept[name].mkdir()
        (kept[name] / "letter").write_text("mine")
        if content is not None:
            (kept[name] / marker.name).write_bytes(content)
    (tmp_path / ".ontomask-file").write_text("mine")
    (tmp_path / ".ontomask-link").symlink_to(outside)
    (kept["notes"] / marker.name).symlink_to(marker)
    # A link inside such a folder is removed, but not its target.
    (ours / "link").symlink_to(outside)
    with Outputs({"one": tmp_path / "a"}, {}).writing() as drafts:
        drafts["one"].write_text("one")
    assert not ours.exists()
    assert (outside / "letter").read_text() == (tmp_path / ".ontomask-file").read_text() == "mine"
    assert (tmp_path / ".ontomask-link").is_symlink()
    assert [(folder / "letter").read_text() for folder in kept.values()] == ["mine"] * 3


# Writes a table in a format whose library writes to a path, and is killed when that file is there.
KILLED_IN_LIBRARY = """
import os, sys
import polars as pl, pyreadstat
import ontomask as om

write = pyreadstat.write_sav

def write_and_die(table, path):
    write(table, path)
    os.kill(os.getpid(), 9)

pyreadstat.write_sav = write_and_die
om.write_table(pl.DataFrame({"a": ["x"]}), sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_what_a_killed_run_left_of_an_spss_file_lies_beside_it_and_is_removed_by_the_next(tmp_path):
    target, elsewhere = tmp_path / "here" / "t.sav", tmp_path / "elsewhere"
    target.parent.mkdir()
    elsewhere.mkdir()
    command = [sys.executable, "-c", KILLED_IN_LIBRARY, str(target)]
    subprocess.run(command, timeout=60, env={**os.environ, "TMPDIR": str(elsewhere)})
    assert list(elsewhere.iterdir()) == []
    assert [path.name for path in target.parent.glob(".ontomask-*/*.sav")] == ["table.sav"]
    om.write_table(pl.DataFrame({"a": ["x"]}), target)
    assert not list(target.parent.glob(".ontomask-*"))


def test_excel_files_are_written_without_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "mkstemp", refusing(tempfile.mkstemp, tmp_path))
    monkeypatch.setattr(tempfile, "mkdtemp", refusing(tempfile.mkdtemp, tmp_path))
    om.write_table(pl.DataFrame({"a": ["x"]}), tmp_path / "t.xlsx")
    assert om.read_table(tmp_path / "t.xlsx").rows() == [("x",)]


def refusing(make, folder: Path):
    """The function, but only for paths in a folder."""

    def checked(*args, **options):
        assert options.get("dir") == folder
        return make(*args, **options)

    return checked
