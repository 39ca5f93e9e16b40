from __future__ import annotations

import pytest

from experiments.grouping.option_tables import ADULT, AGE, Table, at_k, clearly, less, less_in, pairs_table
from experiments.grouping.trials import Trials
from experiments.shared.findings import Spread
from ontomask.examples import adult_data


def trials(**losses: tuple[float, ...]) -> Trials:
    """Options at k = 2, 3, …; all with a standard deviation of 0.1 over three seeds."""
    return Trials(
        {
            (name, k): {"loss_percent": Spread(value, 0.1, 3), "srl": Spread(10 / value, 0.0, 1)}
            for name, values in losses.items()
            for k, value in enumerate(values, start=2)
        }
    )


# By k: less by more than the spreads, by less than these, equal, more.
FOUND = {ADULT: trials(one=(1.0, 1.0, 1.0, 1.2), other=(2.0, 1.15, 1.0, 1.0)), AGE: trials(one=(1.0,))}


def test_less():
    assert less(Spread(1, 9, 2), Spread(2, 9, 2))
    assert not less(Spread(0.1 + 0.2, 0, 1), Spread(0.3, 0, 1))
    assert not less(Spread(0.3, 0, 1), Spread(0.1 + 0.2, 0, 1))
    assert clearly(Spread(1, 0.4, 2), Spread(2, 0.4, 2))
    assert not clearly(Spread(1, 0.6, 2), Spread(2, 0.4, 2))


def test_cases_are_those_in_which_both_were_measured():
    assert less_in(FOUND, "one", "other") == {ADULT: [True, True, False, False]}
    assert less_in(FOUND, "one", "other", or_equal=True) == {ADULT: [True, True, True, False]}
    assert less_in(FOUND, "other", "one", measure="srl") == {ADULT: [True, True, False, False]}
    assert less_in(FOUND, "one", "another") == {}
    assert less_in(FOUND, "one", "other", "other")[ADULT] == 2 * [True, True, False, False]


def test_pairs():
    table = pairs_table(FOUND, [("one", "other"), ("one", "another")], {"loss_percent": "L", "srl": "SRL"})
    head, _, line, none = ([cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines())
    assert head == ["", "beside", "cases", "L less", "L more", "L, times", "SRL less", "SRL more", "SRL, times"]
    # Brackets only where seeds differ.
    assert line == ["one", "other", "4", "2 (1)", "1 (0)", "0.50 to 1.20", "1", "2", "0.83 to 2.00"]
    assert none == ["one", "another", "0", "0", "0", "—", "0", "0", "—"]


def test_one_seed_cannot_tell():
    one = Trials({(name, 2): {"loss_percent": Spread(loss, 0.0, 1)} for name, loss in (("one", 1.0), ("other", 2.0))})
    table = pairs_table({**FOUND, AGE: one}, [("one", "other")], {"loss_percent": "L"})
    assert [cell.strip() for cell in table.splitlines()[-1].split("|")][3:6] == ["5", "3 (1)", "1 (0)"]


def test_tables_tell_what_they_are():
    table = Table(ADULT, adult_data(), (2, 5), {}, range(3))
    assert table.description.endswith("30,162 records, 394 distinct tuples, 84 of them unique; seeds 0 to 2.")
    assert Table(ADULT, table.data, (2, 5), {}, (0,)).description.endswith("; seed 0.")
    assert (table.k, Table(ADULT, table.data, (2, 9), {}, (0,)).k) == (5, 2)


def test_figures_at_one_k():
    table = Table(ADULT, adult_data(), (2, 3), {}, (0,))
    lines = at_k(table, FOUND[ADULT], ["one"], {"loss_percent": ("L", 2)}).splitlines()
    assert lines[-1] == "| one   | 1.00 ± 0.10 |"
    with pytest.raises(KeyError):
        at_k(table, FOUND[ADULT], ["another"], {"loss_percent": ("L", 2)})
