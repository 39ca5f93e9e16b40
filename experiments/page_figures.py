"""Pictures of experiments that are drawn from the tables of their pages: they never show other numbers.

A run without all data has not all tables: then there is no picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ontomask.figures import Chart, Figure, Line, LineChart, small_multiples

__all__ = ["FIGURES", "draw", "with_picture", "write_page"]

Row = Mapping[str, str]


@dataclass(frozen=True)
class Page:
    """A page of experiments, as text."""

    name: str
    text: str

    def table(self, heading: str, first: str) -> list[Row]:
        """The rows of the table below a heading whose first column is called so; each by column."""
        _, found, part = self.text.partition(f"## {heading}\n")
        part = (part if found else "" if heading else self.text).partition("\n## ")[0]
        for block in re.findall(r"(?:^\|.*\|\n?)+", part, re.MULTILINE):
            head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
            if head[0] == first:
                return [dict(zip(head, row, strict=True)) for row in rows]
        raise LookupError(f"{self.name}: there is no table {first!r} below {heading!r}.")


def number(cell: str) -> float:
    """The first number of a cell, that of the first column: 5.6%, 5.7% is 5.6."""
    return float(cell.split(",")[0].rstrip("%").replace("−", "-"))


def whole(cell: str) -> float:
    """A number with its thousands parted: 1,800."""
    return float(cell.replace(",", ""))


def along(rows: Sequence[Row], x: str, name: str, y: str, wanted: Sequence[str]) -> list[Line]:
    """Lines from a table with a row for each method and level."""
    lines = []
    for one in wanted:
        kept = [row for row in rows if row[name] == one and row[x]]
        lines.append(Line(one, [whole(row[x]) for row in kept], [number(row[y]) for row in kept]))
    return lines


def across(rows: Iterable[Row], wanted: Mapping[str, str]) -> list[Line]:
    """Lines from a table with a row for each method and a column for each k."""
    lines = []
    for row in rows:
        first = next(iter(row.values()))
        if first in wanted:
            levels = [(whole(key[4:]), value) for key, value in row.items() if key.startswith("k = ")]
            lines.append(Line(wanted[first], [k for k, value in levels if value], [number(v) for _, v in levels if v]))
    return lines


def noise(page: Page) -> Figure:
    """How far values move, and what is left of the correlation."""
    rows = page.table("diabetes130 over ICD-9-CM", "α")
    methods = ("uncorrelated", "correlated, mean", "correlated, root", "correlated, pair")
    panels: list[Chart] = [
        LineChart(along(rows, "α", "method", y, methods), x_title="level α", y_title=title)
        for y, title in (("RMSE", "RMSE of diag_1"), ("sdCor*", "correlation left"))
    ]
    return small_multiples(panels, title="Noise on two diagnoses")


def swapping(page: Page) -> Figure:
    """How far values move, and how many do not."""
    rows = page.table("diabetes130, all records", "method")
    methods = ("Algorithm 1", "Algorithm 2", "Algorithm 3", "Algorithm 3, unswapped")
    panels: list[Chart] = [
        LineChart(along(rows, "k", "method", y, methods), x_title="k", y_title=title, log_x=True)
        for y, title in (("RMSE", "RMSE of diag_1"), ("values unchanged", "values unchanged (%)"))
    ]
    return small_multiples(panels, title="Swapping two diagnoses of 100,244 records")


def microaggregation(page: Page) -> Figure:
    """What variants lose, and what they leave to be linked."""
    wanted = {
        "refined": "refined",
        "SA-MDAV, ω distant": "SA-MDAV",
        "MDAV": "MDAV",
        "MDAV, equality and mode": "MDAV by equality",
        "recoding": "recoding",
        "generalisation": "generalisation",
    }
    heading = "diabetes130: two diagnoses"
    panels: list[Chart] = [
        LineChart(across(page.table(heading, name), wanted), x_title="k", y_title=title, log_x=True)
        for name, title in (("L in percent", "loss L (%)"), ("SRL in percent", "linked SRL (%)"))
    ]
    return small_multiples(panels, title="Two diagnoses of 100,244 records")


def recoding(page: Page) -> Figure:
    """What criteria of recoding lose."""
    wanted = {"default": "by meaning", "equality": "by equality", "discernibility": "by rarity"}
    wanted["chance (no H2)"] = "by chance"
    lines = across(page.table("Adult: occupation, native-country", "L in percent"), wanted)
    return LineChart(lines, x_title="k", y_title="loss L (%)", log_x=True, title="Recoding, Adult").figure()


def yardstick(page: Page) -> Figure:
    """What generalisation and suppression lose."""
    rows = [row for row in page.table("Adult over WordNet", "k") if whole(row["k"]) <= 500]
    methods = ("local", "local, by records", "full domain, 5%", "cells", "records")
    lines = along(rows, "k", "method", "L %", methods)
    return LineChart(lines, x_title="k", y_title="loss L (%)", log_x=True, title="Adult over WordNet").figure()


FIGURES: Mapping[str, Callable[[Page], Figure]] = {
    "noise_levels": noise,
    "swapping_intervals": swapping,
    "microaggregation_variants": microaggregation,
    "recoding_and_resampling": recoding,
    "generalisation_yardstick": yardstick,
}


def draw(name: str, text: str) -> Figure | None:
    """The picture of a page, if it has one and all that it shows."""
    if name not in FIGURES:
        return None
    try:
        return FIGURES[name](Page(name, text))
    except LookupError:
        return None


def with_picture(name: str, text: str, folder: Path) -> str:
    """The page with its picture below the first paragraph; the picture is put beside it."""
    figure = draw(name, text)
    if figure is None:
        return text
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    figure.save(folder / "figures" / f"{name}.svg")
    title, first, rest = text.split("\n\n", 2)
    return f"{title}\n\n{first}\n\n![{figure.title}](figures/{name}.svg)\n\n{rest}"


def write_page(path: Path, text: str) -> None:
    """Write a page and its picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(with_picture(path.stem, text, path.parent), encoding="utf-8")
