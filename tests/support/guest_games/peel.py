"""Game "peel": every seat has its own small deck with an open top card. The first seat to act lays
its top on a free spot and turns up the next card, or digs and turns up two. It ends when a seat has
laid enough, or nobody can act.

A seat is dealt again if its first top is one of the two lowest cards of its deck.
"""

from dataclasses import dataclass, replace

from protocol import schema
from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Game, Over, Settle
from protocol.games.operations import Lay, Pile, Shuffle, Turn

DECK, SPOTS, ENOUGH = 6, 8, 4


@dataclass(frozen=True)
class State:
    tops: tuple[int | None, ...]  # by seat: its open card
    turned: tuple[int, ...]  # by seat: number of places turned up
    up: tuple[int, ...] = ()  # cards that the next action has turned up
    # by spot: the seat that laid there, and the number of the action
    spots: tuple[tuple[int, int] | None, ...] = (None,) * SPOTS
    laid: tuple[tuple[int, ...], ...] = ()
    actions: int = 0
    ended: int | None = None  # number of the action that ended the game
    out: frozenset[int] = frozenset()
    dealt: bool = False
    anew: tuple[int, ...] = ()  # seats that are being dealt again
    settled: bool = False


def of(values, seat, value):
    """Return `values` with another value for a seat."""
    return (*values[:seat], value, *values[seat + 1 :])


class Peel(Game[State]):
    name = "peel"
    real_time = True

    def __init__(self, name, seats, options):
        self.seats = seats
        self.pieces = tuple(f"{seat}/{number}" for seat in range(seats) for number in range(DECK))
        self.piles = tuple(Pile(DECK, owner=seat, face_up_places=(0,)) for seat in range(seats))
        self.required_operations = (Lay(self.piles), Turn(0, (0,)), Shuffle())

    def start(self, chance):
        return State((None,) * self.seats, (0,) * self.seats, laid=((),) * self.seats)

    def wants(self, state):
        if state.settled:
            return Over()
        if not state.dealt:
            return Lay(self.piles)
        if state.anew:
            return tuple(Shuffle(seat) for seat in state.anew)
        if state.ended is not None:
            return Settle()
        able = tuple(
            seat
            for seat in range(self.seats)
            if seat not in state.out and state.tops[seat] is not None
        )
        return Act(able, simultaneous=True)

    def after_deal(self, state, turned_up):
        tops = {piece // DECK: piece for piece in turned_up}
        state = replace(
            state,
            tops=tuple(tops.get(seat) for seat in range(self.seats)),
            turned=(1,) * self.seats,
        )
        lowest = tuple(seat for seat, top in sorted(tops.items()) if top % DECK < 2)
        return self.over(replace(state, dealt=True, anew=() if state.dealt else lowest), 0)

    def parse(self, raw):
        if raw != ["dig"] and not schema.fields(lambda word: word == "lay", schema.uint(SPOTS - 1))(
            raw
        ):
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state, seat, action):
        if state.ended is not None or state.tops[seat] is None:
            raise Refused(Code.ILLEGAL_MOVE)
        if action[0] == "lay" and state.spots[action[1]] is not None:
            raise Refused(Code.ILLEGAL_MOVE)
        places = self.next_places(state, seat, action)
        if action == ("dig",) and not places:
            raise Refused(Code.ILLEGAL_MOVE)
        return (Turn(seat, places),) if places else ()

    def next_places(self, state, seat, action):
        first, count = state.turned[seat], 2 if action == ("dig",) else 1
        return tuple(range(first, min(first + count, DECK)))

    def was_overtaken(self, state, seat, action, seen):
        taken = state.spots[action[1]] if action[0] == "lay" else None
        return (taken is None or taken[1] >= seen) and (state.ended is None or state.ended >= seen)

    def legal(self, state, seat, hand):
        if state.ended is not None or state.tops[seat] is None:
            return ()
        dig = (("dig",),) if state.turned[seat] < DECK else ()
        return (*(("lay", spot) for spot in range(SPOTS) if state.spots[spot] is None), *dig)

    def after_turn(self, state, seat, pieces):
        return replace(state, up=pieces)

    def apply(self, state, seat, action):
        if action == ("rest",):
            return self.over(replace(state, actions=state.actions + 1), state.actions)
        if action[0] == "lay":
            spots = tuple(
                (seat, state.actions) if n == action[1] else old
                for n, old in enumerate(state.spots)
            )
            laid = of(state.laid, seat, (*state.laid[seat], state.tops[seat]))
            state = replace(state, spots=spots, laid=laid)
        tops = of(state.tops, seat, state.up[-1] if state.up else None)
        turned = of(state.turned, seat, state.turned[seat] + len(state.up))
        state = replace(state, tops=tops, turned=turned, up=(), actions=state.actions + 1)
        return self.over(state, state.actions - 1)

    def over(self, state, action):
        able = any(top is not None and seat not in state.out for seat, top in enumerate(state.tops))
        done = (
            any(len(laid) >= ENOUGH for laid in state.laid) or None not in state.spots or not able
        )
        return replace(state, ended=action) if done and state.ended is None else state

    def timeout(self, state, seat):
        return ("rest",)

    def abandon(self, state):
        return replace(state, ended=state.actions, settled=True)

    def forfeit(self, state, seat):
        state = replace(state, out=state.out | {seat})
        # a single seat cannot deal, so there is no deal any more
        if len(state.out) == self.seats - 1:
            return replace(state, ended=state.actions, settled=True)
        return self.over(state, state.actions)

    def settle(self, state, dealt, drawn):
        assert not any(dealt) and not any(drawn), "nothing of an own deck is dealt or drawn"
        return replace(state, settled=True), ()

    def scores(self, state):
        return tuple(len(laid) for laid in state.laid)

    def winner(self, state):
        present = [seat for seat in range(self.seats) if seat not in state.out]
        return (
            max(present, key=self.scores(state).__getitem__) if state.settled and present else None
        )
