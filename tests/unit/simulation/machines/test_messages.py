"""Messages of the machines round-trip, and no other bytes are accepted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_INT, MAX_MACHINES
from simulation.machines.messages import (
    COORDINATOR,
    KINDS,
    RUN,
    Alive,
    Answer,
    End,
    Init,
    Lay,
    LayVerdict,
    Look,
    Lost,
    Over,
    Points,
    Ready,
    Score,
    Seen,
    Start,
    Stop,
    Tally,
    decode,
    encode,
)

MINE, OTHER = bytes(RUN), bytes([1] * RUN)
TALLY = Tally(11, 2, 500, 0, 7, 40)
ALL = (
    Init((1, 2, 3), tuple(range(40)), 4),
    Ready(),
    Start(None),
    Start(5),
    Lay(1, 77),
    Answer(1, LayVerdict.LATE, 77, 9),
    Answer(1, LayVerdict.LAID, None, 9),
    Look(2),
    Seen(2, (41, None, 43), None, (0, 1, 2, 10)),
    Stop(3),
    End(3),
    Points(3, True),
    Score(3, TALLY, (), (40, 41), ((), (80,), (), ())),
    Lost(4),
    Alive(50),
    Over(),
)


def test_every_machines_message_round_trips():
    assert {type(message) for message in ALL} == {kind for kind, _ in KINDS}
    for message in ALL:
        assert decode(MINE, encode(MINE, 7, COORDINATOR, message)) == (7, COORDINATOR, message)
        assert type(decode(MINE, encode(MINE, 7, 8, message))[2]) is type(message)


def test_message_of_another_run_is_refused():
    with pytest.raises(RemoteError) as error:
        decode(MINE, encode(OTHER, 7, 8, Ready()))
    assert error.value.code is Code.BAD_MESSAGE


@pytest.mark.parametrize(
    "value",
    (
        None,
        [],
        [MINE],
        [MINE, 1, 2],
        [MINE, 1, 2, len(KINDS)],
        [MINE, MAX_MACHINES + 1, 2, 1],
        [MINE, 1, 2, True],
        [MINE, 1, 2, 1, 0],
        [MINE, 1, 2, 3, 0],
        [MINE, 1, 2, 3, 0, 40 * MAX_MACHINES],
        [MINE, 1, 2, 4, 1, 3, None, 0],
        [MINE, 1, 2, 3, MAX_INT, 5],
        [MINE, 1, 2, 0, [1] * 7, list(range(40)), 4],
        [MINE, 1, 2, 0, [1], [0], 4],
    ),
    ids=str,
)
def test_malformed_machines_message_is_refused(value):
    with pytest.raises(RemoteError):
        decode(MINE, wire.encode(value))


@given(
    st.binary(max_size=200)
    | st.builds(lambda rest: wire.encode([MINE, 1, 2, *rest]), st.lists(st.integers(0, 50)))
)
@pytest.mark.slow
def test_garbage_machines_message_is_refused(data):
    try:
        sender, to, message = decode(MINE, data)
    except RemoteError:
        return
    assert encode(MINE, sender, to, message) == data
