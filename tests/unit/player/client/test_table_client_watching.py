"""A spectator continues at a host that has read less of the match than the spectator: nothing is
lost.
"""

from random import Random

import pytest

from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.match.terms import encode_terms
from protocol.messages.table import VERSION, ConnectionPhase, Sender, decode, encode
from tests.support.offline import make_offline

pytestmark = pytest.mark.match
SENT = 6  # entries that the first host has sent


class Watcher:
    """A spectator's program and its output."""

    def __init__(self):
        offline = make_offline(seats=2)
        offline.play(10)
        self.live = offline.live
        environment = Environment(
            Identity(b"z" * 32), Random(1), Seat, None, lambda event: None, None
        )
        self.client = TableClient(Plan("Zoe", spectate=True), environment)
        self.says = []

    def comes(self, entries):
        """Connect to a host with this many entries."""
        setup, key = self.live.log.setup, self.live.log.setup.table.key
        if self.says:
            self.client.detached(Code.CLOSING)
        self.client.attach(self.says.append, key)
        self.told("welcome", VERSION, "Table", [])
        if self.client.playing is None:
            self.told("tables", [["main", encode_terms(setup.terms), [], 1]])
        self.told("match", "main", self.live.log.match_id, None, entries, None)
        return decode(self.says[-1], Sender.PLAYER, ConnectionPhase.WATCHING)

    def told(self, name, *values):
        self.client.received(encode(name, *values))

    def reads(self, first, end):
        for number in range(first, end):
            record = self.live.records[number]
            self.told("entry", self.live.log.match_id, number, record.entry, record.head)


@pytest.fixture
def watcher():
    there = Watcher()
    assert there.comes(SENT).values == [there.live.log.match_id, 0]
    there.reads(0, SENT)
    return there


@pytest.mark.parametrize("entries", [2, SENT - 1, SENT, SENT + 1])
def test_spectator_continues_from_entries_both_have(watcher, entries):
    asked = watcher.comes(entries)
    assert asked.values == [watcher.live.log.match_id, min(entries, SENT)]
    assert not watcher.client.finished
    watcher.reads(min(entries, SENT), SENT + 2)
    assert watcher.client.playing.number == SENT + 2
    assert watcher.client.complaint is None and not watcher.client.finished


def test_spectator_sees_different_head_for_known_entry_as_fork(watcher):
    watcher.comes(2)
    other = watcher.live.records[3]
    watcher.told("entry", watcher.live.log.match_id, 2, other.entry, other.head)
    assert watcher.client.complaint is not None
