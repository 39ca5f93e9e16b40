"""OBO files, the flat format of biomedical ontologies, read with fastobo.

pronto builds on fastobo but takes longer. Neither reports the lines of links or the instances, which are leaves here.
Ids are those of the file (``MONDO:0005015``). Labels are the name, then the synonyms. Links are ``is_a``,
``instance_of`` and the genus of an ``intersection_of``. Obsolete terms are kept as withdrawn, with their replacements.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from ontomask.errors import MissingExtraError, ReadError, is_panic
from ontomask.taxonomy.readers.source import head, lines
from ontomask.taxonomy.readers.terms import Prefixes, Synonyms, Term, build, check_synonyms
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_OPENING = re.compile(r"^(format-version:|\[Term\])", re.MULTILINE)
_PART_OF = ("part_of", "BFO:0000050")
_MOST_SHOWN = 100


def can_read(path: Path) -> bool:
    """Whether the file begins with the header tag ``format-version:`` or a ``[Term]`` frame."""
    return _OPENING.search(head(path)) is not None


def read(
    path: Path,
    *,
    synonyms: Synonyms = "exact",
    xref_prefix: Prefixes = None,
    glosses: bool = False,
    parts: bool = False,
    encoding: str = "utf-8",
) -> Taxonomy:
    """Read an OBO file.

    Parameters
    ----------
    synonyms
        Which synonyms become labels: those of scope EXACT, all, or none.
    xref_prefix
        One or several prefixes of cross-references, such as ``ICD9``. The bare codes after the prefix become aliases
        of the terms, so that a column of such codes can be mapped. Full codes such as ICD9:250.0 always are aliases.
    glosses, parts
        Keep definitions, and the ``part_of`` links.
    encoding
        OBO is UTF-8. Old files may not be.
    """
    check_synonyms(path, synonyms)
    feed = _Feed(path, encoding)
    frames = _frames(path, feed)
    name, licence = _about(next(frames))
    terms: dict[str, Term] = {}
    for frame in frames:
        if type(frame).__name__ != "TermFrame":
            continue
        line = feed.next_line("id")
        term = _term(path, frame, feed, synonyms)
        if terms.setdefault(term.key, term) is not term:
            fail(
                "T104",
                f"The term {term.key!r} is declared twice. Remove one of them.",
                path=path,
                line=line,
                values=[term.key],
            )
    return build(
        path,
        terms,
        what="term",
        name=name,
        licence=licence,
        xref_prefix=xref_prefix,
        glosses=glosses,
        parts=parts,
        code_ids=True,
    )


class _Feed:
    """The file as fastobo reads it. It records the lines of links, which fastobo does not keep.

    An instance becomes a term with ``is_a`` for ``instance_of``, because fastobo reports nothing about instances. A
    comment becomes an empty line, because fastobo accepts none before the header.
    """

    def __init__(self, path: Path, encoding: str) -> None:
        self.problem: ReadError | None = None
        self._lines = lines(path, encoding)
        self._rest = memoryview(b"")
        self._in_term = False
        self._line_of: dict[str, deque[int]] = {tag: deque() for tag in ("id", "name", "is_a", "intersection_of")}

    def read(self, size: int) -> bytes:
        """The next bytes, at most ``size``."""
        while size and not self._rest:
            try:
                number, text = next(self._lines, (0, None))
            except ReadError as problem:
                self.problem = problem
                raise
            if text is None:
                return b""
            # A view, since otherwise each read would copy the rest of a long line.
            self._rest = memoryview(self._record(number, text.strip()).encode() + b"\n")
        data, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return data

    def _record(self, number: int, text: str) -> str:
        if text.startswith("!"):
            return ""
        if text.startswith("["):
            text = "[Term]" if text == "[Instance]" else text
            self._in_term = text == "[Term]"
        elif self._in_term:
            if text.startswith("instance_of:"):
                text = "is_a:" + text.removeprefix("instance_of:")
            tag = text.partition(":")[0]
            if tag in self._line_of:
                self._line_of[tag].append(number)
        return text

    def next_line(self, tag: str) -> int:
        """The line of the next clause with this tag, 0 if there is none."""
        waiting = self._line_of[tag]
        return waiting.popleft() if waiting else 0


def _frames(path: Path, feed: _Feed) -> Iterator[Any]:
    """The header, then all frames."""
    try:
        fastobo = import_module("fastobo")
    except ImportError:
        raise MissingExtraError("Reading OBO files", "owl") from None
    try:
        # With one thread, the first of several errors is always the one reported.
        reader = fastobo.iter(feed, ordered=True, threads=1)
        yield reader.header()
        yield from reader
    except SyntaxError as problem:
        shown = (problem.text or "").strip("\u240a\u240d \n")[:_MOST_SHOWN]
        raise ReadError(
            f"This is not valid OBO: {shown!r} ({problem.msg}). Correct or remove the line.",
            path=path,
            line=problem.lineno,
            code="syntax",
        ) from None
    except (OSError, TypeError, ValueError) as problem:
        if feed.problem is not None:  # in the header, fastobo replaces our exception by its own
            raise feed.problem from None
        raise ReadError(f"The file is not valid OBO: {problem}. Correct it.", path=path, code="syntax") from problem
    except BaseException as problem:
        if not is_panic(problem):
            raise
        raise ReadError(
            "The OBO parser crashed on this file. Check that it is OBO.", path=path, code="crashed"
        ) from None


def _about(header: Any) -> tuple[str, str]:
    """Name and licence of the ontology, if the header has them."""
    name = licence = ""
    for clause in header:
        tag = clause.raw_tag()
        if tag == "ontology":
            name = clause.raw_value()
        elif tag == "property_value" and _text(clause.property_value.relation).endswith("license"):
            licence = licence or _text(clause.property_value.value)
    return name, licence


def _term(path: Path, frame: Any, feed: _Feed, synonyms: Synonyms) -> Term:
    term = Term(_text(frame.id))
    genera: list[tuple[str, int]] = []
    parts, names, line_of_part = 0, 0, 0
    for clause in frame:
        match clause.raw_tag():
            case "name":
                line, names = feed.next_line("name"), names + 1
                if names > 1:
                    _fail_rule(path, line, f"The term {_text(frame.id)!r} has two names. Make one of them a synonym.")
                term.labels.insert(0, clause.name)
            case "synonym" if synonyms == "all" or (synonyms == "exact" and clause.synonym.scope == "EXACT"):
                term.labels.append(clause.synonym.desc)
            case "is_a":
                term.parents.append((_text(clause.term), feed.next_line("is_a")))
            case "intersection_of":
                line_of_part, parts = feed.next_line("intersection_of"), parts + 1
                if clause.typedef is None:
                    genera.append((_text(clause.term), line_of_part))
            case "relationship" if _text(clause.typedef) in _PART_OF:
                term.wholes.append(_text(clause.term))
            case "alt_id":
                term.other_ids.append(_text(clause.alt_id))
            case "xref":
                term.xrefs.append(_text(clause.xref.id))
            case "def":
                term.gloss = clause.definition
            case "is_obsolete":
                term.retired = clause.obsolete
            case "comment":
                term.comment = clause.comment
            case "replaced_by":
                term.replacements.append(_text(clause.term))
            case "consider":
                term.considered.append(_text(clause.term))
    if parts == 1:
        _fail_rule(
            path, line_of_part, f"The intersection of {_text(frame.id)!r} has one part. Add another, or write is_a."
        )
    # A genus is nearly always an is_a as well. That must not count as a repeated link.
    given = {parent for parent, _ in term.parents}
    term.parents.extend(genus for genus in genera if genus[0] not in given)
    return term


def _fail_rule(path: Path, line: int, message: str) -> NoReturn:
    """The error for a term that breaks a rule of the format which fastobo does not check."""
    raise ReadError(message, path=path, line=line, code="syntax")


def _text(ident: Any) -> str:
    """An id without the escapes of the format."""
    if isinstance(ident, str):
        return ident
    if hasattr(ident, "local"):
        return f"{ident.prefix}:{ident.local}"
    return str(ident.unescaped) if hasattr(ident, "unescaped") else str(ident)
