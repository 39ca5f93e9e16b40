"""What the RDF readers (OWL, SKOS) share: recognising a syntax and parsing it, through rdflib, into plain facts.

rdflib's parsers are used and its store is not: a store indexes every statement four ways and drops the line,
while the readers need a few properties of each subject, in the order of the file.
"""

from __future__ import annotations

import logging
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple
from urllib.parse import quote

from ontomask.base.limits import UnpackedTooLargeError
from ontomask.errors import MissingExtraError, ReadError
from ontomask.taxonomy.readers.source import lines, open_binary, peek
from ontomask.taxonomy.readers.terms import HEAD, Term, file_title, parse_json, short_id
from ontomask.taxonomy.readers.xml_entities import check_entities

__all__ = ["DCTERMS", "OWL", "RDFS", "RDF_TYPE", "SKOS", "Facts", "about", "head", "load", "retire", "syntax"]

DCTERMS = "http://purl.org/dc/terms/"
OWL = "http://www.w3.org/2002/07/owl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

_DC = "http://purl.org/dc/elements/1.1/"
_TITLE = (DCTERMS + "title", _DC + "title", RDFS + "label", SKOS + "prefLabel")
_LICENCE = (
    DCTERMS + "license",
    "http://creativecommons.org/ns#license",
    DCTERMS + "rights",
    _DC + "rights",
)
_DEPRECATED = OWL + "deprecated"
_COMMENT = RDFS + "comment"
_REPLACED = (
    "http://purl.obolibrary.org/obo/IAO_0100001",
    DCTERMS + "isReplacedBy",
    "http://www.geneontology.org/formats/oboInOwl#consider",
)
_COMMON = frozenset({RDF_TYPE, _DEPRECATED, _COMMENT, *_TITLE, *_LICENCE, *_REPLACED})

