"""Local generalisation by cost as it is described, on lists of tuples and plain dictionaries of parents (trees)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product

from ontomask.distance.ties import TIE, levels_of

Record = tuple[str, ...]
Tree = dict[str, str | None]
Lost = Callable[[int, str, str], float]


def chain(tree: Tree, value: str) -> list[str]:
    """A value and everything above it."""
    above = tree[value]
    return [value] if above is None else [value, *chain(tree, above)]


def meet(tree: Tree, values: Sequence[str]) -> str:
    """The least common subsumer of values."""
    common = [c for c in chain(tree, values[0]) if all(c in chain(tree, v) for v in values)]
    return common[0]


def leaves_below(tree: Tree, node: str) -> int:
    """The leaves below a node; a leaf has one, itself."""
    leaves = [c for c in tree if c not in tree.values()]
    return sum(node in chain(tree, leaf) for leaf in leaves)


class Search:
    """The search. Groups are lists of indices of tuples; those that were dissolved are empty."""

    def __init__(
        self, tuples: Sequence[Record], counts: Sequence[int], trees: Sequence[Tree], lost: Lost, k: int
    ) -> None:
        self.tuples, self.counts, self.trees, self.k = tuples, counts, trees, k
        self.lost = lost
        self.groups: list[list[int]] = []
        heights = [max(len(chain(tree, t[j])) for t in tuples) for j, tree in enumerate(trees)]
        self.levels = [
            [{v: self._on_level(j, v, height - 1 - level) for v in {t[j] for t in tuples}} for level in range(height)]
            for j, height in enumerate(heights)
        ]
        total = sum(counts)
        means = [
            [
                sum(c * lost(j, t[j], level[t[j]]) for t, c in zip(tuples, counts, strict=True)) / total
                for level in levels
            ]
            for j, levels in enumerate(self.levels)
        ]
        self.columns = sorted(range(len(trees)), key=lambda j: (-round(sum(means[j]) / len(means[j]), 12), j))
        every = list(product(*(range(len(means[j])) for j in self.columns)))
        sums = [sum(means[j][at] for j, at in zip(self.columns, levels, strict=True)) for levels in every]
        tied = levels_of(sums)[0].tolist()
        self.combinations = [every[i] for i in sorted(range(len(every)), key=lambda i: (tied[i], every[i]))]

    def _on_level(self, j: int, value: str, depth: int) -> str:
        above = chain(self.trees[j], value)
        return above[max(len(above) - 1 - depth, 0)]

    def nodes(self, group: Sequence[int]) -> Record:
        return tuple(meet(tree, [self.tuples[t][j] for t in group]) for j, tree in enumerate(self.trees))

    def cost(self, group: Sequence[int]) -> float:
        if not group:
            return 0.0
        nodes = self.nodes(group)
        return sum(
            self.counts[t] * self.lost(j, self.tuples[t][j], node) for t in group for j, node in enumerate(nodes)
        )

    def size(self, group: Sequence[int]) -> int:
        return sum(self.counts[t] for t in group)

    def cheapest(self, t: int, most: float, but: int) -> tuple[int, float]:
        rises = {
            g: self.cost([t, *group]) - self.cost(group) for g, group in enumerate(self.groups) if group and g != but
        }
        least = min(rises.values(), default=most)
        if least >= most - TIE:
            return -1, most
        return next((g, least) for g, rise in rises.items() if rise <= least + TIE)

    def run(self, rounds: int, worthwhile: float) -> list[list[int]]:
        """All groups."""
        free = list(range(len(self.tuples)))
        left = self.sweep(free)
        if self.size(left) >= self.k:
            self.groups.append(left)
            left = []
        for t in left:
            g, _ = self.cheapest(t, float("inf"), -1)
            self.groups[g].insert(0, t)
        total = sum(map(self.cost, self.groups))
        for _ in range(rounds):
            self.split()
            self.reassign(free)
            self.dissolve()
            before, total = total, sum(map(self.cost, self.groups))
            if before - total <= worthwhile * total:
                break
        return [group for group in self.groups if group]

    def sweep(self, free: Sequence[int]) -> list[int]:
        left = list(free)
        for combination in self.combinations:
            levels = {j: self.levels[j][at] for j, at in zip(self.columns, combination, strict=True)}
            equal: dict[Record, list[int]] = {}
            for t in left:
                equal.setdefault(tuple(levels[j][self.tuples[t][j]] for j in self.columns), []).append(t)
            made = [group for group in equal.values() if self.size(group) >= self.k]
            self.groups += made
            left = [t for t in left if not any(t in group for group in made)]
        return left

    def split(self) -> None:
        a = 0
        while a < len(self.groups):
            group = self.groups[a]
            best, parts = self.cost(group) - TIE, None
            for j in self.columns if self.size(group) >= 2 * self.k else []:
                tried = self.branches(group, j)
                total = sum(map(self.cost, tried))
                if len(tried) > 1 and total < best:
                    best, parts = total, tried
            if parts is None:
                a += 1
                continue
            self.groups[a] = parts[0]
            # Tuples enter a new group one after the other, each before those that are there.
            self.groups += [part[::-1] for part in parts[1:]]

    def branches(self, group: list[int], j: int) -> list[list[int]]:
        node = self.nodes(group)[j]
        found: dict[str, list[int]] = {}
        for t in group:
            above = chain(self.trees[j], self.tuples[t][j])
            at = above.index(node)
            found.setdefault(above[at - 1] if at else node, []).append(t)
        small = [b for b, part in found.items() if self.size(part) < self.k]
        if sum(self.size(found[b]) for b in small) < self.k:
            large = [b for b in found if b not in small]
            if large:
                small.append(min(large, key=lambda b: self.size(found[b])))
        rest = [t for t in group if any(t in found[b] for b in small)]
        return [rest, *(part for b, part in found.items() if b not in small)]

    def reassign(self, free: Sequence[int]) -> None:
        for t in free:
            a = next(g for g, group in enumerate(self.groups) if t in group)
            others = [u for u in self.groups[a] if u != t]
            if self.size(others) < self.k:
                continue
            fall = self.cost(self.groups[a]) - self.cost(others)
            if fall <= TIE:
                continue
            b, _ = self.cheapest(t, fall, a)
            if b >= 0:
                self.groups[a] = others
                self.groups[b].insert(0, t)

    def dissolve(self) -> None:
        for a, group in enumerate(self.groups):
            left = self.cost(group)
            targets: list[int] = []
            for t in group:
                b, rise = self.cheapest(t, left, a) if left > TIE else (-1, 0.0)
                if b < 0:
                    break
                left -= rise
                targets.append(b)
            if not group or len(targets) < len(group) or left <= TIE:
                continue
            tried = [list(other) for other in self.groups]
            tried[a] = []
            for t, b in zip(group, targets, strict=True):
                tried[b].insert(0, t)
            if sum(map(self.cost, self.groups)) - sum(map(self.cost, tried)) > TIE:
                self.groups = tried
            else:
                # Tuples come back one after the other, each before those that are there.
                self.groups[a] = group[::-1]


def released(
    records: Sequence[Record],
    order: Sequence[Record],
    trees: Sequence[Tree],
    lost: Lost,
    k: int,
    *,
    rounds: int,
    worthwhile: float,
) -> list[Record]:
    """What each record is released as; ``order`` has the distinct tuples."""
    counts = Counter(records)
    search = Search(order, [counts[t] for t in order], trees, lost, k)
    out = {}
    for group in search.run(rounds, worthwhile):
        nodes = search.nodes(group)
        out.update(dict.fromkeys((order[t] for t in group), nodes))
    return [out[r] for r in records]


def certainty_penalty(tree: Tree, value: str, node: str) -> float:
    """(Leaves below the node − 1) / (all leaves − 1), without what the value itself has (Xu et al. 2006)."""
    top = chain(tree, value)[-1]
    every = max(leaves_below(tree, top) - 1, 1)
    return (leaves_below(tree, node) - leaves_below(tree, value)) / every
