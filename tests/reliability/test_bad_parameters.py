from __future__ import annotations

import pandas as pd
import pytest

import ontomask as om

from support.bad_inputs import Bad, check, nothing
from support.marked import MARK


def doing(name, act, word, kind=om.MaskingError):
    """Do something with the data of the job."""
    return Bad(name, nothing, kind, word, lambda folder: act(om.Job.from_toml(folder / "job.toml").data))


def bad(name, method, word, kind=om.MaskingError):
    """Mask the data of the job."""
    return doing(name, lambda data: method().mask(data, seed=0), word, kind)


def words(name, method, word):
    """Mask columns of words."""
    act = lambda folder: method().mask(om.Microdata(WORDS, OF_WORDS), seed=0)  # noqa: E731
    return Bad(name, nothing, om.MaskingError, word, act)


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


def microdata(name, word, frame=FRAME, attributes=None, **options):
    chosen = {"s": om.Nominal(PAIN)} if attributes is None else attributes
    return Bad(name, nothing, om.TableError, word, lambda folder: om.Microdata(frame, chosen, **options))


LEVELS = (0, -1, float("nan"), float("inf"), "much", [0.1, 0.2], None, [])


def matrix(values, numbers):
    return om.PRAM(matrices={"symptom": (values, numbers)})


def pairs(given):
    return om.CorrelatedNoise(0.3, reference="pair", pairs=given)


K_ANONYMOUS = [om.Microaggregation, om.Recoding, om.Resampling, om.Generalisation, om.Suppression]

