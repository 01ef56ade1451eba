"""Tables that only call out, and guests who find them at a relay: real sockets."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client.table_client import Plan
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.identity.keys import Identity, JoinLink
from protocol.limits import RELAY_RETRY_SECONDS
from relay.server import RelayServer
from tests.support.play import play
from tests.support.relays import behind, relay_config, relayed, relayed_guest
from tests.support.tables import until
from tests.support.wire_client import play_match


async def match(links, tmp_path):
    """Play a match of two bots over these links; return the log of the first."""
    log = tmp_path / "ann.fairdeal"
    outcomes = await asyncio.gather(
        *(
            play(
                link,
                Identity(Random(name).randbytes(32)),
                name,
                greedy_bot,
                rng=Random(name),
                plan=Plan(name),
                log_path=log if name == "Ann" else None,
            )
            for name, link in links.items()
        )
    )
    assert [outcome.verdict for outcome in outcomes] == [Verdict.CLEAN, Verdict.CLEAN]
    return log.read_bytes()


@pytest.mark.match
async def test_match_through_relay_and_directly_is_clean(tmp_path):
    async with relayed(tmp_path / "table") as (relay, table):
        links = {"Ann": table.relay_links[0], "Bob": table.link}
        assert audit(await match(links, tmp_path)).verdict is Verdict.CLEAN
        await until(lambda: not table.connections)
        assert not table.metrics.errors
        assert len(relay.connections) == 1  # of the table


@pytest.mark.match
async def test_all_seats_through_relay_play_to_the_end(tmp_path):
    async with relayed(tmp_path) as (_, table):
        players = await play_match(table.relay_links[0], 2)
        assert audit(players[0].file).verdict is Verdict.CLEAN


async def test_relay_link_works_as_text(tmp_path):
    async with relayed(tmp_path, invite=True) as (_, table):
        link = table.relay_links[0]
        assert link.invite and JoinLink.parse(str(link)) == link


async def test_two_programs_with_one_key_do_not_push_each_other_out(tmp_path):
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    async with (
        RelayServer(relay_config()) as relay,
        behind(tmp_path / "first", *relay.urls, key=key) as first,
        behind(tmp_path / "second", *relay.urls, key=key) as second,
    ):
        await until(lambda: not first.open_relays)
        assert first.relay_links == second.relay_links
        await asyncio.sleep(2 * RELAY_RETRY_SECONDS)
        assert second.open_relays and not first.open_relays
        ann = await relayed_guest(first)
        assert second.connections and not first.connections
        await ann.close()


async def test_table_that_stops_tells_its_guests(tmp_path):
    async with RelayServer(relay_config()) as relay:
        async with behind(tmp_path, *relay.urls) as table:
            ann = await relayed_guest(table)
        while await ann.receive() is not None:
            pass
        assert ann.closed.code is Code.CLOSING
        await until(lambda: not relay.connections)


@pytest.mark.slow
async def test_guest_comes_back_after_the_relay_restarts(tmp_path):
    async with AsyncExitStack() as first:
        relay = await first.enter_async_context(RelayServer(relay_config()))
        async with behind(tmp_path, *relay.urls) as table:
            before = await relayed_guest(table)
            await first.aclose()
            await until(lambda: not table.open_relays and not table.connections)
            async with RelayServer(replace(relay.config, urls=relay.urls, port=relay.port)):
                await until(lambda: table.open_relays)
                ann = await relayed_guest(table)
                await ann.close()
            await before.close()
