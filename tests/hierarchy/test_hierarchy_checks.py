from __future__ import annotations

import re
from itertools import pairwise

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.hierarchy import Hierarchy, check_hierarchy, checks, read_hierarchy

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
    """The findings by code: level, labels and text."""
    findings = check_hierarchy(Hierarchy.from_rows(rows), *args, **options)
    assert [f.code for f in findings] == sorted(f.code for f in findings)
    return {f.code: (f.level, f.labels, f.message) for f in findings}


def test_a_sound_hierarchy_has_no_findings():
    values = pandas.Series(["Leeds", "York", "Lima", None, "Bern", "Lima"])
    assert check_hierarchy(Hierarchy.from_rows(PLACES), values=values) == ()
    sound = Hierarchy.from_rows(
        [("migraine", "ache", "symptom"), ("colic", "pain", "symptom"), ("ache", "ache", "symptom")]
    )
    assert [f.code for f in check_hierarchy(sound, SYMPTOMS)] == ["V117"]


def test_v101_a_level_that_loses_more_than_the_next():
    found = check([("migraine", "fever", "ache"), ("ache", "fever", "ache")], SYMPTOMS)
    assert found["V101"][0] == 1
    assert "worst migraine → fever" in found["V101"][2]
    by_mean = check([("migraine", "fever", "pain"), ("fever", "fever", "pain")], SYMPTOMS, level="mean")
    assert "V101" not in by_mean


def test_v102_a_label_in_two_branches():
    found = check([("Leeds", "UK", "Europe", "*"), ("York", "UK", "Commonwealth", "*"), ("UK", "*", "*", "*")])
    assert found["V102"][1] == ("UK",)
    assert "'UK under Europe and * and Commonwealth'" in found["V102"][2]


@pytest.mark.parametrize(
    "make",
    [
        lambda rows, path: Hierarchy.from_rows(rows),
        lambda rows, path: (path.write_text("\n".join(map(";".join, rows))), read_hierarchy(path))[1],
    ],
)
def test_v102_a_value_in_two_branches_is_refused_when_it_is_read(make, tmp_path):
    with pytest.raises(om.TaxonomyError, match=re.escape("[V102]")) as caught:
        make([("Malta", "Europe", "*"), ("Malta", "Commonwealth", "*")], tmp_path / "h.csv")
    assert caught.value.code == "V102"


def test_v103_and_v111_against_the_data():
    found = check(PLACES, values=["leeds", "York", "Quito", float("nan"), ""])
    assert found["V103"][:2] == (0, ("leeds", "Quito"))
    assert "'leeds' (perhaps 'Leeds'), 'Quito'" in found["V103"][2]
    assert found["V111"][1] == ("Leeds", "Bern", "Lima")
    ages = check([("37", "30-39"), ("41", "40-49")], values=[37, 41.0, 42])
    assert ages["V103"][1] == ("42",)


def test_many_missing_values_are_counted():
    found = check(PLACES, values=[f"town {i}" for i in range(8)])
    assert found["V103"][2].startswith("8 values of the data have no leaf: 'town 0', ")
    assert "and 3 more" in found["V103"][2]
    assert len(found["V103"][1]) == 8


def test_v104_redundant_levels():
    names = [("a", "A", "x", "y", "*"), ("b", "B", "x", "y", "*"), ("c", "C", "z", "v", "*")]
    findings = check_hierarchy(Hierarchy.from_rows(names))
    assert [(f.level, f.message) for f in findings if f.code == "V104"] == [
        (1, "level 1 is redundant: it puts no values together"),
        (3, "level 3 is redundant: it groups the values as level 2 does, under other names"),
    ]
    repeated = check([("a", "x", "x", "*"), ("b", "x", "x", "*"), ("c", "z", "z", "*")])
    assert repeated["V104"][2] == "level 2 is redundant: it groups the values as level 1 does"
    assert "V104" not in check([("a", "*")])
    assert "V104" in check([("a", "World", "*"), ("b", "World", "*")])


def test_v105_steps_that_are_no_is_a():
    found = check([("migraine", "ache", "fever"), ("colic", "ache", "fever"), ("fever", "fever", "fever")], SYMPTOMS)
    assert found["V105"] == (
        2,
        ("fever",),
        "level 2: 2 of 3 transitions are no is-a in the ontology: 'migraine → fever', 'colic → fever'",
    )
    codes = [(f.code, f.level) for f in check_hierarchy(Hierarchy.from_rows([("colic", "ache", "pain")]), SYMPTOMS)]
    assert codes == [("V101", 1), ("V105", 1)]


def test_v108_and_v110_also_where_nothing_maps():
    found = check([("Leeds", "UK", "*"), ("Lima", "Peru", "*")], SYMPTOMS)
    assert found["V108"][1] == ("Leeds", "Lima", "Peru", "UK")
    assert {"V108", "V110"} <= set(found)


def test_v112_circles():
    found = check([("a", "b", "a", "*"), ("c", "d", "c", "*")])
    assert "a → b → a" in found["V112"][2]
    assert "c → d → c" in found["V112"][2]


def test_v113_spellings():
    found = check([("a", "North-America", "*"), ("b", "north america", "*"), ("c", "Europe", "*")])
    assert found["V113"][1] == ("North-America", "north america")


def test_v114_several_tops_v115_short_rows():
    found = check([("a", "x", "top 1"), ("b", "y", "top 2"), ("c", "top 2")])
    assert found["V114"][:2] == (2, ("top 1", "top 2"))
    assert found["V115"][1] == ("c",)


def test_v117_a_value_that_is_an_ancestor():
    assert check([("Leeds", "UK", "*"), ("UK", "UK", "*")])["V117"][1] == ("UK",)
    assert "V117" not in check([("Leeds", "UK", "*"), ("Malta", "Malta", "*")])


def test_the_table_of_codes():
    codes = set(re.findall(r"^(V\d{3})  ", checks.__doc__ or "", flags=re.MULTILINE))
    assert {f"V{n}" for n in range(101, 119)} | {"V201", "V202", "V203"} == codes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mapping": {"a": "b"}}, "give a taxonomy as well"),
        ({"root_depth": 1}, "give a taxonomy as well"),
        ({"level": "mean"}, "give a taxonomy as well"),
        ({"values": 3}, "must be those of one column. Got int"),
        ({"values": "Leeds"}, "must be those of one column. Got str"),
        ({"values": pandas.DataFrame({"a": ["Leeds"]})}, "Got DataFrame"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(om.HierarchyError, match=re.escape(message)):
        check_hierarchy(Hierarchy.from_rows(PLACES), **options)
    with pytest.raises(om.HierarchyError, match="must be a Hierarchy"):
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
        way = h.levels(leaf)
        for child, parent in pairwise(way):
            if child != parent:
                parents.setdefault(child, set()).add(parent)
    torn = {label for label in parents if len(parents[label]) > 1}
    assert {label for f in found if f.code == "V102" for label in f.labels} == torn
