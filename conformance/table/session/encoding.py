"""Encoding: messages that another decoder might accept. The table answers each with its code, and
ends the connection.
"""

from conformance.case import CaseBody, CaseGroup
from conformance.table.environment import TableEnvironment
from protocol import wire
from protocol.codes import Code
from protocol.limits import MAX_DEPTH, MAX_MESSAGE
from protocol.messages import table as messages
from protocol.messages.table import VERSION, ConnectionPhase

GROUP = CaseGroup("encoding")


def hello(
    version: bytes = bytes([VERSION]), name: bytes = b"\xa4Kdbf", head: bytes = b"\x93"
) -> bytes:
    """Return `hello` with some of its bytes replaced."""
    return head + b"\xa5hello" + version + name


def saying(payload: bytes, code: Code, greeted: bool) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await (arena.guest() if greeted else arena.session())
        assert peer.phase is (ConnectionPhase.LOBBY if greeted else ConnectionPhase.GREETING)
        await peer.send_payload(payload)
        await peer.expect_closed(code, error=code)

    return run


LIST = messages.encode("list")
EMPTY_MAP = b"\x80"
ID = bytes(32)
NESTED = b"\x91" * (MAX_DEPTH + 1) + b"\x01"
REPLAY = b"\xa6replay"

# Bytes that are not the canonical encoding of a value, in a `hello` or `list` that is otherwise
# correct.
for name, section, greeted, payload in (
    ("empty-message", "2.2.3", True, b""),
    ("first-byte-of-no-kind", "2.2.3", True, b"\xc1"),
    ("map-for-a-message", "2.2.1", True, b"\x81\xa4list\xc0"),
    ("map-with-a-key-twice", "2.2.1", True, b"\x82\xa1a\x01\xa1a\x02"),
    ("empty-map-for-a-field", "2.2.1", False, hello(version=EMPTY_MAP)),
    ("float-for-an-integer", "2.2.1", False, hello(version=b"\xca\x3f\x80\x00\x00")),
    ("double-for-an-integer", "2.2.1", False, hello(version=b"\xcb\x3f\xf0" + bytes(6))),
    ("not-a-number", "2.2.1", False, hello(version=b"\xcb\x7f\xf8" + bytes(6))),
    ("negative-integer", "2.2.1", False, hello(version=b"\xff")),
    ("signed-integer", "2.2.1", False, hello(version=b"\xd0\x01")),
    ("signed-integer-of-eight-bytes", "2.2.1", False, hello(version=b"\xd3" + bytes(7) + b"\x01")),
    ("extension", "2.2.1", False, hello(version=b"\xd4\x05\x01")),
    ("timestamp", "2.2.1", False, hello(version=b"\xd6\xff" + bytes(4))),
    ("integer-of-one-byte-more", "2.2.2", False, hello(version=b"\xcc\x01")),
    ("integer-of-two-bytes-for-one", "2.2.2", False, hello(version=b"\xcd\x00\x01")),
    ("integer-of-eight-bytes-for-one", "2.2.2", False, hello(version=b"\xcf" + bytes(7) + b"\x01")),
    ("integer-of-2-to-the-63", "2.2.3", False, hello(version=b"\xcf\x80" + bytes(7))),
    ("text-longer-form", "2.2.2", True, b"\x91\xd9\x04list"),
    ("text-of-two-bytes-length", "2.2.2", True, b"\x91\xda\x00\x04list"),
    ("byte-string-longer-form", "2.2.2", True, b"\x93" + REPLAY + b"\xc5\x00\x20" + ID + b"\x00"),
    ("list-longer-form", "2.2.2", True, b"\xdc\x00\x01\xa4list"),
    ("text-that-is-not-utf-8", "2.2.3", False, hello(name=b"\xa2\xff\xfe")),
    ("text-with-a-surrogate", "2.2.3", False, hello(name=b"\xa3\xed\xa0\x80")),
    ("text-with-an-overlong-form", "2.2.3", False, hello(name=b"\xa2\xc1\x81")),
    ("lists-one-too-deep", "2.2.3", True, b"\x92\xa4list" + NESTED[1:]),
    ("lists-a-thousand-deep", "2.2.3", True, b"\x91" * 1000 + b"\x00"),
    ("list-that-ends-early", "2.2.3", True, b"\x92\xa4list"),
    ("text-that-ends-early", "2.2.3", True, b"\x91\xa5list"),
    ("list-of-2-to-the-32-less-1-items", "2.2.3", True, b"\xdd\xff\xff\xff\xff"),
    ("byte-string-of-2-to-the-32-less-1", "2.2.3", True, b"\xc6\xff\xff\xff\xff"),
    ("byte-left-over", "2.2.3", True, LIST + b"\x00"),
    ("two-messages-in-one-record", "2.2.3", True, LIST + LIST),
    ("largest-message-of-zeros", "2.2.3", True, bytes(MAX_MESSAGE)),
):
    GROUP.add(name, section, str(Code.BAD_ENCODING), saying(payload, Code.BAD_ENCODING, greeted))

# Canonically encoded values that are no message.
for name, section, greeted, payload in (
    ("integer-for-a-message", "4.1.1", True, b"\x01"),
    ("empty-list-for-a-message", "4.1.1", True, b"\x90"),
    ("name-of-a-message-as-bytes", "2.2.4", True, b"\x91\xc4\x04list"),
    ("name-of-a-message-as-integer", "4.1.1", True, b"\x91\x01"),
    ("unknown-message", "4.1.2", True, b"\x91\xa7unknown"),
    ("name-of-a-message-in-capitals", "4.1.2", True, b"\x91\xa4List"),
    ("field-too-many", "4.1.2", True, b"\x92\xa4list\x01"),
    ("field-missing", "4.1.2", False, b"\x92\xa5hello\x01"),
    ("boolean-for-an-integer", "2.2.4", False, hello(version=b"\xc3")),
    ("nil-for-an-integer", "4.1.2", False, hello(version=b"\xc0")),
    ("bytes-for-text", "2.2.4", False, hello(name=b"\xc4\x04Kdbf")),
    ("text-for-bytes", "2.2.4", True, wire.encode(["resume", "a" * 32, None, None])),
    ("integer-for-nil-or-text", "4.1.2", True, b"\x92\xa4join\x01"),
    ("text-one-too-long", "4.1.3", True, b"\x92\xa4join" + wire.encode("a" * 25)),
    ("text-of-61440-characters", "4.1.3", True, b"\x92\xa4join" + wire.encode("a" * 0xF000)),
    ("empty-text", "4.1.3", True, b"\x92\xa4join\xa0"),
):
    GROUP.add(name, section, str(Code.BAD_MESSAGE), saying(payload, Code.BAD_MESSAGE, greeted))
