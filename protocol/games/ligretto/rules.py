"""Rules of Ligretto for two to nine seats: a deck for each seat, no turns (docs/protocol/23).

Places of a deck: 0 to 9 are the stock, of which 0 is turned first. Then come the row from left to
right, and the hand in the order in which it is turned.

Actions: ("open", slot) lays a 1, ("lay", slot, pile) lays any other card; slot `row` is the top of
the discards. ("flip",) turns over three cards of the hand. ("rest",) does nothing, and is used only
for a seat whose time has run out. Misplays out of sight are impossible.

An action has the effect that its author expected. The author's own cards change only by the
author's actions and by rescues. After a rescue simultaneous play starts again, and actions whose
author has not seen the rescue are refused.

A caller that drives these rules by hand calls `after_deal` with all rows once `wants` has asked for
a `Lay`. For each action it calls `after_turn` with the pieces that the operations of `check` turn
up (if any), then `apply`. It calls `after_deal` without pieces while `wants` is (), and `settle`
without hands when `wants` is a `Settle`.
"""

from bisect import bisect_left
from typing import Final

from protocol import schema
from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Act, Action, Game, Hand, Misplay, Over, Piece, Settle, Want
from protocol.games.ligretto import moves
from protocol.games.ligretto.cards import COLOURS, DECK, STOCK, colour, names, number
from protocol.games.ligretto.scoring import score_round
from protocol.games.ligretto.state import (
    LigrettoPhase,
    LigrettoState,
    SeatCards,
    can_lay,
    next_cards,
)
from protocol.games.operations import Lay, Operation, Pile, Turn
from protocol.limits import LIGRETTO_REDEALS, MAX_LIGRETTO_ACTIONS
from protocol.options import Values

# With option `redeal`, all decks are dealt anew if the numbers of a seat's row sum up to at least
# this.
REDEAL_SUM = 30


