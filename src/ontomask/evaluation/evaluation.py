"""`Evaluation`: what a masking cost and what it bought, in one object. `evaluate` makes one of any two tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.notes import Note
from ontomask.base.text import join_some, visible
from ontomask.errors import TableError
from ontomask.evaluation.attacks.attack import Attacks, run_intruders
from ontomask.evaluation.attacks.columns import KnownColumns, ReleasedColumns, know_columns
from ontomask.evaluation.confidential import ConfidentialRisk, measure_confidential
from ontomask.evaluation.linkage import Linkage, link
from ontomask.evaluation.measures import Measure, describe, typical_value
from ontomask.evaluation.mining import Classification, Clustering, compare_classifiers, compare_clusterings
from ontomask.evaluation.order import note_unrelated_rows
from ontomask.evaluation.pairing import ANOTHER_TABLE, DistanceOf, Pairing
from ontomask.evaluation.reading import read_masked
from ontomask.evaluation.utility import Change, Utility, measure_utility
from ontomask.hierarchy import Hierarchy
from ontomask.masking import Method, Result
from ontomask.microdata import Microdata, TuplePlan, frames
from ontomask.microdata.masked import MaskedData
from ontomask.privacy import KAnonymity, k_anonymity

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Utility and risk of a masked table. Print it, or take it apart with `measures`, `to_frame` and `to_json`.

    Attributes
    ----------
    utility
        What the masking cost.
    linkage
        The risk that records are linked, with the risk of every record.
    all_columns
        What an intruder finds who knows all released columns that are not confidential.
    attacks
        What every intruder finds; ``None`` where it was not asked for.
    anonymity
        Groups of equal released records; ``None`` where nothing was released.
    confidential
        By confidential column, how much its values give away within the groups.
    anonymity_before, confidential_before
        The same of the original.
    alpha
        The noise level, where there is one.
    distances
        By column, the distance that evaluates, and the concept it is counted under unless that is rare as a value.
    notes
        How cells were read, and what else is worth knowing.
    clustering, classification
        What data mining makes of both tables, where it was asked for.
    keeps_values
        Whether the method can release a record with the values that it had. Where it never does, RL and MRL are not
        meaningful.
    typical
        By column, what became of its typical value, in words that name no rare one.
    """

    utility: Utility
    linkage: Linkage
    all_columns: KnownColumns
    attacks: Attacks | None
    anonymity: KAnonymity | None
    confidential: Mapping[str, ConfidentialRisk]
    anonymity_before: KAnonymity
    confidential_before: Mapping[str, ConfidentialRisk]
    alpha: float | None
    distances: Mapping[str, str]
    notes: tuple[str, ...]
    clustering: Clustering | None = None
    classification: Classification | None = None
    keeps_values: bool = True
    typical: Mapping[str, Note] = field(default_factory=dict)

    @property
    def rmse(self) -> dict[str, float]:
        """Root mean square distance between original and masked values, by column."""
        return {name: attribute.rmse for name, attribute in self.utility.attributes.items()}

    @property
    def sdcor(self) -> Mapping[tuple[str, str], Change]:
        """Distance correlation before and after, by pair of columns."""
        return self.utility.sdcor

    @property
    def sdcov(self) -> Mapping[tuple[str, str], Change]:
        """Distance covariance before and after, by pair of columns."""
        return self.utility.sdcov

    @property
    def semantic_loss(self) -> float:
        """Mean distance between original and masked records."""
        return self.utility.semantic_loss

    @property
    def sse(self) -> float:
        """Sum of squared distances between original and masked records."""
        return self.utility.sse

    @property
    def sst(self) -> float:
        """Sum of squared distances between the originals and their centroid."""
        return self.utility.sst

    @property
    def loss_percent(self) -> float:
        """L: the one in percent of the other."""
        return self.utility.loss_percent

    @property
    def k(self) -> int:
        """The smallest number of records (or persons) that share what was released; 0 where nothing was."""
        return 0 if self.anonymity is None else self.anonymity.k

    @property
    def rl(self) -> float:
        """Records linked from masked to original by equal values, in percent."""
        return self.linkage.rl

    @property
    def mrl(self) -> float:
        """Records linked from original to masked by equal values, in percent."""
        return self.linkage.mrl

    @property
    def srl(self) -> float:
        """Records linked from original to masked by nearest meaning, in percent."""
        return self.linkage.srl

    @property
    def linked_by_method(self) -> float | None:
        """Records linked by an intruder who knows the method, in percent; ``None`` where the method is not known."""
        return None if self.attacks is None or self.attacks.method is None else self.attacks.method.linked

    @property
    def recovered(self) -> float | None:
        """Original tuples that an intruder who knows the method reads back, in percent; ``None`` as above."""
        return None if self.attacks is None or self.attacks.method is None else self.attacks.method.recovered

    @property
    def worst(self) -> float:
        """Records that the worst intruder links, in percent."""
        return max(self.srl, self.all_columns.linked) if self.attacks is None else self.attacks.worst.percent

    def record_risk(self) -> NDArray[np.float64]:
        """For every original record the highest probability with which an intruder links it. Keep it private."""
        if self.attacks is not None:
            return self.attacks.record_risk()
        return np.maximum(self.linkage.risk["srl"], self.all_columns.risk)

    def score(self, weight: float = 0.5, risk: Literal["rl", "mrl", "srl"] = "srl") -> float:
        """The balance of loss and risk, ``weight``·L + (1 − weight)·risk (T eq. 6.5); less is better."""
        if not 0 <= weight <= 1:
            raise TableError(f"The 'weight' of the loss must lie between 0 and 1. Got {weight!r} instead.")
        if risk not in self.linkage.risk:
            raise TableError(f"The 'risk' must be one of {', '.join(self.linkage.risk)}. Got {risk!r} instead.")
        return weight * self.loss_percent + (1 - weight) * float(getattr(self.linkage, risk))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Every measure with its values, its definition and what they mean."""
        return tuple(describe(self))

    def to_frame(self) -> pl.DataFrame:
        """One row a measure and column."""
        import polars as pl

        return pl.DataFrame(
            [m.as_row() for m in self.measures],
            schema={
                "about": pl.String,
                "measure": pl.String,
                "columns": pl.String,
                "before": pl.Float64,
                "after": pl.Float64,
                "value": pl.Float64,
                "unit": pl.String,
                "meaning": pl.String,
                "definition": pl.String,
            },
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data: numbers and texts, nothing of single records."""
        return {
            "measures": [m.as_row() for m in self.measures],
            "attacks": None if self.attacks is None else self.attacks.to_dict(),
            "distances": dict(self.distances),
            "alpha": self.alpha,
            "notes": [str(note) for note in self.notes],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON."""
        return visible(json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False), keep="\n")

    def __str__(self) -> str:
        lines = [] if self.attacks is None else [f"Worst intruder: {self.attacks.worst.sentence}"]
        for about in dict.fromkeys(m.about for m in self.measures):
            lines.append(about.capitalize())
            lines += [f"  {m.title:<42} {m.shown:>22}   {m.meaning}" for m in self.measures if m.about == about]
        lines.append("Distances: " + ", ".join(f"{name}: {text}" for name, text in self.distances.items()))
        return visible("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]), keep="\n")

    def __repr__(self) -> str:
        return (
            f"<Evaluation: L {self.loss_percent:.3g} %, SRL {self.srl:.3g} %, k = {self.k:,}; over all columns linked "
            f"{self.all_columns.linked:.3g} %, k = {self.all_columns.k:,}>"
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{title}</th>" for title in ("", "measure", "value", "meaning"))
        rows = "".join(
            f"<tr><td>{escape(m.about)}</td><td title='{escape(m.definition)}'>{escape(m.title)}</td>"
            f"<td style='text-align:right'>{escape(m.shown)}</td>"
            f"<td style='text-align:left'>{escape(m.meaning)}</td></tr>"
            for m in self.measures
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def evaluate(
    data: Microdata,
    masked: Any,
    *,
    distance: DistanceOf | Mapping[str, DistanceOf] | None = None,
    scope: Literal["domain", "ontology"] | None = None,
    alpha: float | None = None,
    noise: Mapping[str, NDArray[np.float64]] | None = None,
    known: Sequence[str] | None = None,
    records: ArrayLike | None = None,
    key: str | Sequence[str] | None = None,
    rows: ArrayLike | None = None,
    mapping: Mapping[str, Mapping[str, str]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    clusters: int | None = None,
    target: str | None = None,
    seed: int | None = None,
    attacks: bool = True,
    method: Method | None = None,
) -> Evaluation:
    """Compare a masked table with its original.

    Parameters
    ----------
    data
        The original with its roles.
    masked
        The `Result` of a method, its ``data``, or any frame: read from a file, or made by another tool.
    distance
        What evaluates: a distance for all nominal columns, or one a column by name. By default the columns' own.
    scope
        Whether distances count inside the ``domain`` or in the whole ``ontology``; by default as in the columns.
    alpha, noise
        Level and errors of noise, where the result does not bring them.
    known, records
        What an intruder knows: columns (all quasi-identifiers by default), and records of the original, which are
        those looked for (all): their places, or one truth value a record.
    key, rows, mapping, hierarchies
        How to read a frame: see `ontomask.evaluation.reading.read_masked`. Without ``key`` and ``rows`` its records are
        compared with the originals by position. A file that `Result.write` or a job wrote is in random order.
    clusters
        Whether, and into how many groups, both tables are clustered (a sample of 3,000 records at most).
    target
        A confidential column that a classifier learns from masked and from original records (extra ``learn``).
    seed
        Of the sample that is clustered, and of the records that are held back from learning.
    attacks
        Whether every intruder attacks the release, as in `ontomask.attack`. Methods whose probabilities have to be
        estimated are run again many times. Without, only linkage by known columns is measured, and not the share of
        each. ``known`` and ``records`` limit RL, MRL and SRL, not these intruders.
    method
        What made a frame, where that is known: intruders may know it, too.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic"]}), {"symptom": om.Nominal(t)})
    >>> score = om.evaluate(data, pd.DataFrame({"symptom": ["ache", "ache"]}))
    >>> score.rl, score.mrl, score.srl, score.k
    (50.0, 25.0, 50.0, 2)
    """
    notes: tuple[Note, ...] = ()
    unverified = False
    plan = None
    if isinstance(masked, Result):
        if method is not None:
            raise TableError("method= says what made a frame. Leave it out: a result knows its method.")
        method, plan = masked.method, masked.plan
        alpha = _level(masked.method) if alpha is None else alpha
        noise = masked.noise or None if noise is None else noise
        planned = masked.plan.counts.sum() if isinstance(masked.plan, TuplePlan) else len(masked.plan.outcome)
        if planned != len(data):
            raise TableError(ANOTHER_TABLE)
        masked = masked.data
    _check_noise(data, alpha, noise)
    if not isinstance(masked, MaskedData):
        kept = {*data.confidential, *data.other}
        unverified = key is None and rows is None and not kept.intersection(frames.columns(masked))
        masked, notes = read_masked(data, masked, key=key, rows=rows, mapping=mapping, hierarchies=hierarchies)
    elif any(given is not None for given in (key, rows, mapping, hierarchies)):
        raise TableError("key=, rows=, mapping= and hierarchies= say how to read a frame; a result needs none of them.")
    pairing = Pairing.of(data, masked, distance=distance, scope=scope)
    if unverified:
        notes += note_unrelated_rows(pairing)
    unmasked = MaskedData(data.frame, data.quasi_identifiers, np.arange(len(data)))
    (anonymity_before, confidential_before), (anonymity, confidential) = (
        _measure_groups(data, table) for table in (unmasked, masked)
    )
    assert anonymity_before is not None
    utility = measure_utility(pairing, noise)
    linkage = link(pairing, known=known, records=records)
    everybody = linkage if known is None and records is None else link(pairing)
    released = ReleasedColumns(data, masked)
    by_columns = know_columns(pairing, released, everybody.risk["srl"], shares=attacks)
    found = run_intruders(pairing, released, by_columns, method, plan) if attacks else None
    names = (known,) if isinstance(known, str) else known
    notes += _intruder(data, names, records)
    if any(change.negative for change in utility.sdcov.values()):
        text = "a distance covariance had a negative square and counts as 0: this distance allows that."
        notes = (*notes, Note.of("negative-covariance", text))
    control = data.disclosure_control
    return Evaluation(
        utility,
        linkage,
        by_columns[1],
        found,
        anonymity,
        confidential,
        anonymity_before,
        confidential_before,
        alpha,
        {column.name: column.describe_distance(partial(control.may_name, column.name)) for column in pairing.columns},
        tuple(map(control.redact, notes)),
        None if clusters is None else compare_clusterings(pairing, clusters, seed=seed),
        None if target is None else compare_classifiers(data, pairing, target, seed=seed),
        True if method is None else method.keeps_values,
        typical={
            name: typical_value(data.quasi_identifiers[name], *attribute.mean, control)
            for name, attribute in utility.attributes.items()
        },
    )


def _check_noise(data: Microdata, alpha: float | None, noise: Mapping[str, NDArray[np.float64]] | None) -> None:
    if alpha is not None and not (isinstance(alpha, (int, float)) and 0 < alpha < np.inf):
        raise TableError(f"The 'alpha' of the noise must be a number > 0. Got {alpha!r} instead.")
    for name, errors in (noise or {}).items():
        if name not in data.quasi_identifiers or np.shape(errors) != (len(data),):
            raise TableError(
                f"'noise' holds the errors drawn for the quasi-identifiers, one a record: {len(data):,}. "
                f"Those of {name!r} do not fit."
            )


def _measure_groups(data: Microdata, table: MaskedData) -> tuple[KAnonymity | None, Mapping[str, ConfidentialRisk]]:
    """k, l and t of a table's groups of equal records; nothing where it has no records."""
    if not len(table):
        return None, {}
    anonymity = k_anonymity(table.groups, data.persons_at(table.rows))
    return anonymity, measure_confidential(data, table.groups, table.rows)


def _intruder(data: Microdata, known: Sequence[str] | None, records: ArrayLike | None) -> tuple[Note, ...]:
    """What linkage was measured for, where it is less than all."""
    notes = []
    if known is not None and set(known) != set(data.quasi_identifiers):
        text = "RL, MRL and SRL are those of an intruder who knows {columns} only."
        notes.append(Note.of("intruder-columns", text, columns=join_some(known)))
    if records is not None:
        given = np.asarray(records)
        number = int(given.sum()) if given.dtype == bool else len(np.unique(given))
        text = "RL, MRL and SRL are over the {known:,} of {records:,} records that the intruder knows."
        notes.append(Note.of("intruder-records", text, known=number, records=len(data)))
    return tuple(notes)


def _level(method: object) -> float | None:
    """The noise level of a method that has one for all records."""
    alpha = getattr(method, "alpha", None)
    return float(alpha) if isinstance(alpha, (int, float)) else None
