"""Expectation of an error by the English text that a person reads."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text


@contextmanager
def raises_text(
    kind: type[LocalError] | type[RemoteError], match: str
) -> Iterator[pytest.ExceptionInfo[LocalError | RemoteError]]:
    """Expect an error whose English text matches a pattern, as `pytest.raises` does."""
    with pytest.raises(kind) as caught:
        yield caught
    text = english_text(caught.value.phrase)
    assert re.search(match, text), text
