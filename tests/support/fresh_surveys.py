"""Invented surveys and business tables, with what a steward chooses for each column."""

from __future__ import annotations

import polars as pl

from support.fresh_tables import (
    CATEGORY,
    DATE,
    HARMLESS,
    KEPT,
    LEFT_OUT,
    NOMINAL,
    NUMERIC,
    OPEN,
    ORDINAL,
    PREFIX,
    REMOVED,
    SET,
    WEIGHT,
    tools,
)


def survey(n: int = 500) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """Answers of customers, exported by a survey tool."""
    rng, draw = tools(12)
    agree = ["Strongly disagree", "Somewhat disagree", "Neither agree nor disagree", "Somewhat agree", "Strongly agree"]
    sat = ["Very dissatisfied", "Dissatisfied", "Neutral", "Satisfied", "Very satisfied"]
    freq = ["Daily", "Weekly", "Monthly", "Less often", "Never"]
    owns = ["Smartphone", "Tablet", "Laptop", "Smart TV", "Games console", "None of these"]
    inc = [
        "Under $25,000",
        "$25,000 - $49,999",
        "$50,000 - $74,999",
        "$75,000 - $99,999",
        "$100,000 or more",
        "Prefer not to say",
    ]
    ages = ["18-24", "25-34", "35-44", "45-54", "55-64", "65+"]
    st = ["Texas", "Ohio", "Maine", "California", "New York", "Florida", "Utah", "Oregon"]

    def ts():
        return f"{1 + rng.randrange(12)}/{1 + rng.randrange(28)}/2023 {rng.randrange(24)}:{rng.randrange(60):02d}"

    columns = {
        "ResponseId": [f"R_{rng.randrange(16**10):010x}" for _ in range(n)],
        "StartDate": [ts() for _ in range(n)],
        "EndDate": [ts() for _ in range(n)],
        "IPAddress": [".".join(str(rng.randrange(1, 255)) for _ in range(4)) for _ in range(n)],
        "Progress": ["100"] * n,
        "Duration (in seconds)": [str(rng.randrange(60, 4000)) for _ in range(n)],
        "Finished": draw(["True", "True", "False"], n),
        "RecipientEmail": [f"user{i}@mail.example" for i in range(n)],
        "LocationLatitude": [f"{rng.uniform(25, 48):.4f}" for _ in range(n)],
        "LocationLongitude": [f"{rng.uniform(-120, -70):.4f}" for _ in range(n)],
        "DistributionChannel": ["email"] * n,
        "UserLanguage": draw(["EN", "EN", "ES"], n),
        "CustomerNo": [f"C-{30000 + i * 3}" for i in range(n)],
        "Q1 Overall satisfaction": draw(sat, n),
        "Q2_1 The staff were helpful": draw(agree, n),
        "Q2_2 I would buy again": draw(agree, n),
        "Q3 NPS": [str(v) for v in draw(range(11), n)],
        "Q4 How often do you visit us?": draw(freq, n),
        "Q5 Which do you own?": [",".join(rng.sample(owns, rng.randrange(1, 4))) for _ in range(n)],
        "Q6 What could we improve?": [
            rng.choice(
                [
                    "",
                    "",
                    "shorter queues please at the till",
                    "my manager Mrs Hale was rude to me on Monday",
                    "nothing",
                    "more vegan food in the canteen",
                    "parking is too far away from the entrance",
                ]
            )
            + ("" if rng.random() < 0.4 else f" {rng.randrange(10**6)}")
            for _ in range(n)
        ],
        "Q7 Amount spent": [f"{rng.uniform(1, 1500):,.2f}" for _ in range(n)],
        "Age group": draw(ages, n),
        "Gender": draw(["Female", "Male", "Non-binary", "Prefer not to say"], n),
        "HH income": draw(inc, n),
        "Employment": draw(["Full-time", "Part-time", "Student", "Retired", "Unemployed"], n),
        "State": draw(st, n),
        "ZIP": [f"{v:05d}" for v in draw(range(501, 99950, 97), n)],
        "# of people in household": [str(v) for v in draw(range(1, 8), n)],
        "Member since": [str(v) for v in draw(range(1998, 2024), n)],
        "Loyalty tier": draw(["Bronze", "Silver", "Gold"], n),
        "Weight": [f"{rng.uniform(0.2, 4):.6f}" for _ in range(n)],
    }
    wanted = {
        (REMOVED,): ["ResponseId", "IPAddress", "RecipientEmail", "CustomerNo", "Q6 What could we improve?"],
        (DATE,): ["StartDate", "EndDate"],
        (HARMLESS, LEFT_OUT): ["Progress", "DistributionChannel"],
        (NUMERIC,): [
            "Duration (in seconds)",
            "LocationLatitude",
            "LocationLongitude",
            "Q7 Amount spent",
            "# of people in household",
            "Member since",
        ],
        (CATEGORY,): ["Finished", "UserLanguage", "Gender"],
        (ORDINAL,): ["Q1 Overall satisfaction", "Q2_1 The staff were helpful", "Q2_2 I would buy again", "Age group"],
        (NUMERIC, ORDINAL): ["Q3 NPS"],
        (ORDINAL, CATEGORY): ["Q4 How often do you visit us?", "Loyalty tier"],
        (SET, OPEN): ["Q5 Which do you own?"],
        (ORDINAL, KEPT, CATEGORY): ["HH income"],
        (CATEGORY, NOMINAL): ["Employment", "State"],
        (PREFIX,): ["ZIP"],
        (WEIGHT,): ["Weight"],
    }
    return pl.DataFrame(columns), {name: choices for choices, names in wanted.items() for name in names}


