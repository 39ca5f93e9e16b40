"""ICD-10-CM from the package ``simple-icd-10-cm`` (extra ``icd``): every code of its current release.

Inner nodes are the chapters (``Chapter 4``) and the blocks (``E08-E13``). The package names a chapter by its number,
which in a table is more likely to be data. It names 39 blocks by their only category (``B20``). They are ``B20-B20``
here, as in ICD-9-CM.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from importlib import import_module
from types import ModuleType

from ontomask.base.progress import progress
from ontomask.errors import MissingExtraError
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy

__all__ = ["load_icd10cm"]

_ROOT = "ICD-10-CM"
_LICENCE = (
    "ICD-10-CM is maintained by NCHS and CMS for the US government and is free to use; "
    "it is a modification of ICD-10, © World Health Organization."
)
_RANGE = re.compile(r" \(\w{3}(-\w{3})?\)$")
# Some inclusion terms are not names but advice to coders.
_ADVICE = re.compile(r"\b(codes?|coded|for use|to be used)\b", re.IGNORECASE)


@cache
@progress("Reading ICD-10-CM")
def load_icd10cm() -> Taxonomy:
    """ICD-10-CM with its chapters and blocks. Ids have the dot (``E11.9``), aliases do not (``E119``).

    The labels are the official description and the inclusion terms. The first call takes some seconds, because the
    package parses the XML release. The result is cached.

    >>> icd = load_icd10cm()
    >>> icd.label("E11.9"), icd.parents("E11.9"), icd.find_alias("E119")
    ('Type 2 diabetes mellitus without complications', ('E11',), ('undotted code', ['E11.9']))
    >>> icd.parents("B20"), icd.parents("B20-B20"), icd.label("Chapter 1")
    (('B20-B20',), ('Chapter 1',), 'Certain infectious and parasitic diseases')
    """
    source = _package()
    links: list[tuple[str, str]] = []
    labels: dict[str, list[str]] = {_ROOT: ["ICD-10-CM diagnoses"]}
    # A block comes before its categories. If both have the same name, the first is the block.
    for code in source.get_all_codes(True):
        block = source.is_block(code) and _block(code) not in labels
        concept = _chapter(code) if source.is_chapter(code) else _block(code) if block else code
        links.append((concept, _parent(source, code, block)))
        labels[concept] = _labels(source, code, block)
    return Taxonomy.from_edges(
        links,
        labels,
        concepts=list(labels),
        annotations=Annotations(
            name="ICD-10-CM",
            licence=_LICENCE,
            code_ids=True,
            aliases={"undotted code": {c.replace(".", ""): (c,) for c in labels if "." in c}},
        ),
    )


def _package() -> ModuleType:
    try:
        with warnings.catch_warnings():
            # The package uses functions of importlib that are deprecated in some versions of Python.
            warnings.simplefilter("ignore", DeprecationWarning)
            return import_module("simple_icd_10_cm")
    except ImportError:
        raise MissingExtraError("ICD-10-CM", "icd") from None


def _chapter(number: str) -> str:
    return f"Chapter {number}"


def _block(name: str) -> str:
    return name if "-" in name else f"{name}-{name}"


def _parent(source: ModuleType, code: str, block: bool) -> str:
    parent: str = source.get_parent(code, prioritize_blocks=block)
    if block:
        return _chapter(parent)
    if source.is_category(code):
        return _block(parent)
    return parent or _ROOT


def _labels(source: ModuleType, code: str, block: bool) -> list[str]:
    """The description and the inclusion terms.

    The range after the name of a chapter or block is removed, and the note that the package adds after ``/`` to the
    meaning of some seventh characters.
    """
    name: str = source.get_description(code, prioritize_blocks=block)
    if block or source.is_chapter(code):
        name = _RANGE.sub("", name)
    elif source.is_extended_subcategory(code):
        stem = source.get_description(source.get_parent(code))
        name = stem + name.removeprefix(stem).partition("/")[0]
    terms = source.get_inclusion_term(code, prioritize_blocks=block)
    names = [name, *(term for term in terms if not _ADVICE.search(term))]
    return [" ".join(text.split()) for text in names]
