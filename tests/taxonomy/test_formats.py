"""Every format in `FORMATS` through the same checks. A new reader needs a sample in `write_samples`."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import ontomask as om
from ontomask.taxonomy import readers
from ontomask.taxonomy.readers import FORMATS

from support import rf2_files
from support.fhir_files import jobs
from support.ontology_files import GEO_OWL, PETS_OBO, TRADES, graphs_document
from support.release_files import ESCO, ICD11, LOINC, UMLS, WN_LMF, one_source, write_files
from support.vocabularies import CLAML

CONCEPT = "concept_id concept_name domain_id vocabulary_id standard_concept concept_code invalid_reason"
RELATIONSHIP = "concept_id_1 concept_id_2 relationship_id invalid_reason"


def write_samples(folder: Path) -> dict[str, Path]:
    """A small taxonomy in every format: a file or a folder."""
    texts = {
        "wordnet": {
            "data.noun": "00000001 03 n 01 entity 0 000 | \n00000002 03 n 01 dog 0 001 @ 00000001 n 0000 | \n",
            "index.noun": "entity n 1 1 ~ 1 0 00000001\ndog n 1 1 @ 1 0 00000002\n",
        },
        "omop": {
            "CONCEPT.csv": "\t".join(CONCEPT.split()) + "\n1\tA\tX\tV\tS\ta\t\n2\tB\tX\tV\tS\tb\t\n",
            "CONCEPT_RELATIONSHIP.csv": "\t".join(RELATIONSHIP.split()) + "\n2\t1\tIs a\t\n",
        },
        "mesh": {"file": "Body Regions;A01\nAbdomen;A01.923\nAnimals;B01\n"},
        "claml": {"file": CLAML},
        "wn_lmf": {"file": WN_LMF},
        "icd11": {"file.txt": ICD11},
        "fhir": {"file.json": json.dumps(jobs())},
        "obographs": {"file": json.dumps(graphs_document())},
        "obo": {"file": PETS_OBO},
        "skos": {"file": TRADES},
        "owl": {"file": GEO_OWL},
        "prefix": {"file.csv": "code,title\nA,Alimentary tract\nA10,Diabetes\nA10B,Oral drugs\nA10BA02,metformin\n"},
        "arx_csv": {"file.csv": "Spain;Europe;*\nMalta;Europe;*\n"},
        "edges": {"file.csv": "child,parent,labels\nsymptom,,\npain,symptom,pain|ache\n"},
    }
    samples = {}
    for format, files in texts.items():
        (folder / format).mkdir()
        for name, text in files.items():
            samples[format] = folder / format / name
            samples[format].write_text(text, encoding="utf-8")
    samples["wordnet"], samples["omop"] = folder / "wordnet", folder / "omop"
    samples["umls"] = write_files(folder / "umls", one_source(UMLS))
    samples["loinc"] = write_files(folder / "loinc", LOINC)
    samples["esco"] = write_files(folder / "esco", ESCO)
    samples["rf2"] = rf2_files.write(folder / "rf2", rf2_files.plant())
    samples["saved"] = folder / "t.taxonomy"
    om.save_taxonomy(om.Taxonomy.from_edges([("b", "a")]), samples["saved"])
    return samples


def test_every_reader_is_registered():
    modules = [info.name for info in iter_modules(readers.__path__)]
    with_reader = {name for name in modules if hasattr(import_module(f"{readers.__name__}.{name}"), "can_read")}
    assert with_reader == set(FORMATS)


@pytest.mark.parametrize("format", FORMATS)
def test_a_sample_is_recognised_and_read(tmp_path, format):
    samples = write_samples(tmp_path)
    path = samples[format]
    recognised = next(name for name in FORMATS if import_module(f"{readers.__name__}.{name}").can_read(path))
    assert recognised == format
    t = om.read_taxonomy(path)
    assert len(t) > 1
    assert t.annotations.name or format == "saved"
    assert om.read_taxonomy(path, format=format).ids == t.ids


@pytest.mark.parametrize("format", FORMATS)
def test_a_saved_sample_is_the_same(tmp_path, format):
    t = om.read_taxonomy(write_samples(tmp_path)[format])
    om.save_taxonomy(t, tmp_path / "again.taxonomy")
    again = om.read_taxonomy(tmp_path / "again.taxonomy")
    assert (again.ids, again.notes) == (t.ids, t.notes)
    assert [again.labels(c) for c in again.ids] == [t.labels(c) for c in t.ids]


@pytest.mark.parametrize("format", FORMATS)
def test_errors_name_the_file_and_the_parameter(tmp_path, format):
    path = write_samples(tmp_path)[format]
    with pytest.raises(om.ReadError) as caught:
        om.read_taxonomy(path, format=format, colour="red")
    assert (caught.value.path, caught.value.parameter) == (path, "colour")
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    with pytest.raises(om.ReadError) as caught:
        om.read_taxonomy(empty, format=format)
    assert str(tmp_path) in str(caught.value)
