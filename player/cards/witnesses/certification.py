"""Certification of the trades behind a person's cards, by all witnesses of these cards."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from player.cards.collection import Collection
from player.cards.witnesses.witness_client import WitnessSession
from player.cards.witnesses.witness_connection import connect_witness
from player.client.connection import Connect, connect
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import JoinLink, fingerprint
from protocol.ledger.record_contents import Attestation, Creator, Trade
from protocol.ledger.records import LedgerRecord
from protocol.ledger.witness.trade_validation import creator_revisions, transfers_in_charge

# codes that refuse one trade; with any other code the witness itself has failed
REFUSALS = frozenset(
    (
        Code.LACKING,
        Code.NOT_IN_CHARGE,
        Code.NOT_OWNED,
        Code.UNSETTLED,
        Code.SPENT,
        Code.TOO_MANY,
        Code.BAD_SIGNATURE,
    )
)


@dataclass
class CertificationResult:
    """Result of a certification. `trades`: trades that it has newly certified."""

    trades: list[bytes] = field(default_factory=list)
    asked_for: bool = False  # true if these trades have any witness
    unknown: set[bytes] = field(default_factory=set)  # witnesses without a known address
    # witnesses that did not answer, or answered wrongly
    silent: dict[bytes, LocalError | RemoteError] = field(default_factory=dict)
    refused: dict[bytes, Code] = field(default_factory=dict)  # refused trades, with the reasons


def find_witness_link(collection: Collection, witness: bytes) -> JoinLink | None:
    """Return the link to a witness: the person's own, or else a creator's. The witness proves its
    key when it is called.
    """
    letters = fingerprint(witness)
    if (said := collection.store.witness_link(letters)) is not None:
        return said
    makers_known = (creator for _, creator in collection.index.creators.values())
    for creator in sorted(
        makers_known, key=lambda one: _rank_link(collection, one, witness), reverse=True
    ):
        try:
            link = JoinLink.parse(creator.link)
        except LocalError:
            continue
        if link.fingerprint == letters and not link.direct:
            return link
    return None


def _rank_link(collection: Collection, creator: Creator, witness: bytes) -> tuple[bool, bool, bool]:
    """Rank the links that creators give for a witness. Anybody can sign a wrong link, so the
    creators closest to the witness and the person come first.
    """
    return (
        creator.creator == witness,
        collection.trust(creator.creator) is True,
        witness in creator.witnesses,
    )


def find_unsettled(collection: Collection, cards: Iterable[bytes]) -> list[LedgerRecord]:
    """Return the uncertified trades that these cards rest on, each after the trades that it builds
    on.
    """
    found: dict[bytes, LedgerRecord] = {}
    held = (collection.view.holding(card) for card in cards)
    ahead = [one.trade for one in held if one is not None and one.trade is not None]
    while ahead:
        record = collection.find(ahead.pop())
        if record is None or record.id in found or collection.view.certified(record.id):
            continue
        assert isinstance(record.content, Trade)
        found[record.id] = record
        ahead += (one.prev for one in record.content.transfers if one.prev is not None)
    return sorted(
        found.values(), key=lambda record: (collection.records.depth(record.id) or 0, record.id)
    )


@dataclass
class Certification:
    """Certification by several witnesses, each over one connection. `settle` closes them all."""

    collection: Collection
    rng: Random
    calls: Connect = connect
    out: CertificationResult = field(default_factory=CertificationResult)
    _sessions: dict[bytes, WitnessSession] = field(default_factory=dict)

    async def settle(self, trades: Iterable[LedgerRecord]) -> CertificationResult:
        """Ask the witnesses of the cards to sign these trades, in this order. Raises: LocalError if
        the disk is full or damaged.
        """
        try:
            for trade in trades:
                await self._settle(trade)
        finally:
            for session in self._sessions.values():
                await session.line.close()
        return self.out

    async def _settle(self, trade: LedgerRecord) -> None:
        for witness in self._witnesses(trade):
            self.out.asked_for = True
            if not self.collection.view.certified(trade.id) and not self._has_attested(
                witness, trade
            ):
                await self._ask(witness, trade)
        if self.collection.view.certified(trade.id):
            self.out.trades.append(trade.id)
            self.out.refused.pop(trade.id, None)

    async def _ask(self, witness: bytes, trade: LedgerRecord) -> None:
        session = await self._session(witness)
        if session is None:
            return
        try:
            await session.certify(trade)
        except RemoteError as error:
            if error.code in REFUSALS:
                self.out.refused[trade.id] = error.code
            else:
                await self._give_up(witness, error)

    async def _session(self, witness: bytes) -> WitnessSession | None:
        """Return the session with a witness; None if the witness cannot be reached."""
        if witness in self._sessions or witness in self.out.silent or witness in self.out.unknown:
            return self._sessions.get(witness)
        link = find_witness_link(self.collection, witness)
        if link is None:
            self.out.unknown.add(witness)
            return None
        try:
            self._sessions[witness] = WitnessSession(
                await connect_witness(link, self.rng, self.calls), self.collection
            )
            await self._sessions[witness].begin()
        except (LocalError, RemoteError) as error:
            await self._give_up(witness, error)
        return self._sessions.get(witness)

    async def _give_up(self, witness: bytes, error: LocalError | RemoteError) -> None:
        self.out.silent[witness] = error
        session = self._sessions.pop(witness, None)
        if session is not None:
            await session.line.close()

    def _witnesses(self, trade: LedgerRecord) -> list[bytes]:
        """Return the witnesses of the cards in a trade, ascending."""
        assert isinstance(trade.content, Trade)
        found = (
            creator_revisions(self.collection.records, one.instance)
            for one in trade.content.transfers
        )
        return sorted(
            {key for revisions in found for maker in revisions for key in maker.witnesses}
        )

    def _has_attested(self, witness: bytes, trade: LedgerRecord) -> bool:
        """Check that an attestation of this witness is known for each card in its charge. Then it
        need not be asked again.

        A partner who passes on a trade may leave some attestations out.
        """
        assert isinstance(trade.content, Trade)
        records = self.collection.records
        words = (record.content for record in records.ids_under(trade.id))
        said = {
            word.slot for word in words if isinstance(word, Attestation) and word.creator == witness
        }
        return all(one.slot in said for one in transfers_in_charge(witness, records, trade.content))
