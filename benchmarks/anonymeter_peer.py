"""Anonymeter on an original and a released table; run in an environment of its own, since it needs an older NumPy.

    python anonymeter_peer.py ORIGINAL.csv RELEASED.csv KNOWN OTHER

KNOWN and OTHER are columns separated by commas: what an attacker of linkability knows, and what he links to it. Prints
JSON: attack rates in percent, and seconds.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

ATTACKS = 500


def main(original: str, released: str, known: str, other: str) -> None:
    """Attack and print."""
    import pandas as pd
    from anonymeter.evaluators import LinkabilityEvaluator, SinglingOutEvaluator

    warnings.simplefilter("ignore")
    ori, syn = (pd.read_csv(path, keep_default_na=False) for path in (original, released))
    columns = (known.split(","), other.split(","))
    found = {}
    begun = time.perf_counter()
    linkability = LinkabilityEvaluator(ori=ori, syn=syn, aux_cols=columns, n_attacks=ATTACKS).evaluate(n_jobs=1)
    found["linkability"] = 100 * linkability.results().attack_rate.value
    found["linkability_seconds"] = time.perf_counter() - begun
    begun = time.perf_counter()
    singling = SinglingOutEvaluator(ori=ori, syn=syn, n_attacks=ATTACKS, n_cols=len(ori.columns), seed=0)
    found["singling_out"] = 100 * singling.evaluate(mode="multivariate").results().attack_rate.value
    found["singling_out_seconds"] = time.perf_counter() - begun
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
