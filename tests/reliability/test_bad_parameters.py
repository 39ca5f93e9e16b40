from __future__ import annotations

import pandas as pd
import pytest

import ontomask as om

from support.bad_inputs import Bad, check, nothing
from support.marked import MARK


def doing(name, act, message):
    """Something done with the data of the job."""
    return Bad(name, nothing, message, lambda folder: act(om.Job.from_toml(folder / "job.toml").data))


def bad(name, method, message):
    """A method that masks the data of the job."""
    return doing(name, lambda data: method().mask(data, seed=0), message)


def words(name, method, message):
    """A method that masks two columns of words."""
    return Bad(name, nothing, message, lambda folder: method().mask(om.Microdata(WORDS, OF_WORDS), seed=0))


PAIN = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
FRAME = pd.DataFrame({"s": ["ache", "colic"], "id": [f"{MARK}1", f"{MARK}2"]})
WORDS = pd.DataFrame(
    {
        "s": ["ache", "colic"] * 10,
        "t": ["colic", "ache", "ache", "pain"] * 5,
        "u": ["ache", "ache", "colic"] * 6 + ["pain"] * 2,
    }
)
OF_WORDS = dict.fromkeys("stu", om.Nominal(PAIN))


def microdata(name, message, frame=FRAME, attributes=None, **options):
    chosen = {"s": om.Nominal(PAIN)} if attributes is None else attributes
    return Bad(name, nothing, message, lambda folder: om.Microdata(frame, chosen, **options))


LEVELS = (0, -1, float("nan"), float("inf"), "much", [0.1, 0.2], None, [])


def matrix(values, numbers):
    return om.PRAM(matrices={"symptom": (values, numbers)})


def pairs(given):
    return om.CorrelatedNoise(0.3, reference="pair", pairs=given)


K_ANONYMOUS = [om.Microaggregation, om.Recoding, om.Resampling, om.Generalisation, om.Suppression]

