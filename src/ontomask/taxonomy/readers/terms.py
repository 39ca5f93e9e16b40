"""Shared by the ontology readers (OBO, OBO Graphs, OWL, SKOS): build a taxonomy from the terms of a file.

Each reader collects `Term` objects under the keys of its file: full IRIs or short codes. `build` makes short ids,
labels, aliases and withdrawn terms of them, in the same way for all formats.

The id of an OBO address is short: ``MONDO:0005015`` for ``http://purl.obolibrary.org/obo/MONDO_0005015``. The id of
another IRI is its last part if that is unique in the file, else the whole IRI.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import unquote

from ontomask.base.text import join_some
from ontomask.errors import Alternatives, ReadError
from ontomask.taxonomy.readers.source import check_option, file_title
from ontomask.taxonomy.taxonomy import Annotations, Retired, Taxonomy
from ontomask.taxonomy.validate import Finding, fail

__all__ = [
    "Prefixes",
    "Synonyms",
    "Term",
    "build",
    "check_synonyms",
    "is_built_in",
    "parse_json",
    "short_id",
]

Synonyms = Literal["exact", "all", "none"]
Prefixes = str | Sequence[str] | None

_BUILT_IN = re.compile(
    r"http://www\.w3\.org/(2002/07/owl|1999/02/22-rdf-syntax-ns|2000/01/rdf-schema|2001/XMLSchema)#|owl:Thing$"
)
_OBO_IRI = re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z][^/#]*)_([^/#_]+)")


@dataclass
class Term:
    """A class, an individual or a concept, under the key that its file uses.

    ``parents`` and ``wholes`` are keys. Each parent has the line of the link, 0 if it is unknown. ``replacements`` take
    the place of a withdrawn term; ``considered`` are only proposed.
    """

    key: str
    labels: list[str] = field(default_factory=list)
    parents: list[tuple[str, int]] = field(default_factory=list)
    wholes: list[str] = field(default_factory=list)
    other_ids: list[str] = field(default_factory=list)
    notations: list[str] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    gloss: str = ""
    retired: bool = False
    comment: str = ""
    replacements: list[str] = field(default_factory=list)
    considered: list[str] = field(default_factory=list)


def check_synonyms(path: Path, synonyms: str) -> None:
    """Validate the option ``synonyms`` before any long work."""
    if synonyms not in get_args(Synonyms):
        raise ReadError(
            f"The 'synonyms' must be one of: {join_some(get_args(Synonyms))}. Got {synonyms!r} instead.",
            path=path,
            parameter="synonyms",
        )


def parse_json(path: Path, text: str) -> Any:
    """Parse a JSON document. Errors have the line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        message = f"This is not valid JSON: {problem.msg}. Correct the file."
        raise ReadError(message, path=path, line=problem.lineno, code="not-json") from None
    except RecursionError:
        raise ReadError(
            "The JSON is nested too deeply. Check that it is an ontology.", path=path, code="too-deep"
        ) from None


def is_built_in(key: str) -> bool:
    """Whether a key belongs to the language itself (``owl:Thing``, ``owl:Class``) and is not a concept."""
    return _BUILT_IN.match(key) is not None


def short_id(key: str) -> str:
    """The short form of a key. A key that is not an IRI stays unchanged.

    >>> short_id("http://purl.obolibrary.org/obo/MONDO_0005015"), short_id("http://example.org/geo#Spain")
    ('MONDO:0005015', 'Spain')
    """
    compact = _curie(key)
    return re.split("[/#]", compact.rstrip("/#"))[-1] if "://" in compact else compact


def _curie(key: str) -> str:
    """The code of an OBO address. Other keys stay unchanged."""
    obo = _OBO_IRI.fullmatch(key)
    return f"{obo[1]}:{obo[2]}" if obo else key


