"""A taxonomy as this package saves it: one compact file that loads in a fraction of a second.

Reading SNOMED CT from its release files takes seconds; save the result once and load that. The embedded
WordNet and ICD-9-CM are such files. The format is a NumPy ``.npz`` archive without any pickled object.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from ontomask.errors import ReadError
from ontomask.taxonomy.graph import Graph
from ontomask.taxonomy.labels import Labels, LabelStore
from ontomask.taxonomy.readers.source import write_whole
from ontomask.taxonomy.taxonomy import Annotations, Retired, Taxonomy
from ontomask.taxonomy.validate import Finding

__all__ = ["SUFFIX", "can_read", "read", "save_taxonomy"]

SUFFIX = ".taxonomy"
_VERSION = 1


def can_read(path: Path) -> bool:
    """A zip archive that holds our header."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return {"header.npy", "parent_start.npy"} <= set(archive.namelist())


def save_taxonomy(taxonomy: Taxonomy, path: str | Path) -> None:
    """Save a taxonomy to one file, written whole or not at all; `read_taxonomy` loads it again.

    >>> import ontomask as om, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pain.taxonomy"
    >>> om.save_taxonomy(om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain")]), file)
    >>> om.read_taxonomy(file).ids
    ('symptom', 'pain', 'ache')
    """
    notes = taxonomy.annotations
    store = taxonomy.texts.store
    rows = taxonomy.texts.row
    if len(rows) != len(store.owner_start) - 1 or (rows != np.arange(len(rows))).any():
        store = LabelStore.from_lists([taxonomy.texts.of(c) for c in range(len(taxonomy))], _ranks(taxonomy))
    header = {
        "version": _VERSION,
        "name": notes.name,
        "licence": notes.licence,
        "code_ids": notes.code_ids,
        "aliases": {kind: {a: list(ids) for a, ids in table.items()} for kind, table in notes.aliases.items()},
        "retired": {c: [r.reason, list(r.replacements)] for c, r in notes.retired.items()},
        "glosses": None if notes.glosses is None else dict(notes.glosses),
        "parts": None if notes.parts is None else {c: list(p) for c, p in notes.parts.items()},
        "counts": None if notes.counts is None else dict(notes.counts),
        "notes": [[f.code, f.message] for f in taxonomy.notes],
    }
    arrays = {
        "header": _bytes(json.dumps(header, ensure_ascii=False)),
        "ids": _bytes("\n".join(taxonomy.ids)),
        "parent_start": taxonomy.graph.parent_start,
        "parent": taxonomy.graph.parent,
        "depth": taxonomy.graph.depth,
        "label_text": np.frombuffer(store.text, dtype=np.uint8),
        "label_end": store.end,
        "label_owner_start": store.owner_start,
        "label_rank": store.rank,
    }

    def write(file: IO[bytes]) -> None:
        # np.savez would stamp the time into the archive: a fixed date keeps equal input equal output.
        with zipfile.ZipFile(file, "w", compresslevel=9) as archive:
            for key, array in arrays.items():
                info = zipfile.ZipInfo(f"{key}.npy")
                info.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(info, "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)

    write_whole(Path(path), write)


def _ranks(taxonomy: Taxonomy) -> list[list[int]]:
    store = taxonomy.texts.store
    return [store.rank[store.owner_start[r] : store.owner_start[r + 1]].tolist() for r in taxonomy.texts.row]


def _bytes(text: str) -> Any:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def read(path: Path) -> Taxonomy:
    """Load a saved taxonomy."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            data = {key: archive[key] for key in archive.files}
        header = json.loads(data["header"].tobytes())
        if header["version"] != _VERSION:
            raise ReadError(
                f"was saved in format {header['version']}, this version reads format {_VERSION}. "
                f"Read it from its source and save it again.",
                path=path,
            )
        ids = tuple(data["ids"].tobytes().decode().split("\n"))
        graph = Graph(data["parent_start"], data["parent"], data["depth"])
        store = LabelStore(
            data["label_text"].tobytes(), data["label_end"], data["label_owner_start"], data["label_rank"]
        )
        parts = header["parts"]
        annotations = Annotations(
            name=header["name"],
            licence=header["licence"],
            code_ids=header["code_ids"],
            aliases={kind: {a: tuple(ids) for a, ids in table.items()} for kind, table in header["aliases"].items()},
            retired={c: Retired(reason, tuple(new)) for c, (reason, new) in header["retired"].items()},
            glosses=header["glosses"],
            parts=None if parts is None else {c: tuple(p) for c, p in parts.items()},
            counts=header["counts"],
        )
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as problem:
        if isinstance(problem, ReadError):
            raise
        raise ReadError(f"is damaged or not a saved taxonomy: {problem}.", path=path) from problem
    texts = Labels(store, np.arange(len(ids), dtype=np.int32))
    return Taxonomy(ids, graph, texts, annotations, tuple(Finding(*note) for note in header["notes"]))
