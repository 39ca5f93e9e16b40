"""Read large XML files element by element, with expat. Nothing outside the file is read (see `xml_entities`)."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import damaged, reading
from ontomask.taxonomy.readers.xml_entities import check_entities

__all__ = ["XmlReader"]

_BLOCK = 1 << 16


class XmlReader:
    """A reader of one XML file. Subclasses define `start`, `end` and, if they need it, `text`.

    The text of an element may come in several parts.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.ExternalEntityRefHandler = lambda *_: 1
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end

    def start(self, name: str, attributes: dict[str, str], /) -> None:
        """An element begins."""

    def end(self, name: str, /) -> None:
        """An element ends."""

    def collect(self, parts: list[str] | None) -> None:
        """Append the text that follows to ``parts``. None: ignore it, which is quicker."""
        self._parser.CharacterDataHandler = None if parts is None else parts.append

    @property
    def line(self) -> int:
        """The line of the current element."""
        return self._parser.CurrentLineNumber

    def required(self, name: str, attributes: dict[str, str], attribute: str) -> str:
        """An attribute that must be there."""
        value = attributes.get(attribute, "").strip()
        return value or self.fail(
            "no-attribute", f"The element <{name}> has no {attribute!r}. Use the file as it was published."
        )

    def fail(self, code: str, message: str) -> NoReturn:
        """Raise a `ReadError` at the current line."""
        raise ReadError(message, path=self.path, line=self.line, code=code)

    def run(self) -> None:
        """Read the file."""
        check_entities(self.path)
        try:
            with reading(self.path) as file:
                while block := file.read(_BLOCK):
                    self._parser.Parse(block)
                self._parser.Parse(b"", True)
        except expat.ExpatError as problem:
            raise ReadError(
                f"This is not well-formed XML: {expat.errors.messages.get(problem.code, str(problem))}. Correct or "
                f"download the file again.",
                path=self.path,
                line=problem.lineno,
                code="syntax",
            ) from None
        except (OSError, EOFError, zlib.error) as problem:
            raise damaged(self.path, problem, self.line) from problem
        except (LookupError, ValueError) as problem:
            raise ReadError(
                f"The encoding of the file cannot be read: {problem}. Save it as UTF-8.",
                path=self.path,
                line=1,
                code="encoding",
            ) from None
