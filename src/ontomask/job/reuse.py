"""Take over what an earlier state of a job has read, so that an edit of one key does not read all files again."""

from __future__ import annotations

from typing import Any

from ontomask.job.sources import Sources

__all__ = ["reuse"]

_DATA = ("columns", "policies", "ontologies")


def reuse(sources: Sources, former: Sources) -> None:
    """Give ``sources`` the table, the ontologies and the encoded data of ``former``, where the settings are the same.

    The files are not read again, even if they have changed meanwhile.
    """
    if former.path.parent != sources.path.parent:
        return
    read, ours = vars(former), vars(sources)
    known = sources.settings.ontologies
    opened = read.get("_opened", {})
    ours["_opened"] = {
        name: taxonomy for name, taxonomy in opened.items() if known.get(name) == former.settings.ontologies.get(name)
    }
    same_marks = sources._marks == former._marks
    if "frame" not in read or not same_marks or not _are_same(sources, former, "input"):
        return
    if list(sources.settings.columns) != list(former.settings.columns):
        return
    ours["frame"] = read["frame"]
    if "data" in read and all(_are_same(sources, former, part) for part in _DATA):
        ours["data"], ours["attributes"] = read["data"], read["attributes"]


def _are_same(sources: Sources, former: Sources, part: str) -> bool:
    """Whether a part of both jobs is the same, apart from confirmations."""
    new, old = (_unconfirmed(each.settings.model_dump(include={part})[part]) for each in (sources, former))
    return bool(new == old)


def _unconfirmed(settings: Any) -> Any:
    """Settings without the keys that say whether a person has confirmed them."""
    if not isinstance(settings, dict):
        return settings
    # A column or a value may have this name, too, but it is not a boolean.
    is_said = {key for key, value in settings.items() if key == "confirmed" and isinstance(value, bool)}
    return {key: _unconfirmed(value) for key, value in settings.items() if key not in is_said}
