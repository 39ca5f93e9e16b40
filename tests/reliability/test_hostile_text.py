"""Names and values with control characters reach neither the terminal nor the lines of a job file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.base.text import UNSAFE, visible
from ontomask.cli.commands import app
from ontomask.cli.console import CHECK_FAILED, MISTAKE
from ontomask.job import Job
from ontomask.job.toml_text import toml_comment, toml_key, toml_table, toml_value

from support.jobs import JOB, LINKS, make_job

CLEAR, CSI, TURN, BACK = "\x1b[2J", "\x9b31m", "\u202e", "\r"
EVIL = f"x{CLEAR}{CSI}{TURN}{BACK}y"
INJECTED = 'x\n[policies]\nunmapped = "drop"\n#'


def is_safe(text: str) -> bool:
    return UNSAFE.search(text.replace("\n", "")) is None


def run(*arguments: str, code: int) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, (done.output, done.exception)
    assert is_safe(done.stdout + done.stderr), done.output
    return done.stdout + done.stderr


def test_visible_shows_what_does_not_print_and_leaves_words_alone():
    assert visible(EVIL) == r"x\u001b[2J\u009b31m\u202e\u000dy"
    assert visible("a\nb\tc", keep="\n\t") == "a\nb\tc"
    for text in ("Öl, ñandú", "می‌خواهم", "क्‍ष", "三 %", "👩‍👩‍👧", "a\u00a0b"):
        assert visible(text) == text
    assert visible("\udc80") == r"\udc80"


@pytest.fixture
def evil_job(tmp_path) -> Path:
    """A job whose ontology, column names and values are full of control characters."""
    path = make_job(tmp_path, JOB.replace("[columns.cost]", f"[columns.{toml_key('co' + EVIL)}]"))
    table = (tmp_path / "data.csv").read_text().replace("cost", f'"co{EVIL}"').replace(",rash,", f',"{EVIL}",')
    (tmp_path / "data.csv").write_text(table, newline="")
    (tmp_path / "links.csv").write_text(LINKS + f'child{CLEAR},"sy{EVIL}"\n', newline="")
    return path


def test_map_shows_values_and_labels_without_their_control_characters(evil_job):
    output = run("map", str(evil_job), "--all", code=CHECK_FAILED)
    assert visible(EVIL) in output
    document = json.loads(run("map", str(evil_job), "--json", code=CHECK_FAILED))
    assert EVIL in [value["value"] for value in document["columns"][0]["values"]]


def test_errors_and_ontologies_are_shown_without_control_characters(evil_job):
    run("mask", str(evil_job), code=MISTAKE)
    run("mask", f"no{EVIL}.toml", code=MISTAKE)
    links = str(evil_job.parent / "links.csv")
    assert repr(EVIL)[1:-1] in run("ontology", "info", links, code=0)
    run("ontology", "find", links, f"child{CLEAR}", code=0)
    run("ontology", "find", links, EVIL, code=CHECK_FAILED)
    run("ontology", "distance", links, f"child{CLEAR}", "ache", code=0)


@pytest.mark.parametrize("name", [EVIL, INJECTED, 'a"b', "a]b", "# a", "a\\nb", "", "é", "\u2028[method]"])
def test_init_writes_one_job_whatever_files_and_columns_are_called(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    make_job(tmp_path)
    file = Path(f"t{name}.csv")
    quoted = ("c" + name).replace('"', '""')
    rows = [f"{i},{name.strip() and 'NA'},low" for i in range(30)]
    file.write_text("\n".join([f'age,"{quoted}",grade', *rows]) + "\n", newline="")
    output = run("init", str(file), "--ontology", "links.csv", "--out", "new.toml", code=0)
    assert visible("c" + name, keep="") in output.replace("\n", "") or len(name) > 20
    text = Path("new.toml").read_text()
    assert is_safe(text)
    content = tomllib.loads(text)
    assert content["input"]["path"] == str(file)
    assert list(content["columns"]) == ["age", "c" + name, "grade"]
    assert content["policies"]["unmapped"] == "error"


def test_init_refuses_a_file_name_that_is_no_text(tmp_path):
    file = tmp_path / "t\udc80.csv"
    try:
        file.write_text("age\n1\n")
    except (OSError, UnicodeError):
        pytest.skip("the file system takes no such name")
    run("init", str(file), "--out", str(tmp_path / "a.toml"), code=MISTAKE)


@pytest.mark.parametrize("text", [EVIL, INJECTED, '"""', "\\", "'", "\x7f", "\U000e0041", "a\ttab", " "])
def test_texts_survive_a_job_file(text):
    table = toml_table(toml_key(text), {text: text, "many": [text, {"a": text}], "number": 1.5, "truth": True})
    assert is_safe(table)
    assert tomllib.loads(table) == {text: {text: text, "many": [text, {"a": text}], "number": 1.5, "truth": True}}
    assert "\n" not in toml_comment(text)
    assert tomllib.loads(f"# {toml_comment(text)}\na = {toml_value(float('inf'))}") == {"a": float("inf")}


def test_a_job_reports_hostile_keys_without_their_control_characters(tmp_path):
    path = make_job(tmp_path, JOB.replace("[columns.cost]", f"[columns.{toml_key(EVIL)}]"))
    with pytest.raises(om.JobError) as caught:
        Job.from_toml(path).run(seed=0)
    assert is_safe(str(caught.value))
