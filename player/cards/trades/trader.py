"""A trade with one partner, for any screen and any transport.

The transport passes payloads in as bytes. The screen gets events as plain values.
"""

import asyncio
from collections.abc import Callable
from random import Random

from player.cards.card_models import Proposal
from player.cards.card_presenter import CardPresenter
from player.cards.collection import Collection
from player.cards.trade_warnings import describe_warnings, find_cards_outside_policy
from player.storage.contacts import Contact
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.ledger.trading import events
from protocol.ledger.trading.trade_session import TradeSession
from protocol.limits import LEDGER_STEPS

Tell = Callable[[events.TradeEvent], None]
# runs a function in a later turn of the loop
Later = Callable[[Callable[[], None]], None]


def in_a_later_turn(run: Callable[[], None]) -> None:
    """Run a function in the next turn of the running loop."""
    asyncio.get_running_loop().call_soon(run)


class Trader:
    """Side of a trade. `trading`: None without a partner. `terms`: the current proposal, if
    any.
    """

    def __init__(
        self,
        collection: Collection,
        identity: Identity,
        name: str,
        rng: Random,
        contacts: dict[str, Contact],
        tell: Tell,
        later: Later | None = None,
    ) -> None:
        """`later`: shares out long work on records among turns of a loop; None: no loop is shared
        with anybody, and all is done at once.
        """
        self.later = later
        self._flushes = False  # true while payloads wait for such work
        self.collection = collection
        self.contacts = contacts
        self._identity = identity
        self._name = name
        self._rng = rng
        self._tell = tell
        self._send: Callable[[bytes], None] | None = None
        self.trading: TradeSession | None = None
        self.terms: events.TradeSummary | None = None
        self.mine = False  # true if this side made the current proposal
        self.over = False  # true if the partner has left, or the connection is lost

    # --- transport ---

    def attach(self, send: Callable[[bytes], None], peer: bytes) -> None:
        """Begin a session with the key `peer`: the first session, or a new one after a restart of
        the partner's program.
        """
        self._send = send
        self.terms = None
        self.over = False
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
        """Handle a payload of the partner. Raises: RemoteError, LocalError as
        `TradeSession.received`.
        """
        if self.trading is not None:
            self.trading.received(payload)
            self.flush()

    def detached(self) -> None:
        """Note that the partner is out of reach."""
        self._send = None
        self.over = True

    def prepare(self) -> bool:
        """Take some steps of the work that is due before the next payload. Return False if more
        are left.
        """
        most = None if self.later is None else LEDGER_STEPS
        return self.collection.view.update(most) and (
            self.trading is None or self.trading.prepare(most)
        )

    def _flush_later(self) -> None:
        self._flushes = False
        self.flush()

    def flush(self) -> None:
        """Report events, then send payloads. Payloads that result from a report are sent as
        well. They wait for the work that is due.
        """
        trading = self.trading
        while trading is not None and (told := trading.events()):
            for event in told:
                self._note(event)
                self._tell(event)
        if not self.prepare():
            if not self._flushes and self.later is not None:
                self._flushes = True
                self.later(self._flush_later)
            return
        for payload in trading.outgoing() if trading is not None else ():
            if self._send is not None:
                self._send(payload)

    def _note(self, event: events.TradeEvent) -> None:
        match event:
            case events.TradeProposed():
                self.terms = event.terms
                self.mine = event.mine
            case events.SignatureReceived():
                self.terms = event.terms
                self.mine = False
            case events.TradeFinished() | events.ProposalRejected() | events.CardsReleased():
                self.terms = None
            case events.TradeWaived(trade) if self.terms is not None and self.terms.id == trade:
                self.terms = None
            case events.SessionEnded():
                self.over = True

    # --- the person ---

    def act(self, what: Callable[[TradeSession], None]) -> None:
        """Call a method of the session, then report and send. Raises: LocalError."""
        assert self.trading is not None, "somebody is there"
        try:
            what(self.trading)
        finally:
            self.flush()

    def sign(self, terms: events.TradeSummary, *, warned: bool, seen: bytes | None = None) -> None:
        """Sign the current proposal. The person's acceptance policy cannot be overruled here.
        Raises: LocalError.
        """
        if not self.proposal(terms).allowed:
            raise LocalError("wrong.cards.policy")
        self.act(lambda trading: trading.sign(terms.id, warned=warned, seen=seen))

    def showing(self) -> CardPresenter:
        """Return the presenter of the collection as it is now."""
        return CardPresenter(self.collection, self.contacts)

    def proposal(self, terms: events.TradeSummary) -> Proposal:
        """Return the summary that the person must see before they sign."""
        return proposal(self.showing(), self.collection, terms, self.partner)

    @property
    def partner(self) -> bytes:
        """Key of the partner; empty without a partner."""
        if self.trading is not None:
            return self.trading.partner or b""
        return b""


def proposal(
    showing: CardPresenter, collection: Collection, terms: events.TradeSummary, partner: bytes
) -> Proposal:
    """Return the view model of a proposed trade."""
    not_taken = find_cards_outside_policy(showing, collection.store, terms)
    return Proposal(
        showing.person(partner),
        tuple(map(showing.card, terms.received)),
        tuple(map(showing.card, terms.given)),
        tuple(map(showing.alarm, terms.alarms)),
        terms.certifiable,
        not not_taken,
        describe_warnings(showing, terms, partner, not_taken, collection.store.decks.all()),
    )
