"""Small random tables for Hypothesis, and the literal view of one: a list of records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, get_args

import pandas as pd
from hypothesis import strategies as st

import ontomask as om
from ontomask.kinds.scales import Scale

from support.strategies import dags

CATEGORIES = ("low", "mid", "high")
DAYS = ("2019-12-31", "2020-01-01", "2020-01-02", "2020-02-29", "2021-06-15", "2021-06-16", "2029-03-05")


@st.composite
def microdata(
    draw: st.DrawFn,
    least: int = 1,
    most: int = 24,
    columns: int = 3,
    mixed: bool = True,
    kept: bool = False,
    missing: str = "error",
    distances: tuple[str, ...] = ("wu_palmer", "log_sc", "path"),
) -> om.Microdata:
    """A table of nominal columns over DAGs; ``mixed``: columns of other kinds, too; ``kept``: with missing cells.

    ``missing`` is the policy for missing cells; all kinds have some unless it is ``error``.
    """
    n = draw(st.integers(least, most))
    every = ("nominal", "nominal", "numeric", "ordinal", "date")
    kinds = draw(st.lists(st.sampled_from(every), min_size=1, max_size=columns))
    frame: dict[str, list[object]] = {}
    attributes: dict[str, om.Nominal | om.Numeric | om.Ordinal | om.Date] = {}
    for number, kind in enumerate(kinds if mixed else ["nominal"] * len(kinds)):
        name = f"{kind}{number}"
        weight = draw(st.sampled_from((1.0, 1.0, 2.0)))
        if kind == "nominal":
            taxonomy, parents = draw(dags())
            scope = draw(st.sampled_from(("domain", "ontology")))
            values = st.sampled_from(sorted(parents))
            attributes[name] = om.Nominal(taxonomy, draw(st.sampled_from(distances)), scope=scope, weight=weight)
        elif kind == "numeric":
            values = st.integers(0, 9)
            attributes[name] = om.Numeric(weight=weight, scale=draw(st.sampled_from(get_args(Scale))))
        elif kind == "date":
            values = st.sampled_from(DAYS)
            attributes[name] = om.Date(weight=weight)
        else:
            values = st.sampled_from(CATEGORIES)
            attributes[name] = om.Ordinal(CATEGORIES, weight=weight)
        has_missing = missing != "error" or (kept and kind != "numeric")
        cells = st.one_of(values, values, values, st.none()) if has_missing else values
        frame[name] = draw(st.lists(cells, min_size=n, max_size=n))
        if all(cell is None for cell in frame[name]):
            frame[name][0] = draw(values)
    return om.Microdata(pd.DataFrame(frame, dtype=object), attributes, missing="keep" if kept else missing)


@st.composite
def personal_microdata(draw: st.DrawFn, mixed: bool = True) -> om.Microdata:
    """A table where persons (``who``) have several records, with a confidential column ``ward``."""
    data = draw(microdata(least=4, mixed=mixed))
    who = draw(st.lists(st.integers(0, len(data)), min_size=len(data), max_size=len(data)))
    ward = draw(st.lists(st.sampled_from("abc"), min_size=len(data), max_size=len(data)))
    attributes = {name: column.kind for name, column in data.quasi_identifiers.items()}
    return om.Microdata(data.frame.assign(who=who, ward=ward), attributes, person="who", confidential=["ward"])


def records_of(frame: pd.DataFrame, names: list[str]) -> list[tuple[object, ...]]:
    """The records of a frame; missing cells are ``None``."""
    rows = zip(*(frame[name].tolist() for name in names), strict=True)
    return [tuple(None if isinstance(cell, float) and math.isnan(cell) else cell for cell in row) for row in rows]


def tuple_records(tuples: Any) -> list[tuple[int, ...]]:
    """Each distinct tuple as a record of points."""
    columns = [points[tuples.indices[:, j]].tolist() for j, points in enumerate(tuples.points)]
    return list(zip(*columns, strict=True))


def nominal_data(
    *columns: Iterable[object], taxonomy: om.Taxonomy, names: Sequence[str] = (), **options: Any
) -> om.Microdata:
    """Columns of concepts, each over the whole taxonomy; without names they are called c0, c1 and so on."""
    frame = pd.DataFrame({names[j] if names else f"c{j}": list(column) for j, column in enumerate(columns)})
    return om.Microdata(frame, dict.fromkeys(frame, om.Nominal(taxonomy, domain=taxonomy.root)), **options)
