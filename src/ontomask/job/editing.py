"""Edit a job as data and keep its text: comments and order stay, every state can be undone.

The text of the job is the only truth. An edit names keys and values; the new text is parsed again, and must mean
exactly what was asked for. A job that would not be valid is refused with the problem of each key, and the text stays as
it was.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ontomask.base.atomic import write_atomic
from ontomask.base.progress import check_cancelled
from ontomask.errors import JobError, MissingExtraError
from ontomask.job.job import Job
from ontomask.job.toml_text import dotted_key, toml_key, toml_value
from ontomask.job.validation import parse_settings

__all__ = ["REMOVE", "Changes", "JobEditor", "edited_text"]

Key = tuple[str, ...]
Changes = Mapping[Key, Any]
"""Values by their keys, such as ``{("columns", "age", "role"): "drop"}``. `REMOVE` takes a key away."""


class _Remove:
    def __repr__(self) -> str:
        return "REMOVE"


REMOVE = _Remove()

_MOST_STATES = 200


class JobEditor:
    """A job file that is edited key by key, with undo and redo.

    Every state is a whole text, so that going back is exact.

    Parameters
    ----------
    path
        The job file. It is written at once after each change.
    text
        The first text; by default the content of the file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "job.toml"
    >>> _ = path.write_text('''
    ... input.path = "data.csv"
    ... output.masked = "masked.csv"
    ... method = { name = "PRAM" }
    ... [columns]
    ... age = { role = "quasi-identifier", kind = "numeric" } # in years
    ... ''')
    >>> editor = JobEditor(path)
    >>> editor.edit({("columns", "age", "weight"): 2.0})
    >>> editor.text.splitlines()[-1]
    'age = { role = "quasi-identifier", kind = "numeric",  weight = 2.0} # in years'
    >>> editor.undo()
    >>> editor.job.settings.columns["age"].weight is None
    True
    """

    def __init__(self, path: Path, text: str | None = None) -> None:
        self.path = path
        first = path.read_bytes().decode("utf-8-sig") if text is None else text
        parse_settings(first.encode(), path)
        self._texts: list[str] = [first]
        self._at = 0
        self._job: Job | None = None
        self._written = sha256(path.read_bytes()).digest() if text is None else b""
        if text is not None:
            self._write()

    @property
    def text(self) -> str:
        """The text of the job."""
        return self._texts[self._at]

    @property
    def content(self) -> dict[str, Any]:
        """The job as dictionaries, lists and values."""
        return tomllib.loads(self.text)

    @property
    def job(self) -> Job:
        """The job. Tables and ontologies that an edit did not touch are not read again."""
        if self._job is None:
            self._job = Job.from_toml(self.path)
        return self._job

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier state."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a state was undone."""
        return self._at + 1 < len(self._texts)

    def edit(self, changes: Changes, check: Callable[[Job], object] | None = None) -> None:
        """Change keys. Raises a `JobError` with a problem for each wrong key, and then changes nothing.

        Parameters
        ----------
        changes
            The keys with their new values.
        check
            Called with the new job before the change is made. If it raises an error, nothing is changed.
        """
        self.replace(edited_text(self.text, changes, self.path), check)

    def replace(self, text: str, check: Callable[[Job], object] | None = None) -> None:
        """Take another text. Raises a `JobError` if it is not a valid job, and then changes nothing."""
        made = Job(parse_settings(text.encode(), self.path), self.path, sha256(text.encode()).hexdigest())
        if text == self.text:
            return
        if check is not None:
            made.sources.reuse(self.job.sources)
            check(made)
        # A check may take long, and its work may have been cancelled.
        check_cancelled()
        before = self._texts, self._at
        self._texts = [*self._texts[: self._at + 1], text][-_MOST_STATES:]
        self._at = len(self._texts) - 1
        self._commit(*before, None if check is None else made)

    def undo(self) -> None:
        """Go back to the state before the last change; nothing happens if there is none."""
        self._move(-1)

    def redo(self) -> None:
        """Take back the last undo; nothing happens if there was none."""
        self._move(1)

    def _move(self, step: int) -> None:
        if 0 <= self._at + step < len(self._texts):
            before = self._texts, self._at
            self._at += step
            self._commit(*before)

    def _commit(self, texts: list[str], at: int, made: Job | None = None) -> None:
        """Write the new state. If that fails, the former one stays."""
        try:
            self._check_unchanged()
            self._write()
        except BaseException:
            self._texts, self._at = texts, at
            raise
        former, self._job = self._job, made
        if former is not None and made is None:
            self.job.sources.reuse(former.sources)

    def _check_unchanged(self) -> None:
        if not self.path.exists() or sha256(self.path.read_bytes()).digest() != self._written:
            text = "Another program changed the file in the meantime. Open it again, so that no change is lost."
            raise JobError(self.path, [("", text)], code="changed")

    def _write(self) -> None:
        content = self.text.encode()
        write_atomic(self.path, content, mode=None if self.path.exists() else 0o600)
        self._written = sha256(content).digest()


