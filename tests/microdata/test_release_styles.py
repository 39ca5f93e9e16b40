"""One column is released in one style: the data's own words, labels or ids; and any value under one text."""

from __future__ import annotations

import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import TableError
from ontomask.taxonomy.taxonomy import Annotations

from support.errors import raises

LABELS = {
    "C0": ["symptom"],
    "C1": ["pain"],
    "C2": ["ache", "aching"],
    "C3": ["colic"],
    "C4": ["skin"],
    "C5": ["rash"],
    # A label that another concept has, too.
    "C6": ["colic"],
}
LINKS = [("C1", "C0"), ("C2", "C1"), ("C3", "C1"), ("C4", "C0"), ("C5", "C4"), ("C6", "C4")]
SYMPTOMS = om.Taxonomy.from_edges(LINKS, LABELS)
CODED = om.Taxonomy.from_edges(LINKS, LABELS, annotations=Annotations(code_ids=True))


def data_of(counts, taxonomy=SYMPTOMS, microdata=(), **options):
    cells = [cell for cell, count in counts.items() for _ in range(count)]
    kind = om.Nominal(taxonomy, **({"domain": "C0"} | options))
    return om.Microdata(pd.DataFrame({"x": cells}), {"x": kind}, **dict(microdata))


def texts(data):
    """The text of every concept."""
    release, domain = data.releases["x"], data.quasi_identifiers["x"].domain
    written = {concept: release.cell(domain.code(concept)) for concept in sorted(domain.ids)}
    assert [release.find(text) for text in written.values()] == domain.codes(written).tolist()
    return list(written.values())


BY_ID = ["C0", "C1", "C2", "C3", "C4", "C5", "C6"]
BY_LABEL = ["symptom", "pain", "ache", "colic", "skin", "rash", "colic (C6)"]


@pytest.mark.parametrize("taxonomy", [SYMPTOMS, CODED])
@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"C2": 20, "C3": 2}, BY_ID),
        ({"ache": 20, "colic": 2}, BY_LABEL),
        # Other words for a concept are the data's own style.
        ({"ACHING": 20, "rash": 2}, ["symptom", "pain", "ACHING", "colic", "skin", "rash", "colic (C6)"]),
        # A word among ids, or an id among words, is not released, however common it is.
        ({"C2": 20, "C3": 20, "rash": 50}, BY_ID),
        ({"ache": 20, "pain": 20, "C5": 50}, BY_LABEL),
    ],
)
def test_the_style_is_that_of_most_values(taxonomy, counts, expected):
    assert texts(data_of(counts, taxonomy)) == expected


def test_as_many_ids_as_labels():
    counts = {"C2": 20, "rash": 20}
    assert texts(data_of(counts, CODED)) == BY_ID
    assert texts(data_of(counts)) == BY_LABEL


@pytest.mark.parametrize("counts", [{"C2": 20, "C5": 20}, {"ACHE": 20, "rash": 20}, {"aching": 20, "C5": 1}])
def test_one_style_on_request(counts):
    assert texts(data_of(counts, release="id")) == BY_ID
    assert texts(data_of(counts, release="label")) == BY_LABEL


def test_words_mapped_by_hand_are_the_data_s_own():
    mapping = {"my ache": "C2", "my rash": "C5"}
    counts = {"my ache": 20, "my rash": 20}
    assert texts(data_of(counts, mapping=mapping))[2:6] == ["my ache", "colic", "skin", "my rash"]
    assert texts(data_of(counts, mapping=mapping, release="label")) == BY_LABEL


def test_a_label_that_the_data_use_for_something_else_gets_its_id():
    data = data_of({"rash": 20, "ache": 20}, mapping={"rash": "C2"}, release="label")
    assert texts(data) == ["symptom", "pain", "ache", "colic", "skin", "rash (C5)", "colic (C6)"]


def test_concepts_whose_id_is_their_label_have_no_style():
    taxonomy = om.Taxonomy.from_edges([("Mexico", "America"), ("Cuba", "America")])
    data = data_of({"MEXICO": 20, "Cuba": 20}, taxonomy, domain="America")
    assert set(om.DataSwapping().mask(data, seed=0).frame["x"]) == {"MEXICO", "Cuba"}


def test_an_unknown_style():
    with raises(TableError, parameter="release"):
        om.Nominal(SYMPTOMS, release="code")


# The text for any value


@pytest.mark.parametrize("release", ["source", "label", "id"])
def test_any_value_has_its_own_text(release):
    data = data_of({"ache": 20, "symptom": 20, "rash": 1}, release=release, top="any symptom")
    assert texts(data)[0] == "any symptom"
    result = om.Suppression(2, mode="cells").mask(data, seed=0)
    assert "any symptom" in set(result.frame["x"])
    assert om.evaluate(data, result.frame).sse == om.evaluate(data, result).sse
    model = om.UncorrelatedNoise(0.1).fit(data)
    assert model.mask_record({"x": "symptom"}, alpha=0, seed=0) == {"x": "any symptom"}


def test_the_text_for_any_value_may_be_a_name_of_the_root():
    assert texts(data_of({"ache": 20, "rash": 20}, top="Symptom"))[0] == "Symptom"


@pytest.mark.parametrize(
    ("top", "counts", "options"),
    [
        ("rash", {"ache": 20}, {}),
        ("RASH", {"ache": 20}, {}),
        ("C5", {"ache": 20}, {}),
        ("mine", {"mine": 20}, {"mapping": {"mine": "C2"}}),
        ("?", {"ache": 20, "?": 1}, {"microdata": {"missing": "drop", "missing_tokens": ["?"]}}),
        ("odd", {"ache": 20, "odd": 20}, {"microdata": {"unmapped": "keep"}}),
    ],
)
def test_the_text_for_any_value_must_not_mean_something_else(top, counts, options):
    with raises(TableError, column="x", parameter="top", values=(top,)):
        data_of(counts, top=top, **options)


@pytest.mark.parametrize("top", ["", " ", "any ", 5])
def test_a_text_for_any_value_that_is_none(top):
    with raises(TableError, parameter="top"):
        om.Nominal(SYMPTOMS, top=top)
