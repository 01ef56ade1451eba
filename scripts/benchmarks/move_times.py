"""When an entry was sent by its author, and when the last seat of its match had it: seen at the
players' sockets.
"""

import time
from collections.abc import Callable

from player.at_table.client import Client
from player.connection import Connection

# bytes; an entry ends with its author's, an `entry` message with the table's behind it
SIGNATURE = 64
HEAD = SIGNATURE + 2  # with the encoding's two bytes for its length
# how these messages begin
_POST = b"\x93\xa4post"
_ENTRY = b"\x95\xa5entry"


class MoveTimes:
    """For the seats of this process; all seats of a match must be in it."""

    def __init__(self, seats: int) -> None:
        # when it was sent, by this machine's clock, and seconds from then
        self.times: list[tuple[float, float]] = []
        self._seats = seats
        # by signature: when, and how many have not had it
        self._sent: dict[bytes, tuple[float, int]] = {}

    def sent(self, payload: bytes) -> None:
        """A seat sends this."""
        if payload.startswith(_POST):
            self._sent[payload[-SIGNATURE:]] = time.perf_counter(), self._seats

    def received(self, payload: bytes) -> None:
        """A seat gets this."""
        if not payload.startswith(_ENTRY):
            return
        signature = payload[-HEAD - SIGNATURE : -HEAD]
        if signature not in self._sent:
            return  # the table's own
        at, missing = self._sent.pop(signature)
        if missing > 1:
            self._sent[signature] = at, missing - 1
        else:
            self.times.append((at, time.perf_counter() - at))


def quantile(seconds: list[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    return sorted(seconds)[min(int(len(seconds) * share), len(seconds) - 1)]


class TimedLine:
    """Between a connection and a client, as `player.at_table.visit` has it, without coming back."""

    def __init__(self, client: Client, times: MoveTimes) -> None:
        self.client = client
        self._times = times

    def established(self, connection: Connection, table_key: bytes) -> None:
        """The table is there."""
        self._hang_up = connection.close
        self.client.attach(self._watched(connection.send), table_key)

    def received(self, payload: bytes) -> None:
        """A message of the table."""
        self._times.received(payload)
        self.client.received(payload)
        if self.client.finished:
            self._hang_up()

    def _watched(self, send: Callable[[bytes], None]) -> Callable[[bytes], None]:
        def watched(payload: bytes) -> None:
            self._times.sent(payload)
            send(payload)

        return watched
