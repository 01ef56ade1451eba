"""What a witness does at a table: takes records and offers, writes what is signed, then answers
(chapter 27.6).
"""

import logging
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.proofs.signed_heads import read_head
from protocol.ledger.record_codec import is_outdated
from protocol.ledger.record_contents import Attestation
from protocol.ledger.records import LedgerRecord, parents, read_record
from protocol.ledger.witness.witness import Certificate, Witness, WitnessStep
from protocol.limits import JUDGED_A_FRAME, RECORD_COSTS, REFUSED_COSTS
from protocol.messages.table import encode
from table.config import Bounds
from table.lobby.peer import Peer
from table.lobby.tables import Declined
from table.storage.interface import HeadAhead, NewAttestations, SavedTable, Storage

log = logging.getLogger(__name__)


class _Pool:
    """Records that somebody has sent for their next offer."""

    def __init__(self) -> None:
        self.records: dict[bytes, LedgerRecord] = {}
        self.size = 0  # bytes


class _Waiting(NamedTuple):
    peer: Peer
    trade: bytes
    certificate: Certificate


class Certifier:
    """The witness behind its messages. One write is under way at a time; what comes meanwhile goes
    with the next.
    """

    def __init__(
        self,
        identity: Identity,
        storage: Storage,
        kept: SavedTable,
        bounds: Bounds,
        only: Collection[str] = (),
    ) -> None:
        """`only`: the fingerprints of the creators whom it serves; empty: all who name it.

        Raises: RemoteError if what is on disk is damaged."""
        self._key, self._storage, self._bounds = identity.public, storage, bounds
        self._witness = Witness(
            identity,
            (read_record(raw) for raw in kept.ledger if not is_outdated(wire.decode(raw)[0])),
            map(read_record, kept.words),
            bounds.witness_records,
        )
        if kept.ahead is not None:
            self._witness.record_own_head(read_head(self._key, wire.decode(kept.ahead)))
        self._pools: dict[Peer, _Pool] = {}
        self.pooled = 0  # bytes, of all
        self._steps: list[WitnessStep] = []  # not on disk, and not on their way there
        self._writing: list[WitnessStep] = []
        self._waiting: list[_Waiting] = []
        self._fenced = False  # somebody else writes in our place

    @property
    def size(self) -> int:
        """How many words are on disk."""
        return self._witness.size

    def leave(self, peer: Peer) -> None:
        """Somebody is gone: what they sent goes with them."""
        self.pooled -= self._pools.pop(peer, _Pool()).size

    # --- what it is asked; raises Declined ---

    def ask(self, name: str, peer: Peer, *values: Any) -> None:
        """Any of these, by the name of the message."""
        HANDLERS[name](self, peer, *values)

    def head(self, peer: Peer, values: list[Any] | None) -> None:
        """`witness`: the newest head. Who has one that goes beyond it shows that the disk has been
        put back.
        """
        if values is not None:
            self._compare(values)
        self._serve()
        peer.send(encode("head", self._witness.head().values()))

    def _compare(self, values: list[Any]) -> None:
        try:
            head = read_head(self._key, values)
        except RemoteError as error:
            raise Declined(error.code) from None
        if self._witness.record_own_head(head):
            log.error(
                "somebody has a head of ours with %d trades, we know %d: put the newer folder back",
                head.size,
                self.size,
            )
            self._storage.submit(HeadAhead(wire.encode(head.values())), lambda: None, lambda: None)

    def which(self, peer: Peer, names: list[bytes]) -> None:
        """`which` of these records it does not have."""
        pool = self._pools.get(peer, _Pool()).records
        peer.send(
            encode(
                "lacking",
                [name for name in names if name not in self._witness.records and name not in pool],
            )
        )

    def records(self, peer: Peer, raws: list[bytes]) -> None:
        """`records` for the next offer, parents first; what is wrong with one takes the whole pool
        with it.
        """
        peer.connection.charge(RECORD_COSTS * len(raws))
        pool = self._pools.setdefault(peer, _Pool())
        try:
            for raw in raws:
                self._pour(pool, raw)
        except RemoteError as error:
            self.leave(peer)
            peer.connection.charge(REFUSED_COSTS)
            raise Declined(error.code) from None

    def _pour(self, pool: _Pool, raw: bytes) -> None:
        record = read_record(raw)
        if record.id in self._witness.records or record.id in pool.records:
            return
        if not all(
            name in self._witness.records or name in pool.records
            for name in parents(record.content)
        ):
            raise RemoteError(Code.LACKING)
        size = len(raw)
        if pool.size + size > self._bounds.witness_pool:
            raise RemoteError(Code.TOO_MANY)
        while self.pooled + size > self._bounds.witness_pooled:
            self._forget_one(pool)
        pool.records[record.id] = record
        pool.size += size
        self.pooled += size

    def _forget_one(self, asking: _Pool) -> None:
        """Make room: the oldest pool of the address that has most in its pools goes. Raises:
        RemoteError if it asks.
        """
        held = Counter[str]()
        for peer, pool in self._pools.items():
            held[peer.connection.address] += pool.size
        gives_way = max(self._pools, key=lambda peer: held[peer.connection.address])
        if self._pools[gives_way] is asking:
            raise RemoteError(Code.TOO_MANY)
        self.leave(gives_way)

    def certify(self, peer: Peer, trade: bytes) -> None:
        """`certify` a trade: answered when its words are on disk."""
        offered = self._pools.get(peer, _Pool()).records.values()
        try:
            certificate = self._witness.offer(trade, offered)
        except RemoteError as error:
            peer.connection.charge(REFUSED_COSTS)
            raise Declined(error.code) from None
        finally:
            peer.connection.charge(self._witness.looked_at // JUDGED_A_FRAME)
            self.leave(peer)
        self._waiting.append(_Waiting(peer, trade, certificate))
        if certificate.step is not None:
            self._steps.append(certificate.step)
        self._answer()
        self._write()

    def prove(self, peer: Peer, slot: bytes) -> None:
        """`prove` what the newest head says of a slot."""
        self._serve()
        head, proof, word, path, trade = self._witness.slot_proof(slot)
        shown = None if word is None or trade is None else [word.raw, list(path), trade.raw]
        found = None if proof.found is None else list(proof.found)
        peer.send(encode("proof", slot, head.values(), list(proof.siblings), found, shown))

    def follow(self, peer: Peer, old: int, new: int) -> None:
        """`follow` the log from one size to another."""
        self._serve()
        try:
            path = self._witness.consistency(old, new)
        except RemoteError as error:
            raise Declined(error.code) from None
        peer.send(encode("followed", old, new, list(path)))

    def _serve(self) -> None:
        """A witness that has forgotten what it signed says nothing of it."""
        if self._behind:
            raise Declined(Code.HEAD_AHEAD)

    # --- the disk ---

    def _write(self) -> None:
        if self._steps and not self._writing:
            self._writing, self._steps = self._steps, []
            words = [
                (_slot(word), word.raw) for step in self._writing for word in step.attestations
            ]
            records = [(record.id, record.raw) for step in self._writing for record in step.records]
            change = NewAttestations(self._writing[0].first, tuple(words), tuple(records))
            self._storage.submit(change, self._written, self._overtaken)

    def _written(self) -> None:
        for step in self._writing:
            self._witness.mark_written(step)
        self._writing = []
        self._answer()
        self._write()

    def _overtaken(self) -> None:
        """Others have signed in our place, under our key: until it is started anew this witness
        does not know what.
        """
        log.error(
            "another process with our key has written words of its own: this witness says "
            "nothing more"
        )
        self._fenced = True
        self._answer()

    @property
    def _behind(self) -> bool:
        """Whether more has been signed under our key than we know."""
        return self._fenced or self._witness.behind

    def _answer(self) -> None:
        """Answer those whose words are on disk; nobody gets one of a witness that has found out
        that it forgot some.
        """
        ready = [one for one in self._waiting if one.certificate.size <= self.size or self._behind]
        self._waiting = [one for one in self._waiting if one not in ready]
        for peer, trade, certificate in ready:
            if self._behind:
                peer.connection.send_error(Code.HEAD_AHEAD)
                continue
            head = self._witness.head()
            peer.send(
                encode(
                    "certified",
                    trade,
                    [word.raw for word in certificate.attestations],
                    head.values(),
                )
            )


def _slot(word: LedgerRecord) -> bytes:
    assert isinstance(word.content, Attestation)
    return word.content.slot


Handler = Callable[..., None]  # (certifier, peer, *values of the message). Raises: Declined
HANDLERS: dict[str, Handler] = {
    "witness": Certifier.head,
    "which": Certifier.which,
    "records": Certifier.records,
    "certify": Certifier.certify,
    "prove": Certifier.prove,
    "follow": Certifier.follow,
}
