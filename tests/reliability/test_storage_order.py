"""The order in which an ontology, a hierarchy or a table is stored does not change any result."""

from __future__ import annotations

import csv
import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.distance import MEASURES
from ontomask.mapping import map_values
from ontomask.mapping.reconcile.candidates import Candidates
from ontomask.mapping.suggestions import suggest
from ontomask.taxonomy import Annotations

from support import rf2_files
from support.families import all_examples
from support.fhir_files import flat, under
from support.ontology_files import GEO_OWL, PETS_OBO, TRADES, graphs_document
from support.release_files import ESCO, LOINC, UMLS, one_source, write_files
from support.strategies import dags

# Three levels in which nearly everything ties. "ache" is a synonym of several concepts.
LINKS = [(f"{kind}s", "thing") for kind in ("fever", "pain", "rash", "wound")]
LINKS += [(f"{kind}{i}", f"{kind}s") for kind in ("fever", "pain", "rash", "wound") for i in range(4)]
LINKS += [("pain0", "fevers"), ("rash1", "pains"), ("wound2", "rashs"), ("wound2", "fevers")]
LABELS = {c: [f"{c} first", "ache", f"{c} second", "sting"] for c in ("pain1", "pain0", "rash1", "fever3")}


def stored(seed: int | None) -> om.Taxonomy:
    """The ontology in one order of its links, concepts and synonyms."""
    links, labels = list(LINKS), {c: list(words) for c, words in LABELS.items()}
    concepts = sorted({end for link in links for end in link})
    parts, glosses = {"pain1": ("rash2", "fever1", "rash1")}, {c: f"some {c}" for c in concepts}
    counts = {c: 1 + i % 3 for i, c in enumerate(concepts)}
    if seed is not None:
        order = random.Random(seed)
        order.shuffle(links)
        order.shuffle(concepts)
        labels = {c: [labels[c][0], *order.sample(labels[c][1:], 3)] for c in order.sample(sorted(labels), len(labels))}
        parts = {"pain1": tuple(order.sample(parts["pain1"], 3))}
        glosses, counts = ({c: table[c] for c in concepts} for table in (glosses, counts))
    about = Annotations(parts=parts, glosses=glosses, counts=counts)
    return om.Taxonomy.from_edges(links, labels, concepts=concepts, annotations=about)


