"""Vectors of chapter 3: whole handshakes, and the reaction of one side to the bytes of the
other.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from protocol import wire
from protocol.crypto.primitives.x25519 import public_key
from protocol.identity.keys import Identity, fingerprint
from protocol.messages.relay import LABEL, Claim, check_claim, encode, signed_fields
from protocol.session.noise import CipherState, Handshake, hkdf
from protocol.session.session import (
    PROLOGUE,
    FirstMessage,
    MessageReceived,
    PeerAuthenticated,
    Role,
    Session,
    SessionClosed,
    SessionEvent,
)
from protocol.session.ticket import Ticket, ticket_payload
from tests.vectors.make.forms import Bad, Vector, random_for


class Given:
    """Random source that returns one ephemeral key."""

    def __init__(self, ephemeral: bytes) -> None:
        self._ephemeral = ephemeral

    def randbytes(self, n: int, /) -> bytes:
        """The key."""
        assert n == len(self._ephemeral)
        return self._ephemeral


def handshake(player: dict[str, bytes], table: dict[str, bytes]) -> dict[str, Any]:
    """Operation of 3.2, 3.3: return the messages of an honest handshake, and its results."""
    first, second = Rogue(Role.PLAYER, **player), Rogue(Role.TABLE, **table)
    messages = []
    for sender, reader in ((first, second), (second, first), (first, second)):
        messages.append(sender.message())
        reader.read(messages[-1])
    keys = hkdf(first.noise._symmetric._chaining_key, b"")
    return {
        "messages": messages,
        "binding": first.noise.hash,
        "key from the player": keys[0][:32],
        "key from the table": keys[1][:32],
        "identities": [Identity(side["identity"]).public for side in (player, table)],
    }


def seal_record(key: bytes, nonce: int, kind: int, body: bytes) -> dict[str, Any]:
    """Operation of 3.4: encrypt a record, as a frame."""
    cipher = CipherState(key)
    cipher.nonce = nonce
    return {"frame": wire.encode_frame(cipher.encrypt(bytes([kind]) + body))}


def run_side(
    role: str,
    identity: bytes,
    static: bytes,
    ephemeral: bytes,
    fingerprint: str | None,
    received: bytes,
) -> dict[str, Any]:
    """Operation of 3: run one side with fixed keys on these received bytes. Return the handshake
    messages that it sends, and what it reports.
    """
    side = Role.PLAYER if role == "player" else Role.TABLE
    session = Session(
        side,
        Identity(identity),
        static,
        Given(ephemeral),
        fingerprint,
        takes_tickets=side is Role.TABLE,
    )
    sent = session.start() if side is Role.PLAYER else b""
    events = []
    for event in session.receive(received):
        if not isinstance(event, FirstMessage):
            events.append(_event(event))
        sent += session.take_handshake_bytes()
    return {
        "sent": sent + session.take_handshake_bytes(),
        "events": events,
        "at the end of the stream": session.eof(),
    }


def first_message(ticket: bytes, secret: bytes, ephemeral: bytes) -> dict[str, Any]:
    """Operation of 4.10: return the first message of a player with a ticket."""
    return {
        "message": public_key(ephemeral)
        + ticket_payload(Ticket(ticket, secret), public_key(ephemeral))
    }


def _event(event: SessionEvent) -> list[Any]:
    match event:
        case PeerAuthenticated(peer, binding):
            return ["established", peer, binding]
        case MessageReceived(payload):
            return ["message", payload]
        case SessionClosed(code):
            return ["close", code]


def relay_claim(identity: bytes, challenge: bytes, relay: str) -> dict[str, Any]:
    """Operation of 3.7.4: return the message by which a table claims its channel at a relay."""
    table = Identity(identity)
    signature = table.sign(LABEL, *signed_fields(challenge, relay))
    return {"message": encode(Claim(table.public, relay, signature))}


def check_relay_claim(
    public: bytes, signature: bytes, challenge: bytes, relay: str
) -> dict[str, Any]:
    """Operation of 3.7.4: check a claim."""
    check_claim(Claim(public, relay, signature), challenge)
    return {"fingerprint": fingerprint(public)}


def _relay_vectors() -> list[Vector]:
    identity, challenge, relay = b"\x0a" * 32, b"\x0b" * 32, "wss://relay.example.org"
    signature = Identity(identity).sign(LABEL, *signed_fields(challenge, relay))
    given = {
        "public": Identity(identity).public,
        "signature": signature,
        "challenge": challenge,
        "relay": relay,
    }
    bad = (
        Bad("of another line", {"challenge": b"\x0c" * 32}, "bad_signature"),
        Bad("of another relay", {"relay": "wss://other.example.org"}, "bad_signature"),
        Bad("of another table", {"public": Identity(b"\x0d" * 32).public}, "bad_signature"),
        Bad("of a weak key", {"public": bytes(32)}, "bad_identity"),
    )
    own = {"identity": identity, "challenge": challenge, "relay": relay}
    return [
        Vector("3.7", "a table claims its channel", "relay claim", own),
        Vector("3.7", "a relay checks a claim", "check relay claim", given, bad),
    ]


OPERATIONS = {
    "handshake": handshake,
    "seal record": seal_record,
    "run side": run_side,
    "first message": first_message,
    "relay claim": relay_claim,
    "check relay claim": check_relay_claim,
}


class Side(NamedTuple):
    """One side's private keys."""

    identity: bytes
    static: bytes
    ephemeral: bytes


