"""Receiver of records in a merge: accepts only requested and checked records, and a limited number
from untrusted creators.

Received records wait here, in a branch of this side's set, until they may be released. So this
side's set gets only valid records, parents first, whatever the other side does.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_contents import Attestation, Trade, Waive
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, parents, read_record
from protocol.limits import MAX_MERGE_BYTES, MAX_MERGE_RECORDS, MAX_UNTRUSTED, MERGE_WANTS


class RecordReceiver:
    """Requests, checks, stores and releases records.

    `known`: a branch of this side's set, which grows here. `short` returns the short of an id
    (docs/protocol, 25).

    `inside`: ids whose closures are accepted for cards of any creator.

    `trusted` decides whether all records of a creator are accepted. Of each other creator, at most
    `MAX_UNTRUSTED` records outside these closures are accepted.
    """

    def __init__(
        self,
        known: RecordSet,
        short: Callable[[bytes], bytes],
        inside: Iterable[bytes],
        trusted: Callable[[bytes], bool],
    ) -> None:
        self._known = known
        self.short = short
        self._inside = tuple(inside)
        self._trusted = trusted
        self._wanted: list[bytes] = []  # shorts still to be requested; the next one is last
        self._asked: set[bytes] = set()
        self._held: dict[bytes, LedgerRecord] = {}  # by id: received and not released
        self._fresh: list[LedgerRecord] = []  # records received since the last release
        # by untrusted creator: number of released records
        self._strangers: Counter[bytes] = Counter()
        self._bytes = 0
        self.partial = False  # some records did not arrive, or were not accepted

    def request(self, shorts: Iterable[bytes]) -> None:
        """Queue shorts for the next requests, in this order. Shorts beyond the limit wait for a
        later session.
        """
        news = list(dict.fromkeys(shorts))
        self.partial |= len(news) > MAX_MERGE_RECORDS
        self._wanted = news[MAX_MERGE_RECORDS - 1 :: -1] + self._wanted

    def next_request(self) -> list[bytes]:
        """Return the next request. Records of the previous request that have not arrived are no
        longer expected.
        """
        self.partial |= bool(self._asked)
        if self._wanted and self._bytes > MAX_MERGE_BYTES * 3 // 4:
            self._wanted = []
            self.partial = True
        count = min(MERGE_WANTS, len(self._wanted))
        batch = [self._wanted.pop() for _ in range(count)]
        self._asked = set(batch)
        return batch

    def take(self, raw: bytes) -> None:
        """Check and store a record.

        Raises: RemoteError as in `read_record`; RemoteError(BAD_MESSAGE) for a record that was not
        requested; RemoteError(TOO_MANY) for too many orphans or bytes.
        """
        self._bytes += len(raw)
        if self._bytes > MAX_MERGE_BYTES:
            raise RemoteError(Code.TOO_MANY)
        record = read_record(raw)
        short = self.short(record.id)
        if short not in self._asked:
            raise RemoteError(Code.BAD_MESSAGE)
        self._asked.remove(short)
        if self._known.add(record):
            self._held[record.id] = record
            self._fresh.append(record)

    def received_records(self) -> list[LedgerRecord]:
        """Return the records that are received and not released."""
        return list(self._held.values())

    def ready_records(self) -> list[LedgerRecord]:
        """Release newly received records whose parents are released, as far as their creators'
        limits allow.
        """
        fresh = self._fresh
        self._fresh = []
        return [
            self._held.pop(one.id)
            for one in fresh
            if self._has_parents(one) and self._has_room(one)
        ]

    def final_records(self, cheats: Iterable[LedgerRecord] = ()) -> list[LedgerRecord]:
        """Release the last records at the end of a session, and drop the rest.

        These are records received before their parents, records in the closures of `inside`, and
        orphans in `cheats`.
        """
        self._fresh = sorted(self._held.values(), key=self._place)
        out = self.ready_records()
        if self._held:
            inside = self._known.closure(self._inside)
        else:
            inside = ()
        out += [
            self._held.pop(one.id)
            for one in inside
            if one.id in self._held and self._has_parents(one)
        ]
        out += [self._held.pop(one.id) for one in cheats if one.id in self._held]
        self.partial |= bool(self._held or self._asked or self._wanted)
        self._held.clear()
        return out

    def _place(self, record: LedgerRecord) -> tuple[int, bytes]:
        return (self._known.depth(record.id) or 0, record.id)

    def _has_parents(self, record: LedgerRecord) -> bool:
        """Check that all ancestors of a record are in this side's set, or released."""
        if self._known.depth(record.id) is None:
            return False
        return not any(parent in self._held for parent in parents(record.content))

    def _has_room(self, record: LedgerRecord) -> bool:
        """Check that no untrusted creator of the record has reached its limit, and count the
        record.
        """
        strangers = {key for key in self._creators(record) if not self._trusted(key)}
        if any(self._strangers[key] >= MAX_UNTRUSTED for key in strangers):
            return False
        self._strangers.update(strangers)
        return True

    def _creators(self, record: LedgerRecord) -> Iterator[bytes]:
        """Yield the creators of the cards that the record is about; its signer if the cards are
        unknown.
        """
        content = record.content
        if isinstance(content, Waive | Attestation):
            about = self._known.get(content.trade)
            if about is None:
                yield content.creator
                return
            content = about.content
        if not isinstance(content, Trade):
            yield content.creator
            return
        for one in content.transfers:
            card = self._known.get(one.instance)
            if card is not None and not isinstance(card.content, Trade):
                yield card.content.creator
