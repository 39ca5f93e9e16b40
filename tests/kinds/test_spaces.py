from __future__ import annotations

import numpy as np
import pandas as pd

import ontomask as om
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.line import NumericSpace, OrdinalSpace
from ontomask.operators.space import record_distances

T = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("lumbago", "ache")])
FRAME = pd.DataFrame({"x": ["lumbago", "colic"], "age": [20, 60], "size": ["small", "large"]})


def data(**options: object) -> om.Microdata:
    return om.Microdata(
        FRAME,
        {
            "x": om.Nominal(T, **options),
            "age": om.Numeric(weight=2, centre="median"),
            "size": om.Ordinal(["small", "middle", "large"]),
        },
    )


def test_each_kind_of_column_has_its_space():
    x, age, size = (column.space for column in data().quasi_identifiers.values())
    assert isinstance(x, NominalSpace)
    assert isinstance(age, NumericSpace)
    assert isinstance(size, OrdinalSpace)
    assert (x.weight, age.weight, size.weight) == (1, 2, 1)
    assert age.pairs(np.array([20.0]), np.array([30.0])).tolist() == [0.25]
    assert size.pairs(np.array([0]), np.array([1])).tolist() == [0.5]
    assert age.centroid(np.array([1.0, 2.0, 9.0]), np.array([2, 1, 1])) == 1.0


def test_distance_between_records_is_the_weighted_mean():
    table = data().table
    spaces = [column.space for column in table.columns]
    points = [table.points(j) for j in range(3)]
    between = record_distances(spaces, points, points)
    # lumbago–colic: LCS pain at node depth 1, three links: 3/5; ages and sizes are as far apart as can be.
    assert np.allclose(between, [[0, (0.6 + 2 + 1) / 4], [(0.6 + 2 + 1) / 4, 0]])


def test_scope_decides_where_distances_are_counted():
    inside = om.Microdata(FRAME[["x"]], {"x": om.Nominal(T, domain="pain")})
    whole = om.Taxonomy.from_edges([*((c, p) for c in T.ids for p in T.parents(c)), ("pain", "symptom")])
    outside = om.Microdata(FRAME[["x"]], {"x": om.Nominal(whole, domain="pain", scope="ontology")})
    near, far = (d.quasi_identifiers["x"].space for d in (outside, inside))
    codes = [d.quasi_identifiers["x"].domain.codes(["lumbago", "colic"]) for d in (outside, inside)]
    assert near.matrix(codes[0], codes[0])[0, 1] == 1 - 2 * 2 / (2 * 2 + 3)
    assert far.matrix(codes[1], codes[1])[0, 1] == 1 - 2 * 1 / (2 * 1 + 3)
