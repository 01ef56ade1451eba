"""The witness itself: signs one trade for each slot, and proves its signatures (docs/protocol,
chapter 27).

The class is pure. It returns new attestations, which the caller writes to disk and then confirms by
`mark_written`. Only written attestations count in log, map and heads. A slot is taken as soon as
its attestation is returned. The caller must not publish an attestation before it is written.
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
from protocol.ledger.record_overlay import RecordOverlay
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, parents, sign_record
from protocol.ledger.related_records import companion_keys
from protocol.ledger.view import Place
from protocol.ledger.witness.trade_validation import (
    TradeContext,
    can_never_be_certified,
    check_trade,
    creator_revisions,
    transfers_in_charge,
)
from protocol.limits import MAX_WITNESS_JUDGED, MAX_WITNESS_RECORDS


class WitnessStep(NamedTuple):
    """An atomic write: new attestations from position `first` on, and the records that they depend
    on.
    """

    first: int
    attestations: tuple[LedgerRecord, ...]
    records: tuple[LedgerRecord, ...]  # parents first


class Certificate(NamedTuple):
    """Attestations for a trade, valid once the log has `size` entries, and the write that this
    needs.
    """

    attestations: tuple[LedgerRecord, ...]
    size: int
    step: WitnessStep | None


class SlotProof(NamedTuple):
    """Proof of a slot under a head; for a spent slot also its attestation, the path in the log, and
    the trade.
    """

    head: WitnessHead
    proof: MapProof
    attestation: LedgerRecord | None
    path: tuple[bytes, ...]
    trade: LedgerRecord | None


class Witness:
    """State of a witness. `kept`: maximum number of records stored for its own attestations.

    `only`: fingerprints of the creators that the witness serves; empty: all that name it.
    """

    def __init__(
        self,
        me: Identity,
        records: Iterable[LedgerRecord] = (),
        words: Iterable[LedgerRecord] = (),
        kept: int = MAX_WITNESS_RECORDS,
        only: Collection[str] = (),
    ) -> None:
        """Begin with the data on disk: records in any order with parents first, and own
        attestations by position.
        """
        self._me = me
        self._kept = kept
        self._only = only
        self.records = RecordSet()
        self._view = IncrementalLedgerView()
        self._log = MerkleLog()
        self._map = SlotMap()
        # by slot, including attestations that are not written yet
        self._words: dict[bytes, LedgerRecord] = {}
        self._next = 0  # position of the next attestation
        # attested trades by the places they continue from
        self._at: dict[Place, set[bytes]] = defaultdict(set)
        # attestations of other witnesses that are not on disk
        self._heard: dict[bytes, LedgerRecord] = {}
        self._head: WitnessHead | None = None
        self.looked_at = 0  # records of the history evaluated for the last offer
        # the witness has signed more than its disk contains, and signs nothing any more
        self.behind = False
        for record in records:
            self._add(record)
        for word in words:
            self._take(word)
            self._write(word)

    @property
    def size(self) -> int:
        """Number of written attestations."""
        return len(self._log)

    # --- signatures ---

    def offer(self, trade_id: bytes, more: Iterable[LedgerRecord] = ()) -> Certificate:
        """Attest a trade in all slots that this witness is in charge of, or in none.

        `more`: records that the witness may not have, including the trade. Raises:
        RemoteError(HEAD_AHEAD, LACKING, NOT_IN_CHARGE, NOT_OWNED, UNSETTLED, SPENT); TOO_MANY if
        its storage is full, or the history is too long.
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
            _attestation(self._words[one.slot]).trade != trade_id
            for one in charge
            if one.slot in self._words
        ):
            raise RemoteError(Code.SPENT)
        if unsigned:
            step = self._sign(overlay, record, unsigned)
        else:
            step = None
        words = tuple(self._words[one.slot] for one in charge)
        return Certificate(words, 1 + max(_attestation(word).position for word in words), step)

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
        news = (*self._heard.values(), *_new_ancestors(overlay, record))
        if len(self.records) + len(news) + len(slots) > self._kept:
            raise RemoteError(Code.TOO_MANY)
        first = self._next
        words = []
        for position, one in enumerate(slots, first):
            words.append(
                sign_record(Attestation(self._me.public, one.slot, record.id, position), self._me)
            )
            self._words[one.slot] = words[-1]
            self._next = position + 1
            self._at[one.instance, one.prev].add(record.id)
        self._heard.clear()
        return WitnessStep(first, tuple(words), news)

    def _hear(self, more: Iterable[LedgerRecord]) -> list[LedgerRecord]:
        """Add relevant attestations of other witnesses for known trades, and return the other
        records.
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
        """Check for the first attestation of a known trade's slot by a witness named for this
        card.
        """
        if isinstance(word, Attestation):
            trade = self.records.get(word.trade)
        else:
            trade = None
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
        """Return the context of a trade.

        Most trades depend only on trades that are settled here. Otherwise the view of its history
        is evaluated together with the new records.
        """
        assert isinstance(record.content, Trade)
        news = [new for new in overlay.more.values() if new != record]
        told = any(
            isinstance(new.content, Creator | FraudProof | Attestation | Trade | Waive)
            for new in news
        )
        if not told and not any(one.over for one in record.content.transfers):
            return TradeContext(overlay, self._view)
        names = set[bytes]()
        keys = set[bytes]()
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
        return TradeContext(overlay, IncrementalLedgerView(history))

    def mark_written(self, step: WitnessStep) -> None:
        """Note that a step is on disk. Steps must come in the order of their creation."""
        assert step.first == self.size
        for record in step.records:
            self._add(record)
        for word in step.attestations:
            self._write(word)

    def _take(self, word: LedgerRecord) -> None:
        """Add an own attestation that was read from disk."""
        said = _attestation(word)
        self._words[said.slot] = word
        self._next = said.position + 1
        trade = self.records.get(said.trade)
        # a trade of an older version cannot be read any more, but its slot stays spent
        if trade is None or not isinstance(trade.content, Trade):
            return
        for one in trade.content.transfers:
            if one.slot == said.slot:
                self._at[one.instance, one.prev].add(trade.id)

    def _write(self, word: LedgerRecord) -> None:
        said = _attestation(word)
        assert said.position == self.size
        self._log.append(content_bytes(said))
        self._map.put(said.slot, said.trade)
        if said.trade in self.records:
            self._add(word)

    def _add(self, record: LedgerRecord) -> None:
        if self.records.add(record):
            self._view.add(record)

    # --- proofs ---

    def head(self) -> WitnessHead:
        """Return the newest head."""
        if self._head is None or self._head.size != self.size:
            self._head = sign_head(self._me, self.size, self._log.root(), self._map.root)
        return self._head

    def record_own_head(self, head: WitnessHead) -> bool:
        """Process an earlier head of this witness. Returns True if the witness must store it.

        If the log does not lead to this head, the disk was reset to an older state. From then on
        the witness signs nothing, because its earlier signatures are unknown.
        """
        if self.behind or (head.size <= self.size and self._log.root(head.size) == head.log_root):
            return False
        self.behind = True
        return True

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """Return the consistency proof between two sizes. Raises: RemoteError(BAD_MERKLE_PROOF) for
        impossible sizes.
        """
        if not 0 < old <= new <= self.size:
            raise RemoteError(Code.BAD_MERKLE_PROOF)
        return self._log.consistency(old, new)

    def slot_proof(self, slot: bytes) -> SlotProof:
        """Return the proof of a slot under the newest head."""
        head = self.head()
        proof = self._map.proof(slot)
        trade_id = self._map.get(slot)
        if trade_id is None:
            return SlotProof(head, proof, None, (), None)
        word = self._words[slot]
        return SlotProof(
            head,
            proof,
            word,
            self._log.inclusion(_attestation(word).position, head.size),
            self.records.get(trade_id),
        )


def _attestation(word: LedgerRecord) -> Attestation:
    assert isinstance(word.content, Attestation)
    return word.content


def _new_ancestors(overlay: RecordOverlay, record: LedgerRecord) -> tuple[LedgerRecord, ...]:
    """Return the new ancestors of a trade, parents first, with all new records about them."""
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
