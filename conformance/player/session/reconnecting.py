"""Lines that break, tables that come back changed, and players whose process is killed (4.5,
6.3).
"""

from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.player.connection import TableConnection
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import FakeTable, short_terms
from conformance.player.forged_logs import ForkedLog
from conformance.weak_keys import random_identity
from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.match.log import decode_entry
from protocol.match.terms import Terms
from protocol.messages.claim import CLAIM_ID, LABEL

GROUP = CaseGroup("returning")
LEFT = 4  # number of entries that remain at a table


def _cut(*entries: int, terms: Terms | None = None) -> CaseBody:
    """Make a case: the line breaks after these numbers of entries; the player returns, and plays to
    the end.
    """

    async def run(arena: PlayerEnvironment) -> None:
        table = arena.play(terms or short_terms())
        table.cut_at = list(entries)
        await arena.start()
        await arena.expect_clean()
        if len(arena.connections) <= len(entries):
            raise CaseFailed("the player ended before the line broke")

    return run


for at, where in (
    (1, "before-it-sits-down"),
    (4, "in-the-roster"),
    (7, "in-its-layer"),
    (10, "in-the-selection"),
):
    GROUP.add(f"line-cut-{where}", "4.5.3", "clean", _cut(at))
GROUP.add("line-cut-in-a-shuffle", "4.5.3", "clean", _cut(8, terms=short_terms("verified")))
GROUP.add("line-cut-four-times", "15.3.2", "clean", _cut(2, 6, 9, 15))


def _losing(table: FakeTable, sequence: int, arrives: bool) -> list[bytes]:
    """Cut the line when this entry of the player arrives, before or after the table accepts it.
    Return a list that then has the entry.
    """
    lost: list[bytes] = []

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if lost or table.room.log.sequence(table.seat) != sequence:
            await table.on_post(connection, match_id, raw)
            return
        lost.append(raw)
        table.look_at(raw)
        if arrives:
            table.room.offer(raw, table.seat)
        connection.abort()

    table.on["post"] = post
    return lost


@GROUP.case("6.3.3", "the same bytes")
async def entry_lost_with_the_line(arena: PlayerEnvironment) -> None:
    """The player sends the lost entry again unchanged: never a second version."""
    lost = _losing(arena.table, 3, arrives=False)
    await arena.start()
    await arena.expect_clean()
    if [entry.raw for entry in arena.table.posts()].count(lost[0]) != 2:
        raise CaseFailed("the player did not send the same bytes again")


@GROUP.case("6.3.3", "clean")
async def entry_that_arrived_before_the_line_broke(arena: PlayerEnvironment) -> None:
    """The player finds its entry in the log."""
    _losing(arena.table, 3, arrives=True)
    await arena.start()
    await arena.expect_clean()


@GROUP.case("6.4.3", "table_forked")
async def other_entry_after_a_break(arena: PlayerEnvironment) -> None:
    """After the break the table shows another entry in place of the newest that the player has
    seen.
    """
    table = arena.table
    table.cut_at = [7]

    async def replay(connection: TableConnection, match_id: bytes, number: int) -> None:
        if connection.is_first:
            await table.on_replay(connection, match_id, number)
        else:
            shown, record = ForkedLog(table.room, number - 1).add(1, "leave", [])
            await connection.say("entry", match_id, shown, *record)

    table.on["replay"] = replay
    await arena.start()
    await arena.expect_closed(Code.TABLE_FORKED, number=1)


def _loses(arena: PlayerEnvironment, asks_from: int) -> list[list[Any]]:
    """Cut the line, say that only `LEFT` entries remain, and ask for entries from a number on.
    Return a list for the player's answers.
    """
    table = arena.table
    given: list[list[Any]] = []
    shown: list[list[Any] | None] = []
    table.announced = lambda values: (
        values if arena.connections[-1].is_first else [*values[:3], LEFT, *values[4:]]
    )

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if connection.is_first and decode_entry(raw).seen_number > LEFT:
            connection.abort()
        else:
            await table.on_post(connection, match_id, raw)

    async def resume(
        connection: TableConnection,
        match_id: bytes,
        holds: list[Any] | None,
        met: list[Any] | None,
    ) -> None:
        shown.append(holds)
        await table.on_resume(connection, match_id, holds, met)
        await connection.say("missing", match_id, asks_from)

    async def tail(
        connection: TableConnection, match_id: bytes, first: int, before: bytes, records: list[Any]
    ) -> None:
        hashes = table.room.log.chain_hashes
        expected = asks_from + len(given)
        held = shown[0]
        if held is None or held[1] != hashes[held[0]]:
            raise CaseFailed("the player does not show the head that it has")
        if first != expected or before != hashes[first - 1]:
            raise CaseFailed("the player does not begin where the table's log ends")
        given.extend(records)

    table.on |= {"post": post, "resume": resume, "tail": tail}
    return given


