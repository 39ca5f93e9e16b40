from __future__ import annotations

import gzip
import json

import pytest

import ontomask as om
from ontomask.taxonomy.taxonomy import Retired

from support.errors import raises
from support.ontology_files import GEO_OWL, PETS_OBO, PURL, TRADES, graphs_document, refused

# OBO


def test_obo_terms_links_and_instances(write):
    t = om.read_taxonomy(write(PETS_OBO, "pets.obo"))
    assert t.ids == ("PET:1", "PET:2", "PET:4", "PET:3", "PET:6")
    assert t.root == "PET:1"
    assert t.parents("PET:3") == ("PET:2",)
    assert t.parents("PET:4") == ("PET:1",)
    assert t.parents("PET:6") == ("PET:3",)
    assert t.label("PET:6") == "Tom"
    assert t.notes == ()
    assert (t.annotations.name, t.annotations.licence) == ("pets", "https://creativecommons.org/licenses/by/4.0/")
    assert t.annotations.code_ids


@pytest.mark.parametrize(
    ("choice", "labels"),
    [("exact", ("cat", "house cat")), ("all", ("cat", "house cat", "feline")), ("none", ("cat",))],
)
def test_obo_synonyms(write, choice, labels):
    assert om.read_taxonomy(write(PETS_OBO, "pets.obo"), synonyms=choice).labels("PET:2") == labels


def test_obo_glosses_and_parts_only_on_request(write):
    path = write(PETS_OBO, "pets.obo")
    plain = om.read_taxonomy(path).annotations
    assert (plain.glosses, plain.parts) == (None, None)
    full = om.read_taxonomy(path, glosses=True, parts=True).annotations
    assert full.glosses == {"PET:1": 'A living "thing".'}
    assert full.parts == {"PET:2": ("PET:4",)}


def test_obo_xrefs_and_alternative_ids_are_other_codes(write):
    t = om.read_taxonomy(write(PETS_OBO, "pets.obo"))
    assert t.annotations.aliases == {
        "alternative id": {"PET:20": ("PET:2",)},
        "xref": {"ICD9:250.0": ("PET:2", "PET:3"), "ICD9:250.10": ("PET:2",), "SCTID:448169003": ("PET:2",)},
    }
    assert t.find_alias("ICD9:250.0") == ("xref", ["PET:2", "PET:3"])
    assert t.find_alias("250.0") is None


def test_bare_codes_behind_an_xref_prefix(write):
    path = write(PETS_OBO, "pets.obo")
    t = om.read_taxonomy(path, xref_prefix="ICD9")
    assert t.find_alias("250.10") == ("ICD9 xref", ["PET:2"])
    assert t.find_alias("250.0") == ("ICD9 xref", ["PET:2", "PET:3"])
    assert t.find_alias("448169003") is None
    both = om.read_taxonomy(path, xref_prefix=["icd9", "SCTID"])
    assert both.find_alias("250.10") == ("icd9 xref", ["PET:2"])
    assert both.find_alias("448169003") == ("SCTID xref", ["PET:2"])
    error = refused(path, None, None, xref_prefix="ICD10")
    assert (error.parameter, error.suggestions) == ("xref_prefix", ("ICD9", "SCTID"))
    bare = write("[Term]\nid: X:1\n", "x.obo")
    error = refused(bare, None, None, xref_prefix="ICD9")
    assert (error.parameter, error.suggestions) == ("xref_prefix", ())


def test_a_column_of_xref_codes_maps(write):
    t = om.read_taxonomy(write(PETS_OBO, "pets.obo"), xref_prefix="ICD9")
    mapped = om.map_values(["250.10", "250.10", "999"], t)
    assert [(m.value, m.concept, m.rule) for m in mapped.values] == [
        ("250.10", "PET:2", "ICD9 xref"),
        ("999", None, "unmapped"),
    ]


def test_obsolete_obo_terms_are_withdrawn(write):
    t = om.read_taxonomy(write(PETS_OBO, "pets.obo"))
    assert "PET:5" not in t
    assert t.annotations.retired == {"PET:5": Retired("obsolete: A pet name.", ("PET:2", "PET:3"), "PET:2")}
    assert t.find("obsolete kitty") == []


