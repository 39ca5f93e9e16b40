"""Pictures for the pages of experiments, drawn from their own tables when the site is built.

A hook of MkDocs (see mkdocs.yml). So a picture never shows other numbers than the page it stands on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from ontomask.figures import Chart, Figure, Line, LineChart, small_multiples

__all__ = ["on_files", "on_page_markdown"]

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
        raise PluginError(f"{self.name}: there is no table {first!r} below {heading!r} any longer: see {__file__}.")


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


def draw(folder: Path, name: str) -> Figure:
    """The picture of a page."""
    return FIGURES[name](Page(name, (folder / f"{name}.md").read_text(encoding="utf-8")))


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pictures to the site."""
    folder = Path(config["docs_dir"]) / "experiments"
    for name in FIGURES:
        files.append(File.generated(config, f"experiments/{name}.svg", content=draw(folder, name).svg))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:  # noqa: ARG001 (as MkDocs calls it)
    """Put a page's picture below its first paragraph."""
    folder, _, name = page.file.src_uri.rpartition("/")
    name = name.removesuffix(".md")
    if folder != "experiments" or name not in FIGURES:
        return markdown
    title, first, rest = markdown.split("\n\n", 2)
    alternative = draw(Path(config["docs_dir"]) / folder, name).description.replace("]", ")").replace("[", "(")
    return f"{title}\n\n{first}\n\n![{alternative}]({name}.svg)\n\n{rest}"