_XML = re.compile(r"<(\?xml|!DOCTYPE|!--|([\w.-]+:)?RDF\b)")
_XML_ASIDE = re.compile(r"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_XML_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
_TURTLE = re.compile(r"^\s*@?(prefix|base)\s", re.MULTILINE | re.IGNORECASE)
_TRIPLE = re.compile(r"(<[^<>\s]+>|_:\S+)\s+<[^<>\s]+>\s+[<_\"]")
_TURTLE_PROBLEM = re.compile(r"Bad syntax \((.*?)\) at \^", re.DOTALL)
_DEEPEST = 1000
_XML_PLACE = re.compile(r"^.*?:\d+:\d+: ")


class Value(NamedTuple):
    """The object of a statement: a literal, or the name of a thing (``_:`` before that of a blank node)."""

    text: str
    is_literal: bool = False
    language: str = ""


@dataclass
class Facts:
    """Statements by subject and property, each value with its line (0 where the parser does not tell it)."""

    table: dict[str, dict[str, dict[Value, int]]] = field(default_factory=dict)

    def add(self, subject: str, predicate: str, value: Value, line: int) -> None:
        """Keep a statement; one that is made twice counts once, as RDF has it."""
        self.table.setdefault(subject, {}).setdefault(predicate, {}).setdefault(value, line)

    def of(self, subject: str, predicate: str) -> Mapping[Value, int]:
        """The values of a property."""
        return self.table.get(subject, {}).get(predicate, {})

    def links(self, subject: str, *predicates: str) -> Iterator[tuple[str, int]]:
        """The things that the properties lead to, with the line."""
        for predicate in predicates:
            for value, line in self.of(subject, predicate).items():
                if not value.is_literal:
                    yield value.text, line

    def types(self, subject: str) -> set[str]:
        """What a subject is declared to be."""
        return {target for target, _ in self.links(subject, RDF_TYPE)}

    def texts(self, subject: str, *predicates: str) -> list[str]:
        """All values as plain text, whatever their language."""
        return [value.text for predicate in predicates for value in self.of(subject, predicate)]

    def words(self, subject: str, predicate: str, language: str | None) -> list[str]:
        """The literals in a language (``en`` takes in ``en-GB``), then those of no language; None takes all."""
        literals = [value for value in self.of(subject, predicate) if value.is_literal]
        if language is None:
            return [value.text for value in literals]
        wanted = language.lower()
        spoken = [v for v in literals if v.language == wanted or v.language.startswith(f"{wanted}-")]
        return [value.text for value in (*spoken, *(v for v in literals if not v.language))]

    def names(self, subject: str, predicates: Sequence[str], language: str | None) -> list[str]:
        """The words of several properties; those of any language where the wanted one has none."""
        for tongue in (language, None):
            found = [word for predicate in predicates for word in self.words(subject, predicate, tongue)]
            if any(word.strip() for word in found):
                return found
        return []


def head(path: Path) -> str:
    """The beginning of a file, by which its format is recognised."""
    return peek(path, HEAD)


def syntax(text: str) -> str | None:
    """The RDF syntax that a text begins in, as rdflib calls it; N-Triples are taken as the Turtle they are.

    >>> syntax("<?xml version='1.0'?>"), syntax("@prefix : <#> ."), syntax("child,parent")
    ('xml', 'turtle', None)
    """
    text = text.lstrip()
    if _XML.match(text):
        return "xml"
    if text.startswith(("{", "[")) and '"@' in text:
        return "json-ld"
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    return "turtle" if _TURTLE.search(text) or _TRIPLE.match(first) else None


def load(path: Path, wanted: frozenset[str], *, feature: str) -> Facts:
    """All statements of a file whose property is one of ``wanted`` or serves every RDF reader."""
    kind = _require_syntax(path)
    try:
        with _quiet():
            return _parse(path, kind, wanted | _COMMON)
    except ImportError:
        raise MissingExtraError(feature, "owl") from None


def about(facts: Facts, kind: str, path: Path, language: str | None) -> tuple[str, str]:
    """Name and licence by the first subject of a type that heads a file (an ontology, a concept scheme)."""
    subject = next((s for s in facts.table if kind in facts.types(s)), "")
    titles = facts.names(subject, _TITLE, language)
    # Protégé calls what nobody has named untitled-ontology-58; the file's name says more.
    end = "" if subject.startswith(("_:", "file:")) else short_id(subject).removesuffix(".owl")
    name = titles[0] if titles else "" if end.startswith("untitled-ontology") else end
    return name or file_title(path), next(iter(facts.texts(subject, *_LICENCE)), "")


def retire(term: Term, facts: Facts, language: str | None) -> None:
    """Mark a term that the file calls deprecated, with what it says about that."""
    if any(text.strip().lower() in ("true", "1") for text in facts.texts(term.key, _DEPRECATED)):
        term.retired = True
        term.comment = " ".join(facts.words(term.key, _COMMENT, language))
        term.replacements = facts.texts(term.key, *_REPLACED)


def _require_syntax(path: Path) -> str:
    text = head(path)
    if not text.strip():
        for _ in lines(path, "latin-1"):
            pass  # a damaged file is told here, with the line
        raise ReadError("is empty.", path=path)
    kind = syntax(text)
    root = _XML_ROOT.search(_XML_ASIDE.sub("", text)) if kind == "xml" else None
    if kind is None or (root is not None and root[1] == "Ontology"):
        raise ReadError(
            "is not RDF, or not in a syntax known here (RDF/XML, Turtle, N-Triples, JSON-LD). Ontologies in "
            "OWL/XML, functional or Manchester syntax can be saved as RDF/XML, for example with Protégé.",
            path=path,
        )
    return kind


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep rdflib from logging and warning about oddities of a file, and from rewriting codes (007 as 7)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import rdflib

        logger = logging.getLogger("rdflib")
        before = logger.level, rdflib.NORMALIZE_LITERALS
        logger.setLevel(logging.CRITICAL + 1)
        rdflib.NORMALIZE_LITERALS = False
        try:
            yield
        finally:
            logger.setLevel(before[0])
            rdflib.NORMALIZE_LITERALS = before[1]


def _parse(path: Path, kind: str, wanted: frozenset[str]) -> Facts:
    facts = Facts()
    # Relative names are resolved against the file's name, not its folder: no path of a machine gets into ids.
    base = "file:///" + quote(path.name)
    if kind == "xml":
        _parse_xml(path, facts, wanted, base)
        return facts
    text = "\n".join(line for _, line in lines(path))
    if kind == "json-ld":
        _check_json(path, text)
    try:
        _graph(facts, wanted, lambda: 0).parse(data=text, format=kind, publicID=base)
    except Exception as problem:
        raise _broken(path, problem, None) from problem
    return facts


def _parse_xml(path: Path, facts: Facts, wanted: frozenset[str], base: str) -> None:
    """RDF/XML, streamed; the parser knows its line at every statement."""
    from rdflib.parser import create_input_source
    from rdflib.plugins.parsers.rdfxml import create_parser

    check_entities(path)
    with open_binary(path) as file:
        source = create_input_source(source=file, publicID=base, format="xml")
        parser: Any = None
        graph = _graph(facts, wanted, lambda: parser.getLineNumber())
        parser = create_parser(source, graph)
        _bound_work(parser.getContentHandler())
        try:
            parser.parse(source)
        except UnpackedTooLargeError as problem:
            raise ReadError(f"{problem}.", path=path) from None
        except (OSError, EOFError, zlib.error) as problem:
            raise ReadError(
                f"the file breaks off or is damaged: {problem}. Download it again.",
                path=path,
                line=parser.getLineNumber(),
            ) from problem
        except Exception as problem:
            raise _broken(path, problem, parser.getLineNumber()) from problem


def _bound_work(handler: Any) -> None:
    """Keep rdflib's handler from work that grows with the square of the file.

    It appends a text line by line to what it has, and copies an element's content once for each element around it.
    """
    pieces: list[str] = []
    characters, start, end = handler.characters, handler.startElementNS, handler.endElementNS
    depth = 0

    def flush() -> None:
        if pieces:
            characters("".join(pieces))
            pieces.clear()

    def start_element(*element: Any) -> None:
        nonlocal depth
        flush()
        depth += 1
        if depth > _DEEPEST:
            raise ValueError(f"elements are nested more than {_DEEPEST:,} deep")
        start(*element)

    def end_element(*element: Any) -> None:
        nonlocal depth
        flush()
        depth -= 1
        end(*element)

    handler.characters, handler.startElementNS, handler.endElementNS = pieces.append, start_element, end_element


def _graph(facts: Facts, wanted: frozenset[str], line: Callable[[], int]) -> Any:
    """A graph for rdflib's parsers to fill, which hands statements on instead of storing them."""
    from rdflib import BNode, Graph, Literal
    from rdflib.store import Store

    def name(node: Any) -> str:
        return intern(f"_:{node}" if isinstance(node, BNode) else str(node))

    class Sink(Store):
        context_aware = graph_aware = formula_aware = True

        def add(self, triple: Any, context: Any, quoted: bool = False) -> None:  # noqa: ARG002
            subject, predicate, target = triple
            if str(predicate) not in wanted:
                return
            if isinstance(target, Literal):
                value = Value(str(target), True, (target.language or "").lower())
            else:
                value = Value(name(target))
            facts.add(name(subject), name(predicate), value, line())

    return Graph(store=Sink(), bind_namespaces="none")


def _broken(path: Path, problem: Exception, line: int | None) -> ReadError:
    """What any parser's exception comes to: its message without its own place, and the line."""
    turtle = _TURTLE_PROBLEM.search(str(problem))
    if turtle:
        return ReadError(
            f"is not Turtle from here on: {turtle[1]}. Correct the file.",
            path=path,
            line=getattr(problem, "lines", 0) + 1,
        )
    text = getattr(problem, "getMessage", problem.__str__)()
    what = "RDF/XML" if line else "RDF"
    return ReadError(f"is not well-formed {what}: {_XML_PLACE.sub('', text)}. Correct the file.", path=path, line=line)


def _check_json(path: Path, text: str) -> None:
    """Tell the line of broken JSON; refuse contexts elsewhere, since reading a file must not reach for the net."""
    queue = [parse_json(path, text)]
    for item in queue:
        if isinstance(item, list):
            queue.extend(item)
        elif isinstance(item, dict):
            context = item.get("@context")
            elsewhere = [c for c in (context if isinstance(context, list) else [context]) if isinstance(c, str)]
            elsewhere += [item["@import"]] if "@import" in item else []
            if elsewhere:
                raise ReadError(
                    f"takes its @context from {elsewhere[0]!r}, which is not read from here. "
                    f"Put the context itself into the file, or convert the file to Turtle.",
                    path=path,
                )
            queue.extend(item.values())
