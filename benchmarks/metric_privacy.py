"""Metric privacy: whole runs with their bars, streams, OpenDP's draws beside ours, and OpenDP's synthetic tables."""

from __future__ import annotations

import json
import os
import subprocess
import time
import venv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from noise import DIAGNOSES, over_wordnet
from sources import NO_DIABETES130, diabetes130_file
from timing import NO_BAR, Bar, Report, best_of, duration, times

import ontomask as om
from ontomask.examples.adult import adult_data
from ontomask.masking.metric_privacy.mechanisms import Mechanism
from ontomask.masking.metric_privacy.randomness import secure_words
from ontomask.masking.metric_privacy.weights import STEPS

HERE = Path(__file__).resolve().parent
OPENDP = HERE.parent / ".venv-opendp"
PYTHON = OPENDP / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def processor_seconds(work: Callable[[], object], runs: int = 3) -> float:
    """The processor time of a function, the minimum of several runs."""
    taken = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def main() -> None:
    """Measure and print."""
    report = Report("metric_privacy", "Metric privacy")
    report.text(
        "Whole runs with `MetricPrivacy`: distances, draws, the released table, verification. Data are loaded and "
        "mapped before. Processor time, the minimum of three runs."
    )
    rows = []
    cases: list[tuple[str, om.Microdata, float]] = []
    path = diabetes130_file()
    if path is None:
        report.text(NO_DIABETES130)
    else:
        cases.append(("diabetes130, 3 diagnoses", diagnoses(path), 2.0))
    cases.append(("1,000,000 records, 2,000 of 82,115 nouns", over_wordnet(1_000_000, 2_000), 10.0))
    for name, data, limit in cases:
        for mechanism in ("exponential", "permute_and_flip"):
            for epsilon in (1.0, 8.0):
                method = om.MetricPrivacy(epsilon, mechanism=mechanism)
                taken = processor_seconds(lambda m=method, d=data: m.mask(d))
                # The bars are those of the default mechanism.
                bar = Bar(limit, duration).cells(taken) if mechanism == "exponential" else NO_BAR
                rows.append([name, f"{len(data):,}", mechanism, f"{epsilon:g}", duration(taken), *bar])
    report.table(["table", "records", "mechanism", "ε", "processor time", "bar", ""], rows)
    report.text("A stream: one record at a time by `fit().mask_record`, and OpenDP's noisy max over the same scores.")
    report.table(["what", "candidates", "one draw", "ratio"], list(single_draws()))
    synthetic(report)
    report.close()


def diagnoses(path: Path) -> om.Microdata:
    """The three diagnoses, with the whole ICD-9 as their public domain. A missing diagnosis is its root."""
    icd9 = om.load_icd9cm()
    frame = pl.read_csv(path, columns=DIAGNOSES, schema_overrides=dict.fromkeys(DIAGNOSES, pl.String))
    frame = frame.filter(~pl.any_horizontal(pl.col(DIAGNOSES) == "?"))
    data = om.Microdata(
        frame, {name: om.Nominal(icd9, domain=icd9.root) for name in DIAGNOSES}, missing="root", unmapped="root"
    )
    assert len(data.table)
    return data


def single_draws():
    """Single draws over 15 and 20,000 candidates."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    theirs = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=2.0 * STEPS)
    for links in ([(f"c{i}", f"c{i // 2}") for i in range(1, 15)], [(f"c{i}", f"c{i // 9}") for i in range(1, 20_000)]):
        taxonomy = om.Taxonomy.from_edges(links)
        data = om.Microdata(pl.DataFrame({"x": ["c3"]}), {"x": om.Nominal(taxonomy, domain="c0")})
        domain = data.quasi_identifiers["x"].public_domain("log_sc")
        at = np.array([3], dtype=np.int32)
        scores = (-domain.levels(at, STEPS)[0].astype(int)).tolist()
        base = best_of(lambda s=scores: theirs(s), seconds=1, least=3)
        number = f"{len(taxonomy):,}"
        yield ["OpenDP 0.16, permute-and-flip", number, duration(base), times(1.0)]
        for name in ("permute_and_flip", "exponential"):
            mechanism = Mechanism(domain, 1.0, name)
            taken = best_of(lambda m=mechanism, x=at: m.draw(x, secure_words), seconds=1, least=3)
            yield [f"ours, {name}", number, duration(taken), times(taken / base)]
        model = om.MetricPrivacy(1.0).fit(data)
        taken = best_of(lambda m=model: m.mask_record({"x": "c7"}), seconds=1, least=3)
        yield ["ours, mask_record", number, duration(taken), times(taken / base)]


def synthetic(report: Report) -> None:
    """OpenDP's synthetic tables (AIM and MST), in an environment of their own, beside our methods at equal ε."""
    data = adult_data("occupation", "native-country", confidential=["salary-class"])
    theirs = opendp_tables(data)
    if not theirs:
        report.text("OpenDP's AIM and MST were not measured: `opendp[mbi]` could not be installed or run.")
        return
    rows = []
    for epsilon in (1.0, 4.0):
        for name in ("aim", "mst"):
            frame = pl.DataFrame(theirs[f"{name} {epsilon:g}"]["table"])
            score = om.evaluate(data, data_like(data, frame), attacks=False)
            rows.append(
                [name.upper(), f"{epsilon:g}", *figures(score), duration(theirs[f"{name} {epsilon:g}"]["seconds"])]
            )
        for method in (om.MetricPrivacy(epsilon), om.SyntheticRecords(epsilon)):
            begun = time.perf_counter()
            result = method.mask(data)
            taken = time.perf_counter() - begun
            score = om.evaluate(data, result, attacks=False)
            rows.append([type(method).__name__, f"{epsilon:g}", *figures(score), duration(taken)])
    report.text(
        "OpenDP's synthetic tables of the same two columns of the Adult census, at equal ε (records are not linked to "
        "originals there, so RMSE is between random pairs)."
    )
    report.table(["method", "ε", "RMSE", "sdCor difference", "time"], rows)


def figures(score: om.Evaluation) -> list[str]:
    """RMSE, mean over columns, and the largest change of sdCor."""
    rmse = np.mean(list(score.rmse.values()))
    change = max(abs(found.difference) for found in score.sdcor.values())
    return [f"{rmse:.3f}", f"{change:.3f}"]


def data_like(data: om.Microdata, frame: pl.DataFrame) -> pl.DataFrame:
    """A table as long as the original; a shorter one is repeated."""
    return frame[np.resize(np.arange(len(frame)), len(data)).tolist()]


def opendp_tables(data: om.Microdata) -> dict[str, dict]:
    """Synthetic tables by name and ε; empty if the environment cannot be made."""
    columns = {name: data.frame[name].to_list() for name in data.quasi_identifiers}
    try:
        if not PYTHON.is_file():
            venv.create(OPENDP, with_pip=True)
            packages = [PYTHON, "-m", "pip", "install", "--quiet", "opendp[mbi]==0.16.0", "pandas", "pyarrow"]
            subprocess.run(packages, check=True)
        run = [PYTHON, HERE / "opendp_peer.py"]
        done = subprocess.run(run, input=json.dumps(columns), capture_output=True, text=True, check=True, timeout=1800)
        return json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError) as problem:
        print(getattr(problem, "stderr", None) or problem)
        return {}


if __name__ == "__main__":
    main()
