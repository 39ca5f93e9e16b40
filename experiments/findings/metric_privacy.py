"""How much does meaning buy under a guarantee? Metric privacy beside randomised response at equal ε."""

from __future__ import annotations

from functools import partial

from experiments.findings.metric_privacy_measures import (
    BLIND,
    BOUND,
    CHANCE,
    COARSE,
    COARSE_BLIND,
    COLUMNS,
    COUNTS,
    DEPTH,
    DEPTHS,
    EPSILONS,
    FLIP,
    FULL,
    LEARNT,
    METHODS,
    METRIC,
    MODE,
    ORIGINAL,
    PAIRS,
    PRAM,
    SEEDS,
    at_depth,
    run,
)
from experiments.framework.claims import OTHER, VALUE, Claim, compared, less
from experiments.framework.measurements import Rows
from experiments.framework.pages import Experiment, by_level, markdown
from experiments.framework.tables import DIABETES
from ontomask.figures import Figure, LineChart, small_multiples

OURS = "ours"
CLAIMS = (
    Claim(
        "metric-below-response",
        "The RMSE of metric privacy is lower than that of randomised response at the same ε, by 0.01 (our limit)",
        OURS,
        compared("rmse", METRIC, BLIND, OTHER - VALUE - 0.01),
        "At ε = 1 to 4, both are nearly as far from the original as random concepts, and meaning helps by less than "
        "0.01. At ε = 8, randomised response keeps many values as they are. Metric privacy spends its budget on all "
        "distances: the weights of the nearest and the farthest concept differ by e^(ε/2) = 55, and there are "
        "thousands of far ones.",
        "Metric privacy has a clearly smaller error than randomised response at equal ε",
    ),
    Claim(
        "coarse-metric-below-response",
        f"The same for concepts down to depth {DEPTH}, with permute-and-flip",
        OURS,
        compared("rmse", COARSE, COARSE_BLIND, OTHER - VALUE - 0.01),
        "The same reason; and with few candidates, randomised response keeps most values at ε = 8.",
    ),
    Claim(
        "coarse-below-all",
        "The RMSE is lower if only coarse concepts are released",
        OURS,
        less("rmse", COARSE, FLIP),
        "In ICD-9-CM, depth 2 is a section, which is near its diagnoses. In WordNet, occupations are deep, and "
        "concepts at depth 2 are far from all of them.",
    ),
    Claim(
        "flip-below-exponential",
        "Permute-and-flip has a lower RMSE than the exponential mechanism",
        OURS,
        less("rmse", FLIP, METRIC),
        "It is never worse, which is proven (McKenna and Sheldon 2020). But with thousands of candidates the expected "
        "errors differ by less than 0.001, which is less than chance.",
    ),
    Claim(
        "metric-below-pram",
        "The RMSE of metric privacy is lower than that of PRAM over the values that occur",
        OURS,
        less("rmse", METRIC, PRAM),
        "PRAM draws from the values that occur, which are far fewer. That set is not public, so the comparison is not "
        "fair. It shows what the size of the domain costs.",
        "Metric privacy has a smaller error than PRAM at equal ε",
    ),
    Claim(
        "counts-below-metric",
        "The RMSE of synthetic records is lower than that of metric privacy",
        OURS,
        less("rmse", COUNTS, METRIC),
        "Synthetic records need somebody who counts the whole table. Then frequencies are nearly exact, and frequent "
        "values are near many originals.",
    ),
    Claim(
        "correlation",
        "sdCor changes less than after randomised response",
        OURS,
        less("sdcor_change", (METRIC, COARSE), (BLIND, COARSE_BLIND)),
        "Nearly nothing is left of the dependence up to ε = 4: random concepts have a small correlation of their own, "
        "which both methods show. At ε = 8, randomised response keeps both values of some records.",
    ),
    Claim(
        "classifiers",
        "Classifiers trained on the release predict at least as well as after randomised response",
        OURS,
        less("accuracy", BLIND, METRIC, or_equal=True),
        "At a small ε, hardly anything is left to learn, and the figures differ by chance. At ε = 8, randomised "
        "response keeps enough values to learn from.",
    ),
    Claim(
        "below-bound",
        "The informed intruder stays below the bound of ε",
        OURS,
        less(("guessed", *PAIRS.values()), (METRIC, FLIP), BOUND, or_equal=True),
        "It must be so: the bound is proven.",
        "Nobody guesses more from metric privacy than ε allows",
    ),
    Claim(
        "near-chance",
        "At ε = 1, the informed intruder guesses less than 1.5 times as many values as by chance",
        OURS,
        less("guessed", (METRIC, FLIP), CHANCE, levels=EPSILONS[:1], factor=1.5),
        "One record says hardly anything about its original.",
    ),
    Claim(
        "near-pairs",
        "The two values that are nearest in meaning are harder to tell apart than after randomised response",
        OURS,
        less(PAIRS["near"], METRIC, BLIND),
        "At a large ε. Randomised response protects all pairs alike: at a small ε it keeps hardly any of thousands of "
        "values, so that nothing can be told apart, and at a large one it keeps many.",
        "Metric privacy protects near values more than randomised response",
    ),
)  # fmt: skip


