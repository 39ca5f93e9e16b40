"""Variants of microaggregation: which loses least, and how does that change the risk? (Martínez 2012, chapter 6)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import ontomask as om
from experiments.framework.claims import counts, less, smallest
from experiments.framework.measurements import Make, Row, Rows
from experiments.framework.pages import Experiment, by_level
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT
from experiments.grouping.options import WeighedMDAV, measured, relative, share_text
from ontomask.figures import Figure, small_multiples

REFINED, DISTANT, PLAIN = "refined", "SA-MDAV, ω distant", "SA-MDAV, no ω"
CLOSEST, BOTH, BELOW = "SA-MDAV, ω closest", "SA-MDAV, ω both", "SA-MDAV, ω distant, below k"
BOUNDED, MDAV, WEIGHED = "bounded by 2k − 1", "MDAV", "MDAV, ω both"
RECODING, RESAMPLING, GENERALISATION = "recoding", "resampling", "generalisation, by cost"


def sa_mdav(**options: object) -> Make:
    """SA-MDAV with options."""
    return lambda k: om.Microaggregation(k, variant="sa_mdav", **options)  # type: ignore[arg-type]


METHODS: Mapping[str, Make] = {
    REFINED: om.Microaggregation,
    DISTANT: sa_mdav(),
    PLAIN: sa_mdav(weigh_distant=False),
    CLOSEST: sa_mdav(weigh_distant=False, weigh_closest=True),
    BOTH: sa_mdav(weigh_closest=True),
    BELOW: sa_mdav(join="below_k"),
    BOUNDED: sa_mdav(bounded=True),
    MDAV: lambda k: om.Microaggregation(k, variant="mdav"),
    WEIGHED: lambda k: WeighedMDAV(k, variant="mdav"),
    RECODING: om.Recoding,
    RESAMPLING: om.Resampling,
}
# It has no hierarchies of numbers.
FOR_NOMINAL: Mapping[str, Make] = {GENERALISATION: om.Generalisation}


def run(setting: Setting) -> Iterator[Row]:
    """All variants on all tables."""
    yield from measured(setting, METHODS, ("loss", "srl"), FOR_NOMINAL)


RULES = {
    "refined-loses-less-than-sa-mdav": smallest("loss", REFINED, (DISTANT, PLAIN, CLOSEST, BOTH)),
    "refined-loses-less-than-others": smallest("loss", REFINED, (MDAV, WEIGHED, RECODING, RESAMPLING)),
    "refined-loses-less-than-generalisation": less("loss", REFINED, GENERALISATION),
    "omega-distant-is-best": smallest("loss", DISTANT, (PLAIN, CLOSEST, BOTH)),
    "omega-as-printed-helps": less("loss", BOTH, PLAIN),
    "sa-mdav-beats-mdav-as-printed": less("loss", BOTH, WEIGHED),
    "sa-mdav-beats-mdav-by-record": less("loss", BOTH, MDAV),
    "sa-mdav-beats-mdav": less("loss", DISTANT, MDAV),
    "no-bound-loses-less": less("loss", DISTANT, BOUNDED),
    "below-k-loses-no-more": less("loss", BELOW, DISTANT, or_equal=True),
    "less-loss-more-risk": less("srl", DISTANT, REFINED),
    "less-loss-more-risk-no-omega": less("srl", PLAIN, REFINED),
}


def figure(rows: Rows) -> Figure:
    """L as a multiple of that of SA-MDAV without ω."""
    shown = (REFINED, DISTANT, BOTH, MDAV, RECODING, GENERALISATION)
    charts = relative(rows, "loss", shown, PLAIN, height=185, log_y=True)
    return small_multiples(charts, columns=3, title="L, times that of SA-MDAV without ω", same_scale=True)


def facts(rows: Rows) -> dict[str, Any]:
    """The figures of the answer."""

    def by_ties(name: str) -> float:
        spreads = [rows.spread("loss", name, k, ADULT, "2 columns") for k in rows.levels(ADULT) if k <= 500]
        return max(one.high / one.low for one in spreads)

    times = partial(share_text, rows)
    return {
        "beside_sa_mdav": times("loss", REFINED, DISTANT),
        "beside_recoding": times("loss", REFINED, RECODING),
        "beside_generalisation": times("loss", REFINED, GENERALISATION),
        "held": {name: counts(rule, rows) for name, rule in RULES.items()},
        "omega_as_printed": times("loss", BOTH, PLAIN),
        "srl_distant": times("srl", REFINED, DISTANT),
        "srl_plain": times("srl", REFINED, PLAIN),
        "srl_recoding": times("srl", REFINED, RECODING),
        "refined_by_ties": by_ties(REFINED),
        "sa_mdav_by_ties": by_ties(DISTANT),
    }


def tables(rows: Rows) -> dict[str, str]:
    """Loss and linkage by k."""
    return {
        "L in percent": by_level(rows, "loss", columns=None),
        "SRL in percent": by_level(rows, "srl", columns=None),
    }


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
