"""SNOMED CT in Release Format 2: a release folder, its ``Snapshot`` folder, or a folder with the snapshot files.

::

    Snapshot/Terminology/sct2_Concept_Snapshot_INT_20250101.txt                       needed
    Snapshot/Terminology/sct2_Description_Snapshot-en_INT_20250101.txt                needed
    Snapshot/Terminology/sct2_Relationship_Snapshot_INT_20250101.txt                  needed
    Snapshot/Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_20250101.txt        preferred terms
    Snapshot/Refset/Content/der2_cRefset_AssociationSnapshot_INT_20250101.txt         replacements
    Snapshot/Refset/Content/der2_cRefset_AttributeValueSnapshot_INT_20250101.txt      why a concept was retired

Any of them may be gzipped. Packages that build on each other (the International Edition and extensions) go
into one folder, their files side by side or each package in a folder of its own: all are read, and of a
component that several of them hold the version with the latest ``effectiveTime`` counts.

Concepts are the active ones, with the SCTID as id; links are the active inferred is-a relationships. The
labels of a concept are its preferred term, its other synonyms and its fully specified name in the chosen
language. Inactive concepts are remembered with the reason and the active concepts to use instead.
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
from ontomask.taxonomy.readers.rf2_files import find_files, is_release_file, release_name, snapshot_files
from ontomask.taxonomy.readers.source import check_option
from ontomask.taxonomy.readers.tables import Terms, TermsOf, counted, table
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
# Best replacement first. MOVED TO is not among them: it leads to a namespace, not to a concept of like meaning.
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
    "release centre in member countries, by an affiliate licence elsewhere. Files and terms were brought by "
    "the user; check your licence before you pass them on."
)
_VERSION = ("id", "effectiveTime", "active")
# Where a description stands among the labels of its concept: preferred, acceptable, not in the language
# refset, fully specified name, the same in another language, and not at all.
_FIRST, _LISTED, _UNLISTED, _FULL_NAME, _FOREIGN, _NOWHERE = range(6)


def can_read(path: Path) -> bool:
    """A folder with an RF2 concept file where releases have it, or one of the files read here."""
    try:
        if path.is_file():
            return is_release_file(path)
        return any(kind == "concept" for kind, _ in find_files(path))
    except OSError:
        return False


def read(path: Path, *, language: str = "en", dialect: str | None = None) -> Taxonomy:
    """Read the snapshot of a SNOMED CT release.

    Parameters
    ----------
    path
        The release folder, its ``Snapshot`` folder, a folder that holds the files, or one of the files.
    language
        Take terms with this ``languageCode``. A concept without any keeps a fully specified name in
        another language, so that nothing goes without words.
    dialect
        The language refset that tells preferred and acceptable terms: ``"us"``, ``"gb"`` or a refset's
        SCTID. By default US English where it applies, else the refset with most terms in the language.
        Synonyms that it does not list are taken only for concepts of which it lists none.
    """
    check_option(path, "language", language, example="en")
    check_option(path, "dialect", dialect, example="us", optional=True)
    files = snapshot_files(path)
    active, inactive = _read_concepts(files["concept"])
    if not active:
        fail("T105", "there is no active concept in it. Use the Snapshot of a release.", path=files["concept"][0])
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
                name=release_name(files["concept"]), licence=_LICENCE, retired=retired, code_ids=True
            ),
            path=path,
            lines=range(1, len(links.line) + 1),
        )
    except ReadError as problem:
        if problem.line is None:
            raise
        # The "lines" given are numbers of links, which may come from several files.
        message = str(problem).partition(f", line {problem.line}: ")[2]
        file, line = links.place(problem.line - 1)
        raise ReadError(message, path=file, line=line, code=problem.code) from None
    return replace(taxonomy, notes=(*taxonomy.notes, *notes))


class _Rows:
    """The active rows of one kind of file over all packages; `standing` then tells which of them hold.

    A snapshot has each component once, so in a single file an active row holds. Over several packages a
    later version elsewhere, active or not, may replace it: then all versions are kept track of.
    """

    def __init__(
        self, files: Sequence[Path], columns: Sequence[str], *, where: tuple[str, Collection[str]] | None = None
    ) -> None:
        self.files = files
        self.at = 0
        self.line = 0
        self.number = -1
        self._columns = ("id", "effectiveTime", "active", *columns)
        self._where = where
        self._key = array("q")
        self._time = array("i")

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        several = len(self.files) > 1
        for at, file in enumerate(self.files):
            self.at = at
            for line, cells in table(file, self._columns, where=self._where):
                self.line = line
                active = cells[2] == "1"
                if not active and cells[2] != "0":
                    raise self.broken(f"active is {cells[2]!r}; it must be 0 or 1")
                if several:
                    # Only equality counts: a hash of 64 bits does for SCTIDs and UUIDs alike.
                    self._key.append(hash(cells[0]))
                    self._time.append(_date(cells[1], file, line))
                if active or several:
                    self.number += 1
                if active:
                    yield cells

    def broken(self, message: str) -> ReadError:
        """An error at the row just read."""
        return ReadError(f"{message}.", path=self.files[self.at], line=self.line)

    def standing(self, numbers: array[int]) -> NDArray[np.bool_]:
        """Of the rows with these numbers, which are the last version of their component."""
        if len(self.files) < 2 or not numbers:
            return np.ones(len(numbers), dtype=np.bool_)
        key = np.array(self._key)
        order = np.lexsort((np.array(self._time), key))
        key = key[order]
        newest = np.zeros(len(order), dtype=np.bool_)
        newest[order[np.append(key[1:] != key[:-1], True)]] = True
        return newest[np.array(numbers, dtype=np.int64)]


def _date(text: str, path: Path, line: int) -> int:
    if text.isascii() and text.isdigit() and len(text) == 8:
        return int(text)
    raise ReadError(f"effectiveTime is {text!r}; it must be a date such as 20250101.", path=path, line=line)


def _not_sctid(text: str) -> str:
    return f"{text!r} is not an SCTID, which is a number of up to 18 digits"


def _read_concepts(files: Sequence[Path]) -> tuple[list[str], list[str]]:
    """Ids of the active and of the inactive concepts."""
    latest: dict[str, int] = {}
    for file in files:
        versions = array("q")
        for line, (concept, time, active) in table(file, _VERSION):
            if not (concept.isascii() and concept.isdigit()):
                fail("T106", f"the concept id {concept!r} is not a number of digits.", path=file, line=line)
            if active not in ("0", "1"):
                raise ReadError(f"active is {active!r}; it must be 0 or 1.", path=file, line=line)
            version = _date(time, file, line) * 2 + int(active)
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
    """T104: tell the line of a version that is there twice; read anew, as only the error needs the line."""
    seen: set[tuple[str, str]] = set()
    for line, (concept, time, _) in table(file, _VERSION):
        if (concept, time) in seen:
            fail(
                "T104",
                f"the concept {concept!r} is in the file a second time, as of {time}. Ids must be unique.",
                path=file,
                line=line,
            )
        seen.add((concept, time))


@dataclass(frozen=True)
class _Links:
    """Rows of child and parent, and where each link stands: which of the files, and the line."""

    files: Sequence[Path]
    child: NDArray[np.integer]
    parent: NDArray[np.integer]
    file: NDArray[np.integer]
    line: NDArray[np.integer]

    def pairs(self, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        for child, parent in zip(self.child.tolist(), self.parent.tolist(), strict=True):
            yield ids[child], ids[parent]

    def place(self, i: int) -> tuple[Path, int]:
        return self.files[int(self.file[i])], int(self.line[i])


def _read_links(files: Sequence[Path], row_of: Mapping[str, int]) -> _Links:
    child, parent, file, line, number = (array("i") for _ in range(5))
    loose: dict[int, tuple[str, str]] = {}
    rows = _Rows(files, ("sourceId", "destinationId", "typeId"), where=("typeId", (_IS_A,)))
    for _, _, _, source, destination, _ in rows:
        low, high = row_of.get(source, -1), row_of.get(destination, -1)
        if low < 0 or high < 0:
            loose[len(child)] = (source, destination)
        child.append(low)
        parent.append(high)
        file.append(rows.at)
        line.append(rows.line)
        number.append(rows.number)
    holds = rows.standing(number)
    dangling = [i for i in loose if holds[i]]
    if dangling:
        first = dangling[0]
        unknown = dict.fromkeys(end for i in dangling for end in loose[i] if end not in row_of)
        fail(
            "T103",
            f"the link {loose[first][0]!r} → {loose[first][1]!r} names a concept that is inactive or not in the "
            f"release (ends of this kind: {join_some(unknown)}). An extension package needs the "
            f"edition it builds on, the International Edition for most, in the same folder.",
            path=files[file[first]],
            line=line[first],
        )
    return _Links(files, *(np.array(column)[holds] for column in (child, parent, file, line)))


@dataclass(frozen=True)
class _Descriptions:
    """Terms that may become labels, with the place of each among its concept's labels, its SCTID and language."""

    terms: Terms
    place: NDArray[np.uint8]
    sctid: NDArray[np.int64]
    languages: Mapping[str, int]


