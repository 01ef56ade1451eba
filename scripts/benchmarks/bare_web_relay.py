"""Two relays under load, as programs: ours (`ours`), and a plain one (`bare`) by the same library.

The plain one joins two WebSockets whose paths end in the same number, and passes frames on. It has
no bounds, counts nothing, and stops reading nobody.
"""

import asyncio
import sys
from http import HTTPStatus
from typing import cast

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from net.listener import Listener
from net.websocket_transport import MAX_WEB_MESSAGE, NULL_LOGGER
from protocol.limits import READ_CHUNK, RELAY_ARRIVALS_PER_ADDRESS
from relay.rules import RelayBounds
from relay.server import RelayConfig, RelayServer
from table.config import Bounds

HERE = "127.0.0.1"
_BUFFER = memoryview(bytearray(READ_CHUNK))
MANY = 1_000_000


class Bare(asyncio.BufferedProtocol):
    """A connection of the plain relay."""

    waiting: dict[str, "Bare"] = {}  # noqa: RUF012 - by number, of this process

    def __init__(self) -> None:
        self.web = ServerProtocol(max_size=MAX_WEB_MESSAGE, logger=NULL_LOGGER)
        self.partner: Bare | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the transport."""
        self.transport = cast(asyncio.Transport, transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer of all connections."""
        return _BUFFER

    def buffer_updated(self, nbytes: int) -> None:
        """Pass on what has come."""
        self.web.receive_data(bytes(_BUFFER[:nbytes]))
        for event in self.web.events_received():
            if isinstance(event, Request):
                self._join(event)
            elif isinstance(event, Frame) and event.opcode is Opcode.BINARY and self.partner:
                self.partner.web.send_binary(event.data, event.fin)
        if self.partner is not None:
            self.partner.flush()
        self.flush()

    def flush(self) -> None:
        """Send what the library has to say."""
        if pieces := self.web.data_to_send():
            self.transport.write(b"".join(pieces))

    def _join(self, request: Request) -> None:
        response = self.web.accept(request)
        assert response.status_code == HTTPStatus.SWITCHING_PROTOCOLS
        self.web.send_response(response)
        number = request.path.rpartition("/")[2]
        other = Bare.waiting.pop(number, None)
        if other is None:
            Bare.waiting[number] = self
        else:
            self.partner, other.partner = other, self


async def bare() -> None:
    """Run the plain relay until killed."""
    _say(Listener(HERE, 0, lambda peer: None, Bare).port)
    await asyncio.Event().wait()


async def ours() -> None:
    """Run our relay until killed. All accounts are kept; only numbers of places are larger."""
    door = Bounds(
        half_open=MANY,
        half_open_per_address=MANY,
        per_address=MANY,
        arrivals=(MANY, MANY),
        arrivals_per_address=(MANY, RELAY_ARRIVALS_PER_ADDRESS[1]),
    )
    bounds = RelayBounds(guests=MANY, guests_of_address=MANY, waiting=MANY, waiting_of_address=MANY)
    async with RelayServer(RelayConfig(HERE, 0, bounds=bounds, door=door)) as relay:
        _say(relay.port)
        await asyncio.Event().wait()


def _say(port: int) -> None:
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run({"ours": ours, "bare": bare}[sys.argv[1]]())