ALL = [
    *(
        words(f"{m.__name__} with k = {k!r}", lambda m=m, k=k: m(k), f"'k' parameter of {m.__name__} must be")
        for m in K_ANONYMOUS
        for k in (1, -3, 2.5, "5", True, None)
    ),
    *(words(f"{m.__name__} with k above n", lambda m=m: m(21), "more than the 20 records") for m in K_ANONYMOUS),
    *(bad(f"swapping with k = {k!r}", lambda k=k: om.RankSwapping(k), "'k' parameter") for k in (0, 1.5)),
    bad("swapping with k above n", lambda: om.RankSwapping(41), "k = 41|'k'|records"),
    bad("swapping by no algorithm", lambda: om.RankSwapping(2, algorithm=4), "'algorithm' parameter"),
    bad("swapping in no interval", lambda: om.RankSwapping(2, interval="weeks"), "'interval' parameter"),
    bad("ranks with k = 0", lambda: om.DistributionalRankSwapping(0), "'k' parameter"),
    bad("no variant", lambda: om.Microaggregation(3, variant="mdavv"), "'variant' parameter"),
    bad("no centroid", lambda: om.Microaggregation(3, centroid="mean"), "'centroid' parameter"),
    bad("no comparison", lambda: om.Microaggregation(3, comparison="equal"), "'comparison' parameter"),
    bad("no join", lambda: om.Microaggregation(3, join="some"), "'join' parameter"),
    bad("no criterion", lambda: om.Recoding(3, criterion="sense"), "'criterion' parameter"),
    bad("no mode", lambda: om.Generalisation(3, mode="global"), "'mode' parameter"),
    bad("suppression above one", lambda: om.Generalisation(3, mode="full_domain", suppression=1.5), "'suppression'"),
    words("levels of no column", lambda: om.Generalisation(3, mode="full_domain", levels={"sex": 1}), "'levels'"),
    words("levels below nothing", lambda: om.Generalisation(3, mode="full_domain", levels={"s": -1}), "level of 's'"),
    words("levels above all", lambda: om.Generalisation(3, mode="full_domain", levels={"s": 9}), "level of 's'"),
    words("levels without a domain", lambda: om.Generalisation(3, levels={"s": 1}), "levels"),
    bad("no such steps", lambda: om.Generalisation(3, steps="cells"), "'steps' parameter"),
    bad("a limit that is no share", lambda: om.Suppression(3, limit=2), "'limit' parameter"),
    bad("no samples", lambda: om.HeerResampling(0), "'samples' parameter"),
    bad("no ties", lambda: om.Resampling(2, ties="never"), "'ties' parameter"),
    *(words(f"noise at {a!r}", lambda a=a: om.UncorrelatedNoise(a), "alpha") for a in LEVELS),
    *(words(f"correlated noise at {a!r}", lambda a=a: om.CorrelatedNoise(a), "alpha") for a in LEVELS),
    bad("no distribution", lambda: om.UncorrelatedNoise(0.3, distribution="gauss"), "'distribution' parameter"),
    bad("noise on numbers", lambda: om.UncorrelatedNoise(0.3), "works on nominal columns only"),
    bad("no reference", lambda: om.CorrelatedNoise(0.3, reference="leaf"), "'reference' parameter"),
    words("pairs without their reference", lambda: om.CorrelatedNoise(0.3, pairs=[("s", "t")]), "reference='pair'"),
    words("pairs of an odd number", lambda: om.CorrelatedNoise(0.3, reference="pair"), "left over"),
    words("pairs that leave one over", lambda: pairs([("s", "t")]), "leaves 'u' over"),
    words("pairs of one", lambda: pairs([("s",)]), "pair"),
    words("pairs of itself", lambda: pairs([("s", "s")]), "pair"),
    words("pairs of no column", lambda: pairs([("s", "x")]), "'x'"),
    words("pairs that are texts", lambda: pairs("st"), "pair"),
    bad("a probability above one", lambda: om.PRAM(1.01), "'stay' parameter"),
    bad("a probability that is none", lambda: om.PRAM(float("nan")), "'stay' parameter"),
    bad("a matrix that is not square", lambda: matrix(["ache", "colic"], [[1.0]]), "Got the shape"),
    bad("a matrix of no column", lambda: om.PRAM(matrices={"sex": (["a"], [[1.0]])}), "no quasi-identifiers"),
    bad("rows that do not add up", lambda: matrix(["ache", "colic", "rash"], [[0.5, 0.2, 0.1]] * 3), "add up to 1"),
    bad("a matrix of texts", lambda: matrix(["ache"], [["often"]]), "must be a pair"),
    bad("a ragged matrix", lambda: matrix(["ache", "colic"], [[1.0], [0.5, 0.5]]), "must be a pair"),
    bad("a matrix that misses values", lambda: matrix(["ache"], [[1.0]]), "lacks 2 of the column's 3"),
    bad("diversity of one", lambda: om.Microaggregation(2, require=[om.Diversity("cost", 1)]), "'l' parameter"),
    bad("diversity above all", lambda: om.Microaggregation(2, require=[om.Diversity("cost", 4)]), "Require less"),
    bad("diversity of no column", lambda: om.Microaggregation(2, require=[om.Diversity("sex", 2)]), "sex"),
    bad("diversity of no kind", lambda: om.Diversity("cost", 2, "recursive"), "'kind' parameter"),
    bad("closeness above one", lambda: om.Closeness("cost", 2), "'t' parameter"),
    bad("closeness that is no number", lambda: om.Closeness("cost", float("nan")), "'t' parameter"),
    bad("requirement that is none", lambda: om.Microaggregation(2, require=["cost"]), "require"),
    bad("one requirement without a list", lambda: om.Microaggregation(2, require=om.Diversity("cost", 2)), "require"),
    bad("requirement that fails", lambda: om.NaiveDistortion(require=[om.Closeness("cost", 0.0)]), "do not have"),
    doing("a seed below zero", lambda data: om.PRAM().mask(data, seed=-1), "'seed' must be"),
    doing("a seed that is a number", lambda data: om.PRAM().mask(data, seed=1.5), "'seed' must be"),
    doing("a frame for the data", lambda data: om.PRAM().mask(data.frame), "masks Microdata"),
    doing("another frame's result", lambda data: om.evaluate(data, FRAME), "no column"),
    doing("fewer records", lambda data: om.evaluate(data, data.frame.head(3)), "give key="),
    doing("a key that is not there", lambda data: om.evaluate(data, data.frame, key="id"), "to be the key"),
    doing("a key that repeats", lambda data: om.evaluate(data, data.frame, key="cost"), "does not tell"),
    doing("no such distance", lambda data: om.evaluate(data, data.frame, distance="wup"), "not a semantic distance"),
    doing("text for the frame", lambda data: om.evaluate(data, "masked.csv"), "table"),
    doing("no methods", lambda data: om.compare(data, []), "method"),
    doing("a name for a method", lambda data: om.compare(data, ["PRAM"]), "method"),
    doing("no seeds", lambda data: om.compare(data, [om.PRAM()], seeds=[]), "at least one seed"),
    doing("no processes", lambda data: om.compare(data, [om.PRAM()], jobs=0), "'jobs' of compare"),
    microdata("no roles", "no quasi-identifier", attributes={}),
    microdata("a list of quasi-identifiers", "must be a dictionary", attributes=["s"]),
    microdata("no attribute", "needs an attribute", attributes={"s": "nominal"}),
    microdata("a text of identifiers", "must be a list", identifiers="id"),
    microdata("two roles", "more than one role", identifiers=["id", "s"]),
    microdata("no role", "have no role"),
    microdata("a column that is not there", "no column 'name'", identifiers=["name"]),
    microdata("no policy", "policy|missing", identifiers=["id"], missing="ignore"),
    microdata("no policy for words", "unmapped", identifiers=["id"], unmapped="ignore"),
    microdata("a dictionary", "table", frame={"s": ["ache"]}),
    microdata("an empty frame", "no records", frame=FRAME.head(0), identifiers=["id"]),
    microdata("columns by number", "column names must be texts", frame=FRAME.rename(columns={"id": 3})),
    microdata("columns by the same name", "more than once", frame=pd.concat([FRAME, FRAME], axis=1)),
    microdata("mixed cells", "mixes texts and numbers", frame=FRAME.assign(s=["ache", 3]), identifiers=["id"]),
    microdata("lists in cells", "s'", frame=FRAME.assign(s=[["ache"], ["colic"]]), identifiers=["id"]),
    Bad("a text for a taxonomy", nothing, "taxonomy", lambda f: om.Nominal("wordnet")),
    Bad("a weight below zero", nothing, "weight", lambda f: om.Numeric(weight=-1)),
    Bad("a weight that is no number", nothing, "weight", lambda f: om.Numeric(weight=float("nan"))),
    Bad("no centre", nothing, "centre", lambda f: om.Numeric(centre="mode")),
    Bad("a text of categories", nothing, "categories", lambda f: om.Ordinal("low")),
    Bad("a distance with an unknown option", nothing, "option", lambda f: om.distance("path", PAIN, depth=3)),
    Bad("a concept that is not there", nothing, "rash", lambda f: om.distance("path", PAIN)("ache", "rash")),
]


@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.name)
def test_bad_parameter(bad, tmp_path):
    check(bad, tmp_path)