def _read_labels(
    files: Mapping[str, list[Path]], row_of: Mapping[str, int], language: str, dialect: str | None, path: Path
) -> tuple[TermsOf, list[Finding]]:
    found = _read_descriptions(files["description"], row_of, language.lower())
    if not (found.place < _FOREIGN).any():
        raise ReadError(
            f"has no description of an active concept in the language {language!r}. It has: "
            f"{counted(found.languages)}.",
            path=path,
        )
    notes = []
    if not _apply_dialect(files.get("language", ()), found, dialect, path):
        notes.append(
            Finding(
                "T111",
                f"no language refset tells the preferred terms in {language!r}: each concept's first synonym in "
                f"the file is taken for it",
            )
        )
    return TermsOf(found.terms, row_of, _choose(found.terms.rows(), found.place, len(row_of))), notes


def _read_descriptions(files: Sequence[Path], row_of: Mapping[str, int], language: str) -> _Descriptions:
    terms = Terms()
    languages: dict[str, int] = {}
    place, sctid, number = array("B"), array("q"), array("i")
    places = {(_SYNONYM, True): _UNLISTED, (_FULLY_SPECIFIED, True): _FULL_NAME, (_FULLY_SPECIFIED, False): _FOREIGN}
    rows = _Rows(files, ("conceptId", "languageCode", "typeId", "term"))
    for description, _, _, concept, code, kind, term in rows:
        row = row_of.get(concept)
        if row is None:
            continue
        languages[code] = languages.get(code, 0) + 1
        # Codes are such as "en"; a country behind it ("en-GB") does not make it another language.
        ours = code == language or f"{code}-".lower().startswith(f"{language}-")
        stands = places.get((kind, ours))
        if stands is None:
            continue
        if not term.strip():
            raise rows.broken("the term is empty")
        try:
            sctid.append(int(description))
        except (ValueError, OverflowError):
            raise rows.broken(_not_sctid(description)) from None
        terms.add(row, term)
        place.append(stands)
        number.append(rows.number)
    held = np.where(rows.standing(number), np.array(place), _NOWHERE).astype(np.uint8)
    return _Descriptions(terms, held, np.array(sctid, dtype=np.int64), languages)


