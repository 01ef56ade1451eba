"""Tables that strangers create: the games allowed, and the number for each address."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from conformance.table.environment import wire_terms
from conformance.table.match.rule_files.kit_files import KIT
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.registry import BUILT_IN
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest
from protocol.limits import MAX_TABLES_PER_ADDRESS
from protocol.match.state import MatchStage
from table.config import Creation
from table.manager.server import TableServer
from tests.support.tables import CLOCK, close_all, config, finish, guest, surviving, until
from tests.support.wire_client import Player, WireClient

pytestmark = pytest.mark.slow

SLOW = 0.001  # tokens a second: practically none in a test
ELSEWHERE = "127.0.0.2"  # every address of 127.0.0.0/8 is this machine
NIM = wire_terms("nim", [], "none", [], CLOCK, 2)
ALONE = wire_terms("intruder", [], "none", [], CLOCK, 1)
PROTOCOL = wire_terms("intruder", [["protocol", "own"]], "none", [], CLOCK, 1)
FILE = rule_digest(KIT)
THRESHOLD = [["leavers", "threshold"]]


def by_file(game: str, digest: str) -> list:
    return wire_terms(game, [["rules", digest]], "verified", THRESHOLD, CLOCK, 2)


THEIR_OWN = {
    "protocol": PROTOCOL,
    "script": by_file("script", FILE),
    "another-file-for-a-game-that-comes-along": by_file("element-duel", FILE),
}
THAT_COME_ALONG = {
    "nim": NIM,
    "protocol": wire_terms("intruder", [["protocol", "yahalom"]], "none", [], CLOCK, 1),
    "file": wire_terms("mau-mau-shared", [], "verified", THRESHOLD, CLOCK, 3),
    "file-with-owned-cards": wire_terms(
        "element-duel", [["cards", "owned"]], "verified", THRESHOLD, CLOCK, 2
    ),
    "file-by-its-digest": by_file("script", rule_digest(built_in_text("crazy-eights"))),
}


async def elsewhere(
    table: TableServer, seed: int, name: str = "Eve", **values: object
) -> WireClient:
    """Return a greeted client at another address than everybody else in these tests."""
    return await (await WireClient(table.link, seed, name, **values).connect(ELSEWHERE)).greet()


async def created(client: WireClient, terms: list = NIM) -> str:
    await client.send("create", terms)
    (table_id,) = await client.expect("created")
    return table_id


async def refused(client: WireClient, code: Code, terms: list = NIM) -> None:
    await client.send("create", terms)
    await client.expect_error(code)


async def sits_alone(client: WireClient, place: str) -> None:
    """Sit down at a game for one, which begins at once."""
    await client.join(place)
    if not client.match_id:
        await client.expect("match")


# --- which games ---


@pytest.mark.parametrize("allowed", [Creation.GAMES, Creation.ANY])
@pytest.mark.parametrize("terms", THAT_COME_ALONG.values(), ids=THAT_COME_ALONG)
async def test_create_with_bundled_game_is_accepted(tmp_path, allowed, terms):
    async with TableServer(config(tmp_path, creation=allowed)) as table, await guest(table) as ann:
        assert await created(ann, terms) == "table-1"


@pytest.mark.parametrize("terms", THEIR_OWN.values(), ids=THEIR_OWN)
async def test_create_with_own_rules_is_refused_unless_allowed(tmp_path, terms):
    async with surviving(tmp_path / "usual") as table, await guest(table) as ann:
        await refused(ann, Code.NOT_OFFERED, terms)
        assert table.metrics.declined == {Code.NOT_OFFERED: 1}
        assert list(table.lobby.tables) == ["main"]
    async with (
        TableServer(config(tmp_path / "any", creation=Creation.ANY)) as table,
        await guest(table) as ann,
    ):
        assert await created(ann, terms) == "table-1"


@pytest.mark.parametrize("terms", [NIM, PROTOCOL, wire_terms("chess", [], "none", [], CLOCK, 2)])
async def test_create_at_host_only_table_is_refused(tmp_path, terms):
    async with surviving(tmp_path, creation=Creation.NONE) as table, await guest(table) as ann:
        await refused(ann, Code.HOST_ONLY, terms)
        assert list(table.lobby.tables) == ["main"]


async def test_create_with_rule_file_of_host_is_accepted(tmp_path):
    async with (
        TableServer(config(tmp_path, texts=frozenset({FILE}))) as table,
        await guest(table) as ann,
    ):
        assert await created(ann, by_file("script", FILE)) == "table-1"
        await refused(ann, Code.NOT_OFFERED, by_file("script", "a" * 40))
        await refused(ann, Code.NOT_OFFERED, PROTOCOL)


async def test_create_with_added_game_is_accepted(tmp_path):
    games = BUILT_IN.with_specs(replace(BUILT_IN.specs["nim"], name="nim-at-home"))
    async with TableServer(config(tmp_path, games=games)) as table, await guest(table) as ann:
        assert await created(ann, [["nim-at-home", []], *NIM[1:]]) == "table-1"
    async with TableServer(config(tmp_path / "other")) as table, await guest(table) as ann:
        await refused(ann, Code.UNKNOWN_RULES, [["nim-at-home", []], *NIM[1:]])


async def test_table_allowed_before_restart_continues_after_it(tmp_path):
    async with TableServer(config(tmp_path, creation=Creation.ANY)) as table:
        ann, eve = await guest(table, 1, "Ann"), await guest(table, 2, "Eve")
        await sits_alone(ann, await created(ann, PROTOCOL))
        await created(eve, PROTOCOL)
    await close_all(ann, eve)
    at_once = {"returning_alone_seconds": 0.1}
    async with TableServer(config(tmp_path, creation=Creation.NONE, bounds=at_once)) as table:
        again = await guest(table, 3, "Eve", identity=eve.identity)
        await refused(again, Code.HOST_ONLY)
        await sits_alone(again, "table-2")
        back = await guest(table, 4, "Ann", identity=ann.identity)
        await back.join("table-1")
        assert back.match_id == ann.match_id
        for client in (again, back):
            await Player(client, "random").run()
        await close_all(again, back)


# --- how many ---


async def test_one_address_cannot_fill_the_lobby(tmp_path):
    fast = {"creations_per_address": (1000, 1000)}
    async with surviving(tmp_path, bounds=fast) as table, AsyncExitStack() as stack:
        tables = 0
        for number in range(50):
            client = await stack.enter_async_context(await elsewhere(table, 300 + number, "Eve"))
            for _ in range(4):
                await client.send("create", NIM)
                answer = await client.receive()
                tables += answer.name == "created"
        assert tables == MAX_TABLES_PER_ADDRESS
        ann = await stack.enter_async_context(await guest(table))
        await created(ann)


async def test_table_counts_for_its_creator_address(tmp_path):
    """The table counts while a match runs there, also after its creator has gone, and not
    afterwards.
    """
    async with surviving(tmp_path, bounds={"tables_per_address": 1}) as table:
        eve, one = await elsewhere(table, 1, "Eve"), await guest(table, 2, "One")
        two = await guest(table, 3, "Two")
        place = await created(eve)
        await one.join(place)
        await two.join(place)
        await one.expect("match")
        await eve.close()
        await until(lambda: eve.identity.public not in table.manager.people)
        eve = await elsewhere(table, 4, "Eve", identity=eve.identity)
        fay = await elsewhere(table, 5, "Fay")
        await refused(fay, Code.TOO_MANY)
        await eve.close()
        await until(lambda: eve.identity.public not in table.manager.people)
        await refused(fay, Code.TOO_MANY)
        await finish([one, two])
        await created(fay)
        await fay.close()
        await until(lambda: len(table.lobby.tables) == 1)
        gil = await elsewhere(table, 6, "Gil")
        await created(gil)
        await close_all(gil, one, two)


async def test_creation_of_tables_has_a_rate(tmp_path):
    async with surviving(tmp_path, bounds={"creations_per_address": (3, SLOW)}) as table:
        for number in range(3):
            eve = await elsewhere(table, 10 + number, "Eve")
            await created(eve)
            await eve.close()
            await until(lambda: len(table.lobby.tables) == 1)
        fay = await elsewhere(table, 20, "Fay")
        await refused(fay, Code.TOO_MANY)
        await fay.close()
        async with await guest(table) as ann:
            await created(ann)


async def seats_elsewhere(table: TableServer, place: str, *seeds: int) -> list[WireClient]:
    """Return the seats of a match that has just begun, all from the other address."""
    names = [(seed, f"Seat {letter}") for seed, letter in zip(seeds, "ABCD", strict=False)]
    clients = [await elsewhere(table, *each) for each in names]
    for client in clients:
        await client.join(place)
    for client in clients:
        if not client.match_id:
            await client.expect("match")
    return clients


async def test_seats_of_one_address_are_bounded_while_their_match_runs(tmp_path):
    async with surviving(tmp_path, bounds={"seats_per_address": 3}) as table:
        ann = await guest(table, 1, "Ann")
        playing = await seats_elsewhere(table, await created(ann), 2, 3)
        place, free = await created(ann), await created(ann)
        waits, fay = await elsewhere(table, 4, "Waits"), await elsewhere(table, 5, "Fay")
        await waits.join(place)
        await fay.send("join", free)
        await fay.expect_error(Code.TOO_MANY)  # the third match of this client has to wait
        await waits.close()
        await until(lambda: not table.lobby.reserved)
        await playing[0].close()
        await fay.join(free)
        gil = await elsewhere(table, 6, "Gil")
        await gil.send("join", place)
        await gil.expect_error(Code.TOO_MANY)  # the seat stays reserved, connected or not
        await ann.join(place)  # a client from another address sits down
        await ann.send("leave")
        await ann.expect("left")
        back = await guest(table, 7, "Seat A", identity=playing[0].identity)
        await back.join()
        assert back.match_id == playing[0].match_id
        await gil.send("join", place)
        # the seat counts for the address from which it was taken
        await gil.expect_error(Code.TOO_MANY)
        await finish([back, playing[1]])
        await gil.join(place)
        await close_all(ann, fay, gil, back, playing[1])


class Leaver(Player):
    """Player who leaves in its first turn."""

    def post(self) -> bytes | None:
        entry = super().post()
        if entry is None or self.reader.match.stage is not MatchStage.PLAYING:
            return entry
        return self.seat.entry(self.reader.log, Post("leave", []))


class Waiting(Player):
    """Player who does nothing more after another has left."""

    def post(self) -> bytes | None:
        return None if self.reader.match.gone else super().post()


async def test_abandoned_seat_does_not_count_for_its_address(tmp_path):
    terms = wire_terms("draw-dominoes", [["target", 1]], "verified", THRESHOLD, CLOCK, 3)
    async with TableServer(config(tmp_path, bounds={"seats_per_address": 3})) as table:
        ann, fay = await guest(table, 1, "Ann"), await elsewhere(table, 5, "Fay")
        clients = await seats_elsewhere(table, await created(ann, terms), 2, 3, 4)
        place, match_id = await created(ann), clients[0].match_id
        await fay.send("join", place)
        await fay.expect_error(Code.TOO_MANY)
        players = [Leaver(clients[0]), *map(Waiting, clients[1:])]
        playing = [asyncio.create_task(player.run()) for player in players]
        await until(lambda: table.matches.feeds[match_id].live.match.gone)
        await fay.join(place)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        assert match_id in table.matches.feeds  # the remaining seats play on
        await close_all(ann, fay, *clients)


async def test_seats_count_again_as_they_return_after_a_restart(tmp_path):
    bounds = {"seats_per_address": 1, "tables_per_address": 1}
    async with TableServer(config(tmp_path)) as table:
        ann = await guest(table, 1, "Ann")
        place = await created(ann)
        playing = await seats_elsewhere(table, place, 2, 3)
    await close_all(ann, *playing)
    async with TableServer(config(tmp_path, bounds=bounds)) as table:
        back = [
            await elsewhere(table, 10 + number, client.name, identity=client.identity)
            for number, client in enumerate(playing)
        ]
        for client in back:
            await client.join()
            assert client.match_id == playing[0].match_id
        fay = await elsewhere(table, 5, "Fay")
        await fay.send("join", None)
        await fay.expect_error(Code.TOO_MANY)
        ann = await guest(table, 6, "Ann", identity=ann.identity)
        await refused(ann, Code.TOO_MANY)
        await close_all(ann, fay, *back)
