"""MeSH, Medical Subject Headings: descriptors as XML or ASCII (``desc2025.xml``, ``d2025.bin``), or the trees alone.

The file of trees (``mtrees2025.bin``) has a heading and a tree number per line, ``Body Regions;A01``. The parent of a
number is the number without its last part: ``A01.111`` is below ``A01``. A heading has several numbers, so it may have
several parents. The descriptors have the same numbers, and also ids and synonyms. If a folder has both, descriptors are
read.

Ids are those of MeSH (``D001829``), or the headings themselves if only the trees are given. Tree numbers are aliases.
The 16 categories (``A``, Anatomy) are the top.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.annotations import Annotations, ColumnOfAliases
from ontomask.taxonomy.readers.mesh_trees import Headings, TreeLinks, read_trees
from ontomask.taxonomy.readers.source import data_name, file_title, first_lines, head, lines
from ontomask.taxonomy.readers.xml_stream import XmlReader
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.validate import Finding, fail

__all__ = ["can_read", "read"]

_ROOT = "MeSH"
_CATEGORIES = {
    "A": "Anatomy",
    "B": "Organisms",
    "C": "Diseases",
    "D": "Chemicals and Drugs",
    "E": "Analytical, Diagnostic and Therapeutic Techniques, and Equipment",
    "F": "Psychiatry and Psychology",
    "G": "Phenomena and Processes",
    "H": "Disciplines and Occupations",
    "I": "Anthropology, Education, Sociology, and Social Phenomena",
    "J": "Technology, Industry, and Agriculture",
    "K": "Humanities",
    "L": "Information Science",
    "M": "Named Groups",
    "N": "Health Care",
    "V": "Publication Characteristics",
    "Z": "Geographicals",
}
_LICENCE = "MeSH is published by the U.S. National Library of Medicine, which asks to be named as the source."
_TREES_LINE = re.compile(r"[^;|\t]+;[A-Z]\d\d(\.\d{3})*")
_NAMES = re.compile(r"(desc\d{4}\.xml|d\d{4}\.bin|mtrees\d{4}\.bin)")
_NEW_RECORD = "*NEWRECORD"


@dataclass
class _Descriptors:
    """The descriptors of a file while they are read. ``line`` has the line of each by id."""

    line: dict[str, int] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    glosses: dict[str, str] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)
    owner: list[int] = field(default_factory=list)
    line_of_number: list[int] = field(default_factory=list)

    def add(self, path: Path, record: _Record) -> None:
        """Add a descriptor."""
        if not record.id or not record.name:
            fail("T106", "The record has no id or no name. Use the file as published.", path=path, line=record.line)
        if record.id in self.line:
            message = f"The descriptor {record.id!r} is repeated. Use the file as it was published."
            fail("T104", message, path=path, line=record.line, values=[record.id])
        for number, line in record.numbers:
            self.owner.append(len(self.line))
            self.numbers.append(number)
            self.line_of_number.append(line)
        self.line[record.id] = record.line
        self.labels[record.id] = [record.name, *filter(None, record.terms)]
        if record.gloss:
            self.glosses[record.id] = record.gloss

    def headings(self) -> Headings:
        """All of them."""
        line = list(self.line.values())
        return Headings(list(self.line), line, self.labels, self.glosses, self.numbers, self.owner, self.line_of_number)


@dataclass
class _Record:
    """A descriptor while it is read. ``numbers`` has each tree number with its line."""

    line: int
    id: str = ""
    name: str = ""
    terms: list[str] = field(default_factory=list)
    numbers: list[tuple[str, int]] = field(default_factory=list)
    gloss: str = ""


def can_read(path: Path) -> bool:
    """Whether the path is a file of descriptors or trees, or a folder with one that has its published name."""
    try:
        if path.is_dir():
            return bool(_published(path))
    except OSError:
        return False
    text = head(path)
    if text.startswith(_NEW_RECORD):
        return "\nMH = " in text
    if "<DescriptorRecordSet" in text:
        return True
    found = [line.rstrip() for line in first_lines(path) if line.strip()]
    numbers = [line.rpartition(";")[2] for line in found if _TREES_LINE.fullmatch(line)]
    # Codes of diagnoses look alike (Cholera;A00), but they have no parts of three digits. Codes of parents repeat.
    return any("." in number for number in numbers) and 2 * len(set(numbers)) > len(found)


def read(path: Path, *, glosses: bool = False, encoding: str = "utf-8") -> Taxonomy:
    """Read the headings.

    Parameters
    ----------
    path
        A file, or a folder with files under their published names.
    glosses
        Keep the scope notes of descriptors.
    encoding
        The encoding of ASCII files. XML states its own.
    """
    if path.is_dir():
        files = _published(path)
        if not files:
            raise ReadError(
                "The folder has no desc20xx.xml, d20xx.bin or mtrees20xx.bin. Give one of these files.",
                path=path,
                code="no-file",
            )
        path = files[0]
    text = head(path)
    if "<DescriptorRecordSet" in text:
        headings = _read_xml(path)
    elif text.startswith(_NEW_RECORD):
        headings = _read_records(path, encoding)
    else:
        headings = read_trees(path, encoding)
    return _build(path, headings, glosses=glosses)


def _published(folder: Path) -> list[Path]:
    """The files of a folder with published names: XML, then ASCII, then trees, the newest first."""
    found = [file for file in folder.iterdir() if _NAMES.fullmatch(data_name(file)) and file.is_file()]
    order = ("desc", "d", "mtrees")
    return sorted(
        sorted(found, reverse=True), key=lambda file: order.index(re.split(r"\d", data_name(file), maxsplit=1)[0])
    )


def _read_records(path: Path, encoding: str) -> Headings:
    found = _Descriptors()
    record: _Record | None = None
    for line, text in lines(path, encoding):
        if text == _NEW_RECORD:
            # Qualifiers and supplementary concepts have no MH and are not in the trees.
            if record is not None and record.name:
                found.add(path, record)
            record = _Record(line)
            continue
        tag, _, value = text.partition(" = ")
        if not value:
            continue
        if record is None:
            raise ReadError(
                f"The file does not begin with {_NEW_RECORD!r}. Use it as it was published.",
                path=path,
                line=line,
                code="not-a-line",
            )
        if tag in ("ENTRY", "PRINT ENTRY"):
            record.terms.append(value.partition("|")[0].strip())
        elif tag == "MN":
            record.numbers.append((value.strip(), line))
        elif tag == "MH":
            record.name = value.strip()
        elif tag == "UI":
            record.id = value.strip()
        elif tag == "MS":
            record.gloss = value.strip()
    if record is not None and record.name:
        found.add(path, record)
    return found.headings()


_TEXTS = frozenset(("DescriptorUI", "String", "TreeNumber", "ScopeNote"))


class _XmlHeadings(XmlReader):
    """The descriptors of the XML file. Elements are told apart by the elements around them."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.found = _Descriptors()
        self._record = _Record(0)
        self._above: list[str] = []
        self._text: list[str] = []

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self._above.append(name)
        if name in _TEXTS:
            self._text = []
            self.collect(self._text)
        elif name == "DescriptorRecord":
            self._record = _Record(self.line)

    def end(self, name: str) -> None:
        above = self._above
        above.pop()
        if name in _TEXTS:
            self.collect(None)
            self._add(name, above[-1] if above else "", len(above))
        elif name == "DescriptorRecord":
            self.found.add(self.path, self._record)

    def _add(self, name: str, parent: str, depth: int) -> None:
        """Add a text. Descriptors that a record refers to are deeper in it than its own id and name."""
        record, text = self._record, " ".join("".join(self._text).split())
        if name == "String":
            if parent == "Term":
                record.terms.append(text)
            elif parent == "DescriptorName" and depth == 3:
                record.name = text
        elif name == "TreeNumber":
            record.numbers.append((text, self.line))
        elif name == "DescriptorUI":
            if depth == 2:
                record.id = text
        else:
            record.gloss = record.gloss or text


