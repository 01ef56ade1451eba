"""Evidence about the trades of one card, as a function of a set of records (docs/protocol, 24.9).

A seat accuses, defends and judges with these functions alone. They need no complete history: a
trade is proven dead by a few records, and nothing that is signed later changes that. Attestations
of witnesses prove nothing here, because they may come at any later time.
"""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from protocol.ledger.alarms import Alarm, conflict_alarm
from protocol.ledger.conflicts import Conflicts, GivenPlace, PlaceOrder, given_places
from protocol.ledger.record_contents import CardTransfer, Trade, Waive
from protocol.ledger.records import LedgerRecord, waive_id
from protocol.ledger.related_records import RecordSource, place_key


def trades_from(records: RecordSource, place: GivenPlace) -> dict[bytes, Trade]:
    """Return the known trades by which the giver of a place gives the card from there."""
    found = {}
    for record in records.ids_under(_key(place)):
        if isinstance(record.content, Trade) and place in given_places(record.content):
            found[record.id] = record.content
    return found


def conflict_proof(records: RecordSource, place: GivenPlace) -> tuple[LedgerRecord, ...]:
    """Return the records that prove a conflict of the giver at a place; empty without one."""
    return _conflict_proof(records, place, trades_from(records, place))


def conflict_proofs(
    records: RecordSource, places: Iterable[GivenPlace]
) -> Iterator[tuple[LedgerRecord, ...]]:
    """Yield the proofs of all conflicts at these places. The trades of a card from one place are
    looked at once, however many people have signed them.
    """
    by_key: dict[bytes, dict[GivenPlace, dict[bytes, Trade]]] = {}
    for place in places:
        by_key.setdefault(_key(place), {})[place] = {}
    for key, trades in by_key.items():
        for record in records.ids_under(key):
            if isinstance(record.content, Trade):
                for place in given_places(record.content):
                    if place in trades:
                        trades[place][record.id] = record.content
    for trades in by_key.values():
        for place, found in trades.items():
            if proof := _conflict_proof(records, place, found):
                yield proof


def _conflict_proof(
    records: RecordSource, place: GivenPlace, trades: dict[bytes, Trade]
) -> tuple[LedgerRecord, ...]:
    if len(trades) < 2:
        return ()
    order = _order(records, place, trades)
    known = {name: records.get(name) for name in trades}
    for trade in trades.values():
        known |= {waive: records.get(waive) for waive in trade.waives}
    there = {name: record for name, record in known.items() if record is not None}
    alarm: Alarm | None = conflict_alarm(place, order, there)
    return () if alarm is None else alarm.records


class _Path(NamedTuple):
    """A link, and the links before it."""

    record: LedgerRecord
    before: "_Path | None"


def _links(path: _Path | None) -> tuple[LedgerRecord, ...]:
    found = []
    while path is not None:
        found.append(path.record)
        path = path.before
    return tuple(found[::-1])


def death_proof(
    records: RecordSource, name: bytes, most: int | None = None
) -> tuple[LedgerRecord, ...] | None:
    """Return the smallest set of records that prove a trade dead, besides the trade itself.

    None if the trade is not known to be dead, or if all proofs have more than `most` bytes. The
    search goes from a trade to those by which its cards were received.
    """
    ahead: list[tuple[int, bytes, int, _Path | None]] = [(0, name, 0, None)]
    done: set[bytes] = set()
    best: tuple[LedgerRecord, ...] | None = None
    pushed = 0
    while ahead and (best is None or ahead[0][0] < _size(best)):
        size, name, _, before = heappop(ahead)
        record = records.get(name)
        if name in done or record is None or not isinstance(record.content, Trade):
            continue
        done.add(name)
        for cause in _causes(records, name, record.content):
            found = tuple(dict.fromkeys((*_links(before), *cause)))
            fits = most is None or _size(found) <= most
            if fits and (best is None or _size(found) < _size(best)):
                best = found
        for prev in {one.prev for one in record.content.transfers} - {None} - done:
            link = records.get(prev or b"")
            if link is not None and (most is None or size + len(link.raw) <= most):
                pushed += 1
                path = _Path(link, before)
                heappush(ahead, (size + len(link.raw), link.id, pushed, path))
    return best


def _causes(records: RecordSource, name: bytes, trade: Trade) -> Iterator[tuple[LedgerRecord, ...]]:
    """Yield the proofs that a trade is dead by itself, whatever its cards rest on. A waive of it is
    smaller than any other.
    """
    for key in (trade.a, trade.b):
        waive = records.get(waive_id(name, key))
        if waive is not None:
            yield (waive,)
            return
    for one in trade.transfers:
        yield from _denials(records, trade, one)
    for place in given_places(trade):
        if found := conflict_proof(records, place):
            yield found


def _denials(
    records: RecordSource, trade: Trade, one: CardTransfer
) -> Iterator[tuple[LedgerRecord, ...]]:
    """Yield proofs that the giver has waived a trade that a transfer is over."""
    giver = trade.giver(one)
    chain: list[LedgerRecord] = []
    over = one.over
    while over is not None:
        waive = records.get(waive_id(over, giver))
        if waive is not None:
            yield (*chain, waive)
        below = records.get(over)
        if below is None or not isinstance(below.content, Trade):
            return
        chain.append(below)
        under = next(
            (
                each
                for each in below.content.transfers
                if (each.instance, each.prev) == (one.instance, one.prev)
                and below.content.giver(each) == giver
            ),
            None,
        )
        over = None if under is None else under.over


def _order(records: RecordSource, place: GivenPlace, trades: dict[bytes, Trade]) -> PlaceOrder:
    index = Conflicts()
    for trade in trades.values():
        for waive in trade.waives:
            record = records.get(waive)
            if record is not None and isinstance(record.content, Waive):
                index.waive(waive, record.content)
    for name, trade in trades.items():
        index.trade(name, trade)
    return index.order(place)


def _key(place: GivenPlace) -> bytes:
    return place_key(CardTransfer(place.instance, 0, 0, place.prev, None))


def _size(records: Iterable[LedgerRecord]) -> int:
    return sum(len(record.raw) for record in records)
