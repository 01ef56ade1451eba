"""What is tested here is the arithmetic itself: none of it is replaced by sums that are already
known.
"""

from collections.abc import Iterator

import pytest

from tests.support.sums import plain_arithmetic


@pytest.fixture(autouse=True)
def _plain() -> Iterator[None]:
    with plain_arithmetic():
        yield
