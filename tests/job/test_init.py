from __future__ import annotations

import tomllib

import polars as pl
import pytest

import ontomask as om
from ontomask.errors import JobError, OntomaskError
from ontomask.job import Job
from ontomask.job.column_guesses import Profile, guess_column
from ontomask.job.first_job import draft_job
from ontomask.job.toml_text import toml_table
from ontomask.taxonomy.embedded import load_icd9cm, load_wordnet

from support.errors import raises
from support.jobs import listing, make_job

ONTOLOGIES = {"icd9cm": load_icd9cm, "wordnet": load_wordnet}


def guess(name, *values, missing=0):
    return guess_column(Profile(name, {value: values.count(value) for value in values}, missing), ONTOLOGIES)


def confirm(text: str) -> str:
    return text.replace("confirmed = false", "confirmed = true")


# From a table to a job that runs


def test_first_refused_then_confirmed_then_run(tmp_path):
    make_job(tmp_path)
    draft = draft_job(tmp_path / "data.csv", [str(tmp_path / "links.csv")])
    path = tmp_path / "first.toml"
    draft.write(path)
    job = Job.from_toml(path)
    assert set(job.guesses) == {*(f"columns.{name}" for name in draft.guesses), "policies", "method"}
    before = listing(tmp_path)
    with pytest.raises(JobError) as caught:
        job.run()
    assert [key for key, _ in caught.value.problems] == ["confirmed"]
    assert listing(tmp_path) == before

    # Each guess is refused by itself.
    text = path.read_text().replace('name = "Microaggregation"\nk = 5', 'name = "PRAM"\nstay = 0.4')
    marks = text.count("\nconfirmed = false")
    assert marks == len(draft.profiles) + 2
    for number in range(marks):
        parts = text.split("\nconfirmed = false")
        yes, no = "\nconfirmed = true", "\nconfirmed = false"
        one_left = yes.join(parts[: number + 1]) + no + yes.join(parts[number + 1 :])
        path.write_text(one_left)
        assert len(Job.from_toml(path).guesses) == 1

    path.write_text(confirm(text))
    run = Job.from_toml(path).run(seed=2**64 + 3)
    assert run.files["masked"] == tmp_path / "data-masked.csv"
    assert run.files["report"] == tmp_path / "data-report.html"
    roles = {name: column.role for name, column in Job.from_toml(path).settings.columns.items()}
    assert roles == {
        "name": "identifier",
        "symptom": "quasi-identifier",
        "age": "quasi-identifier",
        "grade": "quasi-identifier",
        "cost": "quasi-identifier",
    }


def test_adult(tmp_path):
    columns = ("age", "sex", "native-country", "occupation", "salary-class")
    pl.DataFrame(om.load_adult()).select(columns).head(3000).write_csv(tmp_path / "adult.csv")
    draft = draft_job(tmp_path / "adult.csv", ["icd9cm", "wordnet"])
    keys = {name: {"role": guess.role, **guess.keys} for name, guess in draft.guesses.items()}
    assert keys["age"] == {"role": "quasi-identifier", "kind": "numeric"}
    assert keys["sex"] == {"role": "quasi-identifier", "kind": "category"}
    assert keys["native-country"]["domain"] == "administrative_district.n.01"
    mapped = om.map_values(
        draft.profiles["native-country"].texts, load_wordnet(), domain="administrative_district.n.01"
    )
    # The values that mean something outside the domain are not counted as known under it.
    assert f"{len(mapped.concepts)} of them under" in draft.guesses["native-country"].why
    assert keys["occupation"] == {"role": "quasi-identifier", "kind": "category"}
    assert keys["salary-class"] == {"role": "confidential"}
    settings = tomllib.loads(draft.text(tmp_path))
    assert settings["input"] == {"path": "adult.csv"}
    assert settings["policies"] == {"missing": "error", "unmapped": "error", "confirmed": False}


def test_the_first_lines_name_undecided_columns_only_if_there_are_any(tmp_path):
    pl.DataFrame({"sort": ["q", "v", "q"] * 8}).write_csv(tmp_path / "decided.csv")
    prices = {"price": [f"${number}.50 / {number + 1}" for number in range(24)], "sort": ["xq;vz", "vz", "xq"] * 8}
    pl.DataFrame(prices).write_csv(tmp_path / "undecided.csv")
    for name, is_undecided in (("decided", False), ("undecided", True)):
        draft = draft_job(tmp_path / f"{name}.csv", ["wordnet"])
        first = draft.text(tmp_path).partition("[input]")[0]
        undecided = [name for name, guess in draft.guesses.items() if guess.role == "undecided"]
        assert bool(undecided) == is_undecided
        assert ("undecided" in first) == is_undecided
        assert all(name in first for name in undecided)
        assert "FILE" not in first


