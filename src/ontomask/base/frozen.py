"""Fields of frozen dataclasses."""

from __future__ import annotations

__all__ = ["set_fields"]


def set_fields(frozen: object, **values: object) -> None:
    """Store validated fields of a frozen dataclass in its ``__post_init__``, before anybody has the object."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)
