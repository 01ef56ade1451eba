"""Values one after another: the same as one by one, and refused where those are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError

SIZE = 64
leaves = st.none() | st.booleans() | st.integers(0, 2**63 - 1) | st.text() | st.binary()
values = st.recursive(leaves, st.lists, max_leaves=5)


@given(st.lists(values, max_size=6))
def test_sequence_decoded_is_what_was_encoded(items):
    data = b"".join(map(wire.encode, items))
    size = max([len(wire.encode(item)) for item in items], default=1)
    assert wire.decode_sequence(data, len(items), size) == items


@given(st.binary(max_size=80))
def test_sequence_of_any_bytes_is_as_strict_as_one_value(data):
    try:
        found = wire.decode_sequence(data, 80, SIZE)
    except RemoteError as error:
        assert error.code is Code.BAD_ENCODING
        return
    assert b"".join(map(wire.encode, found)) == data
    for item in found:
        assert wire.decode_strictly(wire.encode(item)) == item


@pytest.mark.parametrize(
    "data",
    [
        b"\x01\x91",
        b"\xcc\x01",
        b"\xc1",
        b"\x80",
        b"\xca\x00\x00\x00\x00",
        b"\xff",
        b"\x91" * 9 + b"\x01",
        b"\xdd\x7f\xff\xff\xff",
        b"\xc4\x41" + bytes(65),
        b"\x01\x01\x01\x01",
        b"\xa1\xff",
    ],
)
def test_sequence_in_wrong_form_is_refused(data):
    with pytest.raises(RemoteError) as found:
        wire.decode_sequence(data, 3, SIZE)
    assert found.value.code is Code.BAD_ENCODING
