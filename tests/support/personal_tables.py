"""Small invented tables like those of data stewards, to test guesses."""

from __future__ import annotations

import random

import polars as pl

import ontomask as om

RECORDS = 200


def _draw(seed: int):
    rng = random.Random(seed)
    return lambda values, n=RECORDS: [rng.choice(list(values)) for _ in range(n)]


def census() -> pl.DataFrame:
    """A wide survey with coded answers, weights and regions."""
    draw = _draw(1)
    return pl.DataFrame(
        {
            "hhid": [f"H{i // 2:05d}" for i in range(RECORDS)],
            "AGEP": draw(range(95)),
            "SEX": draw((1, 2)),
            "RAC1P": draw(range(1, 10)),
            "region_code": draw(range(1, 8)),
            "PUMA": [f"{v:05d}" for v in draw(range(100, 12_000, 37))],
            "MAR": draw(range(1, 6)),
            "education": draw(range(1, 17)),
            "class of worker": draw(("Private", "Local government", "Not in universe", "Self-employed")),
            "major industry code": draw(("Retail trade", "Construction", "Not in universe or children")),
            "wage per hour": draw(range(0, 2000, 5)),
            "veterans benefits": draw((0, 1, 2)),
            "own business or self employed": draw((0, 1)),
            "citizenship": draw(("Native- Born in the United States", "Foreign born- Not a citizen of U S")),
            "live in this house 1 year ago": draw(("Yes", "No", "Not in universe under 1 year old")),
            "family members under 18": draw(("Both parents present", "Mother only present", "Not in universe")),
            "weeks worked in year": draw(range(53)),
            "survey year": draw((94, 95)),
            "instance weight": [round(500 + 7.31 * i, 2) for i in range(RECORDS)],
            "PWGTP": draw(range(1, 300)),
            "birth_year": draw(range(1930, 2020)),
            "moved": draw(range(1985, 2024)),
            "disability": draw(("Y", "N")),
            "file version": ["2024-a"] * RECORDS,
            "state_fips": draw(range(1, 57)),
        }
    )


