"""A table's standby as its journal knows it: asked after each commit, for as long as it takes.

All of it runs in the journal's thread and waits there: nothing is released meanwhile, as while a
disk refuses.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable

from net.addresses import advertised_host
from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import (
    STANDBY_BEAT_SECONDS,
    STANDBY_CLOSE_SECONDS,
    STANDBY_FRESH_SECONDS,
    STANDBY_RETRY_SECONDS,
)
from table.config import Config
from table.metrics import Metrics
from table.standby.channel import Channel, ChannelBroken, table_answers
from table.standby.messages import At, alone, decode_at, here, where
from table.standby.primary_protocol import leaving, levelling
from table.storage.disk.journal import Journal
from table.storage.disk.replication_state import ReplicationState, Role
from table.storage.disk.writer import Writer, WriterStopped

log = logging.getLogger(__name__)

Address = tuple[str, int]


def shown(address: Address) -> str:
    """HOST:PORT."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class StandbyReplica:
    """A `table.storage.disk.writer.Replica`: the standby at an address."""

    def __init__(
        self,
        address: Address,
        identity: Identity,
        here_at: str,
        retry: float = STANDBY_RETRY_SECONDS,
        now: Callable[[], float] = time.time,
        metrics: Metrics | None = None,
    ) -> None:
        """`here_at`: HOST:PORT of the table itself, empty if it has none yet: a promotion asks
        there.
        """
        self._now, self._metrics = now, metrics or Metrics()
        self._address, self._identity, self._here_at, self._retry = (
            address,
            identity,
            here_at,
            retry,
        )
        self._channel: Channel | None = None
        self._at: At | None = None  # what it said last on this channel
        self._closing = threading.Event()
        self._said = ""  # what is wrong, and the log says so

    def level(self, journal: Journal) -> None:
        """See `Replica`."""
        self._settle(journal)
        while not self._tried(journal):
            if self._closing.wait(self._retry):
                raise WriterStopped

    def _settle(self, journal: Journal) -> None:
        """No other standby before the one that was left cannot be promoted unawares: it knows, or
        has heard nothing for so long that its promotion asks. Raises: LocalError."""
        standing = journal.standing
        waits = int(standing.untold + STANDBY_FRESH_SECONDS - self._now())
        if standing.untold and waits > 0 and not told(self._identity, standing):
            raise LocalError("wrong.standby.wait", address=standing.peer, minutes=waits // 60 + 1)

    def confirm(self, journal: Journal) -> None:
        """See `Replica`."""
        try:
            self.level(journal)
        except LocalError as error:
            log.error("%s", english_text(error.phrase))
            self._closing.wait()
            raise WriterStopped from None

    def beat(self, journal: Journal) -> float:
        """See `Replica`."""
        self._at = None
        try:
            self._tried(journal)
        except LocalError as error:
            self._say(error.phrase.key, english_text(error.phrase))
        return STANDBY_BEAT_SECONDS

    def close(self) -> None:
        """See `Replica`."""
        self._closing.set()
        timer = threading.Timer(STANDBY_CLOSE_SECONDS, self._cut)
        timer.daemon = True
        timer.start()

    def _tried(self, journal: Journal) -> bool:
        """Whether the standby has everything now. Raises: LocalError, sqlite3.Error."""
        try:
            channel = self._channel or self._connect()
            self._bring(channel, journal)
        except ChannelBroken as error:
            self._cut()
            self._say(
                "gone",
                f"the standby {shown(self._address)} {error}: all matches wait for it, "
                "nobody's clock "
                "runs, and players are told. Start it again; if it is gone for good, start "
                "the table with "
                "--alone; if it was promoted, stop this table, so that its players go to the "
                "other one, and "
                "never start it again",
            )
            return False
        except BaseException:
            self._cut()
            raise
        self._metrics.standby_heard = time.monotonic()
        if self._said:
            log.info("the standby %s has everything again", shown(self._address))
            self._said = ""
        return True

    def _connect(self) -> Channel:
        self._channel = Channel(self._address, self._identity, fingerprint(self._identity.public))
        return self._channel

    def _bring(self, channel: Channel, journal: Journal) -> None:
        at = self._at or _ask(channel, [here(self._here_at)])
        steps = levelling(journal, shown(self._address), secrets.token_bytes, at)
        try:
            messages = next(steps)
            while True:
                self._at = _ask(channel, messages)
                messages = steps.send(self._at)
        except StopIteration:
            self._at = self._at or at

    def _cut(self) -> None:
        channel, self._channel, self._at = self._channel, None, None
        if channel is not None:
            channel.close()

    def _say(self, what: str, text: str) -> None:
        if what != self._said:
            log.error("%s", text)
            self._said = what


class NoStandby:
    """A `table.storage.disk.writer.Replica` that is none: the table goes on without its standby, which is
    told.

    One that does not answer may have been promoted, and a promoted one answers nobody: going on is
    a person's word.
    """

    def __init__(
        self,
        identity: Identity,
        port: int,
        anyway: bool = False,
        answers: Callable[[Address, bytes], bool] = table_answers,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`port`: the table's own: on the standby's machine, the same table may answer there.
        `anyway`: untold, too.
        """
        self._identity, self._port, self._anyway, self._answers, self._now = (
            identity,
            port,
            anyway,
            answers,
            now,
        )

    def level(self, journal: Journal) -> None:
        """See `Replica`. That it is alone is on disk before anything can be released."""
        standing = journal.standing
        if not standing.peer or standing.role not in (Role.JOINING, Role.PRIMARY, Role.ALONE):
            return
        untold = 0
        if not told(self._identity, standing):
            self._go_untold(standing)
            untold = standing.untold if standing.role is Role.ALONE else int(self._now())
        if (standing.role, standing.untold) != (Role.ALONE, untold):
            journal.stand(standing._replace(role=Role.ALONE, heard=untold))
            log.warning("this table goes on alone, without the standby %s", standing.peer)

    def _go_untold(self, standing: ReplicationState) -> None:
        """Raises: LocalError, unless it was said already that it may be."""
        twin = _address(standing)[0], self._port
        if self._answers(twin, self._identity.public):
            raise LocalError("wrong.standby.twin", address=shown(twin))
        if standing.role is not Role.ALONE and not self._anyway:
            raise LocalError("wrong.standby.untold", address=standing.peer)
        log.warning(
            "the standby %s could not be told that this table goes on alone. Never promote "
            "it, or two "
            "tables sign with one key: empty its folder",
            standing.peer,
        )

    def confirm(self, journal: Journal) -> None:
        """See `Replica`: there is nobody to be waited for."""

    def beat(self, journal: Journal) -> float:
        """See `Replica`."""
        return STANDBY_BEAT_SECONDS

    def close(self) -> None:
        """See `Replica`."""


def told(identity: Identity, standing: ReplicationState) -> bool:
    """Whether the standby of a table that goes on alone has that on disk. Raises: LocalError if it
    was promoted, or is ahead."""
    address = _address(standing)
    try:
        channel = Channel(address, identity, fingerprint(identity.public))
    except ChannelBroken:
        return False
    try:
        at = _ask(channel, [where()])
        if stop := leaving(standing, at):
            raise LocalError(stop.key, address=shown(address))
        if at.name == standing.standby:
            at = _ask(channel, [alone()])
    except ChannelBroken:
        return False
    finally:
        channel.close()
    return at.name == standing.standby and at.role is Role.LEFT


def _address(standing: ReplicationState) -> Address:
    host, _, port = standing.peer.rpartition(":")
    return host.strip("[]"), int(port)


def journal_of(config: Config, key: object, metrics: Metrics) -> Writer:
    """The store of a table with this configuration: its journal, and its standby's. Raises:
    LocalError.
    """
    journal = Journal(config.data, config.bounds)
    return Writer(
        journal, config.bounds.retry_seconds, metrics, replica_of(config, key, journal, metrics)
    )


def replica_of(
    config: Config, key: object, journal: Journal, metrics: Metrics | None = None
) -> StandbyReplica | NoStandby | None:
    """Whom this table's journal has to ask. Who is alone says so to the standby that was left, at
    each start.

    `key`: the table's. Raises: LocalError if there is none at hand (a signer has it): no signer
    proves it on that line.
    """
    if not isinstance(key, Identity):
        if config.standby is not None or config.alone:
            raise LocalError(
                "wrong.choose.signer_standby", other="alone" if config.alone else "standby"
            )
        return None
    if config.standby is not None:
        at = shown((advertised_host(config.host), config.port)) if config.port else ""
        return StandbyReplica(config.standby, key, at, metrics=metrics)
    if config.alone or journal.standing.role is Role.ALONE:
        return NoStandby(key, config.port, config.anyway)
    return None


def _ask(channel: Channel, messages: Iterable[bytes]) -> At:
    """Raises: Broken."""
    try:
        return decode_at(channel.ask(messages))
    except RemoteError:
        raise ChannelBroken("does not speak as a standby does") from None
