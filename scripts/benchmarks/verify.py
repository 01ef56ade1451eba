"""Search of protocols: CPU seconds for the two classics, and for all built-in protocols.

A search that gives up counts as far as it came; the number of these is a figure too.
"""

import time
from collections.abc import Callable

from verification.engine.verdict import SearchAborted, SearchBound, Verdict, verify
from verification.protocols.catalog import BUILT_IN_PROTOCOLS
from verification.protocols.loader import load_protocol

SECONDS = 60  # limit for one protocol


def measure(demands: int) -> dict[str, float]:
    """Measure with at most `demands` demands for one protocol."""
    classics = {
        "verify_ns_s": _timed("needham-schroeder", SearchBound(1, demands=demands))[0],
        "verify_nsl_s": _timed("needham-schroeder-lowe", SearchBound(2, demands=demands))[0],
    }
    bounds = [
        (name, SearchBound(shipped.sessions, True, demands))
        for name, shipped in BUILT_IN_PROTOCOLS.items()
    ]
    bounds += [
        (name, SearchBound(one.sessions, False, demands))
        for name, one in BUILT_IN_PROTOCOLS.items()
        if one.untyped is not None
    ]
    taken = [_timed(name, bound) for name, bound in bounds]
    return classics | {
        "verify_suite_s": sum(seconds for seconds, _ in taken),
        "verify_suite_longest_s": max(seconds for seconds, _ in taken),
        "verify_suite_gave_up": sum(isinstance(verdict, SearchAborted) for _, verdict in taken),
    }


def _timed(name: str, bound: SearchBound) -> tuple[float, Verdict]:
    protocol = load_protocol(name)
    begun = time.process_time()
    verdict = verify(protocol, bound, _over(begun + SECONDS))
    return time.process_time() - begun, verdict


def _over(end: float) -> Callable[[], bool]:
    return lambda: time.process_time() > end
