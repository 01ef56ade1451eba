"""The lobby: `hello`, names, impossible tables, seats that are not free, and requests in the wrong
phase.
"""

from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.connection import PlayerConnection
from conformance.table.environment import CLOCK, SHORT_OPTIONS, TableEnvironment, wire_terms
from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.identity.keys import INVITE_SIZE
from protocol.limits import (
    MAX_GAMES_SOUGHT,
    MAX_OPTIONS,
    MAX_SEARCH,
    MAX_SEATS,
    MAX_TABLES_FOUND,
    MAX_TABLES_PER_IDENTITY,
    TALK_ENVELOPE,
)
from protocol.messages.table import VERSION

GROUP = CaseGroup("lobby")
BAD_MESSAGE = str(Code.BAD_MESSAGE)


# --- greeting ---


def before_hello(name: str, *values: object) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.session()
        await peer.send(name, *values)
        await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)

    return run


values: tuple[object, ...]  # values of a message
for name, values in (
    ("list", ()),
    ("find", (None, [], 0, 1)),
    ("join", (None,)),
    ("spectate", (None,)),
    ("resume", (bytes(32), None, None)),
):
    GROUP.add(f"{name}-before-hello", "4.2", BAD_MESSAGE, before_hello(name, *values))


def version(number: int) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.session()
        await peer.send("hello", number, peer.name)
        await peer.expect_closed(Code.WRONG_VERSION, error=Code.WRONG_VERSION)

    return run


for name, number in (
    ("version-zero", 0),
    ("version-one-too-high", VERSION + 1),
    ("version-2-to-the-62", 2**62),
):
    GROUP.add(name, "4.5.1", str(Code.WRONG_VERSION), version(number))


@GROUP.case("4.3", BAD_MESSAGE)
async def hello_twice(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    await peer.send("hello", VERSION, peer.name)
    await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)


@GROUP.case("4.5.1", "the greeting goes on")
async def invitation_that_was_not_asked_for(arena: TableEnvironment) -> None:
    """A table for everybody ignores an invitation. A table by invitation has already seen the right
    one.
    """
    peer = await arena.session()
    await peer.send("invite", peer.link.invite or bytes(INVITE_SIZE))
    await peer.hello()


def bad_name(text: str) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.session()
        await peer.send("hello", VERSION, text)
        await peer.expect_error(Code.BAD_NAME)
        await peer.hello()  # an honest mistake does not end the connection

    return run


for name, text in (
    ("name-with-a-line-feed", "Ann\nBob"),
    ("name-with-an-escape", "Ann\x1b[31m"),
    ("name-with-a-nul", "Ann\0"),
    ("name-with-a-bidi-override", "Ann\u202eBob"),
    ("name-with-a-zero-width-space", "An\u200bn"),
    ("name-with-a-soft-hyphen", "An\u00adn"),
    ("name-with-a-byte-order-mark", "\ufeffAnn"),
    ("name-with-a-no-break-space", "Ann\u00a0Lee"),
    ("name-with-a-private-character", "Ann\ue000"),
    ("name-that-is-not-composed", "Rene\u0301"),
    ("name-that-begins-with-a-space", " Ann"),
    ("name-that-ends-with-a-space", "Ann "),
    ("name-with-two-spaces", "Ann  Lee"),
    ("name-that-begins-with-a-mark", "\u0301Ann"),
    ("name-in-two-scripts", "\u0410nn"),
    ("name-of-a-blank-letter", "\u3164"),
    ("name-with-a-colon", "verdict: clean"),
    ("name-with-a-fingerprint", "T (abcd-efgh-ijkl-2345)"),
    ("name-for-the-table", "The Table"),
):
    GROUP.add(name, "5.4.1", str(Code.BAD_NAME), bad_name(text))


def unfit_name(text: str) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.session()
        await peer.send_payload(wire.encode(["hello", VERSION, text]))
        await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)

    return run


GROUP.add("name-empty", "4.1.3", BAD_MESSAGE, unfit_name(""))
GROUP.add("name-one-too-long", "4.1.3", BAD_MESSAGE, unfit_name("d" * 25))


