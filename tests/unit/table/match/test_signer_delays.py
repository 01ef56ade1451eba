"""A room whose signer is slow, away, or refuses: the room waits or stops, and no player is
blamed.
"""

import logging
from contextlib import closing
from types import SimpleNamespace

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.dealing import TABLE, Post
from protocol.limits import MAX_HELD, MAX_REFUSALS_WAITING
from protocol.match.log import EntryContent, decode_entry, encode_content
from table.config import Bounds
from table.match.clock import LoopWatch, Tick
from table.match.hosted_match import HostedMatch
from table.match.live_match import LiveMatch
from table.match.log_broadcaster import LogBroadcaster
from table.match.read_schedule import ReadSchedule
from table.metrics import Metrics
from table.signer import requests
from table.signer.sign_state import SignState
from tests.support.offline import make_offline
from tests.support.signers import Patient
from tests.unit.table.match.test_hosted_match import Disk, Party


@pytest.fixture
def book(tmp_path):
    with closing(SignState(tmp_path)) as made:
        yield made


def begun(book, room_type=HostedMatch):
    """Return a match under a signer, with its first entry on its way to the disk, and its people's
    log.
    """
    offline = make_offline(2, 1)
    live = LiveMatch(
        Patient(offline.live._identity, book), offline.live.match.setup, offline.live.seed
    )
    return in_room(offline, live, room_type)


def in_room(offline, live, room_type=HostedMatch):
    offline.live, lost = live, []
    nothing = {"match_over": lambda feed: None, "match_settled": lambda feed: None}
    keeper = SimpleNamespace(
        identity=live.signer,
        metrics=Metrics(),
        reading=ReadSchedule(Bounds()),
        loop_watch=LoopWatch(),
        match_lost=lost.append,
        **nothing,
    )
    room = room_type(live, disk := Disk(), Bounds(), keeper)
    parties = [Party(person.identity) for person in live.match.setup.people]
    for party in parties:
        room.enter(party)
    offline.accept = lambda live, raw, seat: room.post(parties[seat], raw)
    around = {"key": live.signer, "disk": disk, "parties": parties, "lost": lost}
    return SimpleNamespace(room=room, live=live, offline=offline, **around)


def settle(match):
    """Let disk and signer answer until no request is open."""
    while match.disk.waiting or match.key.waiting:
        match.disk.work()
        match.key.work()


def play(match, until):
    """Let everybody post, and disk and signer answer, until the condition holds after a post."""
    settle(match)
    for _ in range(500):
        for seat in match.offline.seats:
            if match.offline.step(seat) and until():
                return
            settle(match)
    raise AssertionError("it never held")


@pytest.mark.match
async def test_match_with_signer_is_played_to_end(book):
    match = begun(book)
    play(match, lambda: match.live.match.over)
    settle(match)
    assert match.room.over and audit(match.offline.file()).verdict is Verdict.CLEAN
    match.room.close()


async def test_entry_is_sent_only_with_signed_head(book):
    match = begun(book)
    match.disk.work()
    assert [party.names() for party in match.parties] == [[], []] and not match.live.records
    match.key.work()
    assert [party.names() for party in match.parties] == [["match"], ["match"]]
    match.room.close()


@pytest.mark.match
async def test_post_before_table_entry_is_signed_waits(book):
    """Otherwise nobody could continue the log: the table's answer comes directly after its
    cause.
    """
    match = begun(book)
    play(match, lambda: match.live.owes)
    number, (ann, _) = match.live.log.next_number, match.parties
    match.room.post(ann, b"no entry")
    match.room.post(ann, b"no entry")
    settle(match)
    assert ann.names().count("refused") == 1
    assert decode_entry(match.live.entries[number]).author == TABLE and not match.live.owes
    match.room.close()


@pytest.mark.match
async def test_sender_above_waiting_limit_is_disconnected(book):
    match = begun(book)
    play(match, lambda: match.live.owes)
    for number in range(MAX_HELD):
        match.room.post(match.parties[0], bytes([number]))
    assert match.parties[0].open
    match.room.post(match.parties[0], b"one more")
    assert not match.parties[0].open and match.parties[1].open
    match.room.close()


@pytest.mark.match
async def test_takeover_host_continues_signed_unstored_entries(book):
    """Entries without heads get them; the table's own entry keeps the bytes that the other host had
    signed.
    """
    match = begun(book)
    play(match, lambda: match.live.owes)
    match.disk.work()
    stored = match.live.records + [
        (raw, b"") for raw in match.live.entries[len(match.live.records) :]
    ]
    match.key.work()  # heads and the own entry were signed, and lost with the host
    own = match.live.entries[-1]
    assert len(match.live.entries) == len(stored) + 1 and decode_entry(own).author == TABLE
    match.room.close()
    records = [type(match.live.records[0])(*record) for record in stored]
    live = LiveMatch.restore(match.key, match.live.seed, records)
    live.answer()  # everybody has returned
    assert live.owes and len(live.records) < len(stored)
    other = in_room(match.offline, live)
    settle(other)
    assert live.entries[: len(stored) + 1] == [*match.live.entries] and not other.lost
    other.room.close()


