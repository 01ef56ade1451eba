"""Faults of the interpreter of rule files."""

from collections.abc import Callable
from typing import Any

import pytest

from protocol.rules.errors import RuleFault


def fault_of(call: Callable[..., Any], *given: Any) -> str:
    """Return the key of the fault that a call raises."""
    with pytest.raises(RuleFault) as raised:
        call(*given)
    return raised.value.key
