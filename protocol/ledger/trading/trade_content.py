"""Content of a trade, which each side computes from its own view, and its summary for a person."""

from collections.abc import Collection

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_codec import read_content
from protocol.ledger.record_contents import CardTransfer, Instance, Trade
from protocol.ledger.records import content_id
from protocol.ledger.trading.card_store import CardStore, OwnershipView
from protocol.ledger.trading.events import TradeSummary
from protocol.ledger.trading.journal import SignatureJournal


def compose_trade(
    view: OwnershipView,
    me: bytes,
    partner: bytes,
    gives: Collection[bytes],
    takes: Collection[bytes],
) -> Trade:
    """Return the trade in which `me` gives and takes these cards, according to this view.

    Raises: RemoteError(NOT_OWNED) if a card does not belong to its giver.
    """
    a, b = sorted((me, partner))
    goes = [_transfer(view, instance, me, int(me == b)) for instance in gives]
    comes = [_transfer(view, instance, partner, int(partner == b)) for instance in takes]
    return view.with_free_number(
        Trade(a, b, tuple(sorted(goes + comes, key=lambda one: one.instance)))
    )


def _transfer(view: OwnershipView, instance: bytes, owner: bytes, side: int) -> CardTransfer:
    held = view.holding(instance)
    if held is None or held.owner != owner or held.burnt:
        raise RemoteError(Code.NOT_OWNED)
    return view.next_transfer(instance, side)


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


def check_trade(view: OwnershipView, trade: Trade, me: bytes, partner: bytes) -> None:
    """Check that this view results in exactly this trade of its cards.

    Raises: RemoteError(NOT_OWNED, OTHER_TRADE).
    """
    if (
        compose_trade(view, me, partner, *split_by_direction(trade, me)).transfers
        != trade.transfers
        or view.with_free_number(trade) != trade
    ):
        raise RemoteError(Code.OTHER_TRADE)


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
