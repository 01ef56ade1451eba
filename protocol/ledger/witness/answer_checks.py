"""Checks of a witness's answers: only answers with a valid proof count (docs/protocol, 27.6)."""

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.proofs.fraud_proofs import (
    head_statement,
    leaf_statement,
    seen_statement,
    slot_statement,
)
from protocol.ledger.proofs.merkle_log import check_consistency, leaf_hash, root_with
from protocol.ledger.proofs.signed_heads import WitnessHead
from protocol.ledger.proofs.slot_map import MapProof, trade_at
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Attestation, FraudProof, Trade
from protocol.ledger.records import LedgerRecord, read_record, record_of


def check_attestations(
    witness: bytes, trade: LedgerRecord, raws: Iterable[bytes], head: WitnessHead
) -> tuple[LedgerRecord, ...]:
    """Read the attestations of a witness for a trade. Their positions must be below the size of
    `head`, which came with them.

    Raises: RemoteError(BAD_CONTENT), and the errors of `read_record`.
    """
    assert isinstance(trade.content, Trade)
    slots = {one.slot for one in trade.content.transfers}
    words = tuple(map(read_record, raws))
    for word in words:
        said = word.content
        if (
            not isinstance(said, Attestation)
            or said.creator != witness
            or said.trade != trade.id
            or said.slot not in slots
        ):
            raise RemoteError(Code.BAD_CONTENT)
        if said.position >= head.size:
            raise RemoteError(Code.BAD_CONTENT)
    return words


def check_next_head(old: WitnessHead | None, new: WitnessHead, path: tuple[bytes, ...]) -> None:
    """Check that the log of the new head continues the log of the old one. Raises:
    RemoteError(BAD_MERKLE_PROOF).
    """
    if old is not None and old.size:
        check_consistency(old.log, new.log, path)


def read_map_proof(siblings: list[bytes], found: list[bytes] | None) -> MapProof:
    """Create a map proof from its fields in a message."""
    return MapProof(tuple(siblings), None if found is None else (found[0], found[1]))


def proven_trade(
    head: WitnessHead, slot: bytes, proof: MapProof, told: list[Any] | None
) -> tuple[bytes | None, list[bytes]]:
    """Return the trade that a head has at a slot (None: free), and the statements that prove it.

    `told`: attestation, path and trade as in the message. Raises: RemoteError if they contradict
    each other.
    """
    trade = trade_at(slot, proof, head.map_root)
    statements = [head_statement(head), slot_statement(head, slot, proof)]
    if told is not None:
        word = read_record(told[0])
        path = tuple(told[1])
        if not isinstance(word.content, Attestation):
            raise RemoteError(Code.BAD_CONTENT)
        leaf = content_bytes(word.content)
        if root_with(leaf_hash(leaf), word.content.position, head.size, path) != head.log_root:
            raise RemoteError(Code.BAD_MERKLE_PROOF)
        statements += [
            seen_statement(word.raw),
            leaf_statement(head, word.content.position, leaf, path),
        ]
    return trade, statements


def find_fraud_proof(witness: bytes, statements: Iterable[bytes]) -> LedgerRecord | None:
    """Return the proof that a witness lied, if two of these statements contradict each other."""
    for pair in combinations(sorted(set(statements)), 2):
        try:
            return record_of(FraudProof(witness, *pair))
        except RemoteError:
            continue
    return None
