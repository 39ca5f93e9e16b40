from __future__ import annotations

import json

import numpy as np
import pytest

import ontomask as om
from ontomask.mapping.words import looks_missing, stem
from ontomask.taxonomy import Annotations, Retired

from support.errors import raises

ANIMALS = om.Taxonomy.from_edges(
    [("A1", "A0"), ("A2", "A0"), ("A3", "A1"), ("A4", "A2"), ("A5", "A1")],
    {
        "A0": ["thing"],
        "A1": ["animal"],
        "A2": ["person"],
        "A3": ["tiger", "Panthera tigris"],
        "A4": ["tiger", "fierce person"],
        "A5": ["sport fish"],
    },
    ranks={"A0": [1], "A1": [1], "A2": [1], "A3": [2, 1], "A4": [1, 1], "A5": [1]},
    annotations=Annotations(
        name="animals", aliases={"old code": {"77": ("A5",)}}, retired={"A9": Retired("duplicate", ("A3",))}
    ),
)


def one(value: object, **options: object) -> om.mapping.ValueMapping:
    (mapped,) = om.map_values([value], ANIMALS, **options).values  # type: ignore[arg-type]
    return mapped


@pytest.mark.parametrize(
    ("value", "concept", "rule"),
    [
        ("A3", "A3", "id"),
        ("77", "A5", "old code"),
        (77, "A5", "old code"),
        (77.0, "A5", "old code"),
        (np.int64(77), "A5", "old code"),
        ("PANTHERA-tigris", "A3", "label"),
        ("fierce_person.", "A4", "label"),
        ("Sports fishes", "A5", "stem"),
        ("lion", None, "unmapped"),
    ],
)
def test_rules_in_their_order(value, concept, rule):
    mapped = one(value)
    assert (mapped.concept, mapped.rule) == (concept, rule)


def test_explicit_mapping_comes_first():
    report = om.map_values(
        ["A3", "x", "y", "z"], ANIMALS, {"A3": "A5", "x": "77", "y": "tiger#2", "z": "animal", "unused": "A1"}
    )
    assert dict(report.concepts) == {"A3": "A5", "x": "A5", "y": "A3", "z": "A1"}
    assert set(report.rules) == {"explicit"}
    assert report.unused_keys == ("unused",)
    assert "'unused'" in report.to_text()


def test_first_sense_is_the_default_and_is_listed():
    report = om.map_values(["Tiger"], ANIMALS)
    (mapped,) = report.ambiguous
    assert (mapped.concept, mapped.chosen_by, mapped.senses_not_taken) == ("A4", "first sense", ("A3",))
    assert "Tiger = A4, not 'A3'" in report.to_text()


@pytest.mark.parametrize("domain", ["A1", "animal"])
def test_domain_chooses_the_sense(domain):
    report = om.map_values(["Tiger"], ANIMALS, domain=domain)
    assert dict(report.concepts) == {"Tiger": "A3"}
    assert report.values[0].chosen_by == "domain"
    assert report.domain == "A1"
    assert report.ambiguous == ()


def test_sense_given_by_the_user():
    mapped = one("t", mapping={"t": "tiger#1"})
    assert (mapped.concept, mapped.chosen_by, mapped.senses_not_taken) == ("A4", "sense given", ("A3",))


def test_ambiguous_target_of_a_mapping_is_listed_too():
    assert one("t", mapping={"t": "tiger"}).chosen_by == "first sense"
    assert one("t", mapping={"t": "tiger"}, domain="animal").concept == "A3"


def test_a_value_outside_the_domain_is_unmapped_with_the_reason():
    mapped = one("fierce person", domain="animal")
    assert (mapped.concept, mapped.reason) == (None, "outside domain")
    assert mapped.note == "means A4, outside the domain A1"


