"""State of one session between two people who trade, with the steps that messages and persons
share.
"""

from collections.abc import Iterable
from random import Random

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord
from protocol.ledger.trading.card_store import CardStore, RecordMerge
from protocol.ledger.trading.channel import (
    CountersignRequest,
    OrderedChannel,
    TradeOffer,
    TradeProposal,
)
from protocol.ledger.trading.events import (
    JournalOutdated,
    ProposalRejected,
    RecordsReceived,
    SignatureReceived,
    TradeEvent,
    TradeFinished,
    TradeProposed,
    TradeSigned,
    TradeSummary,
    TradeWaived,
)
from protocol.ledger.trading.image_exchange import ImageExchange
from protocol.ledger.trading.journal import JournalRefusal, SignatureJournal
from protocol.ledger.trading.messages import TradePhase
from protocol.ledger.trading.trade_content import check_trade, summarise_trade
from protocol.ledger.trading.trade_signer import TradeSigner
from protocol.limits import (
    MAX_OFFERS,
    MAX_TRADE_EVENTS,
    MAX_TRADE_WAIVES,
)
from protocol.steps import Steps


class SessionState:
    """State and steps of a session. `partner` is empty until the partner's key is known."""

    def __init__(
        self, me: Identity, book: CardStore, journal: SignatureJournal, rng: Random, partner: bytes
    ) -> None:
        self.me = me
        self.book = book
        self.journal = journal
        self.partner = partner
        self.phase = TradePhase.MEETING
        self.line = OrderedChannel(rng)
        self.signing = TradeSigner(me, book, journal)
        self.mine = TradeOffer()
        self.theirs = TradeOffer()
        self.proposal: TradeProposal | None = None
        # trades that the other side has signed and this side has not answered
        self.held: dict[bytes, CountersignRequest] = {}
        # proposals of the other side that the person here has rejected
        self.rejected: set[bytes] = set()
        self.proposals = 0  # number of the other side's proposals
        # cards of trades that one of the two signed in an earlier session
        self.unanswered: tuple[bytes, ...] = ()
        self.merging: RecordMerge | None = None
        self.faces = ImageExchange(book)
        self._merge_due = False
        self._beginning: Steps[RecordMerge] | None = None  # of a merge
        self.compared = 0  # records in all merges so far
        self._events: list[TradeEvent] = []
        self._shown: dict[bytes, TradeSummary] = {}

    @property
    def lower(self) -> bool:
        """The key of this side is the lower one. If both sides begin something at once, the lower
        key's action counts.
        """
        return self.me.public < self.partner

    # --- events for the person ---

    def add_event(self, event: TradeEvent) -> None:
        """Add an event. Raises: RemoteError(TOO_MANY) if nobody takes the events that the other
        side causes.
        """
        if len(self._events) >= MAX_TRADE_EVENTS:
            raise RemoteError(Code.TOO_MANY)
        self._events.append(event)

    def take_events(self) -> list[TradeEvent]:
        """Return the events since the last call. Proposals in them count as shown from now on."""
        new = self._events
        self._events = []
        for event in new:
            if isinstance(event, TradeProposed | SignatureReceived):
                self._shown[event.terms.id] = event.terms
        return new

    # --- merging ---

    def restart_merge(self) -> None:
        """Abandon the merge in progress after a change of an offer.

        The next merge begins on demand, so several changes at once cause only one.
        """
        self.merging = None
        self._beginning = None
        self._merge_due = True
        self.faces.allow_images(self.offered)

    def merge(self) -> RecordMerge | None:
        """Return the merge for the present offers, and begin it if necessary; None before both
        sides have met.
        """
        self.prepare(None)
        return self.merging

    def prepare(self, most: int | None) -> bool:
        """Take at most `most` steps to begin a merge that is due. Return False if more are left."""
        if not self._merge_due or self.phase is TradePhase.CLOSED:
            return True
        self._beginning = self._beginning or self._begin_merge()
        try:
            while most is None or most > 0:
                next(self._beginning)
                most = None if most is None else most - 1
        except StopIteration as done:
            self.merging = done.value
            self.compared += done.value.listed
            self._merge_due = False
            self._beginning = None
            return True
        return False

    def _begin_merge(self) -> Steps[RecordMerge]:
        revisions = (self.mine.revision, self.theirs.revision)
        salt = merge_salt(
            (self.line.salt, self.line.theirs), *(revisions if self.lower else reversed(revisions))
        )
        return self.book.merge_steps(salt, self.lower, self._given())

    def send_pending(self) -> None:
        """Send the messages of the merge, and after them the messages about images."""
        merging = None if self.phase is TradePhase.CLOSED else self.merge()
        if merging is None:
            return
        for message in merging.outgoing():
            self.line.send("merge", self.mine.revision, self.theirs.revision, message)
        if merging.done:
            self.faces.request_images(self.offered)
        for message in self.faces.outgoing():
            self.line.send("image", message)

    def _given(self) -> Iterable[bytes]:
        """Return the cards to merge: cards offered by either side, wanted cards, and cards of
        unanswered trades.

        Of these, the other side may have the records of cards that belong to one of the two.
        """
        wished = {card for card in self.theirs.want if self.owner(card) == self.me.public}
        both = {None, self.me.public, self.partner}
        begun = {card for card in self.unanswered if self.owner(card) in both}
        cards = {*self.mine.give, *self.mine.want, *self.theirs.give, *wished, *begun}
        return sorted({*cards, *self.mine.waives, *self.theirs.waives})

    def renew_offer(self) -> None:
        """Name the waives anew that a trade of the offered cards must list, if they have changed."""
        waives = self.signing.required_waives(self.mine.give)
        if waives == self.mine.waives or len(waives) > MAX_TRADE_WAIVES:
            return
        if self.mine.revision < MAX_OFFERS:
            give, want = self.mine.give, self.mine.want
            self.mine = TradeOffer(give, want, self.mine.revision + 1, waives)
            self.line.send("offer", list(give), list(want), list(waives))
            self.restart_merge()

    @property
    def offered(self) -> tuple[bytes, ...]:
        """Cards that the two sides offer."""
        return self.mine.give + self.theirs.give

    def owner(self, card: bytes) -> bytes | None:
        """Return the owner of a card, as far as it is known here."""
        held = self.book.view.holding(card)
        return None if held is None else held.owner

    def add_records(self, records: list[LedgerRecord]) -> None:
        """Store records from the merge."""
        if records:
            sound = not self.journal.is_outdated()
            self.book.add(records)
            self.faces.allow_images(self.offered)
            self.add_event(RecordsReceived(len(records)))
            if sound and self.journal.is_outdated():
                self.add_event(JournalOutdated())

    # --- proposals ---

    def show(self, proposal: TradeProposal, *, again: bool = False) -> None:
        """Present a proposal to the person for a decision."""
        self.proposal = proposal
        if proposal.mine:
            self.phase = TradePhase.PROPOSED
        else:
            self.phase = TradePhase.ASKED
        self.add_event(TradeProposed(self.terms(proposal), proposal.mine, again))

    def withdraw(self, code: Code | None = None) -> None:
        """Withdraw the proposal. Signatures remain valid."""
        if self.proposal is not None:
            self.add_event(ProposalRejected(self.proposal.id, self.proposal.mine, code))
        self.proposal = None
        self.phase = TradePhase.TALKING

    def terms(self, of: TradeProposal | CountersignRequest) -> TradeSummary:
        """Return the summary of a trade for the person, according to the present records."""
        return summarise_trade(of.trade, self.me.public, self.partner, self.book, self.journal)

    def confirm_shown(self, of: TradeProposal | CountersignRequest) -> TradeSummary | None:
        """Return the summary that the person has seen, if it has not changed.

        Otherwise the new summary is shown, the person's agreement is cancelled, and the result is
        None.
        """
        terms = self.terms(of)
        if self._shown.get(terms.id) == terms:
            return terms
        if isinstance(of, TradeProposal):
            of.yes = False
            self.add_event(TradeProposed(terms, of.mine, again=True))
        else:
            self.add_event(SignatureReceived(terms))
        return None

    # --- signatures ---

    def check_new(self, trade: Trade) -> None:
        """Check a trade that this side is about to propose. Raises: RemoteError as in `check`."""
        check_trade(self.book.view, self.journal, trade, self.me.public, self.partner)

    def check(self, of: TradeProposal | CountersignRequest) -> None:
        """Check that the view here results in the same content. Raises: RemoteError(NOT_OWNED,
        OTHER_TRADE).
        """
        self.check_new(of.trade)

    def agree(self, proposal: TradeProposal, *, warned: bool) -> None:
        """Process the agreement of the person here, and sign if it is this side's turn.

        Raises: LocalError; RemoteError as in `check`.
        """
        self.check(proposal)
        # an outdated journal permits neither a signature nor a waive later, so the other side would
        # wait in vain
        if self.journal.is_outdated():
            raise JournalRefusal("wrong.trade.old")
        proposal.yes = True
        proposal.warned = warned
        if proposal.mine and proposal.agreed:
            self.sign_first(proposal)
        elif not proposal.mine and self.phase is TradePhase.ASKED:
            self.phase = TradePhase.AGREED
            self.line.send("agree", proposal.id)

    def sign_first(self, proposal: TradeProposal) -> None:
        """Sign this side's proposal, and reserve its cards. Raises: LocalError; RemoteError as in
        `check`.
        """
        self.check(proposal)
        promised = self.signing.sign_first(proposal.trade, warned=proposal.warned)
        self.phase = TradePhase.SIGNED
        self.line.send("sign", content_bytes(proposal.trade), promised.own_signature)
        self.add_event(TradeSigned(proposal.id))

    def sign_second(self, trade: bytes, *, warned: bool) -> None:
        """Sign a trade that the other side has signed. Raises: LocalError; RemoteError as in
        `check`.
        """
        held = self.held[trade]
        self.check(held)
        record = self.signing.sign_second(held.trade, held.theirs, warned=warned)
        del self.held[trade]
        self.line.send("counter", trade, self.signing.previous_answer(trade))
        self.finish(record)

    def finish(self, record: LedgerRecord) -> None:
        """Finish a trade that both have signed, and clear the offers."""
        if self.proposal is not None and self.proposal.id == record.id:
            self.proposal = None
            self.phase = TradePhase.TALKING
            for offer in (self.mine, self.theirs):
                offer.give = offer.want = ()
        self.add_event(TradeFinished(record.id, record))

    def waive(self, trade: bytes) -> None:
        """Waive a trade that only the other side has signed. Raises: LocalError."""
        record = self.signing.waive(self.held[trade].trade)
        del self.held[trade]
        self.line.send("waive", record.raw)
        self.add_event(TradeWaived(trade))


def merge_salt(salts: Iterable[bytes], lower: int, higher: int) -> bytes:
    """Return the salt of a merge for two offers, given by the revisions of the lower and the higher
    key.

    `salts` are those of both sides.
    """
    return digest("trade merge", *sorted(salts), lower, higher)
