"""Entities of XML files, checked before anything expands them.

An entity stands for a text: many OWL files declare one for each namespace (``<!ENTITY owl "http://…#">``). Entities
made of entities let a file of a few hundred bytes grow to gigabytes, and an external entity reads another file. The
declarations are reported here by expat, the same parser that later reads the file, so that both understand them alike.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import open_binary

__all__ = ["check_entities"]

_BLOCK = 1 << 16
# Long enough for any address; a few hundred namespaces are in no file at hand.
_LONGEST = 1000
_MOST = 1000
# An address has some ten times the length of its entity's name.
_GROWTH = 50
_FLOOR = 1 << 20


def check_entities(path: Path) -> None:
    """Refuse declarations that are not plain internal texts, and texts that grow beyond measure.

    A file that is not well-formed is left to its reader, which reports the line.
    """
    try:
        if _declares_entities(path):
            _check_growth(path)
    except (expat.ExpatError, OSError, EOFError, zlib.error, ValueError):
        # ValueError: an encoding that expat does not know.
        return


class _RootReachedError(Exception):
    """The declarations end where the first element begins."""


def _declares_entities(path: Path) -> bool:
    """Whether the file declares entities; one that is refused raises."""
    parser = _parser()
    names: list[str] = []

    def declare(name: str, is_parameter: int, value: str | None, *_: object) -> None:
        if is_parameter or value is None:
            kind = "a parameter entity" if is_parameter else "an external entity"
            raise _refused(path, parser, f"declares {kind} ({name!r}). Remove the declaration")
        if "&" in value or "<" in value:
            # expat has replaced numbered characters by now: &#38; is an ampersand like any other.
            raise _refused(path, parser, f"declares the entity {name!r} by other entities or markup. Write it out")
        names.append(name)
        if len(value) > _LONGEST or len(names) > _MOST:
            raise _refused(path, parser, "declares entities that are too long or too many. Write them out")

    def default(_element: str, _name: str, _type: str, value: str | None, _required: int) -> None:
        if value is not None:
            raise _refused(path, parser, "declares attributes with default values. Write them out")

    def start(_name: object, _attributes: object) -> None:
        raise _RootReachedError

    parser.EntityDeclHandler = declare
    parser.AttlistDeclHandler = default
    parser.StartElementHandler = start
    try:
        for block in _blocks(path):
            parser.Parse(block)
    except _RootReachedError:
        pass
    return bool(names)


def _check_growth(path: Path) -> None:
    """Refuse a file whose entities expand to many times its size."""
    parser = _parser()
    read = expanded = 0

    def start(_name: object, attributes: list[str]) -> None:
        count(*attributes)

    def count(*texts: str) -> None:
        nonlocal expanded
        expanded += sum(map(len, texts))
        if expanded > _FLOOR + _GROWTH * read:
            raise _refused(path, parser, "has entities that expand to many times its size. Write them out")

    parser.ordered_attributes = True
    parser.StartElementHandler = start
    parser.CharacterDataHandler = count
    for block in _blocks(path):
        read += len(block)
        parser.Parse(block)


def _parser() -> expat.XMLParserType:
    """expat as Python's SAX reader sets it up, which takes what is outside the file for empty."""
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE)
    parser.ExternalEntityRefHandler = lambda *_: 1
    return parser


def _blocks(path: Path) -> Iterator[bytes]:
    with open_binary(path) as file:
        while block := file.read(_BLOCK):
            yield block


def _refused(path: Path, parser: expat.XMLParserType, message: str) -> ReadError:
    return ReadError(f"{message}.", path=path, line=parser.CurrentLineNumber)
