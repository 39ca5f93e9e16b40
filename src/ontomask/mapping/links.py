"""Links between the concepts of two ontologies: from a file, or from the cross-references of one of them.

A file is a FHIR ConceptMap, SSSOM (a table of ``subject_id``, ``predicate_id`` and ``object_id``) or any delimited file
with two columns of ids and, optionally, one of predicates. Predicates are those of SKOS, OWL and FHIR R5, or
``equivalent`` and ``is_a``. Others, such as ``skos:relatedMatch``, say nothing about is-a and are left out. So are rows
of SSSOM with the modifier ``Not``.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ontomask.errors import ReadError, TaxonomyError
from ontomask.mapping.concept_map import ConceptMapping, is_concept_map, read_concept_map
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.merging import Link, Relation, merge_taxonomies
from ontomask.taxonomy.readers.source import DELIMITERS, check_width, lines

__all__ = ["combine", "read_links", "xref_links"]

_SUBJECT = ("subject_id", "subject", "source", "from", "first")
_OBJECT = ("object_id", "object", "target", "to", "second")
_PREDICATE = ("predicate_id", "predicate", "relation", "relationship")
_MODIFIER = ("predicate_modifier",)
# What each predicate says about the subject. In SKOS, "a broadMatch b" says that b is the broader concept.
_RELATIONS: Mapping[str, Relation] = {
    **dict.fromkeys(("", "equivalent", "equal", "exactmatch", "equivalentclass", "sameas"), "equivalent"),
    **dict.fromkeys(("is_a", "broadmatch", "subclassof", "source-is-narrower-than-target"), "narrower"),
    **dict.fromkeys(("narrowmatch", "source-is-broader-than-target"), "broader"),
}
_DIRECTIONS: tuple[Relation, ...] = ("equivalent", "narrower", "broader")
_OTHERS = ("closematch", "relatedmatch", "related-to", "not-related-to", "hasdbxref")


def read_links(path: str | Path, *, encoding: str = "utf-8") -> tuple[Link, ...]:
    """Read links between concepts from a file.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "links.csv"
    >>> _ = file.write_text("subject,predicate,object\\nX:1,skos:exactMatch,Y:1\\nX:2,skos:broadMatch,Y:1\\n")
    >>> for link in read_links(file): print(link)
    Link(subject='X:1', object='Y:1', relation='equivalent')
    Link(subject='X:2', object='Y:1', relation='narrower')
    """
    path = Path(path).expanduser()
    if is_concept_map(path):
        return tuple(_stated(read_concept_map(path)))
    delimiter = ""
    columns: tuple[int | None, ...] = (0, 1, None, None)
    width = 0
    found: dict[Link, None] = {}
    for line, text in lines(path, encoding):
        # The metadata of SSSOM come first, behind '#'.
        if text.startswith("#") or not text.strip():
            continue
        if not delimiter:
            delimiter = max(DELIMITERS, key=text.count)
            cells = _split(path, line, text, delimiter)
            columns, is_header = _columns(path, line, cells)
            width = len(cells)
            if is_header:
                continue
        cells = _split(path, line, text, delimiter)
        check_width(path, line, cells, width, f"Put quotes around a cell with {delimiter!r}.")
        subject, object_, predicate, modifier = ("" if at is None or at >= len(cells) else cells[at] for at in columns)
        if not subject or not object_:
            raise ReadError("A link needs two ids. Give both, or delete the row.", path=path, line=line, code="cells")
        relation = _relation(path, line, predicate)
        if relation is not None and modifier.casefold() != "not":
            found.setdefault(Link(subject, object_, relation))
    if not delimiter:
        raise ReadError("The file has no links. Give rows of two ids.", path=path, code="empty")
    return tuple(found)


def _stated(mapping: ConceptMapping) -> Iterator[Link]:
    """The links of a ConceptMap, without those that say nothing about is-a."""
    for code, link in mapping.links.items():
        yield from (Link(code, link.concept, relation) for relation in _DIRECTIONS if relation == link.relation)


def _split(path: Path, line: int, text: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter))]
    except csv.Error as problem:
        raise ReadError(f"The row is damaged: {problem}. Correct it.", path=path, line=line, code="cells") from None


def _columns(path: Path, line: int, head: Sequence[str]) -> tuple[tuple[int | None, ...], bool]:
    """The columns of the subject, the object, the predicate and its modifier, and whether this is the header."""
    names = [cell.casefold() for cell in head]

    def find(known: Sequence[str]) -> int | None:
        return next((names.index(name) for name in known if name in names), None)

    subject, object_ = find(_SUBJECT), find(_OBJECT)
    if subject is not None and object_ is not None:
        return (subject, object_, find(_PREDICATE), find(_MODIFIER)), True
    if len(head) not in (2, 3):
        raise ReadError(
            "A row of a file of links has two ids and perhaps a predicate. If it has more columns, give it a header "
            "with subject_id and object_id.",
            path=path,
            line=line,
            code="columns",
        )
    return (0, 1, 2 if len(head) == 3 else None, None), False


def _relation(path: Path, line: int, text: str) -> Relation | None:
    """What a predicate says, ``None`` if it says nothing about is-a."""
    name = text.casefold().rsplit("#", 1)[-1].rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    if name in _RELATIONS or name in _OTHERS:
        return _RELATIONS.get(name)
    message = f"The predicate {text!r} is not known. Use one such as skos:exactMatch, skos:broadMatch or is_a."
    raise ReadError(message, path=path, line=line, code="predicate")


def xref_links(taxonomies: Sequence[Taxonomy]) -> tuple[Link, ...]:
    """Links from the cross-references of each ontology to the ids of the others.

    A cross-reference is a prefix and an id, such as ``ICD9:250.0``. Of the prefixes whose ids another ontology has, the
    one with most of them is taken. Whole references that are ids (``MONDO:0005015``) always count.
    """
    found: dict[Link, None] = {}
    for subject in taxonomies:
        tables = subject.annotations.aliases
        xrefs = [(code, ids) for kind, table in tables.items() if kind.endswith("xref") for code, ids in table.items()]
        for object_ in taxonomies:
            if object_ is subject:
                continue
            split = [(*code.rpartition(":")[::2], code, ids) for code, ids in xrefs]
            hits = Counter(prefix for prefix, local, _, _ in split if prefix and local in object_)
            best = min(hits, key=lambda prefix: (-hits[prefix], prefix), default=None)
            for prefix, local, code, ids in split:
                target = code if code in object_ else local if prefix == best and prefix and local in object_ else None
                if target is not None:
                    found.update(dict.fromkeys(Link(concept, target) for concept in ids))
    return tuple(found)


def combine(taxonomies: Sequence[Taxonomy], links: Any = None, *, in_order: bool = False) -> Taxonomy:
    """Several ontologies as one: see `ontomask.merge_taxonomies`.

    ``links`` are links, pairs of ids, the path of a file of links or of a FHIR ConceptMap, such a map that
    `ontomask.read_mapping` has read, ``"xrefs"`` for the cross-references of the ontologies, or ``None`` for ontologies
    that meet in a virtual root only.
    """
    if isinstance(links, str) and links == "xrefs":
        made: Iterable[tuple[str, ...]] = xref_links(taxonomies)
        if not made:
            text = "None of these ontologies has cross-references to the ids of another. Give links from a file."
            raise TaxonomyError(text, parameter="links", code="no-link")
    elif isinstance(links, ConceptMapping):
        made = _stated(links)
    elif isinstance(links, (str, Path)):
        made = read_links(links)
    elif links is None or isinstance(links, Iterable):
        made = links or ()
    else:
        text = f"The 'links' must be pairs of ids, a path, or 'xrefs'. Got {type(links).__name__} instead."
        raise TaxonomyError(text, parameter="links")
    return merge_taxonomies(taxonomies, made, in_order=in_order)
