"""A relay over real sockets: who may come, what is passed on, and what one party can do to others."""

import asyncio
import contextlib
import os
import resource
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from net.websocket_transport import MAX_WEB_MESSAGE
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.address import Address
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import MAX_RELAY_UNREAD, MAX_VISITS, RELAY_HIGH_WATER, RELAY_PIECE
from protocol.messages.relay import Closed, Guest, TurnAway, guest_address, line_address
from relay.rules import RelayBounds
from relay.server import RelayServer
from table.config import Bounds
from table.net.listeners.trusted_proxies import parse_networks
from tests.support.ports import free_port
from tests.support.relays import (
    HERE,
    fake_table,
    joined,
    open_fake,
    relay_config,
    stranger,
)
from tests.support.site_folder import packages_with_page
from tests.support.tables import until
from tests.support.turned_away import turned_away

ANN, BOB = (Identity(bytes([number]) * 32) for number in (1, 2))
PING = b"\x89\xfd" + bytes(4 + 125)  # the longest
PAGE = "https://play.example.org"
OTHER = "127.0.0.2"  # another address of this machine


async def status(address: Address, local: str = HERE, **values) -> int:
    """Return the answer to a request for a WebSocket."""
    try:
        async with stranger(address, local, **values) as line:
            return line.response.status_code
    except InvalidStatus as error:
        return error.response.status_code


async def test_frames_pass_both_ways_as_they_are():
    async with RelayServer(relay_config()) as relay, fake_table(relay.urls[0], ANN) as table:
        whose = await open_fake(table, relay)
        async with joined(relay, table, whose) as (guest, line):
            for sender, reader in ((guest, line), (line, guest)):
                for size in (0, 1, 125, 126, 70, 65_000, MAX_WEB_MESSAGE):
                    data = os.urandom(size)
                    await sender.send(data)
                    assert await reader.recv() == data
                await sender.send([b"in ", b"", b"parts"])
                assert await reader.recv() == b"in parts"


async def test_close_of_one_end_closes_the_other_after_its_last_bytes():
    async with RelayServer(relay_config()) as relay, fake_table(relay.urls[0], ANN) as table:
        whose = await open_fake(table, relay)
        for closes in (0, 1):
            async with joined(relay, table, whose) as ends:
                await ends[closes].send(b"x" * 50_000)
                await ends[closes].close()
                other = ends[1 - closes]
                assert len(await other.recv()) == 50_000
                with pytest.raises(ConnectionClosed):
                    await other.recv()


@pytest.mark.parametrize("data", ["text", b"x" * (MAX_WEB_MESSAGE + 1)])
async def test_what_no_table_understands_ends_both(data):
    async with RelayServer(relay_config()) as relay, fake_table(relay.urls[0], ANN) as table:
        whose = await open_fake(table, relay)
        async with joined(relay, table, whose) as (guest, line):
            await guest.send(data)
            with pytest.raises(ConnectionClosed):
                await guest.recv()
            with pytest.raises(ConnectionClosed):
                while True:
                    await line.recv()


async def test_stranger_with_a_tables_key_but_no_signature_displaces_nobody():
    async with RelayServer(relay_config()) as relay, fake_table(relay.urls[0], ANN) as table:
        whose = await open_fake(table, relay)
        async with joined(relay, table, whose) as (guest, line):
            async with fake_table(relay.urls[0], BOB) as thief:
                claim = thief.claim(await thief.challenge(), str(relay.urls[0]))
                thief.say(type(claim)(ANN.public, claim.relay, claim.signature))
                assert await thief.next() == Closed(Code.BAD_SIGNATURE)
                assert await thief.next() is None
            await guest.send(b"still here")
            assert await line.recv() == b"still here"


