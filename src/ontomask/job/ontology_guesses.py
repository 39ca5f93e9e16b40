"""Look the values of a column up in ontologies, and guess which one fits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ontomask.base.text import read_number
from ontomask.job import column_formats as formats
from ontomask.job.column_names import Topic
from ontomask.mapping.words import find_by_stem
from ontomask.taxonomy import Taxonomy

__all__ = ["Known", "look_up"]

# Loading an ontology of codes is slow, so only values that look like its codes are looked up there.
_CODE_PATTERNS = {
    "icd9cm": re.compile(r"[VE]?\d{1,4}\.?\d{0,2}", re.IGNORECASE),
    "icd10cm": re.compile(r"[A-TV-Z]\d[0-9A-Z]\.?[0-9A-Z]{0,4}", re.IGNORECASE),
}
# A dictionary contains nearly any word, so finding values there says little unless they have a common concept.
_DICTIONARIES = frozenset({"wordnet"})
# Number of most frequent values to look up in an ontology, and the share that must be found.
_MAX_LOOKED_UP = 300
_ENOUGH = 0.5
_ENOUGH_WORDS = 0.75
# Fewer words than this have something in common by chance: bronze, silver and gold are substances.
_MIN_WORDS = 5
# A domain must contain nearly all values that were found, and be more specific than "physical entity".
_NEARLY_ALL = 0.9
_MIN_DEPTH = 3


@dataclass(frozen=True)
class Known:
    """What ontologies know about the values of a column: whether one fits, its keys in a job, and both in words."""

    fits: bool
    keys: Mapping[str, str]
    text: str


def look_up(
    texts: Mapping[str, int], topics: frozenset[Topic], ontologies: Mapping[str, Callable[[], Taxonomy]]
) -> Known:
    """The ontology that knows the most values. It fits if it knows enough, and they have something in common."""
    frequent = sorted(texts, key=lambda text: (-texts[text], text))[:_MAX_LOOKED_UP]
    # Most small numbers are codes of some classification. Unless the name says so, look up only the other texts.
    by_chance = formats.mostly_numbers(frequent) and Topic.CODE not in topics
    looked_up = [text for text in frequent if not by_chance or read_number(text) is None]
    best, senses = "", list[list[str]]()
    for name, load in ontologies.items():
        if looked_up and _may_know(name, frequent, topics):
            found = [sense for text in looked_up if (sense := _senses(load(), text))]
            if len(found) > len(senses):
                best, senses = name, found
    if not best:
        return Known(False, {}, "no ontology knows it")
    enough = len(senses) >= (_ENOUGH_WORDS if best in _DICTIONARIES else _ENOUGH) * len(looked_up)
    has_domain = enough and not ontologies[best]().annotations.code_ids
    domain = _domain(ontologies[best](), senses) if has_domain else None
    which = "" if len(looked_up) == len(texts) else " looked up"
    text = f"{best} knows {len(senses):,} of {len(looked_up):,} values{which}"
    if domain is not None:
        under = sum(any(domain in ontologies[best]().subsumers(sense) for sense in found) for found in senses)
        text += f", {under:,} of them under “{ontologies[best]().label(domain)}”" if under < len(senses) else ""
    keys = {"taxonomy": best} | ({} if domain is None else {"domain": domain})
    return Known(enough and not by_chance and (domain is not None or best not in _DICTIONARIES), keys, text)


def _may_know(ontology: str, texts: list[str], topics: frozenset[Topic]) -> bool:
    """Whether looking values up makes sense. To a dictionary, short codes are units and "No" is a chemical element.

    A few words have something in common by chance, and are nearly as far apart in any ontology.
    """
    if ontology in _DICTIONARIES:
        return (
            len(texts) >= _MIN_WORDS
            and not formats.are_codes(texts)
            and not any(formats.yes_or_no([text]) for text in texts)
        )
    shape = _CODE_PATTERNS.get(ontology)
    if shape is None or Topic.CODE in topics:
        return shape is None or sum(bool(shape.fullmatch(text)) for text in texts) >= _ENOUGH * len(texts)
    # Numbers of rooms and schools, such as E01, also look like codes of diseases.
    varied = any("." in text for text in texts) or (len(texts) >= _MIN_WORDS and len({text[0] for text in texts}) > 1)
    return (
        varied
        and Topic.NUMBERING not in topics
        and sum(bool(shape.fullmatch(text)) for text in texts) >= _ENOUGH * len(texts)
    )


def _senses(taxonomy: Taxonomy, text: str) -> list[str]:
    """All concepts that a text may mean, without similar spellings."""
    if text in taxonomy:
        return [text]
    alias = taxonomy.find_alias(text)
    if alias:
        return list(alias[1])
    return taxonomy.find(text) or ([] if taxonomy.annotations.code_ids else find_by_stem(taxonomy, text))


def _domain(taxonomy: Taxonomy, senses: list[list[str]]) -> str | None:
    """The deepest concept that subsumes a sense of nearly all values, unless it is too general.

    If all values have a sense in common, they say nothing about what else the column may hold.
    """
    if set.intersection(*map(set, senses)):
        return None
    above: Counter[str] = Counter()
    for found in senses:
        above.update({subsumer for sense in found for subsumer in taxonomy.subsumers(sense)})
    wide = [concept for concept, values in above.items() if values >= _NEARLY_ALL * len(senses)]
    deepest = max(wide, key=lambda concept: (taxonomy.depth(concept), above[concept], concept), default=None)
    return deepest if deepest is not None and taxonomy.depth(deepest) >= _MIN_DEPTH else None
