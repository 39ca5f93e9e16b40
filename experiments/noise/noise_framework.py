"""Semantic noise on strongly dependent columns (Rodriguez-Garcia 2017, Tables 1–8 and Figs. 6–8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import ontomask as om
from experiments.noise.noise_framework_conclusions import conclusions
from experiments.noise.noise_rules import (
    ALPHAS,
    MEAN,
    MEANS,
    MEANS_OF_TWO,
    METRICS,
    NAIVE,
    PAIR,
    PROBABILISTIC,
    ROOT,
    TABLE_1,
    TABLE_5,
    TABLE_6,
    TABLES,
    TABLES_OF_TWO,
    UNCORRELATED,
)
from experiments.shared import samples
from experiments.shared.findings import Findings, Setting, markdown
from experiments.shared.perturbation import (
    Also,
    Means,
    Measured,
    Measures,
    Theirs,
    measure,
    paper_and_ours,
    rows,
    side_by_side,
)
from experiments.shared.samples import Sample, Source
from ontomask.figures import Figure, Line, LineChart, small_multiples


def noise(method: str, alpha: float) -> om.Method:
    """The paper's method of that name."""
    if method == UNCORRELATED:
        return om.UncorrelatedNoise(alpha)
    return om.CorrelatedNoise(alpha, reference=method.removeprefix("correlated, "))


def measure_noise(
    data: om.Microdata,
    methods: Sequence[str],
    alphas: Sequence[float],
    seeds: tuple[int, ...],
    also: Also | None = None,
) -> dict[tuple[str, float | None], Measured]:
    """Measure every method at every level."""
    return {(name, alpha): measure(data, noise(name, alpha), seeds, also) for name in methods for alpha in alphas}


def measure_chance(
    data: om.Microdata, seeds: tuple[int, ...], also: Also | None = None
) -> dict[tuple[str, float | None], Measured]:
    """Measure the distortions by chance, which have no level."""
    return {
        (NAIVE, None): measure(data, om.NaiveDistortion(), seeds, also),
        (PROBABILISTIC, None): measure(data, om.ProbabilisticDistortion(), seeds, also),
    }


def run(setting: Setting) -> Findings:
    """Run both experiments of Rodriguez-Garcia 2017, section 5."""
    alphas, seeds = setting.parameters(ALPHAS), setting.seeds()
    sources = samples.one_taxonomy(setting)
    one = {name: source.sample(setting.size(1350), 0.94, 0.001) for name, source in sources.items()}
    two = {
        name: source.sample(setting.size(1316), 0.88, 0.001) for name, source in samples.two_taxonomies(setting).items()
    }
    ours = {
        name: {
            **measure_noise(sample.data, (UNCORRELATED, MEAN, PAIR), alphas, seeds),
            **measure_chance(sample.data, seeds),
        }
        for name, sample in one.items()
    }
    ours_of_two = {name: measure_noise(sample.data, (MEAN, ROOT), alphas, seeds) for name, sample in two.items()}
    return Findings(
        page(setting, sources, one, two, ours, ours_of_two),
        [
            *(row for name, measures in ours.items() for row in rows(f"one taxonomy: {name}", measures)),
            *(row for name, measures in ours_of_two.items() for row in rows(f"two taxonomies: {name}", measures)),
        ],
        figure(ours, alphas),
        CAPTION,
        conclusions(one, ours, ours_of_two, alphas),
    )


# The columns that replace the paper's diagnoses and procedures, by table.
INSTEAD = {
    "diabetes130": "diabetes130 has no procedures: here the second diagnosis is read over MONDO and the first over "
    "ICD-9-CM, so that no concept of one is one of the other.",
    "Adult": "Here they are Adult's occupation and native-country, each over a part of WordNet of its own.",
}


