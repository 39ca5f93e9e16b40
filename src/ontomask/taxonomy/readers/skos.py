"""SKOS thesauri and classifications (RDF/XML, Turtle, N-Triples, JSON-LD), through rdflib.

Is-a links are ``skos:broader`` and, turned round, ``skos:narrower``; their transitive forms repeat what
follows from these and are left aside. Labels are ``skos:prefLabel`` and ``skos:altLabel``; a ``skos:notation``
names its concept as a code. Ids are short, see `ontomask.taxonomy.readers.terms`.
"""

from __future__ import annotations

import re
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.rdf import RDFS, SKOS, Facts, about, head, load, retire, syntax
from ontomask.taxonomy.readers.source import check_option
from ontomask.taxonomy.readers.terms import Term, build
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["can_read", "read"]

_BROADER, _NARROWER, _NOTATION = SKOS + "broader", SKOS + "narrower", SKOS + "notation"
_PREFERRED, _OTHER = SKOS + "prefLabel", SKOS + "altLabel"
_GLOSS = (SKOS + "definition", SKOS + "scopeNote", RDFS + "comment")
_WANTED = frozenset({_BROADER, _NARROWER, _NOTATION, _PREFERRED, _OTHER, *_GLOSS})
_CONCEPT = re.compile(r"[:#<\"]Concept(Scheme)?\b")
_CLASS = re.compile(r"owl[:#;]Class\b|<Class\b")


def can_read(path: Path) -> bool:
    """RDF that speaks of SKOS concepts and does not begin with classes: that is an ontology with SKOS labels."""
    text = head(path)
    if syntax(text) is None or SKOS not in text:
        return False
    return _CONCEPT.search(text) is not None and _CLASS.search(text) is None


def read(path: Path, *, language: str | None = "en", glosses: bool = False) -> Taxonomy:
    """Read a thesaurus.

    Parameters
    ----------
    language
        The language of the labels; those without any language always count, those of another only where a
        concept has no label else. None takes all.
    glosses
        Keep definitions, or scope notes where there are none.
    """
    check_option(path, "language", language, example="en", optional=True)
    facts = load(path, _WANTED, feature="Reading SKOS files")
    terms: dict[str, Term] = {}
    links = _links(facts)
    typed = [subject for subject in facts.table if SKOS + "Concept" in facts.types(subject)]
    for key in (*typed, *(end for child, parent, _ in links for end in (parent, child))):
        if key.startswith("_:"):
            raise ReadError("has a concept without an IRI (a blank node). Give every skos:Concept one.", path=path)
        if key not in terms:
            terms[key] = _term(key, facts, language)
    for child, parent, line in links:
        terms[child].parents.append((parent, line))
    name, licence = about(facts, SKOS + "ConceptScheme", path, language)
    parents = dict.fromkeys(parent for _, parent, _ in links)
    return build(
        path,
        terms,
        what="skos:Concept",
        name=name,
        licence=licence,
        glosses=glosses,
        # Some thesauri type their concepts in words of their own, so a label declares one too.
        undeclared=[key for key in parents if not (facts.types(key) or facts.of(key, _PREFERRED))],
    )


def _term(key: str, facts: Facts, language: str | None) -> Term:
    glosses = (word for predicate in _GLOSS for word in facts.words(key, predicate, language))
    term = Term(
        key,
        labels=[
            *facts.names(key, (_PREFERRED, RDFS + "label"), language),
            *facts.words(key, _OTHER, language),
        ],
        notations=facts.texts(key, _NOTATION),
        gloss=next(glosses, ""),
    )
    retire(term, facts, language)
    return term


def _links(facts: Facts) -> list[tuple[str, str, int]]:
    """Child, parent and line; a link that is given from both ends counts once."""
    found: dict[tuple[str, str], int] = {}
    for subject in facts.table:
        for parent, line in facts.links(subject, _BROADER):
            found.setdefault((subject, parent), line)
        for child, line in facts.links(subject, _NARROWER):
            found.setdefault((child, subject), line)
    return [(child, parent, line) for (child, parent), line in found.items()]
