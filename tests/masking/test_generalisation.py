from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError
from ontomask.evaluation.reading import read_masked
from ontomask.examples import adult_data
from ontomask.hierarchy import Hierarchy, read_hierarchy
from ontomask.masking.generalisation import Generalisation
from ontomask.masking.generalisation_costs import CellCosts
from ontomask.masking.generalisation_paths import GeneralisationPaths
from ontomask.masking.local_generalisation import _BestFirst
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import record_pairs

from support import literal_generalisation as lit
from support.errors import raises
from support.records import semantic_loss
from support.tables import microdata, nominal_data, records_of

# Martínez 2012, Table 6: symptoms and treatments.
SYMPTOM = [("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain"), ("colic", "pain"), ("pain", "symptom")]
SYMPTOM += [("appendicitis", "inflammation"), ("gastritis", "inflammation"), ("inflammation", "symptom")]
SYMPTOMS = om.Taxonomy.from_edges(SYMPTOM)

EUROPE = [("Spain", "Europe", "*"), ("Malta", "Europe", "*"), ("Japan", "Asia", "*"), ("China", "Asia", "*")]

table = partial(nominal_data, taxonomy=SYMPTOMS)


def released(result, name="c0"):
    return result.frame[name].tolist()


def parents_of(data):
    """For each column the parents of every concept of its domain, in taxonomy order."""
    domains = [column.domain for column in data.quasi_identifiers.values()]
    return [{c: list(domain.parents(c)) for c in domain.ids} for domain in domains]


def concepts_of(data, masked=None):
    """The records as concepts; a cell that is kept has none."""
    columns = (data.quasi_identifiers if masked is None else masked.columns).values()
    concepts = ([None if c.kept[code] else c.key(c.point[code]) for code in c.code] for c in columns)
    return list(zip(*concepts, strict=True))


# Local


best_first = partial(Generalisation, variant="best_first")


def test_both_climb_to_where_they_meet():
    # lumbago and migraine meet in ache after 1 + 1 steps, lumbago and gastritis only after 3 + 2.
    data = table(["lumbago", "migraine", "gastritis", "gastritis"])
    result = best_first(k=2).mask(data)
    assert released(result) == ["ache", "ache", "gastritis", "gastritis"]
    assert (result.guarantee.claim, result.guarantee.k) == ("k-anonymity", 2)
    assert result.details == {"groups": 2, "mergers": 1, "suppressed": 0}


def test_steps_are_summed_over_columns():
    # (lumbago, gastritis) is 2 steps from (migraine, gastritis) and 2 + 2 from (migraine, appendicitis).
    data = table(["lumbago", "migraine", "migraine", "migraine"], ["gastritis", *["appendicitis"] * 2, "gastritis"])
    result = best_first(k=2).mask(data)
    assert released(result) == ["ache", "migraine", "migraine", "ache"]
    assert released(result, "c1") == ["gastritis", "appendicitis", "appendicitis", "gastritis"]


def test_of_equally_near_partners_the_one_with_the_fewest_records_is_taken():
    data = table(["lumbago", *["migraine"] * 3, *["colic"] * 2])
    # lumbago–migraine: 1 + 1; lumbago–colic: 2 + 1. Twice as many steps for one value, three times for records.
    assert released(best_first(k=2).mask(data)) == ["ache"] * 4 + ["colic"] * 2
    # By records: migraine 1·1 + 3·1 = 4, colic 1·2 + 2·1 = 4; colic has fewer.
    by_records = best_first(k=2, steps="records").mask(data)
    assert released(by_records) == ["pain"] + ["migraine"] * 3 + ["pain"] * 2


def test_a_group_that_comes_to_look_like_another_joins_it():
    # lumbago and migraine become ache, which one record has already: three, so nothing is left to do.
    data = table(["lumbago", "migraine", "ache", *["colic"] * 3])
    assert released(best_first(k=3).mask(data)) == ["ache"] * 3 + ["colic"] * 3


def test_several_parents():
    # c and d meet in b1 and in b2, equally deep; c is nearer to b2. A tree would know one of them.
    edges = [("b1", "a"), ("b2", "a"), ("m", "b1"), ("c", "m"), ("c", "b2"), ("d", "b1"), ("d", "b2")]
    taxonomy = om.Taxonomy.from_edges(edges)
    assert released(best_first(k=2).mask(table(["c", "d"], taxonomy=taxonomy))) == ["b2", "b2"]


