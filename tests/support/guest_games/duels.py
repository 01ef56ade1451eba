"""Game "duels": only two of the seats get cards at a time. Each draws once, all cards are shown,
and the higher sum wins. Then the next two play, until each seat has begun once. A duel that breaks
off is repeated by the next two remaining seats.
"""

from dataclasses import dataclass, replace

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Game, Over, Settle
from protocol.games.operations import Lay, Look, Pile


@dataclass(frozen=True)
class State:
    players: tuple[int, ...]  # two seats; with fewer the game is over
    points: tuple[int, ...]
    dealt: bool = False
    drawn: int = 0  # number of cards drawn in this duel
    duels: int = 0
    out: frozenset[int] = frozenset()
    told: tuple[str, ...] = ()  # calls of the rules, in order


class Duels(Game[State]):
    name = "duels"
    pieces = tuple(f"piece {number}" for number in range(8))
    required_operations = (Look(1, 0),)

    def __init__(self, name, seats, options):
        self.seats = seats

    def start(self, chance):
        return State((0, 1), (0,) * self.seats)

    def wants(self, state):
        if state.duels == self.seats or len(state.players) < 2:
            return Over()
        if not state.dealt:
            return Lay((Pile(8, 1),), state.players)
        return Act(state.players[state.drawn : state.drawn + 1]) if state.drawn < 2 else Settle()

    def after_deal(self, state, turned_up):
        return replace(state, dealt=True, told=(*state.told, "dealt"))

    def parse(self, raw):
        if raw != ["draw"]:
            raise Refused(Code.BAD_ACTION)
        return ("draw",)

    def check(self, state, seat, action):
        return (Look(1, seat),)

    def legal(self, state, seat, hand):
        return (("draw",),)

    def apply(self, state, seat, action):
        return replace(state, drawn=state.drawn + 1, told=(*state.told, f"draw {seat}"))

    def forfeit(self, state, seat):
        state = replace(state, out=state.out | {seat}, told=(*state.told, f"forfeit {seat}"))
        return self.next_duel(state) if seat in state.players else state

    def next_duel(self, state):
        after = [*range(state.duels, self.seats), *range(state.duels)]
        players = tuple(sorted([seat for seat in after if seat not in state.out][:2]))
        return replace(state, players=players, dealt=False, drawn=0)

    def settle(self, state, dealt, drawn):
        sums = {seat: sum(dealt[seat]) + sum(drawn[seat]) for seat in state.players}
        best = max(sums, key=sums.__getitem__)
        points = tuple(score + (seat == best) for seat, score in enumerate(state.points))
        told = (*state.told, "settle")
        return self.next_duel(replace(state, points=points, duels=state.duels + 1, told=told)), ()

    def scores(self, state):
        return state.points

    def winner(self, state):
        able = [seat for seat in range(self.seats) if seat not in state.out]
        return max(able, key=state.points.__getitem__)
