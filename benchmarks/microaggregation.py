"""Microaggregation: time and memory on Adult, with anonypy's Mondrian in the same run, and on diabetes130."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anonymising import KS, as_tuples_grow, on_adult, on_large_tables
from sources import NO_DIABETES130, diabetes130_file
from timing import Report, best_of_each, duration, times

VARIANTS = ("refined", "sa_mdav", "sa_mdav_static", "mdav")


def methods(k: int) -> dict[str, Any]:
    """Every variant and configuration, by name."""
    from ontomask.masking.microaggregation import RELATED, Microaggregation

    found: dict[str, Any] = {variant: Microaggregation(k, variant=variant) for variant in VARIANTS}
    found["sa_mdav, ω in both"] = Microaggregation(k, variant="sa_mdav", weigh_closest=True)
    found["sa_mdav, no ω"] = Microaggregation(k, variant="sa_mdav", weigh_distant=False)
    found["sa_mdav, below k"] = Microaggregation(k, variant="sa_mdav", join="below_k")
    return found | {f"related: {name}": Microaggregation(k, **options) for name, options in RELATED.items()}


def on_large(table: str) -> list[tuple[str, bool]]:
    """What is measured on large tables: of the larger ones, the variants only."""
    return [(name, True) for name in (methods(5) if table == "two diagnoses" else VARIANTS)]


def main() -> None:
    """Measure and print."""
    report = Report("microaggregation", "Microaggregation")
    refined = on_adult(report, "microaggregation")["refined"]
    report.text(
        "anonypy's Mondrian on the same two columns, from the loaded frame to the generalised rows. It releases a "
        "group as the list of all its values, so the number of tuples left shows how coarse the output is."
    )
    report.table(["k", "anonypy", "refined", "ratio", "tuples left by anonypy", "by refined"], against_anonypy(refined))
    file = diabetes130_file()
    if file is None:
        report.text(NO_DIABETES130)
    else:
        on_large_tables(report, str(file), "microaggregation", on_large)
        as_tuples_grow(report, str(file), "microaggregation", VARIANTS)
    report.close()


def against_anonypy(refined: dict[str, float]) -> list[list[str]]:
    """The peer's times beside ours."""
    import ontomask as om
    from ontomask.examples import adult_data

    try:
        import anonypy
    except ImportError:
        return [["", "not measured: anonypy is not installed", "", "", "", ""]]
    import pandas as pd

    data = adult_data()
    names = list(data.quasi_identifiers)
    adult = om.load_adult()
    frame = pd.DataFrame({name: pd.Categorical(adult[name]) for name in names}).assign(
        secret=pd.Categorical(adult["salary-class"])
    )
    rows = []
    for k in KS:
        mondrian: dict[str, Callable[[], object]] = {
            "": lambda k=k: anonypy.Preserver(frame, names, "secret").anonymize_k_anonymity(k=k)
        }
        seconds = best_of_each(mondrian)[""]
        released = pd.DataFrame(anonypy.Preserver(frame, names, "secret").anonymize_k_anonymity(k=k))
        theirs = len({tuple(map(str, row)) for row in released[names].to_numpy()})
        ours = len(om.Microaggregation(k).mask(data).data.table)
        mine = refined[str(k)]
        rows.append([f"{k}", duration(seconds), duration(mine), times(seconds / mine), f"{theirs:,}", f"{ours:,}"])
    return rows


if __name__ == "__main__":
    main()
