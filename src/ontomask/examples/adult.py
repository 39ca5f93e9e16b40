"""The Adult census: two mappings to WordNet, and groups of values for the other columns.

`TABLE_12` is the mapping of Martínez 2012, Table 12, as printed, for reproducing the thesis. It has no concept for
``Trinadad&Tobago``, and maps *Columbia* to a river, *South* to a part of the United States, *Sales* to an amount of
money and *cleaner* to a cleansing agent. The common subsumer of the occupations is then *entity*.

`MAPPING` is the default. *person* subsumes all occupations, and *district* ("a region marked off for administrative or
other purposes") all countries, so only kinds of persons and districts can be released.

`GROUPS` and `EDUCATION` describe columns that do not fit WordNet, where *private* is a soldier and *other* is unknown.
`LINKS` are the groups as links of a taxonomy. With them, all eight columns that others may know about a person can be
masked: see `full_adult_data`.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from ontomask.kinds import Category, Kind, Nominal, Numeric, Ordinal
from ontomask.kinds.scales import Scale
from ontomask.microdata import Microdata
from ontomask.taxonomy.embedded import load_wordnet

__all__ = [
    "DOMAIN",
    "EDUCATION",
    "GROUPS",
    "LINKS",
    "MAPPING",
    "TABLE_12",
    "adult_attributes",
    "adult_data",
    "full_adult_data",
    "load_adult",
]

TABLE_12: Mapping[str, Mapping[str, str]] = {
    "occupation": {
        "Tech-support": "Technician",
        "Craft-repair": "Craftsman",
        "Other-service": "Worker",
        "Exec-managerial": "Executive",
        "Prof-specialty": "Specialist",
        "Handlers-cleaners": "Cleaner",
        "Machine-op-inspct": "Operator",
        "Adm-clerical": "Clerk",
        "Farming-fishing": "Skilled worker",
        "Transport-moving": "Carrier",
        "Priv-house-serv": "Housekeeper",
        "Protective-serv": "Guard",
        "Armed-Forces": "Soldier",
    },
    "native-country": {
        "Outlying-US(Guam-USVI-etc)": "American State",
        "Holand-Netherlands": "Netherlands",
        "Hong": "Hong-Kong",
    },
}

DOMAIN: Mapping[str, str] = {"occupation": "person.n.01", "native-country": "district.n.01"}

MAPPING: Mapping[str, Mapping[str, str]] = {
    "occupation": {
        "Tech-support": "technician.n.01",
        # The first sense is a professional man of letters or art; the third practises a manual trade.
        "Craft-repair": "craftsman.n.03",
        # Martínez 2012 uses "worker", which subsumes nearly all other occupations: every value generalised to "worker"
        # would be published as "Other-service". Attendants are service workers and subsume no other value.
        "Other-service": "attendant.n.01",
        # In WordNet "sales" are only gross sales.
        "Sales": "salesperson.n.01",
        "Exec-managerial": "executive.n.01",
        "Prof-specialty": "specialist.n.01",
        # The first sense is a cleansing agent, the second runs a dry-cleaning shop.
        "Handlers-cleaners": "cleaner.n.03",
        # The operators in WordNet are agents, businessmen and speculators; machine operators, assemblers and
        # inspectors are its factory workers.
        "Machine-op-inspct": "factory worker",
        "Adm-clerical": "clerk.n.01",
        # Martínez 2012 uses "skilled worker", which subsumes technicians, craftsmen and soldiers.
        "Farming-fishing": "farmer.n.01",
        "Transport-moving": "carrier.n.01",
        "Priv-house-serv": "housekeeper.n.01",
        "Protective-serv": "guard.n.01",
        "Armed-Forces": "soldier.n.01",
    },
    "native-country": {
        # A misspelling of the Census Bureau.
        "Trinadad&Tobago": "trinidad_and_tobago.n.01",
        # A misspelling of Colombia: Columbia is not a country.
        "Columbia": "colombia.n.01",
        # Names were cut at the first space: the bureau's related file Census-Income lists the same countries with
        # "Hong Kong" and "South Korea" in full. ARX's hierarchy maps "South" to Africa, but no country of the list is
        # there.
        "South": "south_korea.n.01",
        # In WordNet Hong Kong is a city and port, and cities are districts.
        "Hong": "hong_kong.n.01",
        "Holand-Netherlands": "netherlands.n.01",
        # A group: Guam, the U.S. Virgin Islands and other possessions. In WordNet Guam is only an island, while the
        # Virgin Islands are a possession and so a district. They represent the group.
        "Outlying-US(Guam-USVI-etc)": "united_states_virgin_islands.n.01",
        # Both senses of Taiwan are islands, not districts: the common subsumer with any country would be "object",
        # which has 35,772 descendants. Its capital represents it. ("Asian country" would be nearer in meaning, but
        # every value generalised to that would be published as "Taiwan".)
        "Taiwan": "taipei.n.01",
        # The first sense is the archipelago.
        "Japan": "japan.n.02",
        # The first sense, Serbia and Montenegro, is younger than the census of 1994.
        "Yugoslavia": "yugoslavia.n.02",
    },
}

# In the order of the census variable "education-num".
EDUCATION: Sequence[str] = (
    "Preschool",
    "1st-4th",
    "5th-6th",
    "7th-8th",
    "9th",
    "10th",
    "11th",
    "12th",
    "HS-grad",
    "Some-college",
    "Assoc-voc",
    "Assoc-acdm",
    "Bachelors",
    "Masters",
    "Prof-school",
    "Doctorate",
)


# The members of each group, for `Category`. The first group of each column holds all values.
GROUPS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "sex": {"Any sex": ("Female", "Male")},
    "race": {"Any race": ("Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White")},
    "marital-status": {
        "Any marital status": ("Ever married", "Never-married"),
        "Ever married": ("Married", "Formerly married"),
        "Married": ("Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"),
        "Formerly married": ("Divorced", "Separated", "Widowed"),
    },
    "workclass": {
        "Any workclass": ("Employee", "Self-employed", "Without-pay"),
        "Employee": ("Government", "Private"),
        "Government": ("Federal-gov", "Local-gov", "State-gov"),
        "Self-employed": ("Self-emp-inc", "Self-emp-not-inc"),
    },
}

# The same as links (child, parent), for `Taxonomy.from_edges`.
LINKS: Mapping[str, Sequence[tuple[str, str]]] = {
    name: tuple((member, group) for group, members in groups.items() for member in members)
    for name, groups in GROUPS.items()
}


def load_adult() -> dict[str, list[str]]:
    """The 30,162 complete records of the Adult training set: nine text columns, in the order of the file.

    Any dataframe library can read the dictionary: ``pandas.DataFrame(load_adult())``.

    >>> adult = load_adult()
    >>> len(adult["occupation"]), adult["occupation"][0], adult["native-country"][0]
    (30162, 'Adm-clerical', 'United-States')
    """
    header, *rows = csv.reader(io.StringIO(_read_csv().decode(), newline=""))
    return {name: list(column) for name, column in zip(header, zip(*rows, strict=True), strict=True)}


def _read_csv() -> bytes:
    return gzip.decompress(files(__package__).joinpath("adult.csv.gz").read_bytes())


def adult_data(
    *nominal: str, numeric: Sequence[str] = (), confidential: Sequence[str] = (), scale: Scale = "sd"
) -> Microdata:
    """Adult as `Microdata` with WordNet: some columns to mask, the others kept unchanged.

    Parameters
    ----------
    nominal
        ``occupation``, ``native-country`` or both; both by default.
    numeric
        Columns of numbers: ``age``.
    confidential
        Confidential columns, such as ``salary-class``.
    scale
        What distances between numbers are divided by.

    Examples
    --------
    >>> data = adult_data()
    >>> len(data), len(data.table)
    (30162, 394)
    """
    import polars as pl

    wordnet = load_wordnet()
    columns: dict[str, list[Any]] = dict(load_adult())
    for name in numeric:
        columns[name] = [int(cell) for cell in columns[name]]
    masked: dict[str, Kind] = {
        name: Nominal(wordnet, mapping=MAPPING[name], domain=DOMAIN[name]) for name in nominal or tuple(MAPPING)
    }
    masked |= {name: Numeric(scale=scale) for name in numeric}
    other = [name for name in columns if name not in masked and name not in confidential]
    return Microdata(pl.DataFrame(columns), masked, confidential=confidential, other=other)


def adult_attributes() -> dict[str, Kind]:
    """The kinds of the eight columns that others may know about a person.

    Occupation and country are concepts of WordNet, age is a number, education a scale. The other four are categories in
    the groups of `GROUPS`. Their distances range from 0 to 1, so two sexes are as far apart as two persons whose ages
    differ by two standard deviations, 26 years. As concepts under ``wu_palmer`` they would be half as far apart, and
    microaggregation would change the race of many more people in the smallest groups.

    >>> list(adult_attributes())
    ['sex', 'age', 'race', 'marital-status', 'education', 'native-country', 'workclass', 'occupation']
    """
    wordnet = load_wordnet()
    attributes: dict[str, Kind] = {"age": Numeric(), "education": Ordinal(EDUCATION)}
    attributes |= {name: Category(groups) for name, groups in GROUPS.items()}
    attributes |= {name: Nominal(wordnet, mapping=MAPPING[name], domain=DOMAIN[name]) for name in MAPPING}
    order = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
    return {name: attributes[name] for name in order}


def full_adult_data() -> Microdata:
    """Adult as `Microdata` with all eight quasi-identifiers, and the salary class as confidential column.

    No column is kept unchanged, so a guarantee for the quasi-identifiers covers everything that others may know.

    >>> data = full_adult_data()
    >>> len(data), len(data.table), data.other
    (30162, 18109, ())
    """
    import polars as pl

    frame = pl.read_csv(_read_csv(), schema_overrides={"age": pl.Int64}, infer_schema=False)
    return Microdata(frame, adult_attributes(), confidential=["salary-class"])
