"""FHIR ConceptMaps (JSON, R4 and R5) as mappings from the values of a column to concepts.

A value is a source code, and its concept is a target code. FHIR states how well the target fits. Here the relation
says what the *value* is, compared with its concept:

============ ================================== =======================================
relation     R5 ``relationship``                R4 ``equivalence``
============ ================================== =======================================
equivalent   equivalent                         equal, equivalent
narrower     source-is-narrower-than-target     wider, subsumes
broader      source-is-broader-than-target      narrower, specializes
related      related-to                         relatedto, inexact
(no concept) not-related-to, ``noMap``          unmatched, disjoint
============ ================================== =======================================

If a value has several targets, the best relation in the order of this table is taken, and the first of equally good
ones. The mapping report lists the others. A target with ``dependsOn`` holds only together with other data, and a rule
for all other values (``unmapped``) would map what nobody has looked at: both are left out, with a note.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, get_args

from ontomask.base.notes import Note
from ontomask.base.text import join_some
from ontomask.errors import ReadError
from ontomask.mapping.report import ValueMapping
from ontomask.taxonomy.readers.fhir_json import Resource, is_fhir, read_resources
from ontomask.taxonomy.readers.source import check_option

__all__ = ["ConceptMapping", "Link", "Relation", "is_concept_map", "read_concept_map"]

Relation = Literal["equivalent", "narrower", "broader", "related"]

_BEST: tuple[str, ...] = get_args(Relation)
_NONE = ""
_RELATIONS = {
    "equal": "equivalent",
    "equivalent": "equivalent",
    "wider": "narrower",
    "subsumes": "narrower",
    "source-is-narrower-than-target": "narrower",
    "narrower": "broader",
    "specializes": "broader",
    "source-is-broader-than-target": "broader",
    "relatedto": "related",
    "inexact": "related",
    "related-to": "related",
    "unmatched": _NONE,
    "disjoint": _NONE,
    "not-related-to": _NONE,
}


class Link(NamedTuple):
    """The concept of a value, what the value is compared with it, and the other targets."""

    concept: str
    relation: str = ""
    chosen_by: str = ""
    not_taken: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class ConceptMapping(Mapping[str, str]):
    """A mapping from values to concepts that knows how well each concept fits.

    It works wherever a dictionary from values to concepts does, such as ``Nominal(mapping=...)``.

    Attributes
    ----------
    name, path
        The title of the source, and its file.
    links
        The concept of each value, with the relation: ``equivalent``, or the value is ``narrower`` or ``broader`` than
        the concept, or only ``related`` to it.
    unmatched
        Values that have no concept, according to the source.
    notes
        What was left out.
    """

    name: str
    links: Mapping[str, Link]
    unmatched: frozenset[str] = frozenset()
    notes: tuple[Note, ...] = ()
    path: Path | None = None

    def __getitem__(self, value: str) -> str:
        return self.links[value].concept

    def __iter__(self) -> Iterator[str]:
        return iter(self.links)

    def __len__(self) -> int:
        return len(self.links)

    def __repr__(self) -> str:
        return f"<ConceptMapping {self.name!r}: {len(self):,} values>"

    def only(self, values: Container[str]) -> ConceptMapping:
        """The part of the mapping for these values."""
        links = {value: link for value, link in self.links.items() if value in values}
        return replace(self, links=links, unmatched=frozenset(v for v in self.unmatched if v in values))

    def state(self, mapped: ValueMapping) -> ValueMapping:
        """A mapped value with its relation to the concept, and with the targets that were not taken."""
        link = self.links[mapped.value]
        if not link.not_taken:
            return replace(mapped, relation=link.relation)
        return replace(mapped, relation=link.relation, chosen_by=link.chosen_by, senses_not_taken=link.not_taken)

    def with_entries(self, entries: Mapping[str, str]) -> ConceptMapping:
        """The mapping with other concepts for some values, which the user gives."""
        given = {value: Link(concept) for value, concept in entries.items()}
        return replace(self, links={**self.links, **given}, unmatched=self.unmatched - given.keys())


def is_concept_map(path: Path) -> bool:
    """Whether a file is FHIR, which `read_concept_map` reads or refuses."""
    return path.is_file() and is_fhir(path)


def read_concept_map(path: Path, *, source: str | None = None, target: str | None = None) -> ConceptMapping:
    """Read a ConceptMap. ``source`` and ``target`` choose among groups with several code systems, by their URL."""
    check_option(path, "source", source, example="http://loinc.org", optional=True)
    check_option(path, "target", target, example="http://snomed.info/sct", optional=True)
    found = read_resources(path, "ConceptMap")
    if len(found) > 1:
        raise ReadError(
            f"The file has {len(found):,} ConceptMaps. Give a file with one.", path=path, code="several-maps"
        )
    resource = found[0]
    content = resource.content
    try:
        groups = list(enumerate(content.get("group") or ()))
        groups = _choose(path, groups, "source", source)
        groups = _choose(path, groups, "target", target)
        reading = _Reading(resource)
        for number, group in groups:
            reading.take(number, group)
    except (AttributeError, KeyError, TypeError) as problem:
        raise resource.misshapen(problem) from None
    if not reading.targets and not reading.unmatched:
        notes = "".join(f" {note}" for note in reading.notes())
        raise ReadError(
            f"The ConceptMap has no code that can be mapped.{notes} Give another file, or leave it out.",
            path=path,
            code="empty",
        )
    return ConceptMapping(
        str(content.get("title") or content.get("name") or path.stem),
        {value: _best(targets) for value, targets in reading.targets.items()},
        frozenset(reading.unmatched - reading.targets.keys()),
        tuple(reading.notes()),
        path,
    )


def _choose(path: Path, groups: list[tuple[int, Any]], end: str, wanted: str | None) -> list[tuple[int, Any]]:
    """The groups whose code system is the wanted one. Without a choice, all groups must have the same."""
    systems = list(dict.fromkeys(_system(group, end) for _, group in groups))
    if (wanted is None and len(systems) <= 1) or not groups:
        return groups
    chosen = [(number, group) for number, group in groups if _system(group, end) == wanted]
    if not chosen:
        known = [system or "(none)" for system in systems]
        problem = f"It has several {end} systems" if wanted is None else f"No {end} system is {wanted!r}"
        raise ReadError(
            f"{problem}. Give {end}= one of these: {join_some(known, 20)}.",
            path=path,
            parameter=end,
            values=known,
            code="several-systems" if wanted is None else "unknown-system",
        )
    return chosen


def _system(group: Any, end: str) -> str:
    """The code system of a group without its version."""
    return str(group.get(end) or "").partition("|")[0]


def _best(targets: Mapping[str, str]) -> Link:
    """The target with the best relation, the first of equally good ones."""
    relation = min(targets.values(), key=_BEST.index)
    best = [concept for concept, given in targets.items() if given == relation]
    others = tuple(concept for concept in targets if concept != best[0])
    by = "" if not others else "relation" if len(best) == 1 else "first sense"
    return Link(best[0], relation, by, others)


class _Reading:
    """The elements of the groups, as they are read."""

    def __init__(self, resource: Resource) -> None:
        self.targets: dict[str, dict[str, str]] = {}
        self.unmatched: set[str] = set()
        self._resource = resource
        self._conditional: dict[str, None] = {}
        self._rules: list[str] = []

    def take(self, number: int, group: Any) -> None:
        """Add the elements of a group."""
        for index, element in enumerate(group["element"]):
            where = ("group", number, "element", index)
            if "code" not in element:
                # R5 can map a whole ValueSet.
                self._fail("an element of a group has no 'code'", where)
            code = self._text(element["code"], where)
            targets = element.get("target") or ()
            if element.get("noMap") or not targets:
                self.unmatched.add(code)
            for target in targets:
                self._take_target(code, target, where)
        rule = group.get("unmapped")
        if rule:
            self._rules.append(str(rule.get("mode")))

    def _take_target(self, code: str, target: Any, where: tuple[str | int, ...]) -> None:
        stated = target.get("relationship", target.get("equivalence"))
        if stated not in _RELATIONS:
            self._fail(f"the relationship {stated!r} is unknown", where)
        relation = _RELATIONS[stated]
        if relation == _NONE or target.get("code") is None:
            self.unmatched.add(code)
        elif target.get("dependsOn"):
            self._conditional[code] = None
        else:
            # The same target may be given twice, with another product.
            self.targets.setdefault(code, {}).setdefault(self._text(target["code"], where), relation)

    def notes(self) -> Iterator[Note]:
        """What was left out."""
        if self._conditional:
            yield Note.of(
                "conditional-targets",
                "{number:,} codes have targets that depend on other data. These targets are left out: {codes}.",
                number=len(self._conditional),
                codes=join_some(self._conditional),
            )
        if self._rules:
            yield Note.of(
                "rule-for-others",
                "The ConceptMap has a rule for all other values ({modes}), which is not applied: they are mapped by "
                "their id or label, or are unmapped.",
                modes=", ".join(dict.fromkeys(self._rules)),
            )

    def _text(self, value: object, where: tuple[str | int, ...]) -> str:
        if not isinstance(value, str) or not value.strip():
            self._fail("a 'code' is not a text", where)
        return str(value)

    def _fail(self, problem: str, where: tuple[str | int, ...]) -> NoReturn:
        resource = self._resource
        raise ReadError(
            f"The ConceptMap cannot be used: {problem}. Correct the file.",
            path=resource.path,
            line=resource.line(resource.start, *where),
            code="not-fhir",
        )
