"""Population risk: the chance to find a person of a sample in the population that the sample stands for.

A group of f equal records in the sample belongs to F persons in the population. Sampling weights estimate F: a record
with weight w stands for w persons. Whoever looks for a person in the population picks the right one with probability
1 / F. F is not known. Given f, it is modelled by a negative binomial distribution with f successes and the success
probability p = f / F̂, where F̂ is the sum of the weights of the group (Benedetti and Franconi 1998; Franconi and
Polettini 2004, as in μ-Argus and sdcMicro). The individual risk is the expectation

    E[1 / F | f] = (p^f / f) · 2F1(f, f; f + 1; 1 − p) = (p / f) · 2F1(1, 1; f + 1; 1 − p),

by Euler's transformation of the hypergeometric function.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.grouping import group_rows
from ontomask.errors import PrivacyError
from ontomask.privacy.groups import check_groups, encode, freeze

__all__ = ["PopulationRisk", "individual_risk", "population_risk"]

# Terms of the hypergeometric series. Beyond them they add less than 1e-11 of the sum.
_TERMS = 80
# From this size of the group on, or if p is above ½, the series converges quickly. Otherwise a recurrence is used.
_LARGE = 10


@dataclass(frozen=True, eq=False)
class PopulationRisk:
    """The risk of the members of each group to be found in the population.

    Attributes
    ----------
    unit
        What groups are made of: ``records`` or ``persons``.
    sizes
        The size of every group in the sample, f.
    population
        Its estimated size in the population, F̂.
    risk
        The individual risk of its members, E[1 / F | f], from 0 to 1.
    """

    unit: str
    sizes: NDArray[np.int64]
    population: NDArray[np.float64]
    risk: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze(self.sizes, self.population, self.risk)

    @property
    def expected(self) -> float:
        """The expected number of members of groups that are found: the sum of their risks.

        A person with records in several groups is a member of each.
        """
        return float(self.sizes @ self.risk)

    @property
    def average(self) -> float:
        """The same in percent of all members."""
        return 100 * self.expected / int(self.sizes.sum())

    @property
    def highest(self) -> float:
        """The highest risk in percent."""
        return 100 * float(self.risk.max())

    def __str__(self) -> str:
        return (
            f"{self.average:.3g} % of the {self.unit} in groups are expected to be found in a population of "
            f"{self.population.sum():,.0f}, and {self.highest:.3g} % at worst"
        )


def population_risk(groups: ArrayLike, weights: ArrayLike, persons: ArrayLike | None = None) -> PopulationRisk:
    """The individual risk of every group of equal records.

    Parameters
    ----------
    groups
        The group of every record, from `group_records`.
    weights
        The sampling weight of every record: how many persons of the population it stands for.
    persons
        The person of every record, if a person may have several records. A person counts once in a group, with the mean
        of its weights there.

    Examples
    --------
    >>> print(population_risk([0, 0, 1], weights=[60, 50, 17]))
    7.05 % of the records in groups are expected to be found in a population of 127, and 17.7 % at worst
    """
    ids = check_groups(groups)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != ids.shape or not ((given > 0) & (given < np.inf)).all():
        message = f"Give one weight > 0 for each of the {len(ids):,} records."
        raise PrivacyError(message, parameter="weights")
    unit = "records"
    if persons is not None:
        who = encode(persons).codes + 1
        pair, firsts = group_rows([ids, who], [int(ids.max()) + 1, int(who.max()) + 1])
        ids, given, unit = ids[firsts], np.bincount(pair, given) / np.bincount(pair), "persons"
    sizes = np.bincount(ids)
    population = np.bincount(ids, weights=given).astype(np.float64)
    return PopulationRisk(unit, sizes, population, individual_risk(sizes, population))


def individual_risk(sizes: NDArray[np.integer], population: NDArray[np.float64]) -> NDArray[np.float64]:
    """E[1 / F | f] for groups of ``sizes`` f and estimated ``population`` sizes F̂; 1 / f where F̂ ≤ f.

    >>> individual_risk(np.array([1, 2, 4]), np.array([17.0, 110.0, 4.0])).round(5).tolist()
    [0.17708, 0.01714, 0.25]
    """
    f = sizes.astype(np.float64)
    p = np.minimum(f / population, 1.0)
    q = 1 - p
    term, total = np.ones_like(p), np.ones_like(p)
    for n in range(1, _TERMS):
        term = term * q * n / (f + n)
        total += term
    risk = p / f * total
    slow = np.flatnonzero((f < _LARGE) & (p < 0.5))
    if len(slow):
        # E_1 = p / q · log(1 / p), and E_{f + 1} = p / q · (1 / f − E_f).
        odds = p[slow] / q[slow]
        value = odds * -np.log(p[slow])
        for size in range(1, _LARGE):
            here = sizes[slow] == size
            risk[slow[here]] = value[here]
            value = odds * (1 / size - value)
    return risk