def payroll(n: int = 350) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """Staff of a company, with abbreviated names of columns."""
    rng, draw = tools(21)

    def d(a, b):
        return f"{rng.randrange(a, b)}{1 + rng.randrange(12):02d}{1 + rng.randrange(28):02d}"

    first = ["Ann", "Bob", "Cy", "Dee", "Eve"]
    last = ["Stone", "Wood", "Hill", "Brook"]
    dep = {
        "Finance": ["Accountant", "Controller", "Payroll clerk"],
        "IT": ["Developer", "Architect", "Tester"],
        "Sales": ["Account manager", "Telesales agent"],
        "HR": ["Recruiter", "Trainer"],
    }
    dj = [(x, rng.choice(dep[x])) for x in draw(dep, n)]
    columns = {
        "EmpNo": [f"{100234 + i * 7}" for i in range(n)],
        "FName": draw(first, n),
        "LName": draw(last, n),
        "DOB": [d(1955, 2003) for _ in range(n)],
        "HireDt": [d(1990, 2023) for _ in range(n)],
        "TermDt": [("" if rng.random() < 0.8 else d(2000, 2023)) for _ in range(n)],
        "Dept": [a for a, _ in dj],
        "JobTitle": [b for _, b in dj],
        "PayGrade": draw(["G3", "G4", "G5", "G6", "G7"], n),
        "MgrEmpNo": [str(100234 + 7 * rng.randrange(12)) for _ in range(n)],
        "BaseSal": [f"{rng.randrange(28, 180)},{rng.randrange(1000):03d}" for _ in range(n)],
        "BonusPct": [str(v) for v in draw([0, 5, 10, 15, 20], n)],
        "FTE": draw(["1.0", "0.8", "0.5", "0.6"], n),
        "PerfRating": draw(["Below expectations", "Meets expectations", "Exceeds expectations"], n),
        "Site": draw(["Leeds", "York", "Hull"], n),
        "SickDays": [str(v) for v in draw(range(31), n)],
        "Disability": draw(["Y", "N", "Not disclosed"], n),
        "EthnicGrp": draw(["White British", "Asian", "Black", "Mixed"], n),
        "UnionMbr": draw(["0", "1"], n),
        "SortCode": [f"{rng.randrange(10, 99)}-{rng.randrange(10, 99)}-{rng.randrange(10, 99)}" for _ in range(n)],
        "BankAcct": [f"{rng.randrange(10**7, 10**8)}" for _ in range(n)],
        "NINO": [f"AB{rng.randrange(10**5, 10**6)}C" for _ in range(n)],
        "HomePostcode": [
            f"LS{rng.randrange(1, 29)} {rng.randrange(1, 9)}{rng.choice('ABD')}{rng.choice('EFG')}" for _ in range(n)
        ],
        "NoOfDependants": [str(v) for v in draw(range(5), n)],
        "LeaveReason": [rng.choice(["", "", "", "Resigned", "Retired", "Redundancy"]) for _ in range(n)],
        "ContractHrs": draw(["37.5", "30", "20", "18.75"], n),
        "LastReviewNotes": [
            rng.choice(["ok", "good year; promote", "warned twice about lateness in March", "see file", ""])
            for _ in range(n)
        ],
        "CompanyCode": ["UK01"] * n,
    }
    wanted = {
        (REMOVED,): ["EmpNo", "FName", "LName", "SortCode", "BankAcct", "NINO", "LastReviewNotes"],
        (DATE,): ["DOB", "HireDt", "TermDt"],
        (CATEGORY,): ["Dept", "Site", "EthnicGrp", "LeaveReason"],
        (CATEGORY, NOMINAL): ["JobTitle"],
        (ORDINAL, CATEGORY): ["PayGrade"],
        (REMOVED, CATEGORY): ["MgrEmpNo"],
        (NUMERIC, KEPT): ["BaseSal", "BonusPct", "SickDays"],
        (NUMERIC, ORDINAL, CATEGORY): ["FTE"],
        (ORDINAL, CATEGORY, KEPT): ["PerfRating"],
        (CATEGORY, KEPT): ["Disability", "UnionMbr"],
        (PREFIX,): ["HomePostcode"],
        (NUMERIC,): ["NoOfDependants", "ContractHrs"],
        (HARMLESS, LEFT_OUT): ["CompanyCode"],
    }
    return pl.DataFrame(columns), {name: choices for choices, names in wanted.items() for name in names}


