"""The two methods that add semantic noise (Rodriguez-Garcia 2017, 4.4–4.5; Rodriguez-Garcia 2016)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.notes import Note
from ontomask.base.progress import progress
from ontomask.base.text import rounded
from ontomask.errors import MaskingError, Setting, Wording
from ontomask.kinds import nominal_columns
from ontomask.masking.base import Method
from ontomask.masking.description import NO_PROMISE, PUBLIC, About, Rule, one_of
from ontomask.masking.noise.errors import DISTRIBUTIONS, Distribution, as_numbers
from ontomask.masking.noise.model import NoiseModel
from ontomask.masking.noise.statistics import (
    KEPT,
    REFERENCES,
    FittedNoise,
    Noise,
    Reference,
    fit_correlated,
    fit_uncorrelated,
)
from ontomask.masking.noise.transitions import noise_transitions
from ontomask.masking.results import Guarantee, Planned
from ontomask.masking.transitions import Transitions
from ontomask.microdata import Microdata, RecordPlan, TuplePlan
from ontomask.microdata.masked import MaskedTable
from ontomask.operators.loss import target_rmse

__all__ = ["CorrelatedNoise", "UncorrelatedNoise"]

_GUARANTEE = Note.of(
    "no-guarantee",
    "No privacy guarantee: noise guarantees nothing in advance (Rodriguez-Garcia 2016, 3.2). Measure the disclosure "
    "risk of this output before releasing it.",
)


def _is_level(alpha: Any) -> bool:
    """Whether a noise level is a positive number, or a list of levels of records of which one at least is positive."""
    levels = as_numbers(alpha)
    if isinstance(alpha, Real) and not isinstance(alpha, bool):
        return 0 < float(levels) < inf
    return bool(levels.ndim == 1 and len(levels) and np.isfinite(levels).all() and levels.min() >= 0 and levels.any())


def _as_levels(alpha: Any) -> float | tuple[float, ...]:
    """One noise level, or the levels of the records as a tuple, so that methods can be compared and do not change."""
    levels = as_numbers(alpha)
    return float(levels) if levels.ndim == 0 else tuple(levels.tolist())


def _are_pairs(pairs: Any) -> bool:
    if not isinstance(pairs, Sequence) or isinstance(pairs, str) or not pairs:
        return False
    if not all(isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2 for pair in pairs):
        return False
    names = [name for pair in pairs for name in pair]
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


_LEVEL = Rule("a number > 0, or numbers ≥ 0, one for each record and not all 0", _is_level, _as_levels)
_PAIRS = Rule(
    Wording(
        "a list of disjoint pairs of column names, such as [('diag_1', 'diag_2')]",
        'a list of disjoint pairs of column names, such as [["diag_1", "diag_2"]]',
    ),
    _are_pairs,
    lambda pairs: tuple(tuple(pair) for pair in pairs),
)


@dataclass(frozen=True, repr=False)
class SemanticNoise(Method):
    """What both kinds of noise have in common.

    The magnitude of an error is the least distance between a value and its replacement. The replacement is the nearest
    concept of the domain that is at least this far away. A positive error asks for a concept farther from the reference
    point than the value, a negative error for a closer one. Concepts that tie are equally likely. If no concept is far
    enough, the farthest on that side is used. If no concept is on that side, the sign is ignored.

    A cell that is kept gets no noise and does not count in the statistics. A column whose values do not vary, or whose
    domain has a single concept, is refused: it would be released unchanged.

    In the details of a result, ``columns`` has for each column the statistics that its errors were made from, the root
    mean square of the errors (``target_rmse``) and of the distances moved (``actual_rmse``), and how many errors were
    truncated (``truncated``) or lost their sign (``signs_dropped``). ``covariance`` has the variances and covariances
    of the errors at noise level 1.
    """

    alpha: float | Sequence[float] | NDArray[np.float64] = field(default=0.3, metadata=_LEVEL.metadata)
    distribution: Distribution = field(default="normal", metadata=one_of(DISTRIBUTIONS))

    @property
    def nominal_only(self) -> tuple[object, ...]:
        """Noise moves values in a taxonomy."""
        return ("It works on nominal columns only. Use another method, or make the column an identifier to remove it.",)

    @progress("Fitting the noise")
    def fit(self, data: Microdata) -> NoiseModel:
        """Compute the statistics that noise is made from, to mask records as they arrive.

        Parameters
        ----------
        data
            The table with its roles. The model masks records with the same columns.
        """
        if self.by:
            raise self._wrong("by", "is for tables: a model has one set of statistics. Fit one for each stratum.")
        if self.consistent:
            raise self._wrong("consistent", "is for tables: a model remembers no record. Leave it out.")
        if isinstance(data, Microdata) and data.linked:
            text = "A model counts no values, so it cannot release linked columns. Describe the data without them."
            raise MaskingError(text, parameter="linked")
        if isinstance(data, Microdata) and data.pseudonyms:
            text = "A model remembers no person, so it cannot give pseudonyms. Describe the data without them."
            raise MaskingError(text, parameter="pseudonyms")
        self.check(data)
        return NoiseModel.of(data, self._fit(data), self.alpha if isinstance(self.alpha, float) else None)

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask, or that have fewer or more records than noise levels."""
        if isinstance(self.alpha, tuple) and isinstance(data, Microdata) and len(self.alpha) != len(data):
            dropped = f" ({data.dropped_records:,} others were dropped)" if data.dropped_records else ""
            raise self._wrong(
                "alpha",
                f"has {len(self.alpha):,} levels, and the data have {len(data):,} records{dropped}. Give one level for "
                f"each record that remains.",
            )
        super().check(data)
        without = [name for name, column in data.quasi_identifiers.items() if column.kept[column.code].all()]
        if without:
            raise MaskingError(
                f"All cells of {without[0]!r} are kept unchanged, so there is nothing to add noise to. Leave out the "
                f"column, or choose other policies for missing and unmapped cells.",
                column=without[0],
            )

    def _for_part(self, rows: NDArray[np.integer]) -> Self:
        alone = super()._for_part(rows)
        return replace(alone, alpha=np.array(self.alpha)[rows]) if isinstance(self.alpha, tuple) else alone

    @abstractmethod
    def _fit(self, data: Microdata) -> FittedNoise:
        """The statistics of the data."""

    @property
    def keeps_values(self) -> bool:
        """Only for records with noise level 0: every other error moves its value."""
        return isinstance(self.alpha, tuple) and 0 in self.alpha

    def transitions(self, data: Microdata) -> Transitions | None:
        """From the distribution of the errors; ``None`` if each record has its own noise level."""
        if not isinstance(self.alpha, float):
            return None
        self.check(data)
        return noise_transitions(data, self._fit(data), self.alpha)

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        fitted, table = self._fit(data), data.table
        own = [np.where(values.kept, KEPT, values.point).astype(np.int32) for values in table.values]
        points = np.stack([column[indices] for column, indices in zip(own, table.tuples.T, strict=True)], axis=1)
        levels = np.asarray(self.alpha)
        # Levels of records belong to rows. Otherwise records are listed by tuple, and no row is needed.
        rows = table.rows_by_tuple(levels) if levels.ndim else None
        noise = fitted.add(points[table.record_tuples], levels if rows is None else levels[rows], rng)
        notes = [*fitted.notes, *_shortfall_notes(fitted, noise)]
        unchanged = int(np.count_nonzero(levels == 0))
        if unchanged:
            text = "{records:,} records have noise level 0 and are released unchanged."
            notes.append(Note.of("records-unchanged", text, records=unchanged))
        return Planned(_noise_plan(data, noise, rows), tuple(notes), _details(fitted, noise))

    def _verify(self, data: Microdata, masked: MaskedTable, planned: Planned) -> Guarantee:  # noqa: ARG002
        return Guarantee("", _GUARANTEE)


