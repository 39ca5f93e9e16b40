"""ICD-11, LOINC and ESCO: tables of releases."""

from __future__ import annotations

import shutil

import pytest

import ontomask as om
from ontomask.errors import ReadError

from support.errors import raises
from support.release_files import ESCO, ICD11, LOINC, write_files

HIERARCHY = "AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv"


def changed(files, name, old, new):
    assert old in files[name]
    return {**files, name: files[name].replace(old, new)}


def test_icd11_parents_by_depth(write):
    t = om.read_taxonomy(write(ICD11, "SimpleTabulation-ICD-11-MMS-en.txt"))
    assert t.subsumers("1A03.0") == {"ICD-11", "Chapter 01", "BlockL1-1A0", "BlockL2-1A0", "1A03", "1A03.0"}
    assert t.parents("1A20") == ("Chapter 01",)
    assert (t.label("1A00"), t.label("1A03.Y")) == ("Cholera", "Intestinal infections, other - specified")
    assert t.find_alias("http://id.who.int/icd/entity/257068234") == ("IRI", ["1A00"])
    assert t.annotations.code_ids


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("- Gastro", "- - Gastro", "levels", 3),
        ("1A20", "1A00", "T104", 9),
        ("\t1A20\t", "\t\t", "T106", 9),
        ("- Viral intestinal infections", "- ", "T106", 9),
        ("BlockId", "Block", "no-column", 1),
        ("\t1A20", "", "cells", 9),
    ],
)
def test_icd11_errors(write, old, new, code, line):
    path = write(ICD11.replace(old, new, 1), "icd11.txt")
    with raises(ReadError, code=code, line=line, path=path):
        om.read_taxonomy(path, format="icd11")


def test_loinc(tmp_path):
    release = write_files(tmp_path / "Loinc_2.80", LOINC)
    t = om.read_taxonomy(release)
    assert t.root == "LP432695-7"
    assert set(t.parents("2160-0")) == {"LP7786-9", "LP31388-9"}
    assert t.labels("2160-0") == (
        "Creatinine SerPl-mCnc",
        "Creatinine [Mass/volume] in Serum or Plasma",
        "Creat SerPl-mCnc",
    )
    assert {code: r.replacements for code, r in t.annotations.retired.items()} == {"9999-9": ("2160-0",), "9998-1": ()}
    assert om.read_taxonomy(release / HIERARCHY).labels("2160-0") == t.labels("2160-0")
    assert om.read_taxonomy(release, labels=False).labels("2160-0") == ("Creatinine SerPl-mCnc",)
    alone = tmp_path / "MultiAxialHierarchy.csv"
    shutil.copy(release / HIERARCHY, alone)
    assert om.read_taxonomy(alone).labels("2160-0") == ("Creatinine SerPl-mCnc",)


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ('1,"LP31388-9","2160-0"', '1,"LP0-0","2160-0"', "T103", 7),
        ('"LP7786-9","Chemistry"', '"","Chemistry"', "T106", 4),
        (',"Chemistry"', "", "cells", 4),
        ('"CODE"', '"KODE"', "no-column", 1),
        ('"LP29693-6","LP7786-9"', '"2160-0","LP7786-9"', "T101", 4),
        ('"Chemistry"', '"Chem"istry', "quotes", 4),
    ],
)
def test_loinc_errors(tmp_path, old, new, code, line):
    path = write_files(tmp_path, changed(LOINC, HIERARCHY, old, new)) / HIERARCHY
    with raises(ReadError, code=code, line=line, path=path):
        om.read_taxonomy(path, format="loinc")


def test_esco(tmp_path):
    folder = write_files(tmp_path, ESCO)
    for path in (folder, folder / "occupations_en.csv"):
        t = om.read_taxonomy(path)
        assert t.subsumers("2512.4.1") == {"2", "25", "251", "2512", "2512.4", "2512.4.1"}
        assert t.labels("2512.4") == ("software developer", "programmer", "software engineer", "coder")
        assert t.find_alias("http://data.europa.eu/esco/occupation/f2b1") == ("IRI", ["2512.4"])
    glosses = om.read_taxonomy(folder, glosses=True).annotations.glosses
    assert glosses is not None
    assert glosses["2512.4"] == "Writes, tests."


