"""Matches dealt by residues: whole ones, a program killed in a shuffle, leavers, silent seats, and
seats that fill the log.
"""

import asyncio
from dataclasses import replace as changed

import pytest

from player.client.requirements import Requirements
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.dealing.residue.log_size import MAX_DEAL_BYTES, deal_log_bytes
from protocol.dealing.residue.options import BREAKABLE_BITS
from protocol.dealing.residue.state import ResidueState
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.limits import FULL_LOG
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import BadOptions, Selection
from table.manager.server import TableServer
from tests.support.deterministic import SteadyMatch
from tests.support.offline import Offline, make_offline
from tests.support.tables import config
from tests.support.wire_client import play_match

DEAL: dict[str, int | str] = {"bits": BREAKABLE_BITS}
DOMINOES = {
    "game": "draw-dominoes",
    "options": {"hand": 3, "target": 1},
    "dealing": "residue",
    "dealing_options": DEAL,
}


def holdem(seats: int, bits: int | str, *, has_table: bool = True) -> Terms:
    clock = Allowance().options() if has_table else ()
    return make_terms(
        Selection("texas-holdem", (("hands", 1),)),
        Selection("residue", (("bits", bits),)),
        clock,
        seats,
    )


def come(match: Offline) -> int:
    """Return the number of chunks of the unfinished shuffle."""
    deal = match.live.match.deal
    return (
        deal.partial_shuffle.number
        if isinstance(deal, ResidueState) and deal.partial_shuffle is not None
        else 0
    )


def in_a_shuffle() -> tuple[Offline, int]:
    """Make a match in which a seat has sent three chunks. Return it with the seat."""
    match = make_offline(2, 3, **DOMINOES)  # type: ignore[arg-type]
    while come(match) < 3:
        assert sum(match.step(seat) for seat in match.seats)
    (duty,) = match.live.match.duties()
    return match, duty.author


@pytest.mark.match
async def test_residue_poker_for_two_is_clean(tmp_path) -> None:
    async with (
        asyncio.timeout(300),
        TableServer(changed(config(tmp_path), terms=holdem(2, BREAKABLE_BITS))) as table,
    ):
        players = await play_match(table.link, 2, seconds=240)
        assert audit(players[0].file).verdict is Verdict.CLEAN


@pytest.mark.match
def test_program_restarted_in_shuffle_sends_same_bytes() -> None:
    match, compared = SteadyMatch(2, 3, **DOMINOES), 0  # type: ignore[arg-type]

    def compare() -> None:
        nonlocal compared
        deal = match.reader.match.deal
        if (
            isinstance(deal, ResidueState)
            and deal.partial_shuffle is not None
            and deal.partial_shuffle.number == 2
        ):
            author = deal.duties()[0].author
            again = match.rebuilt(author, match.moments)
            assert again.due is not None and again.due == match.seats[author].due
            compared += 1

    match.play(compare)
    assert compared == 2 and match.reader.match.over and not match.reader.faults


@pytest.mark.slow
def test_leaver_in_shuffle_is_named_and_other_wins() -> None:
    match, author = in_a_shuffle()
    match.catch_up(match.readers[author])
    match.live.offer(
        match.seats[author].entry(match.readers[author].log, Post("leave", [])), author
    )
    match.seats.pop(author)
    match.play()
    faults = [(fault.seat, fault.code) for fault in match.live.match.faults]
    assert (
        match.live.match.over
        and match.live.match.winner == 1 - author
        and faults == [(author, Code.LEFT)]
    )


@pytest.mark.slow
def test_silent_seat_in_shuffle_is_warned_and_lapses() -> None:
    match, author = in_a_shuffle()
    assert match.lapse(author) == ["warning", "lapse"]
    assert [(fault.seat, fault.code) for fault in match.live.match.faults] == [
        (author, Code.LAPSED)
    ]


@pytest.mark.slow
def test_a_chunk_that_is_not_due_is_refused() -> None:
    match, author = in_a_shuffle()
    other = 1 - author
    match.catch_up(match.readers[other])
    flood = match.seats[other].entry(
        match.readers[other].log, Post("chunk", [bytes(32), 3, bytes(9)])
    )
    with pytest.raises(Refused) as refusal:
        match.live.offer(flood, other)
    assert refusal.value.code is Code.NOT_NOW


@pytest.mark.slow
def test_match_without_log_room_for_shuffle_ends_unnamed() -> None:
    match, author = in_a_shuffle()
    match.live.match = replace(match.live.match, log_bytes=FULL_LOG - 1000)
    assert match.live.match.is_log_full
    match.step(match.seats[author])
    assert match.live.match.over and match.live.match.winner is None and not match.live.match.faults


@pytest.mark.parametrize(("seats", "bits"), [(10, 2048), (6, 3072)])
def test_deals_outgrowing_log_are_refused_with_fitting_size(seats: int, bits: int) -> None:
    with pytest.raises(BadOptions) as refusal:
        holdem(seats, bits)
    fewer = dict(refusal.value.reason.args)["fewer"]
    assert isinstance(fewer, int) and deal_log_bytes(
        52, fewer, bits
    ) <= MAX_DEAL_BYTES < deal_log_bytes(52, fewer + 1, bits)
    assert holdem(fewer, bits).seats == fewer


def test_residue_without_table_is_refused() -> None:
    with pytest.raises(BadOptions) as refusal:
        holdem(2, 2048, has_table=False)
    assert refusal.value.reason.key == "unfit.no_table.large"


def test_program_accepts_test_keys_only_when_told() -> None:
    small, usual = holdem(2, BREAKABLE_BITS), holdem(2, 2048)
    missing = Requirements().unmet(small)
    assert missing is not None and missing.key == "require.breakable"
    assert Requirements(breakable_keys=True).unmet(small) is None
    assert Requirements(only_verified=True, min_quorum=8).unmet(usual) is None
