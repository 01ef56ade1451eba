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

from collections.abc import Sequence
from random import Random

from protocol.crypto.envelopes import MatchKey
from protocol.dealing import (
    MATCH_VOID,
    DealContext,
    Dealing,
    DealLoss,
    Post,
    Secrecy,
    leaving_phrase,
)
from protocol.dealing.facts import Fact
from protocol.dealing.verified import fold, loose_cards, own_decks
from protocol.dealing.verified.facts import entry_facts
from protocol.dealing.verified.options import OPTIONS, stand_in_quorum
from protocol.dealing.verified.seat import VerifiedSeat
from protocol.dealing.verified.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.verified.state import VerifiedState
from protocol.dealing.visibility import RevealedHands, SeenCards, cards_by_reader, shown_hands
from protocol.games import Hand
from protocol.games.operations import CardOperation, Lay, Operation, Turn
from protocol.options import Values
from protocol.schema import Fields
from protocol.view.phrase import phrase

# Keys of the promise: without a quorum, with the least quorum, with any other quorum.
HAND_PHRASES = ("terms.hand.verified", "terms.hand.quorum.least", "terms.hand.quorum")
DECK_PHRASES = ("terms.deck.verified", "terms.deck.quorum.least", "terms.deck.quorum")


class VerifiedDealing(Dealing[VerifiedState]):
    """Verified dealing, as the text above describes it."""

    name = "verified"
    entry_shapes = ENTRY_SHAPES
    entry_meanings = ENTRY_MEANINGS
    options = OPTIONS

    def supports(self, operation: Lay | Operation) -> bool:
        """Accept every operation within the limits for loose cards."""
        if isinstance(operation, Lay | CardOperation):
            return loose_cards.within_bounds(operation)
        return True

    def secrecy(self, options: Values, seats: int, with_own_decks: bool) -> Secrecy:
        """Return the promises of verified dealing.

        Nobody can read a hand, unless keys are shared. With shared keys a quorum of the other
        seats can, and the quorum shrinks with their number. Own decks have the same promises,
        except that an owner's program could read ahead in its own deck.
        """
        nobody, least, some = DECK_PHRASES if with_own_decks else HAND_PHRASES
        leaving = leaving_phrase(seats) if options.get("leavers") == "threshold" else MATCH_VOID
        quorum = stand_in_quorum(options, seats)
        if not quorum:
            return Secrecy(None, phrase(nobody), leaving)
        hand = phrase(least if quorum == 2 else some, quorum=quorum, others=seats - 1)
        return Secrecy(quorum, hand, leaving)

    def begin(self, context: DealContext, at: int) -> VerifiedState:
        return VerifiedState(context, at)

    def apply(
        self, state: VerifiedState, author: int, kind: str, body: Fields, at: int
    ) -> VerifiedState:
        return fold.apply(state, author, kind, body, at, proven=False)

    def repeat(
        self, state: VerifiedState, author: int, kind: str, body: Fields, at: int
    ) -> VerifiedState:
        return fold.apply(state, author, kind, body, at, proven=True)

    def apply_operation(
        self, state: VerifiedState, seat: int, operation: Operation, part: Fields, at: int
    ) -> VerifiedState:
        return fold.apply_operation(state, seat, operation, part, at, proven=False)

    def repeat_operation(
        self, state: VerifiedState, seat: int, operation: Operation, part: Fields, at: int
    ) -> VerifiedState:
        return fold.apply_operation(state, seat, operation, part, at, proven=True)

    def close(self, state: VerifiedState, show: tuple[int, ...] | None, at: int) -> VerifiedState:
        return fold.close(state, show, at)

    def leave(self, state: VerifiedState, seat: int, at: int) -> VerifiedState | DealLoss:
        return fold.leave(state, seat, at)

    def stand_in(self, state: VerifiedState, seat: int) -> VerifiedState | None:
        return fold.stand_in_for(state, seat)

    def turned_pieces(self, state: VerifiedState, turn: Turn) -> Hand:
        return own_decks.turned_pieces(state, turn)

    def facts(
        self, before: VerifiedState, author: int, post: Post, after: VerifiedState
    ) -> tuple[Fact, ...]:
        return entry_facts(before, author, post, after)

    def revealed_hands(self, states: Sequence[VerifiedState]) -> RevealedHands[VerifiedState]:
        return shown_hands(states)

    def seen_cards(self, states: Sequence[VerifiedState]) -> SeenCards[VerifiedState]:
        return cards_by_reader(states)

    def seat_half(
        self, context: DealContext, seat: int, key: MatchKey, rng: Random
    ) -> VerifiedSeat:
        return VerifiedSeat(context, seat, key, rng)


VERIFIED = VerifiedDealing()