def _claims(arena: PlayerEnvironment, *, wrong: bool = False) -> list[list[Any] | None]:
    """State a new claim in each `match`, and cut the line twice. Return a list for the claims that
    the player shows.
    """
    table = arena.table
    shown: list[list[Any] | None] = []
    table.cut_at = [4, 7]

    def announced(values: list[Any]) -> list[Any]:
        claim_id = table.rng.randbytes(CLAIM_ID)
        signer = table.rng.randbytes(32) if wrong else None
        key = table.identity if signer is None else Identity(signer)
        table.claim = [claim_id, key.sign(LABEL, values[1], claim_id)]
        return [*values[:4], table.claim]

    async def resume(
        connection: TableConnection,
        match_id: bytes,
        holds: list[Any] | None,
        met: list[Any] | None,
    ) -> None:
        shown.append(met)
        if met != table.claim:
            raise CaseFailed("the player does not show the newest claim that it has met")
        await table.on_resume(connection, match_id, holds, met)

    table.announced = announced
    table.on["resume"] = resume
    return shown


@GROUP.case("15.5.9", "clean")
async def claims_of_hosts(arena: PlayerEnvironment) -> None:
    """Each host states its claim: the player shows the newest one."""
    shown = _claims(arena)
    await arena.start()
    await arena.expect_clean()
    if len(shown) < 2:
        raise CaseFailed("the player ended before the line broke")


@GROUP.case("15.5.9", "bad_signature")
async def claim_that_the_table_did_not_sign(arena: PlayerEnvironment) -> None:
    """`match` states a claim that somebody else has signed."""
    _claims(arena, wrong=True)
    await arena.start()
    await arena.expect_closed(Code.BAD_SIGNATURE, number=0)


@GROUP.case("4.5.15", "clean")
async def line_of_the_host(arena: PlayerEnvironment) -> None:
    """The host announces something in the lobby and in the match: the player plays on."""
    table = arena.table

    async def listed(connection: TableConnection) -> None:
        await connection.say("announced", "Back in five minutes.")
        await table.on_list(connection)

    async def replay(connection: TableConnection, match_id: bytes, number: int) -> None:
        await connection.say("announced", "\x1b[2J" + "x" * 100)
        await table.on_replay(connection, match_id, number)

    table.on |= {"list": listed, "replay": replay}
    await arena.start()
    await arena.expect_clean()


@GROUP.case("4.5.16", "clean")
async def player_that_is_kicked(arena: PlayerEnvironment) -> None:
    """The host closes the connection of a seat in a running match: the player comes back."""
    table = arena.table

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if connection.is_first and len(table.posted) > LEFT:
            await connection.say_close(Code.KICKED)
        else:
            await table.on_post(connection, match_id, raw)

    table.on["post"] = post
    await arena.start()
    await arena.expect_clean()
    if len(arena.connections) < 2:
        raise CaseFailed("the player ended before it was kicked")


@GROUP.case("15.5.2", "clean")
async def end_of_the_log_that_the_table_has_lost(arena: PlayerEnvironment) -> None:
    """The player returns its entries with the table's heads, and the match goes on."""
    given = _loses(arena, LEFT)
    await arena.start()
    await arena.expect_clean()
    table = arena.table
    if len(given) < 2 or given != [
        list(record) for record in table.room.records[LEFT : LEFT + len(given)]
    ]:
        raise CaseFailed("the player did not give back what it had been shown")


@GROUP.case("15.5.2", "bad_message")
async def end_of_the_log_that_the_table_has_not_lost(arena: PlayerEnvironment) -> None:
    """The table asks for entries that it said it has: a player sends its log only if the table
    lacks entries.
    """
    given = _loses(arena, LEFT - 1)
    await arena.start()
    await arena.expect_closed(Code.BAD_MESSAGE, number=1)
    if given:
        raise CaseFailed("the player gave what was not lost")


@GROUP.case("4.5.9", "ends")
async def other_match_after_a_break(arena: PlayerEnvironment) -> None:
    """The seat is now in another match."""
    table = arena.table
    table.cut_at = [7]
    table.announced = lambda values: (
        values if arena.connections[-1].is_first else [values[0], bytes(32), *values[2:]]
    )
    await arena.start()
    connection = await arena.end(1)
    if any(message.name == "post" for message in connection.heard):
        raise CaseFailed("the player posted into another match")


@GROUP.case("3.3.5", "dropped")
async def other_table_after_a_break(arena: PlayerEnvironment) -> None:
    """A stranger listens at the table's address."""
    arena.table.cut_at = [7]
    arena.table.second = None
    await arena.start()
    await arena.wait(lambda: arena.table.begun, "the match did not begin")
    arena.table.identity = random_identity()
    await arena.expect_dropped(1)


