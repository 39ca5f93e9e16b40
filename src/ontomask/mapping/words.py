"""Spellings of words: texts that mean a missing cell, word stems, and suggestions for misspelt values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.labels import LabelStore, TextIndex, normalise

__all__ = ["Suggestion", "find_by_stem", "looks_missing", "stem", "suggest"]

# Texts that often mean a missing cell, in several languages, in lower case.
_MISSING = frozenset(
    {"?", "??", ".", "..", "-", "--", "---", "–", "—", "na", "n/a", "#n/a", "<na>", "n.a.", "n.a", "n. a.", "nan"}
    | {"null", "none", "nil", "missing", "unknown", "unspecified", "undefined", "no data", "no answer", "no response"}
    | {"not available", "not applicable", "not known", "not stated", "not specified", "not reported", "not recorded"}
    | {"k.a.", "k. a.", "keine angabe", "keine angaben", "unbekannt", "fehlend", "nicht bekannt", "onbekend"}
    | {"don't know", "dont know", "do not know", "refused", "prefer not to say", "prefer not to answer", "weiß nicht"}
    | {"weiss nicht", "verweigert", "ne sait pas", "no sabe", "ns/nc", "non so", "não sabe", "weet niet"}
    | {"inconnu", "inconnue", "manquant", "non renseigné", "non disponible", "desconocido", "desconocida", "sin dato"}
    | {"sin datos", "no consta", "no disponible", "sconosciuto", "non disponibile", "desconhecido", "sem dados"}
)


def looks_missing(text: str) -> bool:
    """Whether a text often means a missing cell. Only somebody who knows the table can be certain.

    >>> looks_missing("None"), looks_missing("n.a."), looks_missing("nun")
    (True, True, False)
    """
    return " ".join(text.casefold().split()).strip("()[]") in _MISSING


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("porter")


def stem(text: str) -> str:
    """The stems (Porter 1980) of a text's words, normalised.

    >>> stem("Sports") == stem("sport"), stem("relaxation") == stem("relax")
    (True, True)
    """
    return " ".join(_stemmer().stemWords(normalise(text).split(" ")))


_STEM_INDEX: WeakKeyDictionary[LabelStore, TextIndex] = WeakKeyDictionary()


def find_by_stem(taxonomy: Taxonomy, text: str) -> list[str]:
    """Concepts that have a label with the same stems as ``text``, first sense first."""
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
            order = (int(store.rank[entry]), code)
            hits[code] = min(order, hits.get(code, order))
    return [taxonomy.ids[code] for code in sorted(hits, key=hits.__getitem__)]


_LIKELY = 70.0


@dataclass(frozen=True)
class Suggestion:
    """A concept whose label or code is similar to a value, with a similarity score from 0 to 100."""

    concept: str
    label: str
    score: float


def suggest(taxonomy: Taxonomy, texts: Sequence[str], most: int = 3) -> list[tuple[Suggestion, ...]]:
    """For each text the concepts with the most similar labels, or codes if the taxonomy's ids are codes."""
    if not texts:
        return []
    from rapidfuzz import fuzz, process

    entries, codes = taxonomy.texts.entries()
    spellings = taxonomy.texts.normalised()
    codes_known, concepts = _codes_known(taxonomy)

    def nearest(text: str) -> tuple[Suggestion, ...]:
        wanted = normalise(text)
        scores = {at: score for _, score, at in process.extract(wanted, spellings, scorer=fuzz.ratio, limit=4 * most)}
        # A shared word also counts (Hong: Hong Kong), but less than a similar spelling of the whole label.
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
    """Ids and aliases with their concepts, if the taxonomy's ids are codes."""
    if not taxonomy.annotations.code_ids:
        return [], []
    codes = {concept: code for code, concept in enumerate(taxonomy.ids)}
    for table in taxonomy.annotations.aliases.values():
        codes |= {alias: codes[ids[0]] for alias, ids in table.items() if ids[0] in codes}
    return list(codes), list(codes.values())


def _best(taxonomy: Taxonomy, found: Iterable[tuple[float, int, str]], most: int) -> tuple[Suggestion, ...]:
    """The concepts with the highest scores. Ties: the shorter label, then taxonomy order."""
    likely = (hit for hit in found if hit[0] >= _LIKELY)
    ranked = sorted(likely, key=lambda hit: (-hit[0], len(hit[2]), hit[1]))
    best: dict[int, Suggestion] = {}
    for score, code, label in ranked:
        best.setdefault(code, Suggestion(taxonomy.ids[code], label, score))
    return tuple(best.values())[:most]