# --- tables ---


def bad_table(
    game: str = "block-dominoes",
    options: list[list[Any]] = SHORT_OPTIONS,
    dealing: str = "layered",
    deal_options: list[list[Any]] | None = None,
    clock: list[list[Any]] = CLOCK,
    seats: int = 2,
) -> CaseBody:
    return unfit_table(
        wire_terms(game, options, dealing, deal_options or [], clock, seats), Code.BAD_OPTIONS
    )


def unfit_table(terms: list[Any], code: Code) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.guest()
        await peer.send("create", terms)
        await peer.expect_error(code)
        await arena.table(peer)  # the connection is still usable

    return run


def clock(**changes: object) -> list[list[Any]]:
    return [[name, changes.get(str(name), value)] for name, value in CLOCK]


for name, section, body in (
    ("table-with-an-unknown-option", "9", bad_table(options=[["bluff", 1]])),
    ("table-with-options-out-of-order", "6.2", bad_table(options=[["target", 1], ["hand", 2]])),
    ("table-with-an-option-twice", "6.2", bad_table(options=[["hand", 1], ["hand", 2]])),
    ("table-with-an-option-out-of-range", "9", bad_table(options=[["target", 0]])),
    ("table-with-an-option-of-another-type", "9", bad_table(options=[["target", "1"]])),
    (
        "table-with-an-option-of-another-dealing",
        "8.2.2",
        bad_table(deal_options=[["leavers", "void"]]),
    ),
    ("table-that-never-takes", "8.2.2", bad_table(deal_options=[["take", 0]])),
    ("table-that-takes-at-101-per-cent", "8.2.2", bad_table(deal_options=[["take", 101]])),
    (
        "table-with-a-quorum-of-one",
        "13.9.1",
        bad_table(
            dealing="verified", deal_options=[["leavers", "threshold"], ["quorum", 1]], seats=3
        ),
    ),
    (
        "table-with-a-quorum-but-no-leavers",
        "13.9.1",
        bad_table(dealing="verified", deal_options=[["quorum", 2]], seats=3),
    ),
    (
        "table-with-keys-too-short",
        "36.10",
        bad_table(dealing="residue", deal_options=[["bits", 512]]),
    ),
    (
        "table-whose-deals-outgrow-the-log",
        "36.11",
        bad_table(
            game="texas-holdem",
            options=[],
            dealing="residue",
            deal_options=[["bits", 3072]],
            seats=MAX_SEATS,
        ),
    ),
    ("table-for-nobody", "4.6", bad_table(seats=0)),
    ("table-for-one", "12.6", bad_table(seats=1)),
    ("table-for-five-at-dominoes", "12.6", bad_table(seats=5)),
    ("table-with-hands-that-need-too-many-tiles", "9", bad_table(options=[["hand", 8]], seats=4)),
    ("table-for-three-with-partners", "9.10", bad_table(options=[["partners", "yes"]], seats=3)),
    ("table-that-scores-by-tens", "9.9", bad_table(options=[["scoring", "tens"]])),
    ("table-without-a-clock", "14.1.1", bad_table(clock=[])),
    ("table-with-half-a-clock", "14.1.1", bad_table(clock=CLOCK[:-1])),
    ("table-with-turns-of-no-time", "14.1.1", bad_table(clock=clock(turn=0))),
    ("table-with-steps-of-no-time", "14.1.1", bad_table(clock=clock(step=0))),
    ("table-with-too-many-extensions", "12.4", bad_table(clock=clock(extensions=101))),
    ("table-with-turns-of-a-year", "12.4", bad_table(clock=clock(turn=365 * 24 * 3600))),
    ("table-with-an-unknown-clock-option", "14.1.1", bad_table(clock=[*CLOCK, ["wind", 1]])),
):
    GROUP.add(name, section, str(Code.BAD_OPTIONS), body)


