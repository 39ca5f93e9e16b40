"""Invented tables of hospitals and schools in five languages, with what a steward chooses for each column."""

from __future__ import annotations

import random

import polars as pl

REMOVED, KEPT, OPEN, HARMLESS, LEFT_OUT, WEIGHT = "identifier", "confidential", "undecided", "other", "drop", "weight"
CATEGORY, NUMERIC, ORDINAL, DATE, PREFIX = "category", "numeric", "ordinal", "date", "prefix"
SET, NOMINAL = "concept_set", "nominal"


def tools(seed: int):
    """A generator, and a function that draws n of some values."""
    rng = random.Random(seed)
    return rng, lambda values, n: [rng.choice(list(values)) for _ in range(n)]


def klinik(n: int = 400) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """Stays in a German hospital, with ICD-10 codes, decimal commas and separated thousands."""
    rng, draw = tools(11)

    def day():
        time = f"{rng.randrange(24):02d}:{rng.randrange(60):02d}"
        return f"{1 + rng.randrange(28):02d}.{1 + rng.randrange(12):02d}.2021 {time}"

    icd = [
        "I50.01",
        "E11.90",
        "J44.09",
        "C50.4",
        "S72.01",
        "K35.8",
        "N39.0",
        "I63.4",
        "F32.1",
        "M54.5",
        "A41.9",
        "I21.4",
        "Z51.1",
        "G40.2",
    ]
    ops = ["5-820.00", "8-98f.10", "1-632.0", "3-200", "9-984.7", "8-800.c0", "5-470.11", "8-930"]
    kk = ["AOK Bayern", "TK", "Barmer", "DAK-Gesundheit", "IKK classic", "Privat", "BKK Mobil Oil"]
    columns = {
        "Fallnummer": [f"20{1000000 + i * 37}" for i in range(n)],
        "Pat-Nr": [f"{500000 + (i * 7919) % (n * 2 // 3)}" for i in range(n)],
        "Versicherten-Nr.": [f"{chr(65 + rng.randrange(26))}{rng.randrange(10**8, 10**9)}" for i in range(n)],
        "Geb.-Datum": [
            f"{1 + rng.randrange(28):02d}.{1 + rng.randrange(12):02d}.{1925 + rng.randrange(90)}" for i in range(n)
        ],
        "Alter_Aufnahme": [str(v) for v in draw(range(98), n)],
        "Geschl.": draw("mwmwd", n),
        "PLZ_Patient": [f"{v:05d}" for v in draw(range(1067, 99998, 41), n)],
        "Aufn.-Dat.": [day() for i in range(n)],
        "Entl.-Dat.": [day() for i in range(n)],
        "Aufnahmegrund": draw(["01", "02", "05", "08"], n),
        "Aufnahmeanlass": draw(["E", "N", "Z", "V"], n),
        "Entl.-Grund": draw(["01", "07", "09", "17", "22"], n),
        "Fachabt.": draw(["0100", "0300", "1500", "2800", "3600", "0150"], n),
        "Station": draw(["1A", "1B", "2A", "ITS", "3C"], n),
        "Hauptdiagnose": draw(icd, n),
        "Nebendiagnosen": [", ".join(rng.sample(icd, rng.randrange(1, 5))) for _ in range(n)],
        "OPS": ["|".join(rng.sample(ops, rng.randrange(1, 4))) for _ in range(n)],
        "DRG": draw(["F62B", "I47C", "G67A", "E65C", "B70B", "A13G"], n),
        "CW eff.": [f"{rng.uniform(0.2, 9):.3f}".replace(".", ",") for _ in range(n)],
        "Beatmungsstd.": [
            str(v) for v in draw([0] * 9 + [12, 48, 96, 240, 15, 33, 7, 88, 61, 9, 5, 3, 77, 120, 500], n)
        ],
        "Gewicht (g)": [("" if rng.random() < 0.9 else str(rng.randrange(700, 4500))) for _ in range(n)],
        "Verweildauer": [str(v) for v in draw(range(1, 60), n)],
        "Kostenträger": draw(kk, n),
        "Wahlleistung": draw(["J", "N"], n),
        "Pflegegrad": draw(["0", "1", "2", "3", "4", "5", ""], n),
        "einweisender Arzt": [
            f"Dr. med. {a} {b}"
            for a, b in zip(
                draw(["Anna", "Jörg", "Petra", "Uwe", "Ines"], n),
                draw(["Maier", "Schulz", "Yılmaz", "Krüger", "Voß", "Lang"], n),
                strict=False,
            )
        ],
        "Bemerkungen": [
            rng.choice(
                [
                    "",
                    "",
                    "Pat. wünscht Einzelzimmer",
                    "Sohn anrufen 0171 2345678",
                    "Dolmetscher nötig",
                    "Verlegung aus Haus Nord geplant",
                ]
            )
            for _ in range(n)
        ],
        "Rechnungsbetrag": [
            f"{rng.randrange(1, 40)}.{rng.randrange(1000):03d},{rng.randrange(100):02d}" for _ in range(n)
        ],
        "Blutgruppe": draw(["A+", "0+", "B+", "AB-", "A-", "0-"], n),
        "Mandant": ["001"] * n,
    }
    wanted = {
        (REMOVED,): ["Fallnummer", "Pat-Nr", "Versicherten-Nr.", "Bemerkungen"],
        (DATE,): ["Geb.-Datum", "Aufn.-Dat.", "Entl.-Dat."],
        (NUMERIC,): ["Alter_Aufnahme", "CW eff.", "Beatmungsstd.", "Gewicht (g)", "Verweildauer"],
        (CATEGORY,): [
            "Geschl.",
            "Aufnahmegrund",
            "Aufnahmeanlass",
            "Entl.-Grund",
            "Station",
            "Kostenträger",
            "Wahlleistung",
            "Blutgruppe",
        ],
        (PREFIX,): ["PLZ_Patient"],
        (CATEGORY, PREFIX): ["Fachabt."],
        (NOMINAL,): ["Hauptdiagnose"],
        (SET,): ["Nebendiagnosen"],
        (SET, OPEN): ["OPS"],
        (CATEGORY, PREFIX, NOMINAL): ["DRG"],
        (ORDINAL, CATEGORY): ["Pflegegrad"],
        (REMOVED, CATEGORY, LEFT_OUT): ["einweisender Arzt"],
        (NUMERIC, KEPT): ["Rechnungsbetrag"],
        (HARMLESS, LEFT_OUT): ["Mandant"],
    }
    return pl.DataFrame(columns), {name: choices for choices, names in wanted.items() for name in names}


