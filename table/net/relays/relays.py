"""Channels of a table at relays (docs/protocol, 3.7). The table calls each relay that its host has
named, shows that its fingerprint is its own, and opens one line for each guest.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from itertools import count
from random import Random

from commandline.optional_packages import require_websocket
from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text
from protocol.identity.address import Address
from protocol.identity.keys import JoinLink
from protocol.limits import (
    MAX_RELAY_CALLS,
    MAX_RELAY_GUESTS,
    MAX_RELAY_MESSAGE,
    MAX_RELAY_UNREAD,
    RELAY_CALL_SECONDS,
    RELAY_LIFE_SECONDS,
    RELAY_RETRY_LONGEST_SECONDS,
    RELAY_RETRY_SECONDS,
    RELAY_TAKEN_OVER_SECONDS,
    RELAYED_ARRIVALS,
    RELAYED_MESSAGES,
    RELAYED_RARE_PER_ADDRESS,
)
from protocol.messages.relay import (
    Challenge,
    Claim,
    Closed,
    ControlMessage,
    Guest,
    Open,
    TurnAway,
    decode,
    encode,
    line_address,
    table_address,
)
from table.net.addresses import relayed_address, widest_group
from table.net.connection import Connection
from table.net.fair_slots import FairSlots
from table.net.listeners.pending_proxied import ProxyAdmission
from table.net.token_bucket import TokenBucket, TokenBuckets

log = logging.getLogger(__name__)

# signs a relay's challenge and URL with the table's key. Raises: LocalError if it cannot now
Sign = Callable[[bytes, str], bytes]


class Relays:
    """All channels of one table."""

    def __init__(
        self,
        desk: ProxyAdmission,
        addresses: tuple[Address, ...],
        public: bytes,
        sign: Sign,
        rng: Random,
        believed: bool = True,
        call_seconds: float = RELAY_CALL_SECONDS,
    ) -> None:
        """`believed`: the addresses of guests count as the relays give them. `call_seconds`: time
        until the channel must be open. Raises: LocalError if a library is missing.
        """
        if addresses:
            with require_websocket():
                import net.websocket_transport  # noqa: F401  # now, not when a guest comes
        numbers = count(1)
        self._channels = [
            Channel(
                desk,
                address,
                public,
                sign,
                rng,
                believed=believed,
                numbers=numbers,
                call_seconds=call_seconds,
            )
            for address in addresses
        ]
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def open(self) -> int:
        """The number of relays at which guests find the table."""
        return sum(channel.open for channel in self._channels)

    def start(self) -> None:
        """Call all relays, and again whenever one is lost."""
        self._tasks = [asyncio.create_task(channel.run()) for channel in self._channels]

    async def close(self) -> None:
        """Close the channels at all relays."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class Channel:
    """The channel at one relay."""

    def __init__(
        self,
        desk: ProxyAdmission,
        address: Address,
        public: bytes,
        sign: Sign,
        rng: Random,
        *,
        believed: bool,
        numbers: Iterator[int],
        call_seconds: float,
    ) -> None:
        """`numbers`: by which guests without an address count."""
        self._call_seconds = call_seconds
        self._desk, self._address, self._public, self._sign = desk, address, public, sign
        self._rng, self._believed, self._numbers = rng, believed, numbers
        # lines that are being opened; an address that floods the table pushes out its own
        self._calls: dict[asyncio.Task[None], None] = {}
        self._places: FairSlots[asyncio.Task[None]] = FairSlots(MAX_RELAY_CALLS)
        self._guests: set[Connection] = set()
        # rates of one relay: invented guests must not take the part of the others. They hold for all
        # lines to the relay, so a new line has no rate of its own
        self._messages = TokenBucket(RELAYED_MESSAGES)
        self._arrivals = TokenBucket(RELAYED_ARRIVALS)
        self._rare = TokenBucket(RELAYED_ARRIVALS)
        self._rare_of = TokenBuckets(RELAYED_RARE_PER_ADDRESS, desk.bounds.addresses_kept)
        self._control: _Control | None = None
        self._told = ""  # the newest reason in the log why the relay is lost
        self._why: Code | None = None
        self.open = False

    async def run(self) -> None:
        """Keep a channel at the relay until cancelled."""
        pause: float = RELAY_RETRY_SECONDS
        while True:
            self._why = None
            try:
                # a relay that breaks off at once each time is called less and less often
                if await self._stay() > pause:
                    pause = RELAY_RETRY_SECONDS
            except LocalError as error:
                self._tell(english_text(error.phrase))
            except (OSError, TimeoutError) as error:
                self._tell(type(error).__name__)
            if self._why is Code.TAKEN_OVER:
                pause = RELAY_TAKEN_OVER_SECONDS
            await asyncio.sleep(pause * self._rng.uniform(0.75, 1.25))
            pause = min(2 * pause, RELAY_RETRY_LONGEST_SECONDS)

    async def _stay(self) -> float:
        """Call the relay, and wait until the line breaks. Return the seconds for which the channel was
        open. Raises: LocalError, OSError, TimeoutError.
        """
        from net.websocket_transport import connect_websocket

        loop = asyncio.get_running_loop()
        since = loop.time()
        self._control = control = _Control(self._take, self._messages)
        try:
            async with asyncio.timeout(self._call_seconds):
                await connect_websocket(
                    _link(table_address(self._address)),
                    lambda: control,
                    pings=(RELAY_LIFE_SECONDS, RELAY_LIFE_SECONDS),
                )
                await control.settled.wait()
            since = loop.time()
            await control.ended
        finally:
            was_open, self.open = self.open, False
            self._drop_lines()
        self._tell(str(self._why or Code.CUT_OFF))
        return loop.time() - since if was_open else 0

    def _drop_lines(self) -> None:
        """Drop all lines: the relay has dropped the guests, so they lead nowhere."""
        if self._control is not None:
            self._control.abort()
            self._control = None
        for call in list(self._calls):
            call.cancel()
        for guest in list(self._guests):
            guest.abort()

    def _take(self, message: ControlMessage) -> None:
        """Process a control message. Raises: RemoteError, LocalError."""
        match message:
            case Challenge(challenge) if self._control is not None and not self._control.claimed:
                self._control.claimed = True
                relay = str(self._address)
                self._say(Claim(self._public, relay, self._sign(challenge, relay)))
            case Open() if self._control is not None and self._control.claimed and not self.open:
                self.open, self._told = True, ""
                self._control.settled.set()
                log.info("guests find this table at %s", self._address)
            case Guest(token, said) if self.open:
                self._guest(token, said)
            case Closed(code):
                self._why = code
            case _:
                raise RemoteError(Code.BAD_MESSAGE)

    def _say(self, message: ControlMessage) -> None:
        if self._control is not None:
            self._control.say(message)

    def _guest(self, token: bytes, said: str | None) -> None:
        """Open a line for a guest who waits at the relay, or turn the guest away."""
        said = said if self._believed else None
        address = relayed_address(said, self._address.host, next(self._numbers))
        loop = asyncio.get_running_loop()
        full = len(self._guests) + len(self._calls) >= MAX_RELAY_GUESTS
        if full or not self._may_come(address, loop.time()):
            self._say(TurnAway(token))
            return
        comes, refusal = self._desk.judge_arrival(address)
        if not comes:
            self._say(TurnAway(token))
            return
        connection = Connection(self._desk, loop, address, refusal)
        call = asyncio.create_task(self._call(token, connection))
        self._calls[call] = None
        call.add_done_callback(self._called)
        gives_way = self._places.take(call, widest_group(address))
        if gives_way is not None:
            gives_way.cancel()

    def _may_come(self, address: str, now: float) -> bool:
        """Count an arrival. Addresses that come rarely have a part of the rate which addresses that come
        often cannot take.
        """
        if self._arrivals.take(now):
            return True
        if self._rare.wait(now) or not self._rare_of.take(widest_group(address), now):
            return False
        return self._rare.take(now)

    def _called(self, call: asyncio.Task[None]) -> None:
        del self._calls[call]
        self._places.free(call)

    async def _call(self, token: bytes, connection: Connection) -> None:
        """Open the line for a guest."""
        from net.websocket_transport import connect_websocket

        guest = _Guest(connection, self._guests)
        try:
            async with asyncio.timeout(RELAY_CALL_SECONDS):
                await connect_websocket(_link(line_address(self._address, token)), lambda: guest)
        except (LocalError, OSError, TimeoutError) as error:  # the guest may have gone
            log.debug("no line for a guest of %s: %s", self._address, type(error).__name__)
            self._say(TurnAway(token))
        except asyncio.CancelledError:
            self._say(TurnAway(token))
            raise

    def _tell(self, why: str) -> None:
        """Say once that the relay is lost, and not at each attempt."""
        if why != self._told:
            self._told = why
            log.warning("guests do not find this table at %s: %s", self._address, why)