# Guesses


def test_numbers_are_no_codes_unless_the_column_is_called_so():
    assert guess("age", "38", "39", "250").keys == {"kind": "numeric"}
    assert guess("diag_1", "38", "250", "250").keys == {"kind": "nominal", "taxonomy": "icd9cm"}
    assert guess("first", "250.83", "V57", "038").keys == {"kind": "nominal", "taxonomy": "icd9cm"}
    assert guess("hours", "38", "40", "40").keys == {"kind": "numeric"}


def test_identifiers():
    assert guess("full name", "Ada", "Ada").role == "identifier"
    assert guess("e-mail", "a@b", "c@d").role == "identifier"
    assert guess("serial", *(f"x{i}" for i in range(30))).role == "identifier"
    assert guess("patientId", "1", "1", "2", "3", "4").keys == {"person": True}
    assert guess("patientId", "1", "2", "3").keys == {}
    assert guess("income", *(f"{i}.5" for i in range(30))).role == "confidential"


def test_values_in_order():
    assert guess("band", "20-29", "100+", "<20", "30-39").keys["categories"] == ["<20", "20-29", "30-39", "100+"]
    assert guess("risk", "High", "low", "low").keys == {"kind": "ordinal", "categories": ["low", "High"]}
    assert guess("x", "alpha", "7").keys.get("kind") != "ordinal"


def test_words_take_the_domain_that_nearly_all_share():
    countries = guess("home", "France", "Peru", "Italy", "Spain", "Japan")
    assert countries.keys["domain"] == "country.n.02"
    # A dictionary knows nearly every word: without anything in common that says nothing.
    assert guess("sort", "tiger", "hammer", "algebra").keys == {"kind": "category"}


def test_without_anything_known():
    for name in ("sort", "occupation"):
        found = guess(name, "xqzzv", "xqzzv", "vvvq", "vvvqx")
        assert (found.role, found.keys) == ("quasi-identifier", {"kind": "category"})
    assert guess("empty").role == "other"


def test_advice_to_give_a_file_says_what_it_holds():
    many = guess("sort", *(f"xqz{number}v" for number in range(90)), *(f"xqz{number}v" for number in range(90)))
    sets = guess("sorts", *["xqzv;vvq", "vvq;zzx", "xqzv;zzx", "zzx"] * 5)
    for found in (many, sets):
        assert "'FILE'" in found.advice
        assert "child and parent" in found.advice
    assert "a value and its group" in many.advice


def test_one_column_tells_persons_apart(tmp_path):
    (tmp_path / "t.csv").write_text("a_id,b_id\n1,1\n1,1\n2,2\n3,3\n")
    assert [dict(g.keys) for g in draft_job(tmp_path / "t.csv", ["wordnet"]).guesses.values()] == [{"person": True}, {}]


# The file


def test_hostile_names_and_values(tmp_path):
    name = 'a "b"\n[x]\t\x7f#é.c'
    frame = pl.DataFrame({name: ["0-1", "2-3\x7f\\"] * 5, "": ["a", "?"] * 5})
    frame.write_csv(tmp_path / "t.csv")
    draft = draft_job(tmp_path / "t.csv", ["wordnet"])
    settings = tomllib.loads(draft.text(tmp_path))
    assert set(settings["columns"]) == {name, ""}
    assert settings["columns"][name]["categories"] == ["0-1", "2-3\x7f\\"]
    draft.write(tmp_path / "t.toml")
    assert Job.from_toml(tmp_path / "t.toml").settings.columns.keys() == {name, ""}


def test_hostile_names_of_files(tmp_path):
    path = tmp_path / 'a\n[columns.b]\nrole = "other" #.csv'
    path.write_text("a\n1\n2\n")
    assert set(tomllib.loads(draft_job(path, ["wordnet"]).text(tmp_path))["columns"]) == {"a"}


def test_paths_are_seen_from_the_job(tmp_path):
    make_job(tmp_path)
    (tmp_path / "jobs").mkdir()
    path = tmp_path / "jobs" / "first.toml"
    draft_job(tmp_path / "data.csv", [str(tmp_path / "links.csv")], {"delimiter": ","}).write(path)
    job = Job.from_toml(path)
    assert job.settings.input.path == "../data.csv"
    assert job.settings.input.delimiter == ","
    assert job.settings.ontologies["links"].path == "../links.csv"
    assert [column.column for column in job.check().mapping] == ["symptom"]


def test_a_job_is_not_written_over_another_file(tmp_path):
    path = make_job(tmp_path)
    draft = draft_job(tmp_path / "data.csv", ["wordnet"])
    before = listing(tmp_path)
    with raises(OntomaskError, parameter="overwrite", code="exists"):
        draft.write(path)
    with raises(OntomaskError, code="is-an-input"):
        draft.write(tmp_path / "data.csv", overwrite=True)
    assert listing(tmp_path) == before
    draft.write(path, overwrite=True)
    assert path.read_text() == draft.text(tmp_path)


