"""Directories in a tab: a list that lies beside the page, and a table at a relay that lets the page in."""

from pathlib import Path
from time import time

import pytest

from protocol.directory.link import ListLink
from protocol.directory.table_list import encode_list
from protocol.identity.address import Address
from protocol.identity.keys import fingerprint
from protocol.messages.relay import guest_address
from relay.server import RelayServer
from tests.page.tabs import built_page, open_tab, web_server
from tests.page.test_directories import PANEL, add
from tests.page.visits import RELAY_NAME, Visits, sideways, violations
from tests.support.directories import BOB, DIRECTORY, report
from tests.support.directories import web_server as other_server
from tests.support.relays import behind, relay_config

pytestmark = [pytest.mark.match, pytest.mark.process, pytest.mark.slow]


async def test_tab_browses_a_list_and_sits_down_at_a_relay(visits: Visits, tmp_path: Path) -> None:
    lists = tmp_path / "lists"
    lists.mkdir()
    async with (
        web_server(built_page(), more=lists) as site,
        RelayServer(relay_config(origins=(site.rstrip("/"),))) as relay,
        behind(tmp_path / "table", *relay.urls) as table,
    ):
        now = int(time())
        whose = fingerprint(table.identity.public)
        there = guest_address(Address(RELAY_NAME, relay.port, "ws"), whose)
        times = {"number": now, "expires": now + 900}
        rows = [
            report(table.identity, name="Corner", address=str(there), **times),
            report(BOB, name="Attic", **times),
        ]
        encoded = encode_list(rows, now, now + 900, DIRECTORY)
        (lists / "tables.list").write_bytes(encoded)
        link = ListLink(f"{site}more/tables.list", fingerprint(DIRECTORY.public))
        page = await open_tab(visits, site)
        await page.wait_for_selector(".bar")
        with other_server(lambda: encoded) as elsewhere:
            await add(page, elsewhere)
            await page.get_by_text("from its own web server alone").wait_for()
        await add(page, link)
        attic = page.locator(f"{PANEL} .listed li", has_text="Attic")
        assert "only a program can call it" in await attic.inner_text()
        assert (await violations(page), await sideways(page)) == ([], "")
        await page.get_by_role("button", name="Seat me anywhere").click()
        asks = page.locator("dialog[open]")
        assert str(there) in await asks.inner_text()
        assert not table.connections
        await asks.locator(".danger").click()
        await page.wait_for_selector("li.panel:has-text('seats are taken')")
        assert table.connections
        # an older list than one that was seen is refused, also after a reload
        (lists / "tables.list").write_bytes(encode_list(rows, now - 1, now + 900, DIRECTORY))
        await page.close()
        again = await visits.tab(page.context, site)
        await again.locator("#name").press("Enter")
        await again.wait_for_selector(".bar")
        await add(again, link)
        await again.get_by_text("shows an old list").wait_for()
