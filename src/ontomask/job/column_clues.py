"""Clues to what a column holds: the words of its name, and the format of its values.

Names are compared with usual names of personal attributes in English and six other European languages. Formats are
dates, postcodes, lists, codes, free text and others. Only the distinct texts are examined. Most of them, not all, must
have a format, because tables contain misspelt cells.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from statistics import fmean

from ontomask.base.text import read_number

__all__ = [
    "MAX_CATEGORIES",
    "Topic",
    "are_codes",
    "are_contacts",
    "are_dates",
    "are_free_text",
    "are_grouped_numbers",
    "are_integers",
    "are_lists",
    "are_postcodes",
    "are_years",
    "is_person_number",
    "mostly_numbers",
    "name_words",
    "ordered_categories",
    "topics_of",
    "yes_or_no",
]

MAX_CATEGORIES = 40
# The share of the distinct texts that must have a format.
_MOST = 0.8
_MAX_LENGTH = 256

_TIME = r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[AaPp]\.?[Mm]\.?|Z|[+-]\d{2}:?\d{2})?)?"
_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:1[6-9]|20|21)\d{2}"
# Names of months begin alike in many languages.
_MONTH_NAME = (
    r"(?:jan|ene|gen|feb|f[eé]v|mar|mär|mrt|apr|avr|abr|ma[iyjg]|mei|jun|jui|giu|jul|lug|aug|ao[uû]|ago"
    r"|sep|set|o[kc]t|out|ott|nov|d[eé]c|dez|dic)"
)
_DATES = re.compile(
    rf"(?:{_YEAR}([-/.]){_MONTH}\1{_DAY}"  # ISO
    rf"|(?:{_DAY}([-/.]){_MONTH}|{_MONTH}([-/.]){_DAY})[-/.](?:{_YEAR}|\d{{2}})"  # day or month first
    rf"|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"  # 20240131
    rf"|{_YEAR}[-/.]{_MONTH}|{_MONTH}[-/.]{_YEAR}"  # months
    rf"|{_DAY}[-. ]+{_MONTH_NAME}\w*[-., ]+(?:{_YEAR}|\d{{2}})|{_MONTH_NAME}\w*[. ]+{_DAY}(?:st|nd|rd|th)?,? +{_YEAR}"
    rf"){_TIME}",
    re.IGNORECASE,
)
_CONTACTS = re.compile(r"[^@\s]+@[^@\s]+\.\w+|(?:\d{1,3}\.){3}\d{1,3}|https?://\S+|www\.\S+")
_PHONE = re.compile(r"\+?(?=(?:\D*\d){7,15}\D*$)(?=.*[+\s()/.-])[\d\s()/.-]+")
_POSTCODES = re.compile(
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"  # United Kingdom
    r"|\d{4} ?[A-Z]{2}"  # Netherlands
    r"|[A-Z]\d[A-Z][ -]?\d[A-Z]\d"  # Canada
    r"|\d{5}-\d{3,4}|\d{4}-\d{3}|\d{2}-\d{3}"  # United States, Brazil, Portugal, Poland
    r"|(?:[A-Z]{1,2}-)\d{4,5}",
    re.IGNORECASE,
)
_FIVE_DIGITS = re.compile(r"\d{5}")
_MIN_POSTCODES = 20
_CODE = re.compile(r"[A-Z]{1,3}|[a-z]|[A-Za-z]{0,2}\d{1,4}[A-Za-z]?")
_GROUPED = re.compile(r"[+-]?\d{1,3}([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3})*(?:[.,]\d+)?")
_SEPARATORS = (";", "|", ",")
# Words per cell.
_MIN_FREE_TEXT, _MAX_ELEMENT = 4, 3
_RANGE = re.compile(r"^[\[(<>≥≤=\s]*(-?\d+(?:\.\d+)?)\D*(?:\d+(?:\.\d+)?)?\D*$")
_SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("low", "mid", "high"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("small", "medium", "large"),
)
_NO = frozenset({"no", "n", "false", "f", "0", "nein", "non", "nee", "nao", "não", "absent", "negative", "neg"})
_YES = frozenset({"yes", "y", "true", "t", "1", "ja", "j", "oui", "si", "sí", "sim", "present", "positive", "pos"})


class Topic(Enum):
    """What a column is about, according to its name."""

    IDENTIFIER = "identifies a person"
    NAME = "a name, of a person or of something else"
    NUMBERING = "numbers records or persons"
    PERSON = "persons"
    FREE_TEXT = "free text"
    CONFIDENTIAL = "usually confidential"
    SURVEY_WEIGHT = "survey weight"
    CODE = "codes of a classification"
    POSTCODE = "postcode"
    QUANTITY = "a quantity that others may know"
    SCALE = "a scale that others may know"
    CATEGORY = "a category that others may know"


# English, German, French, Spanish, Italian, Portuguese and Dutch, in lower case without accents. A word that ends in *
# is a prefix; a prefix of six letters or more may also be inside a name.
_VOCABULARY = {
    Topic.IDENTIFIER: """
        surname firstname lastname fullname forename givenname username vorname nachname familienname prenom
        apellido apellidos sobrenome cognome achternaam voornaam email mail phone telephone* telefon* tel mobile handy
        fax ssn passport* reisepass ausweis* dni nif nhs iban konto kontonummer address* adresse* anschrift direccion
        endereco indirizzo adres street* strasse* rue calle login url ip""",
    Topic.NAME: "name nom nome nombre naam",
    Topic.NUMBERING: "id nbr no nr key number identifier mrn pid nummer numero kennung kennziffer",
    Topic.PERSON: """
        patient patients person persons subject participant respondent client customer member insured paciente
        paziente proband teilnehmer kunde mitglied versicherter household haushalt hhid""",
    Topic.FREE_TEXT: """
        comment* note notes remark* memo freetext freitext bemerkung* kommentar* notiz* remarque* observacion*
        observacoes osservazion* opmerking*""",
    Topic.CONFIDENTIAL: """
        salary income* wage wages earnings religion* party credit debt hiv gehalt einkommen* lohn konfession partei
        schulden salaire* revenu* salario* ingreso* renda reddito stipendio inkomen""",
    Topic.SURVEY_WEIGHT: "fnlwgt wgt pweight* finalweight* sampleweight* gewichtung stratum strata psu",
    Topic.CODE: "diag diagnosis diagnose diagnostic diagnostico diagnosi dx icd code codes",
    Topic.POSTCODE: "zip zipcode* postcode* postal* plz postleit* cep codigopostal",
    Topic.QUANTITY: """
        age ages alter edad idade eta leeftijd dob yob birth* born geburt* naiss* nacim* nascim* nascit* geboorte*
        year years jahr jahre annee anno jaar height weight bmi groesse gewicht poids talla peso altura altezza
        children kids kinder* enfants hijos filhos figli siblings dependents household* haushalt* hhsize
        lat latitude lon lng longitude""",
    Topic.SCALE: """
        education* educ degree school* schul* bildung* abschluss* etudes diplome* estudios escolaridad* istruzione
        opleiding*""",
    Topic.CATEGORY: """
        sex gender geschlecht sexe sexo sesso genero genre geslacht race ethnic* ethnie* etnia hautfarbe raza raca
        nation* nazion* nacion* citizen* staatsang* country* land pays pais paese birthplace geburtsort city town ort
        wohnort stadt ville commune ciudad municip* cidade citta comune plaats gemeente gemeinde county district*
        region* state province* provinz bundesland kanton canton residence* wohnsitz neighborhood* neighbourhood*
        occupation* job jobs profession* beruf* metier ocupacion profesion trabajo profissao beroep employer*
        employment* arbeitgeber industry workclass branche marital* married civil familienstand matrimon* etatcivil
        estadocivil statocivile burgerlijk* spouse relationship* veteran* military* language* sprache* langue idioma
        lingua taal disease* krankheit* maladie enfermedad malattia doenca ziekte""",
}
_MIN_INNER = 6


def _split_words(listed: str) -> tuple[frozenset[str], tuple[str, ...]]:
    words = listed.split()
    prefixes = tuple(word.removesuffix("*") for word in words if word.endswith("*"))
    return frozenset(word for word in words if not word.endswith("*")), prefixes


_WORDS = {topic: _split_words(listed) for topic, listed in _VOCABULARY.items()}
# "sample weight" is a survey weight; "weight" alone is more likely body weight.
_WEIGHTS = frozenset({"weight", "weights", "gewicht"})
_SURVEY_WORDS = frozenset({"survey", "sample", "sampling", "final", "instance", "design", "person", "household"})


def name_words(name: str) -> frozenset[str]:
    """The words of a column name, in lower case and without accents.

    >>> sorted(name_words("PatientAge_2")), sorted(name_words("Staatsangehörigkeit"))
    (['age', 'patient'], ['staatsangehorigkeit'])
    """
    spaced = re.sub(r"([^\W\d_A-Z])([A-Z])", r"\1 \2", name)
    plain = "".join(char for char in unicodedata.normalize("NFKD", spaced) if not unicodedata.combining(char))
    return frozenset(word.casefold() for word in re.findall(r"[^\W\d_]+", plain))


def topics_of(words: frozenset[str]) -> frozenset[Topic]:
    """The topics of a column according to the words of its name; often none.

    >>> sorted(topic.name for topic in topics_of(name_words("native-country")))
    ['CATEGORY']
    >>> sorted(topic.name for topic in topics_of(name_words("x17")))
    []
    """
    found = {
        topic
        for topic, (exact, prefixes) in _WORDS.items()
        if words & exact or any(_matches(word, prefix) for word in words for prefix in prefixes)
    }
    if words & _WEIGHTS and words & _SURVEY_WORDS:
        found.add(Topic.SURVEY_WEIGHT)
    return frozenset(found)


def is_person_number(words: frozenset[str]) -> bool:
    """Whether the name of a column says that it numbers persons.

    >>> is_person_number(name_words("patient_id")), is_person_number(name_words("patient_age"))
    (True, False)
    """
    persons, numbers = _WORDS[Topic.PERSON][0], _WORDS[Topic.NUMBERING][0]
    return bool(words & persons) and words <= persons | numbers


def _matches(word: str, prefix: str) -> bool:
    return word.startswith(prefix) or (len(prefix) >= _MIN_INNER and prefix in word)


def _mostly(texts: Iterable[str], fits: Callable[[str], object]) -> bool:
    # No format is this long, and regular expressions may be very slow on long texts.
    found = [len(text) <= _MAX_LENGTH and bool(fits(text)) for text in texts]
    return bool(found) and sum(found) >= _MOST * len(found)


def are_dates(texts: Iterable[str]) -> bool:
    """Dates and timestamps: year, day or month first, also with names of months.

    >>> are_dates(["2024-01-31", "31.1.2024", "01/31/24 10:15", "3 March 1999"]), are_dates(["31.13.2024", "1.5"])
    (True, False)
    """
    return _mostly(texts, _DATES.fullmatch)


def are_contacts(texts: Mapping[str, int]) -> bool:
    """Email addresses, telephone numbers, IP addresses and URLs.

    >>> are_contacts({"a.b@c.org": 1}), are_contacts({"+49 30 123456": 1}), are_contacts({"1,000": 1})
    (True, True, False)
    """
    if _mostly(texts, _CONTACTS.fullmatch):
        return True
    # Decimal numbers and ranges also look like telephone numbers, but many records share a range.
    shared = len(texts) <= 0.3 * sum(texts.values())
    return not shared and not mostly_numbers(texts) and _mostly(texts, _PHONE.fullmatch)


def are_postcodes(texts: Iterable[str]) -> bool:
    """Postcodes. Five digits count only if there are many such values, or if some begin with zero.

    >>> are_postcodes(["SW1A 1AA", "M1 1AE"]), are_postcodes(["01069", "80331"]), are_postcodes(["12345", "23456"])
    (True, True, False)
    """
    listed = list(texts)
    if _mostly(listed, _POSTCODES.fullmatch):
        return True
    many = len(listed) >= _MIN_POSTCODES or any(text.startswith("0") for text in listed)
    return many and _mostly(listed, _FIVE_DIGITS.fullmatch)


def are_grouped_numbers(texts: Iterable[str]) -> bool:
    """Numbers with thousands separators, in the style of any country.

    >>> are_grouped_numbers(["1.234,50", "25.000,00"]), are_grouped_numbers(["1.234", "2.5"])
    (True, False)
    """
    listed = list(texts)
    return not mostly_numbers(listed) and _mostly(listed, _GROUPED.fullmatch)


def are_lists(texts: Mapping[str, int]) -> bool:
    """Several short values per cell, which are repeated in other cells.

    >>> are_lists({"HP:1;HP:2": 1, "HP:2": 1, "HP:1;HP:3": 1}), are_lists({"Well, he said, it hurts": 1})
    (True, False)
    """
    for separator in _SEPARATORS:
        split = [[part.strip() for part in text.split(separator)] for text in texts]
        if sum(len(parts) > 1 for parts in split) < 0.3 * len(split):
            continue
        elements = Counter(part for parts in split for part in parts if part)
        repeated = len(elements) <= 0.75 * elements.total()
        if elements and repeated and fmean(len(part.split()) for part in elements) <= _MAX_ELEMENT:
            return True
    return False


def are_free_text(texts: Mapping[str, int]) -> bool:
    """Texts of several words, too many of them to be categories."""
    many = len(texts) > max(MAX_CATEGORIES / 2, 0.05 * sum(texts.values()))
    return many and fmean(len(text.split()) for text in texts) >= _MIN_FREE_TEXT


def are_codes(texts: Iterable[str]) -> bool:
    """Short codes such as M, 12 or A3.

    >>> are_codes(["M", "F"]), are_codes(["dog", "cat"])
    (True, False)
    """
    return _mostly(texts, _CODE.fullmatch)


def mostly_numbers(texts: Iterable[str]) -> bool:
    """Numbers, except for a few texts."""
    return _mostly(texts, lambda text: read_number(text) is not None)


def are_integers(texts: Iterable[str]) -> bool:
    """Only integers."""
    return all(text.lstrip("+-").isdecimal() for text in texts)


def are_years(texts: Iterable[str]) -> bool:
    """Calendar years."""
    return _mostly(texts, re.compile(_YEAR).fullmatch)


def yes_or_no(texts: Iterable[str]) -> list[str] | None:
    """The values with "no" first, if they mean yes and no in one of several languages.

    >>> yes_or_no(["Yes", "No"]), yes_or_no(["1", "0"]), yes_or_no(["M", "F"])
    (['No', 'Yes'], ['0', '1'], None)
    """
    folded = {text: text.casefold() for text in texts}
    if not all(text in _YES | _NO for text in folded.values()):
        return None
    return sorted(folded, key=lambda text: (folded[text] in _YES, text))


def ordered_categories(texts: Mapping[str, int]) -> list[str] | None:
    """The values in order, if they are ranges of numbers or words of a scale.

    >>> ordered_categories({"20-29": 1, "100+": 1, "<20": 1})
    ['<20', '20-29', '100+']
    """
    if not 2 <= len(texts) <= MAX_CATEGORIES:
        return None
    if any(len(text) > _MAX_LENGTH for text in texts):
        return None
    low = {text: float(match[1]) + _shift(text) for text in texts if (match := _RANGE.match(text))}
    if len(low) == len(texts) and any(read_number(text) is None for text in texts):
        return sorted(texts, key=lambda text: (low[text], text))
    for scale in _SCALES:
        if all(text.casefold() in scale for text in texts):
            return sorted(texts, key=lambda text: (scale.index(text.casefold()), text))
    return None


def _shift(text: str) -> float:
    """Half a unit down for "less than", up for "more than": they sort before and after the limit itself."""
    return -0.5 if text.startswith(("<", "≤")) else 0.5 if text.startswith(">") else 0.0
