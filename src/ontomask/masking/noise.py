"""Semantic noise: every value is replaced by a concept about as far away as a random error (N 4.4–4.5, C)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.notes import Note
from ontomask.base.text import rounded
from ontomask.errors import MaskingError
from ontomask.kinds import nominal_columns
from ontomask.masking.base import Guarantee, Method, Planned
from ontomask.masking.noise_errors import DISTRIBUTIONS, Distribution, as_numbers
from ontomask.masking.noise_model import NoiseModel
from ontomask.masking.noise_statistics import (
    KEPT,
    REFERENCES,
    FittedNoise,
    Noise,
    Reference,
    fit_correlated,
    fit_uncorrelated,
)
from ontomask.masking.noise_transitions import noise_transitions
from ontomask.masking.parameters import one_of
from ontomask.masking.transitions import Transitions
from ontomask.microdata import Microdata, RecordPlan
from ontomask.microdata.masked import MaskedData
from ontomask.operators.loss import target_rmse

__all__ = ["CorrelatedNoise", "UncorrelatedNoise"]

_GUARANTEE = Note.of(
    "no-guarantee",
    "No privacy guarantee: noise by itself promises none in advance (C 3.2). Measure the disclosure risk of this "
    "output before releasing it.",
)


@dataclass(frozen=True, repr=False)
class SemanticNoise(Method):
    """What both kinds of noise have in common.

    An error's magnitude is how far the replacement has to lie from the value, at least; among the concepts of the
    domain that do, the nearest is taken. Its sign asks for one farther from the reference point than the value
    (positive) or closer to it (negative). Concepts that tie are equally likely. Where no concept is far enough, the
    farthest on that side is taken; where none is on that side, the sign does not count.

    A cell that is kept as it stands gets no noise and does not count in the statistics. A column whose values do not
    vary, or whose domain is a single concept, is refused: it would come out as it went in.

    The details of a result tell, under ``columns``, for each column what its errors were made from, the root mean
    square of the errors (``target_rmse``) and of the distances moved (``actual_rmse``), and how many errors were cut
    short (``truncated``) or lost their sign (``signs_dropped``); under ``covariance`` the errors' variances and
    covariances at level 1.
    """

    needs_concepts: ClassVar[bool] = True

    alpha: float | Sequence[float] | NDArray[np.float64] = 0.3
    distribution: Distribution = "normal"

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", _levels(type(self).__name__, self.alpha))
        one_of(self, "distribution", self.distribution, DISTRIBUTIONS)

    def fit(self, data: Microdata) -> NoiseModel:
        """Take from the data the statistics that noise is made of, to mask records as they come.

        Parameters
        ----------
        data
            The table with its roles. The model masks records with the same columns.
        """
        self.check(data)
        return NoiseModel.of(data, self._fit(data), self.alpha if isinstance(self.alpha, float) else None)

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask, among them fewer or more records than noise levels."""
        super().check(data)
        if isinstance(self.alpha, Levels) and len(self.alpha) != len(data):
            dropped = f" (besides {data.dropped_records:,} that were dropped)" if data.dropped_records else ""
            raise MaskingError(
                f"The 'alpha' parameter of {type(self).__name__} has {len(self.alpha):,} levels, the data have "
                f"{len(data):,} records{dropped}. Give one level for each record of data.frame."
            )

    @abstractmethod
    def _fit(self, data: Microdata) -> FittedNoise:
        """The statistics of the data."""

    @property
    def keeps_values(self) -> bool:
        """Only where a record has the noise level 0: every other error moves its value."""
        return isinstance(self.alpha, Levels) and 0 in self.alpha

    def transitions(self, data: Microdata) -> Transitions | None:
        """From the distribution of the errors; ``None`` where every record has a noise level of its own."""
        if not isinstance(self.alpha, float):
            return None
        self.check(data)
        return noise_transitions(data, self._fit(data), self.alpha)

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        fitted = self._fit(data)
        columns = data.table.columns
        points = np.stack([np.where(c.kept, KEPT, c.point).astype(np.int32)[c.code] for c in columns], axis=1)
        levels: Any = np.array(self.alpha) if isinstance(self.alpha, Levels) else self.alpha
        noise = fitted.add(points, levels, rng)
        notes = [*fitted.notes, *_shortfalls(fitted, noise)]
        spared = int(np.count_nonzero(levels == 0))
        if spared:
            text = "{records:,} records have the noise level 0: they are released unchanged."
            notes.append(Note.of("records-unchanged", text, records=spared))
        return Planned(_record_plan(data, noise), tuple(notes), _details(fitted, noise))

    def _verify(self, data: Microdata, masked: MaskedData, planned: Planned) -> Guarantee:  # noqa: ARG002
        return Guarantee("", _GUARANTEE)


