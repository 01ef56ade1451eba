"""Tickets over real sockets: at every door, with a signer, at several hosts, and by our own
programs.
"""

import asyncio
from itertools import count
from random import Random

import pytest

from bots.dominoes import greedy_bot
from protocol.audit.verdict import Verdict
from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.session.session import turned_away
from table.manager.server import TableServer
from tests.integration.cluster.hosts import hear_each_other, hosts
from tests.integration.table.test_proxies import VERSIONS, Proxied
from tests.support.doors import HERE, ways
from tests.support.play import play
from tests.support.signers import threaded
from tests.support.tables import close_all, config, guest, seated, until
from tests.support.wire_client import WireClient

pytestmark = pytest.mark.match

FULL = {"connections": 3}
SEEDS = count(300)
TURNED_AWAY = tuple(map(turned_away, (Code.TOO_MANY, Code.TOO_MANY_HERE)))


async def resumed(client: WireClient, match_id: bytes) -> WireClient:
    """Greet, and come back to a match."""
    await client.greet()
    await client.send("resume", match_id, None, None)
    await client.expect("match")
    return client


async def no_place(client: WireClient) -> None:
    """Check that a client is turned away after its first message."""
    await client.write(client.session.start())
    assert await client.read_to_end() in TURNED_AWAY
    await client.close(polite=False)


async def test_seat_comes_back_over_websocket(tmp_path):
    async with TableServer(config(tmp_path, ways=ways(), bounds=FULL)) as table:
        ann, bob = await seated(table, 1, 2)
        crowd = await guest(table, 3, "Eve")
        ticket = await ann.keep_ticket()
        await no_place(await WireClient(table.web_link, next(SEEDS)).connect())
        again = WireClient(table.web_link, next(SEEDS), ann.name, ann.identity, ticket=ticket)
        await resumed(await again.connect(), ann.match_id)
        newer = await again.keep_ticket()
        back = WireClient(table.link, next(SEEDS), ann.name, ann.identity, ticket=newer)
        await resumed(await back.connect(), ann.match_id)
        await close_all(ann, bob, crowd, again, back)


async def test_seat_comes_back_through_proxy(tmp_path):
    bounds = {"per_address": 2}
    async with TableServer(config(tmp_path, ways=ways(HERE), bounds=bounds)) as table:
        header = VERSIONS[2]("198.51.100.7")
        clients = []
        for seed, name in ((1, "Ann"), (2, "Bob")):
            client = Proxied(table.link, seed, name)
            client.header = header
            clients.append(await (await client.connect()).greet())
        ann, bob = clients
        for client in clients:
            await client.join()
        await ann.expect("match")
        ticket = await ann.keep_ticket()
        stranger = Proxied(table.link, next(SEEDS), "Eve")
        stranger.header = header
        await no_place(await stranger.connect())
        again = Proxied(table.link, next(SEEDS), ann.name, ann.identity, ticket=ticket)
        again.header = header
        await resumed(await again.connect(), ann.match_id)
        await close_all(ann, bob, again)


async def test_seat_comes_back_to_table_with_signer_started_again(tmp_path):
    with threaded(tmp_path / "signer") as signer:
        async with TableServer(config(tmp_path, signer=signer.path)) as table:
            ann, bob = await seated(table, 1, 2)
            ticket = await ann.keep_ticket()
            await close_all(ann, bob)
        again = config(tmp_path, signer=signer.path, bounds={"connections": 1})
        async with TableServer(again) as table:
            crowd = await guest(table, 3, "Eve")
            await no_place(await WireClient(table.link, next(SEEDS)).connect())
            back = WireClient(table.link, next(SEEDS), ann.name, ann.identity, ticket=ticket)
            await resumed(await back.connect(), ann.match_id)
            await close_all(crowd, back)


async def test_every_host_takes_ticket_of_another(tmp_path):
    """A full host says where the match is; the host that takes it over has the seat back."""
    async with hosts(tmp_path, "a", "b", bounds={"connections": 2}) as there:
        await hear_each_other(*there.tables.values())
        name = there.tables["a"].manager.cluster.view.home("main").name
        home = there.tables[name]
        ann, bob = await seated(home, 1, 2)
        ticket = await ann.keep_ticket()
        (other,) = [table for table in there.tables.values() if table is not home]
        crowd = [await guest(other, seed, f"Eve {seed}") for seed in (5, 6)]
        await until(lambda: other.manager.cluster.has_match(ann.match_id))
        await no_place(await WireClient(other.link, next(SEEDS)).connect())
        lost = WireClient(other.link, next(SEEDS), ann.name, ann.identity, ticket=ticket)
        await (await lost.connect()).greet()
        await lost.send("resume", ann.match_id, None, None)
        assert (await lost.expect("moved"))[1] == ann.match_id
        await lost.close()
        await there.kill(name)
        await until(lambda: ann.match_id in other.matches.feeds)
        again = WireClient(other.link, next(SEEDS), ann.name, ann.identity, ticket=ticket)
        await resumed(await again.connect(), ann.match_id)
        await close_all(ann, bob, *crowd, again)


async def test_program_whose_line_breaks_comes_back_to_full_table(tmp_path):
    """It does so over a new line, and as a new process that finds its ticket on disk."""
    async with TableServer(config(tmp_path / "table")) as table:
        identities = {name: Identity(Random(name).randbytes(32)) for name in ("Ann", "Bob")}

        def start(name: str, seed: int) -> asyncio.Task:
            return asyncio.create_task(
                play(
                    table.link,
                    identities[name],
                    name,
                    greedy_bot,
                    rng=Random(seed),
                    state_dir=tmp_path / name,
                )
            )

        runs = {name: start(name, seed) for seed, name in enumerate(identities)}
        await until(lambda: any(feed.stored > 4 for feed in table.matches.feeds.values()))
        table.admission._most = 0  # strangers have all places, and each that becomes free
        key = identities["Ann"].public
        table.manager.people[key].connection.abort()
        await until(lambda: table.metrics.tickets == 1 and key in table.manager.people)
        await until(lambda: table.manager.people[key].seat is not None)
        if not runs["Ann"].done():
            runs["Ann"].cancel()
            await asyncio.wait([runs["Ann"]])
            runs["Ann"] = start("Ann", 77)
        outcomes = await asyncio.gather(*runs.values())
        assert [outcome.verdict for outcome in outcomes] == [Verdict.CLEAN, Verdict.CLEAN]
        assert table.metrics.tickets >= 2
        assert not list((tmp_path / "Ann" / "matches").glob("*.ticket"))
