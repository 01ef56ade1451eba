"""Vectors of chapters 1, 2, 4 and 29: framed hashing, derived keys, streams; frames; values;
messages; pipes.
"""

from typing import Any

from protocol import wire
from protocol.crypto.hashing import derive, digest, encode_fields
from protocol.crypto.seeded_random import SeededRandom
from protocol.limits import (
    MAX_FRAME,
    MAX_HANDSHAKE_FRAME,
    MAX_INT,
    TALK_ENVELOPE,
    TICKET,
    TICKET_SECRET,
)
from protocol.messages import table as messages
from protocol.messages.lobby import Purpose, pipe_prologue, pipe_role
from protocol.messages.table import ConnectionPhase, Sender
from protocol.session.session import Role
from tests.vectors.make.forms import Bad, Vector


def hash_fields(label: str, fields: list[Any]) -> dict[str, Any]:
    """Operation of 1.2: return the frame of a label and fields, and its digest."""
    return {"frame": encode_fields(label, *fields), "digest": digest(label, *fields)}


def derive_key(secret: bytes, label: str, fields: list[Any], length: int) -> dict[str, Any]:
    """Operation of 1.3: derive a key."""
    return {"key": derive(secret, label, *fields, length=length)}


def stream(seed: bytes, place: list[Any], length: int) -> dict[str, Any]:
    """Return the first 2 * `length` bytes of a stream, in two halves. Check that the stream repeats
    them after seeking to its start.
    """
    made = SeededRandom(seed, *place)
    first, second = made.randbytes(length), made.randbytes(length)
    made.seek(*place)
    assert made.randbytes(2 * length) == first + second
    return {"first": first, "second": second}


def cut_frames(limit: int, stream: bytes) -> dict[str, Any]:
    """Operation of 2.1: return the payloads in a stream of bytes. Report an incomplete frame at the
    end.
    """
    frames = wire.FrameDecoder(limit)
    payloads = list(frames.feed(stream))
    return {"payloads": payloads, "more_to_come": frames.has_partial}


def decode_value(encoding: bytes) -> dict[str, Any]:
    """Operation of 2.2: decode a value."""
    value = wire.decode(encoding)
    assert wire.encode(value) == encoding
    return {"value": value}


def read_message(sender: str, phase: str, encoding: bytes) -> dict[str, Any]:
    """Operation of chapter 4: read a message of this sender in this phase."""
    name, values = messages.decode(encoding, Sender(sender), ConnectionPhase(phase))
    return {"name": name, "fields": values}


def pipe(table: bytes, own: bytes, other: bytes, purpose: int) -> dict[str, Any]:
    """Operation of 29.4: return the side of one end of a pipe in its session, and the prologue of
    the session.
    """
    side = "player" if pipe_role(own, other) is Role.PLAYER else "table"
    return {"side": side, "prologue": pipe_prologue(table, Purpose(purpose), own, other)}


OPERATIONS = {
    "hash": hash_fields,
    "derive": derive_key,
    "stream": stream,
    "cut frames": cut_frames,
    "decode value": decode_value,
    "read message": read_message,
    "pipe": pipe,
}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_hashing(), *_frames(), *_values(), *_messages(), *_pipes()]


def _pipes() -> list[Vector]:
    low, high, table = (bytes([number]) * 32 for number in (1, 2, 9))
    ends = {"table": table, "own": low, "other": high}
    return [
        Vector("29.4", "a trade, as the lower key sees it", "pipe", {**ends, "purpose": 1}),
        Vector(
            "29.4",
            "and the higher one",
            "pipe",
            {"table": table, "own": high, "other": low, "purpose": 1},
        ),
        Vector("29.4", "a match without a table", "pipe", {**ends, "purpose": 0}),
    ]


def _hashing() -> list[Vector]:
    seed = bytes(range(32))
    return [
        Vector("1.2", "a label alone", "hash", {"label": "deal", "fields": []}),
        Vector(
            "1.2",
            "every type of field",
            "hash",
            {"label": "x", "fields": [b"", b"\0", "", "Zoë", 0, 2**63 - 1]},
        ),
        Vector("1.2", "text is not bytes", "hash", {"label": "x", "fields": ["ab"]}),
        Vector("1.2", "bytes are not text", "hash", {"label": "x", "fields": [b"ab"]}),
        Vector(
            "1.3",
            "32 bytes",
            "derive",
            {"secret": seed, "label": "pair key", "fields": [1], "length": 32},
        ),
        Vector(
            "1.3",
            "from nothing",
            "derive",
            {"secret": b"", "label": "piece", "fields": [27], "length": 64},
        ),
        Vector(
            "1.3",
            "more than a block",
            "derive",
            {"secret": seed, "label": "x", "fields": [], "length": 200},
        ),
        Vector(
            "1.3",
            "a stream of this implementation",
            "stream",
            {"seed": seed, "place": [b"h" * 32], "length": 40},
        ),
        Vector(
            "1.3",
            "its place has another field",
            "stream",
            {"seed": seed, "place": [b"h" * 32, 1], "length": 40},
        ),
    ]