ALL = [
    *(
        words(f"{m.__name__} with k = {k!r}", lambda m=m, k=k: m(k), "'k'")
        for m in K_ANONYMOUS
        for k in (1, -3, 2.5, "5", True, None)
    ),
    *(words(f"{m.__name__} with k above n", lambda m=m: m(21), "20 records") for m in K_ANONYMOUS),
    *(bad(f"swapping with k = {k!r}", lambda k=k: om.RankSwapping(k), "'k'") for k in (0, 1.5)),
    bad("swapping with k above n", lambda: om.RankSwapping(41), "41|records"),
    bad("swapping by no algorithm", lambda: om.RankSwapping(2, algorithm=4), "'algorithm'"),
    bad("swapping in no interval", lambda: om.RankSwapping(2, interval="weeks"), "'interval'"),
    bad("ranks with k = 0", lambda: om.DistributionalRankSwapping(0), "'k'"),
    bad("no variant", lambda: om.Microaggregation(3, variant="mdavv"), "'variant'"),
    bad("no centroid", lambda: om.Microaggregation(3, centroid="mean"), "'centroid'"),
    bad("no comparison", lambda: om.Microaggregation(3, comparison="equal"), "'comparison'"),
    bad("no join", lambda: om.Microaggregation(3, join="some"), "'join'"),
    bad("no criterion", lambda: om.Recoding(3, criterion="sense"), "'criterion'"),
    bad("no mode", lambda: om.Generalisation(3, mode="global"), "'mode'"),
    bad("suppression above one", lambda: om.Generalisation(3, mode="full_domain", suppression=1.5), "'suppression'"),
    words("levels of no column", lambda: om.Generalisation(3, mode="full_domain", levels={"sex": 1}), "'levels'"),
    words("levels below nothing", lambda: om.Generalisation(3, mode="full_domain", levels={"s": -1}), "level of 's'"),
    words("levels above all", lambda: om.Generalisation(3, mode="full_domain", levels={"s": 9}), "level of 's'"),
    words("levels without a domain", lambda: om.Generalisation(3, levels={"s": 1}), "levels"),
    bad("no such steps", lambda: om.Generalisation(3, steps="cells"), "'steps'"),
    bad("a limit that is no share", lambda: om.Suppression(3, limit=2), "'limit'"),
    bad("no samples", lambda: om.HeerResampling(0), "'samples'"),
    bad("no ties", lambda: om.Resampling(2, ties="never"), "'ties'"),
    *(words(f"noise at {a!r}", lambda a=a: om.UncorrelatedNoise(a), "alpha") for a in LEVELS),
    *(words(f"correlated noise at {a!r}", lambda a=a: om.CorrelatedNoise(a), "alpha") for a in LEVELS),
    bad("no distribution", lambda: om.UncorrelatedNoise(0.3, distribution="gauss"), "'distribution'"),
    bad("noise on numbers", lambda: om.UncorrelatedNoise(0.3), "nominal"),
    bad("no reference", lambda: om.CorrelatedNoise(0.3, reference="leaf"), "'reference'"),
    words("pairs without their reference", lambda: om.CorrelatedNoise(0.3, pairs=[("s", "t")]), "reference"),
    words("pairs of an odd number", lambda: om.CorrelatedNoise(0.3, reference="pair"), "left over|pair"),
    words("pairs that leave one over", lambda: pairs([("s", "t")]), "'u'"),
    words("pairs of one", lambda: pairs([("s",)]), "pair"),
    words("pairs of itself", lambda: pairs([("s", "s")]), "pair"),
    words("pairs of no column", lambda: pairs([("s", "x")]), "'x'"),
    words("pairs that are texts", lambda: pairs("st"), "pair"),
    bad("a probability above one", lambda: om.PRAM(1.01), "'stay'"),
    bad("a probability that is none", lambda: om.PRAM(float("nan")), "'stay'"),
    bad("a matrix that is not square", lambda: matrix(["ache", "colic"], [[1.0]]), "shape"),
    bad("a matrix of no column", lambda: om.PRAM(matrices={"sex": (["a"], [[1.0]])}), "'sex'"),
    bad("rows that do not add up", lambda: matrix(["ache", "colic", "rash"], [[0.5, 0.2, 0.1]] * 3), "to 1"),
    bad("a matrix of texts", lambda: matrix(["ache"], [["often"]]), "pair"),
    bad("a ragged matrix", lambda: matrix(["ache", "colic"], [[1.0], [0.5, 0.5]]), "pair"),
    bad("a matrix that misses values", lambda: matrix(["ache"], [[1.0]]), "2 of"),
    bad("diversity of one", lambda: om.Microaggregation(2, require=[om.Diversity("cost", 1)]), "'l'"),
    bad("diversity above all", lambda: om.Microaggregation(2, require=[om.Diversity("cost", 4)]), "cost"),
    bad(
        "diversity of no column",
        lambda: om.Microaggregation(2, require=[om.Diversity("sex", 2)]),
        "sex",
        kind=om.TableError,
    ),
    bad("diversity of no kind", lambda: om.Diversity("cost", 2, "recursive"), "'kind'"),
    bad("closeness above one", lambda: om.Closeness("cost", 2), "'t'"),
    bad("closeness that is no number", lambda: om.Closeness("cost", float("nan")), "'t'"),
    bad("requirement that is none", lambda: om.Microaggregation(2, require=["cost"]), "require"),
    bad("one requirement without a list", lambda: om.Microaggregation(2, require=om.Diversity("cost", 2)), "require"),
    bad("requirement that fails", lambda: om.NaiveDistortion(require=[om.Closeness("cost", 0.0)]), "closeness"),
    doing("a seed below zero", lambda data: om.PRAM().mask(data, seed=-1), "'seed'"),
    doing("a seed that is a number", lambda data: om.PRAM().mask(data, seed=1.5), "'seed'"),
    doing("a frame for the data", lambda data: om.PRAM().mask(data.frame), "Microdata"),
    doing("another frame's result", lambda data: om.evaluate(data, FRAME), "column", kind=om.TableError),
    doing("fewer records", lambda data: om.evaluate(data, data.frame.head(3)), "'key'", kind=om.TableError),
    doing("a key that is not there", lambda data: om.evaluate(data, data.frame, key="id"), "'id'", kind=om.TableError),
    doing("a key that repeats", lambda data: om.evaluate(data, data.frame, key="cost"), "'cost'", kind=om.TableError),
    doing("no such distance", lambda data: om.evaluate(data, data.frame, distance="wup"), "wup", kind=om.DistanceError),
    doing("text for the frame", lambda data: om.evaluate(data, "masked.csv"), "table", kind=om.TableError),
    doing("no methods", lambda data: om.compare(data, []), "method"),
    doing("a name for a method", lambda data: om.compare(data, ["PRAM"]), "method"),
    doing("no seeds", lambda data: om.compare(data, [om.PRAM()], seeds=[]), "seed"),
    doing("no processes", lambda data: om.compare(data, [om.PRAM()], jobs=0), "'jobs'"),
    microdata("no roles", "quasi-identifier", attributes={}),
    microdata("a list of quasi-identifiers", "dictionary", attributes=["s"]),
    microdata("no attribute", "'s'", attributes={"s": "nominal"}, identifiers=["id"]),
    microdata("a text of identifiers", "list", identifiers="id"),
    microdata("two roles", "'s'", identifiers=["id", "s"]),
    microdata("no role", "'id'"),
    microdata("a column that is not there", "'name'", identifiers=["name"]),
    microdata("no policy", "policy|missing", identifiers=["id"], missing="ignore"),
    microdata("no policy for words", "unmapped", identifiers=["id"], unmapped="ignore"),
    microdata("a dictionary", "table", frame={"s": ["ache"]}),
    microdata("an empty frame", "records", frame=FRAME.head(0), identifiers=["id"]),
    microdata("columns by number", "names", frame=FRAME.rename(columns={"id": 3})),
    microdata("columns by the same name", "more than once|twice|repeat", frame=pd.concat([FRAME, FRAME], axis=1)),
    microdata("mixed cells", "'s'", frame=FRAME.assign(s=["ache", 3]), identifiers=["id"]),
    microdata("lists in cells", "'s'", frame=FRAME.assign(s=[["ache"], ["colic"]]), identifiers=["id"]),
    Bad("a text for a taxonomy", nothing, om.TableError, "taxonomy", lambda f: om.Nominal("wordnet")),
    Bad("a weight below zero", nothing, om.TableError, "weight", lambda f: om.Numeric(weight=-1)),
    Bad("a weight that is no number", nothing, om.TableError, "weight", lambda f: om.Numeric(weight=float("nan"))),
    Bad("no centre", nothing, om.TableError, "centre", lambda f: om.Numeric(centre="mode")),
    Bad("a text of categories", nothing, om.TableError, "categories", lambda f: om.Ordinal("low")),
    Bad(
        "a distance with an unknown option",
        nothing,
        om.DistanceError,
        "option",
        lambda f: om.distance("path", PAIN, depth=3),
    ),
    Bad(
        "a concept that is not there",
        nothing,
        om.UnknownConceptError,
        "rash",
        lambda f: om.distance("path", PAIN)("ache", "rash"),
    ),
]


@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.name)
def test_bad_parameter(bad, tmp_path):
    check(bad, tmp_path)
