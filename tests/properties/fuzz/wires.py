"""Fuzz targets: bytes on the wire: encoding, frames, messages, sessions.

A target takes bytes and raises only the decoder's own errors.
"""

from functools import cache
from ipaddress import ip_address
from random import Random
from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.limits import TALK_ENVELOPE
from protocol.messages import table as messages
from protocol.session import session
from protocol.session.noise import DH_SIZE, Handshake
from protocol.session.ticket import PAYLOAD
from table.net.listeners.proxy_header import read_header
from table.net.listeners.trusted_proxies import TrustedProxies, parse_networks


def value(data: bytes) -> None:
    """Check that an accepted value encodes to the same bytes, and that both decoders agree."""
    try:
        decoded = wire.decode(data)
    except RemoteError:
        decoded = wire.decode_strictly(data)  # the strict decoder refuses it too
        raise AssertionError("one decoder takes what the other refuses") from None
    assert repr(wire.decode_strictly(data)) == repr(decoded)
    assert wire.encode(decoded) == data


def frames(data: bytes) -> None:
    """Check that the same frames come out however the stream is cut; the first byte chooses the
    cut.
    """
    whole, parts = wire.FrameDecoder(), wire.FrameDecoder()
    cut = data[0] if data else 0
    assert _taken(whole, [data]) == _taken(
        parts, [data[:cut], data[cut : 2 * cut], data[2 * cut :]]
    )


def _taken(reader: wire.FrameDecoder, pieces: list[bytes]) -> list[bytes | str]:
    taken: list[bytes | str] = []
    try:
        for piece in pieces:
            taken.extend(reader.feed(piece))
    except RemoteError as error:
        taken.append(error.code)
    return taken


def proxy_header(data: bytes) -> None:
    """Check that a stream proxy's header gives the same result with more bytes behind it, and none
    before it is complete.
    """
    header = read_header(data)
    if header is not None:
        assert read_header(data[: header.size]) == read_header(data + b"more") == header
        assert read_header(data[: header.size - 1]) is None


def proxy_header_seeds() -> list[bytes]:
    """Return headers of both versions."""
    fixed = b"\r\n\r\n\0\r\nQUIT\n"
    return [
        b"PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n\0\0\0\1a",
        b"PROXY TCP6 2001:db8::1 ::1 1 65535\r\n",
        b"PROXY UNKNOWN\r\n",
        fixed + b"\x21\x11\0\x0c" + bytes(range(12)),
        fixed + b"\x21\x21\0\x2a" + bytes(range(42)),
        fixed + b"\x20\0\0\0",
    ]


NAMED = TrustedProxies(parse_networks(["10.0.0.0/8", "2001:db8::/32"]))


def forwarded(data: bytes) -> None:
    """Check that a forwarded-for header never makes a named proxy the client, unless it names only
    proxies.
    """
    text = data.decode("latin-1")
    host = NAMED.forwarded([text])
    if NAMED.has(host):
        assert all(NAMED.has(NAMED.forwarded([each])) for each in text.split(","))
    assert NAMED.forwarded([text, "198.51.100.7"]) == ip_address("198.51.100.7")


def message(data: bytes) -> None:
    """Read a message from both senders, in every phase; it may be valid in one and invalid in
    another.
    """
    for sender in messages.Sender:
        for phase in messages.ConnectionPhase:
            try:
                decoded = messages.decode(data, sender, phase)
            except RemoteError as error:
                assert by_the_table(data, sender, phase) is error.code
                continue
            assert by_the_table(data, sender, phase) == [decoded.name, *decoded.values]
            assert messages.encode(decoded.name, *decoded.values) == data


def by_the_table(
    data: bytes, sender: messages.Sender, phase: messages.ConnectionPhase
) -> list[Any] | Code:
    """Check a message by the table of chapter 4 without any shortcut: return its name and fields,
    or the reason of the refusal.
    """
    try:
        value = wire.decode_strictly(data)
    except RemoteError as error:
        return error.code
    named = type(value) is list and value and type(value[0]) is str
    row = messages.MESSAGES.get(value[0]) if named else None
    if (
        row is None
        or row.sender is not sender
        or phase not in row.phases
        or not row.shape(value[1:])
    ):
        return Code.BAD_MESSAGE
    return list(value)


