"""First guesses of what the columns of a table are, from their names and values. Every one needs a person's look."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ontomask.job.sources import cell_counts
from ontomask.mapping.words import cell_text, find_by_stem, looks_missing
from ontomask.microdata.cells import read_number
from ontomask.taxonomy import Taxonomy

__all__ = ["Guess", "Profile", "guess_column", "profile"]

_IDENTIFYING = {"name", "surname", "firstname", "lastname", "email", "mail", "phone", "telephone", "ssn", "passport"}
_NUMBERING = {"id", "nbr", "no", "nr", "key", "number", "identifier", "mrn"}
_PERSONS = {"patient", "person", "subject", "participant", "respondent", "client", "customer", "member", "insured"}
_CONFIDENTIAL = {"salary", "income", "wage", "wages", "earnings", "religion", "party", "credit", "debt", "hiv"}
_KNOWN_NUMBERS = {"age", "birth", "born", "year", "yob", "height", "weight", "children"}
_KNOWN_WORDS = {"sex", "gender", "race", "ethnicity", "nationality", "country", "birthplace", "region", "state", "city"}
_KNOWN_WORDS |= {"occupation", "job", "profession", "education", "degree", "marital", "language", "disease"}
_CODES = {"diag", "diagnosis", "dx", "icd", "code"}
# Loading an ontology of codes takes long: only columns that look like its codes are looked up there.
_SHAPES = {
    "icd9cm": re.compile(r"[VE]?\d{1,4}\.?\d{0,2}", re.IGNORECASE),
    "icd10cm": re.compile(r"[A-TV-Z]\d[0-9A-Z]\.?[0-9A-Z]{0,4}", re.IGNORECASE),
}
_SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("low", "mid", "high"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("small", "medium", "large"),
)

# Commonest values looked up in an ontology, and the share of them that must be found.
_LOOKED_UP = 300
_ENOUGH = 0.5
# A domain must hold nearly all that was found, and say more than "physical entity".
_NEARLY_ALL = 0.9
_LEAST_DEPTH = 3
_MOST_CATEGORIES = 40
_RANGE = re.compile(r"^[\[(<>≥≤=\s]*(-?\d+(?:\.\d+)?)\D*(?:\d+(?:\.\d+)?)?\D*$")


@dataclass(frozen=True)
class Profile:
    """What a column looks like: its distinct texts with counts, and how many cells are missing.

    ``tokens`` are the texts among the missing ones that look like spellings of "missing", with counts.
    """

    name: str
    texts: Mapping[str, int] = field(repr=False)
    missing: int
    tokens: Mapping[str, int] = field(default_factory=dict)

    @property
    def records(self) -> int:
        """Cells that are not missing."""
        return sum(self.texts.values())

    @property
    def words(self) -> set[str]:
        """The words of the column's name, in lower case."""
        parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", self.name)
        return {word.lower() for word in re.findall(r"[^\W\d_]+", parted)}


@dataclass(frozen=True)
class Guess:
    """A guess: the keys of the column's table in a job, and why."""

    role: str
    why: str
    keys: Mapping[str, Any] = field(default_factory=dict)


def profile(frame: Any, name: str) -> Profile:
    """Count the distinct texts of a column; common spellings of "nothing" count as missing."""
    texts: Counter[str] = Counter()
    missing = 0
    tokens: Counter[str] = Counter()
    for cell, count in cell_counts(frame, name).items():
        text = cell_text(cell)
        if text is None:
            missing += count
        elif looks_missing(text):
            missing += count
            tokens[text] += count
        else:
            texts[text] += count
    return Profile(name, texts, missing, tokens)


def guess_column(column: Profile, ontologies: Mapping[str, Callable[[], Taxonomy]]) -> Guess:
    """Guess the role and kind of a column.

    >>> guess_column(Profile("age", {"39": 3, "50": 2, "38": 2}, 0), {}).keys
    {'kind': 'numeric'}
    >>> guess_column(Profile("age", {"[10-20)": 3, "[0-10)": 2}, 0), {}).keys
    {'kind': 'ordinal', 'categories': ['[0-10)', '[10-20)']}
    """
    if not column.texts:
        return Guess("other", "it has no values")
    distinct = f"{len(column.texts):,} distinct values in {column.records:,} records"
    if column.words & _IDENTIFYING:
        return Guess("identifier", f"by its name; {distinct}")
    numbers = all(read_number(text) is not None for text in column.texts)
    nearly_unique = len(column.texts) > 0.9 * column.records and column.records >= 20
    whole = numbers and all(text.lstrip("+-").isdigit() for text in column.texts)
    # "patient", "subject_id": nothing but persons and their numbers.
    persons = bool(column.words & _PERSONS) and column.words <= _PERSONS | _NUMBERING
    if (
        (column.words & _NUMBERING and len(column.texts) > 0.5 * column.records)
        or (persons and len(column.texts) > 0.1 * column.records)
        or (nearly_unique and (whole or not numbers))
    ):
        names_persons = persons or column.words & _NUMBERING
        repeats = {"person": True} if len(column.texts) < column.records and names_persons else {}
        return Guess("identifier", f"most values belong to one record or few; {distinct}", repeats)
    if column.words & _CONFIDENTIAL:
        return Guess("confidential", f"by its name; {distinct}")
    if numbers and not column.words & _CODES:
        if column.words & _KNOWN_NUMBERS:
            return Guess("quasi-identifier", f"numbers that others may know; {distinct}", {"kind": "numeric"})
        return Guess("other", f'numbers; if others may know them: "quasi-identifier" with kind = "numeric"; {distinct}')
    categories = _in_order(column.texts)
    if categories is not None:
        return Guess("quasi-identifier", f"values in order; {distinct}", {"kind": "ordinal", "categories": categories})
    return _guess_nominal(column, ontologies, distinct)


