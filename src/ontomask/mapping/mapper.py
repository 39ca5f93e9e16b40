"""Map the values of a column to concepts, rule by rule, and record how each was mapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ontomask.base.progress import in_blocks
from ontomask.base.text import cell_text
from ontomask.errors import Alternatives, MappingError
from ontomask.mapping.concept_map import ConceptMapping
from ontomask.mapping.decisions import ACCEPTED, Change, Decisions
from ontomask.mapping.id_forms import find_by_form, find_replacement, written_id
from ontomask.mapping.report import ColumnMapping, ValueMapping
from ontomask.mapping.shapes import find_shape
from ontomask.mapping.suggestions import Suggestion, suggest
from ontomask.mapping.words import find_by_stem, looks_missing
from ontomask.taxonomy import Taxonomy

__all__ = ["check_targets", "map_values", "named_concepts", "resolve"]

# Only the most frequent values get suggestions: nobody reads more.
_MOST_SUGGESTED = 20_000
_SHAPES = ("list", "date", "number")


def map_values(
    values: Iterable[object] | Mapping[str, int],
    taxonomy: Taxonomy,
    mapping: Mapping[str, str] | None = None,
    *,
    domain: str | None = None,
    column: str = "values",
    missing_tokens: Collection[str] = (),
) -> ColumnMapping:
    """Map a column's values to concepts and report how each was mapped.

    The rules are tried in this order: the user's ``mapping``; the concept's id; an alias of it; a label, ignoring case
    and punctuation; the id in another form (``hp_0002067``), or a withdrawn id that the source replaces; a label with
    the same word stems (Martínez 2012, section 5.2.1). For a word with several senses, the sense that the user gave is
    taken (``"tiger#2"``), else one under ``domain``, else the first.

    Parameters
    ----------
    values
        The cells of the column, or distinct values with their counts.
    taxonomy
        The concepts.
    mapping
        The concepts of some values: an id, or a label with or without a sense. Keys that are not in the column are
        allowed and reported.
    domain
        A concept (id or label). Values without a meaning below it are unmapped.
    column
        The column's name, for the report.
    missing_tokens
        Texts that mean a missing cell, such as ``?``.

    Examples
    --------
    >>> import ontomask as om
    >>> animals = om.map_values(["Dog", "dogs", "Tiger", "tigre"], om.load_wordnet(), domain="animal")
    >>> print(animals.to_text(all_values=True))
    values → WordNet 3.0 nouns under animal.n.01
      3 of 4 values mapped (75.0%), 3 of 4 records (75.0%), 0 missing
      by rule: label 2, stem 1, unmapped 1
        Dog           1  dog.n.01 (dog)  by label
        Tiger         1  tiger.n.02 (tiger)  by label
        dogs          1  dog.n.01 (dog)  by stem
        tigre         1  —  by unmapped
      unmapped:
        'tigre' (1 record): perhaps tiger.n.02 (tiger)?
    """
    if isinstance(values, str) or hasattr(values, "columns"):
        text = f"The 'values' must be those of one column. Got {type(values).__name__} instead."
        raise MappingError(text, parameter="values")
    if isinstance(missing_tokens, str):
        text = f"The 'missing_tokens' must be a list. Got a text: write [{missing_tokens!r}]."
        raise MappingError(text, parameter="missing_tokens")
    if mapping is not None and not isinstance(mapping, Mapping):
        text = f"The 'mapping' must be a dictionary from value to concept. Got {type(mapping).__name__} instead."
        raise MappingError(text, parameter="mapping")
    counts, missing = _count(values, taxonomy, column, missing_tokens)
    top = None if domain is None else resolve(taxonomy, domain, what="The domain")
    if isinstance(mapping, ConceptMapping):
        # It has all codes of its source. Those that the column lacks need no concept in this taxonomy.
        mapping = mapping.only(counts)
    mapper = _Mapper(taxonomy, mapping or {}, None if top is None else top.concept)
    ordered = sorted(counts, key=lambda value: (-counts[value], value))
    mapped: list[ValueMapping] = []
    for part in in_blocks("Mapping values", len(ordered)):
        mapped += [mapper.map(value, counts[value]) for value in ordered[part]]
    bare = [i for i, m in enumerate(mapped) if m.concept is None and not m.suggestions and _is_searched(m)]
    searched = bare[:_MOST_SUGGESTED]
    for part in in_blocks("Searching for suggestions", len(searched)):
        block = searched[part]
        for i, near in zip(block, suggest(mapper.inside, [mapped[i].value for i in block]), strict=True):
            mapped[i] = replace(mapped[i], suggestions=near)
    for i in bare[_MOST_SUGGESTED:]:
        if not mapped[i].reason:
            note = "no suggestions: too many values are unmapped"
            mapped[i] = replace(mapped[i], reason="not searched", note=note)
    return ColumnMapping(
        column=column,
        taxonomy=taxonomy.annotations.name or "the taxonomy",
        root=taxonomy.root,
        domain=mapper.domain,
        domain_not_taken=() if top is None else top.senses_not_taken,
        values=tuple(mapped),
        missing=missing,
        unused_keys=tuple(key for key in mapping or {} if key not in counts),
        changes=tuple(mapper.changes),
        mapping_notes=tuple(mapping.notes) if isinstance(mapping, ConceptMapping) else (),
    )


def _is_searched(value: ValueMapping) -> bool:
    return value.reason not in _SHAPES and not looks_missing(value.value)


def _count(
    values: Iterable[object] | Mapping[str, int],
    taxonomy: Taxonomy,
    column: str,
    missing_tokens: Collection[str],
) -> tuple[dict[str, int], int]:
    """Distinct texts with their counts, and the number of missing cells."""
    try:
        cells: Mapping[object, int] = Counter(values)
    except TypeError as problem:
        raise MappingError(
            f"The column {column!r} has cells that are not texts or codes: {problem}. Split them into single values.",
            column=column,
        ) from None
    if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0 for n in cells.values()):
        raise MappingError(f"The counts of the column {column!r} must be integers ≥ 0. Correct them.", column=column)
    counts: dict[str, int] = {}
    missing = 0
    for cell, count in cells.items():
        text = cell_text(cell, code_column=taxonomy.annotations.code_ids, column=column)
        if isinstance(cell, float) and text is not None and (text in taxonomy or taxonomy.find_alias(text)):
            text = cell_text(cell, code_column=True, column=column)  # it is a code of this taxonomy
        if text is None or text in missing_tokens:
            missing += count
        else:
            counts[text] = counts.get(text, 0) + count
    return counts, missing


@dataclass(frozen=True)
class Resolution:
    """The concept found for a text, how it was found, and the other senses of the text."""

    concept: str
    rule: str
    chosen_by: str = ""
    senses_not_taken: tuple[str, ...] = ()


def resolve(taxonomy: Taxonomy, text: str, *, domain: str | None = None, what: str = "The concept") -> Resolution:
    """The concept that a user names by its id, an alias, or a label with or without a sense.

    >>> import ontomask as om
    >>> resolve(om.load_wordnet(), "tiger#2").concept
    'tiger.n.02'
    """
    if not isinstance(text, str):
        raise MappingError(
            f"{what} must be a text: an id or a label. Got {text!r} instead.", values=[str(text)], code="not-text"
        )
    word, mark, number = text.rpartition("#")
    found = named_concepts(taxonomy, text)
    if not found and mark and number.isdecimal():
        senses = taxonomy.find(word)
        if not 1 <= int(number) <= len(senses):
            listed = f" ({', '.join(senses)}). Choose one of them." if senses else ". Name another word."
            raise MappingError(
                f"{what} {text!r} does not exist: the number of senses of {word!r} is {len(senses)}",
                Alternatives(senses, listed),
                values=[text],
                code="unknown-sense",
            )
        chosen = senses[int(number) - 1]
        return Resolution(chosen, "label", "sense given", tuple(s for s in senses if s != chosen))
    if not found:
        near = suggest(taxonomy, [text])[0]
        listed = ", ".join(f"{s.label} ({s.concept})" for s in near)
        hint = f"Did you mean {listed}?" if near else "Give one of its ids or labels."
        raise MappingError(
            f"{what} {text!r} is neither an id nor a label in {taxonomy.annotations.name or 'the ontology'}. ",
            Alternatives([s.concept for s in near], hint),
            values=[text],
            code="unknown-concept",
        )
    return _choose(taxonomy, found, domain=domain)


def named_concepts(taxonomy: Taxonomy, text: str) -> dict[str, str]:
    """Every concept that a text names by id, alias, label, ``label (id)`` or a form of its id, with the rule.

    The best comes first.
    """
    found: dict[str, str] = {text: "id"} if text in taxonomy else {}
    kind, others = taxonomy.find_alias(text) or ("", [])
    for concept in others:
        found.setdefault(concept, kind)
    if not found or not taxonomy.annotations.code_ids:
        for concept in taxonomy.find(text):
            found.setdefault(concept, "label")
    if not found:
        found = {
            concept: "label"
            for label, concept in _labels_with_id(text)
            if concept in taxonomy and label in (concept, taxonomy.label(concept))
        }
    return _of_first(taxonomy, found or find_replacement(taxonomy, text) or find_by_form(taxonomy, text))


def _of_first(taxonomy: Taxonomy, found: dict[str, str]) -> dict[str, str]:
    """Of ontologies that were merged in order, the concepts of the first that has any."""
    order = taxonomy.annotations.order
    if order is None or len(found) < 2:
        return found
    first = min(order.get(concept, 0) for concept in found)
    return {concept: rule for concept, rule in found.items() if order.get(concept, 0) == first}


def _labels_with_id(text: str) -> Iterator[tuple[str, str]]:
    """The possible splits of ``label (id)``, as in released tables. Both may contain brackets themselves."""
    at = text.find(" (")
    while at >= 0 and text.endswith(")"):
        yield text[:at], text[at + 2 : -1]
        at = text.find(" (", at + 1)


def _choose(taxonomy: Taxonomy, found: Mapping[str, str], *, domain: str | None) -> Resolution:
    """Choose one sense of several: the first one under the domain, or the first if there is none."""
    senses = list(found)
    if len(senses) == 1:
        return Resolution(senses[0], found[senses[0]])
    under = senses if domain is None else [s for s in senses if domain in taxonomy.subsumers(s)]
    chosen = (under or senses)[0]
    by = "domain" if domain is not None and len(under) == 1 else "first sense"
    return Resolution(chosen, found[chosen], by, tuple(s for s in senses if s != chosen))


def check_targets(taxonomy: Taxonomy, mapping: Mapping[str, str], domain: str | None) -> None:
    """Validate that a mapping leads to concepts below the domain (an id)."""
    _Mapper(taxonomy, mapping, domain)


def _mistakes(decisions: Decisions, typed: Sequence[tuple[int, str, MappingError]]) -> MappingError:
    """The error for concepts that a person typed into a mapping file: the first one, and the lines of the others."""
    line, _, first = typed[0]
    others = [str(number) for number, _, _ in typed[1:]]
    also = f" The same is wrong in: line {', '.join(others[:20])}{', …' if others[20:] else ''}." if others else ""
    values = [key for _, key, _ in typed]
    return MappingError(*first.message, also, path=decisions.path, line=line, values=values, code=first.code)


class _Mapper:
    """Map single values, given a taxonomy, a mapping and a domain."""

    def __init__(self, taxonomy: Taxonomy, mapping: Mapping[str, str], domain: str | None) -> None:
        self.taxonomy = taxonomy
        self.domain = domain
        self.stated = mapping if isinstance(mapping, ConceptMapping) else None
        self.inside = taxonomy if domain is None else taxonomy.domain(domain)
        self.changes: list[Change] = []
        self.decisions = mapping if isinstance(mapping, Decisions) else None
        # Resolve all targets first, so that a typing error is reported before any long work.
        self.explicit: dict[str, Resolution] = {}
        self.lost: dict[str, str] = {}
        self.outside: dict[str, str] = {}
        typed: list[tuple[int, str, MappingError]] = []
        for number, (key, target) in enumerate(mapping.items(), start=1):
            then = None if self.decisions is None else self.decisions.about(key)
            line = None if then is None else then.line
            # The message gives a line or a number. The key is a value of the table and may be rare.
            entry = "The target" if self.stated else f"In entry {number:,} of the mapping, the concept"
            what = "The concept" if line else entry
            try:
                found = resolve(taxonomy, target, domain=domain, what=what)
                if found.concept in self.inside:
                    self.explicit[key] = found
                elif then is not None and then.is_described:
                    self.outside[key] = found.concept  # the domain was chosen later
                else:
                    text = f"is not in the domain {domain!r}. Give a concept below it, or a wider domain."
                    raise MappingError(f"{what} {found.concept!r} {text}", code="outside-domain")
            except MappingError as problem:
                if then is not None and then.is_described:
                    self.lost[key] = target  # the ontology had it once
                elif line is not None:
                    typed.append((line, key, problem))
                else:
                    path = None if self.stated is None else self.stated.path
                    raise MappingError(*problem.message, path=path, values=[str(key)], code=problem.code) from None
        if typed and self.decisions is not None:
            raise _mistakes(self.decisions, typed)

    def map(self, value: str, count: int) -> ValueMapping:
        if value in self.lost:
            return self._lost(value, count)
        if value in self.outside:
            mapped, before = self._by_rules(value, count), self.outside[value]
            self.changes.append(Change(value, before, "outside", before, mapped.concept or ""))
            return mapped
        given = self.explicit.get(value)
        if given is not None and self.decisions is not None:
            return self._decided(value, count, given, self.decisions)
        if given is not None:
            mapped = self._mapped(value, count, replace(given, rule="explicit"))
            return mapped if self.stated is None else self.stated.state(mapped)
        if self.stated is not None and value in self.stated.unmatched:
            note = f"{self.stated.name} says that it has no match"
            return ValueMapping(value, count, None, "unmapped", reason="no match", note=note)
        return self._by_rules(value, count)

    def _by_rules(self, value: str, count: int) -> ValueMapping:
        found = named_concepts(self.taxonomy, value)
        if not any(sense in self.inside for sense in found):
            # The word may have no sense inside the domain, but a word with the same stem may.
            by_stem = dict.fromkeys(find_by_stem(self.inside, value), "stem")
            found = _of_first(self.taxonomy, by_stem) or found
        if not found:
            return self._unmapped(value, count)
        choice = _choose(self.taxonomy, found, domain=self.domain)
        if choice.concept not in self.inside:
            note = f"means {', '.join(list(found)[:3])}, outside the domain {self.domain}"
            return ValueMapping(value, count, None, "unmapped", reason="outside domain", note=note)
        return self._mapped(value, count, choice)

    def _decided(self, value: str, count: int, given: Resolution, decisions: Decisions) -> ValueMapping:
        """The mapping by an earlier decision. Where the rules agree, their rule is named."""
        then = decisions.about(value)
        self.changes += decisions.changes(value, self.taxonomy, given.concept)
        if then.score is not None:
            return replace(self._mapped(value, count, replace(given, rule=ACCEPTED)), score=then.score)
        by_rules = self._by_rules(value, count)
        if by_rules.concept == given.concept:
            # Somebody has looked at the sense that the rule takes by default.
            return replace(by_rules, chosen_by="sense given" if by_rules.chosen_by else "")
        if then.is_described and by_rules.concept is not None:
            self.changes.append(Change(value, given.concept, "rule", given.concept, by_rules.concept))
        return self._mapped(value, count, replace(given, rule="explicit"))

    def _lost(self, value: str, count: int) -> ValueMapping:
        """The mapping of a value whose concept is not in the ontology any more."""
        concept = self.lost[value]
        retired = self.taxonomy.annotations.retired.get(concept)
        new = () if retired is None else self._replacements(retired.replacements)
        shown = ", ".join(s.concept for s in new)
        self.changes.append(Change(value, concept, "retired" if retired else "unknown", concept, shown))
        note = f"the concept chosen before, {concept}, is {'withdrawn' if retired else 'not in the ontology any more'}"
        return ValueMapping(value, count, None, "unmapped", suggestions=new, reason="decision lost", note=note)

    def _unmapped(self, value: str, count: int) -> ValueMapping:
        withdrawn = self._withdrawn(value, count)
        if withdrawn is not None:
            return withdrawn
        has_codes = self.taxonomy.annotations.code_ids
        shape = find_shape(value, lambda part: bool(named_concepts(self.taxonomy, part)), has_codes=has_codes)
        if shape is None:
            return ValueMapping(value, count, None, "unmapped")
        return ValueMapping(value, count, None, "unmapped", reason=shape[0], note=shape[1])

    def _mapped(self, value: str, count: int, found: Resolution) -> ValueMapping:
        label = self.taxonomy.label(found.concept)
        return ValueMapping(value, count, found.concept, found.rule, label, found.chosen_by, found.senses_not_taken)

    def _withdrawn(self, value: str, count: int) -> ValueMapping | None:
        """The mapping of a value that names a withdrawn concept, with its replacements as suggestions."""
        known = self.taxonomy.annotations.retired
        retired = known.get(value) or known.get(written_id(self.taxonomy, value))
        if retired is None:
            return None
        near = self._replacements(retired.replacements)
        note = f"withdrawn: {retired.reason}"
        return ValueMapping(value, count, None, "unmapped", suggestions=near, reason="withdrawn", note=note)

    def _replacements(self, concepts: Iterable[str]) -> tuple[Suggestion, ...]:
        """The concepts that the source proposes, as suggestions."""
        return tuple(Suggestion(c, self.taxonomy.label(c), 1.0) for c in concepts if c in self.inside)
