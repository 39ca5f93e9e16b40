"""Small files in the layouts of terminology releases. Their content is made up."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ESCO", "ICD11", "LOINC", "UMLS", "WN_LMF", "one_source", "write_files"]


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Write files, also into subfolders; returns the folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


_ICD11_HEAD = (
    "Foundation URI\tLinearization URI\tCode\tBlockId\tTitle\tClassKind\tDepthInKind\tIsResidual\tChapterNo\t"
    "BrowserLink\tisLeaf\tPrimary tabulation\tGrouping1\tGrouping2\tGrouping3\tGrouping4\tGrouping5\t"
    "Version:2025 Jan 24 - 22:30 UTC"
)


def _icd11(number: str, code: str, block: str, title: str, kind: str, depth: int, residual: bool = False) -> str:
    entity = "" if residual else f"http://id.who.int/icd/entity/{number}"
    release = f"http://id.who.int/icd/release/11/2025-01/mms/{number}{'/other' if residual else ''}"
    return "\t".join(
        [entity, release, code, block, title, kind, str(depth), str(residual), "01", "", "", *["False"] * 7]
    )


ICD11 = "\n".join(
    [
        _ICD11_HEAD,
        _icd11("1435254666", "", "", "Certain infectious or parasitic diseases", "chapter", 1),
        _icd11("588616678", "", "BlockL1-1A0", "- Gastroenteritis or colitis of infectious origin", "block", 1),
        _icd11("135352227", "", "BlockL2-1A0", "- - Bacterial intestinal infections", "block", 2),
        _icd11("257068234", "1A00", "", '"- - - Cholera"', "category", 1),
        _icd11("416025325", "1A03", "", "- - - Intestinal infections due to E. coli", "category", 1),
        _icd11("416025326", "1A03.0", "", "- - - - Enteropathogenic E. coli", "category", 2),
        _icd11("416025325", "1A03.Y", "", "- - - - Intestinal infections, other - specified", "category", 2, True),
        _icd11("1000000001", "1A20", "", "- Viral intestinal infections", "category", 1),
        "",
    ]
)

LOINC = {
    "AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv": (
        '"PATH_TO_ROOT","SEQUENCE","IMMEDIATE_PARENT","CODE","CODE_TEXT"\n'
        '"",1,"","LP432695-7","{component}"\n'
        '"LP432695-7",1,"LP432695-7","LP29693-6","Laboratory"\n'
        '"LP432695-7.LP29693-6",1,"LP29693-6","LP7786-9","Chemistry"\n'
        '"LP432695-7.LP29693-6",2,"LP29693-6","LP31388-9","Drugs, toxicology"\n'
        '"LP432695-7.LP29693-6.LP7786-9",1,"LP7786-9","2160-0","Creatinine SerPl-mCnc"\n'
        '"LP432695-7.LP29693-6.LP31388-9",1,"LP31388-9","2160-0","Creatinine SerPl-mCnc"\n'
    ),
    "LoincTable/Loinc.csv": (
        '"LOINC_NUM","COMPONENT","STATUS","CONSUMER_NAME","SHORTNAME","LONG_COMMON_NAME","DisplayName"\n'
        '"2160-0","Creatinine","ACTIVE","","Creat SerPl-mCnc","Creatinine [Mass/volume] in Serum or Plasma",""\n'
        '"9999-9","Old","DEPRECATED","","","Old test",""\n'
        '"9998-1","Older","DEPRECATED","","","Older test",""\n'
        '"1-8","New","TRIAL","","","Not in the hierarchy",""\n'
    ),
    "LoincTable/MapTo.csv": '"LOINC","MAP_TO","COMMENT"\n"9999-9","2160-0",""\n"9999-9","1-8",""\n',
}

_OCCUPATION = (
    "conceptType,conceptUri,iscoGroup,preferredLabel,altLabels,hiddenLabels,status,modifiedDate,regulatedProfessionNote,"
    "scopeNote,definition,inScheme,description,code"
)
_GROUP = "conceptType,conceptUri,code,preferredLabel,status,altLabels,inScheme,description"
_LINK = "conceptType,conceptUri,conceptLabel,broaderType,broaderUri,broaderLabel"
_ISCO = "http://data.europa.eu/esco/isco/C"
_JOB = "http://data.europa.eu/esco/occupation/"

ESCO = {
    "ISCOGroups_en.csv": f"{_GROUP}\n"
    f"ISCOGroup,{_ISCO}2,2,Professionals,released,,x,Professionals increase knowledge.\n"
    f"ISCOGroup,{_ISCO}25,25,ICT professionals,released,,x,\n"
    f"ISCOGroup,{_ISCO}251,251,Software and applications developers and analysts,released,,x,\n"
    f"ISCOGroup,{_ISCO}2512,2512,Software developers,released,programmers,x,\n",
    "occupations_en.csv": f"{_OCCUPATION}\n"
    f'Occupation,{_JOB}f2b1,2512,software developer,"programmer\nsoftware engineer",coder,released,2024-01-01,,,,x,'
    '"Writes, tests.",2512.4\n'
    f"Occupation,{_JOB}a3c9,2512,embedded systems software developer,,,released,2024-01-01,,,,x,,2512.4.1\n",
    "broaderRelationsOccPillar_en.csv": f"{_LINK}\n"
    f"ISCOGroup,{_ISCO}25,,ISCOGroup,{_ISCO}2,\n"
    f"ISCOGroup,{_ISCO}251,,ISCOGroup,{_ISCO}25,\n"
    f"ISCOGroup,{_ISCO}2512,,ISCOGroup,{_ISCO}251,\n"
    f"Occupation,{_JOB}f2b1,software developer,ISCOGroup,{_ISCO}2512,Software developers\n"
    f"Occupation,{_JOB}a3c9,,Occupation,{_JOB}f2b1,\n",
}

WN_LMF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.4.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
<Lexicon id="pets" label="Pets" language="en" email="a@example.com" license="CC BY" version="2">
<LexicalEntry id="pets-animal-n"><Lemma writtenForm="animal" partOfSpeech="n"/>
  <Sense id="pets-animal-n-1" synset="pets-1-n"/></LexicalEntry>
<LexicalEntry id="pets-dog-n"><Lemma writtenForm="dog" partOfSpeech="n"/><Form writtenForm="dogs"/>
  <Sense id="pets-dog-n-1" synset="pets-2-n"><Count>40</Count></Sense>
  <Sense id="pets-dog-n-2" synset="pets-3-n"><Count>2</Count></Sense></LexicalEntry>
<LexicalEntry id="pets-hound-n"><Lemma writtenForm="hound" partOfSpeech="n"/>
  <Sense id="pets-hound-n-1" synset="pets-2-n"><Count>3</Count></Sense></LexicalEntry>
<LexicalEntry id="pets-cad-n"><Lemma writtenForm="cad" partOfSpeech="n"/>
  <Sense id="pets-cad-n-1" synset="pets-3-n"/></LexicalEntry>
<LexicalEntry id="pets-Rex-n"><Lemma writtenForm="Rex" partOfSpeech="n"/>
  <Sense id="pets-Rex-n-1" synset="pets-4-n"/></LexicalEntry>
<LexicalEntry id="pets-dog-v"><Lemma writtenForm="dog" partOfSpeech="v"/>
  <Sense id="pets-dog-v-1" synset="pets-5-v"/></LexicalEntry>
<Synset id="pets-1-n" ili="i1" partOfSpeech="n" members="pets-animal-n"><Definition>a living thing</Definition>
  <SynsetRelation relType="hyponym" target="pets-3-n"/></Synset>
<Synset id="pets-2-n" ili="i2" partOfSpeech="n" members="pets-hound-n pets-dog-n">
  <Definition>a pet &amp; friend</Definition>
  <SynsetRelation relType="hypernym" target="pets-1-n"/>
  <SynsetRelation relType="mero_member" target="pets-4-n"/></Synset>
<Synset id="pets-3-n" ili="in" partOfSpeech="n" members="pets-dog-n-2 pets-cad-n-1"/>
<Synset id="pets-4-n" ili="" partOfSpeech="n" members="pets-Rex-n">
  <SynsetRelation relType="instance_hypernym" target="pets-2-n"/><SynsetRelation relType="similar" target="x"/></Synset>
<Synset id="pets-5-v" ili="i5" partOfSpeech="v" members="pets-dog-v"/>
</Lexicon>
<LexiconExtension id="more" label="More" version="1"><Extends ref="pets" version="2"/>
<LexicalEntry id="more-cat-n"><Lemma writtenForm="cat" partOfSpeech="n"/><Sense id="more-cat-n-1" synset="more-1-n"/>
</LexicalEntry><Synset id="more-1-n" partOfSpeech="n"/></LexiconExtension>
</LexicalResource>
"""


