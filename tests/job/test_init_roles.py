"""Roles in a first job: what others may know about a person is never guessed to be harmless."""

from __future__ import annotations

import tomllib

import pytest

from ontomask.errors import JobError
from ontomask.job import Job
from ontomask.job.column_formats import (
    are_contacts,
    are_dates,
    are_grouped_numbers,
    are_postcodes,
    date_formats,
    list_separator,
)
from ontomask.job.column_guesses import Profile, guess_column
from ontomask.job.first_job import draft_job
from ontomask.taxonomy.embedded import load_icd9cm, load_wordnet

from support import personal_tables
from support.jobs import listing, make_job

ONTOLOGIES = {"icd9cm": load_icd9cm, "wordnet": load_wordnet}
MASKED, REMOVED, KEPT, HARMLESS, OPEN = "quasi-identifier", "identifier", "confidential", "other", "undecided"

# What a data steward chooses: the role, or the kind of a column that is masked. Equally good choices stand together.
CATEGORY, NUMERIC, ORDINAL, DATE, PREFIX, SET = ("category", "numeric", "ordinal", "date", "prefix", "concept_set")
NOMINAL, WEIGHT = "nominal", "weight"
STEWARD = {
    "wide_census": {
        (WEIGHT,): ["instance weight"],
        (KEPT,): ["income"],
        (KEPT, NUMERIC): ["wage per hour", "capital gains", "capital losses", "dividends from stocks"],
        (KEPT, CATEGORY): ["tax filer stat", "veterans benefits", "fill inc questionnaire for veteran's admin"],
        (NUMERIC,): ["age", "num persons worked for employer", "weeks worked in year"],
        (NUMERIC, CATEGORY): ["year"],
        (CATEGORY, NOMINAL): [
            "country of birth father",
            "country of birth mother",
            "country of birth self",
            "state of previous residence",
        ],
        (CATEGORY,): [
            "class of worker",
            "detailed industry recode",
            "detailed occupation recode",
            "enroll in edu inst last wk",
            "marital stat",
            "major industry code",
            "major occupation code",
            "race",
            "hispanic origin",
            "sex",
            "member of a labor union",
            "reason for unemployment",
            "full or part time employment stat",
            "region of previous residence",
            "detailed household and family stat",
            "detailed household summary in household",
            "migration code-change in msa",
            "migration code-change in reg",
            "migration code-move within reg",
            "live in this house 1 year ago",
            "migration prev res in sunbelt",
            "family members under 18",
            "citizenship",
            "own business or self employed",
        ],
        (ORDINAL, CATEGORY): ["education"],
    },
    "census": {
        (REMOVED,): ["hhid"],
        (WEIGHT,): ["instance weight"],
        (WEIGHT, NUMERIC): ["PWGTP"],
        (KEPT, NUMERIC): ["wage per hour"],
        (KEPT, CATEGORY): ["veterans benefits", "disability"],
        (NUMERIC,): ["AGEP", "weeks worked in year", "birth_year", "moved"],
        (NUMERIC, CATEGORY): ["survey year"],
        (ORDINAL, CATEGORY): ["education"],
        (PREFIX, CATEGORY): ["PUMA"],
        (HARMLESS,): ["file version"],
        (CATEGORY,): [
            "SEX",
            "RAC1P",
            "region_code",
            "MAR",
            "class of worker",
            "major industry code",
            "own business or self employed",
            "citizenship",
            "live in this house 1 year ago",
            "family members under 18",
            "state_fips",
        ],
    },
    "hospital": {
        (REMOVED,): ["encounter_id", "patient_nbr"],
        (CATEGORY,): ["race", "gender", "admission_type_id", "medical_specialty", "change"],
        (CATEGORY, KEPT): ["A1Cresult", "insulin", "diabetesMed", "readmitted"],
        (ORDINAL,): ["age"],
        (NOMINAL,): ["diag_1"],
        (NUMERIC,): ["time_in_hospital", "num_medications", "number_diagnoses"],
        (DATE,): ["admitted"],
    },
    "adult": {
        (KEPT,): ["salary-class"],
        (KEPT, NUMERIC): ["capital-gain", "capital-loss"],
        (WEIGHT,): ["fnlwgt"],
        (NUMERIC,): ["age", "hours-per-week"],
        (NUMERIC, ORDINAL): ["education-num"],
        (ORDINAL, CATEGORY): ["education"],
        (NOMINAL, CATEGORY): ["native-country", "occupation"],
        (CATEGORY,): ["sex", "race", "marital-status", "workclass", "relationship"],
    },
    "phenotypes": {
        (REMOVED,): ["Pseudonym", "clinical_summary"],
        (SET, OPEN): ["hpo_terms", "medication"],
        (CATEGORY,): ["gene", "zygosity", "consanguineous", "Geschlecht", "Wohnort", "Staatsangehörigkeit"],
        (DATE,): ["Geburtsdatum", "last_seen"],
        (PREFIX,): ["PLZ"],
        (NUMERIC,): ["size_cm"],
        (HARMLESS,): ["site"],
    },
    "dirty": {
        (REMOVED,): ["Full Name", "e-mail", "contact", "Remarks"],
        (NUMERIC,): ["Age (years)", "score", "height"],
        (DATE, OPEN): ["visit"],
        (PREFIX,): ["zip"],
        (CATEGORY,): ["Smoker?", "x1", "city", "rare"],
        (CATEGORY, NOMINAL): ["diagnosis"],
        (NUMERIC, OPEN): ["bp"],
        (HARMLESS,): ["Unnamed: 7"],
    },
}