class Rogue:
    """Side of a handshake that can send anything."""

    def __init__(self, role: Role, identity: bytes, static: bytes, ephemeral: bytes) -> None:
        self.role, self.identity, self.static = role, Identity(identity), static
        self.noise = Handshake(
            initiator=role is Role.PLAYER, prologue=PROLOGUE, static=static, rng=Given(ephemeral)
        )

    def credential(
        self, signer: Identity | None = None, label: str | None = None, hashed: bytes | None = None
    ) -> bytes:
        """Make the payload that identifies this side."""
        who = signer or self.identity
        signature = who.sign(
            label or self.role.value, public_key(self.static), hashed or self.noise.hash
        )
        return wire.encode([who.public, signature])

    def message(self, payload: bytes | None = None) -> bytes:
        """Make the next message of this side."""
        if payload is None:
            payload = (
                b""
                if self.role is Role.PLAYER and len(self.noise._lines) == 3
                else self.credential()
            )
        return self.noise.write(payload)

    def read(self, message: bytes) -> bytes:
        """Read the next message of the other side."""
        return self.noise.read(message)


def _sides(name: str) -> tuple[Side, Side]:
    rng = random_for(name)
    made = [Side(*(rng.randbytes(32) for _ in range(3))) for _ in range(2)]
    return made[0], made[1]


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    player, table = _sides("handshake")
    whole = Vector(
        "3.2", "a handshake", "handshake", {"player": player._asdict(), "table": table._asdict()}
    )
    key = b"\x07" * 32
    records = [
        Vector("3.4", text, "seal record", {"key": key, "nonce": nonce, "kind": kind, "body": body})
        for text, nonce, kind, body in (
            ("the first message of a direction", 0, 0, wire.encode(["list"])),
            ("a message of no bytes", 1, 0, b""),
            ("a late one", 2**40 + 1, 0, b"x" * 40),
            ("close: done", 2, 1, b""),
            ("close with a code", 3, 1, b"bad_record"),
        )
    ]
    sides = [
        _player_side(player, table),
        _table_side(player, table),
        _table_side_with_ticket(player, table),
    ]
    given = {"ticket": TICKET.shown, "secret": TICKET.secret, "ephemeral": player.ephemeral}
    shown = Vector("4.10", "a first message with a ticket", "first message", given)
    return [whole, *records, *sides, shown, *_relay_vectors()]


Payload = Callable[[Rogue], bytes] | None


