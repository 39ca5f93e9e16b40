"""What a refusal is about, without its words."""

from __future__ import annotations

from typing import Any

import pytest

from ontomask.errors import MaskingError

__all__ = ["refusal"]


def refusal(**fields: Any) -> Any:
    """Expect a MaskingError with these fields: ``with refusal(parameter="k"): ...``."""

    def has_fields(error: MaskingError) -> bool:
        found = {name: getattr(error, name) for name in fields}
        assert found == fields, f"{found} in: {error}"
        return True

    return pytest.raises(MaskingError, check=has_fields)
