"""Games of plug-ins in the usual programs: a client's seat at a room, and two people without a
table.
"""

import asyncio
from random import Random
from types import SimpleNamespace

import pytest

from bots.random_bot import random_bot
from player.client import events
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_match import TableMatch
from player.storage.agreement import Agreement
from player.storage.recovery_state import MatchFiles
from protocol.audit.refusal_audit import RefusalFinding, judge_refusal
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.identity.keys import Identity
from protocol.match.log import decode_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.refusal import SavedRefusal, encode_saved_refusal
from protocol.match.state import MatchStage
from table.config import Bounds
from table.match.clock import LoopWatch
from table.match.hosted_match import HostedMatch
from table.match.read_schedule import ReadSchedule
from table.metrics import Metrics
from tests.support.at_once import StoredAtOnce, restored
from tests.support.guest_games.offline_match import GUESTS, guest_match, until_playing, written
from tests.support.offline import make_setup
from tests.support.refusals import refused
from tests.support.without_table import play, two
from tests.unit.table.match.test_hosted_match import Disk, Party


class Table:
    """A match with the programs of its people, who post at the same time. `files` has the path of
    each person's data.
    """

    def __init__(
        self,
        game: str,
        seats: int,
        seed: int,
        person: int | None = None,
        files: MatchFiles | None = None,
    ) -> None:
        self.rng = Random(seed)
        table, *people = [Identity(self.rng.randbytes(32)) for _ in range(seats + 1)]
        setup = make_setup(
            table, people, self.rng, game, {}, dealing=GUESTS.specs[game].dealing.name, games=GUESTS
        )
        self.live, self.told = StoredAtOnce(table, setup, self.rng.randbytes(32)), []
        self.programs = [
            TableMatch(
                Agreement(
                    self.live.log.match_id, table.public, "main", seat, setup.people[seat], None
                ),
                1,
                Environment(
                    who,
                    Random(seat),
                    Seat,
                    None if seat == person else random_bot,
                    self.told.append if person in (None, seat) else lambda event: None,
                    files if seat == person else None,
                    games=GUESTS,
                ),
            )
            for seat, who in enumerate(people)
        ]

    def send_out(self) -> None:
        for program in self.programs:
            for number, record in list(enumerate(self.live.records))[program.number :]:
                program.read(number, record.entry, record.head)

    def round(self) -> bool:
        """Let everybody post without having seen the others' posts. Return False if nobody
        posted.
        """
        self.send_out()
        under_way = [(program, raw) for program in self.programs if (raw := program.next_post())]
        self.rng.shuffle(under_way)
        for program, raw in under_way:
            try:
                self.live.offer(raw, program.own)
            except Refused as refusal:
                self.refuse(program, raw, refusal.code)
        self.send_out()
        return bool(under_way)

    def refuse(self, program: TableMatch, raw: bytes, code: Code) -> None:
        """Send a refusal after the entries of the log, as a room does. Refusals of an honest table
        are never evidence against it.
        """
        self.send_out()
        word = refused(self.live, raw, code)
        log = MAGIC + b"".join(
            encode_record(record.entry, record.head) for record in self.live.records
        )
        found = judge_refusal(
            log, encode_saved_refusal(SavedRefusal(raw, word)), self.live.match.setup.games
        )
        assert found is RefusalFinding.RIGHT
        program.refused(word)


@pytest.mark.parametrize("seed", range(4))
def test_programs_acting_at_once_keep_all_seats(seed):
    table = Table("grab", 3, seed)
    while not table.live.match.over:
        assert table.round()
    assert not table.live.match.faults and table.live.match.winner is not None
    assert all(
        program.over and not program.faults and not program.leaving for program in table.programs
    )


@pytest.mark.slow
def test_programs_come_too_late_and_go_on():
    late = 0
    for seed in range(8):
        table = Table("grab", 3, seed)
        while not table.live.match.over:
            assert table.round()
        late += sum(table.live.match.late_counts)
        assert not any(program.leaving for program in table.programs)
    assert late > 0


def test_program_timed_out_while_acting_acts_again():
    table = Table("grab", 2, 1)
    while table.live.match.stage is not MatchStage.PLAYING:
        assert table.round()
    program = table.programs[0]
    raw = program.next_post()
    for due in iter(lambda: table.live.match.next_clock_entry(0), None):
        table.live.post_clock(Post(due.kind, [0, due.after]))
        if due.kind == "lapse":
            break
    with pytest.raises(Refused) as refusal:
        table.live.offer(raw, 0)
    table.refuse(program, raw, refusal.value.code)
    assert program.refusals == (Code.STALE,) and not program.leaving
    while not table.live.match.over:
        assert table.round()
    assert not table.live.match.faults


def test_person_is_asked_again_when_choices_change():
    table = Table("grab", 2, 1, person=0)

    def asked() -> list[events.YourTurn]:
        return [event for event in table.told if isinstance(event, events.YourTurn)]

    while table.live.match.stage is not MatchStage.PLAYING:
        assert table.round()
    person = table.programs[0]
    assert person.next_post() is None and person.next_post() is None
    assert len(asked()) == 1
    table.round()  # the other player takes something
    assert person.next_post() is None
    assert len(asked()) == 2 and set(asked()[1].choices) < set(asked()[0].choices)
    gone = next(action for action in asked()[0].choices if action not in asked()[1].choices)
    person.choose(gone)  # a moment too late
    assert person.next_post() is None and not person.leaving
    person.choose(asked()[1].choices[0])
    assert decode_entry(person.next_post()).kind == "move"


async def test_room_waits_for_each_seat_separately(monkeypatch):
    """Actions of one seat do not reset the clock of another."""
    offline = guest_match("grab", 2)
    until_playing(offline)
    disk = Disk()
    keeper = SimpleNamespace(
        metrics=Metrics(),
        reading=ReadSchedule(Bounds()),
        loop_watch=LoopWatch(),
        match_over=lambda feed: None,
        match_settled=lambda feed: None,
    )
    offline.live = restored(offline.live)
    loop = asyncio.get_running_loop()
    begun = now = loop.time()
    # on a busy machine, time passes while the room is made
    monkeypatch.setattr(loop, "time", lambda: begun)
    room = HostedMatch(offline.live, disk, Bounds(), keeper)
    monkeypatch.setattr(
        room, "_loop", SimpleNamespace(time=lambda: now, call_at=lambda *_: room._timer)
    )
    ann = Party(offline.live.match.setup.people[0].identity)
    room.enter(ann)
    for thing in (0, 1, 2):
        now += 45
        room.post(ann, written(offline, 0, ("take", thing)))
        disk.work()
        room._run()
        disk.work()
    said = [decode_entry(record.entry) for record in offline.live.records]
    assert [entry.body for entry in said if entry.kind == "warning"] == [[1, 135_000]]
    room.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_match_without_table_is_played_by_two(tmp_path, seed):
    ann, bob = two(tmp_path, "nim for all", "none", seed, games=GUESTS)
    play(ann, bob)
    assert ann.log() == bob.log() and audit(ann.log(), GUESTS).verdict is Verdict.CLEAN
    assert ann.outcome().reader.match.winner in (0, 1)
