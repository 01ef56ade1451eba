"""The trade window of a page, without a browser: each request applies to the state that the page
showed.
"""

import pytest

from player.ui.web.cards.trade_window import TradeWindow
from protocol.errors import LocalError
from protocol.ledger.trading import events
from tests.page.collectors import people
from tests.support.errors import raises_text


@pytest.fixture
def windows(tmp_path):
    """Return the windows of Ann and Bob, who have met."""
    with people(tmp_path) as both:
        made = [TradeWindow(lambda event: None) for _ in both]
        queues: list[list[bytes]] = [[], []]
        for window, person, other, queue in zip(made, both, both[::-1], queues, strict=True):
            window.trader = person.trader(window.hear)
            window.trader.attach(queue.append, other.identity.public)

        def go() -> None:
            while any(queues):
                for queue, to in zip(queues, made[::-1], strict=True):
                    sent, queue[:] = list(queue), []
                    for payload in sent:
                        to.trader.received(payload)

        go()
        yield *made, both, go


def test_refusal_applies_to_the_shown_proposal_only(windows):
    """The refusal may be a waive, which is signed: it must not answer an event that came while the
    person clicked.
    """
    ann, bob, (_, bobs), go = windows
    shown = []
    for card in bobs.cards:
        bob.act({"do": "lay", "id": card.hex()})
        go()
        bob.act({"do": "propose"})
        go()
        shown.append(ann.shown()["asked"])
        if len(shown) == 1:
            bob.act({"do": "no", "id": bob.shown()["asked"]})
            go()
    assert shown[0] != shown[1]
    with raises_text(LocalError, match="changed"):
        ann.act({"do": "no", "id": shown[0]})
    assert isinstance(ann.trader.terms, events.TradeSummary)
    ann.act({"do": "no", "id": shown[1]})
    assert ann.trader.terms is None
