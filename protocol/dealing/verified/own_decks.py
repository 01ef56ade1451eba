"""Own decks: for each card only the owner's share is missing, and the owner gives it on turning the
card up.
"""

from protocol.codes import Code
from protocol.dealing.verified.proven_shares import open_cards, split_shares
from protocol.dealing.verified.stages import TURN_PART
from protocol.dealing.verified.state import VerifiedState
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.fast_replace import replace
from protocol.games import Hand
from protocol.games.operations import Turn
from protocol.schema import Fields


def turn_up_own_cards(
    state: VerifiedState, seat: int, turn: Turn, part: Fields, proven: bool
) -> VerifiedState:
    """Turn up cards of the seat's own deck by its shares, the only missing ones, with their
    proofs.
    """
    if not TURN_PART(part):
        raise Refused(Code.BAD_ENTRY)
    places, shares, proofs = part
    # Others may have moved the deck after its owner had looked, which is no lie.
    if tuple(places) != turn.places:
        raise Refused(Code.STALE)
    cards = _own_cards(state, seat, turn)
    try:
        return open_cards(state, seat, split_shares([shares, proofs], cards), proven)
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error


def _own_cards(state: VerifiedState, seat: int, turn: Turn) -> tuple[int, ...]:
    """Return the cards in these places of a seat's own deck.

    Raises: Refused(NOT_HELD) if a place does not exist or was turned up before.
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
    """Return the pieces in places that were turned up."""
    deck = state.context.pile_cards(turn.pile)
    return tuple(state.shown[deck[place]] for place in turn.places)


def drop_dead_decks(state: VerifiedState) -> VerifiedState:
    """Cancel all requests and shuffles of own decks whose owners have left."""
    return replace(
        state,
        requested=tuple(card for card in state.requested if not state.is_dead(card)),
        pending_piles=tuple(pile for pile in state.pending_piles if not state.is_dead(pile[0])),
    )
