"""The tables of the experiments: whole public tables, other orders of ties, and samples with a given dependence.

Rodriguez-Garcia 2016, 2017 and 2019 drew their samples from a register that is not public, and do not say how. Here the
*lift* of a pair of values is its frequency divided by the frequency expected for independent columns. A sample is drawn
evenly from the records whose pair has at least a given lift (and is not rare), as many as the paper had. Of the lifts
0, 1, 2, 3, 5, 10 and 20, the one whose sdCor is closest to the paper's is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.settings import Setting
from ontomask.distance.base import MEASURES
from ontomask.examples import adult_data, diabetes130_data, load_adult
from ontomask.examples.adult import DOMAIN, MAPPING, TABLE_12
from ontomask.examples.diabetes130 import DIAGNOSES
from ontomask.kinds import Kind, NominalColumn

PUBLISHED = tuple(name for name in MEASURES if name != "height")
"""The distances of Martínez 2012. The height of a hierarchy is for categories, not for meanings."""

LIFTS = (0, 1, 2, 3, 5, 10, 20)
# The root of MONDO's diseases; its other concepts are features and injuries.
DISEASE = "MONDO:0000001"
# Occupations and countries are both below it, so that noise can use them as a pair.
THING = "physical_entity.n.01"


@dataclass(frozen=True, eq=False)
class Source:
    """A table and the attributes of its columns. Samples are drawn by the first two columns."""

    frame: pl.DataFrame
    attributes: Mapping[str, Kind]

    @cache  # noqa: B019 - sources live as long as the process
    def sample(self, size: int, sdcor: float, common: float = 0.0, columns: int = 2) -> om.Microdata:
        """Draw a sample whose sdCor comes as close to the given one as the rule allows; its first columns.

        Pairs with less than the share ``common`` of all records are left out.
        """
        lifted = [rows for lift in LIFTS if len(rows := self._with_lift(lift, common)) >= size]
        frames = [self.frame[sorted(rows[i * len(rows) // size] for i in range(size))] for rows in lifted]
        return self.data(min(frames, key=lambda frame: abs(dependence(self.data(frame)) - sdcor)), columns)

    def rare_values(self, size: int) -> om.Microdata:
        """The first records such that no value occurs more than twice in A and three times in B."""
        a, b, *_ = self.attributes
        before = pl.int_range(pl.len())
        return self.data(self.frame.filter(before.over(a) < 2).filter(before.over(b) < 3).head(size))

    def data(self, frame: pl.DataFrame, columns: int = 2) -> om.Microdata:
        """The first columns of some of the records."""
        attributes = dict(list(self.attributes.items())[:columns])
        return om.Microdata(frame.select(list(attributes)), attributes)

    def _with_lift(self, lift: int, common: float) -> list[int]:
        """The rows whose pair is common and has at least the lift, sorted by pair."""
        a, b, *_ = self.attributes
        n = len(self.frame)
        # Counts are unsigned and small, but their products are not.
        together, first, second = (pl.len().over(columns).cast(pl.Float64) for columns in ([a, b], [a], [b]))
        kept = (together >= common * n) & (together * n >= lift * first * second)
        return self.frame.with_row_index("row").filter(kept).sort(a, b, "row")["row"].to_list()


def dependence(data: om.Microdata) -> float:
    """The distance correlation of two columns."""
    (change,) = om.evaluate(data, data.frame, attacks=False).sdcor.values()
    return change.before


def one_taxonomy(setting: Setting) -> dict[str, Source]:
    """Tables with one domain for all columns: diagnoses over ICD-9-CM and, if they map, over MONDO."""
    if setting.diabetes130 is None:
        return {"WordNet": _adult(one_domain=True)}
    sources = {"ICD-9-CM": _diabetes130(setting.diabetes130)}
    if setting.mondo is not None:
        sources["MONDO"] = _over_mondo(setting.diabetes130, setting.mondo, 2)
    return sources


def two_taxonomies(setting: Setting) -> dict[str, Source]:
    """Tables with different domains: the first diagnosis over ICD-9-CM, the second over MONDO."""
    if setting.diabetes130 is None:
        return {"WordNet": _adult(one_domain=False)}
    if setting.mondo is None:
        return {}
    return {"ICD-9-CM and MONDO": _over_mondo(setting.diabetes130, setting.mondo, 1)}


@cache
def _diabetes130(path: Path) -> Source:
    data = diabetes130_data(path)
    icd9 = om.load_icd9cm()
    # Codes as ICD-9-CM writes them, which other ontologies refer to: 38 is 038.
    frame = data.frame.select(
        pl.col(name).replace_strict(data.mapping[name].concepts, return_dtype=pl.String) for name in DIAGNOSES
    )
    return Source(frame, {name: om.Nominal(icd9, domain=icd9.root) for name in DIAGNOSES})


@cache
def _over_mondo(path: Path, ontology: Path, columns: int) -> Source:
    """The records whose first two diagnoses have a concept in MONDO; the last ``columns`` of them over MONDO."""
    whole = _diabetes130(path)
    mondo = om.read_taxonomy(ontology, xref_prefix="ICD9")
    disease = om.Nominal(mondo, domain=DISEASE)
    pair = DIAGNOSES[:2]
    mapped = om.Microdata(whole.frame.select(pair), dict.fromkeys(pair, disease), unmapped="drop")
    attributes = {name: whole.attributes[name] for name in pair[: 2 - columns]}
    return Source(mapped.frame, attributes | dict.fromkeys(pair[2 - columns :], disease))


@cache
def _adult(one_domain: bool) -> Source:
    wordnet = om.load_wordnet()
    attributes: dict[str, Kind] = {
        name: om.Nominal(wordnet, mapping=MAPPING[name], domain=THING if one_domain else top)
        for name, top in DOMAIN.items()
    }
    # As in the publications.
    attributes["age"] = om.Numeric(scale="range")
    frame = pl.DataFrame(load_adult()).with_columns(pl.col("age").cast(pl.Int64))
    return Source(frame.select(list(attributes)), attributes)


THESIS, ADULT, DIABETES = "Adult, as the thesis", "Adult", "diabetes130"
# Wu–Palmer of Martínez 2012, which counts links (eq. 3.3).
LINKS: Mapping[str, Any] = {"name": "wu_palmer", "root_depth": 0}


def public_tables(setting: Setting) -> dict[str, om.Microdata]:
    """Adult's occupation × native-country over WordNet and, if available, diag_1 × diag_2 over ICD-9-CM."""
    tables = {ADULT: _load_adult()}
    if setting.diabetes130 is not None:
        tables[DIABETES] = _load_diabetes130(setting.diabetes130, *DIAGNOSES[:2])
    return tables