class Ligretto(Game[LigrettoState]):
    """Rules for a number of seats and a set of options. The object itself has no state."""

    real_time = True
    blitz = False  # True: the rules of Dutch Blitz
    slots_beside_row = 1  # the top of the discards

    def __init__(self, name: str, seats: int, values: Values) -> None:
        self.name = name
        self.seats = seats
        self.row: Final = int(values["row"])
        self.last_slot: Final = self.row + self.slots_beside_row - 1
        self.target: Final = int(values["target"])
        self.rounds: Final = int(values["rounds"])
        self.rescues: Final = int(values["rescues"])
        self.redeal: Final = values["redeal"] == "yes"
        self.pieces = names(seats)
        up = self.face_up_places()
        self._lay: Final = Lay(
            tuple(Pile(DECK, owner=seat, face_up_places=up) for seat in range(seats))
        )
        self._turns: Final = tuple(
            tuple((Turn(seat, (place,)),) for place in range(DECK)) for seat in range(seats)
        )
        self.required_operations: tuple[Lay | Operation, ...] = (self._lay, *self._turns[0][0])
        self._shapes: Final = self.action_shapes()

    def face_up_places(self) -> tuple[int, ...]:
        """Places of each deck that are turned up by the deal."""
        return tuple(range(STOCK, STOCK + self.row))

    def action_shapes(self) -> schema.Shape:
        """Shape of all actions."""
        slot = schema.uint(self.last_slot)
        return schema.either(
            schema.fields(exact_word("open"), slot),
            schema.fields(exact_word("lay"), slot, schema.uint(len(COLOURS) * self.seats - 1)),
            schema.fields(exact_word("flip")),
        )

    def start(self, chance: JointRandomness | None = None) -> LigrettoState:
        """Return the state before the first deal. Apart from the shuffled decks nothing depends on
        chance.
        """
        nothing = (0,) * self.seats
        return LigrettoState(
            LigrettoPhase.DEAL, 0, nothing, (SeatCards(),) * self.seats, dry=nothing
        )

    def wants(self, state: LigrettoState) -> Want:
        """Return the request for the next step of the match."""
        match state.phase:
            case LigrettoPhase.PLAY:
                able = state.present
                if not all(moves.may_flip(state, seat) for seat in able):
                    fits = next_cards(state)
                    able = tuple(
                        seat
                        for seat in able
                        if moves.may_flip(state, seat)
                        or can_lay(state, seat, fits)
                        or self.posts(state, seat)
                    )
                return Act(able, simultaneous=True)
            case LigrettoPhase.DEAL:
                return self._lay
            case LigrettoPhase.RESCUE:
                return ()
            case LigrettoPhase.AGAIN | LigrettoPhase.SCORE:
                return Settle(())
        return Over()

    def after_deal(self, state: LigrettoState, turned_up: Hand = ()) -> LigrettoState:
        """Return the state after the decks were dealt, or after a rescue."""
        if state.phase is LigrettoPhase.RESCUE:
            return moves.rotate_hands(state, self.rescues)
        seats = [SeatCards()] * self.seats
        hand = tuple(range(-1 - STOCK - self.row, -1 - DECK, -1))
        for seat in state.present:
            row = tuple(card for card in turned_up if card // DECK == seat)
            if row:  # otherwise the seat has left meanwhile, and its deck is out of play
                seats[seat] = self.seat_cards(row, hand)
        high = self.redeal and any(sum(map(number, seat.row)) >= REDEAL_SUM for seat in seats)
        again = high and state.redeals < LIGRETTO_REDEALS
        return LigrettoState(
            LigrettoPhase.AGAIN if again else LigrettoPhase.PLAY,
            state.round + (not again),
            state.totals,
            tuple(seats),
            dry=(0,) * self.seats,
            result=state.result,
            out=state.out,
            redeals=state.redeals + 1 if again else 0,
        )

    def seat_cards(self, up: Hand, hand: tuple[int, ...]) -> SeatCards:
        """Cards of a seat after the deal, which has turned up the cards `up`."""
        return SeatCards(up, STOCK, hand)

    def posts(self, state: LigrettoState, seat: int) -> tuple[Action, ...]:
        """Actions that put a card on another one in front of the seat. Only Dutch Blitz has any."""
        return ()

    def parse(self, raw: object) -> Action:
        """Convert decoded MessagePack to an action. Raises: `Refused(BAD_ACTION)` if `raw` is no
        action of this game.
        """
        if not self._shapes(raw):
            raise Refused(Code.BAD_ACTION)
        assert isinstance(raw, list)
        return tuple(raw)

    def check(self, state: LigrettoState, seat: int, action: Action) -> tuple[Operation, ...]:
        """Check that the action is legal, and return the operation that turns up a place of the
        seat's own deck, if any. Raises: Refused if the action is illegal.
        """
        own = state.seats[seat]
        if state.phase is not LigrettoPhase.PLAY or seat in state.out:
            raise Refused(Code.NOT_NOW)
        if action[0] == "flip":
            return self._check_flip(state, seat)
        card = self.card(own, action[1])
        if card is None:
            raise Refused(Code.ILLEGAL_MOVE)
        if action[0] == "open":
            if number(card) != 1:
                raise Refused(Code.ILLEGAL_MOVE)
        elif not _fits(state, card, action[2]):
            raise Refused(Code.ILLEGAL_MOVE)
        return self.turn_after(seat, own, action[1])

    def turn_after(self, seat: int, own: SeatCards, slot: int) -> tuple[Operation, ...]:
        """Operation that turns up the card which appears when the card of a slot is taken."""
        if slot < self.row:
            return self._turns[seat][STOCK - own.stock]
        place = moves.next_top(own)
        return () if place is None else self._turns[seat][~own.hand[place]]

    def _check_flip(self, state: LigrettoState, seat: int) -> tuple[Operation, ...]:
        if not moves.may_flip(state, seat):
            raise Refused(Code.ILLEGAL_MOVE)
        own = state.seats[seat]
        top = own.hand[moves.discards_after_flip(own) - 1]
        return () if top >= 0 else self._turns[seat][~top]

    def card(self, own: SeatCards, slot: int) -> Piece | None:
        """Card in a slot, if there is one."""
        if slot == self.row:
            return own.top
        return own.row[slot] if own.row else None

    def after_turn(self, state: LigrettoState, seat: int, pieces: Hand) -> LigrettoState:
        """Return the state with the pieces that an action of this seat has turned up."""
        return replace(state, turned=pieces)

    def apply(self, state: LigrettoState, seat: int, action: Action) -> LigrettoState:
        """Return the state after a checked action, whose turned-up pieces are known."""
        if action[0] == "flip":
            state = moves.flip(state, seat)
        elif action[0] == "rest":
            state = replace(state, actions=state.actions + 1)
        else:
            state = self.lay(state, seat, action)
        if state.actions < MAX_LIGRETTO_ACTIONS or state.phase is LigrettoPhase.SCORE:
            return state
        ended = state.actions - 1 if state.ended is None else state.ended
        return replace(state, phase=LigrettoPhase.SCORE, ended=ended)

    def lay(self, state: LigrettoState, seat: int, action: Action) -> LigrettoState:
        """Return the state after a card of the seat was laid."""
        return moves.lay(state, seat, action, self.row)

    def was_overtaken(self, state: LigrettoState, seat: int, action: Action, seen: int) -> bool:
        """Check whether a refused action was legal in the state that its author had seen, and is
        illegal now only because others were faster. `seen` is the number of actions of the deal
        that the author had seen.

        The author's own cards are still the same: the author has seen its own newest action, and
        every rescue.
        """
        if state.ended is not None and state.ended < seen:
            return False
        own = state.seats[seat]
        if action[0] == "flip":
            return state.ended is not None and moves.may_flip(state, seat)
        card = self.card(own, action[1])
        if card is None:
            return False
        if action[0] == "open":
            return state.ended is not None and number(card) == 1
        return _did_fit(state, card, action[2], seen) and (
            state.ended is not None or not _fits(state, card, action[2])
        )

    def legal(self, state: LigrettoState, seat: int, hand: Hand = ()) -> tuple[Action, ...]:
        """List the legal actions of this seat by slots: cards of its row from the left, then the top
        of its discards; then a flip. In Dutch Blitz, cards for its post piles come before the flip.
        """
        if state.phase is not LigrettoPhase.PLAY or seat in state.out:
            return ()
        own = state.seats[seat]
        lays: list[Action] = []
        for slot in range(self.last_slot + 1):
            card = self.card(own, slot)
            if card is None:
                continue
            if number(card) == 1:
                lays.append(("open", slot))
            lays += [
                ("lay", slot, pile) for pile in range(len(state.piles)) if _fits(state, card, pile)
            ]
        lays += self.posts(state, seat)
        return (*lays, ("flip",)) if moves.may_flip(state, seat) else tuple(lays)

    def timeout(self, state: LigrettoState, seat: int) -> Action | None:
        """Do nothing for this seat: the others go on."""
        return ("rest",)

    def forfeit(self, state: LigrettoState, seat: int) -> LigrettoState:
        """Return the state after a seat has left for good. Its cards are out of play, except those
        on shared piles.

        Raises: Refused(NOT_NOW) if the seat has left already, or if the match is over.
        """
        if state.phase is LigrettoPhase.OVER or seat in state.out:
            raise Refused(Code.NOT_NOW)
        state = replace(state, out=state.out | {seat})
        if len(state.present) < 2:
            ended = state.actions if state.ended is None else state.ended
            return replace(state, phase=LigrettoPhase.OVER, ended=ended)
        return moves.resolve_deadlock(state, state.actions)

    def abandon(self, state: LigrettoState) -> LigrettoState:
        """End the round, and score it as if no stock had run out. A round that has not begun is
        dealt anew.
        """
        if state.phase in (LigrettoPhase.DEAL, LigrettoPhase.AGAIN):
            return replace(state, phase=LigrettoPhase.DEAL)
        return replace(
            state,
            phase=LigrettoPhase.SCORE,
            ended=state.actions if state.ended is None else state.ended,
        )

    def settle(
        self, state: LigrettoState, dealt: tuple[Hand, ...] = (), drawn: tuple[Hand, ...] = ()
    ) -> tuple[LigrettoState, tuple[Misplay, ...]]:
        """Return the state after the round is scored. There are no misplays to find."""
        if state.phase is LigrettoPhase.AGAIN:
            return replace(state, phase=LigrettoPhase.DEAL), ()
        return score_round(state, self.target, self.rounds), ()

    def scores(self, state: LigrettoState) -> tuple[int, ...]:
        """Points of each seat in the scored rounds."""
        return state.totals

    def winner(self, state: LigrettoState) -> int | None:
        """Seat with the most points at the end of the match, or the last seat left. None: the match
        is going on, or several seats have the most.
        """
        if state.phase is not LigrettoPhase.OVER:
            return None
        most = max((state.totals[seat] for seat in state.present), default=0)
        best = [seat for seat in state.present if state.totals[seat] == most]
        return best[0] if len(best) == 1 else None


def exact_word(word: str) -> schema.Shape:
    return lambda value: type(value) is str and value == word


def _fits(state: LigrettoState, card: Piece, pile: int) -> bool:
    """Check whether a card is the next card of a pile."""
    if pile >= len(state.piles):
        return False
    cards = state.piles[pile].cards
    return len(cards) + 1 == number(card) and colour(cards[0]) == colour(card)


def _did_fit(state: LigrettoState, card: Piece, pile: int, seen: int) -> bool:
    """Check whether a card was the next card of a pile after the first `seen` actions of the
    deal.
    """
    if pile >= len(state.piles):
        return False
    height = bisect_left(state.piles[pile].at, seen)
    return 0 < height == number(card) - 1 and colour(state.piles[pile].cards[0]) == colour(card)