@pytest.mark.parametrize("steps", ["values", "records"])
@given(st.data())
@settings(max_examples=60)
def test_local_is_what_is_described(steps, draw):
    data = draw.draw(microdata(least=2, most=16, mixed=False))
    k = draw.draw(st.integers(2, len(data)))
    share = draw.draw(st.sampled_from((0.0, 0.0, 0.2, 0.5)))
    result = best_first(k=k, steps=steps, suppression=share).mask(data)
    columns = list(data.quasi_identifiers.values())
    weights = [column.space.weight for column in columns]
    records, parents = concepts_of(data), parents_of(data)
    expected = lit.local(records, parents, k, by_records=steps == "records", weights=weights)
    paths = [GeneralisationPaths.of_kind(data.table, j) for j in range(len(columns))]
    costs = [CellCosts(column, path, "balanced") for column, path in zip(columns, paths, strict=True)]

    def lost(record, instead):
        total = 0.0
        for column, cost, value, node in zip(columns, costs, record, instead, strict=True):
            points = [column.space.domain.codes([concept]) for concept in (value, node)]
            total += column.space.weight * cost.lost(*points)[0]
        return total / sum(weights)

    expected = lit.leave_out(records, expected, parents, k, int(share * len(data) + 1e-9), lost)
    assert result.data.rows.tolist() == [i for i, r in enumerate(expected) if r is not None]
    assert concepts_of(data, result.data) == [r for r in expected if r is not None]


@given(st.data())
@settings(max_examples=60)
def test_laws(draw):
    data = draw.draw(microdata(least=2, mixed=False, kept=draw.draw(st.booleans())))
    k = draw.draw(st.integers(2, len(data)))
    mode = draw.draw(st.sampled_from(("local", "full_domain")))
    variant = draw.draw(st.sampled_from(("least_cost", "best_first"))) if mode == "local" else "least_cost"
    method = Generalisation(k=k, mode=mode, variant=variant, suppression=draw.draw(st.sampled_from((0.0, 0.3))))
    try:
        result = method.mask(data, seed=1)
    except MaskingError as refused:
        assert data.notes, "only cells that are kept as they stand can make it impossible"
        assert refused.parameter in ("k", "rare_kept", "suppression")  # noqa: PT017
        return
    names = list(data.quasi_identifiers)
    after = records_of(result.frame, names)
    assert len(data) - len(after) <= method.suppression * len(data)
    assert result.details["suppressed"] == len(data) - len(after)
    if after:
        assert min(Counter(after).values()) == result.guarantee.k >= k
        assert result.details["groups"] >= len(set(after))
    for name in names:
        before, masked = data.quasi_identifiers[name], result.data.columns[name]
        for row, code in zip(result.data.rows, masked.code, strict=True):
            original = before.code[row]
            if not before.kept[original]:
                value, new = before.key(before.point[original]), masked.key(masked.point[code])
                assert new in before.domain.subsumers(value), "released something that does not subsume the value"
    again = method.mask(data, seed=2)
    assert records_of(again.frame, names) == after
    if len(after) == len(data):
        assert concepts_of(data, read_masked(data, result.frame)[0]) == concepts_of(data, result.data)


def test_what_is_merged_for_another_reason_is_released_as_where_all_meet():
    data = table(["lumbago", "migraine", "colic"], ["gastritis", "gastritis", "appendicitis"])
    paths = {name: GeneralisationPaths.of_kind(data.table, j) for j, name in enumerate(data.quasi_identifiers)}
    method = _BestFirst(2, paths, 0.0, {}, "values")
    tuples = Tuples.of(data.table)
    for members, expected in [([0], None), ([0, 1, 2], ["pain", "inflammation"])]:
        found = [SYMPTOMS.ids[point] for point in method._represent(tuples, np.array(members))]
        assert found == (expected or [SYMPTOMS.ids[tuples.point(0, j)] for j in range(2)])


def test_as_many_as_there_are():
    data = table(["lumbago", "colic", "migraine"])
    assert released(Generalisation(k=3).mask(data)) == ["pain"] * 3
    with pytest.raises(MaskingError) as caught:
        Generalisation(k=4).mask(data)
    assert caught.value.parameter == "k"


@pytest.mark.parametrize("mode", ["local", "full_domain"])
def test_equal_records_stay(mode):
    result = Generalisation(k=3, mode=mode).mask(table(["colic"] * 3))
    assert released(result) == ["colic"] * 3
    assert result.guarantee.k == 3


def test_local_leaves_out_records_only_if_the_others_gain_more():
    # Three become pain, which loses less than they would lose if they were left out.
    cells = ["lumbago", "migraine", "colic", *["gastritis"] * 6]
    assert released(best_first(k=3, suppression=0.34).mask(table(cells))) == ["pain"] * 3 + ["gastritis"] * 6
    # Gastritis would turn six others into symptom. Without it they become ache.
    cells = [*["lumbago"] * 3, *["migraine"] * 3, "gastritis"]
    assert released(best_first(k=6, suppression=0.1).mask(table(cells))) == ["symptom"] * 7
    result = best_first(k=6, suppression=0.2).mask(table(cells))
    assert released(result) == ["ache"] * 6
    assert result.data.rows.tolist() == [0, 1, 2, 3, 4, 5]
    assert result.details["suppressed"] == 1


# Full domain


def spaces_of(data):
    return [column.space for column in data.quasi_identifiers.values()]