@dataclass(frozen=True, repr=False)
class UncorrelatedNoise(SemanticNoise):
    """Noise on each column by itself, which weakens how columns depend on each other.

    Errors have mean 0 and ``alpha`` times the semantic variance of the column (N 4.4). The reference point of their
    signs is the column's semantic mean; a value that is the mean has no side.

    Parameters
    ----------
    alpha
        The noise level: errors have ``alpha`` times the variance of the data. Usual are 0.1 to 0.5. Or one level for
        each record, at least 0 (which leaves the record unchanged).
    distribution
        ``normal``, or ``laplace`` with the same variance.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "rash", "ache"]}), {"symptom": om.Nominal(t)})
    >>> result = om.UncorrelatedNoise(alpha=0.3).mask(data, seed=0)
    >>> result.frame["symptom"].tolist()
    ['pain', 'pain', 'symptom', 'pain']
    >>> result.noise["symptom"].round(2).tolist()
    [0.02, -0.02, 0.12, 0.02]
    """

    def _fit(self, data: Microdata) -> FittedNoise:
        return fit_uncorrelated(data, self.distribution)


@dataclass(frozen=True, repr=False)
class CorrelatedNoise(SemanticNoise):
    """Noise that depends between columns as the data do, so that their correlation is better kept.

    Errors have mean 0 and ``alpha`` times the covariance matrix of the data: distance variances and covariances
    (N 4.5, C 3.2). Of three columns and more these may make no covariance matrix; then the nearest one with the same
    variances is taken, and a note says so.

    Parameters
    ----------
    alpha
        The noise level, as of `UncorrelatedNoise`.
    distribution
        ``normal``, or ``laplace``: the symmetric multivariate one with the same covariances.
    reference
        What the sign of an error refers to. ``mean``: the column's semantic mean, which is kept best. ``pair``: the
        original value of another column of the same record; columns go in disjoint pairs with the same domain, each
        with its own covariances. ``root``: the domain's root, for any number of columns and domains.
    pairs
        For ``pair``, which columns: ``[("diag_1", "diag_2")]``. By default those with the highest correlation come
        first.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"first": ["ache", "colic", "rash", "ache"], "then": ["ache", "rash", "rash", "ache"]})
    >>> data = om.Microdata(frame, {name: om.Nominal(t, domain="symptom") for name in frame})
    >>> result = om.CorrelatedNoise(alpha=0.3, reference="pair").mask(data, seed=0)
    >>> result.frame["first"].tolist()
    ['pain', 'pain', 'symptom', 'symptom']
    >>> result.details["columns"]["first"]["pair"]
    'then'
    """

    reference: Reference = "mean"
    pairs: Sequence[tuple[str, str]] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self, "reference", self.reference, REFERENCES)
        if self.pairs is not None:
            object.__setattr__(self, "pairs", self._disjoint(self.pairs))

    def _disjoint(self, pairs: Any) -> tuple[tuple[str, str], ...]:
        if self.reference != "pair":
            raise MaskingError(
                f"The 'pairs' parameter of CorrelatedNoise goes with reference='pair' only: use that. "
                f"Got reference={self.reference!r}."
            )
        listed = list(pairs) if isinstance(pairs, Sequence) and not isinstance(pairs, str) else []
        fits = [isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2 for pair in listed]
        if not listed or not all(fits) or any(not isinstance(name, str) for pair in listed for name in pair):
            raise MaskingError(
                f"The 'pairs' parameter of CorrelatedNoise must be a list of pairs of column names, such as "
                f"[('diag_1', 'diag_2')]. Got {pairs!r} instead."
            )
        names = [name for pair in listed for name in pair]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise MaskingError(
                f"The 'pairs' parameter of CorrelatedNoise must be disjoint pairs; {twice[0]!r} is in more than one."
            )
        return tuple((a, b) for a, b in listed)

    def _fit(self, data: Microdata) -> FittedNoise:
        pairs = None if self.pairs is None else list(self.pairs)
        return fit_correlated(data, self.distribution, self.reference, pairs)


