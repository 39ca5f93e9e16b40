"""Reviews of mappings: what needs attention, alternatives, the mapping of the job laid over the rules."""

from __future__ import annotations

import pytest

import ontomask as om
from ontomask.job.concept_review import CLOSE, ColumnReview, card, children, search

COUNTS = {"headache": 5, "hedache": 3, "spring": 4, "n/a": 2, "xyzzyq": 1, "dog": 9}


@pytest.fixture(scope="module")
def wordnet() -> om.Taxonomy:
    return om.load_wordnet()


@pytest.fixture(scope="module")
def review(wordnet: om.Taxonomy) -> ColumnReview:
    made = ColumnReview.of(om.Nominal(wordnet), COUNTS, "word", ())
    assert made is not None
    return made


def test_what_needs_attention_comes_first_and_then_what_is_frequent(review):
    rows = [(row.value, row.status) for row in review.rows]
    assert rows[:3] == [("hedache", "unmapped"), ("n/a", "unmapped"), ("xyzzyq", "unmapped")]
    assert [value for value, status in rows if status == "ambiguous"] == ["dog", "headache", "spring"]


def test_the_mapping_of_the_job_wins_and_can_be_taken_back(review):
    decided = review.with_mapping(
        {"hedache": "headache", "spring": "spring#2", "gone": "dog", "dog": "no such concept"}
    )
    found = {value.value: value.concept for value in decided.values}
    assert found["hedache"] == "concern.n.04"
    assert found["spring"] == "spring.n.02"
    assert found["dog"] == "dog.n.01"
    assert decided.coverage == (21, 24)
    assert decided.open_values == 2
    assert review.with_mapping({}).values == review.values


def test_the_review_agrees_with_the_mapper(review, wordnet):
    mapping = {"hedache": "headache", "xyzzyq": "dog"}
    direct = om.map_values(COUNTS, wordnet, mapping)
    assert {v.value: v.concept for v in review.with_mapping(mapping).values} == {
        v.value: v.concept for v in direct.values
    }


def test_only_close_suggestions_are_accepted_unseen(review):
    assert review.accept(["unmapped"], least=CLOSE) == {"hedache": "concern.n.04"}
    assert set(review.accept(["ambiguous"])) == {"headache", "spring", "dog"}


def test_suggestions_outside_the_domain_are_not_accepted(wordnet):
    made = ColumnReview.of(om.Nominal(wordnet, domain="animal"), {"dog": 3, "catt": 2}, "word", ())
    assert made is not None
    inside = wordnet.domain("animal.n.01")
    assert all(concept in inside for concept in made.accept(["unmapped", "ambiguous"]).values())


def test_cards_have_neighbours(wordnet):
    found = card(wordnet, "dog.n.01")
    assert {parent.label for parent in found.parents} == {"canine", "domestic animal"}
    assert len(found.children) == 8
    assert found.more_children == len(wordnet.children("dog.n.01")) - 8
    below = children(wordnet, "dog.n.01")
    assert [child.label.casefold() for child in below] == sorted(child.label.casefold() for child in below)
    assert search(wordnet, "  ") == []
    assert search(wordnet, "domestic dog")[0].concept == "dog.n.01"


def test_a_column_without_concepts_has_no_review():
    assert ColumnReview.of(om.Numeric(), {"1": 2}, "age", ()) is None
