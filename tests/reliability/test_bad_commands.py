"""Wrong arguments of a command give one message that says what to do, and no file is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ontomask.cli.commands import app
from ontomask.cli.console import MISTAKE

from support.jobs import JOB, listing
from support.marked import MARK, make_marked_job, says_what_to_do

HIERARCHY = ("hierarchy", "build", "data.csv", "symptom", "--ontology", "links.csv")
SCORE = ("hierarchy", "score", "tree.csv")
MISTAKES = [
    # Files that are not a table, an ontology, a job or a journal.
    ("init", "bytes"),
    ("init", "empty.csv"),
    ("init", "folder"),
    ("init", "data.csv", "--ontology", "bytes", "--out", "a.toml"),
    ("init", "data.csv", "--ontology", "no", "--out", "a.toml"),
    ("init", "data.csv", "--encoding", "klingon"),
    ("init", "data.csv", "--delimiter", ";;"),
    ("init", "data.csv", "--sheet", "x"),
    ("init", "data.csv", "--out", "no/a.toml"),
    ("init", "data.csv", "--out", "data.csv", "--force"),
    ("map", "bytes"),
    ("map", "folder"),
    ("mask", "bytes"),
    ("mask", "job.toml", "--repeat", "bytes"),
    ("mask", "job.toml", "--repeat", "folder"),
    ("mask", "job.toml", "--repeat", "job.toml", "--seed", str(2**64 + 1)),
    ("evaluate", "job.toml", "bytes"),
    ("evaluate", "job.toml", "folder"),
    ("evaluate", "job.toml", "links.csv"),
    ("evaluate", "job.toml", "data.csv", "--key", "nobody"),
    ("evaluate", "job.toml", "data.csv", "--report", "no/r.html"),
    ("evaluate", "job.toml", "data.csv", "--report", "r.doc"),
    ("evaluate", "job.toml", "data.csv", "--report", "data.csv", "--force"),
    ("compare", "job.toml", "--journal", "folder"),
    ("compare", "job.toml", "--journal", "no/runs.jsonl"),
    ("compare", "job.toml", "--journal", "bytes"),
    ("compare", "job.toml", "--journal", "data.csv"),
    ("compare", "job.toml", "--journal", "job.toml"),
    ("compare", "job.toml", "--journal", "other.jsonl"),
    ("compare", "job.toml", "--out", "runs.docx"),
    ("compare", "job.toml", "--out", "folder"),
    ("advise", "job.toml", "--guarantee", "--k", "1"),
    ("advise", "job.toml", "--guarantee", "--keep", "peace"),
    ("advise", "job.toml", "--guarantee", "--keep", "balance", "--weight", "7"),
    ("ontology", "info", "bytes"),
    ("ontology", "info", "folder"),
    ("ontology", "info", "empty.csv"),
    ("ontology", "find", "links.csv", ""),
    ("ontology", "distance", "links.csv", ""),
    ("ontology", "distance", "links.csv", "ache", "--measure", "wup"),
    ("ontology", "distance", "links.csv", "ache", "--measure", ""),
    ("hierarchy", "score", "bytes"),
    ("hierarchy", "score", "folder"),
    (*SCORE, "--ontology", "links.csv", "--weights", "x"),
    (*SCORE, "--ontology", "links.csv", "--level", "x"),
    (*SCORE, "--ontology", "links.csv", "--distance", "x"),
    (*SCORE, "--ontology", "links.csv", "--mapping", "no.csv"),
    (*SCORE, "--ontology", "bytes"),
    ("hierarchy", "build", "data.csv", "cost", "--ontology", "links.csv"),
    ("hierarchy", "build", "empty.csv", "symptom"),
    (*HIERARCHY, "--levels", "99"),
    (*HIERARCHY, "--levels", "0"),
    (*HIERARCHY, "--objective", "x"),
    (*HIERARCHY, "--domain", "x"),
    (*HIERARCHY, "--unmapped", "x"),
    (*HIERARCHY, "--out", "no/x.csv"),
    (*HIERARCHY, "--out", "data.csv", "--force"),
    ("demo", "--out", "bytes"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_marked_job(tmp_path, JOB + '[compare]\nseeds = 1\nmethods = [{ name = "PRAM" }]\n')
    (tmp_path / "bytes").write_bytes(bytes(range(256)))
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "tree.csv").write_text("ache;pain;*\ncolic;pain;*\n")
    (tmp_path / "other.jsonl").write_text('{"comparison": "of something else"}\n{}\n')
    return tmp_path


@pytest.mark.parametrize("arguments", MISTAKES, ids=" ".join)
def test_bad_command(folder, arguments):
    before = listing(folder)
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == MISTAKE, (done.output, done.exception)
    assert says_what_to_do(done.stderr), done.stderr
    assert done.stdout == ""
    assert MARK not in done.stderr
    assert "Traceback" not in done.stderr
    assert listing(folder) == before


def test_a_journal_with_lines_that_are_cut_off_is_gone_on_with(folder):
    arguments = ["compare", "job.toml", "--journal", "runs.jsonl", "--processes", "1", "--json"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    about, row = (folder / "runs.jsonl").read_text().splitlines()
    for damaged in (row[: len(row) // 2], '{"method": "PRAM()"}', "\ufffd", "[]"):
        (folder / "runs.jsonl").write_text(f"{about}\n{damaged}\n")
        assert CliRunner().invoke(app, arguments).exit_code == 0
        assert len((folder / "runs.jsonl").read_text().splitlines()) == 2
