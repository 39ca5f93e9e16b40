"""Shared by the RDF readers (OWL, SKOS): recognise the syntax and parse it with rdflib into `Facts`.

Only rdflib's parsers are used, not its store. A store builds four indices and drops the lines, but the readers need
just a few properties of each subject, in the order of the file.
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

from ontomask.errors import MissingExtraError, ReadError
from ontomask.taxonomy.readers.source import damaged, file_title, head, lines, reading
from ontomask.taxonomy.readers.terms import Term, parse_json, short_id
from ontomask.taxonomy.readers.xml_entities import check_entities

__all__ = ["OWL", "RDFS", "RDF_TYPE", "SKOS", "Facts", "about", "load", "retire", "syntax"]

_DCTERMS = "http://purl.org/dc/terms/"
OWL = "http://www.w3.org/2002/07/owl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

_DC = "http://purl.org/dc/elements/1.1/"
_TITLE = (_DCTERMS + "title", _DC + "title", RDFS + "label", SKOS + "prefLabel")
_LICENCE = (
    _DCTERMS + "license",
    "http://creativecommons.org/ns#license",
    _DCTERMS + "rights",
    _DC + "rights",
)
_DEPRECATED = OWL + "deprecated"
_COMMENT = RDFS + "comment"
_REPLACED = (
    "http://purl.obolibrary.org/obo/IAO_0100001",
    _DCTERMS + "isReplacedBy",
)
_CONSIDERED = "http://www.geneontology.org/formats/oboInOwl#consider"
_COMMON = frozenset({RDF_TYPE, _DEPRECATED, _COMMENT, *_TITLE, *_LICENCE, *_REPLACED, _CONSIDERED})

_XML = re.compile(r"<(\?xml|!DOCTYPE|!--|([\w.-]+:)?RDF\b)")
_XML_ASIDE = re.compile(r"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_XML_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
_TURTLE = re.compile(r"^\s*@?(prefix|base)\s", re.MULTILINE | re.IGNORECASE)
_TRIPLE = re.compile(r"(<[^<>\s]+>|_:\S+)\s+<[^<>\s]+>\s+[<_\"]")
_TURTLE_PROBLEM = re.compile(r"Bad syntax \((.*?)\) at \^", re.DOTALL)
_DEEPEST = 1000
_XML_POSITION = re.compile(r"^.*?:\d+:\d+: ")


class Value(NamedTuple):
    """The object of a statement: a literal, or the name of a node (blank nodes begin with ``_:``)."""

    text: str
    is_literal: bool = False
    language: str = ""


@dataclass
class Facts:
    """Statements by subject and property. Each value has its line, 0 if the parser does not report it."""

    table: dict[str, dict[str, dict[Value, int]]] = field(default_factory=dict)

    def add(self, subject: str, predicate: str, value: Value, line: int) -> None:
        """Add a statement. Repeated statements count once, as in RDF."""
        self.table.setdefault(subject, {}).setdefault(predicate, {}).setdefault(value, line)

    def of(self, subject: str, predicate: str) -> Mapping[Value, int]:
        """The values of a property."""
        return self.table.get(subject, {}).get(predicate, {})

    def links(self, subject: str, *predicates: str) -> Iterator[tuple[str, int]]:
        """The nodes that the properties lead to, with their lines."""
        for predicate in predicates:
            for value, line in self.of(subject, predicate).items():
                if not value.is_literal:
                    yield value.text, line

    def types(self, subject: str) -> set[str]:
        """The types of a subject."""
        return {target for target, _ in self.links(subject, RDF_TYPE)}

    def texts(self, subject: str, *predicates: str) -> list[str]:
        """All values as plain text, in any language."""
        return [value.text for predicate in predicates for value in self.of(subject, predicate)]

    def words(self, subject: str, predicate: str, language: str | None) -> list[str]:
        """The literals in a language (``en`` includes ``en-GB``), then those without a language. None: all literals."""
        # The order of statements has no meaning in RDF.
        literals = sorted((v for v in self.of(subject, predicate) if v.is_literal), key=lambda v: (v.language, v.text))
        if language is None:
            return [value.text for value in literals]
        wanted = language.lower()
        matching = [v for v in literals if v.language == wanted or v.language.startswith(f"{wanted}-")]
        return [value.text for value in (*matching, *(v for v in literals if not v.language))]

    def names(self, subject: str, predicates: Sequence[str], language: str | None) -> list[str]:
        """The words of several properties, in any language if there are none in the given one."""
        for choice in (language, None):
            found = [word for predicate in predicates for word in self.words(subject, predicate, choice)]
            if any(word.strip() for word in found):
                return found
        return []


def syntax(text: str) -> str | None:
    """rdflib's name of the RDF syntax that a text begins with. N-Triples are read as Turtle.

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
    """All statements of a file whose property is in ``wanted`` or is used by every RDF reader."""
    kind = _require_syntax(path)
    try:
        with _quiet():
            return _parse(path, kind, wanted | _COMMON)
    except ImportError:
        raise MissingExtraError(feature, "owl") from None


