"""Leavers with leavers=threshold: the match goes on without a seat, whenever it leaves."""

from functools import cache

import pytest

from player.client.seat import Seat
from protocol.audit.verdict import audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

THRESHOLD = {"leavers": "threshold"}


def offline(seats: int = 3, seed: int = 1, game: str = "draw-dominoes", **options) -> Offline:
    """Make a match on verified dealing with shared keys."""
    shared = THRESHOLD | {key: value for key, value in options.items() if key == "quorum"}
    return make_offline(
        seats, seed, game, {"target": options.get("target", 20)}, shared, dealing="verified"
    )


def play_until(match: Offline, entries: int) -> None:
    """Play until `entries` entries are logged."""
    while match.live.log.next_number < entries and not match.live.match.over:
        assert sum(match.step(seat) for seat in match.seats)


def leave(match: Offline, seat: int) -> None:
    """Let a seat leave for good with an entry."""
    reader = match.readers[seat]
    match.catch_up(reader)
    (own,) = (other for other in match.seats if other.number == seat)
    match.live.offer(own.entry(reader.log, Post("leave", [])), seat)
    match.seats.remove(own)


def check_end(match: Offline, *leavers: int, code: Code = Code.LEFT) -> None:
    """Check that the match was played to its end without the leavers, and that everybody names only
    them.
    """
    report = audit(match.file())
    assert match.live.match.stage is MatchStage.OVER
    assert match.live.match.receipts == frozenset(seat.number for seat in match.seats)
    assert [(fault.seat, fault.code) for fault in report.faults] == [
        (seat, code) for seat in leavers
    ]
    assert report.reader is not None and report.reader.match.winner not in leavers
    assert report.reader.match.winner is not None
    for seat in match.seats:
        match.catch_up(match.readers[seat.number])
        assert match.readers[seat.number].faults == report.faults


@cache
def length_of(seats: int, seed: int, **options) -> int:
    """Return the number of entries of the match without leavers."""
    match = offline(seats, seed, **options)
    match.play()
    return match.live.log.next_number


@pytest.mark.parametrize("leaver", [0, 1, 2])
@pytest.mark.parametrize("moment", range(8))
def test_the_others_play_on_whenever_a_seat_leaves(leaver, moment):
    entries = 7 + moment * (length_of(3, leaver) - 8) // 8
    match = offline(3, leaver)
    play_until(match, entries)
    leave(match, leaver)
    match.play()
    check_end(match, leaver)


def test_a_seat_that_lapses_is_replaced_too():
    match = offline(4, 5, target=30)
    play_until(match, 60)
    silent = match.live.match.duties()[0].author
    match.seats = [seat for seat in match.seats if seat.number != silent]
    match.wait_out(silent)
    match.play()
    check_end(match, silent, code=Code.LAPSED)


def test_match_of_four_survives_two_leavers_with_quorum_two():
    match = offline(4, 3, quorum=2, target=60)
    play_until(match, 70)
    leave(match, 2)
    play_until(match, match.live.log.next_number + 10)
    leave(match, 0)
    match.play()
    check_end(match, 2, 0)


def test_two_may_leave_at_once():
    match = offline(4, 4, quorum=2, target=60)
    play_until(match, 70)
    leave(match, 1)
    leave(match, 3)
    match.play()
    check_end(match, 1, 3)


def test_the_last_one_left_wins():
    match = offline(3, 7)
    play_until(match, 40)
    leave(match, 0)
    leave(match, 1)
    match.play()
    check_end(match, 0, 1)
    assert match.live.match.winner == 2


def test_leaver_of_two_makes_other_win():
    match = offline(2, 3, target=50)
    play_until(match, 30)
    leave(match, 0)
    match.play()
    check_end(match, 0)


def test_the_last_one_wins_in_a_later_hand_too():
    match = offline(3, 7, target=100)
    play_until(match, 40)
    leave(match, 0)
    deal = match.live.match.deal_number
    while match.live.match.deal_number == deal:
        assert sum(match.step(seat) for seat in match.seats)
    play_until(match, match.live.log.next_number + 12)
    leave(match, 1)
    match.play()
    check_end(match, 0, 1)


def test_log_cut_after_leaver_names_leaver():
    match = offline(3, 2)
    play_until(match, 30)
    leave(match, 1)
    report = audit(match.file())
    assert not match.live.match.over
    assert (report.verdict, [fault.seat for fault in report.faults]) == ("fault", [1])


def test_without_threshold_a_leaver_ends_the_match():
    match = make_offline(3, 1, "draw-dominoes", {"target": 20}, dealing="verified")
    play_until(match, 30)
    leave(match, 1)
    assert match.live.match.over and match.live.match.winner is None
    assert [fault.code for fault in match.live.match.faults] == [Code.LEFT]


class Twisted(Seat):
    """Seat that changes an honest post of one kind."""

    kind = ""

    def respond(self, match):
        post = super().respond(match)
        return (
            Post(post.kind, self.twist(post.body))
            if post is not None and post.kind == self.kind
            else post
        )

    def twist(self, body):
        """Return the changed body."""
        raise AssertionError(body)


