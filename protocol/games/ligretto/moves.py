"""Effects of actions on the cards: laying, flipping, and the rescue when no seat can go on."""

from protocol.fast_replace import replace
from protocol.games import Action, Hand, Piece
from protocol.games.ligretto.cards import BLOCK
from protocol.games.ligretto.state import (
    LigrettoPhase,
    LigrettoState,
    SeatCards,
    SharedPile,
    can_lay,
    can_post,
    next_cards,
)
from protocol.limits import LIGRETTO_TAKE_UPS

# Number of times that a seat has taken up its discards since the last lay. After this number it has
# seen every card that it can reach.
DRY_FLIPS = 2
# If all seats have taken up their discards this often, cards that fit are not going to be laid.
DEADLOCK_FLIPS = 4


def next_top(own: SeatCards) -> int | None:
    """Place in the hand of the card that becomes the top of the discards after the top is laid.
    None if this card is known already, or if no card is left.
    """
    return own.mark - 2 if own.mark > 1 and own.hand[own.mark - 2] < 0 else None


def may_flip(state: LigrettoState, seat: int) -> bool:
    """Check whether a seat may flip: it has a hand, and has not gone through it too often without a
    lay.
    """
    return bool(state.seats[seat].hand) and state.dry[seat] < LIGRETTO_TAKE_UPS


def discards_after_flip(own: SeatCards) -> int:
    """Number of discards after a flip."""
    return min(own.mark % len(own.hand) + BLOCK, len(own.hand))


def lay(state: LigrettoState, seat: int, action: Action, row: int) -> LigrettoState:
    """Return the state after a lay, whose operations are done. Slot `row` is the top of the
    discards.
    """
    own, slot = state.seats[seat], action[1]
    if slot == row:
        card, own = lay_top(own, state.turned)
    else:
        card = own.row[slot]
        cards = (*own.row[:slot], state.turned[0], *own.row[slot + 1 :])
        own = SeatCards(cards, own.stock - 1, own.hand, own.mark, own.laid + 1)
    return put_on_pile(state, seat, action, card, own)


def put_on_pile(
    state: LigrettoState, seat: int, action: Action, card: Piece, own: SeatCards
) -> LigrettoState:
    """Return the state after a lay of `card`, which leaves the seat with the cards `own`."""
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
        # The last lay of a round allows no new flips: a seat that was not allowed to flip before it
        # must not count as overtaken.
        dry=state.dry if over else (0,) * len(state.dry),
        shifts=state.shifts if over else (0,) * len(state.shifts),
        rescues=0,
        actions=at + 1,
        turned=(),
        stopped=seat if over else None,
        ended=at if over else None,
    )
    return state if over or own.hand else resolve_deadlock(state, at)


def lay_top(own: SeatCards, turned: Hand) -> tuple[int, SeatCards]:
    """Remove the top of the discards. Returns the card, and the seat's cards without it."""
    hand, mark = own.hand, own.mark - 1
    below = (*hand[: mark - 1], *turned) if turned else hand[:mark]
    cards = (*below, *hand[mark + 1 :])
    return hand[mark], SeatCards(
        own.row, own.stock, cards, mark, own.laid + 1, own.below, own.front
    )


def flip(state: LigrettoState, seat: int) -> LigrettoState:
    """Return the state after a flip."""
    own, dry = state.seats[seat], state.dry
    if own.mark == len(own.hand):
        dry = (*dry[:seat], dry[seat] + 1, *dry[seat + 1 :])
    mark, hand = discards_after_flip(own), own.hand
    if state.turned:
        hand = (*hand[: mark - 1], *state.turned, *hand[mark:])
    own = SeatCards(own.row, own.stock, hand, mark, own.laid, own.below, own.front)
    seats = (*state.seats[:seat], own, *state.seats[seat + 1 :])
    at = state.actions
    state = replace(state, seats=seats, dry=dry, actions=at + 1, turned=())
    return resolve_deadlock(state, at) if dry[seat] >= DRY_FLIPS else state


def resolve_deadlock(state: LigrettoState, at: int) -> LigrettoState:
    """Return the state unchanged or, if no seat can go on, the state that asks for a rescue.

    `at` is the number of the action that led to this state; without such an action, the number of
    actions so far.
    """
    if state.phase is not LigrettoPhase.PLAY or not _is_deadlocked(state):
        return state
    return replace(state, phase=LigrettoPhase.RESCUE, ended=at)


def _is_deadlocked(state: LigrettoState) -> bool:
    """Check whether the round is deadlocked: every seat has gone through its hand without a lay,
    and no visible card fits, or no seat is willing to lay one.
    """
    present = state.present
    times = [state.dry[seat] for seat in present if state.seats[seat].hand]
    if times and min(times) < DRY_FLIPS:
        return False
    fits = next_cards(state)
    return bool(times and min(times) >= DEADLOCK_FLIPS) or not any(
        can_lay(state, seat, fits) or can_post(state.seats[seat]) for seat in present
    )


def rotate_hands(state: LigrettoState, most: int) -> LigrettoState:
    """Rescue a deadlocked round: move the first card of each hand to its end. After `most` rescues
    without a lay the round ends instead.
    """
    if state.rescues >= most or not any(state.seats[seat].hand for seat in state.present):
        return replace(state, phase=LigrettoPhase.SCORE)
    seats = tuple(
        seat._replace(hand=(*seat.hand[1:], *seat.hand[:1]), mark=0) for seat in state.seats
    )
    return replace(
        state,
        phase=LigrettoPhase.PLAY,
        seats=seats,
        dry=(0,) * len(seats),
        shifts=(0,) * len(state.shifts),
        rescues=state.rescues + 1,
        ended=None,
    )
