"""`fairdeal cluster demo`: the demonstration kills a host, and every match goes on."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from fairdeal.cluster.operator import Hosts, Tell, open_store
from fairdeal.cluster.programs import HostProgram, Pair, new_key
from fairdeal.cluster.store_servers import store_servers
from protocol.audit.verdict import Verdict, audit
from protocol.errors import LocalError
from protocol.games.registry import DEFAULT_GAME
from protocol.identity.keys import JoinLink
from protocol.match.log_file import count_records
from protocol.view.phrase import phrase
from table.cluster.heartbeats import MatchLoad

HOSTS = ("north", "east", "south")
PEOPLE = (
    ("Ann", "Bob"),
    ("Cleo", "Dan"),
    ("Eve", "Finn"),
    ("Gil", "Hana"),
    ("Ivo", "Jane"),
    ("Kim", "Leo"),
    ("Mia", "Nils"),
    ("Ola", "Pia"),
)
GAME = ("--game", DEFAULT_GAME, "--target", "25")
BOT = ("--bot", "greedy", "--pace", "0.4")
PLAY_SECONDS = 5.0  # watch all matches for this time before a host is killed
BEGIN_SECONDS = 60.0  # for two bots to meet, on a slow machine
GO_ON_SECONDS = 60.0  # for a match to go on after its host was killed
END_SECONDS = 600.0  # for the whole demonstration
_POLL_SECONDS = 0.1  # seconds between two checks


async def demonstrate(matches: int, tell: Tell, store: str | None = None) -> bool:
    """Run the demonstration; return True if every match went on and is clean. `store` is an empty
    store; without it, the demonstration starts three servers.

    Raises: LocalError if the demonstration cannot run here.
    """
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fairdeal-demo-")))
        tell(phrase("cluster.demo.begin" if store is None else "cluster.demo.begin_over"))
        if store is None:
            store = await stack.enter_async_context(store_servers(folder))
        demonstration = Demonstration(folder, store, tell)
        stack.push_async_callback(demonstration.stop)
        await demonstration.open()
        _, hosts = await stack.enter_async_context(open_store(store))
        async with asyncio.timeout(END_SECONDS):
            return await demonstration.run(hosts, matches)


class Demonstration:
    """The running programs, and the reports about them."""

    def __init__(self, folder: Path, store: str, tell: Tell) -> None:
        key = new_key(folder)
        self._hosts = {name: HostProgram(name, store, folder, key) for name in HOSTS}
        self._folder = folder
        self._tell = tell
        self._pairs: list[Pair] = []
        self._links: list[str] = []
        self._known_hosts: Hosts

    async def open(self) -> None:
        """Start all hosts. Raises: LocalError."""
        self._links = await asyncio.gather(*(host.start() for host in self._hosts.values()))
        where = ", ".join(
            f"{name} ({JoinLink.parse(link).address_text})"
            for name, link in zip(HOSTS, self._links, strict=True)
        )
        self._tell(phrase("cluster.demo.hosts", hosts=where))

    async def stop(self) -> None:
        """Stop all programs."""
        for pair in self._pairs:
            await pair.stop()
        for host in self._hosts.values():
            await host.kill()

    async def run(self, hosts: Hosts, matches: int) -> bool:
        """Run the matches, and kill a host. Return True if every match went on and is clean.
        Raises: LocalError if a match does not begin.
        """
        self._known_hosts = hosts
        for number in range(matches):
            await self._begin(number)
        await asyncio.sleep(PLAY_SECONDS)
        return await self._kill_busiest_host() and await self._end()

    async def _begin(self, number: int) -> None:
        """Start a match: one bot creates a table, and the other joins it."""
        pair = Pair(number + 1, PEOPLE[number], self._folder)
        self._pairs.append(pair)
        first, second = (self._links[(number + place) % len(HOSTS)] for place in range(2))
        await pair.start_bot(first, *BOT, "--create", *GAME)
        await self._until(lambda: self._table_of(pair.names[0]), BEGIN_SECONDS)
        pair.table = self._table_of(pair.names[0])
        await pair.start_bot(second, *BOT, "--table", pair.table)
        await self._until(lambda: self._host_of(pair), BEGIN_SECONDS)
        one, two = pair.names
        self._tell(
            phrase(
                "cluster.demo.match", number=pair.number, one=one, two=two, host=self._host_of(pair)
            )
        )

    def _rows(self) -> Iterator[tuple[str, MatchLoad]]:
        """Yield the tables with waiting or playing people at all running hosts, with the host's
        name.
        """
        for name in HOSTS:
            beat = self._known_hosts.recent(name)
            yield from ((name, row) for row in (beat.rows if beat is not None else ()))

    def _table_of(self, person: str) -> str:
        """Return the table at which a person waits; empty if none."""
        rows = (row for _, row in self._rows() if person in [each[0] for each in row.waiting])
        return next((row.table_id for row in rows), "")

    def _host_of(self, pair: Pair) -> str:
        """Return the host that announces the match of this pair; empty if none."""
        return next(
            (name for name, row in self._rows() if row.match_id and row.table_id == pair.table), ""
        )

    async def _kill_busiest_host(self) -> bool:
        """Kill the host with most matches, and start it again once they go on at other hosts or the
        time is over. Return True if all go on.
        """
        host_names = {pair: self._host_of(pair) for pair in self._pairs if not pair.over}
        killed = max(HOSTS, key=list(host_names.values()).count)
        waiting = [pair for pair, name in host_names.items() if name == killed]
        await self._hosts[killed].kill()
        killed_at = time.monotonic()
        before = {pair: _entries(pair) for pair in waiting}
        self._tell(phrase("cluster.demo.killed", name=killed, count=len(waiting)))
        while waiting and time.monotonic() - killed_at < GO_ON_SECONDS:
            await asyncio.sleep(_POLL_SECONDS)
            for pair in [pair for pair in waiting if _entries(pair) > before[pair]]:
                waiting.remove(pair)
                seconds = f"{time.monotonic() - killed_at:.1f}"
                self._tell(phrase("cluster.demo.goes_on", number=pair.number, seconds=seconds))
        for pair in waiting:
            self._tell(phrase("cluster.demo.stuck", number=pair.number))
        await self._hosts[killed].start()
        self._tell(phrase("cluster.demo.back", name=killed))
        return not waiting

    async def _end(self) -> bool:
        """Let all matches end; return True if all are clean."""
        running = list(self._pairs)
        clean = 0
        while running:
            await asyncio.sleep(_POLL_SECONDS)
            for pair in [pair for pair in running if pair.over]:
                running.remove(pair)
                clean += _clean(pair)
                verdict = phrase("cluster.demo.clean" if _clean(pair) else "cluster.demo.not_clean")
                self._tell(
                    phrase(
                        "cluster.demo.over",
                        number=pair.number,
                        entries=_entries(pair),
                        verdict=verdict,
                    )
                )
        self._tell(phrase("cluster.demo.summary", clean=clean, count=len(self._pairs)))
        return clean == len(self._pairs)

    async def _until(self, condition: Callable[[], object], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise LocalError("wrong.cluster.no_start")
            await asyncio.sleep(_POLL_SECONDS)


def _entries(pair: Pair) -> int:
    """Return the number of entries in the longer log of the two bots."""
    return max(map(count_records, pair.logs))


def _clean(pair: Pair) -> bool:
    one, two = pair.logs
    return pair.succeeded and one == two and audit(one).verdict is Verdict.CLEAN
