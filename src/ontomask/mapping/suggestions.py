"""Suggestions: the concepts whose labels are most similar to a value, by words and by letters.

The score follows soft TF-IDF (Cohen 2003): words count by how rare they are in the labels, and
words that differ in a few letters count by their similarity. The score is the weight that both texts share, divided by
the mean weight of the two (Dice), so it is 1 for the same words and 0 for no common word. A label that is similar in
letters only, word by word too far away, is never suggested.

A word of the value that some label has is not searched by its letters: it is no misspelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from threading import Lock, Thread
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import in_blocks
from ontomask.mapping.id_forms import near_codes
from ontomask.mapping.letters import SpellingIndex, fold
from ontomask.mapping.words import find_by_stem, stems
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.graph import group_by
from ontomask.taxonomy.labels import LabelStore, normalise

__all__ = ["LEAST", "LabelSearch", "Suggestion", "prepare_suggestions", "suggest"]

LEAST = 0.5
"""The lowest score of a suggestion."""

# The lowest score if no word of the value is a known word: such a label is similar in letters only.
_LEAST_BY_LETTERS = 0.75

# The similarity of words with the same stem, and of a word and its plural. A text with the same words as a label may
# have them in another order or spelling, so its score is not quite 1.
_SAME_STEM, _PLURAL, _HIGHEST = 0.88, 0.97, 0.99
# With fewer labels, the index is built in about a second.
_SMALL = 150_000
# More similar words than this make no difference to the best label.
_MOST_WORDS = 12


@dataclass(frozen=True)
class Suggestion:
    """A concept whose label or code is similar to a value, with a score from 0 to 1."""

    concept: str
    label: str
    score: float


def suggest(taxonomy: Taxonomy, texts: Sequence[str], most: int = 3) -> list[tuple[Suggestion, ...]]:
    """For each text the concepts of the taxonomy with the most similar labels, or codes if its ids are codes.

    >>> import ontomask as om
    >>> suggest(om.load_wordnet().domain("animal.n.01"), ["tigre", "retired"])
    [(Suggestion(concept='tiger.n.02', label='tiger', score=0.8),), ()]
    """
    if not texts:
        return []
    store = taxonomy.texts.store
    search = _search_of(store)
    codes = [near_codes(taxonomy, text) if taxonomy.annotations.code_ids else {} for text in texts]
    found = []
    for hits, similar in zip(search.nearest(taxonomy, texts, most), codes, strict=True):
        best = {concept: Suggestion(concept, taxonomy.label(concept), score) for concept, score in similar.items()}
        for code, entry, score in hits:
            concept = taxonomy.ids[code]
            if concept not in best or best[concept].score < score:
                best[concept] = Suggestion(concept, store.entry(entry), score)
        found.append(tuple(sorted(best.values(), key=lambda s: -s.score)[:most]))
    return found


def prepare_suggestions(taxonomy: Taxonomy) -> bool:
    """Whether suggestions come at once. If not, the index of a large taxonomy is built in the background."""
    store = taxonomy.texts.store
    if store in _SEARCHES or len(store) <= _SMALL:
        return True
    if not _BUILDING.locked():
        Thread(target=_prepare, args=[taxonomy], daemon=True).start()
    return False


class _Matches(NamedTuple):
    """One word of a text: its weight, and the known words it may be, with the similarity of each."""

    weight: float
    words: list[int]
    similarity: list[float]


class LabelSearch:
    """An index of the words of all labels of a store. It is built in one pass, and read by any number of threads."""

    def __init__(self, store: LabelStore) -> None:
        numbers: dict[str, int] = {}
        known: dict[str, int] = {}
        accented: set[int] = set()
        transcribed: set[int] = set()
        entry: list[int] = []
        word: list[int] = []
        names = iter(store.each_normalised())
        for part in in_blocks("Indexing labels", len(store)):
            for i, name in zip(range(part.start, part.stop), names, strict=False):
                for text in dict.fromkeys(name.split(" ")):
                    number = known.get(text)
                    if number is None:
                        number = known[text] = numbers.setdefault(fold(text), len(numbers)) if text else -1
                        if not text.isascii():
                            accented.add(number)
                        elif fold(text) != text:
                            transcribed.add(number)
                    if number >= 0:
                        entry.append(i)
                        word.append(number)
        self._store = store
        # Words are numbered alphabetically, because the lower number breaks ties.
        words_in_order = sorted(numbers)
        rank = np.argsort([numbers[text] for text in words_in_order]).astype(np.int32)
        self._numbers = numbers = {text: number for number, text in enumerate(words_in_order)}
        self._accented = set(rank[list(accented)].tolist())
        self._transcribed = set(rank[list(transcribed)].tolist())
        # An entry may have two words that fold into one.
        pairs = np.unique(rank[word].astype(np.int64) * (len(store) + 1) + np.array(entry, dtype=np.int64))
        words, entries = (pairs // (len(store) + 1)).astype(np.int32), (pairs % (len(store) + 1)).astype(np.int32)
        self._start, self._entry = group_by(words, entries, len(numbers))
        self._weight = np.log1p(len(store) / np.maximum(np.diff(self._start), 1))
        self._unknown = log(1 + len(store))
        self._total = np.bincount(entries, weights=self._weight[words], minlength=len(store))
        rows = np.arange(len(store.owner_start) - 1, dtype=np.int32)
        self._spelling = SpellingIndex(list(numbers))
        self._stems: dict[str, list[int]] = {}
        for number, text in enumerate(stems(numbers)):
            self._stems.setdefault(text, []).append(number)
        self._owner: IntArray = np.repeat(rows, np.diff(store.owner_start))

    def nearest(self, taxonomy: Taxonomy, texts: Sequence[str], most: int) -> list[list[tuple[int, int, float]]]:
        """For each text the code, the entry of the label, and the score of the best concepts."""
        plain = [list(filter(None, normalise(text).split(" "))) for text in texts]
        split = [list(dict.fromkeys((fold(word), not word.isascii()) for word in words)) for words in plain]
        known = self._match({word for words in split for word in words})
        return [self._best(taxonomy, [known[word] for word in words], most) for words in split]

    def _by_stem(self, word: str, number: int) -> float:
        short, long = sorted((word, self._spelling.words[number]), key=len)
        return _PLURAL if long in (f"{short}s", f"{short}es") else _SAME_STEM

    def _match(self, words: Iterable[tuple[str, bool]]) -> dict[tuple[str, bool], _Matches]:
        """The known words that each word may be. The words are without accents, with whether they had some."""
        listed = sorted(words)
        unknown = [(word, is_accented) for word, is_accented in listed if word not in self._numbers]
        near: dict[tuple[str, bool], list[tuple[float, int]]] = {word: [] for word in listed}
        if unknown:
            similar = self._spelling.similar([word for word, _ in unknown])
            for i, number, similarity in zip(*(part.tolist() for part in similar), strict=True):
                # A word with an accent is no misspelling of one without: that is another language.
                if not unknown[i][1] or number in self._accented:
                    near[unknown[i]].append((similarity, number))
        made = {}
        for (word, is_accented), stem in zip(listed, stems(word for word, _ in listed), strict=True):
            number = self._numbers.get(word)
            best = {other: self._by_stem(word, other) for other in self._stems.get(stem, ())}
            for similarity, other in near[word, is_accented]:
                best[other] = max(similarity, best.get(other, 0.0))
            # Köchinnen: three letters more are too many for a misspelling.
            female = self._numbers.get(word.removesuffix("nen")) if word.endswith("innen") else None
            if female is not None:
                best[female] = _PLURAL
            if number is not None:
                best[number] = 1.0
            if is_accented:
                # It may be a word of another language: Bäcker is no backer, but Köchin is Koechin.
                best = {o: s if self._has_accent(o) else min(s, _SAME_STEM) for o, s in best.items()}
            weight = self._unknown if number is None else float(self._weight[number])
            chosen = sorted(best, key=lambda other: (-best[other], other))[:_MOST_WORDS]
            made[word, is_accented] = _Matches(weight, chosen, [best[other] for other in chosen])
        return made

    def _has_accent(self, number: int) -> bool:
        """Whether a word has an accent, or may have one that is written as ae, oe or ue."""
        return number in self._accented or number in self._transcribed

    def _best(self, taxonomy: Taxonomy, words: Sequence[_Matches], most: int) -> list[tuple[int, int, float]]:
        total = sum(word.weight for word in words)
        by_letters = all(similarity < _SAME_STEM for word in words for similarity in word.similarity)
        least = _LEAST_BY_LETTERS if by_letters else LEAST
        # Below this shared weight no label reaches the least score, whatever else it has: 2m / (total + m) < least.
        needed = least * total / (2 - least)
        rest, leading = total, []
        for word in sorted(words, key=lambda word: -word.weight):
            if rest < needed:
                break
            leading += [self._entries(number) for number in word.words]
            rest -= word.weight
        if not leading:
            return []
        entries = np.unique(np.concatenate(leading)) if len(leading) > 1 else leading[0]
        codes = taxonomy.texts.codes_of_rows(self._owner[entries])
        entries, codes = entries[codes >= 0], codes[codes >= 0]
        shared = np.zeros(len(entries))
        for word in words:
            part = np.zeros(len(entries))
            for number, similarity in zip(word.words, word.similarity, strict=True):
                has = self._has(number, entries)
                part[has] = np.maximum(part[has], similarity * (word.weight + self._weight[number]) / 2)
            shared += part
        scores = np.minimum(2 * shared / (total + self._total[entries]), _HIGHEST)
        good = np.flatnonzero(scores >= least)
        if len(good) > 8 * most:
            # With all that tie with the last of these.
            good = good[scores[good] >= -np.partition(-scores[good], 8 * most - 1)[8 * most - 1]]
        return self._ranked(entries[good], codes[good], scores[good], most)

    def _entries(self, number: int) -> IntArray:
        return self._entry[self._start[number] : self._start[number + 1]]

    def _has(self, number: int, entries: IntArray) -> NDArray[np.bool_]:
        """Which of the entries have a word."""
        own = self._entries(number)
        at = np.minimum(own.searchsorted(entries), len(own) - 1)
        found: NDArray[np.bool_] = own[at] == entries
        return found

    def _ranked(
        self, entries: IntArray, codes: IntArray, scores: NDArray[np.float64], most: int
    ) -> list[tuple[int, int, float]]:
        """The best concepts, each once. Ties: the earlier sense, taxonomy order, then the label."""
        rank = self._store.rank[entries].tolist()
        rounded = np.round(scores, 3).tolist()
        best: dict[int, tuple[int, int, float]] = {}
        label = map(self._store.entry, entries.tolist())
        for score, _, code, _, entry in sorted(
            zip((-score for score in rounded), rank, codes.tolist(), label, entries.tolist(), strict=True)
        ):
            best.setdefault(code, (code, entry, -score))
            if len(best) == most:
                break
        return list(best.values())


_SEARCHES: WeakKeyDictionary[LabelStore, LabelSearch] = WeakKeyDictionary()
_BUILDING = Lock()


def _prepare(taxonomy: Taxonomy) -> None:
    find_by_stem(taxonomy, taxonomy.label(taxonomy.root))
    _search_of(taxonomy.texts.store)


def _search_of(store: LabelStore) -> LabelSearch:
    with _BUILDING:
        search = _SEARCHES.get(store)
        if search is None:
            search = _SEARCHES[store] = LabelSearch(store)
        return search