def distance_of(data):
    """The distance between two records of concepts."""
    spaces = spaces_of(data)

    def distance(a, b):
        points = ([s.domain.codes([c]) for s, c in zip(spaces, side, strict=True)] for side in (a, b))
        return float(record_pairs(spaces, *points)[0])

    return distance


def test_all_values_go_to_one_level():
    # The deepest value lies 3 links below symptom: on level 1 it becomes ache, the others stay; on level 2 pain.
    cells = ["lumbago", "migraine", "colic", "gastritis"]
    for level, expected in [
        (0, cells),
        (1, ["ache", "ache", "colic", "gastritis"]),
        (2, ["pain", "pain", "pain", "inflammation"]),
        (3, ["symptom"] * 4),
    ]:
        method = Generalisation(k=2, mode="full_domain", levels={"c0": level}, suppression=1.0)
        result = method.mask(table(cells * 2))
        assert released(result) == expected * 2
        assert result.details["levels"] == {"c0": level}
        assert result.details["combinations"] == result.details["checked"] == 1


def test_the_least_loss_is_found_and_told():
    # Level 1 makes two of ache, and colic is one still; level 2 makes three of pain.
    data = table(["lumbago", "migraine", "colic", "gastritis", "gastritis"])
    result = Generalisation(k=2, mode="full_domain").mask(data)
    assert released(result) == ["pain"] * 3 + ["inflammation"] * 2
    # Wu–Palmer with nodes counted, so 1 − 2·depth/(2·depth + path): lumbago–pain 1 − 4/6, colic–pain 1 − 4/5.
    loss = (2 * (1 - 4 / 6) + 3 * (1 - 4 / 5)) / 5
    assert result.details["loss"] == pytest.approx(loss)
    assert result.details["is_optimal"]
    before, after = ([c.point[c.code]] for c in (data.quasi_identifiers["c0"], result.data.columns["c0"]))
    assert semantic_loss(spaces_of(data), before, after, np.ones(5)) == pytest.approx(loss)


def test_suppression_is_weighed_against_generalisation():
    # Leaving out colic costs 1, which the other four records do not lose by going to pain: 4·(1 − 4/6) + (1 − 4/5).
    data = table(["lumbago"] * 2 + ["migraine"] * 2 + ["colic"])
    result = Generalisation(k=2, mode="full_domain", suppression=0.2).mask(data)
    assert (released(result), result.details["loss"]) == (["lumbago"] * 2 + ["migraine"] * 2, pytest.approx(1 / 5))
    # With one pair less it is the other way round: 2·(1 − 4/6) + (1 − 4/5) < 1.
    data = table(["lumbago"] * 2 + ["colic"])
    result = Generalisation(k=2, mode="full_domain", suppression=0.4).mask(data)
    assert released(result) == ["pain"] * 3


def test_suppression_is_weighed_against_counts_of_links():
    # Raw counts exceed what a record that is left out loses, 1. Leaving out three costs 3; leaving out the deep one
    # alone, for which all go up to depth 1, costs 1, and the one link from chill to fever.
    edges = [("chill", "fever"), ("fever", "symptom"), ("rash", "symptom"), ("d1", "symptom")]
    edges += [(f"d{depth}", f"d{depth - 1}") for depth in range(2, 6)]
    frame = pd.DataFrame({"c0": ["rash", "rash", "fever", "chill", "d5"]})
    kind = om.Nominal(om.Taxonomy.from_edges(edges), {"name": "path", "raw": True}, domain="symptom")
    result = Generalisation(k=2, mode="full_domain", suppression=0.6).mask(om.Microdata(frame, {"c0": kind}))
    assert (released(result), result.details["loss"]) == (["rash"] * 2 + ["fever"] * 2, pytest.approx(2 / 5))


@given(st.data())
@settings(max_examples=40)
def test_full_domain_is_optimal(draw):
    data = draw.draw(microdata(least=2, most=14, mixed=False))
    k = draw.draw(st.integers(2, len(data)))
    share = draw.draw(st.sampled_from((0.0, 0.2, 0.5)))
    result = Generalisation(k=k, mode="full_domain", suppression=share).mask(data)
    heights, ways = [], []
    for j, parents in enumerate(parents_of(data)):
        heights.append(max(lit.depth(parents, record[j]) for record in concepts_of(data)))
        ways.append(lambda v, level, p=parents, h=heights[-1]: lit.to_level(p, v, level, h))
    all_of_them = list(lit.combinations(concepts_of(data), ways, heights, k, distance_of(data)))
    possible = {levels: loss for levels, short, loss in all_of_them if short <= share * len(data) + 1e-9}
    chosen = tuple(result.details["levels"].values())
    assert result.details["combinations"] == len(all_of_them)
    assert result.details["loss"] == pytest.approx(possible[chosen])
    assert result.details["loss"] == pytest.approx(min(possible.values()))
    expected = [tuple(up(v, lv) for up, v, lv in zip(ways, r, chosen, strict=True)) for r in concepts_of(data)]
    assert concepts_of(data, result.data) == [expected[row] for row in result.data.rows]


