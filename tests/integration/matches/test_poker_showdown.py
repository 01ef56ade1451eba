"""Showdown in a match: programs show compulsory hands without asking, within the time of a step."""

from random import Random

import pytest

from bots.registry import Bot
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import audit
from protocol.dealing import Post
from protocol.games import Action
from protocol.games.poker.phases import Decision
from protocol.games.poker.ranking import value
from protocol.match.log import decode_entry
from protocol.match.state import Match
from protocol.view.view import View
from tests.support.offline import Offline, make_offline
from tests.support.views import legal_in

pytestmark = pytest.mark.match

SHARED = {"leavers": "threshold"}
DEALINGS = (("verified", {}), ("verified", {"leavers": "threshold"}), ("commutative", {}))


class Eager:
    """Bot: go all in, and muck."""

    def __init__(self) -> None:
        self.asked: list[tuple[Action, ...]] = []  # choices that the bot was offered

    def __call__(self, view: View, rng: Random) -> Action:
        self.asked.append(legal_in(view))
        return self.asked[-1][-1]


def caller(view: View, rng: Random) -> Action:
    """Bot: muck if possible, otherwise call."""
    legal = legal_in(view)
    return ("call",) if ("call",) in legal else legal[-1]


def match_of(
    bot: Bot,
    dealing: str,
    options: dict,
    game: str = "texas-holdem",
    seed: int = 1,
    seats: int = 3,
    hands: int = 1,
) -> Offline:
    match = make_offline(seats, seed, game, {"stack": 20, "hands": hands}, options, dealing=dealing)
    match.bots = (bot,)
    return match


def until_showdown(match: Offline) -> Match:
    while not (match.live.match.game and match.live.match.game.decision is Decision.SHOW):
        assert any(match.step(seat) for seat in match.seats)
    return match.live.match


@pytest.mark.parametrize(("dealing", "options"), DEALINGS)
def test_all_in_seat_is_not_asked_and_board_is_dealt(dealing, options):
    eager = Eager()
    match = match_of(eager, dealing, options)
    assert len(until_showdown(match).game.board) == 5
    match.play()
    entries = [decode_entry(record.entry) for record in match.live.records]
    moves = [entry.body[0][0] for entry in entries if entry.kind == "move"]
    assert (
        moves.count("show") == 3
        and "muck" not in moves
        and "show" not in {legal[0][0] for legal in eager.asked}
    )
    assert match.live.match.over and not match.live.match.faults and not match.refused


@pytest.mark.parametrize("game", ["texas-holdem", "five-card-draw"])
def test_winner_shows_although_asked_seats_muck(game):
    match = match_of(caller, "verified", {}, game)
    until_showdown(match)
    match.play()
    result = match.live.match.game.result
    shown = {seat for seat, _ in result.shown}
    assert shown and {seat for seat, gain in enumerate(result.gains) if gain > 0} <= shown


def test_showdown_has_time_of_a_step():
    match = match_of(caller, "verified", {})
    before = until_showdown(match)
    silent = before.game.to_act
    assert before.next_clock_entry(silent).after > 1000 * before.setup.allowance.turn
    assert match.lapse(silent) == ["warning", "lapse"]  # without an extension
    assert match.live.match.game.running.mucked and not match.live.match.faults


def test_program_asked_again_shows_the_same_words():
    match = match_of(Eager(), "verified", {})
    showing = match.seats[until_showdown(match).game.to_act]
    match.catch_up(match.readers[showing.number])
    post = showing.respond(match.live.match)
    assert post.body[0][0] == "show"
    assert showing.respond(match.live.match) == post


def alone_in_owing(match: Offline) -> int:
    """Run until all are all in and only one seat owes its part of a card of the board. Return the
    seat.
    """
    while True:
        state = match.live.match
        owing = [duty.author for duty in state.duties() if duty.kind == "shares"]
        if len(owing) == 1 and state.game.board and state.game.running.all_in:
            return owing[0]
        assert any(match.step(seat) for seat in match.seats)