def build(
    path: Path,
    terms: Mapping[str, Term],
    *,
    what: str,
    name: str = "",
    licence: str = "",
    xref_prefix: Prefixes = None,
    glosses: bool = False,
    parts: bool = False,
    code_ids: bool = False,
    undeclared: Collection[str] = (),
) -> Taxonomy:
    """Build the taxonomy of the terms that are not withdrawn.

    ``what`` is the name of a term in this format, for the error if there is none. Codes after ``xref_prefix`` become
    aliases. ``undeclared`` are parents that the file does not declare: a note lists them, as they may be misspelt.
    """
    ids = _short_ids(terms)
    live = [term for term in terms.values() if not term.retired]
    if not live:
        fail("T105", f"The file has no {what}, but a taxonomy needs one. Check that it is the right file.", path=path)
    prefixes = _prefixes(path, xref_prefix)
    links = [(ids[term.key], ids.get(parent, parent), line) for term in live for parent, line in _links(term, terms)]
    taxonomy = Taxonomy.from_edges(
        [(child, parent) for child, parent, _ in links],
        {ids[term.key]: _clean(term.labels) or [unquote(short_id(term.key))] for term in live},
        concepts=[ids[term.key] for term in live],
        annotations=Annotations(
            name=name or file_title(path),
            licence=licence,
            aliases=_aliases(path, live, ids, prefixes),
            retired={ids[term.key]: _retired(term, ids) for term in terms.values() if term.retired},
            code_ids=code_ids or bool(prefixes) or any(term.notations for term in live),
            glosses={ids[term.key]: term.gloss for term in live if term.gloss} if glosses else None,
            parts=_parts(live, ids) if parts else None,
        ),
        path=path,
        lines=[line for _, _, line in links] if any(line for _, _, line in links) else None,
    )
    added = [ids[key] for key in undeclared if not terms[key].retired]
    if not added:
        return taxonomy
    many = "1 parent is" if len(added) == 1 else f"{len(added):,} parents are"
    note = Finding("T112", f"{many} not declared in the file but added: {join_some(added)}", values=tuple(added))
    return replace(taxonomy, notes=(*taxonomy.notes, note))


def _prefixes(path: Path, given: Prefixes) -> list[str]:
    if given is None:
        return []
    prefixes = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    for prefix in prefixes:
        check_option(path, "xref_prefix", prefix, example="ICD9")
    return prefixes


def _short_ids(keys: Iterable[str]) -> dict[str, str]:
    short = {key: short_id(key) for key in keys}
    uses = Counter(short.values())
    return {key: text if text and uses[text] == 1 else key for key, text in short.items()}


def _links(term: Term, terms: Mapping[str, Term]) -> Iterator[tuple[str, int]]:
    """The parents in use. A withdrawn parent is replaced by its own parents, since is-a is transitive."""
    for parent, line in term.parents:
        queue, seen = [parent], {term.key}
        for above in queue:
            if above in seen:
                continue
            seen.add(above)
            if above in terms and terms[above].retired:
                queue.extend(higher for higher, _ in terms[above].parents)
            else:
                yield above, line


def _clean(labels: Iterable[str]) -> list[str]:
    """Labels on one line each, without empty ones."""
    return [text for text in (" ".join(label.split()) for label in labels) if text]


def _retired(term: Term, ids: Mapping[str, str]) -> Retired:
    comment = " ".join(term.comment.split())
    exact = dict.fromkeys(ids.get(key, short_id(key)) for key in term.replacements)
    others = dict.fromkeys(ids.get(key, short_id(key)) for key in term.considered)
    use = next(iter(exact)) if len(exact) == 1 else ""
    return Retired(f"obsolete: {comment}" if comment else "obsolete", tuple(exact | others), use)


def _parts(live: Sequence[Term], ids: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    used = {term.key for term in live}
    return _table((ids[whole], ids[term.key]) for term in live for whole in term.wholes if whole in used)


def _aliases(
    path: Path, live: Sequence[Term], ids: Mapping[str, str], prefixes: Sequence[str]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Aliases by kind, in the order in which a look-up tries them."""
    xrefs = [(_curie(xref), ids[term.key]) for term in live for xref in term.xrefs]
    kinds = {"alternative id": [(other, ids[term.key]) for term in live for other in term.other_ids]}
    for prefix in prefixes:
        kinds[f"{prefix} xref"] = _bare(path, xrefs, prefix)
    kinds["notation"] = [(code, ids[term.key]) for term in live for code in term.notations]
    kinds["xref"] = xrefs
    kinds["IRI"] = [(term.key, ids[term.key]) for term in live if term.key != ids[term.key]]
    return {kind: _table(codes) for kind, codes in kinds.items() if codes}


def _bare(path: Path, xrefs: Sequence[tuple[str, str]], prefix: str) -> list[tuple[str, str]]:
    """The codes after a prefix. No such code is an error, because otherwise no value would be mapped."""
    split = [(xref.partition(":"), concept) for xref, concept in xrefs]
    found = [(code, concept) for (head, _, code), concept in split if code and head.lower() == prefix.lower()]
    if not found:
        known = dict.fromkeys(head for (head, _, code), _ in split if code)
        hint = f"Choose one of: {join_some(known)}." if known else "The file has no xrefs: leave the option out."
        message = f"No xref has the prefix {prefix!r}. "
        raise ReadError(message, Alternatives(known, hint), path=path, parameter="xref_prefix")
    return found


def _table(codes: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The concepts of each code, each once."""
    table: dict[str, dict[str, None]] = {}
    for code, concept in codes:
        table.setdefault(code, {}).setdefault(concept)
    return {code: tuple(concepts) for code, concepts in table.items()}