def ecole(n: int = 300) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """The register of a French school."""
    rng, draw = tools(13)
    noms = ["Martin", "Durand", "Lefèvre", "Moreau", "Girard", "Benali", "Rossi"]
    prenoms = ["Léa", "Hugo", "Inès", "Yanis", "Chloé", "Noé"]
    prof = ["ouvrier", "cadre", "employée", "artisan", "agricultrice", "sans emploi", "enseignante"]
    columns = {
        "n° INE": [f"{rng.randrange(10**9, 10**10)}{rng.choice('ABCDEFGH')}{rng.choice('ABCDEFGH')}" for _ in range(n)],
        "Nom": draw(noms, n),
        "Prénom": draw(prenoms, n),
        "Né(e) le": [
            f"{1 + rng.randrange(28):02d}/{1 + rng.randrange(12):02d}/{2005 + rng.randrange(7)}" for _ in range(n)
        ],
        "Sexe": draw(["F", "G"], n),
        "Classe": draw(["6eA", "6eB", "5eA", "4eC", "3eB"], n),
        "Niveau": draw(["6e", "5e", "4e", "3e"], n),
        "Régime": draw(["externe", "demi-pensionnaire", "interne"], n),
        "Boursier": draw(["O", "N"], n),
        "Redoublant": draw(["oui", "non"], n),
        "LV1": draw(["anglais", "allemand"], n),
        "LV2": draw(["espagnol", "italien", "allemand", ""], n),
        "Moyenne générale": [f"{rng.uniform(5, 19):.2f}".replace(".", ",") for _ in range(n)],
        "Absences (demi-journées)": [str(v) for v in draw(range(40), n)],
        "Retards": [str(v) for v in draw(range(9), n)],
        "Adresse 1": [f"{rng.randrange(1, 99)} rue {x}" for x in draw(["Pasteur", "de la Paix", "Victor Hugo"], n)],
        "CP": [f"{v:05d}" for v in draw(range(1000, 95000, 113), n)],
        "Commune": draw(["Lyon", "Bron", "Vénissieux", "Villeurbanne"], n),
        "Prof. resp. 1": draw(prof, n),
        "Prof. resp. 2": draw(prof, n),
        "Tél. resp.": [
            f"06 {rng.randrange(10, 99)} {rng.randrange(10, 99)} {rng.randrange(10, 99)} {rng.randrange(10, 99)}"
            for _ in range(n)
        ],
        "Courriel": [f"p{i}@exemple.fr" for i in range(n)],
        "Nationalité": draw(["française", "algérienne", "portugaise", "italienne"], n),
        "Pays de naissance": draw(["France", "Algérie", "Portugal", "Italie"], n),
        "PAI": draw(["O", "N", "N", "N"], n),
        "Allergies": [rng.choice(["", "", "", "arachide", "pollen;arachide", "lactose", "pollen"]) for _ in range(n)],
        "Nb frères et sœurs": [str(v) for v in draw(range(6), n)],
        "Taille": [str(v) for v in draw(range(130, 190), n)],
        "Appréciation": [
            f"{a} {b}, {c}."
            for a, b, c in zip(
                draw(prenoms, n),
                draw(["travaille bien", "doit faire des efforts", "bavarde trop"], n),
                draw(["continuez", "attention au brevet", "bon trimestre malgré tout"], n),
                strict=False,
            )
        ],
        "Quotient familial": [f"{rng.randrange(1, 3)} {rng.randrange(1000):03d}" for _ in range(n)],
        "Etablissement": ["0691234A"] * n,
        "Mention": draw(["Assez bien", "Bien", "Très bien", "Sans"], n),
    }
    wanted = {
        (REMOVED,): ["n° INE", "Nom", "Prénom", "Adresse 1", "Tél. resp.", "Courriel", "Appréciation"],
        (DATE,): ["Né(e) le"],
        (CATEGORY,): [
            "Sexe",
            "Classe",
            "Régime",
            "Boursier",
            "Redoublant",
            "LV1",
            "LV2",
            "Commune",
            "Prof. resp. 1",
            "Prof. resp. 2",
            "Nationalité",
        ],
        (ORDINAL, CATEGORY): ["Niveau", "Mention"],
        (NUMERIC,): ["Moyenne générale", "Absences (demi-journées)", "Retards", "Nb frères et sœurs", "Taille"],
        (PREFIX,): ["CP"],
        (CATEGORY, NOMINAL): ["Pays de naissance"],
        (CATEGORY, KEPT): ["PAI"],
        (CATEGORY, SET, OPEN, KEPT): ["Allergies"],
        (NUMERIC, KEPT): ["Quotient familial"],
        (HARMLESS, LEFT_OUT): ["Etablissement"],
    }
    return pl.DataFrame(columns), {name: choices for choices, names in wanted.items() for name in names}