@pytest.mark.parametrize(
    ("mapping", "fields"),
    [
        ({"t": "tigr"}, {"values": ("t",), "code": "unknown-concept", "suggestions": ("A4", "A3")}),
        ({"t": "tiger#3"}, {"values": ("t",), "code": "unknown-sense", "suggestions": ("A4", "A3")}),
        ({"t": "tiger#0"}, {"values": ("t",), "code": "unknown-sense"}),
        ({"t": "lion#1"}, {"values": ("t",), "code": "unknown-sense", "suggestions": ()}),
        ({"t": "tiger#²"}, {"values": ("t",), "code": "unknown-concept"}),
        ({"t": 5}, {"values": ("t",), "code": "not-text"}),
    ],
)
def test_mistakes_in_the_mapping(mapping, fields):
    with raises(om.MappingError, **fields) as caught:
        om.map_values(["t"], ANIMALS, mapping)
    assert caught.value.values == ("t",)


def test_mapping_outside_the_domain_is_a_mistake():
    with raises(om.MappingError, values=("t",), code="outside-domain") as caught:
        om.map_values(["t"], ANIMALS, {"t": "A4"}, domain="animal")
    assert caught.value.values == ("t",)


def test_unknown_domain():
    with raises(om.MappingError, values=("animul",), code="unknown-concept", suggestions=("A1",)):
        om.map_values(["t"], ANIMALS, domain="animul")


def test_withdrawn_concepts_are_reported_with_their_replacement():
    report = om.map_values(["A9"], ANIMALS)
    (mapped,) = report.unmapped
    assert (mapped.reason, mapped.note) == ("withdrawn", "withdrawn: duplicate")
    assert [s.concept for s in mapped.suggestions] == ["A3"]
    assert report.replacements() == {"A9": "A3"}
    assert dict(om.map_values(["A9"], ANIMALS, report.replacements()).concepts) == {"A9": "A3"}


def test_counts_coverage_and_order():
    report = om.map_values(
        ["tiger", "lion", "tiger", None, "?", float("nan"), "animal", ""], ANIMALS, missing_tokens=["?"]
    )
    assert [(v.value, v.count) for v in report.values] == [("tiger", 2), ("animal", 1), ("lion", 1)]
    assert report.missing == 4
    assert (report.value_coverage, report.record_coverage) == (2 / 3, 3 / 4)
    assert om.map_values({"tiger": 5, "lion": 5}, ANIMALS).record_coverage == 1 / 2
    assert om.map_values([], ANIMALS).value_coverage == 1.0


def test_misspelt_values_get_suggestions():
    report = om.map_values(["tigger"], ANIMALS)
    assert report.unmapped[0].suggestions[0].label == "tiger"
    assert "'tigger' (1 record): perhaps A4 (tiger)" in report.to_text()


def test_suggestions_stay_under_the_domain():
    near = om.map_values(["tigger"], ANIMALS, domain="person").unmapped[0].suggestions
    assert [s.concept for s in near] == ["A4"]


@pytest.mark.parametrize(
    ("unmapped", "concepts", "kept", "dropped"),
    [
        ("keep", {"tiger": "A4"}, {"lion"}, set()),
        ("drop", {"tiger": "A4"}, set(), {"lion"}),
        ("root", {"tiger": "A4", "lion": "A0"}, set(), set()),
    ],
)
def test_policies(unmapped, concepts, kept, dropped):
    decision = om.map_values(["tiger", "lion", None], ANIMALS).decide(unmapped=unmapped, missing="drop")
    assert decision.concepts == concepts
    assert (decision.kept, decision.dropped) == (kept, dropped)
    assert (decision.keep_missing, decision.drop_missing) == (False, True)


def test_root_policy_takes_the_root_of_the_domain():
    assert om.map_values(["lion"], ANIMALS, domain="animal").decide(unmapped="root").concepts == {"lion": "A1"}


