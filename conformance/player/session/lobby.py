"""Wrong values and messages, and messages at the wrong time, before a match (chapters 2 and 4)."""

from typing import Any

from conformance.case import CaseBody, CaseGroup
from conformance.player.connection import TableConnection
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import TABLE_ID
from protocol import wire
from protocol.codes import Code
from protocol.identity.key_history import KeyHistory, commit, encode_history
from protocol.limits import MAX_NAME, MAX_SEATS, MAX_TABLES_FOUND, MAX_TABLES_LISTED, TALK_ENVELOPE
from protocol.match.terms import terms_hash
from protocol.messages.table import VERSION

GROUP = CaseGroup("lobby")


def _instead_of_the_welcome(payload: bytes, code: Code) -> CaseBody:
    async def run(arena: PlayerEnvironment) -> None:
        async def hello(connection: TableConnection, *_: object) -> None:
            await connection.say_payload(payload)

        arena.table.on["hello"] = hello
        await arena.start()
        await arena.expect_closed(code)

    return run


@GROUP.case("38.2.3", "clean")
async def history_of_keys(arena: PlayerEnvironment) -> None:
    """The table shows a commitment to its next key before it welcomes the player, who plays on."""
    table = arena.table

    async def hello(connection: TableConnection, version: int, name: str) -> None:
        history = commit(KeyHistory(table.identity.public), table.identity, bytes(32))
        await connection.say("keys", encode_history(history))
        await table.on_hello(connection, version, name)

    table.on["hello"] = hello
    await arena.start()
    await arena.expect_clean()


@GROUP.case("38.2.3", "bad_message")
async def second_history_of_keys(arena: PlayerEnvironment) -> None:
    """The table shows its commitment a second time."""
    table = arena.table

    async def hello(connection: TableConnection, *_: object) -> None:
        shown = encode_history(commit(KeyHistory(table.identity.public), table.identity, bytes(32)))
        await connection.say("keys", shown)
        await connection.say("keys", shown)

    table.on["hello"] = hello
    await arena.start()
    await arena.expect_closed(Code.BAD_MESSAGE)


ENCODINGS = {
    "map": b"\x80",
    "float": b"\x94\xa7welcome\xca\x3f\x80\0\0\xa1T\x90",
    "negative-integer": b"\x94\xa7welcome\xff\xa1T\x90",
    "integer-longer-than-needed": b"\x94\xa7welcome\xcc\x01\xa1T\x90",
    "text-longer-than-needed": b"\x94\xd9\x07welcome\x01\xa1T\x90",
    "text-that-is-not-utf-8": b"\x94\xa7welcome\x01\xa1\xff\x90",
    "list-that-ends-early": b"\x94\xa7welcome\x01\xa1T",
    "list-that-claims-four-thousand-million-items": b"\xdd\xff\xff\xff\xff",
    "nine-levels": b"\x91" * 8 + b"\x90",
    "byte-left-over": wire.encode(["welcome", VERSION, "T", []]) + b"\0",
    "message-of-no-bytes": b"",
}
MESSAGES: dict[str, tuple[str, Any]] = {
    "message-that-does-not-exist": ("4.1.2", ["fold", 1]),
    "message-that-is-no-list": ("4.1.1", "welcome"),
    "message-without-a-name": ("4.1.1", []),
    "message-of-a-player": ("4.1.2", ["hello", VERSION, "T"]),
    "field-too-many": ("4.1.2", ["welcome", VERSION, "T", [], 0]),
    "field-too-few": ("4.1.2", ["welcome", VERSION, "T"]),
    "boolean-for-an-integer": ("2.2.4", ["welcome", True, "T", []]),
    "bytes-for-text": ("2.2.4", ["welcome", VERSION, b"T", []]),
    "name-too-long": ("4.1.3", ["welcome", VERSION, "T" * (MAX_NAME + 1), []]),
    "entry-before-a-match": ("4.2", ["entry", bytes(32), 0, b"e", bytes(64)]),
    "match-before-the-welcome": ("4.2", ["match", TABLE_ID, bytes(32), 0, 1, None]),
}
ADDRESSES = {
    "capitals": "Example.org:7500",
    "no-port": "example.org",
    "port-nought": "example.org:0",
    "port-too-high": "example.org:65536",
    "port-with-a-nought-in-front": "example.org:07500",
    "scheme-of-a-link": "fairdeal://example.org:7500",
    "other-scheme": "https://example.org/fairdeal",
    "usual-port-of-a-web-server": "wss://example.org:443/fairdeal",
    "path-behind-a-port": "example.org:7500/fairdeal",
    "path-upwards": "wss://example.org/../fairdeal",
    "question": "wss://example.org/fairdeal?a",
    "person": "ann@example.org:7500",
    "longer-ipv6": "[2001:db8:0:0::1]:7500",
    "ipv4-as-ipv6": "[::ffff:192.0.2.1]:7500",
    "zone": "[fe80::1%eth0]:7500",
    "number": "3221225985:7500",
    "hexadecimal-number": "0xc0000201:7500",
    "ipv4-of-three-parts": "192.0.513:7500",
    "ipv4-with-a-nought-in-front": "192.0.02.1:7500",
    "dot-at-the-end": "example.org.:7500",
    "part-of-64-letters": f"{64 * 'a'}.org:7500",
    "no-text": "",
    "481-characters": f"wss://{'.'.join(4 * [60 * 'a'])}.org/{'/'.join(3 * [75 * 'a'])}",
}
MESSAGES |= {
    f"address-{name}": ("5.5.1", ["welcome", VERSION, "T", [text]])
    for name, text in ADDRESSES.items()
}
MESSAGES["nine-addresses"] = (
    "4.4",
    ["welcome", VERSION, "T", [f"127.0.0.1:{n}" for n in range(1, 10)]],
)
for name, encoding in ENCODINGS.items():
    GROUP.add(name, "2.2.3", "bad_encoding", _instead_of_the_welcome(encoding, Code.BAD_ENCODING))