@dataclass(frozen=True, repr=False)
class UncorrelatedNoise(SemanticNoise):
    """Add noise to each column by itself, which weakens the dependence between columns.

    Errors have mean 0 and ``alpha`` times the semantic variance of the column (Rodriguez-Garcia 2017, 4.4). Their signs
    refer to the column's semantic mean; the sign is ignored for a value that is the mean.

    Parameters
    ----------
    alpha
        The noise level: errors have ``alpha`` times the variance of the data. 0.1 to 0.5 are usual. Or one level for
        each record; 0 leaves a record unchanged.
    distribution
        ``normal``, or ``laplace`` with the same variance.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "rash", "ache"]}), {"symptom": om.Nominal(t)})
    >>> result = om.UncorrelatedNoise(alpha=0.3).mask(data, seed=0)
    >>> result.frame["symptom"].tolist()
    ['pain', 'symptom', 'symptom', 'pain']
    >>> result.noise["symptom"].round(2).tolist()
    [-0.02, 0.02, 0.02, 0.12]
    """

    about: ClassVar[About] = About(
        what="Every value is moved in the taxonomy by a random error whose size follows the spread of its column: "
        "mostly to near concepts, sometimes to far ones. Each column is treated by itself.",
        why="It keeps the mean of a column (Rodriguez-Garcia 2017, Table 9), but weakens the dependence between "
        f"columns. {NO_PROMISE}",
        summary="every value moves at random in meaning; also record by record, as a stream",
        masks="concepts",
        streams=True,
    )

    @property
    def draws_cells(self) -> bool:
        """Yes, unless records have noise levels of their own."""
        return isinstance(self.alpha, float)

    def _fit(self, data: Microdata) -> FittedNoise:
        return fit_uncorrelated(data, self.distribution)


