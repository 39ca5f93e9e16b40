"""Notations of other tools, for every kind of column: what each text is read as."""

from __future__ import annotations

import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import TableError
from ontomask.evaluation.reading import read_masked

PAINS = om.Taxonomy.from_edges(
    [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom"), ("chill", "fever")]
)
KINDS = {
    "age": (om.Numeric(), [20, 31, 38, 72, 8]),
    "bmi": (om.Numeric(), [20.5, 31.0, 38.5, 27.25, 20.5]),
    "change": (om.Numeric(), [-5, -1, 0, 3, 12]),
    "seen": (om.Date(), ["2021-01-05", "2021-02-17", "2021-03-31", "2021-11-30", "2020-06-01"]),
    "month": (om.Date(precision="month"), ["2021-01", "2021-02", "2021-03", "2021-11", "2020-06"]),
    "size": (om.Ordinal(["S", "M", "L", "XL"]), ["S", "M", "L", "XL", "M"]),
    "grade": (om.Ordinal(["1", "2", "3", "4"]), [1, 2, 3, 4, 1]),
    "symptom": (om.Nominal(PAINS), ["ache", "colic", "chill", "fever", "ache"]),
    "status": (
        om.Category({"couple": ["married", "partners"], "alone": ["widowed", "divorced"]}),
        ["married", "partners", "widowed", "divorced", "married"],
    ),
    "ward": (om.Category(), ["1", "2", "3", "4", "10"]),
    "postcode": (om.Prefix([2, 3]), ["47906", "47907", "47304", "46201", "86202"]),
}

# Column, text, what it is read as: the key of the point in files.
NOTATIONS = [
    # Suppressed cells: ARX, Amnesia; sdcMicro; pandas and databases.
    *[(column, text, "*") for column in ("age", "seen", "size", "ward") for text in ("*", "***", "NA", "NULL", "")],
    *[("symptom", text, "symptom") for text in ("*", "*****", "NA", "<NA>")],
    # Intervals of integers: ARX, Amnesia, anonypy; French style; R's cut; pandas; Weka; words.
    *[
        ("age", text, "40.5±3.5")
        for text in ("37-44", "[37, 44]", "[37,44]", "[37, 45[", "[37,45)", "]36, 44]", "(36, 44]", "(36.0, 44.0]")
    ],
    *[("age", text, "40.5±3.5") for text in ("37 - 44", "37–44", "37..44", "37 to 44", "[37;44]", "(36.5-44]")],
    *[("age", text, "37.5±30.5") for text in ("(6.5-68.5]", "7-68")],
    # One end: the other is a round number around all values.
    *[("age", text, "82.0±17.0") for text in (">=65", "> 64", "≥65", "65+", "[65, inf)", "[65, ∞[", "65 or more")],
    *[("age", text, "8.5±8.5") for text in ("<18", "<= 17", "≤17", "(-inf, 18)", "(-inf-17.5]", "]-∞, 18[")],
    ("age", "4*", "44.5±4.5"),
    ("age", "{31, 38}", "34.5±3.5"),
    ("age", "[20, 31, 38]", "29.0±9.0"),
    ("age", "31", 31.0),
    ("age", "[31, 32[", 31.0),
    ("bmi", "[20.5, 31.0]", "25.75±5.25"),
    ("change", "-5--1", "-3.0±2.0"),
    ("change", "[-5, -1]", "-3.0±2.0"),
    # Dates: ISO 8601, ARX, words, masked digits.
    *[
        ("seen", text, "2021-Q1")
        for text in ("2021-Q1", "2021-01/2021-03", "[2021-01-01, 2021-04-01[", "2021-01-01 - 2021-03-31")
    ],
    *[("seen", text, "2021-Q1") for text in ("2021-01 to 2021-03", "{2021-01, 2021-02, 2021-03}")],
    *[("seen", text, "2021-03") for text in ("2021-03", "2021-03-**", "2021-03-*")],
    *[("seen", text, "2021") for text in ("2021", "2021-**-**", "[2021-01-01, 2022-01-01)", "> 2020")],
    ("month", "[2021-01, 2021-04)", "2021-Q1"),
    ("month", "]2020-12, 2021-03]", "2021-Q1"),
    # Ordered categories.
    *[
        ("size", text, "M – L")
        for text in ("M – L", "M-L", "[M, L]", "[M, XL[", "]S, L]", "{M, L}", "M,L", "L;M", "M to L")
    ],
    *[("size", text, "L – XL") for text in (">=L", ">M", "L+")],
    ("size", "<M", "S"),
    *[("grade", text, "1 – 3") for text in ("1-3", "[1, 4[", "{1,2,3}", "<=3", "1 to 3")],
    # Several values of a category or concept: anonypy, Python lists.
    *[("symptom", text, "pain") for text in ("ache,colic", "{ache, colic}", "['ache', 'colic']", "ache|colic", "pain")],
    *[("symptom", text, "symptom") for text in ("ache;chill", "{fever,colic}")],
    ("symptom", "{ache}", "ache"),
    *[("status", text, "couple") for text in ("married,partners", "{partners, married}", "couple")],
    *[("status", text, "*") for text in ("married,widowed", "{married, couple, divorced}")],
    *[("ward", text, "*") for text in ("1-3", "[1, 3]", "{1,2}", "<=2")],
    ("ward", "[3, 4[", "3"),
    # Codes with stars.
    *[("postcode", text, "47***") for text in ("47***", "47*", "{47906, 47304}")],
    *[("postcode", text, "479**") for text in ("479**", "4790*", "47906,47907")],
    ("postcode", "4****", "*"),
]


def table(name):
    kind, cells = KINDS[name]
    return om.Microdata(pd.DataFrame({name: cells}), {name: kind})


def read(name, *texts):
    """The keys of texts, which stand in the first rows."""
    data = table(name)
    cells = [*texts, *(str(cell) for cell in KINDS[name][1][len(texts) :])]
    found, notes = read_masked(data, pd.DataFrame({name: cells}))
    column = found.columns[name]
    return [column.key(column.point[i]) for i in column.code.tolist()][: len(texts)], notes, found


@pytest.mark.parametrize(("name", "text", "expected"), NOTATIONS)
def test_a_notation_of_another_tool(name, text, expected):
    assert read(name, text)[0] == [expected]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("age", "20,5"),
        ("age", "1,234"),
        ("age", "44-37"),
        ("age", "37-44-50"),
        ("age", "young"),
        ("bmi", "4*"),
        ("seen", "03-2021"),
        ("seen", "2021-04-01/2021-01-01"),
        ("size", "M-XXL"),
        ("size", "XL-S"),
        ("symptom", "ache,rash"),
        ("symptom", "{}"),
        ("ward", "20-30"),
        ("postcode", "9****"),
    ],
)
def test_what_means_nothing_is_an_error(name, text):
    with pytest.raises(TableError) as error:
        read(name, text)
    assert error.value.column == name
    assert error.value.values == (text,)


