"""Read a log that another program keeps: check every entry and every head, and run the fold over
it.

Players, spectators and auditors use the same `LogReader`, so they all find the same faults.
"""

from protocol.codes import Code
from protocol.dealing import TABLE, Fault
from protocol.errors import Refused, RemoteError
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.match.fold import apply, begin
from protocol.match.log import Entry, Log, decode_entry
from protocol.match.state import Match


class DamagedLog(RemoteError):
    """The bytes are not what the table signed: their sender or a disk has changed them."""


class LogReader:
    """The log and the fold of one match as far as they have been read, from the first entry on."""

    def __init__(self, raw: bytes, head: bytes, games: Games = BUILT_IN) -> None:
        """Begin with a first entry and the signature of its head.

        Raises: DamagedLog if the table named in the entry has not signed it; UnknownRules if other
        games than `games` can judge it.
        """
        try:
            self.log = Log(raw, games)
            self.log.check_head(head)
        except UnknownRules:
            raise
        except RemoteError as error:
            raise DamagedLog(error.code) from error
        self.head = head  # signature of the newest head
        self.match = begin(self.log.setup, self.log.match_id, self.log.last_author)
        self._reader_faults: tuple[Fault, ...] = ()  # for entries that must be refused

    @property
    def over(self) -> bool:
        """The match has ended, or a fault stops it."""
        return bool(self._reader_faults) or self.match.over

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Faults in the order in which they were found."""
        return self.match.faults + self._reader_faults

    def feed(self, raw: bytes, head: bytes) -> Entry | None:
        """Read the next entry with the signature of the head after it.

        Returns the entry if it stands. Returns None if the entry must be refused: then `faults`
        names the party that put it into the log. Later entries are checked against their heads, but
        not judged.

        Raises: DamagedLog if the head does not fit the entry, because then nobody can be named.
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
        """Return the fault of the head's signer for an entry that must be refused."""
        if self.log.setup.has_table:
            return Fault(
                TABLE, self.log.next_number, TABLE_FAULT_CODES.get(code, Code.TABLE_ACCEPTED)
            )
        return Fault(decode_entry(raw).author, self.log.next_number, code)

    def _add_keeper_fault(self, raw: bytes) -> None:
        """Add a fault of the table, or without a table of the author, unless `faults` names it
        already.
        """
        culprit = self._log_keeper_fault(raw, Code.MATCH_OVER)
        if all(fault.seat != culprit.seat for fault in self.faults):
            self._reader_faults += (culprit,)


def fault_for_refused(match: Match, entry: Entry, code: Code) -> tuple[Fault, ...]:
    """Return the faults for an entry that is in a log although it must be refused.

    The table is at fault, if the match has one: it runs the same fold. The author is at fault too
    if it had seen all earlier entries: then no unseen entry can have made its own entry wrong.
    """
    by_table = match.setup.has_table and entry.author != TABLE
    if by_table:
        faults = [Fault(TABLE, match.next_number, Code.TABLE_ACCEPTED)]
    else:
        faults = []
    if entry.author == TABLE or entry.seen_number == match.next_number - 1:
        faults.append(Fault(entry.author, match.next_number, code))
    return tuple(faults)


# The table's fault for an entry that `Log.check` refuses, in a log with the table's heads.
TABLE_FAULT_CODES: dict[Code, Code] = {
    Code.BAD_ENTRY_SIGNATURE: Code.TABLE_FORGED,
    Code.WRONG_HEAD: Code.TABLE_FORKED,
}
