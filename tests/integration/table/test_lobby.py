"""The lobby over real sockets: greeting, listing, creating, joining, leaving, watching."""

import pytest

from conformance.table.environment import wire_terms
from protocol.codes import Code
from protocol.games.registry import BUILT_IN
from protocol.match.terms import decode_terms, terms_hash
from protocol.messages.table import VERSION, ConnectionPhase
from table.manager.server import TableServer
from tests.support.tables import CLOCK, close_all, config, finish, guest, seated, surviving, until
from tests.support.wire_client import WireClient, play_match

DOMINOES = BUILT_IN.spec("block-dominoes").version


async def test_default_table_is_listed(tmp_path):
    async with TableServer(config(tmp_path)) as table, await guest(table) as ann:
        await ann.send("list")
        assert await ann.expect("tables") == [
            [
                [
                    "main",
                    wire_terms(
                        "block-dominoes", [["hand", 1], ["target", 1]], "layered", [], CLOCK, 2
                    ),
                    [],
                    0,
                ]
            ],
        ]


async def test_changes_of_waiting_people_reach_all_clients(tmp_path):
    async with TableServer(config(tmp_path, seats=3)) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await ann.send("join", None)
        assert (await ann.receive()).values == ["main", 3, [["Ann", ann.identity.public]]]
        await bob.send("join", "main")
        both = ["main", 3, [["Ann", ann.identity.public], ["Bob", bob.identity.public]]]
        assert (await ann.receive()).values == both
        assert (await bob.receive()).values == both
        await bob.send("leave")
        await bob.expect("left")
        assert (await ann.receive()).values == ["main", 3, [["Ann", ann.identity.public]]]
        await close_all(ann, bob)


