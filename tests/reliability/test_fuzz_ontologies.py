"""Every reader of ontologies, hierarchies and mappings, on thousands of damaged files."""

from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path

import pytest

import ontomask as om
from ontomask.hierarchy import read_mapping
from ontomask.taxonomy import validate
from ontomask.taxonomy.readers import FORMATS

from support.fhir_files import bundle, concept_map, jobs, part, value_set
from support.mutations import Target, fuzz, mutate_zip
from support.ontology_files import GEO_OWL, PETS_OBO, TRADES, graphs_document
from support.release_files import ESCO, ICD11, LOINC, UMLS, WN_LMF, one_source
from support.rf2_files import plant
from support.rf2_files import write as write_rf2
from support.vocabularies import CLAML, Descriptor, write_mesh_records, write_mesh_xml

LINKS = "child,parent,labels\nsymptom,,\npain,symptom,\nache,pain,ache|aching\ncolic,pain,\n"
ROWS = "Spain;Europe;*\nMalta;Europe;*\nMalta;Commonwealth;*\nJapan;Asia;*\n"
INDENTED = "world\n  Europe\n    Spain\n    Malta\n  Asia\n    Japan\n"
LEVELS = '{"0": ["Spain", "Malta", "Japan"], "1": ["Europe", "Europe", "Asia"], "2": ["*", "*", "*"]}'
JSON_LD = """{"@context": {"skos": "http://www.w3.org/2004/02/skos/core#",
"broader": {"@id": "skos:broader", "@type": "@id"}},
"@graph": [{"@id": "http://x/a", "@type": "skos:Concept", "skos:prefLabel": {"@value": "a", "@language": "en"}},
{"@id": "http://x/b", "@type": "skos:Concept", "broader": "http://x/a"}]}"""
CODES = "code,title\nA,Alimentary tract\nA10,Diabetes\nA10B,Oral drugs\nA10BA02,metformin\n01.11,Cereals\n"
MESH = "Body Regions;A01\nAbdomen;A01.923\nGroin;A01.923.1\nAnimals;B01\nGroin;B01.1\n"
FOLDERS = ("wordnet", "rf2", "omop", "esco", "loinc", "umls")
WORDNET = {
    "data.noun": b"  1 licence\n"
    b"00001740 03 n 01 entity 0 001 ~ 00001930 n 0000 | that which exists\n"
    b"00001930 03 n 02 dog 0 hound 0 003 @ 00001740 n 0000 %p 00002137 n 0000 #m 00002137 n 0000 | a pet\n"
    b"00002137 03 n 01 tail 0 002 @ 00001740 n 0000 #p 00001930 n 0000 | a part\n",
    "index.noun": b"  1 licence\ndog n 1 2 @ %p 1 1 00001930\nentity n 1 1 ~ 1 0 00001740\nhound n 1 1 @ 1 0 00001930\n"
    b"tail n 1 1 @ 1 0 00002137\n",
    "cntlist.rev": b"dog%1:03:00:: 1 42\ntail%1:03:00:: 1 3\n",
}
OMOP = {
    "CONCEPT.csv": b"concept_id\tconcept_name\tdomain_id\tvocabulary_id\tconcept_class_id\tstandard_concept\t"
    b"concept_code\tvalid_start_date\tvalid_end_date\tinvalid_reason\n"
    b"1\tDisease\tCondition\tSNOMED\tx\tS\t64572001\t19700101\t20991231\t\n"
    b"2\tPain\tCondition\tSNOMED\tx\tS\t22253000\t19700101\t20991231\t\n"
    b"3\tAche\tCondition\tSNOMED\tx\t\t99\t19700101\t20991231\tU\n",
    "CONCEPT_RELATIONSHIP.csv": b"concept_id_1\tconcept_id_2\trelationship_id\tvalid_start_date\tvalid_end_date\t"
    b"invalid_reason\n2\t1\tIs a\t19700101\t20991231\t\n3\t2\tConcept replaced by\t19700101\t20991231\t\n",
    "CONCEPT_SYNONYM.csv": b"concept_id\tconcept_synonym_name\tlanguage_concept_id\n2\tPainful\t4180186\n",
}


def taxonomy(format: str, **options):
    """Read a taxonomy, and use it."""

    def read(path: Path) -> None:
        found = om.read_taxonomy(path.parent if format in FOLDERS else path, format=format, **options)
        validate(found)
        found.lcs(*found.ids[-3:])
        found.find(found.label(found.ids[-1]))
        repr(found)

    return read


