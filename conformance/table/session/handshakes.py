"""The handshake: every message wrong in every way, invalid keys, copied messages, and silence."""

import asyncio
import secrets

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.environment import TableEnvironment
from conformance.table.handshaker import RawHandshake
from conformance.weak_keys import (
    IDENTITY_POINT,
    IDENTITY_POINT_AGAIN,
    LOW_ORDER,
    ORDER,
    ORDER_EIGHT,
    ORDER_FOUR,
    ORDER_TWO,
    random_identity,
)
from protocol import wire
from protocol.codes import Code
from protocol.limits import HANDSHAKE_SECONDS
from protocol.messages.table import VERSION
from protocol.session.session import Role

GROUP = CaseGroup("handshake")
DROPPED = "close without an answer"
PATIENCE = HANDSHAKE_SECONDS + 5  # seconds after which a table has failed to hang up


async def halfway(arena: TableEnvironment) -> RawHandshake:
    return await RawHandshake(await arena.peer()).halfway()


# --- the first message ---


@GROUP.case("3.2.3", DROPPED)
async def first_message_with_a_payload(arena: TableEnvironment) -> None:
    hand = RawHandshake(await arena.peer())
    await hand.first(b"payload")
    await hand.dropped()


@GROUP.case("3.2.4", DROPPED)
async def first_message_one_byte_short(arena: TableEnvironment) -> None:
    hand = RawHandshake(await arena.peer())
    await hand.say(hand.noise.write()[:-1])
    await hand.dropped()


def ephemeral(point: bytes) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        hand = RawHandshake(await arena.peer())
        await hand.say(point)
        await hand.dropped()

    return run


for name, point in LOW_ORDER.items():
    GROUP.add(f"ephemeral-key-{name}", "3.2.4", DROPPED, ephemeral(point))


@GROUP.case("3.2.1", DROPPED)
async def another_prologue(arena: TableEnvironment) -> None:
    hand = RawHandshake(await arena.peer(), prologue=b"fairdeal/2")
    await hand.first()
    await hand.hear()
    # An answer that does not decrypt leaves only random bytes to send.
    await hand.say(secrets.token_bytes(len(hand.answer)))
    await hand.dropped()


# --- the third message ---


