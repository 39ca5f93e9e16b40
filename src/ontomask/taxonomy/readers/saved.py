"""Taxonomies saved by this package: one compact file that loads in a fraction of a second.

Reading SNOMED CT from its release files takes seconds. Save the result once and load that. The embedded WordNet and
ICD-9-CM are such files. The format is a NumPy ``.npz`` archive without pickled objects.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from ontomask.base.atomic import save_atomic
from ontomask.base.limits import UnpackedTooLargeError, check_zip
from ontomask.errors import ReadError, TaxonomyError
from ontomask.taxonomy.graph import DEEPEST, Graph
from ontomask.taxonomy.labels import Labels, LabelStore
from ontomask.taxonomy.taxonomy import Annotations, Retired, Taxonomy
from ontomask.taxonomy.validate import Finding

__all__ = ["can_read", "read", "save", "save_taxonomy"]

_SUFFIX = ".taxonomy"
_VERSION = 2
# Files of version 1 have concepts and ranks of labels in the order of their source.
_IN_SOURCE_ORDER = 1
_NEWLINE = ord("\n")


def can_read(path: Path) -> bool:
    """Whether the file is an archive with our header, or a damaged one with our suffix, which `read` reports."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            if file.read(2) != b"PK":
                return False
        with zipfile.ZipFile(path) as archive:
            return {"header.npy", "parent_start.npy"} <= set(archive.namelist())
    except Exception:  # zipfile raises many kinds of exceptions on damaged archives
        return path.suffix == _SUFFIX


def save_taxonomy(taxonomy: Taxonomy, path: str | Path) -> None:
    """Save a taxonomy to one file by an atomic write. `read_taxonomy` loads it again.

    >>> import ontomask as om, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pain.taxonomy"
    >>> om.save_taxonomy(om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain")]), file)
    >>> om.read_taxonomy(file).ids
    ('symptom', 'pain', 'ache')
    """
    path = Path(path).expanduser()
    if path.is_dir():
        text = f"This is a folder. Give a file to save to, such as {path / f'my{_SUFFIX}'}."
        raise TaxonomyError(text, path=path, parameter="path", code="is-a-folder")
    save(taxonomy, path)


