from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ontomask as om
from experiments.framework.measurements import Rows
from experiments.grouping.resampling import EQUALITY, NAMES, AsPrinted, loses_most_at_most_levels
from ontomask.microdata.tuples import Tuples


def rows(losses):
    """One table and seed; losses by level of setting 1, where all others lose 5."""
    found = [(name, k, loss if name == EQUALITY else 5.0) for k, loss in losses.items() for name in NAMES]
    columns = dict.fromkeys(("table", "measure", "columns")) | {"table": "t", "measure": "loss", "columns": ""}
    return Rows.of({**columns, "method": name, "level": k, "seed": 0, "value": value} for name, k, value in found)


@pytest.mark.parametrize(
    ("losses", "margin"), [({2: 9.0, 3: 9.0, 5: 1.0}, 2 / 3 - 0.5), ({2: 9.0, 3: 1.0}, 0.0), ({2: 1.0}, -0.5)]
)
def test_setting_1_loses_most_at_most_levels(losses, margin):
    assert loses_most_at_most_levels(rows(losses))["margin"].to_list() == [pytest.approx(margin)]


def test_distances_are_multiplied_by_the_number_of_equal_records():
    # root - (near - (a, b), far): a is nearer to b than to far.
    links = [("a", "near"), ("b", "near"), ("near", "root"), ("far", "root")]
    values = ["a"] * 5 + ["b"] * 4 + ["far"]
    frame = pl.DataFrame({"value": values})
    data = om.Microdata(frame, {"value": om.Nominal(om.Taxonomy.from_edges(links), scope="ontology")})
    tuples = Tuples.of(data.table)
    sample = np.repeat(np.arange(3), data.table.counts)[None, :]
    names = [values[row] for row in np.unique(data.table.inverse, return_index=True)[1]]

    def order(method):
        return [names[number] for number in method._sorted(tuples, sample, np.random.default_rng(0))[0]]

    # The centroid is a. By Wu–Palmer, sd(a, b) = 1 - 4/6 and sd(a, far) = 1 - 2/5.
    assert order(om.Resampling(2, reference="sample"))[0] == "far"
    # With ω: 4 · 1/3 for b and 1 · 3/5 for far. From b: 1 · 3/5 for far and 5 · 1/3 for a.
    assert order(AsPrinted(2, reference="sample")) == ["b"] * 4 + ["far"] + ["a"] * 5
