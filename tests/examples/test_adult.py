from __future__ import annotations

from collections import Counter

import ontomask as om
from ontomask.examples.adult import (
    DOMAIN,
    EDUCATION,
    LINKS,
    MAPPING,
    TABLE_12,
    adult_attributes,
    full_adult_data,
    load_adult,
)


def test_records_are_the_complete_training_set():
    adult = load_adult()
    assert set(map(len, adult.values())) == {30_162}
    pairs = Counter(zip(adult["occupation"], adult["native-country"], strict=True))
    # The public file: 394 distinct pairs, 84 unique, largest 3,735 (Martínez 2012 prints 388, 83, 3,739).
    assert (len(pairs), list(pairs.values()).count(1), max(pairs.values())) == (394, 84, 3_735)
    assert not any(cell in ("", "?") for column in adult.values() for cell in column)


def test_default_mapping_is_complete_and_keeps_to_its_domains():
    wn, adult = om.load_wordnet(), load_adult()
    for column, top in (("occupation", "person.n.01"), ("native-country", "district.n.01")):
        report = om.map_values(adult[column], wn, MAPPING[column], domain=DOMAIN[column], column=column)
        assert report.record_coverage == 1.0
        assert wn.lcs(*report.concepts.values()) == top == DOMAIN[column]
        assert len(set(report.concepts.values())) == len(report.values)  # no two values become one
        assert report.unused_keys == ()
        # No value lies above another: a generalisation is never published under a value's name.
        above = {c: wn.subsumers(c) - {c} for c in report.concepts.values()}
        assert not any(c in others for c in above for others in above.values())


def test_thesis_mapping_as_printed():
    wn, adult = om.load_wordnet(), load_adult()
    occupation = om.map_values(adult["occupation"], wn, TABLE_12["occupation"])
    assert occupation.record_coverage == 1.0
    assert occupation.concepts["Sales"] == "gross_sales.n.01"
    assert occupation.concepts["Handlers-cleaners"] == "cleansing_agent.n.01"
    assert wn.lcs(*occupation.concepts.values()) == "entity.n.01"
    country = om.map_values(adult["native-country"], wn, TABLE_12["native-country"])
    assert [v.value for v in country.unmapped] == ["Trinadad&Tobago"]
    assert country.concepts["Hong"] == "hong_kong.n.01"
    assert country.concepts["Outlying-US(Guam-USVI-etc)"] == "american_state.n.01"


def test_every_personal_column_can_be_masked():
    adult, data = load_adult(), full_adult_data()
    assert list(data.quasi_identifiers) == [name for name in adult if name != "salary-class"]
    assert list(data.confidential) == ["salary-class"]
    assert data.other == ()
    assert set(adult["education"]) == set(EDUCATION)
    for name, links in LINKS.items():
        taxonomy = om.Taxonomy.from_edges(links)
        # The values are the leaves, and nothing else is: no group is published under the name of a value.
        assert {concept for concept in taxonomy.ids if not taxonomy.children(concept)} == set(adult[name])


def test_the_distance_of_categories_protects_small_groups():
    def changed(attributes):
        """Percent of the people in the two smallest races whose race changes."""
        data = om.Microdata(full_adult_data().frame, attributes, confidential=["salary-class"])
        masked = om.Microaggregation(k=5).mask(data, seed=0).frame["race"]
        race = data.frame["race"]
        small = race.is_in([name for name, _ in Counter(race).most_common()[-2:]])
        return 100 * (race.filter(small) != masked.filter(small)).mean()

    attributes = adult_attributes()
    assert changed(attributes) < 10
    wu_palmer = {name: om.Nominal(om.Taxonomy.from_edges(links)) for name, links in LINKS.items()}
    assert changed(attributes | wu_palmer) > 25