def _apply_dialect(files: Sequence[Path], found: _Descriptions, dialect: str | None, path: Path) -> bool:
    """Give preferred and acceptable synonyms their places; whether a language refset could tell them."""
    refsets: dict[str, int] = {}
    refset, sctid, place, number = array("i"), array("q"), array("B"), array("i")
    places = {_PREFERRED: _FIRST, _ACCEPTABLE: _LISTED}
    rows = _Rows(files, ("refsetId", "referencedComponentId", "acceptabilityId"))
    for _, _, _, name, description, acceptability in rows:
        if acceptability not in places:
            continue
        try:
            sctid.append(int(description))
        except (ValueError, OverflowError):
            raise rows.broken(_not_sctid(description)) from None
        refset.append(refsets.setdefault(name, len(refsets)))
        place.append(places[acceptability])
        number.append(rows.number)
    synonyms = np.flatnonzero(found.place == _UNLISTED)
    synonyms = synonyms[np.argsort(found.sctid[synonyms])]
    hit = _positions(found.sctid[synonyms], np.array(sctid, dtype=np.int64))
    told = (hit >= 0) & rows.standing(number)
    sizes = np.bincount(np.array(refset, dtype=np.int32)[told], minlength=len(refsets))
    counts = {name: int(sizes[i]) for name, i in refsets.items()}
    chosen = _choose_dialect(counts, dialect, path)
    if chosen is None:
        return False
    told &= np.array(refset) == refsets[chosen]
    # Where a refset lists a synonym twice, "preferred" is written last and stays.
    for stands in (_LISTED, _FIRST):
        found.place[synonyms[hit[told & (np.array(place) == stands)]]] = stands
    return True


