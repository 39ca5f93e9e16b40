"""The same seed gives the same bytes: from a job, a command or Python, with any number of threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli.commands import app
from ontomask.job.methods import to_toml_dict
from ontomask.job.private_file import PrivateFile, order_seed

from support.families import METHODS, make_words_job, words_data

SEED = 2**64 + 20_240_517


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_job_command_and_python_agree(method, tmp_path):
    path = make_words_job(tmp_path, method)
    job = om.Job.from_toml(path)
    assert repr(job.method) == repr(method)
    assert to_toml_dict(job.method) == to_toml_dict(method)
    results = []
    for _ in range(2):
        run = job.run(seed=SEED, overwrite=True)
        results.append(run.files["masked"].read_bytes())
    done = CliRunner().invoke(app, ["mask", str(path), "--seed", str(SEED), "--force", "--quiet"])
    assert done.exit_code == 0, done.output
    results.append((tmp_path / "masked.csv").read_bytes())
    private = tmp_path / "masked.private.toml"
    order = order_seed(SEED, PrivateFile.load(private).files)
    method.mask(words_data(tmp_path), seed=SEED).write(tmp_path / "by-hand.csv", seed=order)
    results.append((tmp_path / "by-hand.csv").read_bytes())
    CliRunner().invoke(app, ["mask", str(path), "--repeat", str(private), "--force", "--quiet"])
    results.append((tmp_path / "masked.csv").read_bytes())
    assert results == [results[0]] * 5
    # Another seed gives another result, if the method is random.
    other = job.run(seed=SEED + 1, overwrite=True).files["masked"].read_bytes()
    by_chance = (om.NaiveDistortion, om.PRAM, om.ProbabilisticDistortion, om.DataSwapping, om.UncorrelatedNoise)
    assert other != results[0] or not isinstance(method, by_chance)


# Masks and measures with every method, and prints what came out of each.
EVERYTHING = """
import hashlib, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import ontomask as om
from support.families import METHODS, words_data
data = words_data(Path(sys.argv[1]))
found = {}
for method in METHODS:
    result = method.mask(data, seed=3)
    score = om.evaluate(data, result)
    report = om.build_report(data, result, score)
    texts = [result.frame.write_csv(), score.to_json(), report.to_json()]
    found[repr(method)] = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
print(json.dumps(found))
"""
POOLS = ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")


def test_the_number_of_threads_does_not_matter(tmp_path, pytestconfig):
    make_words_job(tmp_path, METHODS[0], records=4000)
    command = [sys.executable, "-c", EVERYTHING, str(tmp_path), str(pytestconfig.rootpath / "tests")]
    running = [
        subprocess.Popen(
            command,
            env={**os.environ, **dict.fromkeys(POOLS, threads), "PYTHONHASHSEED": threads},
            stdout=subprocess.PIPE,
            text=True,
        )
        for threads in ("1", "2", "5")
    ]
    one, *others = [json.loads(process.communicate(timeout=120)[0]) for process in running]
    assert len(one) == len(METHODS)
    assert others == [one, one]
