"""What every experiment takes and gives: a `Setting` in, `Findings` out, written as a page, a table and a picture.

An experiment is a module with ``run(setting) -> Findings``, named in ``run.py``. It computes whether each of the
paper's conclusions holds; the reasons are a person's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isnan
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import polars as pl
from page_figures import write_page

from ontomask.figures import Figure

__all__ = ["Conclusion", "Findings", "Setting", "Spread", "alone", "flat", "markdown", "read_arguments", "write"]

DOCS = Path(__file__).parents[1] / "docs" / "experiments"
INCOMPLETE = Path(__file__).parents[1] / "build" / "experiments"
HOW = (
    "*Found* means that a conclusion holds in every case that the paper speaks of, each level and column counted; the "
    "number of cases in which it holds stands beside it."
)


@dataclass(frozen=True)
class Setting:
    """What an experiment may use.

    Attributes
    ----------
    data
        The file ``diabetes130.csv.gz``, or the folder that holds it and perhaps ``mondo.obo.gz``; ``None``: Adult,
        which comes with the package, stands in for it.
    quick
        Few records, parameters and seeds: to see that all works, not to measure.
    """

    data: Path | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        if self.data is not None and self.diabetes130 is None:
            raise SystemExit(f"{self.data} is no file of diabetes130 and no folder with diabetes130.csv.gz.")

    @property
    def diabetes130(self) -> Path | None:
        """The table of diagnoses."""
        return self._file("diabetes130.csv.gz") or (self.data if self.data and self.data.is_file() else None)

    @property
    def mondo(self) -> Path | None:
        """The disease ontology beside it."""
        return self._file("mondo.obo.gz")

    def _file(self, name: str) -> Path | None:
        folder = self.data if self.data is None or self.data.is_dir() else self.data.parent
        return folder / name if folder and (folder / name).is_file() else None

    @property
    def wordnet(self) -> Path | None:
        """WordNet's own folder where Debian puts it, for glosses and parts that the embedded nouns lack."""
        folder = Path("/usr/share/wordnet")
        return folder if folder.is_dir() and not self.quick else None

    @property
    def complete(self) -> bool:
        """Whether all is measured that the pages in the docs show."""
        return self.mondo is not None and self.diabetes130 is not None and not self.quick

    def seeds(self, number: int = 10) -> tuple[int, ...]:
        """The seeds to take."""
        return tuple(range(2 if self.quick else number))

    def size(self, records: int) -> int:
        """How many records to take."""
        return min(records, 150) if self.quick else records

    def some(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The parameters to try; of many the first and the last."""
        return (values[0], values[-1]) if self.quick else tuple(values)


@dataclass(frozen=True)
class Spread:
    """A figure measured with several seeds."""

    mean: float
    sd: float
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Mean and standard deviation."""
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
    """What a paper concludes, and whether it holds here.

    Attributes
    ----------
    text, source
        The conclusion, and where the paper draws it.
    cases
        By data set (or ontology), whether it holds in each case that the paper speaks of.
    why
        Why it was found or not: the data, the ontology, the definition.
    """

    text: str
    source: str
    cases: Mapping[str, Sequence[bool]]
    why: str

    def found(self, where: str) -> bool:
        """Whether it holds in every case."""
        return all(self.cases[where])

    def verdict(self, where: str) -> str:
        """In words, with the number of cases."""
        cases = self.cases.get(where, ())
        if not cases:
            return "—"
        return f"{'found' if self.found(where) else 'not found'} ({sum(cases)} of {len(cases)})"


@dataclass(frozen=True)
class Findings:
    """What came out of an experiment.

    Attributes
    ----------
    page
        Markdown, from the title down to the figures measured.
    rows
        One a measurement, as plain data.
    figure
        The picture, with what it shows.
    caption
        Under the picture.
    conclusions
        What the paper concludes, and whether it holds here.
    """

    page: str
    rows: Sequence[Mapping[str, Any]]
    figure: Figure | None = None
    caption: str = ""
    conclusions: Sequence[Conclusion] = field(default=())

    def whole_page(self, name: str, setting: Setting) -> str:
        """The whole page. The reasons are those for the complete data."""
        parts = [self.page.rstrip()]
        if self.figure:
            parts += [f"![{self.figure.title}](figures/{name}.svg)", self.caption]
        if self.conclusions:
            parts += ["## Conclusions", HOW, _verdicts(self.conclusions, reasons=setting.complete)]
        # Pages that tell how they are made by their own script keep it.
        if "Made by `" not in self.page:
            parts.append(
                f"All figures are in [`results/{name}.csv`](results/{name}.csv). "
                f"Made by `make experiments {'DATA=FOLDER ' if setting.data else ''}EXPERIMENTS={name}`."
            )
        return "\n\n".join(part for part in parts if part) + "\n"


def _verdicts(conclusions: Sequence[Conclusion], reasons: bool) -> str:
    """A table of verdicts, and under it the reasons by number."""
    places = list(dict.fromkeys(place for conclusion in conclusions for place in conclusion.cases))
    lines = [
        [f"{number}", conclusion.text, conclusion.source, *(conclusion.verdict(place) for place in places)]
        for number, conclusion in enumerate(conclusions, start=1)
    ]
    table = markdown(["", "conclusion", "source", *places], lines, left=3 + len(places))
    why = "\n".join(f"{number}. {conclusion.why}" for number, conclusion in enumerate(conclusions, start=1))
    return f"{table}\n\n{why}" if reasons else table


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table that can be read as it is; the first ``left`` columns are text, the others figures."""
    rule = ["---"] * min(left, len(head)) + ["--:"] * max(len(head) - left, 0)
    cells = [list(head), rule, *map(list, lines)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(f"| {' | '.join(map(str.ljust, row, widths))} |" for row in cells)


def flat(row: Any, **more: Any) -> dict[str, Any]:
    """A dataclass of figures as plain data; where it has several under one name, they are numbered.

    Times are left out: they are not the same again.
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


def write(name: str, findings: Findings, setting: Setting, folder: Path) -> None:
    """Put page, results and picture into a folder."""
    for place in (folder, folder / "results", folder / "figures"):
        place.mkdir(parents=True, exist_ok=True)
    page = findings.whole_page(name, setting)
    write_page(folder / f"{name}.md", page)
    rows = pl.DataFrame(list(findings.rows), infer_schema_length=None)
    rows.write_csv(folder / "results" / f"{name}.csv", float_precision=5)
    if findings.figure:
        findings.figure.save(folder / "figures" / f"{name}.svg")


def alone(name: str, run: Callable[[Setting], Findings]) -> None:
    """Run one experiment from the command line."""
    setting, folder = read_arguments(argparse.ArgumentParser(description=f"The experiment {name}."))[:2]
    write(name, run(setting), setting, folder)


def read_arguments(parser: argparse.ArgumentParser) -> tuple[Setting, Path, argparse.Namespace]:
    """Read the options that every experiment has: the setting, and the folder to write into."""
    parser.add_argument("--data", type=Path, help="diabetes130.csv.gz, or the folder with it and mondo.obo.gz")
    parser.add_argument("--quick", action="store_true", help="few records and seeds: does all work?")
    parser.add_argument(
        "--out", type=Path, help="folder for the pages (default: docs/experiments if data are complete)"
    )
    given = parser.parse_args()
    setting = Setting(given.data, given.quick)
    # A page without all its data must not take the place of one that has them.
    return setting, given.out or (DOCS if setting.complete else INCOMPLETE), given
