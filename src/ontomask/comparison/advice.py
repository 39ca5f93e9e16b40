"""Advice on the method: from the user's needs, published results, our benchmarks, and measurements on the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from ontomask.base.notes import Note
from ontomask.comparison.results import MEASURES, Comparison, method_names
from ontomask.distance import WuPalmer
from ontomask.errors import MaskingError, Setting
from ontomask.kinds import nominal_columns
from ontomask.masking import Method, Requirement
from ontomask.masking.generalisation import Generalisation
from ontomask.masking.metric_privacy import MetricPrivacy
from ontomask.masking.microaggregation import Microaggregation
from ontomask.masking.noise import CorrelatedNoise, UncorrelatedNoise
from ontomask.masking.rank_swapping import RankSwapping
from ontomask.masking.recoding import Recoding
from ontomask.masking.resampling import Resampling
from ontomask.masking.whole_rows import kept_column_notes
from ontomask.microdata import Microdata

__all__ = ["Advice", "Keep", "advise"]

Keep = Literal["meaning", "truth", "mean", "correlation", "distribution", "frequencies", "balance"]

# With more distinct tuples, methods that compare tuples with each other take hours.
_TOO_MANY_TUPLES = 1_000_000

_NOISE = "Rodriguez-Garcia 2017, Table 9"
_EARLIER = "The advice follows earlier results."
_PREFER = Note.of(
    "prefer-less-risk",
    "With {balance} or {risk}, microaggregation links fewer records and loses more ({source}). Compare them.",
    balance=Setting("method", "prefer", values=["balance"]),
    risk=Setting("method", "prefer", values=["risk"]),
    source="benchmarks/results/prefer.md",
)
_LOSES_MOST = Note.of("loses-most", "It loses most of the meaning and of the distribution.")
_NO_GUARANTEE = Note.of(
    "no-guarantee",
    "It guarantees nothing: measure the risk with attack before releasing anything (Rodriguez-Garcia 2016, 3.2). SRL "
    "underestimates it: an intruder who knows the method links more records, or recovers values.",
)

_COSTS_MUCH = Note.of(
    "costs-much",
    "It costs much: in domains of thousands of concepts, values moved about as far as random ones for ε up to 4 "
    "({source}). Use few columns, small domains and many records.",
    source="docs/experiments/metric_privacy.md",
)

_ROOT_DOUBTED = Note.of(
    "root-doubted",
    "Over ICD-9-CM, which is five levels deep, the mean as reference kept the correlation of diagnoses better than the "
    "root; over the deeper MONDO it did not ({source}). Use compare.",
    source="docs/experiments/noise_framework.md",
)

# The measure that is least for the method that keeps this best.
_MEASURE_OF = {
    "meaning": "loss_percent",
    "truth": "loss_percent",
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
        Whether it was measured on these data. Otherwise the advice follows earlier results, which ``reasons`` name.
    """

    method: Method
    reasons: tuple[Note, ...]
    cautions: tuple[Note, ...]
    measured: bool

    def __str__(self) -> str:
        basis = "measured on these data" if self.measured else "by earlier results, not measured on these data"
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
        Whether the method must guarantee something: k-anonymity or, for a stream, metric privacy.
    keep
        What the released data must keep: the ``meaning`` of the records, the ``truth`` of every cell (values may become
        less precise, but never false), the ``mean``, the ``correlation`` between columns, the ``distribution`` of whole
        records, the ``frequencies`` of each column's values, or a ``balance`` of loss and risk.
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
        The results of `compare` on these data. The best method among them is recommended, beside the advice that
        earlier results give. Methods that failed in some run, or do not have ``require``, are not recommended.

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
    if require and stream:
        raise MaskingError(
            "No method can guarantee a requirement on groups record by record, because the next records are not known. "
            "Collect the records and mask them together, or require nothing.",
            parameter="stream",
        )
    if keep == "truth" and stream:
        raise MaskingError(
            "No method masks a stream and keeps every cell true: noise and metric privacy replace values. Collect the "
            "records and mask them together.",
            parameter="keep",
        )
    if keep == "truth":
        advice = _truthful(k)
    elif guarantee and stream:
        advice = _private_stream()
    else:
        advice = _anonymous(data, keep, k, weight) if guarantee else _perturbing(data, keep, k, alpha, stream=stream)
    if require:
        advice = _requiring(data, advice, k, require)
    # Refuse now what the recommended method would refuse, such as fewer than k records.
    advice.method.check(data)
    if comparison is not None:
        suited = [
            name
            for name, method in zip(method_names(comparison.methods), comparison.methods, strict=True)
            if (not guarantee or ("metric privacy" if stream else "k-anonymity") in method.about.guarantees)
            and (not stream or method.about.streams)
            and (keep != "truth" or method.is_truthful)
            and not (guarantee and isinstance(method, MetricPrivacy) and method.unsafe_seed)
            and all(asked in method.require for asked in advice.method.require)
        ]
        advice = _measured(comparison, suited, advice, keep, k if guarantee and not stream else None, weight)
    return replace(advice, cautions=(*advice.cautions, *kept_column_notes(data)))