def claims(n: int = 450) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """Car insurance claims."""
    rng, draw = tools(23)
    columns = {
        "policy_number": [f"PN{rng.randrange(10**6, 10**7)}" for _ in range(n)],
        "claim_id": [str(9000 + i) for i in range(n)],
        "insured_name": [
            f"{a} {b}"
            for a, b in zip(
                draw(["Li", "Ana", "Omar", "Kim"], n), draw(["Ng", "Cruz", "Aziz", "Berg"], n), strict=False
            )
        ],
        "driver_age": [str(v) for v in draw(range(17, 90), n)],
        "driver_gender": draw(["M", "F", "X"], n),
        "licence_since": [str(v) for v in draw(range(1960, 2023), n)],
        "vehicle_make": draw(["Ford", "Toyota", "BMW", "Kia"], n),
        "vehicle_model_year": [str(v) for v in draw(range(1995, 2024), n)],
        "plate": [
            f"{rng.choice('ABC')}{rng.choice('XYZ')}{rng.randrange(10, 99)} {''.join(rng.choices('KLM', k=3))}"
            for _ in range(n)
        ],
        "vin": ["".join(rng.choice("ABCDEFGH0123456789") for _ in range(17)) for _ in range(n)],
        "accident_date": [
            f"{1 + rng.randrange(28)} {rng.choice(['Jan', 'Feb', 'Mar', 'Oct', 'Nov'])} 2022" for _ in range(n)
        ],
        "accident_time": [f"{rng.randrange(24):02d}:{rng.randrange(60):02d}" for _ in range(n)],
        "lat": [f"{rng.uniform(51, 53):.5f}" for _ in range(n)],
        "lng": [f"{rng.uniform(-2, 0):.5f}" for _ in range(n)],
        "weather": draw(["Dry", "Rain", "Snow", "Fog"], n),
        "severity": draw(["Slight", "Serious", "Fatal"], n),
        "injury_codes": [rng.choice(["", "S06.0", "S13.4", "S06.0|S82.2", "T07", "S13.4|S22.3"]) for _ in range(n)],
        "num_passengers": [str(v) for v in draw(range(5), n)],
        "at_fault": draw(["TRUE", "FALSE"], n),
        "claim_amount": [f"£{rng.uniform(50, 30000):,.2f}" for _ in range(n)],
        "reserve": [f"{rng.uniform(50, 30000):.2f}" for _ in range(n)],
        "excess": draw(["0", "100", "250", "500"], n),
        "ncd_years": [str(v) for v in draw(range(10), n)],
        "occupation": draw(["Nurse", "Teacher", "Plumber", "Chef", "Lawyer", "Farmer"], n),
        "marital": draw(["S", "M", "D", "W"], n),
        "repair_garage": draw(["Kwik Repairs", "Bodyline Ltd", "Hill Motors"], n),
        "phone": [f"07{rng.randrange(10**8, 10**9)}" for _ in range(n)],
        "description": [
            f"Car hit {x} while turning near number {i}"
            for i, x in enumerate(draw(["a wall", "a cyclist", "another car"], n))
        ],
        "fraud_flag": draw(["0", "0", "0", "1"], n),
        "settled": draw(["Yes", "No", "Pending"], n),
        "currency": ["GBP"] * n,
    }
    wanted = {
        (REMOVED,): ["policy_number", "claim_id", "insured_name", "plate", "vin", "phone", "description"],
        (NUMERIC,): ["driver_age", "licence_since", "vehicle_model_year", "lat", "lng", "num_passengers", "ncd_years"],
        (CATEGORY,): ["driver_gender", "vehicle_make", "weather", "at_fault", "marital", "repair_garage", "settled"],
        (DATE,): ["accident_date"],
        (CATEGORY, OPEN, NUMERIC, LEFT_OUT, REMOVED): ["accident_time"],
        (ORDINAL, CATEGORY): ["severity"],
        (SET, NOMINAL): ["injury_codes"],
        (NUMERIC, KEPT, OPEN): ["claim_amount"],
        (NUMERIC, KEPT): ["reserve"],
        (NUMERIC, CATEGORY, ORDINAL): ["excess"],
        (NOMINAL, CATEGORY): ["occupation"],
        (CATEGORY, KEPT): ["fraud_flag"],
        (HARMLESS, LEFT_OUT): ["currency"],
    }
    return pl.DataFrame(columns), {name: choices for choices, names in wanted.items() for name in names}


