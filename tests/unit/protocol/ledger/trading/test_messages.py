"""The table of trade messages agrees with its chapter, and messages fit their size limits."""

import re

from protocol.errors import LocalError
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import CardTransfer, Trade
from protocol.ledger.records import sign_record, waive_of
from protocol.ledger.trading.handlers import HANDLERS
from protocol.ledger.trading.messages import MESSAGES, MET, Payload, TradePhase, encode
from protocol.limits import (
    MAX_FRAME,
    MAX_MESSAGE,
    MAX_OFFER,
    MAX_TRADE,
    MAX_TRADE_OVERHEAD,
    MAX_TRADE_WAIVES,
    MAX_TRANSFERS,
)
from protocol.wire import MAX_INT
from tests.support.docs import CHAPTERS
from tests.support.errors import raises_text
from tests.support.ledger import ANN, BOB
from tests.support.trading import CARDS, two


def test_chapter_lists_the_same_trade_messages():
    section = (CHAPTERS / "26-trading.md").read_text().split("## 26.3")[1].split("## 26.4")[0]
    described = dict(re.findall(r"^\| `(\w+)` \|.*\| ([a-z, ]+) \|$", section, re.MULTILINE))
    groups = {"met": MET, "any": frozenset(TradePhase) - {TradePhase.CLOSED}}
    assert described.keys() == MESSAGES.keys() == HANDLERS.keys()
    for name, phases in described.items():
        named = [groups.get(part) or {TradePhase(part)} for part in phases.split(", ")]
        assert frozenset().union(*named) == MESSAGES[name].phases, name
    assert {phase.value for phase in TradePhase} <= set(re.findall(r"`(\w+)`", section))


def test_largest_trade_and_its_waive_fit():
    a, b = sorted((ANN.public, BOB.public))
    transfers = tuple(
        CardTransfer(bytes([n]) * 32, 1, MAX_INT, b"p" * 32, b"o" * 32)
        for n in range(MAX_TRANSFERS)
    )
    waives = tuple(bytes([n]) * 32 for n in range(MAX_TRADE_WAIVES))
    trade = Trade(a, b, transfers, MAX_INT, waives)
    waive = sign_record(waive_of(trade, a), *(one for one in (ANN, BOB) if one.public == a))
    assert len(content_bytes(trade)) <= MAX_TRADE and len(waive.raw) <= MAX_TRADE


def test_largest_payload_fits_a_message():
    largest = [MAX_INT, MAX_INT, b"m" * (MAX_MESSAGE - MAX_TRADE_OVERHEAD)]
    assert len(encode(Payload(b"s" * 16, MAX_INT, "merge", largest))) <= MAX_MESSAGE < MAX_FRAME
    ids = [bytes([n]) * 32 for n in range(MAX_OFFER)]
    assert len(encode(Payload(b"s" * 16, MAX_INT, "offer", [ids, ids, ids]))) <= MAX_MESSAGE


def test_impossible_trade_command_says_why(tmp_path):
    ann, bob = two(tmp_path)
    side = ann.meet(BOB.public)
    for act in (
        side.propose,
        lambda: side.offer([]),
        lambda: side.say("well"),
        lambda: side.sign(bytes(32)),
    ):
        with raises_text(LocalError, match="not open"):
            act()
    side.leave()
    with raises_text(LocalError, match="not open"):
        side.reject(bytes(32))
    assert bob.owns(CARDS[2])