async def test_answer_of_another_relay_or_line_is_refused():
    async with (
        RelayServer(relay_config()) as relay,
        RelayServer(relay_config()) as other,
        fake_table(relay.urls[0], ANN) as table,
    ):
        # a relay hands on the other's challenge: the table signs the URL that it has called
        async with fake_table(other.urls[0], ANN) as through:
            challenge = await through.challenge()
            through.say(through.claim(challenge, str(relay.urls[0])))
            assert await through.next() == Closed(Code.WRONG_RELAY)
        answer = table.claim(await table.challenge(), str(relay.urls[0]))
        async with fake_table(relay.urls[0], ANN) as copy:
            await copy.challenge()
            copy.say(answer)
            assert await copy.next() == Closed(Code.BAD_SIGNATURE)


async def test_same_table_takes_over_from_its_own_line_at_once():
    async with RelayServer(relay_config()) as relay, fake_table(relay.urls[0], ANN) as old:
        whose = await open_fake(old, relay)
        async with joined(relay, old, whose) as (guest, _), fake_table(relay.urls[0], ANN) as new:
            await open_fake(new, relay)
            assert await old.next() == Closed(Code.TAKEN_OVER)
            assert await old.next() is None
            with pytest.raises(ConnectionClosed):
                await guest.recv()
            async with joined(relay, new, whose) as (again, line):
                await again.send(b"hello")
                assert await line.recv() == b"hello"


async def test_requests_for_nothing_there_are_refused():
    async with RelayServer(relay_config()) as relay, fake_table(relay.urls[0], ANN) as table:
        await open_fake(table, relay)
        url = relay.urls[0]
        assert await status(guest_address(url, fingerprint(BOB.public))) == 503
        assert await status(line_address(url, bytes(16))) == 503
        for path in ("/", "/t/short", "/line/xyz", "/other", "/table/"):
            assert await status(Address(url.host, url.port, "ws", path)) == 404
        await until(lambda: len(relay.connections) == 1)


async def test_pages_come_from_named_origins_alone_and_are_no_tables():
    async with (
        RelayServer(relay_config(origins=(PAGE,))) as relay,
        fake_table(relay.urls[0], ANN) as table,
    ):
        whose = await open_fake(table, relay)
        guest = guest_address(relay.urls[0], whose)
        evil = {"additional_headers": {"Origin": f"{PAGE}.evil.test"}}
        named = {"additional_headers": {"Origin": PAGE}}
        assert await status(guest, **evil) == 403
        for address in ("table", f"line/{bytes(16).hex()}"):
            url = Address(HERE, relay.port, "ws", f"/{address}")
            assert await status(url, **named) == 403
        coming = asyncio.create_task(status(guest, **named))
        told = await table.next()
        assert isinstance(told, Guest)
        async with stranger(line_address(relay.urls[0], told.token)):
            assert await coming == 101


async def test_page_of_a_relay_is_served_and_may_connect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.syspath_prepend(packages_with_page(tmp_path))
    async with RelayServer(relay_config(web=(HERE, 0), origins=(PAGE,))) as relay:
        own = relay.page.rstrip("/")
        reader, writer = await asyncio.open_connection(HERE, urlsplit(own).port)
        writer.write(b"GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n")
        assert (await reader.read()).endswith(b"<title>a page</title>\n")
        writer.close()
        guest = guest_address(relay.urls[0], fingerprint(ANN.public))
        answers = {
            origin: await status(guest, additional_headers={"Origin": origin})
            for origin in (own, PAGE, f"{own}1", f"http://{HERE}:{relay.port}")
        }
        # nobody hosts there: who may come is told that no table is there
        assert list(answers.values()) == [503, 503, 403, 403]
    with pytest.raises(OSError):
        await asyncio.open_connection(HERE, urlsplit(own).port)


async def test_page_behind_a_web_server_is_at_its_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.syspath_prepend(packages_with_page(tmp_path))
    url = Address("relay.example.org", 443, "wss", "/a")
    async with RelayServer(relay_config(web=(HERE, 0), urls=(url,))) as relay:
        assert relay.page == "https://relay.example.org/"
        assert "https://relay.example.org" in relay.origins


