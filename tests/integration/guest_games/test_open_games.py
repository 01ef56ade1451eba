"""Match without a deal: nothing is hidden or shuffled, and everything else works as in any
match.
"""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import TABLE, Fault, Post
from protocol.errors import Refused
from protocol.match.clock import Allowance
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.support.guest_games.offline_match import (
    GUESTS,
    agreed,
    guest_match,
    leave,
    until_playing,
    written,
)
from tests.support.offline import Offline

USUAL = Allowance().options()


def kinds(match: Offline) -> list[str]:
    return [decode_entry(record.entry).kind for record in match.live.records]


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_nim_is_played_to_its_end(seats):
    match = guest_match("nim for all", seats)
    match.play()
    end = agreed(match)
    assert end.over and end.winner is not None and not match.refused
    assert audit(match.file(), GUESTS).verdict is Verdict.CLEAN
    assert set(kinds(match)) == {"open", "sit", "nonce", "move", "receipt"}
    assert end.action_entries == tuple(
        number for number, kind in enumerate(kinds(match)) if kind == "move"
    )


def test_leaver_of_two_loses():
    match = guest_match("nim for all", 2)
    until_playing(match)
    leave(match, 0)
    assert match.live.match.stage is MatchStage.RECEIPTS
    match.play()
    end = agreed(match)
    assert end.over and end.winner == 1
    assert [(fault.seat, fault.code) for fault in end.faults] == [(0, Code.LEFT)]


def test_others_of_three_play_on_after_leaver():
    match = guest_match("nim for all", 3)
    until_playing(match)
    leave(match, match.live.match.game.to_act)
    assert match.live.match.stage is MatchStage.PLAYING
    match.play()
    end = agreed(match)
    assert end.over and end.winner in end.present and len(end.present) == 2


def test_leaver_with_one_seat_remaining_ends_match():
    match = guest_match("nim for all", 1)
    until_playing(match)
    leave(match, 0)
    assert agreed(match).over and match.live.match.winner is None


@pytest.mark.parametrize("stage", [MatchStage.SEATING, MatchStage.ROSTER])
def test_leaver_before_the_game_begins_ends_match(stage):
    match = guest_match("nim for all", 3)
    while match.live.match.stage is not stage:
        match.step(match.seats[sum(1 for _ in match.live.records) % 3])
    leave(match, 0)
    assert agreed(match).over and match.live.match.winner is None


def test_leaver_after_the_score_changes_no_score():
    match = guest_match("nim for all", 2)
    while match.live.match.stage is not MatchStage.RECEIPTS:
        assert sum(match.step(seat) for seat in match.seats)
    winner = match.live.match.game.winner
    loser = next(
        seat.number for seat in match.seats if seat.number not in match.live.match.receipts
    )
    leave(match, loser)
    assert agreed(match).over and match.live.match.winner == winner


def test_lapsed_turn_without_rule_counts_as_leaving():
    match = guest_match("nim for all", 2)
    until_playing(match)
    silent = match.live.match.game.to_act
    match.lapse(silent)
    match.seats = [seat for seat in match.seats if seat.number != silent]
    match.play()
    end = agreed(match)
    assert end.winner == 1 - silent
    assert [(fault.seat, fault.code) for fault in end.faults] == [(silent, Code.LAPSED)]


def test_move_out_of_turn_or_with_part_is_refused():
    match = guest_match("nim for all", 2)
    until_playing(match)
    before, seat = match.live.match, match.live.match.game.to_act
    player, reader = match.seats[seat], match.readers[seat]
    match.catch_up(reader)
    post = player.move(reader.match, ("take", 0, 1))
    wrong = {
        Code.BAD_ENTRY: (seat, post._replace(body=[post.body[0], [[1]]])),
        Code.NOT_NOW: (1 - seat, post),
        Code.ILLEGAL_MOVE: (seat, post._replace(body=[["take", 0, 4], []])),
        Code.BAD_ACTION: (seat, post._replace(body=[["take", 9, 1], []])),
    }
    for code, (author, each) in wrong.items():
        match.catch_up(match.readers[author])
        with pytest.raises(Refused) as refusal:
            match.live.offer(match.seats[author].entry(match.readers[author].log, each), author)
        assert refusal.value.code is code and match.live.match == before


