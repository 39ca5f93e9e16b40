from __future__ import annotations

import pytest

from support.frame_kinds import KINDS, TEXT


@pytest.fixture(scope="module", params=TEXT, ids=lambda name: name.replace(" ", "-"))
def text(request):
    return TEXT[request.param]


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param
