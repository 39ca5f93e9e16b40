"""Tables that take long: what the pages say before the work begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontomask.errors import MaskingError
from ontomask.masking import temporary

from support.errors import raises
from support.workbenches import Desk, small_csv


@pytest.mark.parametrize("step", ["protect", "compare"])
def test_work_that_takes_long_is_announced_before_it_begins(tmp_path: Path, monkeypatch, step):
    desk = Desk(tmp_path).enter()
    found = desk.upload(small_csv(90))
    assert 'id="workload"' not in desk.show(found, step).text
    monkeypatch.setattr("ontomask.job.workload._MANY", 11)
    monkeypatch.setattr("ontomask.job.workload._LARGE", 8 * 3**2 - 1)
    found.bench._kept.clear()
    shown = desk.show(found, step).text
    assert 'id="workload"' in shown
    assert "Of its 90 records, 12 differ in the masked columns" in shown
    assert "The column <b>town</b> has 3 different values" in shown
    assert "<b>age</b> has most values (12)" in shown
    assert "Resampling" in shown


def test_distances_that_do_not_fit_on_the_disk_are_refused_before_anything_is_written(monkeypatch):
    monkeypatch.setattr(temporary, "TemporaryFile", None)
    with raises(MaskingError, code="disk-full"):
        temporary.room_for(2**60, temporary.np.dtype("int64"))
