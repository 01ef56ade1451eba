"""Claims: each continuation of a match by a host of its table has an id, which the table signs.

`match` states the newest claim of the host, and `resume` the newest one that the player has met.
So a host learns of a claim that its store has lost. nil: the match was never claimed.
"""

from typing import NamedTuple

from protocol.identity.keys import SIGNATURE_SIZE, verify
from protocol.schema import either, exactly, fields, nothing

CLAIM_ID = 16  # bytes, drawn at random for each claim
LABEL = "claim"  # of the signature
CLAIM = either(nothing, fields(exactly(CLAIM_ID), exactly(SIGNATURE_SIZE)))


class SignedClaim(NamedTuple):
    """A claim of a match, as in `match` and `resume`."""

    id: bytes
    signature: bytes  # the table's, of the match id and the claim's id


def check_claim(claim: SignedClaim, match_id: bytes, table_key: bytes) -> None:
    """Check that this table signed the claim for this match. Raises: RemoteError(BAD_SIGNATURE)."""
    verify(table_key, claim.signature, LABEL, match_id, claim.id)
