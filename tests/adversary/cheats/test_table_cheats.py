"""Every cheat of the table is named by every reader and by the audit; no honest seat ever is."""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.dealing import TABLE
from tests.adversary.cheats import clock
from tests.adversary.cheats.base import When
from tests.adversary.cheats.play import PlaysWhatDoesNotFit
from tests.adversary.cheats.table import TABLE_CHEATS, CheatTable, LetsThrough
from tests.adversary.cheats.test_seat_cheats import kinds
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

TRIES, RUNS = 20, 2  # matches until the cheat has had this many opportunities


def played(cheat: type[CheatTable], seed: int, **seats) -> Offline:
    """Play a match at a cheating table, as far as it goes."""
    offline = make_offline(
        3, seed, cheat.game, cheat.options, seat_types=seats.get("seat_types"), table_type=cheat
    )
    offline.play()
    for reader in offline.readers:
        offline.catch_up(reader)
    return offline


@pytest.mark.parametrize(
    "cheat", [*TABLE_CHEATS, *clock.TABLE_CHEATS], ids=lambda cheat: cheat.__name__
)
def test_table_cheat(cheat: type[CheatTable]) -> None:
    runs = 0
    for seed in range(TRIES):
        offline = played(cheat, seed)
        assert isinstance(offline.live, cheat)
        if offline.live.acted:
            _check(cheat, offline)
            runs += 1
        else:
            assert audit(offline.file()).verdict is Verdict.CLEAN
        if runs == RUNS:
            return
    pytest.fail("the cheat had no occasion")


def _check(cheat: type[CheatTable], offline: Offline) -> None:
    report = audit(offline.file())
    assert report.verdict is Verdict.FAULT
    assert {fault.seat for fault in report.faults} == {TABLE}
    assert cheat.code in {fault.code for fault in report.faults}
    assert all(reader.faults == report.faults for reader in offline.readers)
    seen = [None] if cheat.__name__ == "LogsGarbage" else kinds(offline)
    assert ("protest" in seen) == (cheat.when is When.PROTEST) or cheat.when is When.ANY


def test_table_logging_illegal_move_is_named_with_author() -> None:
    offline = played(LetsThrough, 1, seat_types={1: PlaysWhatDoesNotFit})
    report = audit(offline.file())
    named = {(fault.seat, fault.code) for fault in report.faults}
    assert named == {(TABLE, LetsThrough.code), LetsThrough.author}
    assert len({fault.entry for fault in report.faults}) == 1
    assert all(reader.faults == report.faults for reader in offline.readers)
