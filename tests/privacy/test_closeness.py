from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.privacy import t_closeness
from ontomask.privacy.closeness import GROUNDS
from ontomask.privacy.kernels import transport, transport_costs

from support import literal_privacy as lit
from support.errors import raises

# How exactly the solver of linear programmes meets its constraints.
SOLVER = 1e-7

# Li et al., their example of salaries from 3K to 11K: the first two groups are the paper's.
SALARY = [0, 1, 2, 3, 5, 8, 4, 6, 7]
THREES = [0, 0, 0, 1, 1, 1, 2, 2, 2]

# … and their hierarchy of diseases.
DISEASES = {
    "respiratory": {"infection": ["flu", "pneumonia", "bronchitis"], "vascular": ["oedema", "embolism"]},
    "digestive": {"stomach": ["ulcer", "cancer", "gastritis"], "colon": ["colitis", "colon cancer"]},
}
LEVELS = [[leaf, part, system, "*"] for system, parts in DISEASES.items() for part in parts for leaf in parts[part]]
LEAVES = [path[0] for path in LEVELS]


@st.composite
def grouped(draw: st.DrawFn, size: int, missing: bool = False) -> tuple[list[int], list[int]]:
    records = draw(st.integers(1, 12))
    raw = draw(st.lists(st.integers(0, 3), min_size=records, max_size=records))
    codes = draw(st.lists(st.integers(-missing, size - 1), min_size=records, max_size=records))
    return [sorted(set(raw)).index(g) for g in raw], codes


@st.composite
def grounds(draw: st.DrawFn, size: int) -> np.ndarray:
    """Distances that need not satisfy the triangle inequality, with many ties."""
    tenths = draw(st.lists(st.integers(0, 10), min_size=size * size, max_size=size * size))
    half = np.triu(np.reshape(tenths, (size, size)), 1) / 10
    return half + half.T


@st.composite
def trees(draw: st.DrawFn, leaves: int = 6, height: int = 3) -> list[list[int]]:
    paths = [[leaf] for leaf in range(leaves)]
    for _ in range(height - 1):
        parent = {label: draw(st.integers(0, 2)) for label in sorted({path[-1] for path in paths})}
        for path in paths:
            path.append(parent[path[-1]])
    return [[*path, 0] for path in paths]


def as_last(codes: list[int], size: int) -> list[int]:
    return [size if code < 0 else code for code in codes]


def test_salaries():
    found = t_closeness(THREES, SALARY, ground="ordered")
    assert found.distances.tolist() == pytest.approx(
        [(6 + 5 + 4 + 4 + 3 + 2 + 2 + 1) / 8 / 9, 12 / 8 / 9, (4 + 3 + 2 + 2 + 1 + 1 + 1 + 2 + 1) / 8 / 9]
    )
    assert (found.worst, found.t) == (0, pytest.approx(3 / 8))
    assert str(found) == "t = 0.375 under ordered ground distance (3 groups)"


@pytest.mark.parametrize(("other", "levels_up"), [("bronchitis", 1), ("embolism", 2), ("cancer", 3)])
def test_diseases_meet_at_a_level(other, levels_up):
    # Two groups of one record: each is half of the table, so half of its share moves all the way.
    codes = [LEAVES.index("flu"), LEAVES.index(other)]
    found = t_closeness([0, 1], codes, ground="hierarchical", levels=LEVELS)
    assert found.distances.tolist() == pytest.approx([levels_up / 3 / 2] * 2)


def test_equal_distance_is_what_a_group_has_too_much_of():
    # aaab against aaabcc: a has 3/4 for 1/2, b 1/4 for 1/6.
    found = t_closeness([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 2, 2])
    assert found.distances.tolist() == pytest.approx([(3 / 4 - 1 / 2) + (1 / 4 - 1 / 6), 1 - 1 / 3])
    assert found.ground == "equal"


def test_without_the_triangle_inequality_a_common_share_may_have_to_move():
    """Where a and c are far apart but b is near both, all move one place: keeping b where it is would cost more."""
    distances = np.array([[0, 0.1, 1], [0.1, 0, 0.1], [1, 0.1, 0]])
    # ab against abbc: b takes half of a's surplus, and passes its own on to c.
    found = t_closeness([0, 0, 1, 1], [0, 1, 1, 2], ground="semantic", distances=distances)
    assert found.distances[0] == pytest.approx(0.1 / 4 + 0.1 / 4)
    assert found.distances[0] == pytest.approx(
        lit.closeness([0, 0, 1, 1], [0, 1, 1, 2], 3, lambda i, j: distances[i, j])[0]
    )


