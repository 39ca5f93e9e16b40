from __future__ import annotations

import json
import random

import polars as pl
import pytest

import ontomask as om
from ontomask.taxonomy import Annotations, Retired
from ontomask.taxonomy.cycles import strong_components

from support.errors import raises
from support.literal_merging import equivalents, log_sc, subsumers

ICD = om.Taxonomy.from_edges(
    [("460", "infections"), ("487", "infections"), ("250", "endocrine"), ("250.0", "250"), ("250.1", "250"),
     ("infections", "diseases"), ("endocrine", "diseases")],
    {"460": ["common cold"], "487": ["influenza"], "250": ["diabetes mellitus"], "250.1": ["ketoacidosis"]},
    annotations=Annotations(name="ICD-9", code_ids=True, licence="A"),
)  # fmt: skip
MONDO = om.Taxonomy.from_edges(
    [("M:flu", "M:viral"), ("M:cold", "M:viral"), ("M:viral", "M:infect"), ("M:infect", "M:any"),
     ("M:diab", "M:metab"), ("M:t1", "M:diab"), ("M:metab", "M:any")],
    {"M:flu": ["influenza", "flu"], "M:t1": ["type 1 diabetes"], "M:diab": ["diabetes mellitus"], "M:cold": ["cold"]},
    annotations=Annotations(
        name="Mondo", code_ids=True, licence="B",
        aliases={"xref": {"ICD9:487": ("M:flu",), "ICD9:250": ("M:diab",), "UMLS:C1": ("M:flu",)}},
        retired={"M:old": Retired("merged", ("M:flu",), "M:flu")},
        glosses={"M:flu": "A viral disease."},
    ),
)  # fmt: skip
PAIRS = [("487", "M:flu"), ("250", "M:diab"), ("infections", "M:infect")]


def merged(links=PAIRS, **options):
    return om.merge_taxonomies([ICD, MONDO], links, **options)


def test_equivalent_concepts_are_one():
    t = merged()
    assert len(t) == len(ICD) + len(MONDO) - 3 + 1  # a virtual root
    assert t.root == "⊤"
    assert set(t.parents("487")) == {"infections", "M:viral"}
    assert t.labels("487") == ("influenza", "flu")
    assert t.children("250") == ("250.0", "250.1", "M:t1")
    assert t.lcs("M:t1", "250.1") == "250"
    assert t.lcs("M:cold", "460") == "infections"
    assert t.find_alias("M:flu") == ("equivalent id", ["487"])
    assert om.map_values(["M:flu", "M:old", "type 1 diabetes"], t).concepts == {
        "M:flu": "487", "M:old": "487", "type 1 diabetes": "M:t1"
    }  # fmt: skip
    about = t.annotations
    assert (about.name, about.licence, about.code_ids) == ("ICD-9 + Mondo", "A\nB", True)
    assert about.glosses == {"487": "A viral disease."}
    assert [note.code for note in t.notes] == ["T102", "T115"]


def test_without_links_the_ontologies_meet_in_a_virtual_root():
    t = merged(())
    assert t.lcs("487", "M:flu") == "⊤"
    assert t.children("⊤") == ("M:any", "diseases")


def test_hand_worked_distance():
    # 250.1: itself, 250, endocrine, diseases, M:metab, M:any, ⊤. M:t1 has the same, with itself instead of 250.1.
    t = merged()
    assert om.distance("log_sc", t)("250.1", "M:t1") == pytest.approx(__import__("math").log2(1 + 2 / 8))


def random_taxonomy(rng, letter):
    ids = [f"{letter}{i}" for i in range(rng.randint(3, 9))]
    edges = {(ids[i], ids[rng.randrange(i)]) for i in range(1, len(ids)) for _ in range(rng.randint(1, 2))}
    return om.Taxonomy.from_edges(sorted(edges))


