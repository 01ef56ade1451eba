"""Layered dealing: the protocol of domino tables (docs/protocol, chapter 8).

A deal has seven stages:

1. The table publishes a pseudonym for each piece.
2. Each seat in turn encrypts all pseudonyms with a layer of its own, and shuffles them.
3. The list travels round the seats in sealed envelopes, and each seat takes a hand.
4. Each seat commits to its hand.
5. The seats remove their layers from the elements taken.
6. Slots for one-time keys travel round the seats.
7. The table seals each piece to its slot.

| promise | against whom, and when a breach is noticed |
| --- | --- |
| a seat's pieces are hidden from the other seats | all of them together, without the table |
| the holders of pieces are hidden from the table | the table alone; **not** table and seat |
| a drawn piece is hidden from the table | the table alone (oblivious transfer) |
| the order is random | holds if one seat or the table is honest |
| each piece exists once, and no seat shows a wrong piece | at once, or when the deal closes |
| no seat takes too many pieces or none, or changes others' slots | the victim at once, by protest |
| the table tells no wrong piece | the holder notices at once, and protests |
| no seat requests another piece than the one drawn | when the deal closes |

The table can read all faces behind pseudonyms from the start, and all hands when the deal closes.
At the close the seats can read everything too: no piece stays hidden for ever.

Cost, for M pieces, N seats, h pieces each and odds p to take: M hashes for a seat's layer, and N*M
for the audit. The two routes need about 2*N*h/p hops of two X25519 and two AES-GCM operations each.
Each piece dealt costs one X25519 operation. A draw takes N+2 entries and about M point additions at
the table.
"""

from collections.abc import Sequence
from random import Random

from protocol.crypto.envelopes import MatchKey
from protocol.dealing import MATCH_VOID, DealContext, Dealing, Post, Secrecy
from protocol.dealing.facts import Fact
from protocol.dealing.layered import fold, opening_audit
from protocol.dealing.layered.facts import entry_facts
from protocol.dealing.layered.seat import LayeredSeat
from protocol.dealing.layered.seat_route import OPTIONS
from protocol.dealing.layered.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.layered.state import LayeredState
from protocol.dealing.layered.table import LayeredTable
from protocol.dealing.visibility import RevealedHands
from protocol.games.operations import EVERYBODY, Lay, Look, Operation, Reveal
from protocol.options import Values
from protocol.schema import Fields
from protocol.view.phrase import phrase


class LayeredDealing(Dealing[LayeredState]):
    """Layered dealing, as the text above describes it."""

    name = "layered"
    entry_shapes = ENTRY_SHAPES
    entry_meanings = ENTRY_MEANINGS
    options = OPTIONS
    needs_table = True

    def supports(self, operation: Lay | Operation) -> bool:
        """Accept one pile, showing pieces, and draws of one piece from the stock by one seat."""
        match operation:
            case Lay(piles):
                return len(piles) == 1 and not (piles[0].is_own_deck or piles[0].loose)
            case Look(count, receiver):
                return count == 1 and receiver != EVERYBODY
        return isinstance(operation, Reveal)

    def secrecy(self, options: Values, seats: int, with_own_decks: bool) -> Secrecy:
        """Return the promises of layered dealing.

        The table together with both neighbours of a seat can read the seat's whole hand
        (docs/attacks.md, 1).
        """
        if seats == 2:
            return Secrecy(1, phrase("terms.hand.layered.two"), MATCH_VOID)
        return Secrecy(2, phrase("terms.hand.layered"), MATCH_VOID)

    def begin(self, context: DealContext, at: int) -> LayeredState:
        return LayeredState(context, at)

    def apply(
        self, state: LayeredState, author: int, kind: str, body: Fields, at: int
    ) -> LayeredState:
        return fold.apply(state, author, kind, body, at)

    def apply_operation(
        self, state: LayeredState, seat: int, operation: Operation, part: Fields, at: int
    ) -> LayeredState:
        return fold.apply_operation(state, seat, operation, part, at)

    def close(self, state: LayeredState, show: tuple[int, ...] | None, at: int) -> LayeredState:
        return fold.close(state, show, at)

    def protest(self, state: LayeredState, seat: int, at: int) -> LayeredState:
        return fold.protest(state, seat, at)

    def facts(
        self, before: LayeredState, author: int, post: Post, after: LayeredState
    ) -> tuple[Fact, ...]:
        return entry_facts(before, author, post, after)

    def revealed_hands(self, states: Sequence[LayeredState]) -> RevealedHands[LayeredState]:
        return opening_audit.revealed_hands(states)

    def seat_half(self, context: DealContext, seat: int, key: MatchKey, rng: Random) -> LayeredSeat:
        return LayeredSeat(context, seat, key, rng)

    def table_half(self, context: DealContext, rng: Random) -> LayeredTable:
        return LayeredTable(context, rng)


LAYERED = LayeredDealing()
