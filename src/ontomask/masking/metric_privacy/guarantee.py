"""What metric privacy guarantees for a column: ε, the pair of values that can be told apart best, and what that means.

Everything here follows from the public domain and ε, nothing from the data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, inf, nextafter

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.kinds.public import PublicDomain
from ontomask.masking.metric_privacy.mechanisms import Mechanism
from ontomask.masking.metric_privacy.weights import STEPS

__all__ = [
    "ColumnPrivacy",
    "WorstPair",
    "certainty",
    "certainty_text",
    "factor_text",
    "odds_factor",
    "rounded_up",
    "total_of",
]

# The worst pair is looked for if there are at most this many distances of inputs and candidates.
_MOST_DISTANCES = 2**30
# Differences of distances that are compared to find the largest d∞/d.
_MOST_DIFFERENCES = 2**31


def odds_factor(epsilon: float) -> float:
    """The factor e^ε by which odds can change at most."""
    return exp(epsilon) if epsilon < 700 else inf


def certainty(epsilon: float, before: float = 0.5) -> float:
    """The largest probability that a guess with the probability ``before`` can get by seeing the release.

    >>> round(certainty(1.0), 3), round(certainty(1.0, 0.01), 3)
    (0.731, 0.027)
    """
    odds = before / (1 - before) * odds_factor(epsilon)
    return odds / (1 + odds) if odds < inf else 1.0


def total_of(epsilons: Iterable[float]) -> float:
    """The sum of budgets, rounded up."""
    exact = sum(map(Fraction, epsilons), Fraction(0))
    found = float(exact)
    return found if Fraction(found) >= exact else nextafter(found, inf)


def rounded_up(number: float, digits: int = 6) -> str:
    """A number for reading, rounded up, so that "at most" is true.

    >>> rounded_up(0.1), rounded_up(1 / 3, 3), rounded_up(1.2345641)
    ('0.1', '0.334', '1.23457')
    """
    if number == inf:
        return "inf"
    return f"{float(Context(digits, ROUND_CEILING).create_decimal(repr(float(number)))):.{digits}g}"


def factor_text(epsilon: float) -> str:
    """The factor e^ε in three digits, rounded up, so that "at most" is true.

    >>> factor_text(1.5), factor_text(8.0)  # 4.4817, 2980.96
    ('4.49', '2.99e+03')
    """
    return rounded_up(odds_factor(epsilon), 3)


def certainty_text(epsilon: float) -> str:
    """The largest certainty after a guess between two, in percent, rounded up.

    >>> certainty_text(1.0)  # 73.106 %
    '73.2%'
    """
    return f"{ceil(certainty(epsilon) * 1000) / 10:.1f}%"


@dataclass(frozen=True)
class WorstPair:
    """Two values that can be told apart best, in words, and their distance d∞."""

    first: str
    second: str
    distance: float


@dataclass(frozen=True, eq=False)
class ColumnPrivacy:
    """The claim for one column: any two values x, y are distinguishable by at most e^(ε·d∞(x, y)).

    d∞(x, y) = max over z of |d(x, z) − d(y, z)|, with distances rounded as the mechanism rounds them. It is at most
    d(x, y) if d is a metric, and at most 1.
    """

    mechanism: Mechanism

    def __repr__(self) -> str:
        return f"<ColumnPrivacy of {self.domain.column!r}: ε = {self.epsilon:g}, {self.candidates:,} candidates>"

    @property
    def domain(self) -> PublicDomain:
        """The candidates and their distances."""
        return self.mechanism.domain

    @property
    def epsilon(self) -> float:
        """The ε of the column."""
        return self.mechanism.epsilon

    @property
    def candidates(self) -> int:
        """The number of values that can be released."""
        return len(self.domain)

    def d_infinity(self, x: int, y: int) -> float:
        """d∞ of two inputs, given by their numbers: codes of concepts, or numbers of candidates."""
        rows = self.domain.levels(np.array([x, y], dtype=np.int32), STEPS).astype(np.int32)
        return float(np.abs(rows[0] - rows[1]).max()) / STEPS

    @cached_property
    def worst_pair(self) -> WorstPair | None:
        """The pair of values with the largest d∞, over all values; ``None`` for domains that are too large.

        The largest |d(x, z) − d(y, z)| is, over all z, the largest minus the least distance from z.
        """
        inputs = self.domain.all_inputs
        if len(inputs) * len(self.domain) > _MOST_DISTANCES:
            return None
        if len(inputs) == len(self.domain):
            # All inputs are candidates, each at distance 0 from itself: the largest distance decides.
            return self._farthest_pair(inputs)
        high, low = np.full(len(self.domain), -1, dtype=np.int64), np.full(len(self.domain), STEPS + 1, dtype=np.int64)
        farthest, nearest = np.zeros((2, len(self.domain)), dtype=np.int32)
        for x in inputs.tolist():
            index, distances = self.domain.row(x, STEPS)
            row = distances[index]
            more, less = row > high, row < low
            high[more], farthest[more] = row[more], x
            low[less], nearest[less] = row[less], x
        z = int(np.argmax(high - low))
        first, second = (self.domain.describe(int(end[z])) for end in (farthest, nearest))
        return WorstPair(first, second, float(high[z] - low[z]) / STEPS)

    def _farthest_pair(self, inputs: IntArray) -> WorstPair:
        farthest = (-1, 0, 0)
        for x in inputs.tolist():
            index, distances = self.domain.row(x, STEPS)
            # Distances are listed in ascending order.
            last = int(np.argmax(index))
            farthest = max(farthest, (int(distances[index[last]]), -x, -last))
        steps, x, z = farthest
        return WorstPair(self.domain.describe(-x), self.domain.describe(-z), steps / STEPS)

    def sentences(self) -> list[str]:
        """The claim for the column in words, for a report."""
        domain, ratio = self.domain, self.ratio
        text = f"{domain.column}: ε = {rounded_up(self.epsilon, 3)}, drawn from {self.candidates:,} public values by "
        text += f"{domain.distance}."
        pair = self.worst_pair
        if pair is None:
            text += f" Any two values change the odds at most by the factor {factor_text(self.epsilon)}."
        else:
            bound = self.epsilon * pair.distance
            text += (
                f" The two values that can be told apart best are {pair.first!r} and {pair.second!r}, with d∞ = "
                f"{pair.distance:.3g}: the odds between them change at most by the factor {factor_text(bound)}."
            )
        largest, compared = ratio
        among = "" if compared == len(domain.all_inputs) else f" among {compared:,} values spread over the domain"
        return [text, f"{domain.column}: d∞ is at most {rounded_up(largest, 3)} times the distance{among}."]

    @cached_property
    def ratio(self) -> tuple[float, int]:
        """The largest d∞/d over pairs of values, and the number of values compared with each other.

        It is 1 for a metric. Otherwise all values are compared if there are few, else some that are spread evenly over
        the domain. Values at distance 0 that can be told apart make it infinite.
        """
        inputs = self._spread_inputs()
        if self.domain.is_metric:
            return 1.0, len(self.domain.all_inputs)
        rows = self.domain.levels(inputs, STEPS)
        between = self._between(inputs)
        largest = 1.0
        for i in range(len(inputs)):
            apart = np.abs(rows - rows[i]).max(axis=1).astype(np.float64)
            apart[i] = 0.0
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = np.where(apart > 0, apart / between[i], 0.0)
            largest = max(largest, float(ratios.max()))
        return largest, len(inputs)

    def _spread_inputs(self) -> IntArray:
        inputs = self.domain.all_inputs
        inputs = inputs[inputs >= 0]
        most = max(2, int((_MOST_DIFFERENCES / len(self.domain)) ** 0.5))
        if len(inputs) <= most:
            return inputs
        return inputs[np.linspace(0, len(inputs) - 1, most).astype(np.int64)]

    def _between(self, inputs: IntArray) -> NDArray[np.float64]:
        """Distances in steps between the inputs. Inputs that are no candidates are compared by their exact distance."""
        at = np.searchsorted(self.domain.points, inputs)
        at[at == len(self.domain)] = 0
        if (self.domain.points[at] == inputs).all():
            return self.domain.levels(inputs, STEPS)[:, at].astype(np.float64)
        space = getattr(self.domain, "space", None)
        assert space is not None
        exact: NDArray[np.float64] = np.ceil(space.matrix(inputs, inputs) * STEPS - 1e-6)
        return exact