def _table_bytes(
    player: Side, table: Side, payload: Payload = None, records: list[bytes] | None = None
) -> bytes:
    """Make the bytes of this table for this player: its handshake message, then records."""
    ours, theirs = Rogue(Role.TABLE, *table), Rogue(Role.PLAYER, *player)
    ours.read(theirs.message())
    second = ours.message(payload(ours) if payload else None)
    if records is None:
        return wire.encode_frame(second)
    theirs.read(second)
    ours.read(theirs.message())
    return wire.encode_frame(second) + b"".join(
        wire.encode_frame(record) for record in _sealed(ours, records)
    )


def _player_bytes(
    player: Side,
    table: Side,
    payload: Payload = None,
    records: list[bytes] | None = None,
    shown: bytes = b"",
) -> bytes:
    """Make the bytes of this player for this table; `shown`: the payload of its first message."""
    ours, theirs = Rogue(Role.PLAYER, *player), Rogue(Role.TABLE, *table)
    first = ours.message(shown)
    theirs.read(first)
    ours.read(theirs.message())
    third = ours.message(payload(ours) if payload else None)
    both = wire.encode_frame(first) + wire.encode_frame(third)
    if records is None:
        return both
    theirs.read(third)
    return both + b"".join(wire.encode_frame(record) for record in _sealed(ours, records))


def _sealed(side: Rogue, records: list[bytes]) -> Iterator[bytes]:
    cipher, _ = side.noise.split()
    for plaintext in records:
        yield cipher.encrypt(plaintext)


def _cut(stream: bytes) -> list[bytes]:
    return list(wire.FrameDecoder(65_535).feed(stream))


def _join(frames: list[bytes]) -> bytes:
    return b"".join(map(wire.encode_frame, frames))


def _flip(frame: bytes, at: int) -> bytes:
    return frame[:at] + bytes([frame[at] ^ 1]) + frame[at + 1 :]


RECORDS = [b"\0" + wire.encode(["welcome", 1, "T"]), b"\0second", b"\0third", b"\1"]
TICKET = Ticket(bytes(range(72)), bytes(range(100, 132)))  # to a player: bytes, and a secret
LOW_ORDER = bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")


def _record_faults(
    good: bytes, handshake_frames: int, say: Callable[[list[bytes]], bytes]
) -> list[Bad]:
    """Make wrong records after a correct handshake. `say` encrypts other plaintexts."""
    frames = _cut(good)
    head, (a, b, c, close) = frames[:handshake_frames], frames[handshake_frames:]
    changes = {
        "a record twice": [a, a],
        "two records exchanged": [b, a],
        "a record left out": [a, c],
        "a bit of a record": [_flip(a, 5)],
        "a bit of a tag": [_flip(a, len(a) - 1)],
        "a record of 15 bytes": [a[:15]],
        "a message after a record that failed": [_flip(a, 0), a],
        "the close record before its time": [close],
    }
    bad = [
        Bad(text, {"received": _join([*head, *rest])}, "bad_record")
        for text, rest in changes.items()
    ]
    plain = {
        "a record of type 2": b"\2x",
        "a record without a type": b"",
        "a close with a code that does not exist": b"\1because",
        "a close with bytes that are not text": b"\1\xff",
    }
    bad += [Bad(text, {"received": say([record])}, "bad_record") for text, record in plain.items()]
    for text, size in (("a frame of no bytes", 0), ("a frame above the limit", 65_536)):
        bad.append(Bad(text, {"received": _join(head) + size.to_bytes(4, "big")}, "frame_size"))
    return bad


def _credential_faults(say: Callable[[Payload], bytes], other_role: str) -> list[Bad]:
    other = Identity(b"\x55" * 32)
    weak = bytes([1]) + bytes(31)
    payloads: dict[str, Payload] = {
        "signed for the other role": lambda side: side.credential(label=other_role),
        "signed over another handshake": lambda side: side.credential(hashed=bytes(64)),
        "another identity than the signer's": lambda side: wire.encode(
            [other.public, wire.decode(side.credential())[1]]
        ),
        "a signature over another static key": lambda side: wire.encode(
            [side.identity.public, side.identity.sign(side.role.value, bytes(32), side.noise.hash)]
        ),
        "a weak identity": lambda side: wire.encode([weak, weak + bytes(32)]),
    }
    malformed: dict[str, Payload] = {
        "no payload": lambda side: b"",
        "a payload that is no list": lambda side: wire.encode("who"),
        "a field too many": lambda side: wire.encode([*wire.decode(side.credential()), 1]),
        "a byte left over": lambda side: side.credential() + b"\0",
    }
    bad = [
        Bad(text, {"received": say(payload)}, "bad_identity") for text, payload in payloads.items()
    ]
    return bad + [
        Bad(text, {"received": say(payload)}, "bad_handshake")
        for text, payload in malformed.items()
    ]


