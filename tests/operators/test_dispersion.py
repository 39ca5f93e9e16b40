from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.distance import MEASURES
from ontomask.operators import semantic_mean, semantic_variance
from ontomask.operators import space as space_module
from ontomask.operators.concepts import NominalSpace

from support import literal_distance as distance
from support import literal_operators as lit
from support.strategies import dag_values

LITERALS = {
    "wu_palmer": distance.wu_palmer,
    "path": distance.path_distance,
    "log_sc": distance.log_sc,
    "leacock_chodorow": distance.leacock_chodorow,
}


@given(dag_values(), st.sampled_from(sorted(LITERALS)))
@settings(max_examples=200)
def test_mean_and_variance_are_the_literal_ones(sample, name):
    t, parents, values = sample
    d = om.distance(name, t)

    def sd(a, b):
        return LITERALS[name](parents, a, b)

    assert semantic_mean(values, d) == lit.semantic_mean(t.ids, values, sd)
    assert semantic_variance(values, d) == pytest.approx(lit.semantic_variance(t.ids, values, sd), abs=1e-9)


@given(dag_values(), st.sampled_from(sorted(LITERALS)))
@settings(max_examples=200)
def test_the_search_with_bounds_finds_the_literal_mean(sample, name):
    t, parents, values = sample
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ontomask.operators.concepts._MANY", 0)
        found = semantic_mean(values, om.distance(name, t))
    assert found == lit.semantic_mean(t.ids, values, lambda a, b: LITERALS[name](parents, a, b))


VARIANTS = [
    *((name, {}) for name in sorted(MEASURES)),
    *(("wu_palmer", {"root_depth": root_depth}) for root_depth in (0, 2)),
    *((name, {"ic": ic}) for name in ("resnik", "lin", "jiang_conrath") for ic in ("zhou", "sanchez", "counts")),
]


@pytest.mark.slow
@given(dag_values(), st.sampled_from(VARIANTS), st.data())
@settings(max_examples=400)
def test_no_concept_of_the_domain_is_overlooked(sample, variant, data):
    # Candidates that a parent always beats are left out; the whole matrix must give the same mean.
    t, parents, _ = sample
    name, options = variant
    top = data.draw(st.sampled_from(sorted(parents)))
    inside = t.domain(top)
    if options.get("ic") == "counts":
        options = {"ic": {top: 3}}
    values = data.draw(st.lists(st.sampled_from(inside.ids), min_size=1, max_size=8))
    for d in (om.distance(name, t, **options), om.distance(name, inside, **options)):
        whole = dict(zip(inside.ids, d.matrix(list(inside.ids), values, dtype="float64"), strict=True))
        expected = lit.semantic_mean(inside.ids, range(len(values)), lambda c, i, whole=whole: whole[c][i])
        points, counts = np.unique(inside.codes(values), return_counts=True)
        space = NominalSpace(inside, d)
        assert inside.ids[space.mean(points, counts)] == expected
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ontomask.operators.concepts._MANY", 0)
            assert inside.ids[space.mean(points, counts)] == expected
        assert space.variance(points, counts) == pytest.approx(np.mean(whole[expected] ** 2), abs=1e-9)


def test_mean_by_hand():
    t = om.Taxonomy.from_edges([("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c")])
    d = om.distance("path", t, raw=True)
    # Sums over d, d, e, f: d 0+0+2+4 = 6, b 1+1+1+3 = 6, a 2+2+2+2 = 8, e 2+2+0+4 = 8. Squares: d 20, b 12.
    assert semantic_mean(["d", "e", "f", "d"], d) == "b"
    assert semantic_variance(["d", "e", "f", "d"], d) == 12 / 4
    # Sums over d, f: a 4, b 1+3, c 3+1, d 4, f 4. Squares: a 8, b and c 10, d and f 16.
    assert semantic_mean(["d", "f"], d) == "a"
    assert semantic_variance(["d", "f"], d) == 4


