"""Protocols as games: seconds of CPU for the two classics, and for all the protocols that come
along.

As far as they are searched: at how many a search gave up is said, too.
"""

import time
from collections.abc import Callable

from verification.engine.verdict import (Bound, GaveUp, Verdict, verify)
from verification.protocols.loader import shipped_protocol
from verification.protocols.catalog import SHIPPED

SECONDS = 60  # for one protocol, then the search gives up


def measure(demands: int) -> dict[str, float]:
    """`demands`: on the intruder, that are looked at for one protocol, then the search gives up as
    well.
    """
    classics = {
        "verify_ns_s": _timed("needham-schroeder", Bound(1, demands=demands))[0],
        "verify_nsl_s": _timed("needham-schroeder-lowe", Bound(2, demands=demands))[0],
    }
    bounds = [(name, Bound(shipped.sessions, True, demands)) for name, shipped in SHIPPED.items()]
    bounds += [
        (name, Bound(one.sessions, False, demands))
        for name, one in SHIPPED.items()
        if one.untyped is not None
    ]
    taken = [_timed(name, bound) for name, bound in bounds]
    return classics | {
        "verify_suite_s": sum(seconds for seconds, _ in taken),
        "verify_suite_longest_s": max(seconds for seconds, _ in taken),
        "verify_suite_gave_up": sum(isinstance(verdict, GaveUp) for _, verdict in taken),
    }


def _timed(name: str, bound: Bound) -> tuple[float, Verdict]:
    protocol = shipped_protocol(name)
    begun = time.process_time()
    verdict = verify(protocol, bound, _over(begun + SECONDS))
    return time.process_time() - begun, verdict


def _over(end: float) -> Callable[[], bool]:
    return lambda: time.process_time() > end
