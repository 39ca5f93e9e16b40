from __future__ import annotations

import gzip
import json
import logging
import warnings
from typing import Any

import pytest

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT
from ontomask.taxonomy.taxonomy import Retired

from support.errors import raises
from support.ontology_files import GEO_OWL, PREFIXES, PURL, RDF_XML, SKOS_PREFIXES, refused


def test_owl_classes_and_individuals(write):
    t = om.read_taxonomy(write(GEO_OWL, "geo.owl"))
    assert t.ids == (VIRTUAL_ROOT, "Island", "Place", "African_country", "Cabo%20Verde", "Kenya")
    assert set(t.parents("Cabo%20Verde")) == {"Island", "African_country"}
    assert t.parents("Kenya") == ("African_country",)
    assert [note.code for note in t.notes] == ["T102", "T112"]
    assert t.notes[1].values == ("Island",)
    assert t.label("Place") == "Place"
    assert t.label("Cabo%20Verde") == "Cabo Verde"
    assert t.labels("African_country") == ("country in Africa", "African state", "African nation")
    assert (t.annotations.name, t.annotations.licence) == ("geo", "CC0")
    assert t.annotations.glosses is None
    assert not t.annotations.code_ids
    assert t.find_alias("http://example.org/geo#Kenya") == ("IRI", ["Kenya"])
    assert t.annotations.aliases["xref"] == {
        "UN:002": ("African_country",),
        "http://example.org/un/002": ("African_country",),
    }


def test_owl_languages(write):
    path = write(GEO_OWL, "geo.owl")
    spanish = om.read_taxonomy(path, language="es").labels("African_country")
    assert spanish == ("país africano", "estado africano", "African nation")
    # No label in French: those of other languages serve, synonyms of other languages do not.
    french = om.read_taxonomy(path, language="fr").labels("African_country")
    assert french == ("country in Africa", "país africano", "African nation")
    assert len(om.read_taxonomy(path, language=None).labels("African_country")) == 5


def test_owl_options(write):
    path = write(GEO_OWL, "geo.owl")
    assert om.read_taxonomy(path, synonyms="none").labels("African_country") == ("country in Africa",)
    assert om.read_taxonomy(path, synonyms="all").labels("African_country")[-1] == "Africa"
    assert om.read_taxonomy(path, glosses=True).annotations.glosses == {"African_country": "On the continent."}
    by_code = om.read_taxonomy(path, xref_prefix="UN")
    assert by_code.find_alias("002") == ("UN xref", ["African_country"])
    assert by_code.annotations.code_ids


def turtle(write, text: str, **options: Any) -> om.Taxonomy:
    return om.read_taxonomy(write(PREFIXES + text, "t.ttl"), **options)


def test_named_classes_in_an_intersection_are_parents(write):
    t = turtle(
        write,
        """
        :a a owl:Class . :b a owl:Class . :c a owl:Class .
        :d a owl:Class ; owl:equivalentClass
          [ owl:intersectionOf ( :a [ a owl:Restriction ] [ owl:intersectionOf ( :b ) ] ) ] .
        :e a owl:Class ; owl:intersectionOf ( :c ) .
        :f a owl:Class ; rdfs:subClassOf [ owl:intersectionOf ( :c :d ) ] .
        :g a owl:Class ; owl:equivalentClass [ owl:unionOf ( :a :b ) ] ; rdfs:subClassOf :c .
        """,
    )
    assert t.parents("d") == ("a", "b")
    assert t.parents("e") == t.parents("g") == ("c",)
    assert set(t.parents("f")) == {"c", "d"}


def test_equal_named_classes_are_not_each_others_parents(write):
    t = turtle(write, ":a a owl:Class ; owl:equivalentClass :b . :b a owl:Class ; owl:equivalentClass :a .")
    assert t.parents("a") == t.parents("b") == (VIRTUAL_ROOT,)


def test_thing_and_self_links_are_dropped_and_mentioned_parents_declared(write):
    t = turtle(write, "owl:Thing a owl:Class . :a a owl:Class ; rdfs:subClassOf owl:Thing, :a, :b .")
    assert t.ids == ("b", "a")


