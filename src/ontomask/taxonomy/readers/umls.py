"""UMLS Metathesaurus in Rich Release Format: a folder with ``MRCONSO.RRF`` and ``MRREL.RRF`` or ``MRHIER.RRF``.

The Metathesaurus has some hundred sources; one is read. Concepts are the codes of that source, or the UMLS concepts
(CUI) of its atoms. Links are the source's parents and children in ``MRREL.RRF`` (``PAR``, ``CHD``), except those
between a part and a whole. ``MRHIER.RRF`` has the same links by path. The best term of a concept is its label, by
``MRRANK.RRF`` if the folder has it. Codes of which all atoms are obsolete are kept as withdrawn. Files may be gzipped.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.errors import Alternatives, ReadError
from ontomask.taxonomy.readers.source import check_option, data_name, peek
from ontomask.taxonomy.readers.tables import Terms, TermsOf, counted, table, withdrawn_concept
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

# The columns of each file. A row ends with a delimiter, so the last one is empty.
_LAYOUT = {
    "mrconso.rrf": "CUI LAT TS LUI STT SUI ISPREF AUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF",
    "mrrel.rrf": "CUI1 AUI1 STYPE1 REL CUI2 AUI2 STYPE2 RELA RUI SRUI SAB SL RG DIR SUPPRESS CVF",
    "mrhier.rrf": "CUI AUI CXN PAUI SAB RELA PTR HCD CVF",
    "mrrank.rrf": "RANK SAB TTY SUPPRESS",
}
_CONSO, _REL, _HIER, _RANK = _LAYOUT
_OBSOLETE = "O"
_NO_CODE = "NOCODE"
_SOURCES = "SRC"  # the source of the sources' names
_SUPPRESSED = 1 << 24
_LICENCE = (
    "The UMLS Metathesaurus is licensed by the U.S. National Library of Medicine, and each source by its owner. The "
    "user provided the files; check the terms before you share them."
)


def can_read(path: Path) -> bool:
    """Whether the path is a folder with ``MRCONSO.RRF``, or one of the files in it."""
    try:
        if path.is_file() and data_name(path) not in _LAYOUT:
            return False
        conso = _find(path).get(_CONSO)
        return conso is not None and peek(conso).partition("\n")[0].count("|") == len(_LAYOUT[_CONSO].split())
    except OSError:
        return False


def read(
    path: Path,
    *,
    source: str | None = None,
    language: str | None = None,
    ids: Literal["code", "cui"] = "code",
    links: Literal["mrrel", "mrhier"] | None = None,
) -> Taxonomy:
    """Read one source of the Metathesaurus.

    Parameters
    ----------
    path
        The folder with the files, or one of them.
    source
        The abbreviation of the source (SAB), such as ``MSH`` or ``SNOMEDCT_US``. Required if there are several.
    language
        The language of the labels (LAT), such as ``ENG``. By default all of the source.
    ids
        ``code``, the codes of the source, or ``cui``.
    links
        The file of the links: ``mrrel`` or ``mrhier``. By default ``MRREL.RRF`` if the folder has it.
    """
    check_option(path, "source", source, example="MSH", optional=True)
    check_option(path, "language", language, example="ENG", optional=True)
    for name, value, choices in (("ids", ids, ("code", "cui")), ("links", links, (None, "mrrel", "mrhier"))):
        if value not in choices:
            shown = " or ".join(repr(choice) for choice in choices if choice)
            raise ReadError(f"The '{name}' must be {shown}. Got {value!r} instead.", path=path, parameter=name)
    files = _find(path)
    linked = f"{links}.rrf" if links else (_REL if _REL in files else _HIER)
    for name in (_CONSO, linked):
        if name not in files:
            raise ReadError(
                f"The file {name.upper()} is missing. Give a folder with MRCONSO.RRF and MRREL.RRF or MRHIER.RRF.",
                path=path,
                values=[name],
                code="no-file",
            )
    ranks = _read_ranks(files[_RANK]) if _RANK in files else {}
    atoms = _read_atoms(files[_CONSO], source, language, ranks, by_cui=ids == "cui")
    found = (
        _read_relations(files[linked], atoms, by_cui=ids == "cui")
        if linked == _REL
        else _read_paths(files[linked], atoms)
    )
    child, parent, line = _unique(found, len(atoms.ids))
    return Taxonomy.from_edges(
        ((atoms.ids[low], atoms.ids[high]) for low, high in zip(child, parent, strict=True)),
        TermsOf(atoms.terms, atoms.row_of, atoms.best_first()),
        concepts=atoms.ids,
        annotations=Annotations(
            name=f"UMLS {atoms.source}",
            licence=_LICENCE,
            aliases={"UMLS CUI" if ids == "code" else f"{atoms.source} code": atoms.aliases()},
            retired={c: withdrawn_concept("obsolete", ()) for c in atoms.obsolete if c not in atoms.row_of},
            code_ids=True,
        ),
        path=files[linked],
        lines=line,
    )


def _find(path: Path) -> dict[str, Path]:
    """The files of the folder by their names in lower case. A plain file has priority over a gzipped one."""
    folder = path if path.is_dir() else path.parent
    return {
        data_name(file): file
        for file in sorted(folder.iterdir(), reverse=True)
        if data_name(file) in _LAYOUT and file.is_file()
    }


def _rows(path: Path, columns: str, source: str | None = None) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The line and the cells of each row, if a source is given only of its rows."""
    names = [*_LAYOUT[data_name(path)].split(), ""]
    where = ("SAB", (source,)) if source is not None else None
    return table(path, columns.split(), where=where, names=names, delimiter="|")


