"""Signs of life on one connection to a table: those of this player, and the table's silence.

The rule is in docs/protocol, 4.9. It holds from the table's first sign of life on a connection.
"""

import asyncio
from collections.abc import Callable
from random import Random

from player.client.connection import Connection
from protocol.limits import LIFE_SECONDS
from protocol.session.silence import Silence

LOOK_SECONDS = 0.5  # seconds between two looks at the connection
SHORTEST_PAUSE = 0.01  # seconds between the last two looks before the connection is cut


class Heartbeat:
    """The timer of one connection, from the table's first sign of life to the connection's end."""

    def __init__(
        self,
        connection: Connection,
        sign: bytes,
        patience: float,
        rng: Random,
        silent: Callable[[float], None],
    ) -> None:
        """`sign` is the message that is sent every `LIFE_SECONDS`.

        After `patience` seconds of silence, and up to `LIFE_SECONDS` more by chance, the connection
        is cut. Then `silent` is called with the seconds for which the line worked. The players of a
        match so do not all call the table in the same moment.
        """
        self._connection, self._sign, self._silent = connection, sign, silent
        self._patience = patience + rng.uniform(0, LIFE_SECONDS)
        self._loop = asyncio.get_running_loop()
        self._began = self._next_sign = self._loop.time()
        self._silence = Silence(self._began, LOOK_SECONDS)
        self._timer = self._loop.call_soon(self._look)
        connection.gone.add_done_callback(lambda _: self._timer.cancel())

    def _look(self) -> None:
        now, heard = self._loop.time(), self._connection.heard
        left = self._patience - self._silence.look(now, heard)
        if left <= 0:
            self._silent(heard - self._began)
            self._connection.cut()
            return
        if now >= self._next_sign:
            self._next_sign = now + LIFE_SECONDS
            self._connection.send(self._sign)
        pause = max(SHORTEST_PAUSE, min(LOOK_SECONDS, left))
        self._timer = self._loop.call_later(pause, self._look)
