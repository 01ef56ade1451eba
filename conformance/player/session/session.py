"""The handshake and the records of a false table, or with somebody in the middle (chapter 3)."""

from collections.abc import Callable

from conformance.case import CaseBody, CaseGroup
from conformance.mutations import flip_bit
from conformance.player.connection import HandshakeReply, TableConnection
from conformance.player.environment import PlayerEnvironment
from conformance.weak_keys import (
    IDENTITY_POINT,
    LOW_ORDER,
    ORDER_EIGHT,
    random_identity,
    sign_weakly,
)
from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import encode_fields
from protocol.identity.keys import Identity, fingerprint
from protocol.messages import table as messages
from protocol.messages.table import ConnectionPhase
from protocol.session.noise import shared_secret
from protocol.session.session import Role

GROUP = CaseGroup("session")


# --- the handshake: the player drops the connection without an answer ---


def _dropped(second: HandshakeReply) -> CaseBody:
    async def run(arena: PlayerEnvironment) -> None:
        arena.table.second = second
        await arena.start()
        await arena.expect_dropped()

    return run


def _with(payload: Callable[[TableConnection], bytes]) -> CaseBody:
    """Make a case: the handshake message is correct except for its payload."""
    return _dropped(lambda conn: wire.encode_frame(conn.noise.write(payload(conn))))


def _changed(change: Callable[[bytes], bytes]) -> CaseBody:
    return _dropped(lambda conn: wire.encode_frame(change(conn.noise.write(conn.credential()))))


def _zero_secret(ephemeral: bytes) -> HandshakeReply:
    """Return a handshake with a weak key. It is consistent for everybody who knows that the shared
    secret of this key is zero.
    """

    def second(connection: TableConnection) -> bytes:
        symmetric = connection.noise._symmetric
        credential = connection.credential()
        symmetric.mix_hash(ephemeral)
        symmetric.mix_key(bytes(32))
        static = symmetric.encrypt_and_hash(connection.static)
        symmetric.mix_key(shared_secret(connection.secret, connection.first[:32]))
        return wire.encode_frame(ephemeral + static + symmetric.encrypt_and_hash(credential))

    return second


def _misbound(connection: TableConnection) -> bytes:
    """Return the table's identity with a signature of somebody else."""
    signature = wire.decode(connection.credential(signer=random_identity()))[1]
    return wire.encode([connection.identity.public, signature])


GROUP.add(
    "table-key-is-not-the-links",
    "3.3.5",
    "dropped",
    _with(lambda conn: conn.credential(signer=random_identity())),
)
GROUP.add(
    "credential-of-a-player",
    "3.3.2",
    "dropped",
    _with(lambda conn: conn.credential(label=Role.PLAYER.value)),
)
GROUP.add(
    "credential-of-another-handshake",
    "3.3.3",
    "dropped",
    _with(lambda conn: conn.credential(hashed=bytes(64))),
)
GROUP.add(
    "credential-of-another-static-key",
    "3.3.3",
    "dropped",
    _with(lambda conn: conn.credential(static=bytes(32))),
)
GROUP.add("identity-over-anothers-signature", "3.3.4", "dropped", _with(_misbound))
GROUP.add("no-credential", "3.3.1", "dropped", _with(lambda conn: b""))
GROUP.add(
    "credential-with-a-byte-left-over",
    "3.3.1",
    "dropped",
    _with(lambda conn: conn.credential() + b"\0"),
)
GROUP.add(
    "handshake-message-reflected",
    "3.2.4",
    "dropped",
    _dropped(lambda conn: wire.encode_frame(conn.first)),
)
GROUP.add("handshake-message-cut-short", "3.2.4", "dropped", _changed(lambda message: message[:-1]))
GROUP.add(
    "bit-of-the-ephemeral-key", "3.2.4", "dropped", _changed(lambda message: flip_bit(message, 0))
)
GROUP.add(
    "bit-of-the-static-key", "3.2.4", "dropped", _changed(lambda message: flip_bit(message, 40))
)
GROUP.add(
    "bit-of-the-credential", "3.2.4", "dropped", _changed(lambda message: flip_bit(message, -1))
)
for point in ("zero", "of-order-eight"):
    GROUP.add(
        f"ephemeral-key-{point}", "3.2.4", "dropped", _dropped(_zero_secret(LOW_ORDER[point]))
    )


