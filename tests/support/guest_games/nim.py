"""Game "nim" for any number of seats, without hidden pieces. The seat that takes the last thing
wins.
"""

from dataclasses import dataclass, replace

from protocol import schema
from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Game, Over

HEAPS = (3, 4, 5)
_SHAPE = schema.fields(
    lambda word: word == "take", schema.uint(len(HEAPS) - 1), schema.uint(max(HEAPS))
)


@dataclass(frozen=True)
class State:
    heaps: tuple[int, ...]
    to_act: int
    present: tuple[int, ...]
    winner: int | None = None

    def after(self, seat: int) -> int:
        return next((later for later in self.present if later > seat), self.present[0])


class Nim(Game[State]):
    name = "nim for all"

    def __init__(self, name, seats, options):
        self.seats = seats

    def start(self, chance):
        return State(HEAPS, chance.uniform_below(self.seats), tuple(range(self.seats)))

    def wants(self, state):
        return Act((state.to_act,)) if state.winner is None else Over()

    def parse(self, raw):
        if not _SHAPE(raw):
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state, seat, action):
        _, heap, count = action
        if seat != state.to_act or state.winner is not None:
            raise Refused(Code.NOT_YOUR_TURN)
        if not 1 <= count <= state.heaps[heap]:
            raise Refused(Code.ILLEGAL_MOVE)
        return ()

    def legal(self, state, seat, hand):
        if seat != state.to_act or state.winner is not None:
            return ()
        return tuple(
            ("take", heap, n) for heap, left in enumerate(state.heaps) for n in range(1, left + 1)
        )

    def apply(self, state, seat, action):
        _, heap, count = action
        heaps = tuple(left - count * (number == heap) for number, left in enumerate(state.heaps))
        return replace(
            state, heaps=heaps, to_act=state.after(seat), winner=None if any(heaps) else seat
        )

    def abandon(self, state):
        """Return the state: nothing is hidden, so nothing is lost."""
        raise AssertionError(state)

    def forfeit(self, state, seat):
        present = tuple(other for other in state.present if other != seat)
        state = replace(state, present=present)
        to_act = state.after(seat) if state.to_act == seat else state.to_act
        return replace(state, to_act=to_act, winner=present[0] if len(present) == 1 else None)

    def scores(self, state):
        return tuple(int(seat == state.winner) for seat in range(self.seats))

    def winner(self, state):
        return state.winner
