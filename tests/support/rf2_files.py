"""A small SNOMED CT release, invented but in the true layout."""

from __future__ import annotations

from pathlib import Path

ROOT, IS_A, SITE = "138875005", "116680003", "363698007"
FSN, SYNONYM, DEFINITION = "900000000000003001", "900000000000013009", "900000000000550004"
US, GB = "900000000000509007", "900000000000508004"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
MODULE = "900000000000207008"
INDICATOR = "900000000000489007"
SAME, REPLACED, POSSIBLY = "900000000000527005", "900000000000526001", "900000000000523009"
WAS_A, ALTERNATIVE, MOVED = "900000000000528000", "900000000000530003", "900000000000524003"

MEMBER = "id effectiveTime active moduleId refsetId referencedComponentId"
LAYOUT = {
    "Concept": ("Terminology/sct2_Concept_Snapshot", "id effectiveTime active moduleId definitionStatusId"),
    "Description": (
        "Terminology/sct2_Description_Snapshot-en",
        "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    ),
    "Relationship": (
        "Terminology/sct2_Relationship_Snapshot",
        "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId characteristicTypeId "
        "modifierId",
    ),
    "Language": ("Refset/Language/der2_cRefset_LanguageSnapshot-en", f"{MEMBER} acceptabilityId"),
    "Association": ("Refset/Content/der2_cRefset_AssociationSnapshot", f"{MEMBER} targetComponentId"),
    "AttributeValue": ("Refset/Content/der2_cRefset_AttributeValueSnapshot", f"{MEMBER} valueId"),
}


def concept(sctid, active=1, time="20250101"):
    return (sctid, time, active, MODULE, "900000000000074008")


def description(sctid, of, term, kind=SYNONYM, language="en", active=1, time="20250101"):
    return (sctid, time, active, MODULE, of, language, kind, term, "900000000000448009")


def relationship(sctid, low, high, kind=IS_A, active=1, time="20250101"):
    return (sctid, time, active, MODULE, low, high, 0, kind, "900000000000011006", "900000000000451002")


def member(number, refset, component, value, active=1, time="20250101"):
    return (f"8e3f4c1a-0000-4000-8000-{number:012}", time, active, MODULE, refset, component, value)


def plant() -> dict[str, list[tuple[object, ...]]]:
    """Things, plants, trees and one retired bush; rows by kind of file, to be changed by each test."""
    return {
        "Concept": [concept(ROOT), *map(concept, ("1001", "1002", "1003")), concept("2001", 0), concept("2002", 0)],
        "Description": [
            description("11", ROOT, "Thing (thing)", FSN),
            description("12", ROOT, "Thing"),
            description("13", "1001", "Plant (life)", FSN),
            description("14", "1001", "Grey plant"),
            description("15", "1001", "Gray plant"),
            description("16", "1001", 'So-called "herb"'),
            description("17", "1001", "Old plant", active=0),
            description("18", "1001", "A plant is what stands still.", DEFINITION),
            description("19", "1002", "Tree (life)", FSN),
            description("20", "1002", "Tree"),
            description("21", "1002", "Baum", language="de"),
            description("22", "1003", "Árbol alto (vida)", FSN, "es"),
            description("23", "2001", "Bush"),
        ],
        "Relationship": [
            relationship("101", "1001", ROOT),
            relationship("102", "1002", "1001"),
            relationship("103", "1003", "1002"),
            relationship("104", "1003", ROOT, active=0),
            relationship("105", "1003", "1001", SITE),
        ],
        "Language": [
            member(1, US, "12", PREFERRED),
            member(2, US, "16", ACCEPTABLE),
            member(3, US, "15", PREFERRED),
            member(4, GB, "12", PREFERRED),
            member(5, GB, "14", PREFERRED),
            member(6, GB, "20", ACCEPTABLE),
            member(7, US, "20", PREFERRED, active=0),
        ],
        "Association": [
            member(21, WAS_A, "2001", "1001"),
            member(22, SAME, "2001", "1002"),
            member(23, REPLACED, "2001", "2002"),
            member(24, REPLACED, "2001", "1003", active=0),
            member(25, MOVED, "2001", ROOT),
        ],
        "AttributeValue": [
            member(31, INDICATOR, "2001", "900000000000484002"),
            member(32, "900000000000490003", "23", "900000000000495008"),
        ],
    }


def file_of(folder: Path, kind: str, edition: str = "INT", flat: bool = False) -> Path:
    stem = LAYOUT[kind][0]
    return folder / f"{stem.rsplit('/', 1)[-1] if flat else stem}_{edition}_20250101.txt"


def write(folder: Path, rows: dict[str, list[tuple[object, ...]]], *, edition="INT", flat=False, end="\r\n") -> Path:
    for kind, lines in rows.items():
        path = file_of(folder, kind, edition, flat)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = ["\t".join(LAYOUT[kind][1].split()), *("\t".join(map(str, line)) for line in lines)]
        path.write_text("".join(line + end for line in text), encoding="utf-8", newline="")
    return folder
