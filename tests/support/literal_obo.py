"""A literal reader of OBO: one line, one tag. For files without the rarer parts of the format."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["LiteralTerm", "read_terms"]

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(\w*)')


@dataclass
class LiteralTerm:
    """The clauses of a term, in the order of the file."""

    id: str = ""
    name: str = ""
    parents: list[str] = field(default_factory=list)
    exact: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    obsolete: bool = False
    replaced_by: list[str] = field(default_factory=list)


def read_terms(path: Path) -> dict[str, LiteralTerm]:
    """All terms by id."""
    found: list[LiteralTerm] = []
    is_term = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            is_term = line.strip() == "[Term]"
            if is_term:
                found.append(LiteralTerm())
        elif is_term and ": " in line:
            tag, value = line.split(": ", 1)
            _add(found[-1], tag, value)
    return {term.id: term for term in found}


def _add(term: LiteralTerm, tag: str, value: str) -> None:
    first = re.split(r" [!{]", value)[0].strip()
    if tag == "id":
        term.id = first
    elif tag == "name":
        term.name = _plain(value)
    elif tag == "is_a":
        term.parents.append(first)
    elif tag == "synonym":
        words = _QUOTED.match(value)
        if words and words[2] == "EXACT":
            term.exact.append(_plain(words[1]))
    elif tag == "alt_id":
        term.alternatives.append(first)
    elif tag == "xref":
        term.xrefs.append(_plain(first.split(' "')[0]))
    elif tag == "is_obsolete":
        term.obsolete = first == "true"
    elif tag in ("replaced_by", "consider"):
        term.replaced_by.append(first)


def _plain(text: str) -> str:
    """A text without its escapes."""
    return " ".join(
        re.sub(r"\\(.)", lambda found: {"n": " ", "t": " ", "W": " "}.get(found[1], found[1]), text).split()
    )
