"""Intruders straight from their definitions: record by record, every pair of records, every assignment of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from support.literal_evaluation import TIE, Record, RecordDistance


def link_by_columns(
    original: Sequence[Record],
    masked: Sequence[Record | None],
    kept: Sequence[Record],
    released_kept: Sequence[Record | None],
    distance: RecordDistance,
) -> list[float]:
    """Candidates equal the original in the kept columns; of these the nearest in the masked ones, ties sharing."""
    risks = []
    for own, its, here, its_kept in zip(original, masked, kept, released_kept, strict=True):
        if its is None or its_kept != here:
            risks.append(0.0)
            continue
        candidates = [m for m, there in zip(masked, released_kept, strict=True) if m is not None and there == here]
        distances = [distance(own, candidate) for candidate in candidates]
        nearest = [d for d in distances if d <= min(distances) + TIE]
        risks.append(1 / len(nearest) if distance(own, its) <= min(distances) + TIE else 0.0)
    return risks


def group_sizes(rows: Sequence[Record], persons: Sequence[object] | None = None) -> list[int]:
    """For every released row how many rows, or persons, equal it."""
    who = list(range(len(rows))) if persons is None else persons
    return [len({p for other, p in zip(rows, who, strict=True) if other == row}) for row in rows]


def homogeneous(rows: Sequence[Record], values: Sequence[object]) -> list[bool]:
    """For every released row whether all rows that equal it have one confidential value."""
    return [len({v for other, v in zip(rows, values, strict=True) if other == row}) == 1 for row in rows]


def posterior_of_suspect(values: Sequence[object], size: int, l: int, chance: float) -> dict[object, float]:  # noqa: E741
    """Over all choices of the suspected group's records: the expected share of each value in it."""
    total, shares = 0.0, Counter[object]()
    for chosen in combinations(range(len(values)), size):
        inside = [values[i] for i in chosen]
        weight = 1.0 if len(set(inside)) < l else chance
        total += weight
        for value in inside:
            shares[value] += weight / size
    return {value: share / total for value, share in shares.items()}


def compose(first: Sequence[Record | None], second: Sequence[Record | None]) -> list[int]:
    """For every record that is in both releases how many records equal it in both."""
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return [both.count(pair) for pair in both]


def downcode(
    groups: Mapping[object, Sequence[str]],
    concept: Mapping[object, str],
    values: Sequence[str],
    is_below: Callable[[str, str], bool],
    children: Callable[[str], Sequence[str]],
) -> tuple[int, int, int, int]:
    """Generalised cells, certain ones, ones guessed right with minimality and without, group by group.

    ``groups`` has the original values of each group, ``concept`` what it was released as, ``values`` the original
    column. In a tree every value below a concept is below one of its children.
    """
    cells = certain = guessed = base = 0
    for group, members in groups.items():
        top = concept[group]

        def branch(value: str, top: str = top) -> str | None:
            return top if value == top else next((c for c in children(top) if is_below(value, c)), None)

        frequency = Counter(b for value in values if (b := branch(value)) is not None)
        if len(frequency) < 2:
            continue
        order = [c for c in (*children(top), top) if c in frequency]
        first, second = sorted(order, key=lambda b: -frequency[b])[:2]
        truth = Counter(branch(value) for value in members)
        cells += len(members)
        if len(frequency) == 2 and top not in frequency:
            certain += 2 * all(truth[b] for b in frequency)
        guessed += min(truth[first], len(members) - 1) + min(truth[second], 1)
        base += truth[first]
    return cells, certain, guessed, base
