"""How other packages compute semantic similarities: the same WordNet nouns in each, and what each offers.

A peer that gives only pairs is asked for a sample of them where all would take too long; the time of the whole
follows. Each peer has a process of its own, is warm when it counts, and gets its concepts in the form it likes best.
"""

from __future__ import annotations

import math
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from sources import nltk_folder, wordnet_folder
from timing import best_of

import ontomask as om

__all__ = ["CONCEPT", "PEERS", "Work", "measure_peer"]

TASKS = ("row", "matrix")
CONCEPT = "dog.n.01"
Pairs = list[tuple[str, str]]


class NotMeasuredError(Exception):
    """A peer cannot be measured here; the message says why."""


class Work:
    """The concepts that everybody computes: one to all of a taxonomy, and a thousand to each other."""

    def __init__(self, taxonomy: om.Taxonomy, concept: str = CONCEPT, size: int = 1000) -> None:
        self.taxonomy = taxonomy
        self.concept = concept
        self._rng = np.random.default_rng(0)
        self.chosen = [taxonomy.ids[i] for i in sorted(self._rng.choice(len(taxonomy), size, replace=False).tolist())]

    def size(self, task: str) -> int:
        """How many pairs the row or the matrix has."""
        return len(self.taxonomy) if task == "row" else len(self.chosen) ** 2

    def pairs(self, task: str, most: int) -> Pairs:
        """Pairs of the row or the matrix: all in order, or so many at random."""
        size = self.size(task)
        picked = range(size) if size <= most else self._rng.choice(size, most, replace=False).tolist()
        if task == "row":
            return [(self.concept, self.taxonomy.ids[i]) for i in picked]
        side = len(self.chosen)
        return [(self.chosen[i // side], self.chosen[i % side]) for i in picked]


@dataclass(frozen=True)
class Offer:
    """A row or a matrix by a peer: ``call`` computes as many of its pairs as there are ``pairs``.

    ``called`` is the peer's measure. Where it is ours but for its form, ``values`` gives the distances of the pairs in
    our form; where it is only akin, that is ``None``.
    """

    measure: str
    task: str
    called: str
    pairs: Pairs
    call: Callable[[], object]
    values: Callable[[], list[float]] | None = None
    compiled: bool = False
    size: int | None = None  # where ``call`` computes more than the pairs


def nltk(work: Work, scratch: Path) -> list[Offer]:
    """NLTK: Wu–Palmer and Lin, a pair at a time."""
    data = _package("nltk").data
    reader = import_module("nltk.corpus.reader.wordnet")
    source = wordnet_folder()
    if source is None:
        raise NotMeasuredError("no WNdb folder; give --wordnet")
    folder = nltk_folder(source, scratch / "nltk")
    data.path.append(str(scratch / "nltk"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wordnet = reader.WordNetCorpusReader(str(folder), None)

    def synsets(pairs: Pairs) -> list[tuple[Any, Any]]:
        return [(wordnet.synset(a), wordnet.synset(b)) for a, b in pairs]

    offers = []
    for task in TASKS:
        pairs = work.pairs(task, 500)
        offers.append(
            _pairwise("wu_palmer", task, "wup_similarity", pairs, synsets(pairs), lambda a, b: a.wup_similarity(b))
        )
        pairs = work.pairs(task, 5000)
        counts = _nltk_counts(work.taxonomy, wordnet, pairs)
        offers.append(
            _pairwise(
                "lin", task, "lin_similarity", pairs, synsets(pairs), lambda a, b, c=counts: a.lin_similarity(b, c)
            )
        )
    return offers


def _nltk_counts(taxonomy: om.Taxonomy, wordnet: Any, pairs: Pairs) -> dict[str, dict[int, float]]:
    """The counts of a corpus that has every concept once: they give the content that is our default, scaled."""
    content = om.information_content(taxonomy, dict.fromkeys(taxonomy.ids, 1), smoothing=0)
    counts: dict[int, float] = defaultdict(float)
    for concept in {s for pair in pairs for c in pair for s in taxonomy.subsumers(c)}:
        share = math.exp(-content[taxonomy.code(concept)])
        counts[wordnet.synset(concept).offset()] = share * len(taxonomy)
    counts[0] = float(len(taxonomy))
    return {"n": counts}


def nxontology(work: Work, scratch: Path) -> list[Offer]:  # noqa: ARG001
    """nxontology: the share of common subsumers (LogSC is ``log2(2 − share)``) and Lin, a pair at a time."""
    ontology = _package("nxontology").NXOntology()
    ontology.graph.add_nodes_from(work.taxonomy.ids)
    ontology.graph.add_edges_from((parent, child) for child, parent in _links(work.taxonomy))
    ontology.freeze()

    def batet(a: str, b: str) -> float:
        return ontology.similarity(a, b).batet

    def lin(a: str, b: str) -> float:
        return ontology.similarity(a, b, ic_metric="intrinsic_ic").lin

    offers = []
    for task in TASKS:
        pairs = work.pairs(task, 100_000)
        offers.append(_pairwise("log_sc", task, "batet", pairs, pairs, batet, _log_sc))
        pairs = work.pairs(task, 5000)
        offers.append(_pairwise("lin", task, "lin", pairs, pairs, lin))
    return offers


def semsimian(work: Work, scratch: Path) -> list[Offer]:  # noqa: ARG001
    """semsimian (Rust): Jaccard's share of common subsumers, and Resnik as the nearest to Lin, a pair at a time.

    It has calls for many pairs, but these compute all its measures and more, and take longer.
    """
    taxonomy, is_a = work.taxonomy, "rdfs:subClassOf"
    # It takes the links as the closure: it does not climb by itself.
    closure = [(c, is_a, s) for c in taxonomy.ids for s in taxonomy.subsumers(c)]
    similar = _package("semsimian").Semsimian(closure, [is_a])
    offers = []
    for task in TASKS:
        pairs = work.pairs(task, 100_000)
        offers.append(
            _pairwise(
                "log_sc", task, "jaccard_similarity", pairs, pairs, similar.jaccard_similarity, _log_sc, compiled=True
            )
        )
        offers.append(
            _pairwise("lin", task, "resnik_similarity", pairs, pairs, similar.resnik_similarity, None, compiled=True)
        )
    return offers


def go3(work: Work, scratch: Path) -> list[Offer]:
    """go3 (Rust): Lin, in calls for many pairs and for a matrix.

    Nothing compiled has Wu–Palmer. Lin is its nearest kin, with information content for depth; GraphIC the next,
    the content of the deepest common subsumer against the depth of the concepts.
    """
    package, taxonomy = _package("go3"), work.taxonomy
    term = {c: f"GO:{code:07d}" for code, c in enumerate(taxonomy.ids)}
    file = scratch / "wordnet.obo"
    _write_obo(file, taxonomy, term)
    package.load_go_terms(str(file))
    # A gene a concept: the same counts as with NLTK.
    counter = package.build_term_counter([package.GAFAnnotation(name, name, "IDA") for name in term.values()])
    chosen = [term[c] for c in work.chosen]
    offers = []
    for ours, theirs in (("wu_palmer", "lin"), ("wu_palmer", "graphic"), ("lin", "lin")):
        for task in TASKS:
            pairs = work.pairs(task, len(taxonomy))
            first, second = ([term[c] for c in side] for side in zip(*pairs, strict=True))

            def batch(a: Sequence[str] = first, b: Sequence[str] = second, name: str = theirs) -> Sequence[float]:
                return package.batch_similarity(a, b, name, counter)

            def matrix(name: str = theirs) -> object:
                return package.term_similarity_matrix(chosen, name, counter)

            offers.append(
                Offer(
                    ours,
                    task,
                    theirs,
                    pairs,
                    batch if task == "row" else matrix,
                    (lambda these=batch: [1 - s for s in these()]) if ours == theirs else None,
                    compiled=True,
                    size=work.size(task),
                )
            )
    return offers


PEERS: dict[str, Callable[[Work, Path], list[Offer]]] = {
    peer.__name__: peer for peer in (nltk, nxontology, semsimian, go3)
}


def measure_peer(name: str) -> dict[str, Any]:
    """Times of all that a peer offers, or the reason why there are none; to be run in a process of its own."""
    work = Work(om.load_wordnet())
    with tempfile.TemporaryDirectory() as scratch:
        try:
            offers = PEERS[name](work, Path(scratch))
        except NotMeasuredError as error:
            return {"reason": str(error)}
        measured = [_measured(work, offer) for offer in offers]
    # A measure that is held against two of ours has been timed twice; the better time counts for both.
    best: dict[tuple[str, str], float] = {}
    for one in measured:
        key = one["called"], one["task"]
        best[key] = min(one["seconds"], best.get(key, math.inf))
    return {"version": version(name), "offers": [{**m, "seconds": best[m["called"], m["task"]]} for m in measured]}


def _measured(work: Work, offer: Offer) -> dict[str, Any]:
    """The time of the whole row or matrix, by what part of it the peer was asked for.

    A call of a peer is long beside ours and seldom falls into a quiet moment of the machine. So that a busy machine
    does not slow down the peer alone and flatter our ratio, it gets many tries, and only its time on the processor
    counts: in doubt the peer gains.
    """
    whole, part = work.size(offer.task), offer.size or len(offer.pairs)
    best = best_of(offer.call, seconds=5 if offer.compiled else 2, least=5, clock=time.process_time)
    return {
        "measure": offer.measure,
        "task": offer.task,
        "called": offer.called,
        "compiled": offer.compiled,
        "sampled": part < whole,
        "seconds": best * whole / part,
        "same": _agreement(work.taxonomy, offer),
    }


def _agreement(taxonomy: om.Taxonomy, offer: Offer) -> float | None:
    """The share of the pairs for which the peer has the same value as we."""
    if offer.values is None:
        return None
    a, b = zip(*offer.pairs, strict=True)
    ours = om.distance(offer.measure, taxonomy).pairs(a, b)
    return float((np.abs(ours - offer.values()) < 1e-6).mean())


def _package(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise NotMeasuredError(f"not installed ({error})") from error


def _pairwise(
    measure: str,
    task: str,
    called: str,
    pairs: Pairs,
    items: list[tuple[Any, Any]],
    similarity: Callable[[Any, Any], float],
    as_distance: Callable[[float], float] | None = lambda s: 1 - s,
    *,
    compiled: bool = False,
) -> Offer:
    """The offer of a peer that gives one pair a call; ``items`` are the pairs in its own form."""

    def call() -> None:
        for a, b in items:
            similarity(a, b)

    def values() -> list[float]:
        return [as_distance(similarity(a, b)) for a, b in items]

    return Offer(measure, task, called, pairs, call, values if as_distance else None, compiled)


def _log_sc(share: float) -> float:
    return math.log2(2 - share)


def _links(taxonomy: om.Taxonomy) -> list[tuple[str, str]]:
    """All is-a links, child and parent."""
    ids, graph = taxonomy.ids, taxonomy.graph
    bounds = pairwise(graph.parent_start.tolist())
    return [(child, ids[p]) for child, (a, b) in zip(ids, bounds, strict=True) for p in graph.parent[a:b].tolist()]


def _write_obo(file: Path, taxonomy: om.Taxonomy, term: dict[str, str]) -> None:
    """The taxonomy as an OBO file in which every concept is a term of the Gene Ontology."""
    parents: dict[str, list[str]] = defaultdict(list)
    for child, parent in _links(taxonomy):
        parents[child].append(f"is_a: {term[parent]}\n")
    with file.open("w", encoding="utf-8") as out:
        out.write("format-version: 1.2\nontology: go\n")
        for concept, name in term.items():
            out.write(f"\n[Term]\nid: {name}\nname: {concept}\nnamespace: biological_process\n")
            out.writelines(parents[concept])
