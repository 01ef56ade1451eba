"""Full disk: a person loses neither the end of a match nor the match."""

import io
import os
from collections import deque
from contextlib import redirect_stdout
from random import Random

import pytest

from bots.registry import BOTS
from player.cli.table_visits import play_at
from player.client import events
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.seat import Seat
from player.client.table_client import Plan
from player.direct.direct_client import DirectClient
from player.direct.direct_match import DirectMatch
from player.storage.contacts import FILE, read_contacts
from player.storage.log_store import LogStore, read_log
from player.ui.console_lines import PlainLines
from player.ui.terminal.plain_screen import PlainScreen
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.i18n import english_text
from protocol.identity.keys import Identity
from tests.support.fake_table import FakeTable, listening
from tests.support.without_table import Side, two

ME = Identity(b"z" * 32)
WRITERS = {
    "a bot": lambda: PlainScreen({}).line("Bob plays 6-6."),
    "a person at a pipe": lambda: PlainLines().print("Bob plays 6-6.\n"),
}


class Noted(PlainScreen):
    """PlainScreen that records its messages in order. It can stop at the first move."""

    def __init__(self, stops: bool = False) -> None:
        super().__init__({}, write=self._note)
        self.stops, self.said = stops, ""

    def hear(self, event: events.Event) -> None:
        super().hear(event)
        if self.stops and isinstance(event, events.Happened) and event.entry.kind == "move":
            self.stop()

    def _note(self, text: str) -> None:
        self.said += text


async def play(screen: PlainScreen, link, data) -> Outcome:
    environment = Environment(ME, Random(3), Seat, BOTS["greedy"], screen.hear)
    return await play_at(link, environment, Plan("Zoe"), data, screen)


@pytest.mark.match
async def test_stopped_and_resumed_player_has_played_once(tmp_path):
    async with listening(FakeTable()) as link:
        assert (await play(Noted(stops=True), link, tmp_path)).verdict is Verdict.INCOMPLETE
        assert not read_contacts(tmp_path)
        assert (await play(Noted(), link, tmp_path)).verdict is Verdict.CLEAN
    assert [contact.matches for contact in read_contacts(tmp_path).values()] == [1]


@pytest.mark.match
async def test_full_disk_still_shows_verdict_that_needs_no_disk(tmp_path):
    """No contact and no arrival time can be stored."""
    (tmp_path / FILE).write_text("nonsense")
    screen = Noted()
    async with listening(FakeTable()) as link:
        assert (await play(screen, link, tmp_path)).verdict is Verdict.CLEAN
    assert "move it away" in screen.said.partition("Verdict: no cheating found")[2]


def test_full_disk_for_arrival_times_leaves_log_whole(tmp_path):
    (tmp_path / "a.times").symlink_to("/dev/full")
    store = LogStore(tmp_path / "a.fairdeal")
    store.append(b"0", bytes(64), live=True)
    store.close()
    assert store._file.closed
    assert [record.entry for record in read_log(store.path)] == [b"0"]


@pytest.mark.parametrize("writer", WRITERS)
def test_full_disk_on_output_ends_nothing(writer):
    output = io.TextIOWrapper(io.FileIO("/dev/full", "w"), write_through=True)
    with output, redirect_stdout(output):
        WRITERS[writer]()


@pytest.mark.parametrize("writer", WRITERS)
def test_closed_output_ends_program(writer):
    reads, writes = os.pipe()
    os.close(reads)
    output = io.TextIOWrapper(io.FileIO(writes, "w"), write_through=True)
    with output, redirect_stdout(output), pytest.raises(BrokenPipeError):
        WRITERS[writer]()


# --- without a table ---


class Two:
    """Ann, who chooses by hand, and Bob, a bot, over a stable line."""

    def __init__(self, ann: Side, bob: Side) -> None:
        self.told: list[events.Event] = []
        self.match = DirectMatch(
            ann.saved, Environment(ann.identity, ann.rng, Seat, None, self.told.append)
        )
        self.ann = DirectClient(self.match._environment, None, self.match)
        self.bobs = bob.open()
        self.bob = DirectClient(self.bobs._environment, None, self.bobs)
        to_ann, to_bob = self.lines = deque[bytes](), deque[bytes]()
        self.ann.attach(to_bob.append, bob.identity.public)
        self.bob.attach(to_ann.append, ann.identity.public)
        self.pump()

    def pump(self) -> None:
        while any(self.lines):
            for client, inbox in zip((self.ann, self.bob), self.lines, strict=True):
                if inbox:
                    client.received(inbox.popleft())

    def move(self) -> None:
        self.ann.choose(self.match.choices[0])
        self.pump()

    def close(self) -> None:
        self.match.close()
        self.bobs.close()


@pytest.mark.match
def test_full_disk_on_move_ends_program_and_keeps_match(tmp_path):
    """Nobody has received the move, so its author must not wait for an answer."""
    ann, bob = two(tmp_path, "nim", "none")
    played = Two(ann, bob)
    played.move()
    assert played.match.store is not None
    taken, before = played.match.store._file, (played.match.number, ann.log())
    played.match.store._file = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115
    taken.close()
    played.move()
    assert played.ann.finished and not played.ann.settled and played.ann.complaint is Code.CLOSING
    assert (
        played.ann.reason is not None
        and "make room, and start the program again" in english_text(played.ann.reason)
    )
    assert (played.bobs.number, ann.log()) == before
    played.match.store._file.close()
    played.close()
    played = Two(ann, bob)
    while not played.match.settled:
        played.move()
    played.close()
    assert ann.log() == bob.log() and audit(ann.log()).verdict is Verdict.CLEAN
