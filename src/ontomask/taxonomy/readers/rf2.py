"""SNOMED CT in Release Format 2: a release folder, its ``Snapshot`` folder, or a folder with the snapshot files.

::

    Snapshot/Terminology/sct2_Concept_Snapshot_INT_20250101.txt                       required
    Snapshot/Terminology/sct2_Description_Snapshot-en_INT_20250101.txt                required
    Snapshot/Terminology/sct2_Relationship_Snapshot_INT_20250101.txt                  required
    Snapshot/Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_20250101.txt        preferred terms
    Snapshot/Refset/Content/der2_cRefset_AssociationSnapshot_INT_20250101.txt         replacements
    Snapshot/Refset/Content/der2_cRefset_AttributeValueSnapshot_INT_20250101.txt      reasons for inactivation

Any of them may be gzipped. Put packages that build on each other (the International Edition and extensions) into one
folder, either all files together or one folder per package. All are read. If several have the same component, the
version with the latest ``effectiveTime`` is used.

Concepts are the active ones, with the SCTID as id. Links are the active inferred is-a relationships. The labels of a
concept are its preferred term, its other synonyms and its fully specified name in the chosen language. Inactive
concepts are kept as withdrawn, with the reason and the active concepts that replace them.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import join_some
from ontomask.errors import ReadError
from ontomask.taxonomy.readers import rf2_files
from ontomask.taxonomy.readers.rf2_files import ActiveRows, is_active, parse_date
from ontomask.taxonomy.readers.source import check_option
from ontomask.taxonomy.readers.tables import Terms, TermsOf, counted, table, withdrawn_concept
from ontomask.taxonomy.taxonomy import Annotations, Retired, Taxonomy
from ontomask.taxonomy.validate import Finding, fail

__all__ = ["can_read", "read"]

_IS_A = "116680003"
_FULLY_SPECIFIED, _SYNONYM = "900000000000003001", "900000000000013009"
_PREFERRED, _ACCEPTABLE = "900000000000548007", "900000000000549004"
_DIALECTS = {"us": "900000000000509007", "gb": "900000000000508004"}
_INACTIVATION = "900000000000489007"
_REASONS = {
    "900000000000482003": "duplicate",
    "900000000000483008": "outdated",
    "900000000000484002": "ambiguous",
    "900000000000485001": "erroneous",
    "900000000000486000": "limited",
    "900000000000487009": "moved elsewhere",
    "900000000000492006": "pending move",
    "723277005": "against editorial policy",
    "1186917008": "derived from a classification",
    "1186919006": "meaning unknown",
}
# Best replacement first. MOVED TO is missing on purpose: it leads to a namespace, not to a similar concept.
_REPLACED_BY = (
    "900000000000527005",  # same as
    "900000000000526001",  # replaced by
    "900000000000530003",  # alternative
    "1186921001",  # possibly replaced by
    "900000000000523009",  # possibly equivalent to
    "1186924009",  # partially equivalent to
    "900000000000528000",  # was a
)
_LICENCE = (
    "SNOMED CT belongs to SNOMED International and may only be used under its licence: through the national "
    "release centre in member countries, by an affiliate licence elsewhere. The user provided the files; check your "
    "licence before you share terms."
)
_VERSION = ("id", "effectiveTime", "active")
# The rank of a description among the labels of its concept: preferred, acceptable, not in the language refset, fully
# specified name, fully specified name in another language, not a label.
_FIRST, _LISTED, _UNLISTED, _FULL_NAME, _FOREIGN, _NO_LABEL = range(6)


def can_read(path: Path) -> bool:
    """Whether the path is a folder with an RF2 concept file, or one of the files of a release."""
    try:
        if path.is_file():
            return rf2_files.is_release_file(path)
        return any(kind == "concept" for kind, _ in rf2_files.find_files(path))
    except OSError:
        return False


def read(path: Path, *, language: str = "en", dialect: str | None = None) -> Taxonomy:
    """Read the snapshot of a SNOMED CT release.

    Parameters
    ----------
    path
        The release folder, its ``Snapshot`` folder, a folder with the files, or one of the files.
    language
        Use terms with this ``languageCode``. A concept without any keeps its fully specified name in another language.
    dialect
        The language refset that lists preferred and acceptable terms: ``"us"``, ``"gb"`` or a refset's SCTID. By
        default US English if it applies, else the refset with the most terms in the language. Synonyms that it does
        not list are used only for concepts without listed ones.
    """
    check_option(path, "language", language, example="en")
    check_option(path, "dialect", dialect, example="us", optional=True)
    files = rf2_files.snapshot_files(path)
    active, inactive = _read_concepts(files["concept"])
    if not active:
        fail("T105", "The file has no active concept. Use the Snapshot of a release.", path=files["concept"][0])
    row_of = {concept: row for row, concept in enumerate(active)}
    retired = _read_retired(files, active, inactive, row_of)
    del inactive
    links = _read_links(files["relationship"], row_of)
    labels, notes = _read_labels(files, row_of, language, dialect, path)
    try:
        taxonomy = Taxonomy.from_edges(
            links.pairs(active),
            labels,
            concepts=active,
            annotations=Annotations(
                name=rf2_files.release_name(files["concept"]), licence=_LICENCE, retired=retired, code_ids=True
            ),
            path=path,
            lines=range(1, len(links.line) + 1),
        )
    except ReadError as problem:
        if problem.line is None:
            raise
        # The line is the number of a link, and links may come from several files.
        file, line = links.source(problem.line - 1)
        raise ReadError(problem.reason, path=file, line=line, code=problem.code) from None
    return replace(taxonomy, notes=(*taxonomy.notes, *notes))


def _read_concepts(files: Sequence[Path]) -> tuple[list[str], list[str]]:
    """Ids of the active and of the inactive concepts."""
    latest: dict[str, int] = {}
    for file in files:
        versions = array("q")
        for line, (concept, time, active) in table(file, _VERSION):
            if not (concept.isascii() and concept.isdigit()):
                fail(
                    "T106",
                    f"A concept id must consist of digits. Got {concept!r} instead.",
                    path=file,
                    line=line,
                    values=[concept],
                )
            version = parse_date(time, file, line) * 2 + is_active(active, file, line)
            if version > latest.get(concept, 0):
                latest[concept] = version
            versions.append(hash((concept, time)))
        if len(np.unique(np.array(versions))) < len(versions):
            _find_repeated(file)
    return (
        [concept for concept, version in latest.items() if version % 2],
        [concept for concept, version in latest.items() if not version % 2],
    )


def _find_repeated(file: Path) -> None:
    """T104: find the line of a repeated version. The file is read again, because only the error needs the line."""
    seen: set[tuple[str, str]] = set()
    for line, (concept, time, _) in table(file, _VERSION):
        if (concept, time) in seen:
            fail(
                "T104",
                f"The concept {concept!r} is repeated with the date {time}. Use the file as it was published.",
                path=file,
                line=line,
                values=[concept],
            )
        seen.add((concept, time))


@dataclass(frozen=True)
class _Links:
    """Rows of child and parent, with the file and the line of each link."""

    files: Sequence[Path]
    child: NDArray[np.integer]
    parent: NDArray[np.integer]
    file: NDArray[np.integer]
    line: NDArray[np.integer]

    def pairs(self, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        for child, parent in zip(self.child.tolist(), self.parent.tolist(), strict=True):
            yield ids[child], ids[parent]

    def source(self, i: int) -> tuple[Path, int]:
        return self.files[int(self.file[i])], int(self.line[i])


def _read_links(files: Sequence[Path], row_of: Mapping[str, int]) -> _Links:
    child, parent, file, line, number = (array("i") for _ in range(5))
    loose: dict[int, tuple[str, str]] = {}
    rows = ActiveRows(files, ("sourceId", "destinationId", "typeId"), where=("typeId", (_IS_A,)))
    for _, _, _, source, destination, _ in rows:
        low, high = row_of.get(source, -1), row_of.get(destination, -1)
        if low < 0 or high < 0:
            loose[len(child)] = (source, destination)
        child.append(low)
        parent.append(high)
        file.append(rows.file)
        line.append(rows.line)
        number.append(rows.number)
    latest = rows.latest(number)
    dangling = [i for i in loose if latest[i]]
    if dangling:
        first = dangling[0]
        unknown = dict.fromkeys(end for i in dangling for end in loose[i] if end not in row_of)
        fail(
            "T103",
            f"The link {loose[first][0]!r} → {loose[first][1]!r} has a concept that is inactive or not in the release. "
            f"Such concepts: {join_some(unknown)}. Put the edition that an extension builds on, usually the "
            f"International Edition, into the same folder.",
            path=files[file[first]],
            line=line[first],
            values=unknown,
        )
    return _Links(files, *(np.array(column)[latest] for column in (child, parent, file, line)))


@dataclass(frozen=True)
class _Descriptions:
    """Terms that may become labels, with the rank of each among its concept's labels, and its SCTID."""

    terms: Terms
    rank: NDArray[np.uint8]
    sctid: NDArray[np.int64]
    languages: Mapping[str, int]