def wide_census() -> pl.DataFrame:
    """A population survey of 42 columns: recodes, answers outside the universe, leading blanks, weights."""
    draw = _draw(6)
    none = "Not in universe"
    majors = {"Sales": (16, 17, 18, 19, 20), "Professional specialty": (4, 5, 6, 7, 8, 9, 10, 11, 12), none: (0,)}
    jobs = draw([(major, detail) for major, details in majors.items() for detail in details])
    branches = {"Retail trade": (32, 33, 34), "Construction": (4,), "Education": (43,), none: (0,)}
    industries = draw([(major, detail) for major, details in branches.items() for detail in details])
    countries = ("United-States", "Mexico", "Germany", "Vietnam", "Outlying-U S (Guam USVI etc)", "Italy", "Peru", "?")
    return pl.DataFrame(
        {
            "age": draw(range(91)),
            "class of worker": draw((" Private", " Federal government", " Never worked", f" {none}")),
            "detailed industry recode": [detail for _, detail in industries],
            "detailed occupation recode": [detail for _, detail in jobs],
            "education": draw((" High school graduate", " Some college but no degree", " Children", " 10th grade")),
            "wage per hour": draw((0, 0, 0, 425, 500, 1200, 1850)),
            "enroll in edu inst last wk": draw((f" {none}", " High school", " College or university")),
            "marital stat": draw((" Never married", " Divorced", " Widowed", " Married-civilian spouse present")),
            "major industry code": [f" {major}" for major, _ in industries],
            "major occupation code": [f" {major}" for major, _ in jobs],
            "race": draw((" White", " Black", " Other", " Asian or Pacific Islander")),
            "hispanic origin": draw((" All other", " Mexican (Mexicano)", " Puerto Rican", " NA")),
            "sex": draw((" Female", " Male")),
            "member of a labor union": draw((f" {none}", " No", " Yes")),
            "reason for unemployment": draw((f" {none}", " Job loser - on layoff", " Re-entrant")),
            "full or part time employment stat": draw((" Children or Armed Forces", " Full-time schedules")),
            "capital gains": draw((0, 0, 0, 2174, 99_999)),
            "capital losses": draw((0, 0, 0, 1902)),
            "dividends from stocks": draw((0, 0, 0, 50, 500, 2000)),
            "tax filer stat": draw((" Nonfiler", " Single", " Joint both under 65")),
            "region of previous residence": draw((f" {none}", " South", " Midwest", " Abroad")),
            "state of previous residence": draw((f" {none}", " Utah", " California", " ?", " Florida")),
            "detailed household and family stat": draw(
                (" Householder", " Nonfamily householder", " In group quarters")
            ),
            "detailed household summary in household": draw((" Householder", " Spouse of householder", " Nonrelative")),
            "instance weight": [round(500 + 7.31 * i, 2) for i in range(RECORDS)],
            "migration code-change in msa": draw((" ?", " Nonmover", " MSA to MSA", " Not identifiable")),
            "migration code-change in reg": draw((" ?", " Nonmover", " Same county", " Different region")),
            "migration code-move within reg": draw((" ?", " Nonmover", " Same county", " Abroad")),
            "live in this house 1 year ago": draw((" Yes", " No", f" {none} under 1 year old")),
            "migration prev res in sunbelt": draw((" ?", f" {none}", " No", " Yes")),
            "num persons worked for employer": draw(range(7)),
            "family members under 18": draw((" Both parents present", " Mother only present", f" {none}")),
            "country of birth father": [f" {country}" for country in draw(countries)],
            "country of birth mother": [f" {country}" for country in draw(countries)],
            "country of birth self": [f" {country}" for country in draw(countries)],
            "citizenship": draw((" Native- Born in the United States", " Foreign born- Not a citizen of U S ")),
            "own business or self employed": draw((0, 1, 2)),
            "fill inc questionnaire for veteran's admin": draw((f" {none}", " No", " Yes")),
            "veterans benefits": draw((0, 1, 2)),
            "weeks worked in year": draw(range(53)),
            "year": draw((94, 95)),
            "income": draw((" - 50000.", " 50000+.")),
        }
    )


