"""Seeded mutations of small valid files, and the check that a reader survives them.

A reader survives an input if it returns a result or raises an `OntomaskError`, without a warning and in bounded time.
"""

from __future__ import annotations

import io
import os
import random
import re
import signal
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ontomask.errors import OntomaskError

__all__ = ["COUNT", "Target", "fuzz", "mutate", "mutate_zip"]

COUNT = 2000
"""Mutations of each target."""

SECONDS = 5.0

_NUMBERS = (
    b"0",
    b"-1",
    b"1e999",
    b"9" * 25,
    b"-" + b"9" * 400,
    b"4294967296",
    b"2147483648",
    b"0.1e-400",
    b"nan",
    b"0x10",
)
_TEXTS = tuple(
    text.encode("utf-8", "surrogatepass")
    for text in (
        *("\0", "\x1b[31m", "\x85", "\r", "\r\n", "\n", "\t", " ", "\u00a0", "\u200b", "\u202e", "\u2028", "\ufeff"),
        *("\ud800", "\uffff", "\U0010ffff", "é", "İ", "ß", "ﬁ", "٣", "²", "½", "👩‍👩‍👧", "e\u0301"),
    )
)
_PLAIN = (
    b'"',
    b"'",
    b"\\",
    b",",
    b";",
    b"|",
    b"*",
    b"^a$",
    b"{",
    b"}",
    b"[",
    b"]",
    b"<",
    b">",
    b"&",
    b"#",
    b"%s",
    b"=",
    b":",
)
_NUMBER = re.compile(rb"\d+")


def mutate(seed: bytes, chance: random.Random, tokens: Sequence[bytes] = ()) -> bytes:
    """A file with one to four mistakes; ``tokens`` are pieces of the format."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 4))):
        seed = chance.choice(_CHANGES)(seed, chance, tokens)
    return seed


def _place(seed: bytes, chance: random.Random) -> int:
    return chance.randint(0, len(seed))


def _slice(seed: bytes, chance: random.Random) -> tuple[int, int]:
    low = _place(seed, chance)
    return low, min(len(seed), low + chance.choice((1, 2, 5, 20, 200)))


def _flip(seed: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    if not seed:
        return seed
    at = chance.randrange(len(seed))
    return seed[:at] + bytes([seed[at] ^ (1 << chance.randrange(8))]) + seed[at + 1 :]


def _overwrite(seed: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    low, high = _slice(seed, chance)
    return seed[:low] + chance.randbytes(high - low) + seed[high:]


def _truncate(seed: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    return seed[: _place(seed, chance)]


def _delete(seed: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    low, high = _slice(seed, chance)
    return seed[:low] + seed[high:]


def _duplicate(seed: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    low, high = _slice(seed, chance)
    return seed[:high] + seed[low:high] * chance.choice((1, 1, 2, 50)) + seed[high:]


def _insert(seed: bytes, chance: random.Random, tokens: Sequence[bytes]) -> bytes:
    at = _place(seed, chance)
    piece = chance.choice(tokens) if tokens and chance.random() < 0.5 else chance.choice((*_TEXTS, *_PLAIN, *_NUMBERS))
    return seed[:at] + piece + seed[at:]


def _change_lines(seed: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    lines = seed.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    what = chance.randrange(3)
    if what == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif what == 1:
        lines.insert(one, lines[other])
    else:
        del lines[one]
    return b"\n".join(lines)


def _change_number(seed: bytes, chance: random.Random, tokens: Sequence[bytes]) -> bytes:
    found = list(_NUMBER.finditer(seed))
    if not found:
        return _insert(seed, chance, tokens)
    number = chance.choice(found)
    return seed[: number.start()] + chance.choice(_NUMBERS) + seed[number.end() :]


def _change_token(seed: bytes, chance: random.Random, tokens: Sequence[bytes]) -> bytes:
    """Replace a piece of the format by another one."""
    found = [(match.start(), token) for token in tokens for match in re.finditer(re.escape(token), seed)]
    if not found:
        return _flip(seed, chance, tokens)
    at, token = chance.choice(found)
    return seed[:at] + chance.choice((b"", *tokens, *_PLAIN)) + seed[at + len(token) :]


_CHANGES: tuple[Callable[[bytes, random.Random, Sequence[bytes]], bytes], ...] = (
    _flip,
    _overwrite,
    _truncate,
    _delete,
    _duplicate,
    _insert,
    _insert,
    _change_lines,
    _change_number,
    _change_token,
    _change_token,
)


def mutate_zip(seed: bytes, chance: random.Random, tokens: Sequence[bytes] = ()) -> bytes:
    """An archive with damaged bytes; or, three times in four, a valid archive with one damaged member."""
    if chance.random() < 0.25:
        return mutate(seed, chance)
    with zipfile.ZipFile(io.BytesIO(seed)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    changed = chance.choice(list(members))
    content = mutate(members[changed], chance, tokens)
    # With an intact header, the numbers of an array reach the checks behind it.
    members[changed] = (
        members[changed][:128] + content[128:] if changed.endswith(".npy") and chance.random() < 0.7 else content
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return made.getvalue()


@dataclass(frozen=True)
class Target:
    """A reader, and small valid files for it.

    Attributes
    ----------
    name
        For the test's id; also the seed of its mutations.
    files
        By name below a folder, what the reader reads. One of them is mutated at a time.
    read
        Is given the path of the mutated file; reads it, or its folder, and uses what it has read.
    tokens
        Pieces of the format.
    change
        How a file is mutated.
    """

    name: str
    files: dict[str, bytes]
    read: Callable[[Path], object]
    tokens: Sequence[bytes] = ()
    change: Callable[[bytes, random.Random, Sequence[bytes]], bytes] = field(default=mutate)


def fuzz(target: Target, count: int = COUNT) -> None:
    """Read mutated files, and fail with a list of the problems."""
    # In memory if the system allows it: writing thousands of files takes longer than reading them.
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else None) as folder:
        problems = _problems(target, Path(folder), count)
    assert not problems, "\n\n".join(f"{problem}\n{example}" for problem, example in problems.items())


def _problems(target: Target, folder: Path, count: int) -> dict[str, str]:
    """The problems, each with its first example."""
    for name, content in target.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for name in target.files:
        target.read(folder / name)
    chance = random.Random(target.name)
    names = list(target.files)
    problems: dict[str, str] = {}
    for number in range(count):
        name = chance.choice(names)
        content = target.change(target.files[name], chance, target.tokens)
        (folder / name).write_bytes(content)
        problem = _survived(target, folder / name)
        if problem is not None:
            problems.setdefault(problem, f"mutation {number} of {name}: {content[:400]!r}")
        if len(names) > 1:
            (folder / name).write_bytes(target.files[name])
    return problems


def _survived(target: Target, path: Path) -> str | None:
    """What a reader did wrong; ``None`` if nothing."""
    begun = time.process_time()
    try:
        with warnings.catch_warnings(), _bound(SECONDS):
            warnings.simplefilter("error")
            target.read(path)
    except OntomaskError as problem:
        if not str(problem):
            return "an error without a message"
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as problem:
        places = [f"{Path(at.filename).name}:{at.lineno}" for at in traceback.extract_tb(problem.__traceback__)]
        return f"{type(problem).__name__}: {str(problem)[:200]} at {' '.join(places[-4:])}"
    return "took too long" if time.process_time() - begun > SECONDS else None


class TookTooLong(BaseException):
    """Not an `Exception`, so that readers do not treat it as a damaged file."""


@contextmanager
def _bound(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, if the system supports it."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TookTooLong(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 4 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
