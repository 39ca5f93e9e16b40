from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError
from ontomask.hierarchy import Hierarchy
from ontomask.masking import least_cost
from ontomask.masking.generalisation import Generalisation
from ontomask.masking.generalisation_costs import OBJECTIVES, CellCosts
from ontomask.masking.generalisation_paths import GeneralisationPaths
from ontomask.masking.least_cost import cheapest_combinations
from ontomask.operators.ranges import ends_of, is_off_line

from support import literal_least_cost as lit
from support.errors import raises
from support.strategies import dags
from support.tables import microdata, records_of

SYMPTOM = [("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain"), ("pain", "symptom")]
SYMPTOM += [("appendicitis", "inflammation"), ("gastritis", "inflammation"), ("inflammation", "symptom")]
SYMPTOMS = om.Taxonomy.from_edges(SYMPTOM)


def table(*columns, **options):
    names = [f"c{j}" for j in range(len(columns))]
    kinds = {name: om.Nominal(SYMPTOMS, domain="symptom") for name in names}
    return om.Microdata(pd.DataFrame(dict(zip(names, columns, strict=True))), kinds, **options)


def released(result, name="c0"):
    return result.frame[name].tolist()


def test_a_step_costs_what_it_loses():
    # lumbago and migraine become ache, 2 of 5 leaves, and gastritis stays. NCP: 2 records · (2 − 1) / (5 − 1) of 4.
    data = table(["lumbago", "migraine", "gastritis", "gastritis"])
    result = Generalisation(k=2, objective="ncp").mask(data)
    assert released(result) == ["ache", "ache", "gastritis", "gastritis"]
    assert result.details["loss"] == pytest.approx(2 * (1 / 4) / 4)
    assert (result.details["objective"], result.details["groups"], result.guarantee.k) == ("ncp", 2, 2)
    # Wu–Palmer with nodes counted: lumbago is 4 nodes deep, ache 3: 1 − 2·3/(2·3 + 1).
    result = Generalisation(k=2, objective="semantic_loss").mask(data)
    assert result.details["loss"] == pytest.approx(2 * (1 / 7) / 4)
    result = Generalisation(k=2).mask(data)
    assert result.details["loss"] == pytest.approx(2 * (1 / 4 + 1 / 7) / 2 / 4)


def test_a_column_that_loses_less_is_generalised():
    # Sex has two values, so its only step loses everything; an age band loses a tenth.
    frame = pd.DataFrame({"sex": ["f", "f", "m", "m"], "age": [31, 35, 32, 36]})
    data = om.Microdata(frame, {"sex": om.Category(), "age": om.Numeric(intervals=[0, 10, 20, 30, 40, 100])})
    result = Generalisation(k=2).mask(data)
    assert result.frame["sex"].tolist() == ["f", "f", "m", "m"]
    assert set(result.frame["age"]) == {"30-39"}


def test_groups_of_k_records_are_left_alone_if_that_costs_less():
    # Lumbago and colic become pain, three records; with migraine it would be ache, but for 21 records.
    data = table(["lumbago", "colic", "colic", *["migraine"] * 20])
    assert released(Generalisation(k=3).mask(data)) == ["pain"] * 3 + ["migraine"] * 20
    # Two records would become symptom, and lose everything. Three times two lose less with what is near.
    data = table(["lumbago", *["migraine"] * 2, "appendicitis", *["gastritis"] * 2])
    assert set(released(Generalisation(k=2).mask(data))) == {"ache", "inflammation"}


def test_records_that_are_too_few_by_themselves_join_the_cheapest_group():
    # With colic two records become pain, with migraine three become ache. NCP: 3 · 2/4 against 4 · 1/4.
    data = table(["lumbago", *["migraine"] * 3, *["colic"] * 2])
    assert released(Generalisation(k=2, objective="ncp").mask(data)) == ["ache"] * 4 + ["colic"] * 2


def test_a_record_is_left_out_only_if_others_gain_more():
    # gastritis would turn five others into symptom; if it may be left out, they become ache.
    data = table(["lumbago"] * 3 + ["migraine"] * 3 + ["gastritis"])
    assert released(Generalisation(k=6).mask(data)) == ["symptom"] * 7
    result = Generalisation(k=6, suppression=0.2).mask(data)
    assert released(result) == ["ache"] * 6
    assert result.details["suppressed"] == 1
    # The allowance is a limit, not a target.
    data = table(["lumbago", "lumbago", "gastritis", "gastritis", "colic", "migraine"])
    assert Generalisation(k=2, suppression=0.5).mask(data).details["suppressed"] == 0


def test_combinations_come_in_the_order_of_their_cost():
    means = [np.array([0.0, 0.1, 0.4]), np.array([0.0, 0.2]), np.array([0.0, 0.1])]
    every = cheapest_combinations(means, 100)
    costs = [sum(mean[at] for mean, at in zip(means, levels, strict=True)) for levels in every]
    assert len(every) == 12
    assert costs == sorted(costs)
    # 0.1 + 0.2 and 0.2 + 0.1 are a tie.
    assert every[:5].tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 1]]
    assert cheapest_combinations(means, 5).tolist() == every[:5].tolist()


