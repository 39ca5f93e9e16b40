"""Rebuild the embedded WordNet from a WNdb folder of WordNet 3.0 (Debian's ``wordnet-base`` has one).

    python scripts/embed_wordnet.py /usr/share/wordnet

Writes ``src/ontomask/taxonomy/embedded/wordnet30.taxonomy``: noun synsets, words, is-a links, sense order
and the counts of WordNet's tagged corpora; no glosses, no part-of links.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ontomask import read_taxonomy, save_taxonomy

TARGET = Path(__file__).parents[1] / "src" / "ontomask" / "taxonomy" / "embedded" / "wordnet30.taxonomy"
NOUNS_OF_3_0, LINKS_OF_3_0 = 82_115, 84_427


def main() -> None:
    """Read the folder, check that it is version 3.0, save the nouns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a WordNet 3.0 database folder (data.noun, index.noun, cntlist.rev)")
    folder = parser.parse_args().folder
    nouns = read_taxonomy(folder, format="wordnet")
    if (len(nouns), len(nouns.graph.parent)) != (NOUNS_OF_3_0, LINKS_OF_3_0):
        raise SystemExit(f"{folder} is not WordNet 3.0: {nouns!r}")
    if nouns.annotations.counts is None:
        raise SystemExit(f"{folder} has no cntlist.rev")
    annotations = replace(nouns.annotations, name="WordNet 3.0 nouns")
    save_taxonomy(replace(nouns, annotations=annotations), TARGET)
    print(f"{TARGET.name}: {nouns!r}, {TARGET.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
