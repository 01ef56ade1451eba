"""What stands in the two subjects of the lobby, and what it comes to. `table.storage.shared.lobby_subjects` says how
it got there.
"""

from dataclasses import dataclass, field
from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.match.terms import TERMS, decode_terms
from protocol.schema import Shape, between, exactly, fields, many, text, uint
from table.storage.interface import NewTable, TableRemoved
from table.storage.shared.match_notes import WRITER

MOST = 1 << 16  # rows, or bytes of one
_MAX_RULES = 64  # characters
_bytes = between(0, MOST)


def _rules(value: object) -> bool:
    return type(value) is str and len(value) <= _MAX_RULES


ITEMS: dict[str, Shape] = {
    "proof": fields(text(8)),
    "store": fields(text(8), exactly(32)),
    "table": fields(text(8), uint(), TERMS, exactly(32), _rules),
    "gone": fields(text(8), uint()),
    "words": fields(
        text(8),
        uint(),
        many(fields(_bytes, _bytes), 0, MOST),
        many(fields(_bytes, _bytes), 0, MOST),
    ),
    "ahead": fields(text(8), _bytes),
}
_ITEM = fields(exactly(WRITER), uint(), lambda item: type(item) is list and bool(item))


def decode_item(data: bytes) -> tuple[int, list[Any]]:
    """What it was appended behind, and the item itself. Raises: RemoteError(BAD_ENCODING)."""
    value = wire.decode(data)
    if not _ITEM(value):
        raise RemoteError(Code.BAD_ENCODING)
    _, after, item = value
    if type(item[0]) is not str or item[0] not in ITEMS or not ITEMS[item[0]](item):
        raise RemoteError(Code.BAD_ENCODING)
    return after, item


@dataclass
class LobbyContents:
    """What the items of a subject come to, one after the other."""

    owner: bytes | None = None  # the key of the table whose store it is
    tables: dict[int, NewTable] = field(default_factory=dict)
    last_number: int = 0
    words: list[bytes] = field(default_factory=list)
    slots: set[bytes] = field(default_factory=set)
    ledger: dict[bytes, bytes] = field(default_factory=dict)
    ahead: bytes | None = None

    def take(self, item: list[Any]) -> None:
        """The next one."""
        match item:
            case ["store", key]:
                self.owner = key
            case ["table", number, terms, creator, rules]:
                self.tables[number] = NewTable(number, decode_terms(terms), creator, rules)
                self.last_number = max(self.last_number, number)
            case ["gone", number]:
                self.tables.pop(number, None)
                self.last_number = max(self.last_number, number)
            case ["words", _, words, records]:
                self.words += [word for _, word in words]
                self.slots |= {slot for slot, _ in words}
                for name, raw in records:
                    self.ledger.setdefault(name, raw)
            case ["ahead", head]:
                self.ahead = head


def changes(
    before: dict[int, NewTable], after: dict[int, NewTable]
) -> list[NewTable | TableRemoved]:
    """What makes the one set of tables of the other."""
    gone = [number for number, table in before.items() if after.get(number) != table]
    come = [table for number, table in after.items() if before.get(number) != table]
    return [*map(TableRemoved, gone), *come]
