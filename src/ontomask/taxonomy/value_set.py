"""FHIR ValueSets (JSON, R4 and R5): the codes that a column may hold.

A ValueSet lists codes, or says which ones by filters on the is-a links (``compose``), or both. An ``expansion`` that is
complete is used instead. The codes are resolved against a taxonomy, which must be that of the ValueSet's code system.
Filters on other properties of concepts, and regular expressions, are refused: a taxonomy does not have what they need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ontomask.base.text import join_some
from ontomask.errors import ReadError, TaxonomyError
from ontomask.taxonomy.readers.fhir_json import Resource, read_resources
from ontomask.taxonomy.readers.source import check_option
from ontomask.taxonomy.taxonomy import VIRTUAL_ROOT, Taxonomy

__all__ = ["ValueSet", "read_value_set"]

Codes = frozenset[str]

# The concepts that a filter on ``concept`` selects.
_FILTERS: dict[str, Callable[[Taxonomy, str], Codes]] = {
    "=": lambda t, c: frozenset([c]).intersection(t.ids),
    "is-a": lambda t, c: frozenset(t.descendants(c)),
    "descendent-of": lambda t, c: frozenset(t.descendants(c)) - {c},
    "is-not-a": lambda t, c: frozenset(t.ids) - frozenset(t.descendants(c)),
    "child-of": lambda t, c: frozenset(t.children(c)),
    "descendent-leaf": lambda t, c: frozenset(d for d in t.descendants(c) if d != c and not t.children(d)),
    "generalizes": lambda t, c: t.subsumers(c),
}
_LISTS = {"in": False, "not-in": True}
_LINKS = {"parent": "child-of"}
# Real value sets import at most a few levels deep.
_DEEPEST = 100


@dataclass(frozen=True, eq=False)
class _Rule:
    """Codes of one system: those listed, or those that fulfil all filters; and those in all imported value sets."""

    resource: Resource
    where: tuple[str | int, ...]
    has_system: bool = True
    listed: tuple[str, ...] | None = None
    filters: tuple[tuple[str, str], ...] = ()
    imported: tuple[ValueSet, ...] = ()

    def codes(self, taxonomy: Taxonomy, known: dict[int, Codes]) -> Codes:
        """The codes in a taxonomy."""
        found = [value_set._codes(taxonomy, known) for value_set in self.imported]
        if self.listed is not None:
            gone = taxonomy.annotations.retired
            self._check(taxonomy, [code for code in self.listed if code not in gone])
            found.append(frozenset(code for code in self.listed if code not in gone))
        elif self.has_system:
            found.append(frozenset(taxonomy.ids) - {VIRTUAL_ROOT})
        for operator, value in self.filters:
            if operator in _LISTS:
                named = frozenset(part.strip() for part in value.split(","))
                found.append(frozenset(taxonomy.ids) - named if _LISTS[operator] else named)
            else:
                self._check(taxonomy, [value])
                found.append(_FILTERS[operator](taxonomy, value))
        return frozenset.intersection(*found)

    def _check(self, taxonomy: Taxonomy, codes: Sequence[str]) -> None:
        unknown = [code for code in codes if code not in taxonomy]
        if unknown:
            raise ReadError(
                f"{len(unknown):,} of {len(codes):,} codes of the ValueSet are not in {taxonomy!r}: "
                f"{join_some(unknown)}. Give the ontology that the ValueSet is made from.",
                path=self.resource.path,
                line=self.resource.line(self.resource.start, *self.where),
                values=unknown,
                code="unknown-concept",
            )


@dataclass(frozen=True, eq=False, repr=False)
class ValueSet:
    """The codes that a column may hold. ``Nominal(domain=...)`` takes it.

    Attributes
    ----------
    name, url
        Its title and its address.
    systems
        The code systems of its codes.
    """

    name: str
    url: str
    systems: tuple[str, ...] = ()
    _include: tuple[_Rule, ...] = ()
    _exclude: tuple[_Rule, ...] = field(default=())

    def __repr__(self) -> str:
        return f"<ValueSet {self.name!r}>"

    def codes(self, taxonomy: Taxonomy) -> tuple[str, ...]:
        """The concepts of a taxonomy that are in the value set, in the order of the taxonomy."""
        found = self._codes(taxonomy, {})
        return tuple(c for c in taxonomy.ids if c in found)

    def _codes(self, taxonomy: Taxonomy, known: dict[int, Codes]) -> Codes:
        # Many value sets may import the same one. ``known`` has the codes of those that were resolved.
        if id(self) not in known:
            included = frozenset[str]().union(*(rule.codes(taxonomy, known) for rule in self._include))
            known[id(self)] = included.difference(*(rule.codes(taxonomy, known) for rule in self._exclude))
        return known[id(self)]

    def restrict(self, taxonomy: Taxonomy) -> tuple[Taxonomy, str]:
        """The taxonomy of the codes and their subsumers, and the concept that names the domain: their LCS.

        Subsumers that are not in the value set stay, because values are generalised to them.
        """
        codes = self.codes(taxonomy)
        if not codes:
            raise TaxonomyError(
                f"The value set {self.name!r} has no concept of {taxonomy!r}. Give the ontology that it is made from.",
                code="empty-value-set",
            )
        return taxonomy.subtaxonomy(codes), taxonomy.lcs(*codes)


def read_value_set(path: str | Path, *, url: str | None = None, system: str | None = None) -> ValueSet:
    """Read a FHIR ValueSet.

    Parameters
    ----------
    path
        A file (JSON, plain or gzip) with a ValueSet, a Bundle, NDJSON, or a folder of these.
    url
        The ValueSet to read: its ``url``, with or without ``|version``, or its ``id``. Needed if there are several.
        Those that it imports must be in the same Bundle or folder.
    system
        The code system whose codes are wanted. Needed if the value set has codes of several systems.

    Examples
    --------
    >>> import json, tempfile
    >>> file = Path(tempfile.mkdtemp()) / "pains.json"
    >>> only = {"property": "concept", "op": "descendent-of", "value": "pain"}
    >>> content = {"resourceType": "ValueSet", "compose": {"include": [{"system": "http://x", "filter": [only]}]}}
    >>> _ = file.write_text(json.dumps(content))
    >>> t = Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> read_value_set(file).codes(t)
    ('ache', 'colic')
    """
    file = Path(path).expanduser()
    check_option(file, "url", url, example="http://hl7.org/fhir/ValueSet/allergy-code", optional=True)
    check_option(file, "system", system, example="http://loinc.org", optional=True)
    library = _Library(file, system)
    chosen = [r for r in library.resources if url is None or url in _names(r.content)]
    if len(chosen) != 1:
        known = [_canonical(r.content) for r in chosen or library.resources]
        problem = f"There are {len(chosen):,} value sets" if chosen else f"No value set is {url!r}"
        raise ReadError(
            f"{problem}. Give url= one of these: {join_some(known, 20)}.",
            path=file,
            parameter="url",
            values=known,
            code="several-value-sets" if chosen else "unknown-value-set",
        )
    found = library.read(chosen[0])
    if system is None and len(found.systems) > 1:
        raise ReadError(
            f"The value set has codes of {len(found.systems):,} systems. Give system= one of these: "
            f"{join_some(found.systems, 20)}.",
            path=file,
            parameter="system",
            values=found.systems,
            code="several-systems",
        )
    if system is not None and system not in found.systems:
        raise ReadError(
            f"The value set has no codes of {system!r}, but of {join_some(found.systems, 20) or 'no system'}. Give one "
            f"of these.",
            path=file,
            parameter="system",
            values=found.systems,
            code="unknown-system",
        )
    return found


def _canonical(content: Mapping[str, Any]) -> str:
    return "|".join(str(part) for part in (content.get("url"), content.get("version")) if part)


def _names(content: Mapping[str, Any]) -> tuple[object, ...]:
    return content.get("url"), _canonical(content), content.get("id")


class _Library:
    """The value sets of a file or folder, which may import each other."""

    def __init__(self, path: Path, system: str | None) -> None:
        self.resources = read_resources(path, "ValueSet")
        self._system = system
        # ``None`` while a value set is being read.
        self._found: dict[int, ValueSet | None] = {}

    def read(self, resource: Resource) -> ValueSet:
        """The value set of a resource, with those that it imports."""
        self._found[id(resource)] = None
        found = self._found[id(resource)] = self._read(resource)
        return found

    def _read(self, resource: Resource) -> ValueSet:
        content = resource.content
        try:
            expansion = content.get("expansion")
            include = self._expansion(resource, expansion) if expansion else None
            exclude: list[tuple[str, _Rule]] = []
            if include is None:
                include = self._rules(resource, content, "include")
                exclude = self._rules(resource, content, "exclude")
        except (AttributeError, KeyError, TypeError) as problem:
            raise resource.misshapen(problem) from None
        if not include:
            raise ReadError(
                "The value set has neither 'compose' nor a complete 'expansion', so its codes are unknown. Get a file "
                "with them.",
                path=resource.path,
                line=resource.line(resource.start),
                code="no-codes",
            )
        systems = dict.fromkeys(s for system, rule in include for s in _systems(system, rule))
        wanted = (self._system, "")
        return ValueSet(
            str(content.get("title") or content.get("name") or resource.path.stem),
            str(content.get("url") or ""),
            tuple(filter(None, systems)),
            tuple(rule for system, rule in include if self._system is None or system in wanted),
            tuple(rule for system, rule in exclude if self._system is None or system in wanted),
        )

    def _rules(self, resource: Resource, content: Mapping[str, Any], side: str) -> list[tuple[str, _Rule]]:
        found = []
        for number, part in enumerate((content.get("compose") or {}).get(side) or ()):
            where = ("compose", side, number)
            listed = [_text(concept["code"]) for concept in part["concept"]] if "concept" in part else None
            filters = [self._filter(resource, where, given) for given in part.get("filter") or ()]
            imported = [self._import(resource, where, _text(name)) for name in part.get("valueSet") or ()]
            system = _text(part.get("system", ""))
            if not system and not imported:
                raise TypeError(f"an element of {side!r} has neither a system nor a value set")
            rule = _Rule(
                resource,
                where,
                bool(system),
                None if listed is None else tuple(listed),
                tuple(filters),
                tuple(imported),
            )
            found.append((system, rule))
        return found

    def _filter(self, resource: Resource, where: tuple[str | int, ...], given: Any) -> tuple[str, str]:
        name, operator, value = (_text(given[key]) for key in ("property", "op", "value"))
        if name in _LINKS and operator == "=":
            return _LINKS[name], value
        if name not in ("concept", "code") or operator not in (*_FILTERS, *_LISTS):
            raise ReadError(
                f"The filter {name!r} {operator} {value!r} cannot be applied: a taxonomy has is-a links, but not this "
                f"property or kind of filter. Give a ValueSet with an expansion, or list the codes.",
                path=resource.path,
                line=resource.line(resource.start, *where, "filter"),
                code="filter",
                values=[name, operator],
            )
        return operator, value

    def _import(self, resource: Resource, where: tuple[str | int, ...], name: str) -> ValueSet:
        known = next((r for r in self.resources if name in _names(r.content)[:2]), None)
        if known is None:
            problem, hint, code = "is imported but not here", "Give a folder or a Bundle with both.", "unknown-import"
        elif id(known) not in self._found and sum(found is None for found in self._found.values()) < _DEEPEST:
            return self.read(known)
        elif id(known) not in self._found:
            problem, code = f"is the end of a chain of more than {_DEEPEST} imports", "deep-import"
            hint = "Give a ValueSet with an expansion."
        else:
            found = self._found[id(known)]
            if found is not None:
                return found
            problem, hint, code = "imports itself", "Correct the file.", "cyclic-import"
        raise ReadError(
            f"The value set {name!r} {problem}. {hint}",
            path=resource.path,
            line=resource.line(resource.start, *where, "valueSet"),
            code=code,
            values=[name],
        )

    def _expansion(self, resource: Resource, expansion: Any) -> list[tuple[str, _Rule]] | None:
        """The codes of an expansion by system; ``None`` if it is not complete."""
        codes: dict[str, list[str]] = {}
        number = 0
        for entry in _entries(expansion.get("contains")):
            if entry.get("code") is not None:
                number += 1
                if not entry.get("abstract"):
                    codes.setdefault(_text(entry.get("system", "")), []).append(_text(entry["code"]))
        stated = expansion.get("total", number)
        partial = any("toocostly" in str(e.get("url")).lower() for e in expansion.get("extension") or ())
        if not isinstance(stated, int) or stated > number or partial or not codes:
            return None
        return [
            (system, _Rule(resource, ("expansion", "contains"), True, tuple(listed)))
            for system, listed in codes.items()
        ]


def _systems(system: str, rule: _Rule) -> Iterator[str]:
    if system:
        yield system
    for value_set in rule.imported:
        yield from value_set.systems


def _entries(entries: Any) -> Iterator[Any]:
    """All entries of an expansion, which may be nested."""
    stack = list(reversed(entries or ()))
    while stack:
        entry = stack.pop()
        yield entry
        stack.extend(reversed(entry.get("contains") or ()))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text was expected, not {type(value).__name__}")
    return value