def about(facts: Facts, kind: str, path: Path, language: str | None) -> tuple[str, str]:
    """Name and licence, from the first subject of the type ``kind`` (an ontology or a concept scheme)."""
    subject = next((s for s in facts.table if kind in facts.types(s)), "")
    titles = facts.names(subject, _TITLE, language)
    # Protégé names new ontologies untitled-ontology-58 or the like. The file's name is better.
    end = "" if subject.startswith(("_:", "file:")) else short_id(subject).removesuffix(".owl")
    name = titles[0] if titles else "" if end.startswith("untitled-ontology") else end
    return name or file_title(path), next(iter(facts.texts(subject, *_LICENCE)), "")


def retire(term: Term, facts: Facts, language: str | None) -> None:
    """Mark a term as withdrawn if the file says so, with the comment and the replacements."""
    if any(text.strip().lower() in ("true", "1") for text in facts.texts(term.key, _DEPRECATED)):
        term.retired = True
        term.comment = " ".join(facts.words(term.key, _COMMENT, language))
        term.replacements = facts.texts(term.key, *_REPLACED)
        term.considered = facts.texts(term.key, _CONSIDERED)


def _require_syntax(path: Path) -> str:
    text = head(path)
    if not text.strip():
        for _ in lines(path, "latin-1"):
            pass  # reading a damaged file raises an error with the line
        raise ReadError("The file is empty. Give an RDF file.", path=path, code="empty")
    kind = syntax(text)
    root = _XML_ROOT.search(_XML_ASIDE.sub("", text)) if kind == "xml" else None
    if kind is None or (root is not None and root[1] == "Ontology"):
        raise ReadError(
            "The file is not RDF in a supported syntax (RDF/XML, Turtle, N-Triples, JSON-LD). Convert ontologies in "
            "OWL/XML, functional or Manchester syntax to RDF/XML, for example with Protégé.",
            path=path,
            code="syntax",
        )
    return kind


@contextmanager
def _quiet() -> Iterator[None]:
    """Stop rdflib from logging, from warning, and from normalising codes (007 to 7)."""
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
    # Relative names are resolved against the file's name without its folder, so that ids contain no local path.
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
    """Stream RDF/XML. The parser reports the line of every statement."""
    from rdflib.parser import create_input_source
    from rdflib.plugins.parsers.rdfxml import create_parser

    check_entities(path)
    with reading(path) as file:
        source = create_input_source(source=file, publicID=base, format="xml")
        parser: Any = None
        graph = _graph(facts, wanted, lambda: parser.getLineNumber())
        parser = create_parser(source, graph)
        _bound_work(parser.getContentHandler())
        try:
            parser.parse(source)
        except (OSError, EOFError, zlib.error) as problem:
            raise damaged(path, problem, parser.getLineNumber()) from problem
        except Exception as problem:
            raise _broken(path, problem, parser.getLineNumber()) from problem


def _bound_work(handler: Any) -> None:
    """Keep the work of rdflib's handler linear in the size of the file.

    By default it copies a text again for every line of it, and an element's content for each enclosing element.
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
    """A graph for rdflib's parsers that passes statements on to ``facts`` instead of storing them."""
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
    """The error for a parser's exception: its message without its own position, and the line."""
    turtle = _TURTLE_PROBLEM.search(str(problem))
    if turtle:
        return ReadError(
            f"This is not valid Turtle: {turtle[1]}. Correct the file.",
            path=path,
            line=getattr(problem, "lines", 0) + 1,
            code="syntax",
        )
    text = getattr(problem, "getMessage", problem.__str__)()
    what = "RDF/XML" if line else "RDF"
    message = f"This is not well-formed {what}: {_XML_POSITION.sub('', text)}. Correct the file."
    return ReadError(message, path=path, line=line, code="syntax")


def _check_json(path: Path, text: str) -> None:
    """Check the JSON, and refuse external contexts: reading a file must not access the network."""
    queue = [parse_json(path, text)]
    for item in queue:
        if isinstance(item, list):
            queue.extend(item)
        elif isinstance(item, dict):
            context = item.get("@context")
            external = [c for c in (context if isinstance(context, list) else [context]) if isinstance(c, str)]
            external += [item["@import"]] if "@import" in item else []
            if external:
                raise ReadError(
                    f"The @context is at {external[0]!r}, which this reader does not load. Put the context into the "
                    f"file, or convert the file to Turtle.",
                    path=path,
                    values=[external[0]],
                    code="external-context",
                )
            queue.extend(item.values())
