"""Dutch Blitz: Ligretto in which the stock lies face up and cards in front of a seat are built on.

The row consists of post piles. They are built downwards, a boy (red, blue) on a girl (yellow,
green) or a girl on a boy. The stock is the Blitz pile; its top card may be laid, and fills a post
pile that has become empty. The discards are the wood pile, and shared piles the Dutch piles.

Slots are those of Ligretto, and slot `row` + 1 is the top of the stock. One action is new:
("post", slot, pile) puts a card on a post pile. A post pile gives its top card only.

Rules: Dutch Blitz, "The Rules" of the game's box (Dutch Blitz Acquisition Corp.), as reprinted at
oocities.org/faughtfam/rules1.html.
"""

from typing import TypeVar

from protocol import schema
from protocol.codes import Code
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Action, Hand, Piece
from protocol.games.ligretto import moves
from protocol.games.ligretto.cards import STOCK, fits_post
from protocol.games.ligretto.rules import Ligretto, exact_word
from protocol.games.ligretto.state import LigrettoPhase, LigrettoState, SeatCards
from protocol.games.operations import Operation
from protocol.limits import LIGRETTO_TAKE_UPS
from protocol.options import Values


def create_game(name: str, seats: int, values: Values) -> Ligretto:
    """Create the rules that the option `blitz` chooses."""
    return (DutchBlitz if values["blitz"] == "yes" else Ligretto)(name, seats, values)


T = TypeVar("T")


class DutchBlitz(Ligretto):
    """Rules of Dutch Blitz for a number of seats and a set of options."""

    blitz = True
    slots_beside_row = 2  # the top of the discards, and that of the stock

    def face_up_places(self) -> tuple[int, ...]:
        """Places of each deck that are turned up by the deal: the top of the stock, and the row."""
        return (0, *super().face_up_places())

    def action_shapes(self) -> schema.Shape:
        """Shape of all actions."""
        return schema.either(
            super().action_shapes(),
            schema.fields(
                exact_word("post"), schema.uint(self.last_slot), schema.uint(self.row - 1)
            ),
        )

    def seat_cards(self, up: Hand, hand: tuple[int, ...]) -> SeatCards:
        """Cards of a seat after the deal, which has turned up the cards `up`."""
        front, *row = up
        return SeatCards(tuple(row), STOCK, hand, below=((),) * self.row, front=front)

    def after_deal(self, state: LigrettoState, turned_up: Hand = ()) -> LigrettoState:
        """Return the state after the decks were dealt, or after a rescue."""
        after = super().after_deal(state, turned_up)
        return after if after.shifts else replace(after, shifts=(0,) * self.seats)

    def check(self, state: LigrettoState, seat: int, action: Action) -> tuple[Operation, ...]:
        """Check that the action is legal, and return the operation that turns up a place of the
        seat's own deck, if any. Raises: Refused if the action is illegal.
        """
        if action[0] != "post":
            return super().check(state, seat, action)
        if state.phase is not LigrettoPhase.PLAY or seat in state.out:
            raise Refused(Code.NOT_NOW)
        if not _may_post(state, seat, self.card(state.seats[seat], action[1]), action):
            raise Refused(Code.ILLEGAL_MOVE)
        return self.turn_after(seat, state.seats[seat], action[1])

    def card(self, own: SeatCards, slot: int) -> Piece | None:
        """Card in a slot, if there is one."""
        return own.front if slot > self.row else super().card(own, slot)

    def turn_after(self, seat: int, own: SeatCards, slot: int) -> tuple[Operation, ...]:
        """Operation that turns up the card which appears when the card of a slot is taken."""
        if slot == self.row:
            return super().turn_after(seat, own, slot)
        if slot < self.row and own.below[slot]:
            return ()
        return () if own.stock < 2 else self._turns[seat][STOCK - own.stock + 1]

    def posts(self, state: LigrettoState, seat: int) -> tuple[Action, ...]:
        """Actions that put a card on a post pile of the seat: from the top of the stock, from the
        top of the discards, then from the row.
        """
        own = state.seats[seat]
        found: list[Action] = []
        for slot in (self.row + 1, self.row, *range(self.row)):
            card = self.card(own, slot)
            actions = [("post", slot, pile) for pile in range(self.row)]
            found += [action for action in actions if _may_post(state, seat, card, action)]
        return tuple(found)

    def lay(self, state: LigrettoState, seat: int, action: Action) -> LigrettoState:
        """Return the state after a card was laid on a shared pile or on a post pile."""
        slot = action[1]
        before = state.seats[seat]
        card, own = self._take(before, slot, state.turned)
        if action[0] != "post":
            return moves.put_on_pile(state, seat, action, card, own)
        pile = action[2]
        own = own._replace(
            row=_exchange(own.row, pile, card),
            below=_exchange(own.below, pile, (*own.below[pile], own.row[pile])),
            laid=before.laid,
        )
        over = not own.stock
        shift = slot < self.row and bool(before.below[slot])
        nothing = (0,) * self.seats
        if shift:
            shifts = _exchange(state.shifts, seat, state.shifts[seat] + 1)
        else:
            shifts = state.shifts if over else nothing
        after = replace(
            state,
            phase=LigrettoPhase.SCORE if over else LigrettoPhase.PLAY,
            seats=_exchange(state.seats, seat, own),
            dry=state.dry if over or shift else nothing,
            shifts=shifts,
            rescues=state.rescues if shift else 0,
            actions=state.actions + 1,
            turned=(),
            stopped=seat if over else None,
            ended=state.actions if over else None,
        )
        return after if over or own.hand else moves.resolve_deadlock(after, state.actions)

    def _take(self, own: SeatCards, slot: int, turned: Hand) -> tuple[Piece, SeatCards]:
        """Take the card of a slot. Returns the card, and the seat's cards without it, with one more
        card laid. An empty place of the row is filled from the stock.
        """
        if slot == self.row:
            return moves.lay_top(own, turned)
        assert own.front is not None
        laid = own.laid + 1
        front = turned[0] if turned else None
        if slot > self.row:
            return own.front, own._replace(stock=own.stock - 1, front=front, laid=laid)
        card = own.row[slot]
        below = own.below[slot]
        if below:
            row = _exchange(own.row, slot, below[-1])
            return card, own._replace(
                row=row, below=_exchange(own.below, slot, below[:-1]), laid=laid
            )
        row = _exchange(own.row, slot, own.front)
        return card, own._replace(row=row, stock=own.stock - 1, front=front, laid=laid)

    def was_overtaken(self, state: LigrettoState, seat: int, action: Action, seen: int) -> bool:
        """Check whether a refused action was legal in the state that its author had seen.

        Nobody else changes a seat's post piles, so only the end of the round overtakes a card for
        them.
        """
        if action[0] != "post":
            return super().was_overtaken(state, seat, action, seen)
        if state.ended is None or state.ended < seen:
            return False
        return _may_post(state, seat, self.card(state.seats[seat], action[1]), action)


def _may_post(state: LigrettoState, seat: int, card: Piece | None, action: Action) -> bool:
    """Check whether a card may go to a post pile of its seat. A card that lies on others may do so
    `LIGRETTO_TAKE_UPS` times without a lay in between, because it could go to and fro for ever.
    """
    _, slot, pile = action
    own = state.seats[seat]
    if card is None or slot == pile or not fits_post(card, own.row[pile]):
        return False
    longer = slot < len(own.row) and own.below[slot]
    return not longer or state.shifts[seat] < LIGRETTO_TAKE_UPS


def _exchange(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    return (*items[:at], item, *items[at + 1 :])
