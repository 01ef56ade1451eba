"""Fuzz targets: messages between a table and its standby, and transactions."""

from protocol import wire
from table.standby.messages import alone, copies, decode_at, decode_request, encode_at, here, parts
from table.storage.disk.match_rows import Claim, Cut, Exported, KeepHeads, Release
from table.storage.disk.replication_state import ReplicationState, Role
from table.storage.disk.transactions import Transaction, decode_transaction, encode_transaction
from table.storage.interface import (
    HeadAhead,
    MatchBeginning,
    MatchStopped,
    NewAttestations,
    NewRecords,
    NewTable,
    TableRemoved,
)
from tests.unit.table.storage.disk.test_journal import TERMS

M, HEAD = b"m" * 32, b"h" * 64
CHANGES = [
    NewRecords(M, 0, bytes(32), 0, (b"zero", b"one"), (), MatchBeginning(b"s" * 60, "rules")),
    NewRecords(M, 2, b"x" * 32, 3, (b"two",), (HEAD, HEAD), None, True),
    NewTable(1, TERMS, b"c" * 32),
    TableRemoved(1),
    NewAttestations(0, ((b"slot", b"word"),), ((b"id", b"record"),)),
    HeadAhead(b"head"),
    Claim(M),
    Release(M, 4, "b"),
    KeepHeads(M, (HEAD,)),
    Exported(M, 1000),
    Cut(M, 3, M),
    MatchStopped(M, 3),
]


def transaction(data: bytes) -> None:
    """Check that an accepted transaction is written again the same way."""
    assert encode_transaction(decode_transaction(data)) == data


def transaction_seeds() -> list[bytes]:
    """Return one transaction of each kind, and all together."""
    return [encode_transaction([(1, change)]) for change in CHANGES] + [
        encode_transaction([(1, c) for c in CHANGES])
    ]


def request(data: bytes) -> None:
    """Read a request of a primary."""
    assert wire.encode(decode_request(data)) == data


def request_seeds() -> list[bytes]:
    """Return one request of each kind."""
    rows = [("ahead", [b"head"]), ("words", [1, b"slot", b"word"])]
    return [
        here("a:7500"),
        alone(),
        *copies(bytes(32), rows),
        *parts(Transaction(1, bytes(32), b"body")),
    ]


def answer(data: bytes) -> None:
    """Read an answer of a standby."""
    at = decode_at(data)
    assert encode_at(ReplicationState(at.role, at.name, *at.place)) == data


def answer_seeds() -> list[bytes]:
    """Return an answer in each role."""
    return [
        encode_at(ReplicationState(role, bytes(16), 7, bytes(32)))
        for role in Role
        if role.following
    ]
