"""OWL ontologies in RDF/XML (also Turtle, N-Triples, JSON-LD), read with rdflib.

Concepts are the classes and the named individuals, which are leaves below their types and which pronto ignores. Is-a
links are ``rdfs:subClassOf`` and ``rdf:type`` to named classes, and the named classes of an ``owl:intersectionOf`` that
a class is equal to or a subclass of. Other expressions are ignored. ``owl:Thing`` is not a concept. Deprecated classes
are kept as withdrawn.

Labels are ``rdfs:label``, then those of SKOS and OBO, else the end of the IRI. Ids are short, see
`ontomask.taxonomy.readers.terms`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ontomask.taxonomy.readers.rdf import OWL, RDF_TYPE, RDFS, SKOS, Facts, about, load, retire, syntax
from ontomask.taxonomy.readers.source import check_option, head
from ontomask.taxonomy.readers.terms import Prefixes, Synonyms, Term, build, check_synonyms, is_built_in
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["can_read", "read"]

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_OBO = "http://purl.obolibrary.org/obo/"
_OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"

_CLASSES = {OWL + "Class", OWL + "DeprecatedClass", RDFS + "Class"}
_INDIVIDUAL = OWL + "NamedIndividual"
_SUBCLASS, _EQUIVALENT, _ALL_OF = RDFS + "subClassOf", OWL + "equivalentClass", OWL + "intersectionOf"
_FIRST, _REST = _RDF + "first", _RDF + "rest"
_NAMES = (RDFS + "label", SKOS + "prefLabel")
_EXACT = (SKOS + "altLabel", _OBO_IN_OWL + "hasExactSynonym", _OBO + "IAO_0000118")
_LOOSE = tuple(f"{_OBO_IN_OWL}has{scope}Synonym" for scope in ("Related", "Narrow", "Broad"))
_GLOSS = (_OBO + "IAO_0000115", SKOS + "definition", RDFS + "comment")
_OTHER_ID, _XREF, _NOTATION = _OBO_IN_OWL + "hasAlternativeId", _OBO_IN_OWL + "hasDbXref", SKOS + "notation"
_WANTED = frozenset(
    {_SUBCLASS, _EQUIVALENT, _ALL_OF, _FIRST, _REST, *_NAMES, *_EXACT, *_LOOSE, *_GLOSS, _OTHER_ID, _XREF, _NOTATION}
)
_CLASS_IN_RDFS = re.compile(r"[:#<]Class\b")


def can_read(path: Path) -> bool:
    """Whether the file is RDF with the namespace of OWL, or with classes of RDF Schema."""
    text = head(path)
    if syntax(text) is None:
        return False
    return OWL in text or (RDFS in text and _CLASS_IN_RDFS.search(text) is not None)


def read(
    path: Path,
    *,
    language: str | None = "en",
    synonyms: Synonyms = "exact",
    xref_prefix: Prefixes = None,
    glosses: bool = False,
) -> Taxonomy:
    """Read an ontology.

    Parameters
    ----------
    language
        The language of the labels. Labels without a language are always used, those in another language only if a
        concept has no other label. None: all languages.
    synonyms
        Which synonyms become labels: exact ones (and ``skos:altLabel``), all, or none.
    xref_prefix
        One or several prefixes of cross-references, such as ``ICD9``. The bare codes after the prefix become aliases
        of the concepts, so that a column of such codes can be mapped.
    glosses
        Keep definitions, or comments if there are none.
    """
    check_synonyms(path, synonyms)
    check_option(path, "language", language, example="en", optional=True)
    facts = load(path, _WANTED, feature="Reading OWL files")
    predicates = {"none": (), "exact": _EXACT, "all": (*_EXACT, *_LOOSE)}[synonyms]
    terms: dict[str, Term] = {}
    declared = dict.fromkeys(_declared(facts))
    queue = list(declared)
    for key in queue:
        if key not in terms:
            terms[key] = _term(key, facts, language, predicates)
            queue.extend(parent for parent, _ in terms[key].parents)
    name, licence = about(facts, OWL + "Ontology", path, language)
    return build(
        path,
        terms,
        what="owl:Class and no owl:NamedIndividual",
        name=name,
        licence=licence,
        xref_prefix=xref_prefix,
        glosses=glosses,
        undeclared=[key for key in terms if key not in declared],
    )


def _declared(facts: Facts) -> Iterator[str]:
    """Classes and individuals in the order of the file. In OWL 1, individuals need no declaration."""
    types = {subject: facts.types(subject) for subject in facts.table}
    classes = {subject for subject in types if types[subject] & _CLASSES or facts.of(subject, _SUBCLASS)}
    for subject in facts.table:
        is_individual = _INDIVIDUAL in types[subject] or not types[subject].isdisjoint(classes)
        if (subject in classes or is_individual) and _is_named(subject):
            yield subject


def _is_named(key: str) -> bool:
    return not key.startswith("_:") and not is_built_in(key)


def _term(key: str, facts: Facts, language: str | None, synonyms: tuple[str, ...]) -> Term:
    words = [word for predicate in synonyms for word in facts.words(key, predicate, language)]
    glosses = (word for predicate in _GLOSS for word in facts.words(key, predicate, language))
    term = Term(
        key,
        labels=[*facts.names(key, _NAMES, language), *words],
        parents=list(_parents(key, facts).items()),
        other_ids=facts.texts(key, _OTHER_ID),
        notations=facts.texts(key, _NOTATION),
        xrefs=facts.texts(key, _XREF),
        gloss=next(glosses, ""),
    )
    retire(term, facts, language)
    if OWL + "DeprecatedClass" in facts.types(key):
        term.retired = True
    return term


def _parents(key: str, facts: Facts) -> dict[str, int]:
    """Named classes above a class or an individual, with the line of each link.

    Equivalent named classes are left out, because they would be each other's parents.
    """
    found = {target: line for target, line in facts.links(key, _SUBCLASS, RDF_TYPE) if _is_named(target)}
    own = ((key, line) for _, line in facts.links(key, _ALL_OF))
    for node, line in (*facts.links(key, _SUBCLASS, RDF_TYPE, _EQUIVALENT), *own):
        if node == key or node.startswith("_:"):
            for member in _conjuncts(node, facts):
                found.setdefault(member, line)
    return found


def _conjuncts(node: str, facts: Facts) -> Iterator[str]:
    """The named classes of the intersection at a node, including those of nested intersections."""
    cells = [cell for cell, _ in facts.links(node, _ALL_OF)]
    seen: set[str] = set()
    for cell in cells:
        if cell in seen:
            continue
        seen.add(cell)
        cells.extend(rest for rest, _ in facts.links(cell, _REST))
        for member, _ in facts.links(cell, _FIRST):
            if _is_named(member):
                yield member
            elif member.startswith("_:"):
                cells.extend(inner for inner, _ in facts.links(member, _ALL_OF))
