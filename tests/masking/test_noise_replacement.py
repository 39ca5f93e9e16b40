"""Replacing values by noise, against the literal rule and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.masking.noise import errors
from ontomask.masking.noise.errors import NO_REFERENCE, replace_values
from ontomask.operators.concepts import NominalSpace

from support.literal_noise import replacements
from support.strategies import dags

MEASURES = [
    ("wu_palmer", {}),
    ("wu_palmer", {"root_depth": 0}),
    ("path", {}),
    ("leacock_chodorow", {}),
    ("log_sc", {}),
    ("tversky", {}),
    ("lin", {"ic": "seco"}),
]


@st.composite
def tasks(draw):
    """A space over a DAG, records with values, reference points, errors and chances."""
    _, parents = draw(dags(most=9))
    # Leaves that hang side by side have the same distances to all others, unless words count.
    leaves = {
        f"t{i}": [parent] for i, parent in enumerate(draw(st.lists(st.sampled_from(sorted(parents)), max_size=6)))
    }
    links = [(c, p) for c, above in (parents | leaves).items() for p in above]
    words = {c: [c, f"{c} too", "word"] for c in draw(st.sets(st.sampled_from(sorted(parents | leaves))))}
    taxonomy = om.Taxonomy.from_edges(links, concepts=draw(st.permutations([*parents, *leaves])), labels=words)
    name, options = draw(st.sampled_from(MEASURES))
    domain = taxonomy.domain(draw(st.sampled_from(taxonomy.ids)))
    over = draw(st.sampled_from([domain, taxonomy]))
    space = NominalSpace(domain, om.distance(name, over, **options))
    n = draw(st.integers(1, 20))
    point = st.integers(0, len(domain) - 1)
    values = draw(st.lists(point, min_size=n, max_size=n))
    references = draw(st.lists(st.one_of(point, point, st.just(NO_REFERENCE)), min_size=n, max_size=n))
    distances = sorted({space.distance(a, b) for a in domain.ids for b in domain.ids})
    error = st.one_of(st.sampled_from([*distances, *(-d for d in distances)]), st.floats(-1.2, 1.2))
    errors = draw(st.lists(error, min_size=n, max_size=n))
    chances = draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=n, max_size=n))
    return space, np.array(values, np.int32), np.array(references, np.int32), np.array(errors), np.array(chances)


def literal(space, values, references, errors):
    ids, d = space.domain.ids, space.distance
    known = {(a, b): d(a, b) for a in ids for b in ids}
    return [
        replacements(ids, ids[a], error, lambda x, y: known[x, y], None if r == NO_REFERENCE else ids[r])
        for a, r, error in zip(values, references, errors, strict=True)
    ]


def check(task):
    space, values, references, errors, chances = task
    found = replace_values(space, values, references, errors, chances)
    ids = space.domain.ids
    for i, allowed in enumerate(literal(space, values, references, errors)):
        assert ids[found.points[i]] == allowed.pick(chances[i])
        assert found.moved[i] == pytest.approx(space.distance(ids[values[i]], ids[found.points[i]]), abs=1e-9)
        assert (found.truncated[i], found.sign_dropped[i]) == (allowed.truncated, allowed.sign_dropped)


@pytest.fixture(autouse=True)
def twins_among_few_records(monkeypatch):
    monkeypatch.setattr(errors, "_FEW", 1)


@given(tasks())
@settings(max_examples=200)
def test_same_draws_give_what_the_paper_allows(task):
    check(task)


@given(tasks())
@settings(max_examples=50)
def test_reference_points_that_are_not_held(task):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errors, "_ROOM", 1)
        check(task)


# symptom ─ pain ─ {ache, colic, cramp}; symptom ─ rash. Wu–Palmer, root_depth 1: d(ache, colic) = 1 − 4/6,
# d(ache, pain) = 1 − 4/5, d(ache, symptom) = 1 − 2/4, d(ache, rash) = 1 − 2/5.
SYMPTOMS = om.Taxonomy.from_edges(
    [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("cramp", "pain"), ("rash", "symptom")]
)
SPACE = NominalSpace(SYMPTOMS, om.distance("wu_palmer", SYMPTOMS))


def one(value, error, reference=None, chance=0.0):
    code = SYMPTOMS.code
    at = NO_REFERENCE if reference is None else code(reference)
    found = replace_values(SPACE, *(np.array([x]) for x in (code(value), at, float(error), chance)))
    return SYMPTOMS.ids[found.points[0]], found.moved[0], bool(found.truncated[0]), bool(found.sign_dropped[0])


def test_by_hand():
    near, sibling, root, rash = 1 - 4 / 5, 1 - 4 / 6, 1 - 2 / 4, 1 - 2 / 5
    # Magnitude only: the nearest that is far enough, and one exactly as far is far enough.
    assert one("ache", 0.1) == ("pain", pytest.approx(near), False, False)
    assert one("ache", -sibling) == ("colic", pytest.approx(sibling), False, False)
    assert one("ache", sibling + 1e-6) == ("symptom", pytest.approx(root), False, False)
    assert one("ache", rash + 0.1) == ("rash", pytest.approx(rash), True, False)
    assert one("ache", 0.0) == ("ache", 0.0, False, False)
    # From rash: pain is as far from the root as rash, ache farther, symptom closer.
    assert one("rash", 0.1, "symptom") == ("ache", pytest.approx(rash), False, False)
    assert one("rash", -0.1, "symptom") == ("symptom", pytest.approx(1 - 2 / 3), False, False)
    # Closer to the root than rash is only the root, and it is not as far as 0.9.
    assert one("rash", -0.9, "symptom") == ("symptom", pytest.approx(1 - 2 / 3), True, False)
    # Nobody is closer to ache than ache itself, nobody farther from the root than a leaf at the bottom.
    assert one("ache", -0.1, "ache") == ("pain", pytest.approx(near), False, True)
    assert one("ache", 0.1, "symptom") == ("pain", pytest.approx(near), False, True)
    assert one("ache", 0.9, "symptom") == ("rash", pytest.approx(rash), True, True)


def test_siblings_by_hand():
    sibling = pytest.approx(1 - 4 / 6)
    for value, others in (("ache", ("colic", "cramp")), ("colic", ("ache", "cramp")), ("cramp", ("ache", "colic"))):
        # Of two siblings equally far away, the first and the second; the value itself is only there for no error.
        assert [one(value, 0.3, None, chance)[0] for chance in (0.0, 0.4, 0.5, 0.9)] == [
            *others[:1] * 2,
            *others[1:] * 2,
        ]
        assert one(value, 1e-12)[0] == value
        # Farther from the value than itself are both, closer to one of them than the value is that one only.
        assert [one(value, 0.3, value, chance)[0] for chance in (0.0, 0.5)] == list(others)
        for other in others:
            assert one(value, -0.3, other) == (other, sibling, False, False)


def test_ties_are_equally_likely():
    n = 3000
    chances = (np.arange(n) + 0.5) / n
    for value, others in (("ache", ("colic", "cramp")), ("cramp", ("ache", "colic"))):
        found = replace_values(
            SPACE,
            np.full(n, SYMPTOMS.code(value), np.int32),
            np.full(n, NO_REFERENCE, np.int32),
            np.full(n, 0.3),
            chances,
        )
        assert {
            SYMPTOMS.ids[p]: k for p, k in zip(*np.unique(found.points, return_counts=True), strict=True)
        } == dict.fromkeys(others, n // 2)


def test_no_records():
    empty = np.empty(0, np.int32)
    assert len(replace_values(SPACE, empty, empty, np.empty(0), np.empty(0)).points) == 0
