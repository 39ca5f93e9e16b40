"""The style sheet: contrast of all pairs of colours that text and controls use, in both modes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ontomask import web

CSS = (Path(web.__file__).parent / "static" / "app.css").read_text()

# Text on its grounds (WCAG 2.1, 1.4.3): at least 4.5.
TEXT = [
    *[("--ink", ground) for ground in ("--ground", "--card", "--band", "--accent-soft", "--bad-soft", "--ok-soft")],
    *[("--quiet", ground) for ground in ("--ground", "--card", "--band")],
    *[("--accent", ground) for ground in ("--ground", "--card", "--band")],
    *[("--warn", ground) for ground in ("--ground", "--card", "--warn-soft")],
    *[("--bad", ground) for ground in ("--ground", "--card", "--bad-soft")],
    *[("--ok", ground) for ground in ("--card", "--ok-soft")],
    ("--accent-ink", "--accent"),
]
# Edges of fields and the mark of the focus (1.4.11): at least 3.
CONTROLS = [
    *[("--edge", ground) for ground in ("--ground", "--card")],
    *[("--focus", ground) for ground in ("--ground", "--card", "--band")],
]


def palettes() -> dict[str, dict[str, str]]:
    """The colours of each mode. The dark ones are written twice: for the system's choice and for the person's."""
    blocks = re.findall(r"(:root[^{]*)\{([^}]*)\}", CSS)
    found = {name.strip(): dict(re.findall(r"(--[\w-]+): (#\w{6})", body)) for name, body in blocks}
    return {name: colours for name, colours in found.items() if colours}


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.1)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio (WCAG 2.1)."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_known_pairs():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_both_dark_palettes_are_the_same():
    light, dark, chosen = palettes().values()
    assert dark == chosen
    assert set(light) == set(dark)
    assert light != dark


@pytest.mark.parametrize("palette", palettes())
@pytest.mark.parametrize(("pairs", "least"), [(TEXT, 4.5), (CONTROLS, 3.0)], ids=["text", "controls"])
def test_contrast(palette, pairs, least):
    colours = palettes()[palette]
    poor = {pair: round(contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < least} == {}


def test_no_colour_of_text_escapes_the_palette():
    """Pictures are drawn on white paper in both modes; nothing else has colours of its own."""
    rules = CSS[CSS.index("* { box-sizing") :]
    own = {line.split("{")[0].strip() for line in rules.splitlines() if re.search(r"#[0-9a-f]{3,6}\b", line)}
    assert {name for name in own if not name.startswith((".paper", ".map .om-point", ".pictures", "#"))} == set()
