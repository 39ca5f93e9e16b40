"""Release folders that guides read: the real layout with invented content."""

from __future__ import annotations

from pathlib import Path

_MODULE, _IS_A, _SYNONYM = "900000000000207008", "116680003", "900000000000013009"
_TERMS = {"138875005": "Thing", "1001": "Pain", "1002": "Headache", "1003": "Colic"}
_LINKS = (("1001", "138875005"), ("1002", "1001"), ("1003", "1001"))


def write_snomed(folder: Path) -> None:
    """A release of four concepts in Release Format 2."""
    terminology = folder / "Snapshot" / "Terminology"
    terminology.mkdir(parents=True)
    version = f"20250101\t1\t{_MODULE}"
    files = {
        "sct2_Concept_Snapshot_INT": (
            "id effectiveTime active moduleId definitionStatusId",
            [f"{concept}\t{version}\t900000000000074008" for concept in _TERMS],
        ),
        "sct2_Description_Snapshot-en_INT": (
            "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
            [f"{n}\t{version}\t{c}\ten\t{_SYNONYM}\t{term}\t1" for n, (c, term) in enumerate(_TERMS.items(), start=11)],
        ),
        "sct2_Relationship_Snapshot_INT": (
            "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId characteristicTypeId "
            "modifierId",
            [f"{n}\t{version}\t{a}\t{b}\t0\t{_IS_A}\t1\t1" for n, (a, b) in enumerate(_LINKS, start=101)],
        ),
    }
    for name, (head, rows) in files.items():
        lines = ["\t".join(head.split()), *rows]
        (terminology / f"{name}_20250101.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_omop(folder: Path) -> None:
    """A download of two vocabularies as Athena delivers them."""
    folder.mkdir()
    head = "concept_id concept_name domain_id vocabulary_id concept_class_id standard_concept concept_code "
    head += "valid_start_date valid_end_date invalid_reason"
    dates = "20000101\t20991231\t"
    concepts = [
        f"{40 + n}\t{term}\tCondition\tSNOMED\tDisorder\tS\t{code}\t{dates}"
        for n, (code, term) in enumerate(_TERMS.items())
    ]
    concepts.append(f"90\tHeadache\tCondition\tICD10CM\t4-char\t\tR51\t{dates}")
    number = {code: str(40 + n) for n, code in enumerate(_TERMS)}
    links = [f"{number[a]}\t{number[b]}\tIs a\t{dates}" for a, b in _LINKS]
    for name, first, rows in (
        ("CONCEPT", head, concepts),
        (
            "CONCEPT_RELATIONSHIP",
            "concept_id_1 concept_id_2 relationship_id valid_start_date valid_end_date invalid_reason",
            links,
        ),
    ):
        lines = ["\t".join(first.split()), *rows]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
