"""Texts for people during a match."""

from unicodedata import east_asian_width

import pytest

from player.client import events
from player.client.outcome import Outcome
from player.presenter import narration
from player.ui.terminal.plain_screen import PlainScreen
from protocol.audit.verdict import Verdict
from protocol.codes import Code, code_phrase
from protocol.dealing import TABLE, Fault, Post
from protocol.i18n import english_text
from protocol.match.clock import Allowance
from protocol.match.fold import apply, begin
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from tests.support.offline import make_offline


def whole_match(**options):
    """Return every step of a match as an event."""
    table = make_offline(**options)
    table.play()
    assert table.live.match.over
    match = begin(table.live.log.setup, table.live.log.match_id)
    for record in table.live.records[1:]:
        entry = decode_entry(record.entry)
        after = apply(match, entry)
        yield events.Happened(match, entry, after)
        match = after


@pytest.mark.slow
def test_deal_progress_grows_from_zero_to_nearly_all():
    seen = [[]]
    for event in whole_match(seats=4):
        found = narration.deal_progress(event.match)
        if found is None:
            seen.append([])
        else:
            seen[-1].append(found[1])
    first = next(percents for percents in seen if percents)
    assert first == sorted(first)
    assert first[0] <= 2 and 95 <= first[-1] <= 100
    assert all(0 <= percent <= 100 for percents in seen for percent in percents)


@pytest.mark.slow
def test_progress_bar_has_the_requested_length():
    bars = [bar for event in whole_match(seats=2) if (bar := narration.progress_bar(event.match))]
    assert bars
    for bar in bars:
        drawn, rest = bar[1:21], bar[22:]
        assert drawn.count("#") == 20 * int(rest.split("%")[0]) // 100
        assert set(drawn) <= {"#", "."}


@pytest.mark.match
def test_narration_tells_every_move_and_hand_end_once():
    told = [line for event in whole_match(seats=3) for line in narration.entry_lines(event)]
    moves = [event for event in whole_match(seats=3) if event.entry.kind == "move"]
    ended = [line for line in told if line.startswith(("The hand is over", "Nobody can go on"))]
    assert len(ended) >= 1 and len([line for line in told if line.startswith("Score: ")]) == len(
        ended
    )
    assert len(told) == len(moves) + 3 * len(ended) + len(
        [line for line in told if line.startswith("Dealing hand")]
    )


@pytest.mark.slow
def test_narration_shows_only_long_deals_in_words(capsys):
    def deal(**options):
        view = PlainScreen({}, **options)
        for event in whole_match(seats=2):
            if event.match.stage is MatchStage.PLAYING:
                break
            view.hear(event)
        return capsys.readouterr().out

    assert "%" not in deal()
    shown = [line for line in deal(bar_after=-1.0).splitlines() if "%" in line]
    assert [line for line in shown if "takes pieces without seeing them" in line]
    # one line for each stage
    assert len(shown) == len({line.split("%")[1] for line in shown})


@pytest.mark.slow
def test_verdict_is_one_sentence_naming_the_cheat():
    table = make_offline(seats=2, seed=4)
    table.play()
    reader = table.readers[0]
    table.catch_up(reader)
    fault = Fault(1, 57, Code.NOT_HELD)
    said = narration.verdict_text(Outcome(Verdict.FAULT, reader, (fault,)))
    why = english_text(code_phrase(Code.NOT_HELD))
    assert said == f"Verdict: rules were broken: Bob (seat 2) in entry 57: {why}; winner Ann"
    gone = (Fault(1, 57, Code.LEFT),)
    said = narration.verdict_text(Outcome(Verdict.FAULT, reader, gone))
    why = english_text(code_phrase(Code.LEFT))
    assert said == f"Verdict: no cheating found; Bob (seat 2) in entry 57: {why}; winner Ann"
    said = narration.verdict_text(Outcome(Verdict.FAULT, reader, (*gone, fault)))
    assert said.startswith("Verdict: rules were broken: ")
    said = narration.verdict_text(
        Outcome(Verdict.FAULT, None, (Fault(TABLE, 0, Code.WRONG_SETUP),))
    )
    why = english_text(code_phrase(Code.WRONG_SETUP))
    assert said == f"Verdict: rules were broken: the table in entry 0: {why}"
    said = narration.verdict_text(Outcome(Verdict.CLEAN, reader))
    winner = reader.log.setup.people[reader.match.winner].name
    assert (
        said == f"Verdict: no cheating found. Winner: {winner}, {len(table.live.records)} entries"
    )