@pytest.mark.parametrize("seed", range(60))
def test_distances_are_those_of_the_definition(seed):
    rng = random.Random(seed)
    given = [random_taxonomy(rng, letter) for letter in "AB"]
    number = rng.randint(0, min(map(len, given)))
    ends = [rng.sample(t.ids, number) for t in given]
    pairs = [((0, a), (1, b)) for a, b in zip(*ends, strict=True)]
    nodes = [(i, c) for i, t in enumerate(given) for c in t.ids]
    classes = {node: equivalents(node, pairs) for node in nodes}
    links = [(classes[i, c], classes[i, p]) for i, c in nodes for p in given[i].parents(c)]
    is_cyclic = bool(strong_components(list(dict.fromkeys(classes.values())), links))
    t = om.merge_taxonomies(given, [(a, b) for (_, a), (_, b) in pairs])

    def name(node):
        return node[1] if node[1] in t else t.find_alias(node[1])[1][0]

    # What the ontologies say always holds.
    for i, c in nodes:
        assert {name((i, above)) for above in given[i].subsumers(c)} <= t.subsumers(name((i, c)))
    assert any(note.code == "T118" for note in t.notes) == is_cyclic
    if is_cyclic:
        return
    d = om.distance("log_sc", t)
    for one in nodes:
        expected = {min(same)[1] for same in subsumers(one, given, pairs)}
        assert t.subsumers(name(one)) - {"⊤"} == expected
        for two in nodes:
            assert d(name(one), name(two)) == pytest.approx(log_sc(one, two, given, pairs))


def test_links_that_make_a_cycle_are_left_out_and_listed():
    one = om.Taxonomy.from_edges([("a", "b"), ("b", "r")])
    two = om.Taxonomy.from_edges([("y", "x"), ("x", "s")])
    t = om.merge_taxonomies([one, two], [("a", "x"), ("b", "y"), ("r", "s")])
    (note,) = [note for note in t.notes if note.code == "T118"]
    assert note.values == ("a = x", "b = y")
    assert t.root == "r"
    assert len(t) == 5


def test_is_a_links_between_ontologies():
    t = merged([("460", "M:cold", "narrower"), ("M:viral", "infections", "narrower"), ("250", "M:t1", "broader")])
    assert set(t.parents("460")) == {"infections", "M:cold"}
    assert "250" in t.subsumers("M:t1")
    assert t.lcs("M:flu", "487") == "infections"


def test_an_is_a_link_between_equivalent_concepts_is_left_out():
    t = merged([("487", "M:flu"), ("487", "M:flu", "narrower")])
    assert [note.code for note in t.notes][-1] == "T118"
    assert t.find_alias("M:flu") == ("equivalent id", ["487"])


def test_two_equivalents_in_one_ontology_make_nothing_equal():
    t = merged([("250.0", "M:diab"), ("250.1", "M:diab"), ("487", "M:flu")])
    assert {"250.0", "250.1", "M:diab"} <= set(t.ids)
    assert "T117" in [note.code for note in t.notes]
    third = om.Taxonomy.from_edges([("z", "y")])
    both = om.merge_taxonomies([ICD, MONDO, third], [("250.0", "M:t1"), ("M:t1", "z"), ("z", "250.1")])
    assert {"250.0", "250.1"} <= set(both.ids)
    assert "T117" in [note.code for note in both.notes]


def test_equal_ids_of_different_concepts_stay_apart():
    own = om.Taxonomy.from_edges(
        [("250", "rooms"), ("251", "rooms")], {"250": ["a room"]}, annotations=Annotations(name="Rooms")
    )
    t = om.merge_taxonomies([ICD, own])
    assert t.labels("Rooms:250") == ("a room",)
    assert t.parents("Rooms:250") == ("rooms",)
    assert t.parents("250") == ("endocrine",)


