"""Make patients.csv, the invented table of the guides: `python docs/files/make.py`."""

from __future__ import annotations

import random
from pathlib import Path

OCCUPATIONS = {
    "nurse": 24,
    "teacher": 22,
    "farmer": 18,
    "carpenter": 14,
    "electrician": 12,
    "accountant": 12,
    "engineer": 10,
    "physician": 9,
    "lawyer": 6,
    "baker": 6,
    "fisherman": 4,
    "pilot": 3,
    "violinist": 2,
    "astronaut": 1,
}
DIAGNOSES = {
    "250.00": 26,  # diabetes, type II
    "401.9": 24,  # high blood pressure
    "428.0": 16,  # heart failure
    "410.71": 12,  # heart attack
    "486": 14,  # pneumonia
    "491.21": 10,  # chronic bronchitis
    "820.8": 9,  # broken hip
    "813.41": 6,  # broken wrist
    "250.83": 5,  # diabetes, type I
    "530.81": 8,  # reflux
    "577.0": 4,  # inflamed pancreas
    "277.02": 1,  # cystic fibrosis
}
OUTCOMES = {"recovered": 10, "improved": 6, "unchanged": 3, "died": 1}
WARDS = ("north", "south")


def rows(number: int = 240, seed: int = 5) -> list[str]:
    """The lines of the table: some patients came twice."""
    rng = random.Random(seed)

    def draw(weights: dict[str, int]) -> str:
        return rng.choices(list(weights), list(weights.values()))[0]

    lines = ["patient_id,age,occupation,diagnosis,ward,outcome"]
    patients: list[tuple[str, int, str]] = []
    for _ in range(number):
        if patients and rng.random() < 0.1:
            patient = rng.choice(patients)
        else:
            age = min(90, max(18, round(rng.gauss(57, 16))))
            patient = (f"P{1001 + len(patients)}", age, draw(OCCUPATIONS))
            patients.append(patient)
        lines.append(",".join([*map(str, patient), draw(DIAGNOSES), rng.choice(WARDS), draw(OUTCOMES)]))
    return lines


if __name__ == "__main__":
    Path(__file__).with_name("patients.csv").write_text("\n".join(rows()) + "\n", encoding="utf-8")
