"""Checks of the links between records (docs/protocol, 24.2), as far as the linked records are
known.
"""

from collections.abc import Callable

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_contents import (
    Attestation,
    CardRules,
    CardType,
    Content,
    Creator,
    Instance,
    PrintRun,
    Trade,
)
from protocol.ledger.records import LedgerRecord
from protocol.ledger.trade_links import links_hold

Get = Callable[[bytes], LedgerRecord | None]


def check_links(content: Content, get: Get) -> None:
    """Check a record against the records that it links to, as far as they are known.

    Raises: RemoteError(WRONG_CREATOR) for a link to another creator's record;
    RemoteError(WRONG_LINK) for a link to a record of the wrong kind.
    """
    match content:
        case Instance():
            _check_type(content.creator, get(content.type))
        case PrintRun():
            for kind, _ in content.copies:
                _check_type(content.creator, get(kind))
        case Creator() | CardType() | CardRules() if content.previous is not None:
            _check_revision(content, get(content.previous))
        case Attestation():
            _check_seen(content, get(content.trade))
        case Trade():
            _check_trade(content, get)


def _check_type(creator: bytes, kind: LedgerRecord | None) -> None:
    if kind is None:
        return
    if not isinstance(kind.content, CardType) or kind.content.type is not None:
        raise RemoteError(Code.WRONG_LINK)
    if kind.content.creator != creator:
        raise RemoteError(Code.WRONG_CREATOR)


def _check_revision(content: Creator | CardType | CardRules, previous: LedgerRecord | None) -> None:
    before = None if previous is None else previous.content
    if previous is None or before is None:
        return
    if not isinstance(before, type(content)) or content.revision != before.revision + 1:
        raise RemoteError(Code.WRONG_LINK)
    if content.creator != before.creator:
        raise RemoteError(Code.WRONG_CREATOR)
    if isinstance(content, CardType) and isinstance(before, CardType):
        kept = not before.frozen or (content.frozen and content.values == before.values)
        if content.type != (before.type or previous.id) or not kept:
            raise RemoteError(Code.WRONG_LINK)


def _check_seen(content: Attestation, trade: LedgerRecord | None) -> None:
    if trade is None:
        return
    if not isinstance(trade.content, Trade) or content.slot not in {
        one.slot for one in trade.content.transfers
    }:
        raise RemoteError(Code.WRONG_LINK)


def _check_trade(trade: Trade, get: Get) -> None:
    """Check that each card belongs to its giver according to the links of the trade. Whether these
    are void is left to the view.
    """
    waives = {waive: record for waive in trade.waives if (record := get(waive)) is not None}
    if len(waives) < len(trade.waives):
        return
    known: dict[bytes, LedgerRecord] = {**waives}
    for one in trade.transfers:
        links = {link: get(link) for link in (one.instance, one.prev, one.over) if link is not None}
        found = {link: record for link, record in links.items() if record is not None}
        if len(found) < len(links):
            return
        known |= found
        made = known[one.instance].content
        if one.prev is None and isinstance(made, Instance) and made.creator != trade.giver(one):
            raise RemoteError(Code.WRONG_CREATOR)
    instances = {
        key: record.content for key, record in known.items() if isinstance(record.content, Instance)
    }
    if not links_hold(trade, known, instances):
        raise RemoteError(Code.WRONG_LINK)
