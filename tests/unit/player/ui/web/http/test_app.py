"""The page's server under byte-level requests: names, origins, tokens, bounds, and the headers of
every answer.
"""

import asyncio
import socket
from contextlib import AsyncExitStack

import pytest

from net.http.server import ServerBounds, open_listener, serve
from player.ui.web.http.access import HEADERS, POLICY
from player.ui.web.http.app import Page, PageLanguage, make_app
from protocol.errors import LocalError
from protocol.i18n import english
from protocol.limits import MAX_PAGE_BODY, MAX_PAGE_CONNECTIONS, MAX_PAGE_HEADERS
from tests.support.errors import raises_text
from tests.support.pages import parsed, serving

EVERYTHING = (
    "GET /",
    "GET /static/all.js",
    "GET /static/none.js",
    "POST /api/session",
    "GET /api/log",
    "PUT /",
)
ELSEWHERE = (
    "/static/../http/app.py",
    "/static/%2e%2e/screen.py",
    "/static/",
    "/static/match",
    "/x",
    "/..",
)
WRONG = (
    *(b"[", b"[]", b"1", b"[" * 4000, b"\xff", b'{"serial":1}', b'{"serial":true,"offer":1}'),
    b'{"serial":1,"offer":1,"numbers":[1.5]}',
    b'{"serial":1,"offer":1,"more":1}',
)
OTHERS = (  # headers that a browser adds to requests of other pages
    *({"sec_fetch_site": site} for site in ("same-site", "cross-site", "none")),
    *({"origin": origin} for origin in ("http://127.0.0.1:1", "null", "http://evil.test")),
)


@pytest.fixture
async def page(tmp_path):
    async with serving(tmp_path) as made:
        yield made


async def test_page_document_needs_no_token(page):
    answer = await page.request("GET /")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"all.js" in answer.body
    script = await page.request("GET /static/all.js")
    assert (script.status, script.headers["content-type"]) == (
        200,
        "text/javascript; charset=utf-8",
    )


@pytest.mark.slow
async def test_unknown_path_is_not_served(page):
    for path in ELSEWHERE:
        assert (await page.request(f"GET {path}")).status == 404, path


@pytest.mark.slow
async def test_every_answer_has_security_headers_and_no_cookie(page):
    for what in EVERYTHING:
        answer = await page.request(what)
        assert {name.lower(): value for name, value in HEADERS}.items() <= answer.headers.items(), (
            what
        )
        assert "set-cookie" not in answer.headers and "server" not in answer.headers, what


async def test_refusal_by_server_library_has_security_headers(page):
    answer = await page.raw(b"nonsense\r\n\r\n")
    assert answer.status == 400 and answer.headers["content-security-policy"] == POLICY


@pytest.mark.slow
@pytest.mark.parametrize("what", EVERYTHING[:4])
async def test_request_for_another_name_is_misdirected(page, what):
    await page.enter()
    for host in ("evil.test", f"evil.test:{page.port}", "127.0.0.1", "127.0.0.1:1", "localhost"):
        assert (await page.request(what, host=host)).status == 421, host


async def test_localhost_name_is_accepted(page):
    assert (await page.request("GET /", host=f"localhost:{page.port}")).status == 200


@pytest.mark.slow
async def test_request_through_own_proxy_is_accepted(tmp_path):
    async with serving(tmp_path, name="mine.test") as page:
        assert page.links.new().startswith("https://mine.test/#t=")


@pytest.mark.slow
@pytest.mark.parametrize("name", ("session", "do", "command"))
async def test_request_of_another_page_is_refused(page, name):
    await page.enter()
    for headers in OTHERS:
        ticket = page.ticket
        assert (await page.post(name, {"ticket": ticket}, **headers)).status == 403, headers
        assert (await page.post("session", {"ticket": ticket})).status == 200, (
            "nothing of it was done"
        )


@pytest.mark.slow
@pytest.mark.parametrize("token", ("", "nonsense"))
async def test_request_without_token_is_refused(page, token):
    page.token = token
    for name in ("events", "deeds?from=0&to=1", "log", "invitation", "nothing"):
        answer = await page.get(name)
        assert answer.status == 401 and "press Enter there" in answer.json["error"], name


async def test_ticket_gives_a_token_once(page):
    ticket = page.ticket
    first = await page.post("session", {"ticket": ticket})
    assert (
        first.status == 200
        and first.json["mode"] == "play"
        and first.json["labels"]["page.program.lost"]
    )
    again = await page.post("session", {"ticket": ticket})
    assert (
        again.status == 403
        and "press Enter there" in again.json["error"]
        and "token" not in again.json
    )