def guess(name, *values, missing=0):
    return guess_column(Profile(name, {value: values.count(value) for value in values}, missing), ONTOLOGIES)


@pytest.fixture(params=STEWARD)
def table(request, tmp_path):
    getattr(personal_tables, request.param)().write_csv(tmp_path / "t.csv")
    return request.param, draft_job(tmp_path / "t.csv", ["icd9cm", "wordnet"])


def test_nine_in_ten_guesses_are_what_a_steward_chooses(table, tmp_path):
    name, draft = table
    wanted = {column: choices for choices, columns in STEWARD[name].items() for column in columns}
    assert wanted.keys() == draft.guesses.keys()
    chosen = {column: guess.keys.get("kind", guess.role) for column, guess in draft.guesses.items()}
    wrong = {column: choice for column, choice in chosen.items() if choice not in wanted[column]}
    assert len(wrong) <= 0.1 * len(wanted), wrong
    # Whatever is kept as it is has equal cells in all records.
    harmless = [column for column, guess in draft.guesses.items() if guess.role == HARMLESS]
    assert harmless == [column for column in draft.guesses if wanted[column] == (HARMLESS,)]
    assert all(len(draft.profiles[column].texts) <= 1 for column in harmless)
    # Answers of yes and no are not looked up in a dictionary.
    for column, seen in draft.profiles.items():
        if {text.casefold() for text in seen.texts} & {"yes", "no", "ja", "nein"}:
            assert draft.guesses[column].keys.get("taxonomy") != "wordnet", column
    # The file can be read, and nothing in it runs.
    draft.write(tmp_path / "t.toml")
    with pytest.raises(JobError):
        Job.from_toml(tmp_path / "t.toml").run()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Alter", ["34", "56", "71"]),
        ("edad", ["34", "56", "71"]),
        ("patientAge", ["34", "56", "71"]),
        ("année_naissance", ["1950", "1960", "1970"]),
        ("Geschlecht", ["m", "w", "m"]),
        ("sesso", ["M", "F", "M"]),
        ("estado_civil", ["casado", "soltera", "viuda"]),
        ("Familienstand", ["ledig", "verheiratet", "ledig"]),
        ("nazionalità", ["italiana", "francese", "italiana"]),
        ("Bildungsabschluss", ["1", "2", "3"]),
        ("beroep", ["bakker", "kapper", "bakker"]),
        ("profissão", ["padeiro", "médico", "padeiro"]),
        ("ville", ["Lyon", "Paris", "Lyon"]),
        ("maritalstatus", ["married", "single", "divorced"]),
        ("married", ["yes", "no", "yes"]),
        ("latitude", ["52.51", "48.13", "48.14"]),
    ],
)
def test_names_of_what_others_know_in_several_languages(name, values):
    found = guess(name, *values)
    assert found.role == MASKED
    assert "kind" in found.keys


