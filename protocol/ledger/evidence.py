"""Evidence about the trades of one card, as a function of a set of records (docs/protocol, 24.9).

A seat accuses, defends and judges with these functions alone. They need no complete history: a
trade is proven dead by a few records, and nothing that is signed later changes that. Attestations
of witnesses prove nothing here, because they may come at any later time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from heapq import heappop, heappush
from typing import NamedTuple

from protocol.ledger.alarms import Alarm, conflict_alarm
from protocol.ledger.conflicts import (
    Conflicts,
    GivenPlace,
    PlaceOrder,
    given_place,
    given_places,
)
from protocol.ledger.record_contents import CardTransfer, Trade, Waive
from protocol.ledger.records import LedgerRecord, waive_id
from protocol.ledger.related_records import RecordSource, place_key
from protocol.ledger.trade_links import find_transfer


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


class Searched:
    """Results that searches for several trades share. They hold for one set of records, as long as
    it does not grow.
    """

    def __init__(self, records: RecordSource) -> None:
        self.conflict = cache(partial(conflict_proof, records))
        # trades of a place of which the giver has waived neither them nor what they are over
        self.undenied: set[tuple[bytes, GivenPlace]] = set()


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
    records: RecordSource,
    name: bytes,
    most: int | None = None,
    searched: Searched | None = None,
) -> tuple[LedgerRecord, ...] | None:
    """Return the smallest set of records that prove a trade dead, besides the trade itself.

    None if the trade is not known to be dead, or if all proofs have more than `most` bytes. The
    search goes from a trade to those by which its cards were received. `searched`: shared by
    searches in the same records.
    """
    searched = searched or Searched(records)
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
        for cause in _causes(records, name, record.content, searched):
            found = tuple(dict.fromkeys((*_links(before), *cause)))
            fits = most is None or _size(found) <= most
            if fits and (best is None or _size(found) < _size(best)):
                best = found
        for prev in sorted({one.prev or b"" for one in record.content.transfers} - done):
            link = records.get(prev)
            if link is not None and (most is None or size + len(link.raw) <= most):
                pushed += 1
                path = _Path(link, before)
                heappush(ahead, (size + len(link.raw), link.id, pushed, path))
    return best


def dead_trades(records: RecordSource, names: Iterable[bytes]) -> set[bytes]:
    """Return the trades among `names` that these records prove dead, as `death_proof` does.

    Each trade and each place is examined once, so the work does not grow with the product of both.
    """
    searched = Searched(records)
    dead: dict[bytes, bool] = {}
    asked = tuple(names)
    ahead = list(asked)
    while ahead:
        name = ahead[-1]
        record = records.get(name)
        trade = None if record is None else record.content
        before = (
            {one.prev for one in trade.transfers if one.prev is not None}
            if isinstance(trade, Trade)
            else set()
        )
        if name not in dead and (waits := before - dead.keys()):
            ahead += waits
            continue
        ahead.pop()
        if name not in dead:
            dead[name] = isinstance(trade, Trade) and (
                any(dead[prev] for prev in before)
                or any(True for _ in _causes(records, name, trade, searched))
            )
    return {name for name in asked if dead[name]}


def is_undone_at(records: RecordSource, name: bytes, instance: bytes) -> bool:
    """Check that these records prove a trade dead by a waive of it, or by what the giver of this
    card has signed of it.
    """
    record = records.get(name)
    one = None if record is None else find_transfer(record.content, instance)
    if record is None or one is None or not isinstance(record.content, Trade):
        return False
    alone = replace(record.content, transfers=(one,))
    return any(True for _ in _causes(records, name, alone, Searched(records)))


def fault_proof(records: RecordSource, name: bytes, key: bytes) -> tuple[LedgerRecord, ...]:
    """Return records that prove a trade dead by what this party of it has signed; empty if there
    are none. Nobody else has any part in such a proof.
    """
    record = records.get(name)
    if record is None or not isinstance(record.content, Trade):
        return ()
    trade = record.content
    waive = records.get(waive_id(name, key)) if key in (trade.a, trade.b) else None
    if waive is not None:
        return (waive,)
    for one in trade.transfers:
        if trade.giver(one) == key:
            found = next(_denials(records, trade, one, Searched(records)), ())
            found = found or conflict_proof(records, given_place(trade, one))
            if found:
                return found
    return ()


def _causes(
    records: RecordSource,
    name: bytes,
    trade: Trade,
    searched: Searched,
) -> Iterator[tuple[LedgerRecord, ...]]:
    """Yield the proofs that a trade is dead by itself, whatever its cards rest on. A waive of it is
    smaller than any other.
    """
    for key in (trade.a, trade.b):
        waive = records.get(waive_id(name, key))
        if waive is not None:
            yield (waive,)
            return
    for one in trade.transfers:
        yield from _denials(records, trade, one, searched)
        if found := searched.conflict(given_place(trade, one)):
            yield found


def _denials(
    records: RecordSource, trade: Trade, one: CardTransfer, searched: Searched
) -> Iterator[tuple[LedgerRecord, ...]]:
    """Yield a proof that the giver has waived a trade that a transfer is over: the nearest one, so
    the smallest.
    """
    giver = trade.giver(one)
    chain: list[LedgerRecord] = []
    looked_at: list[tuple[bytes, GivenPlace]] = []
    place = given_place(trade, one)
    over = one.over
    while over is not None and (over, place) not in searched.undenied:
        waive = records.get(waive_id(over, giver))
        if waive is not None:
            yield (*chain, waive)
            return
        looked_at.append((over, place))
        below = records.get(over)
        if below is None or not isinstance(below.content, Trade):
            break
        chain.append(below)
        under = next(
            (each for each in below.content.transfers if given_place(below.content, each) == place),
            None,
        )
        over = None if under is None else under.over
    searched.undenied.update(looked_at)


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
