"""Mapping the values of a column to concepts: rule by rule, nothing silently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ontomask.base.text import cell_text
from ontomask.errors import MappingError
from ontomask.mapping.report import ColumnMapping, ValueMapping
from ontomask.mapping.words import Suggestion, find_by_stem, suggest
from ontomask.taxonomy import Taxonomy

__all__ = ["check_targets", "map_values", "named_concepts", "resolve"]

# Fuzzy search over a million labels takes a good part of a second a value: the commonest get suggestions.
_MOST_SUGGESTED = 100


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

    The rules are tried in this order: the user's ``mapping``; the concept's id or code; another code the source
    knows for it; a label, whatever its case and punctuation; a label with the same word stems (T 5.2.1). A word
    with several senses takes the one the user gave (``"tiger#2"``), else one under ``domain``, else the first.

    Parameters
    ----------
    values
        The cells of the column, or distinct values with their counts.
    taxonomy
        Where the concepts are.
    mapping
        For some values a concept id, or a label with or without a sense. Keys that the column lacks are
        allowed and reported.
    domain
        A concept (id or label); values that mean nothing below it count as unmapped.
    column
        The column's name, for the report.
    missing_tokens
        Texts that stand for a missing cell, such as ``?``.

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
        'tigre' (1 record): perhaps tigress.n.01 (tigress), ...?
    """
    if isinstance(values, str) or hasattr(values, "columns"):
        raise MappingError(f"the values must be those of one column. Got {type(values).__name__} instead.")
    if isinstance(missing_tokens, str):
        raise MappingError(f"'missing_tokens' must be a list. Got the text: write [{missing_tokens!r}].")
    if mapping is not None and not isinstance(mapping, Mapping):
        raise MappingError(
            f"The mapping must be a dictionary from value to concept. Got {type(mapping).__name__} instead."
        )
    counts, missing = _count(values, taxonomy, column, missing_tokens)
    top = None if domain is None else resolve(taxonomy, domain, what="The domain")
    mapper = _Mapper(taxonomy, mapping or {}, None if top is None else top.concept)
    ordered = sorted(counts, key=lambda value: (-counts[value], value))
    mapped = [mapper.map(value, counts[value]) for value in ordered]
    bare = [i for i, m in enumerate(mapped) if m.concept is None and not m.suggestions][:_MOST_SUGGESTED]
    for i, near in zip(bare, suggest(mapper.inside, [mapped[i].value for i in bare]), strict=True):
        mapped[i] = replace(mapped[i], suggestions=near)
    for i, m in enumerate(mapped):
        if m.concept is None and not m.note and not m.suggestions and i not in bare:
            mapped[i] = replace(m, note="no suggestion looked up: there are too many unmapped values")
    return ColumnMapping(
        column=column,
        taxonomy=taxonomy.annotations.name or "the taxonomy",
        root=taxonomy.root,
        domain=mapper.domain,
        domain_not_taken=() if top is None else top.senses_not_taken,
        values=tuple(mapped),
        missing=missing,
        unused_keys=tuple(key for key in mapping or {} if key not in counts),
    )


def _count(
    values: Iterable[object] | Mapping[str, int],
    taxonomy: Taxonomy,
    column: str,
    missing_tokens: Collection[str],
) -> tuple[dict[str, int], int]:
    """Distinct texts with their counts, and how many cells are missing."""
    try:
        cells: Mapping[object, int] = Counter(values)
    except TypeError as problem:
        raise MappingError(
            f"the column {column!r} holds cells that are no texts or codes: {problem}. Split them into single values."
        ) from None
    if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0 for n in cells.values()):
        raise MappingError(f"the counts of the column {column!r} must be whole numbers ≥ 0.")
    counts: dict[str, int] = {}
    missing = 0
    for cell, count in cells.items():
        text = cell_text(cell, code_column=taxonomy.annotations.code_ids, column=column)
        if isinstance(cell, float) and text is not None and (text in taxonomy or taxonomy.find_alias(text)):
            text = cell_text(cell, code_column=True, column=column)  # what it names is a code
        if text is None or text in missing_tokens:
            missing += count
        else:
            counts[text] = counts.get(text, 0) + count
    return counts, missing


@dataclass(frozen=True)
class Resolution:
    """A concept found for a text, how, and what else the text could have meant."""

    concept: str
    rule: str
    chosen_by: str = ""
    senses_not_taken: tuple[str, ...] = ()


def resolve(taxonomy: Taxonomy, text: str, *, domain: str | None = None, what: str = "The concept") -> Resolution:
    """The concept that a user names by id, by another code, or by a label with or without a sense.

    >>> import ontomask as om
    >>> resolve(om.load_wordnet(), "tiger#2").concept
    'tiger.n.02'
    """
    if not isinstance(text, str):
        raise MappingError(f"{what} must be given as text (an id or a label). Got {text!r} instead.")
    word, mark, number = text.rpartition("#")
    found = named_concepts(taxonomy, text)
    if not found and mark and number.isdecimal():
        senses = taxonomy.find(word)
        if not 1 <= int(number) <= len(senses):
            raise MappingError(
                f"{what} {text!r} asks for sense {number} of {word!r}, which has {len(senses)}"
                + (": " + ", ".join(senses) if senses else "")
                + "."
            )
        chosen = senses[int(number) - 1]
        return Resolution(chosen, "label", "sense given", tuple(s for s in senses if s != chosen))
    if not found:
        near = suggest(taxonomy, [text])[0]
        hint = (
            " Did you mean " + ", ".join(f"{s.label} ({s.concept})" for s in near) + "?"
            if near
            else " Name one that it has."
        )
        name = taxonomy.annotations.name or "the ontology"
        raise MappingError(f"{what} {text!r} is neither an id nor a label in {name}.{hint}")
    return _choose(taxonomy, found, domain=domain)


