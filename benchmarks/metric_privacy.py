"""Metric privacy: whole runs with their bars, streams, and OpenDP's draws beside ours."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import polars as pl
from noise import DIAGNOSES, over_wordnet
from sources import NO_DIABETES130, diabetes130_file
from timing import NO_BAR, Bar, Report, best_of, duration, times

import ontomask as om
from ontomask.masking.metric_privacy.mechanisms import Mechanism
from ontomask.masking.metric_privacy.randomness import secure_words
from ontomask.masking.metric_privacy.weights import STEPS


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
                taken = best_of(lambda m=method, d=data: m.mask(d), seconds=0, clock=time.process_time)
                # The bars are those of the default mechanism.
                bar = Bar(limit, duration).cells(taken) if mechanism == "exponential" else NO_BAR
                rows.append([name, f"{len(data):,}", mechanism, f"{epsilon:g}", duration(taken), *bar])
    report.table(["table", "records", "mechanism", "ε", "processor time", "bar", ""], rows)
    report.text("A stream: one record at a time by `fit().mask_record`, and OpenDP's noisy max over the same scores.")
    report.table(["what", "candidates", "one draw", "ratio"], list(single_draws()))
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


if __name__ == "__main__":
    main()