async def test_early_guest_is_answered_after_the_page_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.syspath_prepend(packages_with_page(tmp_path))
    guest = guest_address(Address(HERE, free_port(), "ws"), fingerprint(ANN.public))
    may_load, loop = threading.Event(), asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    loop.run_in_executor(None, may_load.wait)  # the page is loaded after it

    async def come() -> int:
        while True:
            try:
                return await status(guest)
            except ConnectionRefusedError:
                may_load.set()

    coming = asyncio.create_task(come())
    config = replace(relay_config(web=(HERE, 0)), port=guest.port)
    try:
        async with asyncio.timeout(20), RelayServer(config):
            assert await coming == 503
    finally:
        may_load.set()


async def test_relay_that_cannot_listen_frees_the_port_of_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.syspath_prepend(packages_with_page(tmp_path))
    page = free_port()
    with socket.create_server((HERE, 0)) as taken:
        config = replace(relay_config(web=(HERE, page)), port=taken.getsockname()[1])
        with pytest.raises(LocalError) as error:
            async with RelayServer(config):
                pass
    assert error.value.phrase.key == "wrong.listen.taken"
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(HERE, page)


async def test_visitors_of_the_page_have_descriptors_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.syspath_prepend(packages_with_page(tmp_path))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = []
    try:
        for web in (None, (HERE, 0)):
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
            async with RelayServer(relay_config(web=web, connections=1000)):
                wanted.append(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert wanted[1] - wanted[0] == MAX_VISITS


async def test_relay_without_a_page_says_so_and_frees_its_port():
    port = free_port()
    config = replace(relay_config(web=(HERE, 0)), port=port)
    with pytest.raises(LocalError) as error:
        async with RelayServer(config):
            pass
    assert error.value.phrase.key == "wrong.page.none"
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(HERE, port)


async def test_guest_waits_no_longer_than_it_must():
    async with (
        RelayServer(relay_config(wait_seconds=0.2)) as relay,
        fake_table(relay.urls[0], ANN) as table,
    ):
        guest = guest_address(relay.urls[0], await open_fake(table, relay))
        assert await status(guest) == 503  # the table does nothing
        late = await table.next()
        assert await status(line_address(relay.urls[0], late.token)) == 503
        coming = asyncio.create_task(status(guest))
        table.say(TurnAway((await table.next()).token))
        assert await coming == 503


async def test_silent_lines_end_and_lines_with_pongs_do_not():
    config = relay_config(silence_seconds=0.5, look_seconds=0.1, ping_seconds=0.2)
    async with RelayServer(config) as relay, fake_table(relay.urls[0], ANN) as table:
        whose = await open_fake(table, relay)
        async with joined(relay, table, whose) as (guest, line):
            await asyncio.sleep(1)
            await guest.send(b"there")
            assert await line.recv() == b"there"
            guest.transport.pause_reading()  # no pong any more
            with pytest.raises(ConnectionClosed):
                await line.recv()


async def test_slow_guest_holds_up_itself_alone_within_bounds():
    async with RelayServer(relay_config()) as relay, fake_table(relay.urls[0], ANN) as table:
        whose = await open_fake(table, relay)
        async with (
            joined(relay, table, whose) as (slow, to_slow),
            joined(relay, table, whose) as (guest, line),
        ):
            slow.transport.pause_reading()
            flood = asyncio.create_task(pour(to_slow))
            blocked = relay.connections
            await until(lambda: any(each.queued >= RELAY_HIGH_WATER for each in blocked))
            for number in range(50):
                await line.send(bytes([number]))
                assert await guest.recv() == bytes([number])
            most = max(each.queued for each in blocked)
            assert most <= RELAY_HIGH_WATER + 2 * MAX_WEB_MESSAGE + RELAY_PIECE
            flood.cancel()
            slow.transport.abort()


def small_socket(port: int) -> socket.socket:
    """Connect with little room for what comes."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    line.connect((HERE, port))
    line.setblocking(False)
    return line


async def test_slow_guest_is_kept_and_one_that_reads_nothing_is_not():
    stall = 0.4
    async with (
        RelayServer(relay_config(stall_seconds=stall)) as relay,
        fake_table(relay.urls[0], ANN) as table,
    ):
        whose = await open_fake(table, relay)
        values = {"sock": small_socket(relay.port), "local_addr": None}
        async with joined(relay, table, whose, **values) as (slow, to_slow):
            slow.transport.pause_reading()
            raw = values["sock"].dup()
            flood = asyncio.create_task(pour(to_slow))
            queued = relay.connections
            await until(lambda: any(each.queued >= RELAY_HIGH_WATER for each in queued))
            loop = asyncio.get_running_loop()
            began = loop.time()
            while loop.time() - began < 4 * stall:
                # far from enough to make room for the sender
                for _ in range(4):
                    assert await loop.sock_recv(raw, 1_024)
                await asyncio.sleep(stall / 8)
            assert len(relay.connections) == 2
            await until(lambda: len(relay.connections) == 1, 20)
            raw.close()
            flood.cancel()


async def test_who_pings_and_does_not_read_is_cut_off_within_bounds():
    async with RelayServer(relay_config()) as relay, fake_table(relay.urls[0], ANN) as table:
        whose = await open_fake(table, relay)
        values = {"sock": small_socket(relay.port), "local_addr": None}
        async with joined(relay, table, whose, **values) as (guest, line):
            guest.transport.pause_reading()
            (here,) = [each for each in relay.connections if each.partner is not None]
            most = 0
            while here in relay.connections:
                guest.transport.write(PING * 100)
                most = max(most, here.queued)
                await asyncio.sleep(0)
            assert MAX_RELAY_UNREAD / 2 < most < MAX_RELAY_UNREAD + 2 * RELAY_PIECE
            with pytest.raises(ConnectionClosed):
                await line.recv()


@pytest.mark.parametrize("how", ["unfinished frames", "unread messages"])
async def test_who_holds_most_goes_first_when_all_hold_too_much(how):
    config = relay_config(held_in_all=600_000, look_seconds=1_000)
    async with (
        RelayServer(config) as relay,
        fake_table(relay.urls[0], ANN) as table,
        contextlib.AsyncExitStack() as hostile,
    ):
        whose = await open_fake(table, relay)
        async with joined(relay, table, whose) as (guest, line):
            for _ in range(12):
                ends = await hostile.enter_async_context(joined(relay, table, whose))
                for end in ends:
                    hostile.callback(end.transport.abort)
                if how == "unfinished frames":
                    begun = b"\x82\xff" + MAX_WEB_MESSAGE.to_bytes(8, "big") + bytes(4)
                    ends[0].transport.write(begun + bytes(MAX_WEB_MESSAGE - 1))
                else:
                    ends[0].transport.pause_reading()
                    filling = asyncio.create_task(pour(ends[1]))
                    hostile.callback(filling.cancel)
            everybody = relay.connections
            await until(lambda: len(everybody) < 14, 20)
            held = sum(each.held for each in [*everybody, *relay._lines])
            assert held < config.held_in_all * 3 / 2
            await guest.send(b"still here")
            assert await line.recv() == b"still here"


async def pour(line) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await line.send(bytes(16_384))


async def test_flood_of_guests_leaves_places_for_others():
    bounds = RelayBounds(waiting=8, waiting_of_address=4)
    async with (
        RelayServer(relay_config(bounds=bounds)) as relay,
        fake_table(relay.urls[0], ANN) as table,
    ):
        whose = await open_fake(table, relay)
        guest = guest_address(relay.urls[0], whose)
        flood = [asyncio.create_task(status(guest, OTHER)) for _ in range(40)]
        tokens = [await table.next() for _ in range(40)]
        assert {told.address for told in tokens} == {OTHER}
        await until(lambda: sum(task.done() for task in flood) == 36)
        async with joined(relay, table, whose) as (honest, line):
            await honest.send(b"in")
            assert await line.recv() == b"in"
        for task in flood:
            task.cancel()


async def test_arrivals_of_one_address_are_bounded():
    door = Bounds(arrivals_per_address=(5, 0.001))
    async with RelayServer(relay_config(door=door)) as relay:
        nobody = guest_address(relay.urls[0], fingerprint(BOB.public))
        found = []
        for _ in range(8):
            try:
                found.append(await status(nobody, OTHER))
            except Exception as error:  # cut off before the answer
                found.append(type(error).__name__)
        assert found[:5] == [503] * 5 and len(relay.connections) == 0
        async with fake_table(relay.urls[0], ANN) as table:  # from another address
            await open_fake(table, relay)


async def knock(port: int) -> None:
    """Connect, and wait until the other side has closed."""
    reader, writer = await asyncio.open_connection(HERE, port)
    with contextlib.suppress(ConnectionError):
        await reader.read()
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


@pytest.mark.parametrize("seconds", [0.5, 60])
async def test_refused_arrivals_are_counted_in_the_log(caplog, seconds):
    door = Bounds(arrivals_per_address=(1, 0.001))
    made = relay_config(door=door, look_seconds=0.01, refused_log_seconds=seconds)
    async with RelayServer(made) as relay:
        assert await status(guest_address(relay.urls[0], fingerprint(BOB.public))) == 503
        for _ in range(4):
            await knock(relay.port)
        assert turned_away(caplog) >= 1
        if seconds < 60:
            # nobody comes any more
            await until(lambda: turned_away(caplog) == 4)
    assert turned_away(caplog) == 4


@pytest.mark.parametrize("proxied", [False, True])
async def test_lines_of_a_table_come_in_however_many_arrive(proxied):
    door = Bounds(arrivals_per_address=(2, 0.001), arrivals=(2, 0.001), per_address=2)
    proxies = parse_networks([f"{OTHER}/32"]) if proxied else ()
    home = {"additional_headers": {"X-Forwarded-For": "192.0.2.1"}} if proxied else {}
    away = {"additional_headers": {"X-Forwarded-For": "192.0.2.2"}} if proxied else {}
    async with (
        RelayServer(relay_config(door=door, proxies=proxies)) as relay,
        fake_table(relay.urls[0], ANN) as table,
    ):
        url = relay.urls[0]
        guest = guest_address(url, await open_fake(table, relay))
        where = OTHER if proxied else HERE
        for _ in range(2 if proxied else 1):  # beside the table's own line
            await status(Address(HERE, relay.port, "ws", "/nothing"), where, **home)
        local = OTHER if proxied else "127.0.0.3"
        coming = asyncio.create_task(status(guest, local, **away))
        token = (await table.next()).token
        # nothing more comes from the table's address, but the line that a guest waits for
        assert await status(guest, where, **home) == 503
        assert await status(line_address(url, bytes(16)), where, **home) == 503
        assert await status(line_address(url, token), where, **home) == 101
        assert await coming == 101


async def test_named_proxy_says_for_whom_it_speaks():
    config = relay_config(proxies=parse_networks([f"{OTHER}/32"]))
    async with RelayServer(config) as relay, fake_table(relay.urls[0], ANN) as table:
        guest = guest_address(relay.urls[0], await open_fake(table, relay))
        assert await status(guest, OTHER) == 400
        header = {"X-Forwarded-For": "2001:db8:1:2:3::4"}
        coming = asyncio.create_task(status(guest, OTHER, additional_headers=header))
        told = await table.next()
        assert told.address == "2001:db8:1:2::/64"
        table.say(TurnAway(told.token))
        assert await coming == 503


async def test_nothing_is_left_when_all_have_gone():
    async with RelayServer(relay_config()) as relay:
        async with fake_table(relay.urls[0], ANN) as table:
            whose = await open_fake(table, relay)
            async with joined(relay, table, whose) as (guest, _):
                await guest.send(b"x")
        await until(lambda: not relay.connections and not relay._lines)
        assert not relay._rate_keys and not relay.switchboard.channels


async def test_web_server_in_front_that_is_not_named_is_noticed(caplog):
    header = {"additional_headers": {"X-Forwarded-For": "192.0.2.1"}}
    async with RelayServer(relay_config()) as relay:
        nobody = guest_address(relay.urls[0], fingerprint(BOB.public))
        assert await status(nobody) == 503
        assert not caplog.records
        assert await status(nobody, **header) == 503
        assert "is not named with --proxy" in caplog.text
