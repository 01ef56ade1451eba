"""Handlers of the messages in a trade. `messages` has their senders, phases and shapes."""

from collections.abc import Callable

from protocol import wire
from protocol.codes import Code, parse_code
from protocol.errors import RemoteError
from protocol.identity.names import check_name
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord, check_signed, content_id, read_record
from protocol.ledger.trading.channel import CountersignRequest, TradeOffer, TradeProposal
from protocol.ledger.trading.events import (
    CardsReleased,
    ImagesReceived,
    JournalOutdated,
    OfferChanged,
    PartnerAgreed,
    PartnerIdentified,
    ProposalRejected,
    RemarkReceived,
    SessionEnded,
    SignatureReceived,
)
from protocol.ledger.trading.journal import (
    JournalCount,
    JournalRefusal,
    JournalStanding,
    check_standing,
    sign_standing,
)
from protocol.ledger.trading.messages import NO_CODE, TradePhase
from protocol.ledger.trading.session_state import SessionState
from protocol.ledger.trading.trade_content import check_trade, read_trade, split_by_direction
from protocol.limits import (
    MAX_OFFER,
    MAX_OFFERS,
    MAX_PROPOSALS,
    MAX_TRADE_COMPARED,
    MAX_UNFINISHED,
)


def meet(s: SessionState, version: int, key: bytes, name: str, trusts: list[bytes]) -> None:
    """Process the other program's key and name, and answer with the known standing of its
    journal.
    """
    if version != wire.VERSION:
        raise RemoteError(Code.WRONG_VERSION)
    if key == s.me.public or (s.partner and key != s.partner):
        raise RemoteError(Code.BAD_IDENTITY)
    check_name(name)
    s.partner = key
    s.phase = TradePhase.GREETED
    known = s.journal.standing_of(key)
    pending = s.signing.pending(key)
    s.unanswered = tuple(
        sorted({one.instance for each in pending for one in each.trade.transfers})
    )[:MAX_OFFER]
    word = sign_standing(s.me, s.journal.standing())
    s.line.send("standing", list(word), None if known is None else list(known), list(s.unanswered))
    s.add_event(PartnerIdentified(key, name, tuple(trusts)))


def standing(
    s: SessionState, theirs: list[int | bytes], mine: list[int | bytes] | None, cards: list[bytes]
) -> None:
    """Compare the standings of both journals: an old copy of a journal is noticed by this."""
    their_word = JournalStanding(*theirs)  # type: ignore[arg-type]
    check_standing(s.partner, their_word)
    known = s.journal.standing_of(s.partner)
    if known is None or known.made <= their_word.made:
        s.journal.store_standing(s.partner, their_word)
    if mine is not None:
        _remembered(s, JournalStanding(*mine))  # type: ignore[arg-type]
    s.phase = TradePhase.TALKING
    s.unanswered = (*s.unanswered, *cards)
    for one in s.signing.pending(s.partner)[:MAX_UNFINISHED]:
        s.line.send("sign", content_bytes(one.trade), one.own_signature)
    s.restart_merge()


def _remembered(s: SessionState, word: JournalStanding) -> None:
    """Process an earlier signed standing of this side, which the other side has stored."""
    check_standing(s.me.public, word)
    sound = not s.journal.is_outdated()
    s.journal.record_proven_count(JournalCount(word.made, word.digest))
    if sound and s.journal.is_outdated():
        s.add_event(JournalOutdated())


def merge(s: SessionState, theirs: int, mine: int, message: bytes) -> None:
    """Process a message of the merge. A message for outdated offers is ignored."""
    if theirs != s.theirs.revision or mine > s.mine.revision:
        raise RemoteError(Code.BAD_MESSAGE)
    merging = s.merge()
    if mine == s.mine.revision and merging is not None:
        s.add_records(merging.received(message))


def image(s: SessionState, message: bytes) -> None:
    """Process a request for images, or a part of an image."""
    if s.faces.received(message):
        s.add_event(ImagesReceived())


def offer(s: SessionState, give: list[bytes], want: list[bytes], waives: list[bytes]) -> None:
    """Process a changed offer, which cancels the other side's proposal."""
    if s.phase in (TradePhase.ASKED, TradePhase.AGREED):
        s.withdraw()
    if s.theirs.revision >= MAX_OFFERS or s.compared > MAX_TRADE_COMPARED:
        raise RemoteError(Code.TOO_MANY)
    gives, wants, listed = (tuple(sorted(set(ids))) for ids in (give, want, waives))
    s.theirs = TradeOffer(gives, wants, s.theirs.revision + 1, listed)
    s.add_event(OfferChanged(s.theirs.give, s.theirs.want))
    s.restart_merge()


def say(s: SessionState, text: str) -> None:
    """Process a remark."""
    s.add_event(RemarkReceived(text))


def propose(s: SessionState, content: bytes) -> None:
    """Process the complete unsigned trade. Of two simultaneous proposals, that of the lower key
    stays.
    """
    trade = read_trade(content, s.me.public, s.partner)
    s.proposals += 1
    if s.proposals > MAX_PROPOSALS:
        raise RemoteError(Code.TOO_MANY)
    if s.phase is TradePhase.PROPOSED and s.lower:
        return
    s.withdraw()
    identity = content_id(trade)
    code = _wrong(s, trade)
    if code is None:
        s.show(TradeProposal(identity, trade, mine=False))
    else:
        s.line.send("reject", identity, str(code))
        s.add_event(ProposalRejected(identity, False, code))