# --- the player's process ends at once, and is started again with its data folder ---


def _killed(sequence: int, arrives: bool = True, terms: Terms | None = None) -> CaseBody:
    """Make a case: the player is killed after it has sent its entry of this sequence, which the
    table has accepted or not.
    """

    async def run(arena: PlayerEnvironment) -> None:
        table = arena.play(terms or short_terms())

        async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
            if not connection.is_first or table.room.log.sequence(table.seat) != sequence:
                await table.on_post(connection, match_id, raw)
                return
            table.look_at(raw)
            if arrives:
                table.room.offer(raw, table.seat)

        table.on["post"] = post
        await arena.start()
        await arena.wait(lambda: table.has_signed(sequence), "the player did not come so far")
        await arena.restart()
        await arena.expect_clean()

    return run


for sequence, where in (
    (0, "in-the-seating"),
    (2, "in-its-layer"),
    (4, "in-the-selection"),
    (9, "in-the-slots"),
):
    GROUP.add(f"player-killed-{where}", "6.3.3", "clean", _killed(sequence))
GROUP.add("player-killed-in-a-pack", "6.3.3", "clean", _killed(3, terms=short_terms("commutative")))
GROUP.add(
    "player-killed-while-cards-are-unwrapped",
    "6.3.3",
    "clean",
    _killed(4, terms=short_terms("commutative")),
)
GROUP.add(
    "player-killed-with-a-pack-under-way",
    "6.3.3",
    "the same bytes",
    _killed(3, arrives=False, terms=short_terms("commutative")),
)
GROUP.add(
    "player-killed-while-keys-are-shared",
    "15.1.4",
    "clean",
    _killed(2, terms=short_terms("verified", 3, leavers="threshold", quorum=2)),
)
GROUP.add("player-killed-in-a-shuffle", "6.3.3", "clean", _killed(3, terms=short_terms("verified")))
GROUP.add(
    "player-killed-with-an-entry-under-way", "6.3.3", "the same bytes", _killed(3, arrives=False)
)
GROUP.add("player-killed-before-it-sits-down", "6.3.3", "the same bytes", _killed(0, arrives=False))


def _gives_tickets(arena: PlayerEnvironment, terms: Terms | None = None) -> FakeTable:
    table = arena.play(terms or short_terms())
    table.gives_tickets = True
    return table


def _check_tickets(arena: PlayerEnvironment, lines: int) -> None:
    """Check that the player has shown its newest ticket on every way back, and kept each."""
    table = arena.table
    shown = [connection.shown for connection in arena.connections]
    if len(shown) < lines or shown[0] is not None:
        raise CaseFailed("the player did not come back")
    for number, ticket in enumerate(shown[1:]):
        if ticket != table.tickets[number]:
            raise CaseFailed("the player did not show its newest ticket")
    if table.kept != [ticket.shown for ticket in table.tickets]:
        raise CaseFailed("the player did not say that it has stored a ticket")


@GROUP.case("4.10.2", "clean")
async def ticket_on_the_way_back(arena: PlayerEnvironment) -> None:
    """The player shows the newest ticket on each new connection, and keeps the next. The line is cut
    when the player has said so, which may be before or after its next entry.
    """
    table = _gives_tickets(arena)

    async def kept(connection: TableConnection, match_id: bytes, ticket: bytes) -> None:
        await table.on_kept(connection, match_id, ticket)
        if len(table.kept) < 3:
            connection.abort()

    table.on["kept"] = kept
    await arena.start()
    await arena.expect_clean()
    _check_tickets(arena, 3)


@GROUP.case("4.10.1", "clean")
async def ticket_after_a_kill(arena: PlayerEnvironment) -> None:
    """The player is killed: it finds its ticket with its match."""
    table = _gives_tickets(arena)

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if not connection.is_first or not table.kept:
            await table.on_post(connection, match_id, raw)
            return
        table.look_at(raw)
        table.room.offer(raw, table.seat)

    table.on["post"] = post
    await arena.start()
    await arena.wait(
        lambda: bool(table.kept) and table.has_signed(0),
        "the player says of no ticket that it is stored",
    )
    await arena.restart()
    await arena.expect_clean()
    _check_tickets(arena, 2)


@GROUP.case("4.10.3", "clean")
async def line_cut_with_a_ticket_under_way(arena: PlayerEnvironment) -> None:
    """The line breaks before the player can say that it has the ticket: it shows one that it
    has.
    """
    table = _gives_tickets(arena)

    async def kept(connection: TableConnection, match_id: bytes, ticket: bytes) -> None:
        if connection.is_first:
            connection.abort()
        else:
            await table.on_kept(connection, match_id, ticket)

    table.on["kept"] = kept
    await arena.start()
    await arena.expect_clean()
    if arena.connections[1].shown not in table.tickets:
        raise CaseFailed("the player did not show its ticket")