def rejestr(n: int = 300) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """A Polish cancer registry: names of columns in a language that the vocabulary lacks."""
    rng, draw = tools(22)
    columns = {
        "PESEL": [f"{rng.randrange(10**10, 10**11)}" for _ in range(n)],
        "nr_karty": [f"K{20000 + i}/21" for i in range(n)],
        "imię": draw(["Anna", "Jan", "Ewa", "Piotr", "Zofia"], n),
        "nazwisko": [f"{a}{i}ski" for i, a in enumerate(draw(["Kowal", "Nowak", "Wójc"], n))],
        "płeć": draw(["K", "M"], n),
        "wiek": [str(v) for v in draw(range(1, 97), n)],
        "data_urodzenia": [
            f"{1930 + rng.randrange(80)}-{1 + rng.randrange(12):02d}-{1 + rng.randrange(28):02d}" for _ in range(n)
        ],
        "kod_pocztowy": [f"{rng.randrange(10, 99)}-{rng.randrange(100, 999)}" for _ in range(n)],
        "województwo": draw(["mazowieckie", "śląskie", "pomorskie", "lubelskie"], n),
        "zawód": draw(["rolnik", "nauczyciel", "kierowca", "lekarz", "emeryt"], n),
        "stan_cywilny": draw(["wolny", "żonaty", "wdowa"], n),
        "wykształcenie": draw(["podstawowe", "średnie", "wyższe"], n),
        "rozpoznanie": draw(["C50.9", "C34.1", "C18.7", "C61", "C16.9", "C43.5", "C25.0", "C67.9"], n),
        "data_rozpoznania": [f"{1 + rng.randrange(28):02d}.{1 + rng.randrange(12):02d}.2021" for _ in range(n)],
        "stopień": draw(["I", "II", "III", "IV"], n),
        "TNM": draw(["T1N0M0", "T2N1M0", "T3N1M1", "T4N2M1"], n),
        "strona": draw(["lewa", "prawa", "obie"], n),
        "przerzuty": draw(["tak", "nie"], n),
        "palenie": draw(["tak", "nie", "w przeszłości"], n),
        "masa_ciała_kg": [f"{rng.uniform(40, 120):.1f}".replace(".", ",") for _ in range(n)],
        "wzrost": [str(v) for v in draw(range(140, 200), n)],
        "liczba_dzieci": [str(v) for v in draw(range(6), n)],
        "przeżycie_mies": [str(v) for v in draw(range(120), n)],
        "zgon": draw(["0", "1"], n),
        "lekarz": [f"dr {x}" for x in draw(["Kot", "Lis", "Wilk", "Sowa"], n)],
        "uwagi": [
            rng.choice(
                [
                    "",
                    "chora prosi o kontakt z córką",
                    "wznowa po dwóch latach od operacji",
                    "pacjent nie zgłosił się na wizytę kontrolną",
                ]
            )
            + (f" {i}" if rng.random() < 0.5 else "")
            for i in range(n)
        ],
        "szpital": draw(["Gdańsk", "Łódź", "Kielce"], n),
    }
    wanted = {
        (REMOVED,): ["PESEL", "nr_karty", "nazwisko", "uwagi"],
        (REMOVED, CATEGORY): ["imię"],
        (CATEGORY,): [
            "płeć",
            "województwo",
            "zawód",
            "stan_cywilny",
            "TNM",
            "strona",
            "przerzuty",
            "palenie",
            "szpital",
        ],
        (NUMERIC,): ["wiek", "masa_ciała_kg", "wzrost", "liczba_dzieci", "przeżycie_mies"],
        (DATE,): ["data_urodzenia", "data_rozpoznania"],
        (PREFIX,): ["kod_pocztowy"],
        (CATEGORY, ORDINAL): ["wykształcenie"],
        (NOMINAL,): ["rozpoznanie"],
        (ORDINAL, CATEGORY): ["stopień"],
        (CATEGORY, KEPT): ["zgon"],
        (CATEGORY, REMOVED): ["lekarz"],
    }
    return pl.DataFrame(columns), {name: choices for choices, names in wanted.items() for name in names}