@pytest.mark.parametrize(
    ("links", "fields"),
    [
        ([("no", "M:flu")], {"code": "no-link", "parameter": "links"}),
        ([("487", "M:flu"), ("250", "M:flu")], {"code": "not-one-to-one", "parameter": "links"}),
        ([("487", "M:flu", "similar")], {"parameter": "links"}),
        (["ab"], {"parameter": "links"}),
        ([("487",)], {"parameter": "links"}),
    ],
)
def test_mistakes_in_links(links, fields):
    with raises(om.TaxonomyError, **fields):
        merged(links)
    with raises(om.TaxonomyError, parameter="taxonomies"):
        om.merge_taxonomies([ICD])


def test_unknown_links_are_counted():
    t = merged([*PAIRS, ("999", "M:flu"), ("487", "999")])
    (note,) = [note for note in t.notes if note.code == "T116"]
    assert note.message.startswith("2 links")


# Files and cross-references


def test_sssom(tmp_path):
    file = tmp_path / "links.sssom.tsv"
    file.write_text(
        '#mapping_set_id: "x, y; z\n#curie_map:\n#  M: http://example.org/\n'
        "subject_id\tsubject_label\tpredicate_id\tobject_id\tmapping_justification\n"
        "487\tinfluenza\tskos:exactMatch\tM:flu\tsemapv:ManualMappingCuration\n"
        "250.1\t\tskos:broadMatch\tM:diab\tx\n"
        "infections\t\tskos:narrowMatch\tM:viral\tx\n"
        "460\t\tskos:closeMatch\tM:cold\tx\n"
        "250\t\thttp://www.w3.org/2002/07/owl#equivalentClass\tM:diab\tx\n"
    )
    assert om.read_links(file) == (
        om.Link("487", "M:flu"),
        om.Link("250.1", "M:diab", "narrower"),
        om.Link("infections", "M:viral", "broader"),
        om.Link("250", "M:diab"),
    )


def test_a_negated_row_of_sssom_is_no_link(tmp_path):
    file = tmp_path / "links.sssom.tsv"
    file.write_text(
        "subject_id\tpredicate_id\tpredicate_modifier\tobject_id\n"
        "487\tskos:exactMatch\t\tM:flu\n250\tskos:exactMatch\tNot\tM:cold\n"
    )
    assert om.read_links(file) == (om.Link("487", "M:flu"),)


def test_plain_files_of_links(tmp_path):
    file = tmp_path / "links.csv"
    file.write_text("487;M:flu\n250;M:diab\n")
    assert om.read_links(file) == (om.Link("487", "M:flu"), om.Link("250", "M:diab"))
    file.write_text("487,M:flu,is_a\n250,M:diab,equivalent\n")
    assert om.read_links(file) == (om.Link("487", "M:flu", "narrower"), om.Link("250", "M:diab"))


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", {"code": "empty"}),
        ("# only\n", {"code": "empty"}),
        ("a,b,c,d\n", {"code": "columns", "line": 1}),
        ("a,b\nc\n", {"code": "cells", "line": 2}),
        ("subject,object,predicate\na,b,near\n", {"code": "predicate", "line": 2}),
        ("subject,object\na,b\nc,d,e\n", {"code": "cells", "line": 3}),
    ],
)
def test_broken_files_of_links(tmp_path, text, fields):
    file = tmp_path / "links.csv"
    file.write_text(text)
    with raises(om.ReadError, path=file, **fields):
        om.read_links(file)


def test_links_from_cross_references():
    assert om.xref_links([ICD, MONDO]) == (om.Link("M:flu", "487"), om.Link("M:diab", "250"))
    with raises(om.TaxonomyError, code="no-link"):
        om.Nominal([ICD, om.Taxonomy.from_edges([("x", "y")])], links="xrefs")


def test_links_from_a_concept_map(tmp_path):
    def element(code, target, equivalence):
        return {"code": code, "target": [{"code": target, "equivalence": equivalence}]}

    elements = [
        element("487", "M:flu", "equivalent"),
        element("250.1", "M:diab", "wider"),  # the target is wider
        element("infections", "M:viral", "narrower"),
        element("460", "M:cold", "relatedto"),
    ]
    file = tmp_path / "map.json"
    file.write_text(json.dumps({"resourceType": "ConceptMap", "status": "active", "group": [{"element": elements}]}))
    for links in (file, str(file), om.read_mapping(file), om.read_links(file)):
        t = om.Nominal([ICD, MONDO], links=links).taxonomy
        assert t.find_alias("M:flu") == ("equivalent id", ["487"])
        assert "M:diab" in t.subsumers("250.1")
        assert "infections" in t.subsumers("M:viral")
        assert t.lcs("460", "M:cold") == "infections"


