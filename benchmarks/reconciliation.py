"""How many queries a second the reconciliation service answers, in batches of 10 over WordNet, on one core.

The server is a process of its own, and a client sends it one batch after the other over one connection, as OpenRefine
does. The rate counts the processor time of the server only.
"""

from __future__ import annotations

import http.client
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from urllib.parse import urlencode

import psutil
from timing import Bar, Report

import ontomask as om
from ontomask.mapping.suggestions import suggest

QUERIES, BATCH, TURNS = 5_000, 10, 3
LEAST = 10_000.0

Spell = Callable[[random.Random, str], str]


def main() -> None:
    """Print the table."""
    report = Report("reconciliation", "Reconciliation service")
    kinds: dict[str, tuple[Spell, bool]] = {
        "a table as it comes: 60 % labels, 20 % plurals, 20 % misspelt": (mixed, True),
        "labels in capitals": (lambda _, text: text.upper(), True),
        "all misspelt by one letter": (misspelt, False),
    }
    rows = []
    command = [sys.executable, "-m", "ontomask", "reconcile", "wordnet", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            port = int(server.stderr.readline().rsplit(":", 1)[1])
            for title, (spell, has_bar) in kinds.items():
                cpu, wall, found = measure(server.pid, port, spell)
                verdict = Bar(LEAST, lambda rate: f"{rate:,.0f}", at_least=True).cells(cpu) if has_bar else ("", "")
                rows.append((title, f"{found:.1%}", f"{wall:,.0f}", f"{cpu:,.0f}", *verdict))
        finally:
            server.terminate()
    report.text(
        f"{QUERIES:,} labels of WordNet drawn at random, batches of {BATCH}, best of {TURNS}. Found: the concept of "
        "the label is among the five candidates. With the client, the rate counts the time of both."
    )
    report.table(
        ("queries", "found", "a second, with the client", "a second of the server's processor", "bar", "met"), rows
    )
    build, one = suggestions()
    report.text(
        f"Suggestions for {QUERIES:,} labels misspelt by one letter, without the service: {one * 1e3:.2f} ms of "
        f"processor time each, after {build:.2f} s for the index of all words."
    )
    report.close()


def suggestions() -> tuple[float, float]:
    """Processor time to build the index of the labels, and to search for one misspelt label."""
    rng = random.Random(1)
    wordnet = om.load_wordnet()
    texts = [misspelt(rng, wordnet.label(concept)) for concept in rng.sample(wordnet.ids, QUERIES)]
    begun = time.process_time()
    suggest(wordnet, texts[:1])
    built = time.process_time()
    suggest(wordnet, texts)
    return built - begun, (time.process_time() - built) / QUERIES


def misspelt(rng: random.Random, text: str) -> str:
    """A text with one letter added or left out."""
    at = rng.randrange(len(text))
    return text[:at] + rng.choice("aeiou") + text[at:] if rng.random() < 0.5 else text[:at] + text[at + 1 :]


def mixed(rng: random.Random, text: str) -> str:
    """A text as it may stand in a table."""
    draw = rng.random()
    return text.upper() if draw < 0.6 else f"{text}s" if draw < 0.8 else misspelt(rng, text)


def measure(pid: int, port: int, spell: Spell) -> tuple[float, float, float]:
    """Queries per second of the server's processor time and of real time, and the share that was found."""
    rng = random.Random(1)
    wordnet = om.load_wordnet()
    concepts = rng.sample(wordnet.ids, QUERIES)
    texts = [spell(rng, wordnet.label(concept)) for concept in concepts]
    bodies = [
        urlencode({"queries": json.dumps({f"q{j}": {"query": text} for j, text in enumerate(texts[i : i + BATCH])})})
        for i in range(0, QUERIES, BATCH)
    ]
    process = psutil.Process(pid)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    best_cpu = best_wall = 0.0
    answers: list[bytes] = []
    for _ in range(TURNS):
        answers = []
        cpu, wall = sum(process.cpu_times()[:2]), time.perf_counter()
        for body in bodies:
            connection.request("POST", "/", body, headers)
            answers.append(connection.getresponse().read())
        best_cpu = max(best_cpu, QUERIES / (sum(process.cpu_times()[:2]) - cpu))
        best_wall = max(best_wall, QUERIES / (time.perf_counter() - wall))
    connection.close()
    results = [one["result"] for answer in answers for one in json.loads(answer).values()]
    found = sum(concept in [c["id"] for c in result] for concept, result in zip(concepts, results, strict=True))
    return best_cpu, best_wall, found / QUERIES


if __name__ == "__main__":
    main()