@dataclass(frozen=True, repr=False)
class CorrelatedNoise(SemanticNoise):
    """Add noise that is correlated between columns as the data are, which keeps their correlation better.

    Errors have mean 0 and ``alpha`` times the covariance matrix of the data: distance variances and covariances
    (Rodriguez-Garcia 2017, 4.5; Rodriguez-Garcia 2016, 3.2). For three columns and more these may not form a covariance
    matrix. Then the nearest covariance matrix with the same variances is used, and a note says so.

    Parameters
    ----------
    alpha
        The noise level, as for `UncorrelatedNoise`.
    distribution
        ``normal``, or ``laplace``: the symmetric multivariate Laplace distribution with the same covariances.
    reference
        The reference point of the sign of an error. ``mean``: the column's semantic mean, which is then kept best.
        ``pair``: the original value of another column of the same record; columns form disjoint pairs with the same
        domain, each with its own covariances. ``root``: the domain's root, for any number of columns and domains.
    pairs
        For ``pair``, the pairs of columns: ``[("diag_1", "diag_2")]``. By default the columns with the highest
        correlation are paired first.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"first": ["ache", "colic", "rash", "ache"], "then": ["ache", "rash", "rash", "ache"]})
    >>> data = om.Microdata(frame, {name: om.Nominal(t, domain="symptom") for name in frame})
    >>> result = om.CorrelatedNoise(alpha=0.3, reference="pair").mask(data, seed=0)
    >>> result.frame["first"].tolist()
    ['pain', 'symptom', 'symptom', 'pain']
    >>> result.details["columns"]["first"]["pair"]
    'then'
    """

    about: ClassVar[About] = About(
        what="Every value is moved in the taxonomy by a random error. The errors of a record are correlated as the "
        "columns of the original are.",
        why="Choose it where analyses relate columns to each other: it keeps their dependence better than noise on "
        f"each column alone (Rodriguez-Garcia 2017, Table 9). {NO_PROMISE}",
        summary="the same, correlated between columns as the data are",
        masks="concepts",
        streams=True,
    )

    reference: Reference = field(default="mean", metadata=one_of(REFERENCES))
    pairs: Sequence[tuple[str, str]] | None = field(default=None, metadata=_PAIRS.metadata | PUBLIC)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pairs is not None and self.reference != "pair":
            pair = Setting("method", "reference", values=["pair"])
            raise self._wrong("pairs", "is not for this reference. Leave it out, or use ", pair, ".")

    def _fit(self, data: Microdata) -> FittedNoise:
        pairs = None if self.pairs is None else list(self.pairs)
        return fit_correlated(data, self.distribution, self.reference, pairs)


def _noise_plan(data: Microdata, noise: Noise, rows: NDArray[np.intp] | None) -> TuplePlan | RecordPlan:
    """The plan for records that are listed by tuple; if ``rows`` says which rows these are, a plan for these rows."""
    table, tuples = data.table, data.table.record_tuples
    new_points, new = [], np.empty(noise.points.shape, dtype=np.int32)
    for j, (column, values) in enumerate(zip(nominal_columns(table.columns), table.values, strict=True)):
        masked: IntArray = noise.points[:, j]
        used = np.zeros(len(column.domain) + 1, dtype=bool)
        used[masked] = True  # KEPT is the last index
        used[KEPT] = False
        new_points.append(np.flatnonzero(used))
        indices = np.cumsum(used, dtype=np.int32) + (len(values) - 1)
        new[:, j] = np.where(masked == KEPT, table.tuples[tuples, j], indices[masked])
    errors = {column.name: noise.errors[:, j].copy() for j, column in enumerate(table.columns)}
    if rows is None:
        return TuplePlan.of_records(table, new, tuples, new_points=new_points, errors=errors)
    own, at = [len(values) for values in table.values], np.argsort(rows)
    outcome = np.where(new < own, -1 - new, new - own)[at]
    return RecordPlan.of(data, new_points, outcome, {name: drawn[at] for name, drawn in errors.items()})


def _details(fitted: FittedNoise, noise: Noise) -> dict[str, Any]:
    """Figures of each column, and the covariances of the errors at noise level 1."""
    details: dict[str, Any] = {}
    for j, (name, replaced) in enumerate(zip(fitted.names, noise.replacements, strict=True)):
        masked = noise.points[:, j] != KEPT
        details[name] = {
            **fitted.figures[name],
            "target_rmse": target_rmse(noise.errors[masked, j]),
            # The same as the loss operator gives; the replacement already knows the distances.
            "actual_rmse": float(np.sqrt(np.mean(replaced.moved**2))),
            "truncated": int(replaced.truncated.sum()),
            "signs_dropped": int(replaced.sign_dropped.sum()),
        }
    return {"columns": details, "covariance": fitted.covariance.tolist()}


def _shortfall_notes(fitted: FittedNoise, noise: Noise) -> list[Note]:
    notes = []
    for name, replaced in zip(fitted.names, noise.replacements, strict=True):
        truncated, dropped = int(replaced.truncated.sum()), int(replaced.sign_dropped.sum())
        if truncated:
            text = "{errors} errors of {column!r} were truncated: no concept is that far away."
            notes.append(Note.of("errors-truncated", text, errors=_about(truncated), column=name))
        if dropped:
            text = "{errors} errors of {column!r} lost their sign: no concept is on that side."
            notes.append(Note.of("signs-dropped", text, errors=_about(dropped), column=name))
    return notes


def _about(number: int) -> str:
    """A count that depends on random draws, rounded for notes that others may read."""
    text = f"{rounded(number):,}"
    return text if rounded(number) == number else f"about {text}"
