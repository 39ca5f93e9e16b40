from __future__ import annotations

import warnings

import pytest

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT
from ontomask.taxonomy.taxonomy import Retired

from support.ontology_files import SKOS_PREFIXES, TRADES, refused


def test_skos_concepts_links_and_notations(write):
    t = om.read_taxonomy(write(TRADES, "trades.ttl"))
    assert t.ids == ("7", "71", "711", "712", "713")
    assert t.parents("711") == t.parents("712") == t.parents("713") == ("71",)
    assert t.notes == ()
    assert t.labels("7") == ("craft",)
    assert t.labels("711") == ("bricklayer", "brick mason", "brickie")
    assert t.label("712") == "techador"
    assert t.label("713") == "713"
    assert t.find_alias("711.10") == ("notation", ["711"])
    assert t.find_alias("071") == ("notation", ["71"])
    assert t.annotations.code_ids
    assert t.find_alias("http://example.org/trades/71") == ("IRI", ["71"])
    assert (t.annotations.name, t.annotations.licence) == ("Trades", "http://example.org/free")


def test_skos_options(write):
    path = write(TRADES, "trades.ttl")
    assert om.read_taxonomy(path, language="es").labels("711") == ("bricklayer", "albañil", "brickie")
    assert om.read_taxonomy(path, language="es").labels("7") == ("oficio",)
    assert om.read_taxonomy(path, language=None).labels("7") == ("craft", "oficio")
    assert om.read_taxonomy(path).annotations.glosses is None
    assert om.read_taxonomy(path, glosses=True).annotations.glosses == {"71": "Builds."}


def test_narrower_alone_is_enough(write):
    t = om.read_taxonomy(write(SKOS_PREFIXES + ":a a skos:Concept ; skos:narrower :b, :c .", "n.ttl"))
    assert t.ids == ("a", "b", "c")
    assert t.parents("c") == ("a",)


def test_concepts_without_broader_are_roots(write):
    t = om.read_taxonomy(write(SKOS_PREFIXES + ":a a skos:Concept . :b a skos:Concept ; skos:related :a .", "r.ttl"))
    assert t.ids == (VIRTUAL_ROOT, "a", "b")


def test_withdrawn_skos_concepts(write):
    text = ':a a skos:Concept . :b a skos:Concept ; owl:deprecated "true" ; dcterms:isReplacedBy :a .'
    t = om.read_taxonomy(write(SKOS_PREFIXES + text, "w.ttl"))
    assert t.ids == ("a",)
    assert t.annotations.retired == {"b": Retired("obsolete", ("a",), "a")}


def test_skos_in_every_syntax(write):
    from rdflib import Graph

    graph = Graph().parse(data=TRADES, format="turtle")
    expected = om.read_taxonomy(write(TRADES, "trades.ttl"))
    for kind in ("xml", "nt", "json-ld"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = graph.serialize(format=kind)
        t = om.read_taxonomy(write(text, f"trades.{kind}"))
        assert set(t.ids) == set(expected.ids)
        assert all(t.parents(c) == expected.parents(c) for c in t.ids)
        assert all(set(t.labels(c)) == set(expected.labels(c)) for c in t.ids)


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        (SKOS_PREFIXES + ":a a skos:Concept ;\n  skos:broader :b\n:c a :d .", 8, "syntax"),
        (SKOS_PREFIXES + ":a a skos:ConceptScheme .", None, "T105"),
        (SKOS_PREFIXES + ":a skos:broader :b . :b skos:broader :a .", None, "T101"),
        (SKOS_PREFIXES + "[] a skos:Concept .", None, "blank-node"),
        (SKOS_PREFIXES + ":a skos:broader [] .", None, "blank-node"),
        ('{"@id": "http://x.org/a",\n"@type": }', 2, "not-json"),
        ('{"@context": "http://x.org/c", "@id": "a"}', None, "external-context"),
        ('[{"@id": "a", "b": {"@context": [{}, "c.json"]}}]', None, "external-context"),
        ('{"@context": {"@import": "c.json"}}', None, "external-context"),
        ('{"@context": {"a": {"@id": 5}}, "a": 1}', None, "syntax"),
        ("child,parent\n", None, "syntax"),
    ],
)
def test_broken_skos(write, text, line, code):
    refused(write(text, "bad.skos"), line, code, format="skos")
