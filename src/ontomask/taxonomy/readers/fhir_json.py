"""FHIR resources in JSON: one resource in a file, a Bundle, NDJSON (one resource per line), or a folder of such files.

A document is decoded piece by piece: a large code system is never in memory as a whole tree of dictionaries, which
would take longer and twice the memory. The position of each piece is known, so errors have the line. Python's own
decoder is used, since no other can begin in the middle of a text.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import damaged, data_name, first_lines, head, lines, open_binary, reading

__all__ = ["Cursor", "Resource", "fhir_files", "is_fhir", "read_resources", "resource_type"]

T = TypeVar("T")

_TYPE = re.compile(r'"resourceType"\s*:\s*"([A-Za-z]+)"')
_XML = 'xmlns="http://hl7.org/fhir"'
_SUFFIXES = (".json", ".ndjson")
_space: Any = re.compile(r"[ \t\n\r]*").match
_decode = json.JSONDecoder().raw_decode


class Cursor:
    """A position in a JSON text. It moves from value to value; those that the caller does not decode are skipped."""

    def __init__(self, text: str, at: int = 0) -> None:
        self.text = text
        self.at = at

    def value(self) -> Any:
        """Decode the value here, and move behind it."""
        found, self.at = _decode(self.text, self.at)
        return found

    def members(self) -> Iterator[str]:
        """The names in the object here; at each, the cursor is at its value. Other values have no members."""
        return self._pieces("{", "}", self._name)

    def elements(self) -> Iterator[int]:
        """The positions of the elements of the array here. Other values have no elements."""
        return self._pieces("[", "]", lambda: self.at)

    def _pieces(self, opening: str, closing: str, piece: Callable[[], T]) -> Iterator[T]:
        more = self._take(opening) and not self._take(closing)
        while more:
            found, start = piece(), self.at
            yield found
            if self.at == start:
                self.value()
            self.skip_space()
            more = self._take(",")
            if not more and not self._take(closing):
                self._fail("Expecting ',' delimiter")

    def _name(self) -> str:
        if self.text[self.at : self.at + 1] != '"':
            self._fail("Expecting property name enclosed in double quotes")
        name = str(self.value())
        self.skip_space()
        if not self._take(":"):
            self._fail("Expecting ':' delimiter")
        return name

    def _take(self, mark: str) -> bool:
        """Move behind a mark and the space after it, if it is here."""
        if self.text[self.at : self.at + 1] != mark:
            return False
        self.at += 1
        self.skip_space()
        return True

    def skip_space(self) -> None:
        """Move to the next character that is not space."""
        self.at = _space(self.text, self.at).end()

    def _fail(self, message: str) -> NoReturn:
        raise json.JSONDecodeError(message, self.text, self.at)


@dataclass(frozen=True, eq=False)
class Resource:
    """A FHIR resource: where it is, and its members.

    Attributes
    ----------
    path
        The file.
    text, start
        The text of the document, and the position of the resource in it.
    first_line
        The line of the file at which the text begins.
    in_bundle
        Whether it is part of a Bundle.
    """

    path: Path
    text: str
    start: int = 0
    first_line: int = 1
    in_bundle: bool = False

    def cursor(self, at: int | None = None) -> Cursor:
        """A cursor at a position, by default at the beginning of the resource."""
        return Cursor(self.text, self.start if at is None else at)

    def line(self, at: int, *inside: str | int) -> int:
        """The line of a position, or of a piece inside the value there: names of members and numbers of elements."""
        cursor = self.cursor(at)
        for part in inside:
            before = cursor.at
            pieces = cursor.members() if isinstance(part, str) else map(itemgetter(0), enumerate(cursor.elements()))
            if part not in pieces:
                cursor.at = before
                break
        return self.first_line + self.text.count("\n", 0, cursor.at)

    @cached_property
    def type(self) -> str:
        """The type, such as ``CodeSystem``; empty if it has none."""
        with self.checked():
            cursor = self.cursor()
            found = next((cursor.value() for name in cursor.members() if name == "resourceType"), "")
        return found if isinstance(found, str) else ""

    @cached_property
    def content(self) -> dict[str, Any]:
        """The whole resource."""
        with self.checked():
            cursor = self.cursor()
            found = cursor.value()
            self.check_end(cursor)
        return found if isinstance(found, dict) else {}

    def check_end(self, cursor: Cursor) -> None:
        """Raise an error if the text goes on behind the resource."""
        cursor.skip_space()
        if not self.in_bundle and cursor.at < len(self.text):
            raise json.JSONDecodeError("Extra data", self.text, cursor.at)

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Raise an error with the line if the text is not JSON."""
        try:
            yield
        except json.JSONDecodeError as problem:
            raise ReadError(
                f"This is not valid JSON: {problem.msg}. Correct the file.",
                path=self.path,
                line=self.first_line + problem.lineno - 1,
                code="not-json",
            ) from None
        except RecursionError:
            raise ReadError(
                "The JSON is nested too deeply. Check that it is FHIR.", path=self.path, code="too-deep"
            ) from None

    def misshapen(self, problem: object, at: int | None = None) -> ReadError:
        """The error for a resource that lacks something or has a value of the wrong type."""
        return ReadError(
            f"The {self.type or 'resource'} is not as FHIR defines it: {problem}. Correct the file.",
            path=self.path,
            line=self.line(self.start if at is None else at),
            code="not-fhir",
        )


