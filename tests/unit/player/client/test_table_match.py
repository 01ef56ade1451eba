"""A player's program in simultaneous play, crossed with crashes, lost lines, copies of itself and
its own clock.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from player.client import events
from player.client.environment import Environment
from player.client.table_match import TableMatch
from player.storage.recovery_state import MatchFiles, read_recovery_states
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.games import Action
from protocol.identity.keys import JoinLink, fingerprint
from protocol.limits import TICKET, TICKET_SECRET
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from protocol.session.ticket import Ticket
from tests.integration.guest_games.test_simultaneous_programs import Table
from tests.support.refusals import refused
from tests.unit.player.client.test_deterministic_seat import parts

pytestmark = pytest.mark.match

LINK = JoinLink("example.org", 7500, fingerprint(bytes(32)))


class Hall(Table):
    """Match in which seat 0 is a person's, with a folder, and the test decides when seat 1 acts."""

    def __init__(self, folder: Path, game: str = "grab") -> None:
        self.folder = folder
        files = MatchFiles(folder, LINK, bytes(32), folder / "log.fairdeal")
        super().__init__(game, 2, 1, person=0, files=files)
        while self.live.match.stage is not MatchStage.PLAYING:
            assert self.round()

    @property
    def own(self) -> TableMatch:
        return self.programs[0]

    def choices(self) -> tuple[Action, ...]:
        assert self.own.reader is not None and self.own.seat is not None
        return self.own.seat.choices(self.own.reader.match)

    def signs(self, action: Action) -> bytes:
        """Let our person choose this action; return the entry that is sent."""
        self.own.choose(action)
        raw = self.own.next_post()
        assert raw is not None and decode_entry(raw).body[0] == list(action)
        return raw

    def other_acts(self, at: int = 0) -> Action:
        """Let the other seat do one of its legal actions."""
        program = self.programs[1]
        assert program.reader is not None and program.seat is not None
        self.send_out()
        action = program.seat.choices(program.reader.match)[at]
        post = program.seat.move(program.reader.match, action)
        self.live.offer(program.seat.entry(program.reader.log, post), 1)
        return action

    def lapse(self) -> None:
        """Let our time run out by the table's entry."""
        for due in iter(lambda: self.live.match.next_clock_entry(0), None):
            self.live.post_clock(Post(due.kind, [0, due.after]))
            if due.kind == "lapse":
                return

    def refused(self, raw: bytes) -> Code:
        with pytest.raises(Refused) as refusal:
            self.live.offer(raw, 0)
        self.refuse(self.own, raw, refusal.value.code)
        return refusal.value.code

    def crash(self) -> None:
        """End our program, and start another one with the same disk."""
        environment: Environment = self.own._environment
        self.own.close()
        (memory,) = read_recovery_states(self.folder, environment.identity)
        self.programs[0] = TableMatch.restore(memory, environment)
        self.own.rejoin(self.live.log.next_number)
        self.send_out()

    def to_the_end(self) -> None:
        """Let our person take the first legal action until the end: nobody is named, nobody
        leaves.
        """
        for _ in range(100):
            if self.live.match.over:
                break
            self.send_out()
            if self.choices():
                self.own.choose(self.choices()[0])
            assert self.round()
        assert self.live.match.over and not self.live.match.faults and not self.own.leaving


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Callable[..., Hall]]:
    """Return a function that makes halls, whose files are closed at the end."""
    halls: list[Hall] = []

    def begin(game: str = "grab") -> Hall:
        halls.append(Hall(tmp_path, game))
        return halls[-1]

    yield begin
    for hall in halls:
        hall.own.close()


@pytest.mark.parametrize("game", ["shed", "ligretto"])
def test_same_action_at_later_head_has_new_proofs(begun, game):
    """No random value serves two statements, for a piece that is shown and for one that is turned
    up.
    """
    hall = begun(game)
    action = hall.choices()[-1]  # a flip, in Ligretto
    first = hall.signs(action)
    hall.lapse()
    assert hall.refused(first) is Code.STALE
    doubt = hall.own.next_post()  # no time has passed here
    hall.live.offer(doubt, 0)
    hall.send_out()
    second = hall.signs(action)
    (*given, proofs), (*again, others) = (decode_entry(raw).body[1][0] for raw in (first, second))
    assert given == again and proofs != others and not parts([proofs]) & parts([others])
    hall.live.offer(second, 0)


def test_action_lost_in_crash_is_made_again_identically(begun):
    hall = begun("shed")
    action = hall.choices()[0]
    first = hall.signs(action)
    (outbox,) = hall.folder.glob("matches/*.outbox")
    outbox.write_bytes(outbox.read_bytes()[:-1])
    hall.crash()
    assert hall.own.unanswered() is None and hall.signs(action) == first


@pytest.mark.parametrize("game", ["grab", "shed"])
@pytest.mark.parametrize("crashes", [False, True])
def test_pending_action_after_line_or_program_failure_is_resent(begun, crashes, game):
    hall = begun(game)
    raw = hall.signs(hall.choices()[0])  # lost on its way
    hall.other_acts()  # takes the same thing, or plays on the same pile
    if crashes:
        hall.crash()
    else:
        hall.own.rejoin(hall.live.log.next_number)
        hall.send_out()
    assert hall.own.next_post() is None and hall.own.unanswered() == raw
    hall.live.offer(raw, 0)
    hall.send_out()
    assert hall.live.match.late_counts == (1, 0) and not hall.own.leaving
    raw = hall.signs(hall.choices()[-1])
    hall.live.offer(raw, 0)
    assert hall.live.match.scores[0] == 1


