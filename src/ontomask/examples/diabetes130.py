"""Diabetes 130-US hospitals: 101,766 encounters with three ICD-9-CM diagnoses each. It is public (UCI, CC BY 4.0), but
too large to come with the package: give the path of the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ontomask.errors import TableError
from ontomask.kinds import Kind
from ontomask.microdata import Microdata, Nominal, Numeric
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
    """The encounters as `Microdata` over ICD-9-CM: some diagnoses to be masked, the other columns kept as they are.

    Parameters
    ----------
    path
        The file, as CSV (``.gz`` too).
    diagnoses
        Columns to be masked; all three, if none is named.
    others
        Further columns to be masked, with their attributes.
    confidential
        Columns whose values must not be attributable.
    person
        Whether k counts patients; else the patients' number is an identifier like any other.
    complete
        Records that lack any of these are left out.
    """
    import polars as pl

    # Codes are text: 038 is no number, and 250.10 is not 250.1.
    frame = pl.read_csv(path, infer_schema=False)
    absent = [name for name in (*DIAGNOSES, "encounter_id", "patient_nbr") if name not in frame.columns]
    if absent:
        raise TableError(f"{Path(path).name} is no table of diabetes130: it lacks the columns {', '.join(absent)}.")
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
