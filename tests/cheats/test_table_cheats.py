"""Every cheat of the table is named, by every reader and by the audit alike; no honest seat ever is."""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.dealing import TABLE
from tests.cheats import clock
from tests.cheats.base import When
from tests.cheats.play import PlaysWhatDoesNotFit
from tests.cheats.table import HOSTS, CheatHost, LetsThrough
from tests.cheats.test_cheats import kinds
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

TRIES, RUNS = 20, 2  # matches until the cheat has had its occasion so many times


def played(host: type[CheatHost], seed: int, **seats) -> Offline:
    """A match at a cheating table, as far as it goes."""
    offline = make_offline(3, seed, host.game, host.options, seat_types=seats.get("seat_types"), host_type=host)
    offline.play()
    for reader in offline.readers:
        offline.catch_up(reader)
    return offline


@pytest.mark.parametrize("host", [*HOSTS, *clock.HOSTS], ids=lambda host: host.__name__)
def test_table_cheat(host: type[CheatHost]) -> None:
    runs = 0
    for seed in range(TRIES):
        offline = played(host, seed)
        assert isinstance(offline.host, host)
        if offline.host.acted:
            _check(host, offline)
            runs += 1
        else:
            assert audit(offline.file()).verdict is Verdict.CLEAN
        if runs == RUNS:
            return
    pytest.fail("the cheat had no occasion")


def _check(host: type[CheatHost], offline: Offline) -> None:
    report = audit(offline.file())
    assert report.verdict is Verdict.FAULT
    assert {fault.seat for fault in report.faults} == {TABLE}
    assert host.code in {fault.code for fault in report.faults}
    assert all(reader.faults == report.faults for reader in offline.readers)
    seen = [None] if host.__name__ == "LogsGarbage" else kinds(offline)
    assert ("protest" in seen) == (host.when is When.PROTEST) or host.when is When.ANY


def test_a_table_that_lets_an_illegal_move_through_is_named_with_its_author() -> None:
    offline = played(LetsThrough, 1, seat_types={1: PlaysWhatDoesNotFit})
    report = audit(offline.file())
    named = {(fault.seat, fault.code) for fault in report.faults}
    assert named == {(TABLE, LetsThrough.code), LetsThrough.author}
    assert len({fault.entry for fault in report.faults}) == 1
    assert all(reader.faults == report.faults for reader in offline.readers)
