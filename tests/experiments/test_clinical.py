from __future__ import annotations

from math import log

import pytest

from experiments.grouping import clinical
from experiments.grouping import clinical_verdicts as script
from experiments.grouping.trials import Trials
from experiments.shared.findings import Setting, Spread

KS = (2, 3, 4, 5, 7, 10, 15)
RECODING, MICROAGGREGATION, RESAMPLING = script.SEMANTIC


def as_t_says(method, k):
    """Figures that agree with all conclusions of the thesis."""
    name, plain = method.removesuffix(script.PLAIN), method.endswith(script.PLAIN)
    sse = {MICROAGGREGATION: 10 * k, RECODING: 12 * k, RESAMPLING: 500 + 100 * log(k), script.SUPPRESSION: 5000 + k}
    worse = {MICROAGGREGATION: 2.0, RECODING: 1.3, RESAMPLING: 1.1}[name] if plain else 1
    recoded = (4.0, 14.0) if k == 2 else (10.0, 8.0 if k <= 5 else 9.5)
    srl, loss = {RECODING: recoded, MICROAGGREGATION: (14.0, 5.0)}.get(name, (5.0, 90.0))
    return {
        "sse": worse * sse[name],
        "kl_divergence": {RECODING: 1.0, MICROAGGREGATION: 2.0}.get(name, 3.0 + k / 10),
        "srl": srl,
        "loss_percent": loss,
        "seconds": {RECODING: 0.3, MICROAGGREGATION: 1.0 if k < 4 else 0.2}.get(name, 0.05 - k / 1000),
    }


def failed(**times):
    """Which conclusions fail when one figure of one method is some times as great, from k = 7 on."""
    found = {(method, k): as_t_says(method, k) for method in script.EVERY for k in KS}
    for measure, (method, factor) in times.items():
        for k in KS[4:]:
            found[method, k][measure] *= factor
    ours = {of: {name: Spread(value, 0.0, 1) for name, value in values.items()} for of, values in found.items()}
    published = {(with_published_options(method), k): values for (method, k), values in ours.items()}
    conclusions = script.conclusions({"here": Trials(ours | published)}, KS, 7)
    assert all(c.cases["here"] == c.cases[f"here{script.AS_PUBLISHED}"] for c in conclusions)
    return [c.text for c in conclusions if not c.found("here")]


def with_published_options(method):
    plain = script.PLAIN if method.endswith(script.PLAIN) else ""
    return method if method == script.SUPPRESSION else method.removesuffix(plain) + script.AS_PUBLISHED + plain


def test_figures_that_agree_with_the_thesis_are_found():
    assert failed() == []


@pytest.mark.parametrize(
    ("measure", "method", "factor", "text"),
    [
        ("sse", RECODING, 0.5, "SSE: microaggregation < recoding < resampling"),
        ("sse", RECODING, 3, "SSE: recoding follows microaggregation closely"),
        (
            "sse",
            MICROAGGREGATION,
            1.5,
            "microaggregation retains more than 50 % more: without meaning its SSE is more than 1.5 times as large",
        ),
        ("sse", RECODING + script.PLAIN, 3, "microaggregation gains most by meaning"),
        ("sse", RESAMPLING + script.PLAIN, 1.5, "resampling gains least"),
        ("sse", script.SUPPRESSION, 0.1, "suppression loses more than any of the three"),
        ("sse", MICROAGGREGATION, 0.3, "SSE grows linearly with k"),
        ("kl_divergence", RECODING, 2.5, "KL divergence: recoding < microaggregation < resampling"),
        ("kl_divergence", RESAMPLING, 0.75, "KL: resampling is worst especially for high k"),
        ("srl", RESAMPLING, 3, "SRL: resampling < recoding < microaggregation from k = 4 on"),
        ("loss_percent", MICROAGGREGATION, 2, "score: recoding is best for k ≤ 5"),
        ("loss_percent", MICROAGGREGATION, 2, "score: almost constant as k grows"),
        ("loss_percent", RESAMPLING, 0.1, "score: resampling is worst"),
        ("srl", RESAMPLING, 3, "score: resampling is best only for α = 0"),
        ("seconds", RESAMPLING, 50, "time: resampling is fastest"),
        ("seconds", MICROAGGREGATION, 9, "time: microaggregation is slower than recoding for k < 4"),
        ("seconds", RECODING, 1.6, "time: recoding is almost constant"),
        ("seconds", MICROAGGREGATION, 9, "time: microaggregation and resampling become faster"),
    ],
)
def test_conclusions_can_fail(measure, method, factor, text):
    assert any(one.startswith(text) for one in failed(**{measure: (method, factor)}))


def test_each_data_set_is_also_judged_with_the_published_methods():
    methods = clinical.METHODS
    found = {(name, 2): {"sse": Spread(number, 0.0, 1)} for number, name in enumerate(methods)}
    ours, theirs = script.judged({"here": Trials(found)}).values()
    assert ours.figures == found
    assert {method for method, _ in theirs.figures} == set(script.EVERY)
    number = {name: number for number, name in enumerate(methods)}
    for name in script.SEMANTIC:
        assert theirs("sse", name, 2) == number[name + script.AS_PUBLISHED]
        assert theirs("sse", name + script.PLAIN, 2) == number[name + script.AS_PUBLISHED + script.PLAIN]
    assert theirs("sse", script.SUPPRESSION, 2) == number[script.SUPPRESSION]
    assert len({repr(make(3)) for make in methods.values()}) == len(methods)


def test_the_page_says_what_was_read():
    page = clinical.run(Setting(quick=True)).page
    assert "150 records of Adult, occupation and native-country" in page
    assert "seeds 0 to 1" in page
    assert "diabetes130" not in page