def hierarchy(**options):
    def read(path: Path) -> None:
        found = om.read_hierarchy(path, **options)
        [found.labels(level) for level in range(found.height + 1)]

    return read


def concepts_of_a_value_set(path: Path) -> None:
    found = om.read_value_set(path, url="http://example.org/vs")
    jobs_read = om.Taxonomy.from_edges([("nurse", "health"), ("health", "job"), ("porter", "job")])
    found.codes(jobs_read)


def rf2() -> dict[str, bytes]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        write_rf2(Path(folder), plant(), flat=True)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def saved() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "p.obo").write_text(PETS_OBO)
        path = Path(folder) / "p.taxonomy"
        om.save_taxonomy(om.read_taxonomy(Path(folder) / "p.obo", glosses=True, parts=True), path)
        return path.read_bytes()


def mesh(write) -> bytes:
    import tempfile

    headings = [Descriptor("D1", "Body", ("Soma",), ("A01",)), Descriptor("D2", "Groin", (), ("A01.1", "B01"))]
    with tempfile.TemporaryDirectory() as folder:
        return write(Path(folder) / "m", headings).read_bytes()


def flat(files: dict[str, str]) -> dict[str, bytes]:
    """The files of a release in one folder."""
    return {Path(name).name: text.encode() for name, text in files.items()}


def words(*lines: str) -> list[bytes]:
    return [word.encode() for line in lines for word in line.split()]


XML = words(
    '<owl:Class </owl:Class> rdf:about= rdf:resource= rdf:ID= rdf:nodeID= rdf:parseType="Literal" &geo; <!ENTITY'
)
XML += words(
    '<!DOCTYPE ]> <![CDATA[ <!-- --> xml:lang= xmlns:x="" <rdf:li/> rdf:parseType="Collection" rdf:datatype= <?x'
)
TURTLE = words('@prefix @base a . ; , [ ] ( ) """ ^^ @en <> _:b :7 skos:broader skos:Concept true 1.5e3 \\u0041 { } =>')
OBO = words(
    "id: name: is_a: [Term] [Typedef] [Instance] synonym: EXACT xref: {a=b} ! def: is_obsolete: instance_of: PET:1"
)
JSON = words(
    '{ } [ ] : , null true false "a" 1e5 {"a":[]} "graphs" "nodes" "edges" "@id" "@context" "@graph" "@type" \\ud800'
)
FHIR = JSON[:14] + words(
    '"concept" "code" "property" "valueCode" "resource" "entry" "content" "supplement" "nurse" "job"'
)
TABBED = [*words("id active 0 1 x"), b"\t", b"\t\t", b"\r\n"]

