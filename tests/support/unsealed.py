"""Verified dealing without its proofs: the same stages, duties and leavers, but the test chooses
every card.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from protocol.crypto.group import GENERATOR
from protocol.dealing import DealContext, Post
from protocol.dealing.facts import Fact
from protocol.dealing.verified import VerifiedDealing, fold
from protocol.dealing.verified.key_sharing import record_stand_in, replaced_cards
from protocol.dealing.verified.stages import ENTRY_SHAPES
from protocol.dealing.verified.state import VerifiedState
from protocol.fast_replace import replace
from protocol.games import Hand, Piece
from protocol.games.operations import Operation, Reveal
from protocol.match.setup import Setup
from protocol.schema import Fields


@dataclass(frozen=True)
class Unsealed(VerifiedState):
    """Public half that believes everything without a proof."""

    pack: Hand = ()  # piece of each card

    def piece_of(self, card: int, *own_share: Any) -> Piece | None:
        return self.pack[card]


class UnsealedDealing(VerifiedDealing):
    """Make a dealing that always deals this pack."""

    entry_shapes = dict.fromkeys(ENTRY_SHAPES, lambda body: body == [])

    def __init__(self, pack: tuple[Piece, ...]) -> None:
        self._pack = pack

    def begin(self, context: DealContext, at: int) -> VerifiedState:
        return Unsealed(context, at, pack=self._pack)

    def apply(
        self, state: VerifiedState, author: int, kind: str, body: Fields, at: int
    ) -> VerifiedState:
        assert isinstance(state, Unsealed)
        return _apply(state, author, kind, at)

    def apply_operation(
        self, state: VerifiedState, seat: int, operation: Operation, part: Fields, at: int
    ) -> VerifiedState:
        assert isinstance(state, Unsealed)
        return _apply_operation(state, seat, operation, part, at)

    def facts(
        self, before: VerifiedState, author: int, post: Post, after: VerifiedState
    ) -> tuple[Fact, ...]:
        return ()


unsealed = cache(UnsealedDealing)


@dataclass(frozen=True)
class PlainSetup(Setup):
    """Setup with this dealing."""

    pack: Hand = ()

    @property
    def dealing(self) -> UnsealedDealing:  # type: ignore[override]
        return unsealed(self.pack)


def _apply(state: Unsealed, author: int, kind: str, at: int) -> VerifiedState:
    posted = state.posted | {author}
    match kind:
        case "key":
            state = replace(state, posted=posted)
            hands = state.first_hands()
            return (
                state
                if state.duties()
                else fold._request_cards(replace(state, holders=hands), hands, at)
            )
        case "shares":
            given = {card: {**state.shares[card], author: GENERATOR} for card in state.owed(author)}
            return fold._finish_if_complete(
                replace(state, shares={**state.shares, **given}, posted=posted), at
            )
        case "stand_in":
            state = record_stand_in(state, author, dict.fromkeys(replaced_cards(state), GENERATOR))
            return (
                state
                if state.duties()
                else fold._next_replacement(fold.combine_stand_ins(state), at)
            )
    shown = {card: state.pack[card] for card in state.hidden_of(author)}
    return fold._finish_if_complete(
        replace(state, shown={**state.shown, **shown}, posted=posted), at
    )


def _apply_operation(
    state: Unsealed, seat: int, operation: Operation, part: Fields, at: int
) -> VerifiedState:
    if not isinstance(operation, Reveal):
        return fold.apply_operation(state, seat, operation, part, at)
    card = state.pack.index(operation.piece)
    assert card in state.hidden_of(seat)
    return replace(state, shown={**state.shown, card: operation.piece})