@pytest.mark.parametrize("name", ["Nachname", "Straße", "téléphone", "e-mail", "Vorname", "dirección", "name"])
def test_names_of_identifiers_in_several_languages(name):
    assert guess(name, "x", "y", "x").role == REMOVED


def test_names_of_other_things_than_persons_identify_nobody():
    assert guess("country_name", "France", "Peru", "Italy").role == MASKED


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("income", KEPT),
        ("salary", KEPT),
        ("Einkommen", KEPT),
        ("revenu annuel", KEPT),
        ("amount", MASKED),
        ("price", MASKED),
        ("Bruttogehalt", MASKED),
        ("Monatslohn", MASKED),
        ("coste", MASKED),
        ("prezzo", MASKED),
        ("montant", MASKED),
        ("jaarsalaris", MASKED),
    ],
)
def test_money_with_five_digits_is_a_number_and_no_postcode(name, role):
    found = guess(name, *(str(20_000 + 37 * i) for i in range(200)))
    assert (found.role, found.keys.get("kind")) == (role, "numeric" if role == MASKED else None)
    assert guess("x17", *(str(20_000 + 37 * i) for i in range(200)), "20000").keys == {"kind": "prefix"}


def test_postcodes_do_not_get_longer():
    postcodes = [str(20_000 + 37 * i) for i in range(200)]
    assert are_postcodes([*postcodes, *(str(1000 + i) for i in range(20)), "803312", "123456789"])
    assert not are_postcodes([*postcodes, *(str(100_000 + i) for i in range(10))])


def test_shapes_of_values():
    assert are_dates(["2024-01-31", "31.01.2024", "1/31/24", "20240131", "2024-01", "31 Jan 2024", "März 5, 2024"])
    assert are_dates(["2024-01-31T10:15:30Z", "2024-01-31 10:15", "31/01/2024 10:15:30"])
    assert not are_dates(["12.5", "250.83", "1-2", "10-20", "[10-20)"])
    assert are_postcodes(["K1A 0B1", "1012 AB", "12345-6789", "D-80331", "EC1A 1BB"])
    assert not are_postcodes(["250.83", "V57", "10000", "20000"])
    assert are_contacts({"a@b.org": 1, "c.d@e.com": 1})
    assert are_contacts({"(030) 123-4567": 1, "+1 555 0100 200": 1})
    assert not are_contacts({"10000-20000": 50, "20000-30000": 50})
    assert not are_contacts({"1234567.25": 1, "2345678.50": 1})
    assert list_separator({"a, b": 1, "b, c": 1, "a": 1}) == ","
    assert list_separator({"Bern, Switzerland": 1, "Lyon, France": 1}) is None
    assert are_grouped_numbers(["25.123,00", "1.000,50"])
    assert are_grouped_numbers(["1,250,000", "12,500"])
    assert not are_grouped_numbers(["27,9", "30,1"])


def test_formats_of_dates():
    assert date_formats(["2024-01-31", "2024-02-01 10:15:00"]) == []
    assert date_formats(["1.2.2024", "3.4.2024 10:15"]) == ["%d.%m.%Y", "%d.%m.%Y %H:%M"]
    assert date_formats(["1/2/2024", "13/4/2024"]) == ["%d/%m/%Y"]
    assert date_formats(["1/2/2024", "4/13/2024"]) == ["%m/%d/%Y"]
    assert date_formats(["3 Mar 2021", "typo"]) == ["%d %b %Y"]
    # Nobody can tell day from month here.
    assert date_formats(["1/2/2024", "3/4/2024"]) is None


