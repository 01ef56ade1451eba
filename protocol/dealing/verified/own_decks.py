"""Own decks: only the owner's share of each of its cards is missing, and it gives that when it
turns the card up.
"""

from typing import Any

from protocol.codes import Code
from protocol.dealing.verified.proven_shares import open_cards, split_shares
from protocol.dealing.verified.stages import TURN_PART
from protocol.dealing.verified.state import VerifiedState
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.fast_replace import replace
from protocol.games import Hand
from protocol.games.operations import Turn


def turn_up_own_cards(
    state: VerifiedState, seat: int, turn: Turn, part: list[Any]
) -> VerifiedState:
    """The owner turns up cards of its own deck: its own share of each, the only one missing, and
    the proof for it.
    """
    if not TURN_PART(part):
        raise Refused(Code.BAD_ENTRY)
    places, shares, proofs = part
    # others may have moved its deck since it looked: that is no lie
    if tuple(places) != turn.places:
        raise Refused(Code.STALE)
    cards = _own_cards(state, seat, turn)
    try:
        return open_cards(state, seat, split_shares([shares, proofs], cards))
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error


def _own_cards(state: VerifiedState, seat: int, turn: Turn) -> tuple[int, ...]:
    """The cards in these places of a seat's own deck, none turned up before. Raises:
    Refused(NOT_HELD).
    """
    deck = state.context.pile_cards(turn.pile)
    cards = tuple(deck[place] for place in turn.places if place < len(deck))
    own = state.context.piles[turn.pile].owner == seat and all(
        card in state.holders for card in cards
    )
    fresh = len(set(cards).difference(state.shown)) == len(turn.places)
    if not (own and fresh):
        raise Refused(Code.NOT_HELD)
    return cards


def turned_pieces(state: VerifiedState, turn: Turn) -> Hand:
    """What lies in places that were turned up."""
    deck = state.context.pile_cards(turn.pile)
    return tuple(state.shown[deck[place]] for place in turn.places)


def drop_dead_decks(state: VerifiedState) -> VerifiedState:
    """The state in which nothing is to be done any more that is about the own decks of seats that
    have left.
    """
    return replace(
        state,
        requested=tuple(card for card in state.requested if not state.is_dead(card)),
        pending_piles=tuple(pile for pile in state.pending_piles if not state.is_dead(pile[0])),
    )
