"""The showdown in a match: programs show what must be shown, nobody is asked for it, and it has the time of a step."""

from random import Random

import pytest

from bots.registry import Bot
from protocol.games import Action
from protocol.games.poker.state import Decision
from protocol.match.log import decode_entry
from protocol.match.state import Match
from protocol.view.view import View
from tests.support.offline import Offline, make_offline
from tests.support.views import legal_in

pytestmark = pytest.mark.match

DEALINGS = (("verified", {}), ("verified", {"leavers": "threshold"}), ("commutative", {}))


class Eager:
    """Puts in all it has, and mucks."""

    def __init__(self) -> None:
        self.asked: list[tuple[Action, ...]] = []  # among what it was to choose

    def __call__(self, view: View, rng: Random) -> Action:
        self.asked.append(legal_in(view))
        return self.asked[-1][-1]


def caller(view: View, rng: Random) -> Action:
    """Calls; and where it may muck, mucks."""
    legal = legal_in(view)
    return ("call",) if ("call",) in legal else legal[-1]


def match_of(bot: Bot, dealing: str, options: dict, game: str = "texas-holdem") -> Offline:
    match = make_offline(3, 1, game, {"stack": 20}, options, dealing=dealing)
    match.bots = (bot,)
    return match


def until_showdown(match: Offline) -> Match:
    while not (match.live.match.game and match.live.match.game.decision is Decision.SHOW):
        assert any(match.step(seat) for seat in match.seats)
    return match.live.match


@pytest.mark.parametrize(("dealing", "options"), DEALINGS)
def test_who_is_all_in_is_asked_nothing_and_the_board_lies_there(dealing, options):
    eager = Eager()
    match = match_of(eager, dealing, options)
    assert len(until_showdown(match).game.board) == 5
    match.play()
    entries = [decode_entry(record.entry) for record in match.live.records]
    moves = [entry.body[0][0] for entry in entries if entry.kind == "move"]
    assert moves.count("show") == 3 and "muck" not in moves and "show" not in {legal[0][0] for legal in eager.asked}
    assert match.live.match.over and not match.live.match.faults and not match.refused


@pytest.mark.parametrize("game", ["texas-holdem", "five-card-draw"])
def test_a_winner_shows_though_whoever_is_asked_mucks(game):
    match = match_of(caller, "verified", {}, game)
    until_showdown(match)
    match.play()
    result = match.live.match.game.result
    shown = {seat for seat, _ in result.shown}
    assert shown and {seat for seat, gain in enumerate(result.gains) if gain > 0} <= shown


def test_showing_has_the_time_of_a_step():
    match = match_of(caller, "verified", {})
    before = until_showdown(match)
    silent = before.game.to_act
    assert before.due(silent).after > 1000 * before.setup.allowance.turn
    assert match.lapse(silent) == ["warning", "lapse"]  # and no extension
    assert match.live.match.game.steps[-1] == ("muck",) and not match.live.match.faults


def test_a_program_that_is_asked_again_shows_in_the_same_words():
    match = match_of(Eager(), "verified", {})
    showing = match.seats[until_showdown(match).game.to_act]
    match.catch_up(match.readers[showing.number])
    post = showing.respond(match.live.match)
    assert post.body[0][0] == "show"
    assert showing.respond(match.live.match) == post


def alone_in_owing(match: Offline) -> int:
    """The seat that alone owes its part of a card of the board, when all are all in."""
    while True:
        state = match.live.match
        owing = [duty.author for duty in state.duties() if duty.kind == "shares"]
        if len(owing) == 1 and state.game.board and state.game.engine.all_in_status:
            return owing[0]
        assert any(match.step(seat) for seat in match.seats)


@pytest.mark.parametrize("when", ["as the board comes", "at the showdown"])
def test_who_is_all_in_and_silent_is_mucked_whenever_that_begins(when):
    """docs/attacks.md, 18: a rule for the showdown alone would help nobody who can be cut off a step before."""
    match = match_of(Eager(), "verified", {"leavers": "threshold"})
    silent = alone_in_owing(match) if when == "as the board comes" else until_showdown(match).game.to_act
    match.lapse(silent)
    match.play()
    state = match.live.match
    assert state.over and sum(state.scores) == 60 and state.scores[silent] == 0
    assert [seat for seat, _ in state.game.result.shown] == [seat for seat in range(3) if seat != silent]
    assert bool(state.gone) is (when == "as the board comes")