def test_answers_of_yes_and_no_are_not_looked_up_in_a_dictionary():
    for values in (["yes", "no"], ["Yes", "No", "Not in universe"], ["NO", "<30", ">30"], ["Ch", "No"]):
        for name in ("x", "veteran", "married"):
            assert guess(name, *values * 20).keys.get("taxonomy") != "wordnet"


def test_long_and_hostile_texts_do_not_hold_up_the_guesses():
    assert guess("x", "1-" * 100_000, "(" * 100_000, "9 " * 100_000).keys == {"kind": "category"}


def test_only_what_no_record_differs_in_is_harmless():
    assert guess("site", *["Leipzig"] * 20).role == HARMLESS
    assert guess("empty").role == HARMLESS
    # Few records, cells that are missing in others, or a name that says whom it is about.
    assert guess("site", *["Leipzig"] * 19).role != HARMLESS
    assert guess("site", *["Leipzig"] * 20, missing=1).role != HARMLESS
    assert guess("country", *["France"] * 20).role == MASKED
    assert guess("hiv", *["positive"] * 20).role == KEPT


def test_evidence_is_in_the_file_and_values_are_not(tmp_path):
    rows = [f"v{i % 30},{i % 3}" for i in range(60)] + ["secret,7"]
    (tmp_path / "t.csv").write_text("thing,count\n" + "\n".join(rows) + "\n")
    text = draft_job(tmp_path / "t.csv", ["wordnet"]).text(tmp_path)
    assert "31 distinct values in 61 records, 2 % of them with a unique value" in text
    assert "secret" not in text
    assert tomllib.loads(text)["columns"]["thing"] == {"role": MASKED, "kind": "category", "confirmed": False}


# An undecided role blocks


def test_undecided_columns_block_until_somebody_decides(tmp_path):
    path = make_job(tmp_path)
    text = path.read_text().replace('role = "confidential"', 'role = "undecided"')
    path.write_text(text)
    before = listing(tmp_path)
    job = Job.from_toml(path)
    for use in (job.run, job.mask, lambda: job.data, lambda: job.evaluate(None), job.compare):
        with pytest.raises(JobError) as refused:
            use()
        [(key, what)] = refused.value.problems
        assert key == "columns"
        assert "undecided: cost." in what
        assert all(role in what for role in (MASKED, REMOVED, KEPT, HARMLESS))
    checked = job.check()
    assert not checked.ready
    assert len(checked.problems) == 1
    assert "cost" in checked.problems[0]
    assert len(checked.mapping) == 1
    assert listing(tmp_path) == before
    path.write_text(text.replace('role = "undecided"', 'role = "confidential"'))
    assert Job.from_toml(path).check().ready
    Job.from_toml(path).run(seed=1, allow_weak_seed=True)


def test_a_job_may_have_nothing_but_undecided_columns(tmp_path):
    path = make_job(tmp_path)
    text = path.read_text()
    for role in (MASKED, REMOVED, KEPT):
        text = text.replace(f'role = "{role}"', 'role = "undecided"')
    path.write_text(text)
    [problem] = Job.from_toml(path).check().problems
    assert "name, symptom, age, grade, cost" in problem


def test_the_keys_of_an_undecided_column_are_checked(tmp_path):
    path = make_job(tmp_path)
    path.write_text(path.read_text().replace('role = "confidential"', 'role = "undecided"\nkind = "nominal"'))
    with pytest.raises(JobError) as refused:
        Job.from_toml(path)
    assert [key for key, _ in refused.value.problems] == ["columns.cost.taxonomy"]
