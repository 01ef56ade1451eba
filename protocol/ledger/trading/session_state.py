"""One session of two people who trade: what both sides know of it, and the steps that messages and
persons share.
"""

from collections.abc import Iterable
from random import Random

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_codec import content_bytes
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
)
from protocol.ledger.trading.image_exchange import ImageExchange
from protocol.ledger.trading.journal import JournalRefusal, SignatureJournal
from protocol.ledger.trading.messages import TradePhase
from protocol.ledger.trading.trade_content import check_trade, summarise_trade
from protocol.ledger.trading.trade_signer import TradeSigner
from protocol.limits import MAX_TRADE_EVENTS


class SessionState:
    """What is known of it, and what may be done to it. `partner` is empty until it is known."""

    def __init__(
        self, me: Identity, book: CardStore, journal: SignatureJournal, rng: Random, partner: bytes
    ) -> None:
        self.me, self.book, self.journal, self.partner = me, book, journal, partner
        self.phase = TradePhase.MEETING
        self.line = OrderedChannel(rng)
        self.signing = TradeSigner(me, book, journal)
        self.mine, self.theirs = TradeOffer(), TradeOffer()
        self.proposal: TradeProposal | None = None
        self.held: dict[
            bytes, CountersignRequest
        ] = {}  # what the other has signed, and nobody here has answered
        self.rejected: set[bytes] = set()  # proposals of the other's, by the person here
        self.proposals = 0  # of the other's so far
        # cards of trades that one of the two signed in an earlier session
        self.unanswered: tuple[bytes, ...] = ()
        self.merging: RecordMerge | None = None
        self.faces = ImageExchange(book)
        self._merge_due = False
        self._events: list[TradeEvent] = []
        self._shown: dict[bytes, TradeSummary] = {}

    @property
    def lower(self) -> bool:
        """Whether the key here is the lower one: where both begin something at once, its beginning
        counts.
        """
        return self.me.public < self.partner

    # --- telling the person ---

    def add_event(self, event: TradeEvent) -> None:
        """Raises: RemoteError(TOO_MANY) if nobody takes what the other causes."""
        if len(self._events) >= MAX_TRADE_EVENTS:
            raise RemoteError(Code.TOO_MANY)
        self._events.append(event)

    def take_events(self) -> list[TradeEvent]:
        """What has been told since the last call; it counts as shown from now on."""
        new, self._events = self._events, []
        for event in new:
            if isinstance(event, TradeProposed | SignatureReceived):
                self._shown[event.terms.id] = event.terms
        return new

    # --- merging ---

    def restart_merge(self) -> None:
        """What is on the table has changed: what was under way is given up. The next merge begins
        when it is needed, so that many changes at once cost one."""
        self.merging, self._merge_due = None, True
        self.faces.allow_images(self.offered)

    def merge(self) -> RecordMerge | None:
        """The merge under the offers as they are now, begun if it has to be; None before both are
        there.
        """
        if self._merge_due:
            self._merge_due = False
            self._begin_merge()
        return self.merging

    def _begin_merge(self) -> None:
        revisions = (self.mine.revision, self.theirs.revision)
        salt = merge_salt(
            (self.line.salt, self.line.theirs), *(revisions if self.lower else reversed(revisions))
        )
        self.merging = self.book.merge(salt, self.lower, self._given())

    def send_pending(self) -> None:
        """Send what the merge has to say, and after it what there is to say of images."""
        merging = self.merge()
        if merging is None or self.phase is TradePhase.CLOSED:
            return
        for message in merging.outgoing():
            self.line.send("merge", self.mine.revision, self.theirs.revision, message)
        if merging.done:
            self.faces.request_images(self.offered)
        for message in self.faces.outgoing():
            self.line.send("image", message)

    def _given(self) -> Iterable[bytes]:
        """The cards on the table: those offered on either side, and those one's own that the other
        wishes for.
        """
        wished = {card for card in self.theirs.want if self.owner(card) == self.me.public}
        both = {None, self.me.public, self.partner}
        begun = {card for card in self.unanswered if self.owner(card) in both}
        cards = {*self.mine.give, *self.mine.want, *self.theirs.give, *wished, *begun}
        return sorted({*cards, *(name for card in cards for name in self.signing.waives_of(card))})

    @property
    def offered(self) -> tuple[bytes, ...]:
        """The cards that lie on the table, of both sides."""
        return self.mine.give + self.theirs.give

    def owner(self, card: bytes) -> bytes | None:
        """Whose card it is, as far as is known here."""
        held = self.book.view.holding(card)
        return None if held is None else held.owner

    def add_records(self, records: list[LedgerRecord]) -> None:
        """Keep what the merge has brought."""
        if records:
            sound = not self.journal.is_outdated()
            self.book.add(records)
            self.faces.allow_images(self.offered)
            self.add_event(RecordsReceived(len(records)))
            if sound and self.journal.is_outdated():
                self.add_event(JournalOutdated())

    # --- proposals ---

    def show(self, proposal: TradeProposal, *, again: bool = False) -> None:
        """Put a proposal on the table, for the person to say yes or no."""
        self.proposal = proposal
        self.phase = TradePhase.PROPOSED if proposal.mine else TradePhase.ASKED
        self.add_event(TradeProposed(self.terms(proposal), proposal.mine, again))

    def withdraw(self, code: Code | None = None) -> None:
        """Take the proposal off the table; what was signed stays signed."""
        if self.proposal is not None:
            self.add_event(ProposalRejected(self.proposal.id, self.proposal.mine, code))
        self.proposal, self.phase = None, TradePhase.TALKING

    def terms(self, of: TradeProposal | CountersignRequest) -> TradeSummary:
        """What the person must see of it, by what is known now."""
        return summarise_trade(of.trade, self.me.public, self.partner, self.book, self.journal)

    def confirm_shown(self, of: TradeProposal | CountersignRequest) -> TradeSummary | None:
        """What the person has seen of it, if that is still so; otherwise it is shown again, and
        there is no yes.
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

    def check(self, of: TradeProposal | CountersignRequest) -> None:
        """Raise RemoteError(NOT_OWNED, OTHER_TRADE) unless the view here comes to the same
        content.
        """
        check_trade(self.book.view, of.trade, self.me.public, self.partner)

    def agree(self, proposal: TradeProposal, *, warned: bool) -> None:
        """The person here agrees: sign if it is this side's turn. Raises: LocalError; RemoteError
        as `check`.
        """
        self.check(proposal)
        # neither a signature nor a waive could follow, and the other would be left waiting
        if self.journal.is_outdated():
            raise JournalRefusal("wrong.trade.old")
        proposal.yes, proposal.warned = True, warned
        if proposal.mine and proposal.agreed:
            self.sign_first(proposal)
        elif not proposal.mine and self.phase is TradePhase.ASKED:
            self.phase = TradePhase.AGREED
            self.line.send("agree", proposal.id)

    def sign_first(self, proposal: TradeProposal) -> None:
        """Sign one's own proposal: its cards are reserved from here on. Raises: LocalError;
        RemoteError as `check`.
        """
        self.check(proposal)
        promised = self.signing.sign_first(proposal.trade, warned=proposal.warned)
        self.phase = TradePhase.SIGNED
        self.line.send("sign", content_bytes(proposal.trade), promised.own_signature)
        self.add_event(TradeSigned(proposal.id))

    def sign_second(self, trade: bytes, *, warned: bool) -> None:
        """Sign what the other has signed. Raises: LocalError; RemoteError as `check`."""
        held = self.held[trade]
        self.check(held)
        record = self.signing.sign_second(held.trade, held.theirs, warned=warned)
        del self.held[trade]
        self.line.send("counter", trade, self.signing.previous_answer(trade))
        self.finish(record)

    def finish(self, record: LedgerRecord) -> None:
        """Both have signed: what was offered is gone from the table."""
        if self.proposal is not None and self.proposal.id == record.id:
            self.proposal, self.phase = None, TradePhase.TALKING
            for offer in (self.mine, self.theirs):
                offer.give = offer.want = ()
        self.add_event(TradeFinished(record.id, record))

    def waive(self, trade: bytes) -> None:
        """Sign that a trade which only the other has signed never finished. Raises: LocalError."""
        record = self.signing.waive(self.held[trade].trade)
        del self.held[trade]
        self.line.send("waive", record.raw)


def merge_salt(salts: Iterable[bytes], lower: int, higher: int) -> bytes:
    """The salt of a merge under the offers of these revisions, that of the lower key first; `salts`
    of both sides.
    """
    return digest("trade merge", *sorted(salts), lower, higher)