def test_ties_of_variance_go_to_the_first_in_order():
    t = om.Taxonomy.from_edges([("b", "a"), ("c", "a")], concepts=["a", "c", "b"])
    d = om.distance("wu_palmer", t, root_depth=0)
    # All but equal concepts are at distance 1: b and c are as good, a is worse.
    assert t.ids == ("a", "b", "c")
    assert semantic_mean(["c", "b"], d) == "b"


def test_mean_may_lie_outside_the_subsumers():
    # Both parents of x hold values of their own; x is nearer to all of them than any subsumer.
    edges = [(p, "top") for p in ("p", "q", "r")] + [("x", p) for p in ("p", "q", "r")]
    d = om.distance("path", om.Taxonomy.from_edges([*edges, ("top", "root"), ("far", "root")]), raw=True)
    # "top" and "x" are one link from each of p, q, r; with top's own variance the same, order decides.
    assert semantic_mean(["p", "q", "r"], d) == "top"
    above = om.Taxonomy.from_edges([("p", "s"), ("s", "top"), ("q", "u"), ("u", "top"), ("x", "p"), ("x", "q")])
    assert semantic_mean(["p", "q"], om.distance("path", above, raw=True)) == "x"


def test_one_value_and_all_equal():
    t = om.Taxonomy.from_edges([("b", "a"), ("c", "a")])
    for name in MEASURES:
        d = om.distance(name, t)
        assert semantic_mean(["c"], d) == semantic_mean(iter(["c"] * 5), d) == "c"
        assert semantic_variance(["c"] * 5, d) == 0
    alone = om.distance("wu_palmer", om.Taxonomy.from_edges([], concepts=["only"]))
    assert semantic_mean(["only"], alone) == "only"


def test_counts_beyond_the_tolerance_of_sums():
    # A sum over 10 million records does not hold nine digits after the point; the mean does.
    t = om.Taxonomy.from_edges([("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c")])
    space = NominalSpace(t, om.distance("wu_palmer", t))
    points, counts = t.codes(["d", "e", "f"]), np.array([10**7, 10**7, 1])
    assert t.ids[space.mean(points, counts)] == semantic_mean(["d", "e"], space.distance)


@pytest.mark.parametrize("block", [1, 64, 2**18])
def test_blocks_do_not_matter(block, monkeypatch):
    wn = om.load_wordnet()
    rng = np.random.default_rng(5)
    points = np.unique(rng.integers(0, len(wn), 150)).astype(np.int32)
    counts = rng.integers(1, 9, len(points))
    monkeypatch.setattr(space_module, "_BLOCK", block)
    for name in ("wu_palmer", "x_similarity"):
        d = om.distance(name, wn)
        whole = d.matrix(points, dtype="float64") @ counts / counts.sum()
        space = NominalSpace(wn, d)
        assert np.allclose(space.mean_distances(points, points, counts), whole, rtol=0, atol=1e-12)
        everything = np.arange(len(wn))
        assert np.allclose(
            space.mean_distances(everything, points[:7], counts[:7])[points],
            d.matrix(points, points[:7], dtype="float64") @ counts[:7] / counts[:7].sum(),
            rtol=0,
            atol=1e-12,
        )


def test_mean_over_wordnet():
    wn = om.load_wordnet()
    d = om.distance("wu_palmer", wn)
    values = ["dog.n.01", "cat.n.01", "wolf.n.01", "fox.n.01", "lion.n.01"]
    expected = np.argmin(np.sum([d.row(v, dtype="float64") for v in values], axis=0))
    assert semantic_mean(values, d) == wn.ids[expected] == "canine.n.02"


# Bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operator", [semantic_mean, semantic_variance])
def test_values_must_be_there_and_known(operator):
    d = om.distance("path", om.Taxonomy.from_edges([("ache", "pain")]))
    with pytest.raises(om.DistanceError):
        operator([], d)
    with pytest.raises(om.DistanceError):
        operator("ache", d)
    with pytest.raises(om.UnknownConceptError):
        operator(["ache", "ach"], d)