def flip(raw: bytes) -> bytes:
    """Flip one bit, low enough to leave a scalar canonical."""
    return bytes([raw[0] ^ 1]) + raw[1:]


class SealsGarbage(Twisted):
    """Seat whose first share cannot be opened. It answers the complaint with the right share."""

    kind = "key"

    def twist(self, body):
        return [*body[:3], [flip(body[3][0]), *body[3][1:]]]


class AnswersWrongly(SealsGarbage):
    """Seat that also answers with a wrong share."""

    def respond(self, match):
        post = super().respond(match)
        return (
            Post("answer", [[flip(post.body[0][0])]])
            if post is not None and post.kind == "answer"
            else post
        )


class CriesWolf(Twisted):
    """Seat that accuses all others of wrong shares."""

    kind = "confirm"

    def twist(self, body):
        return [[seat for seat in range(3) if seat != self.number]]


class AccusesItself(CriesWolf):
    """Seat that accuses itself too."""

    def twist(self, body):
        return [[0, 1, 2]]


class StandsInWrongly(Twisted):
    """Seat with a false proof when it stands in for a leaver."""

    kind = "stand_in"

    def twist(self, body):
        return [body[0], flip(body[1])]


def twisted(seat_type: type[Seat]) -> Offline:
    """Make a match with this type at seat 1."""
    return make_offline(3, 2, "block-dominoes", {}, THRESHOLD, {1: seat_type}, dealing="verified")


@pytest.mark.parametrize("seat_type", [SealsGarbage, CriesWolf])
def test_complaint_is_answered_openly_and_match_continues(seat_type):
    match = twisted(seat_type)
    match.play()
    assert match.live.match.over and not match.live.match.faults
    kinds = [decode_entry(record.entry).kind for record in match.live.records]
    assert kinds.count("answer") == (1 if seat_type is SealsGarbage else 2)


@pytest.mark.parametrize(
    ("seat_type", "code"), [(AnswersWrongly, Code.BAD_KEY_SHARE), (AccusesItself, Code.BAD_ENTRY)]
)
def test_sharing_a_key_wrongly_is_named_at_once(seat_type, code):
    match = twisted(seat_type)
    match.play()
    assert [(fault.seat, fault.code) for fault in match.live.match.faults] == [(1, code)]
    assert audit(match.file()).faults == match.live.match.faults


def test_false_stand_in_is_named_at_once():
    match = twisted(StandsInWrongly)
    play_until(match, 30)
    leave(match, 2)
    match.play()
    assert [(fault.seat, fault.code) for fault in match.live.match.faults] == [
        (2, Code.LEFT),
        (1, Code.BAD_PROOF),
    ]


def test_leaver_hand_stays_hidden_while_others_play():
    """Nobody, not even the table, sees a hand by declaring that its seat has left."""
    match = offline(3, 9, "draw-dominoes", target=40)
    play_until(match, 30)
    leave(match, 1)
    number = match.live.match.deal_number
    held = match.live.match.deal.hidden_of(1)
    looked = 0
    while (
        (deal := match.live.match.deal)
        and match.live.match.deal_number == number
        and deal.stage != "show"
    ):
        assert held and deal.hidden_of(1) == held
        looked += deal.stage == "stand in"
        assert sum(match.step(seat) for seat in match.seats)
    assert looked, "nothing was drawn after it had left"
    match.play()
    check_end(match, 1)


@pytest.mark.parametrize("game", ["texas-holdem", "five-card-draw"])
def test_leaver_poker_hand_stays_hidden(game):
    match = make_offline(4, 9, game, {"hands": 1}, THRESHOLD, dealing="verified")
    match.bots = ("greedy",)
    while not (match.live.match.stage is MatchStage.PLAYING and match.live.match.deal.ready):
        assert sum(match.step(seat) for seat in match.seats)
    match.catch_up(match.readers[1])
    match.seats[1].respond(match.readers[1].match)
    held = frozenset(match.seats[1].hand)
    leave(match, 1)
    shown: frozenset[int] = frozenset()
    while not match.live.match.over:
        deal = match.live.match.deal
        shown |= frozenset(deal.shown.values() if deal else ())
        assert sum(match.step(seat) for seat in match.seats)
    assert len(held) > 1 and held.isdisjoint(shown) and shown
    check_end(match, 1)


class Passer(Seat):
    """Seat that passes once although it could play."""

    passed = False

    def move(self, match, action):
        if action[0] != "play" or self.passed or not match.game.events:
            return super().move(match, action)
        self.passed = True
        return super().move(match, ("pass",))


def test_false_pass_of_a_leaver_does_not_end_the_match():
    match = make_offline(
        3, 2, "block-dominoes", {"target": 20}, THRESHOLD, {1: Passer}, dealing="verified"
    )
    while not any(duty.kind == "show" for duty in match.live.match.duties()):
        assert any(match.step(seat) for seat in match.seats)
    leave(match, 1)
    match.play()
    end = match.live.match
    assert {(fault.seat, fault.code) for fault in end.faults} == {
        (1, Code.LEFT),
        (1, Code.FALSE_PASS),
    }
    assert end.winner in (0, 2) and end.receipts == {0, 2}
    assert audit(match.file()).faults == end.faults
