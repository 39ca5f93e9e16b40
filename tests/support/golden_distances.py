"""The golden table: all pairs × all measures on a small polyhierarchy, from the literal definitions.

Regenerate with ``make golden`` after a deliberate change of a definition; the diff shows what it changes.
"""

from __future__ import annotations

import csv
import sys
from itertools import combinations_with_replacement
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from ontomask import Taxonomy
from ontomask.taxonomy import Annotations

from support import literal_distance as lit

FILE = Path(__file__).parents[1] / "distance" / "golden.csv"

# Two ways to the platypus and to the bat; a shortcut from the dog to the animal; words that stand for two concepts.
PARENTS: dict[str, list[str]] = {
    "thing": [],
    "animal": ["thing"],
    "tool": ["thing"],
    "mammal": ["animal"],
    "egg_layer": ["animal"],
    "flier": ["animal"],
    "bird": ["egg_layer", "flier"],
    "platypus": ["mammal", "egg_layer"],
    "bat": ["mammal", "flier"],
    "club": ["tool"],
    "dog": ["mammal", "animal"],
    "poodle": ["dog"],
    "parrot": ["bird"],
}
WORDS: dict[str, set[str]] = {c: {c.replace("_", " ")} for c in PARENTS}
WORDS["club"] |= {"bat"}
WORDS["dog"] |= {"hound"}
PARTS = {"bird": ("flier",), "dog": ("club",), "bat": ("flier",)}
GLOSSES = {"bat": "small flying mammal", "bird": "animal with feathers, often flying", "club": "heavy stick"}
COUNTS = {"poodle": 3, "parrot": 5, "club": 2, "animal": 1}


def taxonomy() -> Taxonomy:
    return Taxonomy.from_edges(
        [(c, p) for c in PARENTS for p in PARENTS[c]],
        {c: sorted(words, key=lambda w: (w != c.replace("_", " "), w)) for c, words in WORDS.items()},
        concepts=list(PARENTS),
        annotations=Annotations(name="small", parts=PARTS, glosses=GLOSSES, counts=COUNTS),
    )


def neighbours() -> dict[str, set[str]]:
    sets: dict[str, set[str]] = {}
    for whole, parts in PARTS.items():
        for part in parts:
            sets.setdefault(whole, set()).add(part)
            sets.setdefault(part, set()).add(whole)
    return sets


def gloss_words() -> dict[str, set[str]]:
    return {c: {w.strip(",") for w in text.split() if len(w.strip(",")) > 3} for c, text in GLOSSES.items()}


def literal_values(a: str, b: str) -> dict[str, float]:
    p, parts, glosses = PARENTS, neighbours(), gloss_words()
    values = {f"wu_palmer root_depth={r}": lit.wu_palmer(p, a, b, r) for r in (0, 1, 2)}
    values["path"] = lit.path_distance(p, a, b)
    values["path raw=True"] = float(lit.raw_path(p, a, b))
    values["height"] = lit.height_distance(p, a, b)
    values["leacock_chodorow"] = lit.leacock_chodorow(p, a, b)
    values["log_sc"] = lit.log_sc(p, a, b)
    values["tversky"] = lit.tversky(p, WORDS, a, b)
    values["rodriguez"] = lit.rodriguez(p, WORDS, parts, a, b, (1, 1, 1))
    values["x_similarity"] = lit.x_similarity(p, WORDS, parts, glosses, a, b)
    contents = {"seco": lit.seco, "zhou": lit.zhou, "sanchez": lit.sanchez, "source": lit.from_counts(p, COUNTS, 1)}
    for name in ("resnik", "lin", "jiang_conrath"):
        for ic, function in contents.items():
            values[f"{name} ic={ic}"] = lit.content_measure(name, p, function, a, b)
    return values


def rows() -> list[dict[str, str]]:
    return [
        {"a": a, "b": b, **{name: f"{value:.12f}" for name, value in literal_values(a, b).items()}}
        for a, b in combinations_with_replacement(PARENTS, 2)
    ]


if __name__ == "__main__":
    table = rows()
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    print(f"{FILE.name}: {len(table)} pairs × {len(table[0]) - 2} measures")
