"""k on the file that is written: a literal intruder reads its text, and sees whole sets of records under a pseudonym.

The intruder knows nothing of points, plans or columns. Rows are compared by the exact text of all quasi-identifiers,
of columns that follow one, of averaged weights and of columns that divide the table.
"""

from __future__ import annotations

import csv
import random
from collections import defaultdict

import pandas as pd
import pytest

import ontomask as om

EDGES = [("ache", "pain"), ("colic", "pain"), ("migraine", "ache"), ("pain", "symptom")]
EDGES += [("rash", "skin"), ("itch", "skin"), ("skin", "symptom")]
T = om.Taxonomy.from_edges(EDGES, labels={"ache": ["ache", "aching"], "rash": ["rash", "red skin"]})
KINDS = {
    "symptom": om.Nominal(T),
    "age": om.Numeric(),
    "day": om.Date(),
    "grade": om.Ordinal(["low", "mid", "high", "very high"]),
    "postcode": om.Prefix(),
    "code": om.Category(),
    "sets": om.ConceptSet(T),
}
METHODS = {
    "micro": om.Microaggregation,
    "ranges": lambda k, by: om.Microaggregation(k, centroid="lcs", by=by),
    "local": om.Generalisation,
    "full": lambda k, by: om.Generalisation(k, mode="full_domain", suppression=0.1, by=by),
    "recoding": om.Recoding,
    "records": om.Suppression,
    "cells": lambda k, by: om.Suppression(k, mode="cells", by=by),
}


def table(draw, records):
    """Visits of persons, with blanks of several kinds, two spellings of a label, and values that no column can hold."""
    rows = []
    for i in range(records):
        code = draw.choice("ABCD")
        row = {
            "who": f"p{draw.randrange(records // 2)}",
            "symptom": draw.choice(["ache", "aching", "colic", "rash", "red skin", "itch", "pain", "migraine"]),
            "age": draw.choice([str(draw.randint(17, 90)), f"{draw.randint(17, 30)}.5", "", "?", "old\u200b", "old"]),
            "day": f"20{draw.randint(10, 12)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
            "grade": draw.choice(["low", "mid", "high", "very high"]),
            "postcode": draw.choice(["47906", "47907", "47-304", "4620", "46201"]),
            "code": code,
            "sets": draw.choice([";", " ; "]).join(draw.sample(["ache", "colic", "rash", "red skin"], 2)),
        }
        row = {name: draw.choice([cell, cell, f" {cell}", f"{cell}\u00a0"]) for name, cell in row.items()}
        row |= {"label": draw.choice([f"label {code}", f"Label {code} {i}"]), "year": draw.choice("12")}
        rows.append(row | {"weight": str(round(draw.uniform(1, 20), 4)), "cost": str(i)})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("seed", range(6))
def test_k_persons_share_everything_that_is_written(name, seed, tmp_path):
    draw = random.Random(f"{name} {seed}")
    names = [*draw.sample(["symptom", "age", "day", "grade", "postcode", "sets"], draw.randint(1, 2)), "code"]
    by, pseudonyms, k = ["year"] if seed % 3 == 1 else [], seed % 2 == 0, draw.choice([2, 3, 5])
    frame = table(draw, 90)[["who", *names, "label", "weight", "year", "cost"]]
    policies = {None: "error"} | ({"age": draw.choice(["keep", "root", "category", "drop"])} if "age" in names else {})
    data = om.Microdata(
        frame,
        {column: KINDS[column] for column in names},
        person="who",
        pseudonyms=pseudonyms,
        confidential=["cost"],
        other=["year"],
        weights="weight",
        linked=[["code", "label"]],
        missing=policies,
        unmapped=policies,
        missing_tokens=["?"],
        rare_kept=draw.choice(["drop", "root"]),
    )
    result = METHODS[name](k, by=by).mask(data, seed=seed)
    written = result.write(tmp_path / "masked.csv")
    with written.path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    known = [*names, "label", "weight", *by]
    who = [data.frame["who"][i].strip() for i in written.rows]
    sets = defaultdict(list)
    for i, row in enumerate(rows):
        # Full-domain generalisation protects single records, and says so.
        unit = row["who"] if pseudonyms and name != "full" else i
        sets[unit].append((tuple(row[column] for column in known), who[i]))
    holders = defaultdict(set)
    for records in sets.values():
        (person,) = {person for _, person in records}
        holders[tuple(sorted(text for text, _ in records))].add(person)
    if rows:
        smallest = min(map(len, holders.values()))
        assert smallest >= k
        if name == "full" and pseudonyms:
            assert result.guarantee.claim == ""
        else:
            assert smallest == result.guarantee.k