def test_error_policies_name_the_remedy_and_carry_the_values():
    report = om.map_values(["tiger", "lion", None], ANIMALS, column="pet")
    policies = ("keep", "drop", "root", "category")
    with raises(om.MappingError, column="pet", code="missing", settings={"missing": policies}):
        report.decide()
    with raises(
        om.MappingError, column="pet", values=("lion",), code="unmapped", settings={"mapping": (), "unmapped": policies}
    ) as e:
        report.decide(missing="keep")
    # Messages may end up in logs, so only the fields have the values.
    assert "lion" not in str(e.value)
    assert (e.value.column, e.value.values) == ("pet", ("lion",))
    assert [value.value for value in e.value.mapping.unmapped] == ["lion"]
    with raises(om.MappingError, parameter="unmapped"):
        report.decide(unmapped="ignore")


def test_codes_read_as_numbers():
    codes = om.Taxonomy.from_edges([("250", "all"), ("250.1", "250")], annotations=Annotations(code_ids=True))
    assert dict(om.map_values([250.0, "250.1"], codes).concepts) == {"250": "250", "250.1": "250.1"}
    with raises(om.MappingError, column="diag", code="inexact-codes") as caught:
        om.map_values([250.1], codes, column="diag")
    assert caught.value.column == "diag"
    assert one(0.5).concept is None  # a taxonomy of words: an ordinary unmapped value


@pytest.mark.parametrize("values", [[["a"]], {"dog": -3}, {"dog": 2.5}])
def test_cells_and_counts_of_the_wrong_kind(values):
    with pytest.raises(om.MappingError) as caught:
        om.map_values(values, ANIMALS, column="tags")
    assert caught.value.column == "tags"


def test_a_plural_is_its_singular_rather_than_another_word_of_the_stem():
    links = [
        (c, "top") for c in ("a-nursing", "nurse", "a-cooking", "cook", "a-library", "librarian", "baby", "a-babied")
    ]
    labels = {c: [c.removeprefix("a-")] for c, _ in links}
    t = om.Taxonomy.from_edges(links, labels)
    found = om.map_values(["nurses", "Cooks", "babies", "libraries"], t).concepts
    assert found == {"nurses": "nurse", "Cooks": "cook", "babies": "baby", "libraries": "a-library"}


def test_stems_of_the_thesis():
    # Martínez 2012, section 5.2.1: sports = sport, relaxation = relax.
    assert stem("sports") == stem("sport") == "sport"
    assert stem("relaxation") == stem("relax") == "relax"


def test_report_as_json_and_by_column():
    report = om.MappingReport((om.map_values(["tiger", "lion"], ANIMALS, column="pet"),))
    (column,) = json.loads(report.to_json())
    assert (column["column"], column["value_coverage"], column["rules"]) == ("pet", 0.5, {"label": 1, "unmapped": 1})
    assert column["values"][1]["senses_not_taken"] == ["A3"]
    assert report["pet"] is report.columns[0]
    assert not report.complete
    assert str(report).startswith("pet → animals")
    with pytest.raises(KeyError, match="'pet'"):
        report["age"]


def test_long_lists_are_cut_with_a_count():
    report = om.map_values([f"qqq{i}zzz" for i in range(40)], ANIMALS)
    assert "… and 28 more" in report.to_text()
    assert len(report.to_dict()["values"]) == 40


def test_an_id_that_is_also_a_label_is_listed_as_ambiguous():
    t = om.Taxonomy.from_edges([("bank", "r"), ("b2", "r")], {"b2": ["bank"], "bank": ["shore"]})
    (mapped,) = om.map_values(["bank"], t).ambiguous
    assert (mapped.concept, mapped.rule, mapped.senses_not_taken) == ("bank", "id", ("b2",))
    assert om.map_values(["bank"], t, domain="b2").concepts["bank"] == "b2"


def test_values_without_a_word_in_them_map_to_nothing():
    t = om.Taxonomy.from_edges([("a", "*")])
    assert [v.value for v in om.map_values(["?", "-"], t).unmapped] == ["-", "?"]


