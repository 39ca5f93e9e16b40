"""Check the entities of an XML file before a parser expands them.

An entity is a name for a text. Many OWL files declare one for each namespace (``<!ENTITY owl "http://…#">``). Entities
that contain entities can make a file of a few hundred bytes expand to gigabytes, and an external entity reads another
file. The check uses expat, the same parser that later reads the file, so that both find the same declarations.
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
# Limits on the length and the number of entities, far above those of real ontologies.
_LONGEST = 1000
_MOST = 1000
# An address is about ten times as long as the name of its entity.
_GROWTH = 50
_FLOOR = 1 << 20


def check_entities(path: Path) -> None:
    """Raise `ReadError` for entities that are not plain internal texts, or that expand to many times the file's size.

    If the file is not well-formed, its reader reports that with the line.
    """
    try:
        if _declares_entities(path):
            _check_growth(path)
    except (expat.ExpatError, OSError, EOFError, zlib.error, ValueError, LookupError):
        # ValueError, LookupError: expat does not support or know the encoding.
        return


class _RootReachedError(Exception):
    """Internal signal: the first element begins, so there are no more declarations."""


def _declares_entities(path: Path) -> bool:
    """Whether the file declares entities. Forbidden ones raise `ReadError`."""
    parser = _parser()
    names: list[str] = []

    def declare(name: str, is_parameter: int, value: str | None, *_: object) -> None:
        if is_parameter or value is None:
            kind = "parameter" if is_parameter else "external"
            message = f"The file declares the {kind} entity {name!r}. Remove the declaration"
            raise _forbidden(path, parser, f"{kind}-entity", message)
        if "&" in value or "<" in value:
            # expat has already replaced character references such as &#38; by the character.
            message = f"The entity {name!r} contains other entities or markup. Write it out"
            raise _forbidden(path, parser, "nested-entity", message)
        names.append(name)
        if len(value) > _LONGEST or len(names) > _MOST:
            message = "The file declares too many or too long entities. Write them out"
            raise _forbidden(path, parser, "many-entities", message)

    def default(_element: str, _name: str, _type: str, value: str | None, _required: int) -> None:
        if value is not None:
            message = "The file declares attributes with default values. Write them out"
            raise _forbidden(path, parser, "default-values", message)

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
    """Raise `ReadError` if the entities expand to many times the file's size."""
    parser = _parser()
    read = expanded = 0

    def start(_name: object, attributes: list[str]) -> None:
        count(*attributes)

    def count(*texts: str) -> None:
        nonlocal expanded
        expanded += sum(map(len, texts))
        if expanded > _FLOOR + _GROWTH * read:
            message = "The entities expand to many times the size of the file. Write them out"
            raise _forbidden(path, parser, "expansion", message)

    parser.ordered_attributes = True
    parser.StartElementHandler = start
    parser.CharacterDataHandler = count
    for block in _blocks(path):
        read += len(block)
        parser.Parse(block)


def _parser() -> expat.XMLParserType:
    """expat with the settings of Python's SAX reader, except that external entities are empty."""
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE)
    parser.ExternalEntityRefHandler = lambda *_: 1
    return parser


def _blocks(path: Path) -> Iterator[bytes]:
    with open_binary(path) as file:
        while block := file.read(_BLOCK):
            yield block


def _forbidden(path: Path, parser: expat.XMLParserType, code: str, message: str) -> ReadError:
    return ReadError(f"{message}.", path=path, line=parser.CurrentLineNumber, code=code)
