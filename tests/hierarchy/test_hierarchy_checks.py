from __future__ import annotations

import re
from itertools import pairwise

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.hierarchy import Hierarchy, check_hierarchy, checks, read_hierarchy

from support.errors import raises

SYMPTOMS = om.Taxonomy.from_edges(
    [("pain", "symptom"), ("fever", "symptom"), ("ache", "pain"), ("colic", "pain"), ("migraine", "ache")]
)
PLACES = [
    ("Leeds", "UK", "Europe", "*"),
    ("York", "UK", "Europe", "*"),
    ("Bern", "Switzerland", "Europe", "*"),
    ("Lima", "Peru", "America", "*"),
]


def check(rows, *args, **options):
    """The findings by code."""
    findings = check_hierarchy(Hierarchy.from_rows(rows), *args, **options)
    assert [f.code for f in findings] == sorted(f.code for f in findings)
    return {f.code: f for f in findings}


def test_a_sound_hierarchy_has_no_findings():
    values = pandas.Series(["Leeds", "York", "Lima", None, "Bern", "Lima"])
    assert check_hierarchy(Hierarchy.from_rows(PLACES), values=values) == ()
    sound = Hierarchy.from_rows(
        [("migraine", "ache", "symptom"), ("colic", "pain", "symptom"), ("ache", "ache", "symptom")]
    )
    assert [f.code for f in check_hierarchy(sound, SYMPTOMS)] == ["V117"]


def test_v101_a_level_that_loses_more_than_the_next():
    found = check([("migraine", "fever", "ache"), ("ache", "fever", "ache")], SYMPTOMS)
    assert found["V101"].level == 1
    assert (found["V101"].facts["worst"].leaf, found["V101"].facts["worst"].ancestor) == ("migraine", "fever")
    by_mean = check([("migraine", "fever", "pain"), ("fever", "fever", "pain")], SYMPTOMS, level="mean")
    assert "V101" not in by_mean


def test_v102_a_label_in_two_branches():
    found = check([("Leeds", "UK", "Europe", "*"), ("York", "UK", "Commonwealth", "*"), ("UK", "*", "*", "*")])
    assert found["V102"].labels == ("UK",)
    assert found["V102"].facts == {"parents": {"UK": ["Europe", "*", "Commonwealth"]}}


@pytest.mark.parametrize(
    "make",
    [
        lambda rows, path: Hierarchy.from_rows(rows),
        lambda rows, path: (path.write_text("\n".join(map(";".join, rows))), read_hierarchy(path))[1],
    ],
)
def test_v102_a_value_in_two_branches_is_refused_when_it_is_read(make, tmp_path):
    with raises(om.TaxonomyError, code="V102", values=("Malta",)):
        make([("Malta", "Europe", "*"), ("Malta", "Commonwealth", "*")], tmp_path / "h.csv")


def test_v103_and_v111_against_the_data():
    found = check(PLACES, values=["leeds", "York", "Quito", float("nan"), ""])
    assert (found["V103"].level, found["V103"].labels) == (0, ("leeds", "Quito"))
    assert found["V103"].facts == {"nearest": {"leeds": "Leeds"}}
    assert found["V111"].labels == ("Leeds", "Bern", "Lima")
    ages = check([("37", "30-39"), ("41", "40-49")], values=[37, 41.0, 42])
    assert ages["V103"].labels == ("42",)


def test_many_missing_values_are_counted():
    found = check(PLACES, values=[f"town {i}" for i in range(8)])
    assert len(found["V103"].labels) == 8
    assert "'town 4' and 3 more" in str(found["V103"])


def test_v104_redundant_levels():
    names = [("a", "A", "x", "y", "*"), ("b", "B", "x", "y", "*"), ("c", "C", "z", "v", "*")]
    findings = check_hierarchy(Hierarchy.from_rows(names))
    assert [(f.level, f.facts["groups"], f.facts["renamed"]) for f in findings if f.code == "V104"] == [
        (1, 3, True),
        (3, 2, True),
    ]
    repeated = check([("a", "x", "x", "*"), ("b", "x", "x", "*"), ("c", "z", "z", "*")])
    assert (repeated["V104"].level, repeated["V104"].facts) == (2, {"groups": 2, "renamed": False})
    assert "V104" not in check([("a", "*")])
    assert "V104" in check([("a", "World", "*"), ("b", "World", "*")])


