"""Semantic distances written down as the papers print them, on plain sets: slow, but easy to check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log, log2

from support.literal_taxonomy import Parents, common, depth, lcs_candidates, path, subsumers


def links_between(parents: Parents, a: str, b: str, s: str) -> int:
    return (path(parents, a, s) or 0) + (path(parents, b, s) or 0)


def wu_palmer(parents: Parents, a: str, b: str, root_depth: int = 1) -> float:
    """Rodriguez-Garcia 2017, eq. 11–12."""
    lcs = sorted(lcs_candidates(parents, [a, b]))[0]
    d = depth(parents, lcs) + root_depth
    links = links_between(parents, a, b, lcs)
    return 0.0 if a == b else 1 - 2 * d / (2 * d + links)


def raw_path(parents: Parents, a: str, b: str) -> int:
    """Martínez 2012, eq. 3.1."""
    return min(links_between(parents, a, b, s) for s in common(parents, [a, b]))


def max_depth(parents: Parents) -> int:
    return max(depth(parents, c) for c in parents)


def path_distance(parents: Parents, a: str, b: str) -> float:
    return raw_path(parents, a, b) / max(1, 2 * max_depth(parents))


def height(parents: Parents, c: str) -> int:
    """Links on the longest path down from c."""
    return max((1 + height(parents, child) for child in parents if c in parents[child]), default=0)


def height_distance(parents: Parents, a: str, b: str) -> float:
    """Byun 2007, with the lowest of several common subsumers."""
    if a == b:
        return 0.0
    return min(height(parents, s) for s in common(parents, [a, b])) / max(height(parents, c) for c in parents)


def leacock_chodorow(parents: Parents, a: str, b: str) -> float:
    """Martínez 2012, eq. 3.2 with nodes counted."""
    both = 2 * (max_depth(parents) + 1)
    sim = -log((raw_path(parents, a, b) + 1) / both)
    return 1 - sim / -log(1 / both)


def log_sc(parents: Parents, a: str, b: str) -> float:
    """Martínez 2012, eq. 3.9."""
    A, B = subsumers(parents, a), subsumers(parents, b)
    return log2(1 + (len(A | B) - len(A & B)) / len(A | B))


def one_way_tversky(parents: Parents, A: set[str], B: set[str], a: str, b: str) -> float:
    """Martínez 2012, eq. 3.4–3.5."""
    da, db = depth(parents, a), depth(parents, b)
    gamma = 0.5 if da + db == 0 else da / (da + db) if da <= db else 1 - da / (da + db)
    below = len(A & B) + gamma * len(A - B) + (1 - gamma) * len(B - A)
    return len(A & B) / below if below else 0.0


def tversky_ratio(parents: Parents, A: set[str], B: set[str], a: str, b: str) -> float:
    return (one_way_tversky(parents, A, B, a, b) + one_way_tversky(parents, B, A, b, a)) / 2


Words = Mapping[str, set[str]]


def tversky(parents: Parents, words: Words, a: str, b: str) -> float:
    def features(c: str) -> set[str]:
        return {f"word {w}" for w in words[c]} | {f"concept {s}" for s in subsumers(parents, c)}

    return 0.0 if a == b else 1 - tversky_ratio(parents, features(a), features(b), a, b)


def rodriguez(
    parents: Parents, words: Words, parts: Words, a: str, b: str, weights: tuple[float, float, float]
) -> float:
    """Martínez 2012, eq. 3.6, the weight of a component that neither has going to the others."""
    total = weight_used = 0.0
    sets = [
        (words[a], words[b]),
        (parts.get(a, set()), parts.get(b, set())),
        (subsumers(parents, a), subsumers(parents, b)),
    ]
    for weight, (A, B) in zip(weights, sets, strict=True):
        if A or B:
            total += weight * tversky_ratio(parents, A, B, a, b)
            weight_used += weight
    return 0.0 if a == b else 1 - (total / weight_used if weight_used else 0.0)


def x_similarity(parents: Parents, words: Words, parts: Words, glosses: Words, a: str, b: str) -> float:
    """Martínez 2012, eq. 3.7–3.8."""
    if a == b or words[a] & words[b]:
        return 0.0
    best = 0.0
    for A, B in (
        (subsumers(parents, a), subsumers(parents, b)),
        (parts.get(a, set()), parts.get(b, set())),
        (glosses.get(a, set()), glosses.get(b, set())),
    ):
        if A | B:
            best = max(best, len(A & B) / len(A | B))
    return 1 - best


def below(parents: Parents, c: str) -> set[str]:
    return {d for d in parents if c in subsumers(parents, d)}


def seco(parents: Parents, c: str) -> float:
    return 0.0 if len(parents) == 1 else 1 - log(len(below(parents, c))) / log(len(parents))


def zhou(parents: Parents, c: str) -> float:
    if len(parents) == 1:
        return 0.0
    return 0.5 * seco(parents, c) + 0.5 * log(depth(parents, c) + 1) / log(max_depth(parents) + 1)


def sanchez(parents: Parents, c: str) -> float:
    leaves = {d for d in parents if below(parents, d) == {d}}
    if len(parents) == 1:
        return 0.0
    mine = (below(parents, c) & leaves) - {c}
    return -log((len(mine) / len(subsumers(parents, c)) + 1) / (len(leaves) + 1))


def from_counts(parents: Parents, counts: Mapping[str, int], smoothing: int) -> Callable[[Parents, str], float]:
    """Martínez 2012, eq. 3.10."""
    weight = {c: counts.get(c, 0) + smoothing for c in parents}

    def ic(parents: Parents, c: str) -> float:
        return -log(sum(weight[d] for d in below(parents, c)) / sum(weight.values()))

    return ic


def content_measure(name: str, parents: Parents, ic: Callable[[Parents, str], float], a: str, b: str) -> float:
    """Martínez 2012, eq. 3.11–3.13, scaled to [0, 1]."""
    if a == b:
        return 0.0
    most = max(ic(parents, c) for c in parents)
    shared = max(ic(parents, s) for s in common(parents, [a, b]))
    mine, other = ic(parents, a), ic(parents, b)
    if name == "resnik":
        return 1 - shared / most
    if name == "lin":
        return 1 - 2 * shared / (mine + other) if mine + other > 0 else 1.0
    return (mine + other - 2 * shared) / (2 * most)