def save(taxonomy: Taxonomy, path: Path, *, fast: bool = False) -> None:
    """Write the file. If it is to be ``fast``, the file is larger."""
    about = taxonomy.annotations
    store = taxonomy.texts.store
    rows = taxonomy.texts.row
    if len(rows) != len(store.owner_start) - 1 or (rows != np.arange(len(rows))).any():
        store = LabelStore.from_lists(map(taxonomy.texts.of, range(len(taxonomy))), _ranks(taxonomy.texts))
    header = {
        "version": _VERSION,
        "name": about.name,
        "licence": about.licence,
        "code_ids": about.code_ids,
        "aliases": about.aliases,
        "retired": {c: (r.reason, r.replacements, r.replaced_by) for c, r in about.retired.items()},
        "glosses": about.glosses,
        "parts": about.parts,
        "counts": about.counts,
        "order": about.order,
        "notes": [[f.code, f.message, *f.values] for f in taxonomy.notes],
    }
    arrays = {
        "header": _bytes(json.dumps(header, ensure_ascii=False, default=dict)),
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
        # np.savez would store the current time. A fixed date gives the same file for the same taxonomy.
        with zipfile.ZipFile(file, "w", compresslevel=1 if fast else 9) as archive:
            for key, array in arrays.items():
                info = zipfile.ZipInfo(f"{key}.npy")
                info.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(info, "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)

    save_atomic(path, write, TaxonomyError)


def _ranks(texts: Labels) -> list[list[int]]:
    store = texts.store
    return [store.rank[store.owner_start[r] : store.owner_start[r + 1]].tolist() for r in texts.row]


def _bytes(text: str) -> Any:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def read(path: Path) -> Taxonomy:
    """Load a saved taxonomy."""
    try:
        check_zip(path)
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            data = {key: archive[key] for key in archive.files}
        header = json.loads(data["header"].tobytes())
        if header["version"] not in (_IN_SOURCE_ORDER, _VERSION):
            raise ReadError(
                f"The file has format version {header['version']}, but this release reads versions up to {_VERSION}. "
                f"Read the taxonomy from its source and save it again.",
                path=path,
                code="version",
            )
        ids = _check_arrays(data)
        graph = Graph(data["parent_start"], data["parent"], data["depth"])
        store = LabelStore(
            data["label_text"].tobytes(), data["label_end"], data["label_owner_start"], data["label_rank"]
        )
        if header["version"] == _IN_SOURCE_ORDER:
            ids, graph, texts = _reordered(ids, graph, store)
        else:
            texts = Labels(store, np.arange(len(ids), dtype=np.int32))
        parts = header["parts"]
        annotations = Annotations(
            name=header["name"],
            licence=header["licence"],
            code_ids=header["code_ids"],
            aliases={kind: {a: tuple(ids) for a, ids in table.items()} for kind, table in header["aliases"].items()},
            # Version 0.1 wrote no third item.
            retired={c: Retired(why, tuple(new), *use) for c, (why, new, *use) in header["retired"].items()},
            glosses=header["glosses"],
            parts=None if parts is None else {c: tuple(p) for c, p in parts.items()},
            counts=header["counts"],
            order=header.get("order"),
        )
        notes = tuple(Finding(code, message, values=tuple(values)) for code, message, *values in header["notes"])
    except ReadError:
        raise
    except UnpackedTooLargeError as problem:
        raise ReadError(f"{problem}.", path=path, code="too-large") from None
    except Exception as problem:  # zipfile, NumPy and JSON raise many kinds of exceptions on damaged files
        raise ReadError(
            f"The file is damaged or not a saved taxonomy: {problem}. Read the taxonomy from its source and save it "
            f"again.",
            path=path,
            values=[problem.part] if isinstance(problem, _WrongArrayError) else [],
            code="damaged",
        ) from problem
    return Taxonomy(ids, graph, texts, annotations, notes)


def _reordered(ids: Sequence[str], graph: Graph, store: LabelStore) -> tuple[tuple[str, ...], Graph, Labels]:
    """Ids, graph and labels in taxonomy order, as a reader makes them."""
    child = np.repeat(np.arange(len(ids), dtype=np.int32), np.diff(graph.parent_start))
    made, order = Graph.build(ids, child, graph.parent)
    positions = np.arange(len(store), dtype=np.int32) - np.repeat(store.owner_start[:-1], np.diff(store.owner_start))
    if (store.rank == np.minimum(positions, 65535)).all():
        # These ranks were not given. Now they only say which label is preferred.
        store = replace(store, rank=np.minimum(store.rank, 1))
    texts = Labels(store, order)
    names = tuple(ids[c] for c in order.tolist())
    store = LabelStore.from_lists(map(texts.of, range(len(names))), _ranks(texts))
    return names, made, Labels(store, np.arange(len(names), dtype=np.int32))


class _WrongArrayError(ValueError):
    """Arrays that do not fit together; ``part`` says which."""

    def __init__(self, part: str, message: str) -> None:
        super().__init__(message)
        self.part = part


def _check_arrays(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids, after checking that all arrays are consistent. Otherwise results would be wrong without an error."""
    for key, array in data.items():
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise _WrongArrayError(key, f"{key} is not a list of integers")
    ids = tuple(data["ids"].tobytes().decode().split("\n"))
    start, parent, depth = data["parent_start"], data["parent"], data["depth"]
    text, end, owner, rank = (data[f"label_{key}"] for key in ("text", "end", "owner_start", "rank"))
    n = len(ids)
    own = np.repeat(np.arange(n), np.diff(start)) if _are_starts(start, n, len(parent)) else None
    checks = {
        "ids": len(set(ids)) == n and all(ids),
        "links": own is not None
        and start[1] == 0
        and bool((start[2:] > start[1:-1]).all())
        and bool(((parent >= 0) & (parent < own)).all()),
        "labels": _are_starts(owner, n, len(end))
        and len(rank) == len(end)
        and bool((owner[1:] > owner[:-1]).all())
        and bool((end[1:] > end[:-1]).all())
        and int(end[-1]) == len(text) - 1
        and bool((text[end] == _NEWLINE).all())
        and int((text == _NEWLINE).sum()) == len(end),
    }
    wrong = [what for what, holds in checks.items() if not holds]
    if not wrong:
        fits = len(depth) == n and depth[0] == 0 and bool((depth[1:] >= depth[:-1]).all())
        if int(depth[-1]) > DEEPEST:
            raise ValueError(f"a chain of is-a links is longer than {DEEPEST:,}")
        if not fits or (n > 1 and (depth[1:] != np.maximum.reduceat(depth[parent], start[1:-1]) + 1).any()):
            wrong.append("depths")
    if wrong:
        raise _WrongArrayError(wrong[0], f"the {wrong[0]} are inconsistent")
    text.tobytes().decode()  # raises if it is not UTF-8
    return ids


def _are_starts(starts: Any, groups: int, values: int) -> bool:
    """Whether an array is valid CSR row pointers for ``groups`` groups of ``values`` values in total."""
    return (
        len(starts) == groups + 1
        and int(starts[0]) == 0
        and int(starts[-1]) == values
        and bool((starts[1:] >= starts[:-1]).all())
    )
