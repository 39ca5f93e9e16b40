from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.hierarchy import Hierarchy, read_hierarchy
from ontomask.privacy import t_closeness
from ontomask.taxonomy import VIRTUAL_ROOT

from support.errors import raises

ROWS = [
    ("Bachelors", "Undergraduate", "Higher education", "*"),
    ("Masters", "Graduate", "Higher education", "*"),
    ("11th", "School", "Secondary", "*"),
]
ADULT = {
    "age": (100, 4),
    "education": (16, 3),
    "marital-status": (7, 2),
    "native-country": (41, 2),
    "occupation": (14, 2),
    "race": (5, 1),
    "salary-class": (2, 1),
    "sex": (2, 1),
    "workclass": (8, 2),
}


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Rows of different lengths, all up to one top; any text for the labels, delimiters and quotes included."""
    text = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=4)
    label = text.map(str.strip).filter(lambda cell: cell and "\ufeff" not in cell)
    leaves = draw(st.lists(label, min_size=1, max_size=6, unique=True))
    rows = [(leaf, *draw(st.lists(label, max_size=3)), "*") for leaf in leaves]
    return Hierarchy.from_rows([*rows, *draw(st.lists(st.sampled_from(rows), max_size=2))], name="any")


refused = partial(raises, om.TaxonomyError)


def test_levels_from_the_value_to_the_top():
    h = Hierarchy.from_rows(ROWS, name="education")
    assert (h.height, h.leaves, h.name) == (3, ("Bachelors", "Masters", "11th"), "education")
    assert h.levels("Masters") == ROWS[1]
    assert h.at(1) == {"Bachelors": "Undergraduate", "Masters": "Graduate", "11th": "School"}
    assert h.labels(0) == h.leaves
    assert h.labels(2) == ("Higher education", "Secondary")
    assert h.labels(3) == ("*",)
    assert h.generalise(["11th", "Masters", "11th"], 2) == ["Secondary", "Higher education", "Secondary"]
    assert h.generalise(np.array(["11th"]), 3) == ["*"]
    assert h.generalise([], 1) == []
    assert repr(h) == "<Hierarchy 'education': 3 leaves, height 3>"


def test_a_short_row_repeats_its_value_down_to_the_deepest_level():
    h = Hierarchy.from_rows([("Leeds", "UK", "Europe", "*"), ("Malta", "Europe", "*"), ("?", "*")])
    assert h.levels("Malta") == ("Malta", "Malta", "Europe", "*")
    assert h.levels("?") == ("?", "?", "?", "*")
    assert h.labels(1) == ("UK", "Malta", "?")
    assert h.rows[2] == ("?", "*")


def test_several_tops_are_several_labels_of_the_last_level():
    h = Hierarchy.from_rows([("a", "b", "top 1"), ("c", "d", "top 2"), ("e", "top 2")])
    assert h.labels(2) == ("top 1", "top 2")
    assert h.to_taxonomy().root == VIRTUAL_ROOT


def test_a_hierarchy_is_frozen():
    h = Hierarchy.from_rows(ROWS)
    with pytest.raises(AttributeError):
        h.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        h.at(1)["Masters"] = "x"  # type: ignore[index]
    assert h == Hierarchy.from_rows(map(list, ROWS))


def test_spaces_around_labels_do_not_count():
    assert Hierarchy.from_rows([(" a ", "b", " *")]).rows == (("a", "b", "*"),)


def test_integers_become_their_digits():
    levels = {0: np.array([37, 41]), 1: np.array(["30-39", "40-49"]), 2: ["*", "*"]}
    assert Hierarchy.from_levels(levels).rows == (("37", "30-39", "*"), ("41", "40-49", "*"))


def test_indented_text():
    text = "animal\n\n\tmammal\n\t\tdog\n\t\thorse\n\tbird\n"
    h = Hierarchy.from_indented_text(text, name="animals")
    assert h.rows == (("dog", "mammal", "animal"), ("horse", "mammal", "animal"), ("bird", "animal"))
    assert h.levels("bird") == ("bird", "bird", "animal")


def test_a_hierarchy_of_height_one():
    h = Hierarchy.from_rows([("White", "*"), ("Black", "*")])
    assert (h.height, h.labels(1)) == (1, ("*",))


def test_the_same_row_twice_counts_once_and_is_kept():
    h = Hierarchy.from_rows([*ROWS, ROWS[0]])
    assert len(h.leaves) == 3
    assert len(h.rows) == 4


@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        ([], {}),
        ([()], {}),
        ([("Spain",)], {}),
        (["Spain"], {}),
        ([3, 4], {}),
        ([("Spain", "", "*")], {}),
        ([("Spain", None, "*")], {"code": "T106"}),
        ([("Spain", 1.5, "*")], {"code": "T106"}),
        ([("Spain", True, "*")], {"code": "T106"}),
        ([("Spain", "Eu\nrope", "*")], {"values": ("Eu\nrope",)}),
        ([("Malta", "Europe", "*"), ("Malta", "Commonwealth", "*")], {"code": "V102", "values": ("Malta",)}),
        ([("Leeds", "UK", "*"), ("Spain", "Europe")], {"code": None, "values": ("Spain",)}),
    ],
)
def test_bad_rows_are_refused(rows, fields):
    with refused(**fields):
        Hierarchy.from_rows(rows)


def test_a_value_with_two_paths_is_shown_with_both():
    with refused(code="V102", values=("Malta",)):
        Hierarchy.from_rows([("Malta", "Europe", "*"), ("Malta", "Commonwealth", "*")])


@pytest.mark.parametrize(
    ("levels", "code"),
    [
        ({}, None),
        ({0: [], 1: []}, None),
        ({0: ["a"]}, None),
        ({0: ["a"], 2: ["*"]}, None),
        ({0: ["a"], "1": ["*"]}, None),
        ([["a"], ["*"]], None),
        ({0: ["a", "b"], 1: "**"}, None),
        ({0: ["a", "b"], 1: ["", " "], 2: ["*", "*"]}, None),
        ({0: ["a", ["b"]], 1: ["*", "*"]}, "T106"),
        ({0: ["a", "b"], 1: ["*"]}, None),
        ({0: ["a", "a"], 1: ["b", "c"]}, "V102"),
    ],
)
def test_bad_levels_are_refused(levels, code):
    with refused(code=code):
        Hierarchy.from_levels(levels)


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("", None, None),
        ("animal", 1, None),
        ("animal\n    dog\n  cat", 3, None),
        ("animal\n  dog\n pet\n  dog", 3, None),
        ("animal\n  pet\n    dog\n  guard\n    dog", 5, "V102"),
    ],
)
def test_bad_indents_are_refused(text, line, code):
    with raises(om.ReadError, path=Path("h.txt"), line=line, code=code):
        Hierarchy.from_indented_text(text, path="h.txt")
    with raises(om.HierarchyError, line=line, code=code):
        Hierarchy.from_indented_text(text)


def test_unknown_values_are_in_a_field_and_not_in_the_message():
    h = Hierarchy.from_rows(ROWS)
    with refused(values=("12th", "None")) as caught:
        h.generalise(["12th", "Masters", None, "12th"], 1)
    assert "12th" not in str(caught.value)
    with refused(values=("nan",)):
        h.generalise([float("nan")], 1)
    with refused(values=("12th",)):
        h.levels("12th")


def test_levels_can_be_left_out():
    h = Hierarchy.from_rows([("Bath", "UK", "Europe", "*"), ("Malta", "Europe", "*")], name="places")
    assert h.without(1).rows == (("Bath", "Europe", "*"), ("Malta", "Europe", "*"))
    # Malta stands for itself on level 1.
    assert h.without(2).rows == (("Bath", "UK", "*"), ("Malta", "Malta", "*"))
    assert h.without(1, 2).rows == (("Bath", "*"), ("Malta", "*"))
    assert (h.without(3).labels(2), h.without(3).name) == (("Europe",), "places")
    for levels in ((0,), (1, 2, 3)):
        with refused(parameter="levels"):
            h.without(*levels)
    with refused(parameter="level"):
        h.without(4)


@pytest.mark.parametrize("level", [-1, 4, 1.0, True, "1"])
def test_unknown_levels_are_refused(level):
    with refused(parameter="level"):
        Hierarchy.from_rows(ROWS).generalise(["11th"], level)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hierarchies(), st.sampled_from(";,\t|"))
def test_what_is_written_is_read_again(tmp_path, h, delimiter):
    path = tmp_path / "any.csv"
    h.to_csv(path, delimiter)
    assert read_hierarchy(path, delimiter) == h
    h.to_csv(path, delimiter, balanced=True)
    again = read_hierarchy(path, delimiter)
    assert again.rows == tuple(h.levels(leaf) for leaf in h.leaves)
    assert {len(row) for row in again.rows} == {h.height + 1}


@given(hierarchies())
def test_every_path_ends_in_its_row(h):
    for row in h.rows:
        path = h.levels(row[0])
        assert len(path) == h.height + 1
        assert path[len(path) - len(row) :] == row
        assert set(path[: len(path) - len(row) + 1]) == {row[0]}
    for level in range(h.height + 1):
        assert h.generalise(h.leaves, level) == [h.levels(leaf)[level] for leaf in h.leaves]


@pytest.mark.parametrize("name", ADULT)
def test_the_hierarchies_of_adult_come_back_as_they_were(tmp_path, name):
    source = Path(__file__).with_name("arx_adult") / f"adult_hierarchy_{name}.csv"
    h = read_hierarchy(source)
    assert (len(h.leaves), h.height, h.name) == (*ADULT[name], f"adult_hierarchy_{name}")
    assert h.labels(h.height) == ("*",)
    h.to_csv(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text().splitlines() == source.read_text().splitlines()
    assert read_hierarchy(tmp_path / "again.csv").rows == h.rows
    assert Hierarchy.from_levels({i: [row[i] for row in h.rows] for i in range(h.height + 1)}).rows == h.rows
    read, made = om.read_taxonomy(source), h.to_taxonomy()
    assert made.ids == read.ids
    assert [made.parents(c) for c in made.ids] == [read.parents(c) for c in read.ids]
    assert made.annotations.name == read.annotations.name


def test_a_hierarchy_gives_a_ground_distance():
    h = Hierarchy.from_rows(ROWS)
    found = t_closeness([0, 1], [0, 1], ground="hierarchical", levels=[h.levels(leaf) for leaf in h.leaves])
    assert found.t == pytest.approx(2 / 3 / 2)


def test_files_name_the_line_of_a_problem(write):
    with raises(om.ReadError, line=3, code="V102", values=("a",)):
        read_hierarchy(write("a;b;*\n\na;c;*\n"))
    with raises(om.ReadError, line=2, values=("c",)):
        read_hierarchy(write("a;b;*\nc;b\n"))
    for text, line in (("a;b;*\nc;;*\n", 2), ("a;b;*\nd\n", 2), ('"a\nb";*\n', 1), ("", None)):
        path = write(text)
        with raises(om.ReadError, path=path, line=line):
            read_hierarchy(path)
    with raises(om.ReadError, path=Path("no such file.csv")):
        read_hierarchy("no such file.csv")


def test_delimiter_and_encoding_can_be_given(tmp_path):
    path = tmp_path / "city.csv"
    path.write_bytes("Córdoba:España:*\n".encode("latin-1"))
    assert read_hierarchy(path, delimiter=":", encoding="latin-1").leaves == ("Córdoba",)


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", None])
def test_bad_delimiters_are_refused(tmp_path, delimiter):
    with refused(parameter="delimiter"):
        Hierarchy.from_rows(ROWS).to_csv(tmp_path / "h.csv", delimiter)
    assert not list(tmp_path.iterdir())


def test_a_file_is_written_atomically(tmp_path, monkeypatch):
    path = tmp_path / "h.csv"
    Hierarchy.from_rows(ROWS).to_csv(path)
    before = path.read_bytes()

    def broken(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", broken)
    with raises(om.HierarchyError, path=path, parameter="path", code="not-written"):
        Hierarchy.from_rows([("a", "*")]).to_csv(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