def table(records: int = 60) -> pl.DataFrame:
    values = [f"{kind}{i}" for kind in ("rash", "fever", "wound", "pain") for i in range(4)]
    first = [values[i * i % 16] for i in range(records)]
    return pl.DataFrame({"a": first, "b": [values[(7 * i + i // 5) % 16] for i in range(records)]})


def data_over(taxonomy: om.Taxonomy, frame: pl.DataFrame, distance: str = "wu_palmer") -> om.Microdata:
    return om.Microdata(frame, {name: om.Nominal(taxonomy, distance, domain="thing") for name in ("a", "b")})


@pytest.mark.parametrize("method", all_examples(), ids=repr)
def test_every_method_masks_alike(method):
    results = []
    for seed in (None, 1, 2):
        data = data_over(stored(seed), table())
        result = method.mask(data, seed=5)
        results.append((result.frame.rows(), om.evaluate(data, result, seed=5).to_json()))
    assert results == [results[0]] * 3


@pytest.mark.parametrize("name", MEASURES)
def test_every_distance_is_the_same_to_the_last_bit(name):
    matrices = []
    for seed in (None, 1, 2):
        t = stored(seed)
        matrices.append(om.distance(name, t).matrix(t.ids).tobytes())
    assert matrices == [matrices[0]] * 3


@settings(max_examples=40)
@given(dags(), st.data())
def test_operators_agree_on_random_dags(dag, data):
    t, parents = dag
    links = data.draw(st.permutations([(c, p) for c in parents for p in parents[c]]))
    again = om.Taxonomy.from_edges(links, concepts=data.draw(st.permutations(sorted(parents))))
    values = data.draw(st.lists(st.sampled_from(sorted(parents)), min_size=1, max_size=8))
    assert again.ids == t.ids
    assert [again.parents(c) for c in t.ids] == [t.parents(c) for c in t.ids]
    inner = data.draw(st.sampled_from(sorted(parents)))
    assert again.domain(inner).ids == t.domain(inner).ids
    own = t.domain(inner)
    alone = om.Taxonomy.from_edges([(c, p) for c in own.ids for p in own.parents(c)], concepts=own.ids)
    assert alone.ids == own.ids
    for name in ("wu_palmer", "path", "log_sc"):
        one, other = om.distance(name, t), om.distance(name, again)
        for function in (om.semantic_mean, om.semantic_variance, om.centroid, om.sort_values):
            assert function(values, one) == function(values[::-1], other), function
    assert again.lcs(*values) == t.lcs(*values)


def test_senses_suggestions_and_reconciled_values_agree():
    found = []
    for seed in (None, 1, 2):
        t = stored(seed)
        near = suggest(t, ["ache first", "stings", "paine1 frst", "second ache", "acke"], most=2)
        candidates = Candidates(t)
        completed = [candidates.complete(text, 4) for text in ("ache", "p", "fev")]
        mapped = map_values(["ache", "pain0", "sting"], t)
        found.append((t.find("ache"), near, completed, candidates.find(["ache"], [], 5), dict(mapped.concepts)))
    assert found == [found[0]] * 3
    assert len(found[0][0]) == 4


def test_hierarchies_are_built_and_used_alike():
    values = table()["a"].to_list() + table()["b"].to_list()
    built = [om.build_hierarchy(order, stored(seed)).rows for seed, order in ((None, values), (1, values[::-1]))]
    assert built[0] == built[1]
    rows = [*built[0]]
    random.Random(4).shuffle(rows)
    hierarchies = [om.Hierarchy.from_rows(order) for order in (built[0], rows)]
    assert hierarchies[0].to_taxonomy().ids == hierarchies[1].to_taxonomy().ids
    scores = [om.score_hierarchy(hierarchy, stored(None), root_depth=1) for hierarchy in hierarchies]
    assert scores[0].score == scores[1].score
    assert scores[0].levels == scores[1].levels
    plans = []
    for hierarchy in hierarchies:
        method = om.Generalisation(k=3, hierarchies={"a": hierarchy, "b": hierarchy}, mode="full_domain")
        plans.append(method.mask(data_over(stored(None), table()), seed=1).frame.rows())
    assert plans[0] == plans[1]


@pytest.mark.parametrize("method", all_examples(), ids=repr)
def test_the_order_of_the_rows_does_not_change_a_plan(method):
    """Methods with a plan. The errors of noise are drawn for each record, so they are not compared."""
    counted = []
    for seed in (None, 1, 2):
        frame = table()
        rows = list(range(len(frame)))
        if seed is not None:
            random.Random(seed).shuffle(rows)
        try:
            plan = method.plan(data_over(stored(None), frame[rows]), seed=3)
        except om.OntomaskError:
            pytest.skip("A method that draws for each record has no plan.")
        counted.append(sorted(plan.counts().show(10_000), key=repr))
    assert counted == [counted[0]] * 3


def test_icd9_in_another_order():
    icd9 = om.load_icd9cm()
    links = [(c, p) for c in icd9.ids for p in icd9.parents(c)]
    random.Random(3).shuffle(links)
    concepts = random.Random(4).sample(icd9.ids, len(icd9))
    again = om.Taxonomy.from_edges(links, {c: icd9.labels(c) for c in concepts}, concepts=concepts)
    assert again.ids == icd9.ids
    assert np.array_equal(again.graph.parent, icd9.graph.parent)
    assert [again.find(text) for text in ("asthma", "cholera")] == [icd9.find(text) for text in ("asthma", "cholera")]
    codes = random.Random(5).choices(icd9.ids, k=200)
    one, other = om.distance("wu_palmer", icd9), om.distance("wu_palmer", again)
    assert om.semantic_mean(codes, one) == om.semantic_mean(codes, other)
    assert om.sort_values(codes, one) == om.sort_values(codes[::-1], other)


def facts(t: om.Taxonomy) -> list[Any]:
    words = sorted({word for c in t.ids for word in t.labels(c)})
    about = [(c, t.parents(c), t.label(c), sorted(t.labels(c))) for c in t.ids]
    aliases = {kind: {code: set(to) for code, to in found.items()} for kind, found in t.annotations.aliases.items()}
    return [about, [t.find(word) for word in words], aliases]


def _rows(text: str, order: random.Random, header: int = 1) -> str:
    """A delimited file with its rows in another order. Cells may have line ends."""
    quoted = list(csv.reader(io.StringIO(text)))
    head, body = quoted[:header], quoted[header:]
    order.shuffle(body)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([*head, *body])
    return out.getvalue()


def _blocks(text: str, between: str, order: random.Random, header: int = 1) -> str:
    blocks = text.split(between)
    head, body, end = blocks[:header], blocks[header:-1], blocks[-1:]
    order.shuffle(body)
    return between.join([*head, *body, *end])


EDGES = (
    "child,parent,labels\nsymptom,,\npain,symptom,\nskin,symptom,\nache,pain,ache|aching\nache,skin,hurt|ache\nb,skin,"
)
ARX = "c;x;*\nb;x;*\na;y;*\nd;y;*\n"
MESH = "Diseases;C01\nPains;C02\nAche;C01.200\nAche;C02.100\nColic;C02.050\nBurn;C01.100\n"


def _edges(folder: Path, order: random.Random) -> Path:
    return _written(folder / "links.csv", _rows(EDGES, order))


def _arx(folder: Path, order: random.Random) -> Path:
    lines = ARX.splitlines()
    order.shuffle(lines)
    return _written(folder / "h.csv", "\n".join(lines))


def _obo(folder: Path, order: random.Random) -> Path:
    return _written(folder / "pets.obo", _blocks(PETS_OBO, "\n\n", order))


def _skos(folder: Path, order: random.Random) -> Path:
    return _written(folder / "trades.ttl", _blocks(TRADES, " .\n:", order))


def _owl(folder: Path, order: random.Random) -> Path:
    head, *classes = GEO_OWL.removesuffix("</rdf:RDF>\n").split("<owl:Class")
    order.shuffle(classes)
    return _written(folder / "geo.owl", "<owl:Class".join([head, *classes]) + "</rdf:RDF>\n")


def _graphs(folder: Path, order: random.Random) -> Path:
    document = graphs_document()
    for graph in document["graphs"]:
        for key in ("nodes", "edges"):
            order.shuffle(graph.get(key) or [])
    return _written(folder / "pets.json", json.dumps(document))


def _fhir(folder: Path, order: random.Random) -> Path:
    concepts = [under("z"), under("y"), under("b", "y", "z"), under("a", "z"), under("c", "y", "z")]
    order.shuffle(concepts)
    return _written(folder / "codes.json", json.dumps(flat(*concepts)))


def _mesh(folder: Path, order: random.Random) -> Path:
    lines = MESH.splitlines()
    order.shuffle(lines)
    return _written(folder / "mtrees2025.bin", "\n".join(lines) + "\n")


def _rf2(folder: Path, order: random.Random) -> Path:
    rows = rf2_files.plant()
    for of_kind in rows.values():
        order.shuffle(of_kind)
    rf2_files.write(folder, rows)
    return folder


def _loinc(folder: Path, order: random.Random) -> Path:
    return write_files(folder, {name: _rows(text, order) for name, text in LOINC.items()})


def _esco(folder: Path, order: random.Random) -> Path:
    return write_files(folder, {name: _rows(text, order) for name, text in ESCO.items()})


def _umls(folder: Path, order: random.Random) -> Path:
    files = {}
    for name, text in one_source(UMLS).items():
        lines = text.splitlines()
        order.shuffle(lines)
        files[name] = "\n".join(lines) + "\n"
    return write_files(folder, files)


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


READERS = [_edges, _arx, _obo, _skos, _owl, _graphs, _fhir, _mesh, _rf2, _loinc, _esco, _umls]


@pytest.mark.parametrize("shuffled", READERS, ids=lambda one: one.__name__.strip("_"))
def test_files_in_another_order(shuffled: Callable[[Path, random.Random], Path], tmp_path):
    found = []
    for seed in range(6):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found.append(facts(om.read_taxonomy(shuffled(folder, random.Random(seed)))))
    assert found == [found[0]] * 6


def test_a_saved_taxonomy_of_version_1_gets_the_same_order(tmp_path):
    """Version 1 had the order of the source. It is not kept silently."""
    t = stored(None)
    om.save_taxonomy(t, tmp_path / "new.taxonomy")
    with zipfile.ZipFile(tmp_path / "new.taxonomy") as archive:
        arrays = {name: np.lib.format.read_array(archive.open(name)) for name in archive.namelist()}
    header = json.loads(arrays["header.npy"].tobytes())
    assert header["version"] == 2
    arrays["header.npy"] = np.frombuffer(json.dumps({**header, "version": 1}).encode(), dtype=np.uint8)
    # The last two leaves change places, with their labels and links.
    n, start, parent = len(t), arrays["parent_start.npy"], arrays["parent.npy"]
    order = [*range(n - 2), n - 1, n - 2]
    arrays["ids.npy"] = np.frombuffer("\n".join(t.ids[c] for c in order).encode(), dtype=np.uint8)
    parents = [parent[start[c] : start[c + 1]][::-1] for c in order]
    arrays["parent.npy"] = np.concatenate(parents)
    arrays["parent_start.npy"] = np.cumsum([0, *map(len, parents)]).astype(np.int32)
    words = [t.labels(t.ids[c]) for c in order]
    text = "".join(f"{word}\n" for own in words for word in own).encode()
    arrays["label_text.npy"] = np.frombuffer(text, dtype=np.uint8)
    arrays["label_end.npy"] = np.flatnonzero(arrays["label_text.npy"] == ord("\n")).astype(np.uint32)
    arrays["label_owner_start.npy"] = np.cumsum([0, *map(len, words)]).astype(np.int32)
    arrays["label_rank.npy"] = np.array([i for own in words for i in range(len(own))], dtype=np.uint16)
    with zipfile.ZipFile(tmp_path / "old.taxonomy", "w") as archive:
        for name, array in arrays.items():
            with archive.open(name, "w") as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array))
    old = om.read_taxonomy(tmp_path / "old.taxonomy")
    assert old.ids == t.ids
    assert facts(old) == facts(t)
    assert [old.labels(c) for c in t.ids] == [t.labels(c) for c in t.ids]


def test_other_ids_give_another_order_of_ties():
    """An experiment that draws tie orders at random gives the ids random prefixes."""
    orders = set()
    for seed in range(5):
        t = stored(None)
        rank = dict(zip(t.ids, random.Random(seed).sample(range(100, 1000), len(t)), strict=True))
        name = {c: f"{rank[c]} {c}" for c in t.ids}
        again = om.Taxonomy.from_edges([(name[c], name[p]) for c in t.ids for p in t.parents(c)])
        orders.add(tuple(c.partition(" ")[2] for c in again.ids))
    assert len(orders) == 5
