"""The mapping file: every value of some columns with its concept and suggestions, to be edited in a spreadsheet.

The file holds original values, also rare ones, so it is private: only its owner may read it.

A spreadsheet runs a cell that begins with ``=`` as a formula and turns ``250.10`` into 250.1 and ``SEPT1`` into a date.
So a cell that is not plainly a word has an apostrophe in front, which makes it text. A spreadsheet may also split rows
at semicolons (in German, for example), so a sign of a formula after one has an apostrophe too. Reading removes them.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ontomask.base.atomic import save_atomic
from ontomask.errors import MappingError, ReadError
from ontomask.mapping.decisions import ACCEPTED, Decided, Decisions
from ontomask.mapping.report import ColumnMapping, ValueMapping
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.readers.source import DELIMITERS, peek, rows

__all__ = ["accept_suggestions", "is_decision_file", "read_decisions", "write_decisions"]

_SUGGESTED = 3
_SUGGESTION_COLUMNS = tuple(
    f"{what}_{i}" for i in range(1, _SUGGESTED + 1) for what in ("suggestion", "suggestion_label", "suggestion_score")
)
_COLUMNS = (
    *("column", "value", "count", "concept", "label", "rule", "score", "note", "parents", "other_senses"),
    *_SUGGESTION_COLUMNS,
    "described",
)
_NEEDED = ("column", "value", "concept")
_BETWEEN = " | "
# A spreadsheet leaves words alone: no digits, nothing that begins with a sign, no TRUE or FALSE of any language.
_TRUTH = "true|false|wahr|falsch|vrai|faux|verdadero|falso|vero"
_PLAIN = re.compile(rf"(?!(?:{_TRUTH})$)[^\W\d_](?:[^\d\t\r\n]*[^\W\d_.])?", re.IGNORECASE)
# What another delimiter would make the beginning of a cell, and the sign of a formula there.
_INNER = re.compile(r"""([;\t\r\n|]["' ]*)(?=[=+\-@])""")
_ESCAPED = re.compile(r"""([;\t\r\n|]["' ]*)'(?=[=+\-@])""")


def _escape(text: str) -> str:
    text = _INNER.sub(r"\1'", text)
    return text if not text or _PLAIN.fullmatch(text) else f"'{text}"


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text.removeprefix("'"))


def accept_suggestions(mapped: ColumnMapping, score: float) -> ColumnMapping:
    """The mapping in which unmapped values take their best suggestion, if its score is high enough.

    A suggestion is not taken if another one has the same score.
    """
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 < score <= 1:
        raise MappingError(
            f"The score to accept must be a number above 0 and at most 1. Got {score!r} instead.", parameter="accept"
        )
    return replace(mapped, values=tuple(_accept(value, score) for value in mapped.values))


def _accept(value: ValueMapping, score: float) -> ValueMapping:
    if value.concept is not None or not value.suggestions or value.reason:
        return value
    best, *others = value.suggestions
    if best.score < score or any(other.score == best.score for other in others):
        return value
    label = best.label
    return replace(value, concept=best.concept, rule=ACCEPTED, label=label, suggestions=(), score=best.score)