def test_undeclared_parents_are_noted(write):
    t = turtle(write, ":a a owl:Class ; rdfs:subClassOf :b, :c . :b rdfs:label 'B' . :d a owl:Class .")
    assert (t.notes[-1].code, t.notes[-1].values) == ("T112", ("b", "c"))
    withdrawn = turtle(write, ":a a owl:Class ; rdfs:subClassOf :b . :b owl:deprecated true .")
    assert (withdrawn.ids, withdrawn.notes) == (("a",), ())
    text = ':a a skos:Concept ; skos:broader :b, :c, :x . :b skos:prefLabel "B" . :c a :Kind . :d skos:narrower :c .'
    t = om.read_taxonomy(write(SKOS_PREFIXES + text, "u.ttl"))
    assert (t.notes[-1].code, t.notes[-1].values) == ("T112", ("x", "d"))


def test_an_individual_that_is_a_class_too_is_one_concept(write):
    t = turtle(
        write,
        """
        :bird a owl:Class . :species a owl:Class .
        :eagle a owl:Class, owl:NamedIndividual, :species ; rdfs:subClassOf :bird .
        :harry a owl:NamedIndividual, :eagle .
        """,
    )
    assert len(t) == 5
    assert t.parents("eagle") == ("bird", "species")
    assert t.parents("harry") == ("eagle",)


def test_individuals_need_no_declaration_but_a_declared_class(write):
    t = turtle(write, ":c a owl:Class . :i a :c . :j a :d . _:x a :c . :p a owl:ObjectProperty .")
    assert t.ids == ("c", "i")


def test_an_individual_without_a_class_is_a_root(write):
    t = turtle(write, ":c a owl:Class . :i a owl:NamedIndividual .")
    assert t.parents("i") == (VIRTUAL_ROOT,)
    assert t.notes[0].values == ("c", "i")


def test_deprecated_classes_are_withdrawn(write):
    t = turtle(
        write,
        """
        obo:X_1 a owl:Class . obo:X_4 a owl:Class ; rdfs:subClassOf obo:X_2 .
        obo:X_2 a owl:Class ; owl:deprecated true ; rdfs:subClassOf obo:X_1 ; rdfs:comment "Too vague." ;
          obo:IAO_0100001 obo:X_1 ; oio:consider "X:4" .
        obo:X_3 a owl:DeprecatedClass .
        """,
    )
    assert t.ids == ("X:1", "X:4")
    assert t.annotations.retired == {
        "X:2": Retired("obsolete: Too vague.", ("X:1", "X:4"), "X:1"),
        "X:3": Retired("obsolete"),
    }


def test_ids_are_short_where_no_other_term_ends_alike(write):
    t = turtle(
        write,
        """
        obo:MONDO_0005015 a owl:Class ; oio:hasAlternativeId "MONDO:7" .
        :a a owl:Class . :b a owl:Class . other:b a owl:Class ; rdfs:subClassOf :b .
        """,
    )
    assert set(t.ids) == {
        VIRTUAL_ROOT,
        "MONDO:0005015",
        "a",
        "http://example.org/t#b",
        "http://example.org/other/b",
    }
    assert t.label("http://example.org/other/b") == "b"
    assert t.find_alias(PURL + "MONDO_0005015") == ("IRI", ["MONDO:0005015"])
    assert t.find_alias("MONDO:7") == ("alternative id", ["MONDO:0005015"])
    assert "http://example.org/t#b" not in t.annotations.aliases["IRI"]


def test_names_of_ontologies(write):
    assert turtle(write, ":c a owl:Class .").annotations.name == "t"
    assert turtle(write, "<http://x.org/geo.owl> a owl:Ontology . :c a owl:Class .").annotations.name == "geo"
    assert (
        turtle(write, "<http://x.org/untitled-ontology-58> a owl:Ontology . :c a owl:Class .").annotations.name == "t"
    )
    titled = '<http://x.org/o> a owl:Ontology ; dcterms:title "Places"@en . :c a owl:Class .'
    assert turtle(write, titled).annotations.name == "Places"


