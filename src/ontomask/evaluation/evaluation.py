"""`Evaluation`: the utility and the disclosure risk of a masked table, in one object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import Records
from ontomask.base.notes import Note
from ontomask.base.text import visible
from ontomask.errors import TableError
from ontomask.evaluation.attacks.attack import Attacks
from ontomask.evaluation.attacks.columns import KnownColumns
from ontomask.evaluation.linkage import Linkage
from ontomask.evaluation.measures import Measure, describe
from ontomask.evaluation.mining import Classification, Clustering
from ontomask.evaluation.utility import Change, Utility
from ontomask.privacy import KAnonymity, PopulationRisk
from ontomask.privacy.grouped import ConfidentialRisk

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Evaluation"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Utility and disclosure risk of a masked table. Print it, or use `measures`, `to_frame` and `to_json`.

    Attributes
    ----------
    utility
        Information loss.
    linkage
        The risk that records are linked, with the risk of every record.
    known_columns
        What an intruder finds who knows all released columns that are not confidential: see `all_columns`.
    attacks
        What every intruder finds; ``None`` if this was not measured.
    anonymity
        Groups of equal released records; ``None`` if nothing was released.
    confidential
        By confidential column, l and t of these groups.
    anonymity_before, confidential_before
        The same for the original.
    alpha
        The noise level, where there is one.
    distances
        By column, the distance of the evaluation, and the root of its domain unless that is a rare value.
    notes
        How cells were read, and other remarks.
    clustering, classification
        The results of data mining on both tables, if they were asked for.
    keeps_values
        Whether the method can release a record with its original values. If not, RL and MRL are not meaningful.
    typical
        By column, its typical value before and after masking, in words that name no rare value.
    population_risk, population_risk_before
        The chance to find a released record in the population, and an original one; ``None`` without sampling weights.
    absent
        What cannot be measured on a plan because it needs single records: by attribute, the reason. Empty for a result.
    records, sampled
        As of `Attacks`: what each entry of `record_risk` stands for, if the records are in an engine.
    """

    utility: Utility
    linkage: Linkage
    known_columns: KnownColumns | None
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
    population_risk: PopulationRisk | None = None
    population_risk_before: PopulationRisk | None = None
    absent: Mapping[str, str] = field(default_factory=dict)
    records: Records = None
    sampled: NDArray[np.int64] | None = None

    @property
    def all_columns(self) -> KnownColumns:
        """What an intruder finds who knows all released columns that are not confidential. An error if `absent`."""
        if self.known_columns is None:
            raise TableError(self.absent["all_columns"], code="not-measured")
        return self.known_columns

    @property
    def rmse(self) -> dict[str, float]:
        """Root mean square distance between original and masked values, by column."""
        return {name: attribute.rmse for name, attribute in self.utility.attributes.items()}

    @property
    def loss_shares(self) -> dict[str, float]:
        """The part of each column in the SSE, in percent. The columns that lose most come first."""
        shares = {name: 100 * attribute.loss_share for name, attribute in self.utility.attributes.items()}
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

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
        """L: SSE in percent of SST."""
        return self.utility.loss_percent

    @property
    def k(self) -> int:
        """The size of the smallest group, in records or persons; 0 if nothing was released. An error if `absent`."""
        if "anonymity" in self.absent:
            raise TableError(self.absent["anonymity"], code="not-measured")
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
        """For every original record the highest probability with which an intruder links it. Keep it private.

        Of a table in an engine, there is one for distinct rows: ``records`` says how many each stands for.
        """
        if self.attacks is not None:
            return self.attacks.record_risk()
        linked = self.linkage.risk["srl"]
        return np.maximum(linked if self.sampled is None else linked[self.sampled], self.all_columns.risk)

    def score(self, weight: float = 0.5, risk: Literal["rl", "mrl", "srl"] = "srl") -> float:
        """The balance of loss and risk, ``weight``·L + (1 − weight)·risk (Martínez 2012, eq. 6.5). Less is better."""
        if not 0 <= weight <= 1:
            raise TableError(
                f"The 'weight' of the loss must lie between 0 and 1. Got {weight!r} instead.", parameter="weight"
            )
        if risk not in self.linkage.before:
            raise TableError(
                f"The 'risk' must be one of {', '.join(self.linkage.before)}. Got {risk!r} instead.", parameter="risk"
            )
        return weight * self.loss_percent + (1 - weight) * float(getattr(self.linkage, risk))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Every measure with its values, its definition and what they mean."""
        return tuple(describe(self))

    def to_frame(self) -> pl.DataFrame:
        """One row per measure and column."""
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
            **({"absent": dict(self.absent)} if self.absent else {}),
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
        k = "" if "anonymity" in self.absent else f", k = {self.k:,}"
        known = self.known_columns
        linked = "" if known is None else f"; over all columns linked {known.linked:.3g} %, k = {known.k:,}"
        return f"<Evaluation: L {self.loss_percent:.3g} %, SRL {self.srl:.3g} %{k}{linked}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{title}</th>" for title in ("", "measure", "value", "meaning"))
        rows = "".join(
            f"<tr><td>{escape(m.about)}</td><td title='{escape(m.definition)}'>{escape(m.title)}</td>"
            f"<td style='text-align:right'>{escape(m.shown)}</td>"
            f"<td style='text-align:left'>{escape(m.meaning)}</td></tr>"
            for m in self.measures
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
