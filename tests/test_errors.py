from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import ontomask as om
from ontomask.base.notes import Note
from ontomask.cli.console import guarded
from ontomask.errors import Choice, Setting, join_or
from ontomask.job.problems import abbreviate, locate_errors, spell_for_job

MISSING = Setting("policies", "missing", values=["keep", "drop"])
PAIRS = Choice(Setting("key", about="a column"), Setting("rows"))


def test_settings_are_spelled_for_python_by_default():
    problem = om.TableError("Say ", MISSING, " or give ", PAIRS, ".")
    assert str(problem) == "Say missing='keep' or 'drop' or give 'key' (a column) or 'rows'."


def test_settings_are_spelled_for_a_job(tmp_path):
    with pytest.raises(om.JobError) as caught, locate_errors(tmp_path / "job.toml", "columns"):
        raise om.TableError("Say ", MISSING, " or give ", PAIRS, ".", column="age", values=["x"], parameter="missing")
    problem = caught.value
    assert problem.problems == (("columns", 'Say policies.missing = "keep" or "drop" or give --key (a column).'),)
    assert (problem.key, problem.column, problem.values, problem.parameter) == ("columns", "age", ("x",), "missing")


def test_keys_of_a_job_are_quoted():
    assert spell_for_job(Setting("columns", "native country", "mapping")) == 'columns."native country".mapping'
    overwrite = Setting("output", "overwrite", values=[True])
    assert spell_for_job(overwrite) == "output.overwrite = true (or --force on the command line)"
    assert spell_for_job(Setting("rows")) == ""


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (Setting("policies", "unmapped", values=["keep", "root"]), "--unmapped keep or root"),
        (Setting("output", "overwrite", values=[True]), "--force"),
        (Setting("input", "encoding", values=["latin-1"]), "encoding latin-1"),
        (PAIRS, "--key (a column)"),
    ],
)
def test_settings_are_spelled_for_a_command(capsys, setting, expected):
    @guarded
    def command(unmapped="", force=False, key=""):
        raise om.TableError("Give ", setting, ".")

    with pytest.raises(BaseException):  # noqa: B017, PT011 (typer's own)
        command()
    assert capsys.readouterr().err == f"ontomask: Give {expected}.\n"


def test_settings_in_notes_are_spelled_last():
    note = Note.of("rows-unrelated", "Give {identify}.", identify=PAIRS)
    assert note == "Give 'key' (a column) or 'rows'."
    assert note.worded(spell_for_job) == "Give --key (a column)."
    assert om.TableError(note).worded(spell_for_job) == "Give --key (a column)."


def test_file_and_line_are_fields():
    problem = om.ReadError("It is damaged.", path="a.csv", line=3, code="T101")
    assert str(problem) == "[T101] a.csv, line 3: It is damaged."
    assert (problem.path, problem.line, problem.code, problem.reason) == (Path("a.csv"), 3, "T101", "It is damaged.")


def test_errors_can_be_pickled():
    problem = om.TableError("Say ", MISSING, ".", path="a.csv", column="age", values=["x"])
    copy = pickle.loads(pickle.dumps(problem))
    assert str(copy) == str(problem)
    assert copy.worded(spell_for_job) == problem.worded(spell_for_job)
    assert (copy.path, copy.column, copy.values) == (problem.path, "age", ("x",))


def test_alternatives_and_values_as_text():
    assert [join_or(texts) for texts in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a or b", "a, b or c"]
    assert abbreviate("x" * 99).endswith("…")
    assert abbreviate({"a": [True, 1.5]}) == "{ a = [true, 1.5] }"
