"""Words behind spellings: the text of a cell, word stems, and the labels nearest to a misspelt value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.labels import LabelStore, TextIndex, normalise

__all__ = ["Suggestion", "find_by_stem", "looks_missing", "stem", "suggest"]

# Spellings of a cell without a value, in the languages that tables come in most often; all in lower case.
_NOTHING = frozenset(
    {"?", "??", ".", "..", "-", "--", "---", "–", "—", "na", "n/a", "#n/a", "<na>", "n.a.", "n.a", "n. a.", "nan"}
    | {"null", "none", "nil", "missing", "unknown", "unspecified", "undefined", "no data", "no answer", "no response"}
    | {"not available", "not applicable", "not known", "not stated", "not specified", "not reported", "not recorded"}
    | {"k.a.", "k. a.", "keine angabe", "keine angaben", "unbekannt", "fehlend", "nicht bekannt", "onbekend"}
    | {"inconnu", "inconnue", "manquant", "non renseigné", "non disponible", "desconocido", "desconocida", "sin dato"}
    | {"sin datos", "no consta", "no disponible", "sconosciuto", "non disponibile", "desconhecido", "sem dados"}
)


def looks_missing(text: str) -> bool:
    """Whether a text is a common spelling of "no value": only who knows the table can tell for certain.

    >>> looks_missing("None"), looks_missing("n.a."), looks_missing("nun")
    (True, True, False)
    """
    return " ".join(text.casefold().split()).strip("()[]") in _NOTHING


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("porter")


def stem(text: str) -> str:
    """The Porter stems of a text's words in normal form (T 5.2.1).

    >>> stem("Sports") == stem("sport"), stem("relaxation") == stem("relax")
    (True, True)
    """
    return " ".join(_stemmer().stemWords(normalise(text).split(" ")))


_STEM_INDEX: WeakKeyDictionary[LabelStore, TextIndex] = WeakKeyDictionary()


def find_by_stem(taxonomy: Taxonomy, text: str) -> list[str]:
    """Concepts one of whose labels has the same stems as ``text``, first sense first."""
    store = taxonomy.texts.store
    index = _STEM_INDEX.get(store)
    if index is None:
        words = _stemmer().stemWords
        index = _STEM_INDEX[store] = TextIndex(" ".join(words(name.split(" "))) for name in store.each_normalised())
    wanted = stem(text)
    if not wanted:
        return []
    hits: dict[int, tuple[int, int]] = {}
    for entry in index.candidates(wanted).tolist():
        code = taxonomy.texts.code_of_entry(entry)
        if code >= 0 and stem(store.entry(entry)) == wanted:
            place = (int(store.rank[entry]), code)
            hits[code] = min(place, hits.get(code, place))
    return [taxonomy.ids[code] for code in sorted(hits, key=hits.__getitem__)]


_LIKELY = 70.0


@dataclass(frozen=True)
class Suggestion:
    """A concept whose label (or code) looks like a value, with a likeness from 0 to 100."""

    concept: str
    label: str
    score: float


def suggest(taxonomy: Taxonomy, texts: Sequence[str], most: int = 3) -> list[tuple[Suggestion, ...]]:
    """For each text the concepts with the nearest labels, or codes where the taxonomy's ids are codes."""
    if not texts:
        return []
    from rapidfuzz import fuzz, process

    entries, codes = taxonomy.texts.entries()
    names = taxonomy.texts.store.normalised()
    spellings = [names[entry] for entry in entries.tolist()]

    codes_known, concepts = _codes_known(taxonomy)

    def nearest(text: str) -> tuple[Suggestion, ...]:
        wanted = normalise(text)
        scores = {at: score for _, score, at in process.extract(wanted, spellings, scorer=fuzz.ratio, limit=4 * most)}
        # A shared word counts (Hong: Hong Kong), but less than a like spelling, and the less the more is left over.
        for name, score, at in process.extract(wanted, spellings, scorer=fuzz.token_set_ratio, limit=10 * most):
            if len(name) > 3:
                scores[at] = max(scores.get(at, 0.0), 0.75 * score + 0.25 * fuzz.ratio(wanted, name))
        found = [
            (round(score, 1), int(codes[at]), taxonomy.texts.store.entry(int(entries[at])))
            for at, score in scores.items()
        ]
        found += [
            (round(score, 1), concepts[at], taxonomy.texts.first(concepts[at]))
            for _, score, at in process.extract(text, codes_known, scorer=fuzz.ratio, limit=most)
        ]
        return _best(taxonomy, found, most)

    return [nearest(text) for text in texts]


def _codes_known(taxonomy: Taxonomy) -> tuple[list[str], list[int]]:
    """The codes a value could be meant for, and the concept of each, where the taxonomy's ids or aliases are codes."""
    if not taxonomy.annotations.code_ids:
        return [], []
    codes = {concept: code for code, concept in enumerate(taxonomy.ids)}
    for table in taxonomy.annotations.aliases.values():
        codes |= {alias: codes[ids[0]] for alias, ids in table.items() if ids[0] in codes}
    return list(codes), list(codes.values())


def _best(taxonomy: Taxonomy, found: Iterable[tuple[float, int, str]], most: int) -> tuple[Suggestion, ...]:
    """The highest scores, one a concept; among equals the shorter label, then taxonomy order."""
    likely = (hit for hit in found if hit[0] >= _LIKELY)
    ranked = sorted(likely, key=lambda hit: (-hit[0], len(hit[2]), hit[1]))
    best: dict[int, Suggestion] = {}
    for score, code, label in ranked:
        best.setdefault(code, Suggestion(taxonomy.ids[code], label, score))
    return tuple(best.values())[:most]
