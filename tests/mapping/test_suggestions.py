from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.mapping.letters import SpellingIndex, fold
from ontomask.mapping.shapes import find_shape
from ontomask.mapping.suggestions import suggest
from ontomask.taxonomy import Annotations

from support.literal_suggestions import edits, letter_similarity, scores

LABELS = {
    "r": ["thing"],
    "nurse": ["nurse", "Krankenpfleger", "infirmière"],
    "cook": ["cook", "Köchin", "cuisinière"],
    "doctor": ["doctor", "physician", "Ärztin"],
    "mi": ["acute myocardial infarction", "heart attack"],
    "ami": ["old myocardial infarction"],
    "d1": ["diabetes mellitus type 1"],
    "d2": ["diabetes mellitus type 2"],
    "chink": ["chink"],
    "retard": ["retard"],
    "pen": ["retired person", "retiree"],
    "farm": ["fish farm"],
    "angel": ["backer"],
}
JOBS = om.Taxonomy.from_edges([(c, "r") for c in LABELS if c != "r"], LABELS)


def best(text: str, taxonomy: om.Taxonomy = JOBS) -> str | None:
    found = suggest(taxonomy, [text])[0]
    return found[0].concept if found else None


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Koechin", "cook"),
        ("KOCHIN", "cook"),
        ("cuisiniere", "cook"),
        ("Krankenpflegerin", "nurse"),
        ("Aerztin", "doctor"),
        ("Arztinnen", "doctor"),
        ("Köchinnen", "cook"),
        ("Krankenpflegerinnen", None),
        ("physicans", "doctor"),
        ("infarction, myocardial, acute", "mi"),
        ("acute myocardal infarction", "mi"),
        ("diabetis mellitus type 2", "d2"),
        ("retiree person", "pen"),
        ("nurses", "nurse"),
        ("hurse", None),
        ("cok", None),
        ("xyz", None),
        ("", None),
        ("!!!", None),
    ],
)
def test_the_best_suggestion(text, concept):
    assert best(text) == concept


@pytest.mark.parametrize(("value", "never"), [("Köchin", "chink"), ("retired", "retard"), ("kochen", "chink")])
def test_similar_letters_alone_suggest_nothing(value, never):
    english = om.Taxonomy.from_edges([(c, "r") for c in ("chink", "retard", "nurse")])
    assert never not in [s.concept for s in suggest(english, [value])[0]]
    assert never not in [s.concept for s in suggest(om.load_wordnet(), [value], most=50)[0]]


def test_an_accent_that_the_label_lacks_is_no_certain_match():
    plain = om.Taxonomy.from_edges(
        [("b", "r"), ("k", "r"), ("i", "r")], {"b": ["backer"], "k": ["Koechin"], "i": ["看護師"]}
    )
    texts = ["Bäcker", "Köchin", "看護師 (f)", "backers"]
    score = {text: found[0].score for text, found in zip(texts, suggest(plain, texts), strict=True)}
    assert score["Bäcker"] == pytest.approx(0.88, abs=1e-3)
    assert score["Köchin"] == 0.99
    assert score["backers"] > 0.9
    assert (
        score["看護師 (f)"] == suggest(plain, ["koechin f"])[0][0].score
    )  # writing without Latin letters is no accent


def test_suggestions_of_real_words_in_wordnet():
    wn = om.load_wordnet()
    found = suggest(wn, ["nurse practioner", "Trinadad & Tobago", "Köchin"])
    assert [s.concept for s in found[0]][:1] == ["nurse_practitioner.n.01"]
    assert [s.concept for s in found[1]][:1] == ["trinidad_and_tobago.n.01"]
    assert found[2] == ()


def test_a_domain_restricts_suggestions():
    wn = om.load_wordnet()
    assert {s.concept for s in suggest(wn.domain("animal.n.01"), ["tigre"])[0]} == {"tiger.n.02"}
    assert suggest(wn.domain("plant.n.02"), ["nurse practioner"])[0] == ()