def test_persons_are_counted():
    frame = pd.DataFrame({"who": list("AABC"), "c0": ["lumbago", "lumbago", "migraine", "colic"]})
    kind = om.Nominal(SYMPTOMS, domain="symptom")
    by_records = om.Microdata(frame, {"c0": kind}, identifiers=["who"])
    by_persons = om.Microdata(frame, {"c0": kind}, person="who")
    as_they_are = Generalisation(k=2, mode="full_domain", levels={"c0": 0}, suppression=0.5)
    assert released(as_they_are.mask(by_records)) == ["lumbago"] * 2
    with raises(MaskingError, parameter="suppression"):
        as_they_are.mask(by_persons)  # nothing is shared by two persons
    result = Generalisation(k=2, mode="full_domain", levels={"c0": 1}, suppression=0.5).mask(by_persons)
    assert released(result) == ["ache"] * 3
    assert (result.guarantee.k, result.guarantee.unit) == (2, "persons")


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_nobody_is_left_out_whom_the_others_need(share):
    # Ann's records are k alike, and Bea's could be left out; but then Ann stands alone.
    frame = pd.DataFrame({"who": ["Ann"] * 9 + ["Bea"], "c0": ["lumbago"] * 9 + ["migraine"]})
    data = om.Microdata(frame, {"c0": om.Nominal(SYMPTOMS, domain="symptom")}, person="who")
    result = Generalisation(k=2, suppression=share).mask(data)
    assert released(result) == ["ache"] * 10
    assert (result.guarantee.k, result.guarantee.unit, result.details["suppressed"]) == (2, "persons", 0)


@given(st.data())
@settings(max_examples=25)
def test_persons_are_counted_in_every_combination(draw):
    n = draw.draw(st.integers(4, 12))
    cells = draw.draw(st.lists(st.sampled_from(sorted(SYMPTOMS.ids)), min_size=n, max_size=n))
    who = draw.draw(st.lists(st.sampled_from("ABCDE"), min_size=n, max_size=n))
    data = om.Microdata(
        pd.DataFrame({"who": who, "c0": cells}), {"c0": om.Nominal(SYMPTOMS, domain="symptom")}, person="who"
    )
    parents = parents_of(data)[0]
    height = max(lit.depth(parents, cell) for cell in cells)
    ways = [lambda v, level: lit.to_level(parents, v, level, height)]
    k = draw.draw(st.integers(2, 5))
    if k > len(set(who)):
        with pytest.raises(MaskingError) as caught:
            Generalisation(k=k, mode="full_domain").mask(data)
        assert caught.value.parameter == "k"
        return
    result = Generalisation(k=k, mode="full_domain", suppression=0.3).mask(data)
    found = list(lit.combinations([(c,) for c in cells], ways, [height], k, distance_of(data), who))
    assert result.details["loss"] == pytest.approx(min(loss for _, short, loss in found if short <= 0.3 * n + 1e-9))


# Hierarchies


def countries(cells, **options):
    """Countries over an ontology that knows Europe by that name, and Asia under another."""
    edges = [("Spain", "Europe"), ("Malta", "Europe"), ("Japan", "east"), ("China", "east"), ("Korea", "east")]
    edges += [("Europe", "world"), ("east", "Orient"), ("Orient", "world"), ("Oceania", "world")]
    taxonomy = om.Taxonomy.from_edges(edges)
    return om.Microdata(pd.DataFrame({"c0": cells}), {"c0": om.Nominal(taxonomy, domain="world", **options)})


@pytest.mark.parametrize("mode", ["local", "full_domain"])
def test_labels_are_released_as_concepts_of_the_domain(mode):
    data = countries(["Spain", "Malta", "Japan", "China"])
    hierarchy = Hierarchy.from_rows(EUROPE)
    result = Generalisation(k=2, hierarchies={"c0": hierarchy}, mode=mode).mask(data)
    # Europe is a concept above its values; Asia is none, so its values' least common subsumer stands for it.
    assert released(result) == ["Europe", "Europe", "east", "east"]
    note = result.notes[-1]
    assert (note.code, note.values["column"]) == ("labels-without-concept", "c0")
    assert str(note.values["labels"]) == "'Asia'"


def test_a_label_means_what_the_user_says():
    data = countries(["Spain", "Malta", "Japan", "China"], mapping={"Asia": "Orient"})
    result = Generalisation(k=2, hierarchies={"c0": Hierarchy.from_rows(EUROPE)}).mask(data)
    assert released(result) == ["Europe", "Europe", "Orient", "Orient"]
    assert not result.notes


