"""Real tables, a real directory and real web servers: reports, lists, liars, floods."""

import asyncio
import socket
from random import Random

import pytest

from directory.rules import DirectoryBounds
from directory.server import DirectoryConfig, DirectoryServer
from protocol import wire
from protocol.codes import Code
from protocol.directory.link import ReportLink
from protocol.directory.report import check_report
from protocol.directory.table_list import TableList, decode_list
from protocol.errors import LocalError, RemoteError
from protocol.identity.address import Address
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import (
    MAX_DIRECTORY_MESSAGE,
    REPORT_LIFE_SECONDS,
    REPORT_RETRY_LONGEST_SECONDS,
    REPORT_RETRY_SECONDS,
    REPORT_SECONDS,
)
from protocol.messages.directory import Challenge, Listed, Refused, decode, encode
from table.config import Bounds, Ways
from table.manager.server import TableServer
from table.net.directories import Offer, OwnPlace, Reporter
from tests.support.directories import ANN, BOB, DIRECTORY, HERE, claimed, directory, report
from tests.support.errors import raises_text
from tests.support.tables import config, guest, until
from tests.support.turned_away import turned_away


def listed(server: DirectoryServer) -> TableList:
    return decode_list(server.config.file.read_bytes())


class Caller:
    """Somebody who speaks with a directory, frame by frame."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def call(cls, server: DirectoryServer) -> "Caller":
        return cls(*await asyncio.open_connection(HERE, server.port))

    async def next(self):
        head = await self.reader.readexactly(4)
        return decode(await self.reader.readexactly(wire.frame_size(head) - 4))

    async def answer(self, made, identity=ANN):
        challenge = await self.next()
        assert isinstance(challenge, Challenge)
        self.writer.write(encode(claimed(made, identity, challenge.nonce, challenge.directory)))
        return await self.next()

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


def now_report(server: DirectoryServer, identity=ANN, **values):
    now = int(server.config.clock())
    return report(identity, **({"number": now, "expires": now + 900} | values))


def reporter(server: DirectoryServer, **values) -> Reporter:
    made = {"link": server.link, "place": OwnPlace("", socket.AF_INET, 7500)} | values
    return Reporter(
        made["link"],
        BOB.public,
        BOB.sign,
        offer=lambda: Offer("Bob's table", frozenset({"nim", "x" * 33}), 2, 5),
        place=made["place"],
        now=server.config.clock,
        rng=Random(1),
        sleep=made.get("sleep", asyncio.sleep),
    )


async def test_table_reports_itself_with_its_seats(tmp_path):
    async with directory(tmp_path / "directory") as server:
        ways = Ways(directories=(server.link,))
        async with TableServer(config(tmp_path / "table", ways=ways)) as table:
            await until(lambda: listed(server).reports)
            (found,) = listed(server).reports
            check_report(found)
            assert found.fingerprint == table.link.fingerprint
            assert found.link == table.link
            assert (found.taken, found.free) == (0, table.config.terms.seats)
            assert found.games == (table.config.terms.game.name,)
            assert found.name == table.config.name


async def test_seats_of_lobby_count_those_that_wait(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        seats = table.config.terms.seats
        assert table.lobby.seats == (0, seats)
        client = await guest(table)
        await client.join()
        await until(lambda: table.lobby.seats == (1, seats - 1))
        await client.close()


async def test_reporter_lists_its_table_again_and_again(tmp_path):
    async with directory(tmp_path) as server:
        bob = reporter(server)
        assert await bob.report() == Listed(300)
        assert await bob.report() == Listed(300)
        await until(lambda: listed(server).reports)
        (found,) = listed(server).reports
        assert (found.name, found.games, found.taken, found.free) == ("Bob's table", ("nim",), 2, 5)
        assert found.address == f"{HERE}:7500"


async def test_reporter_tells_another_directory_nothing(tmp_path):
    async with directory(tmp_path) as server:
        link = ReportLink(server.link.address, fingerprint(BOB.public))
        with raises_text(LocalError, "Another directory answers"):
            await reporter(server, link=link).report()
        assert not len(server.registry)


@pytest.mark.parametrize("host", ["victim.example.org", "192.0.2.7/x", "fe80::1%a", "\x1b[2J"])
async def test_reporter_signs_no_host_but_an_ip_address(host):
    """A directory that lies about the caller's address gets no report with a place of its choice."""
    heard = asyncio.Queue[bytes]()

    async def lie(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(encode(Challenge(bytes(32), DIRECTORY.public, host)))
        try:
            heard.put_nowait(await reader.read())
        except ConnectionResetError:
            heard.put_nowait(b"")
        writer.transport.abort()

    async with await asyncio.start_server(lie, HERE) as server:
        port = server.sockets[0].getsockname()[1]
        link = ReportLink(Address(HERE, port), fingerprint(DIRECTORY.public))
        bob = Reporter(
            link,
            BOB.public,
            BOB.sign,
            offer=lambda: Offer("Bob's table", frozenset({"nim"}), 2, 5),
            place=OwnPlace("", socket.AF_INET, 7500),
            now=lambda: 1.0,
            rng=Random(1),
        )
        with pytest.raises(RemoteError) as failed:
            await bob.report()
        assert failed.value.code is Code.BAD_MESSAGE
        assert await heard.get() == b""


async def test_private_address_is_not_listed(tmp_path):
    made = DirectoryConfig(HERE, 0, DIRECTORY, tmp_path / "tables.list", list_seconds=0.05)
    async with DirectoryServer(made) as server:
        assert await reporter(server).report() == Refused(Code.WRONG_ADDRESS, 300)
        assert not len(server.registry)


async def test_table_at_named_relay_is_listed(tmp_path):
    relay = Address("relay.example.org", 443, "wss")
    own = Address("relay.example.org", 443, "wss", f"/t/{fingerprint(BOB.public)}")
    async with directory(tmp_path, relays=(relay,)) as server:
        place = OwnPlace("", socket.AF_UNSPEC, 7500, own)
        assert await reporter(server, place=place).report() == Listed(300)
    async with directory(tmp_path / "other") as server:
        assert (await reporter(server, place=place).report()).code is Code.WRONG_ADDRESS


async def test_liar_about_its_address_is_refused(tmp_path):
    async with directory(tmp_path) as server:
        caller = await Caller.call(server)
        said = await caller.answer(now_report(server, address="93.184.216.34:7500"))
        assert said == Refused(Code.WRONG_ADDRESS, 300)
        await caller.close()
        assert not len(server.registry)


async def test_claim_seen_elsewhere_is_of_no_use(tmp_path):
    async with directory(tmp_path) as server:
        first, second = await Caller.call(server), await Caller.call(server)
        made = now_report(server, address=f"{HERE}:7500")
        challenge = await first.next()
        await second.next()
        second.writer.write(encode(claimed(made, ANN, challenge.nonce)))
        assert (await second.next()).code is Code.BAD_SIGNATURE
        await first.close()
        await second.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00\x00\x00\x00",
        b"\xff\xff\xff\xff",
        (MAX_DIRECTORY_MESSAGE + 1).to_bytes(4, "big"),
        b"\x00\x00\x00\x01\xc1",
        encode(Listed(3)),
        b"\x16\x03\x01" + bytes(200),
    ],
)
async def test_stranger_who_speaks_otherwise_is_refused(tmp_path, sent):
    async with directory(tmp_path) as server:
        caller = await Caller.call(server)
        await caller.next()
        caller.writer.write(sent)
        assert isinstance(await caller.next(), Refused)
        assert await caller.reader.read() == b""
        await caller.close()
        assert await reporter(server).report() == Listed(300)
        await until(lambda: not server.connections)