def resource_type(path: Path) -> str:
    """The first type of resource in a file; empty if the file is not FHIR in JSON."""
    text = head(path)
    if not text.lstrip().startswith("{"):
        return ""
    found = _TYPE.search(text)
    if found is None and data_name(path).endswith(_SUFFIXES):
        # Some programs sort the names, so that the type comes last.
        try:
            with open_binary(path) as file:
                found = _TYPE.search(file.read().decode("utf-8", errors="replace"))
        except (ReadError, OSError, EOFError, zlib.error):
            return ""
    return found[1] if found else ""


def is_fhir(path: Path) -> bool:
    """Whether a path is FHIR: a file, or a folder with such files in JSON. XML is recognised, but cannot be read."""
    return any(map(resource_type, fhir_files(path))) or _is_xml(path)


def _is_xml(path: Path) -> bool:
    text = head(path).lstrip()
    return text.startswith("<") and _XML in text and "<rdf:RDF" not in text


def fhir_files(path: Path) -> list[Path]:
    """The file itself, or the JSON files of a folder. An unpacked FHIR package has them in the folder ``package``."""
    if not path.is_dir():
        return [path]
    try:
        for folder in (path, path / "package"):
            files = sorted(folder.iterdir()) if folder.is_dir() else []
            found = [f for f in files if data_name(f).endswith(_SUFFIXES) and not f.name.startswith((".", "package."))]
            if found:
                return found
    except OSError:
        pass
    return []


def read_resources(path: Path, *types: str) -> list[Resource]:
    """The resources of these types in a file or folder. Raises an error if there are none."""
    if _is_xml(path):
        raise ReadError("This is FHIR in XML. Convert it to JSON, or download it as JSON.", path=path, code="xml")
    found: list[Resource] = []
    seen: dict[str, None] = {}
    for file in fhir_files(path):
        first = resource_type(file)
        # Nothing else is in a file that is one resource of another type. NDJSON may mix them.
        if path.is_dir() and first not in (*types, "Bundle") and not _is_ndjson(file):
            seen[first] = None
            continue
        for resource in _in_file(file):
            seen[resource.type] = None
            if resource.type in types:
                found.append(resource)
    if not found:
        others = ", ".join(filter(None, seen))
        raise ReadError(
            f"There is no {' or '.join(types)}{f' but {others}' if others else ''}. ",
            _ELSEWHERE.get(next(iter(filter(None, seen)), ""), "Give FHIR in JSON."),
            path=path,
            code="no-resource",
            values=filter(None, seen),
        )
    return found


_ELSEWHERE = {
    "ConceptMap": "A ConceptMap is a mapping, not an ontology: give it as the mapping of a column.",
    "ValueSet": "A ValueSet restricts a domain and has no is-a links: give the CodeSystem that it is made from.",
    "CodeSystem": "A CodeSystem is an ontology: give it as the taxonomy of a column.",
}


def _is_ndjson(file: Path) -> bool:
    if ".ndjson" in data_name(file):
        return True
    starts = [line.strip() for line in first_lines(file) if line.strip()]
    return len(starts) > 1 and starts[0].endswith("}") and starts[1].startswith("{")


def _in_file(file: Path) -> Iterator[Resource]:
    """The resources of a file, also those in Bundles."""
    texts = lines(file) if _is_ndjson(file) else [(1, _read_text(file))]
    for number, text in texts:
        cursor = Cursor(text)
        cursor.skip_space()
        document = Resource(file, text, cursor.at, number)
        if document.type == "Bundle":
            with document.checked():
                for start in _entries(cursor):
                    yield Resource(file, text, start, number, in_bundle=True)
                document.check_end(cursor)
        elif cursor.at < len(text):
            yield document


def _entries(cursor: Cursor) -> Iterator[int]:
    """The positions of the resources in a Bundle."""
    for name in cursor.members():
        if name == "entry":
            for _ in cursor.elements():
                yield from (cursor.at for member in cursor.members() if member == "resource")


def _read_text(path: Path) -> str:
    try:
        with reading(path) as file:
            return file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        # Reading it line by line raises an error with the line.
        return "\n".join(text for _, text in lines(path))
    except (OSError, EOFError, zlib.error) as problem:
        raise damaged(path, problem, None) from problem
