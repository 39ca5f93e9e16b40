from __future__ import annotations

import gzip
import json
from functools import partial
from pathlib import Path

import pandas
import pytest

import ontomask as om
from ontomask.hierarchy import Hierarchy, read_hierarchy

from support.errors import raises

ROWS = (("Spain", "Europe", "*"), ("Malta", "Europe", "*"), ("Japan", "Asia", "*"))
INDENTED = "*\n  Europe\n    Spain\n    Malta\n  Asia\n    Japan\n"


refused = partial(raises, om.ReadError)


@pytest.mark.parametrize("name", ["places.txt", "places.csv", "places"])
def test_an_indented_list_is_recognised(write, name):
    h = read_hierarchy(write(INDENTED, name))
    assert (h.rows, h.name) == (ROWS, "places")
    assert read_hierarchy(write(INDENTED.replace("  ", "\t"), name)).rows == ROWS


def test_labels_of_an_indented_list_may_have_delimiters(write):
    h = read_hierarchy(write("*\n  Asia\n    Korea, South\n    Japan\n", "h.txt"))
    assert h.rows == (("Korea, South", "Asia", "*"), ("Japan", "Asia", "*"))
    all_commas = write("all, any\n  Korea, South\n  Korea, North\n", "h.txt")
    assert read_hierarchy(all_commas, format="indented").leaves == ("Korea, South", "Korea, North")


def test_indented_lists_may_be_packed_and_encoded(write):
    assert read_hierarchy(write(gzip.compress(INDENTED.encode()), "places.txt.gz")).rows == ROWS
    latin = write("*\n  España\n".encode("latin-1"), "h.txt")
    assert read_hierarchy(latin, encoding="latin-1").leaves == ("España",)


def test_blanks_before_cells_do_not_make_an_indented_list(write):
    assert read_hierarchy(write("Spain;Europe;*\n Malta;Europe;*\n  Japan;Asia;*\n", "h.csv")).rows == ROWS


def test_problems_of_an_indented_list_have_their_line(write):
    path = write("*\n    Europe\n  Asia\n", "h.txt")
    with refused(path=path, line=3):
        read_hierarchy(path)


def test_levels_in_json(write):
    levels = {"0": ["Spain", "Malta", "Japan"], "1": ["Europe", "Europe", "Asia"], "2": ["*", "*", "*"]}
    assert read_hierarchy(write(json.dumps(levels), "places.json")).rows == ROWS
    assert read_hierarchy(write(json.dumps(levels), "places.txt"), format="levels").rows == ROWS


@pytest.mark.parametrize(
    "text",
    [
        '{"0": ["a"],',
        '["a", "b"]',
        '{"zero": ["a"], "1": ["*"]}',
        '{"0": "a", "1": ["*"]}',
        '{"0": ["a"], "2": ["*"]}',
        '{"0": ["a", "b"], "1": [], "2": ["*", "*"]}',
        '{"0": ["a", "a"], "1": ["b", "c"]}',
        '{"0": ["a"], "1": [""]}',
    ],
)
def test_bad_levels_are_refused(write, text):
    path = write(text, "h.json")
    with refused(path=path):
        read_hierarchy(path)


def test_levels_as_anjana_has_them(write):
    """A dictionary of the columns of a table without a heading."""
    path = write("17,10-19,*\n23,20-29,*\n28,20-29,*\n17,10-19,*\n", "age.csv")
    levels = dict(pandas.read_csv(path, header=None))
    h = Hierarchy.from_levels(levels, name="age")
    assert h.rows == (("17", "10-19", "*"), ("23", "20-29", "*"), ("28", "20-29", "*"))
    assert read_hierarchy(path).leaves == h.leaves


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|", ":", "~", " "])
def test_any_delimiter(tmp_path, delimiter):
    path = tmp_path / "h.csv"
    ragged = Hierarchy.from_rows(
        [("a b", "c;d", "e|f", "*"), ('say "x", y', "c;d", "*"), ("Other", "Other", "Other", "*")]
    )
    ragged.to_csv(path, delimiter)
    assert read_hierarchy(path, delimiter).rows == ragged.rows


def test_bad_formats_are_refused(write):
    with raises(om.UnknownFormatError, parameter="format"):
        read_hierarchy(write("a;*\n", "h.csv"), format="xml")
    with refused(parameter="delimiter"):
        read_hierarchy(write(INDENTED, "h.txt"), ";", format="indented")
    with refused(path=Path("no such file.json")):
        read_hierarchy("no such file.json")
