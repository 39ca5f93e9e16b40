"""Released text gives nobody's own words away, and says nothing that is not true of the released concept."""

from __future__ import annotations

import pandas as pd
import pytest

import ontomask as om
from ontomask.examples.adult import adult_data
from ontomask.taxonomy.taxonomy import Annotations

PLACES = om.Taxonomy.from_edges(
    [
        *((country, "America") for country in ("US", "Mexico", "Canada", "Cuba")),
        *((country, "Europe") for country in ("Spain", "France")),
        *((region, "world") for region in ("America", "Europe")),
    ]
)
SYMPTOMS = om.Taxonomy.from_edges(
    [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom"), ("itch", "rash")],
    labels={"ache": ["ache", "aching"], "pain": ["pain"]},
)
OWN_WORDS = "pain (see Dr Smith, patient J. Doe 1961)"
# What a rare spelling may look like: the user's own words mapped by hand, another case, blanks, a synonym.
RARE_SPELLINGS = {OWN_WORDS: "pain", "ACHE": None, "  Colic": None, "aching": None}


def symptoms(**options):
    """60 records; four spellings of one record each."""
    cells = ["ache", "colic", "rash", "itch"] * 14 + list(RARE_SPELLINGS)
    other = ["rash", "itch", "ache", "colic", "ache"] * 12
    attribute = om.Nominal(SYMPTOMS, mapping={OWN_WORDS: "pain"}, domain="symptom")
    frame = pd.DataFrame({"symptom": cells, "also": other})
    return om.Microdata(frame, {"symptom": attribute, "also": om.Nominal(SYMPTOMS)}, **options)


METHODS = [
    om.Microaggregation(2),
    om.Microaggregation(2, variant="mdav"),
    om.Recoding(2),
    om.Resampling(2),
    om.HeerResampling(2),
    om.Generalisation(2),
    om.Generalisation(2, mode="full_domain"),
    om.Suppression(2, mode="cells"),
    om.RankSwapping(3, algorithm=1),
    om.RankSwapping(3, algorithm=2),
    om.RankSwapping(3),
    om.DataSwapping(),
    om.DistributionalRankSwapping(3),
    om.NaiveDistortion(),
    om.ProbabilisticDistortion(),
    om.PRAM(0.9),
    om.UncorrelatedNoise(0.01),
    om.CorrelatedNoise(0.01),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_no_method_releases_a_rare_spelling(method):
    data = symptoms()
    for seed in range(3):
        released = set(method.mask(data, seed=seed).frame["symptom"])
        assert released
        assert not released & set(RARE_SPELLINGS)
        assert released <= set(SYMPTOMS.ids)


def test_a_stream_releases_no_rare_spelling():
    model = om.UncorrelatedNoise(0.01).fit(symptoms())
    out = model.mask_batch(symptoms().frame, seed=0)
    assert set(out["symptom"]) <= set(SYMPTOMS.ids)
    record = {"symptom": OWN_WORDS, "also": "ache"}
    assert model.mask_record(record, alpha=0, seed=0) == {"symptom": "pain", "also": "ache"}


def place_cells(mapping, counts):
    cells = [cell for cell, count in counts.items() for _ in range(count)]
    frame = pd.DataFrame({"country": cells})
    return om.Microdata(frame, {"country": om.Nominal(PLACES, mapping=mapping, domain="world")})


@pytest.mark.parametrize("guam", [1, 40])
def test_a_value_mapped_to_something_broader_does_not_name_it(guam):
    data = place_cells({"Guam": "America"}, {"Guam": guam, "US": 1, "Mexico": 1, "Canada": 1, "Spain": 9})
    result = om.Generalisation(3).mask(data, seed=0)
    assert "Guam" not in set(result.frame["country"])
    assert "America" in set(result.frame["country"])


def test_a_value_that_names_another_concept_does_not_name_the_one_it_was_mapped_to():
    data = place_cells({"Spain": "America"}, {"Spain": 20, "US": 20})
    domain = data.quasi_identifiers["country"].domain
    assert data.releases["country"].cell(domain.code("America")) == "America"


def test_two_values_mapped_to_one_concept_by_hand_do_not_name_it():
    data = place_cells({"Guam": "Cuba", "Haiti": "Cuba"}, {"Guam": 20, "Haiti": 30, "US": 20})
    domain = data.quasi_identifiers["country"].domain
    assert data.releases["country"].cell(domain.code("Cuba")) == "Cuba"


@pytest.mark.parametrize("cuba", [1, 20])
def test_a_word_for_a_concept_that_others_have_by_its_name_does_not_name_it(cuba):
    data = place_cells({"Guam": "Cuba"}, {"Guam": 50, "Cuba": cuba, "US": 20})
    assert set(om.Generalisation(2).mask(data, seed=0).frame["country"]) == {"Cuba", "US"}


def test_one_of_several_codes_of_another_source_does_not_name_a_concept():
    """Mondo's intestinal disorder has the codes 569, 575 and 564 of ICD-9; 575 is a disorder of the gallbladder."""
    codes = {"569": ("bowel",), "575": ("bowel",), "486": ("lung",), "250": ("sugar",)}
    edges = [("bowel", "ill"), ("lung", "ill"), ("sugar", "ill"), ("pneumonia", "lung")]
    t = om.Taxonomy.from_edges(edges, annotations=Annotations(aliases={"ICD9 xref": codes}))
    cells = {"569": 30, "575": 20, "486": 20, "pneumonia": 20}

    def released(**counts):
        frame = pd.DataFrame({"x": [cell for cell, count in counts.items() for _ in range(count)]})
        data = om.Microdata(frame, {"x": om.Nominal(t)})
        return set(om.Suppression(2).mask(data, seed=0).frame["x"])

    assert released(**cells) == {"bowel", "486", "pneumonia"}
    # A code that nobody else's value could be taken for stays.
    assert released(**{"569": 30, "250": 20}) == {"569", "250"}


def test_a_common_word_for_a_concept_is_released():
    data = place_cells({"Tech-support": "Cuba"}, {"Tech-support": 10, "US": 20})
    domain = data.quasi_identifiers["country"].domain
    assert data.releases["country"].cell(domain.code("Cuba")) == "Tech-support"


@pytest.mark.parametrize(("k", "text"), [(5, "MEXICO"), (12, "MEXICO"), (13, "Mexico")])
def test_a_spelling_needs_k_holders_where_k_is_more_than_ten(k, text):
    data = place_cells(None, {"MEXICO": 12, "Mexico": 11, "Spain": 30})
    assert text in set(om.Recoding(k).mask(data, seed=0).frame["country"])


def test_holders_of_a_spelling_are_persons_where_these_are_known():
    frame = pd.DataFrame({"who": [i % 6 for i in range(36)], "country": ["MEXICO"] * 24 + ["Spain"] * 12})
    plain = om.Microdata(frame, {"country": om.Nominal(PLACES)}, identifiers=["who"])
    persons = om.Microdata(frame, {"country": om.Nominal(PLACES)}, person="who")
    code = plain.quasi_identifiers["country"].domain.code("Mexico")
    assert plain.releases["country"].cell(code) == "MEXICO"
    assert persons.releases["country"].cell(code) == "Mexico"


def test_released_text_has_no_blanks_around_it():
    data = place_cells(None, {" Mexico": 20, "Spain ": 20})
    assert set(om.Recoding(2).mask(data, seed=0).frame["country"]) == {"Mexico", "Spain"}


@pytest.mark.parametrize(
    ("cells", "released"),
    [
        (["2", "3", "+4", "05", "6.0"], {"2", "3", "4", "5", "6"}),
        (["2.50", "3.00", "4.25", "5", "06.00"], {"2.50", "3.00", "4.25", "5.00", "6.00"}),
        (["2.5", "3", "4.25", "5.000"], {"2.5", "3", "4.25", "5"}),
    ],
)
def test_numbers_held_as_text_are_released_in_one_style(cells, released):
    data = om.Microdata(pd.DataFrame({"x": cells}), {"x": om.Numeric()})
    assert set(om.DataSwapping().mask(data, seed=0).frame["x"]) == released


def test_every_cell_that_generalisation_releases_is_true():
    """A released word is the value itself, or a concept that the value is a kind of."""
    wordnet, adult = om.load_wordnet(), adult_data("occupation", "native-country")
    for method in (om.Generalisation(5), om.Generalisation(5, mode="full_domain", suppression=0.05)):
        result = method.mask(adult, seed=0)
        for name in ("occupation", "native-country"):
            column = adult.quasi_identifiers[name]
            concepts = adult.mapping[name].concepts
            before = adult.frame[name].to_numpy()[result.data.rows]
            pairs = set(zip(before, result.frame[name].to_numpy(), strict=True))
            assert len(pairs) > 1
            for value, text in pairs:
                if text in concepts:
                    # A word of the data stands for its own value only.
                    assert concepts[text] == concepts[value]
                else:
                    senses = {wordnet.ids[wordnet.code(c)] for c in wordnet.find(text)} | {text.rpartition("(")[2][:-1]}
                    assert senses & set(column.domain.subsumers(concepts[value]))