def _frames() -> list[Vector]:
    sizes = {
        "zero": 0,
        "one above the limit": MAX_HANDSHAKE_FRAME + 1,
        "2^31": 2**31,
        "2^32 - 1": 2**32 - 1,
    }
    bad = [
        Bad(f"a length of {name}", {"stream": size.to_bytes(4, "big")}, "frame_size")
        for name, size in sizes.items()
    ]
    bad.append(Bad("a good frame before", {"stream": b"\0\0\0\1a\0\0\0\0"}, "frame_size"))
    given = {"limit": MAX_HANDSHAKE_FRAME, "stream": b"\0\0\0\1a\0\0\0\3bcd"}
    big = {"limit": MAX_FRAME, "stream": (4096).to_bytes(4, "big") + b"z" * 4096}
    return [
        Vector("2.1", "two frames", "cut frames", given, tuple(bad)),
        Vector(
            "2.1", "a frame that is not complete", "cut frames", given | {"stream": b"\0\0\0\3bc"}
        ),
        Vector("2.1", "a header that is not complete", "cut frames", given | {"stream": b"\0\0\0"}),
        Vector("2.1", "a long one under the later limit", "cut frames", big),
    ]


def _deep(levels: int) -> bytes:
    return b"\x91" * (levels - 1) + b"\x90"


BAD_VALUES = {
    "nothing": "",
    "an empty map": "80",
    "a map of 16 bits": "de0000",
    "the byte that MessagePack never uses": "c1",
    "a float": "ca00000000",
    "a double": "cb0000000000000000",
    "NaN": "cb7ff8000000000000",
    "a negative integer": "ff",
    "a negative integer of 8 bits": "d080",
    "a small integer in a signed form": "d005",
    "an extension": "d40100",
    "a timestamp": "d6ff00000000",
    "127 in two bytes": "cc7f",
    "255 in three bytes": "cd00ff",
    "65535 in five bytes": "ce0000ffff",
    "2^32 - 1 in nine bytes": "cf00000000ffffffff",
    "2^63": "cf8000000000000000",
    "short text in a longer form": "d90161",
    "text in 16 bits that fits 8": "da0003616263",
    "text that is not UTF-8": "a1ff",
    "text with a surrogate": "a3eda080",
    "text cut short": "a261",
    "bytes cut short": "c40261",
    "bytes in 16 bits that fit 8": "c50001" + "61",
    "a list cut short": "9201",
    "a list in 16 bits that fits 4": "dc000101",
    "a list that claims 2^32 - 1 items": "ddffffffff",
    "bytes left over": "0101",
    "an integer cut short": "ce0000",
}


def _values() -> list[Vector]:
    good = {
        "nil": None,
        "false": False,
        "true": True,
        "0": 0,
        "127": 127,
        "128": 128,
        "255": 255,
        "256": 256,
        "65535": 65_535,
        "65536": 65_536,
        "2^32 - 1": 2**32 - 1,
        "2^32": 2**32,
        "the greatest": MAX_INT,
        "empty text": "",
        "31 letters": "a" * 31,
        "32 letters": "a" * 32,
        "256 letters": "a" * 256,
        "text beyond Latin": "Zoë 🂡",
        "no bytes": b"",
        "255 bytes": b"a" * 255,
        "256 bytes": b"a" * 256,
        "an empty list": [],
        "15 items": [1] * 15,
        "16 items": [1] * 16,
        "a list of everything": [None, True, 7, "x", b"x", [[], [[]]]],
    }
    bad = tuple(
        Bad(name, {"encoding": bytes.fromhex(raw)}, "bad_encoding")
        for name, raw in BAD_VALUES.items()
    )
    deep = Bad("nine levels", {"encoding": _deep(9)}, "bad_encoding")
    made = [
        Vector("2.2", name, "decode value", {"encoding": wire.encode(value)})
        for name, value in good.items()
    ]
    nested = Vector(
        "2.2", "as deep as may be", "decode value", {"encoding": _deep(8)}, (*bad, deep)
    )
    return [*made, nested]


