"""The two public tables, or parts of them, as the experiments on the thesis and beyond the papers take them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from findings import Setting

import ontomask as om
from ontomask.examples import adult_data, diabetes130_data

__all__ = ["draw", "every", "in_one_chapter", "public_tables", "under"]


def public_tables(setting: Setting) -> dict[str, om.Microdata]:
    """Adult's occupation × native-country over WordNet and, where it is there, diag_1 × diag_2 over ICD-9-CM."""
    tables = {"Adult": _adult()}
    if setting.diabetes130 is not None:
        tables["diabetes130"] = _diabetes130(setting.diabetes130)
    return tables


@cache
def _adult() -> om.Microdata:
    return adult_data()


@cache
def _diabetes130(path: Path) -> om.Microdata:
    return diabetes130_data(path, "diag_1", "diag_2")


def draw(data: om.Microdata, size: int, seed: int) -> om.Microdata:
    """Some records at random, in the table's order; the columns that are masked only."""
    rows = np.random.default_rng(seed).choice(len(data), min(size, len(data)), replace=False)
    attributes = {name: column.kind for name, column in data.quasi_identifiers.items()}
    return om.Microdata(data.frame[np.sort(rows).tolist()].select(list(attributes)), attributes)


def under(data: om.Microdata, measure: str) -> om.Microdata:
    """The same records with another distance."""
    attributes = {
        name: replace(column.kind, distance=measure)  # type: ignore[type-var]
        for name, column in data.quasi_identifiers.items()
    }
    return om.Microdata(data.frame.select(list(attributes)), attributes)


def every(data: om.Microdata, step: int, frame: pl.DataFrame | None = None) -> om.Microdata:
    """Evenly some of the records, or of some of them; the columns that are masked only."""
    attributes = {name: column.kind for name, column in data.quasi_identifiers.items()}
    return om.Microdata((data.frame if frame is None else frame)[::step].select(list(attributes)), attributes)


def in_one_chapter(data: om.Microdata) -> pl.DataFrame:
    """The records whose diagnoses lie in the same chapter."""
    frame: pl.DataFrame = data.frame
    chapters = []
    for name, column in data.quasi_identifiers.items():
        assert isinstance(column.kind, om.Nominal)
        icd9 = column.kind.taxonomy
        of = {concept: top for top in icd9.children(icd9.root) for concept in icd9.descendants(top)}
        of_cell = {cell: of[concept] for cell, concept in data.mapping[name].concepts.items()}
        chapters.append(pl.col(name).replace_strict(of_cell, return_dtype=pl.String))
    return frame.filter(chapters[0] == chapters[1])