def test_a_withdrawn_parent_is_stepped_over(write):
    text = "[Term]\nid: {}\n{}\n"
    terms = [("A:1", ""), ("A:2", "is_a: A:1\nis_obsolete: true"), ("A:3", "is_obsolete: true\nis_a: A:2")]
    t = om.read_taxonomy(write("".join(text.format(*term) for term in [*terms, ("A:4", "is_a: A:3")]), "a.obo"))
    assert t.ids == ("A:1", "A:4")
    assert t.parents("A:4") == ("A:1",)
    assert t.annotations.retired == {"A:2": Retired("obsolete"), "A:3": Retired("obsolete")}


def test_obo_escapes_and_repeated_links(write):
    text = "[Term]\nid: A:1\nname: a \\{b\\}\nxref: X:1\\:2\n\n[Term]\nid: A:2\nis_a: A:1\nis_a: A:1\nis_a: A:2\n"
    t = om.read_taxonomy(write(text, "a.obo"))
    assert t.label("A:1") == "a {b}"
    assert t.annotations.aliases == {"xref": {"X:1:2": ("A:1",)}}
    assert [note.code for note in t.notes] == ["T107"]


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("format-version: 1.2\n\n[Term]\nid: A:1\nis_a:\n", 5, "syntax"),
        ("format-version: 1.2\n\n[Term]\nname: x\n", 4, "syntax"),
        ("! one\n[Term]\nid: A:1\n! two\nid: A:2\n", 5, "syntax"),
        ("[Term]\nid: A:1\n\n[Bogus]\nid: A:2\n", 4, "syntax"),
        ("[Term]\nid: A:1\n\n[Term]\n! again\nid: A:1\n", 6, "T104"),
        ("[Term]\nid: A:1\nis_a: A:2\n\n[Term]\nid: A:2\nis_a: A:1\n", 3, "T101"),
        ("[Term]\nid: A:1\n\n[Term]\nid: A:2\nname: x\nis_a: A:1\nis_a: B:1\n", 8, "T103"),
        ("[Term]\nid: A:1\nintersection_of: B:1\nintersection_of: r B:2\n", 3, "T103"),
        ("[Instance]\nid: A:1\ninstance_of: B:1\n", 3, "T103"),
        ("format-version: 1.2\n[Typedef]\nid: part_of\n", None, "T105"),
        ("format-version: 1.2\n[Term]\nid: A:1\nis_obsolete: true\n", None, "T105"),
        (b"[Term]\nid: A:1\nname: caf\xe9\n", 3, "encoding"),
        (b"remark: caf\xe9\n[Term]\nid: A:1\n", 1, "encoding"),
    ],
)
def test_broken_obo(write, text, line, code):
    refused(write(text, "bad.obo"), line, code, format="obo")


def test_old_obo_files_in_another_encoding(write):
    path = write("[Term]\nid: A:1\nname: café\n".encode("latin-1"), "old.obo")
    assert om.read_taxonomy(path, encoding="latin-1").label("A:1") == "café"


def test_an_empty_file_has_no_term(write):
    assert refused(write("", "empty.obo"), None, "T105", format="obo").code == "T105"


