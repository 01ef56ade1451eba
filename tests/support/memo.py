"""What several parties of one process compute from the same bytes is computed once.

In the world outside every party has a machine of its own, and checks for itself. Here all of them would check the same
signatures and proofs one after the other, which is most of a simulation's time. The functions are pure, so remembering
what they gave changes nothing but the time; nothing is skipped that nobody has computed.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache, wraps
from typing import Any
from unittest.mock import patch

from protocol.dealing.verified import fold
from protocol.identity import keys as identity

KEPT = 1 << 13  # results; parties are seldom more than a few hundred entries apart
SHARED = (
    (identity, "signature_holds"),
    (fold, "check_knowledge"),
    (fold, "check_shuffle"),
    (fold, "check_share"),
)


@contextmanager
def shared_checks() -> Iterator[None]:
    """Remember which signatures and proofs hold. What does not hold is checked by everybody."""
    with ExitStack() as stack:
        for module, name in SHARED:
            stack.enter_context(patch.object(module, name, _remembering(getattr(module, name))))
        yield


def _remembering(check: Callable[..., Any]) -> Callable[..., Any]:
    remembered = lru_cache(KEPT)(check)

    @wraps(check)
    def checked(*values: Any) -> Any:
        try:
            hash(values)
        except TypeError:  # somebody sent a list where bytes belong
            return check(*values)
        return remembered(*values)

    return checked
