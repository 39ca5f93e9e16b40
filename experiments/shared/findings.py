"""Input and output of every experiment: it takes a `Setting` and returns `Findings`, which become a page.

An experiment is a module with ``run(setting) -> Findings``, listed in ``experiments/run.py``. It computes whether each
conclusion of the paper holds. The explanations are written by hand.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isfinite, isnan, nan
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import polars as pl

from ontomask.figures import Figure, Line

__all__ = [
    "Conclusion",
    "Findings",
    "Setting",
    "Spread",
    "conclusions_file",
    "flat",
    "interpolate",
    "line_with_band",
    "markdown",
    "processor_seconds",
    "read_arguments",
    "verdict",
    "write",
]

DOCS = Path(__file__).parents[2] / "docs" / "experiments"
INCOMPLETE = Path(__file__).parents[2] / "build" / "experiments"
# The names of the files, ours first, then as UCI and MONDO publish them.
DIABETES130 = ("diabetes130.csv.gz", "diabetic_data.csv")
MONDO = ("mondo.obo.gz", "mondo.obo")
# The folder of Debian's package wordnet-base.
DEBIAN = Path("/usr/share/wordnet")
PAPERS = "Publications are cited by author and year. [References](../references.md) lists them."
HOW = (
    "*Found* means that a conclusion holds in every case that it covers. Each level and each column is a case. The "
    "brackets show in how many cases it holds."
)


@dataclass(frozen=True)
class Setting:
    """The data and the size of a run.

    Attributes
    ----------
    data
        The file of diabetes130, or a folder with diabetes130 and perhaps MONDO. `DIABETES130` and `MONDO` list the file
        names. With ``None``, Adult, which comes with the package, replaces it.
    quick
        Few records, parameters and seeds: to test that everything runs, not to measure.
    """

    data: Path | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        if self.data is not None and self.diabetes130 is None:
            raise SystemExit(
                f"{self.data} is not a file and does not contain {' or '.join(DIABETES130)}. Give the file of "
                "diabetes130 or its folder."
            )

    @property
    def diabetes130(self) -> Path | None:
        """The file of diabetes130, if given."""
        return self.data if self.data and self.data.is_file() else self._first(DIABETES130)

    @property
    def mondo(self) -> Path | None:
        """The file of MONDO in the same folder, if there is one."""
        return self._first(MONDO)

    def _first(self, names: Sequence[str]) -> Path | None:
        """The first of the names that exists in the data folder."""
        if self.data is None:
            return None
        folder = self.data.parent if self.data.is_file() else self.data
        return next((folder / name for name in names if (folder / name).is_file()), None)

    @property
    def wordnet(self) -> Path | None:
        """A folder with the full WordNet, beside the data or from Debian. The embedded WordNet has fewer features."""
        beside = [self.diabetes130.parent / "wordnet"] if self.diabetes130 else []
        found = [folder for folder in (*beside, DEBIAN) if (folder / "data.noun").is_file()]
        return found[0] if found else None

    @property
    def complete(self) -> bool:
        """Whether the run is not quick and has all data for the pages in the docs."""
        return self.mondo is not None and self.diabetes130 is not None and not self.quick

    def seeds(self, number: int = 10) -> tuple[int, ...]:
        """The seeds to use."""
        return tuple(range(2 if self.quick else number))

    def seeds_text(self, number: int = 10) -> str:
        """The seeds in words, for a page."""
        return f"seeds 0 to {self.seeds(number)[-1]}"

    def size(self, records: int) -> int:
        """The number of records to use."""
        return min(records, 150) if self.quick else records

    def parameters(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The parameters to try; in a quick run the first and the last."""
        return (values[0], values[-1]) if self.quick else tuple(values)


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of a figure over several runs."""

    mean: float
    sd: float
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarise values. Both figures are NaN if a value is not finite, such as the loss of an empty table."""
        if not all(map(isfinite, values)):
            return cls(nan, nan, len(values))
        return cls(fmean(values), stdev(values) if len(values) > 1 else 0.0, len(values))

    def __str__(self) -> str:
        return "" if isnan(self.mean) else f"{self.mean:.3f} ± {self.sd:.3f}"

    @property
    def low(self) -> float:
        """One standard deviation below."""
        return self.mean - self.sd

    @property
    def high(self) -> float:
        """One standard deviation above."""
        return self.mean + self.sd