def _atom(cui: str, atom: str, code: str, term: str, **cells: str) -> str:
    """A row of MRCONSO."""
    have = {"LAT": "ENG", "TS": "P", "STT": "PF", "ISPREF": "Y", "SAB": "MSH", "TTY": "MH", "SUPPRESS": "N"} | cells
    row = [cui, have["LAT"], have["TS"], "L1", have["STT"], "S1", have["ISPREF"], atom, "", "", code, have["SAB"]]
    return "|".join([*row, have["TTY"], code, term, "0", have["SUPPRESS"], "", ""]) + "\n"


def _relation(first: tuple[str, str], kind: str, second: tuple[str, str], label: str = "", source: str = "MSH") -> str:
    """A row of MRREL: what the second is to the first."""
    row = [*first, "AUI", kind, *second, "AUI", label, "R1", "", source, source, "", "", "N", "", ""]
    return "|".join(row) + "\n"


_EYE, _LID, _FACE, _TOP = ("C2", "A2"), ("C3", "A3"), ("C1", "A1"), ("C9", "A9")

UMLS = {
    "MRCONSO.RRF": _atom("C1", "A1", "D1", "Face")
    + _atom("C2", "A2", "D2", "Eye")
    + _atom("C2", "A22", "D2", "Eyes", TTY="ET", TS="S", ISPREF="N")
    + _atom("C2", "A23", "D2", "Auge", LAT="GER")
    + _atom("C2", "A24", "D2", "oculus", SUPPRESS="Y")
    + _atom("C3", "A32", "D3", "Lid", TTY="ET")
    + _atom("C3", "A3", "D3", "Eyelid")
    + _atom("C4", "A4", "D4", "EYEBROW", SUPPRESS="E")
    + _atom("C5", "A5", "D5", "Old", SUPPRESS="O")
    + _atom("C6", "A6", "NOCODE", "No code")
    + _atom("C1", "A70", "F00", "Face", SAB="ICD10")
    + _atom("C9", "A9", "V-MSH", "MeSH", SAB="SRC"),
    "MRREL.RRF": _relation(_EYE, "PAR", _FACE)
    + _relation(_FACE, "CHD", _EYE)
    + _relation(_EYE, "CHD", _LID, "isa")
    + _relation(("C4", "A4"), "PAR", _FACE)
    + _relation(_FACE, "PAR", _TOP)
    + _relation(_LID, "PAR", _FACE, "part_of")
    + _relation(_LID, "RB", _FACE)
    + _relation(_LID, "PAR", _FACE, source="ICD10"),
    "MRHIER.RRF": "C1|A1|1|A9|MSH||A9|A01||\nC2|A2|1|A1|MSH||A9.A1|A01.1||\n"
    "C3|A3|1|A2|MSH|isa|A9.A1.A2|||\nC4|A4|1|A1|MSH||A9.A1|||\n",
    "MRRANK.RRF": "0300|MSH|MH|N|\n0200|MSH|ET|N|\n0100|MSH|ET|Y|\n",
}


def one_source(files: dict[str, str], source: str = "|MSH|") -> dict[str, str]:
    """The files of UMLS with the rows of one source."""
    return {
        name: "".join(row for row in text.splitlines(keepends=True) if source in row) for name, text in files.items()
    }
