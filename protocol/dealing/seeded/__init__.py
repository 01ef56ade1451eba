"""Seeded dealing: each seat draws from its own cards by numbers to which all seats contribute
(docs/protocol, chapter 35).

Every seat first commits to a seed. For a draw, every other seat posts its *give*: a number that
follows from its seed. The drawer's seed and all gives together select one of the pieces left in the
pile. Only the drawer can compute the selection. Pieces that a seat shows are believed until all
seeds are opened at the end. Then everybody repeats every draw.

| promise | against whom, and when a breach is noticed |
| --- | --- |
| a drawn piece is hidden until the seeds are opened | all other seats together |
| no seat, not even the owner, knows the order of a pile | holds if one giving seat is honest |
| no seat chooses a draw | holds if one seat is honest; a wrong give is noticed at the check |
| a shown piece was drawn, and is shown once | everybody; noticed when the seeds are opened |
| pieces that were never shown stay hidden | no promise: the opened seeds reveal all draws |

Seeded dealing offers loose piles with an owner. A seat never looks at cards of another seat. A seat
that the opened seeds convict is out as if it had left, and the others play on. The table takes no
part.

Cost of a draw: two hashes for its owner and one for each other seat, and the same again at the
check. Each other seat posts one entry of 32 bytes for all draws that are requested at once. No
shuffle is ever computed.
"""

from collections.abc import Sequence
from random import Random

from protocol.crypto.envelopes import MatchKey
from protocol.dealing import DealContext, Dealing, DealLoss, Post, Secrecy, leaving_phrase
from protocol.dealing.facts import Fact
from protocol.dealing.seeded import fold, opening_audit
from protocol.dealing.seeded.facts import entry_facts
from protocol.dealing.seeded.seat import SeededSeat
from protocol.dealing.seeded.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.seeded.state import SeededState
from protocol.dealing.visibility import RevealedHands
from protocol.games.operations import Lay, LookAt, OpenCard, Operation, RevealCards, ShuffleCards
from protocol.options import Values
from protocol.schema import Fields
from protocol.view.phrase import phrase


class SeededDealing(Dealing[SeededState]):
    """Seeded dealing, as the text above describes it."""

    name = "seeded"
    entry_shapes = ENTRY_SHAPES
    entry_meanings = ENTRY_MEANINGS

    def supports(self, operation: Lay | Operation) -> bool:
        """Accept loose cards with an owner, and looks by one seat."""
        match operation:
            case Lay(piles):
                return all(pile.loose and pile.owner is not None for pile in piles)
            case LookAt(_, seats):
                return len(set(seats)) == 1
        return isinstance(operation, ShuffleCards | RevealCards | OpenCard)

    def secrecy(self, options: Values, seats: int, with_own_decks: bool) -> Secrecy:
        """Return the promises of seeded dealing: nobody can read a hand."""
        return Secrecy(None, phrase("terms.hand.seeded"), leaving_phrase(seats))

    def begin(self, context: DealContext, at: int) -> SeededState:
        return SeededState(context, at)

    def apply(
        self, state: SeededState, author: int, kind: str, body: Fields, at: int
    ) -> SeededState:
        return fold.apply(state, author, kind, body, at)

    def apply_operation(
        self, state: SeededState, seat: int, operation: Operation, part: Fields, at: int
    ) -> SeededState:
        return fold.apply_operation(state, seat, operation, part, at)

    def close(self, state: SeededState, show: tuple[int, ...] | None, at: int) -> SeededState:
        return fold.close(state, show, at)

    def leave(self, state: SeededState, seat: int, at: int) -> SeededState | DealLoss:
        return fold.leave(state, seat, at)

    def facts(
        self, before: SeededState, author: int, post: Post, after: SeededState
    ) -> tuple[Fact, ...]:
        return entry_facts(before, author, post, after)

    def revealed_hands(self, states: Sequence[SeededState]) -> RevealedHands[SeededState]:
        return opening_audit.revealed_hands(states)

    def seat_half(self, context: DealContext, seat: int, key: MatchKey, rng: Random) -> SeededSeat:
        return SeededSeat(context, seat, rng)


SEEDED = SeededDealing()