def write_decisions(path: str | Path, report: Iterable[ColumnMapping], taxonomies: Mapping[str, Taxonomy]) -> int:
    """Write a mapping file, readable only by its owner. Returns the number of values.

    Parameters
    ----------
    path
        The CSV file. It holds original values, also rare ones: do not share it.
    report
        The mappings of columns. Those without a taxonomy are left out.
    taxonomies
        The taxonomy of each column.

    Examples
    --------
    >>> import ontomask as om, tempfile
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> mapped = om.map_values(["ache", "colics", "tired"], t, column="complaint")
    >>> file = Path(tempfile.mkdtemp()) / "mapping.csv"
    >>> om.write_decisions(file, [mapped], {"complaint": t})
    3
    >>> dict(om.read_decisions(file, "complaint"))
    {'ache': 'ache', 'colics': 'colic'}
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, _COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    number = 0
    for mapped in report:
        taxonomy = taxonomies.get(mapped.column)
        for value in mapped.values if taxonomy is not None else ():
            assert taxonomy is not None
            writer.writerow(_row(mapped.column, value, taxonomy))
            number += 1
    # Spreadsheets recognise UTF-8 by the mark at its beginning.
    save_atomic(Path(path), b"\xef\xbb\xbf" + text.getvalue().encode(), MappingError, mode=0o600)
    return number


def _row(column: str, value: ValueMapping, taxonomy: Taxonomy) -> dict[str, str]:
    row = {
        "column": column,
        "value": value.value,
        "concept": value.concept or "",
        "rule": value.rule,
        "note": value.note,
        "other_senses": _BETWEEN.join(value.senses_not_taken),
    }
    if value.concept is not None:
        row |= {"label": taxonomy.label(value.concept), "described": value.concept}
        row["parents"] = _BETWEEN.join(taxonomy.parents(value.concept))
    for i, near in enumerate(value.suggestions[:_SUGGESTED], start=1):
        row |= {f"suggestion_{i}": near.concept, f"suggestion_label_{i}": near.label}
    row = {key: _escape(text) for key, text in row.items()}
    row |= {"count": str(value.count), "score": "" if value.score is None else f"{value.score:.3f}"}
    return row | {
        f"suggestion_score_{i}": f"{near.score:.3f}" for i, near in enumerate(value.suggestions[:_SUGGESTED], start=1)
    }


def is_decision_file(path: Path) -> bool:
    """Whether a file is a mapping file of this package, by its header."""
    head = _header(path) if path.is_file() else ""
    names = [cell.strip().casefold() for cell in next(csv.reader([head], delimiter=_delimiter(head)), [])]
    return set(_NEEDED) <= set(names)


def _header(path: Path) -> str:
    return re.split(r"[\r\n]", peek(path), maxsplit=1)[0]


def _delimiter(header: str) -> str:
    """The delimiter of a file. Only the header tells it: values may hold any character."""
    return max(DELIMITERS, key=header.count)


def read_decisions(path: str | Path, column: str) -> Decisions:
    """Read the decisions about one column from a mapping file. Rows without a concept are undecided and left out.

    A person may have typed another concept: an id, or a label with or without a sense.
    """
    path = Path(path)
    decided: dict[str, Decided] = {}
    names: list[str] = []
    for line, raw in rows(path, _delimiter(_header(path))):
        cells = [cell.strip() for cell in raw]
        if not names:
            names = [cell.casefold() for cell in cells]
            missing = [name for name in _NEEDED if name not in names]
            if missing:
                text = f"The header of a mapping file has no column {missing[0]!r}. Write the file again."
                raise ReadError(text, path=path, line=line, column=missing[0], code="no-column")
            continue
        row = {name: _unescape(cell) for name, cell in zip(names, cells, strict=False)}
        if row.get("column") != column.strip() or not row.get("concept"):
            continue
        value, one = row["value"], _decided(path, line, row)
        if decided.setdefault(value, one).concept != one.concept:
            # The value may be rare, so the message does not quote it.
            text = "The value of this row has another concept in a row above. Keep one of them."
            raise ReadError(text, path=path, line=line, values=[value], code="two-concepts")
    return Decisions(decided, path)


def _decided(path: Path, line: int, row: Mapping[str, str]) -> Decided:
    concept = row["concept"]
    if not row.get("value"):
        raise ReadError("The row has a concept but no value. Give one.", path=path, line=line, code="no-value")
    if concept != row.get("described"):
        return Decided(concept, line=line)  # somebody typed it
    parents = tuple(filter(None, row.get("parents", "").split(_BETWEEN)))
    return Decided(concept, _score(path, line, row), row.get("label") or concept, parents, line)


def _score(path: Path, line: int, row: Mapping[str, str]) -> float | None:
    """The score of an accepted suggestion. Somebody who has checked it writes another rule, or none."""
    if row.get("rule", "").casefold() != ACCEPTED:
        return None
    try:
        score = float(row.get("score", "").replace(",", "."))
    except ValueError:
        score = math.nan
    if not 0 <= score <= 1:
        text = f"The rule is {ACCEPTED!r}, but the score is not a number from 0 to 1. Remove the rule, or correct it."
        raise ReadError(text, path=path, line=line, column="score", code="score")
    return score