def clock_events(extensions=1):
    """Return the clock's messages about a seat that never moves, as events."""
    table = make_offline(2, 4, allowance=Allowance(extensions, 300, 60))
    while table.live.match.stage is not MatchStage.PLAYING:
        assert sum(table.step(seat) for seat in table.seats)
    (duty,) = table.live.match.duties()
    before = table.live.match
    while True:
        due = before.next_clock_entry(duty.author)
        posted = len(table.live.entries)
        table.live.post_clock(Post(due.kind, [duty.author, due.after]))
        yield events.Happened(before, decode_entry(table.live.entries[posted]), table.live.match)
        before = table.live.match
        if due.kind == "lapse":
            return


@pytest.mark.slow
def test_clock_is_narrated_in_plain_words():
    told = [narration.entry_lines(event) for event in clock_events()]
    seat = next(clock_events()).entry.body[0]
    name = ("Ann", "Bob")[seat]
    assert told == [
        [f"{name} has 10 s left, then an extension."],
        [f"{name} gets 60 s more. Extensions left in this match: 0."],
        [f"{name} has 10 s left."],
        [f"{name} did not move in time.", f"{name}'s turn is skipped."],
    ]
    assert [narration.entry_lines(event, seat)[0].split()[:2] for event in clock_events()] == [
        ["You", "have"],
        ["You", "get"],
        ["You", "have"],
        ["You", "did"],
    ]


def test_silent_seat_in_a_step_is_narrated():
    table = make_offline(2, 4)
    before = table.live.match
    table.lapse(1)
    last = decode_entry(table.live.records[-1].entry)
    assert narration.entry_lines(events.Happened(before, last, table.live.match)) == [
        "Bob did not answer in time."
    ]


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
@pytest.mark.parametrize(
    "said",
    [
        "Bob says: " + "hm " * 20 + "Verdict: no cheating found. Winner: Bob",
        "Bob says: " + "東京" * 90,
        "x" * 199,
    ],
)
def test_talk_is_marked_on_every_line(columns, said):
    lines = narration.remark_lines(said, columns)
    assert all(line.startswith(narration.TALK) for line in lines)
    assert all(
        sum(2 if east_asian_width(char) in "WF" else 1 for char in line) < columns for line in lines
    )
    assert "".join("".join(line.removeprefix(narration.TALK) for line in lines).split()) == "".join(
        said.split()
    )
    assert narration.remark_lines(said, None) == [narration.TALK + said]


@pytest.mark.match
def test_narration_of_poker_clock_precedes_the_result():
    table = make_offline(
        2, game="texas-holdem", dealing="verified", allowance=Allowance(0, 300, 60)
    )
    table.bots = ("random", "random")
    while table.live.match.stage is not MatchStage.PLAYING:
        assert sum(table.step(seat) for seat in table.seats)
    seat = table.live.match.duties()[0].author
    before = table.live.match
    assert "lapse" in table.lapse(seat)
    (record,) = [
        record for record in table.live.records[-3:] if decode_entry(record.entry).kind == "lapse"
    ]
    name, other = (("Ann", "Bob"), ("Bob", "Ann"))[seat]
    event = events.Happened(before, decode_entry(record.entry), table.live.match)
    told = narration.entry_lines(event, 1 - seat)
    assert told[:2] == [f"{name} did not move in time.", f"{name} folds."]
    assert narration.entry_lines(event, seat)[:2] == ["You did not move in time.", "You fold."]
    assert any(other in line or line.startswith("You win") for line in told[2:])


@pytest.mark.match
@pytest.mark.parametrize(("seats", "go_on"), [(2, False), (3, True)])
def test_narration_of_last_player_mentions_no_continuation(seats, go_on):
    table = make_offline(seats, dealing="verified", dealing_options={"leavers": "threshold"})
    while table.live.match.stage is not MatchStage.PLAYING:
        assert sum(table.step(seat) for seat in table.seats)
    before, reader = table.live.match, table.readers[1]
    table.catch_up(reader)
    raw = table.seats[1].entry(reader.log, Post("leave", []))
    table.live.offer(raw, 1)
    told = narration.entry_lines(events.Happened(before, decode_entry(raw), table.live.match))
    assert told[0] == "Bob has left."
    assert ("The others play on." in told) is go_on
