"""Canonical MessagePack and frames: own values round-trip, and everything else is refused with one
error.
"""

import json
from pathlib import Path

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_DEPTH, MAX_FRAME, MAX_HANDSHAKE_FRAME, MAX_INT

VECTORS = Path(__file__).parents[2] / "vectors"

LEAVES = st.none() | st.booleans() | st.integers(0, MAX_INT) | st.text() | st.binary()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=20), max_leaves=40)
EDGES = [0, 127, 128, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32, MAX_INT]
SIZES = [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536]


def nested(levels, inner=None):
    value = inner
    for _ in range(levels):
        value = [value]
    return value


def refused(data):
    with pytest.raises(RemoteError) as caught:
        wire.decode(data)
    assert caught.value.code is Code.BAD_ENCODING
    return True


def decoded(data):
    """Return (value,), or None if refused; any other exception fails the calling test."""
    try:
        return (wire.decode(data),)
    except RemoteError as error:
        assert error.code is Code.BAD_ENCODING
        return None


def same_kinds(left, right):
    """Return whether both are equal; a bool is not an int."""
    if type(left) is not type(right):
        return False
    if type(left) is list:
        return len(left) == len(right) and all(map(same_kinds, left, right))
    return left == right


def by_the_book(data):
    """Return the library's result if the value is permitted and encodes to the same bytes: an
    independent judgement.
    """
    try:
        value = msgpack.unpackb(data, raw=False, max_map_len=0, max_ext_len=0)
        return (value,) if wire.encode(value) == data else None
    except (ValueError, msgpack.UnpackException, LocalError):
        return None


@pytest.mark.slow
@given(VALUES)
def test_wire_values_round_trip(value):
    try:
        data = wire.encode(value)
    except LocalError:
        return  # too deep, or a lone surrogate
    assert same_kinds(wire.decode(data), value)
    assert data == msgpack.packb(value)


@pytest.mark.parametrize("value", EDGES)
def test_integers_at_limits_of_each_form_round_trip(value):
    assert wire.decode(wire.encode(value)) == value


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("make", [lambda n: b"x" * n, lambda n: "x" * n, lambda n: [None] * n])
def test_sizes_at_limits_of_each_form_round_trip(size, make):
    value = make(size)
    data = wire.encode(value)
    assert data == msgpack.packb(value)
    assert wire.decode(data) == value
    assert refused(data[:-1])
    assert refused(data + b"\xc0")


@given(st.binary(max_size=80) | st.lists(st.sampled_from(range(256)), max_size=12).map(bytes))
@example(b"\x93\xc0\xc2\xc3")
@pytest.mark.slow
def test_arbitrary_bytes_give_value_or_wire_error(data):
    got = decoded(data)
    expected = by_the_book(data)
    assert (got is None) == (expected is None)
    assert got is None or same_kinds(got[0], expected[0])


@pytest.mark.slow
@given(VALUES, st.data())
def test_changed_byte_gives_another_value_or_error(value, data):
    try:
        good = wire.encode(value)
    except LocalError:
        return
    at = data.draw(st.integers(0, len(good) - 1))
    bad = good[:at] + bytes([good[at] ^ data.draw(st.integers(1, 255))]) + good[at + 1 :]
    got = decoded(bad)
    assert got is None or not same_kinds(got[0], value)
    assert (got is None) == (by_the_book(bad) is None)


def verdict(decoder, data):
    """Return the value with the types of all its parts, or the error."""
    try:
        return repr(decoder(data))
    except RemoteError as error:
        return error.code


@pytest.mark.slow
@given(
    VALUES,
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=4),
    st.binary(max_size=3),
)
@example([1.0], [], b"")
@example([-1, 2**63, {}], [], b"")
@example(nested(MAX_DEPTH + 1), [], b"")
@example([None] * 65, [], b"")
@example(b"x" * 2046, [], b"")
def test_both_decoders_agree_on_arbitrary_bytes(value, changes, more):
    """Only its size decides whether the library or our own decoder reads a value."""
    data = bytearray(msgpack.packb(value) + more)
    for at, byte in changes:
        data[at % len(data)] = byte
    assert verdict(wire.decode, bytes(data)) == verdict(wire.decode_strictly, bytes(data))