def _wrong(s: SessionState, trade: Trade) -> Code | None:
    """Return the reason why the proposal differs from the trade of both offers; None if they are
    equal.
    """
    if set(split_by_direction(trade, s.me.public)[0]) != set(s.mine.give):
        return Code.OTHER_TRADE
    if set(split_by_direction(trade, s.partner)[0]) != set(s.theirs.give):
        return Code.OTHER_TRADE
    try:
        check_trade(s.book.view, s.journal, trade, s.me.public, s.partner)
    except RemoteError as error:
        return error.code
    return None


def agree(s: SessionState, trade: bytes) -> None:
    """Process the other person's agreement to this side's proposal."""
    proposal = s.proposal
    if proposal is None or proposal.id != trade or not proposal.mine:
        s.line.send("reject", trade, str(Code.NOT_NOW))
    elif s.phase is TradePhase.PROPOSED and not proposal.agreed:
        proposal.agreed = True
        s.add_event(PartnerAgreed(trade))
        if proposal.yes and s.confirm_shown(proposal) is not None:
            _sign_first(s, proposal)


def _sign_first(s: SessionState, proposal: TradeProposal) -> None:
    try:
        s.sign_first(proposal)
    except (JournalRefusal, RemoteError) as error:
        if isinstance(error, RemoteError):
            code = error.code
        else:
            code = Code.NOT_NOW
        s.line.send("reject", proposal.id, str(code))
        s.withdraw(code)


def sign(s: SessionState, content: bytes, signature: bytes) -> None:
    """Process the other side's first signature, for this session or an earlier one that broke
    off.
    """
    trade = read_trade(content, s.me.public, s.partner)
    check_signed(s.partner, trade, signature)
    identity = content_id(trade)
    answer = s.signing.previous_answer(identity)
    if isinstance(answer, LedgerRecord):
        s.line.send("waive", answer.raw)
    elif answer is not None:
        s.line.send("counter", identity, answer)
    elif (own := s.journal.promise_of(identity)) is not None:
        # both sides signed first, in two sessions
        s.line.send("counter", identity, own.own_signature)
        counter(s, identity, signature)
    else:
        _hold(s, identity, CountersignRequest(trade, signature))


def _hold(s: SessionState, identity: bytes, held: CountersignRequest) -> None:
    """Answer at once if the person has decided already; otherwise ask the person."""
    s.held[identity] = held
    if identity in s.rejected:
        _waive(s, identity, None)
    elif s.proposal is not None and s.proposal.id == identity and s.proposal.yes:
        _countersign(s, identity, s.proposal)
    elif len(s.held) > MAX_UNFINISHED:
        raise RemoteError(Code.TOO_MANY)
    else:
        s.add_event(SignatureReceived(s.terms(held)))


def _countersign(s: SessionState, identity: bytes, proposal: TradeProposal) -> None:
    if s.confirm_shown(s.held[identity]) is None:
        s.withdraw()
        return
    try:
        s.sign_second(identity, warned=proposal.warned)
    except (JournalRefusal, RemoteError) as error:
        _waive(s, identity, error.code if isinstance(error, RemoteError) else Code.NOT_NOW)


def _waive(s: SessionState, identity: bytes, code: Code | None) -> None:
    if s.proposal is not None and s.proposal.id == identity:
        s.withdraw(code)
    try:
        s.waive(identity)
    except JournalRefusal:
        # an old copy of the journal signs nothing; the person has to solve this first
        s.add_event(SignatureReceived(s.terms(s.held[identity])))


def counter(s: SessionState, trade: bytes, signature: bytes) -> None:
    """Process the second signature, which finishes the trade."""
    record = s.signing.finish(trade, s.partner, signature)
    s.line.send("done", trade)
    if record is not None:
        s.finish(record)


def done(s: SessionState, trade: bytes) -> None:
    """Process the other side's note that it has both signatures. No action is necessary."""


def reject(s: SessionState, trade: bytes, code: str) -> None:
    """Process a rejected proposal. Signatures remain valid, and their cards reserved."""
    if s.proposal is not None and s.proposal.id == trade:
        s.withdraw(None if code == NO_CODE else parse_code(code))


def waive(s: SessionState, raw: bytes) -> None:
    """Process a waive: the other side never finished a trade, and never will."""
    record = read_record(raw)
    trade = s.signing.release(record, s.partner)
    s.renew_offer()
    if trade is not None:
        if s.proposal is not None and s.proposal.id == trade:
            s.withdraw()
        s.add_event(CardsReleased(trade))


def exit_(s: SessionState) -> None:
    """Process the end of the session. Signed trades are continued in another session."""
    s.phase = TradePhase.CLOSED
    s.add_event(SessionEnded())


HANDLERS: dict[str, Callable[..., None]] = {
    "meet": meet,
    "standing": standing,
    "merge": merge,
    "image": image,
    "offer": offer,
    "say": say,
    "propose": propose,
    "agree": agree,
    "sign": sign,
    "counter": counter,
    "done": done,
    "reject": reject,
    "waive": waive,
    "exit": exit_,
}
