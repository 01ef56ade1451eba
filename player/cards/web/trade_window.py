"""The trade window: what both have laid down, what was said, and what is asked, as a trade's events
tell it.
"""

from collections.abc import Callable
from typing import Any

from player.cards.card_presenter import CardPresenter
from player.cards.trades.trader import Trader
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from protocol.ledger.trading import events
from protocol.ledger.trading.messages import TradePhase
from protocol.limits import MAX_PAGE_NEWS
from protocol.messages.table_talk import printable_remark
from protocol.view.phrase import Phrase, phrase

STATUS: dict[type[events.TradeEvent], str] = {
    events.PartnerIdentified: "cardstatus.met",
    events.JournalOutdated: "cardstatus.outdated",
    events.OfferChanged: "cardstatus.offered",
    events.PartnerAgreed: "cardstatus.agreed",
    events.TradeSigned: "cardstatus.signed",
    events.SignatureReceived: "cardstatus.unfinished",
    events.TradeFinished: "cardstatus.finished",
    events.CardsReleased: "cardstatus.released",
    events.SessionEnded: "cardstatus.left",
}


class TradeWindow:
    """One session with one other person."""

    def __init__(self, told: Callable[[events.TradeEvent], None]) -> None:
        """`told` hears every event when it has been taken in."""
        self._told = told
        self.link: JoinLink | None = None  # by which they come; none if they are called from here
        self.trader: Trader | None = None  # once there is one
        self._status = phrase("cardstatus.calling")
        self._before: Phrase | None = None  # the status when the line was lost, while it is
        self._gives: tuple[bytes, ...] = ()
        self._gets: tuple[bytes, ...] = ()
        self._answered = False  # what is asked
        self._said: list[dict[str, Any]] = []
        self._opened: tuple[bytes, ...] = ()

    # --- what happens ---

    def hear(self, event: events.TradeEvent) -> None:
        """Something has happened in the session."""
        match event:
            case events.RemarkReceived(text):
                self._remark(text, mine=False)
            case events.OfferChanged(give):
                self._gets = give
            case events.TradeProposed(mine=mine, again=again):
                self._answered = False
                self._status = _proposed(mine, again)
            case events.SignatureReceived():
                self._answered = False
            case events.ProposalRejected(mine=mine):
                self._status = phrase("cardstatus.rejected" if mine else "cardstatus.withdrawn")
            case events.TradeFinished(trade):
                self._finish(trade)
        if type(event) in STATUS:
            self._status = phrase(STATUS[type(event)])
        self._told(event)

    def waits(self, link: JoinLink) -> None:
        """Somebody may come by this link."""
        self.link, self._status = link, phrase("cardstatus.waiting")

    def lost(self) -> None:
        """The line is gone for good."""
        self._status, self._before = phrase("cardstatus.lost"), None

    def away(self, away: bool) -> None:
        """There is no line for now, or again one: then all is as it was."""
        if away:
            self._before, self._status = self._before or self._status, phrase("notice.lost")
        elif self._before is not None and self._status == phrase("notice.lost"):
            self._status, self._before = self._before, None

    def anew(self) -> None:
        """The other program was started anew: nothing lies on the table any more."""
        self._gives = self._gets = ()
        self._status, self._before = phrase("cards.trade.anew"), None

    def _finish(self, trade: bytes) -> None:
        """What came of creators' hands is a pack to be opened."""
        self._gives = self._gets = ()
        assert self.trader is not None, "somebody has signed"
        shown = self.trader.showing().trade(trade)
        pack = shown.takes if shown.one.you else shown.gives
        new = all(
            card.creator.fingerprint == shown.other.fingerprint and card.trades == 1
            for card in pack
        )
        self._opened = tuple(bytes.fromhex(card.id) for card in pack) if new else ()

    def _remark(self, text: str, *, mine: bool) -> None:
        self._said = [*self._said, {"mine": mine, "text": printable_remark(text)}][-MAX_PAGE_NEWS:]

    # --- what the person does ---

    def act(self, asked: dict[str, Any]) -> None:
        """What the page wants. Raises: LocalError."""
        trader = self.trader
        if trader is None or trader.trading is None:
            raise LocalError("wrong.trade.closed")
        match asked:
            case {"do": "lay", "id": card}:
                self._offer(trader, (*self._gives, _identifier(card)))
            case {"do": "back", "id": card}:
                self._offer(trader, tuple(one for one in self._gives if one != _identifier(card)))
            case {"do": "propose"}:
                trader.act(lambda trading: trading.propose())
            case {"do": "yes", "id": seen, "warned": bool(warned)}:
                self._sign(trader, _identifier(seen), warned)
            case {"do": "no", "id": seen} if trader.terms is not None:
                self._reject(trader, trader.terms, _identifier(seen))
            case {"do": "say", "text": text}:
                trader.act(lambda trading: trading.say(text))
                self._remark(text, mine=True)
            case _:
                raise LocalError("web.not_offered")

    def _offer(self, trader: Trader, cards: tuple[bytes, ...]) -> None:
        trader.act(lambda trading: trading.offer(cards))
        self._gives, self._opened = cards, ()

    def _sign(self, trader: Trader, seen: bytes, warned: bool) -> None:
        """Say yes. `seen`: of the terms that the page showed."""
        terms = trader.terms
        if terms is None:
            raise LocalError("wrong.trade.gone")
        trader.sign(terms, warned=warned, seen=seen)
        self._answered = True

    def _reject(self, trader: Trader, terms: events.TradeSummary, seen: bytes) -> None:
        """A no may be a waive, which is signed, too: it is for what the page showed, not for what
        came since.
        """
        if seen != terms.digest:
            raise LocalError("wrong.trade.changed")
        trader.act(lambda trading: trading.reject(terms.id))

    # --- what is shown ---

    def shown(self) -> dict[str, Any]:
        """For a snapshot: values of `player.cards.card_models` in it."""
        trader = self.trader
        there = trader is not None and bool(trader.partner)
        made: dict[str, Any] = {
            "status": self._status,
            "link": None if self.link is None or there else str(self.link),
            "partner": None,
            "gives": (),
            "gets": (),
            "proposal": None,
            "can": self._can(),
            "said": self._said,
            "opened": (),
        }
        if trader is None or not there:
            return made
        showing = trader.showing()
        return made | {
            "partner": showing.person(trader.partner),
            "gives": _cards(showing, self._gives),
            "gets": _cards(showing, self._gets),
            "proposal": trader.proposal(trader.terms) if trader.terms else None,
            "asked": trader.terms.digest.hex() if trader.terms else "",
            "opened": _cards(showing, self._opened),
        }

    def _can(self) -> list[str]:
        trader = self.trader
        if trader is None or trader.trading is None or trader.over:
            return []
        if trader.terms is not None:
            return ["no"] if self._answered else ["yes", "no"]
        both = self._gives or self._gets
        return (
            ["lay", *(["propose"] if both and trader.trading.merged else [])]
            if _talking(trader)
            else []
        )


def _talking(trader: Trader) -> bool:
    return trader.trading is not None and trader.trading.phase is TradePhase.TALKING


def _proposed(mine: bool, again: bool) -> Phrase:
    if again:
        return phrase("cardstatus.changed")
    return phrase("cardstatus.proposed" if mine else "cardstatus.asked")


def _cards(showing: CardPresenter, cards: tuple[bytes, ...]) -> tuple[Any, ...]:
    """Those that are known: of what the other offers, the records may still be on their way."""
    names = showing.collection.index.instances
    return tuple(showing.card(card) for card in cards if card in names)


def _identifier(text: object) -> bytes:
    """Raises: LocalError."""
    try:
        return bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        raise LocalError("web.not_offered") from None
