"""Round trips at the player's end: the program answers the table's question at once, and shows the
reported times.
"""

import pytest

from player.client import events
from player.presenter.wait_status import round_trip_lines
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.i18n import english
from protocol.match.seat_view import ClientKnowledge, view_of
from protocol.view.text import phrase_renderer
from tests.support.direct import Direct
from tests.support.fake_table import FakeTable
from tests.support.offline import make_offline

TOKEN = b"question"


class Asking(FakeTable):
    """Table that sends these messages after the third of the client's entries."""

    def __init__(self, *said: tuple[str, object]) -> None:
        super().__init__(3)
        self.said, self.answers = list(said), []

    def on_post(self, wire, match_id, raw):
        super().on_post(wire, match_id, raw)
        if self.live.log.sequence(0) >= 3:
            while self.said:
                name, value = self.said.pop(0)
                wire.say(name, match_id, value)

    def on_pong(self, wire, match_id, token):
        self.answers.append((match_id, token))


@pytest.mark.match
def test_round_trip_question_is_answered_during_match(tmp_path):
    table = Asking(("ping", TOKEN), ("trips", [20, None, 4000]))
    run = Direct(table, tmp_path).run()
    assert table.answers == [(table.live.log.match_id, TOKEN)]
    assert run.client.playing.trips == {0: 20, 2: 4000}
    assert sum(isinstance(event, events.Trips) for event in run.told) == 1
    assert run.stop().verdict == "clean"


@pytest.mark.match
def test_round_trips_of_wrong_length_are_the_tables_fault(tmp_path):
    run = Direct(Asking(("trips", [20, 30])), tmp_path)
    with pytest.raises(RemoteError) as error:
        run.run()
    run.stop()
    assert error.value.code is Code.BAD_MESSAGE


def test_round_trips_are_shown_on_screen_and_in_words():
    match = make_offline(2).live.match
    view = view_of(match, aside=ClientKnowledge(round_trips={1: 80}))
    assert [seat.trip for seat in view.seats] == [None, 80]
    (said,) = round_trip_lines(view)
    assert (
        phrase_renderer(english, ["Ann", "Bob"])(said)
        == "Time to the table and back, as the table measures it: Bob 80 ms."
    )
    assert round_trip_lines(view_of(match)) == []


@pytest.mark.match
def test_waits_of_the_table_reach_the_screen(tmp_path):
    run = Direct(Asking(("waited", [[3, 1500], None, [4, 0]])), tmp_path).run()
    (told,) = (event for event in run.told if isinstance(event, events.Waited))
    assert told.by_seat == {0: (3, 1.5), 2: (4, 0.0)} and run.stop().verdict == "clean"


@pytest.mark.match
def test_waits_of_wrong_length_are_the_tables_fault(tmp_path):
    run = Direct(Asking(("waited", [None, None])), tmp_path)
    with pytest.raises(RemoteError) as error:
        run.run()
    run.stop()
    assert error.value.code is Code.BAD_MESSAGE