def named_concepts(taxonomy: Taxonomy, text: str) -> dict[str, str]:
    """Every concept that a text names by id, another code, a label or ``label (id)``, best first, with the rule."""
    found: dict[str, str] = {text: "id"} if text in taxonomy else {}
    kind, others = taxonomy.find_alias(text) or ("", [])
    for concept in others:
        found.setdefault(concept, kind)
    if not found or not taxonomy.annotations.code_ids:
        for concept in taxonomy.find(text):
            found.setdefault(concept, "label")
    if not found:
        found = {name: "label" for label, name in _labels_with_id(text) if _has_label(taxonomy, name, label)}
    return found


def _labels_with_id(text: str) -> Iterator[tuple[str, str]]:
    """What could be label and id in ``label (id)``, as tables are released; both may hold brackets themselves."""
    at = text.find(" (")
    while at >= 0 and text.endswith(")"):
        yield text[:at], text[at + 2 : -1]
        at = text.find(" (", at + 1)


def _has_label(taxonomy: Taxonomy, concept: str, label: str) -> bool:
    return concept in taxonomy and label in (concept, taxonomy.label(concept))


def _choose(taxonomy: Taxonomy, found: Mapping[str, str], *, domain: str | None) -> Resolution:
    """One sense of several: under the domain if one is, else the first."""
    senses = list(found)
    if len(senses) == 1:
        return Resolution(senses[0], found[senses[0]])
    under = senses if domain is None else [s for s in senses if domain in taxonomy.subsumers(s)]
    chosen = (under or senses)[0]
    by = "domain" if domain is not None and len(under) == 1 else "first sense"
    return Resolution(chosen, found[chosen], by, tuple(s for s in senses if s != chosen))


def check_targets(taxonomy: Taxonomy, mapping: Mapping[str, str], domain: str | None) -> None:
    """Refuse a mapping to what is no concept, or none of the domain (an id)."""
    _Mapper(taxonomy, mapping, domain)


class _Mapper:
    """Maps one value at a time under one taxonomy, mapping and domain."""

    def __init__(self, taxonomy: Taxonomy, mapping: Mapping[str, str], domain: str | None) -> None:
        self.taxonomy = taxonomy
        self.domain = domain
        self.inside = taxonomy if domain is None else taxonomy.domain(domain)
        # All targets are resolved at once, so that a typing error shows before any long work.
        self.explicit: dict[str, Resolution] = {}
        for number, (key, target) in enumerate(mapping.items(), start=1):
            # By number: the keys are values of records.
            what = f"In entry {number:,} of the mapping, the concept"
            try:
                found = resolve(taxonomy, target, domain=domain, what=what)
            except MappingError as problem:
                raise MappingError(str(problem), values=[str(key)]) from None
            if found.concept not in self.inside:
                raise MappingError(
                    f"{what} {found.concept!r} does not lie under the domain {domain!r}. Name a concept below it, or a "
                    f"wider domain.",
                    values=[str(key)],
                )
            self.explicit[key] = found

    def map(self, value: str, count: int) -> ValueMapping:
        given = self.explicit.get(value)
        if given is not None:
            return self._mapped(value, count, replace(given, rule="explicit"))
        found = named_concepts(self.taxonomy, value)
        if not any(sense in self.inside for sense in found):
            # A stem may still hit inside the domain where the word itself means other things only.
            found = dict.fromkeys(find_by_stem(self.inside, value), "stem") or found
        if not found:
            return self._withdrawn(value, count) or ValueMapping(value, count, None, "unmapped")
        choice = _choose(self.taxonomy, found, domain=self.domain)
        if choice.concept not in self.inside:
            note = f"means {', '.join(list(found)[:3])}, outside the domain {self.domain}"
            return ValueMapping(value, count, None, "unmapped", note=note)
        return self._mapped(value, count, choice)

    def _mapped(self, value: str, count: int, found: Resolution) -> ValueMapping:
        return ValueMapping(
            value,
            count,
            found.concept,
            found.rule,
            self.taxonomy.label(found.concept),
            found.chosen_by,
            found.senses_not_taken,
        )

    def _withdrawn(self, value: str, count: int) -> ValueMapping | None:
        """A value that names a concept the source has withdrawn is said to be so, with the replacements."""
        retired = self.taxonomy.annotations.retired.get(value)
        if retired is None:
            return None
        new = [c for c in retired.replacements if c in self.inside]
        near = tuple(Suggestion(c, self.taxonomy.label(c), 100.0) for c in new)
        return ValueMapping(value, count, None, "unmapped", suggestions=near, note=f"withdrawn: {retired.reason}")