def _read_ranks(path: Path) -> dict[tuple[str, str], int]:
    """How good the terms of each type are, by source and type."""
    found: dict[tuple[str, str], int] = {}
    for line, (rank, source, kind, suppressed) in _rows(path, "RANK SAB TTY SUPPRESS"):
        if not rank.isdecimal() or len(rank) > 6:
            message = f"The rank {rank!r} is not a number. Use the file as it was published."
            raise ReadError(message, path=path, line=line, code="not-a-number")
        if suppressed == "N":
            found[source, kind] = int(rank)
    return found


@dataclass
class _Atoms:
    """The concepts of a source with rows, and the row of each atom. ``others`` has the concepts of each CUI or code."""

    source: str
    ids: list[str] = field(default_factory=list)
    row_of: dict[str, int] = field(default_factory=dict)
    row_of_atom: dict[str, int] = field(default_factory=dict)
    others: dict[str, dict[int, None]] = field(default_factory=dict)
    obsolete: dict[str, None] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)
    goodness: array[int] = field(default_factory=lambda: array("i"))

    def add(self, concept: str, atom: str, other: str) -> int:
        """The row of a concept, with one of its atoms."""
        row = self.row_of.get(concept)
        if row is None:
            row = self.row_of[concept] = len(self.ids)
            self.ids.append(concept)
        self.row_of_atom[atom] = row
        self.others.setdefault(other, {}).setdefault(row)
        return row

    def best_first(self) -> IntArray:
        """The terms to use, the best first. Suppressed terms (less than 0) only if a concept has no other.

        Of several that could be preferred, the first by text is: the order of the rows does not matter.
        """
        goodness, rows = np.array(self.goodness, dtype=np.int32), self.terms.rows()
        has_good = np.zeros(len(self.ids), dtype=bool)
        has_good[rows[goodness >= 0]] = True
        chosen = np.flatnonzero((goodness >= 0) | ~has_good[rows])
        best = np.full(len(self.ids), np.iinfo(np.int32).min)
        np.maximum.at(best, rows, goodness)
        first = goodness == best[rows]
        tied = np.flatnonzero(first & (np.bincount(rows[first], minlength=len(self.ids))[rows] > 1)).tolist()
        place = np.zeros(len(rows), dtype=np.int32)
        place[sorted(tied, key=self.terms.__getitem__)] = np.arange(len(tied), dtype=np.int32)
        return chosen[np.lexsort((place[chosen], -goodness[chosen]))].astype(np.int32)

    def aliases(self) -> dict[str, tuple[str, ...]]:
        """The concepts of each CUI, or of each code if CUIs are the ids."""
        return {
            other: tuple(self.ids[row] for row in rows)
            for other, rows in self.others.items()
            if other not in self.row_of
        }


