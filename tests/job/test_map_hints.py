"""What ``ontomask map`` advises about cells that a column cannot hold."""

from __future__ import annotations

import polars as pl
import pytest

from ontomask.errors import JobError
from ontomask.job import Job


def check(tmp_path, column, method='{ name = "Microaggregation", k = 2 }'):
    days = [f"{day:02d}/0{1 + day % 3}/2020" for day in range(11, 21)]
    pl.DataFrame({"day": days, "code": ["479", "862"] * 5}).write_csv(tmp_path / "t.csv")
    other = "code" if column.startswith("day") else "day"
    (tmp_path / "j.toml").write_text(
        f'input.path = "t.csv"\noutput.masked = "m.csv"\nmethod = {method}\n'
        f'[columns]\n{column}\n{other} = {{ role = "drop" }}\n'
    )
    return Job.from_toml(tmp_path / "j.toml").check()


def test_formats_of_dates_are_suggested(tmp_path):
    [problem] = check(tmp_path, 'day = { role = "quasi-identifier", kind = "date" }').problems
    assert "formats = ['%d/%m/%Y']" in problem


def test_lengths_without_an_effect_are_a_warning(tmp_path):
    kind = 'role = "quasi-identifier", kind = "prefix"'
    assert check(tmp_path, f"code = {{ {kind}, lengths = [1] }}").warnings == ()
    [warning] = check(tmp_path, f"code = {{ {kind}, lengths = [9] }}").warnings
    assert warning.startswith("columns.code: ")


def test_k_over_columns_needs_the_columns(tmp_path):
    method = '{ name = "Microaggregation", k = 2, require = [{ k = 3 }] }'
    [problem] = check(tmp_path, 'code = { role = "quasi-identifier", kind = "category" }', method).problems
    assert "method.require.0.columns" in problem
    with pytest.raises(JobError) as refused:
        Job.from_toml(tmp_path / "j.toml").run()
    assert [key for key, _ in refused.value.problems] == ["method.require.0.columns"]