def onderwijs(n: int = 300) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """A survey among pupils in Dutch, Italian and Portuguese."""
    rng, draw = tools(24)
    eens = ["helemaal oneens", "oneens", "neutraal", "eens", "helemaal eens"]
    columns = {
        "respondentnr": [f"{i + 1}" for i in range(n)],
        "invuldatum": [f"{1 + rng.randrange(28)}-{1 + rng.randrange(12)}-2022" for _ in range(n)],
        "leeftijd": [str(v) for v in draw(range(11, 19), n)],
        "geslacht": draw(["jongen", "meisje", "anders"], n),
        "postcode4": [f"{v}" for v in draw(range(1011, 9999, 57), n)],
        "schoolsoort": draw(["vmbo", "havo", "vwo"], n),
        "leerjaar": [str(v) for v in draw(range(1, 7), n)],
        "geboorteland": draw(["Nederland", "Turkije", "Marokko", "Suriname"], n),
        "V1_school_is_leuk": draw(eens, n),
        "V2_ik_voel_me_veilig": draw(eens, n),
        "rapportcijfer": [f"{rng.uniform(3, 10):.1f}".replace(".", ",") for _ in range(n)],
        "roken": draw(["nooit", "soms", "dagelijks"], n),
        "alcohol_glazen": [str(v) for v in draw(range(15), n)],
        "lengte_cm": [str(v) for v in draw(range(130, 200), n)],
        "gewicht_kg": [f"{rng.uniform(30, 90):.1f}".replace(".", ",") for _ in range(n)],
        "slaapuren": [str(v) for v in draw(range(4, 12), n)],
        "religione": draw(["cattolica", "nessuna", "islamica"], n),
        "lingua_casa": draw(["italiano", "arabo", "cinese"], n),
        "soddisfazione": draw(["molto soddisfatto", "soddisfatto", "insoddisfatto", "molto insoddisfatto"], n),
        "titolo_madre": draw(["licenza media", "diploma", "laurea"], n),
        "professione_padre": draw(["operaio", "impiegato", "medico", "commerciante"], n),
        "rendimento_escolar": draw(["Muito bom", "Bom", "Mau", "Muito mau"], n),
        "numero_irmaos": [str(v) for v in draw(range(7), n)],
        "tem_bolsa": draw(["sim", "não"], n),
        "peso_amostral": [f"{rng.uniform(0.3, 3):.5f}" for _ in range(n)],
        "observações": [
            rng.choice(
                ["", "gosta de futebol", "mudou-se para cá em março com a avó", "não quis responder à última pergunta"]
            )
            for _ in range(n)
        ],
        "golf": ["W3"] * n,
        "escola_id": draw(["E01", "E02", "E03", "E04"], n),
    }
    wanted = {
        (REMOVED,): ["respondentnr", "observações"],
        (DATE,): ["invuldatum"],
        (NUMERIC,): [
            "leeftijd",
            "rapportcijfer",
            "alcohol_glazen",
            "lengte_cm",
            "gewicht_kg",
            "slaapuren",
            "numero_irmaos",
        ],
        (CATEGORY,): ["geslacht", "geboorteland", "lingua_casa", "professione_padre", "tem_bolsa", "escola_id"],
        (PREFIX,): ["postcode4"],
        (CATEGORY, ORDINAL): ["schoolsoort", "titolo_madre"],
        (NUMERIC, ORDINAL, CATEGORY): ["leerjaar"],
        (ORDINAL,): ["V1_school_is_leuk", "V2_ik_voel_me_veilig", "soddisfazione", "rendimento_escolar"],
        (ORDINAL, CATEGORY): ["roken"],
        (CATEGORY, KEPT): ["religione"],
        (WEIGHT,): ["peso_amostral"],
        (HARMLESS, LEFT_OUT): ["golf"],
    }
    return pl.DataFrame(columns), {name: choices for choices, names in wanted.items() for name in names}