def _positions(ascending: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.integer]:
    """Where each value stands in an ascending array, −1 if it is not there."""
    if not len(ascending):
        return np.full(len(values), -1, dtype=np.int32)
    position = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1).astype(np.int32)
    position[ascending[position] != values] = -1
    return position


def _choose_dialect(counts: Mapping[str, int], dialect: str | None, path: Path) -> str | None:
    """The refset asked for; else US English if it lists synonyms in our language, else the one that lists most."""
    if dialect is not None:
        refset = _DIALECTS.get(dialect.lower(), dialect)
        if not counts.get(refset):
            raise ReadError(
                f"no language refset {dialect!r} lists synonyms in the chosen language. Give 'us', 'gb' or the SCTID "
                f"of a refset; those that are here, with the synonyms they list: {counted(counts)}.",
                path=path,
            )
        return refset
    if counts.get(_DIALECTS["us"]):
        return _DIALECTS["us"]
    return min((name for name in counts if counts[name]), key=lambda name: (-counts[name], name), default=None)


def _choose(rows: NDArray[np.integer], place: NDArray[np.uint8], n: int) -> NDArray[np.integer]:
    """The terms to keep, by place: unlisted and foreign ones only where a concept has nothing better."""
    has_listed = np.zeros(n, dtype=np.bool_)
    has_listed[rows[place <= _LISTED]] = True
    has_own = np.zeros(n, dtype=np.bool_)
    has_own[rows[place <= _FULL_NAME]] = True
    keep = place < _NOWHERE
    keep &= (place != _UNLISTED) | ~has_listed[rows]
    keep &= (place != _FOREIGN) | ~has_own[rows]
    kept = np.flatnonzero(keep)
    return kept[np.argsort(place[kept], kind="stable")]


def _read_retired(
    files: Mapping[str, list[Path]], ids: Sequence[str], inactive: Sequence[str], row_of: Mapping[str, int]
) -> dict[str, Retired]:
    """Why each inactive concept was retired, and the active concepts that stand in for it, best first."""
    gone = set(inactive)
    reasons = {
        concept: _REASONS[value]
        for concept, _, value in _members(files.get("attributevalue", ()), (_INACTIVATION,), "valueId")
        if value in _REASONS and concept in gone
    }
    targets: dict[str, list[tuple[int, str]]] = {}
    for concept, refset, target in _members(files.get("association", ()), _REPLACED_BY, "targetComponentId"):
        if concept in gone and target in row_of:
            targets.setdefault(concept, []).append((_REPLACED_BY.index(refset), ids[row_of[target]]))
    plain = {reason: Retired(reason) for reason in ("inactive", *_REASONS.values())}
    retired = {}
    for concept in inactive:
        reason = reasons.get(concept, "inactive")
        # Sorting by rank alone keeps the order of the file within an association.
        best = sorted(targets.get(concept, ()), key=lambda target: target[0])
        instead = tuple(dict.fromkeys(target for _, target in best))
        retired[concept] = Retired(reason, instead) if instead else plain[reason]
    return retired


def _members(files: Sequence[Path], refsets: Collection[str], value: str) -> Iterator[tuple[str, str, str]]:
    """Component, refset and value of the members of some refsets that hold."""
    rows = _Rows(files, ("referencedComponentId", "refsetId", value), where=("refsetId", refsets))
    found = []
    number = array("i")
    for _, _, _, component, refset, target in rows:
        found.append((component, refset, target))
        number.append(rows.number)
    return (member for member, holds in zip(found, rows.standing(number).tolist(), strict=True) if holds)
