"""Game of loose cards at a table. A seat may lie, leave, fall silent or restart. No other seat is
named or loses anything, and hidden cards stay hidden.
"""

from functools import cache
from random import Random

import pytest

from bots.random_bot import random_bot
from player.client.deterministic_seat import DeterministicSeat
from player.client.seat import Seat
from protocol.audit.history import MatchHistory
from protocol.audit.replay import Step
from protocol.audit.replay_frames import ALL_SEATS, replay_frame
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.errors import Refused
from protocol.i18n import english
from protocol.match.fold import apply
from protocol.match.log import Entry, decode_entry
from protocol.match.log_reader import LogReader
from protocol.match.state import Match, MatchStage
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.integration.guest_games.test_simultaneous_programs import Table
from tests.support.guest_games.offline_match import (
    GUESTS,
    agreed,
    guest_match,
    leave,
    until_playing,
    written,
)
from tests.support.liars import flipped
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

SHARED = {"leavers": "threshold"}


def of_beacons(seats: int, seed: int, **options: str) -> Offline:
    return guest_match("beacons", seats, seed, "verified", **(options or SHARED))


def playing(seats: int = 2, seed: int = 1) -> Offline:
    match = of_beacons(seats, seed)
    until_playing(match)
    return match


@cache
def steps(seed: int) -> list[Step]:
    """Return the log of a match of two, entry by entry."""
    match = of_beacons(2, seed)
    match.play()
    assert match.live.match.over
    return MatchHistory(match.file(), GUESTS).read().steps


def entry(match: Match, author: int, kind: str, body: list) -> Entry:
    """Make an entry for the fold."""
    return Entry(b"", b"", b"", author, 0, match.next_number - 1, b"", kind, body)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_game_is_played_to_its_end(seats):
    done = set()
    for seed in range(2 if seats > 2 else 5):
        match = of_beacons(seats, seed)
        match.play()
        end = agreed(match)
        assert end.over and not end.faults and match.refused == [] and end.winner is not None
        assert audit(match.file(), GUESTS).verdict is Verdict.CLEAN
        done |= {
            decode_entry(record.entry).body[0][0]
            for record in match.live.records
            if is_move(record)
        }
    assert done == {"play", "show", "search", "take", "spy"} or seats > 2


def is_move(record) -> bool:
    return decode_entry(record.entry).kind == "move"


@pytest.mark.parametrize("dealing", ["layered", "commutative", "none"])
def test_only_suitable_dealings_have_loose_cards(dealing):
    with pytest.raises(Refused) as refusal:
        make_terms(Selection("beacons"), Selection(dealing), (), 2, GUESTS)
    assert refusal.value.code is Code.BAD_OPTIONS


# --- leaving, silence ---


def after_it_left(match: Match, seat: int) -> Match:
    return apply(match, entry(match, seat, "leave", []))


def after_it_was_silent(match: Match, seat: int) -> Match | None:
    """Let the time of a seat run out as often as needed. Return None if the match does not wait for
    the seat.
    """
    while seat in match.present and not match.over:
        due = match.next_clock_entry(seat)
        if due is None:
            return None
        match = apply(match, entry(match, TABLE, due.kind, [seat, due.after]))
    return match


def hidden(match: Match) -> set[int]:
    """Return the loose cards that are hidden from somebody."""
    return (
        set()
        if match.deal is None
        else match.deal.context.loose_cards - match.deal.public_faces.keys()
    )


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("goes", [after_it_left, after_it_was_silent])
def test_leaver_of_two_loses_at_any_moment(seat, goes):
    for seed in (0, 1):
        for step in steps(seed)[:-1]:
            before = step.after
            after = goes(before, seat)
            if after is None or before.stage in (MatchStage.RECEIPTS, MatchStage.OVER):
                continue
            assert {fault.seat for fault in after.faults} == {seat}
            if before.stage in (MatchStage.SEATING, MatchStage.ROSTER):
                assert after.over and after.winner is None
                continue
            assert after.deal is None and after.stage is MatchStage.RECEIPTS
            end = apply(after, entry(after, 1 - seat, "receipt", after.receipt))
            assert end.over and end.winner == 1 - seat


def test_cards_hidden_when_seat_left_stay_hidden():
    """Later entries contain no new shares: with one seat left there is no deal any more."""
    for step in steps(0)[:-1]:
        match = step.after
        if (
            match.deal is None
            or match.stage not in (MatchStage.DEALING, MatchStage.PLAYING)
            or not match.deal.deck
        ):
            continue
        for card in hidden(match):
            given = match.deal.shares.get(card, {})
            assert not given or (set(given) != {0, 1} and match.deal.piece_of(card) is None)
        assert after_it_left(match, 0).deal is None


@pytest.mark.slow
@pytest.mark.parametrize("leaver", [0, 1, 2])
def test_three_play_on_after_one_leaves_at_any_moment(leaver):
    for at in range(8, 60, 5):
        match = of_beacons(3, 3)
        while match.live.match.next_number < at and not match.live.match.over:
            assert any(match.step(seat) for seat in match.seats)
        if match.live.match.stage not in (MatchStage.DEALING, MatchStage.PLAYING):
            return
        leave(match, leaver)
        match.play()
        end = agreed(match)
        assert end.over and [(fault.seat, fault.code) for fault in end.faults] == [
            (leaver, Code.LEFT)
        ]
        assert end.winner not in (None, leaver) and match.refused == []


# --- restarts ---


