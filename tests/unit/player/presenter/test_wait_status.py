"""Status line above the prompt: the seat that is awaited, and for how long."""

import pytest

from player.presenter.wait_status import WaitStatus, waiting_status, with_progress
from protocol.audit.report_text import match_phrase_renderer
from protocol.dealing import Post
from protocol.i18n import english
from protocol.match.clock import Allowance
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from tests.support.offline import make_offline

NOW = 1000.0


def status(match, own, waits, now, translate):
    """Return the status line."""
    told = waiting_status(match, own, waits, now)
    return with_progress(
        match, match_phrase_renderer(match, own, translate)(told) if told else "", translate
    )


def begun(**options):
    """Return a match in which a seat has just been asked to move, and the seat."""
    match = make_offline(**options)
    while match.live.match.stage is not MatchStage.PLAYING:
        assert sum(match.step(seat) for seat in match.seats)
    (duty,) = match.live.match.duties()
    return match, duty.author


def newest(match):
    return decode_entry(match.live.records[-1].entry)


def clock(match, seat):
    """Return the table's next entry about a seat's time."""
    due = match.live.match.next_clock_entry(seat)
    match.live.post_clock(Post(due.kind, [seat, due.after]))
    return newest(match)


def waits_of(match):
    waits = WaitStatus()
    waits.hear(newest(match), match.live.match, NOW)
    return waits


def test_status_counts_own_time_down_and_others_up():
    match, seat = begun(seats=2)
    waits, names = waits_of(match), [person.name for person in match.live.match.setup.people]
    for later, own, other in ((0, 120, 0), (0.4, 120, 0), (83.5, 37, 83), (500, 0, 500)):
        said = [
            status(match.live.match, view, waits, NOW + later, english)
            for view in (seat, 1 - seat, None)
        ]
        assert said[0] == f"Your move: {own} s left, then 3 extensions."
        assert said[1] == said[2] == f"Waiting for {names[seat]}, {other} s."


@pytest.mark.parametrize(
    ("later", "said"), [(0, "60 min"), (61, "59 min"), (3479, "3 min"), (3480, "120 s")]
)
def test_status_tells_long_time_in_minutes(later, said):
    match, seat = begun(seats=2, allowance=Allowance(turn=3600))
    told = status(match.live.match, seat, waits_of(match), NOW + later, english)
    assert told == f"Your move: {said} left, then 3 extensions."


def test_status_counts_waits_and_extensions_give_time():
    match, seat = begun(seats=2)
    waits = waits_of(match)
    for kind, left in (("warning", 10), ("extension", 120), ("warning", 10), ("extension", 120)):
        said = clock(match, seat)
        assert said.kind == kind
        waits.hear(said, match.live.match, NOW)  # no time has passed by our own clock
        assert f"Your move: {left} s left, then" in status(
            match.live.match, seat, waits, NOW, english
        )
    assert "then 1 extension." in status(match.live.match, seat, waits, NOW, english)


def test_status_after_return_shows_only_known_times():
    match, seat = begun(seats=2)
    waits = WaitStatus()
    waits.begin(match.live.match, NOW)
    assert (
        status(match.live.match, seat, waits, NOW + 5, english) == "Your move: at most 115 s left."
    )
    waits.hear(clock(match, seat), match.live.match, NOW)
    assert status(match.live.match, seat, waits, NOW, english).startswith("Your move: 10 s left")


def test_status_of_slow_deal_shows_progress_and_waiting_seat():
    match = make_offline(seats=2)
    while match.live.match.stage is not MatchStage.DEALING:
        assert sum(match.step(seat) for seat in match.seats)
    waits = waits_of(match)
    assert status(match.live.match, 0, waits, NOW, english).startswith("[")
    assert "Waiting" not in status(match.live.match, 0, waits, NOW + 4, english)
    while not {duty.author for duty in match.live.match.duties()} & {1}:
        assert match.step(match.seats[0])
    assert ", 30 s." in status(match.live.match, 0, waits_of(match), NOW + 30, english)


@pytest.mark.match
def test_status_is_empty_at_the_end():
    match, seat = begun(seats=2)
    match.play()
    assert (
        match.live.match.over
        and status(match.live.match, seat, waits_of(match), NOW, english) == ""
    )


def test_status_marks_waited_seat_as_not_connected():
    match, seat = begun(seats=2)
    name, other = match.live.match.setup.people[seat].name, 1 - seat
    for absent, said in (
        ((), f"Waiting for {name}, 30 s."),
        ({seat}, f"Waiting for {name}, 30 s; not connected: {name}."),
    ):
        told = waiting_status(match.live.match, other, waits_of(match), NOW + 30, absent)
        assert match_phrase_renderer(match.live.match, other)(told) == said


def test_wait_before_arrival_is_shown_as_a_bound():
    match, seat = begun(seats=2)
    waits = WaitStatus()
    waits.hear(newest(match), match.live.match, NOW, live=False)
    name = match.live.match.setup.people[seat].name
    for own, said in (
        (seat, "Your move: at most 115 s left."),
        (1 - seat, f"Waiting for {name}, at least 5 s."),
    ):
        assert status(match.live.match, own, waits, NOW + 5, english) == said
    # an old entry of the clock proves a wait, and not its end
    waits.hear(clock(match, seat), match.live.match, NOW + 5, live=False)
    assert (
        status(match.live.match, seat, waits, NOW + 5, english) == "Your move: at most 10 s left."
    )


@pytest.mark.parametrize("stated_first", [True, False])
def test_wait_before_arrival_is_exact_by_the_tables_statement(stated_first):
    match, seat = begun(seats=2)
    since = match.live.match.duty_since(seat)
    waits = WaitStatus()
    stated = {seat: (since, 30.0), 1 - seat: (since - 1, 99.0)}
    if stated_first:
        waits.correct(stated, NOW)
    waits.hear(newest(match), match.live.match, NOW + 2, live=False)
    if not stated_first:
        waits.correct(stated, NOW)
    said = status(match.live.match, seat, waits, NOW + 5, english)
    assert said == "Your move: 85 s left, then 3 extensions."


def test_statement_about_an_older_duty_changes_nothing():
    match, seat = begun(seats=2)
    waits = WaitStatus()
    waits.correct({seat: (match.live.match.duty_since(seat) - 1, 99.0)}, NOW)
    waits.hear(newest(match), match.live.match, NOW)
    assert status(match.live.match, seat, waits, NOW, english).startswith("Your move: 120 s left")
