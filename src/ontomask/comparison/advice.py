"""Which method? From what the user needs, by what the papers found, and by what was measured on these data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from ontomask.comparison.results import MEASURES, Comparison, method_names
from ontomask.distance import WuPalmer
from ontomask.errors import MaskingError
from ontomask.kinds import nominal_columns
from ontomask.masking import (
    CorrelatedNoise,
    Method,
    Microaggregation,
    RankSwapping,
    Recoding,
    Resampling,
    UncorrelatedNoise,
)
from ontomask.masking.anonymous import KAnonymous
from ontomask.masking.base import Requirement
from ontomask.masking.noise import SemanticNoise
from ontomask.masking.whole_rows import kept_column_notes
from ontomask.microdata import Microdata

__all__ = ["Advice", "Keep", "advise"]

Keep = Literal["meaning", "mean", "correlation", "distribution", "frequencies", "balance"]

# From so many distinct tuples on, methods that compare tuples with each other take hours.
_TOO_MANY_TUPLES = 1_000_000

# What is least where this is kept best.
_MEASURE_OF = {
    "meaning": "loss_percent",
    "mean": "mean_shift",
    "correlation": "sdcor_difference",
    "distribution": "kl_divergence",
    "frequencies": "sdvar_difference",  # R 4.1: the features of single columns
}


@dataclass(frozen=True)
class Advice:
    """A recommendation.

    Attributes
    ----------
    method
        What to use.
    reasons
        Why, each with its source.
    cautions
        What to know before using it.
    measured
        Whether it was measured on these data, or follows from what the papers found on theirs.
    """

    method: Method
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]
    measured: bool

    def __str__(self) -> str:
        basis = "measured on these data" if self.measured else "by the papers, not measured on these data"
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
        The table: its columns and its size decide, too.
    guarantee
        Whether k-anonymity must be guaranteed.
    keep
        What the released data are for: the ``meaning`` of the records, the ``mean``, the ``correlation`` between
        columns, the ``distribution`` of whole records, the ``frequencies`` of each column's values, or a ``balance``
        of loss and risk.
    k
        The least size of groups, or of the interval that values are swapped in.
    alpha
        The level of noise.
    stream
        Whether records come one at a time.
    weight
        In a ``balance``, how much the loss counts against the risk (T eq. 6.5): what the worst intruder links, where
        that was measured.
    require
        What the output must have besides, such as `Diversity` or `Closeness`: recommended is a method that sees to it.
    comparison
        What `compare` measured on these data: the best there is recommended, and the papers' advice said beside it. Of
        methods that failed in some run, or do not have ``require``, none is.

    Examples
    --------
    >>> import ontomask as om
    >>> from ontomask.examples import adult_data
    >>> om.advise(adult_data(), guarantee=False, keep="correlation", alpha=0.3).method
    CorrelatedNoise(alpha=0.3, reference='root')
    """
    if keep not in get_args(Keep):
        raise MaskingError(f"The 'keep' of advise must be one of {', '.join(get_args(Keep))}. Got {keep!r} instead.")
    if not 0 <= weight <= 1:
        raise MaskingError(f"The 'weight' of the loss must lie between 0 and 1. Got {weight!r} instead.")
    if (guarantee or require) and stream:
        what = "k-anonymity" if guarantee else "What is required of groups"
        raise MaskingError(
            f"{what} cannot be guaranteed record by record: whoever comes next is not known yet. Collect the records "
            f"and mask them together, or take noise, which guarantees nothing: guarantee=False and no require."
        )
    advice = _anonymous(data, keep, k, weight) if guarantee else _perturbing(data, keep, k, alpha, stream=stream)
    if require:
        advice = _requiring(data, advice, k, require)
    # What is recommended must be able to mask these data, k of them for instance.
    advice.method.check(data)
    if comparison is not None:
        fit = KAnonymous if guarantee else SemanticNoise if stream else Method
        advice = _measured(comparison, advice, keep, k if guarantee else 1, weight, fit)
    return replace(advice, cautions=(*advice.cautions, *kept_column_notes(data)))


