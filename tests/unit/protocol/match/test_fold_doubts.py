"""A doubt about a lapse is noted and shown, and has no other effect, whoever lies."""

from dataclasses import replace

import pytest

from protocol.audit.report_text import report_lines
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import audit, report_data
from protocol.codes import Code
from protocol.dealing import Fault, Post
from protocol.errors import Refused
from protocol.match.clock import Clock
from protocol.match.state import Match, MatchStage
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

SHARED = {"leavers": "threshold"}
SILENT = 2


def lapsed(game: str = "draw-dominoes", seed: int = 3) -> tuple[Offline, int]:
    """Return a match in which the table has just lapsed a seat during a deal, and the lapse's
    number.
    """
    match = make_offline(4, seed, game, {}, SHARED, dealing="verified")
    while not (match.live.match.deal and match.live.match.deal.stage == "shares"):
        assert any(match.step(seat) for seat in match.seats)
    match.seats = [seat for seat in match.seats if seat.number != SILENT]
    match.lapse(SILENT)
    return match, match.live.match.next_number - 1


def doubt(match: Offline, seat: int, *body: int) -> None:
    """Let this seat post a doubt."""
    reader = match.readers[seat]
    match.catch_up(reader)
    own = next(own for own in match.seats if own.number == seat)
    match.live.offer(own.entry(reader.log, Post("doubt", list(body))), seat)


def but_for_the_doubts(match: Match) -> Match:
    """Return the match as it would be without doubts; more entries, and so more bytes, are no
    effect.
    """
    lapses = tuple(lapse._replace(doubts=()) for lapse in match.clock.lapses)
    return replace(
        match, clock=replace(match.clock, lapses=lapses), next_number=0, log_bytes=0, last_author=0
    )


@pytest.mark.parametrize("doubters", [(0,), (0, 1), (0, 1, 3)], ids=["one", "two", "all others"])
def test_doubt_changes_only_the_report(doubters: tuple[int, ...]) -> None:
    """A doubt therefore never saves a bad hand, for any number of colluding seats, and nobody is
    named.
    """
    match, number = lapsed()
    before = match.live.match
    for seat in doubters:
        doubt(match, seat, number, 1_000)
    after = match.live.match
    assert but_for_the_doubts(after) == but_for_the_doubts(before)
    assert after.clock.lapses[-1].doubts == tuple((seat, 1_000) for seat in doubters)
    assert after.faults == (Fault(SILENT, number, Code.LAPSED),)


@pytest.mark.match
@pytest.mark.parametrize("game", ["draw-dominoes", "texas-holdem", "five-card-draw"])
def test_doubted_match_continues_with_same_cards_and_end(game: str) -> None:
    ends = []
    for doubters in ((), (1, 3)):
        match, number = lapsed(game)
        for seat in doubters:
            doubt(match, seat, number, 0)
        for reader in match.readers:
            match.catch_up(reader)
        match.bots = ("greedy",)
        match.play()
        end = match.live.match
        assert end.over and not match.refused and end.receipts == end.present
        assert [(fault.seat, fault.code) for fault in audit(match.file()).faults] == [
            (SILENT, Code.LAPSED)
        ]
        ends.append((end.scores, end.winner))
    assert ends[0] == ends[1]


def test_log_reader_sees_every_doubt() -> None:
    match, number = lapsed()
    doubt(match, 1, number, 1_500)
    said = "the table waited at most 1.5 s for Cleo, not 300.0 s as it says"
    report = audit(match.file())
    assert any(said in line for line in report_lines(report))
    assert any(
        "knows that the table waited 1.5 s at most" in line
        for line in transcript_lines(match.file())
    )
    (told,) = report_data(report)["doubts"]
    assert told == {"entry": number, "seat": 1, "about": SILENT, "waited": 300_000, "most": 1_500}


@pytest.mark.parametrize(
    ("change", "most", "code"),
    [
        (0, 300_000, Code.NOT_NOW),  # the table's own claim
        (0, 10**9, Code.NOT_NOW),
        (-1, 0, Code.NOT_NOW),  # the warning before it
        (-2, 0, Code.NOT_NOW),  # of another author
        (1, 0, Code.STALE),  # an entry that its author has not seen
    ],
)
def test_invalid_doubt_is_refused(change: int, most: int, code: Code) -> None:
    match, number = lapsed()
    with pytest.raises(Refused) as refusal:
        doubt(match, 1, number + change, most)
    assert refusal.value.code is code


def test_doubt_is_allowed_once_per_present_seat() -> None:
    match, number = lapsed()
    doubt(match, 1, number, 7)
    with pytest.raises(Refused):
        doubt(match, 1, number, 8)
    # the same identities
    whole = make_offline(4, 3, "draw-dominoes", {}, SHARED, dealing="verified")
    match.seats.append(whole.seats[SILENT])
    with pytest.raises(Refused):
        doubt(match, SILENT, number, 0)


def test_doubt_of_the_table_is_refused() -> None:
    match, number = lapsed()
    with pytest.raises(Refused) as refusal:
        match.live.post_clock(Post("doubt", [number, 0]))
    assert refusal.value.code is Code.WRONG_AUTHOR


def test_skipped_turn_is_doubted_by_skipped_seat() -> None:
    match = make_offline(3, 1, "block-dominoes", {}, SHARED, dealing="verified")
    while match.live.match.stage is not MatchStage.PLAYING:
        assert any(match.step(seat) for seat in match.seats)
    (duty,) = match.live.match.duties()
    match.lapse(duty.author)
    number = match.live.match.next_number - 1
    doubt(match, duty.author, number, 20_000)
    clock: Clock = match.live.match.clock
    assert clock.lapses[-1].seat == duty.author and clock.lapses[-1].doubts == (
        (duty.author, 20_000),
    )
    assert not match.live.match.faults