def test_a_text_that_is_a_value_is_that_value():
    frame = pd.DataFrame({"x": ["NA", "a,b", "a", "b", "47*"]})
    data = om.Microdata(frame, {"x": om.Category()})
    found, _ = read_masked(data, frame)
    column = found.columns["x"]
    assert [column.key(column.point[i]) for i in column.code.tolist()] == frame["x"].tolist()


def test_lists_are_noted_and_lm_counts_their_values():
    data = table("ward")
    masked = pd.DataFrame({"ward": ["{1,2}", "{1,2}", "{3,4}", "{3,4}", "*"]})
    score = om.evaluate(data, masked)
    utility = score.utility.attributes["ward"]
    # Four of five cells stand for 2 of 5 values, one for all.
    assert utility.lm == pytest.approx((4 * 1 / 4 + 1) / 5)
    assert utility.ncp == pytest.approx((4 * 2 / 5 + 1) / 5)
    assert score.k == 1
    assert [note.values["number"] for note in score.notes if note.code == "lists-read"] == [2]


def test_a_group_in_a_list_counts_with_all_its_values():
    masked = pd.DataFrame({"status": ["{couple, divorced}", "married", "partners", "widowed", "divorced"]})
    utility = om.evaluate(table("status"), masked).utility.attributes["status"]
    assert utility.lm == pytest.approx((3 - 1) / (4 - 1) / 5)