def _read_atoms(
    path: Path, source: str | None, language: str | None, ranks: Mapping[tuple[str, str], int], *, by_cui: bool
) -> _Atoms:
    atoms = _Atoms(source or "")
    columns = "CUI LAT TS STT ISPREF AUI SAB TTY CODE STR SUPPRESS"
    for line, (cui, lang, status, form, preferred, atom, sab, kind, code, term, suppressed) in _rows(
        path, columns, source
    ):
        if source is None:
            if sab == _SOURCES:
                continue
            if atoms.source and atoms.source != sab:
                raise _several(path)
            atoms.source = sab
        if not by_cui and (not code or code == _NO_CODE):
            continue
        if not cui or not atom:
            fail("T106", "The CUI or the AUI is empty. Use the file as it was published.", path=path, line=line)
        concept, other = (cui, code) if by_cui else (code, cui)
        if suppressed == _OBSOLETE:
            atoms.obsolete.setdefault(concept)
            continue
        row = atoms.add(concept, atom, other)
        if term.strip() and language in (None, lang):
            good = 8 * ranks.get((sab, kind), 0) + 4 * (status == "P") + 2 * (form == "PF") + (preferred == "Y")
            # Of terms that are equally good in several languages, English is preferred.
            good = 2 * good + (lang == "ENG")
            atoms.terms.add(row, term)
            atoms.goodness.append(good if suppressed == "N" else good - _SUPPRESSED)
    if not atoms.ids:
        raise ReadError(
            f"No atom of the source {source!r} is in use. Sources: ",
            _survey(path),
            ".",
            path=path,
            parameter="source",
            code="T105",
        )
    return atoms


def _several(path: Path) -> ReadError:
    return ReadError(
        "The file has several sources. Choose one with source=. Sources: ",
        _survey(path),
        ".",
        path=path,
        parameter="source",
    )


def _survey(path: Path) -> Alternatives:
    """The sources with the number of their atoms. The file is read again, because only an error message needs them."""
    found: dict[str, int] = {}
    for _, (source, _) in _rows(path, "SAB AUI"):
        found[source] = found.get(source, 0) + 1
    return counted(found)


_Links = tuple["array[int]", "array[int]", "array[int]"]


def _read_relations(path: Path, atoms: _Atoms, *, by_cui: bool) -> _Links:
    """Rows of child and parent, and the line. ``REL`` is what the second concept is to the first."""
    child, parent, lines = array("i"), array("i"), array("i")
    row_of = atoms.row_of if by_cui else atoms.row_of_atom
    ends = "CUI1 REL CUI2" if by_cui else "AUI1 REL AUI2"
    for line, (first, kind, second, label, _, suppressed) in _rows(path, f"{ends} RELA SAB SUPPRESS", atoms.source):
        if kind not in ("PAR", "CHD") or "part" in label or suppressed == _OBSOLETE:
            continue
        low, high = row_of.get(first), row_of.get(second)
        # The root of each source is an atom of the source SRC.
        if low is not None and high is not None and low != high:
            child.append(low if kind == "PAR" else high)
            parent.append(high if kind == "PAR" else low)
            lines.append(line)
    return child, parent, lines


def _read_paths(path: Path, atoms: _Atoms) -> _Links:
    """Rows of child and parent, and the line, from the paths to the root."""
    child, parent, lines = array("i"), array("i"), array("i")
    row_of = atoms.row_of_atom
    for line, (atom, above, label, _) in _rows(path, "AUI PAUI RELA SAB", atoms.source):
        low, high = row_of.get(atom), row_of.get(above)
        if low is not None and high is not None and low != high and "part" not in label:
            child.append(low)
            parent.append(high)
            lines.append(line)
    return child, parent, lines


def _unique(links: _Links, count: int) -> tuple[list[int], list[int], list[int]]:
    """Each link once, where it occurs first. MRREL states each in both directions."""
    child, parent, lines = (np.array(part, dtype=np.int64) for part in links)
    _, first = np.unique(child * count + parent, return_index=True)
    first.sort()
    return child[first].tolist(), parent[first].tolist(), lines[first].tolist()
