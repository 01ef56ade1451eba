"""What a replay shows from a seat's knowledge is what that seat's program knew then, and nothing that it did not."""

from dataclasses import replace
from itertools import zip_longest

import pytest

from protocol.audit.frames import EVERYTHING, frame, replay_data
from protocol.audit.history import History
from protocol.locale import english
from protocol.match.logfile import MAGIC, count_records, encode_record
from protocol.match.view import view_of
from protocol.view.encoding import spoken
from protocol.audit.report import say_of
from tests.golden.play import rest_of, started
from tests.golden.scenarios import SCENARIOS

pytestmark = pytest.mark.match

# Every dealing with all that can happen in it; deals that end in a lie, in nothing, with hands that stay hidden.
PLAYED = list(SCENARIOS)


def played(name):
    match, moments = started(SCENARIOS[name])
    moments += rest_of(match)
    data = MAGIC + b"".join(encode_record(record.entry, record.head) for record in match.live.records)
    return History(data).read(), moments


@pytest.mark.parametrize("name", PLAYED)
def test_a_seat_sees_what_its_program_saw(name):
    history, moments = played(name)
    hidden = known = 0
    for number, moment in enumerate(moments, 1):
        assert history.steps[number].after == moment.after
        for seat, hand in moment.hands.items():
            seen = history.hand(number, seat)
            shown = tuple(piece for piece in hand if piece in seen) 
            assert len(seen) == len(hand), (number, seat, seen, hand)
            assert tuple(piece for piece in seen if piece is not None) == shown
            hidden, known = hidden + seen.count(None), known + len(shown)
            if None not in seen:
                say = say_of(moment.after, seat)
                assert frame(history, number, seat, english)["view"] == spoken(view_of(moment.after, seat, hand), say)
    print(name, hidden, known, history.replay.reader.faults)