for name, (section, message) in MESSAGES.items():
    payload = wire.encode(message)
    GROUP.add(name, section, "bad_message", _instead_of_the_welcome(payload, Code.BAD_MESSAGE))


def _after_the_welcome(message: list[Any]) -> CaseBody:
    async def run(arena: PlayerEnvironment) -> None:
        table = arena.table

        async def hello(connection: TableConnection, version: int, name: str) -> None:
            await table.on_hello(connection, version, name)
            await connection.say_payload(wire.encode(message))

        table.on["hello"] = hello
        await arena.start()
        await arena.expect_closed(Code.BAD_MESSAGE)

    return run


def _row(number: int) -> list[Any]:
    clock = [["extensions", 3], ["step", 300], ["turn", 120]]
    return [f"t{number}", "block-dominoes", [], "layered", [], clock, 2, [], 0]


PEOPLE = [[f"P{number}", bytes(32)] for number in range(MAX_SEATS + 1)]
ROWS = [_row(number) for number in range(MAX_TABLES_LISTED + 1)]
LATER: dict[str, tuple[str, list[Any]]] = {
    "welcome-twice": ("4.2", ["welcome", VERSION, "T", []]),
    "listing-too-long": ("4.4", ["tables", ROWS]),
    "listing-with-a-row-too-short": ("4.4", ["tables", [_row(0)[:-1]]]),
    "listing-with-a-match-running-twice": ("4.4", ["tables", [[*_row(0)[:-1], 2]]]),
    "page-too-long": ("4.4", ["found", None, 0, 0, 51, ROWS[: MAX_TABLES_FOUND + 1], None]),
    "page-with-a-row-too-short": ("4.4", ["found", None, 0, 0, 1, [_row(0)[:-1]], None]),
    "page-without-its-number-of-tables": ("4.4", ["found", None, 0, 0, [_row(0)], None]),
    "more-people-waiting-than-may-be": ("4.4", ["waiting", TABLE_ID, 2, PEOPLE]),
    "envelope-in-the-lobby": ("4.2", ["relayed", bytes(32), 1, bytes(TALK_ENVELOPE)]),
    "refusal-in-the-lobby": (
        "4.2",
        ["refused", bytes(32), bytes(32), 0, bytes(32), "not_now", bytes(64)],
    ),
}
for name, (section, message) in LATER.items():
    GROUP.add(name, section, "bad_message", _after_the_welcome(message))


@GROUP.case("4.5.1", "wrong_version")
async def another_version(arena: PlayerEnvironment) -> None:
    """The table speaks the next version of the protocol."""

    async def hello(connection: TableConnection, *_: object) -> None:
        await connection.say("welcome", VERSION + 1, "Kit table", [])

    arena.table.on["hello"] = hello
    await arena.start()
    await arena.expect_closed(Code.WRONG_VERSION)
    arena.silent(arena.connections[0], after="hello")


@GROUP.case("4.5.13", "clean")
async def terms_that_have_changed(arena: PlayerEnvironment) -> None:
    """The terms change after the player has read them and before it takes the seat: the player
    reads the new terms, and plays.
    """
    table = arena.table

    async def join(connection: TableConnection, place: object) -> None:
        # A player that names no terms in `join` gets none in the answer.
        if isinstance(place, list):
            clock = tuple(
                (name, 77 if name == "turn" else value) for name, value in table.terms.clock
            )
            table.terms = table.terms._replace(clock=clock)
            table.on["join"] = again
            await connection.say("error", str(Code.OTHER_TERMS))
        else:
            await table.on_join(connection, None)

    async def again(connection: TableConnection, place: object) -> None:
        if place not in ([None, terms_hash(table.terms)], [TABLE_ID, terms_hash(table.terms)]):
            table.noticed.append("it does not ask for the terms that there are by now")
        await table.on_join(connection, None)

    table.on["join"] = join
    await arena.start()
    await arena.expect_clean()


@GROUP.case("4.5.6", "goes on, or says goodbye")
async def error_for_a_request(arena: PlayerEnvironment) -> None:
    """The table is full: the player must not close with a code."""

    async def join(connection: TableConnection, table_id: str | None) -> None:
        await connection.say("error", str(Code.TABLE_FULL))

    arena.table.on["join"] = join
    await arena.start()
    await arena.wait(lambda: arena.heard("join"), "the player did not ask for a seat")
    await arena.expect_closed(None)