def padron(n: int = 400) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """A household survey of 42 columns in Spanish, German and English."""
    rng, draw = tools(14)
    na = "No aplica"
    prov = ["Ourense", "Lugo", "Madrid", "Jaén", "Teruel", "Cádiz", "Álava"]
    muni = {p: [f"{p} centro", f"{p} norte", f"{p} sur"] for p in prov}
    pm = [(p, rng.choice(muni[p])) for p in draw(prov, n)]
    occ = {
        "2 Técnicos": ["211", "221", "231", "262"],
        "5 Servicios": ["511", "521", "541"],
        "9 Elementales": ["911", "921", "961"],
        na: ["000"],
    }
    oc = [(m, rng.choice(occ[m])) for m in draw(occ, n)]

    def money(lo, hi):
        return [str(rng.choice([0, 0, 0, rng.randrange(lo, hi)])) for _ in range(n)]

    def sn():
        return draw(["Sí", "No", na], n)

    columns = {
        "IDHOGAR": [f"{i // 3:06d}" for i in range(n)],
        "NORDEN": [str(1 + i % 3) for i in range(n)],
        "FACTOR": [f"{rng.uniform(80, 900):.4f}" for _ in range(n)],
        "EDAD": [str(v) for v in draw(range(100), n)],
        "SEXO": draw(["1", "6"], n),
        "ECIVIL": draw(["1", "2", "3", "4", "5"], n),
        "provincia": [p for p, _ in pm],
        "municipio_res": [m for _, m in pm],
        "tamaño municipio": draw(["menos de 10.000", "10.000 a 50.000", "50.000 a 100.000", "más de 100.000"], n),
        "nacionalidad": draw(["Española", "Rumana", "Marroquí", "Doble"], n),
        "pais_nac": draw(["España", "Rumanía", "Marruecos", "Ecuador"], n),
        "año_llegada": [rng.choice(["", "", str(rng.randrange(1970, 2022))]) for _ in range(n)],
        "nivel_estudios": draw(["Primaria", "Secundaria", "FP", "Universidad", "Sin estudios"], n),
        "ocupacion_1d": [m for m, _ in oc],
        "ocupacion_3d": [d for _, d in oc],
        "sit_prof": draw(["Asalariado", "Autónomo", na], n),
        "horas_hab": [str(v) for v in draw([0, *range(10, 60)], n)],
        "busca_empleo": sn(),
        "teletrabaja": sn(),
        "ingresos_netos": money(400, 5000),
        "prestacion_paro": money(100, 1500),
        "alquiler_mes": money(200, 1500),
        "EF117": draw(["1", "2", "3", "8"], n),
        "Haushaltsgröße": [str(v) for v in draw(range(1, 9), n)],
        "Wohnfläche_qm": [str(v) for v in draw(range(25, 220), n)],
        "Heizungsart": draw(["Gas", "Öl", "Fernwärme", "Strom"], n),
        "Migrationshintergrund": draw(["ja", "nein", "keine Angabe"], n),
        "Schwerbehinderung_GdB": draw(["0", "20", "30", "50", "80", "100"], n),
        "Raucher": draw(["täglich", "gelegentlich", "nie"], n),
        "chron_krank": draw(["ja", "nein", "trifft nicht zu"], n),
        "tenure": draw(["Owned outright", "Mortgage", "Rented", na], n),
        "n_rooms": [str(v) for v in draw(range(1, 11), n)],
        "n_vehicles": [str(v) for v in draw(range(5), n)],
        "internet_access": draw(["Yes", "No"], n),
        "travel_mode": draw(["Car", "Bus", "Bicycle", "On foot", "Not in universe"], n),
        "commute_min": [str(v) for v in draw(range(0, 120, 5), n)],
        "self_rated_health": draw(["Very good", "Good", "Fair", "Bad", "Very bad"], n),
        "carer": draw(["Yes, 1-19 hours", "Yes, 20 or more hours", "No", "Not in universe"], n),
        "lang_home": draw(["es", "gl", "eu", "ar", "ro"], n),
        "relig": draw(["None", "Catholic", "Muslim", "Other", "No answer"], n),
        "voted_last": draw(["Yes", "No", "Not eligible"], n),
        "ola": ["2023T2"] * n,
    }
    wanted = {
        (REMOVED,): ["IDHOGAR"],
        (CATEGORY, NUMERIC, REMOVED): ["NORDEN"],
        (WEIGHT,): ["FACTOR"],
        (NUMERIC,): [
            "EDAD",
            "año_llegada",
            "horas_hab",
            "Haushaltsgröße",
            "Wohnfläche_qm",
            "n_rooms",
            "n_vehicles",
            "commute_min",
        ],
        (CATEGORY,): [
            "SEXO",
            "ECIVIL",
            "provincia",
            "municipio_res",
            "nacionalidad",
            "pais_nac",
            "ocupacion_1d",
            "sit_prof",
            "busca_empleo",
            "teletrabaja",
            "EF117",
            "Heizungsart",
            "Migrationshintergrund",
            "tenure",
            "internet_access",
            "travel_mode",
            "lang_home",
        ],
        (ORDINAL, CATEGORY): ["tamaño municipio", "nivel_estudios", "Raucher"],
        (CATEGORY, PREFIX): ["ocupacion_3d"],
        (NUMERIC, KEPT): ["ingresos_netos", "prestacion_paro", "alquiler_mes"],
        (ORDINAL, NUMERIC, KEPT, CATEGORY): ["Schwerbehinderung_GdB"],
        (CATEGORY, KEPT): ["chron_krank", "relig", "voted_last"],
        (ORDINAL,): ["self_rated_health"],
        (CATEGORY, ORDINAL): ["carer"],
        (HARMLESS, LEFT_OUT): ["ola"],
    }
    return pl.DataFrame(columns), {name: choices for choices, names in wanted.items() for name in names}
