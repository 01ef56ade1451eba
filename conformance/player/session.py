"""The handshake and the records of a table that is another, or has somebody in the middle (chapter 3)."""

from collections.abc import Callable

from conformance.case import Body, Group
from conformance.handshaker import IDENTITY_POINT, LOW_ORDER, ORDER_EIGHT, another_identity, sign_weakly
from conformance.player.guest import Guest, Second
from conformance.player.lies import flip
from conformance.player.stage import Stage
from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import frame
from protocol.identity.keys import Identity, fingerprint
from protocol.messages import table as messages
from protocol.messages.table import Phase
from protocol.session.noise import shared_secret
from protocol.session.session import Role

GROUP = Group("session")


# --- the handshake: the player drops the connection without an answer ---


def _dropped(second: Second) -> Body:
    async def run(stage: Stage) -> None:
        stage.table.second = second
        await stage.start()
        await stage.expect_dropped()

    return run


def _with(payload: Callable[[Guest], bytes]) -> Body:
    """A handshake message that is right but for its payload."""
    return _dropped(lambda guest: wire.frame(guest.noise.write(payload(guest))))


def _changed(change: Callable[[bytes], bytes]) -> Body:
    return _dropped(lambda guest: wire.frame(change(guest.noise.write(guest.credential()))))


def _zero_secret(ephemeral: bytes) -> Second:
    """A handshake that holds together for all who know that the shared secret of such a key is zero."""

    def second(guest: Guest) -> bytes:
        symmetric, credential = guest.noise._symmetric, guest.credential()
        symmetric.mix_hash(ephemeral)
        symmetric.mix_key(bytes(32))
        static = symmetric.encrypt_and_hash(guest.static)
        symmetric.mix_key(shared_secret(guest.secret, guest.first[:32]))
        return wire.frame(ephemeral + static + symmetric.encrypt_and_hash(credential))

    return second


def _misbound(guest: Guest) -> bytes:
    """The table's identity over a signature of somebody else's."""
    signature = wire.decode(guest.credential(signer=another_identity()))[1]
    return wire.encode([guest.identity.public, signature])


GROUP.add(
    "table-key-is-not-the-links", "3.3.5", "dropped", _with(lambda guest: guest.credential(signer=another_identity()))
)
GROUP.add("credential-of-a-player", "3.3.2", "dropped", _with(lambda guest: guest.credential(label=Role.PLAYER.value)))
GROUP.add(
    "credential-of-another-handshake", "3.3.3", "dropped", _with(lambda guest: guest.credential(hashed=bytes(64)))
)
GROUP.add(
    "credential-of-another-static-key", "3.3.3", "dropped", _with(lambda guest: guest.credential(static=bytes(32)))
)
GROUP.add("identity-over-anothers-signature", "3.3.4", "dropped", _with(_misbound))
GROUP.add("no-credential", "3.3.1", "dropped", _with(lambda guest: b""))
GROUP.add("credential-with-a-byte-left-over", "3.3.1", "dropped", _with(lambda guest: guest.credential() + b"\0"))
GROUP.add("handshake-message-reflected", "3.2.4", "dropped", _dropped(lambda guest: wire.frame(guest.first)))
GROUP.add("handshake-message-cut-short", "3.2.4", "dropped", _changed(lambda message: message[:-1]))
GROUP.add("bit-of-the-ephemeral-key", "3.2.4", "dropped", _changed(lambda message: flip(message, 0)))
GROUP.add("bit-of-the-static-key", "3.2.4", "dropped", _changed(lambda message: flip(message, 40)))
GROUP.add("bit-of-the-credential", "3.2.4", "dropped", _changed(lambda message: flip(message)))
for point in ("zero", "of-order-eight"):
    GROUP.add(f"ephemeral-key-{point}", "3.2.4", "dropped", _dropped(_zero_secret(LOW_ORDER[point])))


