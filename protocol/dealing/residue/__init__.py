"""Residue dealing: cards by quadratic residues, no trust in anyone, and every lie is noticed at
once (docs/protocol, chapter 36).

The scheme is Schindelhauer's toolbox, which proves a shuffle by many further shuffles instead of
one argument. A card is a number for each seat and bit. Only a seat's own primes reveal the bits of
its numbers. Bit j of the piece is the exclusive or of all seats' bits j. A shuffle and its proof
are posted in chunks, because they are larger than an entry.

| promise | against whom, and when a breach is noticed |
| --- | --- |
| a seat's pieces, and the stock, are hidden | everybody else together, if they cannot factor m |
| the order is random | holds if one seat is honest |
| each piece exists once, and no seat shows a wrong piece | everybody; at once |
| a wrong key, shuffle or bit is refused | everybody; at once, and its author is named |
| a piece that is not shown stays hidden for ever | everybody else, if they cannot factor m |

The promises equal those of `verified`, but rest on another assumption and cost much more. A shuffle
of 52 cards among four seats takes a second to make, a second to check, and 7 MB of log. `verified`
takes 30 ms and 10 kB. A seat that leaves ends a match of more than two seats; of two seats, it has
lost. The table takes no part in the deal. A table is needed all the same, because such logs do not
fit into letters.
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
from protocol.dealing.residue import fold, log_size
from protocol.dealing.residue.facts import entry_facts
from protocol.dealing.residue.options import OPTIONS, is_breakable
from protocol.dealing.residue.seat import ResidueSeat
from protocol.dealing.residue.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.residue.state import ResidueState
from protocol.dealing.visibility import RevealedHands, SeenCards, cards_by_reader, shown_hands
from protocol.games.operations import Lay, Operation, ShuffleCards, Turn
from protocol.limits import MAX_PIECES, MAX_PILE
from protocol.options import Values
from protocol.schema import Fields
from protocol.view.phrase import phrase


class ResidueDealing(Dealing[ResidueState]):
    """Residue dealing, as the text above describes it."""

    name = "residue"
    entry_shapes = ENTRY_SHAPES
    entry_meanings = ENTRY_MEANINGS
    options = OPTIONS
    fits_parcels = False

    def supports(self, operation: Lay | Operation) -> bool:
        """Accept all operations except own decks, and shuffles of at most `MAX_PILE` cards.

        In an own deck every turned card would cost a proof of 20 kB.
        """
        match operation:
            case Lay(piles):
                small = all(pile.loose or pile.size <= MAX_PILE for pile in piles)
                return (
                    small
                    and sum(pile.size for pile in piles) <= MAX_PIECES
                    and not any(pile.is_own_deck for pile in piles)
                )
            case ShuffleCards(cards):
                return len(set(cards)) <= MAX_PILE
        return not isinstance(operation, Turn)

    def secrecy(self, options: Values, seats: int, with_own_decks: bool) -> Secrecy:
        """Return the promises of residue dealing: nobody can read a hand, but with test keys
        everybody can.
        """
        leaving = MATCH_VOID if seats > 2 else leaving_phrase(seats)
        if is_breakable(options):
            return Secrecy(0, phrase("terms.hand.residue.breakable"), leaving)
        return Secrecy(None, phrase("terms.hand.residue"), leaving)

    def check_size(self, options: Values, seats: int, pieces: int) -> None:
        log_size.check_size(options, seats, pieces)

    def begin(self, context: DealContext, at: int) -> ResidueState:
        return fold.begin(context, at)

    def apply(
        self, state: ResidueState, author: int, kind: str, body: Fields, at: int
    ) -> ResidueState:
        return fold.apply(state, author, kind, body, at, proven=False)

    def repeat(
        self, state: ResidueState, author: int, kind: str, body: Fields, at: int
    ) -> ResidueState:
        return fold.apply(state, author, kind, body, at, proven=True)

    def apply_operation(
        self, state: ResidueState, seat: int, operation: Operation, part: Fields, at: int
    ) -> ResidueState:
        return fold.apply_operation(state, seat, operation, part, at)

    def close(self, state: ResidueState, show: tuple[int, ...] | None, at: int) -> ResidueState:
        return fold.close(state, show, at)

    def leave(self, state: ResidueState, seat: int, at: int) -> DealLoss:
        return fold.leave(state, seat, at)

    def pending_log_bytes(self, state: ResidueState) -> int:
        return state.pending_log_bytes

    def facts(
        self, before: ResidueState, author: int, post: Post, after: ResidueState
    ) -> tuple[Fact, ...]:
        return entry_facts(before, author, post, after)

    def revealed_hands(self, states: Sequence[ResidueState]) -> RevealedHands[ResidueState]:
        return shown_hands(states)

    def seen_cards(self, states: Sequence[ResidueState]) -> SeenCards[ResidueState]:
        return cards_by_reader(states)

    def seat_half(self, context: DealContext, seat: int, key: MatchKey, rng: Random) -> ResidueSeat:
        return ResidueSeat(context, seat, rng)


RESIDUE = ResidueDealing()
