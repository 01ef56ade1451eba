"""What happens to the cards: laying, flipping, and what is done when nobody can go on."""

from protocol.fast_replace import replace
from protocol.games import Action, Hand
from protocol.games.ligretto.cards import BLOCK
from protocol.games.ligretto.state import (
    LigrettoPhase,
    LigrettoState,
    SeatCards,
    SharedPile,
    can_lay,
    next_cards,
)
from protocol.limits import LIGRETTO_TAKE_UPS

# times that a seat has taken up its discards since the last lay: it has seen all that it can come
# to
DRY_FLIPS = 2
DEADLOCK_FLIPS = 4  # as often by all: what fits is not going to be laid


def next_top(own: SeatCards) -> int | None:
    """The place in the hand that becomes the top when the top is laid; None if that is known, or
    nothing.
    """
    return own.mark - 2 if own.mark > 1 and own.hand[own.mark - 2] < 0 else None


def may_flip(state: LigrettoState, seat: int) -> bool:
    """Whether a seat may flip: it has a hand, and has not been through it in vain again and
    again.
    """
    return bool(state.seats[seat].hand) and state.dry[seat] < LIGRETTO_TAKE_UPS


def discards_after_flip(own: SeatCards) -> int:
    """How many cards are discards after a flip."""
    return min(own.mark % len(own.hand) + BLOCK, len(own.hand))


def lay(state: LigrettoState, seat: int, action: Action, row: int) -> LigrettoState:
    """The state after a lay, whose operations are done; slot `row` is the top of the discards."""
    own, slot = state.seats[seat], action[1]
    if slot == row:
        card, own = _lay_top(own, state.turned)
    else:
        card = own.row[slot]
        cards = (*own.row[:slot], state.turned[0], *own.row[slot + 1 :])
        own = SeatCards(cards, own.stock - 1, own.hand, own.mark, own.laid + 1)
    piles, at = state.piles, state.actions
    if action[0] == "open":
        piles = (*piles, SharedPile((card,), (at,)))
    else:
        pile = action[2]
        old = piles[pile]
        piles = (*piles[:pile], SharedPile((*old.cards, card), (*old.at, at)), *piles[pile + 1 :])
    over = not own.stock
    state = replace(
        state,
        phase=LigrettoPhase.SCORE if over else LigrettoPhase.PLAY,
        seats=(*state.seats[:seat], own, *state.seats[seat + 1 :]),
        piles=piles,
        # who had to wait before the stop has been no faster by it
        dry=state.dry if over else (0,) * len(state.dry),
        rescues=0,
        actions=at + 1,
        turned=(),
        stopped=seat if over else None,
        ended=at if over else None,
    )
    return state if over or own.hand else resolve_deadlock(state, at)


def _lay_top(own: SeatCards, turned: Hand) -> tuple[int, SeatCards]:
    """The top of the discards, and its owner's cards without it."""
    hand, mark = own.hand, own.mark - 1
    below = (*hand[: mark - 1], *turned) if turned else hand[:mark]
    return hand[mark], SeatCards(
        own.row, own.stock, (*below, *hand[mark + 1 :]), mark, own.laid + 1
    )


def flip(state: LigrettoState, seat: int) -> LigrettoState:
    """The state after a flip."""
    own, dry = state.seats[seat], state.dry
    if own.mark == len(own.hand):
        dry = (*dry[:seat], dry[seat] + 1, *dry[seat + 1 :])
    mark, hand = discards_after_flip(own), own.hand
    if state.turned:
        hand = (*hand[: mark - 1], *state.turned, *hand[mark:])
    own = SeatCards(own.row, own.stock, hand, mark, own.laid)
    seats = (*state.seats[:seat], own, *state.seats[seat + 1 :])
    at = state.actions
    state = replace(state, seats=seats, dry=dry, actions=at + 1, turned=())
    return resolve_deadlock(state, at) if dry[seat] >= DRY_FLIPS else state


def resolve_deadlock(state: LigrettoState, at: int) -> LigrettoState:
    """The state, or, if nobody can go on in it, the one in which something is done about that.

    `at`: the action that has led there; if none has, how many there were.
    """
    if state.phase is not LigrettoPhase.PLAY or not _stuck(state):
        return state
    return replace(state, phase=LigrettoPhase.RESCUE, ended=at)


def _stuck(state: LigrettoState) -> bool:
    """Whether all are dry, and nothing that is visible fits, or nobody wants to lay it."""
    present = state.present
    times = [state.dry[seat] for seat in present if state.seats[seat].hand]
    if times and min(times) < DRY_FLIPS:
        return False
    fits = next_cards(state)
    return bool(times and min(times) >= DEADLOCK_FLIPS) or not any(
        can_lay(state, seat, fits) for seat in present
    )


def rotate_hands(state: LigrettoState, most: int) -> LigrettoState:
    """The state after one card of each hand has gone from front to back; after `most` times in
    vain, the round ends.
    """
    if state.rescues >= most or not any(state.seats[seat].hand for seat in state.present):
        return replace(state, phase=LigrettoPhase.SCORE)
    seats = tuple(
        seat._replace(hand=(*seat.hand[1:], *seat.hand[:1]), mark=0) for seat in state.seats
    )
    dry = (0,) * len(seats)
    return replace(
        state, phase=LigrettoPhase.PLAY, seats=seats, dry=dry, rescues=state.rescues + 1, ended=None
    )
