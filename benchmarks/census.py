"""A made census extract: persons in households, as surveys of the labour force publish them, drawn at random.

`census` draws 199,000 records of 42 columns, the same for the same seed. Columns depend on each other as in real
extracts:

- Members of a household share its size, tenure, state, and where it was a year ago.
- The role in the household follows from who else lives there, age and marital status from the role.
- Education follows from age, occupation from education, industry from occupation, wage and income from all of them.
- Occupation, industry, household role, state and country of birth are detailed; another column has the major group.
- A question that does not concern a person is answered "Not in universe": children have no occupation, for example.
- Most answers to yes/no questions are the same, and most amounts of money are 0.
- The weight is the number of persons that a record stands for.

`census_data` gives the columns their roles. No record is about a real person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ontomask as om

__all__ = ["QUASI_IDENTIFIERS", "RECORDS", "census", "census_data"]

RECORDS = 199_000
NOT_ASKED = "Not in universe"

QUASI_IDENTIFIERS = (
    "age",
    "sex",
    "race",
    "education",
    "marital_status",
    "household_role",
    "birth_country",
    "citizenship",
    "state",
    "work_class",
    "industry",
    "occupation",
    "weeks_worked",
    "veteran",
)
CONFIDENTIAL = ("income",)
OTHER = ("weight", "capital_gains", "capital_losses", "dividends")

Groups = Mapping[str, Sequence[str]]


def _numbered(prefix: str, sizes: Mapping[str, int]) -> dict[str, list[str]]:
    """Codes such as ``O07``, counted through all groups."""
    number = iter(range(1, sum(sizes.values()) + 1))
    return {group: [f"{prefix}{next(number):02}" for _ in range(size)] for group, size in sizes.items()}


RACE: Groups = dict.fromkeys(("White", "Black", "Asian", "American Indian", "Other race"), ())
SEX: Groups = {"Female": (), "Male": ()}
YES_NO: Groups = {"Yes": (), "No": (), NOT_ASKED: ()}
ROLE: Groups = {
    "Householder": ("Householder of a family", "Householder alone", "Householder with others"),
    "Spouse": ("Spouse of householder",),
    "Child": ("Child under 18", "Child 18 or older"),
    "Relative": ("Parent", "Brother or sister", "Grandchild", "Other relative"),
    "Not related": ("Partner", "Roommate", "Lodger"),
}
MARITAL: Groups = {
    "Married": ("Spouse present", "Spouse absent"),
    "Was married": ("Divorced", "Separated", "Widowed"),
    "Never married": (),
}
COUNTRY: Groups = {
    "North America": ("United States", "Mexico", "Canada"),
    "Caribbean": ("Puerto Rico", "Cuba", "Dominican Republic", "Jamaica", "Haiti"),
    "Europe": ("Germany", "England", "Italy", "Poland", "Portugal", "Ireland", "Greece", "France", "Hungary"),
    "Asia": ("Philippines", "India", "China", "South Korea", "Vietnam", "Japan", "Iran", "Laos", "Cambodia"),
    "Latin America": ("El Salvador", "Colombia", "Guatemala", "Ecuador", "Peru", "Honduras", "Nicaragua", "Panama"),
}
CITIZENSHIP: Groups = {
    "Native": ("Born here", "Born abroad of citizens"),
    "Foreign born": ("Naturalised", "Not a citizen"),
}
STATE: Groups = _numbered("S", {"South": 17, "West": 13, "Midwest": 12, "Northeast": 9})
WORK_CLASS: Groups = {
    "Employee": ("Private", "Local government", "State government", "Federal government"),
    "Self-employed": ("Not incorporated", "Incorporated"),
    "Without pay": (),
    NOT_ASKED: (),
}
EDUCATION = (
    "Child",
    "Below grade 5",
    "Grades 5 to 8",
    "Grade 9",
    "Grade 10",
    "Grade 11",
    "Grade 12",
    "High school",
    "Some college",
    "Vocational degree",
    "Associate degree",
    "Bachelor",
    "Master",
    "Professional school",
    "Doctorate",
)
# By major occupation: the number of detailed ones, the usual level of education, and two major industries.
_OCCUPATIONS: Mapping[str, tuple[int, int, tuple[str, str]]] = {
    "Managers": (3, 11, ("Finance", "Retail")),
    "Professionals": (9, 12, ("Health", "Schools")),
    "Technicians": (3, 10, ("Health", "Durable goods")),
    "Sales": (4, 9, ("Retail", "Wholesale")),
    "Clerks": (5, 8, ("Finance", "Public administration")),
    "Household service": (1, 4, ("Personal service", "Personal service")),
    "Protective service": (2, 8, ("Public administration", "Business service")),
    "Other service": (5, 6, ("Retail", "Health")),
    "Craft and repair": (4, 7, ("Construction", "Durable goods")),
    "Machine operators": (3, 6, ("Durable goods", "Nondurable goods")),
    "Drivers": (2, 7, ("Transport and utilities", "Wholesale")),
    "Labourers": (3, 5, ("Nondurable goods", "Construction")),
    "Farming": (3, 5, ("Agriculture", "Mining")),
}
_INDUSTRIES = {
    "Agriculture": 2,
    "Mining": 1,
    "Construction": 1,
    "Durable goods": 13,
    "Nondurable goods": 11,
    "Transport and utilities": 4,
    "Wholesale": 1,
    "Retail": 1,
    "Finance": 2,
    "Business service": 2,
    "Personal service": 2,
    "Health": 2,
    "Schools": 1,
    "Public administration": 4,
}
OCCUPATION: Groups = {**_numbered("O", {name: size for name, (size, *_) in _OCCUPATIONS.items()}), NOT_ASKED: ()}
INDUSTRY: Groups = {**_numbered("I", _INDUSTRIES), NOT_ASKED: ()}

Cells = NDArray[Any]


def census(records: int = RECORDS, *, seed: int = 0) -> pl.DataFrame:
    """Draw the table."""
    rng = np.random.default_rng(seed)
    home = _homes(rng, records)
    person = _persons(rng, home)
    work = _work(rng, person)
    level = person.pop("level")
    busy = work["weeks_worked"] > 0
    chance = 1 / (1 + np.exp(8.5 - 0.45 * level - 0.03 * np.minimum(home["age"], 60) - 0.02 * work["weeks_worked"]))
    money = {
        name: _amounts(rng, share * (0.1 + level / 14) * (home["age"] > 17), size)
        for name, share, size in (("capital_gains", 0.06, 8), ("capital_losses", 0.03, 7), ("dividends", 0.16, 6))
    }
    columns = home | person | work | money
    columns["tax_filer"] = np.where(
        busy | (home["age"] > 24), np.where(person["marital_status"] == "Spouse present", "Joint", "Single"), "Nonfiler"
    )
    columns["weight"] = rng.lognormal(7.4, 0.45, records).round(2)
    columns["year"] = 2001 + rng.integers(0, 2, records)
    columns["income"] = np.where(busy & (rng.random(records) < chance), "50000 or more", "Below 50000")
    return pl.DataFrame({name: cells.tolist() for name, cells in columns.items()})


def census_data(frame: pl.DataFrame, columns: int = len(QUASI_IDENTIFIERS)) -> om.Microdata:
    """The table with its roles. The first quasi-identifiers are masked; columns without a role here are removed."""
    kinds: dict[str, Any] = {
        "age": om.Numeric(),
        "weeks_worked": om.Numeric(),
        "education": om.Ordinal(EDUCATION),
        "sex": _nominal(SEX),
        "race": _nominal(RACE),
        "marital_status": _nominal(MARITAL),
        "household_role": _nominal(ROLE),
        "birth_country": _nominal(COUNTRY),
        "citizenship": _nominal(CITIZENSHIP),
        "state": _nominal(STATE),
        "work_class": _nominal(WORK_CLASS),
        "industry": _nominal(INDUSTRY),
        "occupation": _nominal(OCCUPATION),
        "veteran": _nominal(YES_NO),
    }
    masked = {name: kinds[name] for name in QUASI_IDENTIFIERS[:columns]}
    removed = [name for name in frame.columns if name not in (*masked, *CONFIDENTIAL, *OTHER)]
    return om.Microdata(frame, masked, identifiers=removed, confidential=CONFIDENTIAL, other=OTHER)


def _nominal(groups: Groups) -> om.Nominal:
    links = [(value, group) for group, values in groups.items() for value in values]
    return om.Nominal(om.Taxonomy.from_edges([*links, *((group, "Any") for group in groups)]), "path")


def _draw(rng: np.random.Generator, values: Sequence[str], weights: Sequence[float], number: int) -> Cells:
    return np.array(values, dtype=object)[rng.choice(len(values), number, p=np.array(weights) / np.sum(weights))]


def _detailed(rng: np.random.Generator, groups: Groups, major: Cells) -> Cells:
    """For each major group one of its detailed values, the first most often."""
    detailed = major.copy()
    for group, values in groups.items():
        rows = np.flatnonzero(major == group)
        if values:
            detailed[rows] = _draw(rng, values, 1 / np.arange(1.0, len(values) + 1), len(rows))
    return detailed


def _major(groups: Groups, detailed: Cells) -> Cells:
    of = {value: group for group, values in groups.items() for value in values} | {group: group for group in groups}
    return np.array([of[value] for value in detailed.tolist()], dtype=object)


def _yes_no(asked: NDArray[np.bool_], yes: NDArray[np.bool_]) -> Cells:
    return np.where(asked, np.where(yes, "Yes", "No"), NOT_ASKED).astype(object)


def _amounts(rng: np.random.Generator, chance: NDArray[np.float64], size: float) -> NDArray[np.int64]:
    amounts = rng.lognormal(size, 1.0, len(chance)).astype(np.int64)
    return np.where(rng.random(len(chance)) < chance, amounts, 0)


def _homes(rng: np.random.Generator, records: int) -> dict[str, Cells]:
    """Households with their members: who lives there, and what they share."""
    # Per household: a spouse, children, others. One in four persons lives alone.
    has_spouse = rng.random(records) < 0.55
    children = np.where(rng.random(records) < 0.4, rng.choice([1, 2, 3, 4], records, p=[0.4, 0.38, 0.16, 0.06]), 0)
    others = np.where(rng.random(records) < 0.12, rng.choice([1, 2], records, p=[0.8, 0.2]), 0)
    size = 1 + has_spouse + children + others
    homes = int(np.searchsorted(np.cumsum(size), records)) + 1
    of = np.repeat(np.arange(homes), size[:homes])[:records]
    place = np.arange(records) - np.concatenate([[0], np.cumsum(size)])[of]
    is_child = (place > has_spouse[of]) & (place <= has_spouse[of] + children[of])

    head_age = np.where(children > 0, rng.normal(38, 8, records), rng.normal(52, 18, records)).clip(18, 90)[of]
    gap = rng.normal(0, 4, records)
    child_age = rng.random(records) * (head_age - 17).clip(1, 30)
    other_age = rng.choice([head_age.mean(), 8, 70], records, p=[0.6, 0.2, 0.2]) + rng.normal(0, 8, records)
    age = np.select([place == 0, is_child, place <= has_spouse[of]], [head_age, child_age, head_age + gap], other_age)
    age = age.clip(np.where(is_child | (place > 1), 0, 17), 90).astype(np.int64)

    alone = size[of] == 1
    family = (has_spouse | (children > 0))[of]
    other_role = np.select(
        [age < 15, age > 62],
        [_draw(rng, ("Grandchild", "Other relative"), (3, 1), records), np.full(records, "Parent", dtype=object)],
        _draw(rng, ("Brother or sister", "Partner", "Roommate", "Lodger", "Other relative"), (3, 6, 4, 1, 2), records),
    )
    head = np.where(alone, "Householder alone", np.where(family, "Householder of a family", "Householder with others"))
    child = np.where(age < 18, "Child under 18", "Child 18 or older")
    is_spouse = (place == 1) & has_spouse[of]
    role = np.select([place == 0, is_spouse, is_child], [head, "Spouse of householder", child], other_role).astype(
        object
    )

    state = _detailed(rng, STATE, _draw(rng, tuple(STATE), (35, 22, 24, 19), homes))
    moved = rng.random(homes) < 0.17
    before = np.where(
        rng.random(homes) < 0.25, _detailed(rng, STATE, _draw(rng, tuple(STATE), (4, 3, 2, 2), homes)), state
    )
    before = np.where(moved, before, NOT_ASKED).astype(object)
    where = np.select(
        [~moved, before == state, _major(STATE, state) == _major({**STATE, NOT_ASKED: ()}, before)],
        ["Not moved", "Same state", "Same region"],
        "Other region",
    ).astype(object)
    tenure = _draw(rng, ("Owned", "Rented", "Free"), (64, 34, 2), homes)
    shared = {
        "state": state,
        "region": _major(STATE, state),
        "tenure": tenure,
        "previous_state": before,
        "previous_region": _major({**STATE, NOT_ASKED: ()}, before),
        "move": where,
    }
    found = {name: cells[of] for name, cells in shared.items()}
    under_18 = np.bincount(of, weights=age < 18, minlength=homes)[of].astype(np.int64)
    return {
        "age": age,
        "household_role": role,
        "household_group": _major(ROLE, role),
        "household_size": size[of],
        "children_at_home": under_18,
        "parents": np.where(age < 18, np.where(has_spouse[of], "Both", "One"), NOT_ASKED).astype(object),
        **found,
    }


def _persons(rng: np.random.Generator, home: Mapping[str, Cells]) -> dict[str, Cells]:
    """What a person is: sex, origin, education, marital status; ``level`` is the number of the education."""
    age, role = home["age"], home["household_role"]
    n = len(age)
    sex = np.where(rng.random(n) < np.where(role == "Spouse of householder", 0.85, 0.45), "Female", "Male").astype(
        object
    )
    race = _draw(rng, tuple(RACE), (84, 10, 3.5, 1.2, 1.3), n)
    foreign = rng.random(n) < np.where(race == "Asian", 0.6, np.where(race == "Other race", 0.5, 0.08))
    abroad = _detailed(rng, COUNTRY, _draw(rng, tuple(COUNTRY), (30, 14, 20, 21, 15), n))
    birth = np.where(foreign, np.where(abroad == "United States", "Mexico", abroad), "United States").astype(object)
    parents = {
        f"{who}_birth_country": np.where(rng.random(n) < 0.92, birth, abroad).astype(object)
        for who in ("father", "mother")
    }
    citizen = np.select(
        [birth != "United States"],
        [_draw(rng, ("Not a citizen", "Naturalised", "Born abroad of citizens"), (55, 36, 9), n)],
        "Born here",
    ).astype(object)

    usual = rng.choice(
        [1, 2, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14], n, p=[2, 6, 5, 5, 35, 20, 4, 4, 13, 4, 1, 1] / np.float64(100)
    )
    reached = np.select([age < 15, age < 18, age < 22], [0, age - 12, 8], 14)
    level = np.minimum(usual, reached)
    enrolled = np.select(
        [age < 16, (age < 25) & (rng.random(n) < 0.4)], [NOT_ASKED, np.where(age < 18, "School", "College")], "No"
    )

    married = np.isin(role, ("Spouse of householder", "Householder of a family")) & (rng.random(n) < 0.85)
    was = rng.random(n) < ((age - 22) / 80).clip(0, 0.75)
    widowed = rng.random(n) < ((age - 50) / 60).clip(0, 0.8)
    status = np.select(
        [
            (age < 15) | ~(married | (role == "Spouse of householder") | was),
            role == "Spouse of householder",
            married,
            widowed,
        ],
        ["Never married", "Spouse present", "Spouse present", "Widowed"],
        _draw(rng, ("Divorced", "Separated", "Spouse absent"), (7, 2, 1), n),
    ).astype(object)
    soldier = (age > 18) & (rng.random(n) < np.where(sex == "Male", (age / 180).clip(0, 0.4), 0.01))
    return {
        "sex": sex,
        "race": race,
        "birth_country": birth,
        **parents,
        "citizenship": citizen,
        "education": np.array(EDUCATION, dtype=object)[level],
        "level": level,
        "enrolled": enrolled.astype(object),
        "marital_status": status,
        "veteran": _yes_no(age > 16, soldier),
        "veteran_benefits": _yes_no(soldier, rng.random(n) < 0.2),
        "age_": age,
    }


def _work(rng: np.random.Generator, person: dict[str, Cells]) -> dict[str, Cells]:
    """Occupation, industry and how much a person works."""
    age, level = person.pop("age_"), person["level"]
    n = len(age)
    works = (age > 15) & (rng.random(n) < np.select([age < 20, age < 60, age < 66], [0.45, 0.8, 0.5], 0.1))
    names = np.array(tuple(_OCCUPATIONS), dtype=object)
    usual = np.array([level for _, level, _ in _OCCUPATIONS.values()])
    # The nearer the usual education, the likelier; with noise.
    away = np.abs(level[:, None] - usual + rng.normal(0, 2.2, (n, len(usual))))
    major = np.where(works, names[away.argmin(axis=1)], NOT_ASKED).astype(object)
    occupation = _detailed(rng, OCCUPATION, major)
    pairs = {name: pair for name, (_, _, pair) in _OCCUPATIONS.items()} | {NOT_ASKED: (NOT_ASKED, NOT_ASKED)}
    first = rng.random(n) < 0.6
    own = np.array(
        [pairs[name][0 if one else 1] for name, one in zip(major.tolist(), first.tolist(), strict=True)], dtype=object
    )
    anywhere = _draw(rng, tuple(_INDUSTRIES), 1 / np.arange(3.0, len(_INDUSTRIES) + 3), n)
    industry_group = np.where(works & (rng.random(n) < 0.3), anywhere, own).astype(object)
    industry = _detailed(rng, INDUSTRY, industry_group)
    public = np.isin(industry_group, ("Public administration", "Schools"))
    kind = _draw(rng, ("Private", "Not incorporated", "Incorporated", "Without pay"), (84, 11, 4, 0.4), n)
    paid_by = _draw(rng, WORK_CLASS["Employee"], (20, 42, 20, 18), n)
    weeks = np.where(rng.random(n) < 0.72, 52, rng.integers(1, 52, n))
    full_time = rng.random(n) < 0.8
    hourly = works & (rng.random(n) < 0.12)
    unemployed = works & (rng.random(n) < 0.04)
    why = _draw(rng, ("Lost job", "Left job", "Re-entrant", "New entrant"), (45, 12, 35, 8), n)
    return {
        "work_class": np.where(works, np.where(public, paid_by, kind), NOT_ASKED).astype(object),
        "industry": industry,
        "industry_group": industry_group,
        "occupation": occupation,
        "occupation_group": major,
        "employer_size": np.where(works, rng.choice(6, n, p=[0.22, 0.14, 0.12, 0.16, 0.08, 0.28]) + 1, 0),
        "full_time": np.where(works, np.where(full_time, "Full time", "Part time"), NOT_ASKED).astype(object),
        "weeks_worked": np.where(works, weeks, 0),
        "wage_per_hour": np.where(hourly, rng.lognormal(6.7, 0.4, n) * (0.6 + level / 14), 0).astype(np.int64),
        "union": _yes_no(hourly, rng.random(n) < 0.15),
        "unemployment": np.where(unemployed, why, NOT_ASKED).astype(object),
        "own_business": _yes_no(works, rng.random(n) < 0.09),
    }