async def test_second_report_on_one_connection_is_ignored(tmp_path):
    async with directory(tmp_path) as server:
        caller = await Caller.call(server)
        challenge = await caller.next()
        made = now_report(server, address=f"{HERE}:7500")
        message = encode(claimed(made, ANN, challenge.nonce))
        caller.writer.write(message + message)
        assert await caller.next() == Listed(300)
        assert await caller.reader.read() == b""
        await caller.close()


async def test_stranger_who_says_nothing_is_dropped(tmp_path):
    async with directory(tmp_path, seconds=0.05) as server:
        caller = await Caller.call(server)
        await caller.next()
        assert await caller.reader.read() == b""
        await caller.close()
        await until(lambda: not server.connections)


async def test_flood_of_connections_is_turned_away(tmp_path):
    door = Bounds(per_address=4, half_open=2, half_open_per_address=2)
    async with directory(tmp_path, door=door) as server:
        callers = [await Caller.call(server) for _ in range(8)]
        await until(lambda: len(server.connections) <= 4)
        for caller in callers:
            await caller.close()
        await until(lambda: not server.connections)
        assert await reporter(server).report() == Listed(300)


@pytest.mark.parametrize("seconds", [0.5, 60])
async def test_refused_arrivals_are_counted_in_the_log(tmp_path, caplog, seconds):
    door = Bounds(arrivals_per_address=(1, 0.001))
    async with directory(tmp_path, door=door, refused_log_seconds=seconds) as server:
        assert await reporter(server).report() == Listed(300)
        for _ in range(4):
            caller = await Caller.call(server)
            assert await caller.reader.read() == b""
            await caller.close()
        assert turned_away(caplog) >= 1
        if seconds < 60:
            # nobody comes any more
            await until(lambda: turned_away(caplog) == 4)
    assert turned_away(caplog) == 4