def _read_labels(
    files: Mapping[str, list[Path]], row_of: Mapping[str, int], language: str, dialect: str | None, path: Path
) -> tuple[TermsOf, list[Finding]]:
    found = _read_descriptions(files["description"], row_of, language.lower())
    if not (found.rank < _FOREIGN).any():
        raise ReadError(
            f"No active concept has a description in the language {language!r}. Choose one of: ",
            counted(found.languages),
            ".",
            path=path,
            parameter="language",
            values=[language],
        )
    notes = []
    if not _apply_dialect(files.get("language", ()), found, dialect, path):
        notes.append(
            Finding(
                "T111",
                f"no language refset lists preferred terms in {language!r}: the first synonym of each concept in the "
                f"file is preferred",
            )
        )
    return TermsOf(found.terms, row_of, _choose(found.terms.rows(), found.rank, len(row_of))), notes


def _read_descriptions(files: Sequence[Path], row_of: Mapping[str, int], language: str) -> _Descriptions:
    terms = Terms()
    languages: dict[str, int] = {}
    rank, sctid, number = array("B"), array("q"), array("i")
    ranks = {(_SYNONYM, True): _UNLISTED, (_FULLY_SPECIFIED, True): _FULL_NAME, (_FULLY_SPECIFIED, False): _FOREIGN}
    rows = ActiveRows(files, ("conceptId", "languageCode", "typeId", "term"))
    for description, _, _, concept, code, kind, term in rows:
        row = row_of.get(concept)
        if row is None:
            continue
        languages[code] = languages.get(code, 0) + 1
        # "en-GB" is the same language as "en".
        ours = code == language or f"{code}-".lower().startswith(f"{language}-")
        its_rank = ranks.get((kind, ours))
        if its_rank is None:
            continue
        if not term.strip():
            raise rows.error("empty", "The term is empty. Use the file as it was published.")
        sctid.append(rows.sctid(description))
        terms.add(row, term)
        rank.append(its_rank)
        number.append(rows.number)
    current = np.where(rows.latest(number), np.array(rank), _NO_LABEL).astype(np.uint8)
    return _Descriptions(terms, current, np.array(sctid, dtype=np.int64), languages)


