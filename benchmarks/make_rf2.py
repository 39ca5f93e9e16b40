"""Make a SNOMED CT release that is none: RF2 snapshot files of the true layout and size, all content invented.

    python benchmarks/make_rf2.py OUTFOLDER [--concepts N] [--seed S] [--gzip]

The folder gets ``Snapshot/Terminology`` and ``Snapshot/Refset`` with concept, description, relationship,
language, association and attribute value files. Per active concept there are about 1.6 is-a links, 2.6
other relationships and 3.1 descriptions (each in the US and the GB language refset), and one inactive
concept comes on every twelve active ones: with the default of 350,000 concepts that is 560,000 is-a links,
900,000 other relationships and 1.1 million descriptions, about the size of the International Edition.

Identifiers have the partition and the check digit of real ones. Terms are made of syllables; some hold
quotation marks and letters beyond ASCII, as real ones do. The same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

__all__ = ["make"]

DATE = "20250101"
ROOT = 138875005
IS_A = "116680003"
OTHER_TYPES = ("363698007", "116676008", "246075003", "260686004", "405813007")
MODULE = "900000000000207008"
FSN, SYNONYM = "900000000000003001", "900000000000013009"
US, GB = "900000000000509007", "900000000000508004"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
INDICATOR = "900000000000489007"
# Refset of the association with the reason that goes with it, in the order of how common they are.
RETIREMENTS = (
    ("900000000000527005", "900000000000482003"),
    ("900000000000526001", "900000000000483008"),
    ("900000000000523009", "900000000000484002"),
    ("900000000000528000", "900000000000486000"),
)
TAGS = ("disorder", "finding", "procedure", "body structure", "substance", "organism", "observable entity")

_REFSET = "id effectiveTime active moduleId refsetId referencedComponentId"
_HEADS = {
    "Concept": "id effectiveTime active moduleId definitionStatusId",
    "Description": "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    "Relationship": "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId "
    "characteristicTypeId modifierId",
    "Language": f"{_REFSET} acceptabilityId",
    "Association": f"{_REFSET} targetComponentId",
    "AttributeValue": f"{_REFSET} valueId",
}
_FILES = {
    "Concept": "Terminology/sct2_Concept_Snapshot_INT",
    "Description": "Terminology/sct2_Description_Snapshot-en_INT",
    "Relationship": "Terminology/sct2_Relationship_Snapshot_INT",
    "Language": "Refset/Language/der2_cRefset_LanguageSnapshot-en_INT",
    "Association": "Refset/Content/der2_cRefset_AssociationSnapshot_INT",
    "AttributeValue": "Refset/Content/der2_cRefset_AttributeValueSnapshot_INT",
}


def make(folder: Path, concepts: int = 350_000, *, seed: int = 1, compress: bool = False) -> Path:
    """Write the snapshot into ``folder`` (made if absent) and return that folder."""
    rng = np.random.default_rng(seed)
    inactive = concepts // 12
    ids = _identifiers(100_000, concepts + inactive, "00")
    ids[0] = ROOT
    active, retired = ids[:concepts].tolist(), ids[concepts:].tolist()
    parents = _parents(rng, concepts)
    terms = _terms(rng, concepts + inactive)

    def write(kind: str, rows: Iterable[Sequence[object]]) -> None:
        _write(folder / "Snapshot" / f"{_FILES[kind]}_{DATE}.txt", _HEADS[kind], rows, compress)

    write("Concept", ((c, DATE, int(i < concepts), MODULE, "900000000000074008") for i, c in enumerate(ids.tolist())))
    write("Relationship", _relationships(rng, active, parents))
    descriptions = list(_descriptions(rng, [*active, *retired], terms))
    write("Description", (row[:-1] for row in descriptions))
    uuids = _uuids(rng)
    write(
        "Language",
        (
            (next(uuids), DATE, 1, MODULE, refset, row[0], row[-1])
            for row in descriptions
            for refset in (US, GB)
            # Some synonyms are British only.
            if refset == GB or row[-1] == PREFERRED or row[0] % 17
        ),
    )
    choice = rng.integers(len(RETIREMENTS), size=inactive).tolist()
    target = rng.integers(1, concepts, size=inactive).tolist()
    write(
        "Association",
        (
            (next(uuids), DATE, 1, MODULE, RETIREMENTS[k][0], c, active[t])
            for c, k, t in zip(retired, choice, target, strict=True)
        ),
    )
    write(
        "AttributeValue",
        ((next(uuids), DATE, 1, MODULE, INDICATOR, c, RETIREMENTS[k][1]) for c, k in zip(retired, choice, strict=True)),
    )
    return folder


def _write(path: Path, head: str, rows: Iterable[Sequence[object]], compress: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if compress:
        path = path.with_name(f"{path.name}.gz")
    with path.open("wb") as plain, _zipped(plain) if compress else nullcontext(plain) as file:
        file.write(("\t".join(head.split()) + "\r\n").encode())
        file.writelines(("\t".join(map(str, row)) + "\r\n").encode() for row in rows)


def _zipped(file: IO[bytes]) -> gzip.GzipFile:
    """Gzip without name and time, so that equal input gives equal output."""
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0)


def _parents(rng: np.random.Generator, n: int) -> list[tuple[int, ...]]:
    """Parents lie a fifth to a half of the way back: a dozen levels, as in the real thing."""
    numbers = np.arange(1, n)
    main = (numbers * rng.uniform(0.2, 0.5, size=n - 1)).astype(int).tolist()
    second = (numbers * rng.uniform(0.2, 0.5, size=n - 1)).astype(int).tolist()
    has_second = (rng.random(n - 1) < 0.62).tolist()
    return [(), *((a, b) if two and a != b else (a,) for a, b, two in zip(main, second, has_second, strict=True))]


def _relationships(
    rng: np.random.Generator, active: Sequence[int], parents: Sequence[tuple[int, ...]]
) -> Iterable[Sequence[object]]:
    others = rng.poisson(2.6, size=len(active)).tolist()
    rest = ("900000000000011006", "900000000000451002")
    relation_ids = iter(_identifiers(10_000_000, sum(others) + sum(map(len, parents)), "02").tolist())
    for c, above, count in zip(active, parents, others, strict=True):
        for p in above:
            yield (next(relation_ids), DATE, 1, MODULE, c, active[p], 0, IS_A, *rest)
        for k in range(count):
            value = active[int(c // 1000 + k * 7919) % len(active)]
            yield (next(relation_ids), DATE, 1, MODULE, c, value, k + 1, OTHER_TYPES[k % 5], *rest)


def _descriptions(
    rng: np.random.Generator, concepts: Sequence[int], terms: Sequence[str]
) -> Iterable[tuple[int, str, int, str, int, str, str, str, str, str]]:
    """Rows of the description file, with the acceptability as one more cell."""
    synonyms = rng.poisson(1.1, size=len(concepts)).tolist()
    description_ids = iter(_identifiers(500_000, sum(synonyms) + 2 * len(concepts), "01").tolist())
    for number, (c, term, count) in enumerate(zip(concepts, terms, synonyms, strict=True)):
        spellings = [
            (FSN, f"{term} ({TAGS[number % len(TAGS)]})", PREFERRED),
            (SYNONYM, term, PREFERRED),
            *((SYNONYM, f"{term.split(' ', 1)[-1]}, form {k}", ACCEPTABLE) for k in range(1, count + 1)),
        ]
        for kind, text, acceptability in spellings:
            case = "900000000000448009"
            yield (next(description_ids), DATE, 1, MODULE, c, "en", kind, text, case, acceptability)


def _terms(rng: np.random.Generator, n: int) -> list[str]:
    """Distinct terms of two to six invented words."""
    heads = ("b", "c", "d", "f", "gl", "h", "k", "l", "m", "n", "p", "r", "st", "tr", "v")
    syllables = [head + vowel + tail for head in heads for vowel in "aeiou" for tail in "lnrstx"]
    picks = rng.integers(len(syllables), size=(n, 12)).tolist()
    sizes = rng.integers(2, 7, size=n).tolist()
    odd = ('of "open" type', "Ménière-like", "with β-agent", "≥ grade")
    terms = []
    for number, (pick, size) in enumerate(zip(picks, sizes, strict=True)):
        words = [
            syllables[a] + syllables[b] for a, b in zip(pick[0 : 2 * size : 2], pick[1 : 2 * size : 2], strict=True)
        ]
        if number % 25 == 0:
            words.append(odd[number // 25 % len(odd)])
        terms.append(f"{' '.join(words).capitalize()} {number}")
    return terms


def _uuids(rng: np.random.Generator) -> Iterator[str]:
    while True:
        text = rng.bytes(16).hex()
        yield f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}"


def _identifiers(first: int, count: int, partition: str) -> NDArray[np.int64]:
    """Ascending SCTIDs: an item number, the partition and a Verhoeff check digit."""
    numbers = (np.arange(count, dtype=np.int64) * 3 + first) * 100 + int(partition)
    turn = np.array([1, 5, 7, 6, 2, 8, 3, 0, 9, 4])
    check = np.zeros(count, dtype=np.int64)
    permuted = np.arange(10)
    rest = numbers.copy()
    while rest.any():
        permuted = turn[permuted]
        digit = permuted[rest % 10]
        check = np.where(rest > 0, _dihedral(check, digit), check)
        rest //= 10
    # The inverse of a rotation turns back; a reflection is its own inverse.
    return numbers * 10 + np.where(check < 5, (5 - check) % 5, check)


def _dihedral(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Multiplication of the symmetries of a pentagon: 0–4 are rotations, 5–9 reflections."""
    rotation = np.where(a < 5, a + b, a - b) % 5
    product: NDArray[np.int64] = rotation + 5 * ((a < 5) != (b < 5))
    return product


def main() -> None:
    """Read the command line and write the files."""
    parser = argparse.ArgumentParser(description="Make RF2 snapshot files of invented content.")
    parser.add_argument("folder", type=Path, help="where to write; made if absent")
    parser.add_argument("--concepts", type=int, default=350_000, help="active concepts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gzip", action="store_true", help="compress every file")
    given = parser.parse_args()
    make(given.folder, given.concepts, seed=given.seed, compress=given.gzip)


if __name__ == "__main__":
    main()