def _weak(torsion: bytes, secret: int) -> Body:
    """A table whose own key is weak: the link has its fingerprint, and the signature holds for a careless verifier."""

    async def run(stage: Stage) -> None:
        public, _ = sign_weakly(torsion, secret, b"")
        stage.fingerprint = fingerprint(public)

        def second(guest: Guest) -> bytes:
            said = frame(Role.TABLE.value, guest.static, guest.noise.hash)
            return wire.frame(guest.noise.write(wire.encode(list(sign_weakly(torsion, secret, said)))))

        stage.table.second = second
        await stage.start()
        await stage.expect_dropped()

    return run


GROUP.add("identity-of-small-order", "3.3.4", "dropped", _weak(IDENTITY_POINT, 0))
GROUP.add("identity-of-mixed-order", "3.3.4", "dropped", _weak(ORDER_EIGHT, 12345))


@GROUP.case("3.3.3", "dropped")
async def handshake_message_of_an_earlier_connection(stage: Stage) -> None:
    """The very bytes that were right a moment ago."""
    said = b""

    def second(guest: Guest) -> bytes:
        nonlocal said
        said = said or wire.frame(guest.noise.write(guest.credential()))
        return said

    stage.table.second, stage.table.cut_at = second, [5]
    await stage.start()
    await stage.expect_dropped(1)


# --- records: the player closes with the code that says why ---


def _welcome(name: str = "Kit table") -> bytes:
    return messages.encode("welcome", messages.VERSION, name)


def _records(made: Callable[[Guest], bytes]) -> Body:
    async def run(stage: Stage) -> None:
        async def hello(guest: Guest, *_: object) -> None:
            guest.go(Phase.LOBBY)  # what it hears may begin with a right welcome
            await guest.write(made(guest))

        stage.table.on["hello"] = hello
        await stage.start()
        await stage.expect_closed(Code.BAD_RECORD)

    return run


def _twice(guest: Guest) -> bytes:
    return 2 * guest.record(_welcome())


def _exchanged(guest: Guest) -> bytes:
    first, second = guest.record(_welcome()), guest.record(messages.encode("tables", []))
    return second + first


def _left_out(guest: Guest) -> bytes:
    guest.record(_welcome("Another"))
    return guest.record(_welcome())


GROUP.add("record-twice", "3.4.3", "bad_record", _records(_twice))
GROUP.add("records-exchanged", "3.4.3", "bad_record", _records(_exchanged))
GROUP.add("record-left-out", "3.4.3", "bad_record", _records(_left_out))
GROUP.add("bit-of-a-record", "3.4.3", "bad_record", _records(lambda guest: flip(guest.record(_welcome()), 8)))
GROUP.add("bit-of-a-tag", "3.4.3", "bad_record", _records(lambda guest: flip(guest.record(_welcome()))))
GROUP.add("record-reflected", "3.4.1", "bad_record", _records(lambda guest: wire.frame(guest.last)))
GROUP.add("record-of-no-type", "3.4.2", "bad_record", _records(lambda guest: guest.record(b"", b"")))
GROUP.add("record-of-type-two", "3.4.2", "bad_record", _records(lambda guest: guest.record(_welcome(), b"\2")))
GROUP.add("close-with-an-unknown-code", "3.5.1", "bad_record", _records(lambda guest: guest.record(b"because", b"\1")))
GROUP.add("close-that-is-no-text", "3.5.1", "bad_record", _records(lambda guest: guest.record(b"\xff", b"\1")))


@GROUP.case("3.5.1", "not acted on")
async def message_after_a_close_record(stage: Stage) -> None:
    """The lobby's listing behind the goodbye: nobody may join for it."""

    async def hello(guest: Guest, *_: object) -> None:
        late = guest.record(b"", b"\1"), guest.record(_welcome()), guest.record(messages.encode("tables", []))
        await guest.write(b"".join(late))

    stage.table.on["hello"] = hello
    await stage.start()
    guest = await stage.end()
    stage.silent(guest, after="hello")


@GROUP.case("3.3.5", "clean")
async def right_key_for_the_link(stage: Stage) -> None:
    """The counterpart of the cases above: an identity made a moment ago, and its fingerprint in the link."""
    stage.table.identity = Identity(stage.table.rng.randbytes(32))
    await stage.start()
    await stage.expect_clean()
