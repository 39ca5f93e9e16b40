"""OMOP vocabularies from Athena: a folder with ``CONCEPT.csv`` and ``CONCEPT_RELATIONSHIP.csv``.

The files are tab-separated despite their names. ``CONCEPT_SYNONYM.csv`` is optional and adds labels. Any of them may be
gzipped. A download has many vocabularies; one vocabulary or one domain is read.

Concepts are the valid ones of the selection. Links are the valid ``Is a`` relationships between them. The id of a
concept is its code in the vocabulary if codes are unique in the selection, else its ``concept_id``. The other of the
two is an alias. In some vocabularies one concept's code is another's ``concept_id``: such a number is read as an id
only, with a note. Deprecated and replaced concepts are kept as withdrawn, with their valid replacements.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from ontomask.errors import Alternatives, ReadError
from ontomask.taxonomy.readers.source import check_option, data_name, peek
from ontomask.taxonomy.readers.tables import Terms, TermsOf, counted, table, withdrawn_concept
from ontomask.taxonomy.taxonomy import Annotations, Retired, Taxonomy
from ontomask.taxonomy.validate import Finding, fail

__all__ = ["can_read", "read"]

_CONCEPT, _RELATIONSHIP, _SYNONYM = "concept.csv", "concept_relationship.csv", "concept_synonym.csv"
_COLUMNS = (
    "concept_id",
    "concept_name",
    "domain_id",
    "vocabulary_id",
    "standard_concept",
    "concept_code",
    "invalid_reason",
)
_IS_A = "Is a"
# Best replacement first.
_REPLACED_BY = ("Concept replaced by", "Maps to")
_REASONS = {"D": "deprecated", "U": "replaced by an update"}
_ENGLISH = 4180186
_LICENCE = (
    "Each OMOP vocabulary is under the terms of its publisher; some, such as SNOMED CT, need a licence. The user "
    "provided the files; check the terms before you share them."
)

_Where = tuple[str, tuple[str, ...]]


def can_read(path: Path) -> bool:
    """Whether the path is a folder that has ``CONCEPT.csv`` with OMOP's columns, or one of the files in it."""
    try:
        if path.is_file() and data_name(path) not in (_CONCEPT, _RELATIONSHIP, _SYNONYM):
            return False
        concept = _find(path).get(_CONCEPT)
        head = peek(concept).partition("\n")[0].rstrip("\r") if concept else ""
        return {"concept_id", "vocabulary_id", "concept_code"} <= set(head.split("\t"))
    except OSError:
        return False


def read(
    path: Path,
    *,
    vocabulary: str | None = None,
    domain: str | None = None,
    standard_only: bool = False,
    language_concept_id: int = _ENGLISH,
    ids: Literal["code", "concept_id"] | None = None,
) -> Taxonomy:
    """Read one vocabulary or domain from Athena's files.

    Parameters
    ----------
    path
        The folder with the files, or one of them.
    vocabulary, domain
        The ``vocabulary_id`` (``SNOMED``, ``ICD10CM``) and the ``domain_id`` (``Condition``) of the concepts to read.
        At least one is required if there are several vocabularies.
    standard_only
        Read standard concepts (``standard_concept`` S) only.
    language_concept_id
        The language of the synonyms: OMOP's concept of it, by default English.
    ids
        ``code`` or ``concept_id``: choose the one that the table to be mapped has. By default codes if they are unique.
    """
    check_option(path, "vocabulary", vocabulary, example="SNOMED", optional=True)
    check_option(path, "domain", domain, example="Condition", optional=True)
    if ids not in (None, "code", "concept_id"):
        raise ReadError(f"The 'ids' must be 'code' or 'concept_id'. Got {ids!r} instead.", path=path, parameter="ids")
    files = _find(path)
    for name in (_CONCEPT, _RELATIONSHIP):
        if name not in files:
            raise ReadError(
                f"The file {name.upper().replace('.CSV', '.csv')} is missing. Give a folder with CONCEPT.csv, "
                f"CONCEPT_RELATIONSHIP.csv and, for more labels, CONCEPT_SYNONYM.csv.",
                path=path,
                values=[name],
                code="no-file",
            )
    chosen = _read_concepts(files[_CONCEPT], vocabulary, domain, standard_only)
    links = _read_relationships(files[_RELATIONSHIP], chosen, complete=not (vocabulary or domain or standard_only))
    if _SYNONYM in files:
        _read_synonyms(files[_SYNONYM], chosen, language_concept_id)
    by_code = ids != "concept_id" and _are_unique(chosen.codes)
    if ids == "code" and not by_code:
        raise ReadError(
            "Codes cannot be ids, because some concepts share one or have none. Choose one vocabulary=, or give "
            "ids='concept_id'.",
            path=files[_CONCEPT],
            code="T104",
            parameter="ids",
        )
    names = chosen.codes if by_code else chosen.concept_ids
    row_of = {c: row for row, c in enumerate(names)}
    aliases, clashes = _aliases(chosen, by_code, row_of)
    chosen.row_of.clear()  # free memory
    taxonomy = Taxonomy.from_edges(
        ((names[child], names[parent]) for child, parent in zip(links.child, links.parent, strict=True)),
        TermsOf(chosen.terms, row_of, np.arange(len(chosen.terms))),
        concepts=names,
        annotations=Annotations(
            name=f"OMOP {', '.join(filter(None, (vocabulary or chosen.vocabulary, domain)))}",
            licence=_LICENCE,
            aliases=aliases,
            retired=_retired(chosen, links, names, row_of),
            code_ids=True,
        ),
        path=files[_RELATIONSHIP],
        lines=links.line,
    )
    notes = list(taxonomy.notes)
    if links.outside:
        many = "1 is-a link was" if links.outside == 1 else f"{links.outside:,} is-a links were"
        notes.append(Finding("T110", f"{many} left out, because the parent was not chosen or is no longer valid"))
    if clashes and ids is None:
        many = "1 number is" if len(clashes) == 1 else f"{len(clashes):,} numbers are"
        how = (
            "read as a code. Give ids='concept_id' if the column has concept_ids"
            if by_code
            else "read as a concept_id, because codes are not unique. Choose one vocabulary if the column has codes"
        )
        notes.append(Finding("T113", f"{many} both one concept's code and another's concept_id: {how}", values=clashes))
    return replace(taxonomy, notes=tuple(notes))


