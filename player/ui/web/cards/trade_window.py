"""The trade window: the offers of both sides, the talk, and the proposal to sign, from the events
of a trade.
"""

from collections.abc import Callable
from typing import Any

from player.cards.card_presenter import CardPresenter
from player.cards.trades.table_trade import TableTrade
from player.cards.trades.trader import Trader
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink, short_fingerprint
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
    events.TradeWaived: "cardstatus.waived",
}
LEFT = "cardstatus.left"


class TradeWindow:
    """View of one trade with one partner."""

    def __init__(
        self, on_event: Callable[[events.TradeEvent], None], table: TableTrade | None = None
    ) -> None:
        """`on_event` gets every event after the window has handled it. `table`: the trade through a
        table that this window shows.
        """
        self._on_event = on_event
        self.table = table
        self._not_met = False  # true if the two have not met at the table
        self.ending = False  # true once the person has ended the trade
        # link by which the partner comes; None if this side calls
        self.link: JoinLink | None = None
        self.port_is_fixed = False  # true if the port of the link is that of all trades
        self.trader: Trader | None = None  # None until a partner has connected
        self._status = phrase("cardstatus.calling")
        # status before the connection was lost; None while connected
        self._status_before: Phrase | None = None
        self._gives: tuple[bytes, ...] = ()
        self._gets: tuple[bytes, ...] = ()
        self._wants: tuple[bytes, ...] = ()  # cards of the partner that the person asks for
        self._wanted: tuple[bytes, ...] = ()  # cards that the partner asks for
        self._answered = False  # true once the person has answered the current proposal
        self._name = ""  # name that the partner's program has given; anybody can choose any name
        self._leave_status = LEFT  # status when the partner leaves
        self._remarks: list[dict[str, Any]] = []
        self._got: tuple[bytes, ...] = ()

    # --- events ---

    def hear(self, event: events.TradeEvent) -> None:
        """Handle an event of the trade."""
        match event:
            case events.PartnerIdentified(name=name):
                self._name = name
            case events.RemarkReceived(text):
                self._remark(text, mine=False)
            case events.OfferChanged(give, want):
                self._gets, self._wanted = give, want
            case events.TradeProposed(mine=mine, again=again):
                self._answered = False
                self._leave_status = LEFT
                self._status = _proposed(mine, again)
            case events.SignatureReceived():
                self._answered = False
            case events.ProposalRejected(mine=mine):
                self._leave_status = "cardstatus.refused" if mine else LEFT
                self._status = phrase("cardstatus.rejected" if mine else "cardstatus.withdrawn")
            case events.TradeFinished(trade):
                self._finish(trade)
        if type(event) in STATUS:
            self._status = phrase(STATUS[type(event)])
        if isinstance(event, events.SessionEnded):
            self._status = phrase(self._leave_status)
        self._on_event(event)

    def show_link(self, link: JoinLink, *, port_is_fixed: bool = False) -> None:
        """Show the link by which a partner may come. `port_is_fixed`: its port is that of all trades."""
        self.link, self.port_is_fixed = link, port_is_fixed
        self._status = phrase("cardstatus.waiting")

    def show_meeting(self) -> None:
        """Show that the partner is to come through the table."""
        assert self.table is not None, "the trade is through a table"
        self._not_met = False
        self._status = phrase("cardstatus.meeting", name=self.table.name)

    def show_not_met(self, why: Phrase) -> None:
        """Show why the two have not met. The person can try again."""
        self._not_met = True
        self._status = why

    def show_lost(self) -> None:
        """Show that the connection is lost for good."""
        self._status = phrase("cardstatus.lost")
        self._status_before = None

    def show_ending(self) -> None:
        """Show that the person has ended the trade, and that the partner gets the news."""
        self.ending = True
        self._status = phrase("cardstatus.ending")
        self._status_before = None

    def show_away(self, away: bool) -> None:
        """Show that the connection is lost (True), or restore the status from before (False)."""
        if away:
            self._status_before, self._status = (
                self._status_before or self._status,
                phrase("notice.lost"),
            )
        elif self._status_before is not None and self._status == phrase("notice.lost"):
            self._status = self._status_before
            self._status_before = None

    def start_anew(self) -> None:
        """Handle a restart of the partner's program: offers and proposal are void."""
        self._clear()
        self._status = phrase("cards.trade.anew")
        self._status_before = None

    def _clear(self) -> None:
        self._gives = self._gets = self._wants = self._wanted = ()

    def _finish(self, trade: bytes) -> None:
        """Show a finished trade, with the cards that the person has got."""
        self._clear()
        self._leave_status = "cardstatus.traded"
        assert self.trader is not None, "somebody has signed"
        shown = self.trader.showing().trade(trade)
        got = shown.takes if shown.one.you else shown.gives
        self._got = tuple(bytes.fromhex(card.id) for card in got)

    def _remark(self, text: str, *, mine: bool) -> None:
        self._remarks = [*self._remarks, {"mine": mine, "text": printable_remark(text)}][
            -MAX_PAGE_NEWS:
        ]

    # --- actions of the person ---

    def act(self, asked: dict[str, Any]) -> None:
        """Carry out an action that the page requests. Raises: LocalError."""
        trader = self.trader
        if trader is None or trader.trading is None:
            raise LocalError("wrong.trade.closed")
        match asked:
            case {"do": "lay", "id": card}:
                self._offer(trader, (*self._gives, _identifier(card)), self._wants)
            case {"do": "back", "id": card}:
                left = tuple(one for one in self._gives if one != _identifier(card))
                self._offer(trader, left, self._wants)
            case {"do": "want", "id": card}:
                wants = tuple(one for one in self._wants if one != _identifier(card))
                if wants == self._wants:
                    wants = (*wants, _identifier(card))
                self._offer(trader, self._gives, wants)
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

    def _offer(self, trader: Trader, cards: tuple[bytes, ...], wants: tuple[bytes, ...]) -> None:
        trader.act(lambda trading: trading.offer(cards, wants))
        self._gives, self._wants = cards, wants
        self._got = ()

    def _sign(self, trader: Trader, seen: bytes, warned: bool) -> None:
        """Sign the proposal. `seen`: digest of the proposal that the page showed."""
        terms = trader.terms
        if terms is None:
            raise LocalError("wrong.trade.gone")
        before = self._status
        trader.sign(terms, warned=warned, seen=seen)
        self._answered = True
        if self._status == before:
            self._status = phrase("cardstatus.yes")

    def _reject(self, trader: Trader, terms: events.TradeSummary, seen: bytes) -> None:
        """Reject the proposal. A rejection may sign a waive, so it counts only for the proposal
        that the page showed.
        """
        if seen != terms.digest:
            raise LocalError("wrong.trade.changed")
        trader.act(lambda trading: trading.reject(terms.id))

    # --- view ---

    def shown(self) -> dict[str, Any]:
        """Return the trade for a snapshot, with view models of `player.cards.card_models`."""
        trader = self.trader
        there = trader is not None and bool(trader.partner)
        made: dict[str, Any] = {
            "status": self._status,
            "through": self._through(),
            "link": None if self.link is None or there else str(self.link),
            "partner": None,
            "name": self._name,
            "gives": (),
            "gets": (),
            "wants": (),
            "wanted": (),
            "proposal": None,
            "can": self._can(),
            "said": self._remarks,
            "got": (),
        }
        if trader is None or not there:
            return made
        showing = trader.showing()
        return made | {
            "partner": showing.person(trader.partner),
            "gives": _cards(showing, self._gives),
            "gets": _cards(showing, self._gets),
            "wants": _cards(showing, self._wants),
            "wanted": _cards(showing, self._wanted),
            "proposal": trader.proposal(trader.terms) if trader.terms else None,
            "asked": trader.terms.digest.hex() if trader.terms else "",
            "got": _cards(showing, self._got),
        }

    def _through(self) -> Phrase | None:
        table = self.table
        if table is None:
            return None
        return phrase(
            "cardpage.trade.through",
            name=table.name,
            fingerprint=short_fingerprint(table.partner),
            address=table.link.address_text,
        )

    def _can(self) -> list[str]:
        if self.ending:
            return []
        if self._not_met:
            return ["meet"]
        trader = self.trader
        if trader is None or trader.trading is None or trader.over:
            return []
        if trader.terms is not None:
            return ["no"] if self._answered else ["yes", "no"]
        both = self._gives or self._gets
        if _talking(trader):
            return ["lay", *(["propose"] if both and trader.trading.merged else [])]
        return []


def direct_link(text: str) -> JoinLink:
    """Return the link to a person or a shop. Raises: LocalError for a link to a table, or no link."""
    link = JoinLink.parse(text)
    if not link.direct:
        raise LocalError("wrong.cardpage.table", link=str(link))
    return link


def _talking(trader: Trader) -> bool:
    return trader.trading is not None and trader.trading.phase is TradePhase.TALKING


def _proposed(mine: bool, again: bool) -> Phrase:
    if again:
        return phrase("cardstatus.changed")
    return phrase("cardstatus.proposed" if mine else "cardstatus.asked")


def _cards(showing: CardPresenter, cards: tuple[bytes, ...]) -> tuple[Any, ...]:
    """Return the view models of the known cards. Records of offered cards may still be under
    way.
    """
    names = showing.collection.index.instances
    return tuple(showing.card(card) for card in cards if card in names)


def _identifier(text: object) -> bytes:
    """Decode an id in hexadecimal. Raises: LocalError."""
    try:
        return bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        raise LocalError("web.not_offered") from None
