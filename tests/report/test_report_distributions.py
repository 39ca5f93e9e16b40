"""Bars of a distribution: each record is counted once, at most a dozen bars, none with only a few originals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.microdata.table import RARE
from ontomask.report import build_report
from ontomask.report.bins import ConceptBins, Held, ranges_of_categories, ranges_of_numbers
from ontomask.report.distributions import KEPT, MOST_BARS, OTHER, distribution

from support.tables import microdata

EDGES = [
    ("pain", "symptom"),
    ("ache", "pain"),
    ("colic", "pain"),
    ("skin", "symptom"),
    ("rash", "skin"),
    ("itch", "skin"),
]


def counted(data: om.Microdata, name: str, masked: om.Result | None = None):
    after = data.quasi_identifiers[name] if masked is None else masked.data.columns[name]
    found = distribution(data.quasi_identifiers[name], after, data.disclosure_control)
    return found, dict(zip(found.categories, zip(found.original, found.masked, strict=True), strict=True))


def of_values(values: list[object], kind: object, **options) -> om.Microdata:
    return om.Microdata(pd.DataFrame({"x": values}), {"x": kind}, **options)


@given(microdata(least=5, most=70, columns=3, kept=True), st.integers(0, 3))
@settings(max_examples=60)
def test_every_record_is_counted_once_and_no_bar_is_a_few(data, seed):
    result = om.ProbabilisticDistortion().mask(data, seed=seed)
    for name, column in data.quasi_identifiers.items():
        found, bars = counted(data, name, result)
        assert len(bars) <= MOST_BARS + 1
        if not bars:
            assert "Not shown" in found.note
            continue
        assert sum(found.original) == sum(found.masked) == len(data)
        assert bars.get(KEPT, (0, 0))[0] == column.kept[column.code].sum()
        for bar, (original, masked) in bars.items():
            if bar != KEPT:
                assert original >= RARE or (original == 0 and (masked >= RARE or bar == OTHER))


@pytest.mark.parametrize("persons", [False, True])
def test_bars_do_not_tell_the_values_of_suppressed_records(persons):
    frame = pd.DataFrame(
        {"x": ["ache"] * 20 + ["colic"] * 20 + ["rash"], "age": [30, 50] * 20 + [50], "who": range(41)}
    )
    kinds = {"x": om.Nominal(om.Taxonomy.from_edges(EDGES)), "age": om.Numeric()}
    data = om.Microdata(frame, kinds, **({"person": "who"} if persons else {"identifiers": ["who"]}))
    result = om.Suppression(2).mask(data, seed=0)
    for found in build_report(data, result, om.evaluate(data, result, attacks=False)).distributions:
        assert found.categories
        assert found.original == found.masked
        assert sum(found.original) == 40
        assert "Suppressed records are not counted." in found.note


def test_bars_where_all_released_cells_are_kept():
    frame = pd.DataFrame({"x": ["ache", "rash", *[None] * 20], "age": [30, 50, *[None] * 20]})
    kinds = {"x": om.Nominal(om.Taxonomy.from_edges(EDGES)), "age": om.Numeric()}
    data = om.Microdata(frame, kinds, missing="keep")
    result = om.Suppression(2).mask(data, seed=0)
    assert len(result.data) == 20
    for name, column in data.quasi_identifiers.items():
        found = distribution(column, result.data.columns[name], data.disclosure_control, result.data.rows)
        assert found.categories in ((), (KEPT,))


@given(microdata(least=30, most=70, columns=1, mixed=False))
@settings(max_examples=40)
def test_a_bar_counts_what_lies_below_it_along_first_parents(data):
    (column,) = data.quasi_identifiers.values()
    domain, graph = column.domain, column.domain.graph
    points = column.point[column.code]
    own = np.bincount(points, minlength=len(domain))
    bins = ConceptBins(graph, own, own, lambda code: True, most=MOST_BARS)

    def chain(code: int) -> list[int]:
        up = [code]
        while up[-1]:
            up.append(int(graph.parents(up[-1])[0]))
        return up

    for code in np.unique(points).tolist():
        inside = [i for i, p in enumerate(bins.bins) if (p.code == code if p.alone else p.code in chain(code))]
        assert len(inside) <= 1
        assert bins.bin_of[code] == (inside[0] if inside else len(bins.bins))


def test_the_commonest_concept_is_told_in_most_detail():
    # 100 of 130 are pains, more than half, so pain is split. Skin is split because there is room.
    t = om.Taxonomy.from_edges(EDGES)
    data = of_values(["ache"] * 60 + ["colic"] * 40 + ["rash"] * 20 + ["itch"] * 10, om.Nominal(t))
    assert counted(data, "x")[1] == {"ache": (60, 60), "colic": (40, 40), "rash": (20, 20), "itch": (10, 10)}


def test_kinds_too_rare_to_be_shown_stay_with_their_concept():
    t = om.Taxonomy.from_edges(EDGES)
    # The 9 rashes and 9 itches are too few for bars, so "skin" counts both.
    data = of_values(["ache"] * 60 + ["colic"] * 40 + ["rash"] * 9 + ["itch"] * 9, om.Nominal(t))
    assert counted(data, "x")[1] == {"ache": (60, 60), "colic": (40, 40), "skin": (18, 18)}


def test_kinds_of_which_most_are_too_rare_stay_with_their_concept():
    t = om.Taxonomy.from_edges([*EDGES, *((f"spot{i}", "skin") for i in range(5))])
    spots = [f"spot{i}" for i in range(5) for _ in range(3)]
    # Of the 27 of the skin 12 could be shown, and 15 in five kinds could not.
    data = of_values(["ache"] * 60 + ["colic"] * 40 + ["rash"] * 12 + spots, om.Nominal(t))
    assert counted(data, "x")[1] == {"ache": (60, 60), "colic": (40, 40), "skin": (27, 27)}


def test_a_concept_between_its_kinds_has_a_bar_alone():
    t = om.Taxonomy.from_edges(EDGES)
    data = of_values(["ache"] * 60 + ["pain"] * 30 + ["rash"] * 20, om.Nominal(t))
    assert counted(data, "x")[1] == {"ache": (60, 60), "pain, unspecified": (30, 30), "rash": (20, 20)}


def test_bars_of_values_without_groups_do_not_speak_of_concepts():
    cells = ["a"] * 12 + ["b"] * 12
    assert "concept" not in counted(of_values(cells, om.Category()), "x")[0].note
    assert "concept" in counted(of_values(cells, om.Category({"g": ["a"], "h": ["b"]})), "x")[0].note


def test_a_rare_value_never_names_what_lies_below_it():
    t = om.Taxonomy.from_edges([*EDGES, ("acne", "skin")])
    # "skin" itself is a value of three records. Its kinds are shown instead, and the three go with the smallest.
    values = ["ache"] * 60 + ["rash"] * 20 + ["itch"] * 15 + ["skin"] * 3
    assert counted(of_values(values, om.Nominal(t)), "x")[1] == {"ache": (60, 60), "rash": (20, 20), OTHER: (18, 18)}


def test_others_are_not_a_few_either():
    t = om.Taxonomy.from_edges([(f"v{i}", "top") for i in range(20)])
    data = of_values(["v0"] * 50 + ["v1"] * 12 + ["v2"] * 30 + ["v3"] * 4, om.Nominal(t))
    assert counted(data, "x")[1] == {"v0": (50, 50), "v2": (30, 30), OTHER: (16, 16)}
    alone = of_values(["v0"] * 50 + ["v3"] * 4, om.Nominal(t))
    assert counted(alone, "x")[0].categories == ()


def test_more_than_a_dozen_kinds():
    t = om.Taxonomy.from_edges([(f"v{i:02}", "top") for i in range(30)])
    data = of_values([f"v{i:02}" for i in range(30) for _ in range(10 + i)], om.Nominal(t))
    found, bars = counted(data, "x")
    assert found.categories == (*(f"v{i}" for i in range(29, 18, -1)), OTHER)
    assert bars[OTHER][0] == sum(10 + i for i in range(19))


def test_words_that_stand_for_two_concepts_are_told_apart():
    t = om.Taxonomy.from_edges([("b1", "top"), ("b2", "top")], labels={"b1": ["bank"], "b2": ["bank"]})
    data = of_values(["b1"] * 12 + ["b2"] * 11, om.Nominal(t))
    assert counted(data, "x")[0].categories == ("bank (b1)", "bank (b2)")


def test_ranges_of_numbers_have_round_and_open_ends():
    ages = np.array([17] * 3 + [18 + i % 40 for i in range(400)] + [99] * 2, dtype=float)
    found = ranges_of_numbers(Held(ages), integers=True, most=12)
    assert found.names[0].startswith("under ")
    assert found.names[-1].endswith(" or more")
    assert "99" not in "".join(found.names)
    assert found.count(ages).sum() == len(ages)
    assert found.count(ages).min() >= RARE
    assert ranges_of_numbers(Held(np.full(20, 7.0)), integers=True, most=12).names == ("all numbers",)
    far = np.append(ages, 1e6)
    assert ranges_of_numbers(Held(far), integers=True, most=12).edges == found.edges
    half = ranges_of_numbers(Held(np.repeat([0.25, 0.75], 20)), integers=False, most=3)
    assert (half.edges, half.names) == ((0.5,), ("under 0.5", "0.5 or more"))


def test_rare_categories_join_the_one_below_and_are_not_named():
    grades = ("none", "low", "mid", "high", "top")
    points = np.repeat([0, 1, 2, 3, 4], [20, 3, 15, 30, 2])
    assert ranges_of_categories(Held(points), grades, most=12).names == ("under mid", "mid", "high or more")
    assert ranges_of_categories(Held(np.repeat([0, 1], [2, 40])), grades[:2], most=12).names == ("all categories",)
    inner = np.repeat([0, 1, 2, 3], [20, 30, 4, 30])
    assert ranges_of_categories(Held(inner), grades[:4], most=12).names == ("none", "low to under high", "high")
    assert len(ranges_of_categories(Held(np.repeat(range(30), 11)), [str(i) for i in range(30)], most=12).names) == 12


@pytest.mark.parametrize("kind", [om.Numeric(), om.Ordinal(["1", "2"])])
def test_fewer_records_than_may_be_told_of(kind):
    found, bars = counted(of_values(["1", "2"] * 4, kind), "x")
    assert not bars
    assert "Not shown" in found.note