def test_open_game_has_no_protests():
    match = guest_match("nim for all", 2)
    until_playing(match)
    player, reader = match.seats[0], match.readers[0]
    match.catch_up(reader)
    with pytest.raises(Refused) as refusal:
        match.live.offer(player.entry(reader.log, Post("protest", [3])), 0)
    assert refusal.value.code is Code.NOT_NOW


def test_table_logging_move_out_of_turn_is_named():
    match = guest_match("nim for all", 2)
    until_playing(match)
    reader, seat = match.readers[0], 1 - match.live.match.game.to_act
    match.catch_up(reader)
    raw = written(match, 1 - seat, ("take", 0, 1))
    body = decode_entry(raw)
    match.catch_up(match.readers[seat])
    wrong = match.seats[seat].entry(match.readers[seat].log, Post("move", body.body))
    reader.feed(wrong, reader.log.next_head(match.live._identity, wrong))
    number = match.live.match.next_number
    assert reader.faults == (
        Fault(TABLE, number, Code.TABLE_ACCEPTED),
        Fault(seat, number, Code.NOT_NOW),
    )


@pytest.mark.parametrize(
    ("game", "dealing"),
    [
        ("nim for all", "verified"),
        ("nim for all", "layered"),
        ("shed", "none"),
        ("block-dominoes", "none"),
        ("texas-holdem", "none"),
    ],
)
def test_only_games_with_pieces_have_a_deal(game, dealing):
    with pytest.raises(Refused) as refusal:
        make_terms(Selection(game), Selection(dealing), USUAL, 2, GUESTS)
    assert refusal.value.code is Code.BAD_OPTIONS


def test_no_deal_has_no_options():
    with pytest.raises(Refused):
        make_terms(
            Selection("nim for all"),
            Selection("none", (("leavers", "threshold"),)),
            USUAL,
            2,
            GUESTS,
        )
    make_terms(Selection("nim for all"), Selection("none"), USUAL, 2, GUESTS)


@pytest.mark.slow
def test_same_position_is_equal_value_anywhere_in_log():
    """Two matches of the same seed, one with warnings in between. No state of a game contains a log
    number.
    """
    for game, dealing, bots in (
        ("nim for all", "none", ("random",)),
        ("draw-dominoes", "verified", ("greedy",)),
    ):
        plain, warned = guest_match(game, 2, dealing=dealing), guest_match(game, 2, dealing=dealing)
        for match in (plain, warned):
            match.bots = bots
            until_playing(match)
        while not plain.live.match.over:
            assert plain.live.match.game == warned.live.match.game
            assert hash(plain.live.match.game) == hash(warned.live.match.game)
            for seat in (0, 1):
                plain.step(plain.seats[seat])
                warned.step(warned.seats[seat])
            due = warned.live.match.next_clock_entry(0)
            if due is not None and due.kind == "warning":
                warned.live.post_clock(Post(due.kind, [0, due.after]))
        assert (
            warned.live.match.over and plain.live.match.next_number < warned.live.match.next_number
        )


def test_negative_points_are_signed():
    """Numbers on the wire are never negative, so a receipt has the distance below 0."""
    match = guest_match("debts", 2)
    until_playing(match)
    while match.live.match.stage is MatchStage.PLAYING:
        assert any(match.step(seat) for seat in match.seats)
    scores, seat = match.live.match.scores, match.seats[0]
    match.catch_up(match.readers[0])
    assert min(scores) < 0
    wrongs = (
        ([0, 0], Code.WRONG_SCORES),
        ([[3], [3]], Code.WRONG_SCORES),
        ([[1, 1], 0], Code.BAD_ENTRY),
    )
    for wrong, code in wrongs:
        with pytest.raises(Refused) as refusal:
            match.live.offer(seat.entry(match.readers[0].log, Post("receipt", [wrong])), 0)
        assert refusal.value.code is code
    match.play()
    assert agreed(match).over and audit(match.file(), GUESTS).verdict is Verdict.CLEAN
