"""The witness itself: it signs one trade for each slot, and proves what it has signed
(docs/protocol, chapter 27).

Pure. What is to be signed is handed out to be put on disk, and counts, in log, map and heads, when
it is `written`; a slot is taken from the moment it is handed out. Nothing of it may be told before
it is written.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity, fingerprint
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.proofs.merkle_log import MerkleLog
from protocol.ledger.proofs.signed_heads import WitnessHead, sign_head
from protocol.ledger.proofs.slot_map import MapProof, SlotMap
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    Content,
    Creator,
    FraudProof,
    Trade,
    Waive,
)
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, parents, sign_record
from protocol.ledger.related_records import companion_keys
from protocol.ledger.view import Place, evaluate
from protocol.ledger.witness.trade_validation import (
    RecordOverlay,
    TradeContext,
    can_never_be_certified,
    check_trade,
    creator_revisions,
    transfers_in_charge,
)
from protocol.limits import MAX_WITNESS_JUDGED, MAX_WITNESS_RECORDS


class WitnessStep(NamedTuple):
    """What goes on disk whole or not at all: new words, from this position on, and the records they
    rest on.
    """

    first: int
    attestations: tuple[LedgerRecord, ...]
    records: tuple[LedgerRecord, ...]  # parents first


class Certificate(NamedTuple):
    """All words for a trade, good once the log is `size` long; and what must be written for
    that.
    """

    attestations: tuple[LedgerRecord, ...]
    size: int
    step: WitnessStep | None


class SlotProof(NamedTuple):
    """What a head says of a slot; if it is spent, the word for that with its path in the log, and
    the trade.
    """

    head: WitnessHead
    proof: MapProof
    attestation: LedgerRecord | None
    path: tuple[bytes, ...]
    trade: LedgerRecord | None


class Witness:
    """A witness's state. `kept`: the most records it keeps for its own words. `only`: the
    fingerprints of the creators whom it serves; empty: all who name it."""

    def __init__(
        self,
        me: Identity,
        records: Iterable[LedgerRecord] = (),
        words: Iterable[LedgerRecord] = (),
        kept: int = MAX_WITNESS_RECORDS,
        only: Collection[str] = (),
    ) -> None:
        """Begin with what is on disk: the records in any order that has parents first, its own
        words by position.
        """
        self._me, self._kept, self._only = me, kept, only
        self.records, self._view = RecordSet(), IncrementalLedgerView()
        self._log, self._map = MerkleLog(), SlotMap()
        self._words: dict[
            bytes, LedgerRecord
        ] = {}  # by slot, those that are not written yet among them
        self._next = 0  # position
        # trades signed for, by where they go on from
        self._at: dict[Place, set[bytes]] = defaultdict(set)
        self._heard: dict[bytes, LedgerRecord] = {}  # words of others that are not on disk
        self._head: WitnessHead | None = None
        self.looked_at = 0  # records of the history that was worked out anew for the last offer
        self.behind = False  # it has signed more than it knows of: it signs nothing
        for record in records:
            self._add(record)
        for word in words:
            self._take(word)
            self._write(word)

    @property
    def size(self) -> int:
        """How many words are written."""
        return len(self._log)

    # --- what it signs ---

    def offer(self, trade_id: bytes, more: Iterable[LedgerRecord] = ()) -> Certificate:
        """Sign a trade, all slots in its charge or none. `more`: records that it may not know, the
        trade among them.

        Raises: RemoteError: HEAD_AHEAD, LACKING, NOT_IN_CHARGE, NOT_OWNED, UNSETTLED, SPENT, or
        TOO_MANY if it can keep no more, or what it would have to look at is too much.
        """
        self.looked_at = 0
        if self.behind:
            raise RemoteError(Code.HEAD_AHEAD)
        overlay = RecordOverlay(self.records, self._hear(more))
        record = overlay.get(trade_id)
        if record is None or not isinstance(record.content, Trade):
            raise RemoteError(Code.LACKING)
        charge = transfers_in_charge(self._me.public, overlay, record.content, self._serves)
        if not charge:
            raise RemoteError(Code.NOT_IN_CHARGE)
        unsigned = [one for one in charge if one.slot not in self._words]
        if any(
            _of(self._words[one.slot]).trade != trade_id
            for one in charge
            if one.slot in self._words
        ):
            raise RemoteError(Code.SPENT)
        step = self._sign(overlay, record, unsigned) if unsigned else None
        words = tuple(self._words[one.slot] for one in charge)
        return Certificate(words, 1 + max(_of(word).position for word in words), step)

    def _serves(self, creator: bytes) -> bool:
        return not self._only or fingerprint(creator) in self._only

    def _sign(
        self, overlay: RecordOverlay, record: LedgerRecord, slots: list[CardTransfer]
    ) -> WitnessStep:
        known = self._known(overlay, record)
        check_trade(known, record)
        if any(
            not can_never_be_certified(known, other)
            for one in slots
            for other in self._at[one.instance, one.prev] - {record.id}
        ):
            raise RemoteError(Code.SPENT)
        news = (*self._heard.values(), *_needed(overlay, record))
        if len(self.records) + len(news) + len(slots) > self._kept:
            raise RemoteError(Code.TOO_MANY)
        first, words = self._next, []
        for position, one in enumerate(slots, first):
            words.append(
                sign_record(Attestation(self._me.public, one.slot, record.id, position), self._me)
            )
            self._words[one.slot], self._next = words[-1], position + 1
            self._at[one.instance, one.prev].add(record.id)
        self._heard.clear()
        return WitnessStep(first, tuple(words), news)

    def _hear(self, more: Iterable[LedgerRecord]) -> list[LedgerRecord]:
        """Take in what other witnesses say of trades that are known here, one word of each on a
        slot; the rest.
        """
        others = []
        for record in more:
            if record.id not in self.records and self._concerns(record.content):
                self._add(record)
                self._heard[record.id] = record
            else:
                others.append(record)
        return others

    def _concerns(self, word: Content) -> bool:
        """Whether this is the first word on a slot of a known trade by a witness who is named for
        that card.
        """
        trade = self.records.get(word.trade) if isinstance(word, Attestation) else None
        if (
            not isinstance(word, Attestation)
            or trade is None
            or not isinstance(trade.content, Trade)
        ):
            return False
        card = next((one.instance for one in trade.content.transfers if one.slot == word.slot), b"")
        if not any(
            word.creator in maker.witnesses for maker in creator_revisions(self.records, card)
        ):
            return False
        said = (record.content for record in self.records.ids_under(word.trade))
        return not any(
            isinstance(one, Attestation) and one.creator == word.creator and one.slot == word.slot
            for one in said
        )

    def _known(self, overlay: RecordOverlay, record: LedgerRecord) -> TradeContext:
        """What is known of everything that a trade rests on. Mostly it rests on what is settled
        here; else the view of its history is worked out with what came with it."""
        assert isinstance(record.content, Trade)
        news = [new for new in overlay.more.values() if new != record]
        told = any(
            isinstance(new.content, Creator | FraudProof | Attestation | Trade | Waive)
            for new in news
        )
        if not told and not any(one.over for one in record.content.transfers):
            return TradeContext(overlay, self._view)
        names, keys = set[bytes](), set[bytes]()
        for new in (record, *news):
            names.update(parents(new.content))
            keys.update(companion_keys(new))
            if isinstance(new.content, Trade):
                keys.update(one.instance for one in new.content.transfers)
        names |= {found.id for key in keys for found in self.records.ids_under(key)}
        history = (*self.records.closure(names), *overlay.more.values())
        self.looked_at = len(history)
        if self.looked_at > MAX_WITNESS_JUDGED:
            raise RemoteError(Code.TOO_MANY)
        return TradeContext(overlay, evaluate(history))

    def mark_written(self, step: WitnessStep) -> None:
        """A step is on disk; steps come in the order in which they were handed out."""
        assert step.first == self.size
        for record in step.records:
            self._add(record)
        for word in step.attestations:
            self._write(word)

    def _take(self, word: LedgerRecord) -> None:
        """Remember a word that was read from disk."""
        said = _of(word)
        self._words[said.slot], self._next = word, said.position + 1
        trade = self.records.get(said.trade)
        assert trade is not None and isinstance(trade.content, Trade)
        for one in trade.content.transfers:
            if one.slot == said.slot:
                self._at[one.instance, one.prev].add(trade.id)

    def _write(self, word: LedgerRecord) -> None:
        said = _of(word)
        assert said.position == self.size
        self._log.append(content_bytes(said))
        self._map.put(said.slot, said.trade)
        self._add(word)

    def _add(self, record: LedgerRecord) -> None:
        if self.records.add(record):
            self._view.add(record)

    # --- what it proves ---

    def head(self) -> WitnessHead:
        """The newest head."""
        if self._head is None or self._head.size != self.size:
            self._head = sign_head(self._me, self.size, self._log.root(), self._map.root)
        return self._head

    def record_own_head(self, head: WitnessHead) -> bool:
        """Take note of a head that it has signed itself, some time; whether that is news that it
        must keep.

        One that its log does not lead to is from a time that it has forgotten: its disk was put
        back to an older one. From then on it signs nothing, for it no longer knows what it has
        signed.
        """
        if self.behind or (head.size <= self.size and self._log.root(head.size) == head.log_root):
            return False
        self.behind = True
        return True

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """The path from one size to another. Raises: RemoteError(BAD_MERKLE_PROOF) if there were no
        such sizes.
        """
        if not 0 < old <= new <= self.size:
            raise RemoteError(Code.BAD_MERKLE_PROOF)
        return self._log.consistency(old, new)

    def slot_proof(self, slot: bytes) -> SlotProof:
        """What the newest head says of a slot."""
        head, proof, trade_id = self.head(), self._map.proof(slot), self._map.get(slot)
        if trade_id is None:
            return SlotProof(head, proof, None, (), None)
        word = self._words[slot]
        return SlotProof(
            head,
            proof,
            word,
            self._log.inclusion(_of(word).position, head.size),
            self.records.get(trade_id),
        )


def _of(word: LedgerRecord) -> Attestation:
    assert isinstance(word.content, Attestation)
    return word.content


def _needed(overlay: RecordOverlay, record: LedgerRecord) -> tuple[LedgerRecord, ...]:
    """What is new of the records that a trade rests on, parents first, and of all that is said of
    these.
    """
    found: dict[bytes, LedgerRecord] = {}
    ahead = [record]
    while ahead:
        one = ahead.pop()
        if one.id in found or one.id not in overlay.more:
            continue
        found[one.id] = one
        ahead += (
            link for parent in parents(one.content) if (link := overlay.get(parent)) is not None
        )
        ahead += (said for key in companion_keys(one) for said in overlay.ids_under(key))
    return tuple(one for one in overlay.more.values() if one.id in found)
