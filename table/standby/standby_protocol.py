"""The standby's side: what it does with a primary's messages. Pure over a book.

It takes a transaction only behind exactly what it has, and says that it has it when its own disk
does. Once it is promoted, or its primary has gone on without it, it takes nothing any more, whoever
asks: that is for ever.
"""

from typing import Any, Protocol

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_STANDBY_TRANSACTION, STANDBY_NOTE_SECONDS
from table.standby.messages import decode_request, encode_at
from table.storage.disk.replication_state import ReplicationState, Role
from table.storage.disk.transactions import Transaction, follows


class StandbyJournal(Protocol):
    """What a journal is for a standby (`table.storage.disk.journal.Journal`); what it writes is durable as
    it returns.
    """

    standing: ReplicationState

    def stand(self, standing: ReplicationState) -> None:
        """Stand so from now on."""

    def begin_copy(self) -> None:
        """Rows will come."""

    def put_rows(self, table: str, rows: list[list[Any]]) -> None:
        """Some of them."""

    def end_copy(self, standing: ReplicationState) -> None:
        """That was all; stand so."""

    def give_up_copy(self) -> None:
        """Nothing of them stays."""

    def follow(self, transaction: Transaction, standing: ReplicationState) -> None:
        """Make a transaction, and stand so."""


class StandbyProtocol:
    """What one connection's messages do to a standby's book."""

    def __init__(self, book: StandbyJournal) -> None:
        self._book = book
        self._parts = bytearray()  # of the transaction that is coming
        self._copying = False
        self._address = ""  # where the primary's table is, as it has said on this connection

    def heard(self, message: bytes, now: int) -> bytes | None:
        """Take a message of the primary's; the answer, if one is due. `now`: Unix seconds.

        Raises: RemoteError if it cannot be what a primary sends; whatever the book raises. The
        connection is over then.
        """
        kind, *fields = decode_request(message)
        standing = self._book.standing
        if kind == "here":
            self._note(fields[0], now)
        elif kind == "alone":
            if standing.role in (Role.EMPTY, Role.STANDBY):
                self._book.stand(standing._replace(role=Role.LEFT, heard=now))
        elif kind == "copy":
            if not self._copy(now, *fields):
                return None
        elif not self._part(now, *fields):
            return None
        return encode_at(self._book.standing)

    def ended(self) -> None:
        """The connection is over: what had not come whole is nothing."""
        self._parts.clear()
        if self._copying:
            self._copying = False
            self._book.give_up_copy()

    def _note(self, address: str, now: int) -> None:
        """That the primary is there is on disk once a minute: it says how much a promotion may
        lose.

        A copy that comes on this connection keeps the address, too: who has just been paired is
        asked for there.
        """
        self._address = address
        standing = self._book.standing
        if standing.role is not Role.STANDBY:
            return
        if (
            standing.peer != address
            or not standing.heard <= now < standing.heard + STANDBY_NOTE_SECONDS
        ):
            self._book.stand(standing._replace(heard=now, peer=address))

    def _copy(self, now: int, first: bytes, rows: list[list[Any]], last: bool) -> bool:
        """Whether an answer is due."""
        standing = self._book.standing
        if standing.role is not Role.EMPTY:
            return last
        if not self._copying:
            self._book.begin_copy()
            self._copying = True
        for table, row in rows:
            self._book.put_rows(table, [row])
        if last:
            self._copying = False
            begun = standing._replace(
                number=0, hash=first, heard=now, written=now, peer=self._address
            )
            self._book.end_copy(begun._replace(role=Role.STANDBY))
        return last

    def _part(self, now: int, number: int, hash_after: bytes, data: bytes, last: bool) -> bool:
        """Whether an answer is due."""
        self._parts += data
        if len(self._parts) > MAX_STANDBY_TRANSACTION:
            raise RemoteError(Code.BAD_MESSAGE)
        if last:
            body = bytes(self._parts)
            self._parts.clear()
            self._take(now, number, hash_after, body)
        return last

    def _take(self, now: int, number: int, hash_after: bytes, body: bytes) -> None:
        """What is here already stands; what is not the next one is a mistake of the primary's."""
        standing = self._book.standing
        if standing.role is not Role.STANDBY or number <= standing.number:
            return
        transaction = follows(standing.place, body)
        if (transaction.number, transaction.hash) != (number, hash_after):
            raise RemoteError(Code.BAD_MESSAGE)
        moved = standing._replace(number=number, hash=hash_after, heard=now, written=now)
        self._book.follow(transaction, moved)
