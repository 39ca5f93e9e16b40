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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import data_name, file_title, first_lines, head, lines
from ontomask.taxonomy.readers.xml_stream import XmlReader
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
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
_NUMBER = re.compile(r"[A-Z]\d+(\.\d+)*")
_TREES_LINE = re.compile(r"[^;|\t]+;[A-Z]\d\d(\.\d{3})*")
_NAMES = re.compile(r"(desc\d{4}\.xml|d\d{4}\.bin|mtrees\d{4}\.bin)")
_NEW_RECORD = "*NEWRECORD"


@dataclass
class _Heading:
    """A descriptor. ``numbers`` has each tree number with its line."""

    id: str = ""
    line: int = 0
    labels: list[str] = field(default_factory=list)
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
    found = [line for line in first_lines(path) if line]
    return bool(found) and all(_TREES_LINE.fullmatch(line.rstrip()) for line in found)


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
        headings = _read_trees(path, encoding)
    return _build(path, headings, glosses=glosses)


def _published(folder: Path) -> list[Path]:
    """The files of a folder with published names: XML, then ASCII, then trees, the newest first."""
    found = [file for file in folder.iterdir() if _NAMES.fullmatch(data_name(file)) and file.is_file()]
    order = ("desc", "d", "mtrees")
    return sorted(
        sorted(found, reverse=True), key=lambda file: order.index(re.split(r"\d", data_name(file), maxsplit=1)[0])
    )


def _read_trees(path: Path, encoding: str) -> list[_Heading]:
    found: dict[str, _Heading] = {}
    for line, text in lines(path, encoding):
        name, separator, number = text.rpartition(";")
        name, number = name.strip(), number.strip()
        if not separator or not name or not _NUMBER.fullmatch(number):
            if not text.strip():
                continue
            raise ReadError(
                "Expected a heading, a semicolon and a tree number, such as 'Body Regions;A01'. Use the file as it was "
                "published.",
                path=path,
                line=line,
                code="not-a-line",
            )
        if name not in found:
            found[name] = _Heading(name, line, [name])
        found[name].numbers.append((number, line))
    return list(found.values())


def _read_records(path: Path, encoding: str) -> list[_Heading]:
    found: list[_Heading] = []
    heading: _Heading | None = None
    for line, text in lines(path, encoding):
        if text == _NEW_RECORD:
            heading = _Heading(line=line)
            continue
        tag, _, value = text.partition(" = ")
        value = value.strip()
        if not value:
            continue
        if heading is None:
            raise ReadError(
                f"The file does not begin with {_NEW_RECORD!r}. Use it as it was published.",
                path=path,
                line=line,
                code="not-a-line",
            )
        if tag == "MH":
            # Qualifiers and supplementary concepts have no MH and are not in the trees.
            found.append(heading)
            heading.labels.insert(0, value)
        elif tag in ("ENTRY", "PRINT ENTRY"):
            heading.labels.append(value.partition("|")[0].strip())
        elif tag == "MN":
            heading.numbers.append((value, line))
        elif tag == "UI":
            heading.id = value
        elif tag == "MS":
            heading.gloss = value
    return found


class _XmlHeadings(XmlReader):
    """The descriptors of the XML file. Elements are told apart by the elements around them."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.found: list[_Heading] = []
        self._above: list[str] = []
        self._text: list[str] = []

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self._above.append(name)
        if name == "DescriptorRecord":
            self.found.append(_Heading(line=self.line))
        elif name in ("DescriptorUI", "String", "TreeNumber", "ScopeNote"):
            self._text = []
            self.collect(self._text)

    def end(self, name: str) -> None:
        above = self._above
        above.pop()
        if name not in ("DescriptorUI", "String", "TreeNumber", "ScopeNote") or "DescriptorRecord" not in above[:2]:
            return
        self.collect(None)
        heading, text = self.found[-1], " ".join("".join(self._text).split())
        inside = above[above.index("DescriptorRecord") + 1 :]
        if name == "DescriptorUI" and not inside:
            heading.id = text
        elif name == "TreeNumber":
            heading.numbers.append((text, self.line))
        elif name == "ScopeNote":
            heading.gloss = heading.gloss or text
        elif name == "String" and inside == ["DescriptorName"]:
            heading.labels.insert(0, text)
        elif name == "String" and inside[-1:] == ["Term"]:
            heading.labels.append(text)


def _read_xml(path: Path) -> list[_Heading]:
    reader = _XmlHeadings(path)
    reader.run()
    return reader.found


def _build(path: Path, headings: Sequence[_Heading], *, glosses: bool) -> Taxonomy:
    if not headings:
        fail("T105", "The file has no headings. Check that it is the right file.", path=path)
    owner: dict[str, str] = {}
    for heading in headings:
        if not heading.id or not heading.labels:
            fail("T106", "The record has no id or no name. Use the file as published.", path=path, line=heading.line)
        for number, line in heading.numbers:
            if not _NUMBER.fullmatch(number):
                message = f"{number!r} is not a tree number, such as 'A01.111'. Use the file as it was published."
                raise ReadError(message, path=path, line=line, code="not-a-number")
            if owner.setdefault(number, heading.id) != heading.id:
                message = f"The tree number {number!r} has two headings. Use the file as it was published."
                fail("T104", message, path=path, line=line, values=[number])
    links: list[tuple[str, str]] = []
    at: list[int] = []
    circular: list[str] = []
    for heading in headings:
        for parent, number, line in _parents(path, heading, owner):
            if parent is None:
                circular.append(number)
            else:
                links.append((heading.id, parent))
                at.append(line)
    tops = dict.fromkeys(number[0] for number in owner)
    links += [(top, _ROOT) for top in tops]
    at += [0] * len(tops)
    names = {top: [_CATEGORIES.get(top, top)] for top in tops}
    taxonomy = Taxonomy.from_edges(
        links,
        {_ROOT: ["Medical Subject Headings"]}
        | names
        | {heading.id: [label for label in heading.labels if label] or [heading.id] for heading in headings},
        concepts=[_ROOT, *tops, *(heading.id for heading in headings)],
        annotations=Annotations(
            name=f"MeSH ({file_title(path)})",
            licence=_LICENCE,
            aliases={"tree number": {number: (concept,) for number, concept in owner.items()}},
            code_ids=any(heading.id not in heading.labels for heading in headings),
            glosses={h.id: h.gloss for h in headings if h.gloss} if glosses else None,
        ),
        path=path,
        lines=at,
    )
    # A heading may have the same parent in several trees, so repeated links are normal here.
    notes = [note for note in taxonomy.notes if note.code != "T107"]
    if circular:
        text = f"A heading is placed below itself: links of the tree numbers {', '.join(circular)} were left out"
        notes.append(Finding("T122", text, values=tuple(circular)))
    return replace(taxonomy, notes=tuple(notes))


def _parents(path: Path, heading: _Heading, owner: dict[str, str]) -> Iterator[tuple[str | None, str, int]]:
    """The parents of a heading with tree number and line. ``None`` if the heading itself is above that number.

    MeSH 2025 places 'Ocular Motility Disorders' also below its own child 'Strabismus'.
    """
    if not heading.numbers:
        yield _ROOT, "", heading.line
    for number, line in heading.numbers:
        above, dot, _ = number.rpartition(".")
        if not dot:
            yield number[0], number, line
        elif above not in owner:
            message = f"The tree number {number!r} is below {above!r}, which no heading has. Use the complete file."
            fail("T103", message, path=path, line=line, values=[above])
        else:
            is_below_itself = any(number.startswith(f"{other}.") for other, _ in heading.numbers)
            yield (None if is_below_itself else owner[above]), number, line
