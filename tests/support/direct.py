"""A client and a fake table without a socket between them. Messages arrive at once and in order."""

from collections import deque
from pathlib import Path
from random import Random

from bots.dominoes import greedy_bot
from player.client import events
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.reconnect import client_for, outcome_of
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.storage.recovery_state import MatchFiles, of_table, read_recovery_states
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.messages import table as messages
from protocol.messages.table import ConnectionPhase, Sender
from tests.support.fake_table import FakeTable

ME = Identity(b"m" * 32)


class Direct:
    """A run of the client at a fake table, over one connection after the other."""

    def __init__(self, table: FakeTable, folder: Path, seat_type: type[Seat] = Seat) -> None:
        """Start a client that resumes a match from `folder`, or joins one."""
        self.table, self.told = table, list[events.Event]()
        table.client_key = ME.public
        link = JoinLink("example.org", 7500, fingerprint(table.identity.public))
        files = MatchFiles(folder, link, ME.public, folder / "log.fairdeal", resumable=True)
        environment = Environment(ME, Random(3), seat_type, greedy_bot, self.told.append, files)
        memory = of_table(read_recovery_states(folder, ME), link, link.fingerprint)
        self.client: TableClient = client_for(Plan("Zoe"), environment, memory)
        self.connect()

    def connect(self) -> None:
        """Open a new connection. Messages in transit on the last one are lost."""
        self.phase, self.transport = ConnectionPhase.GREETING, self
        self._said: deque[bytes] = deque()
        self._heard: deque[bytes] = deque()
        self.client.attach(self._said.append, self.table.identity.public)

    def say(self, name: str, *values: object) -> None:
        """Send a message of the table."""
        self._heard.append(messages.encode(name, *values))

    def abort(self) -> None:
        """Disconnect at the table's side. Unread messages are lost."""
        self._said.clear()

    def run(self) -> "Direct":
        """Deliver messages until none is left."""
        while not self.client.finished and (self._said or self._heard):
            if self._heard:
                self.client.received(self._heard.popleft())
                continue
            self.table.handle(
                self, *messages.decode(self._said.popleft(), Sender.PLAYER, self.phase)
            )
        return self

    def stop(self) -> Outcome:
        """End the client, finished or not."""
        outcome = outcome_of(self.client)
        if self.client.playing is not None:
            self.client.playing.close()
        return outcome