def test_returning_player_after_simultaneous_play_is_late_then_signs(begun):
    hall = begun()
    hall.live.offer(hall.signs(hall.choices()[0]), 0)
    hall.send_out()
    hall.other_acts()
    hall.send_out()
    hall.live.offer(hall.signs(hall.choices()[0]), 0)
    hall.send_out()
    raw = hall.signs(hall.choices()[0])  # optional for the seat
    hall.other_acts()
    assert hall.live.match.stage is MatchStage.RECEIPTS
    hall.crash()
    assert hall.own.unanswered() == raw
    hall.live.offer(raw, 0)
    assert hall.live.match.late_counts == (1, 0)
    hall.to_the_end()


def test_program_copy_in_same_seat_replaces_no_signed_entry(begun):
    """The same folder is used twice, against all advice: the table takes one of two entries with
    one number.
    """
    hall = begun()
    seat, reader = hall.own.seat, hall.own.reader
    other, raw = (
        seat.entry(reader.log, seat.move(reader.match, hall.choices()[3])),
        hall.signs(hall.choices()[0]),
    )
    hall.live.offer(other, 0)
    with pytest.raises(Refused) as refusal:
        hall.live.offer(raw, 0)
    assert refusal.value.code is Code.WRONG_SEQUENCE
    hall.refuse(hall.own, raw, Code.WRONG_SEQUENCE)
    assert not hall.own.leaving and hall.own.unanswered() is None
    hall.to_the_end()


def test_program_with_another_seed_leaves_with_reason(begun):
    """Another machine with the identity alone lacks the secrets of the deal."""
    hall = begun("shed")
    environment: Environment = hall.own._environment
    stranger = TableMatch(
        hall.own.agreement, hall.live.log.next_number, replace(environment, files=None)
    )
    hall.told.clear()
    hall.programs.append(stranger)
    hall.send_out()
    assert stranger.leaving and any(isinstance(event, events.Notice) for event in hall.told)
    assert not hall.own.leaving


def test_choice_made_impossible_is_asked_again_and_never_signed(begun):
    hall = begun()
    gone = hall.choices()[0]
    hall.own.choose(gone)
    assert hall.other_acts() == gone
    hall.send_out()
    hall.told.clear()
    assert hall.own.next_post() is None
    (asked,) = (event for event in hall.told if isinstance(event, events.YourTurn))
    assert gone not in asked.choices and not hall.own.leaving
    hall.to_the_end()


def test_late_action_refused_then_logged_makes_nobody_leave(begun):
    """The same bytes are sent again, and no replacement is signed; they may therefore be logged at
    any time.
    """
    hall = begun()
    raw = hall.signs(hall.choices()[0])
    hall.other_acts()
    hall.send_out()
    # refused once more, with the same bytes
    assert hall.own.refused(refused(hall.live, raw, Code.ILLEGAL_MOVE))
    assert hall.own.next_post() is None
    hall.live.offer(raw, 0)
    hall.send_out()
    assert (
        hall.live.match.late_counts == (1, 0)
        and not hall.own.leaving
        and hall.own.unanswered() is None
    )
    hall.to_the_end()


def ticket(number):
    return Ticket(bytes([number]) * TICKET, bytes([number]) * TICKET_SECRET)


def test_newest_ticket_is_kept_and_forgotten_with_match(begun):
    hall = begun("shed")
    for number in (1, 2):
        hall.own.take_ticket(ticket(number))
        assert hall.own.keep_ticket() == ticket(number)
        assert hall.own.keep_ticket() is None  # said once
    hall.crash()
    assert hall.own.ticket == ticket(2) and hall.own.keep_ticket() is None
    hall.own.forget()
    assert not list(hall.folder.glob("matches/*"))


def test_ticket_that_the_disk_does_not_take_spends_none(begun):
    hall = begun("shed")
    hall.own.take_ticket(ticket(1))
    assert hall.own.keep_ticket() == ticket(1)
    hall.own.take_ticket(ticket(2))
    folder = hall.folder / "matches"
    folder.rename(hall.folder / "away")
    folder.write_bytes(b"")
    assert hall.own.keep_ticket() is None
    assert hall.own.ticket == ticket(2)  # this process has both
    folder.unlink()
    (hall.folder / "away").rename(folder)
    hall.crash()
    assert hall.own.ticket == ticket(1)


def test_ticket_cut_short_on_disk_is_none(begun):
    hall = begun("shed")
    hall.own.take_ticket(ticket(1))
    hall.own.keep_ticket()
    (path,) = hall.folder.glob("matches/*.ticket")
    path.write_bytes(path.read_bytes()[:-1])
    hall.crash()
    assert hall.own.ticket is None


def test_ticket_before_the_first_entry_is_kept_after_it(tmp_path):
    table = Table("shed", 2, 1)
    first = table.programs[0]
    early = TableMatch(first.agreement, 0, first._environment)
    early.take_ticket(ticket(1))
    assert early.keep_ticket() is None and early.ticket == ticket(1)
    record = table.live.records[0]
    early.read(0, record.entry, record.head)
    assert early.keep_ticket() == ticket(1)
