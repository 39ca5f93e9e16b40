"""Jobs that are edited as data: one text, exact values, undo."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.errors import JobError
from ontomask.job.editing import REMOVE, JobEditor, edited_text

from support.errors import raises

JOB = """\
# My job.
input.path = "data.csv" # beside it
output.masked = "masked.csv"

# Age in years.
[columns.age]
role = "quasi-identifier"
kind = "numeric"
confirmed = false

# Where they live.
[columns."home town"]
role = "other"

[method]
name = "Microaggregation"
k = 5
"""


@pytest.fixture
def editor(tmp_path: Path) -> JobEditor:
    return JobEditor(tmp_path / "job.toml", JOB)


def test_an_edit_changes_its_key_and_nothing_else(editor):
    editor.edit({("columns", "age", "weight"): 2.0, ("method", "k"): 10})
    assert editor.text == JOB.replace("confirmed = false\n", "confirmed = false\nweight = 2.0\n").replace(
        "k = 5", "k = 10"
    )
    assert editor.path.read_text() == editor.text
    assert editor.job.settings.columns["age"].weight == 2.0


def test_keys_are_removed_and_tables_added(editor):
    editor.edit({("columns", "age", "confirmed"): REMOVE, ("require", "k_all"): 3, ("columns", "age", "top"): REMOVE})
    assert editor.text == JOB.replace("confirmed = false\n", "") + "\n[require]\nk_all = 3\n"


def test_undo_and_redo_are_exact(editor):
    texts = [editor.text]
    for k in (6, 7, 8):
        editor.edit({("method", "k"): k})
        texts.append(editor.text)
    for text in reversed(texts[:-1]):
        editor.undo()
        assert editor.text == text == editor.path.read_text()
    assert not editor.can_undo
    editor.undo()
    for text in texts[1:]:
        editor.redo()
        assert editor.text == text
    assert not editor.can_redo
    editor.undo()
    editor.edit({("method", "k"): 20})
    assert not editor.can_redo


def test_an_invalid_edit_names_its_keys_and_changes_nothing(editor):
    with raises(JobError) as caught:
        editor.edit({("columns", "age", "kind"): "colour", ("output", "order"): "sorted"})
    assert {key for key, _ in caught.value.problems} == {"columns.age.kind", "output.order"}
    assert editor.text == JOB == editor.path.read_text()
    assert not editor.can_undo


def test_a_change_by_another_program_is_not_overwritten(editor):
    editor.path.write_text(JOB + "# by hand\n")
    with raises(JobError, code="changed"):
        editor.edit({("method", "k"): 6})
    assert editor.path.read_text().endswith("# by hand\n")
    assert editor.text == JOB


def test_what_was_read_is_kept_while_its_settings_are_the_same(tmp_path):
    (tmp_path / "data.csv").write_text("age,home town\n1,a\n2,b\n3,c\n")
    editor = JobEditor(tmp_path / "job.toml", JOB.replace("confirmed = false\n", ""))
    frame, data = editor.job.sources.frame, editor.job.data
    editor.edit({("method", "k"): 2})
    assert editor.job.sources.frame is frame
    assert editor.job.data is data
    editor.edit({("columns", "age", "weight"): 2.0})
    assert editor.job.sources.frame is frame
    assert editor.job.data is not data
    editor.edit({("input", "encoding"): "latin-1"})
    assert editor.job.sources.frame is not frame


names = st.text(min_size=1, max_size=12).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text))
values = st.one_of(
    names,
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.lists(names, max_size=3),
    st.dictionaries(names, names, max_size=3),
)


@given(st.dictionaries(st.tuples(names, names), values, min_size=1, max_size=4))
def test_any_names_and_values_are_written_exactly(changes):
    made = edited_text(
        JOB, {("columns", column, key): value for (column, key), value in changes.items()}, Path("job.toml")
    )
    wanted = tomllib.loads(JOB)
    for (column, key), value in changes.items():
        wanted["columns"].setdefault(column, {})[key] = value
    assert tomllib.loads(made) == wanted
    assert made.startswith("# My job.\n")


@pytest.mark.parametrize("style", ["inline", "dotted"])
def test_other_styles_of_toml_are_edited_too(tmp_path, style):
    columns = {
        "inline": '[columns]\nage = { role = "other" }\nx = { role = "quasi-identifier", kind = "numeric" }\n',
        "dotted": 'columns.age.role = "other"\ncolumns.x.role = "quasi-identifier"\ncolumns.x.kind = "numeric"\n',
    }
    head = 'input.path = "d.csv"\noutput.masked = "m.csv"\nmethod = { name = "PRAM" }\n'
    editor = JobEditor(tmp_path / "job.toml", head + columns[style])
    editor.edit({("columns", "age", "role"): "drop", ("columns", "x", "weight"): 3.0, ("method", "stay"): 0.5})
    found = editor.job.settings
    assert (found.columns["age"].role, found.columns["x"].weight) == ("drop", 3.0)
    assert found.method.parameters == {"stay": 0.5}
