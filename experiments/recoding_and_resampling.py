"""What recoding and resampling lose, option by option: Adult and, given its path, diabetes130 (T 5.2.2–5.2.3, 7.3).

    python experiments/recoding_and_resampling.py
    python experiments/recoding_and_resampling.py --diabetes130 diabetes130.csv.gz --write

Prints L (T eq. 6.4) for each option and k, and for k = 5 all other figures. Masking and evaluation use the same
distances, Wu–Palmer inside each attribute's domain. ``--write`` puts the tables into
``docs/experiments/recoding_and_resampling.md``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
import polars as pl
from findings import Findings, Setting, flat
from page_figures import write_page

import ontomask as om
from ontomask.examples import adult_data, diabetes130_data
from ontomask.masking import Method
from ontomask.masking.recoding import Recoding
from ontomask.masking.resampling import SETTINGS, HeerResampling, Resampling
from ontomask.operators.loss import loss_percent, sse, sst
from ontomask.operators.tuples import Tuples

PAGE = Path(__file__).parents[1] / "docs" / "experiments" / "recoding_and_resampling.md"
K = 5
ADULT = "Adult: occupation, native-country"

Make = Callable[[int], Method]
Options = Mapping[str, Mapping[str, Make]]

RECODING: dict[str, Make] = {
    "default": lambda k: Recoding(k),
    "at once": lambda k: Recoding(k, sequential=False),
    "in turn": lambda k: Recoding(k, sequential=True),
    "at once, ω": lambda k: Recoding(k, sequential=False, weighted=True),
    "in turn, ω": lambda k: Recoding(k, sequential=True, weighted=True),
    "at once, no H1": lambda k: Recoding(k, sequential=False, rarest_first=False),
    "in turn, no H1": lambda k: Recoding(k, sequential=True, rarest_first=False),
    "equality": lambda k: Recoding(k, criterion="equality"),
    "discernibility": lambda k: Recoding(k, criterion="discernibility"),
    "chance (no H2)": lambda k: Recoding(k, criterion="chance"),
    "chance, no H1": lambda k: Recoding(k, criterion="chance", rarest_first=False),
}


def _resampling(number: int, ties: str, reference: str) -> Make:
    return lambda k: Resampling(k, **SETTINGS[number], ties=ties, reference=reference)  # type: ignore[arg-type]


RESAMPLING: dict[str, Make] = {
    f"setting {number}, {reference}, {ties}": _resampling(number, ties, reference)
    for reference in ("table", "sample")
    for ties in ("tuple", "random")
    for number in (4, 3, 2, 1)
}
OPTIONS: Options = {"recoding": RECODING, "resampling": RESAMPLING}
SETTING_4 = {name: make for name, make in RESAMPLING.items() if name.startswith("setting 4")}
# Where a run takes seconds; and where it takes more.
FEW: Options = {
    "recoding": {name: RECODING[name] for name in ("default", "at once", "in turn", "at once, ω", "equality")},
    "resampling": SETTING_4,
}
FEWER: Options = {
    "recoding": {name: RECODING[name] for name in ("default", "at once", "in turn")},
    "resampling": SETTING_4,
}


@dataclass(frozen=True)
class Figures:
    """What one method did to one table, on average over seeds; the time is the shortest."""

    sse: float
    loss: float
    achieved: float
    tuples: float
    seconds: float


class Table:
    """Microdata with what is needed to evaluate masked versions of it."""

    def __init__(self, name: str, data: om.Microdata) -> None:
        self.name, self.data = name, data
        tuples = Tuples.of(data.table)
        self.spaces = tuples.spaces
        columns = [points[tuples.places[:, j]] for j, points in enumerate(tuples.points)]
        self.total = sst(self.spaces, columns, tuples.counts)
        self.original = [column[data.table.inverse] for column in columns]
        self.unique = int((tuples.counts == 1).sum())

    def figures(self, method: Method, seeds: int) -> Figures:
        """Mask it, and measure."""
        runs = [self._figures(method, seed) for seed in range(seeds)]
        return Figures(
            fmean(run.sse for run in runs),
            fmean(run.loss for run in runs),
            fmean(run.achieved for run in runs),
            fmean(run.tuples for run in runs),
            min(run.seconds for run in runs),
        )

    def _figures(self, method: Method, seed: int) -> Figures:
        start = time.perf_counter()
        result = method.mask(self.data, seed=seed)
        seconds = time.perf_counter() - start
        masked = [column.point[column.code] for column in result.data.columns.values()]
        errors = sse(self.spaces, self.original, masked, np.ones(len(self.data)))
        sizes = result.data.table.counts
        return Figures(errors, loss_percent(errors, self.total), int(sizes.min()), len(sizes), seconds)


Measured = dict[str, dict[int, Figures]]
# A data set, its ks, seeds and options.
Task = tuple[Table, Sequence[int], int, Options]


def measure(table: Table, options: Mapping[str, Make], ks: Sequence[int], seeds: int) -> Measured:
    """For each option and k the figures."""
    return {name: {k: table.figures(make(k), seeds) for k in ks} for name, make in options.items()}


def wide(path: Path) -> om.Microdata:
    """diabetes130 with three diagnoses, age, race and gender: most records are unique."""
    frame = pl.read_csv(path, infer_schema=False, columns=["age", "race", "gender"])

    def unordered(name: str) -> om.Nominal:
        return om.Nominal(om.Taxonomy.from_edges([(value, f"any {name}") for value in sorted(set(frame[name]))]))

    ages = om.Ordinal(sorted(set(frame["age"])))
    return diabetes130_data(path, others={"age": ages, "race": unordered("race"), "gender": unordered("gender")})


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that can be read as it is."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in lines)


def by_k(measured: Measured) -> str:
    """L of each option and k."""
    ks = list(next(iter(measured.values())))
    return markdown(
        ["L in percent", *(f"k = {k:,}" for k in ks)],
        [[name, *(f"{figures[k].loss:.2f}" for k in ks)] for name, figures in measured.items()],
    )


def at_k(measured: Mapping[str, Figures]) -> str:
    """All figures of each option at one k."""
    return markdown(
        ["", "SSE", "L in percent", "achieved k", "tuples left", "time"],
        [
            [name, f"{f.sse:,.1f}", f"{f.loss:.2f}", f"{f.achieved:,.1f}", f"{f.tuples:,.0f}", f"{f.seconds:.2f} s"]
            for name, f in measured.items()
        ],
    )


def section(table: Table, ks: Sequence[int], seeds: int, options: Options) -> tuple[str, dict[str, Measured]]:
    """The tables of one data set, and what they show."""
    found = {family: measure(table, some, ks, seeds) for family, some in options.items()}
    parts = [
        f"## {table.name}",
        f"{len(table.data):,} records, {len(table.data.table):,} distinct tuples, {table.unique:,} of them unique; "
        f"mean over {seeds} seed{'s' * (seeds > 1)}, the shortest time.",
    ]
    for family, measured in found.items():
        heer = {"Heer, 5 samples": table.figures(HeerResampling(5), seeds)} if family == "resampling" else {}
        parts += [f"{family.capitalize()}, then its figures at k = {K}:", by_k(measured)]
        parts += [at_k({name: figures[K] for name, figures in measured.items()} | heer)]
    return "\n\n".join(parts), found


Found = Mapping[str, Mapping[str, Measured]]


def losses(found: Found, family: str, name: str) -> dict[tuple[str, int], float]:
    """L of one option wherever it was measured, by data set and k."""
    return {
        (table, k): figures.loss
        for table, families in found.items()
        for k, figures in families.get(family, {}).get(name, {}).items()
    }


def less(found: Found, family: str, name: str, other: str) -> str:
    """In how many of the cases one option lost less than another, and the range of the ratio of L."""
    one, two = losses(found, family, name), losses(found, family, other)
    cases = [case for case in one if case in two]
    ratios = [one[case] / two[case] for case in cases]
    return f"{sum(ratio < 1 for ratio in ratios)} of {len(cases)} cases ({min(ratios):.2f} to {max(ratios):.2f} times)"


def regret(found: Found) -> str:
    """How often the default of recoding is the better of the two schedules, and how much it loses at worst."""
    default, once, turn = (losses(found, "recoding", name) for name in ("default", "at once", "in turn"))
    ratios = {case: loss / min(once[case], turn[case]) for case, loss in default.items()}
    (table, k), worst = max(ratios.items(), key=lambda item: item[1])
    good = sum(ratio < 1.01 for ratio in ratios.values())
    return f"{good} of {len(ratios)} cases; at worst ({table}, k = {k:,}) it loses {worst:.2f} times as much"


def best_setting(found: Found, reference: str, ties: str) -> str:
    """In how many cases each setting loses least."""
    by_setting = {n: losses(found, "resampling", f"setting {n}, {reference}, {ties}") for n in (1, 2, 3, 4)}
    cases = by_setting[1]
    wins = [min((losses[case], n) for n, losses in by_setting.items())[1] for case in cases]
    told = [f"{n} in {wins.count(n)}" for n in (4, 3, 2, 1) if n in wins]
    return ", ".join(told) + f" of {len(cases)}"


def crowded(found: Found) -> list[str]:
    """What becomes of tables of which most tuples are unique, where there are any."""
    told = []
    for table in (name for name in found if "three" in name):
        for k in (2, K):
            each = (found[table]["recoding"][name][k] for name in ("at once", "in turn", "default"))
            told.append(f"{table}, k = {k}: {' / '.join(f'{f.loss:.2f} ({f.tuples:,.0f})' for f in each)}")
    shown = "; ".join(told)
    return [f"Recoding, nearly unique data. L at once / in turn / by default (tuples left). {shown}."] if told else []


def reading(found: Found) -> str:
    """What the tables say, and which defaults follow."""
    table_tuple, table_random = "setting 4, table, tuple", "setting 4, table, random"
    sample_tuple, sample_random = "setting 4, sample, tuple", "setting 4, sample, random"
    adult = found[ADULT]["resampling"]
    by_tuple, at_random = adult[table_tuple][K].loss, adult[table_random][K].loss
    lines = [
        f"Recoding, ω. Without it L was smaller in {less(found, 'recoding', 'at once', 'at once, ω')} at once: "
        f"`weighted=False` is the default.",
        f"Recoding, at once or in turn. In turn L was smaller in {less(found, 'recoding', 'in turn', 'at once')}. "
        "At once, all rare tuples go to the few that are less rare, and where nearly all are rare that is a crowd; in "
        "turn they pair off, which is better as long as k is small beside the size of that crowd. The default decides "
        "by it: in turn, where the first pass would leave groups of more than 2k records on average. It is the better "
        f"of the two, or within 1 %, in {regret(found)}.",
        *crowded(found),
        "Recoding, criteria and heuristics. Semantic recoding lost less than recoding by equality in "
        f"{less(found, 'recoding', 'default', 'equality')}, than by discernibility in "
        f"{less(found, 'recoding', 'default', 'discernibility')}, than by chance in "
        f"{less(found, 'recoding', 'default', 'chance (no H2)')}. Without H1 at once it lost less than with it in "
        f"{less(found, 'recoding', 'at once, no H1', 'at once')}, in turn in "
        f"{less(found, 'recoding', 'in turn, no H1', 'in turn')}.",
        "Resampling, ties. By tuple L was smaller than at random in "
        f"{less(found, 'resampling', table_tuple, table_random)} with the table's reference, in "
        f"{less(found, 'resampling', sample_tuple, sample_random)} with each sample's own; on Adult's two "
        f"columns, where many distances are equal, {by_tuple:.2f} against {at_random:.2f} at k = {K}: `ties='tuple'` "
        "is the default.",
        f"Resampling, reference. With the table's L was smaller than with each sample's own in "
        f"{less(found, 'resampling', table_tuple, sample_tuple)} where ties are broken by tuple, in "
        f"{less(found, 'resampling', table_random, sample_random)} where at random. A sample's own extreme may lie at "
        "the other end, and then the ends meet in the middle: `reference='table'` is the default; T has "
        "`reference='sample'` and does not say what happens to ties.",
        "Resampling, settings. The one that loses least: as T sorts (`sample`, `random`) "
        f"{best_setting(found, 'sample', 'random')}; by default (`table`, `tuple`) "
        f"{best_setting(found, 'table', 'tuple')}. Much of what the semantic settings gain over equality in T is "
        "alignment of the samples, which ties broken by tuple give to all of them.",
    ]
    return "\n".join(f"- {line}" for line in lines)


# What `section` gives, by data set.
Sections = Mapping[str, tuple[str, Mapping[str, Measured]]]


def sections_of(tasks: Iterable[Task]) -> Sections:
    """Measure every data set."""
    return {table.name: section(table, ks, seeds, options) for table, ks, seeds, options in tasks}


def report(sections: Sections, arguments: str = "") -> str:
    """The whole page; the arguments are those of the command line that makes it."""
    found = {name: measured for name, (_, measured) in sections.items()}
    return "\n\n".join(
        [
            "# Recoding and resampling",
            "What each option loses: SSE (T eq. 6.2) and L, SSE in percent of the total (T eq. 6.4), under the "
            "distances that also masked (Wu–Palmer inside each attribute's domain). Recoding: *at once* and *in turn* "
            "are `sequential=False` and `True`, ω is `weighted=True`, H1 is `rarest_first`, H2 is any criterion but "
            "chance. Resampling: the settings of T 7.3 (1 equality and mode, 2 semantic comparison and mode, 3 and "
            "LCS, 4 Sk-resampling), what samples are sorted by, and how ties are broken.",
            reading(found),
            *(text for text, _ in sections.values()),
            f"Made by `python experiments/recoding_and_resampling.py{arguments} --write`.",
        ]
    )


def tables(path: Path | None) -> Iterator[Task]:
    """The data sets, each with its ks, seeds and options."""
    ks = (2, 5, 15, 50, 128, 1800)
    yield Table(ADULT, adult_data()), ks, 3, OPTIONS
    yield Table("Adult: with age", adult_data(numeric=("age",))), ks, 3, FEW
    if path is not None:
        pair = diabetes130_data(path, "diag_1", "diag_2")
        yield Table("diabetes130: two diagnoses", pair), (2, 5, 20, 100), 1, FEW
        yield Table("diabetes130: three diagnoses", diabetes130_data(path)), (2, 5, 20, 100), 1, FEW
        yield Table("diabetes130: three diagnoses, age, race, gender", wide(path)), (2, 5, 20), 1, FEWER


def run(setting: Setting) -> Findings:
    """For ``run.py``."""
    quick = [(Table(ADULT, adult_data()), (K,), 1, OPTIONS)]
    sections = sections_of(quick if setting.quick else tables(setting.diabetes130))
    rows = [
        flat(figures, data=name, family=family, option=option, k=k)
        for name, (_, found) in sections.items()
        for family, measured in found.items()
        for option, by_k in measured.items()
        for k, figures in by_k.items()
    ]
    return Findings(report(sections, " --diabetes130 diabetes130.csv.gz" if setting.diabetes130 else ""), rows)


def main() -> None:
    """Print the page, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--diabetes130", type=Path, help="the file of diabetes130; without it, Adult only")
    parser.add_argument("--write", action="store_true", help=f"write docs/experiments/{PAGE.name}")
    arguments = parser.parse_args()
    given = " --diabetes130 diabetes130.csv.gz" if arguments.diabetes130 else ""
    page = report(sections_of(tables(arguments.diabetes130)), given) + "\n"
    print(page)
    if arguments.write:
        write_page(PAGE, page)


if __name__ == "__main__":
    main()