class _Control(asyncio.Protocol):
    """Line that holds the table's channel. Reading pauses while the relay sends more than its rate."""

    def __init__(self, take: Callable[[ControlMessage], None], messages: TokenBucket) -> None:
        """`messages`: rate of messages from the relay."""
        self._take, self._messages = take, messages
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._pause: asyncio.TimerHandle | None = None
        self.claimed = False
        self.settled = asyncio.Event()  # the channel is open, or the line has ended
        self.ended: asyncio.Future[None] = self._loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note that the line stands."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Process whole frames."""
        try:
            for payload in wire.FrameDecoder(MAX_RELAY_MESSAGE).feed(data):
                self._charge()
                self._take(decode(payload))
        except (RemoteError, LocalError) as error:
            log.info("the relay's line ends: %s", type(error).__name__)
            self.abort()

    def _charge(self) -> None:
        now = self._loop.time()
        self._messages.spend(now)
        wait = self._messages.wait(now)
        if wait and self._transport is not None and self._pause is None:
            self._transport.pause_reading()
            self._pause = self._loop.call_later(wait, self._pause_over)

    def _pause_over(self) -> None:
        self._pause = None
        if self._transport is not None:
            self._transport.resume_reading()

    def say(self, message: ControlMessage) -> None:
        """Send a message. Drop the line if the relay does not read what it has been sent."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if transport.get_write_buffer_size() > MAX_RELAY_UNREAD:
            log.info("the relay's line ends: it does not read")
            transport.abort()
            return
        transport.write(encode(message))

    def abort(self) -> None:
        """Drop the line."""
        if self._transport is not None:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The line has ended."""
        if self._pause is not None:
            self._pause.cancel()
        self.settled.set()
        if not self.ended.done():
            self.ended.set_result(None)


class _Guest(asyncio.Protocol):
    """Line of a guest: passes everything from the WebSocket on to the connection."""

    def __init__(self, connection: Connection, guests: set[Connection]) -> None:
        self._connection, self._guests = connection, guests

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hand the line to the connection."""
        self._guests.add(self._connection)
        self._connection.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Pass a whole frame on."""
        self._connection.received(data)

    def pause_writing(self) -> None:
        """Pass on that the relay reads too slowly."""
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the relay reads again."""
        self._connection.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass the end of the line on."""
        self._guests.discard(self._connection)
        self._connection.eof_received()
        self._connection.connection_lost(exc)


def _link(address: Address) -> JoinLink:
    return JoinLink(address.host, address.port, web_scheme=address.web_scheme, path=address.path)
