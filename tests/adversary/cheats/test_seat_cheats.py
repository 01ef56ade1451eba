"""Every cheat of a seat is refused or named by every reader and by the audit; no honest seat ever
is.
"""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.match.log import decode_entry
from tests.adversary.cheats import conduct, draws, hands, layers, play, selection, slots
from tests.adversary.cheats.base import Cheat, When
from tests.support.knowledge import Watched
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

CHEATS = [
    *selection.CHEATS,
    *layers.CHEATS,
    *hands.CHEATS,
    *slots.CHEATS,
    *draws.CHEATS,
    *play.CHEATS,
    *conduct.CHEATS,
]
TRIES, RUNS = 20, 2  # matches until the cheat has had this many opportunities


def played(cheat: type[Cheat], seed: int) -> Offline:
    """Play a match with the cheat in its seat, as far as it goes."""
    types = {cheat.place: cheat, **getattr(cheat, "friends", {})}
    offline = make_offline(
        cheat.seats, seed, cheat.game, cheat.options, cheat.dealing_options, types, Watched
    )
    offline.play()
    if cheat.when is When.LAPSE and not offline.live.match.over:
        offline.wait_out(cheat.place)
    for reader in offline.readers:
        offline.catch_up(reader)
    return offline


def kinds(offline: Offline) -> list[str]:
    return [decode_entry(record.entry).kind for record in offline.live.records]


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_cheat(cheat: type[Cheat]) -> None:
    runs = 0
    for seed in range(TRIES):
        offline = played(cheat, seed)
        seat = offline.seats[cheat.place]
        assert isinstance(seat, cheat)
        if seat.acted:
            _check(cheat, offline)
            runs += 1
        else:
            assert audit(offline.file()).verdict is Verdict.CLEAN
        if runs == RUNS:
            return
    pytest.fail("the cheat had no occasion")


def _check(cheat: type[Cheat], offline: Offline) -> None:
    report = audit(offline.file())
    codes = [refusal.code for refusal in offline.refused]
    if cheat.when is When.REFUSED:
        assert cheat.code in codes
        assert report.verdict is Verdict.CLEAN
        return
    assert report.verdict is Verdict.FAULT
    assert {fault.seat for fault in report.faults} == {cheat.place}
    assert cheat.code in {fault.code for fault in report.faults}
    assert all(reader.faults == report.faults for reader in offline.readers)
    _check_when(cheat, offline)


def _check_when(cheat: type[Cheat], offline: Offline) -> None:
    seen = kinds(offline)
    assert ("protest" in seen) == (cheat.when is When.PROTEST) or cheat.when is When.ANY
    if cheat.when in (When.AT_ONCE, When.LAPSE):
        assert [fault.entry for fault in offline.live.match.faults] == [len(seen) - 1]
    if cheat.when is When.CLOSE:
        assert seen[-1] == "open_table"


def test_entry_after_the_end_is_refused() -> None:
    offline = make_offline(2, 1)
    offline.play()
    seat, reader = offline.seats[0], offline.readers[0]
    offline.catch_up(reader)
    with pytest.raises(Refused) as refusal:
        offline.live.offer(seat.entry(reader.log, Post("leave", [])), 0)
    assert refusal.value.code is Code.MATCH_OVER


def test_honest_entry_over_another_connection_is_refused() -> None:
    offline = make_offline(2, 1)
    honest, reader = offline.seats[0], offline.readers[0]
    post = honest.respond(reader.match)
    assert post is not None
    with pytest.raises(Refused) as refusal:
        offline.live.offer(honest.entry(reader.log, post), 1)
    assert refusal.value.code is Code.WRONG_AUTHOR
