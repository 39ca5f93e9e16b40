"""Words that differ in a few letters: an index that finds all of them without comparing every word.

Two words are similar if one becomes the other by few edits: a letter added, left out, replaced, or swapped with its
neighbour. Words of 4 to 7 letters may differ by one edit, longer words by two. Shorter words and words with digits must
be equal, because another letter there usually means another thing. So usually does another first letter.

The index stores what remains of each word when up to two of its first seven letters are left out. Two words within two
edits of each other share such a remainder (Garbe 2012, "symmetric delete"). Remainders are hashed for all words at
once; the few candidates are then compared letter by letter.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray

__all__ = ["SimilarWords", "SpellingIndex", "fold", "most_edits"]

_SHORTEST, _LONG = 4, 8
_FIRST = 7  # letters of a word from which some are left out
_BITS = 18  # of a hash: the number of its bucket
_BLOCK = 16384
_SPECIAL = str.maketrans({"ß": "ss", "æ": "a", "ø": "o", "œ": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})


def fold(word: str) -> str:
    """A word without accents, and with ``ä`` and ``ae`` alike. The word must be in normal form.

    >>> fold("köchin") == fold("koechin") == fold("kochin"), fold("ærø")
    (True, 'aro')
    """
    if not word.isascii():
        bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
        word = bare.translate(_SPECIAL)
    return word.replace("ae", "a").replace("oe", "o").replace("ue", "u") if "e" in word else word


def most_edits(word: str) -> int:
    """By how many edits a similar word may differ from this one."""
    if len(word) < _SHORTEST or any(c.isdigit() for c in word):
        return 0
    return 1 if len(word) < _LONG else 2


class SimilarWords(NamedTuple):
    """Pairs of a searched and a known word, by their positions, and the similarity of each pair, below 1."""

    searched: IntArray
    known: IntArray
    similarity: NDArray[np.float64]


@cache
def _patterns(edits: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The positions that remain, filled up at the end, and which of them count, for each way to leave letters out."""
    kept = [
        [at for at in range(_FIRST) if at not in out]
        for number in range(edits + 1)
        for out in combinations(range(_FIRST), number)
    ]
    places = np.array([one + [0] * (_FIRST - len(one)) for one in kept], dtype=np.intp)
    counts = np.array([[True] * len(one) + [False] * (_FIRST - len(one)) for one in kept])
    return places, counts


_FACTORS = np.array([pow(0x9E3779B97F4A7C15, i, 2**64) for i in range(1, _FIRST + 1)], dtype=np.uint64)


def _first_letters(words: Sequence[str]) -> NDArray[np.uint32]:
    """The code points of the first letters, 0 after the end of a word, one row per word."""
    if not words:
        return np.zeros((0, _FIRST), dtype=np.uint32)
    return np.array(words, dtype=f"U{_FIRST}").view(np.uint32).reshape(len(words), _FIRST)


def _remainders(words: Sequence[str], edits: int) -> NDArray[np.uint32]:
    """The hashes of what remains of each word, one row per word. Words shorter than the pattern repeat some."""
    places, counts = _patterns(edits)
    letters = _first_letters(words).astype(np.uint64)
    # A letter left out beyond the end of a word leaves the word: zeros count as nothing.
    mixed: NDArray[np.uint64] = (letters[:, places] * (_FACTORS * counts)).sum(axis=2, dtype=np.uint64)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    hashes: NDArray[np.uint32] = (mixed >> np.uint64(32)).astype(np.uint32)
    return hashes


class SpellingIndex:
    """Finds the words of a list that are similar to other words.

    >>> index = SpellingIndex(["tiger", "tigress", "timber", "retard"])
    >>> [index.words[i] for i in index.similar(["tigre", "retired", "tigers"]).known]
    ['tiger', 'tiger']
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        which = np.array([i for i, word in enumerate(words) if most_edits(word)], dtype=np.uint64)
        parts = []
        for low in range(0, len(which), _BLOCK):
            block = which[low : low + _BLOCK]
            hashes = _remainders([words[i] for i in block.tolist()], 2).astype(np.uint64)
            parts.append(((hashes << np.uint64(32)) | block[:, None]).ravel())
        # Each entry is a hash and, in its lower half, the word. Buckets of hashes make a look-up one step.
        self._entry = _distinct(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.uint64)
        bucket = np.bincount((self._entry >> np.uint64(64 - _BITS)).astype(np.int64), minlength=1 << _BITS)
        self._start = np.concatenate([[0], np.cumsum(bucket)])
        self._length = np.array([len(word) for word in words], dtype=np.int32)

    def similar(self, words: Sequence[str]) -> SimilarWords:
        """All known words that are similar to the given ones, not those that are equal."""
        searched = np.array([i for i, word in enumerate(words) if most_edits(word)], dtype=np.int32)
        texts = [words[i] for i in searched.tolist()]
        hashes = _remainders(texts, 2)
        # A short word may differ by one edit, so only its remainders without one letter count.
        short = np.array([most_edits(text) == 1 for text in texts], dtype=bool)
        wanted = np.ones(hashes.shape, dtype=bool)
        wanted[short, _FIRST + 1 :] = False
        row, _ = np.nonzero(wanted)
        flat = hashes[wanted].astype(np.uint64)
        bucket = (flat >> np.uint64(32 - _BITS)).astype(np.int64)
        first, sizes = self._start[bucket], self._start[bucket + 1] - self._start[bucket]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        entries = self._entry[np.repeat(first, sizes) + within]
        hits = entries >> np.uint64(32) == np.repeat(flat, sizes)
        found = entries[hits] & np.uint64(0xFFFFFFFF)
        pairs = _distinct(np.repeat(row.astype(np.uint64) << np.uint64(32), sizes)[hits] | found)
        rows, known = (pairs >> np.uint64(32)).astype(np.int64), pairs.astype(np.uint32).astype(np.int32)
        return self._verified(words, searched[rows], known)

    def _verified(self, words: Sequence[str], searched: IntArray, known: IntArray) -> SimilarWords:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import cpdist

        if not len(known):
            return SimilarWords(searched, known, np.zeros(0))
        left = [words[i] for i in searched.tolist()]
        right = [self.words[i] for i in known.tolist()]
        edits = cpdist(left, right, scorer=OSA.distance, score_cutoff=2, dtype=np.int32)
        own = np.array([len(word) for word in words], dtype=np.int32)[searched]
        others = self._length[known]
        near = (edits > 0) & (edits <= np.where(np.minimum(own, others) < _LONG, 1, 2))
        # The first letter is rarely wrong, but it may be swapped with the second.
        near &= np.array([a[0] == b[0] or (a[0] == b[1] and a[1] == b[0]) for a, b in zip(left, right, strict=True)])
        return SimilarWords(searched[near], known[near], (1 - edits / np.maximum(own, others))[near])


def _distinct(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The distinct values, ascending."""
    ordered = np.sort(values)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered
