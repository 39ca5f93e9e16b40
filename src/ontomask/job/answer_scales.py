"""The order of answers: ranges of numbers, and words that judge something in degrees.

Words are known in English, German, French, Spanish, Italian, Portuguese and Dutch, in lower case without accents.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping

from ontomask.base.text import read_number
from ontomask.job.column_names import plain, plain_words

__all__ = ["MAX_CATEGORIES", "ordered_categories"]

MAX_CATEGORIES = 40
_MAX_LENGTH = 256

# Numbers of ranges: thousands may be separated, and currencies and units may stand beside them.
_NUMBER = re.compile(r"\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,]\d+)?")
_BELOW = re.compile(
    r"[<≤]|\b(?:under|less|below|fewer|up to|unter|weniger|bis zu|moins|jusqu|menos|hasta|meno|minder)\b"
)
_ABOVE = re.compile(r"[>≥+]|\b(?:over|more|above|older|uber|mehr|alter|plus|mas|mais|piu|oltre|meer|ouder)\b")
_BETWEEN = re.compile(r"\W*(?:to|bis|a|ate|und|et|y|e|tot|less than)?\W*")
_DIVIDED = re.compile(r"[/:]")

# Scales of which each word is a step, lowest first. Words of one step are divided by "/".
_SCALES = tuple(
    tuple(frozenset(step.replace("_", " ") for step in steps.split("/")) for steps in scale.split())
    for scale in (
        "very_low low medium/moderate/mid/average high very_high",
        "sehr_niedrig/sehr_gering niedrig/gering mittel hoch sehr_hoch",
        "tres_faible faible moyen/moyenne eleve/elevee/fort/forte tres_eleve/tres_elevee/tres_fort/tres_forte",
        "muy_bajo/muy_baja bajo/baja medio/media alto/alta muy_alto/muy_alta",
        "never rarely/seldom/hardly_ever sometimes/occasionally often/frequently usually always",
        "nie selten manchmal/gelegentlich oft/haufig meistens immer",
        "jamais rarement parfois souvent toujours",
        "nunca raramente/casi_nunca a_veces/as_vezes a_menudo/frecuentemente casi_siempre siempre/sempre",
        "never less_often/rarely yearly quarterly monthly weekly daily",
        "nie seltener jahrlich monatlich wochentlich taglich",
        "none mild moderate/strong severe very_severe",
        "poor fair/average good very_good excellent",
        "tiny/very_small small medium large/big very_large/huge",
        "xs s m l xl xxl",
    )
)


# Judgements: beginnings of positive and negative words, and words that say how strongly they are meant.
_JUDGEMENTS = {
    "positive": """
        agree satisf good likely important easy happy confident safe healthy interested useful comfortable zufrieden
        gut wichtig wahrscheinlich leicht einverstanden stimme zutreffend content bon bien facile probable accord
        acuerdo buen contento soddisf buon bene satisfe bom boa bem tevreden goed eens belangrijk""",
    "negative": """
        bad poor difficult hard terrible schlecht schwer schwierig mauvais mal malo mala dificil cattiv ruim mau
        slecht""",
    "neutral": "neither neutr undecided unsure weder teils indifferent mittelmassig fair passable regular",
    "negation": "dis un in im on des",
    "not": "not nicht pas non no nao niet lehne kein",
    "strong": """
        very strongly extremely completely totally fully highly sehr vollig voll ganz uberhaupt absolut tres tout
        totalement muy totalmente molto del muito zeer helemaal all""",
    "weak": """
        somewhat slightly rather fairly little partly mostly eher etwas teilweise plutot assez peu algo poco
        abbastanza piuttosto pouco enigszins""",
}
_POSITIVE, _NEGATIVE, _NEUTRAL, _NEGATIONS, _NOT, _STRONG, _WEAK = (tuple(w.split()) for w in _JUDGEMENTS.values())


def ordered_categories(texts: Collection[str]) -> list[str] | None:
    """The values in order, if they are ranges of numbers or words of a scale.

    >>> ordered_categories(["20-29", "100+", "<20"])
    ['<20', '20-29', '100+']
    >>> ordered_categories(["$25,000 - $49,999", "$50,000 or more", "Under $25,000"])
    ['Under $25,000', '$25,000 - $49,999', '$50,000 or more']
    >>> ordered_categories(["Agree", "Strongly agree", "Neutral", "Disagree"])
    ['Disagree', 'Neutral', 'Agree', 'Strongly agree']
    >>> ordered_categories(["1A", "1B", "2A"]) is None
    True
    """
    if not 2 <= len(texts) <= MAX_CATEGORIES or any(len(text) > _MAX_LENGTH for text in texts):
        return None
    if all(read_number(text) is not None for text in texts):
        return None
    words = {text: " ".join(plain_words(text)) for text in texts}
    ranks = _ranges(texts) or _steps(words) or _judgements(words)
    return sorted(texts, key=lambda text: (ranks[text], text)) if ranks else None


def _ranges(texts: Collection[str]) -> Mapping[str, float] | None:
    """Where each range begins, if all texts are ranges that do not overlap, or numbers with one unit."""
    limits: dict[str, tuple[float, float]] = {}
    units = set()
    for text in texts:
        lower = plain(text)
        found = list(_NUMBER.finditer(lower))
        if not 1 <= len(found) <= 2:
            return None
        first, last = found[0], found[-1]
        sign = -1 if lower[: first.start()].strip(" [(") == "-" else 1
        low, high = sign * _value(first[0]), _value(last[0])
        below, above = _BELOW.search(lower), _ABOVE.search(lower)
        if below or above:
            # Below and above the limit itself.
            low = high = low + (-0.5 if below else 0.5)
        elif len(found) == 1:
            units.add((lower[: first.start()].strip("-"), lower[first.end() :].strip().rstrip("s")))
            high = low
        elif _DIVIDED.search(lower[first.end() : last.start()]) or not _BETWEEN.fullmatch(
            lower[first.end() : last.start()]
        ):
            return None
        limits[text] = low, high
    ends = sorted(limits.values())
    apart = all(high <= low for (_, high), (low, _) in itertools.pairwise(ends)) and len(set(ends)) == len(ends)
    one_unit = not units or (len(units) == 1 and not next(iter(units))[0])
    return {text: low for text, (low, _) in limits.items()} if apart and one_unit else None


def _value(number: str) -> float:
    """The number that a text with any marks means."""
    grouped = re.fullmatch(r"\d{1,3}(?:\D\d{3})+", number)
    return float(re.sub(r"\D", "", number) if grouped else number.replace(",", "."))


def _steps(words: Mapping[str, str]) -> Mapping[str, float] | None:
    """The steps of the texts on one of the scales."""
    for scale in _SCALES:
        steps = {word: float(rank) for rank, names in enumerate(scale) for word in names}
        if all(word in steps for word in words.values()):
            return _distinct({text: steps[word] for text, word in words.items()}, words, fewest=2)
    return None


def _judgements(words: Mapping[str, str]) -> Mapping[str, float] | None:
    """How good each text judges something: from "very bad" to "very good"."""
    found = {text: _judgement(word.split()) for text, word in words.items()}
    known = {text: degree for text, degree in found.items() if degree is not None}
    return _distinct(known, words, fewest=3) if len(known) == len(words) else None


def _judgement(words: list[str]) -> float | None:
    if any(word.startswith(_NEUTRAL) for word in words):
        return 0.0
    signs = [sign for word in words if (sign := _sign(word))]
    if not signs:
        return None
    sign = -signs[-1] if set(words) & set(_NOT) else signs[-1]
    return sign * (3.0 if set(words) & set(_STRONG) else 1.0 if set(words) & set(_WEAK) else 2.0)


def _sign(word: str) -> int:
    if word.startswith(_POSITIVE):
        return 1
    opposite = any(word.startswith(prefix) and word[len(prefix) :].startswith(_POSITIVE) for prefix in _NEGATIONS)
    return -1 if opposite or word.startswith(_NEGATIVE) else 0


def _distinct(ranks: Mapping[str, float], words: Mapping[str, str], fewest: int) -> Mapping[str, float] | None:
    """The ranks, if different words have different ones."""
    pairs = {(rank, words[text]) for text, rank in ranks.items()}
    return ranks if fewest <= len({rank for rank, _ in pairs}) == len(pairs) else None
