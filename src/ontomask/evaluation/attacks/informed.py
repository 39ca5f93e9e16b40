"""The intruder who knows the method: linkage and value recovery by the highest posterior.

By the transparency principle (Torra 2017), the intruder knows the method, its parameters, the ontology and the original
quasi-identifiers of everybody, but not the random draws. P(x → y) is the probability that the method turns tuple x into
y, and n_x is the number of records with x.

- *Bayes linkage*: a known record with tuple x is linked to the released row with the largest
  P(x → y) / Σ n_x' P(x' → y). Tied rows share the guess.
- *Value recovery*: the guess for a released tuple y is the tuple x with the largest n_x P(x → y).

Figures count records, even if the data identify persons. If pseudonyms hold the records of a person together, a record
is linked if its person is: see `ontomask.evaluation.attacks.pseudonyms`. Suppressed records count as neither linked nor
recovered. A kept cell is known to be unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, Records, mean_of
from ontomask.base.grouping import count_holders, group_rows, group_sets
from ontomask.base.progress import progress, with_progress
from ontomask.errors import TableError
from ontomask.evaluation.attacks.likelihood import Likelihood, work_of
from ontomask.evaluation.attacks.parts import RandomParts, is_feasible
from ontomask.evaluation.attacks.posterior import Likelihoods, best_guesses
from ontomask.evaluation.attacks.pseudonyms import PseudonymLinkage
from ontomask.evaluation.attacks.reruns import GROUPS, Reruns, rerun, runs_for
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.masking.transitions import Transitions
from ontomask.microdata import Microdata
from ontomask.privacy.groups import freeze

__all__ = ["BASES", "Informed", "know_method"]

# A guess with at least this posterior is reported as confident.
_CONFIDENT = (0.5, 0.9)

Basis = Literal["groups", "exact", "estimated", "bound"]
BASES: tuple[Basis, ...] = get_args(Basis)
"""How figures are obtained, the most certain first."""

_NO_ERROR = {"linked": 0.0, "recovered": 0.0}


@dataclass(frozen=True, eq=False)
class Informed:
    """The finding of an intruder who knows the method. Shares are in percent of all original records.

    Attributes
    ----------
    linked
        Records whose own released row is the best guess of the intruder. Tied rows share the guess.
    linked_uniques
        The same in percent of the records that are unique in the original; ``None`` if there are none.
    recovered
        Records whose original tuple is the best guess from the released tuple. Tied tuples share the guess.
    mode
        Records recovered by always guessing the most frequent tuple.
    confident
        By posterior (0.5, 0.9): the percentage of records with a guess that is at least as likely, and the percentage
        of these guesses that are right (``nan`` if there are none).
    basis
        ``exact``: from the method's own probabilities. ``estimated``: from re-runs, or from draws of its errors.
        ``groups``: records are released in groups of equal records, and the intruder knows who is in which group. For
        methods that draw their groups at random this is an upper bound. ``bound``: the table is too large and was
        attacked in random parts; the expected figures are upper bounds.
    runs
        The number of re-runs or draws of the estimate; 0 if nothing is estimated.
    error
        The standard errors of ``linked`` and ``recovered`` by name, in percentage points: spread and bias together, by
        the delete-a-group jackknife. 0 if nothing is estimated. With more runs an intruder guesses a little better.
    linked_records, recovered_records
        For every original record the probability that it is linked or recovered; 0 for suppressed records.
    parts
        The number of random parts of the table; see `ontomask.evaluation.attacks.parts`.
    """

    linked: float
    linked_uniques: float | None
    recovered: float
    mode: float
    confident: Mapping[float, tuple[float, float]]
    basis: Basis
    runs: int
    error: Mapping[str, float]
    linked_records: NDArray[np.float64]
    recovered_records: NDArray[np.float64]
    parts: int = 1

    def __post_init__(self) -> None:
        freeze(self.linked_records, self.recovered_records)

    def record_risk(self) -> NDArray[np.float64]:
        """The probability that each record is linked, in the order of the original."""
        return self.linked_records


@progress("Attacking with the method")
def know_method(
    data: Microdata,
    pairing: Pairing,
    method: Method,
    *,
    units: IntArray | None = None,
    runs: int | None = None,
    seed: int = 0,
) -> Informed:
    """Attack a release with the method and its parameters known.

    Parameters
    ----------
    data, pairing
        The original, and its records paired with the masked ones.
    method
        The method that masked it, with its parameters.
    units
        The pseudonym of each released record as a number, if pseudonyms were released. Persons are then linked with all
        their records.
    runs
        How many times the data are masked again if probabilities have to be estimated. By default 16 to 300: fewer if
        each run takes longer.
    seed
        For these re-runs, and for the parts of a large table. It is not related to the seed of the masking, and may be
        public.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "ache"]}), {"symptom": om.Nominal(t)})
    >>> method = om.NaiveDistortion()
    >>> result = method.mask(data, seed=0)
    >>> result.frame["symptom"].tolist()
    ['colic', 'ache', 'colic']
    >>> know_method(data, Pairing.of(data, result.data), method).recovered
    100.0
    """
    if runs is not None and (isinstance(runs, bool) or not isinstance(runs, (int, np.integer)) or runs < 2):
        raise TableError(f"The 'runs' must be an int ≥ 2. Got {runs!r} instead.", parameter="runs")
    if method.makes_groups or not len(pairing.a):
        found = _by_groups(pairing)
        return found if units is None or not len(pairing.a) else _in_groups_of_persons(found, pairing, units)
    transitions = method.transitions(data)
    if transitions is None:
        attack = _by_runs(rerun(data, pairing, method, runs or runs_for(len(data), len(data.table)), seed))
    else:
        attack = _by_probabilities(transitions)
    parts = RandomParts(pairing, attack.work, seed)
    linked, recovered = (np.zeros(len(pairing.by_record.tuples)) for _ in range(2))
    guesses = []
    for i in with_progress("Attacking parts of the table", range(parts.number)):
        records, share, part, tuples = parts.part(i)
        best = best_guesses(part, attack.likelihoods(part, tuples))
        if not attack.draws and not best.own.all():
            raise TableError(
                f"{method!r} cannot have made this release from these data. Give the method and the parameters that "
                f"masked them.",
                parameter="method",
            )
        is_right = part.per_record(best.recovered)
        linked[records] += share * part.per_record(best.linked)
        recovered[records] += share * is_right
        guesses.append(_Guesses(part.per_record(best.posterior[part.b]), is_right, part.by_record.records))
    error, number = _jackknife(attack, *parts.for_error()) if attack.draws else _NO_ERROR, parts.number
    if units is not None:
        linked, of_linked, of_persons = _link_persons(pairing, attack, units, seed)
        error, number = {**error, "linked": of_linked}, max(number, of_persons)
    basis: Basis = "bound" if number > 1 else "estimated" if attack.draws else "exact"
    return _informed(pairing, linked, recovered, guesses, basis, attack.draws, error, number)


def _link_persons(
    pairing: Pairing, attack: _Attack, units: IntArray, seed: int
) -> tuple[NDArray[np.float64], float, int]:
    """For every original record the probability that its person is linked, the standard error, and the parts."""

    def can_link_all(part: Pairing, tuples: NDArray[np.int64]) -> bool:
        return is_feasible(attack.work(part, tuples))

    linkage = PseudonymLinkage(pairing, units, attack.likelihoods, can_link_all, seed)
    error = 0.0
    if attack.draws:
        figure, *figures = map(linkage.sample, (attack.likelihoods, *attack.replicates))
        error = _spread(figure, figures)
    return linkage.risk(), error, linkage.parts


def _in_groups_of_persons(found: Informed, pairing: Pairing, units: IntArray) -> Informed:
    """What the intruder finds who knows which persons are in which group of equal sets of records.

    A person is linked by the set, or by the record that is linked most easily if that is better.
    """
    known = pairing.by_record
    unit = group_rows([units], [int(units.max()) + 1])[0]
    best = np.zeros(int(unit.max()) + 1)
    np.maximum.at(best, unit, found.linked_records[known.rows])
    groups = group_sets(pairing.b[known.pair], unit)
    pseudonyms = count_holders(groups, int(groups.max()) + 1, unit)
    linked = found.linked_records.copy()
    linked[known.rows] = np.maximum(best[unit], 1 / pseudonyms[groups])
    unique = pairing.original.counts[known.tuples] == 1
    of_uniques = 100 * float(linked[unique].mean()) if unique.any() else None
    return replace(found, linked=100 * float(linked.mean()), linked_uniques=of_uniques, linked_records=linked)


class _Guesses(NamedTuple):
    """For each original record the posterior of the best guess, and the probability that it is right."""

    posterior: NDArray[np.float64]
    right: NDArray[np.float64]
    records: Records

    def sure(self, least: float) -> tuple[float, float]:
        """The number of records with a guess that is at least as likely, and of right guesses among these."""
        # Allow for rounding errors.
        sure = self.posterior >= least - 1e-12
        weight = sure.astype(np.float64) if self.records is None else sure * self.records
        return float(weight.sum()), float(weight @ self.right)


class _Attack(NamedTuple):
    """How likelihoods are computed: from how many draws (0: exact), and a function for a part of the records.

    The functions in ``replicates`` leave out some of the draws.
    """

    draws: int
    work: Callable[[Pairing, NDArray[np.int64]], float]
    likelihoods: Callable[[Pairing, NDArray[np.int64]], Likelihoods]
    replicates: Sequence[Callable[[Pairing, NDArray[np.int64]], Likelihoods]]


def _by_probabilities(transitions: Transitions) -> _Attack:
    def likelihoods(of: Transitions) -> Callable[[Pairing, NDArray[np.int64]], Likelihoods]:
        return lambda part, _: Likelihood(part, of.factors)

    return _Attack(
        transitions.draws,
        lambda part, _: transitions.cost * work_of(part, transitions.factors),
        likelihoods(transitions),
        [likelihoods(replicate) for replicate in transitions.replicates],
    )


def _by_runs(runs: Reruns) -> _Attack:
    def likelihoods(without: int | None) -> Callable[[Pairing, NDArray[np.int64]], Likelihoods]:
        return lambda part, tuples: runs.part(part, tuples).likelihoods(without)

    return _Attack(
        runs.runs,
        lambda part, tuples: runs.part(part, tuples).work(),
        likelihoods(None),
        [likelihoods(group) for group in range(min(GROUPS, runs.runs))],
    )


def _by_groups(pairing: Pairing) -> Informed:
    """The intruder knows who is in which group of equal released rows."""
    b, size = pairing.b, pairing.masked.counts
    most = np.zeros(len(size), dtype=np.int64)
    np.maximum.at(most, b, pairing.counts)
    is_most = pairing.counts == most[b]
    tied = np.bincount(b, weights=is_most, minlength=len(size))
    linked, recovered, posterior = (
        pairing.per_record(of_pair) for of_pair in (1 / size[b], is_most / tied[b], (most / size)[b])
    )
    guesses = [_Guesses(posterior, recovered, pairing.by_record.records)]
    return _informed(pairing, linked, recovered, guesses, "groups", 0, _NO_ERROR, 1)


def _jackknife(attack: _Attack, part: Pairing, tuples: NDArray[np.int64]) -> dict[str, float]:
    """Standard errors of estimated figures, from guesses that each leave out one group of the draws."""
    every, *others = (
        best_guesses(part, likelihoods(part, tuples))
        for likelihoods in with_progress("Estimating the error", [attack.likelihoods, *attack.replicates])
    )
    error = {}
    for name in ("linked", "recovered"):
        figure, *figures = (100 * float(getattr(best, name) @ part.counts) / part.records for best in (every, *others))
        error[name] = _spread(figure, figures)
    return error


def _spread(figure: float, figures: Sequence[float]) -> float:
    """The standard error of a figure, given the same figures that each leave out one group of the draws."""
    bias = (len(figures) - 1) * (np.mean(figures) - figure)
    return float(np.hypot(bias, np.sqrt((len(figures) - 1) * np.var(figures))))


def _informed(
    pairing: Pairing,
    linked: NDArray[np.float64],
    recovered: NDArray[np.float64],
    guesses: Sequence[_Guesses],
    basis: Basis,
    runs: int,
    error: Mapping[str, float],
    parts: int,
) -> Informed:
    """Figures from the probabilities of records and from the posteriors of the best guesses."""
    originals, records = pairing.original.counts, pairing.by_record.records
    unique = originals[pairing.by_record.tuples] == 1
    confident = {}
    for least in _CONFIDENT:
        sure, right = np.sum([one.sure(least) for one in guesses], axis=0).tolist()
        confident[least] = (100 * sure / pairing.records, 100 * right / sure if sure else nan)
    return Informed(
        100 * mean_of(linked, records),
        100 * float(linked[unique].mean()) if unique.any() else None,
        100 * mean_of(recovered, records),
        100 * int(originals.max()) / pairing.records,
        confident,
        basis,
        runs,
        error,
        linked,
        recovered,
        parts,
    )