def _find(path: Path) -> dict[str, Path]:
    """The files of the folder by their names in lower case. A plain file has priority over a gzipped one."""
    folder = path if path.is_dir() else path.parent
    names = (_CONCEPT, _RELATIONSHIP, _SYNONYM)
    return {
        data_name(file): file
        for file in sorted(folder.iterdir(), reverse=True)
        if data_name(file) in names and file.is_file()
    }


@dataclass
class _Chosen:
    """The selected concepts. The valid ones have rows. ``withdrawn`` has the code and the reason of the others."""

    vocabulary: str = ""
    concept_ids: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    row_of: dict[str, int] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)
    withdrawn: dict[str, tuple[str, str]] = field(default_factory=dict)


def _read_concepts(path: Path, vocabulary: str | None, domain: str | None, standard_only: bool) -> _Chosen:
    chosen = _Chosen()
    where: _Where | None = None
    if vocabulary is not None:
        where = ("vocabulary_id", (vocabulary,))
    elif domain is not None:
        where = ("domain_id", (domain,))
    for line, (concept, name, its_domain, its_vocabulary, standard, code, invalid) in table(
        path, _COLUMNS, where=where
    ):
        if where is None:
            if chosen.vocabulary and chosen.vocabulary != its_vocabulary:
                raise ReadError(
                    "The file has several vocabularies. Choose one with vocabulary= or domain=. Vocabularies: ",
                    _survey(path, "vocabulary_id"),
                    ".",
                    path=path,
                    parameter="vocabulary",
                )
            chosen.vocabulary = its_vocabulary
        if domain is not None and its_domain != domain:
            continue
        if not concept.strip():
            fail("T106", "The concept_id is empty. Use the file as it was published.", path=path, line=line)
        if concept in chosen.row_of or concept in chosen.withdrawn:
            message = f"The concept_id {concept!r} is repeated. Use the file as it was published."
            fail("T104", message, path=path, line=line, values=[concept])
        if invalid:
            chosen.withdrawn[concept] = (code, _REASONS.get(invalid, "invalid"))
        elif standard == "S" or not standard_only:
            row = chosen.row_of[concept] = len(chosen.concept_ids)
            chosen.concept_ids.append(concept)
            chosen.codes.append(code)
            if name.strip():
                chosen.terms.add(row, name)
    if not chosen.concept_ids:
        raise _nothing_chosen(path, vocabulary, domain, standard_only)
    return chosen


def _survey(path: Path, column: str, where: _Where | None = None) -> Alternatives:
    """The values of a column with their counts. The file is read again, because only an error message needs them."""
    found: dict[str, int] = {}
    for _, (value, _) in table(path, (column, where[0] if where else "concept_id"), where=where):
        found[value] = found.get(value, 0) + 1
    return counted(found)