def test_a_name_that_does_not_subsume_the_values_is_not_taken():
    rows = [("Spain", "Europe", "*"), ("Japan", "Oceania", "*"), ("China", "Oceania", "*")]
    result = Generalisation(k=2, hierarchies={"c0": Hierarchy.from_rows(rows)}).mask(
        countries(["Spain"] * 2 + ["Japan", "China"])
    )
    assert released(result) == ["Spain", "Spain", "east", "east"]


def test_values_that_the_data_lack_count_for_a_label():
    # Only Japan is there, but Asia also holds Malta: it is released as what both are, not as Japan.
    rows = [("Spain", "Europe", "*"), ("Japan", "Asia", "*"), ("Malta", "Asia", "*"), ("Atlantis", "Asia", "*")]
    method = Generalisation(k=2, hierarchies={"c0": Hierarchy.from_rows(rows)}, mode="full_domain", levels={"c0": 1})
    assert released(method.mask(countries(["Spain"] * 2 + ["Japan"] * 2))) == ["Europe"] * 2 + ["world"] * 2


def test_the_top_is_the_root_of_the_domain():
    method = Generalisation(k=4, hierarchies={"c0": Hierarchy.from_rows(EUROPE)}, mode="full_domain")
    result = method.mask(countries(["Spain", "Malta", "Japan", "China"]))
    assert released(result) == ["world"] * 4
    assert result.details["levels"] == {"c0": 2}


def test_a_hierarchy_can_be_the_ontology():
    hierarchy = Hierarchy.from_rows(EUROPE)
    kind = om.Nominal(hierarchy.to_taxonomy(), domain="*")
    data = om.Microdata(pd.DataFrame({"c0": ["Spain", "Malta", "Japan", "China"]}), {"c0": kind})
    for method in (
        Generalisation(k=2),
        Generalisation(k=2, hierarchies={"c0": hierarchy}),
        Generalisation(k=2, mode="full_domain"),
        Generalisation(k=2, hierarchies={"c0": hierarchy}, mode="full_domain"),
    ):
        result = method.mask(data)
        assert released(result) == ["Europe", "Europe", "Asia", "Asia"]
        assert not result.notes
        assert concepts_of(data, read_masked(data, result.frame)[0]) == concepts_of(data, result.data)


def test_numbers_can_be_read_as_a_hierarchy():
    ages = pd.DataFrame({"age": [17, 18, 23, 24]})
    rows = [(17, "15-19", "*"), (18, "15-19", "*"), (23, "20-24", "*"), (24, "20-24", "*")]
    for kind in (om.Numeric(), om.Nominal(Hierarchy.from_rows(rows).to_taxonomy())):
        data = om.Microdata(ages, {"age": kind})
        method = Generalisation(k=2, hierarchies={"age": Hierarchy.from_rows(rows)})
        assert released(method.mask(data), "age") == ["15-19", "15-19", "20-24", "20-24"]


def test_short_rows_and_labels_that_are_values_too():
    # Malta has no level between itself and Europe; Europe itself occurs.
    rows = [("Bath", "UK", "Europe", "*"), ("Ely", "UK", "Europe", "*"), ("Malta", "Europe", "*"), ("Europe", "*")]
    hierarchy = Hierarchy.from_rows(rows)
    kind = om.Nominal(hierarchy.to_taxonomy(), domain="*")
    data = om.Microdata(pd.DataFrame({"c0": ["Bath", "Ely", "Malta", "Europe"]}), {"c0": kind})
    for level, expected in [(1, ["UK", "UK", "Malta", "Europe"]), (2, ["Europe"] * 4), (3, ["*"] * 4)]:
        method = Generalisation(
            k=2, hierarchies={"c0": hierarchy}, mode="full_domain", levels={"c0": level}, suppression=1.0
        )
        rows_kept = method.mask(data).data.rows
        assert released(method.mask(data)) == [expected[row] for row in rows_kept]
    assert released(Generalisation(k=3, hierarchies={"c0": hierarchy}).mask(data)) == ["Europe"] * 4


def test_levels_that_are_not_nested_are_all_looked_at():
    # Level 2 tells apart what level 1 joined: a and b share x, but then go to different labels.
    rows = [("Spain", "x", "y1", "*"), ("Malta", "x", "y2", "*"), ("Japan", "z", "y2", "*"), ("China", "z", "y1", "*")]
    hierarchy = Hierarchy.from_rows(rows)
    kind = om.Nominal(hierarchy.to_taxonomy(), domain="*")
    cells = ["Spain", "Malta", "Malta", "Japan", "China"]
    data = om.Microdata(pd.DataFrame({"c0": cells}), {"c0": kind})
    ways = [lambda v, level: hierarchy.levels(v)[level]]
    for k in (2, 3, 5):
        result = Generalisation(k=k, hierarchies={"c0": hierarchy}, mode="full_domain").mask(data)
        found = list(lit.combinations([(c,) for c in cells], ways, [3], k, distance_of(data)))
        assert result.details["loss"] == pytest.approx(min(loss for _, short, loss in found if not short))


