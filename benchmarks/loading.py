"""How long it takes to load each kind of source, and what memory that needs at its peak.

Each load runs in a process of its own, since packages keep what they have read. Its memory is that of the whole
process, Python and the packages included.
"""

from __future__ import annotations

import math
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import make_rf2
from sources import mondo_file, nltk_folder, wordnet_folder
from timing import Report, duration, in_new_process, megabytes, peak_memory, times

import ontomask as om

CONCEPTS = 350_000
# A source is loaded so often, unless so many seconds have gone into it before.
TRIES, ENOUGH = 3, 20

Loaded = dict[str, Any]


def main() -> None:
    """Print the table."""
    report = Report("loading", "Loading")
    rows = [
        _row("WordNet 3.0 nouns, embedded", "wordnet"),
        _row("ICD-9-CM, embedded", "icd9cm"),
        _row("ICD-10-CM, package simple-icd-10-cm", "icd10cm"),
    ]
    with tempfile.TemporaryDirectory() as scratch:
        wordnet, mondo = wordnet_folder(), mondo_file()
        rows.append(
            _row("WordNet 3.0 nouns, WNdb folder", wordnet, peer=load_with_nltk)
            if wordnet
            else _absent("WordNet 3.0 nouns, WNdb folder", "no such folder; give --wordnet")
        )
        rows.append(
            _row("Mondo, OBO, gzip", mondo, peer=load_with_pronto)
            if mondo
            else _absent("Mondo, OBO, gzip", "no mondo.obo.gz; give --data")
        )
        rf2 = make_rf2.make(Path(scratch) / "rf2", CONCEPTS)
        rows.append(_row(f"RF2 snapshot, generated, {CONCEPTS:,} concepts", rf2))
        saved = Path(scratch) / "rf2.taxonomy"
        om.save_taxonomy(om.read_taxonomy(rf2), saved)
        rows.append(_row("the same, saved by ontomask", saved))
    report.text(
        f"Best of up to {TRIES}, each in a new process; importing the package comes before. Memory is the peak of the "
        "whole process. A ratio says how many times as long the peer takes to read the same file."
    )
    report.table(("source", "concepts", "links", "time", "memory", "peer", "its time", "ratio"), rows)
    report.close()


def _row(title: str, source: str | Path, *, peer: Callable[[str], Loaded] | None = None) -> tuple[str, ...]:
    best = _best_of_each([load, peer] if peer else [load], source)
    ours = best[load]
    cells = (title, f"{ours['concepts']:,}", f"{ours['links']:,}", duration(ours["seconds"]), megabytes(ours["memory"]))
    if peer is None:
        return (*cells, "–", "–", "–")
    name, theirs = peer.__name__.rpartition("_")[2], best[peer]
    if "reason" in theirs:
        return (*cells, name, f"not measured: {theirs['reason']}", "–")
    return (*cells, name, duration(theirs["seconds"]), times(theirs["seconds"] / ours["seconds"]))


def _absent(title: str, reason: str) -> tuple[str, ...]:
    return (title, "–", "–", f"not measured: {reason}", "–", "–", "–", "–")


def _best_of_each(loaders: list[Callable[[str], Loaded]], source: str | Path) -> dict[Callable[[str], Loaded], Loaded]:
    """The quickest load of each, taking turns; a peer that fails says why."""
    best: dict[Callable[[str], Loaded], Loaded] = {}
    end = time.perf_counter() + ENOUGH * len(loaders)
    for turn in range(TRIES):
        if turn and time.perf_counter() > end:
            break
        for loader in loaders:
            try:
                found, _ = in_new_process(loader, str(source))
            except RuntimeError as error:
                if loader is load:
                    raise
                found = {"seconds": math.inf, "reason": str(error).splitlines()[-1]}
            best[loader] = min(found, best.get(loader, found), key=lambda one: one["seconds"])
    return best


def load(source: str) -> Loaded:
    """Load an embedded ontology by its name, or read a file or folder."""
    start = time.perf_counter()
    loader = getattr(om, f"load_{source}", None)
    taxonomy = loader() if loader else om.read_taxonomy(source)
    seconds = time.perf_counter() - start
    links = len(taxonomy.graph.parent)
    return {"seconds": seconds, "concepts": len(taxonomy), "links": links, "memory": peak_memory()}


def load_with_pronto(source: str) -> Loaded:
    """Read an OBO file with pronto."""
    import pronto

    warnings.simplefilter("ignore")
    start = time.perf_counter()
    pronto.Ontology(source)
    return {"seconds": time.perf_counter() - start}


def load_with_nltk(source: str) -> Loaded:
    """Read all noun synsets of a WNdb folder, and their hypernyms, with NLTK."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as scratch:
        folder = nltk_folder(Path(source), Path(scratch))
        nltk.data.path.append(scratch)
        start = time.perf_counter()
        for synset in WordNetCorpusReader(str(folder), None).all_synsets("n"):
            synset.hypernyms()
            synset.instance_hypernyms()
        return {"seconds": time.perf_counter() - start}


if __name__ == "__main__":
    main()
