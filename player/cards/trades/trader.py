"""One session of trading, for any screen: who carries it hands in bytes, who shows it hears plain
values.
"""

from collections.abc import Callable
from random import Random

from player.cards.card_models import Proposal
from player.cards.card_presenter import CardPresenter
from player.cards.collection import Collection
from player.cards.trade_warnings import doubts, wary
from player.disk.contacts import Contact
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.ledger.trading import events
from protocol.ledger.trading.trade_session import TradeSession

Tell = Callable[[events.TradeEvent], None]


class Trader:
    """`trading`: None while nobody is there. `terms`: what is on the table to say yes or no to."""

    def __init__(
        self,
        collection: Collection,
        identity: Identity,
        name: str,
        rng: Random,
        contacts: dict[str, Contact],
        tell: Tell,
    ) -> None:
        self.collection, self.contacts = collection, contacts
        self._identity, self._name, self._rng, self._tell = identity, name, rng, tell
        self._send: Callable[[bytes], None] | None = None
        self.trading: TradeSession | None = None
        self.terms: events.TradeSummary | None = None
        self.mine = False  # whether the terms were proposed from here, or else by the other
        self.over = False  # the other has left, or the line is gone

    # --- the line ---

    def attach(self, send: Callable[[bytes], None], peer: bytes) -> None:
        """A session begins with this key: the first, or another one since the other program was
        started anew.
        """
        self._send, self.terms, self.over = send, None, False
        self.trading = TradeSession(
            self._identity,
            self._name,
            self.collection,
            self.collection.store.journal,
            self._rng,
            peer,
        )
        self.flush()

    def received(self, payload: bytes) -> None:
        """What the other sent. Raises: RemoteError, LocalError as `TradeSession.received`."""
        if self.trading is not None:
            self.trading.received(payload)
            self.flush()

    def detached(self) -> None:
        """The other cannot be reached any more."""
        self._send, self.over = None, True

    def flush(self) -> None:
        """Tell what has happened, and send what there is to send: what telling causes goes, too."""
        trading = self.trading
        while trading is not None and (told := trading.events()):
            for event in told:
                self._note(event)
                self._tell(event)
        for payload in trading.outgoing() if trading is not None else ():
            if self._send is not None:
                self._send(payload)

    def _note(self, event: events.TradeEvent) -> None:
        match event:
            case events.TradeProposed():
                self.terms, self.mine = event.terms, event.mine
            case events.SignatureReceived():
                self.terms, self.mine = event.terms, False
            case events.TradeFinished() | events.ProposalRejected() | events.CardsReleased():
                self.terms = None
            case events.SessionEnded():
                self.over = True

    # --- the person ---

    def act(self, what: Callable[[TradeSession], None]) -> None:
        """Do something in the session. Raises: LocalError."""
        assert self.trading is not None, "somebody is there"
        try:
            what(self.trading)
        finally:
            self.flush()

    def sign(self, terms: events.TradeSummary, *, warned: bool, seen: bytes | None = None) -> None:
        """Say yes to what is on the table. A policy is the person's own: no yes overrules it.
        Raises: LocalError.
        """
        if not self.proposal(terms).allowed:
            raise LocalError("wrong.cards.policy")
        self.act(lambda trading: trading.sign(terms.id, warned=warned, seen=seen))

    def showing(self) -> CardPresenter:
        """What there is to show now."""
        return CardPresenter(self.collection, self.contacts)

    def proposal(self, terms: events.TradeSummary) -> Proposal:
        """What the person must see before they sign."""
        return proposal(self.showing(), self.collection, terms, self.partner)

    @property
    def partner(self) -> bytes:
        """The other person's key; empty while nobody is there."""
        return (self.trading.partner or b"") if self.trading is not None else b""


def proposal(
    showing: CardPresenter, collection: Collection, terms: events.TradeSummary, partner: bytes
) -> Proposal:
    """The terms of a trade as a person sees them."""
    not_taken = doubts(showing, collection.store, terms)
    return Proposal(
        showing.person(partner),
        tuple(map(showing.card, terms.received)),
        tuple(map(showing.card, terms.given)),
        tuple(map(showing.alarm, terms.alarms)),
        terms.certifiable,
        not not_taken,
        wary(showing, terms, partner, not_taken),
    )
