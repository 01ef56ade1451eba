"""A trade on lines without sockets: a peer that claims repeated restarts, and a peer that
leaves.
"""

import pytest

from player.cards.trades.trade_line import TradeCallbacks, TradeOverLines
from protocol.codes import Code
from protocol.limits import MAX_RUNS
from tests.page.collectors import people


@pytest.fixture
def ride(tmp_path):
    with people(tmp_path) as (ann, bob):
        made = TradeOverLines(ann.trader(lambda event: None), ann.identity.public, TradeCallbacks())
        made.came(bob.identity.public)
        made.attach(lambda payload: None, bob.identity.public)
        yield made


def test_peer_with_too_many_restarts_is_given_up(ride):
    for _ in range(MAX_RUNS):
        ride.restarted()
    assert not ride.finished
    ride.restarted()
    assert ride.finished and ride.code is ride.complaint is Code.TOO_MANY


def test_trade_line_break_is_no_end_and_goodbye_is(ride):
    ride.detached(Code.CUT_OFF)
    assert not ride.finished
    ride.detached(None)
    assert ride.finished


def test_trade_leaver_waits_for_last_message_or_repeats_it(ride):
    ride.leave()
    assert not ride.finished
    ride.detached(Code.CUT_OFF)
    assert not ride.finished
    ride.leave()
    assert ride.finished and ride.code is None
