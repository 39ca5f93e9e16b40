from __future__ import annotations

import random
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chisquare

import ontomask as om
from ontomask.errors import MaskingError
from ontomask.masking import record_lists, record_swaps
from ontomask.masking.kernels import swapping
from ontomask.masking.kernels.rank_swapping import swap_by_rank
from ontomask.masking.rank_swapping import DataSwapping, DistributionalRankSwapping, RankSwapping

from support import literal_swapping as literal
from support.errors import raises
from support.tables import microdata, records_of

SYMPTOMS = om.Taxonomy.from_edges(
    [
        ("pain", "symptom"),
        ("rash", "symptom"),
        ("ache", "pain"),
        ("colic", "pain"),
        ("lumbago", "ache"),
        ("migraine", "ache"),
    ]
)
INTERVALS = ("records", "unswapped")
intervals = pytest.mark.parametrize("interval", INTERVALS)
algorithms = pytest.mark.parametrize("algorithm", [1, 2, 3])
# Links that are counted, not divided by the most there could be: distances above 1.
DISTANCES = ("wu_palmer", "log_sc", "path", {"name": "path", "raw": True})


def symptoms(**columns):
    attributes = {name: om.Nominal(SYMPTOMS, domain="symptom") for name in columns}
    return om.Microdata(pd.DataFrame(columns), attributes, missing="keep")


# The literal view of a table


def distances(data, j, rows):
    """What R calls sd, between the cells of records; a cell that is kept is at distance 1 from all others."""
    column = list(data.quasi_identifiers.values())[j]
    code = column.code[rows]
    kept, point = column.kept[code], column.point[code]
    found = np.where(code[:, None] == code, 0.0, 1.0)
    found[np.ix_(~kept, ~kept)] = column.space.matrix(point[~kept], point[~kept])
    return found.tolist()


def record_distance(data):
    """R eq. 9, between records, by weights."""
    weights = [column.kind.weight for column in data.quasi_identifiers.values()]
    parts = [distances(data, j, np.arange(len(data))) for j in range(len(weights))]
    return lambda i, k: sum(w * d[i][k] for w, d in zip(weights, parts, strict=True)) / sum(weights)


def movable(data):
    return [(~column.kept[column.code]).tolist() for column in data.quasi_identifiers.values()]


def literal_run(data, method):
    """What the method should do, as a function of the draws."""
    unswapped_only = getattr(method, "interval", "records") == "unswapped"
    if isinstance(method, RankSwapping) and method.algorithm == 3:
        d = record_distance(data)
        return lambda draws: literal.algorithm_3(movable(data), d, method.k, draws, unswapped_only)

    def run(draws):
        done = literal.Swapped.nothing(len(data.quasi_identifiers), len(data))
        for j, mine in enumerate(movable(data)):
            rows = [i for i, may in enumerate(mine) if may]
            d = distances(data, j, rows)
            k = min(getattr(method, "k", len(rows)), len(rows) - 1)
            if isinstance(method, DataSwapping):
                one = literal.any_other(len(rows), draws)
            elif isinstance(method, DistributionalRankSwapping):
                column = list(data.quasi_identifiers.values())[j]
                one = literal.distributional(column.point[column.code[rows]].tolist(), k, draws)
            elif method.algorithm == 1:
                one = literal.algorithm_1(len(rows), lambda a, b, d=d: d[a][b], k, draws, unswapped_only)
            else:
                always = [[True] * len(rows)]
                one = literal.algorithm_3(always, lambda a, b, d=d: d[a][b], k, draws, unswapped_only)
            for i, source in enumerate(one.source[0]):
                done.source[j][rows[i]] = rows[source]
            done.candidates[j] = one.candidates[0]
        return done

    return run


# Fixed draws: whatever the fast version chooses, the literal one allows, and both come to the same