def figure(rows: Rows) -> Figure:
    """RMSE by ε for each column."""
    charts = [
        LineChart(
            [rows.line(method, "rmse", method, table, letter, style=style) for style, method in enumerate(METHODS)],
            title=f"{table}, {column}",
            x_title="ε of the column",
            y_title="RMSE",
            log_x=True,
            width=390,
            height=200,
        )
        for table in rows.tables
        for letter, column in zip("AB", COLUMNS[table], strict=True)
    ]
    return small_multiples(charts, columns=2, title="What the guarantee costs", same_scale=True)


def range_of(rows: Rows, measure: str, method: str, epsilon: float) -> str:
    """The smallest and the largest mean of all columns."""
    found = sorted(rows.mean(measure, method, epsilon, table, letter) for table in rows.tables for letter in "AB")
    return f"{found[0]:.2f} to {found[-1]:.2f}"


def answer(rows: Rows) -> str:
    """The answer with its figures."""
    rmse = partial(range_of, rows, "rmse")
    near, far = (100 * rows.mean(PAIRS[pair], BOUND, 1, DIABETES, "A") for pair in ("near", "far"))
    return (
        f"Much, and meaning saves little of it. At ε = 1 the RMSE is {rmse(METRIC, 1)}, about the same as with "
        f"randomised response, which ignores meaning. At ε = 8 it is {rmse(METRIC, 8)}, against {rmse(BLIND, 8)}. "
        "There are two reasons: most concepts are about equally far apart, and only half of ε is spent on distances. "
        "Meaning does give a finer guarantee: at ε = 1 an intruder tells the two nearest diagnoses apart with at most "
        f"{near:.0f} % right guesses, the two farthest with at most {far:.0f} %. Use it only if no weaker guarantee "
        "will do, with few columns, small domains and many records. If ε is so large that randomised response keeps "
        "many values, that is the better choice."
    )


def in_terms_of_epsilon(rows: Rows) -> str:
    """Which ε gives randomised response the same expected error."""
    needed = ", ".join(range_of(rows, "needed", METRIC, epsilon) for epsilon in EPSILONS)
    near = partial(range_of, rows, PAIRS["near"], epsilon=8)
    return (
        "With metric privacy at ε = 1, 2, 4 and 8, the expected error is that of randomised response at ε = "
        f"{needed} (the range over the four columns, all concepts). So meaning saves budget at a small ε, where "
        "neither release is of much use record by record, and costs budget at a large one. At ε = 8, an intruder who "
        f"knows that a value is one of the two nearest guesses {near(method=METRIC)} right, and {near(method=BLIND)} "
        "after randomised response."
    )


