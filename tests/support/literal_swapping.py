"""Rank swapping as in Rodriguez-Garcia 2019, record by record: slow, but easy to check.

Whatever is left to chance is asked of ``Draws``: `Chance` draws at random, `Every` goes through all that can happen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, permutations
from math import fsum
from typing import Any, Protocol

TIE = 1e-9

Distance = Callable[[int, int], float]


class Draws(Protocol):
    def reference(self, options: list[int]) -> int: ...
    def order(self, records: list[int]) -> list[int]: ...
    def interval(self, inside: list[int], tied: list[int], size: int, attribute: int | None) -> list[int]: ...
    def partner(self, reference: int, attribute: int, options: list[int]) -> int: ...
    def deal(self, attribute: int, records: list[int]) -> list[int]: ...


@dataclass
class Swapped:
    """For each attribute whose value a record gets, and from how many values each draw was made."""

    source: list[list[int]]
    candidates: list[list[int]]

    @classmethod
    def nothing(cls, attributes: int, n: int) -> Swapped:
        return cls([list(range(n)) for _ in range(attributes)], [[] for _ in range(attributes)])

    def swap(self, a: int, i: int, j: int) -> None:
        self.source[a][i], self.source[a][j] = j, i

    def deal(self, a: int, records: list[int], draws: Draws) -> None:
        """What is left of an attribute when a value has not k others to change places with: k + 1 values at most."""
        for record, other in zip(records, draws.deal(a, records), strict=True):
            self.source[a][record] = other
        self.candidates[a] += [len(records)] * len(records) if len(records) > 1 else [0]


def most_distant(n: int, d: Distance, among: Sequence[int]) -> list[int]:
    """Rodriguez-Garcia 2019, eq. 5 and 10: those with the greatest sum of distances to all."""
    sums = {i: fsum(d(i, j) for j in range(n)) / n for i in among}
    most = max(sums.values())
    return [i for i in among if sums[i] >= most - TIE]


def most_distant_from(reference: int, d: Distance, among: Sequence[int]) -> list[int]:
    """Rodriguez-Garcia 2019, eq. 7 and 12."""
    most = max(d(reference, i) for i in among)
    return [i for i in among if d(reference, i) >= most - TIE]


def levels(records: Sequence[int], key: Callable[[int], float]) -> list[list[int]]:
    """Records by rank, those that tie together."""
    found: list[list[int]] = []
    last = None
    for i in sorted(records, key=key):
        if last is None or key(i) - last > TIE:
            found.append([])
        found[-1].append(i)
        last = key(i)
    return found


def interval(
    reference: int, d: Distance, k: int, among: Sequence[int], draws: Draws, attribute: int | None = None
) -> list[int]:
    """Rodriguez-Garcia 2019, eq. 6 and 11: the k closest records to the reference, by all attributes or by one."""
    others = [i for i in among if i != reference]
    if not others:
        return draws.interval([], [], 0, attribute)
    kth = sorted(d(reference, i) for i in others)[k - 1]
    inside = [i for i in others if d(reference, i) < kth - TIE]
    tied = [i for i in others if abs(d(reference, i) - kth) <= TIE]
    return draws.interval(inside, tied, k, attribute)


def by_rank(ranked: list[int], k: int, draws: Draws, unswapped_only: bool) -> Swapped:
    """Rodriguez-Garcia 2019, Algorithm 1, lines 4–13. ``unswapped_only``: among the next k unswapped ranks."""
    n = len(ranked)
    done = Swapped.nothing(1, n)
    unswapped = set(ranked)
    for i, value in enumerate(ranked):
        if value not in unswapped:
            continue
        if unswapped_only and len(unswapped) <= k + 1:
            done.deal(0, [r for r in ranked if r in unswapped], draws)
            break
        following = ranked[i + 1 :]
        if unswapped_only:
            following = [r for r in following if r in unswapped]
        options = [r for r in following[:k] if r in unswapped]
        done.candidates[0].append(len(options))
        if options:
            partner = draws.partner(value, 0, options)
            done.swap(0, value, partner)
            unswapped.remove(partner)
        unswapped.remove(value)
    return done


def algorithm_1(n: int, d: Distance, k: int, draws: Draws, unswapped_only: bool) -> Swapped:
    reference = draws.reference(most_distant(n, d, range(n)))
    ranked = [i for level in levels(range(n), lambda i: d(reference, i)) for i in draws.order(level)]
    return by_rank(ranked, k, draws, unswapped_only)


def distributional(values: Sequence[Any], k: int, draws: Draws) -> Swapped:
    """Ranks by frequency instead of distance."""
    often = [values.count(value) for value in values]
    ranked = [i for level in levels(range(len(values)), lambda i: often[i]) for i in draws.order(level)]
    return by_rank(ranked, k, draws, unswapped_only=False)


def any_other(n: int, draws: Draws) -> Swapped:
    """Data swapping: everybody with anybody."""
    return by_rank(draws.order(list(range(n))), n, draws, unswapped_only=False)


def algorithm_3(movable: list[list[bool]], d: Distance, k: int, draws: Draws, unswapped_only: bool) -> Swapped:
    """Rodriguez-Garcia 2019, Algorithm 3; with one attribute it is Algorithm 2.

    ``movable[a][i]`` says whether a value may be swapped.
    """
    n, m = len(movable[0]), len(movable)
    done = Swapped.nothing(m, n)
    unswapped = [{i for i in range(n) if movable[a][i]} for a in range(m)]
    remaining = [i for i in range(n) if any(i in unswapped[a] for a in range(m))]
    reference = draws.reference(most_distant(n, d, remaining)) if remaining else None
    while remaining:
        near = None if unswapped_only else interval(reference, d, k, range(n), draws)
        for a in range(m):
            if reference not in unswapped[a]:
                continue
            if unswapped_only and len(unswapped[a]) <= k + 1:
                done.deal(a, sorted(unswapped[a]), draws)
                unswapped[a].clear()
                continue
            mine = interval(reference, d, k, sorted(unswapped[a]), draws, a) if near is None else near
            options = [i for i in mine if i in unswapped[a]]
            done.candidates[a].append(len(options))
            if options:
                partner = draws.partner(reference, a, options)
                done.swap(a, reference, partner)
                unswapped[a].remove(partner)
            unswapped[a].remove(reference)
        remaining = [i for i in range(n) if any(i in unswapped[a] for a in range(m))]
        if remaining:
            reference = draws.reference(most_distant_from(reference, d, remaining))
    return done


@dataclass
class Chance:
    """Draws at random."""

    rng: random.Random

    def reference(self, options: list[int]) -> int:
        return self.rng.choice(options)

    def order(self, records: list[int]) -> list[int]:
        return self.rng.sample(records, len(records))

    def interval(self, inside: list[int], tied: list[int], size: int, attribute: int | None) -> list[int]:
        return inside + self.rng.sample(tied, size - len(inside))

    def partner(self, reference: int, attribute: int, options: list[int]) -> int:
        return self.rng.choice(options)

    def deal(self, attribute: int, records: list[int]) -> list[int]:
        return self.order(records)


@dataclass
class Every:
    """One way that things can go, and its probability; `outcomes` goes through all of them."""

    path: list[int]
    widths: list[int] = field(default_factory=list)

    def _one_of(self, ways: list[Any]) -> Any:
        at = len(self.widths)
        self.widths.append(len(ways))
        if at == len(self.path):
            self.path.append(0)
        return ways[self.path[at]]

    def reference(self, options: list[int]) -> int:
        return self._one_of(options)

    def order(self, records: list[int]) -> list[int]:
        return list(self._one_of(list(permutations(records))))

    def interval(self, inside: list[int], tied: list[int], size: int, attribute: int | None) -> list[int]:
        return inside + list(self._one_of(list(combinations(tied, size - len(inside)))))

    def partner(self, reference: int, attribute: int, options: list[int]) -> int:
        return self._one_of(options)

    def deal(self, attribute: int, records: list[int]) -> list[int]:
        return self.order(records)

    @property
    def probability(self) -> Fraction:
        product = Fraction(1)
        for width in self.widths:
            product /= width
        return product

    def next_path(self) -> list[int] | None:
        """The next way after this one: the last choice that can be another is."""
        for at in reversed(range(len(self.widths))):
            if self.path[at] + 1 < self.widths[at]:
                return [*self.path[:at], self.path[at] + 1]
        return None


def outcomes(run: Callable[[Draws], Swapped]) -> Iterator[tuple[Swapped, Fraction]]:
    """All that a run can come to, with probabilities that add up to 1; the same outcome may come several times."""
    path: list[int] | None = []
    while path is not None:
        draws = Every(path)
        yield run(draws), draws.probability
        path = draws.next_path()