def _messages() -> list[Vector]:
    match, clock = b"\xab" * 32, [["extensions", 3], ["step", 300], ["turn", 120]]
    made = [
        ("player", "greeting", "invite", b"\x07" * 20),
        ("player", "greeting", "hello", 2, "Ann"),
        ("player", "lobby", "list"),
        ("player", "lobby", "find", "Zoë", ["nim", "omaha"], 20, 50),
        ("player", "waiting", "find", None, [], 0, 8),
        ("player", "lobby", "join", None),
        ("player", "lobby", "join", "main"),
        ("player", "lobby", "join", [None, b"\x05" * 32]),
        ("player", "lobby", "spectate", "main"),
        ("player", "lobby", "resume", match, None, None),
        ("player", "lobby", "resume", match, [6, b"\x09" * 32, b"\x08" * 64], None),
        ("player", "lobby", "resume", match, None, [b"\x07" * 16, b"\x06" * 64]),
        ("player", "seated", "tail", match, 5, b"\x09" * 32, [[b"entry", b"\x08" * 64]]),
        (
            "player",
            "lobby",
            "create",
            [["block-dominoes", [["target", 50]]], "1", ["layered", [["take", 80]]], clock, 3],
        ),
        ("player", "waiting", "leave"),
        ("player", "seated", "replay", match, 7),
        ("player", "seated", "post", match, b"entry"),
        ("player", "seated", "kept", match, b"\x07" * TICKET),
        ("player", "seated", "relay", match, 1, b"\x04" * TALK_ENVELOPE),
        ("player", "lobby", "appear", 3),
        ("player", "waiting", "vanish"),
        ("player", "lobby", "talk", "Hello, Zoë"),
        ("player", "waiting", "call", b"\x01" * 32, "table-1"),
        ("player", "lobby", "open", b"\x01" * 32, 1),
        ("player", "lobby", "send", b"\x01" * 32, 1, b"opaque"),
        ("player", "lobby", "grant", b"\x01" * 32, 0, 32_768),
        ("player", "lobby", "close", b"\x01" * 32, 0),
        ("table", "greeting", "welcome", 2, "Friday table", ["[2001:db8::1]:7500"]),
        ("table", "lobby", "moved", "wss://b.example.org/game", match),
        ("table", "lobby", "tables", []),
        (
            "table",
            "waiting",
            "tables",
            [
                [
                    "main",
                    [["draw-dominoes", []], "1", ["verified", []], clock, 2],
                    [["Ann", bytes(32)]],
                    0,
                ]
            ],
        ),
        (
            "table",
            "lobby",
            "found",
            "Zoë",
            *(20, 50, 61),
            [["table-20", [["nim", []], "1", ["none", []], clock, 2], [["Zoë", bytes(32)]], 0]],
            21,
        ),
        ("table", "waiting", "found", None, 0, 0, 0, [], None),
        ("table", "lobby", "created", "t1"),
        ("table", "lobby", "waiting", "main", 2, [["Ann", b"\x01" * 32]]),
        ("table", "waiting", "match", "main", match, 0, 1, None),
        ("table", "lobby", "match", "main", match, 1, 9, [b"\x07" * 16, b"\x06" * 64]),
        ("table", "lobby", "match", "main", match, None, 9, None),
        ("table", "seated", "ticket", match, b"\x07" * TICKET, b"\x08" * TICKET_SECRET),
        ("table", "seated", "entry", match, 3, b"entry", b"\x02" * 64),
        ("table", "seated", "relayed", match, 1, b"\x04" * TALK_ENVELOPE),
        (
            "table",
            "seated",
            "refused",
            match,
            b"\x03" * 32,
            3,
            b"\x05" * 32,
            "not_now",
            b"\x06" * 64,
        ),
        ("table", "waiting", "left"),
        (
            "table",
            "lobby",
            "people",
            [["Ann", b"\x01" * 32, 0], ["Zoë", b"\x02" * 32, 2]],
            [b"\x03" * 32],
        ),
        ("table", "waiting", "hidden", "too_many"),
        ("table", "lobby", "said", b"\x01" * 32, "Hello"),
        ("table", "lobby", "called", b"\x01" * 32, "table-1"),
        ("table", "lobby", "knock", b"\x01" * 32, 1),
        ("table", "lobby", "opened", b"\x01" * 32, 1),
        ("table", "waiting", "sent", b"\x01" * 32, 1, b"opaque"),
        ("table", "lobby", "granted", b"\x01" * 32, 1, 70),
        ("table", "lobby", "closed", b"\x01" * 32, 1, None),
        ("table", "lobby", "closed", b"\x01" * 32, 1, "not_here"),
        ("table", "lobby", "error", "table_full"),
    ]
    return [
        Vector(
            "4.3" if sender == "player" else "4.4",
            f"{name} from the {sender}",
            "read message",
            {"sender": sender, "phase": phase, "encoding": messages.encode(name, *values)},
            _bad_messages(sender, phase, name, values),
        )
        for sender, phase, name, *values in made
    ]


def _bad_messages(sender: str, phase: str, name: str, values: list[Any]) -> tuple[Bad, ...]:
    wrong_phase = (
        next(
            str(other.value)
            for other in ConnectionPhase
            if other not in messages.MESSAGES[name].phases
        )
        if messages.MESSAGES[name].phases != frozenset(ConnectionPhase)
        else None
    )
    bad = [
        Bad("one field too many", {"encoding": wire.encode([name, *values, 0])}, "bad_message"),
        Bad(
            "of the other sender",
            {"sender": "table" if sender == "player" else "player"},
            "bad_message",
        ),
        Bad(
            "a byte left over", {"encoding": messages.encode(name, *values) + b"\0"}, "bad_encoding"
        ),
    ]
    if wrong_phase:
        bad.append(Bad("in another phase", {"phase": wrong_phase}, "bad_message"))
    if values:
        bad.append(
            Bad(
                "a field is missing", {"encoding": wire.encode([name, *values[:-1]])}, "bad_message"
            )
        )
        bad.append(
            Bad(
                "the first field is true",
                {"encoding": wire.encode([name, True, *values[1:]])},
                "bad_message",
            )
        )
    return tuple(bad)