def page(
    setting: Setting,
    sources: Mapping[str, Source],
    one: Mapping[str, Sample],
    two: Mapping[str, Sample],
    ours: Mapping[str, Measures],
    ours_of_two: Mapping[str, Measures],
) -> str:
    """All tables, with the paper's figures above ours."""
    alphas, source = setting.parameters(ALPHAS), next(iter(sources.values())).title
    parts = [
        "# Semantic noise on strongly dependent columns",
        "N section 5 adds noise of level α to two columns of diagnoses that depend strongly on each other, and looks "
        "at what is left of mean, variance and dependence, and at how large the noise became beside how large it was "
        f"to be. N had discharge records from California over SNOMED-CT; here it is {source}. A is the first column, B "
        f"the second. {samples.RULE}",
        f"Every figure of ours is mean ± standard deviation over the {setting.seeds_text()}. Noise is Normal, the "
        "distance Wu–Palmer inside the domain. An error says how far a value moves, and its sign whether it comes "
        "closer to a reference or goes farther away. With *uncorrelated* noise (N's Uncorrelated-Algorithm1) that is "
        "the column's mean; with *correlated* noise, whose errors depend on each other as the columns do, it is the "
        "column's mean (`mean`), the record's value in the other column (`pair`), or the root of the taxonomy "
        "(`root`): N's Correlated-Algorithms 1, 2 and 3. Conclusions are held against N's own tables too, which have "
        "two decimals, of one run. Tables of other data, and more about noise of equal strength: [noise "
        "levels](noise_levels.md).",
        "## One taxonomy",
        samples.about(sources),
        "N Table 1, the samples.",
        samples.table(one, "N", TABLE_1),
    ]
    for number, (method, figures) in enumerate(TABLES.items(), start=2):
        parts += [
            f"N Table {number}, {method}.",
            _beside(method, alphas, ours, figures, MEANS),
        ]
    parts += ["N Table 5, how far the mean moves by chance and by noise of level 1.", table_5(ours, alphas[-1])]
    parts.append("## Two taxonomies")
    if not two:
        parts.append(
            "N's second sample has diagnoses and procedures. What stands in for it needs MONDO: it was not there."
        )
        return "\n\n".join(part for part in parts if part)
    parts += [
        f"N's second sample has diagnoses and procedures. {INSTEAD[source]}",
        "N Table 6, the sample (N's text has 0.87 for its sdCor).",
        samples.table(two, "N", TABLE_6),
    ]
    for number, (method, figures) in enumerate(TABLES_OF_TWO.items(), start=7):
        parts += [f"N Table {number}, {method}.", _beside(method, alphas, ours_of_two, figures, MEANS_OF_TWO)]
    return "\n\n".join(part for part in parts if part)


def _beside(
    method: str,
    alphas: Sequence[float],
    ours: Mapping[str, Measures],
    theirs: Theirs,
    means: Mapping[str, Means],
) -> str:
    return side_by_side(method, alphas, METRICS, ours, symbol="α", paper="N", theirs=theirs, their_means=means[method])


def table_5(ours: Mapping[str, Measures], alpha: float) -> str:
    """Semantic means after distortion by chance and after noise."""
    lines = []
    for letter in "AB":
        name = f"sd(sMean({letter}*), sMean({letter}))"
        lines.append([name, "N", *(f"{moved[letter]:g}" for moved in TABLE_5.values())])
        for dataset, measures in ours.items():
            found = [measures.get((method, None)) or measures[method, alpha] for method in TABLE_5]
            lines.append(["", dataset, *(str(measured["mean_shift", letter]) for measured in found)])
    return markdown(["", "", *TABLE_5], lines, left=2)


def figure(ours: Mapping[str, Measures], alphas: Sequence[float]) -> Figure:
    """Rodriguez-Garcia 2017, Figs. 6–8: one row for the paper's tables, and one for each of ours."""
    methods = (UNCORRELATED, MEAN, PAIR, NAIVE, PROBABILISTIC)
    charts = paper_and_ours("N", TABLES, ours, methods, alphas, _chart)
    return small_multiples(charts, columns=3, title="Noise and distortion by chance", same_scale=True)


def _chart(lines: Sequence[Line], title: str) -> LineChart:
    return LineChart(lines, x_title="α", title=title, width=190, height=130, value_range=(0, 1))


CAPTION = (
    "N Figs. 6–8: root mean square error and sdCor by level, mean ± standard deviation. The first row is drawn from "
    "N's Tables 2–4; N's figures of the distortions by chance are in its pictures only."
)