GROUP.add(
    "table-for-an-unknown-game",
    "4.6",
    str(Code.UNKNOWN_RULES),
    unfit_table(wire_terms("chess", [], "layered", [], CLOCK, 2), Code.UNKNOWN_RULES),
)
GROUP.add(
    "table-by-other-rules",
    "6.2",
    str(Code.UNKNOWN_RULES),
    unfit_table([["block-dominoes", []], "0", ["layered", []], CLOCK, 2], Code.UNKNOWN_RULES),
)
GROUP.add(
    "table-with-an-unknown-dealing",
    "6.2",
    str(Code.UNKNOWN_RULES),
    unfit_table(wire_terms("block-dominoes", [], "honestly", [], CLOCK, 2), Code.UNKNOWN_RULES),
)


def misshapen_table(options: list[list[Any]], seats: int) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.guest()
        await peer.send_payload(
            wire.encode(
                ["create", wire_terms("block-dominoes", options, "layered", [], CLOCK, seats)]
            )
        )
        await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)

    return run


GROUP.need("table-*", game="block-dominoes", dealing="layered")
MANY = [[f"option-{number}", number] for number in range(MAX_OPTIONS + 1)]
GROUP.add(
    "table-with-one-seat-too-many",
    "4.3",
    BAD_MESSAGE,
    misshapen_table(SHORT_OPTIONS, MAX_SEATS + 1),
)
GROUP.add("table-with-one-option-too-many", "4.1.3", BAD_MESSAGE, misshapen_table(MANY, 2))
GROUP.add(
    "table-with-an-option-of-three-fields",
    "4.1.3",
    BAD_MESSAGE,
    misshapen_table([["hand", 1, 1]], 2),
)


