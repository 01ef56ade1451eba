"""Connected seats as the table reports them: news for some programs, a sign of life for all others,
and without further effect.
"""

from types import SimpleNamespace

import pytest

from player.client import events
from player.storage.contacts import Contact
from player.ui.terminal.plain_screen import PlainScreen
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import (
    HELD_UP_SECONDS,
    LIFE_SECONDS,
    PRESENCE_NEWS_SECONDS,
    PRESENCE_SECONDS,
)
from protocol.messages import table as messages
from protocol.messages.table import ConnectionPhase, Sender
from table.match.presence import Presence
from tests.properties.simulate.loop import VirtualLoop
from tests.support.direct import Direct
from tests.support.fake_table import FakeTable

MATCH = bytes(32)


class Party:
    """Party that records reports."""

    def __init__(self, name: str) -> None:
        self.name, self.takes_talk = name, True
        self.told: list[list[int]] = []  # what was news
        self.knows = [0, 1, 2]
        self.signs = 0  # of the table's life: without news
        self.errors: list[str] = []

    def send(self, message: bytes) -> None:
        name, values = messages.decode(message, Sender.TABLE, ConnectionPhase.SEATED)
        if name == "error":
            self.errors += values
        elif values[1] == self.knows:
            self.signs += 1
        else:
            self.knows = values[1]
            self.told.append(values[1])


@pytest.fixture
def at_table():
    """Make parties for three seats and a spectator, the reporter, and its event loop."""
    loop, made = VirtualLoop(), {}
    log, setup = SimpleNamespace(match_id=MATCH, next_number=1), SimpleNamespace(seats=3)
    signer = SimpleNamespace(away=False)
    live = SimpleNamespace(
        log=log, setup=setup, records=[None], acknowledged=1, owes=False, signer=signer
    )

    async def begin() -> None:
        made["presence"] = Presence(live, parties)

    ann, bob, cleo, eve = (Party(name) for name in ("Ann", "Bob", "Cleo", "Eve"))
    parties = {ann: 0, bob: 1, cleo: 2, eve: None}
    loop.run_until_complete(begin())
    yield loop, made["presence"], parties, (ann, bob, cleo, eve)
    loop.close()


def later(loop: VirtualLoop, seconds: float, *calls) -> None:
    """Run these calls, a hundredth of a second apart, and let `seconds` seconds pass."""

    async def run() -> None:
        for number, call in enumerate(calls):
            loop.call_later(number / 100, call)
        done = loop.create_future()
        loop.call_later(seconds, done.set_result, None)
        await done

    loop.run_until_complete(run())


def test_nobody_is_told_news_that_all_are_there(at_table):
    loop, presence, _, people = at_table
    later(loop, 10, presence.changed)
    assert [person.told for person in people] == [[], [], [], []]


def test_presence_is_told_to_others_and_spectators(at_table):
    loop, presence, parties, (ann, bob, cleo, eve) = at_table
    del parties[bob]
    later(loop, 10, presence.changed)
    assert (ann.told, bob.told, cleo.told, eve.told) == ([[0, 2]], [], [[0, 2]], [[0, 2]])
    again = Party("Bob again")
    parties[again] = 1
    later(loop, 10, presence.changed)
    assert ann.told == eve.told == [[0, 2], [0, 1, 2]] and again.told == []


def test_later_party_learns_absent_seats(at_table):
    loop, presence, parties, (_, bob, _, _) = at_table
    del parties[bob]
    later(loop, 10, presence.changed)
    late = Party("Late")
    parties[late] = None
    later(loop, 10, presence.changed)
    assert late.told == [[0, 2]]


def test_flapping_line_causes_no_flood_of_reports(at_table):
    loop, presence, parties, (ann, bob, _, _) = at_table

    def flap() -> None:
        parties.pop(bob, None) if bob in parties else parties.update({bob: 1})
        presence.changed()

    later(loop, 10 * PRESENCE_SECONDS, *[flap] * 901)
    assert 1 <= len(ann.told) <= 11


def test_slow_reader_is_told_when_buffer_has_room(at_table):
    loop, presence, parties, (ann, bob, _, _) = at_table
    ann.takes_talk = False
    del parties[bob]
    later(loop, 10, presence.changed)
    assert ann.told == []
    ann.takes_talk = True
    later(loop, 10)
    assert ann.told == [[0, 2]]


def test_closed_presence_reports_nothing(at_table):
    loop, presence, parties, (ann, bob, _, _) = at_table
    del parties[bob]
    later(loop, 10, presence.changed, presence.close)
    assert ann.told == []


def test_presence_is_repeated_as_a_sign_of_life(at_table):
    loop, presence, parties, (ann, bob, cleo, eve) = at_table
    cleo.takes_talk = False
    later(loop, 5 * LIFE_SECONDS + 0.5, presence.changed)
    assert ann.signs == eve.signs == 6 and cleo.signs == 0  # the first one at once
    del parties[bob]
    later(loop, PRESENCE_SECONDS - 0.5, presence.changed)
    assert ann.told == []  # no news before its time
    later(loop, 1)
    assert ann.told == [[0, 2]]
    signs = ann.signs
    later(loop, 5 * LIFE_SECONDS)
    assert ann.signs == signs + 5
    parties.clear()
    later(loop, 10, presence.changed)  # without parties there is no timer
    assert loop._scheduled == []