def misspelt(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    added, left_out = text[:at] + rng.choice("aeknst") + text[at:], text[: at - 1] + text[at:]
    return rng.choice([added, left_out, text.replace(" ", "  ")])


def test_scores_are_those_of_the_definition():
    rng = random.Random(5)
    words = [word for labels in LABELS.values() for label in labels for word in label.split()]
    texts = [" ".join(rng.sample(words, rng.randint(1, 3))) for _ in range(150)]
    texts += [misspelt(rng, rng.choice(texts)) for _ in range(300)]
    texts += [text.replace("a", "ä") for text in texts[:100]] + ["Köchinnen", "kochinnen nurses", "Ärztinnen heart"]
    for text in texts:
        expected = scores(JOBS, text)
        found = {s.concept: s.score for s in suggest(JOBS, [text], most=len(JOBS))[0]}
        assert found == {c: pytest.approx(score, abs=6e-4) for c, score in expected.items()}, text


def test_a_batch_gives_the_same_as_single_texts():
    texts = ["physican", "nurses", "acute infarction", "physican"]
    assert suggest(JOBS, texts) == [suggest(JOBS, [text])[0] for text in texts]


WORDS = st.text("abcdé1", min_size=1, max_size=11)


@given(st.lists(WORDS, unique=True, max_size=12), st.lists(WORDS, max_size=6))
def test_the_index_finds_all_similar_words_and_no_others(known, searched):
    found = SpellingIndex(known).similar(searched)
    listed = {(searched[i], known[j]): s for i, j, s in zip(*found, strict=True)}
    expected = {(a, b): letter_similarity(a, b) for a in searched for b in known if letter_similarity(a, b)}
    assert listed == pytest.approx(expected)


@pytest.mark.parametrize(
    ("a", "b", "number"), [("tigre", "tiger", 1), ("retired", "retard", 2), ("", "ab", 2), ("ca", "abc", 3)]
)
def test_edits_by_hand(a, b, number):
    assert edits(a, b) == number


@pytest.mark.parametrize(
    ("one", "other"), [("köln", "koeln"), ("straße", "strasse"), ("łódź", "lodz"), ("œuvre", "oeuvre")]
)
def test_folded_words(one, other):
    assert fold(one) == fold(other)


def test_codes_that_are_nearly_right():
    codes = om.Taxonomy.from_edges(
        [("HP:0002067", "HP:0000001"), ("E11", "HP:0000001"), ("E11.9", "E11")], annotations=Annotations(code_ids=True)
    )
    assert best("2067", codes) == "HP:0002067"  # zeros lost
    assert best("HP:2067", codes) == "HP:0002067"
    assert best("HP:000206", codes) is None  # any digit may lack
    assert best("E11.99", codes) == "E11.9"  # a wider code
    assert best("HP:000Z067", codes) is None
    assert best("HP:OOO2067", codes) == "HP:0002067"  # letters for digits
    assert best("HP:00020", codes) is None
    assert all(s.score <= 0.7 for text in ("2067", "E11.99", "HP:OOO2067") for s in suggest(codes, [text])[0])


@pytest.mark.parametrize("text", ["n/a", "1/2", "cook/in", "m/w/d", "A+B"])
def test_marks_inside_a_value_make_no_list(text):
    assert find_shape(text, lambda part: True) is None


@pytest.mark.parametrize(
    ("text", "has_codes", "shape"),
    [("1,234", False, "number"), ("250,401", True, "list"), ("-5", False, "number"), ("-5", True, None)],
)
def test_numbers_are_codes_where_concepts_have_codes(text, has_codes, shape):
    found = find_shape(text, lambda part: part.isdigit(), has_codes=has_codes)
    assert (found and found[0]) == shape


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        *[
            (text, "date")
            for text in ("31.12.2021", "2021-12", "May 2021", "3. März 1999", "3-Jan-2020", "Dec 31, 1999")
        ],
        *[(text, "number") for text in ("10-20", "[70-80)", "1.5 – 2", ">= 90", "<5", "85+")],
        *[(text, None) for text in ("may", "SEPT1", "May fly 1", "marine 2021 b", "A10-B20", "2-methyl", "type 2")],
    ],
)
def test_dates_and_ranges(text, shape):
    found = find_shape(text, lambda part: False)
    assert (found and found[0]) == shape


def test_a_comma_alone_makes_no_list():
    known = {"nurse", "doctor"}.__contains__
    assert find_shape("nurse, senior", known) is None
    assert find_shape("nurse; senior", known) is not None
    assert find_shape("nurse, doctor, surgeon", known) is not None
    assert find_shape("HP:1,HP:2", {"HP:1"}.__contains__) is not None


@pytest.mark.parametrize("text", ["nurse/cook", "a;b", "nurse + cook"])
def test_known_parts_make_a_list(text):
    shape, _ = find_shape(text, lambda part: True) or ("", "")
    assert shape == "list"