def _read_xml(path: Path) -> Headings:
    reader = _XmlHeadings(path)
    reader.run()
    return reader.found.headings()


def _build(path: Path, found: Headings, *, glosses: bool) -> Taxonomy:
    if not found.ids:
        fail("T105", "The file has no headings. Check that it is the right file.", path=path)
    links = TreeLinks.of(path, found)
    taxonomy = Taxonomy.from_codes(
        [_ROOT, *links.tops, *found.ids],
        links.child,
        links.parent,
        {_ROOT: ["Medical Subject Headings"]}
        | {top: [_CATEGORIES[top]] for top in links.tops if top in _CATEGORIES}
        | found.labels,
        annotations=Annotations(
            name=f"MeSH ({file_title(path)})",
            licence=_LICENCE,
            aliases={"tree number": ColumnOfAliases(found.numbers, found.owner, found.ids)},
            code_ids=bool(found.labels),
            glosses=found.glosses if glosses else None,
        ),
        path=path,
        lines=links.line,
    )
    # A heading may have the same parent in several trees, so repeated links are normal here.
    notes = [note for note in taxonomy.notes if note.code != "T107"]
    if links.circular:
        text = f"A heading is placed below itself: links of the tree numbers {', '.join(links.circular)} were left out"
        notes.append(Finding("T132", text, values=tuple(links.circular)))
    return replace(taxonomy, notes=tuple(notes))
