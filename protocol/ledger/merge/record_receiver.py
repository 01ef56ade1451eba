"""What comes in: only what was asked for, each record checked, and of strangers' no more than a
share.

All that comes is held here, beside a copy of the own set, until it may be handed out; so whatever
the other side does, the set of this side has nothing of it but records that are right, parents
first.
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
    """Asks, checks, holds and hands out.

    `known`: a copy of this side's set, which grows here. `short`: of an id. `inside`: ids whose
    closures are taken whoever made the cards. `trusted`: whether a creator's records are taken all
    the same; of any other come `MAX_UNTRUSTED` outside.
    """

    def __init__(
        self,
        known: RecordSet,
        short: Callable[[bytes], bytes],
        inside: Iterable[bytes],
        trusted: Callable[[bytes], bool],
    ) -> None:
        self._known, self.short, self._inside, self._trusted = known, short, tuple(inside), trusted
        self._wanted: list[bytes] = []  # shorts, the next ones last
        self._asked: set[bytes] = set()
        self._held: dict[bytes, LedgerRecord] = {}  # by id: what has come and was not handed out
        self._fresh: list[LedgerRecord] = []  # ditto, since something was handed out
        self._strangers: Counter[bytes] = Counter()  # records handed out, by creator
        self._bytes = 0
        self.partial = False  # whether there was more, which did not come or was not taken

    def request(self, shorts: Iterable[bytes]) -> None:
        """Note what to ask for next, in this order; what is too much is left for another
        session.
        """
        news = list(dict.fromkeys(shorts))
        self.partial |= len(news) > MAX_MERGE_RECORDS
        self._wanted = news[MAX_MERGE_RECORDS - 1 :: -1] + self._wanted

    def next_request(self) -> list[bytes]:
        """What to ask for now. What was asked for before and has not come is given up."""
        self.partial |= bool(self._asked)
        if self._wanted and self._bytes > MAX_MERGE_BYTES * 3 // 4:
            self._wanted, self.partial = [], True
        count = min(MERGE_WANTS, len(self._wanted))
        batch = [self._wanted.pop() for _ in range(count)]
        self._asked = set(batch)
        return batch

    def take(self, raw: bytes) -> None:
        """Check a record and hold it.

        Raises: RemoteError as `read_record`; RemoteError(BAD_MESSAGE) for one that was not asked
        for; RemoteError(TOO_MANY) for too many orphans, or too many bytes.
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
        """What has come and was not handed out."""
        return list(self._held.values())

    def ready_records(self) -> list[LedgerRecord]:
        """What may be handed out of what has come since: its parents were, and there is room for
        its creators.
        """
        fresh, self._fresh = self._fresh, []
        return [
            self._held.pop(one.id)
            for one in fresh
            if self._has_parents(one) and self._has_room(one)
        ]

    def final_records(self, cheats: Iterable[LedgerRecord] = ()) -> list[LedgerRecord]:
        """At the end: also what came before its parents, or is in the closures that count, and then
        orphans among `cheats`. The rest is dropped."""
        self._fresh = [one for one in self._known if one.id in self._held] if self._held else []
        out = self.ready_records()
        inside = self._known.closure(self._inside) if self._held else ()
        out += [
            self._held.pop(one.id)
            for one in inside
            if one.id in self._held and self._has_parents(one)
        ]
        out += [self._held.pop(one.id) for one in cheats if one.id in self._held]
        self.partial |= bool(self._held or self._asked or self._wanted)
        self._held.clear()
        return out

    def _has_parents(self, record: LedgerRecord) -> bool:
        """Whether all that comes before it is in the own set, or was handed out."""
        if self._known.depth(record.id) is None:
            return False
        return not any(parent in self._held for parent in parents(record.content))

    def _has_room(self, record: LedgerRecord) -> bool:
        """Whether none of the strangers concerned has had its share; counts it."""
        strangers = {key for key in self._creators(record) if not self._trusted(key)}
        if any(self._strangers[key] >= MAX_UNTRUSTED for key in strangers):
            return False
        self._strangers.update(strangers)
        return True

    def _creators(self, record: LedgerRecord) -> Iterator[bytes]:
        """Whose cards it is about; who has signed it, if that is not known."""
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