def _apply_dialect(files: Sequence[Path], found: _Descriptions, dialect: str | None, path: Path) -> bool:
    """Rank preferred and acceptable synonyms. Returns whether a language refset lists any."""
    refsets: dict[str, int] = {}
    refset, sctid, rank, number = array("i"), array("q"), array("B"), array("i")
    ranks = {_PREFERRED: _FIRST, _ACCEPTABLE: _LISTED}
    rows = ActiveRows(files, ("refsetId", "referencedComponentId", "acceptabilityId"))
    for _, _, _, name, description, acceptability in rows:
        if acceptability not in ranks:
            continue
        sctid.append(rows.sctid(description))
        refset.append(refsets.setdefault(name, len(refsets)))
        rank.append(ranks[acceptability])
        number.append(rows.number)
    synonyms = np.flatnonzero(found.rank == _UNLISTED)
    synonyms = synonyms[np.argsort(found.sctid[synonyms])]
    hit = _positions(found.sctid[synonyms], np.array(sctid, dtype=np.int64))
    listed = (hit >= 0) & rows.latest(number)
    sizes = np.bincount(np.array(refset, dtype=np.int32)[listed], minlength=len(refsets))
    counts = {name: int(sizes[i]) for name, i in refsets.items()}
    chosen = _choose_dialect(counts, dialect, path)
    if chosen is None:
        return False
    listed &= np.array(refset) == refsets[chosen]
    # If a refset lists a synonym twice, "preferred" wins because it is written last.
    for value in (_LISTED, _FIRST):
        found.rank[synonyms[hit[listed & (np.array(rank) == value)]]] = value
    return True