def test_truncated_gzip_is_reported(write):
    packed = gzip.compress(b"format-version: 1.2\n" + b"".join(b"[Term]\nid: A:%d\n\n" % i for i in range(99999)))
    with raises(om.ReadError, line=1, code="damaged"):
        om.read_taxonomy(write(packed[: len(packed) // 2], "cut.obo.gz"), format="obo")


def test_options_that_are_no_text(write):
    for path in (write(TRADES, "trades.ttl"), write(GEO_OWL, "geo.owl")):
        assert refused(path, None, None, language=5).parameter == "language"
    for wrong in (5, ["ICD9", 5]):
        assert refused(write(PETS_OBO, "pets.obo"), None, None, xref_prefix=wrong).parameter == "xref_prefix"


def test_an_unknown_choice_of_synonyms(write):
    document = json.dumps(graphs_document())
    for path in (write(PETS_OBO, "pets.obo"), write(GEO_OWL, "geo.owl"), write(document, "pets.json")):
        assert refused(path, None, None, synonyms="some").parameter == "synonyms"


# OBO Graphs


def test_obo_graphs_nodes_and_edges(write):
    t = om.read_taxonomy(write(json.dumps(graphs_document()), "pets.json"))
    assert t.ids == ("PET:1", "PET:2", "PET:4", "PET:3", "Tom")
    assert t.parents("Tom") == t.parents("PET:3") == ("PET:2",)
    assert t.labels("PET:2") == ("cat", "house cat")
    assert t.label("PET:4") == "PET:4"
    assert t.notes == ()
    assert (t.annotations.name, t.annotations.licence) == ("pets", "CC0")
    assert t.annotations.retired == {"PET:5": Retired("obsolete: A pet name.", ("PET:2",), "PET:2")}
    aliases = t.annotations.aliases
    assert aliases["alternative id"] == {"PET:20": ("PET:2",)}
    assert aliases["xref"] == {"ICD9:250.0": ("PET:2",), "http://example.org/cat": ("PET:2",)}
    assert t.find_alias(PURL + "PET_2") == ("IRI", ["PET:2"])
    assert t.find_alias("http://example.org/Tom") == ("IRI", ["Tom"])


def test_obo_graphs_options(write):
    path = write(json.dumps(graphs_document()), "pets.json")
    assert om.read_taxonomy(path, synonyms="all").labels("PET:2") == ("cat", "house cat", "feline")
    assert om.read_taxonomy(path, synonyms="none").labels("PET:2") == ("cat",)
    assert om.read_taxonomy(path, xref_prefix="ICD9").find_alias("250.0") == ("ICD9 xref", ["PET:2"])
    full = om.read_taxonomy(path, glosses=True, parts=True).annotations
    assert full.glosses == {"PET:2": "It purrs."}
    assert full.parts == {"PET:2": ("PET:4",)}


def test_several_graphs_make_one_taxonomy(write):
    first = {"nodes": [{"id": "A:1", "lbl": "a"}]}
    second = {"nodes": [{"id": "A:2", "lbl": "b"}], "edges": [{"sub": "A:2", "pred": "is_a", "obj": "A:1"}]}
    t = om.read_taxonomy(write(json.dumps({"graphs": [first, second]}), "both.json"))
    assert (t.ids, t.root, t.annotations.name) == (("A:1", "A:2"), "A:1", "both")


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ('{"graphs": [\n  {"nodes": ]\n', 2, "not-json"),
        ('{"graphs": [{"nodes": [{"lbl": "x"}]}]}', None, "not-obo-graphs"),
        ('{"graphs": [{"nodes": [{"id": 7}]}]}', None, "not-obo-graphs"),
        ('{"graphs": [{"nodes": [{"id": "A", "lbl": 7}]}]}', None, "not-obo-graphs"),
        ('{"graphs": [{"nodes": [7]}]}', None, "not-obo-graphs"),
        ('{"graphs": [{"edges": [{"sub": "A", "pred": "is_a"}]}]}', None, "not-obo-graphs"),
        ('{"graphs": {"a": 1}}', None, "not-obo-graphs"),
        ("[]", None, "not-obo-graphs"),
        ("", 1, "not-json"),
        ("[" * 100_000, None, "too-deep"),
        ('{"graphs": []}', None, "T105"),
        (
            '{"graphs": [{"edges": [{"sub": "A", "pred": "is_a", "obj": "B"},\n'
            '{"sub": "B", "pred": "is_a", "obj": "A"}]}]}',
            None,
            "T101",
        ),
    ],
)
def test_broken_obo_graphs(write, text, line, code):
    refused(write(text, "bad.json"), line, code, format="obographs")


def test_a_node_twice_in_a_graph_is_refused(write):
    nodes = [{"id": "A:1", "lbl": "a"}, {"id": "A:1", "lbl": "b"}]
    path = write(json.dumps({"graphs": [{"nodes": nodes}]}), "twice.json")
    assert refused(path, None, "T104").code == "T104"
    path = write(json.dumps({"graphs": [{"nodes": nodes[:1]}, {"nodes": nodes[1:]}]}), "shared.json")
    assert om.read_taxonomy(path).labels("A:1") == ("a",)
