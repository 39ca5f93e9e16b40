"""Beyond the papers: four questions that they leave open, on both public tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from experiments.beyond.answer import Answer
from experiments.beyond.distances import choice_of_distance
from experiments.beyond.frontier import frontier
from experiments.beyond.means import exact_mean
from experiments.beyond.swapping import bound_and_repetition
from experiments.shared.findings import Findings, Setting
from experiments.shared.samples import public_tables
from ontomask.figures import Figure

NAME = "beyond_the_papers"
TABLES = {
    "Adult": "Adult (occupation × native-country over WordNet)",
    "diabetes130": "diabetes130 (the first two diagnoses over ICD-9-CM)",
}
QUESTIONS = (choice_of_distance, frontier, exact_mean, bound_and_repetition)


@dataclass(frozen=True)
class Pictures(Figure):
    """A picture that saves further pictures beside it."""

    others: Mapping[str, Figure] = field(default_factory=dict, kw_only=True)

    @classmethod
    def of(cls, picture: Figure, others: Mapping[str, Figure]) -> Pictures:
        """The first picture with the others."""
        return cls(**{part.name: getattr(picture, part.name) for part in fields(Figure)}, others=others)

    def save(self, path: str | Path) -> None:
        """Save all pictures."""
        super().save(path)
        for name, picture in self.others.items():
            picture.save(Path(path).with_name(f"{Path(path).stem}_{name}.svg"))


def run(setting: Setting) -> Findings:
    """Answer all questions."""
    answers = [ask(setting) for ask in QUESTIONS]
    *first, last = answers
    parts = [
        "# Beyond the papers",
        "This page answers questions that the papers leave open, "
        f"on {' and '.join(TABLES[name] for name in public_tables(setting))}. Each part describes its method. Unless "
        "stated otherwise, distances are Wu–Palmer inside each column's domain.",
    ]
    if setting.complete:
        parts.append("In short:\n\n" + "\n".join(f"- *{answer.question}* {answer.short}" for answer in answers))
    for answer in answers:
        parts += [f"## {answer.question}", *answer.text]
        # The interpretation holds only for the complete data.
        parts += [f"**What we learned.** {answer.learned}"] if setting.complete else []
        parts += [_shown(answer)] if answer is not last else []
    return Findings(
        "\n\n".join(parts),
        [row for answer in answers for row in answer.rows],
        Pictures.of(last.figure, {answer.name: answer.figure for answer in first}),
        last.caption,
    )


def _shown(answer: Answer) -> str:
    return f"![{answer.figure.title}](figures/{NAME}_{answer.name}.svg)\n\n{answer.caption}"
