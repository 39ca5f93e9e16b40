"""Columns are encoded by the dataframe library: the codes are those of a loop over the cells."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.base.grouping import number_texts
from ontomask.errors import TableError
from ontomask.microdata import backends, frames
from ontomask.microdata.persons import note_similar_persons, number_persons

from support.frame_kinds import cells_of

COLUMNS = [
    ["b", "a", None, "b", "", "a"],
    [None, "b", None],
    [3, 1, None, 3],
    [1.5, math.nan, None, 1.5, -0.0, 0.0],
    [True, None, False, True],
    [datetime.date(2024, 1, 2), None, datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)],
    [None, None],
]


def literal_codes(cells):
    """Codes in order of first appearance, cell by cell."""
    plain = [None if cell is None or cell != cell else cell for cell in cells]
    distinct = list(dict.fromkeys(plain))
    return [distinct.index(cell) for cell in plain], distinct


@pytest.mark.parametrize("cells", COLUMNS, ids=str)
def test_codes_are_in_order_of_first_appearance(kind, cells):
    frame = frames.from_columns({"x": cells}, kind)
    codes, distinct = frames.factorise(frame, "x")
    assert (codes.tolist(), distinct) == literal_codes(cells_of(frame, "x"))
    assert codes.dtype == np.int32
    numbers, size = frames.number_cells(frame, "x")
    assert (numbers.tolist(), size) == (codes.tolist(), len(distinct))


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["b", None, "a", "b"], dtype=object),
        pd.Series(["b", None, "a", "b"], dtype="category"),
        pd.Series([1, True, 0, False, 1, "1"], dtype=object),
        pd.array([1.5, None, 2.5, 1.5], dtype="Float64"),
        pd.array([2, None, 1, 2], dtype="Int64"),
        pd.Series(["b", None, "a"]).astype(pd.ArrowDtype(pa.string())),
    ],
    ids=lambda values: str(values.dtype),
)
def test_numbers_of_cells_are_the_codes_for_every_type_of_pandas(values):
    frame = pd.DataFrame({"x": values})
    codes, cells = frames.factorise(frame, "x")
    numbers, size = frames.number_cells(frame, "x")
    assert (numbers.tolist(), size) == (codes.tolist(), len(cells))


def test_arrow_chunks_with_their_own_dictionaries_share_codes():
    chunks = [pa.array(part).dictionary_encode() for part in (["b", "a"], ["a", None, "c"])]
    codes, cells = frames.factorise(pa.table({"x": pa.chunked_array(chunks)}), "x")
    assert (codes.tolist(), cells) == ([0, 1, 1, 2, 3], ["b", "a", None, "c"])


@pytest.mark.parametrize("cells", [["a", "b", None], [1, 2], ["a", "b", "a"], [None, 1, None]], ids=str)
def test_a_column_repeats_if_it_has_fewer_distinct_cells_than_records(kind, cells):
    assert frames.repeats(frames.from_columns({"x": cells}, kind), "x") == (len(set(cells)) < len(cells))


def test_compound_cells_are_refused_where_repetitions_are_looked_for():
    with pytest.raises(TableError) as caught:
        frames.repeats(pd.DataFrame({"x": [[1], [2]]}), "x")
    assert caught.value.column == "x"


def test_an_identifier_is_never_encoded(kind, monkeypatch):
    backend, seen = backends.BACKENDS[kind], []
    encode = type(backend).encode
    monkeypatch.setattr(type(backend), "encode", lambda self, values: seen.append(len(values)) or encode(self, values))
    columns = {"name": ["Ada", "Bob", "Eve"], "age": [30, 31, 30], "cost": [1, 2, 3]}
    data = om.Microdata(
        frames.from_columns(columns, kind), {"age": om.Numeric()}, identifiers=["name"], confidential=["cost"]
    )
    om.PRAM().mask(data, seed=0)
    # The age, and nothing else, once.
    assert len(seen) == 1


# Persons

IDS = st.lists(st.one_of(st.none(), st.text(alphabet="A1- \t\x1c\u3000é", max_size=3)), min_size=1, max_size=12)


@given(IDS)
def test_persons_are_numbered_by_their_text_without_surrounding_blanks(cells):
    for kind in ("pandas", "polars", "pyarrow"):
        frame = frames.from_columns({"id": pl.Series(cells, dtype=pl.String).to_list(), "n": range(len(cells))}, kind)
        code, distinct = frames.factorise(frame, "id")
        assert number_persons(frame, "id").tolist() == number_texts(distinct)[0][code].tolist()


@pytest.mark.parametrize(
    ("cells", "is_plain"),
    [
        (["A-1", None, "~"], True),
        ([7, 8], True),
        (["A", "A "], False),
        (["A", ""], False),
        (["é"], False),
        (["a\x1c"], False),
        ([1.0, 2.0], False),
    ],
)
def test_plain_cells(kind, cells, is_plain):
    frame = frames.from_columns({"id": cells}, kind)
    # pandas 2 holds texts as Python objects, which are not searched.
    is_searched = kind != "pandas" or frame["id"].dtype != "object"
    assert frames.has_plain_cells(frame, "id") == (is_plain and is_searched)
    if is_plain:
        assert note_similar_persons(frame, "id") == []


def test_identifiers_that_look_alike_are_found(kind):
    (note,) = note_similar_persons(frames.from_columns({"id": ["A1", "A 1", "B"]}, kind), "id")
    assert note.code == "persons-similar"