def edited_text(text: str, changes: Changes, path: Path) -> str:
    """The text of a job with some keys changed. Comments and all other lines stay."""
    try:
        import tomlkit
    except ImportError:
        raise MissingExtraError("Editing jobs", "web") from None
    document: Any = tomlkit.parse(text)
    wanted = tomllib.loads(text)
    for key, value in changes.items():
        if isinstance(value, _Remove):
            _remove(document, key)
            _remove(wanted, key)
        else:
            _set(document, key, value)
            _set_plain(wanted, key, value)
    made: str = tomlkit.dumps(document)
    # The editor of TOML is not ours: trust only what it has written.
    if _parse(made) != wanted:
        listed = ", ".join(dotted_key(*key) for key in changes)
        problem = f"The file cannot be changed here ({listed}). Change it in a text editor, and open it again."
        raise JobError(path, [("", problem)], code="not-edited")
    return made


def _parse(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _remove(table: Any, key: Sequence[str]) -> None:
    for part in key[:-1]:
        if part not in table:
            return
        table = table[part]
    if key[-1] in table:
        del table[key[-1]]


def _set_plain(table: dict[str, Any], key: Key, value: Any) -> None:
    for part in key[:-1]:
        table = table.setdefault(part, {})
    table[key[-1]] = copy.deepcopy(value)


def _set(table: Any, key: Key, value: Any) -> None:
    """Set a key in a document of tomlkit. Our own writer spells keys and values, so that none can add a line."""
    import tomlkit

    for number, part in enumerate(key[:-1]):
        if part not in table:
            is_inline = isinstance(table, tomlkit.items.InlineTable)
            made: Any = tomlkit.inline_table() if is_inline else tomlkit.table(is_super_table=number + 2 < len(key))
            _append(table, part, made)
        table = table[part]
    spelled = tomlkit.value(toml_value(value))
    if key[-1] in table:
        table[key[-1]] = spelled
    else:
        _append(table, key[-1], spelled)


def _append(table: Any, name: str, value: Any) -> None:
    """Add a key after the last one. The comments after that belong to the next table."""
    import tomlkit

    if isinstance(table, tomlkit.items.Table) and not isinstance(value, tomlkit.items.Table):
        body = table.value.body
        last = next((key for key, item in reversed(body) if key is not None and not _is_table(item)), None)
        if last is not None:
            table.value._insert_after(last, _spelled(name), value)
            return
    if hasattr(table, "append"):
        table.append(_spelled(name), value)
    else:
        # Keys of one table that are written in several places.
        table[name] = value


def _is_table(item: Any) -> bool:
    import tomlkit

    return isinstance(item, (tomlkit.items.Table, tomlkit.items.AoT))


def _spelled(name: str) -> Any:
    import tomlkit

    key: Any = tomlkit.parse(f"{toml_key(name)} = 0").body[0][0]
    return tomlkit.items.SingleKey(key.key, t=key.t, original=key.as_string().strip())
