"""Bans keep being enforced, whatever goes wrong with one connection."""

import asyncio
from types import SimpleNamespace

from protocol.codes import Code
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import BANNED_SECONDS
from protocol.messages.table import ConnectionPhase
from table.lobby.bans import FOR_GOOD, BanList, parse_target
from table.manager.moderation import Moderation
from tests.unit.table.match.test_hosted_match import in_virtual_time

ANN = Identity(b"a" * 32).public


class Connection:
    """A connection whose end fails as often as it is asked for."""

    def __init__(self) -> None:
        self.tries = 0

    def end(self, code: Code, *, error: bool = False) -> None:
        self.tries += 1
        raise ZeroDivisionError


class Peer:
    """A banned person in the lobby."""

    identity, address, name, banned = ANN, "192.0.2.1", "Ann", True
    phase = ConnectionPhase.LOBBY

    def __init__(self, connection: Connection) -> None:
        self.connection = connection


def test_failing_connection_does_not_stop_enforcement(tmp_path):
    @in_virtual_time
    async def enforce() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        connection = Connection()
        peer = Peer(connection)
        bans = BanList(tmp_path / "bans")
        bans.decide(parse_target(fingerprint(ANN)), FOR_GOOD, 0)
        manager = SimpleNamespace(
            people={ANN: peer}, lobby=SimpleNamespace(seat_of=lambda key: None), cluster=None
        )
        moderation = Moderation(manager, bans, lambda: 0.0)
        await asyncio.sleep(10 * BANNED_SECONDS)
        assert connection.tries > 2
        moderation.close()

    enforce()
