"""A store of NATS servers, as `table.storage.shared.backend.StoreBackend` has it: one message for each item, in a
stream for each shard.

While the store is not safe (`check`), nothing is appended to it: matches wait, and the log says
what to change.
"""

import asyncio
import base64
import http.client
import json
import logging
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.limits import STORE_CLOCK_SECONDS
from protocol.view.phrase import Phrase, phrase
from table.storage.shared.backend import (
    AgedItem,
    AgedSubject,
    Conflict,
    Held,
    Item,
    Unanswered,
    Walk,
)
from table.storage.shared.nats.jetstream import CONNECT_SECONDS, JetStream, NotFound, Refused
from table.storage.shared.nats.safety_check import NatsServer, judge, judge_servers, lagging
from table.storage.shared.nats.store_address import NatsAddress
from table.storage.shared.nats.streams import (
    FIRST,
    SHARDS,
    all_streams,
    configuration,
    parts_of,
    shards_of,
    stream_of,
    streams_below,
)

CHECK_SECONDS = 60.0  # between two looks at the settings of servers and streams
READY_SECONDS = 60.0  # for a store that has just been started to be asked
MAKE_TRIES = 2  # of making a stream that is not there; the operator may have to
MONITOR_SECONDS = 2.0  # for a monitor to answer
MAX_VARZ = 1 << 20  # bytes of its answer; 10 kB are usual
_ASIDE = 1024  # bytes of a message beside its data
_MAYBE = ("wrong.store.monitor", "wrong.store.lost")  # once is no reason
_EXPECTED = "Nats-Expected-Last-Subject-Sequence"

log = logging.getLogger(__name__)


class _Stored(NamedTuple):
    """A message in a stream."""

    item: Item
    subject: str
    at: float  # Unix seconds, by the server that took it


