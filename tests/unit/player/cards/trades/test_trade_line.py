"""A trade on lines without sockets: a peer that claims repeated restarts, and a peer that
leaves.
"""

from collections import deque
from random import Random

import pytest

from player.cards.trades.trade_line import TradeCallbacks, TradeOverLines
from player.cards.trades.trader import Trader
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import LEDGER_STEPS, MAX_MESSAGE, MAX_RUNS, MAX_TRADE_WAITING
from tests.page.collectors import people
from tests.properties.ledger.growth import chain
from tests.support.ledger import ANN


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


@pytest.fixture
def slow(tmp_path):
    """Return Ann's side, whose records fill several turns, its turns, and what Bob's side sends."""
    with people(tmp_path) as (ann, bob):
        turns: deque = deque()
        heard: list[bytes] = []
        trader = Trader(ann.collection, ANN, "Ann", Random(1), {}, lambda event: None, turns.append)
        mine = TradeOverLines(trader, ANN.public, TradeCallbacks(lambda: heard.append(b"heard")))
        mine.came(bob.identity.public)
        mine.attach(lambda payload: None, bob.identity.public)
        theirs: list[bytes] = []
        other = TradeOverLines(
            bob.trader(lambda event: None), bob.identity.public, TradeCallbacks()
        )
        other.came(ANN.public)
        other.attach(theirs.append, ANN.public)
        ann.collection.add(chain(4 * LEDGER_STEPS, signed=False))
        yield mine, turns, theirs, heard


def test_turn_takes_no_more_steps_than_its_share(slow):
    mine, turns, theirs, heard = slow
    view = mine.trader.collection.view
    steps = view.steps
    mine.received(theirs[0])
    assert mine.trader.partner and mine.number == 1 and not heard
    while turns:
        assert view.steps - steps <= LEDGER_STEPS
        steps = view.steps
        assert not heard
        turns.popleft()()
    assert heard and view.ready


def test_waiting_payloads_are_taken_before_lost_line_ends_trade(slow):
    mine, turns, theirs, heard = slow
    mine.received(theirs[0])
    mine.detached(None)
    assert not mine.finished
    while turns:
        turns.popleft()()
    assert heard and mine.finished


def test_too_many_waiting_bytes_end_the_trade(slow):
    mine, _, theirs, _ = slow
    mine.received(theirs[0])
    assert mine._scheduled
    with pytest.raises(RemoteError) as ended:
        for _ in range(MAX_TRADE_WAITING // MAX_MESSAGE + 1):
            mine._take(bytes(MAX_MESSAGE))
    assert ended.value.code is Code.TOO_MANY and mine.finished
