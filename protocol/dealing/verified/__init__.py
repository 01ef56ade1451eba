"""Verified dealing: no trust in anyone, and every lie is noticed at once (docs/protocol, chapter
13).

The scheme is Barnett and Smart's over ristretto255. A card is an ElGamal ciphertext under the sum
of all seats' keys. A shuffle re-encrypts the cards in a secret order, and proves that it did so. To
read a card, one needs a proven share of every seat.

| promise | against whom, and when a breach is noticed |
| --- | --- |
| a seat's pieces, and the stock, are hidden | everybody else (shared keys: fewer than a quorum) |
| the order is random | holds if one seat is honest |
| each piece exists once, and no seat shows a wrong piece | everybody; at once |
| a wrong key, shuffle or share is refused | everybody; at once, and its author is named |
| a piece never shown stays hidden for ever | everybody else, if discrete logarithms are hard |

The table takes no part. A seat that withholds its shares stops the deal; the option `leavers`
decides what happens then.

Cost, for M pieces and N seats: a shuffle takes about 9M multiplications to make. Each of the N-1
other seats and the table check it with 8M. A dealt card needs N-1 shares, each of 3 multiplications
to make and 4 to check. Each seat posts one entry for its key, one for its shuffle, and one for its
shares of the whole deal. A draw takes N-1 entries.
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
    """Return the promises of verified dealing.

    Nobody can read a hand, unless keys are shared. With shared keys a quorum of the other seats
    can, and the quorum shrinks with their number. Own decks have the same promises, except that an
    owner's program could read ahead in its own deck.
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
    """Accept every operation within the limits for loose cards."""
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
