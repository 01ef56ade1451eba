"""Seats that act at the same time: the first one wins, late actions are counted, and nobody is
named.
"""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.limits import MAX_LAPSES
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

PILES = 4


def playing(game: str = "grab", seats: int = 2, dealing: str = "none") -> Offline:
    match = guest_match(game, seats, dealing=dealing)
    until_playing(match)
    return match


def post(match: Offline, seat: int, *things: int) -> None:
    """Let the seat take these things one by one, with all entries seen each time."""
    for thing in things:
        match.live.offer(written(match, seat, ("take", thing)), seat)


def refused(match: Offline, raw: bytes, seat: int) -> Code:
    before = match.live.match, match.live.log.next_number
    with pytest.raises(Refused) as refusal:
        match.live.offer(raw, seat)
    assert (match.live.match, match.live.log.next_number) == before
    return refusal.value.code


def clean(match: Offline) -> None:
    match.play()
    assert agreed(match).over and not match.live.match.faults
    assert audit(match.file(), GUESTS).verdict is Verdict.CLEAN


def test_two_seats_act_at_once_and_second_stays_valid():
    match = playing()
    first, second = written(match, 0, ("take", 0)), written(match, 1, ("take", 1))
    match.live.offer(first, 0)
    match.live.offer(second, 1)
    assert match.live.match.scores == (1, 1) and match.live.match.late_counts == (0, 0)
    clean(match)


def test_late_action_is_counted_and_changes_nothing_else():
    match = playing()
    first, second = written(match, 0, ("take", 0)), written(match, 1, ("take", 0))
    match.live.offer(first, 0)
    before = match.live.match
    match.live.offer(second, 1)
    after = match.live.match
    assert after.late_counts == (0, 1) and not after.faults and after.stage is MatchStage.PLAYING
    assert (after.game, after.action_entries, after.duties()) == (
        before.game,
        before.action_entries,
        before.duties(),
    )
    clean(match)
    assert match.live.match.late_counts == (0, 1)


def test_action_illegal_when_seen_is_refused_in_any_order():
    match = playing()
    post(match, 0, 0)
    reader, player = match.readers[1], match.seats[1]
    match.catch_up(reader)
    wrong = player.entry(reader.log, Post("move", [["take", 0], []]))
    assert refused(match, wrong, 1) is Code.ILLEGAL_MOVE
    post(match, 0, 1)  # so the refusal is not for lateness
    assert refused(match, wrong, 1) is Code.ILLEGAL_MOVE


def test_seat_is_late_at_most_once_per_foreign_action():
    """An action must have seen its author's own newest entry, so one old view serves only once."""
    match = playing()
    reader, player = match.readers[1], match.seats[1]
    match.catch_up(reader)
    seen = reader.log.newest_head
    post(match, 0, 0)
    match.live.offer(written(match, 1, ("take", 1)), 1)
    match.catch_up(reader)
    reader.log.chain_hashes[seen[0] + 1 :], newer = [], reader.log.chain_hashes[seen[0] + 1 :]
    old = player.entry(reader.log, Post("move", [["take", 0], []]))
    reader.log.chain_hashes += newer
    assert decode_entry(old).seen_number == seen[0]
    assert refused(match, old, 1) is Code.STALE


@pytest.mark.parametrize(
    ("game", "dealing"), [("grab", "none"), ("shed", "commutative"), ("ligretto", "verified")]
)
def test_game_without_turns_needs_a_table(game, dealing):
    """Without a table, a seat posts as long as it can act, and would take everything."""
    with pytest.raises(Refused) as refusal:
        make_terms(Selection(game), Selection(dealing), (), 2, GUESTS)
    assert refusal.value.code is Code.BAD_OPTIONS
    assert make_terms(Selection(game), Selection(dealing), Allowance().options(), 2, GUESTS)


def test_game_of_turns_has_no_late_actions():
    """In a game of turns, an entry that has not seen the newest turn is stale as usual."""
    match = guest_match("nim for all", 2)
    until_playing(match)
    seat = match.live.match.game.to_act
    early = written(match, seat, ("take", 0, 1))
    match.live.offer(early, seat)
    match.live.offer(written(match, 1 - seat, ("take", 0, 1)), 1 - seat)
    player, reader = match.seats[seat], match.readers[seat]
    old = player.entry(reader.log, Post("move", [["take", 0, 2], []]))
    assert decode_entry(old).seen_number < match.live.match.duties_since
    assert refused(match, old, seat) in (Code.STALE, Code.WRONG_SEQUENCE)
    assert match.live.match.late_counts == (0, 0)


def test_seat_without_actions_does_not_delay_others():
    match = playing()
    post(match, 0, 0, 1, 2)  # nobody takes a fourth
    assert [duty.author for duty in match.live.match.duties()] == [1]
    assert (
        match.live.match.next_clock_entry(0) is None
        and match.live.match.next_clock_entry(1) is not None
    )
    reader, player = match.readers[0], match.seats[0]
    match.catch_up(reader)
    assert (
        refused(match, player.entry(reader.log, Post("move", [["take", 3], []])), 0) is Code.NOT_NOW
    )
    clean(match)


