"""A trade over several lines: cut at every payload, it is signed once and equally on both sides."""

import pytest

from player.multipath.line_set import LineCallbacks, LineKind, LineSet
from player.multipath.reliable_channel import ReliableChannel
from protocol.codes import Code
from protocol.ledger.trading.events import TradeEvent, TradeFinished, TradeProposed
from protocol.ledger.trading.trade_session import TradeSession
from protocol.limits import LINE_SILENT_SECONDS
from tests.support.ledger import ANN, BOB
from tests.support.lines import Wires
from tests.support.trading import CARDS, Person, two

pytestmark = pytest.mark.match


class Trader:
    """One side: a trade over numbered payloads on a set of lines."""

    def __init__(self, world: Wires, person: Person, partner: bytes, run: bytes) -> None:
        self.world, self.person, self.key, self.done = world, person, person.me.public, False
        self.complaints: list[Code] = []
        self.told: list[TradeEvent] = []
        self.restarts = 0
        self.trading = person.meet(partner)
        self.numbered = ReliableChannel(self._take)
        plan = LineCallbacks(run, lambda: b"t" * 32, lambda: (), restarted=self._restarted)
        self.lines = LineSet(self.numbered, plan, world.clock)
        self.flush()

    def _restarted(self) -> None:
        self.restarts += 1

    def _take(self, payload: bytes) -> None:
        self.trading.received(payload)
        self.flush()

    def flush(self) -> None:
        self.told += self.trading.events()
        for payload in self.trading.outgoing():
            self.numbered.send(payload)

    def asked(self, kind: type[TradeEvent]) -> list[TradeEvent]:
        return [event for event in self.told if isinstance(event, kind)]

    def act(self, what) -> None:
        what(self.trading)
        self.flush()


class Trade(Wires):
    """A trade of Ann's first card for Bob's first."""

    def __init__(self, folder) -> None:
        super().__init__()
        ann, bob = two(folder)
        self.people = ann, bob
        self.parties = (
            Trader(self, ann, BOB.public, b"a" * 16),
            Trader(self, bob, ANN.public, b"b" * 16),
        )
        self.deliveries = 0
        self.cut_at = -1

    def deliver_all(self) -> None:
        while self.step():
            self.deliveries += 1
            if self.deliveries == self.cut_at:
                self.cut()

    def cut(self) -> None:
        """Break the line in use without a message; later it recovers."""
        self.wires[-1].cut(noticed=False)
        self.wait(LINE_SILENT_SECONDS + 1)
        self.wire(LineKind.LAN)

    def run(self) -> None:
        ann, bob = self.parties
        self.wire(LineKind.RELAY)
        self.wire(LineKind.LAN)
        self.deliver_all()
        ann.act(lambda trading: trading.offer([CARDS[0].id]))
        bob.act(lambda trading: trading.offer([CARDS[2].id]))
        self.deliver_all()
        ann.act(TradeSession.propose)
        self.deliver_all()
        for trader in self.parties:
            (proposed,) = trader.asked(TradeProposed)
            trader.act(lambda trading, terms=proposed.terms: trading.sign(terms.id))
        self.deliver_all()

    def close(self) -> None:
        for person in self.people:
            person.stop()


def finished(trade: Trade) -> None:
    ann, bob = trade.people
    ids = [event.trade for trader in trade.parties for event in trader.asked(TradeFinished)]
    assert len(ids) == 2 and ids[0] == ids[1]
    assert ann.owns(CARDS[1], CARDS[2]) and bob.owns(CARDS[0], CARDS[3])
    assert not any(trader.complaints or trader.restarts for trader in trade.parties)
    trade.close()


def test_trade_cut_at_every_message_finishes_once(tmp_path):
    whole = Trade(tmp_path / "whole")
    whole.run()
    finished(whole)
    for cut in range(1, whole.deliveries, 3):
        trade = Trade(tmp_path / str(cut))
        trade.cut_at = cut
        trade.run()
        finished(trade)


def test_restart_of_a_trading_program_is_noticed(tmp_path):
    trade = Trade(tmp_path)
    trade.wire(LineKind.LAN)
    trade.deliver_all()
    ann = trade.parties[0]
    again = Trader(trade, trade.people[1], ANN.public, b"c" * 16)
    trade.parties = ann, again
    trade.wire(LineKind.LAN)
    trade.deliver_all()
    assert ann.restarts == 1
    trade.close()
