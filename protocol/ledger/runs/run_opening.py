"""Opening of a whole run, and proofs that a creator sold cards that it had not signed
(docs/protocol, 28).

Each proof consists of records, terms and openings that the creator has signed or sealed, so anybody
can check it alone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import KEY_SIZE
from protocol.ledger.proofs.merkle_log import MerkleLog
from protocol.ledger.record_contents import Instance, PrintRun, Trade
from protocol.ledger.records import LedgerRecord
from protocol.ledger.runs.sealed_run import SALT, Pack, pack_count, pack_leaf
from protocol.limits import MAX_PACK, MAX_RUN_OPENING, MAX_RUN_PACKS
from protocol.schema import exactly, fields, many
from protocol.wire import decode, encode

_FORMAT = "fairdeal run 1"
_ID = exactly(KEY_SIZE)
_PACKS = many(fields(exactly(SALT), many(_ID, 1, MAX_PACK)), 1, MAX_RUN_PACKS)
_OPENING = fields(lambda value: value == _FORMAT, _ID, _PACKS)


def write_opening(run_id: bytes, packs: Sequence[Pack]) -> bytes:
    """Return the file that opens a whole run, with every pack in order."""
    return encode([_FORMAT, run_id, [[pack.salt, list(pack.instances)] for pack in packs]])


def read_opening(data: bytes) -> tuple[bytes, tuple[Pack, ...]]:
    """Return the run's id and its unchecked packs. Raises: RemoteError(BAD_ENCODING, BAD_RUN)."""
    if len(data) > MAX_RUN_OPENING:
        raise RemoteError(Code.BAD_RUN)
    value = decode(data)
    if not _OPENING(value):
        raise RemoteError(Code.BAD_RUN)
    _, run_id, packs = value
    return run_id, tuple(Pack(number, salt, tuple(ids)) for number, (salt, ids) in enumerate(packs))


def check_run_opening(
    run: PrintRun, packs: Sequence[Pack], cards: Mapping[bytes, Instance]
) -> None:
    """Check that the packs are the sealed ones, and contain the signed number of copies of each
    type.

    `cards` maps ids to instances from checked records. Raises: RemoteError(BAD_SEALED_PACK) for a
    pack of another run, which proves nothing against the creator; RemoteError(BAD_RUN) for wrong
    cards in the sealed packs, which proves the creator's lie.
    """
    count = pack_count(run)
    if len(packs) != count or MerkleLog(pack_leaf(run, pack) for pack in packs).root() != run.packs:
        raise RemoteError(Code.BAD_SEALED_PACK)
    ids = sorted(one for pack in packs for one in pack.instances)
    if (
        any(len(pack.instances) != run.pack_size for pack in packs)
        or MerkleLog(ids).root() != run.instances
    ):
        raise RemoteError(Code.BAD_RUN)
    if any(left == right for left, right in pairwise(ids)):
        raise RemoteError(Code.BAD_RUN)
    if not all(one in cards and cards[one].creator == run.creator for one in ids):
        raise RemoteError(Code.BAD_RUN)
    if Counter(cards[one].type for one in ids) != Counter(dict(run.copies)):
        raise RemoteError(Code.BAD_RUN)
    if len({(cards[one].type, cards[one].serial) for one in ids}) != len(ids):
        raise RemoteError(Code.BAD_RUN)


def duplicate_serials(
    records: Iterable[LedgerRecord],
) -> tuple[tuple[LedgerRecord, LedgerRecord], ...]:
    """Return pairs of cards with the same creator, type and serial number.

    Each pair proves that the creator made one card too many.
    """
    first: dict[tuple[bytes, bytes, int], LedgerRecord] = {}
    found = []
    for record in sorted(
        (one for one in records if isinstance(one.content, Instance)), key=lambda one: one.id
    ):
        card = record.content
        assert isinstance(card, Instance)
        known = first.setdefault((card.creator, card.type, card.serial), record)
        if known.id != record.id:
            found.append((known, record))
    return tuple(found)


def unsealed_issues(
    runs: Mapping[PrintRun, Sequence[Pack]], records: Iterable[LedgerRecord]
) -> tuple[LedgerRecord, ...]:
    """Return the trades, by id, that issue a card of a type in these opened runs which is in none
    of the runs.

    The creator can answer by opening another run that contains the card: the result is limited to
    known runs.
    """
    types = {(run.creator, type_id) for run in runs for type_id, _ in run.copies}
    sealed = {one for packs in runs.values() for pack in packs for one in pack.instances}
    known = {record.id: record for record in records}
    cards = {
        id_: record.content for id_, record in known.items() if isinstance(record.content, Instance)
    }
    outside = {id_ for id_, card in cards.items() if (card.creator, card.type) in types} - sealed
    return tuple(
        record for _, record in sorted(known.items()) if _issues_card(record, cards, outside)
    )


def _issues_card(
    record: LedgerRecord, cards: Mapping[bytes, Instance], outside: set[bytes]
) -> bool:
    """Check for a trade by which a creator gave one of these cards away for the first time."""
    trade = record.content
    return isinstance(trade, Trade) and any(
        one.instance in outside
        and one.prev is None
        and trade.giver(one) == cards[one.instance].creator
        for one in trade.transfers
    )
