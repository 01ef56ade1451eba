"""Game "grab" without turns: things lie on the table, and the first seat to act takes one. It ends
when every seat has two.

A seat with two may take a third, but the others do not wait for it. No seat takes a fourth. `Shed`
is the same with hidden pieces: each seat lays its pieces on piles with one place each, and the
remaining hands are shown at the end. `Scramble` has many things, for tests that count late actions;
`Scuffle` has some.
"""

from dataclasses import dataclass, replace

from protocol import schema
from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Game, Over, Settle
from protocol.games.operations import Lay, Pile, Reveal

THINGS, ENOUGH, MOST = 8, 2, 3


@dataclass(frozen=True)
class State:
    # by thing: the seat that took it, and the number of the action
    taken: tuple[tuple[int, int] | None, ...]
    actions: int = 0
    ended: int | None = None  # number of the action that ended the game
    out: frozenset[int] = frozenset()
    dealt: bool = False
    settled: bool = False

    def count(self, seat):
        return sum(each is not None and each[0] == seat for each in self.taken)


class Grab(Game[State]):
    name = "grab"
    real_time = True
    things, enough, most = THINGS, ENOUGH, MOST
    take = staticmethod(schema.fields(lambda word: word == "take", schema.uint(THINGS - 1)))

    def __init__(self, name, seats, options):
        self.seats = seats

    def start(self, chance):
        return State((None,) * self.things)

    def present(self, state):
        return tuple(seat for seat in range(self.seats) if seat not in state.out)

    def wants(self, state):
        if state.ended is not None:
            return Over()
        able = tuple(seat for seat in self.present(state) if state.count(seat) < self.most)
        return Act(
            able,
            simultaneous=True,
            awaited=tuple(seat for seat in able if state.count(seat) < self.enough),
        )

    def parse(self, raw):
        if not self.take(raw):
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state, seat, action):
        if (
            state.ended is not None
            or state.taken[action[1]] is not None
            or state.count(seat) >= self.most
        ):
            raise Refused(Code.ILLEGAL_MOVE)
        return ()

    def was_overtaken(self, state, seat, action, seen):
        taken = state.taken[action[1]]
        free = taken is None or taken[1] >= seen
        return (
            free and state.count(seat) < self.most and (state.ended is None or state.ended >= seen)
        )

    def legal(self, state, seat, hand):
        if state.ended is not None or state.count(seat) >= self.most:
            return ()
        return tuple(("take", thing) for thing in range(self.things) if state.taken[thing] is None)

    def apply(self, state, seat, action):
        if action[0] == "take":
            taken = tuple(
                (seat, state.actions) if n == action[1] else old
                for n, old in enumerate(state.taken)
            )
            state = replace(state, taken=taken)
        return self.over(replace(state, actions=state.actions + 1), state.actions)

    def over(self, state, action):
        enough = all(state.count(seat) >= self.enough for seat in self.present(state))
        return replace(state, ended=action) if enough and state.ended is None else state

    def timeout(self, state, seat):
        return ("rest",)

    def abandon(self, state):
        """Return the state: nothing is hidden, so nothing is lost."""
        raise AssertionError(state)

    def forfeit(self, state, seat):
        return self.over(replace(state, out=state.out | {seat}), state.actions)

    def settle(self, state, dealt, drawn):
        return replace(state, settled=True), ()

    def scores(self, state):
        return tuple(state.count(seat) for seat in range(self.seats))

    def winner(self, state):
        if state.ended is None:
            return None
        return max(self.present(state), key=self.scores(state).__getitem__)


class Scramble(Grab):
    name = "scramble"
    things, enough, most = 240, 50, 80
    take = staticmethod(schema.fields(lambda word: word == "take", schema.uint(things - 1)))


class Scuffle(Grab):
    name = "scuffle"
    things, enough, most = 50, 8, 14  # for four seats, so that even a slow one finds enough
    take = staticmethod(schema.fields(lambda word: word == "take", schema.uint(things - 1)))


class Debts(Grab):
    """Game in which a seat without things loses three points."""

    name = "debts"

    def scores(self, state):
        return tuple(score - MOST for score in super().scores(state))


class Shed(Grab):
    name = "shed"
    pieces = tuple(f"piece {number}" for number in range(THINGS))
    take = staticmethod(
        schema.fields(
            lambda word: word == "lay", schema.uint(THINGS // 2 - 1), schema.uint(THINGS - 1)
        )
    )

    def wants(self, state):
        if state.settled:
            return Over()
        if not state.dealt:
            return Lay((Pile(THINGS, THINGS // self.seats),))
        return Settle() if state.ended is not None else super().wants(state)

    def after_deal(self, state, turned_up):
        return replace(state, dealt=True)

    def check(self, state, seat, action):
        super().check(state, seat, action)
        return (Reveal(action[2]),)

    def legal(self, state, seat, hand):
        laid = super().legal(state, seat, hand)
        return tuple(("lay", pile, hand[0]) for _, pile in laid if pile < THINGS // 2 and hand)

    def apply(self, state, seat, action):
        return super().apply(state, seat, ("take", *action[1:]) if action[0] == "lay" else action)


class ShedEvenly(Shed):
    """Game in which no seat can take a place that another needs, so every match of two ends."""

    name = "shed evenly"
    most = ENOUGH