def _in_order(texts: Mapping[str, int]) -> list[str] | None:
    """The values as ordered categories, if they are ranges of numbers or words of a scale."""
    if not 2 <= len(texts) <= _MOST_CATEGORIES:
        return None
    starts = {text: _RANGE.match(text) for text in texts}
    if all(starts.values()) and any(read_number(text) is None for text in texts):
        low = {text: float(match[1]) for text, match in starts.items() if match is not None}
        return sorted(texts, key=lambda text: (low[text] + _beyond(text), text))
    spelt = {text.casefold(): text for text in texts}
    for scale in _SCALES:
        if set(spelt) <= set(scale):
            return [spelt[word] for word in scale if word in spelt]
    return None


def _beyond(text: str) -> float:
    """What "less than" and "more than" move a range's place by."""
    return -0.5 if text.startswith(("<", "≤")) else 0.5 if text.startswith(">") else 0.0


def _guess_nominal(column: Profile, ontologies: Mapping[str, Callable[[], Taxonomy]], distinct: str) -> Guess:
    commonest = sorted(column.texts, key=lambda text: (-column.texts[text], text))[:_LOOKED_UP]
    best, best_share, senses = "", 0.0, dict[str, list[str]]()
    for name, load in ontologies.items():
        shape = _SHAPES.get(name)
        if shape is not None and sum(bool(shape.fullmatch(t)) for t in commonest) < _ENOUGH * len(commonest):
            continue
        found = {text: _senses(load(), text) for text in commonest}
        share = sum(map(bool, found.values())) / len(commonest)
        if share > best_share:
            best, best_share, senses = name, share, found
    known = sum(map(bool, senses.values()))
    which = "its values" if len(commonest) == len(column.texts) else f"its {len(commonest):,} commonest values"
    why = f"{best} knows {known:,} of {which}; {distinct}"
    if best_share < _ENOUGH and not column.words & _KNOWN_WORDS:
        return Guess("other", why if best else f"no ontology at hand knows its values; {distinct}")
    if not best:
        why = f"by its name; no ontology at hand knows its values, so it needs another one or a mapping; {distinct}"
        return Guess(
            "quasi-identifier", why, {"kind": "nominal", "taxonomy": [*ontologies][-1] if ontologies else "wordnet"}
        )
    keys: dict[str, Any] = {"kind": "nominal", "taxonomy": best}
    taxonomy = ontologies[best]()
    if best_share >= _ENOUGH and not taxonomy.annotations.code_ids:
        domain = _domain(taxonomy, [found for found in senses.values() if found])
        keys |= {} if domain is None else {"domain": domain}
    return Guess("quasi-identifier", why, keys)


def _senses(taxonomy: Taxonomy, text: str) -> list[str]:
    """Whatever a text may mean, without looking for near spellings."""
    if text in taxonomy:
        return [text]
    alias = taxonomy.find_alias(text)
    if alias:
        return list(alias[1])
    return taxonomy.find(text) or ([] if taxonomy.annotations.code_ids else find_by_stem(taxonomy, text))


def _domain(taxonomy: Taxonomy, senses: list[list[str]]) -> str | None:
    """The deepest concept below which nearly all values have some sense, if it says anything."""
    above: Counter[str] = Counter()
    for found in senses:
        above.update({subsumer for sense in found for subsumer in taxonomy.subsumers(sense)})
    wide = [concept for concept, values in above.items() if values >= _NEARLY_ALL * len(senses)]
    deepest = max(wide, key=lambda concept: (taxonomy.depth(concept), above[concept], concept), default=None)
    return deepest if deepest is not None and taxonomy.depth(deepest) >= _LEAST_DEPTH else None
