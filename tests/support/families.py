"""One method of every family with the job that runs it over two columns of words, for tests of the whole flow."""

from __future__ import annotations

from pathlib import Path

import ontomask as om
from ontomask.job.methods import to_toml_dict
from ontomask.job.toml_text import toml_table

__all__ = ["METHODS", "make_words_job", "words_data"]

METHODS = (
    om.Microaggregation(5),
    om.Microaggregation(5, variant="mdav", require=[om.Diversity("cost", 2)]),
    om.Recoding(5),
    om.Resampling(5),
    om.HeerResampling(4),
    om.Generalisation(5),
    om.Generalisation(5, mode="full_domain"),
    om.Suppression(5),
    om.Suppression(5, mode="cells"),
    om.RankSwapping(5),
    om.RankSwapping(5, algorithm=1),
    om.DistributionalRankSwapping(5),
    om.DataSwapping(),
    om.UncorrelatedNoise(0.4),
    om.CorrelatedNoise(0.4),
    om.CorrelatedNoise(0.4, reference="pair", distribution="laplace"),
    om.NaiveDistortion(),
    om.ProbabilisticDistortion(),
    om.PRAM(0.5),
)

_LINKS = [("pain", "symptom"), ("skin", "symptom"), ("fever", "symptom")]
_LINKS += [(f"{kind}{i}", kind) for kind in ("pain", "skin", "fever") for i in range(6)]
_WORDS = [f"{kind}{i}" for kind in ("pain", "skin", "fever") for i in range(6)]
_REST = """
input.path = "data.csv"
output.masked = "masked.csv"
[columns]
first = { role = "quasi-identifier", kind = "nominal", taxonomy = "links.csv" }
second = { role = "quasi-identifier", kind = "nominal", taxonomy = "links.csv", domain = "symptom" }
cost = { role = "confidential" }
"""


def make_words_job(folder: Path, method: om.Method, records: int = 600) -> Path:
    """Write table, ontology and job into a folder; the path of the job."""
    (folder / "links.csv").write_text("\n".join(["child,parent", *(f"{a},{b}" for a, b in _LINKS)]) + "\n")
    cells = [f"{_WORDS[i * i % 18]},{_WORDS[(i * 7 + i // 5) % 18]},{i % 4}" for i in range(records)]
    (folder / "data.csv").write_text("\n".join(["first,second,cost", *cells]) + "\n")
    path = folder / "job.toml"
    path.write_text(f"{_REST}\n{toml_table('method', to_toml_dict(method))}\n")
    return path


def words_data(folder: Path) -> om.Microdata:
    """The same data without a job."""
    links = om.read_taxonomy(folder / "links.csv")
    attributes = {"first": om.Nominal(links), "second": om.Nominal(links, domain="symptom")}
    return om.Microdata(om.read_table(folder / "data.csv"), attributes, confidential=["cost"])