def test_seat_with_optional_action_has_no_clock():
    match = playing()
    post(match, 0, 0, 1)
    now = match.live.match
    assert now.may_post(0, "move") and now.next_clock_entry(0) is None
    with pytest.raises(Refused):
        match.live.post_clock(Post("warning", [0, 10**9]))
    post(match, 0, 2)
    assert match.live.match.scores == (3, 0)
    clean(match)


def test_each_seat_has_its_own_time():
    match = playing()
    began = match.live.match.duty_since(1)
    due = match.live.match.next_clock_entry(1)
    match.live.post_clock(Post(due.kind, [1, due.after]))
    post(match, 0, 0)
    now = match.live.match
    assert now.duty_since(0) == now.next_number - 1 and now.duty_since(1) == began
    # the warning of the first seat is still valid
    assert now.next_clock_entry(0).kind == "warning" and now.next_clock_entry(1).kind == "extension"
    post(match, 1, 1)
    assert match.live.match.duty_since(0) == now.duty_since(0)
    assert match.live.match.next_clock_entry(1).kind == "warning"


def test_late_seat_gets_new_time():
    match = playing()
    late = written(match, 1, ("take", 0))
    post(match, 0, 0)
    match.live.offer(late, 1)
    now = match.live.match
    assert now.duty_since(1) == now.next_number - 1 and now.duty_since(0) == now.next_number - 2


def test_seat_out_of_time_does_not_stop_others():
    match = playing(seats=3)
    began = match.live.match.duty_since(2)
    other = written(match, 1, ("take", 0))
    match.lapse(0)
    now = match.live.match
    assert (now.duty_since(0), now.duty_since(1), now.duty_since(2)) == (
        now.next_number - 1,
        began,
        began,
    )
    match.live.offer(other, 1)  # it was in transit
    match.seats = [seat for seat in match.seats if seat.number != 0]
    for _ in range(MAX_LAPSES - 1):
        match.lapse(0)
    assert 0 in match.live.match.gone
    match.play()
    end = agreed(match)
    assert (
        end.over and [fault.code for fault in end.faults] == [Code.LAPSED] and end.winner in (1, 2)
    )


def test_entry_crossing_own_lapse_is_refused_and_repeatable():
    match = playing()
    own = written(match, 0, ("take", 0))
    match.lapse(0)
    assert refused(match, own, 0) is Code.STALE
    clean(match)


def test_leaver_is_out_and_others_keep_their_time():
    match = playing(seats=3)
    began = match.live.match.duty_since(1)
    other = written(match, 1, ("take", 0))
    leave(match, 0)
    assert match.live.match.duty_since(1) == began
    match.live.offer(other, 1)
    match.play()
    end = agreed(match)
    assert (
        end.over
        and [fault.code for fault in end.faults] == [Code.LEFT]
        and end.late_counts == (0, 0, 0)
    )


def test_action_overtaken_by_the_end_is_late():
    match = playing()
    post(match, 1, 0, 1)
    post(match, 0, 2)
    last = written(match, 1, ("take", 4))
    post(match, 0, 3)
    assert match.live.match.stage is MatchStage.RECEIPTS
    match.live.offer(last, 1)
    assert match.live.match.late_counts == (0, 1) and match.live.match.scores == (2, 2)
    reader, player = match.readers[1], match.seats[1]
    match.catch_up(reader)
    assert (
        refused(match, player.entry(reader.log, Post("move", [["take", 5], []])), 1) is Code.NOT_NOW
    )
    clean(match)


@pytest.mark.slow
@pytest.mark.parametrize("dealing", ["verified", "commutative", "layered"])
def test_hidden_piece_on_occupied_place_is_late(dealing):
    """One piece is shown on an occupied place, and one after the end while hands are opened."""
    match = playing("shed", dealing=dealing)

    def lay(seat: int, pile: int) -> bytes:
        match.catch_up(match.readers[seat])
        match.seats[seat].respond(match.readers[seat].match)  # so that the seat reads its hand
        return written(match, seat, ("lay", pile, match.seats[seat].hand[0]))

    first, second = lay(0, 0), lay(1, 0)
    match.live.offer(first, 0)
    match.live.offer(second, 1)
    assert match.live.match.late_counts == (0, 1) and match.live.match.scores == (1, 0)
    for seat, pile in ((1, 1), (1, 2)):
        match.live.offer(lay(seat, pile), seat)
    last = lay(1, 3)
    match.live.offer(lay(0, 3), 0)
    assert match.live.match.stage is MatchStage.DEALING
    match.live.offer(last, 1)
    assert match.live.match.late_counts == (0, 2)
    clean(match)


@pytest.mark.slow
def test_random_matches_end_without_faults():
    for seed in range(6):
        match = guest_match("grab", 3, seed)
        until_playing(match)
        while match.live.match.stage is MatchStage.PLAYING:
            ready = [seat for seat in match.seats if match.live.match.may_post(seat.number, "move")]
            entries = []
            for seat in ready:  # all at the same time
                match.catch_up(match.readers[seat.number])
                action = match.rng.choice(seat.choices(match.readers[seat.number].match))
                entries.append((written(match, seat.number, action), seat.number))
            match.rng.shuffle(entries)
            for raw, number in entries:
                match.live.offer(raw, number)
        late, logged = sum(match.live.match.late_counts), len(match.live.match.action_entries)
        clean(match)
        assert late + logged == sum(
            decode_entry(record.entry).kind == "move" for record in match.live.records
        )