def _unmeasured(method: Method, reasons: Sequence[Note], cautions: Sequence[Note] = ()) -> Advice:
    return Advice(method, tuple(reasons), tuple(cautions), measured=False)


def _perturbing(data: Microdata, keep: Keep, k: int, alpha: float, *, stream: bool) -> Advice:
    """Noise, or swapping where that keeps more."""
    columns = list(data.quasi_identifiers.values())
    nominal = nominal_columns(columns)
    cautions = [_NO_GUARANTEE]
    if len(nominal) < len(columns):
        if stream:
            text = "Noise masks nominal columns only; metric privacy also masks a stream of numbers and categories."
            return _unmeasured(MetricPrivacy(), [Note.of("noise-is-nominal", text)], [_COSTS_MUCH])
        text = "Noise masks nominal columns only; swapping also masks numbers and categories."
        return _swapping(k, Note.of("noise-is-nominal", text))
    if keep in ("distribution", "frequencies") and not stream:
        text = "Swapping keeps every column's values and their frequencies exactly ({source})."
        return _swapping(k, Note.of("swapping-keeps-frequencies", text, source="Rodriguez-Garcia 2019, 3.3"))
    if len(columns) == 1:
        text = "For one column, noise around its mean keeps the mean best ({source})."
        return _unmeasured(UncorrelatedNoise(alpha), [Note.of("mean-one-column", text, source=_NOISE)], cautions)
    if keep != "correlation":
        if keep != "mean":
            text = "No publication measured which noise keeps the {keep} best: use compare."
            cautions.append(Note.of("not-published", text, keep=keep))
        text = "For several columns, correlated noise with the mean as reference keeps the means best ({source})."
        reason = Note.of("mean-several-columns", text, source=_NOISE)
        return _unmeasured(CorrelatedNoise(alpha, reference="mean"), [reason], cautions)
    if len(columns) == 2 and nominal[0].domain.ids == nominal[1].domain.ids:
        text = "For two columns of one taxonomy, the pair as reference keeps their correlation best ({source})."
        reason = Note.of("correlation-pair", text, source=_NOISE)
        return _unmeasured(CorrelatedNoise(alpha, reference="pair"), [reason], cautions)
    if any(isinstance(column.distance, WuPalmer) and column.distance.root_depth == 0 for column in nominal):
        text = (
            "The root as reference would keep the correlation best ({source}), but with root_depth=0 all concepts are "
            "equally far from it."
        )
        reason = Note.of("correlation-no-root", text, source=_NOISE)
        return _unmeasured(CorrelatedNoise(alpha, reference="mean"), [reason], cautions)
    text = "For several taxonomies or many columns, the root as reference keeps the correlation best ({source})."
    reason = Note.of("correlation-root", text, source=_NOISE)
    return _unmeasured(CorrelatedNoise(alpha, reference="root"), [reason], [*cautions, _ROOT_DOUBTED])


