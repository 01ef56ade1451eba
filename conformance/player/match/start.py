"""Matches that the player did not agree to: the player checks entry 0 before it posts anything
(4.5.9, 6.2).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.player.connection import TableConnection
from conformance.player.environment import PlayerEnvironment
from conformance.player.kit_match import KitMatch
from conformance.weak_keys import random_identity
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE
from protocol.match.log import NO_HASH, EntryContent, Record, make_entry
from protocol.match.setup import KIND, Person, Setup
from protocol.options import Selection

GROUP = CaseGroup("start")
First = Callable[[KitMatch], Record]


async def _refused(arena: PlayerEnvironment, code: Code, first: First | None = None) -> None:
    """Show only entry 0; the player closes with this code, and has posted nothing."""
    table = arena.table

    async def replay(connection: TableConnection, match_id: bytes, number: int) -> None:
        await connection.say(
            "entry", match_id, 0, *(first(table.room) if first else table.room.records[0])
        )

    table.on["replay"] = replay
    await arena.start()
    await arena.expect_closed(code)
    if arena.heard("post"):
        raise CaseFailed("the player posted something")


def _other_setup(change: Callable[[Setup], Setup]) -> CaseBody:
    async def run(arena: PlayerEnvironment) -> None:
        arena.table.setup_for = change
        await _refused(arena, Code.WRONG_SETUP)

    return run


def _person(setup: Setup, **other: Any) -> Setup:
    return replace(setup, people=(setup.people[0]._replace(**other), *setup.people[1:]))


def _another_seat(setup: Setup) -> Setup:
    return replace(setup, people=setup.people[::-1])


def _one_more(setup: Setup) -> Setup:
    more = replace(setup, people=(*setup.people, Person("Tabitha", random_identity().public)))
    return _terms(more, seats=more.seats)


def _terms(setup: Setup, **other: Any) -> Setup:
    return replace(setup, terms=setup.terms._replace(**other))


def _options(setup: Setup, *options: tuple[str, int]) -> Setup:
    return _terms(setup, game=Selection(setup.terms.game.name, options))


SETUPS: dict[str, Callable[[Setup], Setup]] = {
    "another-name-for-the-player": lambda setup: _person(setup, name="Somebody"),
    "another-key-for-the-player": lambda setup: _person(setup, identity=random_identity().public),
    "another-seat-for-the-player": _another_seat,
    "another-table-id": lambda setup: replace(setup, table=setup.table._replace(id="elsewhere")),
    "another-game": lambda setup: _terms(
        setup, game=setup.terms.game._replace(name="draw-dominoes")
    ),
    "another-option": lambda setup: _options(setup, ("hand", 2), ("target", 2)),
    "an-option-more": lambda setup: _options(setup, ("hand", 2), ("highest", 9), ("target", 1)),
    "another-dealing": lambda setup: _terms(setup, dealing=Selection("verified")),
    "another-dealing-option": lambda setup: _terms(
        setup, dealing=Selection("layered", (("take", 50),))
    ),
    "another-clock": lambda setup: _terms(
        setup, clock=(("extensions", 0), ("step", 1), ("turn", 1))
    ),
    "one-seat-more": _one_more,
}
for name, change in SETUPS.items():
    GROUP.add(name, "4.5.9", "wrong_setup", _other_setup(change))


@GROUP.case("4.5.9", "wrong_table_key")
async def match_of_another_table(arena: PlayerEnvironment) -> None:
    """A table in the middle passes on the match of another table."""
    arena.table.opener = random_identity()
    await _refused(arena, Code.WRONG_TABLE_KEY)


@GROUP.case("4.5.9", "wrong_match")
async def match_id_that_is_not_hash_0(arena: PlayerEnvironment) -> None:
    """`match` announces another match than the log has."""
    arena.table.announced = lambda values: [values[0], bytes(32), *values[2:]]
    await _refused(arena, Code.WRONG_MATCH)


def _first(change: First, code: Code) -> CaseBody:
    """Make a case: entry 0 is something else, and the id of the match fits it."""

    async def run(arena: PlayerEnvironment) -> None:
        table = arena.table

        def hashed() -> bytes:
            return digest("chain", NO_HASH, 0, change(table.room).entry)

        table.announced = lambda values: [values[0], hashed(), *values[2:]]
        await _refused(arena, code, change)

    return run


def _signed_first(room: KitMatch, body: list[object], other: bool = False) -> Record:
    signer = room.others[0].identity if other else room.identity
    raw = make_entry(signer, NO_HASH, EntryContent(TABLE, 0, (0, NO_HASH), KIND, body))
    hashed = digest("chain", NO_HASH, 0, raw)
    return Record(raw, room.identity.sign("head", hashed, 0, hashed))


def _bad_head(room: KitMatch) -> Record:
    return Record(room.records[0].entry, bytes(64))


def _not_the_tables(room: KitMatch) -> Record:
    return _signed_first(room, room.log.setup.body(), other=True)


def _no_setup(room: KitMatch) -> Record:
    return _signed_first(room, [])


def _name_twice(room: KitMatch) -> Record:
    setup = room.log.setup
    return _signed_first(room, replace(setup, people=(setup.people[0], *setup.people[:1])).body())


GROUP.add(
    "head-of-entry-0-not-signed", "6.4.2", "bad_signature", _first(_bad_head, Code.BAD_SIGNATURE)
)
GROUP.add(
    "entry-0-signed-by-a-seat",
    "6.3.2",
    "bad_entry_signature",
    _first(_not_the_tables, Code.BAD_ENTRY_SIGNATURE),
)
GROUP.add("entry-0-without-a-setup", "6.2", "bad_setup", _first(_no_setup, Code.BAD_SETUP))
GROUP.add("one-person-on-two-seats", "6.2", "bad_setup", _first(_name_twice, Code.BAD_SETUP))


@GROUP.case("4.4", "bad_message")
async def seated_as_a_spectator(arena: PlayerEnvironment) -> None:
    """The player asked for a seat, and the table seats it as a spectator."""
    arena.table.announced = lambda values: [*values[:2], None, *values[3:]]
    await _refused(arena, Code.BAD_MESSAGE)
