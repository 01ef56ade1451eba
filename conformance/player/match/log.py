"""Logs that a table forges, forks, cuts or sends out of order, and changes that do no harm (chapter
6).
"""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.player.connection import TableConnection
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import NumberedRecord
from conformance.player.forged_logs import (
    LIE_NUMBER,
    ForkedLog,
    change_body,
    entry_number,
    replace_entry,
)
from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.limits import MAX_ENTRY, TALK_ENVELOPE
from protocol.match.log import Record, decode_entry
from protocol.wire import encode

GROUP = CaseGroup("log")


def _shows(
    lie: Callable[[ForkedLog], Sequence[NumberedRecord]], code: Code, at_once: bool = True
) -> CaseBody:
    """Make a case: the table shows a lie instead of entry 6, or later; the player closes with this
    code.
    """

    async def run(arena: PlayerEnvironment) -> None:
        replace_entry(arena.table, lie)
        await arena.start()
        await arena.expect_closed(code)
        if at_once:
            await arena.expect_stopped(LIE_NUMBER)

    return run


def _entry(author: int, kind: str, body: list[Any], code: Code, **other: Any) -> CaseBody:
    return _shows(lambda fork: [fork.add(author, kind, body, **other)], code)


def _forged(fork: ForkedLog) -> list[NumberedRecord]:
    return [fork.add(1, "leave", [], signer=fork.room.identity)]


def _of_the_player(fork: ForkedLog) -> list[NumberedRecord]:
    return [fork.add(0, "leave", [], signer=fork.room.identity)]


def _bad_head(fork: ForkedLog) -> list[NumberedRecord]:
    return [(LIE_NUMBER, fork.room.records[LIE_NUMBER]._replace(head=bytes(64)))]


def _head_of_another(fork: ForkedLog) -> list[NumberedRecord]:
    return [
        (
            LIE_NUMBER,
            fork.room.records[LIE_NUMBER]._replace(head=fork.room.records[LIE_NUMBER - 1].head),
        )
    ]


def _two_versions(fork: ForkedLog) -> list[NumberedRecord]:
    return [(LIE_NUMBER, fork.room.records[LIE_NUMBER]), fork.add(1, "leave", [])]


def _no_entry(fork: ForkedLog) -> list[NumberedRecord]:
    return [fork.add_raw(encode(["no", "entry"]))]


OTHER = (LIE_NUMBER - 1, bytes(32))
GROUP.add("head-not-signed", "6.4.2", "bad_signature", _shows(_bad_head, Code.BAD_SIGNATURE))
GROUP.add(
    "head-of-the-entry-before",
    "6.4.2",
    "bad_signature",
    _shows(_head_of_another, Code.BAD_SIGNATURE),
)
GROUP.add(
    "entry-that-a-seat-did-not-sign", "6.7.3", "table_forged", _shows(_forged, Code.TABLE_FORGED)
)
GROUP.add(
    "entry-that-the-player-did-not-sign",
    "6.7.3",
    "table_forged",
    _shows(_of_the_player, Code.TABLE_FORGED),
)
GROUP.add(
    "two-versions-of-an-entry",
    "6.4.3",
    "table_forked",
    _shows(_two_versions, Code.TABLE_FORKED, False),
)
GROUP.add(
    "entry-of-another-log",
    "6.7.3",
    "table_forked",
    _entry(1, "leave", [], Code.TABLE_FORKED, seen=OTHER),
)
GROUP.add("entry-that-is-none", "6.7.3", "table_accepted", _shows(_no_entry, Code.TABLE_ACCEPTED))
GROUP.add(
    "entry-of-no-seat", "6.7.3", "table_accepted", _entry(2, "leave", [], Code.TABLE_ACCEPTED)
)
GROUP.add(
    "sequence-number-again",
    "6.7.3",
    "table_accepted",
    _entry(1, "leave", [], Code.TABLE_ACCEPTED, sequence=0),
)
GROUP.add(
    "sequence-number-left-out",
    "6.7.3",
    "table_accepted",
    _entry(1, "leave", [], Code.TABLE_ACCEPTED, sequence=9),
)
GROUP.add(
    "kind-that-does-not-exist",
    "6.7.3",
    "table_accepted",
    _entry(1, "cheer", [], Code.TABLE_ACCEPTED),
)
GROUP.add(
    "entry-out-of-turn",
    "6.7.3",
    "table_accepted",
    _entry(1, "receipt", [[0, 0]], Code.TABLE_ACCEPTED),
)
GROUP.add(
    "entry-with-a-field-too-many",
    "6.7.3",
    "table_accepted",
    _entry(1, "leave", [0], Code.TABLE_ACCEPTED),
)
GROUP.add(
    "the-table-leaves", "6.7.3", "wrong_author", _entry(TABLE, "leave", [], Code.WRONG_AUTHOR)
)


@GROUP.case("4.5.3", "ends")
async def entry_left_out(arena: PlayerEnvironment) -> None:
    """The table skips entry 5."""
    arena.table.shown = lambda number, record: (
        [] if number == LIE_NUMBER - 1 else [(number, record)]
    )
    await arena.start()
    await arena.end()
    await arena.expect_stopped(LIE_NUMBER)


