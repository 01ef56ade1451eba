"""Games that implement what every game must, and nothing else: in turn each seat says go, once, and
the last one wins. `PlainCards` is the same with a card for each seat.
"""

from dataclasses import dataclass, replace

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Game, Over
from protocol.games.operations import Lay, Pile


@dataclass(frozen=True)
class State:
    """Seats that have not left, and those of them that have not said go."""

    present: tuple[int, ...]
    to_act: tuple[int, ...]
    dealt: bool = False


class Plain(Game[State]):
    def __init__(self, name, seats, values):
        self.name, self.seats = name, seats

    def start(self, chance):
        seats = tuple(range(self.seats))
        return State(seats, seats)

    def wants(self, state):
        decided = not state.to_act or len(state.present) < 2
        return Over() if decided else Act(state.to_act[:1])

    def parse(self, raw):
        if raw != ["go"]:
            raise Refused(Code.BAD_ACTION)
        return ("go",)

    def check(self, state, seat, action):
        if state.to_act[:1] != (seat,):
            raise Refused(Code.NOT_YOUR_TURN)
        return ()

    def legal(self, state, seat, hand):
        return (("go",),) if state.to_act[:1] == (seat,) else ()

    def apply(self, state, seat, action):
        return replace(state, to_act=state.to_act[1:])

    def forfeit(self, state, seat):
        present, to_act = (
            tuple(other for other in seats if other != seat)
            for seats in (state.present, state.to_act)
        )
        return replace(state, present=present, to_act=to_act)

    def scores(self, state):
        return tuple(int(seat in state.present) for seat in range(self.seats))

    def winner(self, state):
        return max(state.present, default=None)


class PlainCards(Plain):
    pieces = tuple(f"card {number}" for number in range(8))

    def wants(self, state):
        return super().wants(state) if state.dealt else Lay((Pile(8, 1),))

    def after_deal(self, state, turned_up):
        return replace(state, dealt=True)