TARGETS = [
    Target("edges", {"o.csv": LINKS.encode()}, taxonomy("edges"), [b",", b"|", b"child", b"parent", b'"']),
    Target("packed edges", {"o.csv.gz": gzip.compress(LINKS.encode(), mtime=0)}, taxonomy("edges")),
    Target("arx_csv", {"o.csv": ROWS.encode()}, taxonomy("arx_csv"), [b";", b"*", b'"', b"Europe"]),
    Target("prefix", {"o.csv": CODES.encode()}, taxonomy("prefix"), [b",", b".", b"code", b"title", b'"']),
    Target("prefix atc", {"o.csv": CODES.encode()}, taxonomy("prefix", cuts="nace"), [b",", b".", b"A", b"01", b"-"]),
    Target("mesh trees", {"o.bin": MESH.encode()}, taxonomy("mesh"), [b";", b".", b"A01", b"B01.1"]),
    Target(
        "mesh records", {"o.bin": mesh(write_mesh_records)}, taxonomy("mesh"), [b"*NEWRECORD\n", b" = ", b"MN", b"UI"]
    ),
    Target("mesh xml", {"o.xml": mesh(write_mesh_xml)}, taxonomy("mesh", glosses=True), XML),
    Target(
        "claml", {"o.xml": CLAML.encode()}, taxonomy("claml"), [*XML, b"ModifiedBy", b"SubClass", b"I70", b'code="0"']
    ),
    Target("icd11", {"o.txt": ICD11.encode()}, taxonomy("icd11"), [*TABBED, b"- ", b"1A00", b"chapter"]),
    Target("loinc", flat(LOINC), taxonomy("loinc"), [b",", b'"', b"LP29693-6", b"2160-0", b"CODE"]),
    Target("esco", flat(ESCO), taxonomy("esco", glosses=True), [b",", b'"', b"2512", b"conceptUri", b"\n"]),
    Target(
        "wn_lmf",
        {"o.xml": WN_LMF.encode()},
        taxonomy("wn_lmf", glosses=True, parts=True),
        [*XML, b"pets-2-n", b'n="1"'],
    ),
    Target("umls", flat(one_source(UMLS)), taxonomy("umls"), [b"|", b"||", b"MSH", b"PAR", b"CHD", b"A2", b"\n"]),
    Target("umls cui", flat(UMLS), taxonomy("umls", source="MSH", ids="cui", links="mrhier"), [b"|", b"||", b"A9"]),
    Target("obo", {"o.obo": PETS_OBO.encode()}, taxonomy("obo", glosses=True, parts=True), OBO),
    Target(
        "obographs",
        {"o.json": json.dumps(graphs_document()).encode()},
        taxonomy("obographs", glosses=True, parts=True, synonyms="all"),
        JSON,
    ),
    Target("fhir", {"o.json": json.dumps(jobs()).encode()}, taxonomy("fhir", glosses=True, language="de"), FHIR),
    Target(
        "fhir bundle",
        {"o.json": json.dumps(bundle(jobs(), jobs(content="supplement", supplements=jobs()["url"]))).encode()},
        taxonomy("fhir", inactive=True),
        FHIR,
    ),
    Target("owl", {"o.owl": GEO_OWL.encode()}, taxonomy("owl", glosses=True, synonyms="all"), XML),
    Target("skos", {"o.ttl": TRADES.encode()}, taxonomy("skos", glosses=True), TURTLE),
    Target("json-ld", {"o.jsonld": JSON_LD.encode()}, taxonomy("skos"), JSON),
    Target(
        "wordnet",
        WORDNET,
        taxonomy("wordnet", glosses=True, parts=True),
        [b" ", b"n", b"@", b"%p", b"0", b"|"],
    ),
    Target("rf2", rf2(), taxonomy("rf2"), TABBED),
    Target("omop", OMOP, taxonomy("omop"), [*TABBED, b"Is a", b"SNOMED", b"concept_id"]),
    Target("saved", {"t.taxonomy": saved()}, taxonomy("saved"), JSON, mutate_zip),
    Target(
        "ARX hierarchy",
        {"h.csv": ROWS.replace("Malta;Commonwealth;*\n", "").encode()},
        hierarchy(),
        [b";", b"*"],
    ),
    Target("indented hierarchy", {"h.txt": INDENTED.encode()}, hierarchy(format="indented"), [b"  ", b"\t"]),
    Target("hierarchy by level", {"h.json": LEVELS.encode()}, hierarchy(), JSON),
    Target(
        "mapping",
        {"m.csv": b"label,concept\ntiger,tiger#2\nOther,\n"},
        read_mapping,
        [b",", b"#"],
    ),
    Target(
        "concept map",
        {"m.json": json.dumps(concept_map(("A", "equivalent", "nurse", "related-to", "job"), {"code": "B"})).encode()},
        read_mapping,
        [*FHIR, b'"target"', b'"equivalence"', b'"dependsOn"', b'"noMap"', b'"unmapped"'],
    ),
    Target(
        "value set",
        {
            "v.json": json.dumps(
                bundle(
                    value_set(("is-a", "job"), {"valueSet": ["http://example.org/in"]}, exclude=[["health"]]),
                    value_set({**part(("in", "nurse,porter")), "valueSet": []}, url="http://example.org/in"),
                )
            ).encode()
        },
        concepts_of_a_value_set,
        [*FHIR, b'"valueSet"', b'"filter"', b'"expansion"', b'"contains"', b'"op"', b'"is-not-a"', b'"total"'],
    ),
]


# Files of every format, to be recognised by what is in them.
SEEDS = {f"{number}-{name}": content for number, target in enumerate(TARGETS) for name, content in target.files.items()}


def test_every_format_is_fuzzed():
    missing = set(FORMATS) - {target.name.partition(" ")[0] for target in TARGETS}
    assert not missing, f"add a valid file of {missing} to TARGETS"


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_damaged_ontologies(target):
    fuzz(target)


def test_damaged_ontologies_of_unknown_format():
    def read(path: Path) -> None:
        with contextlib.suppress(om.OntomaskError):
            om.read_taxonomy(path)

    fuzz(Target("recognised", SEEDS, read, [b",", b";", b"\t", b"{", b"<", b"@prefix", b"[Term]"]))


def test_a_reader_that_does_not_survive_is_found():
    def read(path: Path) -> None:
        if path.read_bytes() != b"abc":
            raise KeyError("foreign")

    with pytest.raises(AssertionError, match="KeyError"):
        fuzz(Target("broken", {"a": b"abc"}, read), 20)