def test_an_ambiguous_domain_is_listed():
    report = om.map_values(["tiger"], ANIMALS, domain="tiger")
    assert (report.domain, report.domain_not_taken) == ("A4", ("A3",))
    assert "the domain is A4, not 'A3'" in str(report)


@pytest.mark.parametrize(("parameter", "value"), [("values", "dog"), ("missing_tokens", "N/A"), ("mapping", ["A1"])])
def test_arguments_of_the_wrong_kind(parameter, value):
    with pytest.raises(om.MappingError) as caught:
        om.map_values(taxonomy=ANIMALS, **{"values": ["A"], parameter: value})
    assert caught.value.parameter == parameter


def test_a_frame_is_not_a_column():
    pandas = pytest.importorskip("pandas")
    with raises(om.MappingError, parameter="values") as caught:
        om.map_values(pandas.DataFrame({"x": ["dog"]}), ANIMALS)
    assert caught.value.parameter == "values"


def test_every_kind_of_missing_cell():
    pandas = pytest.importorskip("pandas")
    assert om.map_values(["tiger", pandas.NA, pandas.NaT, None], ANIMALS).missing == 3
    assert om.map_values(pandas.Series(["tiger", None], dtype="string"), ANIMALS).missing == 1
    assert om.map_values(pandas.Series([77, None], dtype="Int64"), ANIMALS).missing == 1


def test_numbers_that_cannot_be_codes_any_more():
    own = om.Taxonomy.from_edges([("250.1", "250"), ("250.10", "250.1")])
    with raises(om.MappingError, column="values", code="inexact-codes"):
        om.map_values([250.1], own)
    codes = om.Taxonomy.from_edges([("1", "0")], annotations=Annotations(code_ids=True))
    with raises(om.MappingError, column="values", code="inexact-codes"):
        om.map_values([900000000000003001.0], codes)


def test_codes_of_other_systems_are_suggested():
    aliases = {"ICD9 xref": {"250": ("M1",)}}
    t = om.Taxonomy.from_edges([("M1", "M0")], annotations=Annotations(code_ids=True, aliases=aliases))
    (mapped,) = om.map_values(["250.0"], t).unmapped
    assert [s.concept for s in mapped.suggestions] == ["M1"]


def test_one_column_as_json():
    assert json.loads(om.map_values(["tiger"], ANIMALS).to_json())["value_coverage"] == 1.0


# Spellings of "missing"


@pytest.mark.parametrize(
    "text",
    ["na", "NA", "None", "none", "missing", "Unknown", "not  available", "n.a.", "keine Angabe", "(unknown)", "?"],
)
def test_spellings_of_missing_are_recognised(text):
    assert looks_missing(text)


@pytest.mark.parametrize("text", ["nan bread", "nun", "sodium", "unknown soldier", "0", "no", "missing person"])
def test_words_are_not_spellings_of_missing(text):
    assert not looks_missing(text)


def test_values_that_look_missing_are_reported_unless_the_user_mapped_them():
    values = ["tiger", "unknown", "unknown", "None", "na"]
    taxonomy = om.Taxonomy.from_edges([("tiger", "animal"), ("unknown", "animal"), ("na", "animal")])
    mapped = om.map_values(values, taxonomy, {"na": "tiger"})
    assert [v.value for v in mapped.perhaps_missing] == ["unknown", "None"]
    assert mapped.to_dict()["perhaps_missing"] == ["unknown", "None"]
    text = mapped.to_text()
    assert "'unknown' (2 records) = unknown\n" in text
    assert "'None' (1 record) = no concept\n" in text
    declared = om.map_values(values, taxonomy, {"na": "tiger"}, missing_tokens=["unknown", "None"])
    assert not declared.perhaps_missing
    assert "'None' (1 record)" not in declared.to_text()


def test_a_wrong_concept_is_reported_with_the_name_of_the_ontology():
    with raises(om.MappingError, values=("x",), code="unknown-concept") as caught:
        om.map_values(["x"], ANIMALS, {"x": "tigr"})
    assert ANIMALS.annotations.name in str(caught.value)