def _private_stream() -> Advice:
    """Metric privacy, the only guarantee that a record can have without the records after it."""
    text = "It masks every record by itself, and its guarantee holds whatever an intruder knows ({source})."
    caution = (
        "It is not k-anonymity, which no method can guarantee record by record, because the next records are not "
        "known. If you need it, collect the records and mask them together."
    )
    reason = Note.of("private-stream", text, source="Chatzikokolakis 2013")
    return _unmeasured(MetricPrivacy(), [reason], [Note.of("not-k-anonymity", caution), _COSTS_MUCH])


def _swapping(k: int, why: Note) -> Advice:
    text = "The third of the three algorithms keeps the correlation best ({source})."
    reasons = [why, Note.of("third-algorithm", text, source="Rodriguez-Garcia 2019, 4.2")]
    text = "If most values occur more than k times, little is changed: look at the shares unchanged."
    return _unmeasured(RankSwapping(k, algorithm=3), reasons, [_NO_GUARANTEE, Note.of("little-changed", text)])


def _anonymous(data: Microdata, keep: Keep, k: int, weight: float) -> Advice:
    """Recoding, microaggregation or resampling."""
    if len(data.table) > _TOO_MANY_TUPLES:
        text = "Resampling is the fastest; choose it if the others take too long ({source})."
        return _unmeasured(Resampling(k), [Note.of("fastest", text, source="Martínez 2012, 9.2.3")], [_LOSES_MOST])
    if keep in ("distribution", "frequencies"):
        text = "Recoding releases only combinations that occur, so it keeps their distribution best ({source})."
        return _unmeasured(Recoding(k), [Note.of("keeps-distribution", text, source="Martínez 2012, Fig. 38")])
    if keep == "balance":
        return _balanced(k, weight)
    text = "Of all methods that guarantee k, its records are linked most often by their meaning ({source})."
    cautions = [Note.of("most-linked", text, source="Martínez 2012, Fig. 39"), _PREFER]
    if keep != "meaning":
        text = "No publication measured which k-anonymous method keeps the {keep} best: use compare."
        cautions.append(Note.of("not-published", text, keep=keep))
    text = "Microaggregation keeps the meaning of records best ({source})."
    reason = Note.of("keeps-meaning", text, source="Martínez 2012, Fig. 38")
    return _unmeasured(Microaggregation(k), [reason], cautions)


def _truthful(k: int) -> Advice:
    """Local generalisation by cost."""
    text = (
        "Every released cell is true. At equal k it lost less than whole columns on one level, suppressed cells and "
        "ARX's local recoding ({source})."
    )
    source = "benchmarks/results/local_generalisation.md and levels_and_cells.md"
    caution = "Precise true values are easy to link: measure the risk with attack."
    return _unmeasured(
        Generalisation(k), [Note.of("keeps-truth", text, source=source)], [Note.of("truth-is-linked", caution)]
    )


def _balanced(k: int, weight: float) -> Advice:
    """The best balance of loss and risk: for equal weights Fig. 40 of the thesis, for others Fig. 41."""
    if weight == 0:
        text = "If the loss does not count, resampling has the least linkage ({source})."
        reason = Note.of("least-linkage", text, source="Martínez 2012, Fig. 41")
        return _unmeasured(Resampling(k), [reason], [_LOSES_MOST])
    if weight == 0.5:
        method: Method = Recoding(k) if k <= 5 else Microaggregation(k)
        when, source = ("For k ≤ 5" if k <= 5 else "For k > 5"), "Martínez 2012, Fig. 40"
    else:
        method = Recoding(k) if weight < 0.5 else Microaggregation(k)
        when, source = f"If {'risk' if weight < 0.5 else 'loss'} counts more", "Martínez 2012, Fig. 41"
    text = "{when}, {family} has the best balance of loss and risk ({source})."
    facts = {"when": when, "family": type(method).__name__, "source": source}
    return _unmeasured(method, [Note.of("best-balance", text, **facts)], [_PREFER])


