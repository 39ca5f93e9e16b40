from __future__ import annotations

import pytest

from experiments.framework.measurements import Rows, rows
from experiments.grouping.semantic_linkage import COARSE, EQUAL, FINE, LOG_SC, RULES

# Linked records in percent, by intruder and hierarchy.
FIGURES = {(LOG_SC, COARSE): 20.0, (LOG_SC, FINE): 24.0, (EQUAL, COARSE): 5.0, (EQUAL, FINE): 12.0}
FOUND = Rows.of(
    row
    for (method, hierarchy), value in FIGURES.items()
    for row in rows({("linked", hierarchy): value}, table="A", method=method, level=2.0)
)


def test_a_range_in_percent_of_the_coarse_hierarchy():
    # 20 % more: 5 points below the upper limit.
    assert RULES["finer-links-10-to-25-percent-more"](FOUND)["margin"].to_list() == pytest.approx([0.05])


def test_a_range_in_percent_of_the_records():
    # Leads of 15 and 12 points.
    assert sorted(RULES["lead-is-10-to-25-percent"](FOUND)["margin"]) == pytest.approx([0.02, 0.05])
