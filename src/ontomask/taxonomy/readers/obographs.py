"""OBO Graphs: ontologies as JSON, the exchange format of OBO tools.

Classes and individuals are concepts, also those that occur in an edge only. Links are ``is_a`` and ``type`` edges and
the genera of logical definitions. Ids are short (``MONDO:0005015``), see `ontomask.taxonomy.readers.terms`. Deprecated
nodes are kept as withdrawn. fastobo's converter to OBO is not used, because it loses individuals and IRIs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import head, lines
from ontomask.taxonomy.readers.terms import (
    Prefixes,
    Synonyms,
    Term,
    build,
    check_synonyms,
    is_built_in,
    parse_json,
    short_id,
)
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_GRAPHS = re.compile(r'"graphs"\s*:')
_IS_A = ("is_a", "type")
_PART_OF = ("part_of", "BFO:0000050")
_REPLACED, _CONSIDERED = "IAO:0100001", "consider"


def can_read(path: Path) -> bool:
    """Whether the file is JSON with the key ``graphs`` near its beginning."""
    text = head(path).lstrip()
    return text.startswith("{") and _GRAPHS.search(text) is not None


def read(
    path: Path,
    *,
    synonyms: Synonyms = "exact",
    xref_prefix: Prefixes = None,
    glosses: bool = False,
    parts: bool = False,
) -> Taxonomy:
    """Read an OBO Graphs document. All its graphs together form one taxonomy.

    Parameters
    ----------
    synonyms
        Which synonyms become labels besides ``lbl``: exact ones, all, or none.
    xref_prefix
        One or several prefixes of cross-references, such as ``ICD9``. The bare codes after the prefix become aliases
        of the concepts, so that a column of such codes can be mapped.
    glosses, parts
        Keep definitions, and the part-of links.
    """
    check_synonyms(path, synonyms)
    document = parse_json(path, "\n".join(line for _, line in lines(path)))
    try:
        terms = _terms(path, document["graphs"], synonyms)
        name, licence = _about(document["graphs"])
    except (AttributeError, KeyError, TypeError) as problem:
        raise ReadError(
            f"The file is JSON but not OBO Graphs: {problem}. OBO Graphs have a list 'graphs', each with a list of "
            f"'nodes' with an 'id' and a list of 'edges' with 'sub', 'pred' and 'obj'. Check the file.",
            path=path,
            code="not-obo-graphs",
        ) from problem
    return build(
        path,
        terms,
        what="node of type CLASS or INDIVIDUAL",
        name=name,
        licence=licence,
        xref_prefix=xref_prefix,
        glosses=glosses,
        parts=parts,
        code_ids=True,
    )


def _about(graphs: list[Any]) -> tuple[str, str]:
    """Name and licence from the first graph."""
    first = graphs[0] if graphs else {}
    stated = dict(reversed(list(_properties(first))))
    end = short_id(_text(first, "id")) if "id" in first else ""
    return stated.get("title") or end.removesuffix(".owl").removesuffix(".json"), stated.get("license", "")


def _terms(path: Path, graphs: list[Any], synonyms: Synonyms) -> dict[str, Term]:
    terms: dict[str, Term] = {}
    properties: set[str] = set()
    for graph in graphs:
        # Graphs may share nodes, since one may import another. Within a graph, nodes are unique.
        here: set[str] = set()
        for node in graph.get("nodes") or ():
            key, kind = _text(node, "id"), node.get("type")
            if kind == "PROPERTY":
                properties.add(key)
            # A node without type and label is usually a reference to a term of another ontology.
            elif (kind or node.get("lbl")) and not is_built_in(key):
                if key in here:
                    fail("T104", f"The node {key!r} is declared twice. Remove one of them.", path=path, values=[key])
                here.add(key)
                terms.setdefault(key, _term(node, synonyms))
    for graph in graphs:
        for child, parent in _links(graph):
            if child not in properties and not is_built_in(child) and not is_built_in(parent):
                terms.setdefault(parent, Term(parent))
                above = terms.setdefault(child, Term(child)).parents
                if (parent, 0) not in above:
                    above.append((parent, 0))
    for part, predicate, whole in _edges(graphs):
        if short_id(predicate) in _PART_OF and part in terms:
            terms[part].wholes.append(whole)
    return terms


def _edges(graphs: list[Any]) -> Iterator[tuple[str, str, str]]:
    for graph in graphs:
        for edge in graph.get("edges") or ():
            yield _text(edge, "sub"), _text(edge, "pred"), _text(edge, "obj")


def _links(graph: Any) -> Iterator[tuple[str, str]]:
    for child, predicate, parent in _edges([graph]):
        if predicate in _IS_A:
            yield child, parent
    for axiom in graph.get("logicalDefinitionAxioms") or ():
        child = _text(axiom, "definedClassId")
        for genus in axiom.get("genusIds") or ():
            yield child, genus


def _term(node: Any, synonyms: Synonyms) -> Term:
    meta = node.get("meta") or {}
    stated = list(_properties(node))
    words = [
        _text(synonym, "val")
        for synonym in meta.get("synonyms") or ()
        if synonyms == "all" or (synonyms == "exact" and short_id(_text(synonym, "pred")) == "hasExactSynonym")
    ]
    definition = meta.get("definition")
    return Term(
        _text(node, "id"),
        labels=[_text(node, "lbl"), *words] if node.get("lbl") else words,
        other_ids=[value for predicate, value in stated if predicate == "hasAlternativeId"],
        xrefs=[_text(xref, "val") for xref in meta.get("xrefs") or ()],
        gloss=_text(definition, "val") if definition else "",
        retired=bool(meta.get("deprecated")),
        comment=" ".join(meta.get("comments") or ()),
        replacements=[value for predicate, value in stated if predicate == _REPLACED],
        considered=[value for predicate, value in stated if predicate == _CONSIDERED],
    )


def _properties(owner: Any) -> Iterator[tuple[str, str]]:
    """The basic properties of a node or a graph, with short names."""
    for statement in (owner.get("meta") or {}).get("basicPropertyValues") or ():
        yield short_id(_text(statement, "pred")), _text(statement, "val")


def _text(owner: Any, key: str) -> str:
    value = owner.get(key)
    if not isinstance(value, str):
        raise TypeError(f"{key!r} is missing or not a text in {str(owner)[:200]}")
    return value