def _nothing_chosen(path: Path, vocabulary: str | None, domain: str | None, standard_only: bool) -> ReadError:
    asked = [
        f"vocabulary {vocabulary!r}" if vocabulary is not None else "",
        f"domain {domain!r}" if domain is not None else "",
        "standard concepts only" if standard_only else "",
    ]
    where: _Where | None = None if vocabulary is None else ("vocabulary_id", (vocabulary,))
    within = "Domains in that vocabulary" if where else "Domains"
    return ReadError(
        f"No valid concept matches the selection ({', '.join(filter(None, asked)) or 'everything'}). Change it. "
        f"Vocabularies: ",
        _survey(path, "vocabulary_id"),
        f". {within}: ",
        _survey(path, "domain_id", where),
        ".",
        path=path,
        code="T105",
    )


@dataclass
class _Relationships:
    """Rows of child and parent with the line of each link; replacements with their ranks; number of links left out."""

    child: array[int]
    parent: array[int]
    line: array[int]
    replacements: dict[str, list[tuple[int, int]]]
    outside: int = 0


def _read_relationships(path: Path, chosen: _Chosen, *, complete: bool) -> _Relationships:
    """Links between chosen concepts. If the selection is ``complete``, the table must have all their concepts."""
    links = _Relationships(array("i"), array("i"), array("i"), {})
    columns = ("concept_id_1", "concept_id_2", "relationship_id", "invalid_reason")
    row_of, withdrawn = chosen.row_of, chosen.withdrawn
    for line, (low, high, kind, invalid) in table(path, columns, where=("relationship_id", (_IS_A, *_REPLACED_BY))):
        if invalid:
            continue
        child, parent = row_of.get(low), row_of.get(high)
        if kind != _IS_A:
            if low in withdrawn and parent is not None:
                links.replacements.setdefault(low, []).append((_REPLACED_BY.index(kind), parent))
        elif child is not None and parent is not None:
            links.child.append(child)
            links.parent.append(parent)
            links.line.append(line)
        elif complete and any(end not in row_of and end not in withdrawn for end in (low, high)):
            fail(
                "T103",
                f"The link {low!r} → {high!r} has a concept that is not in CONCEPT.csv. Download both files together, "
                f"or give vocabulary= to leave out links to other vocabularies.",
                path=path,
                line=line,
                values=[low, high],
            )
        elif child is not None:
            links.outside += 1
    return links


def _read_synonyms(path: Path, chosen: _Chosen, language_concept_id: int) -> None:
    columns = ("concept_id", "concept_synonym_name", "language_concept_id")
    for _, (concept, term, _) in table(path, columns, where=("language_concept_id", (str(language_concept_id),))):
        row = chosen.row_of.get(concept)
        if row is not None and term.strip():
            chosen.terms.add(row, term)


def _are_unique(codes: Sequence[str]) -> bool:
    distinct = set(codes)
    return len(distinct) == len(codes) and all(code.strip() for code in distinct)


def _aliases(
    chosen: _Chosen, by_code: bool, row_of: Mapping[str, int]
) -> tuple[dict[str, dict[str, tuple[str, ...]]], tuple[str, ...]]:
    """The code or the concept_id, whichever is not the id; and those left out because they are another concept's id."""
    table: dict[str, tuple[str, ...]] = {}
    clashes: set[str] = set()
    for row, (concept, code) in enumerate(zip(chosen.concept_ids, chosen.codes, strict=True)):
        alias, name = (concept, code) if by_code else (code, concept)
        if row_of.get(alias, row) != row:
            clashes.add(alias)
        elif alias.strip():
            table[alias] = (*table.get(alias, ()), name)
    for alias in clashes:
        table.pop(alias, None)
    return {"OMOP concept_id" if by_code else "code": table}, tuple(sorted(clashes))


def _retired(
    chosen: _Chosen, links: _Relationships, ids: Sequence[str], row_of: Mapping[str, int]
) -> dict[str, Retired]:
    """Withdrawn concepts by code and by concept_id, since a table may have either. Reused codes are left out."""
    retired: dict[str, Retired] = {}
    for concept, (code, reason) in chosen.withdrawn.items():
        entry = withdrawn_concept(reason, [(rank, ids[row]) for rank, row in links.replacements.get(concept, ())])
        for key in (code, concept):
            if key.strip() and key not in row_of:
                retired.setdefault(key, entry)
    return retired
