"""Reports of a table to directories (docs/protocol, 37). The table calls each directory that its
host has named, at intervals, and says what is played and how many seats are free.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from random import Random
from typing import NamedTuple, cast

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import Field
from protocol.directory import report
from protocol.directory.link import ReportLink
from protocol.directory.report import TableReport, encode_report, signed_part
from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text
from protocol.identity.address import Address, host_ip, parse_address_text
from protocol.identity.keys import SIGNATURE_SIZE, fingerprint
from protocol.limits import (
    DIRECTORY_SECONDS,
    MAX_DIRECTORY_MESSAGE,
    MAX_REPORT_GAME,
    MAX_REPORT_GAMES,
    MAX_REPORT_SEATS,
    REPORT_LIFE_SECONDS,
    REPORT_RETRY_LONGEST_SECONDS,
    REPORT_RETRY_SECONDS,
    REPORT_SECONDS,
)
from protocol.messages.directory import (
    LABEL,
    Challenge,
    DirectoryMessage,
    Listed,
    Refused,
    Report,
    claim_fields,
    decode,
    encode,
)

log = logging.getLogger(__name__)

_MESSAGES = 2  # of a directory in one connection: challenge and answer

# signs with the table's key. Raises: LocalError if it cannot now
Sign = Callable[..., bytes]


class Offer(NamedTuple):
    """A table's games and seats, as its report to a directory has them now."""

    name: str
    games: frozenset[str]
    taken: int  # seats
    free: int


class OwnPlace(NamedTuple):
    """Address at which players call a table. `host`: own address from which to call directories;
    empty: any. `family`: of the sockets at which the table listens. `relay`: address at a relay, which
    is listed in place of `port`.
    """

    host: str
    family: int
    port: int
    relay: Address | None = None


