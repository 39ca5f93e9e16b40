"""What noise leaves of the dependence between columns (Rodriguez-Garcia 2017, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import isnan, nan

import polars as pl

from experiments.framework.at_equal import at_equal, less_at_equal
from experiments.framework.claims import Claim, computed, grows, less
from experiments.framework.measurements import Row, Rows
from experiments.framework.pages import Experiment, by_level, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, RULE
from experiments.noise import noise_tables as noise
from experiments.noise.noise_tables import ALPHAS, CHANCE, CORRELATED, NOISE, NONE, STRENGTH, UNCORRELATED
from ontomask.figures import Figure, Line, LineChart, small_multiples

MEAN, PAIR, ROOT = CORRELATED
# More levels, only to interpolate at equal strength.
BETWEEN = (0.02, 0.05, 0.2, 2.0)
KEPT = (STRENGTH, "sdcor_change")


def run(setting: Setting) -> Iterator[Row]:
    """The printed figures, samples like those of the paper, and the public tables."""
    yield from noise.published((*KEPT, "sdcor"))
    for name, data in noise.tables(setting).items():
        seeds = setting.seeds(5 if name == DIABETES else 10)
        yield from noise.original(name, data)
        yield from noise.measure_noise(name, data, setting.levels(ALPHAS), seeds, (*KEPT, "sdcor"))
        yield from noise.measure_noise(name, data, setting.levels(BETWEEN), seeds, KEPT)
        yield from noise.measure_noise(name, data, [None], seeds, (*KEPT, "sdcor"), CHANCE)


keeps = partial(less, "sdcor_change", levels=ALPHAS)
keeps_at_equal = partial(less_at_equal, STRENGTH, "sdcor_change", levels=ALPHAS)
SOURCE, OURS = "Rodriguez-Garcia 2017, section 5", "ours"
NO_DEPENDENCE = "Adult has hardly any dependence to keep."


def better(method: str, other: str, who: str, whom: str, why: str = "", why_at_equal: str = "") -> tuple[Claim, Claim]:
    """The claims that a method keeps sdCor better than another, at equal α and at equal RMSE."""
    key, text = f"{method.split()[-1]}-beats-{other.split()[-1]}", f"{who} keeps %s better than {whom}"
    return (
        Claim(key, f"{text % 'sdCor'} of the same α", SOURCE, keeps(method, other), why,
              f"{text % 'the dependence'}, at equal α"),
        Claim(f"{key}-at-equal-error", "… and of the same RMSE", OURS, keeps_at_equal(method, other), why_at_equal,
              "… and at equal RMSE"),
    )  # fmt: skip


CLAIMS = (
    Claim("dependence-largely-kept", "At typical levels, α ≤ 0.5, noise takes at most a quarter of sdCor (our limit)",
          "Rodriguez-Garcia 2017, section 6",
          computed((pl.col("sdcor") - 3 * pl.col("sdcor_change")) / 4, methods=NOISE, levels=ALPHAS[:3]),
          "`pair` keeps it, here and in the printed tables; uncorrelated noise does not from α = 0.3 or 0.5 on. "
          + NO_DEPENDENCE),
    *better(MEAN, UNCORRELATED, "Correlated noise (`mean`)", "uncorrelated noise", NO_DEPENDENCE,
            "On Adult, the same reason. Elsewhere, errors that depend on each other as the columns do keep more than "
            "their strength explains."),
    *better(PAIR, UNCORRELATED, "Correlated noise (`pair`)", "uncorrelated noise"),
    *better(ROOT, UNCORRELATED, "Correlated noise (`root`)", "uncorrelated noise", "",
            "On diabetes130 as a whole, it keeps less at α = 0.5 and 1."),
    Claim("advantage-grows", "The advantage of correlated noise (all references) at the same α grows with α",
          SOURCE, grows(keeps(CORRELATED, UNCORRELATED))),
    Claim("same-level-is-weaker", "At the same α, correlated noise (all references) is weaker: its RMSE is smaller",
          OURS, less(STRENGTH, CORRELATED, UNCORRELATED, levels=ALPHAS),
          "It depends on sdVar, which scales correlated errors, against sVar, which scales uncorrelated ones "
          "(Rodriguez-Garcia 2017, eq. 22)."),
    *better(PAIR, MEAN, "The reference `pair`", "`mean`"),
    *better(ROOT, MEAN, "The reference `root`", "`mean`",
            "ICD-9-CM, which is also that of diabetes130, is five levels deep: the distance to its root says little.",
            "The same reason."),
    Claim("chance-breaks-dependence", "Random distortion destroys sdCor: it changes it more than noise of any level",
          SOURCE, keeps(NOISE, CHANCE),
          "On Adult there is hardly any dependence to destroy.", "Random distortion destroys the dependence"),
    Claim("chance-is-stronger", "Random distortion has a larger RMSE than noise of α = 1",
          SOURCE, less(STRENGTH, NOISE, CHANCE, levels=ALPHAS[-1:])),
)  # fmt: skip


def figure(rows: Rows) -> Figure:
    """Rodriguez-Garcia 2017, Fig. 8, in percent of the original, by strength instead of level."""
    charts = []
    for table in rows.tables:
        lines = [kept(rows, method, table, style) for style, method in enumerate((*NOISE, *CHANCE))]
        title = f"{table}: {rows.mean('sdcor', NONE, None, table, 'AB'):.2f}"
        lines = [line for line in lines if len(line.x) > 2]
        charts.append(LineChart(lines, title=title, x_title="RMSE", y_title="sdCor kept (%)", width=230, height=170))
    return small_multiples(charts, columns=3, title="Dependence kept, by the strength of the noise", same_scale=True)


def kept(rows: Rows, method: str, table: str, style: int) -> Line:
    """sdCor in percent of the original's, by strength; one point per level."""
    before = rows.mean("sdcor", NONE, None, table, "AB")
    at = partial(rows.mean, method=method, table=table, columns="AB")
    levels = [level for level in ALPHAS if not isnan(at("sdcor", level=level))]
    y = [100 * at("sdcor", level=level) / before for level in levels]
    # The gaps at both ends give all panels the same horizontal axis.
    x = [0, *(at(STRENGTH, level=level) for level in levels), 0.8]
    return Line(method, x, [nan, *y, nan], style=style)


