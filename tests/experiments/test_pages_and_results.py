from __future__ import annotations

import re

import polars as pl
import pytest

from experiments.shared.findings import DOCS

# Pages whose results have every figure that stands in a table.
PAGES = ("clinical", "hierarchy_quality", "human_judgement", "semantic_linkage")
FIGURE = re.compile(r"(-?[\d,]+(?:\.(\d+))?)(?: ± ([\d,.]+))?")


def figures(page):
    """The cells of a page's tables that were measured: with decimals or a standard deviation."""
    measured = page.split("## Conclusions")[0]
    for cell in {cell.strip() for line in measured.splitlines() if line.startswith("|") for cell in line.split("|")}:
        found = FIGURE.fullmatch(cell)
        if found and (found[2] or found[3]):
            yield found


@pytest.mark.parametrize("name", PAGES)
def test_figures_of_a_page_are_in_its_results(name):
    results = pl.read_csv(DOCS / "results" / f"{name}.csv", infer_schema_length=None)
    numeric = results.select(pl.selectors.float())
    spreads = results.select("mean", "sd").drop_nulls().rows() if "sd" in results.columns else []
    values = [value for column in numeric for value in column.drop_nulls().to_list()]
    known: dict[int, tuple[set[str], set[tuple[str, str]]]] = {}
    missing = []
    for found in figures((DOCS / f"{name}.md").read_text(encoding="utf-8")):
        digits = len(found[2] or "")
        if digits not in known:
            # Results are rounded to five digits: what lies between two roundings may go either way.
            near = (-6e-6, 0, 6e-6)
            known[digits] = (
                {f"{value + e:,.{digits}f}" for value in values for e in near},
                {
                    (f"{mean + a:,.{digits}f}", f"{sd + b:,.{digits}f}")
                    for mean, sd in spreads
                    for a in near
                    for b in near
                },
            )
        single, both = known[digits]
        if (found[1], found[3]) not in both if found[3] else found[1] not in single:
            missing.append(found[0])
    assert not missing
    assert known


@pytest.mark.parametrize("name", PAGES)
def test_pictures_are_small(name):
    assert (DOCS / "figures" / f"{name}.svg").stat().st_size < 80_000