@dataclass(frozen=True)
class Conclusion:
    """A conclusion of a paper, and whether it holds here.

    Attributes
    ----------
    text, source
        The conclusion, and the section of the paper.
    cases
        By data set (or ontology), whether it holds in each case that the paper covers.
    why
        Why it was found or not: the data, the ontology, the definition.
    key
        A name by which ``experiments/at_a_glance.py`` finds it.
    """

    text: str
    source: str
    cases: Mapping[str, Sequence[bool]]
    why: str
    key: str = ""

    def found(self, where: str) -> bool:
        """Whether it holds in every case."""
        return all(self.cases[where])

    def verdict(self, where: str) -> str:
        """The result in words, with the number of cases."""
        cases = self.cases.get(where, ())
        return verdict(sum(cases), len(cases)) if cases else "—"


def interpolate(curve: Iterable[tuple[float, float]], x: float) -> float:
    """The value of a curve at x by linear interpolation; NaN beyond its ends."""
    xs, values = zip(*sorted(curve), strict=True)
    return float(np.interp(x, xs, values, left=nan, right=nan))


def line_with_band(name: str, xs: Sequence[float], spreads: Sequence[Spread], style: int | None, *, band: bool) -> Line:
    """A line of means, with a band of one standard deviation if it is wide enough to be seen."""
    return Line(
        name,
        list(xs),
        [spread.mean for spread in spreads],
        low=[spread.low for spread in spreads] if band else None,
        high=[spread.high for spread in spreads] if band else None,
        style=style,
    )


def processor_seconds(work: Callable[[], object], runs: int = 1) -> float:
    """The processor time of a function, the minimum of several runs: the first may compile, others may wait."""
    taken = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def verdict(holds: int, cases: int) -> str:
    """The result of a conclusion in words.

    >>> verdict(1, 2)
    'not found (1 of 2)'
    """
    return f"{'found' if holds == cases else 'not found'} ({holds} of {cases})"


@dataclass(frozen=True)
class Findings:
    """The results of an experiment.

    Attributes
    ----------
    page
        Markdown from the title to the measured figures.
    rows
        One row per measurement, as plain data.
    figure, caption
        A picture and its caption.
    conclusions
        The paper's conclusions, and whether they hold here.
    reading
        An interpretation of the figures, written by hand for the complete data and shown only with them.
    complete
        Whether all data of the page were available. With ``None``, diabetes130 and MONDO decide.
    """

    page: str
    rows: Sequence[Mapping[str, Any]]
    figure: Figure | None = None
    caption: str = ""
    conclusions: Sequence[Conclusion] = field(default=())
    reading: str = ""
    complete: bool | None = None

    def is_complete(self, setting: Setting) -> bool:
        """Whether all data of the page in the docs were available."""
        return setting.complete if self.complete is None else self.complete

    def text(self) -> str:
        """The title, a note on citations, and the page."""
        title, _, text = self.page.strip().partition("\n")
        return "\n\n".join(filter(None, [title, PAPERS, text.strip()]))

    def whole_page(self, name: str, setting: Setting) -> str:
        """The whole page. Explanations are shown only for the complete data."""
        complete = self.is_complete(setting)
        parts = [self.text()]
        if self.figure:
            parts += [f"![{self.figure.title}](figures/{name}.svg)", self.caption]
        if complete:
            parts.append(self.reading)
        if self.conclusions:
            parts += ["## Conclusions", HOW, _verdicts(self.conclusions, reasons=complete)]
        data = "DATA=FOLDER " if setting.data and self.complete is None else ""
        parts.append(
            f"All figures are in [`results/{name}.csv`](results/{name}.csv). "
            f"Made by `make experiments {data}EXPERIMENTS={name}`."
        )
        return "\n\n".join(part for part in parts if part) + "\n"


