"""``Microaggregation(prefer=…)``: what each choice loses, and what intruders still find.

Adult comes with the package. diabetes130 is read from the folder that ONTOMASK_DATA names, and left out without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from sources import NO_DIABETES130, diabetes130_file
from timing import Report

import ontomask as om
from ontomask.examples import adult_data, diabetes130_data
from ontomask.examples.adult import full_adult_data
from ontomask.masking.microaggregation import Prefer

KS = (3, 5, 10)
# Values of k that reach the loss of the other choices.
LARGER = (7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320)
HEADS = ("L", "RL", "SRL", "linked by method", "recovered", "groups")


def tables() -> Iterator[tuple[str, om.Microdata]]:
    """The tables by name."""
    yield "Adult, occupation and country", adult_data()
    yield "Adult, 8 columns", full_adult_data()
    if file := diabetes130_file():
        yield "diabetes130, two diagnoses", diabetes130_data(file, "diag_1", "diag_2")
        three = diabetes130_data(file)
        every = three.frame.gather_every(4)
        kinds = {name: column.kind for name, column in three.quasi_identifiers.items()}
        yield (
            "diabetes130, three diagnoses, every 4th record",
            om.Microdata(every, kinds, identifiers=three.identifiers, other=three.other),
        )


def figures(data: om.Microdata, method: om.Microaggregation) -> list[float]:
    """Loss and risks in percent, and the number of groups."""
    result = method.mask(data, seed=0)
    score = om.evaluate(data, result)
    risks = (score.rl, score.srl, score.linked_by_method, score.recovered)
    return [score.loss_percent, *(float("nan") if risk is None else risk for risk in risks), len(result.data.table)]


def shown(found: list[float]) -> list[str]:
    """Figures as text."""
    return [*(f"{value:.2f}" for value in found[:-1]), f"{found[-1]:,.0f}"]


def main() -> None:
    """Measure and print."""
    report = Report("prefer", "Microaggregation: prefer loss, balance or risk")
    report.text(
        "L: loss in percent. RL: masked records linked by equality. SRL: originals linked to the nearest masked "
        "records. *Linked by method* and *recovered*: what an intruder who knows the method links, and guesses, in "
        "percent of all records. Loss must rise and each risk must fall from line to line of one k."
    )
    rows, against = [], []
    for title, data in tables():
        for k in KS:
            before: list[float] = []
            for prefer in get_args(Prefer):
                found = figures(data, om.Microaggregation(k, prefer=prefer))
                is_monotone = not before or (
                    found[0] > before[0] and all(new < old for new, old in zip(found[1:], before[1:], strict=True))
                )
                rows.append(
                    [title, f"{k}", prefer, *shown(found), "" if not before else "ok" if is_monotone else "MISSED"]
                )
                before = found
                if k == 5 and prefer != "loss":
                    against.append((title, data, prefer, found))
    report.table(["table", "k", "prefer", *HEADS, "in order"], rows)
    report.text(
        "A larger k also lowers the risk. The smallest k of the list 7, 10, 14, 20, 28, … that loses at least as much "
        "as `prefer` with k = 5, and what intruders find then."
    )
    compared = []
    for title, data, prefer, found in against:
        compared.append([title, f"k = 5, {prefer}", *shown(found)])
        for k in LARGER:
            larger = figures(data, om.Microaggregation(k))
            if larger[0] >= found[0]:
                compared.append([title, f"k = {k}, loss", *shown(larger)])
                break
    report.table(["table", "method", *HEADS], compared)
    if diabetes130_file() is None:
        report.text(NO_DIABETES130)
    report.close()


if __name__ == "__main__":
    main()
