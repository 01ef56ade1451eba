"""Table talk: each remark is heard once, in order, from its true author, and without terminal
control characters.
"""

from random import Random

import pytest

from player.client.seat import Seat
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_SAY, TALK_ENVELOPE
from protocol.messages.table_talk import PURPOSE, TalkChannel, printable_remark
from tests.support.errors import raises_text
from tests.support.offline import make_offline


@pytest.fixture(scope="module")
def seats() -> tuple[list[Seat], object]:
    table = make_offline(seats=3)
    for seat in table.seats:
        table.step(seat)
    return table.seats, table.live.match


@pytest.fixture
def talks(seats) -> list[TalkChannel]:
    people, match = seats
    return [seat.talk(match) for seat in people]


def refused(talk: TalkChannel, sender: int, envelope: bytes) -> bool:
    with pytest.raises(RemoteError) as caught:
        talk.open_remark(sender, envelope)
    return caught.value.code is Code.BAD_ENVELOPE


def test_remark_is_heard_by_all_others(talks):
    said = talks[0].seal_remark("good luck", Random(1))
    assert [receiver for receiver, _ in said] == [1, 2]
    assert [talks[receiver].open_remark(0, envelope) for receiver, envelope in said] == [
        "good luck"
    ] * 2


def test_remark_envelopes_have_one_size(talks):
    sizes = {
        len(envelope)
        for remark in ("x", "y" * MAX_SAY, "\U0001f600" * MAX_SAY)
        for _, envelope in talks[0].seal_remark(remark, Random(1))
    }
    assert sizes == {TALK_ENVELOPE}


def test_replayed_remark_is_dropped(talks):
    (_, envelope), _ = talks[0].seal_remark("pass", Random(1))
    talks[1].open_remark(0, envelope)
    assert refused(talks[1], 0, envelope)


def test_late_remark_is_dropped(talks):
    (_, first), _ = talks[0].seal_remark("first", Random(1))
    (_, second), _ = talks[0].seal_remark("second", Random(1))
    assert talks[1].open_remark(0, second) == "second"
    assert refused(talks[1], 0, first)
    (_, third), _ = talks[0].seal_remark("third", Random(1))
    assert talks[1].open_remark(0, third) == "third"


def test_remark_in_name_of_another_is_dropped(talks):
    (_, envelope), (_, for_two) = talks[0].seal_remark("it was me", Random(1))
    assert refused(talks[1], 2, envelope)
    assert refused(talks[1], 0, for_two)
    assert refused(talks[1], 1, envelope)  # as if it came from this seat itself
    assert refused(talks[1], 7, envelope)
    assert refused(talks[0], 1, envelope)  # sent back to its author


def test_remark_after_dropped_one_is_heard(talks):
    (_, envelope), _ = talks[0].seal_remark("hello", Random(1))
    assert refused(talks[1], 0, envelope[:-1] + bytes([envelope[-1] ^ 1]))
    assert talks[1].open_remark(0, envelope) == "hello"


def test_envelope_of_another_purpose_is_no_remark(seats, talks):
    from protocol import wire
    from protocol.crypto.envelopes import seal
    from protocol.limits import SAY_PADDED

    assert PURPOSE == "say"
    key = talks[0]._pair_key(0, 1)
    assert refused(
        talks[1], 0, seal(key, Random(1), wire.encode([9, "x"]), "hop", padded_to=SAY_PADDED)
    )
    for odd in (
        b"",
        b"\xc1",
        wire.encode([9]),
        wire.encode([9, b"x"]),
        wire.encode([9, "x" * (MAX_SAY + 1)]),
    ):
        assert refused(talks[1], 0, seal(key, Random(1), odd, PURPOSE, padded_to=SAY_PADDED))


def test_remark_has_no_control_characters():
    assert printable_remark("a\x1b[2Jb\r\nc\u202ed\u2028e\u00a0f\x9b\u200b\x7f") == "a[2Jbcd e f"


@pytest.mark.parametrize("remark", ["", "   ", "\x1b", "x" * (MAX_SAY + 1)])
def test_empty_or_oversized_remark_is_refused(talks, remark):
    with raises_text(LocalError, match="1 to"):
        talks[0].seal_remark(remark, Random(1))


def test_runs_of_spaces_collapse():
    """Otherwise spaces push words to the beginning of the next line, where they look like the
    program's own.
    """
    assert printable_remark("hi" + 60 * " " + "Roster:\u3000\u00a0 you") == "hi Roster: you"
