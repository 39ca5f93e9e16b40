"""SKOS thesauri and classifications (RDF/XML, Turtle, N-Triples, JSON-LD), read with rdflib.

Is-a links are ``skos:broader`` and the inverse of ``skos:narrower``. Their transitive forms are redundant and ignored.
Labels are ``skos:prefLabel`` and ``skos:altLabel``. A ``skos:notation`` is a code of its concept. Ids are short, see
`ontomask.taxonomy.readers.terms`.
"""

from __future__ import annotations

import re
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.rdf import RDFS, SKOS, Facts, about, load, retire, syntax
from ontomask.taxonomy.readers.source import check_option, head
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
    """Whether the file is RDF with SKOS concepts and without classes, which would be an ontology with SKOS labels."""
    text = head(path)
    if syntax(text) is None or SKOS not in text:
        return False
    return _CONCEPT.search(text) is not None and _CLASS.search(text) is None


def read(path: Path, *, language: str | None = "en", glosses: bool = False) -> Taxonomy:
    """Read a thesaurus.

    Parameters
    ----------
    language
        The language of the labels. Labels without a language are always used, those in another language only if a
        concept has no other label. None: all languages.
    glosses
        Keep definitions, or scope notes if there are none.
    """
    check_option(path, "language", language, example="en", optional=True)
    facts = load(path, _WANTED, feature="Reading SKOS files")
    terms: dict[str, Term] = {}
    links = _links(facts)
    typed = [subject for subject in facts.table if SKOS + "Concept" in facts.types(subject)]
    for key in (*typed, *(end for child, parent, _ in links for end in (parent, child))):
        if key.startswith("_:"):
            raise ReadError(
                "A concept has no IRI (a blank node). Give every skos:Concept an IRI.", path=path, code="blank-node"
            )
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
        # Some thesauri use their own types instead of skos:Concept, so a label counts as a declaration.
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
    """Child, parent and line. A link that both concepts state counts once."""
    found: dict[tuple[str, str], int] = {}
    for subject in facts.table:
        for parent, line in facts.links(subject, _BROADER):
            found.setdefault((subject, parent), line)
        for child, line in facts.links(subject, _NARROWER):
            found.setdefault((child, subject), line)
    return [(child, parent, line) for (child, parent), line in found.items()]