class Replay:
    """Draws what the fast version drew, and refuses what it should not have drawn."""

    def __init__(self, references, intervals, source):
        self.references, self.intervals, self.source = iter(references), iter(intervals), source

    def reference(self, options):
        self.now = next(self.references)
        self.near = next(self.intervals)
        assert self.now in options
        return self.now

    def interval(self, inside, tied, size, attribute):
        if self.near is None:
            # Only the partner is known: some interval with it must be possible.
            partner = [i for i in tied if i == self.source[attribute][self.now]]
            return inside + (partner + [i for i in tied if i not in partner])[: size - len(inside)]
        assert len(set(self.near)) == len(self.near) == size
        assert set(inside) <= set(self.near) <= set(inside) | set(tied)
        return self.near

    def partner(self, reference, attribute, options):
        assert self.source[attribute][reference] in options
        return self.source[attribute][reference]

    def deal(self, attribute, records):
        dealt = [self.source[attribute][i] for i in records]
        assert sorted(dealt) == sorted(records)
        return dealt


def traced(data, method, seed):
    """Run one step at a time, and look at every reference and its interval."""
    references, near = [], []

    def swap_one(table, costs, found, state, k, unswapped_only, reference, steps, rng):
        following = real(table, costs, found, state, k, unswapped_only, reference, 1, rng)
        if following >= -1:
            references.append(reference)
            near.append(None if unswapped_only else state.interval.tolist())
        return following

    real = swapping.swap_records
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swapping, "swap_records", swap_one)
        moves = swap_rows(method, data, np.random.default_rng(seed))
    return moves, references, near


def swap_rows(method, data, rng):
    """Whose value each row gets. The method has the records listed by tuple."""
    moves = method._swaps(data)(rng)
    rows = np.argsort(data.table.inverse, kind="stable")
    source = np.empty(moves.source.shape, dtype=np.int64)
    source[:, rows] = rows[moves.source]
    return record_swaps.Moves(source, moves.candidates)


def histogram(counts, size):
    return [counts.count(c) for c in range(size)]


@intervals
@settings(max_examples=60)
@given(st.data())
def test_algorithm_3_does_what_is_written(interval, draw):
    data = draw.draw(microdata(least=2, most=14, kept=draw.draw(st.booleans()), distances=DISTANCES))
    method = RankSwapping(draw.draw(st.integers(1, len(data) - 1)), interval=interval)
    follow(data, method, seed=draw.draw(st.integers(0, 99)))


def follow(data, method, seed):
    """Run Algorithm 3, and let the literal version make the same choices."""
    moves, references, near = traced(data, method, seed)
    rows = np.argsort(data.table.inverse, kind="stable").tolist()
    replay = Replay(
        [rows[r] for r in references],
        [near_one and [rows[r] for r in near_one] for near_one in near],
        moves.source.tolist(),
    )
    expected = literal_run(data, method)(replay)
    assert expected.source == moves.source.tolist()
    assert next(replay.references, None) is None
    for counts, found in zip(expected.candidates, moves.candidates, strict=True):
        assert histogram(counts, len(found)) == found.tolist()