# Columns


TABLE = pl.DataFrame(
    {
        "diagnosis": ["487"] * 12
        + ["M:cold"] * 12
        + ["type 1 diabetes"] * 12
        + ["250.1"] * 12
        + ["influenza"] * 12
        + ["M:flu"] * 12
    }
)


@pytest.mark.parametrize("links", [PAIRS, "xrefs", None])
@pytest.mark.parametrize("release", ["source", "label", "id"])
@pytest.mark.parametrize("combine", ["integrated", "in_order"])
def test_a_column_with_several_ontologies_is_released_and_read_back(links, release, combine):
    kind = om.Nominal([ICD, MONDO], links=links, release=release, combine=combine)
    data = om.Microdata(TABLE, {"diagnosis": kind})
    for method in (om.Microaggregation(k=24), om.Recoding(k=5), om.PRAM(stay=0.5), om.Generalisation(k=24)):
        result = method.mask(data, seed=1)
        assert om.evaluate(data, result.frame).sse == pytest.approx(om.evaluate(data, result.data).sse)


def test_the_first_ontology_that_knows_a_value():
    values = ["influenza", "diabetes mellitus", "flu"]
    together = om.map_values(values, merged(()))
    assert [v.value for v in together.ambiguous] == ["diabetes mellitus", "influenza"]
    ordered = om.map_values(values, merged((), in_order=True))
    assert ordered.concepts == {"influenza": "487", "diabetes mellitus": "250", "flu": "M:flu"}
    assert ordered.ambiguous == ()
    backwards = om.merge_taxonomies([MONDO, ICD], in_order=True)
    assert om.map_values(values, backwards).concepts["influenza"] == "M:flu"
    kind = om.Nominal([ICD, MONDO], combine="in_order")
    assert om.map_values(values, kind.taxonomy).concepts["influenza"] == "487"


def test_several_ontologies_are_saved_and_read(tmp_path):
    om.save_taxonomy(merged(in_order=True), tmp_path / "both.taxonomy")
    read = om.read_taxonomy(tmp_path / "both.taxonomy")
    assert read.annotations.order == merged(in_order=True).annotations.order
    assert om.map_values(["influenza"], read).concepts == {"influenza": "487"}


def test_mistakes_in_a_column_with_several_ontologies():
    with raises(om.TableError, parameter="links"):
        om.Nominal(ICD, links=PAIRS)
    with raises(om.TableError, parameter="combine"):
        om.Nominal([ICD, MONDO], combine="mixed")
    with raises(om.TableError, parameter="taxonomy"):
        om.Nominal([ICD, "mondo"])
    with raises(om.TableError, parameter="taxonomy"):
        om.Nominal([])
    assert om.Nominal([ICD]).taxonomy is ICD
    assert om.ConceptSet([ICD, MONDO], links=PAIRS, separator="|").taxonomy.find_alias("M:flu")


def test_real_ontologies(shared_data):
    icd = om.load_icd9cm()
    mondo = om.read_taxonomy(shared_data / "mondo.obo.gz")
    t = om.merge_taxonomies([icd, mondo], om.xref_links([icd, mondo]))
    codes = {note.code: note.message for note in t.notes}
    assert "T115" in codes
    number = int(codes["T115"].split("merged: ")[1].split(" ")[0].replace(",", ""))
    assert number > 100
    assert all(set(icd.subsumers(c)) - {"⊤"} <= t.subsumers(c) for c in icd.ids[1:200])
    assert om.distance("wu_palmer", t)("250.00", "MONDO:0005147") < 1