def _positions(ascending: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.integer]:
    """The position of each value in an ascending array, −1 if it is not in it."""
    if not len(ascending):
        return np.full(len(values), -1, dtype=np.int32)
    position = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1).astype(np.int32)
    position[ascending[position] != values] = -1
    return position


def _choose_dialect(counts: Mapping[str, int], dialect: str | None, path: Path) -> str | None:
    """The given refset; else US English if it lists synonyms in the language, else the refset that lists most."""
    if dialect is not None:
        refset = _DIALECTS.get(dialect.lower(), dialect)
        if not counts.get(refset):
            raise ReadError(
                f"No language refset {dialect!r} lists synonyms in the chosen language. Give 'us', 'gb' or the SCTID "
                f"of a refset. Refsets in this release, with the number of synonyms: ",
                counted(counts),
                ".",
                path=path,
                parameter="dialect",
                values=[dialect],
            )
        return refset
    if counts.get(_DIALECTS["us"]):
        return _DIALECTS["us"]
    return min((name for name in counts if counts[name]), key=lambda name: (-counts[name], name), default=None)


def _choose(rows: NDArray[np.integer], rank: NDArray[np.uint8], n: int) -> NDArray[np.integer]:
    """The terms to keep, by rank. Unlisted and foreign ones are kept only if a concept has no better term."""
    has_listed = np.zeros(n, dtype=np.bool_)
    has_listed[rows[rank <= _LISTED]] = True
    has_own = np.zeros(n, dtype=np.bool_)
    has_own[rows[rank <= _FULL_NAME]] = True
    keep = rank < _NO_LABEL
    keep &= (rank != _UNLISTED) | ~has_listed[rows]
    keep &= (rank != _FOREIGN) | ~has_own[rows]
    kept = np.flatnonzero(keep)
    return kept[np.argsort(rank[kept], kind="stable")]


def _read_retired(
    files: Mapping[str, list[Path]], ids: Sequence[str], inactive: Sequence[str], row_of: Mapping[str, int]
) -> dict[str, Retired]:
    """The reason for each inactive concept, and the active concepts that replace it, best first."""
    withdrawn = set(inactive)
    reasons = {
        concept: _REASONS[value]
        for concept, _, value in _members(files.get("attributevalue", ()), (_INACTIVATION,), "valueId")
        if value in _REASONS and concept in withdrawn
    }
    targets: dict[str, list[tuple[int, str]]] = {}
    for concept, refset, target in _members(files.get("association", ()), _REPLACED_BY, "targetComponentId"):
        if concept in withdrawn and target in row_of:
            targets.setdefault(concept, []).append((_REPLACED_BY.index(refset), ids[row_of[target]]))
    return {
        concept: withdrawn_concept(reasons.get(concept, "inactive"), targets.get(concept, ())) for concept in inactive
    }


def _members(files: Sequence[Path], refsets: Collection[str], value: str) -> Iterator[tuple[str, str, str]]:
    """Component, refset and value of the current members of some refsets."""
    rows = ActiveRows(files, ("referencedComponentId", "refsetId", value), where=("refsetId", refsets))
    found = []
    number = array("i")
    for _, _, _, component, refset, target in rows:
        found.append((component, refset, target))
        number.append(rows.number)
    return (member for member, current in zip(found, rows.latest(number).tolist(), strict=True) if current)
