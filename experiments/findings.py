"""What every experiment takes and gives: a `Setting` in, `Findings` out, written as a page, a table and a picture.

An experiment is a module with ``run(setting) -> Findings``, named in ``run.py``. It computes whether each of the
paper's conclusions holds; the reasons are a person's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isfinite, isnan, nan
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import polars as pl

from ontomask.figures import Figure

__all__ = ["Conclusion", "Findings", "Setting", "Spread", "alone", "flat", "markdown", "read_arguments", "write"]

DOCS = Path(__file__).parents[1] / "docs" / "experiments"
INCOMPLETE = Path(__file__).parents[1] / "build" / "experiments"
# Ours, and as they come from UCI and MONDO.
DIABETES130 = ("diabetes130.csv.gz", "diabetic_data.csv")
MONDO = ("mondo.obo.gz", "mondo.obo")
# Where the package wordnet-base of Debian puts its database.
DEBIAN = Path("/usr/share/wordnet")
HOW = (
    "*Found* means that a conclusion holds in every case that it speaks of, each level and column counted; the number "
    "of cases in which it holds stands beside it."
)


@dataclass(frozen=True)
class Setting:
    """What an experiment may use.

    Attributes
    ----------
    data
        The file of diabetes130, or the folder that holds it and perhaps MONDO, by one of the names in `DIABETES130`
        and `MONDO`; ``None``: Adult, which comes with the package, stands in for it.
    quick
        Few records, parameters and seeds: to see that all works, not to measure.
    """

    data: Path | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        if self.data is not None and self.diabetes130 is None:
            raise SystemExit(f"{self.data} is no file of diabetes130 and no folder with {' or '.join(DIABETES130)}.")

    @property
    def diabetes130(self) -> Path | None:
        """The table of diagnoses."""
        return self.data if self.data and self.data.is_file() else self._first(DIABETES130)

    @property
    def mondo(self) -> Path | None:
        """The disease ontology beside it."""
        return self._first(MONDO)

    def _first(self, names: Sequence[str]) -> Path | None:
        """The first of some files that is there."""
        if self.data is None:
            return None
        folder = self.data.parent if self.data.is_file() else self.data
        return next((folder / name for name in names if (folder / name).is_file()), None)

    @property
    def wordnet(self) -> Path | None:
        """WordNet's own folder, beside the data or where Debian puts it, for what the embedded nouns lack."""
        beside = [self.diabetes130.parent / "wordnet"] if self.diabetes130 else []
        found = [folder for folder in (*beside, DEBIAN) if (folder / "data.noun").is_file()]
        return found[0] if found else None

    @property
    def complete(self) -> bool:
        """Whether all is measured that most pages in the docs show."""
        return self.mondo is not None and self.diabetes130 is not None and not self.quick

    def seeds(self, number: int = 10) -> tuple[int, ...]:
        """The seeds to take."""
        return tuple(range(2 if self.quick else number))

    def seeds_told(self, number: int = 10) -> str:
        """The same, for a page."""
        return f"seeds 0 to {self.seeds(number)[-1]}"

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
        """Mean and standard deviation; neither is known where a value is not, such as the loss of an empty table."""
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
    reading
        What a person reads in the figures of the complete data: left out where they are others.
    complete
        Whether all is there that the page in the docs shows; ``None``: where diabetes130 and MONDO are.
    """

    page: str
    rows: Sequence[Mapping[str, Any]]
    figure: Figure | None = None
    caption: str = ""
    conclusions: Sequence[Conclusion] = field(default=())
    reading: str = ""
    complete: bool | None = None

    def is_complete(self, setting: Setting) -> bool:
        """Whether this is what the page in the docs shows."""
        return setting.complete if self.complete is None else self.complete

    def whole_page(self, name: str, setting: Setting) -> str:
        """The whole page. The reasons are those for the complete data."""
        complete = self.is_complete(setting)
        parts = [self.page.rstrip()]
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


def write(name: str, findings: Findings, setting: Setting, out: Path | None = None) -> Path:
    """Put page, results and picture into a folder: that which is given, or the docs if all is there."""
    # A page without all its data must not take the place of one that has them.
    folder = out or (DOCS if findings.is_complete(setting) else INCOMPLETE)
    for place in (folder, folder / "results", folder / "figures"):
        place.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(findings.whole_page(name, setting), encoding="utf-8")
    rows = pl.DataFrame(list(findings.rows), infer_schema_length=None)
    rows.write_csv(folder / "results" / f"{name}.csv", float_precision=5)
    if findings.figure:
        findings.figure.save(folder / "figures" / f"{name}.svg")
    return folder


def alone(name: str, run: Callable[[Setting], Findings]) -> None:
    """Run one experiment from the command line."""
    setting, given = read_arguments(argparse.ArgumentParser(description=f"The experiment {name}."))
    print(f"Written to {write(name, run(setting), setting, given.out)}.")


def read_arguments(parser: argparse.ArgumentParser) -> tuple[Setting, argparse.Namespace]:
    """Read the options that every experiment has."""
    parser.add_argument("--data", type=Path, help="the file of diabetes130, or the folder with it and MONDO")
    parser.add_argument("--quick", action="store_true", help="few records and seeds: does all work?")
    parser.add_argument(
        "--out", type=Path, help="folder for the pages (default: docs/experiments if data are complete)"
    )
    given = parser.parse_args()
    return Setting(given.data, given.quick), given