def test_isco_alone(tmp_path):
    folder = write_files(tmp_path, ESCO)
    t = om.read_taxonomy(folder, groups_only=True)
    assert (t.annotations.name, t.ids) == ("ISCO-08", ("2", "25", "251", "2512"))
    for name in ("occupations_en.csv", "broaderRelationsOccPillar_en.csv"):
        (folder / name).unlink()
    assert om.read_taxonomy(folder, groups_only=True).parents("2512") == ("251",)
    with raises(ReadError, code="no-file", values=("occupations",)):
        om.read_taxonomy(folder)


def test_esco_without_relations(tmp_path):
    files = {name: text for name, text in ESCO.items() if "broader" not in name}
    t = om.read_taxonomy(write_files(tmp_path, files))
    assert (t.parents("2512.4"), t.parents("2512")) == (("2512",), ("251",))


def test_esco_languages_and_pillars(tmp_path):
    german = {
        name.replace("_en", "_de"): text.replace("software developer", "Entwickler") for name, text in ESCO.items()
    }
    folder = write_files(tmp_path, german)
    assert om.read_taxonomy(folder).label("2512.4") == "Entwickler"
    write_files(tmp_path, ESCO)
    assert om.read_taxonomy(folder).label("2512.4") == "software developer"
    assert om.read_taxonomy(folder, language="de").label("2512.4") == "Entwickler"
    assert om.read_taxonomy(folder / "occupations_de.csv").label("2512.4") == "Entwickler"
    with raises(ReadError, parameter="language"):
        om.read_taxonomy(folder, language="fr")
    with raises(ReadError, parameter="pillar"):
        om.read_taxonomy(folder, pillar="jobs")
    with raises(ReadError, code="no-file"):
        om.read_taxonomy(folder, pillar="skills")


def test_esco_skills(tmp_path):
    skill = "http://data.europa.eu/esco/skill/"
    files = {
        "skills_en.csv": "conceptType,conceptUri,skillType,reuseLevel,preferredLabel,altLabels\n"
        f"KnowledgeSkillCompetence,{skill}0005,skill,x,manage staff,lead people\n",
        "skillGroups_en.csv": f"conceptType,conceptUri,preferredLabel,code\nSkillGroup,{skill}S4,management,S4\n",
        "broaderRelationsSkillPillar.csv": "conceptType,conceptUri,broaderType,broaderUri\n"
        f"KnowledgeSkillCompetence,{skill}0005,SkillGroup,{skill}S4\n",
    }
    t = om.read_taxonomy(write_files(tmp_path, files))
    assert (t.annotations.name, t.parents("0005"), t.labels("0005")) == (
        "ESCO skills",
        ("S4",),
        ("manage staff", "lead people"),
    )


@pytest.mark.parametrize(
    ("name", "old", "new", "code", "line"),
    [
        ("occupations_en.csv", "/occupation/a3c9", "/occupation/f2b1", "T104", 4),
        ("occupations_en.csv", "embedded systems software developer", "", "T106", 4),
        ("occupations_en.csv", ",2512.4.1", "", "cells", 4),
        ("broaderRelationsOccPillar_en.csv", "isco/C251,,ISCOGroup", "isco/C259,,ISCOGroup", "T103", 3),
        ("broaderRelationsOccPillar_en.csv", "broaderUri", "broader", "no-column", 1),
    ],
)
def test_esco_errors(tmp_path, name, old, new, code, line):
    folder = write_files(tmp_path, changed(ESCO, name, old, new))
    with raises(ReadError, code=code, line=line, path=folder / name):
        om.read_taxonomy(folder, format="esco")
