"""Debts of addresses and identities for the processor, and the payers of each work."""

import gc
import time
from math import inf
from random import Random

import pytest

from protocol.limits import PROCESSOR_ALONE_SECONDS
from table.net.processor_time import Budget, ConnectionPayer, Meter, WorkPayer, split

RESERVE, SHARE, DEBT = 0.1, 0.5, 2.0
CLOCK_RESOLUTION = time.get_clock_info("monotonic").resolution  # of a loop: sooner is at once
HOME, OTHER = "192.0.2.1", "192.0.2.2"


def budget(most: int = 100) -> Budget:
    return Budget(most, RESERVE, SHARE, DEBT)


def busy(most: int = 100) -> Budget:
    """Return a budget of a table at which others have worked just now."""
    found = budget(most)
    found.spend(found.account(OTHER), 0.001, 100.0)
    return found


def test_reserve_is_spent_without_wait():
    shares = busy()
    home = shares.account(HOME)
    shares.spend(home, RESERVE, 100.0)
    assert shares.owed(home, 100.0) == 0
    shares.spend(home, 0.01, 100.0)
    assert shares.owed(home, 100.0) == pytest.approx(0.01)


def test_debt_is_paid_back_at_share_while_others_work():
    shares = busy()
    home = shares.account(HOME)
    shares.spend(home, RESERVE + 0.2, 100.0)
    assert shares.wait(home, 100.0) == pytest.approx(0.2 / SHARE)
    assert shares.owed(home, 100.2) == pytest.approx(0.1)
    assert shares.owed(home, 100.4) == pytest.approx(0)


def test_wait_is_nothing_or_moves_clocks_on():
    """A remainder by rounding is no wait: in virtual time that wait would never end."""
    rng = Random(1)
    for _ in range(2000):
        shares = busy()
        home, now = shares.account(HOME), 100.0
        shares.spend(home, RESERVE + rng.uniform(0, 0.3), now)
        for _ in range(5):
            wait = shares.wait(home, now)
            assert wait == 0 or wait >= CLOCK_RESOLUTION
            now += wait
        assert shares.wait(home, now) == 0


def test_address_alone_has_whole_processor():
    shares = budget()
    home, now = shares.account(HOME), 100.0
    shares.spend(home, 0.001, now)
    for _ in range(100):  # as much as a thread can do
        now += 0.1
        shares.spend(home, 0.1, now)
        assert now < 100 + PROCESSOR_ALONE_SECONDS or shares.owed(home, now) < 1


def test_who_waits_is_not_alone_while_another_works():
    shares = budget()
    home, other = shares.account(HOME), shares.account(OTHER)
    shares.spend(home, RESERVE + 1, 100.0)
    shares.waiting = [home]
    for tenth in range(20):
        shares.spend(other, 0.001, 100 + tenth / 10)
    assert shares.owed(home, 102.0) == pytest.approx(1 - SHARE * 2, abs=0.1)


def test_those_who_wait_share_alike():
    shares = busy()
    home = shares.account(HOME)
    shares.spend(home, RESERVE + 0.1, 100.0)
    shares.waiting = [home, *(shares.account(number) for number in range(4))]
    assert shares.wait(home, 100.0) == pytest.approx(0.1 / (SHARE / 5))


def test_debt_above_bound_is_forgiven():
    shares = busy()
    home = shares.account(HOME)
    shares.spend(home, 1000, 100.0)
    assert shares.owed(home, 100.0) == pytest.approx(DEBT)


def test_others_do_not_owe_for_an_address():
    shares = busy()
    home, other = shares.account(HOME), shares.account(OTHER)
    shares.spend(home, 1000, 100.0)
    assert shares.owed(other, 100.0) == 0


def test_debt_goes_along_with_key_to_another_address():
    shares = busy()
    first = ConnectionPayer(shares, HOME)
    first.identify(b"Eve")
    first.charge(1.0)
    first.settle(100.0)
    second = ConnectionPayer(shares, "198.51.100.7")
    assert shares.owed(second.account, 100.0) == 0
    second.identify(b"Eve")
    assert shares.owed(second.account, 100.0) == pytest.approx(1.0 - RESERVE)


def test_debt_stays_when_nobody_is_connected():
    shares = busy()
    payer = ConnectionPayer(shares, HOME)
    payer.charge(1.0)
    payer.settle(100.0)
    del payer
    gc.collect()
    assert shares.owed(shares.account(HOME), 100.0) > 0


def test_accounts_that_owe_nothing_are_forgotten():
    shares = busy(10)
    for number in range(1_000):
        shares.spend(shares.account(f"a{number}"), 0.001, 200.0 + number)
        assert len(shares) <= 3
    for number in range(1_000):
        shares.spend(shares.account(f"b{number}"), 1, 2000.0)
    assert len(shares) <= 11


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Pays:
    account = None

    def __init__(self) -> None:
        self.paid = 0.0

    def charge(self, seconds: float, weight: float = 1.0) -> None:
        self.paid += seconds * weight


def test_inner_payer_pays_instead_of_outer():
    clock, ann, eve = Clock(), Pays(), Pays()
    meter = Meter(clock)
    meter.switch(ann)
    clock.now += 1
    before = meter.switch(eve)
    clock.now += 10
    meter.switch(before)
    clock.now += 2
    meter.switch(None)
    clock.now += 100
    assert (ann.paid, eve.paid, meter.payer) == (3, 10, None)


def test_several_pay_equal_parts():
    ann, eve = Pays(), Pays()
    payer = split([ann, ann, eve, eve])
    assert payer is not None
    payer.charge(4)
    assert (ann.paid, eve.paid) == (2, 2)
    assert split([]) is None and split([ann]) is ann


def test_match_counts_what_author_pays():
    ann, cost = Pays(), []
    WorkPayer(ann, cost.append).charge(3, 0.5)
    assert cost == [3] and ann.paid == 1.5


def test_time_of_worker_counts_less_with_more_workers():
    shares = busy()
    payer = ConnectionPayer(shares, HOME)
    payer.charge(1.0, 1 / 4)
    payer.settle(100.0)
    assert payer.spent == 1.0
    assert shares.owed(payer.account, 100.0) == pytest.approx(0.25 - RESERVE)


def test_first_look_long_after_start_is_no_debt():
    shares = budget()
    home = shares.account(HOME)
    shares.spend(home, 0.05, 1e6)
    assert shares.owed(home, 1e6) == 0 and shares.wait(home, 1e6) < inf
