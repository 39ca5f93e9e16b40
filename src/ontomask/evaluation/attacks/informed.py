"""The intruder who knows the method: linkage and value recovery by the highest posterior.

By the transparency principle (Torra 2017), an intruder is taken to know the method, its parameters, the ontology and
the original quasi-identifiers of everybody; not the randomness. With P(x → y) the probability that the method turns
tuple x into y, and n_x the records that have x:

- *Bayes linkage*: of the released rows, the one with the greatest P(x → y) / Σ n_x' P(x' → y) is taken for a known
  record with tuple x. Rows that tie share the guess.
- *Value recovery*: a released tuple y is taken for the tuple x with the greatest n_x P(x → y).

Figures count records, also where the data tell persons apart. Suppressed records count as neither linked nor
recovered, and are in the denominator. A kept cell is known to be unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import TableError
from ontomask.evaluation.attacks.likelihood import Likelihood
from ontomask.evaluation.attacks.posterior import Best, Likelihoods, best_guesses
from ontomask.evaluation.attacks.reruns import GROUPS, rerun, runs_for
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.microdata import Microdata, RecordPlan, TuplePlan
from ontomask.microdata.masked import MaskedData
from ontomask.privacy.groups import freeze

__all__ = ["CONFIDENT", "Informed", "know_method"]

# The posteriors from which on a guess is reported as confident.
CONFIDENT = (0.5, 0.9)

Basis = Literal["exact", "estimated", "groups"]

_NO_ERROR = {"linked": 0.0, "recovered": 0.0}


@dataclass(frozen=True, eq=False)
class Informed:
    """What an intruder learns who knows the method. Shares are in percent of all original records.

    Attributes
    ----------
    linked
        Records whose own released row is the intruder's best guess; tied rows share.
    linked_uniques
        The same in percent of the records that are unique in the original; ``None`` where none is.
    recovered
        Records whose original tuple is the best guess from the released one; tied tuples share.
    mode
        Records recovered by always guessing the most frequent tuple.
    confident
        By posterior (0.5, 0.9): the percentage of records with a guess at least as likely, and the percentage of
        these that is right (``nan`` where there is none).
    basis
        ``exact``: from the method's own probabilities. ``estimated``: from re-runs, or from draws of its errors.
        ``groups``: records are released in groups of equal ones, and the intruder knows who is in which. For methods
        that draw their groups at random this is an upper bound.
    runs
        How many re-runs or draws the estimate comes from; 0 otherwise.
    error
        How far ``linked`` and ``recovered`` may be off, in percentage points, by name: spread and bias together, by
        the delete-a-group jackknife. 0 where nothing is estimated. With more runs an intruder guesses a little better.
    linked_records, recovered_records
        For every original record the probability that it is linked, that it is recovered; 0 for suppressed ones.
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

    def __post_init__(self) -> None:
        freeze(self.linked_records, self.recovered_records)

    def record_risk(self) -> NDArray[np.float64]:
        """The probability that each record is linked, in the order of the original."""
        return self.linked_records


