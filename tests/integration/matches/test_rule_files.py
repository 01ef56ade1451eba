"""Whole matches of games by rule files with keys, entries and a dealing; with leavers and
lapses.
"""

import pytest

from bots.random_bot import random_bot
from player.client.seat import Seat
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.games.registry import BUILT_IN
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match
GAMES = BUILT_IN


def offline(
    game: str, dealing: str = "verified", seats: int = 2, seed: int = 1, **options: str
) -> Offline:
    threshold = {"leavers": "threshold"} if dealing == "verified" else {}
    found = make_offline(seats, seed, game, dict(options), threshold, dealing=dealing, games=GAMES)
    found.bots = (random_bot,) * seats
    return found


@pytest.mark.parametrize(
    ("game", "dealing", "seats", "options"),
    [
        ("element-duel", "verified", 2, {}),
        ("element-duel", "seeded", 2, {"together": "yes", "early": "yes"}),
        ("mau-mau", "verified", 2, {"mode": "open"}),
        ("mau-mau", "seeded", 2, {"mode": "hidden"}),
        ("mau-mau-shared", "verified", 3, {}),
        ("crazy-eights", "verified", 3, {}),
    ],
)
def test_a_match_ends_and_its_log_is_clean(game, dealing, seats, options):
    found = offline(game, dealing, seats, **options)
    found.play()
    match = found.live.match
    assert match.over and not match.faults and not found.refused and match.winner is not None
    assert match.game.error is None
    report = audit(found.file(), GAMES)
    assert report.verdict is Verdict.CLEAN
    assert report.fairness is None, (
        "of each that acts once nobody is faster: steps of decks and texts are no race"
    )


def test_choices_asked_together_need_not_see_each_other():
    found = offline("element-duel", "seeded", together="yes")
    while not (match := found.live.match).waits_for_move or len(match.game.ask.seats) < 2:
        assert sum(found.step(seat) for seat in found.seats)
    blind = []
    for seat in found.seats:
        reader = found.readers[seat.number]
        found.catch_up(reader)
        seat.respond(reader.match)
        choice = seat.move(reader.match, seat.choices(reader.match)[0])
        blind.append(seat.entry(reader.log, choice))
    for number in (1, 0):
        found.live.offer(blind[number], number)
    found.play()
    assert found.live.match.winner is not None and not found.refused
    assert audit(found.file(), GAMES).verdict is Verdict.CLEAN


@pytest.mark.parametrize("at", [12, 30, 55])
def test_duel_leaver_has_lost_and_shows_nothing(at):
    found = offline("element-duel", seed=at)
    while found.live.match.next_number < at:
        assert sum(found.step(seat) for seat in found.seats)
    leaver = found.seats[at % 2]
    reader = found.readers[leaver.number]
    found.catch_up(reader)
    known = len(found.live.match.game.decks.opened)
    found.live.offer(leaver.entry(reader.log, Post("leave", [])), leaver.number)
    found.seats.remove(leaver)
    found.play()
    match = found.live.match
    assert match.over and match.winner == 1 - leaver.number
    assert [(fault.seat, fault.code) for fault in match.faults] == [(leaver.number, Code.LEFT)]
    mine = match.game.decks.pieces(leaver.number)
    assert len([piece for piece in match.game.decks.faces if piece in mine]) <= known


def test_silent_duellist_lays_oldest_card():
    found = offline("element-duel", seed=4)
    while found.live.match.stage is not MatchStage.PLAYING or found.live.match.game.ask is None:
        assert sum(found.step(seat) for seat in found.seats)
    match = found.live.match
    (seat,) = match.game.ask.seats
    found.lapse(seat)
    assert found.live.match.game.turn == 1 - seat and not found.live.match.faults
    found.play()
    assert (
        found.live.match.over
        and found.live.match.game.error is None
        and not found.live.match.faults
    )


def test_second_deck_is_refused_after_others_acted():
    """In games where each seat acts once, no action is late."""
    found = offline("element-duel", dealing="seeded")
    first, second = found.seats
    while getattr(found.live.match.game, "phase", None) != "decks":
        assert found.step(first) or found.step(second)
    assert found.step(first)
    reader = found.readers[first.number]
    found.catch_up(reader)
    again = Post("move", decode_entry(found.live.records[-1].entry).body)
    raw = first.entry(reader.log, again)
    assert found.step(second) and found.live.match.game.phase == "lay"
    with pytest.raises(Refused):
        found.live.offer(raw, first.number)
    assert found.live.match.late_counts == (0, 0)


class AnotherFile(Seat):
    """Seat that posts another rule file than the match names."""

    def respond(self, match):
        post = super().respond(match)
        if post is not None and post.kind == "move" and post.body[0][0] == "rules":
            return Post("move", [["rules", post.body[0][1] + "# and I have won\n"], []])
        return post


def test_another_text_than_the_named_one_is_refused():
    found = make_offline(
        2, 1, "element-duel", {}, seat_types={0: AnotherFile}, dealing="verified", games=GAMES
    )
    found.play()
    assert not found.live.match.over and {refusal.code for refusal in found.refused} == {
        Code.ILLEGAL_MOVE
    }
