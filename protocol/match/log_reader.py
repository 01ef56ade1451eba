"""Reading a log that somebody else keeps: every entry and every head is checked, and the fold is
run over it.

Players, spectators and auditors read with the same `LogReader`, so what one of them finds all find.
"""

from protocol.codes import Code
from protocol.dealing import TABLE, Fault
from protocol.errors import Refused, RemoteError
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.match.fold import apply, begin
from protocol.match.log import Entry, Log, decode_entry
from protocol.match.state import Match


class DamagedLog(RemoteError):
    """What was handed over is not what the table signed: whoever handed it over changed it, or the
    disk did.
    """


class LogReader:
    """The log and the fold of one match, as far as they have been read. Starts with the first
    entry.
    """

    def __init__(self, raw: bytes, head: bytes, games: Games = BUILT_IN) -> None:
        """Raises: Damaged if these bytes are not a first entry signed by the table they name.

        UnknownRules if what they say can be judged elsewhere, but not by these games.
        """
        try:
            self.log = Log(raw, games)
            self.log.check_head(head)
        except UnknownRules:
            raise
        except RemoteError as error:
            raise DamagedLog(error.code) from error
        self.head = head  # the signature of the newest head
        self.match = begin(self.log.setup, self.log.match_id, self.log.last_author)
        self._reader_faults: tuple[Fault, ...] = ()  # for entries that cannot stand

    @property
    def over(self) -> bool:
        """Whether the match has ended, or can go no further because of a fault."""
        return bool(self._reader_faults) or self.match.over

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults, in the order they were found."""
        return self.match.faults + self._reader_faults

    def feed(self, raw: bytes, head: bytes) -> Entry | None:
        """Read the next entry with the signature of the head after it.

        Returns it if it stands; None if somebody is at fault that it is in the log (see `faults`).
        What follows such an entry is checked against its heads, and not judged. Raises: Damaged if
        the head does not fit the entry, so that nobody can be named.
        """
        try:
            self.log.check_next_head(raw, head)
        except RemoteError as error:
            raise DamagedLog(error.code) from error
        self.head = head
        entry = None if self.over else self._apply_raw(raw)
        if entry is None:
            self._add_keeper_fault(raw)
            self.log.append_unchecked(raw)
        else:
            self.log.append(entry)
        return entry

    def _apply_raw(self, raw: bytes) -> Entry | None:
        try:
            entry = self.log.check(raw)
        except Refused as refusal:
            self._reader_faults += (self._log_keeper_fault(raw, refusal.code),)
            return None
        try:
            self.match = apply(self.match, entry)
        except Refused as refusal:
            self._reader_faults += fault_for_refused(self.match, entry, refusal.code)
            return None
        return entry

    def _log_keeper_fault(self, raw: bytes, code: Code) -> Fault:
        """Whose fault it is that an entry with a good head must be refused: whose head it is."""
        if self.log.setup.has_table:
            return Fault(
                TABLE, self.log.next_number, TABLE_FAULT_CODES.get(code, Code.TABLE_ACCEPTED)
            )
        return Fault(decode_entry(raw).author, self.log.next_number, code)

    def _add_keeper_fault(self, raw: bytes) -> None:
        """Name the table, or without one the author, for an entry that cannot stand, unless it is
        named already.
        """
        culprit = self._log_keeper_fault(raw, Code.MATCH_OVER)
        if all(fault.seat != culprit.seat for fault in self.faults):
            self._reader_faults += (culprit,)


def fault_for_refused(match: Match, entry: Entry, code: Code) -> tuple[Fault, ...]:
    """Whom to name for an entry that stands in a log although it must be refused.

    The table, if there is one: it runs the same fold. The author too if it had seen everything
    before: then nothing that it did not know of can have put it in the wrong.
    """
    by_table = match.setup.has_table and entry.author != TABLE
    faults = [Fault(TABLE, match.next_number, Code.TABLE_ACCEPTED)] if by_table else []
    if entry.author == TABLE or entry.seen_number == match.next_number - 1:
        faults.append(Fault(entry.author, match.next_number, code))
    return tuple(faults)


# What the table has done when an entry that `Log.check` refuses stands in a log whose heads it
# signed.
TABLE_FAULT_CODES: dict[Code, Code] = {
    Code.BAD_ENTRY_SIGNATURE: Code.TABLE_FORGED,
    Code.WRONG_HEAD: Code.TABLE_FORKED,
}
