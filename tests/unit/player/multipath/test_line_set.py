"""A match over several lines: cut at every entry, silent, delayed, duplicated; strangers that call,
and old runs.
"""

from pathlib import Path

import pytest

from player.multipath.line_set import LineKind
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.limits import LINE_KEPT_SECONDS, LINE_SILENT_SECONDS, MAX_LINES
from protocol.match.log_file import read_records
from protocol.messages.lines import WaysMessage, decode_line
from tests.support.lines import BYE, Party, Wire, World
from tests.support.without_table import two

pytestmark = pytest.mark.match

HIDDEN, OPEN = ("block-dominoes", "commutative"), ("nim", "none")


def world(folder: Path, game: tuple[str, str] = OPEN, **more: tuple[bool, bool]) -> World:
    return World(*two(folder, *game), **more)


def ended_well(played: World) -> None:
    """Check that both have the same log with each entry once, and that nobody is at fault."""
    assert played.over and all(party.client.settled for party in played.parties)
    played.close()
    ann, bob = (party.side.log() for party in played.parties)
    assert ann == bob and audit(ann).verdict is Verdict.CLEAN
    assert [record[0] for record in read_records(ann)] == [
        played.entries[number] for number in range(len(played.entries))
    ]


def entries_of(folder: Path, game: tuple[str, str]) -> int:
    played = world(folder, game)
    played.wire(LineKind.LAN)
    played.play()
    ended_well(played)
    return played.number


def falls_back(played: World, entry: int, how: str) -> None:
    """At this entry the direct line breaks, falls silent, or delays its data; later it recovers."""
    _, direct = played.both(LineKind.RELAY, LineKind.LAN)
    played.play(entry)
    if how == "held":
        direct.held = True
    else:
        direct.cut(noticed=how == "noticed")
    if how != "noticed":
        played.wait(LINE_SILENT_SECONDS + 1)
    assert all(
        party.lines.kind is LineKind.RELAY or party.client.finished for party in played.parties
    )
    played.play(entry + 3)
    if how == "held":
        direct.held = False
    elif not played.over:
        played.wire(LineKind.LAN)
    played.play()
    played.wait(2)


@pytest.mark.parametrize("how", ["noticed", "silent", "held"])
def test_line_cut_at_every_entry_loses_and_doubles_nothing(tmp_path, how):
    for entry in range(2, entries_of(tmp_path / "whole", OPEN) + 1):
        played = world(tmp_path / str(entry))
        falls_back(played, entry, how)
        ended_well(played)


@pytest.mark.parametrize("how", ["noticed", "silent", "held"])
def test_line_cut_with_hidden_pieces_loses_nothing(tmp_path, how):
    last = entries_of(tmp_path / "whole", HIDDEN)
    for entry in range(2, last + 1, 5):
        played = world(tmp_path / str(entry), HIDDEN)
        falls_back(played, entry, how)
        ended_well(played)


def test_better_line_is_used_at_once_and_both_stay(tmp_path):
    played = world(tmp_path, HIDDEN)
    (relay,) = played.both(LineKind.RELAY)
    played.play(10)
    assert all(party.lines.kind is LineKind.RELAY for party in played.parties)
    played.both(LineKind.LAN)
    played.play(15)
    assert all(
        party.lines.kind is LineKind.LAN and party.moves == [LineKind.LAN]
        for party in played.parties
    )
    assert not any(end.closed for end in relay.ends)
    played.play()
    ended_well(played)


def test_both_sides_may_speak_over_different_lines(tmp_path):
    """One direction of the direct line is dead: the side that hears nothing there sends over the
    other line.
    """
    played = world(tmp_path, HIDDEN)
    _, direct = played.both(LineKind.RELAY, LineKind.LAN)
    played.play(8)
    direct.deaf = direct.ends[1]
    played.wait(LINE_SILENT_SECONDS + 1)
    assert played.ann.lines.kind is LineKind.LAN and played.bob.lines.kind is LineKind.RELAY
    assert not played.over
    while not played.over and played.clock.seconds < 300:
        played.wait(1)
    ended_well(played)


def test_duplicated_entries_and_late_old_line_change_nothing(tmp_path):
    played = world(tmp_path, HIDDEN)
    _, direct = played.both(LineKind.RELAY, LineKind.LAN)
    played.play(6)
    direct.held = True
    played.wait(LINE_SILENT_SECONDS + 1)
    late = [list(end.inbox) for end in direct.ends]
    assert any(late)
    played.play(played.number + 6)
    direct.held = False
    for end, inbox in zip(direct.ends, late, strict=True):
        end.inbox.extend(inbox)
    played.play()
    ended_well(played)


