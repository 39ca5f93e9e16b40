"""Compare the speed of two versions of the sources in one run: every method on every table of `fingerprints.py`.

    python benchmarks/ratios.py OLD/src
    python benchmarks/ratios.py OLD/src --rounds 5 --only Recoding

Both versions run in turn, so that other work on the machine slows both. The time of a case is the least processor time
of masking and evaluating it in any round. The table lists new / old for each case, slowest first. The first round also
compiles the kernels, and is not counted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Print the ratios, and exit with 1 if the sum of the new times is above that of the old ones by a tenth."""
    parser = argparse.ArgumentParser(description="Compare the speed of two versions in one run.")
    parser.add_argument("old", type=Path, help="the folder 'src' of the old version")
    parser.add_argument("--rounds", type=int, default=3, help="counted rounds (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose table or method contains TEXT")
    given = parser.parse_args()
    sources = {"old": given.old, "new": HERE.parent / "src"}
    least: dict[str, dict[str, float]] = {version: {} for version in sources}
    for number in range(given.rounds + 1):
        for version, folder in sources.items():
            for case, seconds in measure(folder, given.only).items():
                known = least[version].get(case, float("inf"))
                if number > 0:
                    least[version][case] = min(known, seconds)
    both = {case: (least["old"][case], seconds) for case, seconds in least["new"].items() if case in least["old"]}
    print("| case | old s | new s | new / old |\n|---|---|---|---|")
    for case, (old, new) in sorted(both.items(), key=lambda item: item[1][0] / item[1][1]):
        print(f"| {case} | {old:.2f} | {new:.2f} | {new / old:.2f} |")
    old, new = (sum(times) for times in zip(*both.values(), strict=True))
    print(f"| all {len(both)} cases | {old:.2f} | {new:.2f} | {new / old:.2f} |")
    sys.exit(new > 1.1 * old)


def measure(folder: Path, only: str) -> dict[str, float]:
    """The processor time of each case with the sources in a folder."""
    command = [sys.executable, str(HERE / "fingerprints.py"), "--only", only, "--times"]
    environment = os.environ | {"PYTHONPATH": str(folder.resolve())}
    lines = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()
    cases = (line.rsplit("\t", 1) for line in lines)
    return {case.replace("\t", ": "): float(seconds) for case, seconds in cases}


if __name__ == "__main__":
    main()
