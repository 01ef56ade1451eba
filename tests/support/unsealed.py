"""Verified dealing without its proofs: the same stages, duties and leavers, but the test chooses
every card.
"""

import dataclasses
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from protocol.crypto.group import GENERATOR
from protocol.dealing import Dealing
from protocol.dealing.verified import VERIFIED, fold
from protocol.dealing.verified.key_sharing import record_stand_in, replaced_cards
from protocol.dealing.verified.stages import ENTRY_SHAPES
from protocol.dealing.verified.state import VerifiedState
from protocol.fast_replace import replace
from protocol.games import Hand, Piece
from protocol.games.operations import Operation, Reveal
from protocol.match.setup import Setup


@dataclass(frozen=True)
class Unsealed(VerifiedState):
    """Public half that believes everything without a proof."""

    pack: Hand = ()  # piece of each card

    def piece_of(self, card: int, *own_share: Any) -> Piece | None:
        return self.pack[card]


@cache
def unsealed(pack: tuple[Piece, ...]) -> Dealing:
    """Make a dealing that always deals this pack."""
    return dataclasses.replace(
        VERIFIED,
        entry_shapes=dict.fromkeys(ENTRY_SHAPES, lambda body: body == []),
        begin=partial(Unsealed, pack=pack),
        apply=_apply,
        apply_operation=_operate,
        facts=lambda before, author, post, after: (),
    )


@dataclass(frozen=True)
class PlainSetup(Setup):
    """Setup with this dealing."""

    pack: Hand = ()

    @property
    def dealing(self) -> Dealing:  # type: ignore[override]
        return unsealed(self.pack)


def _apply(state: Unsealed, author: int, kind: str, body: list[Any], at: int) -> VerifiedState:
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
    return fold._close_if_shown(replace(state, shown={**state.shown, **shown}, posted=posted), at)


def _operate(
    state: Unsealed, seat: int, operation: Operation, part: list[Any], at: int
) -> VerifiedState:
    if not isinstance(operation, Reveal):
        return fold.apply_operation(state, seat, operation, part, at)
    card = state.pack.index(operation.piece)
    assert card in state.hidden_of(seat)
    return replace(state, shown={**state.shown, card: operation.piece})
