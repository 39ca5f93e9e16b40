"""Jobs with dates, intervals and ranges: what they release, and what `ontomask init` makes of dates."""

from __future__ import annotations

import re

import pytest

import ontomask as om
from ontomask.job import Job
from ontomask.job.column_guesses import Profile, guess_column

from support.literal_ranges import says_number

JOB = """
input.path = "visits.csv"
output = { masked = "masked.csv", report = "report.html", plan = "visits.plan" }
method = { name = "Generalisation", k = 4 }

[columns]
age = { role = "quasi-identifier", kind = "numeric", intervals = [[0, 18, 40, 65, 120], [0, 40, 120]] }
seen = { role = "quasi-identifier", kind = "date", precision = "month", formats = ["%d/%m/%Y"], centre = "median" }
pain = { role = "quasi-identifier", kind = "ordinal", categories = ["none", "mild", "strong"], top = "any pain" }
"""


@pytest.fixture
def job(tmp_path):
    dates = [f"{1 + i % 28:02}/{1 + i % 12:02}/20{15 + i % 9}" for i in range(48)]
    rows = [f"{17 + 13 * i % 60},{day},{('none', 'mild')[i % 2]}" for i, day in enumerate(dates)]
    (tmp_path / "visits.csv").write_text("age,seen,pain\n" + "\n".join(rows) + "\n")
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path / "job.toml"


def test_a_job_generalises_numbers_dates_and_categories(job):
    described = Job.from_toml(job)
    run = described.run(seed=2**70)
    masked = described.read(run.files["masked"])
    assert masked.group_by(masked.columns).len()["len"].min() >= 4
    ages = zip(masked["age"], om.read_table(job.parent / "visits.csv")["age"], strict=True)
    assert all(says_number(text, age) for text, age in ages)
    assert all(re.fullmatch(r"20\d\d(-\d\d|-Q\d|-20\d\d)?|\*", seen) for seen in masked["seen"])
    assert set(masked["pain"]) <= {"none", "mild", "none – mild", "any pain"}
    # What was written is what was measured.
    assert described.evaluate(masked, attacks=False).sse == pytest.approx(run.score.sse)
    assert om.load_plan(run.files["plan"]).apply(described.data, 0).suppressed.sum() == 0


@pytest.mark.parametrize(
    ("texts", "is_clear"),
    [
        (["2021-03-05", "2020-12-31 10:15"], True),
        (["31/12/2021", "05/03/2021"], True),
        (["12/31/2021", "05/03/2021"], True),
        (["04/03/2021", "05/03/2021"], False),
        (["31/12/21", "05/03/21"], False),
        (["2021-03", "2020-12"], True),
    ],
)
def test_a_guess_of_dates_reads_all_of_them(texts, is_clear):
    guess = guess_column(Profile("seen", dict.fromkeys(texts, 30), 0), {})
    is_date = guess.keys.get("kind") == "date"
    options = {key: value for key, value in guess.keys.items() if key != "kind"}
    assert not is_date or not om.Date(**options).mismatches(texts)
    assert is_date or not is_clear
