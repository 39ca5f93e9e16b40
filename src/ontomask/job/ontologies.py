"""The ontologies of a job: embedded ones by name, and files or folders. Each is opened once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ontomask.errors import JobError
from ontomask.job.problems import locate_errors
from ontomask.job.settings import Settings
from ontomask.job.toml_text import dotted_key
from ontomask.mapping.links import combine
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.cache import read_cached
from ontomask.taxonomy.embedded import load_icd9cm, load_wordnet
from ontomask.taxonomy.readers.icd10 import load_icd10cm

__all__ = ["EMBEDDED", "Ontologies", "listed", "open_taxonomy"]

EMBEDDED: Mapping[str, Callable[[], Taxonomy]] = {
    "wordnet": load_wordnet,
    "icd9cm": load_icd9cm,
    "icd10cm": load_icd10cm,
}


def open_taxonomy(name: str | Path, format: str | None = None, **options: Any) -> Taxonomy:
    """Load an embedded ontology by its name, or read one from a file or folder."""
    embedded = EMBEDDED.get(str(name))
    return embedded() if embedded is not None else read_cached(name, format, **options)


def listed(names: str | list[str] | None) -> list[str]:
    """The names of the ontologies of a column."""
    return [] if names is None else [names] if isinstance(names, str) else names


class Ontologies:
    """The ontologies that the columns of a job name."""

    def __init__(self, settings: Settings, path: Path) -> None:
        self._settings = settings
        self._path = path
        self._opened: dict[str, Taxonomy] = {}
        self._merged: dict[str, Taxonomy] = {}

    def reuse(self, former: Ontologies) -> None:
        """Take over what an earlier state of the job has opened, where its settings are the same."""
        mine, others = self._settings.ontologies, former._settings.ontologies
        self._opened = {name: t for name, t in former._opened.items() if mine.get(name) == others.get(name)}

    def _beside(self, name: str) -> Path:
        return self._path.parent / Path(name).expanduser()

    def of(self, column: str, links: Any, how: str) -> Taxonomy:
        """The ontology of a column, or its ontologies merged into one. Columns with the same ontologies share them."""
        names = self._settings.columns[column].taxonomy
        opened = [self._open(name, column) for name in listed(names)]
        if not isinstance(names, list):
            return opened[0]
        key = repr((names, links, how))
        if key not in self._merged:
            with locate_errors(self._path, dotted_key("columns", column, "links")):
                given = self._beside(links) if isinstance(links, str) and links != "xrefs" else links
                self._merged[key] = combine(opened, given, in_order=how == "in_order")
        return self._merged[key]

    def _open(self, taxonomy: str, column: str) -> Taxonomy:
        """The ontology of a column. Columns with the same ontology share it."""
        if taxonomy not in self._opened:
            self._opened[taxonomy] = self._read(taxonomy, column)
        return self._opened[taxonomy]

    def _read(self, taxonomy: str, column: str) -> Taxonomy:
        known = self._settings.ontologies.get(taxonomy)
        if known is not None:
            with locate_errors(self._path, dotted_key("ontologies", taxonomy)):
                return read_cached(self._beside(known.path), known.format, **(known.model_extra or {}))
        if taxonomy in EMBEDDED:
            return EMBEDDED[taxonomy]()
        file = self._beside(taxonomy)
        if not file.exists():
            names = [*EMBEDDED, *self._settings.ontologies]
            text = f"Must be one of {', '.join(names)}, or the path of an ontology. There is no file {file}."
            raise JobError(self._path, [(dotted_key("columns", column, "taxonomy"), text)])
        with locate_errors(self._path, dotted_key("columns", column, "taxonomy")):
            return read_cached(file)
