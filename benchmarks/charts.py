"""Ten charts of a report as SVG: our own drawing, and Vega-Lite rendered by vl-convert. Each in a new process.

It needs a peer: ``pip install altair vl-convert-python``.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

from ontomask.figures import BarChart, Bars, Figure, Points, ScatterChart


def figures() -> list[Figure]:
    """Nine bar charts and a scatter chart, as in the report of ``ontomask demo``."""
    names = [f"category {i}" for i in range(12)]
    bars = [Bars("original", range(1, 13)), Bars("masked", range(2, 14))]
    points = [Points(f"method {i}", [i, i + 0.1], [i, i], labels=["k=5", "k=10"]) for i in range(5)]
    return [*(BarChart(names, bars, title=f"column {i}").figure() for i in range(9)), ScatterChart(points).figure()]


def measure(renderer: str) -> None:
    """Draw with one renderer and print what it took as JSON."""
    wall, processor = time.perf_counter(), time.process_time()
    if renderer == "own":
        drawn = [figure.svg for figure in figures()]
    else:
        import vl_convert

        drawn = [vl_convert.vegalite_to_svg(figure.vega_lite) for figure in figures()]
    found = {
        "seconds": time.perf_counter() - wall,
        "processor seconds": time.process_time() - processor,
        "memory in MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "size in KB": sum(map(len, drawn)) / 1000,
    }
    print(json.dumps(found))


def main() -> None:
    """Measure both and print a table with ratios."""
    runs = [subprocess.run([sys.executable, __file__, name], capture_output=True, check=True) for name in ("own", "vl")]
    own, peer = (json.loads(run.stdout) for run in runs)
    print(f"{'':20}{'own':>8}{'Vega-Lite':>11}{'ratio':>8}")
    for name in own:
        print(f"{name:20}{own[name]:8.2f}{peer[name]:11.2f}{peer[name] / own[name]:8.1f}")


if __name__ == "__main__":
    measure(sys.argv[1]) if len(sys.argv) > 1 else main()