@given(
    st.lists(
        st.sampled_from(
            b"\x00\x7f\x81\x90\x91\x9f\xa1\xc0\xc1\xc4\xcb\xcc\xcf\xd4\xd9\xdc\xdd\xff\x40"
        ),
        max_size=60,
    )
)
@pytest.mark.slow
def test_both_decoders_agree_on_any_type_bytes(heads):
    assert verdict(wire.decode, bytes(heads)) == verdict(wire.decode_strictly, bytes(heads))


@pytest.mark.slow
@given(VALUES)
def test_truncated_value_is_refused(value):
    try:
        good = wire.encode(value)
    except LocalError:
        return
    assert all(refused(good[:size]) for size in range(len(good)))


FLOATS = (0xCA, 0xCB)  # sometimes shorter than an integer, and never permitted


def suite():
    for name, rows in json.loads((VECTORS / "msgpack_test_suite.json").read_text()).items():
        for row in rows:
            yield name, [bytes.fromhex(form.replace("-", "")) for form in row["msgpack"]]


@pytest.mark.parametrize(("name", "forms"), list(suite()))
def test_msgpack_suite_accepts_only_shortest_permitted_forms(name, forms):
    for form in forms:
        got = decoded(form)
        assert (got is None) == (by_the_book(form) is None)
        assert got is None or len(form) == min(
            len(other) for other in forms if other[0] not in FLOATS
        )


def test_msgpack_suite_has_accepted_cases():
    accepted = [name for name, forms in suite() for form in forms if decoded(form)]
    assert len(accepted) == 37
    assert not {"21.number-negative.yaml", "41.map.yaml", "50.timestamp.yaml", "60.ext.yaml"} & set(
        accepted
    )


