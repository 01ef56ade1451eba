"""Verified dealing: no trust in anyone, and every lie noticed at once (docs/protocol, chapter 13).

Barnett and Smart's cards over ristretto255: a card is an ElGamal ciphertext under the sum of all
seats' keys, a shuffle is a re-encryption in secret order with an argument that it is one, and a
card is read with one proven share of every seat.

| promise | against whom, and when it is noticed |
| --- | --- |
| a seat's pieces, and the stock, are hidden | everybody else together (with shared keys: below a quorum) |
| the order is fair | one honest seat |
| every piece exists once, and nobody shows another | everybody; at once |
| a wrong key, shuffle or share is not accepted | everybody; at once, and its author is named |
| what is not shown stays hidden for ever | everybody else together, as long as discrete logarithms are hard |

The table has no part in it. A seat that does not give its shares stops the deal: see `leavers` for
what happens then.

Cost, for M pieces and N seats: a shuffle is about 9M multiplications to make and 8M to check by
each of N-1 seats and the table; a card dealt is N-1 shares of 3 multiplications to make and 4 to
check. One entry a seat for its key, one for its shuffle, one for its shares of the whole deal; a
draw is N-1 entries.
"""

from protocol.dealing import Dealing
from protocol.dealing.secrecy import MATCH_VOID, Secrecy, leaving_phrase
from protocol.dealing.verified import fold, loose_cards, own_decks
from protocol.dealing.verified.facts import facts
from protocol.dealing.verified.hindsight import shown_hands
from protocol.dealing.verified.options import OPTIONS, stand_in_quorum
from protocol.dealing.verified.seat import VerifiedSeat
from protocol.dealing.verified.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.verified.state import VerifiedState
from protocol.dealing.visibility import cards_by_reader
from protocol.games.operations import CardOperation, Lay, Operation
from protocol.options import Values
from protocol.view.phrase import phrase

HAND_PHRASES = ("terms.hand.verified", "terms.hand.quorum.least", "terms.hand.quorum")
DECK_PHRASES = ("terms.deck.verified", "terms.deck.quorum.least", "terms.deck.quorum")


def _secrecy(options: Values, seats: int, own_decks: bool) -> Secrecy:
    """Nobody can know a hand, unless keys are shared: then a quorum of the others, which shrinks
    with them.

    So it is with own decks, but that each program could read ahead in its own.
    """
    nobody, least, some = DECK_PHRASES if own_decks else HAND_PHRASES
    leaving = leaving_phrase(seats) if options.get("leavers") == "threshold" else MATCH_VOID
    quorum = stand_in_quorum(options, seats)
    if not quorum:
        return Secrecy(None, phrase(nobody), leaving)
    return Secrecy(
        quorum, phrase(least if quorum == 2 else some, quorum=quorum, others=seats - 1), leaving
    )


def _supports(operation: Lay | Operation) -> bool:
    """All there is, within the bounds of loose cards."""
    return not isinstance(operation, Lay | CardOperation) or loose_cards.within_bounds(operation)


VERIFIED = Dealing(
    name="verified",
    entry_shapes=ENTRY_SHAPES,
    entry_meanings=ENTRY_MEANINGS,
    options=OPTIONS,
    secrecy=_secrecy,
    supports=_supports,
    begin=VerifiedState,
    apply=fold.apply,
    apply_operation=fold.apply_operation,
    turned_pieces=own_decks.turned_pieces,
    close=fold.close,
    leave=fold.leave,
    stand_in=fold.stand_in_for,
    revealed_hands=shown_hands,
    seen_cards=cards_by_reader,
    facts=facts,
    seat_half=VerifiedSeat,
)