def test_a_leaf_belongs_to_one_value():
    # "Spain" is Malta as this table spells it; what it spells "E" means Spain, and has no row of its own.
    data = countries(["Spain", "E"], mapping={"Spain": "Malta", "E": "Spain"})
    with raises(MaskingError, parameter="hierarchies", column="c0", values=("E",)):
        Generalisation(k=2, hierarchies={"c0": Hierarchy.from_rows(EUROPE)}).mask(data)
    data = countries(["E", "Malta"], mapping={"E": "Spain"})
    result = Generalisation(k=2, hierarchies={"c0": Hierarchy.from_rows(EUROPE)}).mask(data)
    assert released(result) == ["Europe", "Europe"]


def test_hierarchies_from_files(tmp_path):
    file = tmp_path / "country.csv"
    file.write_text("\n".join(";".join(row) for row in EUROPE))
    data = countries(["Spain", "Malta", "Japan", "China"])
    for path in (file, str(file)):
        method = Generalisation(k=2, hierarchies={"c0": path})
        assert method.hierarchies == {"c0": read_hierarchy(file)}
        assert released(method.mask(data)) == ["Europe", "Europe", "east", "east"]


# What cannot be done


def test_a_hierarchy_must_have_all_values():
    data = countries(["Spain", "Malta", "Japan", "Korea", "China"])
    with raises(MaskingError, parameter="hierarchies", column="c0", values=("Korea",)) as caught:
        Generalisation(k=2, hierarchies={"c0": Hierarchy.from_rows(EUROPE)}).mask(data)
    assert "Korea" not in str(caught.value)


@pytest.mark.parametrize(
    "cells", [["Spain", "Malta", "Japan", "China"], ["Spain", "Spain", "Malta", "Malta", "Japan", "China", "China"]]
)
def test_what_would_be_needed_is_enough(cells):
    # Several tops: no level makes all alike.
    rows = [("Spain", "Europe"), ("Malta", "Europe"), ("Japan", "Asia"), ("China", "East")]
    options = {"hierarchies": {"c0": Hierarchy.from_rows(rows)}, "mode": "full_domain"}
    with raises(MaskingError, parameter="suppression") as refused:
        Generalisation(k=2, **options).mask(countries(cells))
    needed = re.search(r"suppression=([\d.]+),", str(refused.value)).group(1)
    result = Generalisation(k=2, suppression=float(needed), **options).mask(countries(cells))
    assert result.details["suppressed"] == int(float(needed) * len(cells) + 1e-9)
    less = float(needed) - 1 / len(cells)
    with raises(MaskingError, parameter="suppression"):
        Generalisation(k=2, suppression=less, **options).mask(countries(cells))
    # Local generalisation goes on to the root, which is above all tops.
    assert len(Generalisation(k=2, hierarchies=options["hierarchies"]).mask(countries(cells)).frame) == len(cells)


def test_given_levels_that_do_not_suffice():
    data = table(["lumbago", "migraine", "colic", "gastritis", "gastritis"])
    with raises(MaskingError, parameter="suppression"):
        Generalisation(k=2, mode="full_domain", levels={"c0": 1}).mask(data)


@pytest.mark.parametrize("level", [-1, 4, 1.5, True, "1"])
def test_a_level_that_does_not_exist(level):
    with raises(MaskingError, parameter="levels", column="c0"):
        Generalisation(k=2, mode="full_domain", levels={"c0": level}).mask(table(["lumbago", "colic"]))


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"k": 1}, "k"),
        ({"k": 2.0}, "k"),
        ({"k": 2, "mode": "global"}, "mode"),
        ({"k": 2, "steps": "cells"}, "steps"),
        ({"k": 2, "steps": "records", "mode": "full_domain"}, "steps"),
        ({"k": 2, "objective": "L"}, "objective"),
        ({"k": 2, "objective": "least", "mode": "full_domain"}, "objective"),
        ({"k": 2, "suppression": 1.5}, "suppression"),
        ({"k": 2, "suppression": float("nan")}, "suppression"),
        ({"k": 2, "suppression": True}, "suppression"),
        ({"k": 2, "levels": {"c0": 1}}, "levels"),
        ({"k": 2, "levels": 1, "mode": "full_domain"}, "levels"),
        ({"k": 2, "hierarchies": [EUROPE]}, "hierarchies"),
        ({"k": 2, "hierarchies": {"c0": EUROPE}}, "hierarchies"),
    ],
)
def test_wrong_parameters(options, parameter):
    with raises(MaskingError, parameter=parameter):
        Generalisation(**options)


@pytest.mark.parametrize(
    "options", [{"hierarchies": {"c7": Hierarchy.from_rows(EUROPE)}}, {"levels": {"c7": 1}, "mode": "full_domain"}]
)
def test_columns_that_are_not_there(options):
    with raises(MaskingError, parameter=next(iter(options))):
        Generalisation(k=2, **options).mask(table(["lumbago", "colic"]))


