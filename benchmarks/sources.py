"""The data of the benchmarks: files outside the repository, and generated data."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np

import ontomask as om

__all__ = [
    "NO_DIABETES130",
    "data_file",
    "diabetes130_file",
    "mondo_file",
    "nltk_folder",
    "snomed_sized",
    "wordnet_folder",
]

# lexnames(5WN): the lexicographers' files in the order of their numbers.
_LEXICOGRAPHERS = {
    "adj": "all pert",
    "adv": "all",
    "noun": "Tops act animal artifact attribute body cognition communication event feeling food group location motive "
    "object person phenomenon plant possession process quantity relation shape state substance time",
    "verb": "body change cognition communication competition consumption contact creation emotion motion perception "
    "possession social stative weather",
}
_LAST_LEXICOGRAPHER = "adj.ppl"
NO_DIABETES130 = "diabetes130 was not measured: set ONTOMASK_DATA to the folder with diabetes130.csv.gz."
_CATEGORY = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


def mondo_file() -> Path | None:
    """``mondo.obo.gz`` in the folder that ONTOMASK_DATA names, if it is there."""
    return data_file("mondo.obo.gz")


def diabetes130_file() -> Path | None:
    """``diabetes130.csv.gz`` in the folder that ONTOMASK_DATA names, if it is there."""
    return data_file("diabetes130.csv.gz")


def data_file(name: str) -> Path | None:
    """A file in the folder that ONTOMASK_DATA names, if it is there."""
    file = Path(os.environ.get("ONTOMASK_DATA", "no such folder")) / name
    return file if file.is_file() else None


def wordnet_folder() -> Path | None:
    """The WNdb folder that ``run.py`` was given, if it is there."""
    folder = Path(os.environ.get("ONTOMASK_WORDNET", "/usr/share/wordnet"))
    return folder if (folder / "data.noun").is_file() else None


def nltk_folder(source: Path, parent: Path) -> Path:
    """A copy of a WNdb folder below ``parent``, with the two files that NLTK needs in addition.

    ``lexnames`` is not part of every distribution. ``index.sense`` maps one version of WordNet to another, which is not
    needed here, so it stays empty.
    """
    folder = parent / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for file in source.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    names = [f"{kind}.{name}" for kind, names in _LEXICOGRAPHERS.items() for name in names.split()]
    numbered = enumerate([*names, _LAST_LEXICOGRAPHER])
    lines = (f"{number:02d}\t{name}\t{_CATEGORY[name.partition('.')[0]]}\n" for number, name in numbered)
    (folder / "lexnames").write_text("".join(lines))
    (folder / "index.sense").touch()
    return folder


def snomed_sized(concepts: int = 350_000, links: int = 560_000) -> om.Taxonomy:
    """A random DAG of SNOMED CT's size: every concept has a parent, and the other links fall anywhere."""
    rng = np.random.default_rng(0)
    child = np.concatenate([np.arange(1, concepts), rng.integers(2, concepts, links - concepts + 1)])
    parent = (child * rng.random(len(child)) * 0.5).astype(np.int64)
    names = [f"{i:09d}" for i in range(concepts)]
    pairs = zip(child.tolist(), parent.tolist(), strict=True)
    return om.Taxonomy.from_edges([(names[c], names[p]) for c, p in pairs])
