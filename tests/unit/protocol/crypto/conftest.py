"""Fixtures that restore the real arithmetic: these tests never use cached results."""

from collections.abc import Iterator

import pytest

from tests.support.sums import plain_arithmetic


@pytest.fixture(autouse=True)
def _plain() -> Iterator[None]:
    with plain_arithmetic():
        yield