def _perturbing(data: Microdata, keep: Keep, k: int, alpha: float, *, stream: bool) -> Advice:
    """Noise as N's Table 9 has it, or swapping where that keeps more."""
    columns = list(data.quasi_identifiers.values())
    nominal = nominal_columns(columns)
    caution = (
        "It guarantees nothing: measure the risk with attack before releasing anything (C 3.2). SRL is not cautious "
        "here: who knows the method links more, or reads values back."
    )
    mixed = len(nominal) < len(columns)
    if mixed and stream:
        raise MaskingError("only noise masks a stream, and noise masks nominal columns only. Leave the others out.")
    if mixed or (keep in ("distribution", "frequencies") and not stream):
        why = (
            "Noise masks nominal columns only; swapping masks numbers and categories, too."
            if mixed
            else "Swapping leaves every column's values and their frequencies exactly as they were (R 3.3)."
        )
        return Advice(
            RankSwapping(k, algorithm=3),
            (why, "Of the three algorithms the third keeps the correlation best (R 4.2)."),
            (caution, "Where most values repeat more than k times, little is changed: look at the shares unchanged."),
            measured=False,
        )
    if len(columns) == 1:
        reason = "One column: noise around its mean keeps the mean best (N Table 9)."
        return Advice(UncorrelatedNoise(alpha), (reason,), (caution,), measured=False)
    if keep != "correlation":
        if keep != "mean":
            caution += f" No paper measured which noise keeps the {keep} best: use compare."
        reason = "Several columns: correlated noise with the mean as reference keeps the means best (N Table 9)."
        return Advice(CorrelatedNoise(alpha, reference="mean"), (reason,), (caution,), measured=False)
    if len(columns) == 2 and nominal[0].domain.ids == nominal[1].domain.ids:
        reason = "Two columns of one taxonomy: the paired value as reference keeps their correlation best (N Table 9)."
        return Advice(CorrelatedNoise(alpha, reference="pair"), (reason,), (caution,), measured=False)
    if any(isinstance(column.distance, WuPalmer) and column.distance.root_depth == 0 for column in nominal):
        reason = "The root would keep the correlation best (N Table 9); with root_depth=0 all lie equally far from it."
        return Advice(CorrelatedNoise(alpha, reference="mean"), (reason,), (caution,), measured=False)
    what = "Two columns of different taxonomies" if len(columns) == 2 else "More than two columns"
    reason = f"{what}: the root as reference keeps the correlation best (N Table 9)."
    return Advice(CorrelatedNoise(alpha, reference="root"), (reason,), (caution,), measured=False)


def _anonymous(data: Microdata, keep: Keep, k: int, weight: float) -> Advice:
    """Recoding, microaggregation or resampling, as T 9.2.3 has it."""
    if len(data.table) > _TOO_MANY_TUPLES:
        reason = "Resampling is the fastest: the choice where the others take too long (T 9.2.3)."
        caution = "It loses most of meaning and of distribution."
        return Advice(Resampling(k), (reason,), (caution,), measured=False)
    if keep in ("distribution", "frequencies"):
        reason = "Recoding releases only combinations that occur: it keeps their distribution best (T 9.2.3, Fig. 38)."
        return Advice(Recoding(k), (reason,), (), measured=False)
    if keep == "balance":
        return _balanced(k, weight)
    reasons = ["Microaggregation keeps the meaning of records best (T 9.2.3, Fig. 38)."]
    cautions = ["Of the k-anonymous methods it leaves the most to semantic record linkage (T Fig. 39)."]
    if keep != "meaning":
        cautions.append(f"No paper measured which k-anonymous method keeps the {keep} best: use compare.")
    return Advice(Microaggregation(k), tuple(reasons), tuple(cautions), measured=False)