async def test_flood_of_reports_is_bounded_by_address(tmp_path):
    bounds = DirectoryBounds(reports_of_address=(3, 0.001), tables_of_address=2)
    async with directory(tmp_path, bounds=bounds) as server:
        codes = []
        for number in range(5):
            identity = Identity(bytes([number + 1]) * 32)
            caller = await Caller.call(server)
            made = now_report(server, identity, address=f"{HERE}:7500")
            codes.append(getattr(await caller.answer(made, identity), "code", None))
            await caller.close()
        assert codes == [None, None, *[Code.TOO_MANY_HERE] * 3]
        assert len(server.registry) == 2


async def test_list_survives_a_restart_with_higher_number(tmp_path):
    async with directory(tmp_path) as server:
        await reporter(server).report()
        await until(lambda: listed(server).reports)
        before = listed(server)
    async with directory(tmp_path) as server:
        after = listed(server)
        assert after.reports == before.reports
        assert after.number > before.number


async def test_number_grows_without_the_list_of_before(tmp_path):
    async with directory(tmp_path, clock=lambda: 2_000_000_000.0) as server:
        before = listed(server).number
    (tmp_path / "tables.list").unlink()
    async with directory(tmp_path, clock=lambda: 2_000_000_001.0) as server:
        assert listed(server).number > before


async def test_expired_table_leaves_the_list(tmp_path):
    now = [2_000_000_000.0]
    async with directory(tmp_path, clock=lambda: now[0]) as server:
        await reporter(server).report()
        await until(lambda: listed(server).reports)
        now[0] += 901
        await server.publish()
        assert not listed(server).reports


async def test_list_of_another_directory_is_left_alone(tmp_path):
    async with directory(tmp_path):
        pass
    before = (tmp_path / "tables.list").read_bytes()
    made = DirectoryConfig(HERE, 0, BOB, tmp_path / "tables.list")
    with raises_text(LocalError, "not a list of this directory"):
        async with DirectoryServer(made):
            pass
    assert (tmp_path / "tables.list").read_bytes() == before


async def test_list_can_be_read_by_a_web_server(tmp_path):
    async with directory(tmp_path) as server:
        assert server.config.file.stat().st_mode & 0o777 == 0o644
        assert not [path for path in tmp_path.iterdir() if path.suffix == ".new"]


class Sleeps:
    """A clock for a reporter: notes how long it waits, and ends after so many waits."""

    def __init__(self, most: int) -> None:
        self.seconds: list[float] = []
        self._most = most

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if len(self.seconds) == self._most:
            raise asyncio.CancelledError


async def waits_of(made: Reporter, sleeps: Sleeps) -> list[float]:
    """Return the seconds that a reporter waits after each attempt."""
    with pytest.raises(asyncio.CancelledError):
        await made.run()
    return sleeps.seconds


async def test_reporter_waits_longer_after_each_failure(tmp_path):
    async with directory(tmp_path) as server:
        sleeps = Sleeps(10)
        made = reporter(server, sleep=sleeps.sleep)
    # nobody answers any more
    waits = await waits_of(made, sleeps)
    expected = [min(REPORT_RETRY_SECONDS * 2**n, REPORT_RETRY_LONGEST_SECONDS) for n in range(10)]
    assert expected[-1] == REPORT_RETRY_LONGEST_SECONDS
    assert all(usual <= each <= 1.25 * usual for each, usual in zip(waits, expected, strict=True))


async def test_reporter_that_is_refused_waits_as_long_as_asked(tmp_path):
    async with directory(tmp_path, may_list=lambda address: False) as server:
        sleeps = Sleeps(2)
        first, second = await waits_of(reporter(server, sleep=sleeps.sleep), sleeps)
    assert REPORT_SECONDS <= first <= 1.25 * REPORT_SECONDS
    assert REPORT_SECONDS <= second <= 1.25 * REPORT_SECONDS


async def test_reporter_that_is_listed_reports_in_time(tmp_path):
    listing = [False, False, True, False, False]
    async with directory(tmp_path, may_list=lambda address: listing[len(sleeps.seconds)]) as server:
        sleeps = Sleeps(5)
        waits = await waits_of(reporter(server, sleep=sleeps.sleep), sleeps)
    assert 0.75 * REPORT_SECONDS <= waits[2] <= REPORT_SECONDS < REPORT_LIFE_SECONDS / 2