def test_silent_line_is_given_up(tmp_path):
    played = world(tmp_path, HIDDEN)
    _, direct = played.both(LineKind.RELAY, LineKind.LAN)
    played.play(6)
    for wire in played.wires:
        wire.held = True
    played.wait(LINE_SILENT_SECONDS + 1)
    assert all(party.lines.kind is None and party.client.away for party in played.parties)
    played.wait(LINE_KEPT_SECONDS)
    assert all(end.closed for end in direct.ends)
    played.close()


def test_number_of_lines_is_bounded(tmp_path):
    played = world(tmp_path, HIDDEN)
    for _ in range(3 * MAX_LINES):
        played.wire(LineKind.RELAY)
        played.play(played.number + 1)
    assert sum(not wire.ends[0].closed for wire in played.wires) <= MAX_LINES
    played.play()
    ended_well(played)


# --- who is at the other end ---


def test_stranger_is_refused_as_a_line(tmp_path):
    played = world(tmp_path, HIDDEN)
    played.wire(LineKind.RELAY)
    played.play(6)
    stranger = Wire(LineKind.LAN, *played.parties)
    played.ann.lines.add(stranger.ends[0], LineKind.LAN, b"e" * 32)
    assert stranger.ends[0].closed and stranger.ends[1].inbox.pop() == (BYE, Code.TABLE_FULL)
    assert played.ann.lines.kind is LineKind.RELAY
    played.play()
    ended_well(played)


def test_line_of_another_match_between_same_two_is_refused(tmp_path):
    played = world(tmp_path / "one", HIDDEN)
    other = World(*two(tmp_path / "two", *OPEN))  # with the same two keys
    for one in (played, other):
        one.both(LineKind.LAN)
        one.play(6)
    mixed = played.wire(LineKind.LAN)
    said = mixed.ends[0].inbox[0][1]
    mine = other.wires[0].ends[0]
    before = other.ann.match.number
    mine.inbox.appendleft((None, said))
    mine.deliver()
    assert isinstance(decode_line(said), WaysMessage)
    assert other.ann.complaints == [Code.WRONG_MATCH] and other.ann.match.number == before
    other.close()
    played.play()
    ended_well(played)


def test_line_of_earlier_run_does_not_take_over(tmp_path):
    """Bob's program is killed and restarted: lines of the first run no longer count, whatever
    arrives there.
    """
    played = world(tmp_path, HIDDEN)
    old = played.wire(LineKind.LAN)
    played.play(8)
    first = played.bob
    first.match.close()
    late = Wire(LineKind.LAN, played.ann, first)  # called once more before it died
    first.lines.add(late.ends[1], LineKind.LAN, played.ann.side.identity.public)
    old.held = True
    played.bob = Party(played, first.side, run=b"c" * 16)
    played.wire(LineKind.RELAY)
    played.play(12)
    assert old.ends[0].closed and played.ann.lines.kind is LineKind.RELAY
    played.ann.lines.add(late.ends[0], LineKind.LAN, played.bob.side.identity.public)
    late.ends[0].deliver()
    assert played.ann.complaints == [Code.TAKEN_OVER] and played.ann.lines.kind is LineKind.RELAY
    played.play()
    ended_well(played)


def test_program_returning_without_lines_is_heard(tmp_path):
    played = world(tmp_path, HIDDEN)
    old = played.wire(LineKind.LAN)
    played.play(8)
    old.held = True
    played.bob.match.close()
    played.bob = Party(played, played.bob.side, shares=False)
    played.wire(LineKind.LAN)
    # a peer that is silent and has not announced its run
    played.wait(LINE_SILENT_SECONDS + 1)
    assert old.ends[0].closed
    played.play()
    ended_well(played)


# --- with a peer that does not share ---


@pytest.mark.parametrize("shares", [(False, False), (True, False), (False, True)])
def test_without_both_sharing_only_the_newest_line_counts(tmp_path, shares):
    played = world(tmp_path, HIDDEN, shares=shares)
    first = played.wire(LineKind.LAN)
    played.play(8)
    played.wire(LineKind.RELAY)
    played.play()
    assert all(end.closed for end in first.ends)
    ended_well(played)
    assert not any(party.found for party in played.parties if not party.plan.ways)