def test_relative_names_hold_no_path_of_the_machine(write, tmp_path):
    t = om.read_taxonomy(write(RDF_XML.replace('xml:base="http://example.org/geo"', "") + CLASS_A, "my geo.owl"))
    assert t.ids == ("a",)
    assert list(t.annotations.aliases["IRI"]) == ["file:///my%20geo.owl#a"]


CLASS_A = '<owl:Class rdf:about="#a"/>\n</rdf:RDF>\n'


def test_owl_in_utf_16_is_recognised(write):
    text = RDF_XML.replace("?>", ' encoding="UTF-16"?>', 1) + '<owl:Class rdf:about="#Perú"/></rdf:RDF>'
    assert om.read_taxonomy(write(text.encode("utf-16"), "l.owl")).ids == ("Perú",)
    refused(write((PREFIXES + ":a a owl:Class .").encode("utf-16"), "l.ttl"), 1, "utf-16")


def test_owl_in_other_encodings_and_syntaxes(write):
    latin = RDF_XML.replace("?>", ' encoding="ISO-8859-1"?>', 1) + '<owl:Class rdf:about="#Perú"/></rdf:RDF>'
    assert om.read_taxonomy(write(latin.encode("latin-1"), "l.owl")).ids == ("Perú",)
    triples = (
        "<http://x.org/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Class> .\n"
    )
    assert om.read_taxonomy(write("# comment\n" + triples, "a.nt")).ids == ("a",)
    document = {"@context": {"owl": "http://www.w3.org/2002/07/owl#"}, "@id": "http://x.org/a", "@type": "owl:Class"}
    assert om.read_taxonomy(write(json.dumps(document), "a.jsonld")).ids == ("a",)
    named_graph = {"@id": "http://x.org/g", "@graph": [document]}
    assert om.read_taxonomy(write(json.dumps(named_graph), "g.jsonld")).ids == ("a",)
    rdfs_only = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n<http://x.org/a> a rdfs:Class ."
    assert om.read_taxonomy(write(rdfs_only, "a.ttl")).ids == ("a",)


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        (RDF_XML + "<owl:Class>\n</rdf:RDF>\n", 8, "syntax"),
        (RDF_XML + '<owl:Class rdf:about="#a"/>\n', 8, "syntax"),
        (RDF_XML + '<owl:Class rdf:ID="a b"/>\n</rdf:RDF>\n', 7, "syntax"),
        (
            RDF_XML + '\n<owl:Class rdf:about="#a"><rdfs:label xml:lang="e n">x</rdfs:label></owl:Class></rdf:RDF>',
            8,
            "syntax",
        ),
        (RDF_XML + "</rdf:RDF>\n", None, "T105"),
        (PREFIXES + ":a a owl:Class ;\n:b\n\n:c a :d", 11, "syntax"),
        (PREFIXES + ":a a nope:Class .", 8, "syntax"),
        (PREFIXES.encode() + b':a a "\xff" .', 8, "encoding"),
        (PREFIXES + ":p a owl:ObjectProperty .", None, "T105"),
        ("", None, "empty"),
        ("Prefix(owl:=<http://www.w3.org/2002/07/owl#>)\nOntology(<x>)", None, "syntax"),
        (
            '<?xml version="1.0"?>\n<!-- <rdf:RDF> -->\n<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>',
            None,
            "syntax",
        ),
    ],
)
def test_broken_owl(write, text, line, code):
    refused(write(text, "bad.owl"), line, code, format="owl")


def test_the_line_of_a_cycle_in_xml(write):
    link = '<owl:Class rdf:about="#{}">\n<rdfs:subClassOf\n rdf:resource="#{}"/>\n</owl:Class>\n'
    path = write(RDF_XML + link.format("a", "b") + link.format("b", "a") + "</rdf:RDF>", "cycle.owl")
    error = refused(path, 9, "T101")
    assert error.code == "T101"


