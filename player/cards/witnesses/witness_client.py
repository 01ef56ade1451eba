"""Session with one witness: requests for attestations, with a check of every answer (docs/protocol,
27.6).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from player.cards.collection import Collection
from player.cards.witnesses.witness_connection import WitnessConnection
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.proofs.fraud_proofs import head_statement, seen_statement
from protocol.ledger.proofs.signed_heads import WitnessHead, read_head
from protocol.ledger.record_contents import Attestation, Trade
from protocol.ledger.records import LedgerRecord, read_record
from protocol.ledger.witness.answer_checks import (
    check_attestations,
    check_next_head,
    find_fraud_proof,
    proven_trade,
    read_map_proof,
)
from protocol.limits import MAX_MESSAGE, MAX_WITNESS_ASKED, MAX_WITNESS_SENT

_ROOM = MAX_MESSAGE - 1024  # bytes of records in one message


@dataclass
class WitnessSession:
    """Session with one witness. The collection gets each checked answer at once."""

    line: WitnessConnection
    collection: Collection
    head: WitnessHead | None = field(default=None, init=False)  # newest valid head

    @property
    def witness(self) -> bytes:
        """Key of the witness."""
        return self.line.key

    async def begin(self) -> None:
        """Send the newest known head, and check that the witness's current head extends it.

        Raises: RemoteError. HEAD_AHEAD: the witness has lost entries that it signed;
        BAD_MERKLE_PROOF: it cannot prove the extension. A fraud proof is stored.
        """
        store = self.collection.store
        self.head = store.witness_head(self.witness)
        (values,) = await self.line.ask(
            "witness", None if self.head is None else self.head.values()
        )
        await self._advance_head(read_head(self.witness, values))

    async def _advance_head(self, new: WitnessHead) -> None:
        """Replace the known head by a newer one, if the newer one extends it."""
        old = self.head
        if old is not None and (new.size < old.size or new.signed_bytes == old.signed_bytes):
            if new.size < old.size:
                raise RemoteError(Code.HEAD_AHEAD)
            return
        if old is not None:
            self._check_fraud([head_statement(old), head_statement(new)])
        path: tuple[bytes, ...] = ()
        if old is not None and old.size:
            path = tuple((await self.line.ask("follow", old.size, new.size))[2])
        check_next_head(old, new, path)
        self.head = new
        self.collection.store.keep_witness_head(self.witness, new)

    async def certify(self, trade: LedgerRecord) -> tuple[LedgerRecord, ...]:
        """Get the attestations for a trade. All trades that it builds on must be certified.

        Raises: RemoteError with the code of a refusal, or for a wrong answer.
        """
        await self._send(self.collection.records.closure([trade.id]))
        try:
            _, raws, values = await self.line.ask("certify", trade.id)
        except RemoteError as error:
            if error.code is Code.SPENT:
                await self._store_rival_trade(trade)
            raise
        head = read_head(self.witness, values)
        words = check_attestations(self.witness, trade, raws, head)
        self.collection.add(words)
        await self._advance_head(head)
        # a proof for one attestation is enough: it shows that the witness does not deny its
        # signature
        for word in words[:1]:
            assert isinstance(word.content, Attestation)
            if await self._prove_slot(word.content.slot, [seen_statement(word.raw)]) != trade.id:
                raise RemoteError(Code.BAD_MERKLE_PROOF)
        return words

    async def _send(self, closure: tuple[LedgerRecord, ...]) -> None:
        lacking: set[bytes] = set()
        for start in range(0, len(closure), MAX_WITNESS_ASKED):
            (names,) = await self.line.ask(
                "which", [one.id for one in closure[start : start + MAX_WITNESS_ASKED]]
            )
            lacking.update(names)
        await self.line.send(
            "records", *_split_messages(record.raw for record in closure if record.id in lacking)
        )

    async def _store_rival_trade(self, trade: LedgerRecord) -> None:
        """Store the other trade that has a slot of `trade`. The two prove that the giver gave a
        card away twice.
        """
        assert isinstance(trade.content, Trade)
        for one in trade.content.transfers:
            await self._prove_slot(one.slot, [])

    async def _prove_slot(self, slot: bytes, statements: list[bytes]) -> bytes | None:
        """Return the trade that has a slot, by a proof of the witness, and store this trade with
        its attestation.
        """
        _, values, siblings, found, told = await self.line.ask("prove", slot)
        head = read_head(self.witness, values)
        trade, said = proven_trade(head, slot, read_map_proof(siblings, found), told)
        self._check_fraud(
            [*statements, *said, *([head_statement(self.head)] if self.head is not None else [])]
        )
        if told is not None:
            word = read_record(told[0])
            other = read_record(told[2])
            if isinstance(other.content, Trade) and other.id == trade:
                self.collection.add([other, word])
        return trade

    def _check_fraud(self, statements: Iterable[bytes]) -> None:
        """Store a fraud proof, if `statements` contradict each other. Raises:
        RemoteError(WITNESS_LIED) in this case.
        """
        lie = find_fraud_proof(self.witness, statements)
        if lie is not None:
            self.collection.add([lie])
            raise RemoteError(Code.WITNESS_LIED)


def _split_messages(raws: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Split records into messages, each as full as the limits allow."""
    parcel: list[bytes] = []
    for raw in raws:
        if parcel and (
            len(parcel) == MAX_WITNESS_SENT
            or sum(map(len, parcel)) + len(raw) + 8 * len(parcel) > _ROOM
        ):
            yield parcel
            parcel = []
        parcel.append(raw)
    if parcel:
        yield parcel
