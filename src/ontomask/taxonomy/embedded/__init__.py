"""Ontologies in the package. The licence of each file is next to it; ``scripts/`` has the scripts that made them."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

from ontomask.taxonomy.readers import saved
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["load_icd9cm", "load_wordnet"]


@cache
def _load(name: str) -> Taxonomy:
    with as_file(files(__name__).joinpath(name)) as path:
        return saved.read(path)


def load_wordnet() -> Taxonomy:
    """The nouns of WordNet 3.0: 82,115 synsets with their words, is-a links and order of senses.

    Glosses and part-of links are not included. Read a WNdb folder with ``glosses=True, parts=True`` for them.

    >>> wn = load_wordnet()
    >>> wn.find("tiger")
    ['tiger.n.01', 'tiger.n.02']
    >>> wn.labels("tiger.n.02"), wn.parents("tiger.n.02")
    (('tiger', 'Panthera tigris'), ('big_cat.n.01',))
    """
    return _load("wordnet30.taxonomy")


def load_icd9cm() -> Taxonomy:
    """ICD-9-CM diagnoses (the last edition, 2015), from the chapters to the five-digit codes.

    >>> icd9 = load_icd9cm()
    >>> icd9.find_alias("25083"), icd9.find_alias("38")
    (('undotted code', ['250.83']), ('zero-padded code', ['038']))
    """
    return _load("icd9cm.taxonomy")
