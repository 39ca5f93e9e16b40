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
    """Measure random distortions, which have no level."""
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
    "diabetes130": "diabetes130 has no procedures. Here the first diagnosis is read over ICD-9-CM and the second "
    "over MONDO, so that the two taxonomies share no concept.",
    "Adult": "Here they are Adult's occupation and native-country, each over its own part of WordNet.",
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
        "Rodriguez-Garcia 2017, section 5, adds noise of level α to two columns of diagnoses that depend strongly on "
        "each other. It measures how mean, variance and dependence change, and compares the actual size of the noise "
        "with the intended size. The paper had discharge records from California over SNOMED-CT. Here the data "
        f"are {source}. A is the first column, B the second. {samples.RULE}",
        f"Our figures are mean ± standard deviation over the {setting.seeds_text()}. The noise is Normal, and the "
        "distance is Wu–Palmer inside the domain. The size of an error says how far a value moves. Its sign says "
        "whether the value moves towards a reference or away from it. For *uncorrelated* noise "
        "(Uncorrelated-Algorithm1 in the paper), the reference is the column's mean. The errors of *correlated* "
        "noise depend on each other as the columns do. Its reference is the column's mean (`mean`), the record's "
        "value in the other column (`pair`), or the root of the taxonomy (`root`): Correlated-Algorithms 1, 2 and 3 "
        "in the paper. Conclusions are also checked against the published tables, which show one run with two "
        "decimals. [Noise levels](noise_levels.md) has other data, and more about noise of equal strength.",
        "## One taxonomy",
        samples.about(sources),
        "Rodriguez-Garcia 2017, Table 1: the samples.",
        samples.table(one, "Rodriguez-Garcia 2017", TABLE_1),
    ]
    for number, (method, figures) in enumerate(TABLES.items(), start=2):
        parts += [
            f"Rodriguez-Garcia 2017, Table {number}: {method}.",
            _beside(method, alphas, ours, figures, MEANS),
        ]
    parts += [
        "Rodriguez-Garcia 2017, Table 5: how far random distortion and noise of level 1 move the mean.",
        table_5(ours, alphas[-1]),
    ]
    parts.append("## Two taxonomies")
    if not two:
        parts.append(
            "The paper's second sample has diagnoses and procedures. Its replacement needs MONDO, which was not "
            "available."
        )
        return "\n\n".join(part for part in parts if part)
    parts += [
        f"The paper's second sample has diagnoses and procedures. {INSTEAD[source]}",
        "Rodriguez-Garcia 2017, Table 6: the sample (the paper's text gives 0.87 for its sdCor).",
        samples.table(two, "Rodriguez-Garcia 2017", TABLE_6),
    ]
    for number, (method, figures) in enumerate(TABLES_OF_TWO.items(), start=7):
        parts += [
            f"Rodriguez-Garcia 2017, Table {number}: {method}.",
            _beside(method, alphas, ours_of_two, figures, MEANS_OF_TWO),
        ]
    return "\n\n".join(part for part in parts if part)


def _beside(
    method: str,
    alphas: Sequence[float],
    ours: Mapping[str, Measures],
    theirs: Theirs,
    means: Mapping[str, Means],
) -> str:
    return side_by_side(
        method,
        alphas,
        METRICS,
        ours,
        symbol="α",
        paper="Rodriguez-Garcia 2017",
        theirs=theirs,
        their_means=means[method],
    )


def table_5(ours: Mapping[str, Measures], alpha: float) -> str:
    """Semantic means after random distortion and after noise."""
    lines = []
    for letter in "AB":
        name = f"sd(sMean({letter}*), sMean({letter}))"
        lines.append([name, "Rodriguez-Garcia 2017", *(f"{moved[letter]:g}" for moved in TABLE_5.values())])
        for dataset, measures in ours.items():
            found = [measures.get((method, None)) or measures[method, alpha] for method in TABLE_5]
            lines.append(["", dataset, *(str(measured["mean_shift", letter]) for measured in found)])
    return markdown(["", "", *TABLE_5], lines, left=2)


def figure(ours: Mapping[str, Measures], alphas: Sequence[float]) -> Figure:
    """Rodriguez-Garcia 2017, Figs. 6–8: one row for the paper's tables, and one for each of ours."""
    methods = (UNCORRELATED, MEAN, PAIR, NAIVE, PROBABILISTIC)
    charts = paper_and_ours("published", TABLES, ours, methods, alphas, _chart)
    return small_multiples(charts, columns=3, title="Noise and random distortion", same_scale=True)


def _chart(lines: Sequence[Line], title: str) -> LineChart:
    return LineChart(lines, x_title="α", title=title, width=190, height=130, value_range=(0, 1))


CAPTION = (
    "Rodriguez-Garcia 2017, Figs. 6–8: root mean square error and sdCor by level, mean ± standard deviation. The "
    "first row is drawn from the paper's Tables 2–4. The paper shows its results for random distortion only in "
    "pictures."
)