def _weak(torsion: bytes, secret: int) -> CaseBody:
    """Make a case: the table's own key is weak. The link has its fingerprint, and a careless
    verifier accepts the signature.
    """

    async def run(arena: PlayerEnvironment) -> None:
        public, _ = sign_weakly(torsion, secret, b"")
        arena.fingerprint = fingerprint(public)

        def second(connection: TableConnection) -> bytes:
            said = encode_fields(Role.TABLE.value, connection.static, connection.noise.hash)
            return wire.encode_frame(
                connection.noise.write(wire.encode(list(sign_weakly(torsion, secret, said))))
            )

        arena.table.second = second
        await arena.start()
        await arena.expect_dropped()

    return run


GROUP.add("identity-of-small-order", "3.3.4", "dropped", _weak(IDENTITY_POINT, 0))
GROUP.add("identity-of-mixed-order", "3.3.4", "dropped", _weak(ORDER_EIGHT, 12345))


@GROUP.case("3.3.3", "dropped")
async def handshake_message_of_an_earlier_connection(arena: PlayerEnvironment) -> None:
    """In a match, the table sends the bytes that were correct in an earlier connection."""
    table = arena.table
    said = b""

    def second(connection: TableConnection) -> bytes:
        nonlocal said
        if not table.begun:
            said = wire.encode_frame(connection.noise.write(connection.credential()))
        return said

    table.second = second
    table.cut_at = [5]
    await arena.start()
    await arena.expect_dropped(1)


# --- records: the player closes with the code that says why ---


def _welcome(name: str = "Kit table") -> bytes:
    return messages.encode("welcome", messages.VERSION, name, [])


def _records(made: Callable[[TableConnection], bytes]) -> CaseBody:
    async def run(arena: PlayerEnvironment) -> None:
        async def hello(connection: TableConnection, *_: object) -> None:
            connection.go(ConnectionPhase.LOBBY)  # the messages may begin with a correct welcome
            await connection.write(made(connection))

        arena.table.on["hello"] = hello
        await arena.start()
        await arena.expect_closed(Code.BAD_RECORD)

    return run


def _twice(connection: TableConnection) -> bytes:
    return 2 * connection.record(_welcome())


def _exchanged(connection: TableConnection) -> bytes:
    first = connection.record(_welcome())
    second = connection.record(messages.encode("tables", []))
    return second + first


def _left_out(connection: TableConnection) -> bytes:
    connection.record(_welcome("Another"))
    return connection.record(_welcome())


GROUP.add("record-twice", "3.4.3", "bad_record", _records(_twice))
GROUP.add("records-exchanged", "3.4.3", "bad_record", _records(_exchanged))
GROUP.add("record-left-out", "3.4.3", "bad_record", _records(_left_out))
GROUP.add(
    "bit-of-a-record",
    "3.4.3",
    "bad_record",
    _records(lambda conn: flip_bit(conn.record(_welcome()), 8)),
)
GROUP.add(
    "bit-of-a-tag",
    "3.4.3",
    "bad_record",
    _records(lambda conn: flip_bit(conn.record(_welcome()), -1)),
)
GROUP.add(
    "record-reflected", "3.4.1", "bad_record", _records(lambda conn: wire.encode_frame(conn.last))
)
GROUP.add("record-of-no-type", "3.4.2", "bad_record", _records(lambda conn: conn.record(b"", b"")))
GROUP.add(
    "record-of-type-two",
    "3.4.2",
    "bad_record",
    _records(lambda conn: conn.record(_welcome(), b"\2")),
)
GROUP.add(
    "close-with-an-unknown-code",
    "3.5.1",
    "bad_record",
    _records(lambda conn: conn.record(b"because", b"\1")),
)
GROUP.add(
    "close-that-is-no-text",
    "3.5.1",
    "bad_record",
    _records(lambda conn: conn.record(b"\xff", b"\1")),
)


@GROUP.case("3.5.1", "not acted on")
async def message_after_a_close_record(arena: PlayerEnvironment) -> None:
    """The table sends the list of tables after its close record: the player must not join because
    of it.
    """

    async def hello(connection: TableConnection, *_: object) -> None:
        late = (
            connection.record(b"", b"\1"),
            connection.record(_welcome()),
            connection.record(messages.encode("tables", [])),
        )
        await connection.write(b"".join(late))

    arena.table.on["hello"] = hello
    await arena.start()
    connection = await arena.end()
    arena.silent(connection, after="hello")


@GROUP.case("3.3.5", "clean")
async def right_key_for_the_link(arena: PlayerEnvironment) -> None:
    """The counterpart of the cases above: a new identity with its fingerprint in the link."""
    arena.table.identity = Identity(arena.table.rng.randbytes(32))
    await arena.start()
    await arena.expect_clean()
