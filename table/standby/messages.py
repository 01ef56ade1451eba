"""What a primary and its standby say to each other. The primary asks, the standby answers, each
within one record.

    primary -> standby                                                   answered
    here   [address of its table, or empty]                              always
    alone  []                     it goes on without                     always
    copy   [hash, [[table, row], ...], last]     what to begin with      after the last
    part   [number, hash, bytes, last]           of one transaction      after the last

    standby -> primary
    at     [name, role, number, hash]            where it stands, on its disk

Canonical MessagePack over a session (`protocol.session`) in which both sides are the table's key,
with a prologue of its own: nobody else feeds a standby, nobody else answers a primary, and nothing
of it is of use at a table's door.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_MESSAGE, MAX_STANDBY_ADDRESS, MAX_STANDBY_PART
from protocol.schema import Shape, between, either, exactly, fields, flag, nothing, uint
from table.storage.disk.replication_state import COPIED, ReplicationState, Role
from table.storage.disk.transactions import Transaction

PROLOGUE = b"fairdeal standby/1"
NAME = 16  # bytes that name a standby
_ROLES = {str(role) for role in (Role.EMPTY, Role.STANDBY, Role.LEFT, Role.PROMOTED)}


def _text(high: int) -> Shape:
    return lambda value: type(value) is str and len(value) <= high


_VALUE = either(nothing, uint(), between(0, MAX_MESSAGE), _text(MAX_MESSAGE))


def _row(value: object) -> bool:
    if (
        type(value) is not list
        or len(value) != 2
        or type(value[0]) is not str
        or type(value[1]) is not list
    ):
        return False
    return COPIED.get(value[0]) == len(value[1]) and all(map(_VALUE, value[1]))


def _rows(value: object) -> bool:
    return type(value) is list and all(map(_row, value))


_KINDS: dict[str, Shape] = {
    "here": fields(_text(MAX_STANDBY_ADDRESS)),
    "alone": fields(),
    "copy": fields(exactly(32), _rows, flag),
    "part": fields(uint(), exactly(32), between(0, MAX_STANDBY_PART), flag),
}


def _role(value: object) -> bool:
    return type(value) is str and value in _ROLES


_AT = fields(lambda kind: kind == "at", exactly(NAME), _role, uint(), exactly(32))


class At(NamedTuple):
    """Where a standby stands."""

    name: bytes
    role: Role
    number: int
    hash: bytes

    @property
    def place(self) -> tuple[int, bytes]:
        """As `ReplicationState.place`."""
        return self.number, self.hash


def encode_at(standing: ReplicationState) -> bytes:
    """What a standby answers that stands so."""
    return wire.encode(["at", standing.standby, str(standing.role), *standing.place])


def decode_at(data: bytes) -> At:
    """Raises: RemoteError(BAD_ENCODING, BAD_MESSAGE)."""
    value = wire.decode(data)
    if not _AT(value):
        raise RemoteError(Code.BAD_MESSAGE)
    return At(value[1], Role(value[2]), *value[3:])


def decode_request(data: bytes) -> list[Any]:
    """A primary's message: its kind and what is in it. Raises: RemoteError(BAD_ENCODING,
    BAD_MESSAGE).
    """
    value = wire.decode(data)
    if type(value) is not list or not value or type(value[0]) is not str or value[0] not in _KINDS:
        raise RemoteError(Code.BAD_MESSAGE)
    if not _KINDS[value[0]](value[1:]):
        raise RemoteError(Code.BAD_MESSAGE)
    return value


def here(address: str) -> bytes:
    """The primary is there, and its table at this address."""
    return wire.encode(["here", address[:MAX_STANDBY_ADDRESS]])


def where() -> bytes:
    """Only asks where the standby stands: the transaction before all that it could take. It notes
    nobody by it.
    """
    return wire.encode(["part", 0, bytes(32), b"", True])


def alone() -> bytes:
    """The primary goes on without this standby."""
    return wire.encode(["alone"])


def parts(transaction: Transaction) -> Iterator[bytes]:
    """The messages that bring a transaction."""
    number, hash_after, body = transaction
    for start in range(0, len(body), MAX_STANDBY_PART):
        end = start + MAX_STANDBY_PART
        yield wire.encode(["part", number, hash_after, body[start:end], end >= len(body)])


def copies(hash_at_first: bytes, rows: Iterable[tuple[str, list[Any]]]) -> Iterator[bytes]:
    """The messages that bring all that a standby begins with. A row is smaller than a message: so
    is an entry.
    """
    several: list[Any] = []
    size = 0
    for table, row in rows:
        length = len(wire.encode([table, row]))
        if several and size + length > MAX_STANDBY_PART:
            yield wire.encode(["copy", hash_at_first, several, False])
            several, size = [], 0
        several.append([table, row])
        size += length
    yield wire.encode(["copy", hash_at_first, several, True])