def test_kept_cells_count_as_values():
    # The record without a cell is alone among its kind, on every level.
    data = table(["lumbago", "migraine", "migraine"], ["colic", None, "colic"], missing="keep")
    with pytest.raises(MaskingError) as caught:
        Generalisation(k=2).mask(data)
    assert caught.value.parameter == "k"
    with pytest.raises(MaskingError) as caught:
        Generalisation(k=2, mode="full_domain").mask(data)
    assert caught.value.parameter == "k"
    result = Generalisation(k=2, mode="full_domain", suppression=0.34).mask(data)
    assert released(result) == ["ache", "ache"]
    assert result.data.rows.tolist() == [0, 2]


# Real data


def test_adult_full_domain_loses_more_than_local():
    data = adult_data()
    losses = {}
    for mode in ("local", "full_domain"):
        result = Generalisation(k=5, mode=mode).mask(data)
        before = [data.table.points(j)[data.table.inverse] for j in range(2)]
        after = [column.point[column.code] for column in result.data.columns.values()]
        losses[mode] = semantic_loss(spaces_of(data), before, after, np.ones(len(data)))
        assert result.guarantee.k >= 5
    assert losses["full_domain"] == pytest.approx(result.details["loss"])
    assert losses["local"] < losses["full_domain"] / 10


def test_adult_over_the_hierarchies_of_arx(shared_data):
    folder = shared_data / "arx_adult"
    hierarchies = {c: folder / f"adult_hierarchy_{c}.csv" for c in ("occupation", "native-country")}
    data = adult_data()
    result = Generalisation(k=5, hierarchies=hierarchies, mode="full_domain").mask(data)
    assert result.details["levels"] == {"occupation": 0, "native-country": 2}
    assert result.details["combinations"] == 9
    assert set(result.frame["native-country"]) == {"district"}


@pytest.mark.parametrize(("target", "released"), [("pain", "pain"), ("all", "all"), ("rash", "pain")])
def test_a_label_is_released_as_a_concept_that_subsumes_its_values(target, released):
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "all"), ("rash", "all")])
    frame = pd.DataFrame({"x": ["ache", "colic"] * 2 + ["rash"] * 5})
    hierarchy = om.Hierarchy.from_rows([("ache", "P", "*"), ("colic", "P", "*"), ("rash", "R", "*")])
    data = om.Microdata(frame, {"x": om.Nominal(taxonomy, mapping={"P": target})})
    result = om.Generalisation(3, hierarchies={"x": hierarchy}).mask(data, seed=0)
    assert result.frame["x"].tolist() == [released] * 4 + ["rash"] * 5


# Numbers, dates and ordered categories


MIXED = {
    "age": om.Numeric(intervals=[[0, 5, 10], [0, 10]], scale="range"),
    "size": om.Ordinal(list("abcd")),
    "seen": om.Date("year", scale="range"),
}