def test_an_ontology_that_is_not_there(tmp_path):
    make_job(tmp_path)
    with raises(OntomaskError, code="no-file"):
        draft_job(tmp_path / "data.csv", [str(tmp_path / "none.obo")])


def test_tables_of_a_job_file_are_read_as_they_were_written():
    keys = {"name": "x", "pairs": [("a", 'b"')], "levels": {"odd key": 1}, "stay": 0.5, "flag": True}
    assert tomllib.loads(toml_table("method", keys))["method"] == {**keys, "pairs": [["a", 'b"']]}


def test_codes_with_decimals_are_no_scale_and_patients_are_persons():
    found = guess("diagnosis", "250.83", "401.9", "250.00", "414.01", "250.83")
    assert (found.role, found.keys["taxonomy"]) == ("quasi-identifier", "icd9cm")
    visits = guess("patient", *(f"P{1000 + i % 17}" for i in range(24)))
    assert (visits.role, dict(visits.keys)) == ("identifier", {"person": True})
    # The age of a patient is no patient, and a few subjects are not persons.
    assert guess("patient_age", "34", "56", "71", "34").role == "quasi-identifier"
    assert guess("subject", *["physics", "chemistry"] * 20).role != "identifier"


# Spellings of "missing", decimal commas


def test_spellings_of_missing_are_proposed_with_their_counts(tmp_path):
    jobs = ["nurse", "baker", "na", "None", "n.a.", "keine Angabe", "None", ""] * 3
    (tmp_path / "t.csv").write_text("nr,job\n" + "".join(f"{i % 2},{job}\n" for i, job in enumerate(jobs)))
    text = draft_job(tmp_path / "t.csv", ["wordnet"]).text(tmp_path)
    job = tomllib.loads(text)["columns"]["job"]
    assert job["missing_tokens"] == ["na", "None", "n.a.", "keine Angabe"]
    assert (job["missing"], job["confirmed"]) == ("category", False)
    assert "Missing cells: job (18)" in text


def comma_table(folder, delimiter=";"):
    rows = [delimiter.join(["nurse", f'"{20 + i},{i}"', f"{250 + i}.1"]) for i in range(8)]
    path = folder / "t.csv"
    path.write_text("\n".join([delimiter.join(["job", "weight", "code"]), *rows]) + "\n")
    return path


def test_a_decimal_comma_is_guessed_and_to_be_confirmed(tmp_path):
    draft = draft_job(comma_table(tmp_path), ["wordnet"])
    text = draft.text(tmp_path)
    assert tomllib.loads(text)["input"] == {"path": "t.csv", "decimal": ",", "confirmed": False}
    assert "# Guessed: the decimal comma, from the numbers of weight." in text
    assert draft.guesses["weight"].keys == {"kind": "numeric"}
    draft.write(tmp_path / "t.toml")
    assert "input" in Job.from_toml(tmp_path / "t.toml").guesses


@pytest.mark.parametrize(("delimiter", "reading"), [(",", {}), (";", {"decimal": "."})])
def test_a_decimal_comma_is_not_guessed_where_it_parts_cells_or_was_denied(tmp_path, delimiter, reading):
    draft = draft_job(comma_table(tmp_path, delimiter), ["wordnet"], reading)
    assert tomllib.loads(draft.text(tmp_path))["input"] == {"path": "t.csv", **reading}


def test_marks_between_thousands_are_guessed(tmp_path):
    rows = "".join(f"{i % 3};{20 + i}.{100 + i},50\n" for i in range(90))
    (tmp_path / "t.csv").write_text(f"site;cost\n{rows}")
    draft = draft_job(tmp_path / "t.csv", ["wordnet"])
    assert draft.guesses["cost"].keys == {"kind": "numeric"}
    read = tomllib.loads(draft.text(tmp_path))["input"]
    assert read == {"path": "t.csv", "decimal": ",", "thousands": ".", "confirmed": False}


def test_details_lie_under_their_majors(tmp_path):
    rows = [("Sales", 16), ("Sales", 17), ("Service", 23), ("Service", 24), ("Service", 25), ("Farming", 44)] * 10
    text = "".join(f"{major},{detail},{i % 7}\n" for i, (major, detail) in enumerate(rows))
    (tmp_path / "t.csv").write_text(f"major occupation,detailed occupation,ward\n{text}")
    guesses = draft_job(tmp_path / "t.csv", ["wordnet"]).guesses
    assert guesses["detailed occupation"].keys == {"kind": "category", "under": "major occupation"}
    assert "under" not in guesses["ward"].keys