def _balanced(k: int, weight: float) -> Advice:
    if weight == 0:
        reason = "Where the loss does not count at all, resampling leaves the least to link (T Fig. 41)."
        return Advice(Resampling(k), (reason,), ("It loses most of meaning and of distribution.",), measured=False)
    if weight < 0.5:
        reason = "Where risk counts more than loss, recoding has the best balance (T Fig. 41)."
        return Advice(Recoding(k), (reason,), (), measured=False)
    if weight > 0.5:
        reason = "Where loss counts more than risk, microaggregation has the best balance (T Fig. 41)."
        return Advice(Microaggregation(k), (reason,), (), measured=False)
    if k <= 5:
        return Advice(Recoding(k), ("For k ≤ 5 recoding has the best balance (T Fig. 40).",), (), measured=False)
    return Advice(
        Microaggregation(k), ("For k > 5 microaggregation has the best balance (T Fig. 40).",), (), measured=False
    )


def _requiring(data: Microdata, advice: Advice, k: int, require: Sequence[Requirement]) -> Advice:
    """The method that merges groups until they have what is required; all others only check it on the output."""
    method = Microaggregation(k, require=require)
    method.check(data)
    asked = " and ".join(requirement.text for requirement in require)
    reason = f"Microaggregation merges groups until they have {asked}; other methods only check it and may fail."
    if isinstance(advice.method, Microaggregation):
        return replace(advice, method=method, reasons=(reason, *advice.reasons))
    beside = f"If nothing were required, the papers would advise {advice.method}: {advice.reasons[0]}"
    return Advice(method, (reason,), (beside,), measured=False)


def _percent(value: float | None) -> str:
    return "an unknown share" if value is None else f"{value:.3g} %"


def _measured(comparison: Comparison, advice: Advice, keep: Keep, k: int, weight: float, fit: type[Method]) -> Advice:
    """The best of what was measured, among the fitting methods that reach k and failed in no run.

    A k that a method reached by chance is none that it guarantees: only those of the right kind are looked at, and only
    those that have what is required.
    """
    import polars as pl

    if keep == "balance":
        name = f"{weight:g}·L + {1 - weight:g}·{MEASURES[comparison.risk]}"
        value = weight * pl.col("loss_percent") + (1 - weight) * pl.col(comparison.risk)
    else:
        name, value = MEASURES[_MEASURE_OF[keep]], pl.col(_MEASURE_OF[keep])
    require = advice.method.require
    fitting = [
        name
        for name, method in zip(method_names(comparison.methods), comparison.methods, strict=True)
        if isinstance(method, fit) and all(asked in method.require for asked in require)
    ]
    reaching = (pl.col("k_least") >= k) & (pl.col("failed") == 0)
    table = comparison.summary().filter(reaching & pl.col("method").is_in(fitting))
    what = f"k-anonymous method that was compared reaches k = {k:,}" if fit is KAnonymous else "method compared fits"
    what += " with what is required, in all runs" if require else " in all runs"
    caution = f"No {what}: this is the papers' advice."
    if len(table):
        table = table.with_columns(value.alias("_value")).drop_nulls("_value")
        caution = f"The comparison has no {name}: this is the papers' advice."
    if not len(table):
        return Advice(advice.method, advice.reasons, (*advice.cautions, caution), measured=False)
    best = table.sort("_value", comparison.risk).row(0, named=True)
    method = comparison.method(best["method"])
    besides = " with what is required" if require else ""
    reasons = [
        f"Of {len(table):,} methods compared on these data that reach k = {k:,}{besides}, it has the least {name}: "
        f"{best['_value']:.3g} (L {best['loss_percent']:.3g} %, SRL {best['srl']:.3g} %; the worst intruder links "
        f"{_percent(best['worst'])})."
    ]
    same = type(method) is type(advice.method)
    cautions = advice.cautions if same else ()
    if require and not method.merges_groups:
        cautions = (*cautions, "It only checks what is required: with another seed or on other data it may fail.")
    papers = f"The papers advise {'the same' if same else f'{advice.method} instead'}: {advice.reasons[0]}"
    # What is required was none of the papers' questions.
    reasons.append(advice.reasons[0] if require else papers)
    return Advice(method, tuple(reasons), cautions, measured=True)