@pytest.mark.parametrize(
    ("tag", "width", "least", "item"),
    [
        *((0xC5, 2, 1 << 8, b"x"), (0xC6, 4, 1 << 16, b"x")),
        *((0xD9, 1, 1 << 5, b"x"), (0xDA, 2, 1 << 8, b"x"), (0xDB, 4, 1 << 16, b"x")),
        *((0xDC, 2, 1 << 4, b"\xc0"), (0xDD, 4, 1 << 16, b"\xc0")),
        *(
            (0xCC, 1, 1 << 7, b""),
            (0xCD, 2, 1 << 8, b""),
            (0xCE, 4, 1 << 16, b""),
            (0xCF, 8, 1 << 32, b""),
        ),
    ],
)
def test_longer_form_begins_where_shorter_ends(tag, width, least, item):
    def form(number):
        return bytes([tag]) + number.to_bytes(width, "big") + (item * number if item else b"")

    assert all(refused(form(number)) for number in (0, least // 2, least - 1))
    assert wire.encode(wire.decode(form(least))) == form(least)


def test_nesting_depth_is_bounded():
    assert wire.decode(wire.encode(nested(MAX_DEPTH))) == nested(MAX_DEPTH)
    with pytest.raises(LocalError):
        wire.encode(nested(MAX_DEPTH + 1))
    for levels in (MAX_DEPTH + 1, 500, 1000, 60_000):
        assert refused(b"\x91" * levels + b"\xc0")
        assert refused(b"\x91" * levels + b"\x90")


@pytest.mark.parametrize(
    "data",
    [
        b"\xdd\xff\xff\xff\xff",
        b"\xdd\x7f\xff\xff\xff" * 10_000,
        b"\xdc\xff\xff" * 20_000,
        b"\xdb\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff" + b"x" * 100,
        b"\x80" * 65_000,
        b"\xdf\xff\xff\xff\xff",
        b"\xc9\xff\xff\xff\xff\x01",
    ],
)
def test_claimed_size_allocates_nothing(data):
    assert refused(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\xff",  # -1
        b"\xe0",
        b"\xd0\x01",
        b"\xd3" + bytes(7) + b"\x01",
        b"\xcf\x80" + bytes(7),  # 2^63
        b"\xca" + bytes(4),
        b"\xcb\x7f\xf8" + bytes(6),  # NaN
        b"\x80",
        b"\x81\xa1a\x01",
        b"\x82\xa1a\x01\xa1a\x02",  # a repeated key
        b"\xd6\xff" + bytes(4),  # timestamp
        b"\xc7\x00\x05",
        b"\xa1\xff",  # not UTF-8
        b"\xa3\xed\xa0\x80",  # a surrogate
        b"\xa2\xc0\x80",  # overlong NUL
        b"\xd9\x01a",
        b"\xc5\x00\x01a",
        b"\xdc\x00\x01\xc0",
        b"\xcc\x7f",
        b"\xc0\xc0",
        b"\x92\xc0",
    ],
)
def test_forbidden_msgpack_is_refused(data):
    assert refused(data)
    assert refused(b"\x91" + data)


@pytest.mark.parametrize(
    "value", [-1, 2**63, 1.0, {}, (), {1}, object(), bytearray(), "\ud800", Code.BAD_NAME]
)
def test_forbidden_values_are_not_encoded(value):
    for wrapped in (value, [value]):
        with pytest.raises(LocalError) as caught:
            wire.encode(wrapped)
        assert "ud800" not in ascii(caught.value)
        assert wire.encode([1]) == b"\x91\x01"  # the failed encoding leaves no bytes behind


# --- frames ---

PAYLOADS = st.lists(st.binary(min_size=1, max_size=30), max_size=6)


def test_frames_survive_every_split_in_two():
    payloads = [b"a", b"bc" * 100, b"\0\0\0\1"]
    stream = b"".join(map(wire.encode_frame, payloads))
    for at in range(len(stream) + 1):
        frames = wire.FrameDecoder()
        assert [*frames.feed(stream[:at]), *frames.feed(stream[at:])] == payloads
        assert not frames.has_partial


@given(PAYLOADS, st.data())
@pytest.mark.slow
def test_frames_survive_any_splits(payloads, data):
    stream = b"".join(map(wire.encode_frame, payloads))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    frames = wire.FrameDecoder()
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert [payload for piece in pieces for payload in frames.feed(piece)] == payloads
    assert not frames.has_partial


def test_byte_by_byte_feed_reports_partial_frame():
    stream = wire.encode_frame(b"abc")
    frames = wire.FrameDecoder()
    for byte in stream[:-1]:
        assert list(frames.feed(bytes([byte]))) == []
        assert frames.has_partial
    assert list(frames.feed(stream[-1:])) == [b"abc"]
    assert not frames.has_partial


@pytest.mark.parametrize("limit", [MAX_HANDSHAKE_FRAME, MAX_FRAME])
def test_frame_lengths_at_limit_are_checked(limit):
    for size in (0, limit + 1, 2**31, 2**32 - 1):
        frames = wire.FrameDecoder(limit)
        assert list(frames.feed(size.to_bytes(4, "big")[:3])) == []
        with pytest.raises(RemoteError) as caught:
            list(frames.feed(size.to_bytes(4, "big")[3:]))
        assert caught.value.code is Code.FRAME_SIZE
        assert not frames.has_partial
    for size in (1, limit):
        assert list(wire.FrameDecoder(limit).feed(wire.encode_frame(b"x" * size))) == [b"x" * size]


def test_frames_before_a_bad_one_are_delivered():
    taken = []
    with pytest.raises(RemoteError):
        for payload in wire.FrameDecoder().feed(wire.encode_frame(b"good") + bytes(4)):
            taken.append(payload)
    assert taken == [b"good"]


def test_frame_limit_may_change_within_one_feed():
    frames = wire.FrameDecoder(10)
    taken = []
    for payload in frames.feed(wire.encode_frame(b"x") + wire.encode_frame(b"y" * 1000)):
        taken.append(payload)
        frames.limit = 1000
    assert taken == [b"x", b"y" * 1000]


def test_own_oversized_frame_is_refused():
    for size in (0, MAX_FRAME + 1):
        with pytest.raises(LocalError):
            wire.encode_frame(b"x" * size)


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"])
def test_other_protocols_are_refused_after_four_bytes(data):
    with pytest.raises(RemoteError):
        list(wire.FrameDecoder().feed(data[:4]))
