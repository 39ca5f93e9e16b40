from __future__ import annotations

import importlib.util
import sys

import pytest

import ontomask as om
from ontomask.taxonomy.readers.icd10 import load_icd10cm

from support.errors import raises

# Reading all codes takes seconds.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def icd10() -> om.Taxonomy:
    if importlib.util.find_spec("simple_icd_10_cm") is None:
        pytest.skip("simple-icd-10-cm is not installed")
    return load_icd10cm()


def chain(t: om.Taxonomy, concept: str) -> list[str]:
    """The concept and all above it in a tree."""
    return [concept, *(chain(t, *t.parents(concept)) if t.parents(concept) else [])]


def test_icd10_is_one_tree_of_all_codes(icd10):
    import simple_icd_10_cm

    assert icd10.root == "ICD-10-CM"
    assert len(icd10) == len(simple_icd_10_cm.get_all_codes()) + 1
    assert len(icd10) > 98_000
    assert len(icd10.graph.parent) == len(icd10) - 1
    assert int(icd10.graph.depth.max()) == 7
    assert icd10.notes == ()
    assert icd10.annotations.name == "ICD-10-CM"
    assert icd10.annotations.code_ids
    assert "World Health Organization" in icd10.annotations.licence


def test_icd10_chapters_and_ranges_are_inner_nodes(icd10):
    assert chain(icd10, "E11.9") == ["E11.9", "E11", "E08-E13", "Chapter 4", "ICD-10-CM"]
    assert chain(icd10, "S12.000G")[:5] == ["S12.000G", "S12.000", "S12.00", "S12.0", "S12"]
    assert set(icd10.children("ICD-10-CM")) >= {f"Chapter {i}" for i in range(1, 23)}


def test_icd10_blocks_that_are_named_like_their_category_have_an_id_of_their_own(icd10):
    assert chain(icd10, "C7A.0") == ["C7A.0", "C7A", "C7A-C7A", "Chapter 2", "ICD-10-CM"]
    assert icd10.children("B20-B20") == ("B20",)
    assert icd10.label("C7A-C7A") == "Malignant neuroendocrine tumors"
    assert icd10.label("H59-H59") == icd10.label("H59")


def test_icd10_follows_the_package(icd10):
    import simple_icd_10_cm as source

    for code in source.get_all_codes()[::500]:
        if source.is_subcategory(code):
            assert icd10.parents(code) == (source.get_parent(code),)
            assert source.get_description(code).startswith(icd10.label(code))


def test_icd10_numbers_are_no_chapters(icd10):
    for number in ("4", "04", "22"):
        assert number not in icd10
        assert icd10.find_alias(number) is None
        assert icd10.find(number) == []


@pytest.mark.parametrize(
    ("concept", "labels"),
    [
        ("ICD-10-CM", ("ICD-10-CM diagnoses",)),
        ("Chapter 4", ("Endocrine, nutritional and metabolic diseases",)),
        ("E08-E13", ("Diabetes mellitus",)),
        ("N18", ("Chronic kidney disease (CKD)",)),
        ("J37.0", ("Chronic laryngitis", "Catarrhal laryngitis", "Hypertrophic laryngitis", "Sicca laryngitis")),
        # The package has "… type I or II/⇥initial encounter for open fracture NOS".
        (
            "S52.91XB",
            ("Unspecified fracture of right forearm, initial encounter for open fracture type I or II",),
        ),
        # Advice to coders ("This code is not for inpatient use. …") is no label.
        ("T30.0", ("Burn of unspecified body region, unspecified degree", "Burn NOS", "Multiple burns NOS")),
    ],
)
def test_icd10_labels(icd10, concept, labels):
    assert icd10.labels(concept) == labels


def test_icd10_other_spellings(icd10):
    assert icd10.find_alias("E119") == ("undotted code", ["E11.9"])
    assert icd10.find_alias("S12000G") == ("undotted code", ["S12.000G"])
    assert icd10.find("catarrhal laryngitis") == ["J37.0"]
    table = icd10.annotations.aliases["undotted code"]
    assert len(table) == sum("." in c for c in icd10.ids)
    assert not table.keys() & set(icd10.ids)


def test_icd10_is_loaded_once(icd10):
    assert load_icd10cm() is icd10


def test_icd10_without_the_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "simple_icd_10_cm", None)
    with raises(om.MissingExtraError, extra="icd"):
        load_icd10cm.__wrapped__()