def explained(rows: Rows, method: str, table: str) -> float:
    """The part, in percent, of a method's gain over uncorrelated noise of the same α that weaker noise explains."""
    equal = at_equal(rows, STRENGTH, "sdcor_change", method, UNCORRELATED, levels=ALPHAS).filter(table=table)
    change = partial(rows.mean, "sdcor_change", table=table, columns="AB")
    gain = sum(change(UNCORRELATED, level) - change(method, level) for level in equal["level"].unique())
    left = float((equal["value_other"] - equal["value"]).sum()) / (equal["seed"].n_unique() or nan)
    return 100 - 100 * left / (gain or nan)


def explained_table(rows: Rows) -> str:
    """How much of the gain weaker noise explains."""
    shares = {method: [explained(rows, method, table) for table in rows.tables] for method in CORRELATED}
    lines = [[method, *("—" if isnan(one) else f"{one:.0f}" for one in line)] for method, line in shares.items()]
    return markdown(["", *rows.tables], lines)


def answer(rows: Rows) -> str:
    """The answer with its figures."""
    cor, size = (partial(rows.mean, measure, columns="AB") for measure in ("sdcor", STRENGTH))
    weaker = partial(explained, rows)
    icd, whole = "ICD-9-CM", DIABETES
    return (
        f"Yes, where columns depend strongly. Over ICD-9-CM (sdCor {cor(NONE, None, icd):.2f}), noise of α = 1 leaves "
        f"{cor(UNCORRELATED, 1, icd):.2f} if uncorrelated, {cor(MEAN, 1, icd):.2f} with the reference `mean` and "
        f"{cor(PAIR, 1, icd):.2f} with `pair`. But one α is not one strength: uncorrelated errors are scaled by the "
        "variance (sVar), correlated ones by the distance variance (sdVar). On diabetes130 the RMSE at α = 0.5 is "
        f"{size(UNCORRELATED, 0.5, whole):.2f} against {size(MEAN, 0.5, whole):.2f}. This alone explains "
        f"{weaker(MEAN, whole):.0f} % of the gain of `mean`, {weaker(PAIR, whole):.0f} % of that of `pair` and all of "
        f"that of `root`; over ICD-9-CM, {weaker(MEAN, icd):.0f} % for `mean`. Over MONDO correlated noise is stronger "
        "and still keeps more. `pair` keeps more than `mean` on all tables of ours. `root` does so over MONDO and over "
        "two ontologies, for which it was made, but not over ICD-9-CM or on diabetes130. Adult has hardly any "
        f"dependence to keep ({cor(NONE, None, ADULT):.2f}; independent columns have "
        f"{cor(CHANCE[1], None, ADULT):.2f})."
    )


EXPERIMENT = Experiment(
    title="A framework for noise",
    question="Does correlated noise keep the dependence between columns better than uncorrelated noise?",
    measure=run,
    figure=figure,
    caption=(
        "sdCor in percent of the original's, which is in the titles, by the strength of the noise (mean RMSE of both "
        "columns), at α = 0.1, 0.3, 0.5 and 1. Means over the seeds. Higher and farther right is better. "
        "Rodriguez-Garcia 2017, Fig. 8, shows sdCor by α."
    ),
    answer=answer,
    setup=(
        "Errors are Normal, and distances are Wu–Palmer inside the domain. The reference of correlated noise is the "
        "column's mean (`mean`), the record's value in the other column (`pair`, for columns of one domain), or the "
        "root of the taxonomy (`root`): Correlated-Algorithms 1, 2 and 3 of Rodriguez-Garcia 2017. *as printed*: its "
        "Tables 2–4 and 7–8, one run with two decimals; C and D are the columns of Tables 7–8. *ICD-9-CM* and "
        "*MONDO*: 1,350 records of diabetes130's first two diagnoses, like Table 1. *ICD-9-CM and MONDO*: 1,316 "
        f"records with the first diagnosis over the one and the second over the other, like Table 6. {RULE} *Adult* "
        "(occupation and native-country over WordNet) is every 5th record, *diabetes130* every 25th. 10 seeds, on "
        "diabetes130 5. *At equal RMSE*: the change of sdCor by the other noise is interpolated along α, seed by "
        f"seed, where the mean RMSE of both columns is the same; α = {', '.join(f'{level:g}' for level in BETWEEN)} "
        "were measured for this only. Cases that the other noise does not reach are left out: α = 1 of the printed "
        "tables."
    ),
    claims=CLAIMS,
    tables=lambda rows: {
        "sdCor by level": by_level(rows.where(levels=ALPHAS), "sdcor", symbol="α", columns="AB"),
        "RMSE by level": by_level(rows.where(levels=ALPHAS), STRENGTH, symbol="α", columns="AB"),
        "Part of the gain that weaker noise explains, in percent": explained_table(rows),
        "The tables": noise.sample_features(rows),
    },
    needs=("diabetes130", "mondo"),
)
