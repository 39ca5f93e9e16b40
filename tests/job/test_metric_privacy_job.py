"""Metric privacy in a job: no seed, no second try, and what the report says about it."""

from __future__ import annotations

import ontomask as om
from ontomask.errors import JobError

from support.errors import raises
from support.families import make_words_job


def test_a_job_takes_no_seed_and_cannot_be_repeated(tmp_path):
    job = om.Job.from_toml(make_words_job(tmp_path, om.MetricPrivacy(epsilon=2.0), 60))
    with raises(JobError, parameter="seed", code="seed-refused"):
        job.run(seed=2**70)
    run = job.run()
    assert run.result.guarantee.epsilon == 2.0
    with raises(JobError, parameter="seed", code="seed-refused"):
        job.run(repeat=run.files["private"], overwrite=True)
    assert "--repeat" not in run.files["private"].read_text()


def test_the_report_tells_epsilon_and_the_worst_pairs(tmp_path):
    path = make_words_job(tmp_path, om.MetricPrivacy({"first": 1.0, "second": 2.0}), 60)
    path.write_text(f'output.report = ["report.txt"]\n{path.read_text()}')
    run = om.Job.from_toml(path).run()
    assert run.report is not None
    assert run.report.guarantee.claim == "metric privacy"
    proof = " ".join(run.report.guarantee.proof)
    assert "first: ε = 1" in proof
    assert "second: ε = 2" in proof
    assert "d∞ = 0.848" in proof


def test_a_seed_that_the_user_allows_is_taken(tmp_path):
    method = om.MetricPrivacy(epsilon=2.0, unsafe_seed=True)
    job = om.Job.from_toml(make_words_job(tmp_path, method, 60))
    first = job.run(seed=2**70)
    assert "--repeat" in first.files["private"].read_text()
    again = job.run(repeat=first.files["private"], overwrite=True)
    assert again.result.frame.equals(first.result.frame)
    assert again.result.guarantee.claim == ""
