"""Does the interval k limit what an intruder finds, as Rodriguez-Garcia 2019, section 3.5, claims?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.claims import Claim, Rule, computed, grows, less, together
from experiments.framework.measurements import Figures, Make, Row, Rows, measure
from experiments.framework.pages import Experiment, by_level, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, draw, other_records, public_tables
from ontomask.figures import Figure, Line, LineChart, small_multiples
from ontomask.masking.rank_swapping import exact_matches

RECORDS = 1000
KS = (2, 5, 10, 20, 50)
# Whole tables are large.
SOME = (10, 100)
# How often every tuple occurs.
COPIES = (1, 2, 5, 10, 25)
# Numbers of records, up to all of diabetes130, and the k for all of them.
SIZES, GROWTH_K = (1_166, 5_897, 25_061, 100_244), 10
PUBLISHED, UNSWAPPED = INTERVALS = ("published interval", "interval of unswapped records")
METHODS: Mapping[str, Make] = {PUBLISHED: om.RankSwapping, UNSWAPPED: partial(om.RankSwapping, interval="unswapped")}
SECOND, THIRD = "Algorithm 2", "Algorithm 3"
INTRUDERS = {"mrl": "equal values", "srl": "nearest meaning", "linked_by_method": "knowledge of the method"}
RARE, UNCHANGED = "rare_right", "unchanged"


def run(setting: Setting) -> Iterator[Row]:
    """Random samples of both tables, tables of repeated tuples, and whole tables."""
    ks, size = setting.levels(KS), setting.size(RECORDS)
    for table, whole in public_tables(setting).items():
        sample = partial(draw, whole, size)
        # The intruder who knows the method masks the table many times, which takes long.
        yield from measure(table, sample, METHODS, ks, setting.seeds(3), attacks=True, only=list(INTRUDERS)[2:])
        yield from measure(table, sample, METHODS, ks, setting.seeds(10), only=("mrl", "srl"))
        for copies in setting.levels(COPIES):
            methods = {copied(name, copies): make for name, make in METHODS.items()}
            data = partial(repeated, whole, copies, size)
            yield from measure(table, data, methods, ks, setting.seeds(5), only=("mrl", "srl"))
        some = [k for k in setting.levels(SOME) if k < setting.size(len(whole))]
        seeds = setting.seeds(10 if table == ADULT else 3)
        records = _some_of(whole, setting.size(len(whole)))
        yield from measure(table, records, METHODS, some, seeds, only=("rmse",), more=protected)
    yield from growth(setting, table, whole)


def growth(setting: Setting, table: str, whole: om.Microdata) -> Iterator[Row]:
    """The share of values unchanged in samples of growing size; the level is the number of records."""
    for size in sorted({setting.size(min(size, len(whole))) for size in SIZES}):
        methods = {SECOND: om.RankSwapping(GROWTH_K, algorithm=2), THIRD: om.RankSwapping(GROWTH_K, algorithm=3)}
        yield from measure(table, _some_of(whole, size), methods, [size], setting.seeds(3), only=[UNCHANGED])


def _some_of(whole: om.Microdata, size: int) -> om.Microdata | Callable[[int], om.Microdata]:
    """Random records, or the table itself, which is then prepared only once."""
    return partial(draw, whole, size) if size < len(whole) else whole


def protected(data: om.Microdata, result: om.Result, _: om.Evaluation) -> Figures:
    """Percent of unchanged records, and of exact matches in groups of fewer than k that are right."""
    assert isinstance(result.method, om.RankSwapping)
    matches, right = exact_matches(data, result.data, result.method.k)
    return {
        ("records_unchanged", ""): 100 * result.details["unchanged_records"],
        (RARE, ""): 100 * right / matches if matches else 0.0,
    }


def repeated(data: om.Microdata, copies: int, size: int, seed: int) -> om.Microdata:
    """A table of the given size with equally frequent tuples, drawn at random from the distinct ones."""
    rng = np.random.default_rng(seed)
    distinct = data.frame.select(list(data.quasi_identifiers)).unique(maintain_order=True)
    wanted = min(size // copies, len(distinct))
    chosen = rng.choice(len(distinct), wanted, replace=False)
    frame = pl.concat([distinct[np.sort(chosen).tolist()]] * copies)
    return other_records(data, frame[rng.permutation(len(frame)).tolist()])


def copied(name: str, copies: int) -> str:
    """The name of a method on tables in which every tuple occurs so often."""
    return f"{name}, {copies} {'copies' if copies > 1 else 'copy'}"


def one_in_k(measures: Iterable[str], method: str, above: int = 0) -> Rule:
    """Whether the percentages of a method are at most 100/k, for k above a number."""
    # The file has six decimals.
    limit = 100 / pl.col("level") + 1e-5
    return computed(*(limit - pl.col(name) for name in measures), methods=method, where=pl.col("level") > above)


SOURCE, OURS = "Rodriguez-Garcia 2019, section 3.5", "ours, on Rodriguez-Garcia 2019, section 3.5"
REPEATED = {copied(name, copies): copies for name in INTERVALS for copies in COPIES}
CLAIMS = (
    Claim("limit-by-equal-values", "An intruder who looks for equal values finds at most 1/k of the records",
          SOURCE, one_in_k(["mrl"], PUBLISHED),
          "A value often gets a copy of itself, or finds no partner. The share found falls more slowly than 1/k.",
          glance="Rank swapping: by equal values, at most 1/k of the records are found"),
    Claim("limit-by-meaning", "… and so does an intruder who looks for the nearest meaning",
          SOURCE, one_in_k(["srl"], PUBLISHED),
          "Swapped records stay near the original in every column.", glance="… and by nearest meaning"),
    Claim("limit-by-method", "… and an intruder who knows the method",
          SOURCE, one_in_k(["linked_by_method"], PUBLISHED),
          "This intruder masks the table many times and sees what each record usually becomes.",
          glance="… and by an intruder who knows the method"),
    Claim("limit-if-unswapped", "All three find at most 1/k if every partner is drawn from k unswapped records",
          OURS, one_in_k(INTRUDERS, UNSWAPPED),
          "The partner is drawn from k, but the record itself may still be the nearest."),
    Claim("limit-if-tuples-repeat",
          "By equal values and by nearest meaning, at most 1/k are found if tuples occur 1 to 25 times, less than k",
          OURS, together(*(one_in_k(("mrl", "srl"), name, copies) for name, copies in REPEATED.items())),
          "With k copies or more, the limit would hold without swapping."),
    Claim("rare-matches", "In whole tables, at most one rare match in k is right",
          OURS, one_in_k([RARE], PUBLISHED),
          "A rare match is a released record that equals an original combination of values, shared by fewer than k "
          "released records. Where a record was not changed, its match is right.",
          "Rank swapping: in whole tables, at most one rare match in k is right"),
    Claim("rare-matches-if-unswapped", "… also if every partner is drawn from k unswapped records",
          OURS, one_in_k([RARE], UNSWAPPED),
          "Among k candidates, many repeat the value of the reference."),
    Claim("unswapped-leaves-fewer",
          "The interval of unswapped records leaves fewer records unchanged than the published one",
          OURS, less("records_unchanged", UNSWAPPED, PUBLISHED)),
    Claim("unswapped-costs-more", "… at the price of a larger RMSE", OURS, less("rmse", PUBLISHED, UNSWAPPED)),
    Claim("larger-tables-stay-unchanged", f"In a larger table, the same k (= {GROWTH_K}) leaves more values unchanged",
          OURS, grows(computed(pl.col(UNCHANGED), methods=(SECOND, THIRD))),
          "The k nearest are closer, and soon they are copies. Choose k by the shares unchanged."),
)  # fmt: skip


def figure(found: Rows) -> Figure:
    """What three intruders find, by k, beside the claimed limit."""
    drawn: list[tuple[str, list[Line]]] = []
    for table in found.tables:
        for name in INTERVALS:
            ks = found.levels(table, copied(name, 1))
            lines = [
                found.line(title, measured, name, table, levels=ks, style=style)
                for style, (measured, title) in enumerate(INTRUDERS.items())
            ]
            lines.append(Line("1/k, claimed limit", ks, [100 / k for k in ks], style=len(lines)))
            drawn.append((f"{table}, {name}", lines))
    # In few records nothing may be found.
    log_y = all(value > 0 for _, lines in drawn for line in lines for value in (*line.y, *(line.low or ())))
    charts = [
        LineChart(
            lines, title=title, x_title="k", y_title="records found (%)", log_x=True, log_y=log_y, width=330, height=180
        )
        for title, lines in drawn
    ]
    return small_multiples(charts, columns=2, title="What rank swapping claims, and what it achieves", same_scale=True)


def answer(found: Rows) -> str:
    """The answer with its figures."""
    at = partial(found.mean, level=50, table=DIABETES)
    equal, nearest, knows = (at(name, PUBLISHED) for name in INTRUDERS)
    rare = found.mean(RARE, PUBLISHED, 100, DIABETES)
    few, many = (100 * found.mean(UNCHANGED, SECOND, size, DIABETES, "A") for size in (SIZES[0], SIZES[-1]))
    return (
        "No. On 1,000 random records of diabetes130, swapped with k = 50 (limit: 2 %), equal values find "
        f"{equal:.1f} % of the records, the nearest meaning {nearest:.1f} %, and an intruder who knows the method "
        f"{knows:.1f} %. If every partner is drawn from k unswapped records, the nearest meaning still finds "
        f"{at('srl', UNSWAPPED):.1f} %. Random samples of Adult keep the limit, because their tuples repeat. Of the "
        f"rare matches in all of diabetes130, {rare:.0f} % are right at k = 100, where the claim is 1 %. And the "
        f"larger the table, the less k = {GROWTH_K} changes: Algorithm 2 leaves {few:.0f} % of diag_1 unchanged in "
        f"{SIZES[0]:,} records, and {many:.0f} % in {SIZES[-1]:,}. So rank swapping gives no guarantee here: measure "
        "the risk of each release."
    )


def folded(found: Rows) -> dict[str, str]:
    """Tables to unfold."""
    samples = {f"Records found by {title} (%)": name for name, title in INTRUDERS.items()}
    methods = [*INTERVALS, *REPEATED]
    shown = {title: by_level(found.where(measures=name), name, methods=methods) for title, name in samples.items()}
    whole = {
        "RMSE of A": ("rmse", "A", 3), "records unchanged (%)": ("records_unchanged", "", 1),
        "rare matches that are right (%)": (RARE, "", 1),
    }  # fmt: skip
    lines = [
        [table, method, f"{k:g}", *(found.text(name, method, k, table, column, digits=d) for name, column, d in
                                    whole.values())]
        for table in found.tables for method in INTERVALS for k in SOME
    ]  # fmt: skip
    grown = [
        [f"{size:,.0f}", *(found.text(UNCHANGED, name, size, found.tables[-1], column, digits=3)
                           for name in (SECOND, THIRD) for column in "AB")]
        for size in found.levels(found.tables[-1], SECOND)
    ]  # fmt: skip
    heads = [f"{name}, {column}" for name in (SECOND, THIRD) for column in "AB"]
    return shown | {
        "Whole tables": markdown(["table", "method", "k", *whole], lines, left=2),
        f"Share of values unchanged at k = {GROWTH_K}": markdown(["records", *heads], grown, left=0),
    }


EXPERIMENT = Experiment(
    title="Swapping intervals",
    question="Does rank swapping with k keep an intruder from finding more than 1/k of the records?",
    measure=run,
    figure=figure,
    caption=(
        "Records found in 1,000 random records, swapped by Algorithm 3, by three intruders, beside the limit 1/k "
        "claimed in Rodriguez-Garcia 2019, section 3.5; mean, smallest and largest seed, on logarithmic scales. Less "
        "is better."
    ),
    answer=answer,
    setup=(
        "Rodriguez-Garcia 2019, section 3.5, claims that the probability of inferring the original values is at most "
        "1/k, since swapped values are at most k ranks apart. It gives no proof and names no attack. The three "
        "intruders know the values of a record. One looks for equal values (MRL), one for the nearest in meaning "
        "(SRL), one knows the method as well and takes the best guess (`linked_by_method`). *Published interval*: the "
        "k nearest records, swapped or not. *Interval of unswapped records*: the k nearest that are still unswapped, "
        "so that each partner is drawn from k; the last ones are shuffled. Random samples have 1,000 records, another "
        "sample for each of 10 seeds (3 for the intruder who knows the method, who masks the table up to 300 times). "
        "Tables of repeated tuples have 1,000 records too, or as many as there are tuples, 5 seeds. Whole tables: 10 "
        "seeds on Adult, 3 on diabetes130. Growing tables: random samples of diabetes130, 3 seeds. The distance is "
        "Wu–Palmer inside the domain. [Semantic rank swapping](rank_swapping.md) describes the algorithms."
    ),
    claims=CLAIMS,
    tables=folded,
)
