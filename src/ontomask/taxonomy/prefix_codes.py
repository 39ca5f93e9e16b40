"""Codes whose first characters mean something: ATC, ISCO, NACE, NAICS, postcodes.

The parent of a code is its longest beginning of a given length: ``A10BA02`` is below ``A10BA``, that below ``A10B``.
The lengths are called cuts. They count letters and digits; dots, hyphens and blanks between them do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ontomask.base.text import cell_text, join_some
from ontomask.errors import READ_AS_TEXT, TaxonomyError
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import Finding, fail

__all__ = [
    "SCHEMES",
    "Cuts",
    "Scheme",
    "build",
    "character_positions",
    "have_lost_zeros",
    "prefix_taxonomy",
    "resolve_cuts",
]

Cuts = str | Sequence[int] | None


@dataclass(frozen=True)
class Scheme:
    """A known scheme of codes.

    Attributes
    ----------
    name
        The name to show.
    cuts
        The lengths of its codes.
    sections
        Groups above the codes of the first cut, each with its ranges of such codes: ``{"A": "01-03"}``.
    """

    name: str
    cuts: tuple[int, ...]
    sections: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def section_of(self) -> dict[str, str]:
        """The section of each code of the first cut."""
        found = {}
        for section, ranges in self.sections.items():
            for text in ranges.split():
                first, _, last = text.partition("-")
                for number in range(int(first), int(last or first) + 1):
                    found[f"{number:0{self.cuts[0]}d}"] = section
        return found


_ISIC_4 = {"A": "01-03", "B": "05-09", "C": "10-33", "D": "35", "E": "36-39", "F": "41-43", "G": "45-47"}
_ISIC_4 |= {"H": "49-53", "I": "55-56", "J": "58-63", "K": "64-66", "L": "68", "M": "69-75", "N": "77-82"}
_ISIC_4 |= {"O": "84", "P": "85", "Q": "86-88", "R": "90-93", "S": "94-96", "T": "97-98", "U": "99"}
_NACE_2_1 = {key: ranges for key, ranges in _ISIC_4.items() if key < "G"}
_NACE_2_1 |= {"G": "46-47", "H": "49-53", "I": "55-56", "J": "58-60", "K": "61-63", "L": "64-66", "M": "68"}
_NACE_2_1 |= {"N": "69-75", "O": "77-82", "P": "84", "Q": "85", "R": "86-88", "S": "90-93", "T": "94-96"}
_NACE_2_1 |= {"U": "97-98", "V": "99"}
_NAICS = {"31-33": "31-33", "44-45": "44-45", "48-49": "48-49"}

SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "atc": Scheme("ATC", (1, 3, 4, 5, 7)),
        "isco": Scheme("ISCO", (1, 2, 3, 4)),
        "isic": Scheme("ISIC Rev. 4", (2, 3, 4), _ISIC_4),
        "isced_f": Scheme("ISCED-F", (2, 3, 4)),
        "kldb": Scheme("KldB", (1, 2, 3, 4, 5)),
        "nace": Scheme("NACE Rev. 2", (2, 3, 4), _ISIC_4),
        "nace_2.1": Scheme("NACE Rev. 2.1", (2, 3, 4), _NACE_2_1),
        "naics": Scheme("NAICS", (2, 3, 4, 5, 6), _NAICS),
        "postcode_de": Scheme("German postcodes", (1, 2, 3, 5)),
        "zip": Scheme("US ZIP codes", (1, 3, 5)),
    }
)
"""Known schemes. Their names may be given as ``cuts``."""


def resolve_cuts(cuts: Cuts) -> tuple[int, ...] | None:
    """The cuts in ascending order, also of a known scheme. ``ValueError`` with the reason for anything else."""
    if cuts is None:
        return None
    if isinstance(cuts, str):
        if cuts not in SCHEMES:
            raise ValueError(f"must be a list of lengths, or one of: {', '.join(SCHEMES)}. Got {cuts!r} instead.")
        return SCHEMES[cuts].cuts
    given: list[Any] = list(cuts) if isinstance(cuts, Sequence) else []
    if not given or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in given):
        raise ValueError(f"must be a list of integers ≥ 1, or the name of a scheme. Got {cuts!r} instead.")
    return tuple(sorted(set(given)))


def character_positions(code: str, also: str = "") -> list[int]:
    """Where the characters of a code are that count: letters, digits and those in ``also``.

    >>> character_positions("01.1"), character_positions("47**", also="*")
    ([0, 1, 3], [0, 1, 2, 3])
    """
    return [i for i, char in enumerate(code) if char.isalnum() or char in also]


def have_lost_zeros(cells: Iterable[object]) -> bool:
    """Whether codes were read as numbers and differ in length, so that leading zeros may be lost."""
    return len({len(cell_text(cell) or "") for cell in cells if not isinstance(cell, str)}) > 1


def prefix_taxonomy(
    codes: Iterable[object] | Mapping[str, str | Sequence[str]], cuts: Cuts = None, *, name: str = ""
) -> Taxonomy:
    """The taxonomy of codes whose first characters mean something.

    Parameters
    ----------
    codes
        Codes, such as the values of a column (missing cells are left out), or a dict of codes and their labels.
    cuts
        The lengths of the codes that are groups, or the name of a scheme: ``atc``, ``isco``, ``nace``, ``nace_2.1``,
        ``isic``, ``naics``, ``kldb``, ``isced_f``, ``postcode_de``, ``zip``. By default the lengths of the codes; if
        all have the same length, every shorter one.
    name
        The name of the taxonomy.

    Examples
    --------
    >>> import ontomask as om
    >>> atc = om.prefix_taxonomy(["A10BA02", "A10BB01", "C07AB02"], cuts="atc")
    >>> atc.parents("A10BA02"), atc.lcs("A10BA02", "A10BB01"), atc.root
    (('A10BA',), 'A10B', '⊤')
    >>> nace = om.prefix_taxonomy({"01.11": "Growing of cereals", "01.1": "Crops"}, cuts="nace")
    >>> sorted(nace.subsumers("01.11"))
    ['01', '01.1', '01.11', 'A']
    """
    labels: dict[str, list[str]] = {}
    if isinstance(codes, Mapping):
        for code, words in codes.items():
            labels[str(code).strip()] = [words] if isinstance(words, str) else list(words)
    else:
        cells = list(dict.fromkeys(codes))
        present = [cell for cell in cells if cell_text(cell) is not None]
        if have_lost_zeros(present):
            raise TaxonomyError(
                "The codes were read as numbers and differ in length. Leading zeros may be lost. ",
                READ_AS_TEXT,
                code="lost-zeros",
            )
        labels = {cell_text(cell, code_column=True) or "": [] for cell in present}
    try:
        lengths = resolve_cuts(cuts)
    except ValueError as problem:
        raise TaxonomyError(f"The 'cuts' {problem}", parameter="cuts") from None
    return build(labels, lengths, SCHEMES.get(cuts) if isinstance(cuts, str) else None, name=name)


def build(
    labels: Mapping[str, Sequence[str]],
    cuts: tuple[int, ...] | None,
    scheme: Scheme | None,
    *,
    name: str = "",
    path: Path | None = None,
    lines: Mapping[str, int] | None = None,
) -> Taxonomy:
    """The taxonomy of codes with their labels. ``lines`` has the line of each code, for errors."""
    sections = scheme.sections if scheme else {}
    keys: dict[str, str] = {}
    spellings: dict[str, str] = {}
    for code in labels:
        key = code if code in sections else "".join(char for char in code if char.isalnum())
        # Nobody means different codes of a known scheme by a10 and A10.
        key = key.upper() if scheme else key
        line = lines.get(code) if lines else None
        if not key:
            fail("T106", "A code has no letters or digits. Remove it.", path=path, line=line, values=[code])
        if keys.setdefault(key, code) != code:
            if lines:
                message = f"The code {code!r} is repeated: {keys[key]!r}. Remove one of them."
                fail("T104", message, path=path, line=line, values=[code])
            spellings[code] = keys[key]
    if not keys:
        fail("T105", "There are no codes, but a taxonomy needs one. Give one.", path=path)
    declared = set(keys)
    lengths = cuts or _lengths(keys)
    links = list(dict.fromkeys(pair for key in list(keys) for pair in pairwise(_chain(key, keys, lengths, scheme))))
    added = [keys[key] for key in keys if key not in declared]
    ids = list(keys.values())
    taxonomy = Taxonomy.from_edges(
        [(keys[low], keys[high]) for low, high in links],
        {code: list(words) for code, words in labels.items() if words and code not in spellings},
        concepts=ids,
        annotations=Annotations(
            name=name or (scheme.name if scheme else "codes"),
            code_ids=True,
            aliases={"code without punctuation": {key: (code,) for key, code in keys.items() if key != code}}
            | ({"other spelling": {text: (code,) for text, code in spellings.items()}} if spellings else {}),
        ),
        path=path,
    )
    notes = list(taxonomy.notes)
    odd = [keys[key] for key in declared if scheme and key not in sections and len(key) not in lengths]
    if odd:
        many = "1 code has" if len(odd) == 1 else f"{len(odd):,} codes have"
        text = f"{many} a length that {scheme.name if scheme else ''} does not have: {join_some(sorted(odd))}"
        notes.append(Finding("T131", text, values=tuple(sorted(odd))))
    if added and lines:
        many = "1 group is" if len(added) == 1 else f"{len(added):,} groups are"
        text = f"{many} not declared in the file but added: {join_some(added)}"
        notes.append(Finding("T112", text, values=tuple(added)))
    return replace(taxonomy, notes=tuple(notes))


def _lengths(keys: Iterable[str]) -> tuple[int, ...]:
    """The lengths of the codes. If there is one, also every shorter one."""
    found = sorted(set(map(len, keys)))
    return tuple(found if len(found) > 1 else range(1, found[0] + 1))


def _chain(key: str, keys: dict[str, str], cuts: Sequence[int], scheme: Scheme | None) -> list[str]:
    """The keys from a code up to the top. Groups that are not in ``keys`` are added, spelt as the code's beginning."""
    if scheme and key in scheme.sections:
        return [key]
    at = character_positions(keys[key])
    chain = [key]
    for length in reversed(cuts):
        if length < len(chain[-1]):
            group = key[:length]
            keys.setdefault(group, keys[key][: at[length - 1] + 1])
            chain.append(group)
    if scheme:
        section = scheme.section_of.get(chain[-1])
        if section is not None:
            keys.setdefault(section, section)
            chain.append(section)
    return chain
