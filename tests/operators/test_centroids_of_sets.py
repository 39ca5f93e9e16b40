from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.operators import concepts as module
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.line import NumericSpace, OrdinalSpace
from ontomask.operators.space import Sets

from support.strategies import dags


@st.composite
def rows(draw, values):
    """Set numbers without gaps, indices of values, counts."""
    sets = draw(st.integers(1, 6))
    number = [*range(sets), *draw(st.lists(st.integers(0, sets - 1), max_size=20))]
    place = draw(st.lists(st.integers(0, values - 1), min_size=len(number), max_size=len(number)))
    counts = draw(st.lists(st.integers(1, 5), min_size=len(number), max_size=len(number)))
    return np.array(number), np.array(place), np.array(counts)


def one_by_one(points, number, place, counts, find):
    """The same from the rows of each set, added up by hand."""
    found = []
    for s in range(int(number.max()) + 1):
        held = {}
        for p, n in zip(place[number == s].tolist(), counts[number == s].tolist(), strict=True):
            held[p] = held.get(p, 0) + n
        places = sorted(held)
        found.append(find(points[places], np.array([held[p] for p in places])))
    return found


@settings(max_examples=60)
@given(st.data(), st.sampled_from(["wu_palmer", "log_sc", "path"]), st.booleans(), st.booleans())
def test_concepts(draw, measure, domain, small):
    taxonomy, parents = draw.draw(dags())
    inside = taxonomy.domain(draw.draw(st.sampled_from(sorted(parents)))) if domain else taxonomy
    space = NominalSpace(inside, om.distance(measure, taxonomy))
    points = np.arange(len(inside), dtype=np.int32)[:: draw.draw(st.integers(1, 2))]
    given_rows = draw.draw(rows(len(points)))
    sets = Sets.of(*given_rows)
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr(module, "_AT_ONCE", 8)
        assert space.centroids(points, sets).tolist() == one_by_one(points, *given_rows, space.centroid)
    expected = one_by_one(points, *given_rows, lambda values, _: space.hierarchy(values)[0])
    assert space.generalise(points, sets).tolist() == expected


@given(st.data(), st.sampled_from([NumericSpace(0, 9), NumericSpace(0, 9, centre="median"), OrdinalSpace(5)]))
def test_numbers(draw, space):
    points = np.arange(5.0) if space.centre == "mean" else np.arange(5)
    given_rows = draw.draw(rows(len(points)))
    expected = one_by_one(points, *given_rows, space.centroid)
    assert space.centroids(points, Sets.of(*given_rows)).tolist() == pytest.approx(expected)
