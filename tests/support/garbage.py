"""Settings of the garbage collector in processes of the tests.

Matches make thousands of frozen values and hardly any reference cycles. With the default settings,
the search for cycles takes a tenth of their time.
"""

import gc

GARBAGE = 50_000  # new values between two searches for cycles


def collect_seldom() -> None:
    """Search for cycles rarely, and never among present values."""
    gc.freeze()
    gc.set_threshold(GARBAGE)
