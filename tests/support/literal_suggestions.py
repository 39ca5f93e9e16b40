"""Suggestions by their definition: every label is compared with the value, word by word."""

from __future__ import annotations

from math import log

from ontomask.mapping.letters import fold
from ontomask.mapping.words import stems
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.labels import normalise


def edits(a: str, b: str) -> int:
    """The least number of letters added, left out, replaced or swapped with a neighbour (optimal string alignment)."""
    d = [[max(i, j) if not i or not j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1)
    return d[-1][-1]


def letter_similarity(a: str, b: str) -> float:
    """How similar two different words are by their letters; 0 if they are not similar."""
    shorter, longer = min(len(a), len(b)), max(len(a), len(b))
    if shorter < 4 or any(c.isdigit() for c in a + b):
        return 0.0
    if not (a[0] == b[0] or (a[0] == b[1] and a[1] == b[0])):
        return 0.0
    number = edits(a, b)
    return 1 - number / longer if 0 < number <= (1 if shorter < 8 else 2) else 0.0


def scores(taxonomy: Taxonomy, text: str) -> dict[str, float]:
    """The score of every concept that may be suggested for a text."""
    labels = [(c, set(map(fold, normalise(label).split()))) for c in taxonomy.ids for label in taxonomy.labels(c)]
    every = [word for c in taxonomy.ids for label in taxonomy.labels(c) for word in normalise(label).split()]
    accented = {fold(word) for word in every if not word.isascii()}
    transcribed = {fold(word) for word in every if fold(word) != word}
    number = {}
    for _, words in labels:
        for word in words:
            number[word] = number.get(word, 0) + 1
    weight = {word: log(1 + len(labels) / n) for word, n in number.items()}
    unknown = log(1 + len(labels))
    wanted = list(dict.fromkeys((fold(word), not word.isascii()) for word in normalise(text).split()))

    def similarity(word: str, foreign: bool, other: str) -> float:
        most = 0.88 if foreign and other not in accented | transcribed else 1.0
        return min(most, alike(word, foreign, other))

    def alike(word: str, foreign: bool, other: str) -> float:
        if word == other:
            return 1.0
        if word.endswith("innen") and word == other + "nen":
            return 0.97
        by_stem = 0.0
        if stems([word]) == stems([other]):
            short, long = sorted((word, other), key=len)
            by_stem = 0.97 if long in (short + "s", short + "es") else 0.88
        if word in number or (foreign and other not in accented):
            return by_stem
        return max(by_stem, letter_similarity(word, other))

    total = sum(weight.get(word, unknown) for word, _ in wanted)
    best_of_all = max((similarity(*word, other) for word in wanted for other in number), default=0.0)
    least = 0.75 if best_of_all < 0.88 else 0.5
    found: dict[str, float] = {}
    for concept, words in labels:
        shared = sum(
            max(
                (similarity(*word, other) * (weight.get(word[0], unknown) + weight[other]) / 2 for other in words),
                default=0.0,
            )
            for word in wanted
        )
        mean = (total + sum(weight[word] for word in words)) / 2
        score = min(shared / mean, 0.99) if mean else 0.0
        if score >= least:
            found[concept] = max(score, found.get(concept, 0.0))
    return found