def tree_of(domain):
    return {c: next(iter(domain.parents(c)), None) for c in domain.ids}


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_the_search_is_what_is_described(objective, draw):
    frame, kinds = {}, {}
    n = draw.draw(st.integers(2, 14))
    for j in range(draw.draw(st.integers(1, 3))):
        taxonomy, parents = draw.draw(dags(most=9, most_parents=1))
        frame[f"c{j}"] = draw.draw(st.lists(st.sampled_from(sorted(parents)), min_size=n, max_size=n))
        kinds[f"c{j}"] = om.Nominal(taxonomy, weight=draw.draw(st.sampled_from((1.0, 2.0))))
    data = om.Microdata(pd.DataFrame(frame), kinds)
    k = draw.draw(st.integers(2, n))
    result = Generalisation(k=k, objective=objective).mask(data)
    columns = list(data.quasi_identifiers.values())
    trees = [tree_of(column.domain) for column in columns]
    weights = [column.space.weight for column in columns]
    part = {"ncp": 1.0, "semantic_loss": 0.0, "balanced": 0.5}[objective]

    def lost(j, value, node):
        space, codes = columns[j].space, columns[j].domain.codes([value, node])
        distance = float(space.pairs(codes[:1], codes[1:])[0])
        share = weights[j] / sum(weights)
        return share * (part * lit.certainty_penalty(trees[j], value, node) + (1 - part) * distance)

    def concepts(columns, rows):
        return [tuple(c.key(c.point[c.code[i]]) for c in columns) for i in rows]

    records = concepts(columns, range(n))
    order = [
        tuple(c.key(v.point[i]) for c, v, i in zip(columns, data.table.values, row, strict=True))
        for row in data.table.tuples
    ]
    expected = lit.released(
        records, order, trees, lost, k, rounds=least_cost._MOST_ROUNDS, worthwhile=least_cost._WORTHWHILE
    )
    assert concepts(list(result.data.columns.values()), range(n)) == expected
    total = sum(
        lost(j, v, w)
        for before, after in zip(records, expected, strict=True)
        for j, (v, w) in enumerate(zip(before, after, strict=True))
    )
    assert result.details["loss"] == pytest.approx(total / n)


def covers(column, value, point):
    """Whether a released point is true of a value."""
    if value == point:
        return True
    if hasattr(column, "sets"):
        above = [set(column.domain.graph.ancestors([c]).tolist()) for c in column.sets[int(value)]]
        return all(any(int(c) in one for c in column.sets[int(point)]) for one in above)
    if column.space.domain is not None:
        return int(point) in column.domain.graph.ancestors([int(value)]).tolist()
    if is_off_line(np.array([value]))[0]:
        return point == column.anything
    (low,), (high,) = ends_of(np.array([point], dtype=complex))
    return low <= np.real(value) <= high


def check_laws(data, method):
    """All laws of local generalisation on one table."""
    result = method.mask(data, seed=1)
    names = list(data.quasi_identifiers)
    after = records_of(result.frame, names)
    assert min(Counter(after).values()) == result.guarantee.k >= method.k
    for name in names:
        before, masked = data.quasi_identifiers[name], result.data.columns[name]
        for row, code in zip(result.data.rows, masked.code, strict=True):
            if not before.kept[before.code[row]]:
                assert covers(before, before.point[before.code[row]], masked.point[code])
    assert records_of(method.mask(data, seed=2).frame, names) == after
    # The cost as it is told is that of the released table.
    paths = {name: method._paths(data, j, name) for j, name in enumerate(names)}
    weights = {name: column.space.weight for name, column in data.quasi_identifiers.items()}
    total = len(data) - len(result.data.rows)
    for name in names:
        before, masked = data.quasi_identifiers[name], result.data.columns[name]
        is_free = ~before.kept[before.code[result.data.rows]]
        old, new = before.point[before.code[result.data.rows]][is_free], masked.point[masked.code][is_free]
        cost = CellCosts(before, paths[name], method.objective or "balanced")
        total += weights[name] / sum(weights.values()) * cost.lost(old, new).sum()
    assert result.details["loss"] == pytest.approx(total / len(data))
    # A tuple that k records share is changed only together with others.
    for row in np.flatnonzero(data.table.counts >= method.k).tolist():
        values = data.table.tuples[row]
        cells = zip(data.table.values, data.table.columns, values, strict=True)
        mine = np.logical_and.reduce([v.of_cell[c.code] == value for v, c, value in cells])
        out = {after[i] for i, at in enumerate(result.data.rows) if mine[at]}
        alike = [i for i, at in enumerate(result.data.rows) if after[i] in out and not mine[at]]
        if not alike:
            for name, column in data.quasi_identifiers.items():
                masked = result.data.columns[name]
                same = [
                    masked.point[masked.code[i]] == column.point[column.code[at]]
                    for i, at in enumerate(result.data.rows)
                    if mine[at]
                ]
                assert all(same) or column.kept.any()
    return result


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_laws(draw):
    data = draw.draw(microdata(least=2, kept=draw.draw(st.booleans())))
    k = draw.draw(st.integers(2, len(data)))
    options = {
        "objective": draw.draw(st.sampled_from(OBJECTIVES)),
        "suppression": draw.draw(st.sampled_from((0.0, 0.3))),
    }
    try:
        check_laws(data, Generalisation(k=k, **options))
    except MaskingError as refused:
        assert data.notes, "only cells that are kept as they stand can make it impossible"
        assert refused.parameter in ("k", "rare_kept", "suppression")  # noqa: PT017


