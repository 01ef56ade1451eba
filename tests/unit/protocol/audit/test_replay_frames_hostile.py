"""Replay of a correctly signed log with hostile content: the frames are safe to show, and fast to
make.
"""

import json
import sys

import pytest

from player.ui.web.replay.single import single_page
from protocol.audit.history import MatchHistory
from protocol.audit.replay_frames import ALL_SEATS, replay_data, replay_frame, step_marks
from protocol.i18n import english
from protocol.limits import MAX_NAME
from protocol.view.text import END, ISOLATE
from tests.support.hostile_logs import MARKUP, forged, intruder, ten_seats, underway

LONGEST = 1_000  # characters of one text on a page


def texts(value):
    """Yield all texts of a replay except the legal actions, which only the program uses."""
    if isinstance(value, dict):
        value = [one for key in value if key != "action" for one in (key, value[key])]
    if isinstance(value, list | tuple):
        return [text for one in value for text in texts(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.slow
@pytest.mark.parametrize("log", [intruder, ten_seats])
def test_frames_of_hostile_log_are_short_without_escapes(log):
    history = MatchHistory(log()).read()
    marks = [mark for step in history.steps for mark in step_marks(step, english)]
    told = [replay_data(history, len(history.steps), marks, english)]
    for step in history.steps:
        told += [
            replay_frame(history, step.number, whose, english) for whose in (None, ALL_SEATS, 0)
        ]
    for text in texts(json.loads(json.dumps(told))):
        assert text.replace(ISOLATE, "").replace(END, "").isprintable() and len(text) <= LONGEST, (
            text[:100]
        )
    assert told[0]["faults"] and not told[0]["verdict"]["clean"]
    assert all(len(one["name"]) <= MAX_NAME for one in told[0]["seats"])


def test_page_comment_text_is_not_taken_for_protocol():
    history = MatchHistory(intruder()).read()
    told = [
        mark["text"]
        for step in history.steps
        for mark in step_marks(step, english)
        if mark["kind"] == "move"
    ]
    assert (
        told[0].endswith(" plays against Hello.") and "{NI,i}pk(b) to Bob (b), strand 2" in told[-1]
    )
    assert not any("Clean" in text or "x" * 20 in text for text in told)


@pytest.mark.slow
@pytest.mark.parametrize("log", [intruder, ten_seats])
def test_single_file_page_escapes_script_end(log):
    page = single_page(log(), MARKUP)
    assert (
        page.count("<script") == page.count("</script") == 2
        and "<img" not in page.partition("<script>")[0]
    )


@pytest.mark.slow
def test_frame_cost_does_not_grow_after_a_fault():
    """Otherwise a table could make the conversion of a log to one file take hours: entries times
    entries.
    """
    assert 0 < calls(400) <= calls(100) * 1.1


def calls(count: int) -> int:
    """Count the function calls for twenty frames of a deal that is followed by `count` entries."""
    history, found = (
        MatchHistory(forged(underway("texas-holdem", "commutative", 9, 40), count)).read(),
        0,
    )

    def count_calls(*_: object) -> None:
        nonlocal found
        found += 1

    def look() -> None:
        for number in (*range(36, 46), *range(len(history.steps) - 10, len(history.steps))):
            replay_frame(history, number, ALL_SEATS, english)

    look()  # caches are filled here
    sys.setprofile(count_calls)
    try:
        look()
    finally:
        sys.setprofile(None)
    return found