def _verdicts(conclusions: Sequence[Conclusion], reasons: bool) -> str:
    """A table of verdicts, followed by the numbered explanations."""
    datasets = list(dict.fromkeys(dataset for conclusion in conclusions for dataset in conclusion.cases))
    lines = [
        [f"{number}", conclusion.text, conclusion.source, *(conclusion.verdict(dataset) for dataset in datasets)]
        for number, conclusion in enumerate(conclusions, start=1)
    ]
    table = markdown(["", "conclusion", "source", *datasets], lines, left=3 + len(datasets))
    why = "\n".join(f"{number}. {conclusion.why}" for number, conclusion in enumerate(conclusions, start=1))
    return f"{table}\n\n{why}" if reasons else table


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]], left: int = 1) -> str:
    """A Markdown table with aligned cells; the first ``left`` columns are text, the others figures."""
    rule = ["---"] * min(left, len(head)) + ["--:"] * max(len(head) - left, 0)
    cells = [list(head), rule, *map(list, lines)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(f"| {' | '.join(map(str.ljust, row, widths))} |" for row in cells)


def flat(row: Any, **more: Any) -> dict[str, Any]:
    """The fields of a dataclass as plain data, with the parts of tuples numbered.

    Times are left out, since they differ from run to run.
    """
    found = dict(more)
    for one in fields(row):
        if one.name == "seconds":
            continue
        value = getattr(row, one.name)
        if isinstance(value, tuple):
            found |= {f"{one.name}_{number}": part for number, part in enumerate(value, start=1)}
        else:
            found[one.name] = value
    return found


def write(name: str, findings: Findings, setting: Setting, out: Path | None = None) -> Path:
    """Write page, results, conclusions and picture into a folder, by default the docs if the data are complete."""
    # A page without all its data must not replace one that has them.
    folder = out or (DOCS if findings.is_complete(setting) else INCOMPLETE)
    for subfolder in (folder, folder / "results", folder / "figures"):
        subfolder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(findings.whole_page(name, setting), encoding="utf-8")
    rows = pl.DataFrame(list(findings.rows), infer_schema_length=None)
    rows.write_csv(folder / "results" / f"{name}.csv", float_precision=5)
    if findings.conclusions:
        pl.DataFrame(_conclusion_rows(findings.conclusions)).write_csv(conclusions_file(folder, name))
    if findings.figure:
        findings.figure.save(folder / "figures" / f"{name}.svg")
    return folder


def conclusions_file(folder: Path, name: str) -> Path:
    """The file with the conclusions of an experiment, one row per conclusion and data set."""
    return folder / "results" / f"{name}_conclusions.csv"


def _conclusion_rows(conclusions: Sequence[Conclusion]) -> list[dict[str, Any]]:
    return [
        {
            "key": conclusion.key,
            "conclusion": conclusion.text,
            "source": conclusion.source,
            "data": data,
            "holds": sum(cases),
            "cases": len(cases),
        }
        for conclusion in conclusions
        for data, cases in conclusion.cases.items()
        if cases
    ]


def read_arguments(parser: argparse.ArgumentParser) -> tuple[Setting, argparse.Namespace]:
    """Read the command-line options of the data and the size of a run."""
    parser.add_argument("--data", type=Path, help="file of diabetes130, or the folder that contains it and MONDO")
    parser.add_argument("--quick", action="store_true", help="few records and seeds, to test that everything runs")
    parser.add_argument(
        "--out", type=Path, help="folder for the pages (default: docs/experiments if the data are complete)"
    )
    given = parser.parse_args()
    return Setting(given.data, given.quick), given