def silent_from(match: Offline, when: str) -> int:
    """Let a seat's time run out when all are all in: while cards are being dealt, or at the
    showdown. Return the seat.
    """
    silent = (
        alone_in_owing(match) if when == "as the board comes" else until_showdown(match).game.to_act
    )
    match.lapse(silent)
    return silent


def proper(seed: int, game: str = "texas-holdem") -> tuple[int, ...]:
    """Return the scores of the same match with nobody silent."""
    match = match_of(Eager(), "verified", SHARED, game, seed)
    match.play()
    return match.live.match.scores


@pytest.mark.parametrize(
    ("when", "seed"), [("as the board comes", 1), ("at the showdown", 1), ("at the showdown", 3)]
)
def test_silent_all_in_hand_is_opened_by_others(when, seed):
    """See docs/attacks.md, 18. The hand was mucked before, though it may be the best."""
    match = match_of(Eager(), "verified", SHARED, seed=seed)
    silent = silent_from(match, when)
    match.play()
    state = match.live.match
    assert state.over and state.scores == proper(seed) and not match.refused
    assert [seat for seat, _ in state.game.result.shown][-1] == silent, "after all others"
    assert bool(state.gone) is (when == "as the board comes")
    assert {(fault.seat, fault.code) for fault in audit(match.file()).faults} == {
        (seat, "lapsed") for seat in state.gone
    }
    assert any("held" in line for line in transcript_lines(match.file()))


def test_twice_silent_hand_is_opened_once():
    """Its program comes back in the meantime, and has nothing left to do."""
    match = match_of(Eager(), "verified", SHARED, hands=2)
    silent = silent_from(match, "at the showdown")
    own = next(player for player in match.seats if player.number == silent)
    match.seats.remove(own)
    while match.live.match.game.hand == 1 and match.live.match.game.result is None:
        assert any(match.step(seat) for seat in match.seats)
    assert silent in match.live.match.present and not match.live.match.faults


@pytest.mark.parametrize(("dealing", "options"), [("verified", {}), ("commutative", {})])
def test_silent_hand_without_openers_is_mucked(dealing, options):
    match = match_of(Eager(), dealing, options)
    silent = silent_from(match, "at the showdown")
    match.play()
    assert match.live.match.game.result is not None
    assert (
        silent not in dict(match.live.match.game.result.shown)
        and match.live.match.scores[silent] == 0
    )


def gone(match: Offline, seat: int) -> None:
    """Let a seat leave."""
    match.catch_up(match.readers[seat])
    own = next(player for player in match.seats if player.number == seat)
    match.live.offer(own.entry(match.readers[seat].log, Post("leave", [])), seat)
    match.seats.remove(own)


def all_show(match: Offline) -> Match:
    """Let all seats show except the silent one, and ask the others to open that hand."""
    while not any(duty.kind == "stand_in" for duty in match.live.match.duties()):
        assert any(match.step(seat) for seat in match.seats)
    return match.live.match


def test_unopenable_hand_is_mucked_and_keeps_pots_unshared():
    """Decision 37: a friend who leaves saves nobody's bet, and takes no part of an honest seat's
    pot.
    """
    match = match_of(Eager(), "verified", SHARED, seats=4)
    silent = silent_from(match, "at the showdown")
    state = all_show(match)
    shown = dict(state.game.shown)
    friend = min(shown, key=lambda seat: value(shown[seat], state.game.board))
    gone(match, friend)
    match.play()
    end = match.live.match
    best = max(shown, key=lambda seat: value(shown[seat], state.game.board))
    assert end.over and end.scores[best] == 80 and silent not in dict(end.game.result.shown)


def test_shown_seat_keeps_claim_when_cut_off():
    """The seat has nothing left to do for itself. It must not lose the pot because others need it
    to open a hand.
    """
    match = match_of(Eager(), "verified", SHARED, seed=1, seats=4)
    silent = silent_from(match, "at the showdown")
    state = all_show(match)
    shown = dict(state.game.shown)
    best = max(shown, key=lambda seat: value(shown[seat], state.game.board))
    match.lapse(best)
    match.play()
    end = match.live.match
    assert end.scores[best] == 80 and end.scores[silent] == 0 and best in end.gone
