"""One witness is asked to sign trades, and everything that it says is checked (docs/protocol,
27.6).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from player.cards.collection import Collection
from player.cards.witnesses.witness_connection import WitnessLine
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
class Asking:
    """A conversation with one witness. What it says is kept in the collection as soon as it is
    checked.
    """

    line: WitnessLine
    collection: Collection
    head: WitnessHead | None = field(default=None, init=False)  # the newest that holds

    @property
    def witness(self) -> bytes:
        """Whom we talk to."""
        return self.line.key

    async def begin(self) -> None:
        """Show the newest head that we have, and get one that goes on from there.

        Raises: RemoteError: HEAD_AHEAD if it has forgotten what it signed, BAD_MERKLE_PROOF if it
        cannot show that it has not; what proves that it lied is kept.
        """
        store = self.collection.store
        self.head = store.witness_head(self.witness)
        (values,) = await self.line.ask(
            "witness", None if self.head is None else self.head.values()
        )
        await self._follow(read_head(self.witness, values))

    async def _follow(self, new: WitnessHead) -> None:
        """Take a newer head, if it goes on from the one that we have."""
        old = self.head
        if old is not None and (new.size < old.size or new.signed_bytes == old.signed_bytes):
            if new.size < old.size:
                raise RemoteError(Code.HEAD_AHEAD)
            return
        if old is not None:
            self._blame([head_statement(old), head_statement(new)])
        path: tuple[bytes, ...] = ()
        if old is not None and old.size:
            path = tuple((await self.line.ask("follow", old.size, new.size))[2])
        check_next_head(old, new, path)
        self.head = new
        self.collection.store.keep_witness_head(self.witness, new)

    async def certify(self, trade: LedgerRecord) -> tuple[LedgerRecord, ...]:
        """Have a trade signed, of which everything it came from is certified.

        Raises: RemoteError with the witness's reason, or for what it says that does not hold.
        """
        await self._send(self.collection.records.closure([trade.id]))
        try:
            _, raws, values = await self.line.ask("certify", trade.id)
        except RemoteError as error:
            if error.code is Code.SPENT:
                await self._who_has_it(trade)
            raise
        head = read_head(self.witness, values)
        words = check_attestations(self.witness, trade, raws, head)
        self.collection.add(words)
        await self._follow(head)
        for word in words[:1]:  # one is enough to see that it does not deny what it signed
            assert isinstance(word.content, Attestation)
            if await self._ask_for(word.content.slot, [seen_statement(word.raw)]) != trade.id:
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
            "records", *_parcels(record.raw for record in closure if record.id in lacking)
        )

    async def _who_has_it(self, trade: LedgerRecord) -> None:
        """Another trade has one of these slots: with this one it proves that somebody gave a card
        away twice.
        """
        assert isinstance(trade.content, Trade)
        for one in trade.content.transfers:
            await self._ask_for(one.slot, [])

    async def _ask_for(self, slot: bytes, statements: list[bytes]) -> bytes | None:
        """The trade that has a slot, by the witness's proof; the word for it and the trade are
        kept.
        """
        _, values, siblings, found, told = await self.line.ask("prove", slot)
        head = read_head(self.witness, values)
        trade, said = proven_trade(head, slot, read_map_proof(siblings, found), told)
        self._blame(
            [*statements, *said, *([head_statement(self.head)] if self.head is not None else [])]
        )
        if told is not None:
            word, other = read_record(told[0]), read_record(told[2])
            if isinstance(other.content, Trade) and other.id == trade:
                self.collection.add([other, word])
        return trade

    def _blame(self, statements: Iterable[bytes]) -> None:
        """Keep the proof that the witness lied, if these are one. Raises: RemoteError(WITNESS_LIED)
        then.
        """
        lie = find_fraud_proof(self.witness, statements)
        if lie is not None:
            self.collection.add([lie])
            raise RemoteError(Code.WITNESS_LIED)


def _parcels(raws: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Records, as many in each message as it holds."""
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
