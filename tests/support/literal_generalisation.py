"""Generalisation and suppression as they are described, record by record, on plain dictionaries of parents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product

from ontomask.distance.ties import TIE

from support.literal_taxonomy import Parents, depth, lcs_candidates, path

Record = tuple[str, ...]


@dataclass
class Group:
    """Records that look alike by now."""

    values: Record
    records: list[int]


def lcs(parents: Parents, a: str, b: str) -> str:
    """Of several deepest and nearest common subsumers the first; the dictionary has the order of the taxonomy."""
    found = lcs_candidates(parents, [a, b])
    return next(c for c in parents if c in found)


def climbed(parents: Parents, a: str, b: str) -> tuple[int, int]:
    """The steps that a and b climb to where they meet."""
    top = lcs(parents, a, b)
    return path(parents, a, top) or 0, path(parents, b, top) or 0


def local(
    records: Sequence[Record],
    columns: Sequence[Parents],
    k: int,
    *,
    by_records: bool = False,
    weights: Sequence[float] | None = None,
) -> list[Record]:
    """Merge the rarest group with the one that needs the fewest steps, until all have k records."""
    place = [{c: i for i, c in enumerate(parents)} for parents in columns]
    distinct = sorted(set(records), key=lambda r: [at[c] for at, c in zip(place, r, strict=True)])
    slots: list[Group | None] = [Group(t, [i for i, r in enumerate(records) if r == t]) for t in distinct]
    shared = [sum(n * n for n in Counter(t[j] for t in distinct).values()) for j in range(len(columns))]
    key = shared.index(min(shared))

    def alive() -> list[tuple[int, Group]]:
        return [(slot, group) for slot, group in enumerate(slots) if group is not None]

    while any(len(group.records) < k for _, group in alive()):
        _, rarest = min((len(group.records), slot) for slot, group in alive())
        a = slots[rarest]
        slots[rarest] = None

        def cost(other: tuple[int, Group], a: Group = a) -> tuple[float, int, int, int]:
            slot, b = other
            steps = [climbed(p, v, w) for p, v, w in zip(columns, a.values, b.values, strict=True)]
            mine, theirs = (
                sum(weight * n for weight, n in zip(weights or [1] * len(columns), side, strict=True))
                for side in zip(*steps, strict=True)
            )
            total = len(a.records) * mine + len(b.records) * theirs if by_records else mine + theirs
            return round(total, 9), len(b.records), sum(steps[key]), slot

        slot, b = min(alive(), key=cost)
        values = tuple(lcs(p, v, w) for p, v, w in zip(columns, a.values, b.values, strict=True))
        merged = Group(values, a.records + b.records)
        slots[slot] = None
        for twin, group in alive():
            if group.values == values:
                merged.records += group.records
                slots[twin] = None
        slots[slot] = merged
    released = {i: group.values for _, group in alive() for i in group.records}
    return [released[i] for i in range(len(records))]


def leave_out(
    records: Sequence[Record],
    released: Sequence[Record],
    columns: Sequence[Parents],
    k: int,
    spare: int,
    lost: Callable[[Record, Record], float],
) -> list[Record | None]:
    """Leave out equal records if the others of their group, which keeps k, then lose less by more than one each.

    ``lost`` is what a record loses when another is released for it.
    """
    out: list[Record | None] = list(released)
    place = [{c: i for i, c in enumerate(parents)} for parents in columns]
    distinct = sorted(set(records), key=lambda r: [at[c] for at, c in zip(place, r, strict=True)])

    def common(rows: list[int]) -> Record:
        values = [t for t in distinct if any(records[i] == t for i in rows)]
        return tuple(reduce(partial(lcs, parents), [t[j] for t in values]) for j, parents in enumerate(columns))

    group = list(released)
    for t in distinct:
        mine = [i for i, r in enumerate(records) if r == t]
        everybody = [i for i, g in enumerate(group) if g == group[mine[0]] and out[i] is not None]
        others = [i for i in everybody if i not in mine]
        if len(others) < k or out.count(None) + len(mine) > spare:
            continue
        before, after = common(everybody), common(others)
        fall = sum(lost(records[i], before) for i in everybody) - sum(lost(records[i], after) for i in others)
        if fall > len(mine) + TIE:
            for i in mine:
                out[i] = None
            for i in others:
                out[i] = after
    return out


def to_level(parents: Parents, value: str, level: int, height: int) -> str:
    """The subsumer of a value that stands ``level`` links above the deepest one, along the deepest parents."""
    while depth(parents, value) > height - level:
        value = max(parents[value], key=lambda p: depth(parents, p))
    return value


def combinations(
    records: Sequence[Record],
    released: Sequence[Callable[[str, int], str]],
    heights: Sequence[int],
    k: int,
    distance: Callable[[Record, Record], float],
    persons: Sequence[Hashable] | None = None,
) -> Iterator[tuple[tuple[int, ...], int, float]]:
    """Every combination of levels with the records below k and the semantic loss, these counting 1."""
    for levels in product(*(range(height + 1) for height in heights)):
        masked = [tuple(up(v, lv) for up, v, lv in zip(released, r, levels, strict=True)) for r in records]
        members: dict[Record, set[Hashable]] = {}
        for i, r in enumerate(masked):
            members.setdefault(r, set()).add(i if persons is None else persons[i])
        short = [len(members[r]) < k for r in masked]
        losses = [1.0 if s else distance(r, m) for r, m, s in zip(records, masked, short, strict=True)]
        yield levels, sum(short), sum(losses) / len(records)


def without_rare(records: Sequence[Hashable], k: int) -> list[int]:
    """The rows that remain when records that fewer than k share are left out (Martínez 2012, 9.2.2)."""
    counts = Counter(records)
    return [i for i, r in enumerate(records) if counts[r] >= k]
