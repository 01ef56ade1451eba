"""Commutative dealing: mental poker with envelopes that come off in any order (docs/protocol,
chapter 16).

An envelope is multiplication by a seat's secret scalar in ristretto255, so a(b(M)) = b(a(M)). Every
seat encrypts the whole deck with its envelope and shuffles it. The last seat chooses cards for all
seats. A card reaches its holder when all other seats have removed their envelopes. No step is
proved at once. Seats commit to their keys before the first envelope, and open the keys after the
hand. Then everybody repeats and checks every step.

| promise | against whom, and when a breach is noticed |
| --- | --- |
| a seat's cards, and the stock, are hidden until the check | all others, if they obey the rules |
| the order is random | holds if one seat is honest and the others obey the rules |
| each card exists once, and no seat shows a wrong card | everybody; when the keys are opened |
| the author of a wrong step is named | everybody; at the check (never, if a seat leaves before) |
| cards that were not shown stay hidden | no promise: the opened keys reveal every hand |

A seat that breaks the rules can read cards; after the hand it is named, and the hand is void. Until
the keys are opened, a shown card counts as the piece that its holder claims. A match that ends
before the check, because a seat leaves, is void. The table takes no part, so two people can play
without a table, by mail.

Cost, for M pieces and N seats: M multiplications for each pack, and one for each envelope removed.
The check after the hand takes N·M multiplications, and one for each envelope removed. Each seat
posts one entry each for its commitment, its pack, its unwrapping and its opening; one seat posts
the choice.
"""

from collections.abc import Sequence
from random import Random

from protocol.codes import Code
from protocol.crypto.envelopes import MatchKey
from protocol.dealing import MATCH_VOID, DealContext, Dealing, Post, Secrecy
from protocol.dealing.commutative import fold, opening_audit
from protocol.dealing.commutative.facts import entry_facts
from protocol.dealing.commutative.seat import CommutativeSeat
from protocol.dealing.commutative.stages import ENTRY_MEANINGS, ENTRY_SHAPES
from protocol.dealing.commutative.state import CommutativeState
from protocol.dealing.facts import Fact
from protocol.dealing.visibility import RevealedHands
from protocol.errors import Refused
from protocol.games.operations import Lay, Look, Operation, PutAway, Reveal
from protocol.options import Values
from protocol.schema import Fields
from protocol.view.phrase import phrase


class CommutativeDealing(Dealing[CommutativeState]):
    """Commutative dealing, as the text above describes it."""

    name = "commutative"

    entry_shapes = ENTRY_SHAPES
    entry_meanings = ENTRY_MEANINGS

    def __init__(self, edition: int) -> None:
        """`edition`: 2, or 1, in which a seat that is not dealt to could protest."""
        self._edition = edition

    def supports(self, operation: Lay | Operation) -> bool:
        """Accept every operation without own decks, loose cards, or reshuffling, which would need
        new keys of all seats.
        """
        if isinstance(operation, Lay):
            return not any(pile.is_own_deck or pile.loose for pile in operation.piles)
        return isinstance(operation, Look | Reveal | PutAway)

    def secrecy(self, options: Values, seats: int, with_own_decks: bool) -> Secrecy:
        """Return the promises of commutative dealing.

        A single seat that breaks the rules can read a hand; the check names it afterwards.
        """
        return Secrecy(1, phrase("terms.hand.commutative"), MATCH_VOID)

    def begin(self, context: DealContext, at: int) -> CommutativeState:
        return CommutativeState(context, at)

    def apply(
        self, state: CommutativeState, author: int, kind: str, body: Fields, at: int
    ) -> CommutativeState:
        return fold.apply(state, author, kind, body, at)

    def apply_operation(
        self, state: CommutativeState, seat: int, operation: Operation, part: Fields, at: int
    ) -> CommutativeState:
        return fold.apply_operation(state, seat, operation, part, at)

    def close(
        self, state: CommutativeState, show: tuple[int, ...] | None, at: int
    ) -> CommutativeState:
        return fold.close(state, show, at)

    def protest(self, state: CommutativeState, seat: int, at: int) -> CommutativeState:
        if self._edition > 1 and seat not in state.present:
            raise Refused(Code.BAD_ENTRY)
        return fold.protest(state, seat, at)

    def facts(
        self, before: CommutativeState, author: int, post: Post, after: CommutativeState
    ) -> tuple[Fact, ...]:
        return entry_facts(before, author, post, after)

    def revealed_hands(self, states: Sequence[CommutativeState]) -> RevealedHands[CommutativeState]:
        return opening_audit.revealed_hands(states)

    def seat_half(
        self, context: DealContext, seat: int, key: MatchKey, rng: Random
    ) -> CommutativeSeat:
        return CommutativeSeat(context, seat, rng)


COMMUTATIVE = CommutativeDealing(2)
EDITION_1 = CommutativeDealing(1)
