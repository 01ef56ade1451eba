"""Links of a trade to the records that it rests on (docs/protocol, 24.2)."""

from collections.abc import Mapping

from protocol.ledger.record_contents import CardTransfer, CardType, Instance, Trade, Waive
from protocol.ledger.records import LedgerRecord


def transfer_of(trade: Trade, instance: bytes) -> CardTransfer:
    """Return a trade's transfer of this card. Raises: KeyError if there is none."""
    found = find_transfer(trade, instance)
    if found is None:
        raise KeyError(instance)
    return found


def find_transfer(trade: object, instance: bytes) -> CardTransfer | None:
    """Return the transfer of this card if `trade` is a trade and has one."""
    if not isinstance(trade, Trade):
        return None
    return next((one for one in trade.transfers if one.instance == instance), None)


def replaced_transfer(trade: Trade, one: CardTransfer, before: object) -> CardTransfer | None:
    """Return the transfer that `one` replaces, if `before` has it: same card, same previous trade,
    same giver.
    """
    found = find_transfer(before, one.instance)
    if found is None or not isinstance(before, Trade):
        return None
    if found.prev == one.prev and before.giver(found) == trade.giver(one):
        return found
    return None


def replacement_chain(
    trade_id: bytes, one: CardTransfer, trades: Mapping[bytes, Trade]
) -> set[bytes]:
    """Return a trade with the trades that it replaces for this card, directly and indirectly."""
    trade = trades[trade_id]
    found = {trade_id}
    while one.over is not None:
        found.add(one.over)
        below = trades.get(one.over)
        under = replaced_transfer(trade, one, below)
        if below is None or under is None:
            break
        trade = below
        one = under
    return found


def good_instance(content: object, kind: object) -> bool:
    """Check that `content` is an instance of `kind`, which is revision 0 of a type by the same
    creator.
    """
    if not (isinstance(content, Instance) and isinstance(kind, CardType)):
        return False
    return kind.type is None and kind.creator == content.creator


def links_hold(
    trade: Trade, records: Mapping[bytes, LedgerRecord], instances: Mapping[bytes, Instance]
) -> bool:
    """Check that every card comes from the place that the trade names, and that the trade lists
    waives alone. All linked records must be in `records`.

    The result does not depend on void trades, so it never changes.
    """

    def content(link: bytes) -> object:
        return records[link].content

    if not all(isinstance(content(waive), Waive) for waive in trade.waives):
        return False
    return all(
        transfer_holds(
            trade,
            one,
            instances.get(one.instance),
            None if one.prev is None else content(one.prev),
            None if one.over is None else content(one.over),
        )
        for one in trade.transfers
    )


def transfer_holds(
    trade: Trade, one: CardTransfer, card: Instance | None, before: object, below: object
) -> bool:
    """Check that one card comes from the place that its transfer names, at the right index.

    `card`: the instance, None if it is unknown. `before`, `below`: contents of the records that
    `prev` and `over` name.
    """
    if card is None:
        return False
    came = None if one.prev is None else find_transfer(before, one.instance)
    if one.prev is None:
        giver: bytes | None = card.creator
    elif isinstance(before, Trade) and came is not None:
        giver = before.receiver(came)
    else:
        giver = None
    last = came if one.over is None else replaced_transfer(trade, one, below)
    if giver != trade.giver(one) or (one.over is not None and last is None):
        return False
    return one.index == (0 if last is None else last.index + 1)
