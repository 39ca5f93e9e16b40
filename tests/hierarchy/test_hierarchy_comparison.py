from __future__ import annotations

import pytest

import ontomask as om
from ontomask.hierarchy import Hierarchy, compare_hierarchies, score_hierarchy

from support.errors import raises
from support.pictures import parse

LEAVES = ("horse", "giraffe", "tiger")
VGH1 = Hierarchy.from_rows(
    [(leaf, "carnivore" if leaf == "tiger" else "ungulate", "mammal", "homeotherm", "animal") for leaf in LEAVES],
    name="VGH1",
)
VGH2 = Hierarchy.from_rows(
    [(leaf, "carnivore" if leaf == "tiger" else "herbivore", "mammal", "vertebrate", "animal") for leaf in LEAVES],
    name="VGH2",
)
TIGER = {"tiger": "tiger#2"}
SYMPTOMS = om.Taxonomy.from_edges([("pain", "symptom"), ("fever", "symptom"), ("ache", "pain"), ("migraine", "ache")])


@pytest.fixture(scope="module")
def table_2():
    return compare_hierarchies([VGH1, VGH2], om.load_wordnet(), TIGER)


def test_table_2_side_by_side(table_2):
    assert str(table_2) == (
        "max of each level (wu_palmer) over WordNet 3.0 nouns\n"
        "                              VGH1     VGH2\n"
        "  level 1                   0.1034   0.3600!\n"
        "  level 2                   0.1852   0.1852\n"
        "  level 3                   0.3600!  0.2308\n"
        "  level 4                   0.3333   0.3333\n"
        "  VghGSL, constant weights  0.2455   0.2773\n"
        "  VghGSL, level weights     0.2023   0.2790\n"
        "  coverage                  100.0%   100.0%\n"
        "  ! more than the level above"
    )
    assert repr(table_2) == "<HierarchyComparison: VGH1 0.2455, VGH2 0.2773>"
    assert (table_2.best, table_2.ranking) == ("VGH1", ("VGH1", "VGH2"))
    assert table_2.notes == ()


def test_the_lines_of_figures_3_and_4(table_2):
    # Table 2 of Ayala-Rivera 2014 prints the products with four digits.
    figure_3 = {"VGH1": (0.0258, 0.0463, 0.09, 0.0833), "VGH2": (0.09, 0.0463, 0.0577, 0.0833)}
    figure_4 = {"VGH1": (0.0414, 0.0556, 0.072, 0.0333), "VGH2": (0.1440, 0.0556, 0.0462, 0.0333)}
    for weights, lines in (("constant", figure_3), ("level", figure_4)):
        for name, line in lines.items():
            assert table_2.scores[name].weighted(weights) == pytest.approx(line, abs=1.1e-4)


def test_frames(table_2):
    levels = table_2.to_frame()
    assert levels["hierarchy"].to_list() == ["VGH1"] * 4 + ["VGH2"] * 4
    assert levels["level"].to_list() == [1, 2, 3, 4] * 2
    summary = table_2.summary()
    assert summary["hierarchy"].to_list() == ["VGH1", "VGH2"]
    assert summary["constant"].to_list() == [table_2.scores[name].score for name in ("VGH1", "VGH2")]
    assert summary["flagged"].to_list() == [[3], [1]]


def test_options_reach_all_scores():
    both = {
        "a": Hierarchy.from_rows([("migraine", "pain", "*")]),
        "b": Hierarchy.from_rows([("migraine", "ache", "*")]),
    }
    options = {"distance": "log_sc", "weights": "level", "level": "mean"}
    found = compare_hierarchies(both, SYMPTOMS, {"*": "symptom"}, **options)
    for name, hierarchy in both.items():
        assert found.scores[name].score == score_hierarchy(hierarchy, SYMPTOMS, {"*": "symptom"}, **options).score
    assert found.best == "b"


def test_differences_that_limit_a_comparison_are_reported():
    found = compare_hierarchies(
        {
            "low": Hierarchy.from_rows([("migraine", "symptom"), ("fever", "symptom")]),
            "high": Hierarchy.from_rows([("migraine", "head", "pain", "symptom"), ("ache", "pain", "pain", "symptom")]),
        },
        SYMPTOMS,
    )
    notes = {note.code: note for note in found.notes}
    assert set(notes) == {"V201", "V202", "V203"}
    assert notes["V201"].labels == ("ache", "fever")
    assert notes["V202"].facts == {"coverage": {"low": 1.0, "high": pytest.approx(5 / 6)}}
    assert notes["V203"].facts == {"heights": {"low": 1, "high": 3}}
    assert "  level 3" in str(found)
    assert all(str(note) in str(found) for note in found.notes)
    assert found.to_frame().height == 4


def test_a_level_without_a_loss_is_a_dash():
    h = Hierarchy.from_rows([("migraine", "head", "symptom")])
    lines = str(compare_hierarchies({"a": h}, SYMPTOMS)).splitlines()
    assert [line.split()[-1] for line in lines[2:4]] == ["—", "0.4286"]


@pytest.mark.parametrize(
    ("hierarchies", "parameter"),
    [
        ([], "hierarchies"),
        ({}, "hierarchies"),
        ([VGH1, VGH1], "hierarchies"),
        ([Hierarchy.from_rows([("a", "b")])], "hierarchies"),
        (["h.csv"], "hierarchies"),
        (VGH1, "hierarchies"),
        ({"a": "h.csv"}, "hierarchy"),
    ],
)
def test_bad_hierarchies_are_refused(hierarchies, parameter):
    with raises(om.HierarchyError, parameter=parameter):
        compare_hierarchies(hierarchies, SYMPTOMS)


def test_a_hierarchy_in_which_nothing_maps_is_named():
    good = Hierarchy.from_rows([("migraine", "pain")], name="good")
    bad = Hierarchy.from_rows([("Leeds", "UK")], name="towns")
    with raises(om.MappingError, values=("Leeds", "UK")):
        compare_hierarchies([good, bad], SYMPTOMS)


def test_the_figure_has_a_line_for_each_hierarchy(table_2):
    constant, level = table_2.figure(), table_2.figure("level")
    for figure in (constant, level):
        assert "VGH1" in figure.svg
        assert "VGH2" in figure.svg
    assert "constant weight" in constant.title
    assert "level-based weight" in level.title
    assert "VGH2: 0.046" in constant.description
    # Between two levels there is none; and heights are read from zero.
    axes = {text.text for text in parse(level).iter() if text.tag.endswith("text")}
    assert {"1", "2", "3", "4", "0"} <= axes
    assert not axes & {"1.5", "2.0", "2.5"}
    empty = compare_hierarchies({"a": Hierarchy.from_rows([("migraine", "head", "symptom")])}, SYMPTOMS)
    assert empty.figure().svg
    with raises(om.HierarchyError, parameter="weights"):
        table_2.figure("max")