def hospital() -> pl.DataFrame:
    """Stays in a hospital: codes, ordered ranges, counts, drugs that go up and down."""
    draw = _draw(2)
    return pl.DataFrame(
        {
            "encounter_id": list(range(1_000, 1_000 + RECORDS)),
            "patient_nbr": [5_000 + i // 2 for i in range(RECORDS)],
            "race": draw(("Caucasian", "AfricanAmerican", "Asian", "Hispanic", "Other")),
            "gender": draw(("Female", "Male", "Unknown/Invalid")),
            "age": draw(("[0-10)", "[10-20)", "[20-30)", "[80-90)")),
            "admission_type_id": draw(range(1, 9)),
            "time_in_hospital": draw(range(1, 15)),
            "medical_specialty": draw(("InternalMedicine", "Cardiology", "Surgery-General", "Family/GeneralPractice")),
            "num_medications": draw(range(1, 82)),
            "diag_1": draw(("250.83", "276", "428", "414", "V57", "648", "8")),
            "number_diagnoses": draw(range(1, 17)),
            "A1Cresult": draw(("None", ">7", ">8", "Norm")),
            "insulin": draw(("No", "Up", "Steady", "Down")),
            "change": draw(("Ch", "No")),
            "diabetesMed": draw(("Yes", "No")),
            "readmitted": draw(("NO", "<30", ">30")),
            "admitted": [f"2023-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(RECORDS)],
        }
    )


def adult() -> pl.DataFrame:
    """The embedded census, with invented columns for those that it lacks."""
    draw = _draw(3)
    kept = pl.DataFrame(om.load_adult()).head(RECORDS)
    return kept.with_columns(
        pl.Series("fnlwgt", draw(range(12_000, 900_000))),
        pl.Series("education-num", draw(range(1, 17))),
        pl.Series("relationship", draw(("Husband", "Wife", "Own-child", "Not-in-family", "Other-relative"))),
        pl.Series("capital-gain", draw((0, 0, 0, 2174, 5013, 14084, 99999))),
        pl.Series("capital-loss", draw((0, 0, 0, 1408, 1902))),
        pl.Series("hours-per-week", draw(range(1, 100))),
    )


def phenotypes() -> pl.DataFrame:
    """A cohort of a genetics department: lists of HPO terms, genes, notes."""
    draw = _draw(4)
    terms = [f"HP:{i:07d}" for i in range(1250, 1290)]
    pairs = zip(draw(terms), draw(terms), draw(terms), strict=True)
    lists = [";".join(dict.fromkeys(some[: 1 + i % 3])) for i, some in enumerate(pairs)]
    return pl.DataFrame(
        {
            "Pseudonym": [f"{i * 7919 % 100_003:05x}" for i in range(RECORDS)],
            "hpo_terms": lists,
            "medication": [f"{a}, {b}" for a, b in zip(draw("ABCDE"), draw("VWXYZ"), strict=True)],
            "gene": draw(("MECP2", "CDKL5", "FOXG1", "SCN1A")),
            "zygosity": draw(("het", "hom", "hemi")),
            "consanguineous": draw(("ja", "nein")),
            "Geschlecht": draw(("m", "w")),
            "Geburtsdatum": [f"{1 + i % 28}.{1 + i % 12}.{1980 + i % 40}" for i in range(RECORDS)],
            "PLZ": [f"{v:05d}" for v in draw(range(1_000, 99_999, 13))],
            "Wohnort": draw(("München", "Dresden", "Kleinkummerfeld", "Hamburg")),
            "Staatsangehörigkeit": draw(("deutsch", "türkisch", "polnisch")),
            "last_seen": [f"2022-03-{1 + i % 28:02d} 14:{i % 60:02d}:00" for i in range(RECORDS)],
            "clinical_summary": [f"Seen by Dr Novak {i} because of seizures since birth" for i in range(RECORDS)],
            "size_cm": [round(48 + i * 0.37, 1) for i in range(RECORDS)],
            "site": ["Leipzig"] * RECORDS,
        }
    )


def dirty() -> pl.DataFrame:
    """Typed by hand: mixed formats, misspellings, junk, empty columns."""
    draw = _draw(5)
    return pl.DataFrame(
        {
            "Full Name ": [f"Person {i}" for i in range(RECORDS)],
            "e-mail": [f"p{i}@example.org" for i in range(RECORDS)],
            "contact": [f"+49 30 {100_000 + i * 37}" for i in range(RECORDS)],
            "Age (years)": [*map(str, draw(range(18, 90), RECORDS - 6)), "unknown", "40ish", "n/a", "-", "", "abt 50"],
            "visit": [("2021-03-04", "4.3.2021", "03/04/21", "4 Mar 2021", "?")[i % 5] for i in range(RECORDS)],
            "zip": [("01069", "1069", "D-80331", "80331")[i % 4] for i in range(RECORDS)],
            "Smoker?": draw(("Yes", "yes", "Y", "no", "N", "NO ")),
            "bp": [f"{v}/{v - 40}" for v in draw(range(110, 160))],
            "score": [*map(str, draw(range(100), RECORDS - 3)), "x", "12 (?)", "see note"],
            "x1": draw(("A", "B", "C", "a", "?")),
            "Unnamed: 7": [""] * RECORDS,
            "city": draw(("Berlin", "berlin", "Brelin", "Wien")),
            "diagnosis": draw(("flu", "influenza", "broken arm", "xyz")),
            "Remarks": draw(("ok", "call the mother", "none", "")),
            "rare": [*[""] * (RECORDS - 2), "yes", "yes"],
            "height": [f"{v / 100:.2f}" for v in draw(range(150, 200))],
        }
    )
