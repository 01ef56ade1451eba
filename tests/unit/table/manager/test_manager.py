"""Guests and tables of the manager over a scripted store: no socket, no disk."""

from types import SimpleNamespace

from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.messages.table import ConnectionPhase, Sender, decode
from table.manager.manager import TableManager
from table.metrics import Metrics
from tests.support.tables import config


class Guest:
    """A peer in the lobby that records its messages."""

    def __init__(self, number: int) -> None:
        self.identity, self.name, self.phase = (
            bytes([number]) * 32,
            f"Guest {number}",
            ConnectionPhase.LOBBY,
        )
        self.forgiven = self.feed = self.seat = None
        self.address = "127.0.0.1"
        self.connection, self.got = self, []

    def send(self, message: bytes) -> None:
        self.got.append(decode(message, Sender.TABLE, self.phase).name)

    def send_error(self, code: Code) -> None:
        self.got.append(code)

    def dismissed(self) -> None:
        self.forgiven, self.phase = self.phase, ConnectionPhase.LOBBY


async def created(tmp_path):
    """Return a manager with a table that is not on disk yet, its creator, and a function that
    lets another host take its number.
    """
    lost = []
    storage = SimpleNamespace(submit=lambda change, done, lose: lost.append(lose))
    settings = config(tmp_path)
    manager = TableManager(Identity(bytes(32)), settings, storage, Metrics())
    ann = Guest(1)
    manager.create(settings.terms, ann)
    return manager, manager.lobby.tables["table-1"], ann, lost[0]


async def test_guest_outpaced_by_other_host_returns_to_lobby(
    tmp_path,
):
    manager, table, ann, lose = await created(tmp_path)
    bob = Guest(2)
    manager.reserve(table, bob)
    lose()
    assert (ann.got, bob.got) == ([Code.TOO_MANY], ["waiting", Code.NO_SUCH_TABLE, "left"])
    assert (bob.phase, manager.lobby.reserved, list(manager.lobby.tables)) == (
        ConnectionPhase.LOBBY,
        {},
        ["main"],
    )
    manager.reserve(manager.lobby.tables["main"], bob)


async def test_match_first_started_by_other_host_continues_there(tmp_path):
    manager, table, ann, lose = await created(tmp_path)
    table.room = SimpleNamespace(seat_of=lambda identity: 0)
    lose()
    assert ann.got == [Code.TOO_MANY]
    assert manager.lobby.seat_of(ann.identity) is table
