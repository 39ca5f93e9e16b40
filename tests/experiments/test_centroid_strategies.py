from __future__ import annotations

import numpy as np
import pytest

from experiments.framework.claims import judge
from experiments.framework.measurements import Rows
from experiments.framework.tables import every
from experiments.grouping import centroid_strategies as script
from ontomask.examples import adult_data
from ontomask.operators.space import record_distances


@pytest.fixture(scope="module")
def records():
    return script.Records.of(every(adult_data(), 100), script.OURS, "domain")


def test_clusters_are_wards(records):
    # The same by definition: at each step the merger that adds least to the pairwise sum of squares within clusters.
    part = records.take(np.arange(0, len(records.counts), 3))
    distances = record_distances(part.spaces[script.LOG_SC], part.columns, part.columns)
    squares = np.multiply.outer(part.counts, part.counts) * distances**2

    def within(group):
        return squares[np.ix_(group, group)].sum() / 2 / part.counts[group].sum()

    groups = [[i] for i in range(len(part.counts))]
    while len(groups) > script.CLUSTERS:
        a, b = min(
            ((a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]),
            key=lambda pair: within(pair[0] + pair[1]) - within(pair[0]) - within(pair[1]),
        )
        groups = [group for group in groups if group not in (a, b)] + [a + b]
    found = {frozenset(zip(*one.columns, strict=True)) for one in script.clusters(part)}
    assert found == {frozenset(zip(*part.take(np.array(group)).columns, strict=True)) for group in groups}


def test_sums_of_clusters(records):
    found = dict(script.represented(records))
    parts = script.clusters(records)
    assert found[script.LOG_SC, script.ALL] == 1
    assert sum(part.counts.sum() for part in parts) == records.counts.sum()
    sums = [part.strategies() for part in parts]
    expected = sum(one[script.MODE] for one in sums) / sum(one[script.LOG_SC] for one in sums)
    assert found[script.MODE, script.ALL] == pytest.approx(expected)
    assert found[script.SHARE, "1"] == parts[0].counts.max() / parts[0].counts.sum()


# By strategy: a cluster that one tuple dominates, another, and the whole table.
SUMS = {
    script.LOG_SC: (1, 1, 1),
    script.WU_PALMER: (1, 1, 1),
    script.PATH: (1.2, 1.1, 1.05),
    script.MODE: (1, 1.3, 1.3),
    script.CONSENSUS: (1, 1.05, 1.02),
    script.RANDOM: (1.3, 1.4, 1.2),
    script.SUBSUMER: (2, 3, 3),
    script.SHARE: (0.38, 0.37, None),
}


@pytest.mark.parametrize(
    ("key", "holds", "cases"),
    [
        # Path loses to the consensus.
        ("semantic-centroid-is-best", 1, 2),
        ("log-sc-and-wu-palmer-agree", 1, 1),
        ("path-is-slightly-worse", 1, 1),
        ("subsumer-is-worst", 3, 3),
        # 1.3 is over 1.25, 1.2 is not.
        ("mode-and-random-do-well", 1, 2),
        # Path does not.
        ("all-find-the-dominant", 0, 1),
        # Path loses to the consensus.
        ("only-semantic-otherwise", 2, 3),
    ],
)
def test_claims_by_hand(key, holds, cases):
    measured = Rows.of(
        {
            "table": "here",
            "method": name,
            "level": None,
            "measure": "sum",
            "columns": place,
            "seed": 0,
            "value": value,
        }
        for name, values in SUMS.items()
        for place, value in zip(("1", "2", script.WHOLE), values, strict=True)
        if value is not None
    )
    (found,) = judge(next(claim for claim in script.EXPERIMENT.claims if claim.key == key), measured)
    assert (found.holds, found.cases) == (holds, cases)
