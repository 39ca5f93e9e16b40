"""Advice on the method: from what the user needs, what the publications found, and what was measured on the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from ontomask.base.text import join_some
from ontomask.comparison.results import MEASURES, Comparison, method_names
from ontomask.distance import WuPalmer
from ontomask.errors import MaskingError
from ontomask.masking import (
    CorrelatedNoise,
    Method,
    Microaggregation,
    RankSwapping,
    Recoding,
    Resampling,
    UncorrelatedNoise,
)
from ontomask.masking.base import Requirement
from ontomask.masking.whole_rows import kept_column_notes
from ontomask.microdata import Microdata
from ontomask.microdata.columns import NominalColumn

__all__ = ["Advice", "Keep", "advise"]

Keep = Literal["meaning", "mean", "correlation", "distribution", "frequencies", "balance"]

# With more distinct tuples, methods that compare tuples with each other take hours.
_TOO_MANY_TUPLES = 1_000_000

_NOISE = "Rodriguez-Garcia 2017, Table 9"
_LOSES_MOST = "It loses most of the meaning and of the distribution."

# The measure that is least for the method that keeps this best.
_MEASURE_OF = {
    "meaning": "loss_percent",
    "mean": "mean_shift",
    "correlation": "sdcor_difference",
    "distribution": "kl_divergence",
    "frequencies": "sdvar_difference",
}


@dataclass(frozen=True)
class Advice:
    """A recommendation.

    Attributes
    ----------
    method
        The method to use.
    reasons
        Why, each with its source.
    cautions
        What to know before using it.
    measured
        Whether it was measured on these data. Otherwise the advice follows from what the publications found.
    """

    method: Method
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]
    measured: bool

    def __str__(self) -> str:
        basis = "measured on these data" if self.measured else "by the publications, not measured on these data"
        lines = [f"{self.method} ({basis})", *(f"  + {reason}" for reason in self.reasons)]
        return "\n".join([*lines, *(f"  ! {caution}" for caution in self.cautions)])


def advise(
    data: Microdata,
    *,
    guarantee: bool,
    keep: Keep = "meaning",
    k: int = 5,
    alpha: float = 0.3,
    stream: bool = False,
    weight: float = 0.5,
    require: Sequence[Requirement] = (),
    comparison: Comparison | None = None,
) -> Advice:
    """Recommend a method.

    Parameters
    ----------
    data
        The table. The advice depends on its columns and its size.
    guarantee
        Whether k-anonymity must be guaranteed.
    keep
        What the released data must keep: the ``meaning`` of the records, the ``mean``, the ``correlation`` between
        columns, the ``distribution`` of whole records, the ``frequencies`` of each column's values, or a ``balance``
        of loss and risk.
    k
        The least size of groups, or of the interval that values are swapped in.
    alpha
        The noise level.
    stream
        Whether records arrive one at a time.
    weight
        For a ``balance``, the weight of the loss against the risk (Martínez 2012, eq. 6.5). The risk is the share of
        records that the worst intruder links, if that was measured.
    require
        What the output must also have, such as `Diversity` or `Closeness`. The advice is a method that enforces it.
    comparison
        The results of `compare` on these data. The best method among them is recommended, beside the advice of the
        publications. Methods that failed in some run, or do not have ``require``, are not.

    Examples
    --------
    >>> import ontomask as om
    >>> from ontomask.examples import adult_data
    >>> om.advise(adult_data(), guarantee=False, keep="correlation", alpha=0.3).method
    CorrelatedNoise(alpha=0.3, reference='root')
    """
    if keep not in get_args(Keep):
        raise MaskingError(
            f"The 'keep' of advise must be one of {', '.join(get_args(Keep))}. Got {keep!r} instead.", parameter="keep"
        )
    if not 0 <= weight <= 1:
        raise MaskingError(
            f"The 'weight' of advise must be a number from 0 to 1. Got {weight!r} instead.", parameter="weight"
        )
    if (guarantee or require) and stream:
        what = "k-anonymity" if guarantee else "a requirement on groups"
        raise MaskingError(
            f"No method can guarantee {what} record by record, because the next records are not known. Collect the "
            f"records and mask them together. Or use noise, which guarantees nothing: guarantee=False and no require.",
            parameter="stream",
        )
    advice = _anonymous(data, keep, k, weight) if guarantee else _perturbing(data, keep, k, alpha, stream=stream)
    if require:
        advice = _requiring(data, advice, k, require)
    # Refuse now what the recommended method would refuse, such as fewer than k records.
    advice.method.check(data)
    if comparison is not None:
        suited = [
            name
            for name, method in zip(method_names(comparison.methods), comparison.methods, strict=True)
            if (not guarantee or "k-anonymity" in method.about.guarantees)
            and (not stream or method.about.streams)
            and all(asked in method.require for asked in advice.method.require)
        ]
        advice = _measured(comparison, suited, advice, keep, k if guarantee else None, weight)
    return replace(advice, cautions=(*advice.cautions, *kept_column_notes(data)))


def _perturbing(data: Microdata, keep: Keep, k: int, alpha: float, *, stream: bool) -> Advice:
    """Noise as in Rodriguez-Garcia 2017, Table 9, or swapping where that keeps more."""
    columns = list(data.quasi_identifiers.values())
    nominal = [column for column in columns if isinstance(column, NominalColumn)]
    caution = (
        "It guarantees nothing: measure the risk with attack before releasing anything (Rodriguez-Garcia 2016, 3.2). "
        "SRL underestimates it: an intruder who knows the method links more records, or recovers values."
    )
    mixed = len(nominal) < len(columns)
    if mixed and stream:
        others = [column.name for column in columns if column not in nominal]
        raise MaskingError(
            f"Only noise masks a stream, and noise masks nominal columns only. Leave out {join_some(others)}.",
            column=others[0],
        )
    if mixed or (keep in ("distribution", "frequencies") and not stream):
        why = (
            "Noise masks nominal columns only; swapping also masks numbers and categories."
            if mixed
            else "Swapping keeps every column's values and their frequencies exactly (Rodriguez-Garcia 2019, 3.3)."
        )
        return Advice(
            RankSwapping(k, algorithm=3),
            (why, "The third of the three algorithms keeps the correlation best (Rodriguez-Garcia 2019, 4.2)."),
            (caution, "If most values occur more than k times, little is changed: look at the shares unchanged."),
            measured=False,
        )
    if len(columns) == 1:
        reason = f"For one column, noise around its mean keeps the mean best ({_NOISE})."
        return Advice(UncorrelatedNoise(alpha), (reason,), (caution,), measured=False)
    if keep != "correlation":
        if keep != "mean":
            caution += f" No publication measured which noise keeps the {keep} best: use compare."
        reason = f"For several columns, correlated noise with the mean as reference keeps the means best ({_NOISE})."
        return Advice(CorrelatedNoise(alpha, reference="mean"), (reason,), (caution,), measured=False)
    if len(columns) == 2 and nominal[0].domain.ids == nominal[1].domain.ids:
        reason = f"For two columns of one taxonomy, the pair as reference keeps their correlation best ({_NOISE})."
        return Advice(CorrelatedNoise(alpha, reference="pair"), (reason,), (caution,), measured=False)
    if any(isinstance(column.distance, WuPalmer) and column.distance.root_depth == 0 for column in nominal):
        reason = (
            f"The root as reference would keep the correlation best ({_NOISE}), but with root_depth=0 all concepts are "
            f"equally far from it."
        )
        return Advice(CorrelatedNoise(alpha, reference="mean"), (reason,), (caution,), measured=False)
    what = "two columns of different taxonomies" if len(columns) == 2 else "more than two columns"
    reason = f"For {what}, the root as reference keeps the correlation best ({_NOISE})."
    return Advice(CorrelatedNoise(alpha, reference="root"), (reason,), (caution,), measured=False)


def _anonymous(data: Microdata, keep: Keep, k: int, weight: float) -> Advice:
    """Recoding, microaggregation or resampling, as in Martínez 2012, 9.2.3."""
    if len(data.table) > _TOO_MANY_TUPLES:
        reason = "Resampling is the fastest; choose it if the others take too long (Martínez 2012, 9.2.3)."
        return Advice(Resampling(k), (reason,), (_LOSES_MOST,), measured=False)
    if keep in ("distribution", "frequencies"):
        reason = (
            "Recoding releases only combinations that occur, so it keeps their distribution best (Martínez 2012, "
            "Fig. 38)."
        )
        return Advice(Recoding(k), (reason,), (), measured=False)
    if keep == "balance":
        return _balanced(k, weight)
    reason = "Microaggregation keeps the meaning of records best (Martínez 2012, Fig. 38)."
    cautions = [
        "Among the k-anonymous methods, semantic record linkage links most of its records (Martínez 2012, Fig. 39)."
    ]
    if keep != "meaning":
        cautions.append(f"No publication measured which k-anonymous method keeps the {keep} best: use compare.")
    return Advice(Microaggregation(k), (reason,), tuple(cautions), measured=False)


def _balanced(k: int, weight: float) -> Advice:
    """The best balance of loss and risk, as in Martínez 2012, Fig. 40 (equal weights) and Fig. 41."""
    if weight == 0:
        reason = "If the loss does not count, resampling has the least linkage (Martínez 2012, Fig. 41)."
        return Advice(Resampling(k), (reason,), (_LOSES_MOST,), measured=False)
    if weight == 0.5:
        method: Method = Recoding(k) if k <= 5 else Microaggregation(k)
        when, figure = ("For k ≤ 5" if k <= 5 else "For k > 5"), 40
    else:
        method = Recoding(k) if weight < 0.5 else Microaggregation(k)
        when, figure = f"If {'risk' if weight < 0.5 else 'loss'} counts more", 41
    name = type(method).__name__.lower()
    reason = f"{when}, {name} has the best balance of loss and risk (Martínez 2012, Fig. {figure})."
    return Advice(method, (reason,), (), measured=False)


def _requiring(data: Microdata, advice: Advice, k: int, require: Sequence[Requirement]) -> Advice:
    """The method that merges groups until they have what is required. All others only verify it on the output."""
    method = Microaggregation(k, require=require)
    method.check(data)
    asked = " and ".join(requirement.text for requirement in require)
    reason = f"Microaggregation merges groups until they have {asked}; other methods only verify it and may fail."
    if isinstance(advice.method, Microaggregation):
        return replace(advice, method=method, reasons=(reason, *advice.reasons))
    beside = f"Without requirements, the publications advise {advice.method}: {advice.reasons[0]}"
    return Advice(method, (reason,), (beside,), measured=False)


def _measured(
    comparison: Comparison, suited: Sequence[str], advice: Advice, keep: Keep, k: int | None, weight: float
) -> Advice:
    """The best of the suited methods by what was measured, if it reached k in all runs and failed in none.

    ``suited`` excludes methods that may reach k by chance but do not guarantee it.
    """
    import polars as pl

    if keep == "balance":
        name = f"{weight:g}·L + {1 - weight:g}·{MEASURES[comparison.risk]}"
        value = weight * pl.col("loss_percent") + (1 - weight) * pl.col(comparison.risk)
    else:
        name, value = MEASURES[_MEASURE_OF[keep]], pl.col(_MEASURE_OF[keep])
    required = " and what is required" if advice.method.require else ""
    reaching = (pl.col("k_least") >= (k or 1)) & (pl.col("failed") == 0)
    table = comparison.summary().filter(reaching & pl.col("method").is_in(suited))
    if len(table):
        table = table.with_columns(value.alias("_value")).drop_nulls("_value")
        caution = f"The comparison has no {name}. This is the advice of the publications."
    else:
        wanted = "suits" if k is None else f"guarantees k = {k:,}"
        caution = f"No method of the comparison {wanted}{required} in all runs. This is the advice of the publications."
    if not len(table):
        return replace(advice, cautions=(*advice.cautions, caution))
    best = table.sort("_value", comparison.risk).row(0, named=True)
    method = comparison.method(best["method"])
    reached = f" that reach k = {k or 1:,}{required}"
    reason = (
        f"Among the {len(table):,} methods of the comparison{reached}, it has the least {name}: {best['_value']:.3g} "
        f"(L {best['loss_percent']:.3g} %, SRL {best['srl']:.3g} %; the worst intruder links "
        f"{_percent(best['worst'])})."
    )
    same = type(method) is type(advice.method)
    cautions = advice.cautions if same else ()
    if required and not method.merges_groups:
        cautions = (*cautions, "It only verifies what is required: with another seed or on other data it may fail.")
    beside = f"The publications advise {'the same' if same else f'{advice.method} instead'}: {advice.reasons[0]}"
    # The publications do not treat requirements.
    return Advice(method, (reason, advice.reasons[0] if required else beside), cautions, measured=True)


def _percent(value: float | None) -> str:
    return "an unknown share" if value is None else f"{value:.3g} %"
