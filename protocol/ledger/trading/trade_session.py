"""A side of a trade between two people: a state machine without sockets, files or clock (chapter
26).

    received(payload)  a payload of the other program, over a session, a pipe or a letter,
                       which authenticate it
    outgoing()         payloads to send
    events()           events for the person

The person agrees to a content (`sign`), and exactly this content is signed. The summary is computed
anew before the signature. If it has changed, it is shown again instead.
"""

from collections.abc import Iterable
from random import Random

from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.records import content_id
from protocol.ledger.trading.card_store import CardStore
from protocol.ledger.trading.channel import CountersignRequest, TradeOffer, TradeProposal
from protocol.ledger.trading.events import TradeEvent
from protocol.ledger.trading.handlers import HANDLERS
from protocol.ledger.trading.journal import SignatureJournal
from protocol.ledger.trading.messages import NO_CODE, TradePhase, check
from protocol.ledger.trading.session_state import SessionState
from protocol.ledger.trading.trade_content import compose_trade
from protocol.limits import (
    MAX_OFFER,
    MAX_OFFERS,
    MAX_SAY,
    MAX_TRADE_WAIVES,
    MAX_TRANSFERS,
    MAX_TRUSTED_TOLD,
)


class TradeSession:
    """A session with one partner, for several trades one after the other."""

    def __init__(
        self,
        me: Identity,
        name: str,
        book: CardStore,
        journal: SignatureJournal,
        rng: Random,
        partner: bytes | None = None,
    ) -> None:
        """Begin a session. `partner` is the authenticated key of the other side; None: its first
        message names the key.
        """
        self._session = SessionState(me, book, journal, rng, partner or b"")
        self._session.line.send(
            "meet", wire.VERSION, me.public, name, list(book.trusted()[:MAX_TRUSTED_TOLD])
        )

    # --- the other program ---

    def received(self, payload: bytes) -> None:
        """Process a payload of the other side. Repeated payloads, and payloads after the end, are
        ignored.

        Raises: RemoteError: the session is over, and signed trades are continued in another
        session. LocalError: the disk has failed, and the same payload may come again.
        """
        session = self._session
        if session.phase is TradePhase.CLOSED:
            return
        try:
            new = session.line.read(payload)
            if new is None:
                return
            check(new, session.phase)
            session.line.theirs = new.salt
            HANDLERS[new.name](session, *new.values)
            session.line.mark_handled()
        except RemoteError:
            session.phase = TradePhase.CLOSED
            raise

    def prepare(self, most: int | None) -> bool:
        """Take at most `most` steps that are due before `outgoing`, or all (None). Return False if
        more are left. `outgoing` takes those that are left.
        """
        return self._session.prepare(most)

    def outgoing(self) -> list[bytes]:
        """Return the payloads to send since the last call, in order."""
        self._session.send_pending()
        return self._session.line.outgoing()

    def events(self) -> list[TradeEvent]:
        """Return the events since the last call. Proposals in them count as shown to the person."""
        return self._session.take_events()

    @property
    def phase(self) -> TradePhase:
        """Phase of the session."""
        return self._session.phase

    @property
    def partner(self) -> bytes | None:
        """The other person's key; None until it is known."""
        return self._session.partner or None

    @property
    def merged(self) -> bool:
        """The merge for the present offers is complete."""
        return self._session.merging is not None and self._session.merging.done

    # --- the person ---

    def offer(self, give: Iterable[bytes], want: Iterable[bytes] = ()) -> None:
        """Replace the own offer by these cards, and name the cards wanted from the other side.

        The other side gets all records about these cards. Raises: LocalError.
        """
        session = self._talking()
        gives = tuple(sorted(set(give)))
        wants = tuple(sorted(set(want)))
        if len(gives) > MAX_OFFER or len(wants) > MAX_OFFER:
            raise LocalError("wrong.trade.many", most=MAX_OFFER)
        if session.mine.revision >= MAX_OFFERS:
            raise LocalError("wrong.trade.offers")
        if any(session.owner(card) != session.me.public for card in gives):
            raise LocalError("wrong.trade.not_yours")
        waives = session.signing.required_waives(gives)
        if len(waives) > MAX_TRADE_WAIVES:
            raise LocalError("wrong.trade.waives", most=MAX_TRADE_WAIVES)
        session.mine = TradeOffer(gives, wants, session.mine.revision + 1, waives)
        session.line.send("offer", list(gives), list(wants), list(waives))
        session.restart_merge()

    def say(self, text: str) -> None:
        """Send a remark. Raises: LocalError if it is empty or too long."""
        self._open()
        if not 1 <= len(text) <= MAX_SAY:
            raise LocalError("wrong.remark", most=MAX_SAY, characters=len(text))
        self._session.line.send("say", text)

    def propose(self) -> None:
        """Propose a trade of both sides' offers. Raises: LocalError."""
        session = self._talking()
        if not self.merged:
            raise LocalError("wrong.trade.merging")
        gives = session.mine.give
        takes = session.theirs.give
        if not 1 <= len(gives) + len(takes) <= MAX_TRANSFERS:
            raise LocalError("wrong.trade.cards", most=MAX_TRANSFERS)
        if session.journal.is_outdated():
            raise LocalError("wrong.trade.old")
        try:
            trade = compose_trade(
                session.book.view,
                session.me.public,
                session.partner,
                gives,
                takes,
                waives=(*session.signing.required_waives(gives), *session.theirs.waives),
            )
            session.check_new(trade)
        except RemoteError as error:
            if error.code is Code.TOO_MANY:
                raise LocalError("wrong.trade.waives", most=MAX_TRADE_WAIVES) from None
            raise LocalError("wrong.trade.not_owned") from None
        if session.journal.promise_of(content_id(trade)) is not None:
            raise LocalError("wrong.trade.waiting")
        session.line.send("propose", content_bytes(trade))
        session.show(TradeProposal(content_id(trade), trade, mine=True))

    def sign(self, trade: bytes, *, warned: bool = False, seen: bytes | None = None) -> None:
        """Agree to a proposal, or to a trade that the other side has signed, exactly as it was
        shown.

        The signatures are sent when both people have agreed, the proposer's first.

        `warned`: the person has been warned that cards in it are reserved for another person, and
        that finishing both trades creates an alarm. `seen`: `TradeSummary.digest` of the summary on
        the screen, which may lag; None: the newest summary from `events`.

        Raises: LocalError; "wrong.trade.changed" if the summary has changed, and is shown again.
        """
        session = self._open()
        of = self._question(trade)
        terms = session.confirm_shown(of)
        if terms is None or seen not in (None, terms.digest):
            raise LocalError("wrong.trade.changed")
        if terms.reserved and not warned:
            raise LocalError("wrong.trade.reserved")
        try:
            if isinstance(of, CountersignRequest):
                session.sign_second(trade, warned=warned)
            else:
                session.agree(of, warned=warned)
        except RemoteError:
            raise LocalError("wrong.trade.not_owned") from None

    def reject(self, trade: bytes) -> None:
        """Reject a proposal; or, with a signed waive, a trade that the other side has signed.
        Raises: LocalError.
        """
        session = self._open()
        of = self._question(trade)
        if isinstance(of, CountersignRequest):
            session.waive(trade)
        if session.proposal is not None and session.proposal.id == trade:
            if not session.proposal.mine:
                session.rejected.add(trade)
            session.line.send("reject", trade, NO_CODE)
            session.withdraw()

    def leave(self) -> None:
        """End the session. Signatures remain valid, and their cards reserved."""
        if self._session.phase is not TradePhase.CLOSED:
            self._session.line.send("exit")
            self._session.phase = TradePhase.CLOSED

    def _question(self, trade: bytes) -> CountersignRequest | TradeProposal:
        """Return the request or the proposal that waits for the person under this id."""
        session = self._session
        if (held := session.held.get(trade)) is not None:
            return held
        if session.proposal is None or session.proposal.id != trade:
            raise LocalError("wrong.trade.gone")
        if session.phase is TradePhase.SIGNED:
            raise LocalError("wrong.trade.signed")
        return session.proposal

    def _open(self) -> SessionState:
        if self._session.phase in (TradePhase.MEETING, TradePhase.GREETED, TradePhase.CLOSED):
            raise LocalError("wrong.trade.closed")
        return self._session

    def _talking(self) -> SessionState:
        if self._open().phase is not TradePhase.TALKING:
            raise LocalError("wrong.trade.open")
        return self._session
