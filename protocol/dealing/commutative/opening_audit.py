"""Check after the keys are opened: repeat each step, and name each seat that did a step wrongly."""

from collections.abc import Iterator, Sequence
from functools import cache

from protocol.codes import Code
from protocol.crypto.group import Point, Scalar
from protocol.dealing import DealResult, Fault
from protocol.dealing.card_state import piece_points, pieces_by_point
from protocol.dealing.commutative.state import CommutativeState
from protocol.dealing.visibility import RevealedHand, RevealedHands
from protocol.games import Piece


def audit_openings(state: CommutativeState) -> DealResult:
    """Return all faults in the order of their entries, or without faults the true hands."""
    faults = sorted(
        {*_pack_faults(state), *_unwrap_faults(state), *_show_faults(state)},
        key=lambda fault: fault.entry,
    )
    if state.protest and not faults:
        faults = [Fault(state.protest.seat, state.protest.at, Code.FALSE_PROTEST)]
    nobody: tuple[tuple[Piece, ...], ...] = ((),) * state.context.seat_count
    if faults:
        return DealResult(nobody, nobody, tuple(faults))
    true_faces = _true_faces(state)
    return DealResult(
        _final_hands(state, true_faces, drawn=False),
        _final_hands(state, true_faces, drawn=True),
        (),
    )


def _pack_faults(state: CommutativeState) -> Iterator[Fault]:
    before = piece_points(state.context.piece_count)
    for pack in state.packs:
        key = state.keys[pack.seat]
        piles = [
            slice(cards.start, cards.stop)
            for cards in map(state.context.pile_cards, range(len(state.context.piles)))
        ]
        if any({key * card for card in before[pile]} != set(pack.deck[pile]) for pile in piles):
            yield Fault(pack.seat, pack.at, Code.BAD_PACK)
        before = pack.deck


def _unwrap_faults(state: CommutativeState) -> Iterator[Fault]:
    for step in state.unwrappings:
        if state.keys[step.seat] * step.after != step.before:
            yield Fault(step.seat, step.at, Code.BAD_UNWRAP)


def _show_faults(state: CommutativeState) -> Iterator[Fault]:
    """Yield a fault for each seat that claimed another piece than it saw.

    Earlier manipulations of the card by other seats are not the holder's fault.
    """
    known = pieces_by_point(state.context.piece_count)
    for card, shown in state.shown.items():
        if known.get(state.keys[shown.seat].inverse() * state.points[card]) != shown.piece:
            yield Fault(shown.seat, shown.at, Code.BAD_OPENING)


def _true_faces(state: CommutativeState) -> dict[int, Piece | None]:
    """Return the piece of every card that has left the stock, with all envelopes removed."""
    known = pieces_by_point(state.context.piece_count)
    return {
        card: known.get(remove_envelopes(state.deck[card], list(state.keys.values())))
        for card in state.holders
    }


def remove_envelopes(card: Point, keys: list[Scalar]) -> Point:
    for key in keys:
        card = key.inverse() * card
    return card


def _final_hands(
    state: CommutativeState, true_faces: dict[int, Piece | None], drawn: bool
) -> tuple[tuple[Piece, ...], ...]:
    """Return, by seat, the pieces that it was dealt (ascending) or that it drew (in order)."""
    cards = state.drawn if drawn else sorted(state.holders.keys() - set(state.drawn))
    hands = []
    for seat in range(state.context.seat_count):
        pieces = [true_faces[card] for card in cards if state.holders[card] == seat]
        hand = [piece for piece in pieces if piece is not None]
        hands.append(tuple(hand if drawn else sorted(hand)))
    return tuple(hands)


def revealed_hands(states: Sequence[CommutativeState]) -> RevealedHands[CommutativeState]:
    """Return the hand of each seat in any state of the deal.

    An opened key reveals every card that its seat ever read. For the other seats only their claims
    are available.
    """
    last = states[-1]
    known = pieces_by_point(last.context.piece_count)

    @cache
    def read(card: int, seat: int) -> Piece | None:
        if seat in last.keys:
            return known.get(last.keys[seat].inverse() * last.points[card])
        return last.shown[card].piece if card in last.shown else None

    def hand(state: CommutativeState, seat: int) -> RevealedHand | None:
        return tuple(read(card, seat) for card in state.hidden_of(seat)) if state.ready else None

    return hand
