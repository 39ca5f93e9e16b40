"""The small taxonomies of the examples in Martínez 2012 (Figs. 4, 5 and 7)."""

from __future__ import annotations

import ontomask as om

SYMPTOM_LINKS = [
    ("pain", "symptom"),
    ("inflammation", "symptom"),
    ("ache", "pain"),
    ("colic", "pain"),
    ("lumbago", "ache"),
    ("migraine", "ache"),
    ("appendicitis", "inflammation"),
    ("gastritis", "inflammation"),
]
SYMPTOMS = om.Taxonomy.from_edges(SYMPTOM_LINKS)
TREATMENTS = om.Taxonomy.from_edges(
    [
        ("therapy", "medical_care"),
        ("hospitalisation", "medical_care"),
        ("rehabilitation", "therapy"),
        ("medication", "therapy"),
        ("antibiotic", "medication"),
        ("analgesic", "medication"),
        ("aspirin", "analgesic"),
        ("codeine", "analgesic"),
    ]
)