def large_table(distance="wu_palmer"):
    """So many values and ties that the search takes all its ways."""
    rng = np.random.default_rng(0)
    concepts = [f"c{i}" for i in range(120)]
    tree = om.Taxonomy.from_edges([(concepts[i], concepts[(i - 1) // 4]) for i in range(1, 120)])
    frame = {name: rng.choice(concepts, 300) for name in "ab"} | {"c": rng.integers(0, 200, 300)}
    attributes = {name: om.Nominal(tree, distance, domain="c0") for name in "ab"} | {"c": om.Numeric(weight=0.5)}
    return om.Microdata(pd.DataFrame(frame), attributes)


@intervals
@pytest.mark.parametrize("k", [1, 10, 100])
def test_algorithm_3_does_what_is_written_on_a_large_table(interval, k):
    data = large_table()
    follow(data, RankSwapping(k, interval=interval), seed=k)


@intervals
def test_counted_links_are_not_cut_off(interval):
    follow(large_table({"name": "path", "raw": True}), RankSwapping(10, interval=interval), seed=1)


def test_references_that_tie_are_as_likely():
    # Below one side of the root 20 values, below the other 100; from the first record all of these are as far.
    sides = [("near", "top"), ("far", "top"), ("first", "near"), ("alone", "first")]
    near, far = [f"n{i}" for i in range(20)], [f"f{i}" for i in range(100)]
    tree = om.Taxonomy.from_edges(sides + [(c, "near") for c in near] + [(c, "far") for c in far])
    data = om.Microdata(pd.DataFrame({"a": [*near, *far, "f0", "f0", "alone"]}), {"a": om.Nominal(tree)})
    found = Counter()
    for seed in range(1000):
        found[second_reference(data, seed)] += 1
    assert len(found) == 102
    assert chisquare(list(found.values())).pvalue > 1e-4


def second_reference(data, seed):
    def swap_one(*given):
        found.append(real(*given[:7], 1, given[8]))
        return -1

    real, found = swapping.swap_records, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swapping, "swap_records", swap_one)
        RankSwapping(1)._swaps(data)(np.random.default_rng(seed))
    return found[0]


@intervals
@settings(max_examples=40)
@given(st.data())
def test_algorithm_2_does_what_is_written(interval, draw):
    data = draw.draw(microdata(least=2, most=14, columns=1, kept=draw.draw(st.booleans()), distances=DISTANCES))
    method = RankSwapping(draw.draw(st.integers(1, len(data) - 1)), algorithm=2, interval=interval)
    moves, references, near = traced(data, method, draw.draw(st.integers(0, 99)))
    column, values = data.table.columns[0], data.table.values[0]
    index = values.of_cell[column.code]
    rows = np.flatnonzero(~values.kept[index])
    # The literal version numbers the values that can be moved; the fast one has them sorted.
    order = np.argsort(index[rows], kind="stable").tolist()
    number = {int(row): i for i, row in enumerate(rows)}
    source = [[number[int(row)] for row in moves.source[0, rows]]]
    replay = Replay(
        [order[r] for r in references], [near_one and [order[r] for r in near_one] for near_one in near], source
    )
    expected = literal_run(data, method)(replay)
    assert expected.source == moves.source.tolist()
    assert histogram(expected.candidates[0], len(moves.candidates[0])) == moves.candidates[0].tolist()


@intervals
@given(n=st.integers(1, 12), k=st.integers(1, 12), seed=st.integers(0, 99))
def test_swaps_along_a_ranking(interval, n, k, seed):
    unswapped_only = interval == "unswapped"
    source, candidates = np.arange(n, dtype=np.int32), np.zeros(max(n, k) + 2, dtype=np.int64)
    rng = np.random.default_rng(seed)
    ranked = rng.permutation(n).astype(np.int32)
    swap_by_rank(ranked, k, unswapped_only, rng, source, candidates)
    expected = literal.by_rank(ranked.tolist(), k, Replay([], [], [source.tolist()]), unswapped_only)
    assert expected.source[0] == source.tolist()
    assert histogram(expected.candidates[0], len(candidates)) == candidates.tolist()


# Random draws: the same distribution


def distribution(run):
    """How likely each outcome is: who gets whose value, and from how many values it was drawn."""
    likely = defaultdict(float)
    for done, probability in literal.outcomes(run):
        likely[outcome(done.source, [histogram(c, 9) for c in done.candidates])] += float(probability)
    assert sum(likely.values()) == pytest.approx(1)
    return likely


def outcome(source, candidates):
    """Records with equal values are told apart: copies must be drawn evenly, too."""
    often = (tuple(counts) + (0,) * (9 - len(counts)) for counts in candidates)
    return tuple(map(tuple, source)), tuple(often)


SMALL = {
    "ties": {"a": ["ache", "colic", "rash", "ache", "pain"]},
    "unlike": {"a": ["lumbago", "rash", "pain", "colic"], "b": ["rash", "ache", "ache", "colic"]},
    "copies": {"a": ["ache", "ache", "ache", "rash"], "b": ["rash", "rash", "rash", "ache"]},
    "kept": {"a": ["ache", None, "rash", "ache"], "b": ["rash", "rash", None, "ache"]},
    "numbers": {"age": [20, 30, 31, 80], "size": ["low", "high", "mid", "low"]},
}


def small(table):
    if table != "numbers":
        return symptoms(**SMALL[table])
    attributes = {"age": om.Numeric(weight=2), "size": om.Ordinal(["low", "mid", "high"])}
    return om.Microdata(pd.DataFrame(SMALL[table]), attributes)


@pytest.mark.parametrize(
    ("table", "method"),
    [
        ("ties", RankSwapping(2)),
        ("ties", RankSwapping(2, algorithm=1)),
        ("ties", RankSwapping(2, algorithm=1, interval="unswapped")),
        ("ties", RankSwapping(2, algorithm=2)),
        ("ties", RankSwapping(1, algorithm=2, interval="unswapped")),
        ("unlike", RankSwapping(2)),
        ("unlike", RankSwapping(1, interval="unswapped")),
        ("unlike", RankSwapping(2, interval="unswapped")),
        ("copies", RankSwapping(2)),
        ("copies", RankSwapping(1, interval="unswapped")),
        ("kept", RankSwapping(2)),
        ("kept", RankSwapping(1, interval="unswapped")),
        ("kept", RankSwapping(2, algorithm=1)),
        ("numbers", RankSwapping(2)),
        ("numbers", RankSwapping(1, interval="unswapped")),
        ("numbers", RankSwapping(2, algorithm=1)),
        ("numbers", RankSwapping(2, algorithm=2)),
        ("ties", DistributionalRankSwapping(2)),
        ("ties", DataSwapping()),
    ],
    ids=str,
)
def test_same_distribution(table, method):
    data = small(table)
    likely = distribution(literal_run(data, method))
    rng = np.random.default_rng(20)
    runs = 500
    found = Counter()
    for _ in range(runs):
        moves = swap_rows(method, data, rng)
        found[outcome(moves.source.tolist(), [c.tolist() for c in moves.candidates])] += 1
    assert set(found) <= set(likely)
    compare(found, likely, runs)


def compare(found, likely, runs):
    """Chi-square, rare outcomes together."""
    common = [outcome for outcome in likely if likely[outcome] * runs >= 5]
    expected = [likely[outcome] * runs for outcome in common]
    seen = [found[outcome] for outcome in common]
    if runs - sum(expected) >= 5:
        expected.append(runs - sum(expected))
        seen.append(runs - sum(seen))
    if len(expected) == 1:
        return
    assert chisquare(seen, np.array(expected) * sum(seen) / sum(expected)).pvalue > 1e-4


def test_released_tables_have_the_distribution_of_the_literal_version():
    # Through the plan, which leaves open which of the records of a tuple gets what.
    data = symptoms(a=["ache", "ache", "rash", "colic", "pain"], b=["rash", "rash", "ache", "rash", "colic"])
    method = RankSwapping(2)
    names = list(data.quasi_identifiers)
    before = records_of(data.frame, names)
    runs = 400
    fast = Counter(tuple(records_of(method.mask(data, seed=seed).frame, names)) for seed in range(runs))
    run, chance = literal_run(data, method), literal.Chance(random.Random(1))
    slow = Counter()
    for _ in range(2 * runs):
        source = run(chance).source
        slow[tuple(tuple(before[source[a][i]][a] for a in range(2)) for i in range(len(before)))] += 1
    # Two samples: the usual statistic for homogeneity.
    outcomes = [o for o in fast | slow if fast[o] + slow[o] >= 25]
    rows = np.array(
        [[sample[o] for o in outcomes] + [sample.total() - sum(sample[o] for o in outcomes)] for sample in (fast, slow)]
    )
    rows = rows[:, rows.sum(axis=0) > 0]
    expected = np.outer(rows.sum(axis=1), rows.sum(axis=0)) / rows.sum()
    assert len(outcomes) > 4
    assert chi2.sf(((rows - expected) ** 2 / expected).sum(), rows.shape[1] - 1) > 1e-4


# Laws

METHODS = [
    *(RankSwapping(3, algorithm=a, interval=i) for a in (1, 2, 3) for i in INTERVALS),
    DistributionalRankSwapping(3),
    DataSwapping(),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
@settings(max_examples=20)
@given(data=microdata(least=4, kept=True), seed=st.integers(0, 9))
def test_columns_keep_their_values(method, data, seed):
    names = list(data.quasi_identifiers)
    before = records_of(data.frame, names)
    result = method.mask(data, seed=seed)
    after = records_of(result.frame, names)
    for old, new in zip(zip(*before, strict=True), zip(*after, strict=True), strict=True):
        assert Counter(old) == Counter(new)
        assert [i for i, cell in enumerate(old) if cell is None] == [i for i, cell in enumerate(new) if cell is None]
    assert records_of(data.frame, names) == before
    assert records_of(method.mask(data, seed=seed).frame, names) == after

    values = {
        name: [cell for cell in column if cell is not None]
        for name, column in zip(names, zip(*before, strict=True), strict=True)
    }
    details = result.details
    for name, old, new in zip(names, zip(*before, strict=True), zip(*after, strict=True), strict=True):
        same = sum(a == b for a, b in zip(old, new, strict=True) if a is not None)
        assert details["unchanged"][name] == pytest.approx(same / len(values[name]))
        assert details["unswapped"][name] <= same
    assert details["unchanged_records"] == pytest.approx(sum(map(tuple.__eq__, before, after)) / len(before))


@algorithms
def test_candidates_are_told(algorithm):
    data = symptoms(a=["ache", "rash"] * 20)
    details = RankSwapping(4, algorithm=algorithm).mask(data, seed=0).details
    of = details["candidates"]["a"]
    assert of["draws"] * 2 + details["unswapped"]["a"] == 40
    assert 1 <= of["least"] <= of["quartiles"][0] <= of["quartiles"][1] <= of["quartiles"][2] <= 4
    assert 0 < of["at_least_k"] < 1
    every = RankSwapping(4, algorithm=algorithm, interval="unswapped").mask(data, seed=0).details
    assert every["unswapped"] == {"a": 0}
    # 18 swaps leave 4 values, which are dealt out.
    assert every["candidates"]["a"] == {"draws": 18 + 4, "least": 4, "quartiles": [4, 4, 4], "at_least_k": 1.0}


def test_tuples_with_more_than_k_records_stay():
    # Rodriguez-Garcia 2019, section 4.3, Dataset2: the interval consists of copies.
    pairs = [("ache", "rash"), ("colic", "ache"), ("rash", "colic")]
    data = symptoms(a=[a for a, _ in pairs for _ in range(5)], b=[b for _, b in pairs for _ in range(5)])
    result = RankSwapping(4).mask(data, seed=3)
    assert result.frame.equals(data.frame)
    assert result.details["unchanged_records"] == 1
    changed = [not RankSwapping(5).mask(data, seed=seed).frame.equals(data.frame) for seed in range(5)]
    assert any(changed)


def test_spellings_of_one_value_come_out_alike():
    frame = pd.DataFrame({"a": ["ache"] * 5 + ["Ache"] * 5 + ["rash"] * 9})
    data = om.Microdata(frame, {"a": om.Nominal(SYMPTOMS, domain="symptom")})
    result = RankSwapping(8).mask(data, seed=0)
    assert result.details["unchanged"] == {"a": 1.0}
    assert Counter(result.frame["a"]) == {"ache": 10, "rash": 9}


def test_numbers_and_categories():
    frame = pl.DataFrame({"age": [20, 30, 31, 32, 80], "size": ["low", "high", "mid", "low", "high"]})
    data = om.Microdata(frame, {"age": om.Numeric(), "size": om.Ordinal(["low", "mid", "high"])})
    # 80 is the most distant; ranked by distance to it the ages come in falling order, and k = 1 swaps neighbours.
    assert RankSwapping(1, algorithm=1).mask(data, seed=0).frame["age"].to_list() == [20, 31, 30, 80, 32]
    # 80 swaps with 32; 20, the most distant from 80, with its nearest, 30; 31's nearest are done.
    assert RankSwapping(1, algorithm=2).mask(data, seed=0).frame["age"].to_list() == [30, 20, 31, 80, 32]


@algorithms
@intervals
def test_intervals_of_real_tables(algorithm, interval, adult):
    """No value moves farther than the k-th nearest record, and no draw is made from more than k."""
    k = 7
    method = RankSwapping(k, algorithm=algorithm, interval=interval)
    moves = swap_rows(method, adult, np.random.default_rng(0))
    for j, source in enumerate(moves.source):
        assert (source[source] == np.arange(len(adult))).all() or interval == "unswapped"
        assert sorted(source) == list(range(len(adult)))
        assert len(moves.candidates[j]) == k + 2
    if algorithm != 3 or interval != "records":
        return
    tuples = record_swaps.Tuples.of(adult.table)
    inverse = adult.table.inverse
    for source in moves.source:
        moved = np.flatnonzero(source != np.arange(len(adult)))
        for i in np.random.default_rng(1).choice(moved, 200, replace=False):
            # Either record was the reference, so one of the two has the other among its k nearest.
            ranks = [
                tuples.counts[tuples.distances_from(a) < tuples.distances_from(a)[b] - 1e-9].sum() - 1
                for a, b in ((inverse[i], inverse[source[i]]), (inverse[source[i]], inverse[i]))
            ]
            assert min(ranks) < k


def test_many_values_fit_into_little_room(monkeypatch):
    data = large_table()
    method = RankSwapping(5)
    at_once = method._swaps(data)(np.random.default_rng(1))
    monkeypatch.setattr(record_lists, "_ROOM", 120 * 3)
    assert (at_once.source == method._swaps(data)(np.random.default_rng(1)).source).all()


# Guarantee


def test_nothing_is_claimed():
    concepts = [f"c{i}" for i in range(40)]
    tree = om.Taxonomy.from_edges([(concepts[i], concepts[(i - 1) // 3]) for i in range(1, 40)])
    data = om.Microdata(pd.DataFrame({"a": concepts}), {"a": om.Nominal(tree)})
    for method in (
        RankSwapping(4),
        RankSwapping(4, interval="unswapped"),
        RankSwapping(1, interval="unswapped"),
        RankSwapping(4, algorithm=2, interval="unswapped"),
        DistributionalRankSwapping(4),
        DataSwapping(),
    ):
        plain = method.mask(data, seed=1).guarantee
        assert (plain.claim, plain.k) == ("", None)
        assert plain.text.code == "no-guarantee"
    assert "at least 4" in RankSwapping(4).mask(data, seed=1).guarantee.text.values["candidates"]


VALUES = ["lumbago", "rash", "colic"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # Each pair twice. Neighbours share values, so that column by column many records swap with their own.
        ([a for a in VALUES for _ in VALUES] * 2, [b for _ in VALUES for b in VALUES] * 2),
        # Half of the pairs: swaps make others, which nobody had and which match nobody.
        ([*VALUES, *VALUES, "pain", "ache"] * 2, [*VALUES, "ache", "pain", "pain", "pain", "rash"] * 2),
        # The same in other spellings, and with missing cells, which stay.
        (
            [*VALUES, "Rash", "Colic", None, "pain", "ache"] * 2 + [None, "colic"],
            [*VALUES, "Ache", "pain", "pain", None, "rash"] * 2 + ["ache", None],
        ),
    ],
    ids=["all pairs", "some pairs", "spellings"],
)
def test_exact_matches_are_counted(a, b):
    data = symptoms(a=a, b=b)
    before = meanings(data.frame)
    for seed in range(20):
        result = RankSwapping(3, interval="unswapped").mask(data, seed=seed)
        after = meanings(result.frame)
        often = Counter(after)
        matches = [i for i, record in enumerate(after) if often[record] < 3 and record in before]
        right = [i for i in matches if before[i] == after[i]]
        assert result.details["candidates"]["a"]["least"] >= 3
        assert result.guarantee.claim == ""
        told = result.guarantee.text.values
        assert (told["k"], told["matches"], told["right"]) == (3, len(matches), len(right))


def meanings(frame):
    return [tuple(cell and cell.lower() for cell in record) for record in records_of(frame, ["a", "b"])]


# Misuse


@pytest.mark.parametrize("method", [RankSwapping, DistributionalRankSwapping])
@pytest.mark.parametrize("k", [0, -1, 2.0, True, "5"])
def test_k_is_a_whole_number(method, k):
    with raises(MaskingError, parameter="k"):
        method(k)


def test_other_parameters_are_checked():
    with raises(MaskingError, parameter="algorithm"):
        RankSwapping(algorithm=4)
    for algorithm in (True, 3.0, "3", None):
        with raises(MaskingError, parameter="algorithm"):
            RankSwapping(algorithm=algorithm)
    with raises(MaskingError, parameter="interval"):
        RankSwapping(interval="all")
    assert repr(RankSwapping(7, interval="unswapped")) == "RankSwapping(k=7, interval='unswapped')"


@pytest.mark.parametrize("method", [RankSwapping(4), DistributionalRankSwapping(4), RankSwapping(4, algorithm=1)])
def test_k_is_below_the_number_of_records(method):
    data = symptoms(a=["ache", "rash", "pain", "colic"])
    with raises(MaskingError, parameter="k"):
        method.mask(data, seed=0)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_one_value_stays_what_it_is(method):
    one_value = symptoms(a=["ache"] * 5, b=["rash"] * 5)
    assert method.mask(one_value, seed=0).frame.equals(one_value.frame)
    one_concept = om.Taxonomy.from_edges([], concepts=["thing"])
    data = om.Microdata(pd.DataFrame({"a": ["thing"] * 5}), {"a": om.Nominal(one_concept)})
    assert method.mask(data, seed=0).frame.equals(data.frame)
    lonely = symptoms(a=["ache", None, None, None, None], b=["rash", "ache", "rash", None, "rash"])
    assert method.mask(lonely, seed=0).frame["a"].tolist()[0] == "ache"


def test_one_record_has_nobody_to_swap_with():
    data = symptoms(a=["ache"])
    assert DataSwapping().mask(data, seed=0).frame.equals(data.frame)
    with raises(MaskingError, parameter="k"):
        RankSwapping(1).mask(data, seed=0)


def test_diabetes_repeats_its_values(shared_data):
    """Most values of a diagnosis come out unchanged where k is small against their frequency."""
    from ontomask.examples.diabetes130 import diabetes130_data

    data = diabetes130_data(shared_data / "diabetes130.csv.gz", "diag_1")
    part_of = om.Microdata(
        data.frame.select("diag_1").gather_every(17),
        {"diag_1": om.Nominal(om.load_icd9cm(), domain=om.load_icd9cm().root)},
    )
    unchanged = RankSwapping(10, algorithm=2).mask(part_of, seed=0).details["unchanged"]["diag_1"]
    assert 0.85 < unchanged < 0.95


@pytest.mark.parametrize(
    "method",
    [RankSwapping(3, algorithm=a, interval=i) for a in (1, 2, 3) for i in ("records", "unswapped")]
    + [om.DistributionalRankSwapping(3), om.DataSwapping(), om.PRAM()],
    ids=str,
)
def test_prepared_plans_are_those_of_single_maskings(method):
    rng = np.random.default_rng(0)
    concepts = [f"c{i}" for i in range(30)]
    tree = om.Taxonomy.from_edges([(concepts[i], concepts[(i - 1) // 3]) for i in range(1, 30)])
    frame = pd.DataFrame({"a": rng.choice(concepts, 200), "b": rng.choice(concepts[:9], 200)})
    data = om.Microdata(frame, {name: om.Nominal(tree, domain="c0") for name in frame})
    plans = method.prepare_plans(data)
    for seed in (1, 2, 1):
        prepared, single = plans(np.random.default_rng(seed)), method._plan(data, np.random.default_rng(seed)).plan
        for name in ("start", "outcome", "records", "outcome_tuples"):
            assert (getattr(prepared, name) == getattr(single, name)).all()
