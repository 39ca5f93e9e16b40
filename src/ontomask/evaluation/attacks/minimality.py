"""The intruder who uses minimality (Wong et al. 2007): merged groups reveal why they were merged.

Grouping uses quasi-identifiers only. Everybody who knows these and the method can repeat the grouping without its
requirement. A released group that consists of several of these groups was merged, probably because one of them fell
short of the requirement. For l-diversity this means that one of them has fewer than l confidential values.

The measure assumes the worst case: the intruder suspects exactly the groups that fell short. At first, all assignments
of the released values of a merged group to its records are equally likely. Then assignments in which the suspected
group falls short count fully, and all others with the probability that a group is merged without need. Groups that are
merged again in a later round are judged by their first merger only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import mean_of
from ontomask.base.grouping import count_codes
from ontomask.base.progress import progress
from ontomask.masking import Diversity, Method
from ontomask.masking.results import GroupRequirement
from ontomask.microdata import Microdata, frames
from ontomask.microdata.masked import MaskedData
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.grouped import Grouped
from ontomask.privacy.groups import freeze, group_records

__all__ = ["Minimality", "exploit_minimality", "posterior_of_suspect"]

_ROUNDING = 1e-12
# A guess with at least this probability is reliable.
_SURE = 0.9


@dataclass(frozen=True, eq=False)
class Minimality:
    """What the merging of groups reveals about a confidential column.

    Attributes
    ----------
    column
        The confidential column.
    requirement
        The requirement that groups were merged for.
    merged
        Records in released groups that were merged, in percent of the released records.
    suspected
        Records in groups that fell short, in percent.
    certain, sure, likely
        In percent, the records whose confidential value becomes certain; becomes certain, or at least 90 % likely while
        its share in the released group is smaller; becomes more likely than 1/l and than its share. ``None`` for
        requirements other than distinct l-diversity.
    gain
        The mean increase of the probability of these values, in percentage points.
    persons
        The number of persons (or records, if persons are not known) whose value becomes certain.
    probability
        For every original record the probability of its confidential value; 0 if nothing is inferred.
    """

    column: str
    requirement: str
    merged: float
    suspected: float
    certain: float | None
    sure: float | None
    likely: float | None
    gain: float | None
    persons: int | None
    probability: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze(self.probability)


@progress("Repeating the grouping")
def exploit_minimality(data: Microdata, masked: MaskedData, method: Method) -> tuple[Minimality, ...]:
    """Repeat the grouping without its requirements, and infer confidential values from the mergers.

    Parameters
    ----------
    data, masked
        The original, and what was released of it.
    method
        The method that masked it.
    """
    required = [asked for asked in method.require if isinstance(asked, GroupRequirement) and hasattr(asked, "column")]
    if not required or not method.merges_groups or not len(masked):
        return ()
    # Only merging draws at random, so any seed will do.
    base = replace(method, require=()).mask(data, seed=0).data
    groups = np.full(frames.length(data.frame), -1, dtype=np.int64)
    groups[base.rows] = base.groups
    base_groups, released = groups[masked.rows], masked.groups
    if method.by:
        # Groups are made inside each stratum.
        strata = data.strata(method.by)[masked.rows]
        base_groups, released = (group_records([group, strata]) for group in (base_groups, released))
    return tuple(_exploit(data, masked, base_groups, released, asked) for asked in required)


def _exploit(
    data: Microdata,
    masked: MaskedData,
    base: NDArray[np.int64],
    released: NDArray[np.int64],
    asked: GroupRequirement,
) -> Minimality:
    column: str = asked.column  # type: ignore[attr-defined]
    rows, records = masked.rows, masked.records
    weight = np.ones(len(rows), dtype=np.int64) if records is None else records
    parts = np.unique(np.stack([released, base]), axis=1)
    is_merged = (np.bincount(parts[0]) > 1)[released]
    number = np.unique(base, return_inverse=True)[1]
    suspected = is_merged & asked.short(Grouped(data, number, rows, records))[number]
    probability = np.zeros(frames.length(data.frame))
    certain = sure = likely = gain = persons = None
    if isinstance(asked, Diversity) and asked.kind == "distinct":
        values = Confidential.of(data, column).codes[rows]
        share = np.zeros(len(probability))
        # For every group that falls short, one that does not is merged, too: see `ontomask.masking.merging`.
        short = np.unique(number[suspected])
        chance = min(1.0, len(short) / max(int(number.max()) + 1 - len(short), 1))
        of_base, of_released = _members(number), _members(released)
        for g in short.tolist():
            mine = of_base[g]
            group = of_released[released[mine[0]]]
            found, at = np.unique(values[group], return_inverse=True)
            counts = count_codes(at, len(found), weight[group])
            after = posterior_of_suspect(counts.tolist(), int(weight[mine].sum()), int(asked.l), chance)
            at = np.searchsorted(found, values[mine])
            probability[rows[mine]] = after[at]
            share[rows[mine]] = counts[at] / counts.sum()
        # If all records of a released group have one value, the merging does not reveal it.
        more = (probability > share + _ROUNDING) & (probability > 1 / asked.l + _ROUNDING)
        is_certain = more & (probability >= 1 - _ROUNDING)
        is_sure = is_certain | (more & (probability >= _SURE) & (share < _SURE))
        of_row = np.zeros(len(probability), dtype=np.int64)
        of_row[rows] = weight
        certain, sure, likely = (
            100 * int(of_row[chosen].sum()) / len(masked) for chosen in (is_certain, is_sure, more)
        )
        gain = 100 * mean_of((probability - share)[more], of_row[more]) if more.any() else 0.0
        known = data.persons
        persons = int(of_row[is_certain].sum()) if known is None else len(np.unique(known[is_certain]))
    return Minimality(
        column,
        asked.text,
        100 * mean_of(is_merged, records),
        100 * mean_of(suspected, records),
        certain,
        sure,
        likely,
        gain,
        persons,
        probability,
    )


def _members(groups: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The records of each group."""
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])


