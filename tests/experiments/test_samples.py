from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

import ontomask as om
from experiments.framework.tables import Source, dependence

T = om.Taxonomy.from_edges([("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("x", "top"), ("y", "top")])
ATTRIBUTES = {"A": om.Nominal(T, domain="top"), "B": om.Nominal(T, domain="top")}
# Of 100 records each column has 50 a and 50 c; a meets a 40 times where chance has 25.
PAIRS = [("a", "a")] * 40 + [("c", "c")] * 40 + [("a", "c")] * 10 + [("c", "a")] * 10


@pytest.fixture
def source():
    return Source(pl.DataFrame(PAIRS, schema=["A", "B"], orient="row"), ATTRIBUTES)


def test_lift_is_how_often_a_pair_comes_beside_chance(source):
    assert len(source._with_lift(0, 0)) == 100
    assert source._with_lift(1, 0) == list(range(80))  # 40·100 ≥ 1·50·50, 10·100 < 1·50·50
    assert source._with_lift(2, 0) == []
    assert source._with_lift(0, 0.2) == list(range(80))


def test_a_sample_is_even_and_as_dependent_as_asked_for(source):
    strong, weak = source.sample(20, 1.0), source.sample(20, 0.3)
    assert Counter(strong.frame.rows()) == {("a", "a"): 10, ("c", "c"): 10}
    assert dependence(strong) == pytest.approx(1)
    # Of every pair as many as its share: 40, 10, 10 and 40 of 100.
    assert Counter(weak.frame.rows()) == {("a", "a"): 8, ("a", "c"): 2, ("c", "a"): 2, ("c", "c"): 8}
    assert dependence(weak) == pytest.approx(0.6)  # two values each: the size of the correlation of their indicators


def test_samples_are_drawn_once(source):
    assert source.sample(20, 1.0) is source.sample(20, 1.0)