def _requiring(data: Microdata, advice: Advice, k: int, require: Sequence[Requirement]) -> Advice:
    """The method that merges groups until they meet the requirements. All others only verify it on the output."""
    keeps_truth = advice.method.is_truthful
    method = Microaggregation(k, require=require, centroid="lcs" if keeps_truth else "semantic")
    method.check(data)
    asked = " and ".join(requirement.text for requirement in require)
    text = "Microaggregation merges groups until they have {asked}; other methods only verify it and may fail."
    reason = Note.of("enforces-requirements", text, asked=asked)
    if isinstance(advice.method, Microaggregation):
        return replace(advice, method=method, reasons=(reason, *advice.reasons))
    text = "Without requirements, the advice is {method}: {reason}"
    beside = Note.of("without-requirements", text, method=repr(advice.method), reason=advice.reasons[0])
    return _unmeasured(method, [reason], [beside])


def _measured(
    comparison: Comparison, suited: Sequence[str], advice: Advice, keep: Keep, k: int | None, weight: float
) -> Advice:
    """The best suited method by measurement, if it reached k in all runs and failed in none.

    ``suited`` excludes methods that may reach k by chance but do not guarantee it.
    """
    import polars as pl

    if keep == "balance":
        name = f"{weight:g}·L + {1 - weight:g}·{MEASURES[comparison.risk]}"
        value = weight * pl.col("loss_percent") + (1 - weight) * pl.col(comparison.risk)
    else:
        name, value = MEASURES[_MEASURE_OF[keep]], pl.col(_MEASURE_OF[keep])
    require = advice.method.require
    required = " and meet the requirements" if require else ""
    reaching = (pl.col("k_least") >= (k or 1)) & (pl.col("failed") == 0)
    table = comparison.summary().filter(reaching & pl.col("method").is_in(suited))
    if len(table):
        table = table.with_columns(value.alias("_value")).drop_nulls("_value")
        caution = Note.of("measure-missing", f"The comparison has no {{measure}}. {_EARLIER}", measure=name)
    else:
        wanted = "suits" if k is None else f"guarantees k = {k:,}"
        met = " and meets the requirements" if require else ""
        text = f"No method of the comparison {wanted}{met} in all runs. {_EARLIER}"
        caution = Note.of("none-suited", text, k=k)
    if not len(table):
        return replace(advice, cautions=(*advice.cautions, caution))
    best = table.sort("_value", comparison.risk).row(0, named=True)
    method = comparison.method(best["method"])
    text = (
        f"Among the {{methods:,}} methods of the comparison that reach k = {{k:,}}{required}, it has the smallest "
        f"{{measure}}: {{value:.3g}} (L {{loss:.3g}} %, SRL {{srl:.3g}} %"
        f"{'' if best['worst'] is None else '; the worst intruder links {worst:.3g} %'})."
    )
    facts = {"methods": len(table), "k": k or 1, "measure": name, "value": best["_value"]}
    facts |= {"loss": best["loss_percent"], "srl": best["srl"], "worst": best["worst"]}
    same = type(method) is type(advice.method)
    cautions = advice.cautions if same else ()
    if require and not method.merges_groups:
        text_only = "It only verifies the requirements: with another seed or on other data it may fail."
        cautions = (*cautions, Note.of("only-verifies", text_only))
    beside = advice.reasons[0]
    if not require:  # which no earlier result is about
        other = "the same" if same else f"{advice.method!r} instead"
        text_beside = "Earlier results advise {method}: {reason}"
        beside = Note.of("earlier-results", text_beside, method=other, reason=beside)
    return Advice(method, (Note.of("least-measured", text, **facts), beside), cautions, measured=True)
