"""What the name of a column says about it.

Names are compared with usual names of personal attributes in English and six other European languages.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum

__all__ = ["Topic", "is_person_number", "may_be_weight", "name_words", "plain", "plain_words", "topics_of"]


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
    LABEL = "codes without an order"
    COUNT = "a count or a measurement"
    MONEY = "an amount of money"
    POSTCODE = "postcode"
    QUANTITY = "a quantity that others may know"
    SCALE = "a scale that others may know"
    CATEGORY = "a category that others may know"


# English, German, French, Spanish, Italian, Portuguese and Dutch, in lower case without accents. A word that ends in *
# is a prefix; a prefix of six letters or more may also be inside a name.
_VOCABULARY = {
    Topic.IDENTIFIER: """
        surname firstname lastname fullname forename givenname username vorname nachname familienname prenom
        apellido apellidos sobrenome cognome achternaam voornaam email mail phone telephone* telefon* tel mobile
        handy fax ssn passport* reisepass ausweis* dni nif nhs iban konto kontonummer address* adresse* anschrift
        direccion endereco indirizzo adres street* strasse* rue calle login url ip""",
    Topic.NAME: "name nom nome nombre naam",
    Topic.NUMBERING: """
        id nbr no nr key number identifier mrn pid serial nummer numero kennung kennziffer matricule matricula""",
    Topic.PERSON: """
        pat patient patients person persons pers subject participant respondent client customer member insured user
        student pupil employee emp paciente paziente persona personne eleve alumno cliente proband teilnehmer kunde
        kunden mitglied mitglieds versicherter versicherten schuler mitarbeiter household hh haushalt haushalts
        hogar foyer menage""",
    Topic.FREE_TEXT: """
        comment* note notes remark* memo freetext freitext bemerkung* vermerk* kommentar* notiz* remarque* observacion*
        observacoes osservazion* opmerking*""",
    Topic.CONFIDENTIAL: """
        salary income* wage wages earnings gain gains loss losses dividend* tax taxes religion* party credit debt
        hiv gehalt einkommen* lohn konfession partei schulden salaire* revenu* salario* ingreso* renda reddito
        stipendio inkomen""",
    Topic.LABEL: """
        code codes recode type typ kind class category group status stat flag source id fips puma region summary
        kategorie klasse gruppe schluessel""",
    Topic.COUNT: """
        n nb nbre num cnt count counts counter number total sum amount* times time hours hour days day weeks week
        months month minutes seconds duration length score scores points level levels size visits persons members
        stunden tage wochen sekunden dauer anzahl anz nombre cantidad numero aantal heures jours duree horas dias
        ore giorni uren dagen price* cost costs charge charges payment* spent betrag* summe preis kosten umsatz
        montant prix cout importe precio coste importo prezzo costo valor bedrag prijs eur euro usd chf gbp cm mm km
        qm kg mg ml min mins sec pct percent rate ratio""",
    Topic.MONEY: """
        money amount* price* cost costs charge charges payment* fee fees revenue turnover sales expense* expenditure*
        budget balance debt loan salary salaries income* wage wages earnings pay pension* rent tax taxes dividend*
        betrag* summe preis kosten umsatz gehalt gehaelter lohn loehne einkommen* rente miete schulden
        montant prix cout couts salaire* revenu* loyer dette precio coste costo costos importe monto sueldo* salario*
        ingreso* renta alquiler deuda prezzo importo stipendio reddito retribuzion* affitto preco custo custos valor
        renda salarial bedrag prijs loon salaris* inkomen* omzet huur eur euro usd chf gbp""",
    Topic.SURVEY_WEIGHT: "fnlwgt wgt pwt hwt pwgtp pweight* finalweight* sampleweight* gewichtung stratum strata psu",
    Topic.CODE: "diag diagnosis diagnose diagnostic diagnostico diagnosi dx icd",
    Topic.POSTCODE: "zip zipcode* postcode* postal* plz postleit* cep codigopostal",
    Topic.QUANTITY: """
        age ages alter edad idade eta leeftijd dob yob birth* born geburt* naiss* nacim* nascim* nascit* geboorte*
        year years jahr jahre annee anno jaar height weight bmi groesse grosse taille gewicht poids talla peso
        altura altezza children kids kinder* enfants hijos filhos figli siblings dependents household* haushalt*
        hhsize lat latitude lon lng longitude""",
    Topic.SCALE: """
        education* educ degree school* schul* bildung* abschluss* etudes diplome* estudios escolaridad* istruzione
        opleiding* grade rank rating stage tier grad stufe niveau nivel rang livello grado""",
    Topic.CATEGORY: """
        sex gender geschlecht sexe sexo sesso genero genre geslacht race ethnic* ethnie* etnia hautfarbe raza raca
        nation* nazion* nacion* citizen* staatsang* country* land pays pais paese birthplace geburtsort city town
        ort wohnort stadt ville commune ciudad municip* cidade citta comune plaats gemeente gemeinde county
        district* region* state province* provinz bundesland kanton canton residence* wohnsitz neighborhood*
        neighbourhood* occupation* job jobs profession* beruf* metier ocupacion profesion trabajo profissao beroep
        employer* employment* arbeitgeber industry workclass branche marital* married civil familienstand matrimon*
        etatcivil estadocivil statocivile burgerlijk* spouse relationship* veteran* military* language* sprache*
        langue idioma lingua taal disease* krankheit* maladie enfermedad malattia doenca ziekte""",
}
# The last part of a compound says what it is, above all in German and Dutch.
_COMPOUNDS = {
    Topic.NAME: "name",
    Topic.NUMBERING: "nummer kennung",
    Topic.SCALE: "grad stufe abschluss",
    Topic.MONEY: "betrag preis kosten umsatz gehalt lohn einkommen salaris loon inkomen bedrag prijs",
    Topic.COUNT: """
        stunden tage wochen monate jahre dauer anzahl zahl betrag summe kosten preis menge grosse flache uren dagen
        weken maanden jaren duur aantal bedrag""",
}
_MIN_INNER = 6
_NUMBER_AFFIXES = ("nummer", "number", "kennung", "id", "nr", "no")
_WORD = re.compile(r"[^\W\d_]+")


def _split_words(listed: str) -> tuple[frozenset[str], tuple[str, ...]]:
    words = listed.split()
    prefixes = tuple(word.removesuffix("*") for word in words if word.endswith("*"))
    return frozenset(word for word in words if not word.endswith("*")), prefixes


_WORDS = {topic: _split_words(listed) for topic, listed in _VOCABULARY.items()}
_HEADS = {topic: tuple(listed.split()) for topic, listed in _COMPOUNDS.items()}
# "sample weight" is a survey weight; "weight" alone is more likely body weight.
_WEIGHTS = frozenset({"weight", "weights", "gewicht", "wt", "poids", "peso", "pesos", "factor", "faktor", "facteur"})
_SURVEY_WORDS = frozenset({"survey", "sample", "sampling", "final", "instance", "design", "person", "household"})


def plain(text: str) -> str:
    """A text in lower case and without accents.

    >>> plain("Größe N°")
    'grosse no'
    """
    spelt = unicodedata.normalize("NFKD", text.replace("°", "o"))
    return "".join(char for char in spelt if not unicodedata.combining(char)).casefold()


def plain_words(text: str) -> list[str]:
    """The words of a text, in lower case and without accents."""
    return _WORD.findall(plain(text))


def name_words(name: str) -> frozenset[str]:
    """The words of a column name, in lower case and without accents.

    >>> sorted(name_words("PatientAge_2")), sorted(name_words("Staatsangehörigkeit"))
    (['age', 'patient'], ['staatsangehorigkeit'])
    """
    return frozenset(plain_words(re.sub(r"([^\W\d_A-Z])([A-Z])", r"\1 \2", name)))


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
    found |= {topic for topic, heads in _HEADS.items() if any(word.endswith(heads) for word in words)}
    return frozenset(found)


def may_be_weight(words: frozenset[str]) -> bool:
    """Whether the name of a column may mean a survey weight, body weight or some factor."""
    return bool(words & _WEIGHTS)


def is_person_number(words: frozenset[str]) -> bool:
    """Whether the name of a column says that it numbers persons.

    >>> is_person_number(name_words("patient_id")), is_person_number(name_words("patient_age"))
    (True, False)
    >>> is_person_number(name_words("Kundennummer")), is_person_number(name_words("IDHOGAR"))
    (True, True)
    """
    persons, numbers = _WORDS[Topic.PERSON][0], _WORDS[Topic.NUMBERING][0]
    parts = {part for word in words for part in (_split_number(word) if word not in persons else (word,))}
    return bool(parts & persons) and parts <= persons | numbers


def _split_number(word: str) -> tuple[str, ...]:
    """The parts of a word such as "kundennummer" or "idhogar"; other words are not split."""
    for affix in _NUMBER_AFFIXES:
        if word.endswith(affix) and word != affix:
            return word.removesuffix(affix), affix
        if word.startswith(affix) and word != affix:
            return affix, word.removeprefix(affix)
    return (word,)


def _matches(word: str, prefix: str) -> bool:
    return word.startswith(prefix) or (len(prefix) >= _MIN_INNER and prefix in word)
