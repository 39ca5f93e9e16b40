"""Points off the line: any value, and values of their own. They are at distance 1 from everything else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.operators.line import NumericSpace, OrdinalSpace
from ontomask.operators.ranges import ANY, ends_of, is_any, is_off_line, own_point
from ontomask.operators.space import Sets

MISSING, UNMAPPED = own_point(1), own_point(2)
POINTS = np.array([0, ANY, 1, MISSING, 2, UNMAPPED, 3, 9])
SPACES = {
    "mean": NumericSpace(0, 9, is_line=False),
    "median": NumericSpace(0, 9, centre="median", is_line=False),
    "ordinal": OrdinalSpace(10, is_line=False),
}
spaces = pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
bags = st.dictionaries(st.sampled_from(POINTS.tolist()), st.integers(1, 5), min_size=1)


def distance(a, b):
    off = np.isinf(np.imag([a, b])).any()
    return float(a != b) if off else abs(a - b) / 9


def literal_centroid(bag, centre):
    """The middle of the points on the line, or the value of its own that is nearer to all points together."""
    on_line = [p.real for p, n in bag.items() if not np.isinf(p.imag) for _ in range(n)]
    own = [p for p in (MISSING, UNMAPPED) if p in bag]
    if not on_line:
        return max(own, key=lambda p: bag[p], default=ANY)
    middle = float(np.mean(on_line)) if centre == "mean" else sorted(on_line)[(len(on_line) - 1) // 2]
    best = complex(middle)

    def cost(point):
        return sum(n * distance(p, point) for p, n in bag.items())

    for p in own:
        if cost(p) < cost(best) - 1e-9 * sum(bag.values()):
            best = p
    return best


@spaces
def test_distances(space):
    wanted = [[distance(a, b) for b in POINTS.tolist()] for a in POINTS.tolist()]
    np.testing.assert_allclose(space.matrix(POINTS, POINTS), wanted)
    for b in POINTS:
        np.testing.assert_allclose(
            space.pairs(POINTS, np.full(len(POINTS), b)), [distance(a, b) for a in POINTS.tolist()]
        )
    assert space.differ(POINTS, np.roll(POINTS, 1)).all()
    assert not space.differ(POINTS, POINTS).any()


@spaces
@given(st.lists(bags, min_size=1, max_size=5))
def test_centroids(space, listed):
    rows = [(s, POINTS.tolist().index(p), n) for s, bag in enumerate(listed) for p, n in bag.items()]
    sets = Sets.of(*map(np.array, zip(*rows, strict=True)))
    wanted = [literal_centroid(bag, space.centre) for bag in listed]
    for found, expected in zip(np.asarray(space.centroids(POINTS, sets), dtype=complex), wanted, strict=True):
        assert found == expected or abs(found - expected) < 1e-9
    for bag, expected in zip(listed, wanted, strict=True):
        found = space.centroid(np.array(list(bag)), np.array(list(bag.values())))
        assert found == expected or abs(found - expected) < 1e-9


@spaces
@given(bags)
def test_a_set_with_a_point_off_the_line_is_generalised_to_any_value(space, bag):
    index = np.array(sorted(POINTS.tolist().index(p) for p in bag))
    (found,) = space.generalise(POINTS, Sets.of(np.zeros(len(index), dtype=int), index))
    if len(bag) == 1:
        assert found == next(iter(bag))
    elif any(np.isinf(p.imag) for p in bag):
        assert found == ANY
    else:
        (low,), (high,) = ends_of(np.array([found]))
        assert (low, high) == (min(p.real for p in bag), max(p.real for p in bag))


@spaces
def test_there_is_no_line(space):
    assert space.positions(POINTS) is None
    counts = np.arange(1, len(POINTS) + 1)
    wanted = space.matrix(POINTS, POINTS) @ counts / counts.sum()
    np.testing.assert_allclose(space.marginality(POINTS, counts), wanted)
    at = space.coordinates(POINTS)
    gaps = np.abs(np.subtract.outer(at, at))[is_off_line(POINTS)]
    assert (gaps[gaps > 0] >= 1).all()
    assert is_any(POINTS).tolist() == [p == ANY for p in POINTS.tolist()]
