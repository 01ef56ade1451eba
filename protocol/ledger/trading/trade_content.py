"""Content of a trade, which each side computes from its own view, and its summary for a person."""

from collections.abc import Collection, Iterable
from contextlib import suppress

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.record_codec import read_content
from protocol.ledger.record_contents import CardTransfer, Instance, Trade
from protocol.ledger.records import content_id
from protocol.ledger.related_records import place_key
from protocol.ledger.trading.card_store import CardStore, OwnershipView
from protocol.ledger.trading.events import TradeSummary
from protocol.ledger.trading.journal import SignatureJournal, uncovered_promises
from protocol.limits import MAX_TRADE_WAIVES


def compose_trade(
    view: OwnershipView,
    me: bytes,
    partner: bytes,
    gives: Collection[bytes],
    takes: Collection[bytes],
    waives: Iterable[bytes] = (),
) -> Trade:
    """Return the trade in which `me` gives and takes these cards, according to this view.

    `waives`: waives to list besides those that this view knows. Raises: RemoteError(NOT_OWNED) if
    a card does not belong to its giver, or the giver cannot trade it now; RemoteError(TOO_MANY) for
    too many waives.
    """
    a, b = sorted((me, partner))
    goes = [_transfer(view, instance, me, int(me == b)) for instance in gives]
    comes = [_transfer(view, instance, partner, int(partner == b)) for instance in takes]
    known = {waive for card in (*gives, *takes) for waive in view.listed_waives(card)}
    listed = tuple(sorted(known.union(waives)))
    if len(listed) > MAX_TRADE_WAIVES:
        raise RemoteError(Code.TOO_MANY)
    moved = tuple(sorted(goes + comes, key=lambda one: one.instance))
    return view.with_free_number(Trade(a, b, moved, waives=listed))


def required_waives(
    view: OwnershipView, journal: SignatureJournal, gives: Iterable[bytes]
) -> tuple[bytes, ...]:
    """Return the waives that a trade of these own cards must list, ascending."""
    found: set[bytes] = set()
    for card in gives:
        with suppress(LocalError):
            one = view.next_transfer(card, 0)
            promises = uncovered_promises(journal.promises_at(place_key(one)), one, ())
            found |= {promise.waive for promise in promises if promise.released}
    return tuple(sorted(found))


def _transfer(view: OwnershipView, instance: bytes, owner: bytes, side: int) -> CardTransfer:
    held = view.holding(instance)
    if held is None or held.owner != owner or held.burnt:
        raise RemoteError(Code.NOT_OWNED)
    try:
        return view.next_transfer(instance, side)
    except LocalError:
        # a proposal may name a card with a pending trade, which is no fault of this program
        raise RemoteError(Code.NOT_OWNED) from None


def read_trade(content: bytes, me: bytes, partner: bytes) -> Trade:
    """Read a trade between these two people. Raises: RemoteError(BAD_ENCODING, BAD_CONTENT,
    BAD_TRADE).
    """
    trade = read_content(content)
    if not isinstance(trade, Trade) or {trade.a, trade.b} != {me, partner}:
        raise RemoteError(Code.BAD_TRADE)
    return trade


def split_by_direction(trade: Trade, me: bytes) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Return the cards that `me` gives in a trade, and the cards that `me` receives."""
    goes = tuple(one.instance for one in trade.transfers if trade.giver(one) == me)
    return goes, tuple(one.instance for one in trade.transfers if trade.giver(one) != me)


def check_trade(
    view: OwnershipView, journal: SignatureJournal, trade: Trade, me: bytes, partner: bytes
) -> None:
    """Check that this view results in exactly this trade of its cards, that it holds once both
    have signed it, and that it covers all that was promised of the own cards.

    A trade may list more waives than this side knows to be necessary. Raises:
    RemoteError(NOT_OWNED, OTHER_TRADE).
    """
    ours = compose_trade(view, me, partner, *split_by_direction(trade, me))
    if ours.transfers != trade.transfers or view.with_free_number(trade) != trade:
        raise RemoteError(Code.OTHER_TRADE)
    gives, _ = split_by_direction(trade, me)
    if not {*ours.waives, *required_waives(view, journal, gives)} <= {*trade.waives}:
        raise RemoteError(Code.OTHER_TRADE)
    if not view.can_hold(trade):
        raise RemoteError(Code.NOT_OWNED)


def summarise_trade(
    trade: Trade, me: bytes, partner: bytes, book: CardStore, journal: SignatureJournal
) -> TradeSummary:
    """Return the summary that a person must see before signing the trade."""
    goes, comes = split_by_direction(trade, me)
    identity = content_id(trade)
    promised = {
        card for promise in journal.reserved() if promise.id != identity for card in promise.cards
    }
    return TradeSummary(
        identity,
        trade,
        comes,
        goes,
        tuple((key, book.trust(key)) for key in sorted(_creators(comes, book))),
        tuple(alarm for alarm in book.view.alarms if alarm.key == partner),
        all(book.witnesses(key)[1] for key in _creators((*goes, *comes), book)),
        tuple(card for card in goes if card in promised),
    )


def _creators(cards: Collection[bytes], book: CardStore) -> set[bytes]:
    """Return the creators of these cards. Unknown cards are ignored, since they cannot be traded
    anyway.
    """
    contents = [record.content for card in cards if (record := book.find(card))]
    return {content.creator for content in contents if isinstance(content, Instance)}
