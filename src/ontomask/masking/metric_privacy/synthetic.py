"""`SyntheticRecords`: records drawn from noisy counts, which is what differential privacy usually releases."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.notes import Note
from ontomask.kinds.public import ConceptDomain, LineDomain, PublicDomain, concepts_above
from ontomask.masking.base import Method
from ontomask.masking.description import PUBLIC, About, Rule, at_least, flag
from ontomask.masking.metric_privacy.budgets import EPSILON, budgets_by_column
from ontomask.masking.metric_privacy.conditions import VOID, check_conditions, check_persons, check_release
from ontomask.masking.metric_privacy.discrete_laplace import RandBelow, discrete_laplace
from ontomask.masking.metric_privacy.guarantee import certainty_text, factor_text, rounded_up, total_of
from ontomask.masking.metric_privacy.randomness import RandomWords, draw_below, secure_words, unsafe_words
from ontomask.masking.results import Guarantee, Planned
from ontomask.microdata import Microdata, TuplePlan
from ontomask.microdata.masked import MaskedTable

__all__ = ["SyntheticRecords"]

# One record that is replaced by another changes two counts by 1 each.
_SENSITIVITY = 2
# Numbers and dates are counted in at most this many ranges.
_MOST_RANGES = 50
# Noisy counts are cut off here, so that they and their sums fit into 64 bits whatever ε is.
_LARGEST = 2**40
_BUDGET = Rule(EPSILON.expected, lambda value: EPSILON.accepts(value) and not isinstance(value, (list, tuple)))


@dataclass(frozen=True, repr=False, eq=False)
class SyntheticRecords(Method):
    """Count each column, add noise to the counts, and draw all records anew from them, column by column.

    The counts are those of the concepts at a depth of the domain, of the values of a category, or of up to 50 ranges of
    a grid. Each gets discrete Laplace noise (Canonne 2020), so that they are ε-differentially private. Then the same
    number is taken from all counts, and negative ones become 0, so that they add up to the number of records. Every
    record then gets values that are drawn from the counts, independently of its originals and of each other. So
    frequencies are kept, and all dependence is lost. The number of records is public. The conditions are those of
    `MetricPrivacy`.

    Parameters
    ----------
    epsilon
        The budget of a record, divided equally among the columns, or a dictionary with the budget of each column.
    depth
        The depth in the domain of the concepts that are counted. Deeper concepts count as theirs.
    records_per_person
        The largest number of records that a person can have. The budget then is that of a person.
    unsafe_seed
        Allow a seed, for tests. It voids the claim.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"symptom": ["ache", "colic", "rash", "ache"] * 50})
    >>> data = om.Microdata(frame, {"symptom": om.Nominal(t, domain="symptom")})
    >>> result = om.SyntheticRecords(epsilon=2.0, depth=1).mask(data)
    >>> set(result.frame["symptom"]) <= {"symptom", "pain", "rash"}
    True
    """

    about: ClassVar[About] = About(
        what="The values of each column are counted, and noise is added to the counts. All records are then drawn anew "
        "from the noisy counts, each column by itself.",
        why="It is a baseline: it shows what differential privacy keeps if frequencies are all that matters. The "
        "dependence between columns is lost.",
        summary="drawn from noisy counts of the column, independently of the record",
        masks="every kind of column but sets of concepts and prefixes",
        guarantees=("differential privacy",),
        baseline=True,
    )

    epsilon: float | Mapping[str, float] = field(default=1.0, metadata=_BUDGET.metadata | PUBLIC)
    depth: int = field(default=2, metadata=at_least(1))
    records_per_person: int | None = field(default=None, metadata=at_least(1))
    unsafe_seed: bool = field(default=False, metadata=flag())

    @property
    def takes_seed(self) -> bool:
        """Only if the user gave up the claim."""
        return self.unsafe_seed

    def check(self, data: Microdata) -> None:
        """Refuse data for which the claim would not hold."""
        if isinstance(data, Microdata):
            check_conditions(self, data, None)
        super().check(data)
        check_persons(data, self.records_per_person)
        self._budgets(data)

    def _budgets(self, data: Microdata) -> dict[str, float]:
        return budgets_by_column(self.epsilon, list(data.quasi_identifiers), self.records_per_person or 1)

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        words: RandomWords = unsafe_words(rng) if self.unsafe_seed else secure_words
        randbelow = _unsafe_below(words) if self.unsafe_seed else secrets.randbelow
        table, budgets = data.table, self._budgets(data)
        new, new_points = np.empty((len(data), len(table.values)), dtype=np.int32), []
        for j, (name, column) in enumerate(data.quasi_identifiers.items()):
            domain = column.public_domain(None)
            bins = count_bins(domain, self.depth)
            inputs = domain.inputs(table.values[j].point)
            counts = np.bincount(table.tuples[:, j], weights=table.counts, minlength=len(inputs)).astype(np.int64)
            scale = Fraction(_SENSITIVITY) / Fraction(budgets[name])
            noisy = without_noise(self._noisy_counts(bins, inputs, counts, scale, randbelow), len(data))
            sums = np.cumsum(noisy, dtype=np.uint64)
            drawn = np.searchsorted(sums, draw_below(np.full(len(data), sums[-1]), words), side="right")
            used, index = np.unique(bins.released[drawn], return_inverse=True)
            new[:, j] = len(table.values[j]) + index
            new_points.append(domain.points[used])
        plan = TuplePlan.of_records(table, new, table.record_tuples, new_points=new_points)
        return Planned(replace(plan, promise={"release": "public"}))

    def _noisy_counts(
        self, bins: Bins, inputs: IntArray, counts: Any, scale: Fraction, randbelow: RandBelow
    ) -> NDArray[np.int64]:
        exact = np.zeros(len(bins.released), dtype=np.int64)
        known = bins.of_input(inputs) >= 0
        np.add.at(exact, bins.of_input(inputs)[known], counts[known])
        noisy = [count + discrete_laplace(scale, randbelow) for count in exact.tolist()]
        return np.array([min(max(count, -_LARGEST), _LARGEST) for count in noisy], dtype=np.int64)

    def _verify(self, data: Microdata, masked: MaskedTable, planned: Planned) -> Guarantee:
        self.check(data)
        domains = [column.public_domain(None) for column in data.quasi_identifiers.values()]
        check_release(data, masked, planned.plan, domains)
        if self.unsafe_seed:
            return VOID
        given = self.epsilon
        total = total_of(given.values()) if isinstance(given, Mapping) else float(given)
        unit = "records" if self.records_per_person is None else "persons"
        other = "another" if unit == "records" else "another with as many records"
        text = (
            "{epsilon}-differential privacy: replacing one of the {unit} by {other} changes the probability of any "
            "release of {columns} at most by the factor {factor}. Somebody who thinks that two originals of one of "
            "the {unit} are equally likely can become at most {certainty} certain of one of them. The number of "
            "records is not protected. Nothing is claimed for columns that are kept, nor for figures computed from the "
            "original."
        )
        facts = {
            "epsilon": rounded_up(total),
            "unit": unit,
            "other": other,
            "columns": ", ".join(data.quasi_identifiers),
        }
        facts |= {"factor": factor_text(total), "certainty": certainty_text(total)}
        note = Note.of("differentially-private", text, **facts)
        return Guarantee("differential privacy", note, None, unit, (), total)


def without_noise(noisy: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """The counts ≥ 0 with about the given sum that are nearest to noisy ones: all less the same number, cut off at 0.

    Cutting off alone would leave the positive half of the noise, which adds up over thousands of rare concepts. The sum
    is the number of records, which is public. (The projection on the simplex of Duchi 2008, in integers.)

    >>> without_noise(np.array([80, 22, 3, -4, 1]), 100).tolist()
    [79, 21, 2, 0, 0]
    """
    ordered = np.sort(noisy)[::-1]
    excess = np.cumsum(ordered) - total
    used = int(np.flatnonzero(ordered * np.arange(1, len(noisy) + 1) > excess)[-1])
    return np.maximum(noisy - excess[used] // (used + 1), 0)


@dataclass(frozen=True, eq=False)
class Bins:
    """What is counted. ``released`` has for each bin the number of the candidate that it is released as; ``numbers``
    has the bin of each input, and −1 if it is in none.
    """

    released: IntArray
    numbers: IntArray

    def of_input(self, inputs: IntArray) -> IntArray:
        """The bin of each input."""
        return np.where(inputs < 0, -1, self.numbers[np.maximum(inputs, 0)])


def count_bins(domain: PublicDomain, depth: int) -> Bins:
    """The bins of a public domain. They depend on nothing else."""
    if isinstance(domain, LineDomain):
        number = min(len(domain), _MOST_RANGES)
        bin_of = np.arange(len(domain)) * number // len(domain)
        middle = [int(np.flatnonzero(bin_of == i)[len(np.flatnonzero(bin_of == i)) // 2]) for i in range(number)]
        return Bins(np.array(middle, dtype=np.int32), bin_of.astype(np.int32))
    assert isinstance(domain, ConceptDomain)
    if len(domain) < len(domain.space.domain):
        # Categories: the values are counted. A group, or the top, is in no bin.
        of_value = np.full(len(domain.space.domain), -1, dtype=np.int32)
        of_value[domain.points] = np.arange(len(domain))
        return Bins(np.arange(len(domain), dtype=np.int32), of_value)
    released, bin_of = np.unique(concepts_above(domain.space.domain, depth), return_inverse=True)
    return Bins(released.astype(np.int32), bin_of.astype(np.int32))


def _unsafe_below(words: RandomWords) -> RandBelow:
    """Integers below a bound from words that a seed repeats."""

    def below(bound: int) -> int:
        size = -(-bound.bit_length() // 64)
        while True:
            number = int.from_bytes(words(size).tobytes(), "little") & ((1 << bound.bit_length()) - 1)
            if number < bound:
                return number

    return below