async def test_refused_match_stops_and_log_says_why(book, caplog):
    match, fine = begun(book), begun(book)
    settle(match)
    # as with another host or another store
    other = requests.head(match.room.match_id, 1, b"x" * 32)
    assert book.judge([other]) == [other]
    post = match.offline.seats[0].respond(match.offline.readers[0].match)
    match.room.post(
        match.parties[0], match.offline.seats[0].entry(match.offline.readers[0].log, post)
    )
    with caplog.at_level(logging.ERROR):
        settle(match)
    assert match.lost == [match.room] and all(party.was_moved for party in match.parties)
    assert "stops after entry 0, the signer refuses: another hash was signed" in caplog.text
    assert [party.names() for party in match.parties] == [["match"], ["match"]]
    assert not fine.lost
    fine.room.close()


async def test_time_notice_signed_before_crash_is_sent_next(book):
    """The host's own notice would be another entry with the same number, which the signer
    refuses.
    """
    match = begun(book)
    settle(match)
    live, due = match.live, match.live.match.next_clock_entry(0)
    content = encode_content(EntryContent(TABLE, 1, live.log.newest_head, due.kind, [0, due.after]))
    assert book.judge([requests.entry(live.log.match_id, content)])[0].fields[1] == content
    match.room._loop = Later(match.room._loop)
    live.post_clock(Post(due.kind, [0, due.after + 55]))
    match.room._run()
    settle(match)
    assert decode_entry(live.records[1].entry).content == content and not match.lost
    match.room.close()


async def test_old_time_notice_costs_seat_no_time(book):
    """The signer has it ready, whichever seat the next host asks about; here every wait starts
    again.
    """
    match = begun(book)
    settle(match)
    room, live, due = match.room, match.live, match.live.match.next_clock_entry(0)
    content = encode_content(EntryContent(TABLE, 1, live.log.newest_head, due.kind, [0, due.after]))
    book.judge([requests.entry(live.log.match_id, content)])
    live.post_clock(Post(due.kind, [1, due.after]))
    room._run()
    seat = match.offline.seats[0]
    room.post(
        match.parties[0], raw := seat.entry(match.offline.readers[0].log, seat.respond(live.match))
    )
    settle(match)
    assert [record.entry for record in live.records[1:2]] == [raw], (
        "what came meanwhile stands first"
    )
    assert not room.machine.has_early_entry(room._loop.time()) and not match.lost
    room.close()


async def test_early_time_notice_is_sent_when_due(book):
    match = begun(book)
    settle(match)
    room, live, due = match.room, match.live, match.live.match.next_clock_entry(0)
    content = encode_content(EntryContent(TABLE, 1, live.log.newest_head, due.kind, [0, due.after]))
    book.judge([requests.entry(live.log.match_id, content)])
    live.post_clock(Post(due.kind, [1, due.after]))
    room._run()
    settle(match)
    assert (
        room.machine.has_early_entry(room._loop.time()) and len(live.records) == 1 and not live.owes
    )
    room._run()
    assert not match.key.waiting, "nothing is asked for meanwhile"
    room._loop = Later(room._loop)
    room._run()
    settle(match)
    assert decode_entry(live.records[1].entry).content == content and not match.lost
    room.close()


async def test_absent_signer_refuses_nothing_and_queues_are_bounded(book):
    match = begun(book)
    settle(match)
    ann = match.parties[0]
    match.key.away = True
    for number in range(MAX_REFUSALS_WAITING):
        match.room.post(ann, b"no entry %d" % number)
    assert not match.key.waiting and ann.open
    match.room.post(ann, b"one more")
    assert not ann.open
    match.room.post(match.parties[1], b"no entry")
    match.key.away = False
    match.room._send_refusals()
    settle(match)
    assert match.parties[1].names() == ["match", "refused"]
    match.room.close()


async def test_finished_match_refuses_nothing_during_signer_absence(book):
    match = begun(book)
    settle(match)
    keeper = SimpleNamespace(identity=match.key)
    feed, ann = (
        LogBroadcaster(
            match.room.match_id, match.live.match.setup, match.live.records, Bounds(), keeper
        ),
        Party(b"a"),
    )
    match.key.away = True
    feed.post(ann, b"late")
    assert not match.key.waiting
    match.key.away = False
    feed.post(ann, b"late")
    assert len(match.key.waiting) == 1
    match.room.close()


class Later:
    """Loop whose clock is ahead."""

    def __init__(self, loop, seconds=1000):
        self._loop, self._seconds = loop, seconds

    def time(self):
        return self._loop.time() + self._seconds

    def __getattr__(self, name):
        return getattr(self._loop, name)


async def test_clock_pauses_while_signer_is_away(book):
    asked = []

    class Clocked(HostedMatch):
        @staticmethod
        def clock_rule(duties, allowance, waited):
            asked.append([waited(seat) for seat in range(2)])
            return Tick(None, 60)

    match = begun(book, Clocked)
    settle(match)
    room = match.room
    room._loop = Later(room._loop)
    match.key.away = True
    room._run()
    assert not asked
    match.key.away = False
    room._loop = Later(room._loop, 1)
    room._run()
    assert max(asked[0]) < 100, "what ran before it was away is given back"
    room.close()
