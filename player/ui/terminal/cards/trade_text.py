"""Output of a trade at a terminal: its events, and the offers of both sides, as lines."""

from collections.abc import Callable

from player.cards.card_models import CardShown
from player.cards.card_names import short
from player.cards.trades.trader import Trader
from player.ui.terminal.cards import card_text
from protocol.codes import code_phrase
from protocol.ledger.trading import events
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say

Tell = Callable[..., None]  # prints lines and phrases, each on a line of its own
SAID: dict[type, str] = {
    events.JournalOutdated: "cards.trade.outdated",
    events.PartnerAgreed: "cards.trade.agreed",
    events.TradeSigned: "cards.trade.signed",
    events.CardsReleased: "cards.trade.released",
    events.TradeWaived: "cards.trade.given_up",
    events.SessionEnded: "cards.trade.left",
    events.SignatureReceived: "cards.trade.unfinished",
}


class TradeTable:
    """Turns the events of a trade session into lines. `traded`: ids of the finished trades."""

    def __init__(self, say: Say, tell: Tell, asks: bool) -> None:
        """`asks`: true if a person answers proposals."""
        self._say = say
        self._tell = tell
        self._asks = asks
        self.trader: Trader | None = None
        self.traded: list[bytes] = []
        self.given: tuple[bytes, ...] = ()  # cards of the own offer
        self.wanted: tuple[bytes, ...] = ()  # cards that the own offer asks for
        self.offered: events.OfferChanged | None = (
            None  # newest offer of the partner, once all its records are here
        )
        # newest offer of the partner while its records are still under way
        self._coming: events.OfferChanged | None = None

    def hear(self, event: events.TradeEvent) -> None:
        """Print an event."""
        if type(event) in SAID:
            self._tell(phrase(SAID[type(event)]))
        match event:
            case events.PartnerIdentified():
                who = card_text.marked(self._with.showing().person(event.key))
                self._tell(phrase("cards.trade.met", name=event.name, who=who))
                if self._asks:
                    self._tell(phrase("cards.trade.how"))
            case events.OfferChanged():
                self._coming = event
                self.offered = None
            case events.RemarkReceived():
                self._tell(phrase("cards.trade.said", text=event.text))
            case events.TradeFinished():
                self._finished(event.trade)
            case events.ProposalRejected():
                self._rejected(event)
            case events.TradeProposed() | events.SignatureReceived():
                self._asked(event)

    def anew(self) -> None:
        """Handle a restart of the partner's program: offers and proposal are void."""
        self._clear()
        self._tell(phrase("cards.trade.anew"))

    def _clear(self) -> None:
        self._coming = self.offered = None
        self.given = self.wanted = ()

    def _finished(self, trade: bytes) -> None:
        self.traded.append(trade)
        self._clear()
        self._tell(phrase("cards.trade.finished", short=short(trade)))
        shown = self._with.showing().trade(trade)
        gave, got = (shown.gives, shown.takes) if shown.one.you else (shown.takes, shown.gives)
        for key, cards in (("cards.trade.got", got), ("cards.trade.gave", gave)):
            named = tuple(map(card_text.card, cards)) or phrase("cards.nothing")
            self._tell(phrase(key, cards=named))

    def _asked(self, event: events.TradeProposed | events.SignatureReceived) -> None:
        again = isinstance(event, events.TradeProposed) and event.again
        self._tell(phrase("cards.trade.changed") if again else "", *self.proposed(event.terms))
        if self._asks:
            self._tell(phrase("cards.trade.ask"))

    def _rejected(self, event: events.ProposalRejected) -> None:
        if event.code is None:
            self._tell(phrase("cards.trade.rejected"))
        else:
            self._tell(phrase("cards.trade.rejected.code", why=code_phrase(event.code)))

    @property
    def _with(self) -> Trader:
        assert self.trader is not None, "events come from it"
        return self.trader

    def proposed(self, terms: events.TradeSummary) -> list[str]:
        """Describe a proposal as a person must see it before they sign."""
        return card_text.proposal_lines(self._with.proposal(terms), self._say)

    def settle(self) -> None:
        """Print the partner's newest offer, once all its records are here."""
        trading = self._with.trading
        offered = self._coming
        if offered is None or trading is None or not trading.merged:
            return
        self._coming = None
        self.offered = offered
        self._tell(phrase("cards.trade.offers", count=len(offered.give)), *self._rows(offered.give))
        if offered.want:
            self._tell(
                phrase("cards.trade.wants", count=len(offered.want)), *self._rows(offered.want)
            )

    def _rows(self, cards: tuple[bytes, ...]) -> list[str]:
        return [
            card_text.INDENT + row for row in card_text.card_rows(self.known(cards), self._say)[1:]
        ]

    def known(self, cards: tuple[bytes, ...]) -> list[CardShown]:
        """Return the view models of the known cards."""
        showing = self._with.showing()
        return [
            showing.card(card) for card in cards if card in self._with.collection.index.instances
        ]


def lines_of(said: tuple[str | Phrase, ...], say: Say) -> list[str]:
    """Format phrases as lines of text, without empty lines."""
    return [say(line) if isinstance(line, Phrase) else line for line in said if line != ""]