def test_who_has_just_come_hears_the_first_sign_at_once(at_table):
    loop, presence, parties, (ann, *_) = at_table
    later(loop, 0.5, presence.changed)
    late = Party("Late")
    parties[late] = None
    later(loop, 0.5, presence.changed)
    assert ann.signs == late.signs == 1


# --- that the table cannot write ---


def test_store_delay_is_announced_once_to_waiting_peers_only(at_table):
    loop, presence, parties, (ann, bob, cleo, eve) = at_table
    live, waits = presence._live, ["cannot_write"]
    later(loop, 30, presence.changed)
    assert ann.errors == []
    live.log.next_number = 2  # an entry has to be written
    later(loop, HELD_UP_SECONDS)
    assert ann.errors == []
    cleo.takes_talk = False
    later(loop, 60)
    assert ann.errors == bob.errors == eve.errors == waits and cleo.errors == []
    late, cleo.takes_talk = Party("Late"), True
    parties[late] = None
    later(loop, 2)
    assert late.errors == cleo.errors == waits
    live.acknowledged = 2  # its head waits for seats to come back
    again = Party("Again")
    parties[again] = 1
    later(loop, 30)
    assert again.errors == []
    live.records.append(None)
    later(loop, 30)
    assert ann.errors == waits
    live.owes = live.signer.away = True
    later(loop, 30)
    assert ann.errors == late.errors == 2 * waits


def test_busy_table_is_not_reported_as_stuck(at_table):
    loop, presence, _, (ann, *_) = at_table
    live = presence._live

    def write() -> None:
        live.records.append(None)
        live.log.next_number = len(live.records) + 1  # an entry is always in transit
        loop.call_later(0.3, write)

    later(loop, 60, presence.changed, write)
    assert ann.errors == []


# --- the client ---


class Telling(FakeTable):
    """Table that sends `present` with these seats after the client's third entry."""

    def __init__(self, *said: list[int], seats: int = 3) -> None:
        super().__init__(seats)
        self.said = list(said)

    def on_post(self, wire, match_id, raw):
        super().on_post(wire, match_id, raw)
        if self.said and self.live.log.sequence(0) >= 3:
            wire.say("present", match_id, self.said.pop(0))


@pytest.mark.match
def test_absent_player_is_reported_once_and_match_continues(tmp_path, capsys):
    run = Direct(Telling([0, 2], [0, 2], [0, 1, 2]), tmp_path).run()
    told = [event for event in run.told if isinstance(event, events.Presence)]
    assert [(event.gone, event.back) for event in told] == [((1,), ()), ((), (1,))]
    assert run.client.playing.absent == frozenset() and run.stop().verdict == "clean"
    screen = PlainScreen(dict[str, Contact](), clock=iter((0.0, PRESENCE_NEWS_SECONDS)).__next__)
    for event in told:
        screen.hear(event)
    name = told[0].match.setup.people[1].name
    assert capsys.readouterr().out.splitlines() == [
        f"{name} has lost the connection to the table.",
        f"{name} is connected again.",
    ]


class Stuck(FakeTable):
    """Table that reports twice that it cannot write an entry, and then writes it."""

    times = 2

    def on_post(self, wire, match_id, raw):
        while self.times and len(self.live.records) >= 9:
            self.times -= 1
            wire.say("error", "cannot_write")
        super().on_post(wire, match_id, raw)


@pytest.mark.match
def test_presence_reports_stopped_and_resumed_writing_once(tmp_path):
    run = Direct(Stuck(), tmp_path).run()
    assert run.stop().verdict == "clean"
    notices = [event.phrase.key for event in run.told if isinstance(event, events.Notice)]
    assert notices == ["notice.table_waits", "notice.table_writes"]


@pytest.mark.match
def test_flapping_table_prints_few_lines(tmp_path, capsys):
    """Few lines are printed, whatever the table reports. The last line is up to date, and a seat's
    view shows it at once.
    """
    said = [[0, 2], [0, 1, 2]]
    run = Direct(Telling(said[0]), tmp_path).run()
    (first,) = (event for event in run.told if isinstance(event, events.Presence))
    run.stop()
    now = iter(range(10**6))
    screen = PlainScreen(dict[str, Contact](), clock=lambda: next(now) / 100)
    for number in range(33_000):
        screen.hear(
            events.Presence(first.match, (), (1,)) if number < 30_000 and number % 2 else first
        )
    lines = capsys.readouterr().out.splitlines()
    assert (
        1 <= len(lines) <= 330 / PRESENCE_NEWS_SECONDS + 1
        and "has lost the connection" in lines[-1]
    )


@pytest.mark.match
@pytest.mark.parametrize("seats", [[1, 0], [0, 0], [0, 3]])
def test_malformed_presence_is_the_tables_fault(tmp_path, seats):
    run = Direct(Telling(seats), tmp_path)
    with pytest.raises(RemoteError) as error:
        run.run()
    run.stop()
    assert error.value.code is Code.BAD_MESSAGE
