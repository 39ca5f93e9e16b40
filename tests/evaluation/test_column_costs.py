"""What a column costs: against a table without it, and on samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import TableError
from ontomask.evaluation.column_costs import ColumnCosts

from support.errors import raises

SYMPTOMS = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
KINDS = {"age": om.Numeric(weight=2), "symptom": om.Nominal(SYMPTOMS), "ward": om.Ordinal(["north", "south", "west"])}


def table(n: int, without: str = "", **roles) -> om.Microdata:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "symptom": rng.choice(["ache", "colic", "rash"], n),
            "ward": rng.choice(["north", "south", "west"], n),
            "who": np.arange(n) // 3,
        }
    )
    kinds = {name: kind for name, kind in KINDS.items() if name != without}
    drop = [without] if without else []
    return om.Microdata(frame, kinds, drop=drop, **({"identifiers": ["who"]} | roles))


@pytest.mark.parametrize("method", [om.Microaggregation(k=3), om.Recoding(k=3), om.Suppression(k=2)], ids=repr)
def test_the_loss_is_that_of_a_table_without_the_column(method):
    data = table(60)
    costs = om.column_costs(data, method)
    assert (costs.records, costs.sampled, costs.is_estimate) == (60, 60, False)
    assert costs.loss == pytest.approx(om.evaluate(data, method.mask(data, seed=0), attacks=False).sse)
    for name, weight in (("age", 2), ("symptom", 1), ("ward", 1)):
        left = table(60, without=name)
        sse = om.evaluate(left, method.mask(left, seed=0), attacks=False).sse
        # Distances are means over the columns: without a column, they count for more.
        assert costs.without[name] == pytest.approx(sse * (1 - weight / 4) ** 2)
    assert list(costs.ratios.values()) == sorted(costs.ratios.values())
    assert costs.dearest == min(costs.without, key=costs.without.__getitem__)


def test_a_large_table_is_sampled():
    data = table(300)
    costs = om.column_costs(data, om.Microaggregation(k=3), sample=100, columns=["ward"])
    assert (costs.sampled, costs.is_estimate, list(costs.without)) == (100, True, ["ward"])
    assert costs == om.column_costs(data, om.Microaggregation(k=3), sample=100, columns=["ward"])
    assert om.column_costs(data, om.Microaggregation(k=10), sample=1, columns=[]).sampled == 200


def test_persons_are_sampled_with_all_their_records():
    data = table(300, identifiers=[], person="who")
    costs = om.column_costs(data, om.Microaggregation(k=3), sample=100)
    assert costs.sampled == 99


def test_a_column_that_the_method_needs_is_left_out_of_the_answer():
    method = om.Generalisation(k=2, hierarchies={"symptom": om.build_hierarchy(["ache", "colic", "rash"], SYMPTOMS)})
    costs = om.column_costs(table(60), method)
    assert "ward" in costs.without


def test_nothing_lost_and_nothing_to_leave_out():
    assert ColumnCosts(5, 5, 0.0, {"a": 0.0}).ratios == {}
    assert ColumnCosts(5, 5, 0.0, {"a": 0.0}).dearest is None
    one = om.Microdata(pd.DataFrame({"age": [1, 2, 3, 4]}), {"age": om.Numeric()})
    assert om.column_costs(one, om.Microaggregation(k=2)).without == {}


@pytest.mark.parametrize(("options", "parameter"), [({"columns": ["who"]}, "columns"), ({"sample": 0}, "sample")])
def test_wrong_options(options, parameter):
    with raises(TableError, parameter=parameter):
        om.column_costs(table(30), om.Microaggregation(k=3), **options)
