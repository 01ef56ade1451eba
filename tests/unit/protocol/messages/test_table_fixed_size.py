"""Messages of fixed size are decoded in one step, with the same result as by the general
decoder.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_SEATS, TALK_ENVELOPE
from protocol.messages import table as messages
from protocol.messages.table import LAYOUTS, ConnectionPhase, Sender
from tests.properties.fuzz.wires import by_the_table

NAMES = sorted(LAYOUTS)


def talk(name, seat=1):
    return wire.encode([name, b"%" * 32, seat, b"x" * TALK_ENVELOPE])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@given(st.binary(min_size=32, max_size=32), st.integers(0, MAX_SEATS - 1))
def test_fixed_size_message_has_one_encoding(name, match_id, seat):
    values = [match_id, seat, match_id * 33 + match_id[:20]]
    assert messages.encode(name, *values) == wire.encode([name, *values])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_changed_header_byte_gives_same_general_result(name):
    """Each byte value is tried at each place of the heads and of the integer."""
    whole = talk(name)
    at_heads = [at for at, byte in enumerate(whole) if byte not in b"%x"]
    assert len(at_heads) == len(name) + 2 + 2 + 1 + 3 - name.count("x")
    for at in at_heads:
        for byte in range(256):
            changed = whole[:at] + bytes([byte]) + whole[at + 1 :]
            for sender in Sender:
                try:
                    said = messages.decode(changed, sender, ConnectionPhase.SEATED)
                    found = [said.name, *said.values]
                except RemoteError as error:
                    found = error.code
                assert found == by_the_table(changed, sender, ConnectionPhase.SEATED), (at, byte)


@pytest.mark.parametrize(("seat", "code"), [(MAX_SEATS, Code.BAD_MESSAGE), (127, Code.BAD_MESSAGE)])
def test_impossible_seat_number_is_refused(seat, code):
    with pytest.raises(RemoteError) as refusal:
        messages.decode(talk("relay", seat), Sender.PLAYER, ConnectionPhase.SEATED)
    assert refusal.value.code is code


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "values",
    [
        (bytes(31), 1, bytes(TALK_ENVELOPE)),
        (bytes(32), 1, bytes(TALK_ENVELOPE + 1)),
        (bytes(31), 1, bytes(TALK_ENVELOPE + 1)),
        (bytes(32), MAX_SEATS, bytes(TALK_ENVELOPE)),
        (bytes(32), 1),
        (bytes(32), None, bytes(TALK_ENVELOPE)),
    ],
)
def test_own_message_of_wrong_size_is_not_sent(name, values):
    with pytest.raises((AssertionError, TypeError)):
        messages.encode(name, *values)
