from __future__ import annotations

import csv

import numpy as np
import pytest

import ontomask as om
from experiments.framework.claims import Verdict, judge
from experiments.framework.measurements import Rows, rows
from experiments.framework.tables import PUBLISHED
from experiments.ontologies import human_judgement as script


def test_ratings_are_complete():
    with script.RATINGS.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(line for line in file if not line.startswith("#")))
    words = {line[word] for line in lines for word in ("word1", "word2")}
    assert len(words) == 48  # a slip of typing would add one
    mc, rg = script.read_ratings().values()
    assert (len(mc), len(rg)) == (30, 65)
    assert len({frozenset(pair) for pair in rg.select("word1", "word2").iter_rows()}) == 65
    assert set(mc["pair"]) <= set(rg["pair"])
    assert all(0 <= rating <= 4 for ratings in (mc, rg) for rating in ratings["rating"])
    wn = om.load_wordnet()
    assert all(wn.find(word) for word in words)
    # Martínez 2012, section 3.2.4: the two experiments correlate by 0.97. A typing error would change this.
    assert round(script.between_people(), 2) == 0.97


def test_table_4_has_all_measures():
    assert set(script.TABLE_4) == set(PUBLISHED)
    assert {name.split(",")[0] for name in script.VARIANTS} == set(PUBLISHED)


def test_shares_of_pairs_have_the_correlation_as_their_mean():
    x, y = np.array([1.0, 2.0, 2.0, 5.0]), np.array([10.0, 30.0, 20.0, 40.0])
    assert script.shares(x, y).mean() == pytest.approx(np.corrcoef(x, y)[0, 1])
    # Standardised: ±1. Where both agree, a share is r + 1 - r; where they do not, r - 1 - r.
    x, y = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0, 0.0])
    r = 1 / np.sqrt(3)
    low, high = -r, np.sqrt(3)  # y standardised
    expected = [r - low - r * (1 + low**2) / 2] * 2
    expected += [r + high - r * (1 + high**2) / 2, r + low - r * (1 + low**2) / 2]
    assert script.shares(x, y) == pytest.approx(expected)


def test_ranks_share_ties():
    assert script.ranks(np.array([1.0, 2.0, 2.0 + 1e-12, 5.0])).tolist() == [1, 2.5, 2.5, 4]


def test_words_are_as_similar_as_their_nearest_senses():
    t = om.Taxonomy.from_edges(
        [("animal", "thing"), ("bird", "animal"), ("machine", "thing"), ("hoist", "machine"), ("wader", "bird")],
        labels={"hoist": ["crane"], "wader": ["crane"]},
    )
    d = om.distance("path", t)
    assert script.similarity(d, "crane", "bird") == 1 - d("wader", "bird")
    assert script.similarity(d, "crane", "machine") == 1 - d("hoist", "machine")


CLAIMS = {claim.key: claim for claim in script.EXPERIMENT.claims}
PRINTED = tuple(rows({(script.R, "Miller–Charles"): 0.59}, table=script.PRINTED, method="path"))


def hand_made(printed=(), **correlations):
    """The correlations with Miller–Charles, of two pairs of words each."""
    measured = [
        row
        for name, values in correlations.items()
        for seed, value in enumerate(values)
        for row in rows({(script.R, ""): value}, table="Miller–Charles", method=name, seed=seed)
    ]
    return Rows.of([*printed, *measured])


def test_best_of_families_are_compared():
    # The best: wu_palmer 0.7, log_sc 0.75 and lin 0.82; only the first and the last differ by more than 0.1.
    found = hand_made(path=[0.1, 0.2], wu_palmer=[0.7, 0.7], log_sc=[0.75, 0.75], lin=[0.8, 0.84])
    (one,) = judge(CLAIMS["families-alike"], found)
    assert (one.holds, one.cases) == (2, 3)


def test_printed_figures_are_compared_with_each_set():
    at_least = CLAIMS["at-least-as-printed"]
    (one,) = judge(at_least, hand_made(PRINTED, path=[0.55, 0.55], wu_palmer=[0.1, 0.1]))
    assert (one.verdict, one.cases) == (Verdict.FOUND, 1)  # 0.55 ≥ 0.59 - 0.05
    (one,) = judge(at_least, hand_made(PRINTED, path=[0.53, 0.53]))
    assert one.verdict == Verdict.NOT_FOUND


def test_the_interval_of_a_lead_is_paired():
    # Correlations that differ by 0.1 with every pair of words leave no doubt about their difference.
    found = hand_made(lin=[0.2, 0.8], path=[0.1, 0.7])
    assert script.lead(found, "lin", "path", "Miller–Charles") == "0.10 to 0.10"
