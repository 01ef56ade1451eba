"""Game "suits": two piles, one of each suit, with one card of either turned up. In turn, a seat
draws from a pile of its choice, or lays a card. After three turns each, the seat with the most
cards in hand or laid wins.
"""

from dataclasses import dataclass, replace

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Game, Over, Settle
from protocol.games.operations import EVERYBODY, Lay, Look, Pile, Reveal

PILES = (Pile(8, 1), Pile(8, 1))
TURNS = 3


@dataclass(frozen=True)
class State:
    stocks: tuple[int, int] | None = None  # None before the deal
    turned_up: tuple[int, ...] = ()
    laid: tuple[int, ...] = ()
    turn: int = 0
    points: tuple[int, ...] | None = None


class Suits(Game[State]):
    name = "suits"
    pieces = tuple(f"{suit}{rank}" for suit in "ab" for rank in range(8))
    required_operations = (Lay(PILES), Look(1, EVERYBODY))

    def __init__(self, name, seats, options):
        self.seats = seats

    def start(self, chance):
        return State()

    def wants(self, state):
        if state.points is not None:
            return Over()
        if state.stocks is None:
            return Lay(PILES)
        if not state.turned_up:
            return (Look(1, EVERYBODY, 0), Look(1, EVERYBODY, 1))
        return Act((state.turn % self.seats,)) if state.turn < TURNS * self.seats else Settle()

    def after_deal(self, state, turned_up):
        if state.stocks is None:
            return replace(state, stocks=(8 - self.seats,) * 2)
        return replace(state, stocks=tuple(left - 1 for left in state.stocks), turned_up=turned_up)

    def parse(self, raw):
        if len(raw) != 2 or raw[0] not in ("draw", "lay") or type(raw[1]) is not int:
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state, seat, action):
        verb, what = action
        if verb == "draw":
            if not 0 <= what < 2 or not state.stocks[what]:
                raise Refused(Code.ILLEGAL_MOVE)
            return (Look(1, seat, what),)
        return (Reveal(what),)

    def legal(self, state, seat, hand):
        draws = tuple(("draw", pile) for pile in range(2) if state.stocks[pile])
        return (*draws, *(("lay", piece) for piece in hand))

    def apply(self, state, seat, action):
        verb, what = action
        if verb == "lay":
            return replace(state, turn=state.turn + 1, laid=(*state.laid, what))
        stocks = tuple(left - (pile == what) for pile, left in enumerate(state.stocks))
        return replace(state, turn=state.turn + 1, stocks=stocks)

    def forfeit(self, state, seat):
        raise AssertionError("nobody leaves")

    def settle(self, state, dealt, drawn):
        return replace(
            state,
            points=tuple(
                sum(first) + sum(later) for first, later in zip(dealt, drawn, strict=False)
            ),
        ), ()

    def scores(self, state):
        return state.points or (0,) * self.seats

    def winner(self, state):
        return max(range(self.seats), key=lambda seat: state.points[seat])


class Careless(Suits):
    """Rules with an error: they do not check for an empty pile."""

    name = "careless suits"

    def legal(self, state, seat, hand):
        return (("draw", 0),)

    def check(self, state, seat, action):
        return (Look(1, seat, action[1]),)
