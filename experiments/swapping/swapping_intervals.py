"""Does the interval k limit what an intruder finds, as Rodriguez-Garcia 2019, section 3.5, claims?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.claims import Rule, at_once, computed, grows, less, together
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


REPEATED = {copied(name, copies): copies for name, copies in product(INTERVALS, COPIES)}
RULES = {
    "limit-by-equal-values": one_in_k(["mrl"], PUBLISHED),
    "limit-by-meaning": one_in_k(["srl"], PUBLISHED),
    "limit-by-method": one_in_k(["linked_by_method"], PUBLISHED),
    "limit-if-unswapped": at_once(*(one_in_k([name], UNSWAPPED) for name in INTRUDERS)),
    "limit-if-tuples-repeat": together(*(one_in_k(("mrl", "srl"), name, copies) for name, copies in REPEATED.items())),
    "rare-matches": one_in_k([RARE], PUBLISHED),
    "rare-matches-if-unswapped": one_in_k([RARE], UNSWAPPED),
    "unswapped-leaves-fewer": less("records_unchanged", UNSWAPPED, PUBLISHED),
    "unswapped-costs-more": less("rmse", PUBLISHED, UNSWAPPED),
    "larger-tables-stay-unchanged": grows(computed(pl.col(UNCHANGED), methods=(SECOND, THIRD))),
}


def figure(found: Rows) -> Figure:
    """What three intruders find, by k, beside the claimed limit."""
    shape: dict[str, Any] = {"x_title": "k", "y_title": "records found (%)", "width": 330, "height": 180, "log_x": True}
    # In few records nothing may be found.
    shape["log_y"] = bool((found.where(measures=INTRUDERS, methods=INTERVALS).frame["value"] > 0).all())
    charts = []
    for table, name in product(found.tables, INTERVALS):
        ks = found.levels(table, copied(name, 1))
        lines = [
            found.line(title, measured, name, table, levels=ks, style=style)
            for style, (measured, title) in enumerate(INTRUDERS.items())
        ]
        lines.append(Line("1/k, claimed limit", ks, [100 / k for k in ks], style=len(lines)))
        charts.append(LineChart(lines, title=f"{table}, {name}", **shape))
    return small_multiples(charts, columns=2, title="What rank swapping claims, and what it achieves", same_scale=True)


def facts(found: Rows) -> dict[str, float]:
    """The figures of the answer."""
    at = partial(found.mean, level=50, table=DIABETES)
    return {
        **{name: at(name, PUBLISHED) for name in INTRUDERS},
        "nearest_if_unswapped": at("srl", UNSWAPPED),
        "rare": found.mean(RARE, PUBLISHED, 100, DIABETES),
        "few": 100 * found.mean(UNCHANGED, SECOND, SIZES[0], DIABETES, "A"),
        "many": 100 * found.mean(UNCHANGED, SECOND, SIZES[-1], DIABETES, "A"),
    }


def tables(found: Rows) -> dict[str, str]:
    """What each intruder finds, what happens in whole tables, and in growing ones."""
    methods = [*INTERVALS, *REPEATED]
    samples = {
        f"Records found by {title} (%)": by_level(found.where(measures=name), name, methods=methods)
        for name, title in INTRUDERS.items()
    }
    # The measure, its columns and digits.
    shown = {
        "RMSE of A": ("rmse", "A", 3),
        "records unchanged (%)": ("records_unchanged", "", 1),
        "rare matches that are right (%)": (RARE, "", 1),
    }
    whole = [
        [
            table,
            method,
            f"{k}",
            *(found.text(of, method, k, table, column, digits=n) for of, column, n in shown.values()),
        ]
        for table, method, k in product(found.tables, INTERVALS, SOME)
    ]
    largest, pairs = found.tables[-1], list(product((SECOND, THIRD), "AB"))
    grown = [
        [f"{size:,.0f}", *(found.text(UNCHANGED, name, size, largest, column, digits=3) for name, column in pairs)]
        for size in found.levels(largest, SECOND)
    ]
    heads = [f"{name}, {column}" for name, column in pairs]
    return samples | {
        "Whole tables": markdown(["table", "method", "k", *shown], whole, left=2),
        f"Share of values unchanged at k = {GROWTH_K}": markdown(["records", *heads], grown, left=0),
    }


EXPERIMENT = Experiment(
    __file__,
    run,
    figure,
    facts,
    RULES,
    tables,
    {"records": RECORDS, "growth_k": GROWTH_K, "smallest": SIZES[0], "largest": SIZES[-1]},
)
