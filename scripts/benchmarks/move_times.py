"""Time from sending an entry until the last seat of its match has received it, seen at the players'
sockets.
"""

import time
from collections.abc import Callable

from player.client.connection import Connection
from player.client.table_client import TableClient

# bytes; an entry ends with its author's signature, a message `entry` with the table's
SIGNATURE = 64
HEAD = SIGNATURE + 2  # with two bytes for the encoded length
# first bytes of these messages
_POST = b"\x93\xa4post"
_ENTRY = b"\x95\xa5entry"


class MoveTimes:
    """Times of the seats of this process. All seats of a match must be in it."""

    def __init__(self, seats: int) -> None:
        # time of sending by this machine's clock, and seconds until all had it
        self.times: list[tuple[float, float]] = []
        self._seats = seats
        # signature -> time of sending, and number of seats that lack the entry
        self._sent: dict[bytes, tuple[float, int]] = {}

    def sent(self, payload: bytes) -> None:
        """Note a message that a seat sends."""
        if payload.startswith(_POST):
            self._sent[payload[-SIGNATURE:]] = time.perf_counter(), self._seats

    def received(self, payload: bytes) -> None:
        """Note a message that a seat receives."""
        if not payload.startswith(_ENTRY):
            return
        signature = payload[-HEAD - SIGNATURE : -HEAD]
        if signature not in self._sent:
            return  # an entry of the table itself
        at, missing = self._sent.pop(signature)
        if missing > 1:
            self._sent[signature] = at, missing - 1
        else:
            self.times.append((at, time.perf_counter() - at))


def quantile(seconds: list[float], share: float) -> float:
    """Return the value that `share` of the values do not exceed."""
    return sorted(seconds)[min(int(len(seconds) * share), len(seconds) - 1)]


class TimedLine:
    """Observer between a connection and a client, as in `player.client.reconnect`, but without
    reconnection.
    """

    def __init__(self, client: TableClient, times: MoveTimes) -> None:
        self.client = client
        self._times = times

    def established(self, connection: Connection, table_key: bytes) -> None:
        """Start after the handshake with the table."""
        self._hang_up = connection.close
        self.client.attach(self._watched(connection.send), table_key)

    def received(self, payload: bytes) -> None:
        """Process a message of the table."""
        self._times.received(payload)
        self.client.received(payload)
        if self.client.finished:
            self._hang_up()

    def _watched(self, send: Callable[[bytes], None]) -> Callable[[bytes], None]:
        def watched(payload: bytes) -> None:
            self._times.sent(payload)
            send(payload)

        return watched
