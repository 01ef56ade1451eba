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
    """Return the windows of Ann and Bob, who have met, their people, and functions that deliver what
    they say, and let them meet anew.
    """
    with people(tmp_path) as both:
        made = [TradeWindow(lambda event: None) for _ in both]
        queues: list[list[bytes]] = [[], []]
        for window, person in zip(made, both, strict=True):
            window.trader = person.trader(window.hear)

        def go() -> None:
            while any(queues):
                for queue, to in zip(queues, made[::-1], strict=True):
                    sent, queue[:] = list(queue), []
                    for payload in sent:
                        to.trader.received(payload)

        def meet() -> None:
            for window, other, queue in zip(made, both[::-1], queues, strict=True):
                window.start_anew()
                window.trader.attach(queue.append, other.identity.public)
            go()

        meet()
        yield *made, both, go, meet


def test_refusal_applies_to_the_shown_proposal_only(windows):
    """The refusal may be a waive, which is signed: it must not answer an event that came while the
    person clicked.
    """
    ann, bob, (_, bobs), go, _ = windows
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


def test_no_to_a_trade_signed_in_another_session_ends_the_question(windows):
    ann, bob, (_, bobs), go, meet = windows
    bob.act({"do": "lay", "id": bobs.cards[0].hex()})
    go()
    bob.act({"do": "propose"})
    go()
    for window in (bob, ann):
        window.act({"do": "yes", "id": window.shown()["asked"], "warned": False})
    bob.trader.detached()  # his signature is lost on the way
    go()
    meet()
    assert ann.shown()["can"] == ["yes", "no"]
    ann.act({"do": "no", "id": ann.shown()["asked"]})
    go()
    shown = [(window.shown()["proposal"], window.shown()["can"]) for window in (ann, bob)]
    assert shown == [(None, ["lay"])] * 2
    assert [window.shown()["status"].key for window in (ann, bob)] == [
        "cardstatus.waived",
        "cardstatus.released",
    ]
