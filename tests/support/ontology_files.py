"""Small ontologies in OBO, OBO Graphs, OWL and SKOS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ontomask as om

from support.errors import raises

PETS_OBO = """\
format-version: 1.2
! a comment in the header
ontology: pets
property_value: http://purl.org/dc/terms/license https://creativecommons.org/licenses/by/4.0/

[Term]
id: PET:1
name: animal
def: "A living \\"thing\\"." [PET:author]

[Term]
id: PET:2
name: cat
alt_id: PET:20
synonym: "house cat" EXACT []
synonym: "feline" BROAD []
xref: ICD9:250.0 "a joke" {source="PET"}
xref: ICD9:250.10
xref: SCTID:448169003
is_a: PET:1 {source="PET"} ! animal

[Term]
id: PET:3
name: mouser
xref: ICD9:250.0
intersection_of: PET:2 ! cat
intersection_of: chases PET:1
is_a: PET:2 ! cat

[Term]
id: PET:4
name: paw
intersection_of: PET:1 ! animal
intersection_of: part_of PET:2
relationship: part_of PET:2 ! cat

[Term]
id: PET:5
name: obsolete kitty
comment: A pet name.
is_obsolete: true
replaced_by: PET:2
consider: PET:3

[Instance]
id: PET:6
name: Tom
instance_of: PET:3

[Typedef]
id: part_of
name: part of
is_a: overlaps
"""

RDF_XML = """\
<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY geo "http://example.org/geo#"> ]>
<rdf:RDF xmlns="http://example.org/geo#" xml:base="http://example.org/geo"
     xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"
     xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:skos="http://www.w3.org/2004/02/skos/core#"
     xmlns:dcterms="http://purl.org/dc/terms/" xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">
"""

GEO_OWL = (
    RDF_XML
    + """\
<owl:Ontology rdf:about="http://example.org/geo"><dcterms:license>CC0</dcterms:license></owl:Ontology>
<owl:Class rdf:about="&geo;Place"><rdfs:subClassOf rdf:resource="http://www.w3.org/2002/07/owl#Thing"/></owl:Class>
<owl:Class rdf:about="#African_country">
  <rdfs:label xml:lang="es">país africano</rdfs:label>
  <rdfs:label xml:lang="en-GB">country in Africa</rdfs:label>
  <skos:altLabel xml:lang="en">African state</skos:altLabel>
  <skos:altLabel xml:lang="es">estado africano</skos:altLabel>
  <oboInOwl:hasExactSynonym>African nation</oboInOwl:hasExactSynonym>
  <oboInOwl:hasRelatedSynonym>Africa</oboInOwl:hasRelatedSynonym>
  <oboInOwl:hasDbXref>UN:002</oboInOwl:hasDbXref>
  <oboInOwl:hasDbXref>http://example.org/un/002</oboInOwl:hasDbXref>
  <rdfs:comment>On the continent.</rdfs:comment>
  <rdfs:subClassOf rdf:resource="&geo;Place"/>
  <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="#on"/>
    <owl:someValuesFrom rdf:resource="#Africa"/></owl:Restriction></rdfs:subClassOf>
</owl:Class>
<owl:NamedIndividual rdf:about="#Cabo%20Verde">
  <rdf:type rdf:resource="#African_country"/>
  <rdf:type rdf:resource="#Island"/>
</owl:NamedIndividual>
<owl:NamedIndividual rdf:about="#Kenya"><rdf:type rdf:resource="#African_country"/></owl:NamedIndividual>
</rdf:RDF>
"""
)

PREFIXES = """\
@prefix : <http://example.org/t#> .
@prefix other: <http://example.org/other/> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
"""

SKOS_PREFIXES = """\
@prefix : <http://example.org/trades/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

TRADES = (
    SKOS_PREFIXES
    + """\
:scheme a skos:ConceptScheme ; dcterms:title "Trades"@en ; dcterms:license <http://example.org/free> .
:7 a skos:Concept ; skos:topConceptOf :scheme ; skos:prefLabel "craft"@en, "oficio"@es ; skos:narrower :71 .
:71 a skos:Concept ; skos:broader :7 ; skos:prefLabel "builder"@en ; skos:notation "071"^^xsd:integer ;
  skos:definition "Builds."@en .
:711 a skos:Concept ; skos:broader :71 ; skos:broaderTransitive :71, :7 ; skos:notation "711.10" ;
  skos:prefLabel "bricklayer"@en ; skos:altLabel "brick mason"@en-US, "brickie", "albañil"@es .
:712 a skos:Concept ; skos:broader :71 ; skos:prefLabel "techador"@es .
:713 skos:broader :71 .
"""
)

PURL = "http://purl.obolibrary.org/obo/"


def graphs_document() -> dict[str, Any]:
    return {
        "graphs": [
            {
                "id": PURL + "pets.owl",
                "meta": {"basicPropertyValues": [{"pred": "http://purl.org/dc/terms/license", "val": "CC0"}]},
                "nodes": [
                    {"id": PURL + "PET_1", "type": "CLASS", "lbl": "animal", "meta": None},
                    {
                        "id": PURL + "PET_2",
                        "type": "CLASS",
                        "lbl": "cat",
                        "meta": {
                            "definition": {"val": "It purrs."},
                            "synonyms": [
                                {"pred": "hasExactSynonym", "val": "house cat"},
                                {"pred": "hasBroadSynonym", "val": "feline"},
                            ],
                            "xrefs": [{"val": "ICD9:250.0"}, {"val": "http://example.org/cat"}],
                            "basicPropertyValues": [
                                {
                                    "pred": "http://www.geneontology.org/formats/oboInOwl#hasAlternativeId",
                                    "val": "PET:20",
                                }
                            ],
                        },
                    },
                    {
                        "id": PURL + "PET_5",
                        "type": "CLASS",
                        "lbl": "kitty",
                        "meta": {
                            "deprecated": True,
                            "comments": ["A pet name."],
                            "basicPropertyValues": [{"pred": PURL + "IAO_0100001", "val": PURL + "PET_2"}],
                        },
                    },
                    {"id": "http://example.org/Tom", "type": "INDIVIDUAL", "lbl": "Tom"},
                    {"id": PURL + "PET_8"},
                    {"id": PURL + "BFO_0000050", "type": "PROPERTY", "lbl": "part of"},
                ],
                "edges": [
                    {"sub": PURL + "PET_2", "pred": "is_a", "obj": PURL + "PET_1"},
                    {"sub": PURL + "PET_1", "pred": "is_a", "obj": "http://www.w3.org/2002/07/owl#Thing"},
                    {"sub": "http://example.org/Tom", "pred": "type", "obj": PURL + "PET_2"},
                    {"sub": PURL + "PET_4", "pred": "is_a", "obj": PURL + "PET_1"},
                    {"sub": PURL + "PET_4", "pred": PURL + "BFO_0000050", "obj": PURL + "PET_2"},
                    {"sub": PURL + "BFO_0000050", "pred": "is_a", "obj": PURL + "RO_0002131"},
                ],
                "logicalDefinitionAxioms": [
                    {"definedClassId": PURL + "PET_2", "genusIds": [PURL + "PET_1"]},
                    {"definedClassId": PURL + "PET_3", "genusIds": [PURL + "PET_2"]},
                ],
            }
        ]
    }


def refused(path: Path, line: int | None, code: str | None, format: str | None = None, **options: Any) -> om.ReadError:
    """Expect an error of a reader with this line and code."""
    with raises(om.ReadError, path=path, line=line, code=code) as caught:
        om.read_taxonomy(path, format=format, **options)
    return caught.value