def message_seeds() -> list[bytes]:
    """Return one message of each row of the table, or nearly."""
    talk = bytes(TALK_ENVELOPE)
    many: tuple[Any, ...] = (
        [],
        0,
        1,
        "main",
        bytes(32),
        b"x",
        None,
        bytes(64),
        [["seats", 2]],
        talk,
        "h:1",
    )
    rng = Random(1)
    made = []
    for name, row in messages.MESSAGES.items():
        for _ in range(2000):
            values = [rng.choice(many) for _ in range(rng.randrange(8))]
            if row.shape(values):
                made.append(messages.encode(name, *values))
                break
    return made


def _sides() -> tuple[session.Session, session.Session]:
    player = session.Session(session.Role.PLAYER, Identity(b"p" * 32), b"s" * 32, Random(1))
    table = session.Session(
        session.Role.TABLE, Identity(b"t" * 32), b"S" * 32, Random(2), takes_tickets=True
    )
    return player, table


def _established() -> tuple[session.Session, session.Session]:
    player, table = _sides()
    list(table.receive(player.start()))
    list(player.receive(table.take_handshake_bytes()))
    list(table.receive(player.take_handshake_bytes()))
    return player, table


@cache
def _flights() -> tuple[bytes, bytes, bytes]:
    player, table = _sides()
    first = player.start()
    list(table.receive(first))
    second = table.take_handshake_bytes()
    list(player.receive(second))
    return first, second, player.take_handshake_bytes()


def handshake(data: bytes) -> None:
    """Feed a stream of bytes to either side at each of its states; the first byte chooses the
    state.
    """
    first, _, third = _flights()
    player, table = _sides()
    which, data = data[0] % 4 if data else 0, data[1:]
    player.start()
    if which == 1:
        list(player.receive(data))
        return
    if which >= 2:
        list(table.receive(first))
    if which == 3:
        list(table.receive(third))
    list(table.receive(data))


def handshake_seeds() -> list[bytes]:
    """Return each message for its place."""
    first, second, third = _flights()
    shown = wire.encode_frame(first[4:] + bytes(PAYLOAD))  # with a ticket
    return [
        b"\0" + first,
        b"\1" + second,
        b"\2" + third,
        b"\0" + first + third,
        b"\0" + shown,
    ]


def credential(data: bytes) -> None:
    """Read the payload of the third message, from a peer that does the rest of the handshake
    correctly.
    """
    _, table = _sides()
    player = Handshake(
        initiator=True, prologue=session.PROLOGUE, static=b"s" * DH_SIZE, rng=Random(1)
    )
    list(table.receive(wire.encode_frame(player.write())))
    player.read(table.take_handshake_bytes()[4:])
    list(table.receive(wire.encode_frame(player.write(data[:4000]))))


def credential_seeds() -> list[bytes]:
    """Return a valid credential, and one signed for another handshake."""
    who, static = Identity(b"p" * 32), session.public_key(b"s" * DH_SIZE)
    player = Handshake(
        initiator=True, prologue=session.PROLOGUE, static=b"s" * DH_SIZE, rng=Random(1)
    )
    player.write()
    player.read(_flights()[1][4:])
    signed = [who.sign("session player", static, hashed) for hashed in (player.hash, bytes(64))]
    return [wire.encode([who.public, signature]) for signature in signed]


def record(data: bytes) -> None:
    """Read the content of a record that opens."""
    player, table = _established()
    list(table.receive(player._record(data[:60_000])))


def records(data: bytes) -> None:
    """Read a stream after the handshake."""
    _, table = _established()
    list(table.receive(data))


def records_seeds() -> list[bytes]:
    """Return a message, and a close."""
    player, _ = _established()
    return [player.send(b"hello"), player.send(b"") + player.close()]
