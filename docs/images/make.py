"""Draw the figures of the README and the guides: `python docs/images/make.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ontomask as om
from ontomask.examples import adult_data
from ontomask.figures import Figure, Line, LineChart

HERE = Path(__file__).parent
K = (2, 3, 5, 8, 12, 20, 30, 50)
METHODS: dict[str, Callable[[int], om.Method]] = {
    "whole columns generalised": lambda k: om.Generalisation(k, mode="full_domain", suppression=0.05),
    "single cells suppressed": lambda k: om.Suppression(k, mode="cells"),
    "values generalised where needed": om.Generalisation,
    "recoding by meaning": om.Recoding,
    "microaggregation by meaning": om.Microaggregation,
}


def cost_of_k() -> Figure:
    """Information loss by k, for several methods. The distance that judges did not mask."""
    data = adult_data("occupation", "native-country", confidential=["salary-class"])
    lines = []
    for name, method in METHODS.items():
        scores = [om.evaluate(data, method(k).mask(data, seed=0), distance="path") for k in K]
        assert all(score.k >= k for score, k in zip(scores, K, strict=True))
        lines.append(Line(name, K, [score.loss_percent for score in scores]))
        print(f"{name}: {', '.join(f'{score.loss_percent:.2f}' for score in scores)}")
    title = "The Adult census, occupation × native country: information lost by path length, by k"
    return LineChart(lines, x_title="k", y_title="information loss L (%)", log_x=True, log_y=True, title=title).figure()


def hierarchy() -> Figure:
    """A hierarchy built for some countries."""
    countries = ("Spain", "France", "Malta", "Japan", "China", "Peru", "Brazil")
    built = om.build_hierarchy(countries, om.load_wordnet(), groups=[4, 1], domain="district", top="*", name="country")
    return om.draw_hierarchy(built)


if __name__ == "__main__":
    cost_of_k().save(HERE / "cost_of_k.svg")
    hierarchy().save(HERE / "hierarchy.svg")
