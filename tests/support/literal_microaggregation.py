"""Microaggregation as the thesis writes it, record by record, and the local search beyond it, tuple by tuple.

Records are numbers of tuples. A *ground* knows the distance between a tuple and a point, and the centroid of records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

Point = tuple[Any, ...]
TIE = 1e-9


class Ground(Protocol):
    """What the algorithms ask."""

    def point(self, t: int) -> Point: ...

    def distance(self, a: Point, b: Point) -> float: ...

    def centroid(self, records: Sequence[int]) -> Point: ...


def first_least(items: Sequence[int], score: Callable[[int], float]) -> int:
    """The first of the items whose score ties with the least."""
    scores = [score(i) for i in items]
    return min(i for i, value in zip(items, scores, strict=True) if value <= min(scores) + TIE)


def most_distant(ground: Ground, items: Sequence[int], base: Point, weight: Callable[[int], float]) -> int:
    return first_least(items, lambda t: -weight(t) * ground.distance(ground.point(t), base))


def mdav(ground: Ground, records: Sequence[int], k: int) -> list[list[int]]:
    """Martínez 2012, Algorithm 3. The cluster of r is built from D without s. Records of the same tuple are closest."""
    left = sorted(records)
    clusters = []

    def gather(seed: int) -> None:
        by = sorted(left, key=lambda t: (t != seed, round(ground.distance(ground.point(t), ground.point(seed)), 9), t))
        clusters.append([seed, *by[: k - 1]])
        for t in by[: k - 1]:
            left.remove(t)

    def one(t: int) -> float:  # records count one by one
        return 1.0

    while len(left) >= 3 * k:
        r = most_distant(ground, left, ground.centroid(left), one)
        left.remove(r)
        s = most_distant(ground, left, ground.point(r), one)
        left.remove(s)
        gather(r)
        gather(s)
    if len(left) >= 2 * k:
        r = most_distant(ground, left, ground.centroid(left), one)
        left.remove(r)
        gather(r)
    return [*clusters, left]


def sa_mdav(
    ground: Ground,
    records: Sequence[int],
    k: int,
    *,
    static: bool = False,
    weigh_distant: bool = False,
    weigh_closest: bool = False,
    apart: bool = False,
) -> list[list[int]]:
    """Martínez 2012, Algorithm 4 on tuples with their counts."""
    often = Counter(records)
    left = dict(sorted(often.items()))
    clusters: list[list[int]] = []
    large = [t for t in left if apart and often[t] >= k]
    for t in large:
        del left[t]

    def size() -> int:
        return sum(left.values())

    def all_left() -> list[int]:
        return [t for t in left for _ in range(left[t])]

    def distant(t: int) -> float:
        return often[t] if weigh_distant else 1

    def grow(seed: int) -> None:
        cluster = [seed] * left.pop(seed)
        base = ground.point(seed)
        while len(cluster) < k:
            t = first_least(
                list(left),
                lambda t, base=base: (often[t] if weigh_closest else 1) * ground.distance(ground.point(t), base),
            )
            cluster += [t] * left.pop(t)
            if not static:
                base = ground.centroid(cluster)
        clusters.append(cluster)

    while size() >= k:
        r = most_distant(ground, list(left), ground.centroid(all_left()), distant)
        grow(r)
        if size() >= k:
            s = most_distant(ground, list(left), ground.point(r), distant)
            grow(s)
    clusters += [[t] * often[t] for t in large]
    centroids = [ground.centroid(cluster) for cluster in clusters]
    for t in left:
        c = first_least(range(len(clusters)), lambda c, t=t: ground.distance(ground.point(t), centroids[c]))
        clusters[c] += [t] * left[t]
    return clusters


def bounded(ground: Ground, records: Sequence[int], k: int) -> list[list[int]]:
    """Clusters of at most 2k − 1 records (Martínez 2012, Fig. 19-B): Algorithm 4, but a tuple may be divided."""
    often = Counter(records)
    left = dict(sorted(often.items()))
    clusters: list[list[int]] = []

    def grow(seed: int) -> None:
        room = min(2 * k - 1, sum(left.values()) - k)
        cluster: list[int] = []
        t = seed
        base = ground.point(seed)
        while True:
            some = min(left[t], room - len(cluster))
            cluster += [t] * some
            left[t] -= some
            if not left[t]:
                del left[t]
            if len(cluster) >= k:
                break
            base = ground.centroid(cluster)
            t = first_least(list(left), lambda t, base=base: ground.distance(ground.point(t), base))
        clusters.append(cluster)

    while sum(left.values()) >= 2 * k:
        remaining = [t for t in left for _ in range(left[t])]
        r = most_distant(ground, list(left), ground.centroid(remaining), lambda t: often[t])
        grow(r)
        if sum(left.values()) >= 2 * k:
            grow(most_distant(ground, list(left), ground.point(r), lambda t: often[t]))
    return [*clusters, [t for t in left for _ in range(left[t])]]


# Not in Martínez 2012


class Search:
    """Clusters with the records of each tuple, centroids and squares, all found anew whenever they are asked for."""

    def __init__(
        self,
        ground: Ground,
        often: Sequence[int],
        cluster: Sequence[int],
        k: int,
        near: Sequence[Sequence[int]] | None = None,
        price: float = 0.0,
    ) -> None:
        self.ground, self.often, self.k, self.near, self.price = ground, often, k, near, price
        self.cluster = list(cluster)

    def candidates(self, members: Sequence[int], a: int, of: Sequence[int]) -> list[int]:
        """The clusters, except a, that some tuples are compared with: those of near tuples, if these are known."""
        if self.near is None:
            return [b for b in of if b != a]
        return sorted({self.cluster[u] for t in members for u in self.near[t]} - {a})

    def members(self, a: int) -> list[int]:
        return [t for t, c in enumerate(self.cluster) if c == a]

    def size(self, a: int) -> int:
        return sum(self.often[t] for t in self.members(a))

    def numbers(self) -> list[int]:
        return sorted(set(self.cluster))

    def centroid_of(self, members: Sequence[int]) -> Point:
        return self.ground.centroid([t for t in members for _ in range(self.often[t])])

    def centroids(self) -> dict[int, Point]:
        return {a: self.centroid_of(self.members(a)) for a in self.numbers()}

    def to(self, t: int, point: Point) -> float:
        return self.ground.distance(self.ground.point(t), point)

    def squares_of(self, members: Sequence[int]) -> float:
        centre = self.centroid_of(members)
        return sum(self.often[t] * self.to(t, centre) ** 2 for t in members)

    def squares(self) -> float:
        return sum(self.squares_of(self.members(a)) for a in self.numbers())

    def cost(self) -> float:
        return self.squares() + self.price * len(self.numbers())

    def join(self) -> None:
        """The small cluster that joins another at least cost a record does so, until none is small."""
        version = dict.fromkeys(self.numbers(), 0)
        waiting = [self._offer(a, version) for a in self.numbers() if self.size(a) < self.k]
        while waiting:
            offer = min(waiting)
            waiting.remove(offer)
            _, a, b, mine, theirs = offer
            if a not in self.cluster or version[a] != mine:
                continue
            if b in self.cluster and version[b] == theirs:
                self.cluster = [b if c == a else c for c in self.cluster]
                version[b] += 1
                a = b
            if self.size(a) < self.k:
                waiting.append(self._offer(a, version))

    def _offer(self, a: int, version: dict[int, int]) -> tuple[float, int, int, int, int]:
        points = self.centroids()
        cost = {}
        for b in self.candidates(self.members(a), a, list(points)) or [b for b in points if b != a]:
            d = self.ground.distance(points[a], points[b])
            cost[b] = d * d * (self.size(b) / (self.size(a) + self.size(b)))
        b = first_least(list(cost), cost.__getitem__)
        return (round(min(cost.values()), 9), a, b, version[a], version[b])

    def reassign(self) -> int:
        """Tuples move to the nearest centroid, as these stood, where their cluster keeps k records."""
        points = self.centroids()
        moved = 0
        for t, a in enumerate(list(self.cluster)):
            if self.size(a) - self.often[t] < self.k:
                continue
            others = [a, *self.candidates([t], a, list(points))]
            b = first_least(others, lambda b, t=t: self.to(t, points[b]))
            if self.to(t, points[b]) < self.to(t, points[a]) - TIE:
                self.cluster[t] = b
                moved += 1
        return moved

    def dissolve(self) -> int:
        """Clusters whose tuples cost less elsewhere; one that has received a tuple stays for now."""
        points = self.centroids()
        done: set[int] = set()
        fresh: set[int] = set()
        for a in self.numbers():
            left = [b for b in points if b not in done]
            others = {t: self.candidates([t], a, left) for t in self.members(a)}
            if a in fresh or not all(others.values()):
                continue
            to = {t: first_least(others[t], lambda b, t=t: self.to(t, points[b])) for t in self.members(a)}
            there = sum(self.often[t] * self.to(t, points[b]) ** 2 for t, b in to.items())
            if there < self.squares_of(self.members(a)) + self.price - TIE:
                for t, b in to.items():
                    self.cluster[t] = b
                    fresh.add(b)
                done.add(a)
        return len(done)

    def split(self) -> int:
        """Clusters part around their most expensive tuple where that costs less and both parts have k records."""
        splits = 0
        a = 0
        while a < len(self.cluster):
            members = self.members(a)
            if self.size(a) >= 2 * self.k and self.squares_of(members) > self.price + TIE:
                centre = self.centroid_of(members)
                r = first_least(members, lambda t, centre=centre: -self.often[t] * self.to(t, centre) ** 2)
                by = {t: round(self.to(t, self.ground.point(r)) - self.to(t, centre), 9) for t in members}
                far: list[int] = []
                for t in sorted(members, key=lambda t: (by[t], t)):
                    if sum(self.often[u] for u in far) >= self.k and by[t] >= 0:
                        break
                    far.append(t)
                near = [t for t in members if t not in far]
                if (
                    sum(self.often[t] for t in near) >= self.k
                    and self.squares_of(far) + self.squares_of(near) + self.price < self.squares_of(members) - TIE
                ):
                    free = min(set(range(len(self.cluster))) - set(self.cluster))
                    for t in far:
                        self.cluster[t] = free
                    splits += 1
                    continue
            a += 1
        return splits

    def exchange(self) -> int:
        """Two clusters of near tuples divide their tuples anew, by centroid, where both keep k and cost less."""
        changes = 0
        for a in range(len(self.cluster)):
            if not self.members(a) or self.squares_of(self.members(a)) <= TIE:
                continue
            for b in self.candidates(self.members(a), a, self.numbers()):
                both = sorted([*self.members(a), *self.members(b)])
                to = [self.centroid_of(self.members(c)) for c in (a, b)]
                by = {t: round(self.to(t, to[0]) - self.to(t, to[1]), 9) for t in both}
                first: list[int] = []
                for t in sorted(both, key=lambda t, by=by: (by[t], t)):
                    size = sum(self.often[u] for u in first)
                    rest = sum(self.often[u] for u in both) - size - self.often[t]
                    if rest < self.k or (size >= self.k and by[t] > 0):
                        break
                    first.append(t)
                second = [t for t in both if t not in first]
                before = self.squares_of(self.members(a)) + self.squares_of(self.members(b))
                estimate = sum(self.often[t] * self.to(t, to[t not in first]) ** 2 for t in both)
                if sum(self.often[t] for t in first) < self.k or estimate >= before - TIE:
                    continue
                if self.squares_of(first) + self.squares_of(second) < before - TIE:
                    for t in both:
                        self.cluster[t] = a if t in first else b
                    changes += 1
        return changes