@pytest.mark.slow
async def test_reloaded_page_keeps_its_token(page):
    entered = await page.enter()
    loaded = await page.post("session")
    assert loaded.json == entered | {"token": None}
    assert (await page.post("session", authorization="")).status == 403


@pytest.mark.slow
async def test_expired_ticket_is_refused():
    hours, listener = [0.0], open_listener()
    made = Page(
        "play", lambda header: PageLanguage("en", {}), lambda: english, (), now=lambda: hours[0]
    )
    ticket, port = made.access.ticket(0), listener.getsockname()[1]
    async with serve(make_app(made, port), listener, HEADERS):
        hours[0] = 3600.0
        body = b'{"ticket":"%s"}' % ticket.encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"host: 127.0.0.1:{port}\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(f"POST /api/session HTTP/1.1\r\n{head}".encode() + body)
        assert parsed(await reader.read()).status == 403
        writer.close()


@pytest.mark.slow
async def test_body_above_four_kilobytes_is_refused(page):
    await page.enter()
    longest = b'{"line":"' + b"x" * (MAX_PAGE_BODY - 11) + b'"}'
    assert (await page.post("command", longest)).status == 200
    refused = await page.post("command", b" " + longest)
    assert refused.status == 413 and "4096" in refused.json["error"]
    assert (await page.post("command", content_length=str(1 << 40))).status == 413, (
        "nobody waits for the rest"
    )
    chunked = b"1001\r\n" + b"x" * 4097 + b"\r\n0\r\n\r\n"
    assert (
        await page.post("command", chunked, content_length="", transfer_encoding="chunked")
    ).status == 413


@pytest.mark.slow
async def test_invalid_request_is_refused_with_message(page):
    await page.enter()
    for body in WRONG:
        answer = await page.post("do", body)
        assert (answer.status, answer.json) == (
            400,
            {"error": "That is not a request of this page."},
        ), body


async def test_headers_above_sixteen_kilobytes_are_refused(page):
    assert (await page.request("GET /", x="y" * MAX_PAGE_HEADERS)).status == 431
    assert (await page.request("GET /", x="y" * (MAX_PAGE_HEADERS - 1000))).status == 200


@pytest.mark.slow
async def test_page_server_accepts_sixteen_connections(page):
    await page.enter()
    async with AsyncExitStack() as held:
        for _ in range(MAX_PAGE_CONNECTIONS):
            await held.enter_async_context(page.stream())
        refused = await page.request("GET /")
        assert refused.status == 503 and "content-security-policy" in refused.headers


@pytest.mark.slow
@pytest.mark.parametrize(
    "begun", (b"", b"GET / HT", b"GET / HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n" + b"GET /")
)
async def test_unfinished_request_is_disconnected(begun):
    listener = open_listener()
    made = Page("play", lambda header: PageLanguage("en", {}), lambda: english, ())
    port = listener.getsockname()[1]
    async with (
        asyncio.timeout(120),
        serve(make_app(made, port), listener, HEADERS, ServerBounds(seconds=0.2)),
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(begun.replace(b"{port}", str(port).encode()))
        await reader.read()  # read to the end
        writer.close()


@pytest.mark.slow
async def test_page_at_match_end_is_answered_until_closing(tmp_path):
    begun, over = asyncio.get_running_loop().create_future(), asyncio.Event()

    async def program():
        async with serving(tmp_path) as page:
            begun.set_result(page)
            await over.wait()

    async with asyncio.timeout(120), asyncio.TaskGroup() as tasks:
        ending = tasks.create_task(program())
        page = await begun
        await page.enter()
        async with page.stream() as stream:
            over.set()
            await stream.until("ended")
            assert (await page.get("deeds?from=0&to=1")).json == []
            assert not ending.done()


@pytest.mark.slow
async def test_page_staying_after_the_end_is_disconnected(tmp_path):
    async with asyncio.timeout(120), AsyncExitStack() as held:
        async with serving(tmp_path, ServerBounds(goodbye=0.1)) as page:
            await page.enter()
            stream = await held.enter_async_context(page.stream())
        await stream.reader.read()  # read to the end


async def test_page_server_listens_only_on_loopback(page):
    with socket.socket() as elsewhere:
        # nobody listens at this other address of the machine
        elsewhere.bind(("127.0.0.2", page.port))


async def test_page_server_never_shares_an_occupied_port():
    with open_listener() as taken, raises_text(LocalError, match="The page cannot be shown"):
        open_listener(taken.getsockname()[1])