def to_wider(name, value, level):
    """The value of a column of `MIXED` on a level, as a range of numbers, from the definition."""
    if name == "age":
        return [(value, value), (value // 5 * 5, value // 5 * 5 + 4), (0, 9), None][level]
    if name == "size":
        at = "abcd".index(value)
        return [(at, at), (at // 2 * 2, at // 2 * 2 + 1), None][level]
    day, year = date.toordinal, int(value)
    blocks = [(year, year), (year // 5 * 5, year // 5 * 5 + 4), (year // 10 * 10, year // 10 * 10 + 9), None][level]
    return None if blocks is None else tuple(day(date(y, 1, 1)) for y in blocks)


def apart(name, value, wider, low, high):
    """The distance between a value and a range, by the middle."""
    if wider is None:
        return 1.0
    own = to_wider(name, value, 0)[0]
    middle = own if wider[0] == wider[1] else min(max(sum(wider) / 2, low), high)
    return min(abs(own - middle) / ((high - low) or 1), 1)


@given(st.data())
@settings(max_examples=40)
def test_full_domain_of_mixed_columns_is_optimal(draw):
    n = draw.draw(st.integers(3, 12))
    cells = {
        "age": draw.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)),
        "size": draw.draw(st.lists(st.sampled_from("abcd"), min_size=n, max_size=n)),
        "seen": draw.draw(st.lists(st.sampled_from(["2004", "2005", "2009", "2011"]), min_size=n, max_size=n)),
    }
    names = list(cells)
    data = om.Microdata(pd.DataFrame(cells), MIXED)
    k = draw.draw(st.integers(2, n))
    share = draw.draw(st.sampled_from((0.0, 0.2)))
    result = Generalisation(k=k, mode="full_domain", suppression=share).mask(data)
    records = list(zip(*cells.values(), strict=True))
    ends = {name: [to_wider(name, value, 0)[0] for value in cells[name]] for name in names}
    # Distances between categories span all of them, also those that do not occur.
    span = {name: (0, 3) if name == "size" else (min(ends[name]), max(ends[name])) for name in names}
    losses = {}
    for levels in product(range(4), range(3), range(4)):
        after = [tuple(map(to_wider, names, record, levels)) for record in records]
        size = Counter(after)
        short = [size[record] < k for record in after]
        if sum(short) <= share * n + 1e-9:
            moved = (
                1.0 if gone else sum(apart(m, v, w, *span[m]) for m, v, w in zip(names, old, new, strict=True)) / 3
                for gone, old, new in zip(short, records, after, strict=True)
            )
            losses[levels] = sum(moved) / n
    chosen = tuple(result.details["levels"].values())
    assert result.details["loss"] == pytest.approx(losses[chosen])
    assert result.details["loss"] == pytest.approx(min(losses.values()))


def ages(rows, cells=(17, 18, 23, 24), kind=None):
    data = om.Microdata(pd.DataFrame({"c0": list(cells)}), {"c0": kind or om.Numeric()})
    hierarchy = Hierarchy.from_rows(rows)
    return data, Generalisation(k=2, hierarchies={"c0": hierarchy}, mode="full_domain", levels={"c0": 1})


@pytest.mark.parametrize(
    ("young", "expected", "is_named"),
    [
        ("15-19", "15-19", True),
        ("[15, 20[", "15-19", True),
        ("<20", "0-19", True),
        ("*", "*", True),
        # Text that says nothing of numbers, or less than its values, is not released; neither is the smallest value.
        ("young", "0-18", False),
        ("17-17", "0-18", False),
        ("18-19", "0-18", False),
    ],
)
def test_labels_of_numbers_are_released_as_ranges_that_contain_their_values(young, expected, is_named):
    rows = [(16, young, "*"), (17, young, "*"), (18, young, "*"), (23, "20-24", "*"), (24, "20-24", "*")]
    data, method = ages(rows, (16, 18, 23, 24), om.Numeric(intervals=[0, 20, 40]))
    result = method.mask(data)
    assert released(result) == [expected] * 2 + ["20-24"] * 2
    notes = [note for note in result.notes if note.code == "labels-without-range"]
    assert [note.values["labels"].values for note in notes] == ([] if is_named else [(young,)])
    assert om.evaluate(data, result.frame).sse == om.evaluate(data, result).sse


def test_labels_whose_values_are_not_neighbours_are_true():
    # 18 is neither in the label of 17 and 23 nor in the range that it describes.
    rows = [(17, "odd", "*"), (23, "odd", "*"), (18, "even", "*"), (24, "even", "*")]
    data, method = ages(rows, kind=om.Numeric(intervals=[10, 20, 40]))
    assert released(method.mask(data)) == ["10-23", "18-39", "10-23", "18-39"]


def test_the_top_of_numbers_says_nothing_unless_it_is_a_range():
    for top, expected in [("*", "*"), ("Any age", "*"), ("0-120", "0-120"), ("18-120", "*")]:
        data, method = ages([(age, top) for age in (17, 18, 23, 24)])
        result = method.mask(data)
        assert released(result) == [expected] * 4
        assert not result.notes


def test_hierarchies_of_categories_and_dates():
    rows = [("a", "a – b", "*"), ("b", "a – b", "*"), ("c", "rest", "*"), ("d", "rest", "*")]
    data, method = ages(rows, "abcd", om.Ordinal(list("abcd")))
    assert released(method.mask(data)) == ["a – b", "a – b", "c – d", "c – d"]
    rows = [("2021-03-05", "2021-Q1", "*"), ("2021-01-07", "2021-Q1", "*"), ("2021-04-01", "spring", "*")]
    data, method = ages(rows, [date(2021, 3, 5), date(2021, 1, 7), date(2021, 4, 1), date(2021, 4, 1)], om.Date())
    assert released(method.mask(data)) == ["2021-Q1", "2021-Q1", "2021-04/2021-12", "2021-04/2021-12"]


def test_a_hierarchy_of_numbers_that_lacks_values_is_refused():
    data, method = ages([(17, "15-19", "*"), ("18.0", "15-19", "*"), (23, "20-24", "*")])
    with raises(MaskingError, column="c0", parameter="hierarchies") as caught:
        method.mask(data)
    assert caught.value.values == ("24",)


def test_the_ages_of_arx(shared_data):
    # ARX's example puts 40 below 35-39. That label would be false of people who are 40.
    data = om.Microdata(pd.DataFrame({"c0": [37, 38, 40, 41, 44, 43]}), {"c0": om.Numeric(intervals=[0, 50, 100])})
    hierarchies = {"c0": shared_data / "arx_adult" / "adult_hierarchy_age.csv"}
    method = Generalisation(k=3, hierarchies=hierarchies, mode="full_domain", levels={"c0": 1})
    result = method.mask(data)
    assert released(result) == ["36-40"] * 3 + ["41-45"] * 3
    assert [note.code for note in result.notes] == ["labels-without-range"]