@GROUP.case("4.5.3", "ends")
async def entries_exchanged(arena: PlayerEnvironment) -> None:
    """The table sends entry 6 before entry 5."""
    held: list[NumberedRecord] = []

    def shown(number: int, record: Record) -> list[NumberedRecord]:
        if number == LIE_NUMBER - 1:
            held.append((number, record))
            return []
        if number == LIE_NUMBER:
            return [(number, record), *held]
        return [(number, record)]

    arena.table.shown = shown
    await arena.start()
    await arena.end()
    await arena.expect_stopped(LIE_NUMBER)


@GROUP.case("4.1.2", "bad_message")
async def entry_too_long(arena: PlayerEnvironment) -> None:
    """An entry is one byte longer than the limit."""

    async def replay(connection: TableConnection, match_id: bytes, number: int) -> None:
        await connection.say_payload(
            encode(["entry", match_id, 0, bytes(MAX_ENTRY + 1), bytes(64)])
        )

    arena.table.on["replay"] = replay
    await arena.start()
    await arena.expect_closed(Code.BAD_MESSAGE)


@GROUP.case("4.4", "wrong_match")
async def entry_of_another_match(arena: PlayerEnvironment) -> None:
    """A correct entry has another match's id."""
    table = arena.table

    async def replay(connection: TableConnection, match_id: bytes, number: int) -> None:
        await connection.say("entry", bytes(32), 0, *table.room.records[0])

    table.on["replay"] = replay
    await arena.start()
    await arena.expect_closed(Code.WRONG_MATCH)


@GROUP.case("6.6.1", "stops")
async def nonce_that_was_not_committed_to(arena: PlayerEnvironment) -> None:
    """Another seat opens a roster nonce that does not fit its commitment: a fault, and the match is
    over.
    """
    table = arena.table
    change_body(table, 1, "nonce", lambda body: [bytes(32)])
    await arena.start()
    await arena.wait(lambda: table.over, "the match did not end")
    await arena.expect_stopped(entry_number(table, 1, "nonce"))


# --- no harm ---


@GROUP.case("4.5.3", "clean")
async def entries_twice(arena: PlayerEnvironment) -> None:
    """The table sends every entry twice."""
    arena.table.shown = lambda number, record: [(number, record)] * 2
    await arena.start()
    await arena.expect_clean()


@GROUP.case("4.5.3", "clean")
async def whole_log_again(arena: PlayerEnvironment) -> None:
    """In the middle of the deal the table sends the log from the beginning."""
    table = arena.table

    def shown(number: int, record: Record) -> Sequence[NumberedRecord]:
        first = 0 if number == LIE_NUMBER else number
        return [(at, table.room.records[at]) for at in range(first, number + 1)]

    table.shown = shown
    await arena.start()
    await arena.expect_clean()


def _said_after_entry_0(name: str, *values: Any) -> CaseBody:
    """Make a case: in the match the table sends a message that an honest player ignores."""

    async def run(arena: PlayerEnvironment) -> None:
        table = arena.table

        async def replay(connection: TableConnection, match_id: bytes, number: int) -> None:
            await table.on_replay(connection, match_id, number)
            said = values if name == "error" else (match_id, *values)
            await connection.say(name, *said)

        table.on["replay"] = replay
        await arena.start()
        await arena.expect_clean()

    return run


GROUP.add(
    "envelope-that-does-not-open",
    "7.4.2",
    "clean",
    _said_after_entry_0("relayed", 1, bytes(TALK_ENVELOPE)),
)
GROUP.add(
    "envelope-of-no-seat", "7.4.2", "clean", _said_after_entry_0("relayed", 7, bytes(TALK_ENVELOPE))
)
NOTHING = (bytes(32), 0, bytes(32), "stale", bytes(64))
GROUP.add("refusal-of-nothing", "4.4", "clean", _said_after_entry_0("refused", *NOTHING))
GROUP.add("error-in-the-match", "4.5.6", "clean", _said_after_entry_0("error", "too_many"))


# --- refusals ---


@GROUP.case("6.7.6", "the same bytes")
async def legal_entry_refused(arena: PlayerEnvironment) -> None:
    """The table refuses the player's fourth entry, which is valid: the player neither leaves nor
    signs another.
    """
    table = arena.table
    refused: set[bytes] = set()

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if decode_entry(raw).sequence < 3:
            await table.on_post(connection, match_id, raw)
            return
        refused.add(raw)
        await connection.say("refused", match_id, *table.room.refusal(raw, Code.NOT_NOW))

    table.on["post"] = post
    await arena.start()
    await arena.end()
    if len(refused) != 1:
        raise CaseFailed(
            f"{len(refused)} different entries with one number, after a refusal of a legal one"
        )
    if decode_entry(refused.pop()).kind == "leave":
        raise CaseFailed("it leaves")


@GROUP.case("6.7.6", "bad_signature")
async def refusal_that_is_not_signed(arena: PlayerEnvironment) -> None:
    """The table sends a refusal without its signature: anybody could have made it."""
    table = arena.table

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        said = table.room.refusal(raw, Code.NOT_NOW)
        await connection.say("refused", match_id, *said._replace(signature=bytes(64)))

    table.on["post"] = post
    await arena.start()
    await arena.expect_closed(Code.BAD_SIGNATURE)