def posterior_of_suspect(counts: Sequence[int], size: int, l: int, chance: float) -> NDArray[np.float64]:  # noqa: E741
    """The probability of each value for a record of the suspected group.

    Parameters
    ----------
    counts
        The number of records of the released group with each value.
    size
        The number of these records that are in the suspected group.
    l
        A group with fewer distinct values falls short.
    chance
        The probability that a group that does not fall short is merged.

    Examples
    --------
    >>> posterior_of_suspect([6, 2], 4, 2, 0.0).tolist()
    [1.0, 0.0]
    >>> posterior_of_suspect([6, 2], 4, 2, 1.0).tolist()
    [0.75, 0.25]
    """
    total = sum(counts)
    # Independent binomial counts, given their sum, have the distribution of the counts in a random choice of records.
    chances = [_binomial(count, size, size / total) for count in counts]
    values, most = len(counts), l - 1
    before, behind = [_nothing_chosen(size, most)], [_nothing_chosen(size, most)]
    for chance_of in chances:
        before.append(_with(before[-1], chance_of))
    for chance_of in chances[::-1]:
        behind.append(_with(behind[-1], chance_of))
    all_ways = _binomial(total, size, size / total)[size]
    short = before[-1][:, size].sum() / all_ways
    out = np.empty(values)
    for i, (count, chance_of) in enumerate(zip(counts, chances, strict=True)):
        # The expected share of value i in the suspected group, counting only choices that fall short.
        taken = chance_of * np.arange(size + 1)
        left, right = before[i], behind[values - 1 - i]
        having = sum(
            np.convolve(left[used], taken)[: size + 1] @ right[: most - used, ::-1].sum(axis=0) for used in range(most)
        )
        in_short = float(having) / size / all_ways
        out[i] = (in_short + chance * (count / total - in_short)) / (short + chance * (1 - short))
    return out


def _binomial(n: int, most: int, p: float) -> NDArray[np.float64]:
    """Probabilities of 0 … ``most`` successes in n draws."""
    if p >= 1:
        return np.where(np.arange(most + 1) == n, 1.0, 0.0)
    t = np.arange(min(n, most) + 1)
    logs = np.array([lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) for x in t.tolist()])
    out = np.zeros(most + 1)
    out[: len(t)] = np.exp(logs + t * log(p) + (n - t) * log1p(-p))
    return out


def _nothing_chosen(size: int, most: int) -> NDArray[np.float64]:
    """The start: no records and no values."""
    out = np.zeros((most + 1, size + 1))
    out[0, 0] = 1.0
    return out


def _with(table: NDArray[np.float64], chance_of: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add a value. ``table[used, m]`` is the probability of m records with ``used`` distinct values."""
    size = table.shape[1]
    at_least_one = np.concatenate([[0.0], chance_of[1:]])
    out = table * chance_of[0]
    for used in range(1, len(table)):
        out[used] += np.convolve(table[used - 1], at_least_one)[:size]
    return out