def test_close_in_meaning_is_close():
    t = om.Taxonomy.from_edges(
        [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom"), ("itch", "rash")]
    )
    values = t.codes(["ache", "colic", "itch"])
    distances = om.distance("wu_palmer", t).matrix(values)
    groups = [0, 0, 1, 1, 2, 2]
    alike = t_closeness(groups, [0, 2, 1, 2, 0, 2], ground="semantic", distances=distances)
    assert t_closeness(groups, [0, 2, 1, 2, 0, 2]).t == pytest.approx(1 / 3)
    assert alike.t == pytest.approx(float(distances[0, 1]) / 3)


@pytest.mark.parametrize("ground", GROUNDS)
def test_edges(ground):
    size = 3
    options = {
        "equal": {},
        "ordered": {"size": size},
        "hierarchical": {"levels": [[v, "*"] for v in "abc"]},
        "semantic": {"distances": 1.0 - np.eye(size)},
    }[ground]
    alone = t_closeness([0], [1], ground=ground, **options)
    one_group = t_closeness([0] * 5, [0, 1, 1, 2, 2], ground=ground, **options)
    one_value = t_closeness([0, 0, 1], [1, 1, 1], ground=ground, **options)
    all_missing = t_closeness([0, 0, 1], [-1, -1, -1], ground=ground, **options)
    for found in (alone, one_group, one_value, all_missing):
        assert found.t == pytest.approx(0, abs=1e-12)
    # A missing value is one of its own, as far as can be from all others.
    assert t_closeness([0, 1], [0, -1], ground=ground, **options).distances.tolist() == [0.5, 0.5]


def test_the_last_of_an_order_may_not_occur():
    assert t_closeness([0, 1], [0, 1], ground="ordered").t == 1 / 2
    assert t_closeness([0, 1], [0, 1], ground="ordered", size=5).t == 1 / 8


@given(grouped(5, missing=True))
def test_equal_agrees_with_its_definition(table):
    groups, codes = table
    wanted = lit.closeness(groups, as_last(codes, 5), 6, lit.equal)
    assert t_closeness(groups, codes).distances.tolist() == pytest.approx(wanted, abs=SOLVER)


@given(grouped(6))
def test_ordered_agrees_with_its_definition(table):
    groups, codes = table
    wanted = lit.closeness(groups, codes, 6, lit.ordered(6))
    assert t_closeness(groups, codes, ground="ordered", size=6).distances.tolist() == pytest.approx(wanted, abs=SOLVER)


@given(grouped(5, missing=True))
def test_an_order_with_missing_values_agrees_with_its_definition(table):
    groups, codes = table
    wanted = lit.closeness(groups, as_last(codes, 5), 6, lit.with_missing(lit.ordered(5), 5))
    assert t_closeness(groups, codes, ground="ordered", size=5).distances.tolist() == pytest.approx(wanted, abs=SOLVER)


@given(grouped(6, missing=True), trees())
def test_hierarchical_agrees_with_its_definition(table, levels):
    groups, codes = table
    last = as_last(codes, 6)
    found = t_closeness(groups, codes, ground="hierarchical", levels=levels).distances.tolist()
    wanted = lit.closeness(groups, last, 7, lit.with_missing(lit.hierarchical(levels), 6))
    assert found == pytest.approx(wanted, abs=SOLVER)
    paths = [*levels, [-1] * (len(levels[0]) - 1) + [0]]
    table_share = lit.distribution(last, 7)
    closed = [
        lit.tree_cost(lit.distribution([last[r] for r in records], 7), table_share, paths)
        for records in lit.members(groups)
    ]
    assert found == pytest.approx(closed, abs=1e-12)


@given(grouped(6, missing=True), grounds(6))
def test_semantic_agrees_with_its_definition(table, distances):
    groups, codes = table
    found = t_closeness(groups, codes, ground="semantic", distances=distances).distances.tolist()
    wanted = lit.closeness(
        groups, as_last(codes, 6), 7, lit.with_missing(lambda i, j: float(distances[i % 6, j % 6]), 6)
    )
    assert found == pytest.approx(wanted, abs=SOLVER)


@pytest.mark.parametrize("ground", ["equal", "ordered", "hierarchical"])
def test_the_other_grounds_are_semantic_ones(ground):
    rng = np.random.default_rng(3)
    codes, groups = rng.integers(0, len(LEVELS), 500), np.append(rng.integers(0, 60, 440), np.arange(60))
    function = {
        "equal": lit.equal,
        "ordered": lit.ordered(len(LEVELS)),
        "hierarchical": lit.hierarchical(LEVELS),
    }[ground]
    options = {"levels": LEVELS} if ground == "hierarchical" else {}
    found = t_closeness(groups, codes, ground=ground, **options)
    matrix = lit.matrix_of(len(LEVELS), function)
    assert found.distances == pytest.approx(
        t_closeness(groups, codes, ground="semantic", distances=matrix).distances, abs=1e-12
    )


@pytest.mark.parametrize("metric", [True, False])
@pytest.mark.parametrize(("support", "size"), [(2, 40), (15, 60), (40, 40)])
def test_larger_problems_agree_with_a_linear_programme(support, size, metric):
    rng = np.random.default_rng([support, metric])
    if metric:
        places = rng.random((size, 2))
        cost = np.linalg.norm(places[:, None] - places, axis=2)
    else:
        cost = rng.random((size, size))
    value = np.sort(rng.choice(size, support, replace=False))
    count, total = rng.integers(1, 9, support), rng.integers(0, 50, size)
    out = np.empty(1)
    transport_costs(np.array([0, support]), value, count, total, cost, out)
    p = np.zeros(size)
    p[value] = count / count.sum()
    assert out[0] == pytest.approx(lit.earth_movers(p, total / total.sum(), lambda i, j: cost[i, j]), abs=SOLVER)


@pytest.mark.parametrize("seed", range(60))
def test_the_prices_prove_that_nothing_is_cheaper(seed):
    """Whole shares arrive, and the prices give a lower bound of all flows (duality) that this one meets."""
    rng = np.random.default_rng(seed)
    supports, size = int(rng.integers(2, 60)), int(rng.integers(2, 120))
    cost = rng.random((supports, size)) if seed % 2 else rng.integers(0, 4, (supports, size)) / 4
    count, total = rng.integers(1, 9, supports), rng.integers(1, 10 ** (1 + seed % 5), size)
    supply, demand = count * total.sum(), total * count.sum()
    flow = np.zeros(cost.shape, dtype=np.int64)
    price = transport(cost, supply.copy(), demand.copy(), flow, np.empty(cost.shape, dtype=np.int64))
    assert (flow.sum(axis=1) == supply).all()
    assert (flow.sum(axis=0) == demand).all()
    bound = price @ supply + (cost - price[:, None]).min(axis=0) @ demand
    assert (flow * cost).sum() == pytest.approx(bound, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"ground": "euclidean"}, "ground"),
        ({"ground": "semantic"}, "distances"),
        ({"ground": "hierarchical"}, "levels"),
        ({"ground": "equal", "size": 3}, "size"),
        ({"distances": np.zeros((3, 3))}, "distances"),
        ({"ground": "ordered", "size": 2}, "confidential"),
        ({"ground": "semantic", "distances": np.zeros((2, 2))}, "confidential"),
        ({"ground": "semantic", "distances": np.zeros((3, 2))}, "distances"),
        ({"ground": "semantic", "distances": np.full((3, 3), np.nan)}, "distances"),
        ({"ground": "semantic", "distances": 2.0 * (1 - np.eye(3))}, "distances"),
        ({"ground": "semantic", "distances": np.eye(3)}, "distances"),
        ({"ground": "semantic", "distances": np.triu(np.ones((3, 3)), 1)}, "distances"),
        ({"ground": "hierarchical", "levels": [["a"], ["b"], ["c"]]}, "levels"),
        ({"ground": "hierarchical", "levels": [["a", "*"], ["a", "*"]]}, "levels"),
        ({"ground": "hierarchical", "levels": [["a", "x"], ["b", "y"]]}, "levels"),
        (
            {"ground": "hierarchical", "levels": [["a", "x", "p", "*"], ["b", "x", "q", "*"], ["c", "y", "q", "*"]]},
            "levels",
        ),
    ],
)
def test_bad_input_is_refused(options, parameter):
    with raises(om.PrivacyError, parameter=parameter):
        t_closeness([0, 0, 1], [0, 1, 2], **options)


def test_no_records_are_refused():
    with raises(om.PrivacyError, parameter="groups"):
        t_closeness([], [])


def test_a_long_order_with_missing_values_is_refused():
    with raises(om.PrivacyError, parameter="size"):
        t_closeness([0, 0], [6000, -1], ground="ordered")


def test_a_thousand_groups_against_a_large_table_are_quick():
    """The transport of many small groups is what the compiled search is made for."""
    rng = np.random.default_rng(7)
    places = rng.random((700, 3))
    distances = np.linalg.norm(places[:, None] - places, axis=2) / 2
    groups = np.repeat(np.arange(1000), 12)
    codes = (700 * rng.random(12000) ** 2).astype(int)
    found = t_closeness(groups, codes, ground="semantic", distances=distances)
    equal = t_closeness(groups, codes)
    # Cheaper than sending all that differs over the greatest distance.
    assert (found.distances <= equal.distances * distances.max() + 1e-9).all()
