"""Hosts die, and other hosts continue their matches."""

import asyncio
from dataclasses import replace

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.errors import LocalError
from table.storage.shared.match_notes import decode_note
from tests.integration.cluster.hosts import PACE, hosts
from tests.support.errors import raises_text
from tests.support.tables import close_all, exported, guest, seated, until
from tests.support.wire_client import Player

pytestmark = pytest.mark.match


async def back(table, players):
    """Connect players of a dead host to another one."""
    for number, player in enumerate(players):
        await player.client.close()
        client = await guest(
            table, 50 + number, player.client.name, identity=player.client.identity
        )
        client.rng = player.client.rng
        await client.send("resume", player.client.match_id, player.holds, None)
        await client.expect("match")
        player.client = client


async def begun(table, entries=5):
    players = [Player(client) for client in await seated(table, 1, 2)]
    await asyncio.gather(*(player.run(until=entries) for player in players))
    return players


async def finished(players, table):
    async with asyncio.timeout(60):
        await asyncio.gather(*(player.run() for player in players))
    assert players[0].file == players[1].file == await exported(table, players[0].client.match_id)
    assert audit(players[0].file).verdict is Verdict.CLEAN
    await close_all(*(player.client for player in players))


async def home(there, table="main"):
    """Return the home of a table, on which all hosts must agree."""
    views = [each.manager.cluster.view for each in there.tables.values()]
    await until(lambda: all(len(view.taking()) == len(there.tables) for view in views))
    (name,) = {view.home(table).name for view in views}
    return there.tables[name]


async def test_match_continues_at_another_host_after_its_host_dies(tmp_path):
    async with hosts(tmp_path, "a", "b", "c") as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        await there.kill(table.config.cluster.name)
        await until(lambda: any(match_id in each.matches.feeds for each in there.tables.values()))
        (heir,) = [each for each in there.tables.values() if match_id in each.matches.feeds]
        assert heir.metrics.claims == {"claimed": 1}
        await back(heir, players)
        await finished(players, heir)


async def test_host_repeats_claim_that_the_store_lost(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        await there.kill(table.config.cluster.name)
        (heir,) = there.tables.values()
        await until(lambda: match_id in heir.matches.feeds)
        kinds = [decode_note(data).kind for _, data in there.shared.items[-2:]]
        assert kinds == ["claim", "carried"]
        there.shared.lose(2)
        there.shared.items.append(("another", b""))
        await until(lambda: heir.metrics.claims["claimed"] == 2 and match_id in heir.matches.feeds)
        await back(heir, players)
        await finished(players, heir)


async def test_new_host_takes_nothing_from_running_hosts(tmp_path):
    async with hosts(tmp_path, "a") as there:
        (first,) = there.tables.values()
        players = await begun(first)
        others = await there.begin("b", "c")
        # time of the next scan of a host that has just scanned once more
        looked = first.manager.time() + 2 * PACE.scan
        await until(lambda: all(each.manager.cluster.claims._scan_at > looked for each in others))
        assert not any(each.metrics.claims for each in others)
        await finished(players, first)


async def test_restarted_host_continues_its_own_matches(tmp_path):
    async with hosts(tmp_path, "a") as there:
        players = await begun(there.tables["a"])
        await there.kill("a")
        (again,) = await there.begin("a")
        await until(lambda: again.matches.feeds)
        await back(again, players)
        await finished(players, again)


async def test_two_hosts_of_one_name_are_refused(tmp_path):
    async with hosts(tmp_path, "a") as there:
        with raises_text(LocalError, match="is called a"):
            await there.table("a").__aenter__()


async def test_second_host_of_a_name_is_answered_before_the_next_beat(tmp_path):
    pace = replace(PACE, beat=60.0, silent=180.0, hear=0.5)
    async with hosts(tmp_path) as there:
        await there.begin("a", pace=pace)
        with raises_text(LocalError, match="is called a"):
            await there.table("a", pace=pace).__aenter__()


async def test_a_host_with_another_key_is_refused(tmp_path):
    async with hosts(tmp_path, "a") as there:
        there.key.write_bytes(b"o" * 32)
        with raises_text(LocalError, match="belongs to another table"):
            await there.table("b").__aenter__()


async def test_returning_player_is_redirected_or_waits_for_new_owner(
    tmp_path,
):
    async with hosts(tmp_path, "a", "b", "c") as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        others = [each for each in there.tables.values() if each is not table]
        lost = await guest(others[0], 60, "Seat A", identity=players[0].client.identity)
        await until(lambda: others[0].manager.cluster.view.of_match(match_id) is not None)
        for question in (("resume", match_id, None, None), ("join", None)):
            await lost.send(*question)
            assert await lost.expect("moved") == [f"127.0.0.1:{table.link.port}", match_id]
        await lost.send("spectate", "main")
        assert await lost.expect("error") == ["already_seated"]
        await lost.send("resume", b"n" * 32, None, None)
        assert await lost.expect("error") == ["wrong_match"]
        await there.kill(table.config.cluster.name)
        _, heard = others[0].manager.cluster.view._beats[table.config.cluster.name]
        # until then the first host may be alive
        await until(lambda: others[0].manager.time() > heard + 2 * PACE.beat)
        await lost.send("resume", match_id, None, None)
        async with asyncio.timeout(60):
            told = await lost.receive()
            heir = others[0] if told.name == "match" else others[1]
            assert told.name == "match" or told.values[0] == f"127.0.0.1:{heir.link.port}"
        await lost.close()
        await back(heir, players)
        await finished(players, heir)
        reader = await guest(
            others[0] if heir is others[1] else others[1], 61, "Seat A", identity=lost.identity
        )
        await reader.send("resume", match_id, None, None)
        assert (await reader.expect("match"))[1] == match_id
        await close_all(reader)


async def test_stopping_host_releases_matches_and_names_the_successor(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        del there.tables[table.config.cluster.name]
        (heir,) = there.tables.values()
        stopping = asyncio.create_task(table.stop())
        for player in players:
            while (told := await player.client.receive()).name == "entry":
                await player.take(told)
            assert (told.name, told.values) == ("moved", [f"127.0.0.1:{heir.link.port}", match_id])
        await back(heir, players)
        await stopping
        assert (table.metrics.released, heir.metrics.claims) == (1, {"claimed": 1})
        await finished(players, heir)


async def test_host_overtaken_while_asleep_releases_its_players(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        (other,) = [each for each in there.tables.values() if each is not table]
        other.matches.take(match_id)  # as if it had not heard from the first host for three seconds
        for player in players:
            while (told := await player.client.receive()).name == "entry":
                await player.take(told)
            assert (told.name, told.values) == ("moved", [f"127.0.0.1:{other.link.port}", match_id])
        await until(lambda: match_id not in table.matches.feeds)
        await back(other, players)
        await finished(players, other)