def _player_side(player: Side, table: Side) -> Vector:
    good = _table_bytes(player, table, records=RECORDS)
    second, *_ = _cut(good)
    name = fingerprint(Identity(table.identity).public)
    given = {"role": "player", **player._asdict(), "fingerprint": name, "received": good}
    bad = [
        Bad("another fingerprint in the link", {"fingerprint": "a" * 40}, "wrong_table_key"),
        Bad("a bit of the ephemeral key", {"received": _join([_flip(second, 0)])}, "bad_handshake"),
        Bad("a bit of the static key", {"received": _join([_flip(second, 40)])}, "bad_handshake"),
        Bad("a bit of the credential", {"received": _join([_flip(second, 100)])}, "bad_handshake"),
        Bad("cut short, and framed so", {"received": _join([second[:-1]])}, "bad_handshake"),
        Bad(
            "an ephemeral key of low order",
            {"received": _join([LOW_ORDER + second[32:]])},
            "bad_handshake",
        ),
        Bad(
            "an all-zero ephemeral key",
            {"received": _join([bytes(32) + second[32:]])},
            "bad_handshake",
        ),
        Bad(
            "the player's own message sent back",
            {"received": _join([public_key(player.ephemeral)])},
            "bad_handshake",
        ),
        Bad("a handshake frame of 513 bytes", {"received": (513).to_bytes(4, "big")}, "frame_size"),
        *_credential_faults(
            lambda payload: _table_bytes(player, table, payload), Role.PLAYER.value
        ),
        *_record_faults(good, 1, lambda records: _table_bytes(player, table, records=records)),
    ]
    return Vector(
        "3.4", "the player's side: handshake, three messages, close", "run side", given, tuple(bad)
    )


def _table_side_with_ticket(player: Side, table: Side) -> Vector:
    shown = ticket_payload(TICKET, public_key(player.ephemeral))
    good = _player_bytes(player, table, records=RECORDS, shown=shown)
    given = {"role": "table", **table._asdict(), "fingerprint": None, "received": good}
    bad = [
        Bad(
            f"a payload of {size} bytes",
            {"received": _join([Rogue(Role.PLAYER, *player).message(bytes(size))])},
            "bad_handshake",
        )
        for size in (1, len(shown) - 1, len(shown) + 1)
    ]
    return Vector("3.2", "the table's side: a ticket shown", "run side", given, tuple(bad))


def _table_side(player: Side, table: Side) -> Vector:
    good = _player_bytes(player, table, records=RECORDS)
    first, third, *_ = _cut(good)
    given = {"role": "table", **table._asdict(), "fingerprint": None, "received": good}
    with_payload = Rogue(Role.PLAYER, *player).message(b"early")
    bad = [
        Bad("a payload in the first message", {"received": _join([with_payload])}, "bad_handshake"),
        Bad("31 bytes of a key", {"received": _join([first[:31]])}, "bad_handshake"),
        Bad("an ephemeral key of low order", {"received": _join([LOW_ORDER])}, "bad_handshake"),
        Bad(
            "a bit of the third message",
            {"received": _join([first, _flip(third, 3)])},
            "bad_handshake",
        ),
        Bad("the first message twice", {"received": _join([first, first])}, "bad_handshake"),
        *_credential_faults(
            lambda payload: _player_bytes(player, table, payload), Role.TABLE.value
        ),
        *_record_faults(good, 2, lambda records: _player_bytes(player, table, records=records)),
    ]
    return Vector(
        "3.4", "the table's side: handshake, three messages, close", "run side", given, tuple(bad)
    )