@pytest.mark.slow
async def test_losing_the_connection_while_waiting_frees_the_seat(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await ann.join()
        await ann.close(polite=False)
        await until(lambda: not table.lobby.tables["main"].waiting)
        await bob.send("join", None)
        assert (await bob.receive()).values[2] == [["Bob", bob.identity.public]]
        await bob.close()


@pytest.mark.match
async def test_created_table_is_played_and_vanishes_with_its_creator(tmp_path):
    async with surviving(tmp_path) as table:
        async with await guest(table, 5, "Cleo") as cleo:
            await cleo.send(
                "create",
                wire_terms(
                    "draw-dominoes",
                    [["highest", 6], ["target", 1]],
                    "layered",
                    [["take", 60]],
                    CLOCK,
                    3,
                ),
            )
            (table_id,) = await cleo.expect("created")
            players = await play_match(table.link, 3, table=table_id)
            setup = players[0].reader.log.setup
            assert (setup.table.id, setup.terms.game.name) == (table_id, "draw-dominoes")
            assert setup.terms.game.options == (("highest", 6), ("target", 1))
            assert table_id in table.lobby.tables
        await until(lambda: table_id not in table.lobby.tables)


@pytest.mark.parametrize(
    "terms",
    [
        ("block-dominoes", [["colour", 1]], "layered", [], CLOCK, 2),
        ("block-dominoes", [["target", "many"]], "layered", [], CLOCK, 2),
        ("block-dominoes", [["target", 1], ["target", 2]], "layered", [], CLOCK, 2),
        ("block-dominoes", [["target", 1], ["target", "many"]], "layered", [], CLOCK, 2),
        ("block-dominoes", [], "layered", [["take", 0]], CLOCK, 2),
        ("block-dominoes", [], "layered", [], CLOCK, 0),
        ("block-dominoes", [], "layered", [], CLOCK, 5),
        ("block-dominoes", [], "layered", [], [], 2),
        ("block-dominoes", [], "layered", [], CLOCK[1:], 2),
        ("block-dominoes", [], "layered", [], [*CLOCK, ["turn", 5]], 2),
        ("block-dominoes", [], "layered", [], [*CLOCK[:2], ["turn", 0]], 2),
        ("block-dominoes", [], "layered", [], [*CLOCK[:2], ["turn", "long"]], 2),
    ],
)
async def test_terms_that_cannot_be_played_are_declined(tmp_path, terms):
    async with TableServer(config(tmp_path)) as table, await guest(table) as ann:
        await ann.send("create", wire_terms(*terms))
        await ann.expect_error(Code.BAD_OPTIONS)
        await ann.join()


@pytest.mark.parametrize(
    ("game", "rules", "dealing"),
    [
        ("chess", "1", "layered"),
        ("block-dominoes", "0", "layered"),
        ("block-dominoes", "1+more", "layered"),
        ("block-dominoes", DOMINOES, "unknown"),
        ("block-dominoes", DOMINOES, "verified-2"),
    ],
)
async def test_rules_missing_at_table_are_declined(tmp_path, game, rules, dealing):
    async with TableServer(config(tmp_path)) as table, await guest(table) as ann:
        await ann.send("create", [[game, []], rules, [dealing, []], CLOCK, 2])
        await ann.expect_error(Code.UNKNOWN_RULES)
        await ann.join()


@pytest.mark.slow
async def test_honest_mistakes_in_the_lobby_leave_the_connection_open(tmp_path):
    async with surviving(tmp_path) as table:
        ann = await guest(table, 1, "Ann")
        await ann.send("join", "nowhere")
        await ann.expect_error(Code.NO_SUCH_TABLE)
        await ann.send("spectate", None)
        await ann.expect_error(Code.WRONG_MATCH)
        clients = await seated(table, 2, 3)
        await ann.send("join", None)
        await ann.expect_error(Code.TABLE_FULL)
        await ann.send("list")
        assert (await ann.expect("tables"))[0][0][-1] == 1
        await finish(clients)
        await close_all(ann, *clients)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ann", "АПП", "A-n_n", "TABLE"])
async def test_names_that_look_alike_are_not_seated_together(tmp_path, name):
    async with surviving(tmp_path, seats=3) as table:
        first = "АПП" if name == "АПП" else "Ann"
        ann, other = await guest(table, 1, first), await guest(table, 2, name)
        await ann.join()
        await other.send("join", None)
        await other.expect_error(Code.NAME_TAKEN)
        await close_all(ann, other)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a\x07b", "a\u202eb", " a", "a  b", "Аnn", "\u3164"])
async def test_bad_names_can_be_mended_before_the_deadline(tmp_path, name):
    async with surviving(tmp_path) as table:
        client = await (await WireClient(table.link, 1).connect()).handshake()
        await client.send("hello", VERSION, name)
        await client.expect_error(Code.BAD_NAME)
        assert client.phase is ConnectionPhase.GREETING
        await client.hello()
        await client.close()


async def test_client_of_another_version_is_told_and_closed(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        client = await (await WireClient(table.link, 1).connect()).handshake()
        await client.send("hello", VERSION + 1, "Ann")
        await client.expect_closed(Code.WRONG_VERSION, error=Code.WRONG_VERSION)
        await client.close()


@pytest.mark.slow
async def test_tables_are_bounded_for_each_identity_and_in_all(tmp_path):
    async with surviving(tmp_path, bounds={"tables": 4, "tables_per_identity": 2}) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        terms = ("block-dominoes", [], "layered", [], CLOCK, 2)
        for client, most in ((ann, 2), (bob, 1)):
            for _ in range(most):
                await client.send("create", wire_terms(*terms))
                await client.expect("created")
            await client.send("create", wire_terms(*terms))
            await client.expect_error(Code.TOO_MANY)
        await close_all(ann, bob)
        await until(lambda: len(table.lobby.tables) == 1)


@pytest.mark.slow
async def test_full_lobby_is_listed_up_to_message_size(tmp_path):
    bounds = {
        "tables_per_identity": 300,
        "tables_per_address": 300,
        "creations_per_address": (300, 1),
        "requests": (300, 1),
    }
    async with TableServer(config(tmp_path, bounds=bounds)) as table, await guest(table) as ann:
        # seconds, because opening two hundred tables takes long on a busy machine
        ann.patience = 60
        options = [["highest", 6], ["target", 10_000]]
        for _ in range(199):
            await ann.send(
                "create",
                wire_terms(
                    "draw-dominoes", options, "layered", [["swap", 50], ["take", 100]], CLOCK, 4
                ),
            )
            await ann.expect("created")
        await ann.send("create", wire_terms("draw-dominoes", options, "layered", [], CLOCK, 4))
        await ann.expect_error(Code.TOO_MANY)
        await ann.send("list")
        (rows,) = await ann.expect("tables")
        assert len(rows) == 200
        for each in table.lobby.tables.values():  # now with names of maximal length
            each.waiting = list(table.manager.people.values()) * 9
        ann_name = "я" * 24
        for peer in table.manager.people.values():
            peer.name = ann_name
        await ann.send("list")
        (rows,) = await ann.expect("tables")
        assert 50 < len(rows) < 200
        for each in table.lobby.tables.values():
            each.waiting = []


async def test_a_seat_for_other_terms_is_declined(tmp_path):
    async with TableServer(config(tmp_path)) as table, await guest(table) as ann:
        await ann.send("list")
        terms = decode_terms((await ann.expect("tables"))[0][0][1])
        for place in (None, "main"):
            await ann.send("join", [place, terms_hash(terms._replace(seats=terms.seats + 1))])
            await ann.expect_error(Code.OTHER_TERMS)
        await ann.send("join", ["nowhere", terms_hash(terms)])
        await ann.expect_error(Code.NO_SUCH_TABLE)
        await ann.send("join", [None, terms_hash(terms)])
        await ann.expect("waiting")


async def test_visitor_pays_for_the_pages_of_many_tables(tmp_path):
    bounds = {"tables_per_identity": 80, "tables_per_address": 80, "creations_per_address": (80, 1)}
    bounds["requests"] = (80, 1)
    async with TableServer(config(tmp_path, bounds=bounds)) as table, await guest(table) as ann:
        for number in range(60):
            game = "nim" if number % 10 == 0 else "hexapawn"
            await ann.send("create", wire_terms(game, [], "none", [], CLOCK, 2))
            await ann.expect("created")
        async with await guest(table, 2, "Zoë") as zoe:
            await zoe.join("table-42")
            ids, start = [], 0
            while start is not None:
                await zoe.send("find", None, [], start, 25)
                _, _, before, total, rows, start = await zoe.expect("found")
                assert (before, total) == (len(ids), 61)
                ids += [row[0] for row in rows]
            assert ids == ["main", *(f"table-{number}" for number in range(1, 61))]
            await zoe.send("find", "ZOË", [], 0, 25)
            assert [row[0] for row in (await zoe.expect("found"))[4]] == ["table-42"]
            await zoe.send("find", "no such name", ["nim"], 0, 2)
            found = await zoe.expect("found")
            assert [row[0] for row in found[4]] == ["table-1", "table-11"]
            assert found[3:4] == [6] and found[5] == 21
        assert table.metrics.processor["find"] > 0


async def test_searches_beyond_the_rate_of_requests_are_declined(tmp_path):
    bounds = {"requests": (3, 0.001)}
    async with TableServer(config(tmp_path, bounds=bounds)) as table, await guest(table) as ann:
        for _ in range(3):
            await ann.send("find", "main", [], 0, 1)
            await ann.expect("found")
        await ann.send("find", "main", [], 0, 1)
        await ann.expect_error(Code.TOO_MANY)
