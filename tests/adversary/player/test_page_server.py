"""The page's server under attack by strangers without a token, and by a page with one."""

import asyncio
import logging
from contextlib import suppress
from threading import Event, Thread

import pytest
from starlette.types import Receive, Scope, Send

from net.http.server import open_listener, serve
from protocol.limits import MAX_PAGE_BODY, MAX_PAGE_CONNECTIONS
from tests.support.fake_table import FakeTable
from tests.support.pages import playing, serving

HALF = b'"\\ud800"'  # half of a surrogate pair, which no text contains
NO_TEXT = (
    b'{"ticket":%s}' % HALF,
    b'{"proof":%s}' % HALF,
    b'{"nonce":%s}' % HALF,
    b'{"nonce":"nnnnnnnnnnnnnnnn","answer":%s,"proof":""}' % HALF,
    b"{%s:1}" % HALF,
)
STRANGERS = MAX_PAGE_CONNECTIONS - 1
UNFINISHED = b"POST /api/session HTTP/1.1\r\nhost: {host}\r\ncontent-length: 9\r\n\r\n"
# requests whose answers are not read
UNREAD = 2000 * b"GET /static/all.js HTTP/1.1\r\nhost: {host}\r\n\r\n"


@pytest.fixture
async def page(tmp_path):
    async with serving(tmp_path) as made:
        yield made


@pytest.mark.parametrize("body", NO_TEXT)
async def test_page_binary_message_is_refused_silently(page, body, caplog):
    with caplog.at_level(logging.DEBUG, "uvicorn.error"):
        assert (await page.post("session", body)).status == 400
    assert not caplog.records


@pytest.mark.slow
@pytest.mark.parametrize(
    "begun",
    (b"", b"GET / HT", UNFINISHED, UNREAD),
    ids=("nothing", "a part", "unfinished", "unread"),
)
async def test_strangers_at_page_server_do_not_block_own_page(page, begun):
    await page.enter()
    async with page.stream() as stream:
        held = [
            await asyncio.open_connection("127.0.0.1", page.port, limit=1) for _ in range(STRANGERS)
        ]
        for _, writer in held:
            writer.write(begun.replace(b"{host}", b"127.0.0.1:%d" % page.port))
        assert (await page.post("command", {"line": "help"})).status == 200
        await stream.until("snapshot")  # an admitted page stays
        for _, writer in held:
            writer.close()


async def test_page_server_drops_sender_of_refused_bytes(page):
    reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
    writer.write(
        b"PUT / HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-length: 99999999\r\n\r\n" % page.port
    )
    assert b"405" in await reader.readline()
    writer.write(bytes(2 * MAX_PAGE_BODY))
    with suppress(ConnectionError):
        async with asyncio.timeout(120):
            await reader.read()  # read to the end
    writer.close()


@pytest.mark.slow
async def test_page_peer_not_reading_prints_nothing_at_terminal(caplog):
    listener, sending = open_listener(), asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        sending.set()
        for _ in range(2):  # the second request waits
            await send({"type": "http.response.body", "body": bytes(1 << 25), "more_body": True})

    async with serve(app, listener, ()):
        _, writer = await asyncio.open_connection(*listener.getsockname(), limit=1)
        writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        await sending.wait()
    assert not caplog.records
    writer.close()


@pytest.mark.match
async def test_page_growing_log_is_sent_up_to_its_end(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, log):
        await page.enter()
        async with page.stream() as stream:
            await stream.until(lambda snapshot: snapshot["view"] and snapshot["view"]["offers"])
        stopped = Event()

        def grow() -> None:
            with log.open("ab", buffering=0) as file:
                while not stopped.wait(0.0001):
                    file.write(b"x")

        growing = Thread(target=grow)
        growing.start()
        try:
            answers = [await page.get("log") for _ in range(20)]
        finally:
            stopped.set()
            growing.join()
    assert all(int(each.headers["content-length"]) == len(each.body) for each in answers)


@pytest.mark.match
async def test_typed_line_chooses_from_options_its_page_saw(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            seen = await stream.until(
                lambda snapshot: snapshot["view"] and snapshot["view"]["offers"]
            )
            for other in ({}, {"serial": 10**18}, {"serial": 0}):
                refused = await page.post("command", {"line": "1", **other})
                assert refused.status == 409 and refused.json["snapshot"]["view"]["offers"]
            assert (await page.post("command", {"line": "help"})).status == 200, (
                "which chooses nothing"
            )
            chosen = await page.post("command", {"line": "1", "serial": seen["serial"]})
            assert chosen.status == 200
            await stream.until(lambda snapshot: snapshot["view"]["number"] > seen["view"]["number"])
