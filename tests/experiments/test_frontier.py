from __future__ import annotations

import pytest

from experiments.findings.frontier import GENERALISED, REFINED, generalised_at_equal_linkage
from experiments.framework.measurements import Rows, rows
from experiments.framework.tables import ADULT


def test_loss_at_equal_linkage():
    # With a tenth of the linkage, microaggregation loses four times as much: twice at the geometric mean.
    points = {
        REFINED: {2: (10.0, 1.0), 5: (1.0, 4.0)},
        # More linked than any level of microaggregation, then as much as between its levels.
        GENERALISED: {2: (11.0, 0.5), 5: (10**0.5, 3.0)},
    }
    measured = Rows.of(
        row
        for method, levels in points.items()
        for k, (srl, loss) in levels.items()
        for row in rows({("srl", "path"): srl, ("loss", "path"): loss}, table=ADULT, method=method, level=k)
    )
    assert generalised_at_equal_linkage(measured, ADULT, "path") == {5: pytest.approx(1.5)}
