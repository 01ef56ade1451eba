"""Attacks of foreign pages, names, frames and people against the page of the own program, in a real
browser.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest_asyncio

from player.client import events
from tests.page.visits import Visits
from tests.support.fake_table import FakeTable
from tests.support.pages import Served, playing, serving

READY = "html[data-ready]"
MARKUP = "<img onerror=alert(1)>"
HOSTILE = """<!doctype html><title>hostile</title><p id=out></p><script>
const target = "http://127.0.0.1:{port}";
const body = '{{"ticket":"{ticket}"}}';
const tries = {{
  session: () => fetch(target + "/api/session", {{method: "POST", body}}).then((r) => r.text()),
  blind: () => fetch(target + "/api/session", {{method: "POST", mode: "no-cors", body}}),
  cookies: () => fetch(target + "/api/log", {{credentials: "include"}}).then((r) => r.text()),
  bearer: () => fetch(target + "/api/log", {{headers: {{Authorization: "Bearer x"}}}}).then((r) => r.text()),
  script: () => new Promise((yes, no) => {{
    const made = document.createElement("script");
    made.src = target + "/static/all.js"; made.onload = yes; made.onerror = no; document.head.append(made);
  }}),
  image: () => new Promise((yes, no) => {{
    const made = new Image(); made.src = target + "/static/icon.svg"; made.onload = yes; made.onerror = no;
  }}),
}};
(async () => {{
  const got = [];
  for (const [name, attempt] of Object.entries(tries)) {{
    try {{ const said = await attempt(); if (said?.type !== "opaque") got.push(name); }} catch {{}}
  }}
  document.getElementById("out").textContent = got.join(" ") || "nothing";
}})();
</script>"""
FRAME = (
    '<!doctype html><title>frame</title><iframe src="http://127.0.0.1:{port}/#t={ticket}"></iframe>'
)
FORM = """<!doctype html><title>form</title><form method=post enctype=text/plain action="http://127.0.0.1:{port}/api/do">
<input name='{{"serial":1,"offer":0,"x":"' value='"}}'></form><script>document.forms[0].submit()</script>"""


@asynccontextmanager
async def foreign(text: str) -> AsyncIterator[str]:
    """Run a foreign server on this machine with one page. Yield its address."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = text.encode()
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: "
            f"{len(body)}\r\nConnection: close\r\n"
        )
        writer.write(f"{head}Set-Cookie: session=x; Path=/\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


@pytest_asyncio.fixture(loop_scope="session")
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """Serve a page without a match."""
    async with serving(tmp_path) as made:
        yield made


async def test_link_works_once_and_is_in_no_request(visits: Visits, served: Served):
    link = served.links.new()
    asked: list[str] = []
    page = await visits.open()
    page.on("request", lambda request: asked.append(request.url + str(request.headers)))
    await page.goto(link)
    await page.wait_for_selector(READY)
    assert page.url == f"http://127.0.0.1:{served.port}/" and await page.context.cookies() == []
    ticket = link.rpartition("=")[2]
    assert asked and not any(ticket in request for request in asked)
    assert await page.evaluate("history.length") <= 2, "nobody goes back to the ticket"
    other = await visits.open(link)
    told = await other.get_by_role("alert").inner_text()
    assert "open in another tab" in told and "press Enter there" in told
    visits.forgive("403")


async def test_reloaded_tab_needs_no_link(visits: Visits, served: Served):
    page = await visits.open(served.links.new())
    await page.wait_for_selector(READY)
    await page.reload()
    await page.wait_for_selector(READY)
    assert await page.get_by_role("alert").count() == 0
    stranger = await visits.open(f"http://127.0.0.1:{served.port}/")
    assert "press Enter there" in await stranger.get_by_role("alert").inner_text()
    visits.forgive("403")


async def test_a_page_on_another_port_gets_nothing_and_does_nothing(visits: Visits, served: Served):
    ours = await visits.open(served.links.new())
    await ours.wait_for_selector(READY)
    ticket = served.ticket
    async with foreign(HOSTILE.format(port=served.port, ticket=ticket)) as address:
        # in the same browser, in which our page is open
        page = await visits.tab(ours.context, address)
        await page.wait_for_selector("#out:not(:empty)")
        assert await page.inner_text("#out") == "nothing"
    assert visits.complaints != []
    visits.complaints.clear()
    assert (await served.post("session", {"ticket": ticket})).status == 200, "nobody has used it"


async def test_a_form_of_another_page_is_refused(visits: Visits, served: Served):
    async with foreign(FORM.format(port=served.port)) as address:
        page = await visits.open(address)
        await page.wait_for_url("**/api/do")
        assert "Only fairdeal's own page" in await page.inner_text("body")
    visits.forgive("403")


async def test_rebound_name_is_misdirected(visits: Visits, served: Served):
    page = await visits.open()
    answer = await page.goto(f"http://evil.test:{served.port}/#t={served.ticket}")
    assert answer is not None and answer.status == 421
    assert await page.locator("script").count() == 0
    visits.complaints.clear()


async def test_page_cannot_be_framed(visits: Visits, served: Served):
    ticket = served.ticket
    async with foreign(FRAME.format(port=served.port, ticket=ticket)) as address:
        page = await visits.open(address)
        (frame,) = page.frames[1:]
        assert await frame.locator(READY).count() == 0 and await frame.locator("#root").count() == 0
    visits.complaints.clear()
    assert (await served.post("session", {"ticket": ticket})).status == 200, "nobody has used it"


async def test_injected_markup_does_not_run(visits: Visits, served: Served):
    page = await visits.open(served.links.new())
    await page.wait_for_selector(READY)
    refused = await page.evaluate(
        """() => {
          const failed = [];
          try { document.body.innerHTML = "<b>x</b>"; } catch { failed.push("innerHTML"); }
          try { document.write("<b>x</b>"); } catch { failed.push("write"); }
          try { trustedTypes.createPolicy("any", {createHTML: (text) => text}); } catch { failed.push("policy"); }
          try { globalThis.setTimeout("globalThis.ran = 1"); } catch { failed.push("text"); }
          const script = document.createElement("script");
          try { script.text = "globalThis.ran = 1"; document.body.append(script); } catch { failed.push("script"); }
          const button = document.createElement("button");
          try { button.setAttribute("onclick", "globalThis.ran = 1"); } catch { failed.push("attribute"); }
          button.click();
          return [failed, globalThis.ran ?? 0];
        }"""
    )
    assert refused == [["innerHTML", "write", "policy", "text", "script", "attribute"], 0]
    visits.complaints.clear()


async def test_page_sends_no_request_elsewhere(visits: Visits, served: Served):
    page = await visits.open(served.links.new())
    await page.wait_for_selector(READY)
    assert "refused" in await page.evaluate(
        "() => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"
    )
    visits.complaints.clear()


async def test_markup_of_others_is_text(visits: Visits, tmp_path: Path):
    async with playing(FakeTable(2), tmp_path, name=MARKUP) as (page, _):
        tab = await visits.open(page.links.new())
        await tab.wait_for_selector(READY)
        await tab.locator(".match .self").get_by_text(MARKUP).first.wait_for()
        page.screen.hear(events.Said(1, MARKUP))
        await tab.locator(".talk, [role=log]").get_by_text(MARKUP).last.wait_for()
        assert await tab.locator("img").count() == 0
        assert await tab.locator("bdi", has_text=MARKUP).count() >= 1
