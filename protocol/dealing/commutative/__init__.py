"""Commutative dealing: mental poker with envelopes that come off in any order (docs/protocol, chapter 16).

An envelope is multiplication by a seat's secret scalar in ristretto255, so a(b(M)) = b(a(M)). Every seat packs the
whole deck and shuffles it; the last one chooses cards for the others and for itself; a card goes to a seat when all
others have taken their envelopes off it. No proofs: the keys are committed to before the first envelope and opened
after the hand, and then everybody does every step again.

| promise | against whom, and when it is noticed |
| --- | --- |
| a seat's cards, and the stock, are hidden until the keys are opened | all others together, if they keep the rules |
| the order is fair | one honest seat, if the others keep the rules |
| every card exists once, and nobody shows another | everybody; when the keys are opened |
| a wrong key, envelope or card is not left unnamed | everybody; when the keys are opened (unless a seat leaves) |
| what was not shown stays hidden | nobody: the opened keys show every hand, the folded ones too |

Who breaks the rules can read cards, and is named for it after the hand, which is void. Until the keys are opened a
wrong card counts as the card it is said to be; a match that ends before that (somebody leaves) is void. The table has
no part in it, so it can be played without one, by mail.

Cost, for M pieces and N seats: M multiplications for each pack, one for each envelope taken off; the check after the
hand is N·M and one for each envelope. One entry a seat for its commitment, its pack and its unwrapping, one
choice, one opening.
"""

from collections.abc import Mapping
from random import Random
from typing import Any

from protocol.crypto.sealed import MatchKey
from protocol.dealing import Context, Loss, SeatHalf, TableHalf
from protocol.dealing.commutative import fold
from protocol.dealing.commutative.seat import CommutativeSeat
from protocol.dealing.commutative.stages import KINDS, MEANINGS
from protocol.dealing.commutative.state import Commutative
from protocol.dealing.secrecy import VOID, Secrecy
from protocol.dealing.words import Meaning
from protocol.games.operations import Lay, Operation, Shuffle
from protocol.options import Option, Values
from protocol.schema import Shape
from protocol.view.phrase import phrase


class CommutativeDealing:
    """The `protocol.dealing.Dealing` of this folder."""

    name = "commutative"
    kinds: Mapping[str, Shape] = KINDS
    meanings: Mapping[str, Meaning] = MEANINGS
    needs_table = False
    options: tuple[Option, ...] = ()

    def secrecy(self, options: Values, seats: int) -> Secrecy:
        """Whoever breaks the rules, even alone, can know a hand, and is named for it afterwards."""
        return Secrecy(1, phrase("terms.hand.commutative"), VOID)

    def offers(self, operation: Lay | Operation) -> bool:
        """All but shuffling anew: everybody would need another key."""
        return not isinstance(operation, Shuffle)

    def begin(self, context: Context, at: int) -> Commutative:
        """A new deal."""
        return Commutative(context, at)

    def apply(self, state: Commutative, author: int, kind: str, body: list[Any], at: int) -> Commutative:
        """See `fold.apply`."""
        return fold.apply(state, author, kind, body, at)

    def operate(self, state: Commutative, seat: int, operation: Operation, part: list[Any], at: int) -> Commutative:
        """See `fold.operate`."""
        return fold.operate(state, seat, operation, part, at)

    def close(self, state: Commutative, show: tuple[int, ...] | None, at: int) -> Commutative:
        """See `fold.close`: the keys show every hand."""
        return fold.close(state, at)

    def protest(self, state: Commutative, seat: int, at: int) -> Commutative:
        """See `fold.protest`."""
        return fold.protest(state, seat, at)

    def leave(self, state: Commutative, seat: int, at: int) -> Loss:
        """Nobody can take off a missing seat's envelopes."""
        return Loss.VOID

    def seat_half(self, context: Context, seat: int, key: MatchKey, rng: Random) -> SeatHalf:
        """See `seat.CommutativeSeat`."""
        return CommutativeSeat(context, seat, rng)

    def table_half(self, context: Context, rng: Random) -> TableHalf | None:
        """The table has no part in it."""
        return None