class Levels(tuple[float, ...]):
    """Noise levels of records. A million of them are not worth reading where a method is printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self):,} levels>"


def _levels(method: str, alpha: Any) -> float | Levels:
    """The noise level, or those of the records as a tuple, so that methods compare and do not change."""
    levels = as_numbers(alpha)
    if isinstance(alpha, Real) and not isinstance(alpha, bool):
        if not 0 < levels < inf:
            raise MaskingError(f"The 'alpha' parameter of {method} must be a number > 0. Got {alpha!r} instead.")
        return float(levels)
    if levels.ndim != 1:
        raise MaskingError(
            f"The 'alpha' parameter of {method} must be a number > 0, or one for each record. "
            f"Got {type(alpha).__name__} instead."
        )
    if not len(levels) or not np.isfinite(levels).all() or levels.min() < 0 or not levels.any():
        raise MaskingError(
            f"The levels in the 'alpha' parameter of {method} must be numbers ≥ 0, one for each record and not all 0."
        )
    return Levels(levels.tolist())


def _record_plan(data: Microdata, noise: Noise) -> RecordPlan:
    points, outcome = [], np.empty(noise.points.shape, dtype=np.int32)
    columns = nominal_columns(data.table.columns)
    for j, (column, values) in enumerate(zip(columns, data.table.values, strict=True)):
        masked: IntArray = noise.points[:, j]
        used = np.zeros(len(column.domain) + 1, dtype=bool)
        used[masked] = True  # KEPT is the last place
        used[KEPT] = False
        points.append(np.flatnonzero(used))
        outcome[:, j] = (np.cumsum(used, dtype=np.int32) - 1)[masked]
        stays = masked == KEPT
        outcome[stays, j] = -1 - values.of_cell[column.code[stays]]
    errors = {column.name: noise.errors[:, j].copy() for j, column in enumerate(data.table.columns)}
    return RecordPlan.of(data, points, outcome, errors)


def _details(fitted: FittedNoise, noise: Noise) -> dict[str, Any]:
    """Figures of each column, the errors' covariances at level 1 under ``covariance``."""
    details: dict[str, Any] = {}
    for j, (name, replaced) in enumerate(zip(fitted.names, noise.replacements, strict=True)):
        masked = noise.points[:, j] != KEPT
        details[name] = {
            **fitted.figures[name],
            "target_rmse": target_rmse(noise.errors[masked, j]),
            # As the loss operator has it; the distances are known from the replacement.
            "actual_rmse": float(np.sqrt(np.mean(replaced.moved**2))),
            "truncated": int(replaced.truncated.sum()),
            "signs_dropped": int(replaced.sign_dropped.sum()),
        }
    return {"columns": details, "covariance": fitted.covariance.tolist()}


def _shortfalls(fitted: FittedNoise, noise: Noise) -> list[Note]:
    notes = []
    for name, replaced in zip(fitted.names, noise.replacements, strict=True):
        truncated, dropped = int(replaced.truncated.sum()), int(replaced.sign_dropped.sum())
        if truncated:
            text = "{errors} errors of {column!r} were cut short: no concept lies that far away."
            notes.append(Note.of("errors-truncated", text, errors=_about(truncated), column=name))
        if dropped:
            text = "{errors} errors of {column!r} lost their sign: no concept lies on that side."
            notes.append(Note.of("signs-dropped", text, errors=_about(dropped), column=name))
    return notes


def _about(number: int) -> str:
    """A count that depends on what was drawn, for notes that are shared."""
    shown = f"{rounded(number):,}"
    return shown if rounded(number) == number else f"about {shown}"
