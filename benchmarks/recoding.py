"""Recoding and resampling: time and memory on Adult and, where its folder is given, on diabetes130."""

from __future__ import annotations

from typing import Any

from anonymising import as_tuples_grow, on_adult, on_large_tables
from sources import NO_DIABETES130, diabetes130_file
from timing import Report


def methods(k: int) -> dict[str, Any]:
    """One of each kind, by name."""
    from ontomask.masking.recoding import CRITERIA, Recoding
    from ontomask.masking.resampling import SETTINGS, HeerResampling, Resampling

    found: dict[str, Any] = {f"recoding, {criterion}": Recoding(k, criterion=criterion) for criterion in CRITERIA}
    found["recoding, at once"] = Recoding(k, sequential=False)
    found["recoding, in turn"] = Recoding(k, sequential=True)
    found["recoding, ω"] = Recoding(k, weighted=True)
    found |= {f"resampling, setting {number}": Resampling(k, **options) for number, options in SETTINGS.items()}
    found["resampling, ties at random"] = Resampling(k, ties="random")
    found["resampling, each sample's own reference"] = Resampling(k, reference="sample")
    found["Heer's resampling, 5 samples"] = HeerResampling(5)
    return found


def on_large(table: str) -> list[tuple[str, bool]]:  # noqa: ARG001
    """What is measured on large tables; resampling has no bar."""
    names = ("recoding, semantic", "recoding, at once", "recoding, in turn", "resampling, setting 4")
    return [(name, name.startswith("recoding")) for name in names]


def main() -> None:
    """Measure and print."""
    report = Report("recoding", "Recoding and resampling")
    on_adult(report, "recoding")
    file = diabetes130_file()
    if file is None:
        report.text(NO_DIABETES130)
    else:
        on_large_tables(report, str(file), "recoding", on_large)
        as_tuples_grow(
            report, str(file), "recoding", ("recoding, at once", "recoding, in turn", "resampling, setting 4")
        )
    report.close()


if __name__ == "__main__":
    main()