@pytest.mark.parametrize("name", ["geo.owl.gz", "trades.rdf.gz"])
def test_truncated_xml_gzip_is_reported(write, name):
    body = "".join(f'<owl:Class rdf:about="#c{i * 7919 % 99991}"/>\n' for i in range(50_000))
    packed = gzip.compress((RDF_XML + body + "</rdf:RDF>").encode())
    for size in (100, len(packed) // 2):
        with raises(om.ReadError, line=1, code="damaged"):
            om.read_taxonomy(write(packed[:size], name), format="owl" if name.startswith("geo") else "skos")


def test_oddities_of_a_file_make_no_noise(write, caplog):
    odd = (
        RDF_XML
        + '<owl:Class rdf:about="http://x.org/{a} b"><skos:notation '
        + ('rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">x7</skos:notation></owl:Class></rdf:RDF>')
    )
    level = logging.getLogger("rdflib").level
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        t = om.read_taxonomy(write(odd, "odd.owl"))
    assert t.ids == ("{a} b",)
    assert t.find_alias("x7") == ("notation", ["{a} b"])
    assert caplog.records == []
    assert logging.getLogger("rdflib").level == level


def declaring(declarations: str, label: str = "b") -> str:
    head = RDF_XML.replace("[ <", f"[ {declarations} <")
    return f'{head}<owl:Class rdf:about="#a"><rdfs:label>{label}</rdfs:label></owl:Class></rdf:RDF>'


NESTED = '<!ENTITY e0 "aaaaaaaaaa">' + "".join(f'<!ENTITY e{i} "{f"&#38;e{i - 1};" * 10}">' for i in range(1, 8))


@pytest.mark.parametrize(
    ("declarations", "label", "fields"),
    [
        ('<!ENTITY leak SYSTEM "file:///etc/hostname">', "&leak;b", {"line": 2, "code": "external-entity"}),
        (NESTED.replace("&#38;", "&"), "&e7;", {"line": 2, "code": "nested-entity"}),
        (NESTED, "&e7;", {"line": 2, "code": "nested-entity"}),
        (NESTED.replace("&#38;", "&#x26;"), "&e7;", {"line": 2, "code": "nested-entity"}),
        ('<!ENTITY x "&#60;b/>">', "&x;", {"line": 2, "code": "nested-entity"}),
        ('<!ENTITY % p "x">', "b", {"line": 2, "code": "parameter-entity"}),
        (f'<!ENTITY x "{"a" * 900}">', "&x;" * 10_000, {"line": 7, "code": "expansion"}),
        (f'<!ENTITY x "{"a" * 9000}">', "b", {"line": 2, "code": "many-entities"}),
        (f'<!ATTLIST owl:Class note CDATA "{"a" * 900}">', "b", {"line": 2, "code": "default-values"}),
    ],
)
def test_entities_that_grow_or_lead_elsewhere_are_refused(write, declarations, label, fields):
    with raises(om.ReadError, **fields) as caught:
        om.read_taxonomy(write(declaring(declarations, label), "bomb.owl"))
    assert caught.value.line


def test_entities_are_refused_in_any_encoding(write):
    text = declaring(NESTED, "&e7;").replace('version="1.0"', 'version="1.0" encoding="utf-16"')
    path = write("", "bomb.owl")
    path.write_bytes(text.encode("utf-16"))
    with raises(om.ReadError, line=2, code="nested-entity"):
        om.read_taxonomy(path, format="owl")


def test_entities_for_namespaces_are_read(write):
    path = write(declaring('<!ENTITY x "http://example.org/x#">', "&x;one &amp; two"), "plain.owl")
    assert om.read_taxonomy(path).labels("a") == ("http://example.org/x#one & two",)


def test_a_label_of_many_lines_takes_time_in_proportion(write):
    path = write(declaring("", "a line of a label\n" * 200_000), "long.owl")
    assert len(om.read_taxonomy(path).labels("a")[0]) == 200_000 * 18 - 1


def test_elements_nested_without_end_are_refused(write):
    deep = '<rdfs:comment rdf:parseType="Literal">' + "<b>" * 20_000 + "</b>" * 20_000 + "</rdfs:comment>"
    path = write(declaring("", "b").replace("</owl:Class>", f"{deep}</owl:Class>"), "deep.owl")
    with raises(om.ReadError, line=7, code="syntax"):
        om.read_taxonomy(path)
