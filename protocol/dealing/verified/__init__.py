"""Verified dealing: no trust in anyone, and every lie noticed at once (docs/protocol, chapter 13).

Barnett and Smart's cards over ristretto255: a card is an ElGamal ciphertext under the sum of all seats' keys, a
shuffle is a re-encryption in secret order with an argument that it is one, and a card is read with one proven share of
every seat.

| promise | against whom, and when it is noticed |
| --- | --- |
| a seat's pieces, and the stock, are hidden | everybody else together (with shared keys: below a quorum) |
| the order is fair | one honest seat |
| every piece exists once, and nobody shows another | everybody; at once |
| a wrong key, shuffle or share is not accepted | everybody; at once, and its author is named |
| what is not shown stays hidden for ever | everybody else together, as long as discrete logarithms are hard |

The table has no part in it. A seat that does not give its shares stops the deal: see `leavers` for what happens then.

Cost, for M pieces and N seats: a shuffle is about 9M multiplications to make and 8M to check by each of N-1 seats
and the table; a card dealt is N-1 shares of 3 multiplications to make and 4 to check. One entry a seat for its key, one
for its shuffle, one for its shares of the whole deal; a draw is N-1 entries.
"""

from collections.abc import Mapping
from random import Random
from typing import Any

from protocol.codes import Code
from protocol.crypto.sealed import MatchKey
from protocol.dealing import Context, Loss, SeatHalf, TableHalf
from protocol.dealing.secrecy import VOID, Secrecy, others_play_on
from protocol.dealing.verified import fold
from protocol.dealing.verified.options import OPTIONS, quorum_of
from protocol.dealing.verified.seat import VerifiedSeat
from protocol.dealing.verified.stages import KINDS, MEANINGS
from protocol.dealing.verified.state import Verified
from protocol.dealing.words import Meaning
from protocol.errors import Refused
from protocol.games.operations import Lay, Operation
from protocol.options import Option, Values
from protocol.schema import Shape
from protocol.view.phrase import phrase


class VerifiedDealing:
    """The `protocol.dealing.Dealing` of this folder."""

    name = "verified"
    kinds: Mapping[str, Shape] = KINDS
    meanings: Mapping[str, Meaning] = MEANINGS
    needs_table = False
    options: tuple[Option, ...] = OPTIONS

    def secrecy(self, options: Values, seats: int) -> Secrecy:
        """Nobody can know a hand, unless keys are shared: then a quorum of the others, which shrinks with them."""
        leaving = others_play_on(seats) if options.get("leavers") == "threshold" else VOID
        quorum = quorum_of(options, seats)
        if not quorum:
            return Secrecy(None, phrase("terms.hand.verified"), leaving)
        hand = "terms.hand.quorum.least" if quorum == 2 else "terms.hand.quorum"
        return Secrecy(quorum, phrase(hand, quorum=quorum, others=seats - 1), leaving)

    def offers(self, operation: Lay | Operation) -> bool:
        """Everything."""
        return True

    def begin(self, context: Context, at: int) -> Verified:
        """A new deal."""
        return Verified(context, at)

    def apply(self, state: Verified, author: int, kind: str, body: list[Any], at: int) -> Verified:
        """See `fold.apply`."""
        return fold.apply(state, author, kind, body, at)

    def operate(self, state: Verified, seat: int, operation: Operation, part: list[Any], at: int) -> Verified:
        """See `fold.operate`."""
        return fold.operate(state, seat, operation, part, at)

    def close(self, state: Verified, show: tuple[int, ...] | None, at: int) -> Verified:
        """See `fold.close`."""
        return fold.close(state, show, at)

    def protest(self, state: Verified, seat: int, at: int) -> Verified:
        """There is nothing that only one seat could see to be wrong."""
        raise Refused(Code.NOT_NOW)

    def leave(self, state: Verified, seat: int, at: int) -> Verified | Loss:
        """See `fold.leave`."""
        return fold.leave(state, seat, at)

    def seat_half(self, context: Context, seat: int, key: MatchKey, rng: Random) -> SeatHalf:
        """See `seat.VerifiedSeat`."""
        return VerifiedSeat(context, seat, key, rng)

    def table_half(self, context: Context, rng: Random) -> TableHalf | None:
        """The table has no part in it."""
        return None