def test_restarted_seat_posts_same_bytes_at_any_entry():
    """Deterministic seats play. At every third entry new programs read the log and know the
    same.
    """
    match = make_offline(2, 5, "beacons", {}, SHARED, dealing="verified", games=GUESTS)
    seeds = [match.rng.randbytes(32) for _ in match.seats]
    first = match.live.records[0]

    def begun(number: int) -> tuple[LogReader, DeterministicSeat]:
        reader = LogReader(first.entry, first.head, GUESTS)
        return reader, DeterministicSeat(
            Seat, match.seats[number]._identity, number, seeds[number], reader
        )

    def follow(reader: LogReader, steady: DeterministicSeat) -> None:
        for record in match.live.records[reader.log.next_number :]:
            reader.feed(record.entry, record.head)
            steady.follow()

    players, rng = [begun(number) for number in range(2)], Random(1)
    while not match.live.match.over:
        for number, (reader, steady) in enumerate(players):
            follow(reader, steady)
            if match.live.match.next_number % 3 == 0:
                again = begun(number)
                follow(*again)
                assert again[1].due == steady.due and again[1].seat.held(
                    again[0].match
                ) == steady.seat.held(reader.match)
                players[number] = reader, steady = again
            post = steady.due
            if post is None and steady.seat.choices(reader.match):
                post = steady.move(random_bot(steady.seat.view(reader.match), rng))
            if post is not None:
                match.live.offer(steady.seat.entry(reader.log, post), number)
    assert match.live.match.winner is not None and not match.live.match.faults


# --- lies ---


def asked(match: Offline, number: int) -> tuple[Seat, LogReader]:
    """Return a seat that knows the present state, and its reader."""
    seat, reader = match.seats[number], match.readers[number]
    match.catch_up(reader)
    assert seat.respond(reader.match) is None
    return seat, reader


def lie(match: Match, seat: Seat, action: tuple, spoil) -> Post:
    """Make the post of an action with a wrong part."""
    action, (part,) = seat.move(match, action).body
    return Post("move", [action, [spoil(part)]])


LIES = {
    "a wrong proof": (lambda part: [part[0], part[1], flipped(part[2])], Code.BAD_PROOF),
    "no point": (lambda part: [part[0], bytes(32), part[2]], Code.BAD_POINT),
}


def offered(match: Offline, seat: int, post: Post) -> None:
    match.live.offer(match.seats[seat].entry(match.readers[seat].log, post), seat)


@pytest.mark.parametrize("name", LIES)
def test_card_opened_falsely_is_named_and_loses(name):
    spoil, code = LIES[name]
    match = playing()
    seat, reader = asked(match, 0)
    play = next(action for action in seat.choices(reader.match) if action[0] == "play")
    offered(match, 0, lie(reader.match, seat, play, spoil))
    assert [(fault.seat, fault.code) for fault in match.live.match.faults] == [(0, code)]
    match.seats = match.seats[1:]
    match.play()
    assert agreed(match).winner == 1


def test_card_opened_as_other_or_unheld_is_named():
    match = playing()
    seat, reader = asked(match, 0)
    one, other = (action for action in seat.choices(reader.match) if action[0] == "play")
    parts = {action: seat.move(reader.match, action).body[1] for action in (one, other)}
    lies = {
        ("play", one[1], other[2]): (parts[one], Code.BAD_OPENING),
        one: (parts[other], Code.BAD_PROOF),
    }
    for action, (part, code) in lies.items():
        after = apply(reader.match, entry(reader.match, 0, "move", [list(action), part]))
        assert [(fault.seat, fault.code) for fault in after.faults] == [(0, code)]


def test_old_share_is_no_fault_unless_claimed_new():
    """The pack is searched and hidden again, so old shares open nothing."""
    match = playing(seed=2)
    seat, reader = match.seats[0], match.readers[0]
    match.live.offer(written(match, 0, ("search",)), 0)
    while match.live.match.stage is MatchStage.DEALING:
        assert any(match.step(each) for each in match.seats)
    asked(match, 0)
    pack = reader.match.game.packs[0]
    assert set(pack) <= seat.held(reader.match).visible.keys(), (
        "who shuffled alone knows which is which"
    )
    assert not set(pack) & reader.match.deal.public_faces.keys()
    match.play()
    assert agreed(match).over and not match.live.match.faults


# --- the programs that play every game ---


def test_beacons_match_runs_at_real_table_with_programs():
    table = Table("beacons", 3, 4)
    while table.round():
        pass
    assert (
        table.live.match.over
        and table.live.match.winner is not None
        and not table.live.match.faults
    )


def test_refused_action_changes_nothing():
    match = playing()
    match.catch_up(match.readers[1])
    with pytest.raises(Refused):
        offered(match, 1, Post("move", [["search"], [[], []]]))
    assert not match.live.match.faults and match.live.match.stage is MatchStage.PLAYING


# --- after the match ---


def test_replay_shows_seen_and_opened_cards():
    match = playing(seed=3)
    seen = []
    while not match.live.match.over:
        match.catch_up(match.readers[0])
        match.seats[0].respond(match.readers[0].match)
        if (
            match.readers[0].match.deal is not None
            and match.readers[0].match.stage is MatchStage.PLAYING
        ):
            seen.append(
                (
                    match.live.match.next_number - 1,
                    dict(match.seats[0].held(match.readers[0].match).visible),
                )
            )
        assert any(match.step(seat) for seat in match.seats)
    history, opened = MatchHistory(match.file(), GUESTS).read(), 0
    for number, sees in seen:
        told, public = history.seen_cards(number, 0), history.steps[number].after.deal.public_faces
        assert all(piece is None or sees[card] == piece for card, piece in told.items())
        opened += any(piece is not None and card not in public for card, piece in told.items())
        frames = {
            whose: replay_frame(history, number, whose, english) for whose in (0, None, ALL_SEATS)
        }
        assert frames[ALL_SEATS]["hands"][0] == frames[0]["view"]["hand"]
    assert opened