def know_method(
    data: Microdata,
    masked: MaskedData,
    method: Method,
    plan: TuplePlan | RecordPlan | None = None,
    *,
    runs: int | None = None,
    seed: int = 0,
) -> Informed:
    """Attack a release with the method and its parameters known.

    Parameters
    ----------
    data, masked
        The original, and what was made of it.
    method
        What masked it, with the parameters that it had.
    plan
        The plan of the masking, where it is at hand. It is used only to check that it is of these data.
    runs
        How many times the data are masked again where probabilities have to be estimated; by default 16 to 300, the
        fewer the longer each takes.
    seed
        Of these re-runs. It has nothing to do with the seed of the masking, and may be public.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "ache"]}), {"symptom": om.Nominal(t)})
    >>> method = om.NaiveDistortion()
    >>> result = method.mask(data, seed=0)
    >>> result.frame["symptom"].tolist()
    ['colic', 'ache', 'colic']
    >>> know_method(data, result.data, method).recovered
    100.0
    """
    if runs is not None and (isinstance(runs, bool) or not isinstance(runs, (int, np.integer)) or runs < 2):
        raise TableError(f"The 'runs' must be an int ≥ 2. Got {runs!r} instead.")
    if plan is not None and _records_of(plan) != len(data):
        raise TableError("The plan was made for another table. Give the plan of this masking, or none.")
    pairing = Pairing.of(data, masked)
    if method.makes_groups or not len(masked):
        return _by_groups(pairing)
    transitions = method.transitions(data)
    parts: list[Likelihoods] = []
    if transitions is None:
        reruns = rerun(data, pairing, method, runs or runs_for(len(data), len(data.table)), seed)
        likelihoods: Likelihoods = reruns.likelihoods()
        drawn = reruns.runs
        parts = [reruns.likelihoods(without=group) for group in range(min(GROUPS, drawn))]
    else:
        likelihoods, drawn = Likelihood(pairing, transitions.factors), transitions.draws
        parts = [Likelihood(pairing, part.factors) for part in transitions.replicates]
    best = best_guesses(pairing, likelihoods)
    if not drawn and not best.own.all():
        raise TableError(
            f"{method!r} cannot have made this release from these data. Give the method and the parameters that "
            f"masked them."
        )
    error = _jackknife(best, [best_guesses(pairing, part) for part in parts], pairing) if parts else _NO_ERROR
    basis: Basis = "estimated" if drawn else "exact"
    return _informed(pairing, best.linked, best.recovered, best.posterior, basis, drawn, error)


def _records_of(plan: TuplePlan | RecordPlan) -> int:
    return int(plan.counts.sum()) if isinstance(plan, TuplePlan) else len(plan.outcome)


def _by_groups(pairing: Pairing) -> Informed:
    """The intruder knows who is in which group of equal released rows."""
    b, size = pairing.b, pairing.masked.counts
    most = np.zeros(len(size), dtype=np.int64)
    np.maximum.at(most, b, pairing.counts)
    is_most = pairing.counts == most[b]
    tied = np.bincount(b, weights=is_most, minlength=len(size))
    return _informed(pairing, 1 / size[b], is_most / tied[b], most / size, "groups", 0, _NO_ERROR)


def _jackknife(all_draws: Best, parts: Sequence[Best], pairing: Pairing) -> dict[str, float]:
    """Errors of estimated figures, from guesses that each leave out one of several equal parts of the draws."""
    error = {}
    for name in ("linked", "recovered"):
        figures = np.array([_percent(pairing, getattr(part, name)) for part in parts])
        bias = (len(parts) - 1) * (figures.mean() - _percent(pairing, getattr(all_draws, name)))
        variance = (len(parts) - 1) * figures.var()
        error[name] = float(np.hypot(bias, np.sqrt(variance)))
    return error


def _percent(pairing: Pairing, of_pair: NDArray[np.float64]) -> float:
    """The expected share of records, in percent."""
    return 100 * float(of_pair @ pairing.counts) / pairing.records


def _informed(
    pairing: Pairing,
    linked: NDArray[np.float64],
    recovered: NDArray[np.float64],
    posterior: NDArray[np.float64],
    basis: Basis,
    runs: int,
    error: Mapping[str, float],
) -> Informed:
    """Figures from the probabilities of pairs, and the posteriors of released tuples."""
    counts, originals = pairing.counts, pairing.original.counts
    unique = originals[pairing.a] == 1
    uniques = int((originals == 1).sum())
    confident = {}
    for least in CONFIDENT:
        # Rounding must not turn down a guess that is exactly as likely.
        sure = posterior[pairing.b] >= least - 1e-12
        records = int(counts[sure].sum())
        right = float(recovered[sure] @ counts[sure])
        confident[least] = (100 * records / pairing.records, 100 * right / records if records else nan)
    return Informed(
        _percent(pairing, linked),
        100 * float(linked[unique] @ counts[unique]) / uniques if uniques else None,
        _percent(pairing, recovered),
        100 * int(originals.max()) / pairing.records,
        confident,
        basis,
        runs,
        error,
        pairing.per_record(linked),
        pairing.per_record(recovered),
    )
