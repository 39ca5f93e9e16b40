from __future__ import annotations

import polars as pl
import pytest

import ontomask as om
from experiments.framework.measurements import Rows
from experiments.framework.pages import by_level
from experiments.framework.tables import other_ties
from experiments.grouping.options import mean_share, relative

# L by method, k and seed: b loses 2 and 4 times as much as a at k = 2, and 3 and 1 times at k = 5.
LOSSES = {"a": {2: (1.0, 1.0), 5: (2.0, 4.0)}, "b": {2: (2.0, 4.0), 5: (6.0, 4.0)}, "c": {2: (3.0, 3.0)}}
ROWS = Rows.of(
    {"table": "t", "method": name, "level": k, "measure": "loss", "columns": "two", "seed": seed, "value": value}
    for name, of in LOSSES.items()
    for k, values in of.items()
    for seed, value in enumerate(values)
)


def test_ratios_are_those_of_each_seed():
    (chart,) = relative(ROWS, "loss", ("b", "missing"), "a", first_style=3)
    (line,) = chart.lines
    assert (chart.title, line.style) == ("t, two", 3)
    assert (list(line.y), list(line.low), list(line.high)) == ([3.0, 2.0], [2.0, 1.0], [4.0, 3.0])


def test_ranges_of_ratios_are_those_of_the_means():
    assert mean_share(ROWS, "loss", "b", "a") == pytest.approx((10 / 6, 3.0))
    # What was not measured at all levels is compared where it was.
    assert mean_share(ROWS, "loss", "c", "a") == (3.0, 3.0)


def test_tables_have_a_row_for_each_method():
    head, _, *lines = by_level(ROWS, "loss", columns=None).splitlines()
    assert head == "| t, two | k = 2 | k = 5 |"
    assert lines[0] == "| a | 1.00 | 3.00 ± 1.41 |"
    assert lines[2] == "| c | 3.00 | — |"


def test_other_ties_leave_numbers_alone():
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    frame = pl.DataFrame({"symptom": ["ache", "colic", "ache"], "age": [30, 40, 50]})
    data = om.Microdata(frame, {"symptom": om.Nominal(taxonomy), "age": om.Numeric()})
    other = other_ties(data, 1)
    assert other.frame["age"].to_list() == [30, 40, 50]
    first, second, third = other.frame["symptom"]
    assert first == third != second
    assert first not in taxonomy
