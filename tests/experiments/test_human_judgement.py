from __future__ import annotations

import csv

import numpy as np
import pytest

import ontomask as om
from experiments.ontologies import human_judgement as script
from experiments.shared import findings
from experiments.shared.findings import DOCS
from experiments.shared.samples import PUBLISHED

PAGE = DOCS / "human_judgement.md"


@pytest.fixture(scope="module")
def results():
    return script.measure_all(om.load_wordnet())


def test_ratings_are_complete():
    with script.RATINGS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert list(rows[0]) == ["word1", "word2", "rubenstein_goodenough", "miller_charles"]
    rg, mc = (
        {frozenset((row["word1"], row["word2"])): float(row[column]) for row in rows if row[column]}
        for column in ("rubenstein_goodenough", "miller_charles")
    )
    assert (len(rows), len(rg), len(mc)) == (65, 65, 30)  # each pair once
    assert mc.keys() <= rg.keys()
    assert all(0 <= rating <= 4 for rating in [*rg.values(), *mc.values()])
    assert len({word for pair in rg for word in pair}) == 48  # a slip of typing would add one
    wn = om.load_wordnet()
    assert all(wn.find(word) for pair in rg for word in pair)
    sets = script.read_ratings(wn)
    assert [(ratings.name, len(ratings.pairs)) for ratings in sets] == [("M&C", 30), ("R&G", 65)]
    # Martínez 2012, section 3.2.4: the two experiments correlate by 0.97. A typing error would change this.
    assert round(script.between_people(sets), 2) == 0.97


def test_table_4_is_as_printed():
    assert set(script.TABLE_4) == set(PUBLISHED)
    assert script.TABLE_4 == {
        "path": ("edge", 0.59, None),
        "wu_palmer": ("edge", 0.74, None),
        "leacock_chodorow": ("edge", 0.74, 0.77),
        "rodriguez": ("feature", 0.71, None),
        "tversky": ("feature", 0.73, None),
        "x_similarity": ("feature", 0.74, None),
        "log_sc": ("feature", 0.85, 0.86),
        "resnik": ("IC", 0.72, 0.72),
        "lin": ("IC", 0.7, 0.72),
        "jiang_conrath": ("IC", 0.73, 0.75),
    }


def test_correlations():
    x, y = np.array([1.0, 2.0, 2.0, 5.0]), np.array([10.0, 30.0, 20.0, 40.0])
    assert script.ranks(x).tolist() == [1, 2.5, 2.5, 4]
    agreement = script.Agreement(x, y)
    assert agreement.pearson == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert agreement.spearman == pytest.approx(4.5 / np.sqrt(4.5 * 5))  # ranks (1, 2½, 2½, 4) and (1, 3, 2, 4)
    assert script.Agreement(x, -x).spearman == pytest.approx(-1)


def test_words_are_as_similar_as_their_nearest_senses():
    t = om.Taxonomy.from_edges(
        [("animal", "thing"), ("bird", "animal"), ("machine", "thing"), ("hoist", "machine"), ("wader", "bird")],
        labels={"hoist": ["crane"], "wader": ["crane"]},
    )
    d = om.distance("path", t)
    assert script.similarity(d, "crane", "bird") == 1 - d("wader", "bird")
    assert script.similarity(d, "crane", "machine") == 1 - d("hoist", "machine")


def test_measures_follow_people(results):
    found = {result.label: [agreement.pearson for agreement in result.agreements] for result in results}
    assert len(found) == 20
    assert all(0.6 < mc < 0.95 and 0.7 < rg < 0.95 for mc, rg in found.values())
    assert found["log_sc"] == pytest.approx([0.81, 0.85], abs=0.02)
    assert found["wu_palmer, root_depth=1"] == pytest.approx([0.74, 0.79], abs=0.02)
    for other in ("path", "wu_palmer, root_depth=1", "rodriguez", "tversky"):
        assert np.all(np.array(found["log_sc"]) > found[other])
    assert max(found, key=lambda label: found[label][0]).startswith("jiang_conrath")


def test_resampling_tells_a_lead_from_chance():
    rated = np.arange(20.0)
    close, far = script.Agreement(rated + 1, rated), script.Agreement(np.tile([0.0, 1.0], 10), rated)
    assert script.is_above(close, far)
    assert not script.is_above(far, close)
    assert not script.is_above(close, close)
    low, high = far.interval
    assert low < far.pearson < high


def test_best_of_families(results):
    edge, feature, content = script.best_of_families(results, 0)
    assert edge.pearson < feature.pearson < content.pearson == max(r.agreements[0].pearson for r in results)


def test_without_wordnets_own_folder_the_page_is_not_complete(results, monkeypatch, tmp_path):
    monkeypatch.setattr(findings, "DEBIAN", tmp_path)
    monkeypatch.setattr(script, "measure_all", lambda _: results)
    found = script.run(findings.Setting())
    assert found.complete is False
    assert "With glosses" not in found.page
    assert len(found.rows) == 2 * len(results)


def test_page_is_what_the_script_writes(results):
    page = PAGE.read_text(encoding="utf-8")
    assert script.table(results, script.read_ratings(om.load_wordnet())) in page
    assert script.summary(results) in page