def unfolded(rows: Rows) -> dict[str, str]:
    """The tables of the page."""
    show = partial(by_level, rows, symbol="ε", digits=3)
    intruders_told = (CHANCE, METRIC, FLIP, BLIND, BOUND)
    found = {"The same in terms of ε": in_terms_of_epsilon(rows)}
    for letter, column in zip("AB", zip(*(COLUMNS[table] for table in rows.tables), strict=True), strict=True):
        named = " / ".join(column)
        expected = [at_depth(method, depth) for depth in DEPTHS for method in (METRIC, FLIP, FULL, BLIND)]
        found |= {
            f"RMSE of {named}": show("rmse", columns=letter),
            f"Expected RMSE of {named} by log_sc (exact)": show("expected", methods=expected, columns=letter),
            f"The ε at which randomised response has the expected error of metric privacy, {named}": show(
                "needed", methods=[at_depth(METRIC, depth) for depth in DEPTHS], columns=letter
            ),
            f"Values guessed by an intruder who knows the method and all frequencies, {named} (exact shares)": show(
                "guessed", methods=intruders_told, columns=letter
            ),
            f"Right guesses between the two nearest values that occur, {named}": show(
                PAIRS["near"], methods=intruders_told, columns=letter
            ),
            f"Right guesses between the two farthest values that occur, {named}": show(
                PAIRS["far"], methods=intruders_told, columns=letter
            ),
        }
    return found | {
        "L in percent": by_level(rows, "loss", symbol="ε", digits=1),
        "sdCor": show("sdcor", methods=METHODS, columns="AB") + "\n\n" + original(rows, "sdcor", "AB", (ORIGINAL,)),
        "Share predicted by classifiers": show("accuracy", methods=METHODS)
        + "\n\n"
        + original(rows, "accuracy", "", (ORIGINAL, MODE)),
    }


def original(rows: Rows, measure: str, columns: str, methods: tuple[str, ...]) -> str:
    """The figures that do not depend on ε."""
    lines = [
        [name, *(rows.text(measure, name, None, table, columns, digits=3) for table in rows.tables)] for name in methods
    ]
    return markdown(["without masking", *rows.tables], lines)


EXPERIMENT = Experiment(
    title="Metric privacy",
    question="What does a guarantee cost that holds whatever the intruder knows?",
    measure=run,
    figure=figure,
    caption=(
        "RMSE of each column by its ε (Wu–Palmer); means over the seeds, which hardly differ. Less is better. Metric "
        "privacy and permute-and-flip nearly coincide."
    ),
    answer=answer,
    setup=(
        "All 30,162 records of Adult (occupation with 10,297 concepts, native-country with 1,722) and all 100,244 "
        "records of diabetes130 with three diagnoses (the first two, with all 17,732 concepts of ICD-9-CM) are masked "
        "and evaluated. Each column has the ε of the table. *Metric privacy* is the exponential mechanism with "
        "`log_sc`, *permute-and-flip* the other one of [`MetricPrivacy`](../guides/privacy.md#metric-privacy). "
        "*Randomised response* is blind to meaning: a value stays with the probability e^ε/(e^ε + n − 1), and every "
        "other of the n concepts of the same public domain is equally likely (Kairouz 2016). *Depth 2*: only concepts "
        "down to this depth are released. *PRAM* is randomised response over the values that occur, which are not "
        "public: it has no such guarantee. *Synthetic records* are drawn from noisy counts of concepts down to depth "
        f"2 (`SyntheticRecords`). Seeds void the guarantee; they are for this page only. There are {SEEDS}. "
        "*Classifiers* predict the sex on Adult, and on diabetes130 whether there was a procedure. For each seed they "
        f"use {LEARNT:,} random records, two thirds of them to train, so a share has a standard error of about 0.02: "
        "over thousands of concepts, training on all records would take hours. *Exact* figures follow from the "
        "probabilities, without draws. *Bound* is what the claim of metric privacy allows: e^ε, and for two values "
        "e^(ε·d∞). *Full budget* has the weights e^(−ε·d) instead of e^(−ε·d/2); it has no claim, and shows what the "
        "factor 2 costs."
    ),
    claims=CLAIMS,
    tables=unfolded,
)