class Directories:
    """All directories to which one table reports."""

    def __init__(
        self,
        links: tuple[ReportLink, ...],
        public: bytes,
        sign: Sign,
        *,
        offer: Callable[[], Offer],
        place: OwnPlace,
        now: Callable[[], float],
        rng: Random,
    ) -> None:
        """`now`: seconds since 1970."""
        self._reporters = [
            Reporter(link, public, sign, offer=offer, place=place, now=now, rng=rng)
            for link in links
        ]
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Report to all directories, at intervals."""
        self._tasks = [asyncio.create_task(reporter.run()) for reporter in self._reporters]

    async def close(self) -> None:
        """Stop to report. The table disappears from the lists when its last report expires."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class Reporter:
    """Reports to one directory."""

    def __init__(
        self,
        link: ReportLink,
        public: bytes,
        sign: Sign,
        *,
        offer: Callable[[], Offer],
        place: OwnPlace,
        now: Callable[[], float],
        rng: Random,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`sleep` waits for seconds."""
        self._sleep = sleep
        self._link, self._public, self._sign = link, public, sign
        self._offer, self._place, self._now, self._rng = offer, place, now, rng
        self._number = 0  # of the newest report
        self._told = ""  # what the log said last

    async def run(self) -> None:
        """Report until cancelled."""
        pause: float = REPORT_RETRY_SECONDS
        while True:
            asked = 0  # seconds for which the directory wants no report
            try:
                answer = await self.report()
                asked = answer.seconds
                if isinstance(answer, Listed):
                    self._tell(f"the directory at {self._link.address} lists this table")
                    # it may ask for fewer reports, but not for so few that they expire
                    wait = min(max(asked, REPORT_SECONDS), REPORT_LIFE_SECONDS / 2)
                    await self._sleep(wait * self._rng.uniform(0.75, 1.0))
                    pause = REPORT_RETRY_SECONDS
                    continue
                self._warn(str(answer.code))
            except RemoteError as error:
                self._warn(str(error.code))
            except LocalError as error:
                self._warn(english_text(error.phrase))
            except (OSError, TimeoutError) as error:
                self._warn(type(error).__name__)
            await self._sleep(max(pause, asked) * self._rng.uniform(1.0, 1.25))
            pause = min(2 * pause, REPORT_RETRY_LONGEST_SECONDS)

    async def report(self) -> Listed | Refused:
        """Report once. Raises: RemoteError, LocalError, OSError, TimeoutError."""
        loop = asyncio.get_running_loop()
        place, address = self._place, self._link.address
        async with asyncio.timeout(DIRECTORY_SECONDS):
            transport, line = await loop.create_connection(
                _Line,
                address.host,
                address.port,
                family=place.family,
                local_addr=(place.host, 0) if place.host else None,
            )
            try:
                challenge = await line.next()
                if not isinstance(challenge, Challenge):
                    raise RemoteError(Code.BAD_MESSAGE)
                if fingerprint(challenge.directory) != self._link.fingerprint:
                    raise LocalError("wrong.directory.other_key", where=str(address))
                transport.write(encode(self._answer(challenge)))
                answer = await line.next()
            finally:
                transport.abort()
        if not isinstance(answer, Listed | Refused):
            raise RemoteError(Code.BAD_MESSAGE)
        return answer

    def _answer(self, challenge: Challenge) -> Report:
        """Return the report that answers a challenge. Raises: LocalError if the key cannot sign now;
        RemoteError if the challenge names no IP address.
        """
        offer, place, now = self._offer(), self._place, int(self._now())
        self._number = max(self._number + 1, now)
        made = TableReport(
            self._public,
            offer.name,
            tuple(sorted(game for game in offer.games if len(game) <= MAX_REPORT_GAME))[
                :MAX_REPORT_GAMES
            ],
            str(place.relay or _seen_address(challenge.host, place.port)),
            min(offer.taken, MAX_REPORT_SEATS),
            min(offer.free, MAX_REPORT_SEATS),
            number=self._number,
            expires=now + REPORT_LIFE_SECONDS,
            signature=bytes(SIGNATURE_SIZE),
        )
        made = made._replace(signature=self._sign(report.LABEL, signed_part(made)))
        encoded = encode_report(made)
        signed: tuple[Field, ...] = claim_fields(challenge.nonce, challenge.directory, encoded)
        return Report(encoded, self._sign(LABEL, *signed))

    def _tell(self, text: str) -> None:
        if text != self._told:
            self._told = text
            log.info("%s", text)

    def _warn(self, why: str) -> None:
        """Say once that this table is not listed, and not at each attempt."""
        if why != self._told:
            self._told = why
            log.warning("the directory at %s does not list this table: %s", self._link.address, why)


def _seen_address(host: str, port: int) -> Address:
    """Return the address at which a directory says it sees the table: the table signs no name of
    the directory's choice. Raises: RemoteError if `host` is no IP address.
    """
    address = parse_address_text(str(Address(host, port)))
    if address is None or host_ip(address.host) is None:
        raise RemoteError(Code.BAD_MESSAGE)
    return address


class _Line(asyncio.Protocol):
    """Connection to a directory, which sends two messages; more is an error."""

    def __init__(self) -> None:
        self._frames = wire.FrameDecoder(MAX_DIRECTORY_MESSAGE)
        self._heard = 0
        self._messages: asyncio.Queue[DirectoryMessage | Exception] = asyncio.Queue()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Read messages."""
        try:
            for payload in self._frames.feed(data):
                self._heard += 1
                if self._heard > _MESSAGES:
                    raise RemoteError(Code.BAD_MESSAGE)
                self._messages.put_nowait(decode(payload))
        except RemoteError as error:
            self._messages.put_nowait(error)
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the end of the connection as an error."""
        self._messages.put_nowait(ConnectionResetError())

    async def next(self) -> DirectoryMessage:
        """Return the next message. Raises: RemoteError, OSError."""
        found = await self._messages.get()
        if isinstance(found, Exception):
            raise found
        return found