def test_v105_steps_that_are_no_is_a():
    found = check([("migraine", "ache", "fever"), ("colic", "ache", "fever"), ("fever", "fever", "fever")], SYMPTOMS)
    assert (found["V105"].level, found["V105"].labels) == (2, ("fever",))
    assert found["V105"].facts == {"transitions": [("migraine", "fever"), ("colic", "fever")], "scored": 3}
    codes = [(f.code, f.level) for f in check_hierarchy(Hierarchy.from_rows([("colic", "ache", "pain")]), SYMPTOMS)]
    assert codes == [("V101", 1), ("V105", 1)]


def test_v108_and_v110_also_where_nothing_maps():
    found = check([("Leeds", "UK", "*"), ("Lima", "Peru", "*")], SYMPTOMS)
    assert found["V108"].labels == ("Leeds", "Lima", "Peru", "UK")
    assert {"V108", "V110"} <= set(found)


def test_v112_circles():
    found = check([("a", "b", "a", "*"), ("c", "d", "c", "*")])
    assert found["V112"].facts["cycles"] == (("a", "b", "a"), ("c", "d", "c"))
    assert set(found["V112"].labels) == set("abcd")
    assert "a → b → a" in str(found["V112"])


def test_v113_spellings():
    found = check([("a", "North-America", "*"), ("b", "north america", "*"), ("c", "Europe", "*")])
    assert found["V113"].labels == ("North-America", "north america")


def test_v114_several_tops_v115_short_rows():
    found = check([("a", "x", "top 1"), ("b", "y", "top 2"), ("c", "top 2")])
    assert (found["V114"].level, found["V114"].labels) == (2, ("top 1", "top 2"))
    assert found["V115"].labels == ("c",)


def test_v117_a_value_that_is_an_ancestor():
    assert check([("Leeds", "UK", "*"), ("UK", "UK", "*")])["V117"].labels == ("UK",)
    assert "V117" not in check([("Leeds", "UK", "*"), ("Malta", "Malta", "*")])


def test_the_table_of_codes():
    codes = set(re.findall(r"^(V\d{3})  ", checks.__doc__ or "", flags=re.MULTILINE))
    assert {f"V{n}" for n in range(101, 120)} | {"V201", "V202", "V203"} == codes


@pytest.mark.parametrize(
    "options",
    [
        {"mapping": {"a": "b"}},
        {"root_depth": 1},
        {"level": "mean"},
        {"level": "min"},
        {"values": 3},
        {"values": "Leeds"},
        {"values": pandas.DataFrame({"a": ["Leeds"]})},
    ],
)
def test_bad_options_are_refused(options):
    with raises(om.HierarchyError, parameter=next(iter(options))):
        check_hierarchy(Hierarchy.from_rows(PLACES), **options)
    with raises(om.HierarchyError, parameter="hierarchy"):
        check_hierarchy("h.csv")


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=3, max_size=3), min_size=1, max_size=6, unique_by=tuple))
def test_redundant_levels_and_branches_by_hand(uppers):
    h = Hierarchy.from_rows([(f"leaf {i}", *upper, "*") for i, upper in enumerate(uppers)])
    found = check_hierarchy(h)

    def groups(level: int) -> set[frozenset[str]]:
        at = h.at(level)
        return {frozenset(leaf for leaf in at if at[leaf] == label) for label in h.labels(level)}

    redundant = [i for i in range(1, 5) if groups(i) == groups(i - 1) and len(h.leaves) > 1]
    assert [f.level for f in found if f.code == "V104"] == redundant
    parents: dict[str, set[str]] = {}
    for leaf in h.leaves:
        for child, parent in pairwise(h.levels(leaf)):
            if child != parent:
                parents.setdefault(child, set()).add(parent)
    several = {label for label in parents if len(parents[label]) > 1}
    assert {label for f in found if f.code == "V102" for label in f.labels} == several