@GROUP.case("3.2.4", DROPPED)
async def third_message_changed(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    message = hand.noise.write(hand.credential())
    await hand.say(message[:-1] + bytes([message[-1] ^ 1]))
    await hand.dropped()


@GROUP.case("3.2.4", DROPPED)
async def third_message_one_byte_short(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.say(hand.noise.write(hand.credential())[:-1])
    await hand.dropped()


@GROUP.case("3.2.2", DROPPED)
async def first_message_twice(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.peer.write(hand.sent[0])
    await hand.dropped()


@GROUP.case("3.2.2", DROPPED)
async def tables_own_message_reflected(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.say(hand.answer)
    await hand.dropped()


@GROUP.case("3.3.3", DROPPED)
async def handshake_of_another_connection_replayed(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.third(hand.credential())
    again = RawHandshake(await arena.peer())
    await again.peer.write(hand.sent[0])
    await again.hear()
    await again.peer.write(hand.sent[1])
    await again.dropped()


def static(point: bytes) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        hand = await halfway(arena)
        await hand.say(hand.with_static(point))
        await hand.dropped()

    return run


for name in ("zero", "one", "of-order-eight"):
    GROUP.add(f"static-key-{name}", "3.2.4", DROPPED, static(LOW_ORDER[name]))


# --- the credential in it ---


def credential(payload: bytes) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        hand = await halfway(arena)
        await hand.third(payload)
        await hand.dropped()

    return run


for name, payload in (
    ("credential-missing", b""),
    ("credential-that-is-no-list", wire.encode(bytes(96))),
    ("credential-without-a-signature", wire.encode([bytes(32)])),
    ("credential-with-a-key-too-short", wire.encode([bytes(31), bytes(64)])),
):
    GROUP.add(name, "3.3.1", DROPPED, credential(payload))


@GROUP.case("3.3.1", DROPPED)
async def credential_with_a_byte_left_over(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.third(hand.credential() + b"\0")
    await hand.dropped()


@GROUP.case("3.3.1", DROPPED)
async def credential_with_a_field_too_many(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.third(wire.encode([hand.peer.identity.public, hand.signature(), 0]))
    await hand.dropped()


@GROUP.case("3.3.4", DROPPED)
async def credential_signed_by_another(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.third(hand.credential(public=random_identity().public))
    await hand.dropped()


@GROUP.case("3.3.4", DROPPED)
async def credential_with_a_signature_of_zeros(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.third(hand.credential(signature=bytes(64)))
    await hand.dropped()


@GROUP.case("3.3.2", DROPPED)
async def credential_in_the_role_of_the_table(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.third(hand.credential(signature=hand.signature(label=Role.TABLE.value)))
    await hand.dropped()


@GROUP.case("3.3.3", DROPPED)
async def credential_for_another_static_key(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.third(hand.credential(signature=hand.signature(static=bytes(range(32)))))
    await hand.dropped()


@GROUP.case("3.3.3", DROPPED)
async def credential_for_another_handshake(arena: TableEnvironment) -> None:
    other = await halfway(arena)
    hand = await halfway(arena)
    await hand.third(hand.credential(signature=hand.signature(hashed=other.noise.hash)))
    await hand.dropped()


@GROUP.case("3.3.2", DROPPED)
async def credential_of_the_table_reflected(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    await hand.third(hand.table_credential)
    await hand.dropped()


def weak(torsion: bytes, mixed: bool = False) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        hand = await halfway(arena)
        await hand.third(hand.forged(torsion, 1 + secrets.randbelow(ORDER - 1) if mixed else 0))
        await hand.dropped()

    return run


for name, torsion in (
    ("identity-key-is-the-identity-point", IDENTITY_POINT),
    ("identity-key-is-not-canonical", IDENTITY_POINT_AGAIN),
    ("identity-key-of-order-two", ORDER_TWO),
    ("identity-key-of-order-four", ORDER_FOUR),
    ("identity-key-of-order-eight", ORDER_EIGHT),
):
    GROUP.add(name, "5.1.2", DROPPED, weak(torsion))
GROUP.add("identity-key-of-mixed-order", "5.1.2", DROPPED, weak(ORDER_EIGHT, mixed=True))


# --- silence ---


@GROUP.case("4.7.2", DROPPED)
async def silence_from_the_first(arena: TableEnvironment) -> None:
    peer = await arena.peer()
    if await peer.read_to_end(PATIENCE):
        raise CaseFailed("an answer to one who has not proved who it is")


@GROUP.case("4.7.2", DROPPED)
async def silence_after_the_first_message(arena: TableEnvironment) -> None:
    hand = await halfway(arena)
    if await hand.peer.read_to_end(PATIENCE):
        raise CaseFailed("an answer to one who has not proved who it is")


@GROUP.case("4.7.2", str(Code.TOO_SLOW))
async def silence_before_hello(arena: TableEnvironment) -> None:
    peer = await arena.session()
    message = await peer.receive(PATIENCE)
    if message is None or message.values != [str(Code.TOO_SLOW)]:
        raise CaseFailed(f"{peer.described(message)} instead of error too_slow")
    await peer.expect_closed(Code.TOO_SLOW)


@GROUP.case("4.7.2", DROPPED)
async def a_byte_now_and_then(arena: TableEnvironment) -> None:
    peer = await arena.peer()
    ended = asyncio.create_task(peer.read_to_end(PATIENCE))
    for byte in peer.session.start() * 3:
        if ended.done():
            break
        await peer.write(bytes([byte]))
        await asyncio.wait([ended], timeout=0.5)
    if await ended:
        raise CaseFailed("an answer to one who has not proved who it is")


@GROUP.case("4.7.2", str(Code.TOO_SLOW))
async def bad_names_until_the_deadline(arena: TableEnvironment) -> None:
    peer = await arena.session()
    while True:
        if peer.session.writable:
            await peer.send("hello", VERSION, "\x07")
        message = await peer.receive()
        if message is None or message.values != [str(Code.BAD_NAME)]:
            break
        await asyncio.sleep(0.25)
    if message is None or message.values != [str(Code.TOO_SLOW)]:
        raise CaseFailed(f"{peer.described(message)} instead of error too_slow")
    await peer.expect_closed(Code.TOO_SLOW)