def every_kind(rows=60):
    rng = np.random.default_rng(3)
    leaves = ["lumbago", "migraine", "colic", "appendicitis", "gastritis"]
    frame = pd.DataFrame(
        {
            "symptom": rng.choice(leaves, rows),
            "status": rng.choice(["married", "partners", "single"], rows),
            "postcode": [f"{a}{b}01" for a, b in rng.integers(10, 14, (rows, 2))],
            "age": rng.integers(18, 80, rows),
            "income": rng.integers(1, 9, rows) * 1000,
            "born": [f"19{y}-0{m}-11" for y, m in rng.integers((50, 1), (60, 9), (rows, 2))],
            "health": rng.choice(["bad", "fair", "good"], rows),
            "history": [";".join(sorted(set(rng.choice(leaves, 2)))) for _ in range(rows)],
            "city": rng.choice(["Leeds", "York", "Malta"], rows),
        }
    )
    kinds = {
        "symptom": om.Nominal(SYMPTOMS),
        "status": om.Category({"couple": ["married", "partners"]}),
        "postcode": om.Prefix(),
        "age": om.Numeric(),
        "income": om.Numeric(intervals=[0, 4000, 10000]),
        "born": om.Date(),
        "health": om.Ordinal(["bad", "fair", "good"]),
        "history": om.ConceptSet(SYMPTOMS),
        "city": om.Category(),
    }
    return om.Microdata(frame, kinds)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_all_kinds_in_one_run(objective):
    data = every_kind()
    hierarchy = Hierarchy.from_rows([("Leeds", "UK", "*"), ("York", "UK", "*"), ("Malta", "Malta", "*")])
    ages = Hierarchy.from_rows([(str(a), f"{a // 20 * 20}-{a // 20 * 20 + 19}", "*") for a in range(18, 80)])
    for hierarchies in (None, {"city": hierarchy, "age": ages}):
        for k in (2, 7):
            check_laws(data, Generalisation(k, objective=objective, hierarchies=hierarchies))


def test_large_columns_are_climbed_like_trees(monkeypatch):
    data = every_kind()
    expected = Generalisation(3).mask(data).frame
    monkeypatch.setattr(least_cost, "_MOST_NODES", 0)
    pd.testing.assert_frame_equal(Generalisation(3).mask(data).frame, expected)


def test_too_many_combinations_still_give_groups(monkeypatch):
    monkeypatch.setattr(least_cost, "_MOST_COMBINATIONS", 3)
    monkeypatch.setattr(least_cost, "_MOST_COMPARISONS", 1)
    check_laws(every_kind(), Generalisation(3))


def test_options_belong_to_their_variant():
    with raises(MaskingError, parameter="steps"):
        Generalisation(2, steps="records")
    with raises(MaskingError, parameter="objective"):
        Generalisation(2, variant="best_first", objective="ncp")
    with raises(MaskingError, parameter="variant"):
        Generalisation(2, mode="full_domain", variant="best_first")


def test_it_can_be_cancelled():
    data, seen = every_kind(), []

    def report(steps):
        seen.extend(step.name for step in steps)
        if "Round 1" in seen:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), om.watch_progress(report):
        Generalisation(2).mask(data)
    assert "Trying combinations of levels" in seen


def test_persons_are_counted():
    frame = pd.DataFrame({"who": list("AAABBCD"), "c0": ["lumbago"] * 3 + ["migraine"] * 2 + ["colic", "gastritis"]})
    data = om.Microdata(frame, {"c0": om.Nominal(SYMPTOMS, domain="symptom")}, person="who")
    result = Generalisation(k=2).mask(data)
    assert (result.guarantee.k >= 2, result.guarantee.unit) == (True, "persons")


def test_penalties_of_a_hierarchy_count_its_leaves():
    hierarchy = Hierarchy.from_rows([(str(a), f"{a // 10 * 10}-{a // 10 * 10 + 9}", "*") for a in range(50)])
    data = om.Microdata(pd.DataFrame({"age": [11, 12, 35]}), {"age": om.Numeric()})
    path = GeneralisationPaths.over_hierarchy(data.table, 0, hierarchy)
    cost = CellCosts(data.quasi_identifiers["age"], path, "ncp")
    released = path.levels[1]
    assert cost.lost(path.levels[0], released).tolist() == pytest.approx([9 / 49] * 3)
    assert cost.lost(path.levels[0], path.levels[-1]).tolist() == [1.0] * 3
