"""Late entries cannot have an honest seat named, robbed or kept out. Each test tries one attack."""

from random import Random

import pytest

from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.match.log import decode_entry
from protocol.match.refusal import is_acceptable
from protocol.match.state import MatchStage
from tests.support.guest_games.offline_match import agreed, guest_match, until_playing, written
from tests.support.offline import Offline


def playing(game: str = "grab", seats: int = 2, seed: int = 1) -> Offline:
    match = guest_match(game, seats, seed)
    until_playing(match)
    return match


def refused(match: Offline, raw: bytes, seat: int) -> Code:
    with pytest.raises(Refused) as refusal:
        match.live.offer(raw, seat)
    return refusal.value.code


def clean(match: Offline) -> None:
    match.play()
    assert agreed(match).over and not match.live.match.faults


def test_late_entry_sent_twice_counts_once():
    """The table colludes, or the connection duplicates every message."""
    match = playing()
    first, late = written(match, 0, ("take", 0)), written(match, 1, ("take", 0))
    match.live.offer(first, 0)
    match.live.offer(late, 1)
    assert refused(match, late, 1) is Code.WRONG_SEQUENCE
    assert match.live.match.late_counts == (0, 1)
    clean(match)


def test_second_of_two_pending_entries_is_refused_either_way():
    """A program that does not wait for its own entry gains nothing: its second entry has not seen
    the first.
    """
    for second_first in (False, True):
        match = playing()
        reader, player = match.readers[1], match.seats[1]
        match.catch_up(reader)
        one = player.entry(reader.log, player.move(reader.match, ("take", 0)))
        reader.log._sequences[1] += 1  # number it as if the first were logged
        other = player.entry(reader.log, player.move(reader.match, ("take", 1)))
        reader.log._sequences[1] -= 1
        if second_first:
            assert refused(match, other, 1) is Code.WRONG_SEQUENCE
        match.live.offer(one, 1)
        assert refused(match, other, 1) is Code.STALE
        assert match.live.match.late_counts == (0, 0) and match.live.match.scores == (0, 1)
        clean(match)


@pytest.mark.slow
def test_seat_shown_one_head_late_is_only_late():
    """The table withholds every entry from seat 1 until seat 1 has posted: its share shows the
    delay, its name stays clean.
    """
    match = playing("scuffle", 3)
    while match.live.match.stage is MatchStage.PLAYING:
        late = (
            written(match, 1, match.seats[1].choices(match.readers[1].match)[0])
            if _may(match, 1)
            else None
        )
        for seat in (0, 2):
            if _may(match, seat):
                match.live.offer(
                    written(match, seat, match.seats[seat].choices(match.live.match)[0]), seat
                )
        if late is not None:
            match.live.offer(late, 1)
    end = match.live.match
    assert end.late_counts[1] > end.late_counts[0] == 0
    clean(match)


def _may(match: Offline, seat: int) -> bool:
    for reader in match.readers:
        match.catch_up(reader)
    return match.live.match.stage is MatchStage.PLAYING and match.live.match.may_post(seat, "move")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_rightly_refused_entry_never_stands_later(seed):
    """Otherwise a table could refuse an entry, have its author sign a replacement, and log the
    first after all: two entries with one number would look like a double move.
    """
    match, rng = playing("scuffle", 3, seed), Random(seed)
    held: list[tuple[int, bytes]] = []
    dropped: list[bytes] = []
    while match.live.match.stage is MatchStage.PLAYING:
        seat = rng.randrange(3)
        if match.live.match.may_post(seat, "move"):
            match.catch_up(match.readers[seat])
            held.append(
                (
                    seat,
                    written(match, seat, rng.choice(match.seats[seat].choices(match.live.match))),
                )
            )
        if rng.random() < 0.1:
            _rested(match, seat)
        rng.shuffle(held)
        while len(held) > 3:
            author, raw = held.pop()
            try:
                match.live.offer(raw, author)
            except Refused:
                dropped.append(raw)
        assert not any(is_acceptable(match.live.log, match.live.match, raw) for raw in dropped)
    codes = {decode_entry(raw).kind for raw in dropped}
    assert codes == {"move"} and len(dropped) > 10


def _rested(match: Offline, seat: int) -> None:
    """Let the seat's time run out by the table's entry, but not so often that it is out."""
    if match.live.match.next_clock_entry(seat) and match.live.match.clock.tolerates_lapse(seat):
        match.lapse(seat)


def test_timed_out_pending_entry_is_not_late_and_repeats():
    """Otherwise a table could make a seat count as slow by crossing its entries with lapses."""
    match = playing()
    own = written(match, 0, ("take", 0))
    match.lapse(0)
    assert refused(match, own, 0) is Code.STALE and match.live.match.late_counts == (0, 0)
    match.live.offer(written(match, 0, ("take", 0)), 0)
    assert match.live.match.scores == (1, 0) and match.live.match.clock.lapses_in_row == (0, 0)
    clean(match)


def test_colluding_seat_cannot_claim_action_of_another():
    match = playing()
    raw = written(match, 1, ("take", 0))
    assert refused(match, raw, 0) in (Code.WRONG_AUTHOR, Code.WRONG_SEQUENCE)
    match.live.offer(raw, 1)
    clean(match)


def test_protest_against_late_entry_names_nobody():
    match = playing()
    first, late = written(match, 0, ("take", 0)), written(match, 1, ("take", 0))
    match.live.offer(first, 0)
    match.live.offer(late, 1)
    reader, player = match.readers[0], match.seats[0]
    match.catch_up(reader)
    assert (
        refused(
            match, player.entry(reader.log, Post("protest", [match.live.log.next_number - 1])), 0
        )
        is Code.NOT_NOW
    )
    clean(match)