class NatsEngine:
    """One connection, and the look at the store every minute."""

    def __init__(
        self,
        address: NatsAddress,
        host: str,
        check_seconds: float = CHECK_SECONDS,
        connect_seconds: float = CONNECT_SECONDS,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """`host`: the name of this host; `wall`: its Unix seconds."""
        self._wall = wall
        self._address, self._line, self._every = (
            address,
            JetStream(address, connect_seconds),
            check_seconds,
        )
        self._host, self._said = f"h.{host.encode().hex()}", f"b.{host.encode().hex()}"
        self._safe = asyncio.Event()
        self._shards = address.shards or SHARDS  # which the store has, once it is open
        # of each stream: the greatest number that was acknowledged to us
        self._newest: dict[str, int] = {}
        # servers and streams of which they have no whole copy
        self._lag: set[tuple[str, str]] = set()
        # by which the servers' clock is ahead of the loop's, and when that was asked
        self._ahead, self._asked = 0.0, -STORE_CLOCK_SECONDS
        # of each stream: bytes of a message on average, when it was looked at last
        self._usual: dict[str, float] = {}
        self._checking: asyncio.Task[None] | None = None
        self._context: ssl.SSLContext | None = None

    @property
    def most(self) -> int:
        """See `Logs.most`."""
        return self._line.most - _ASIDE

    @property
    def parts(self) -> int:
        """See `SharedLog.parts`."""
        return parts_of(self._shards)

    async def open(self) -> None:
        """See `Engine.open`."""
        self._context = self._address.context()
        await self._line.connect()
        try:
            async with asyncio.timeout(READY_SECONDS):
                wrong = judge_servers(await self._servers()) or await self._read_shards()
                for name in all_streams(self._shards):
                    if wrong is not None or not await self._make(name):
                        break
                wrong = wrong or await self._patiently()
        except TimeoutError:
            wrong = phrase("wrong.store.connect")
        if wrong is not None:
            await self._line.close()
            raise LocalError(wrong)
        self._safe.set()
        self._checking = asyncio.get_running_loop().create_task(self._check())

    async def close(self) -> None:
        """See `Engine.close`."""
        if self._checking is not None:
            self._checking.cancel()
        await self._line.close()

    @property
    def safe(self) -> bool:
        """See `Engine.safe`."""
        return self._safe.is_set()

    async def append(self, subject: str, after: int, data: bytes) -> int:
        """See `Logs.append`."""
        await self._safe.wait()
        stream = stream_of(subject, self._shards)
        headers = {_EXPECTED: str(after), "Nats-Expected-Stream": stream}
        try:
            number = (await self._line.ask(subject, data, headers)).get("seq")
        except NotFound:
            raise Unanswered from None
        if type(number) is not int or number <= after:
            raise Unanswered
        self._newest[stream] = max(number, self._newest.get(stream, 0))
        return number

    async def next(self, subject: str, after: int) -> Item | None:
        """See `Logs.next`."""
        return await self._get(subject, seq=after + 1, next_by_subj=subject)

    async def last(self, subject: str) -> Item | None:
        """See `Logs.last`."""
        return await self._get(subject, last_by_subj=subject)

    async def names(self, prefix: str) -> list[str]:
        """See `Logs.names`."""
        found: dict[str, int] = {}
        while True:
            question = f"STREAM.INFO.{stream_of(prefix, self._shards)}"
            try:
                answer = await self._line.api(
                    question, subjects_filter=f"{prefix}*", offset=len(found)
                )
            except NotFound:
                raise Unanswered from None
            page = answer["state"].get("subjects") or {}
            found |= page
            if not page or len(found) >= answer.get("total", 0):
                return list(found)

    async def erase(self, subject: str) -> None:
        """See `Logs.erase`. The servers write over the bytes of what they delete so."""
        while item := await self.last(subject):
            with suppress(NotFound):
                await self._line.api(
                    f"STREAM.MSG.DELETE.{stream_of(subject, self._shards)}",
                    seq=item.number,
                    no_erase=False,
                )

    async def last_aged(self, subject: str) -> AgedItem | None:
        """See `SharedLog.last_aged`."""
        found = await self.find(stream_of(subject, self._shards), last_by_subj=subject)
        if found is None:
            return None
        self._check_subject(found, subject)
        return AgedItem(found.item, await self.clock() - found.at)

    def oldest(self, prefix: str) -> Walk:
        """See `SharedLog.oldest`: the streams have their messages in order."""
        return _StreamWalk(self, streams_below(prefix, self._shards), f"{prefix}>")

    async def held(self, prefix: str) -> Held:
        """See `SharedLog.held`: the leaders of the streams count that."""
        subjects = size = 0
        for name in streams_below(prefix, self._shards):
            state = await self._state(name)
            subjects += state.get("num_subjects", 0)
            size += state["bytes"]
            self._usual[name] = state["bytes"] / max(1, state["messages"])
        return Held(subjects, size)

    async def purge(self, subject: str, last: int) -> int:
        """See `SharedLog.purge`. Needs a right that the operator may withhold."""
        if not self._safe.is_set():
            raise Unanswered
        stream = stream_of(subject, self._shards)
        found = await self.last(subject)
        if found is None or found.number != last:
            return 0
        try:
            said = await self._line.api(f"STREAM.PURGE.{stream}", filter=subject, seq=last + 1)
        except NotFound:
            raise Unanswered from None
        return int(said.get("purged", 0) * self._usual.get(stream, 1.0))

    async def trim(self, subject: str, first: int) -> None:
        """See `SharedLog.trim`. Needs a right that the operator may withhold."""
        if not self._safe.is_set():
            raise Unanswered
        stream = stream_of(subject, self._shards)
        try:
            await self._line.api(f"STREAM.PURGE.{stream}", filter=subject, seq=first)
        except NotFound:
            raise Unanswered from None

    async def _state(self, name: str) -> dict[str, Any]:
        """Return the state of a stream, as its leader counts it. Raises: Unanswered."""
        try:
            said = await self._line.api(f"STREAM.INFO.{name}")
            state = said["state"]
            self._asked = asyncio.get_running_loop().time()
            self._ahead = _unix(said["ts"]) - self._asked
        except (NotFound, KeyError, TypeError, ValueError):
            raise Unanswered from None
        if type(state.get("bytes")) is not int or type(state.get("messages")) is not int:
            raise Unanswered
        return dict(state)

    async def clock(self) -> float:
        """Return the Unix seconds of the servers, or of this host if those are less. Raises:
        Unanswered.
        """
        now = asyncio.get_running_loop().time
        if now() - self._asked >= STORE_CLOCK_SECONDS:
            await self._state(FIRST)
        return min(now() + self._ahead, self._wall())

    async def beat(self) -> None:
        """See `Engine.beat`."""
        with suppress(NotFound):
            await self._line.ask(self._host, b"")
            return
        raise Unanswered

    async def announce(self, data: bytes) -> None:
        """See `Engine.announce`: a message that no stream keeps."""
        await self._line.publish(self._said, data)

    async def hear(self, heard: Callable[[bytes], None]) -> None:
        """See `Engine.hear`."""
        await self._line.subscribe("b.*", heard)

    async def _get(self, subject: str, **which: Any) -> Item | None:
        """A message by the leader of its stream."""
        found = await self.find(stream_of(subject, self._shards), **which)
        if found is None:
            return None
        self._check_subject(found, subject)
        return found.item

    async def find(self, stream: str, **which: Any) -> _Stored | None:
        """Return a message of a stream, as its leader has it; None if there is none. Raises:
        Unanswered.
        """
        try:
            found = (await self._line.api(f"STREAM.MSG.GET.{stream}", **which))["message"]
            data = base64.b64decode(found.get("data") or "", validate=True)
            item = Item(int(found["seq"]), data)
            return _Stored(item, str(found["subject"]), _unix(found["time"]))
        except NotFound:
            return None
        except (KeyError, TypeError, ValueError):
            raise Unanswered from None

    def _check_subject(self, found: _Stored, subject: str) -> None:
        """Check the subject of a message. Raises: Unanswered if it is another one."""
        if found.subject != subject:
            raise Unanswered

    # --- whether it is safe ---

    async def _read_shards(self) -> Phrase | None:
        """Read the number of shards from a store that exists. Return what is wrong with it; None:
        nothing, or there is no store yet.
        """
        while True:
            try:
                said = await self._line.api(f"STREAM.INFO.{FIRST}")
            except NotFound:
                return None
            except Unanswered:
                await asyncio.sleep(0.1)
                continue
            found = shards_of(said.get("config"))
            if found is None:
                return phrase("wrong.store.subjects", stream=FIRST)
            if found != (self._address.shards or found):
                return phrase("wrong.store.shards", there=found, said=self._address.shards or 0)
            self._shards = found
            return None

    async def _make(self, name: str) -> bool:
        """Whether the stream is there; if it is not, make it, as far as we may."""
        tries = 0
        while tries < MAKE_TRIES:
            try:
                await self._line.api(f"STREAM.INFO.{name}")
                return True
            except NotFound:
                tries += await self._create(name)
            except Unanswered:
                await asyncio.sleep(0.1)
        return False

    async def _create(self, name: str) -> bool:
        """Whether that may have been in vain for good: who may not do it gets no answer."""
        try:
            await self._line.api(f"STREAM.CREATE.{name}", **configuration(name, self._shards))
        except (Refused, NotFound, Conflict):
            await asyncio.sleep(0.1)
            return False
        except Unanswered:
            pass
        return True

    async def _patiently(self) -> Phrase | None:
        """What is wrong, after the moment that a new stream takes until all its copies are
        there.
        """
        wrong = await self._look()
        for _ in range(5):
            if wrong is None or wrong.key != "wrong.store.monitor":
                break
            await asyncio.sleep(0.5)
            wrong = await self._look()
        return wrong

    async def _check(self) -> None:
        """Every minute: while something is wrong, nothing is appended."""
        doubts = 0
        while True:
            await asyncio.sleep(self._every)
            try:
                wrong = await self._look()
            except Exception as error:  # whatever it is, it must be looked again
                self._safe.clear()
                log.error(
                    "no match goes on: the look at the store has failed (%s)", type(error).__name__
                )
                continue
            # a server that has just died does not answer, and the others have not noticed yet; a
            # new leader reads up
            doubts = doubts + 1 if wrong is not None and wrong.key in _MAYBE else 0
            if wrong is None:
                if not self._safe.is_set():
                    log.info("the store is safe again")
                self._safe.set()
            elif doubts != 1:
                self._safe.clear()
                log.error("no match goes on: %s", english_text(wrong))

    async def _look(self) -> Phrase | None:
        """What is wrong with the store."""
        servers = await self._servers()
        streams: dict[str, dict[str, Any]] = {}
        for name in all_streams(self._shards):
            try:
                streams[name] = await self._line.api(f"STREAM.INFO.{name}")
            except NotFound:
                continue
            except Unanswered:
                return None if self._safe.is_set() else phrase("wrong.store.connect")
            if streams[name]["state"]["last_seq"] < self._newest.get(name, 0):
                return phrase("wrong.store.lost", stream=name)
        self._notice(lagging(servers, streams))
        return judge(servers, streams, self._shards)

    def _notice(self, lag: set[tuple[str, str]]) -> None:
        """Say which servers did not keep up the last time either."""
        for server in sorted({server for server, _ in lag & self._lag}):
            log.warning(
                "the NATS server %s has no whole copy of the store and does not catch up: is "
                "its disk full? "
                "Give it room and restart it, before another one dies",
                server,
            )
        self._lag = lag

    async def _servers(self) -> list[NatsServer]:
        return await asyncio.gather(
            *(self._server(place) for place in range(len(self._address.hosts)))
        )

    async def _server(self, place: int) -> NatsServer:
        (host, port), monitor = self._address.hosts[place], self._address.monitors[place]
        try:
            said = await asyncio.to_thread(_varz, host.strip("[]"), monitor, self._context)
        except (OSError, http.client.HTTPException, ValueError):
            said = None
        return NatsServer(f"{host}:{port}", said)


class _StreamWalk:
    """The messages of some streams, the oldest first."""

    def __init__(self, engine: NatsEngine, streams: Sequence[str], filter_: str) -> None:
        """`filter_`: of the subjects that count."""
        self._engine, self._filter = engine, filter_
        self._next: dict[str, _Stored] = {}  # of each stream
        self._due = dict.fromkeys(streams, 0)  # those that are to be asked, and behind which number

    async def next(self) -> AgedSubject | None:
        """See `Walk.next`."""
        for each, after in list(self._due.items()):
            found = await self._engine.find(each, seq=after + 1, next_by_subj=self._filter)
            if found is not None:
                self._next[each] = found
            del self._due[each]
        clock = await self._engine.clock()
        if not self._next:
            return None
        first = min(self._next, key=lambda each: self._next[each].at)
        head = self._next.pop(first)
        self._due[first] = head.item.number
        return AgedSubject(head.subject, clock - head.at)


def _unix(text: str) -> float:
    """Unix seconds of a time as servers write it. Raises: ValueError, TypeError."""
    return datetime.fromisoformat(text).timestamp()


def _varz(host: str, port: int, context: ssl.SSLContext | None) -> dict[str, Any]:
    """What a server's monitor says. Raises: OSError, HTTPException, ValueError."""
    if context is None:
        connection = http.client.HTTPConnection(host, port, timeout=MONITOR_SECONDS)
    else:
        connection = http.client.HTTPSConnection(
            host, port, timeout=MONITOR_SECONDS, context=context
        )
    try:
        connection.request("GET", "/varz")
        said = json.loads(connection.getresponse().read(MAX_VARZ))
    finally:
        connection.close()
    if not isinstance(said, dict):
        raise ValueError
    return said
