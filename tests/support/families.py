"""Examples of every masking method, and a job that masks two columns of words with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import ontomask as om
from ontomask.job.methods import to_toml_dict
from ontomask.job.toml_text import toml_table
from ontomask.masking import registry

__all__ = ["EXAMPLES", "METHODS", "PUBLIC", "all_examples", "make_words_job", "words_data"]

# Instances of each method that between them use its main options. Tests of all methods run with these.
EXAMPLES: dict[str, tuple[om.Method, ...]] = {
    "Microaggregation": (
        om.Microaggregation(k=2),
        om.Microaggregation(k=2, prefer="risk"),
        om.Microaggregation(k=3, variant="sa_mdav"),
        om.Microaggregation(k=2, variant="sa_mdav_static", bounded=True),
        om.Microaggregation(k=2, variant="mdav", comparison="equality", centroid="mode"),
    ),
    "Recoding": (om.Recoding(k=2),),
    "Resampling": (om.Resampling(k=2),),
    "Generalisation": (
        om.Generalisation(k=2),
        om.Generalisation(k=3, variant="best_first", steps="records", suppression=0.2),
        om.Generalisation(k=2, objective="ncp", suppression=0.2),
        om.Generalisation(k=2, mode="full_domain", suppression=0.1),
    ),
    "Suppression": (om.Suppression(k=2), om.Suppression(k=2, mode="cells")),
    "RankSwapping": (
        om.RankSwapping(k=2, algorithm=1),
        om.RankSwapping(k=2, algorithm=2),
        om.RankSwapping(k=3, algorithm=3),
        om.RankSwapping(k=2, algorithm=3, interval="unswapped"),
    ),
    "CorrelatedNoise": (
        om.CorrelatedNoise(alpha=0.3),
        om.CorrelatedNoise(alpha=0.3, reference="root"),
        om.CorrelatedNoise(alpha=1.0, reference="pair", distribution="laplace"),
    ),
    "UncorrelatedNoise": (om.UncorrelatedNoise(alpha=0.3), om.UncorrelatedNoise(alpha=0.5, distribution="laplace")),
    # Seeds void its guarantee, and tests of all methods need them.
    "MetricPrivacy": (
        om.MetricPrivacy(epsilon=4.0, unsafe_seed=True),
        om.MetricPrivacy(epsilon=2.0, mechanism="permute_and_flip", distance="column", unsafe_seed=True),
    ),
    "NaiveDistortion": (om.NaiveDistortion(),),
    "ProbabilisticDistortion": (om.ProbabilisticDistortion(),),
    "PRAM": (om.PRAM(stay=0.5),),
    "DataSwapping": (om.DataSwapping(),),
    "DistributionalRankSwapping": (om.DistributionalRankSwapping(k=2),),
    "HeerResampling": (om.HeerResampling(samples=3),),
    "SyntheticRecords": (om.SyntheticRecords(epsilon=2.0, depth=1, unsafe_seed=True),),
}

# Methods for public domains. They refuse strata and linked columns, whose release would depend on other records.
PUBLIC = ("MetricPrivacy", "SyntheticRecords")


def all_examples(methods: Mapping[str, type[om.Method]] = registry.METHODS) -> list[om.Method]:
    """The examples of all registered methods. A method without one is an error."""
    for name in methods:
        assert EXAMPLES.get(name), f"{name} has no example: add one to EXAMPLES in tests/support/families.py"
    return [example for name in methods for example in EXAMPLES[name]]


# For tests of the whole flow on the table below.
METHODS = (*all_examples(), om.Microaggregation(5, variant="mdav", require=[om.Diversity("cost", 2)]))

_LINKS = [("pain", "symptom"), ("skin", "symptom"), ("fever", "symptom")]
_LINKS += [(f"{kind}{i}", kind) for kind in ("pain", "skin", "fever") for i in range(6)]
_WORDS = [f"{kind}{i}" for kind in ("pain", "skin", "fever") for i in range(6)]
_REST = """
input.path = "data.csv"
output.masked = "masked.csv"
[columns]
first = { role = "quasi-identifier", kind = "nominal", taxonomy = "links.csv", domain = "symptom" }
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
    attributes = {name: om.Nominal(links, domain="symptom") for name in ("first", "second")}
    return om.Microdata(om.read_table(folder / "data.csv"), attributes, confidential=["cost"])
