from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path):
    def write(text: str | bytes, name: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write