_load_adult, _load_diabetes130 = cache(adult_data), cache(diabetes130_data)


@cache
def thesis_adult() -> om.Microdata:
    """Adult as in Martínez 2012: mapped by Table 12 as printed, LogSC over the whole of WordNet.

    Table 12 has no concept for *Trinadad&Tobago*, so its records are dropped.
    """
    kinds = {name: om.Nominal(om.load_wordnet(), "log_sc", TABLE_12[name], scope="ontology") for name in TABLE_12}
    frame = pl.DataFrame(load_adult()).select(list(kinds))
    return om.Microdata(frame, kinds, unmapped="drop")


def other_ties(data: om.Microdata, seed: int) -> om.Microdata:
    """The same records over the same ontology with random ids, so that ties are broken in another order.

    Where several concepts are equally good, ontomask takes the first in taxonomy order: by depth, then by first parent,
    then by id. With random ids, any of those of equal depth may come first, as each would be as right. Columns that are
    not nominal stay as they are.
    """
    columns: dict[str, pl.Series] = {}
    kinds: dict[str, Kind] = {}
    for name, column in data.quasi_identifiers.items():
        kind = column.kind
        if not isinstance(column, NominalColumn) or not isinstance(kind, om.Nominal):
            columns[name], kinds[name] = data.frame[name], kind
            continue
        taxonomy, new_id = _with_random_ids(kind.taxonomy, seed)
        concepts = {cell: new_id[concept] for cell, concept in data.mapping[name].concepts.items()}
        columns[name] = data.frame[name].replace_strict(concepts, return_dtype=pl.String)
        domain = None if kind.domain is None else new_id[column.domain.root]
        kinds[name] = replace(kind, taxonomy=taxonomy, mapping=None, domain=domain)
    return om.Microdata(pl.DataFrame(columns), kinds)


# Both columns of a table share an ontology; more than a few copies of WordNet would take much memory.
@lru_cache(4)
def _with_random_ids(taxonomy: om.Taxonomy, seed: int) -> tuple[om.Taxonomy, dict[str, str]]:
    order = np.random.default_rng(seed).permutation(len(taxonomy))
    new_id = {concept: f"c{number:07d}" for concept, number in zip(taxonomy.ids, order.tolist(), strict=True)}
    links = [(new_id[child], new_id[parent]) for child in taxonomy.ids for parent in taxonomy.parents(child)]
    labels = {new_id[concept]: taxonomy.labels(concept) for concept in taxonomy.ids}
    return om.Taxonomy.from_edges(links, labels), new_id


def draw(data: om.Microdata, size: int, seed: int) -> om.Microdata:
    """A random sample of records in the table's order, with the quasi-identifiers only."""
    rows = np.random.default_rng(seed).choice(len(data), min(size, len(data)), replace=False)
    return other_records(data, data.frame[np.sort(rows).tolist()])


def every(data: om.Microdata, step: int, frame: pl.DataFrame | None = None) -> om.Microdata:
    """Every n-th record of the table, or of a part of it, with the quasi-identifiers only."""
    return other_records(data, (data.frame if frame is None else frame)[::step])


def other_records(data: om.Microdata, frame: pl.DataFrame) -> om.Microdata:
    """Other records of the same kinds, with the quasi-identifiers only."""
    kinds = {name: column.kind for name, column in data.quasi_identifiers.items()}
    return om.Microdata(frame.select(list(kinds)), kinds)


def under(data: om.Microdata, measure: str | Mapping[str, Any]) -> om.Microdata:
    """The same records with another distance."""
    kinds: Any = {name: column.kind for name, column in data.quasi_identifiers.items()}
    kinds = {name: replace(kind, distance=measure) for name, kind in kinds.items()}
    return om.Microdata(data.frame.select(list(kinds)), kinds)


def in_one_chapter(data: om.Microdata) -> pl.DataFrame:
    """The records whose diagnoses are in the same chapter."""
    frame: pl.DataFrame = data.frame
    chapters = []
    for name, column in data.quasi_identifiers.items():
        assert isinstance(column.kind, om.Nominal)
        icd9 = column.kind.taxonomy
        of = {concept: top for top in icd9.children(icd9.root) for concept in icd9.descendants(top)}
        of_cell = {cell: of[concept] for cell, concept in data.mapping[name].concepts.items()}
        chapters.append(pl.col(name).replace_strict(of_cell, return_dtype=pl.String))
    return frame.filter(chapters[0] == chapters[1])