@GROUP.case("12.12", str(Code.TOO_MANY))
async def one_table_too_many(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    for _ in range(MAX_TABLES_PER_IDENTITY):
        await arena.table(peer)
    await peer.send("create", arena.terms())
    await peer.expect_error(Code.TOO_MANY)


@GROUP.case("4.3", "tables")
async def table_for_the_most_seats(arena: TableEnvironment) -> None:
    """A table takes as many seats as the limits and the game allow, and lists them."""
    peer = await arena.guest()
    table = await arena.table(
        peer, game="texas-holdem", options=[], dealing="verified", seats=MAX_SEATS
    )
    await peer.send("list")
    (rows,) = await peer.expect("tables")
    seats = {row[0]: row[1][-1] for row in rows}
    if seats.get(table) != MAX_SEATS:
        raise CaseFailed("a table for the most seats is not listed as it was made")


GROUP.need("table-for-the-most-seats", game="texas-holdem", dealing="verified")


@GROUP.case("4.4", "tables")
async def listing_that_is_not_true(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    other = await arena.guest()
    table = await arena.table(peer)
    await peer.join(table)
    await other.send("list")
    (rows,) = await other.expect("tables")
    right = [table, arena.terms(), [[peer.name, peer.identity.public]], 0]
    if right not in rows:
        raise CaseFailed("a table is not listed as it was made")


@GROUP.case("4.5.19", "found")
async def pages_that_leave_a_table_out(arena: TableEnvironment) -> None:
    """Pages of one table each have the same tables as pages of many."""
    peer = await arena.guest()
    own = [await arena.table(peer) for _ in range(3)]
    for most in (1, MAX_TABLES_FOUND):
        listed: list[str] = []
        start: int | None = 0
        while start is not None:
            await peer.send("find", None, [], start, most)
            _, _, before, total, rows, following = await peer.expect("found")
            if len(rows) > most or (following is not None and following <= start):
                raise CaseFailed("a page is too long, or does not lead on")
            if most > 1 and before != len(listed):
                raise CaseFailed("a page does not say how many tables are on those before it")
            listed += [row[0] for row in rows]
            start = following
        if [table for table in listed if table in own] != own:
            raise CaseFailed("the pages do not have each table once, in the order of creation")
        if total < len(own):
            raise CaseFailed("a page does not say how many tables there are")


async def found_at(peer: PlayerConnection, text: str, *games: str) -> list[str]:
    """Return the ids of the first tables that a search finds."""
    await peer.send("find", text, list(games), 0, MAX_TABLES_FOUND)
    return [row[0] for row in (await peer.expect("found"))[4]]


@GROUP.case("4.5.20", "found")
async def search_for_an_id(arena: TableEnvironment) -> None:
    ann, bob = await arena.guest(), await arena.guest()
    tables = [await arena.table(ann), await arena.table(bob)]
    for table in tables:
        if await found_at(ann, table) != [table]:
            raise CaseFailed("the id of a table does not find this table alone")


@GROUP.case("4.5.20", "found")
async def search_for_a_name_in_capitals(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    table = await arena.table(peer)
    await peer.join(table)
    if await found_at(peer, peer.name.upper()) != [table]:
        raise CaseFailed("a name in capitals does not find the table where its owner waits")
    if await found_at(peer, f"{peer.name}x"):
        raise CaseFailed("a table is found by a text that is no part of a name there")


@GROUP.case("4.5.20", "found")
async def search_for_games(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    table = await arena.table(peer)
    game = arena.terms()[0][0]
    if table not in await found_at(peer, game[1:-1]):
        raise CaseFailed("a part of a game's name does not find a table for it")
    if table not in await found_at(peer, f"{peer.name}x", "no-such-game", game):
        raise CaseFailed("one of the games does not find a table for it")
    if await found_at(peer, f"{peer.name}x", game[1:]):
        raise CaseFailed("a part of a game's name counts as the game")


def unfit_search(text: object, games: object, most: int) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.guest()
        await peer.send_payload(wire.encode(["find", text, games, 0, most]))
        await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)

    return run


for name, search in (
    ("search-for-no-text", ("", [], 1)),
    ("search-one-too-long", ("a" * (MAX_SEARCH + 1), [], 1)),
    ("search-for-a-game-too-many", (None, ["g"] * (MAX_GAMES_SOUGHT + 1), 1)),
    ("page-one-too-long", (None, [], MAX_TABLES_FOUND + 1)),
):
    GROUP.add(name, "4.3", BAD_MESSAGE, unfit_search(*search))


# --- seats ---


def nowhere(name: str) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.guest()
        await peer.send(name, "no-such-table")
        await peer.expect_error(Code.NO_SUCH_TABLE)
        await peer.send("list")
        await peer.expect("tables")

    return run


GROUP.add("join-at-no-table", "4.6", str(Code.NO_SUCH_TABLE), nowhere("join"))
GROUP.add("spectate-at-no-table", "4.6", str(Code.NO_SUCH_TABLE), nowhere("spectate"))


@GROUP.case("4.6", str(Code.WRONG_MATCH))
async def spectate_where_no_match_runs(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    await peer.send("spectate", await arena.table(peer))
    await peer.expect_error(Code.WRONG_MATCH)


@GROUP.case("4.6", str(Code.TABLE_FULL))
async def join_while_a_match_runs(arena: TableEnvironment) -> None:
    play = await arena.play()
    peer = await arena.guest()
    await peer.send("join", play.match.setup.table.id)
    await peer.expect_error(Code.TABLE_FULL)
    await play.go_on()


@GROUP.case("4.5.13", str(Code.OTHER_TERMS))
async def join_for_other_terms(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    table = await arena.table(peer)
    await peer.send("list")
    terms = {row[0]: row[1] for row in (await peer.expect("tables"))[0]}[table]
    await peer.send("join", [table, digest("terms", wire.encode([*terms[:4], terms[4] + 1]))])
    await peer.expect_error(Code.OTHER_TERMS)
    await peer.send("join", [table, digest("terms", wire.encode(terms))])
    await peer.expect("waiting")


def name_taken(name: str, disguise: str) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        ann = await arena.guest(name=name)
        table = await arena.table(ann)
        await ann.join(table)
        other = await arena.guest(name=disguise)
        await other.send("join", table)
        await other.expect_error(Code.NAME_TAKEN)
        await ann.send("list")
        await ann.expect("tables")

    return run


for name, text in (
    ("name-of-another-at-the-table", "Kooper"),
    ("name-of-another-in-capitals", "KOOPER"),
    ("name-of-another-with-a-hyphen", "Koo-per"),
    ("name-of-another-with-digits", "K00per"),
    ("name-of-another-in-wide-letters", "\uff2b\uff4f\uff4f\uff50\uff45\uff52"),
):
    GROUP.add(name, "5.4.2", str(Code.NAME_TAKEN), name_taken("Kooper", text))
CYRILLIC = "\u0415\u0440\u043e\u0445\u0430"
GROUP.add(
    "name-of-another-in-cyrillic", "5.4.2", str(Code.NAME_TAKEN), name_taken("Epoxa", CYRILLIC)
)


@GROUP.case("5.4.2", str(Code.NAME_TAKEN))
async def name_of_the_table(arena: TableEnvironment) -> None:
    first = await arena.guest()
    peer = await arena.guest(name=first.table_name)
    await peer.send("join", await arena.table(peer))
    await peer.expect_error(Code.NAME_TAKEN)


async def waiting(arena: TableEnvironment) -> PlayerConnection:
    """Return a player with a seat at a table without a running match."""
    peer = await arena.guest()
    return await peer.join(await arena.table(peer))


def while_waiting(name: str, *values: object) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await waiting(arena)
        await peer.send(name, *values)
        await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)

    return run


for name, values in (
    ("join", (None,)),
    ("spectate", (None,)),
    ("create", (wire_terms("block-dominoes", SHORT_OPTIONS, "layered", [], CLOCK, 2),)),
    ("resume", (bytes(32), None, None)),
    ("replay", (bytes(32), 0)),
    ("post", (bytes(32), b"entry")),
    ("relay", (bytes(32), 0, bytes(TALK_ENVELOPE))),
):
    GROUP.add(f"{name}-while-waiting", "4.3", BAD_MESSAGE, while_waiting(name, *values))


def in_the_lobby(name: str, *values: object) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.guest()
        await peer.send(name, *values)
        await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)

    return run


for name, values in (
    ("leave", ()),
    ("replay", (bytes(32), 0)),
    ("post", (bytes(32), b"entry")),
    ("relay", (bytes(32), 0, bytes(TALK_ENVELOPE))),
    ("welcome", (VERSION, "Table", [])),
    ("left", ()),
    ("moved", ("127.0.0.1:7500", "main")),
    ("error", ("internal",)),
):
    what = "in-the-lobby" if name in ("leave", "replay", "post", "relay") else "from-a-player"
    GROUP.add(f"{name}-{what}", "4.3", BAD_MESSAGE, in_the_lobby(name, *values))


@GROUP.case("4.3", BAD_MESSAGE)
async def leave_twice(arena: TableEnvironment) -> None:
    peer = await waiting(arena)
    await peer.send("leave")
    await peer.send("leave")
    await peer.expect("left")
    await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)


@GROUP.case("4.5.8", "the seat is free")
async def seat_of_one_who_left(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    table = await arena.table(peer)
    await peer.join(table)
    await peer.send("leave")
    await peer.expect("left")
    await nobody_waits(peer, table)


@GROUP.case("4.5.8", "the seat is free")
async def seat_of_one_whose_connection_was_cut(arena: TableEnvironment) -> None:
    owner = await arena.guest()
    peer = await arena.guest()
    table = await arena.table(owner)
    await owner.join(table)
    await owner.send("leave")
    await owner.expect("left")
    await peer.join(table)
    await peer.close(polite=False)
    await peer.read_to_end()
    await nobody_waits(owner, table)


async def nobody_waits(peer: PlayerConnection, table: str) -> None:
    """Check that the list shows the table without players."""
    for _ in range(50):
        await peer.send("list")
        (rows,) = await peer.expect("tables")
        if any(row[0] == table and not row[2] for row in rows):
            return
    raise CaseFailed("the seat is still taken")
