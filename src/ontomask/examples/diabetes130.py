"""Diabetes 130-US hospitals: 101,766 encounters with three ICD-9-CM diagnoses each.

The data are public (UCI, CC BY 4.0) but too large for the package: give the path of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ontomask.errors import TableError
from ontomask.kinds import Kind, Nominal, Numeric
from ontomask.microdata import Microdata
from ontomask.taxonomy.embedded import load_icd9cm

__all__ = ["DIAGNOSES", "diabetes130_data"]

DIAGNOSES = ("diag_1", "diag_2", "diag_3")


def diabetes130_data(
    path: str | Path,
    *diagnoses: str,
    others: dict[str, Kind] | None = None,
    confidential: Sequence[str] = (),
    person: bool = False,
    complete: Sequence[str] = DIAGNOSES,
) -> Microdata:
    """The encounters as `Microdata` with ICD-9-CM: some diagnoses to mask, the other columns kept unchanged.

    Parameters
    ----------
    path
        The CSV file (also ``.gz``).
    diagnoses
        Columns to mask; all three by default.
    others
        Other columns to mask, with their attributes.
    confidential
        Confidential columns.
    person
        Whether k counts patients; otherwise the patient number is an ordinary identifier.
    complete
        Columns without missing cells: records that lack any of these are dropped.
    """
    import polars as pl

    # Codes must stay text: 038 is not 38, and 250.10 is not 250.1.
    frame = pl.read_csv(path, infer_schema=False)
    absent = [name for name in (*DIAGNOSES, "encounter_id", "patient_nbr") if name not in frame.columns]
    if absent:
        text = f"This is not the diabetes130 table: it lacks the columns {', '.join(absent)}. Give its CSV file."
        raise TableError(text, path=path, values=absent, code="no-column")
    frame = frame.filter(pl.all_horizontal(pl.col(name) != "?" for name in complete))
    numeric = [name for name, kind in (others or {}).items() if isinstance(kind, Numeric)]
    frame = frame.with_columns(pl.col(name).cast(pl.Int64) for name in numeric)
    icd9 = load_icd9cm()
    masked: dict[str, Kind] = {name: Nominal(icd9, domain=icd9.root) for name in diagnoses or DIAGNOSES}
    masked |= others or {}
    identifiers = ["encounter_id", "patient_nbr"]
    kept = [name for name in frame.columns if name not in (*masked, *identifiers, *confidential)]
    return Microdata(
        frame,
        masked,
        identifiers=identifiers,
        person="patient_nbr" if person else None,
        confidential=confidential,
        other=kept,
    )
