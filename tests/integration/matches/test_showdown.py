"""Game in which every seat shows all its pieces before the hand ends, so that nothing is left to
show at the close.
"""

from dataclasses import dataclass, replace

import pytest

from player.client.seat import Seat
from protocol.audit.verdict import audit
from protocol.games import Act, Game, Over, Settle
from protocol.games.operations import Lay, Pile, Reveal
from protocol.games.registry import BUILT_IN
from protocol.games.spec import GameSpec
from protocol.options import Selection
from tests.support.offline import make_offline


@dataclass(frozen=True)
class State:
    """Number of seats that have shown; None before the deal."""

    shown: int | None = None
    settled: tuple[tuple[int, ...], ...] = ()


class Showdown(Game[State]):
    """Rules: one piece for each seat, which each shows in turn; the highest piece wins."""

    name = "showdown"
    seats = 2
    pieces = ("one", "two", "three", "four")

    def start(self, chance):
        return State()

    def wants(self, state):
        if state.settled:
            return Over()
        if state.shown is None:
            return Lay((Pile(4, 1),))
        return Act((state.shown,)) if state.shown < self.seats else Settle()

    def after_deal(self, state, turned_up):
        return replace(state, shown=0)

    def parse(self, raw):
        return tuple(raw)

    def check(self, state, seat, action):
        return (Reveal(action[1]),)

    def legal(self, state, seat, hand):
        return tuple(("show", piece) for piece in hand)

    def apply(self, state, seat, action):
        return replace(state, shown=state.shown + 1)

    def forfeit(self, state, seat):
        raise AssertionError("nobody leaves")

    def settle(self, state, dealt, drawn):
        return replace(state, settled=dealt), ()

    def scores(self, state):
        return tuple(hand[0] for hand in state.settled) or (0, 0)

    def winner(self, state):
        return max(range(self.seats), key=self.scores(state).__getitem__) if state.settled else None


ROW = GameSpec(
    name="showdown",
    about="the higher piece wins",
    edition="1",
    seats=(2, 2),
    dealing=Selection("verified"),
    rules=f"{__name__}:create",
    text="",
)
GAMES = BUILT_IN.with_specs(ROW)


def create(name, seats, values):
    return Showdown()


@pytest.mark.slow
@pytest.mark.parametrize("dealing", ["verified", "layered"])
def test_completely_shown_hand_is_settled_at_once(dealing):
    match = make_offline(
        2, 1, "showdown", dealing=dealing, seat_types={0: Seat, 1: Seat}, games=GAMES
    )
    match.bots = ("random",)
    match.play()
    assert match.live.match.over and not match.live.match.faults
    assert match.live.match.winner == max((0, 1), key=lambda seat: match.live.match.scores[seat])
    assert audit(match.file(), GAMES).verdict == "clean"
