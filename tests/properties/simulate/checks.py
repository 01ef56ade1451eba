"""Promises that must hold in every simulated world: the four invariants, and that all seats
agree.
"""

from collections import Counter
from collections.abc import Container, Mapping, Sized
from hashlib import sha256
from typing import NamedTuple

from protocol.audit.refusal_audit import RefusalFinding, judge_refusal
from protocol.audit.verdict import AuditReport, Verdict, audit
from protocol.codes import Code
from protocol.dealing import TABLE, Fault
from protocol.match.log import decode_entry
from protocol.match.log_file import read_records
from protocol.match.refusal import Refusal, SavedRefusal, encode_saved_refusal
from tests.adversary.cheats.base import Cheat
from tests.support.guest_games.offline_match import GUESTS


class Violation(Exception):
    """Error: a promise is broken. The text names the promise."""


class Witness:
    """Observer that remembers every entry that each party sent or received, in all matches and
    across all crashes.
    """

    def __init__(self) -> None:
        # by match and number: the entry that a reader received
        self._told: dict[tuple[bytes, int], bytes] = {}
        # by match, author and sequence number: the entry that an author sent
        self._said: dict[tuple[bytes, int, int], bytes] = {}
        # match, and the saved refusal of an entry
        self._refused: list[tuple[bytes, bytes]] = []
        self.sent = 0

    def told(self, match_id: bytes, number: int, raw: bytes, on_disk: bool) -> None:
        """Note that a reader has taken an entry from the table. Raises: Violation."""
        if not on_disk:
            raise Violation(f"entry {number} was sent out and is not on the table's disk")
        if self._told.setdefault((match_id, number), raw) != raw:
            raise Violation(f"two readers were given two different entries {number}")

    def said(self, match_id: bytes, raw: bytes) -> None:
        """Note that an author has sent an entry. Raises: Violation."""
        entry = decode_entry(raw)
        self.sent += 1
        if self._said.setdefault((match_id, entry.author, entry.sequence), raw) != raw:
            raise Violation(
                f"seat {entry.author} signed two different entries with sequence number "
                f"{entry.sequence}"
            )

    def refused(self, match_id: bytes, refusal: Refusal) -> None:
        """Note that an author received a refusal: it may sign another entry in place of the refused
        one.
        """
        for place, raw in list(self._said.items()):
            if place[0] == match_id and sha256(raw).digest() == refusal.entry_hash:
                self._refused.append((match_id, encode_saved_refusal(SavedRefusal(raw, refusal))))
                del self._said[place]

    def check(self, match_id: bytes, file: bytes) -> None:
        """Check that the log has every entry that anybody received, once and at its number. Raises:
        Violation.
        """
        log = [entry for entry, _ in read_records(file)]
        times = Counter(log)
        for (told_of, number), raw in self._told.items():
            if told_of == match_id and (times[raw] != 1 or log[number] != raw):
                raise Violation(
                    f"the acknowledged entry {number} is in the log {times[raw]} times, or "
                    "elsewhere"
                )
        for told_of, kept in self._refused:
            if told_of == match_id and (found := judge_refusal(file, kept, GUESTS)) not in (
                RefusalFinding.RIGHT,
                RefusalFinding.OUTSIDE,
            ):
                raise Violation(f"the table's refusal of an entry is {found}")

    def forget(self) -> None:
        """Begin with the next match; the earlier ones have been checked."""
        self._told.clear()
        self._said.clear()
        self._refused.clear()


def check_logs(log: bytes, files: Mapping[str, bytes], gone: Container[str]) -> None:
    """Check that all seats have the table's log, byte for byte; seats that are gone have a prefix
    of it. Raises: Violation.
    """
    for name, file in files.items():
        if file != log and not (name in gone and log.startswith(file)):
            raise Violation(
                f"the table's log has {len(log)} bytes, {name}'s has {len(file)}, and they differ"
            )


def doubts_in(report: AuditReport) -> list[int]:
    """Return, for each lapse, the number of seats that doubt the table's wait."""
    return (
        [len(lapse.doubts) for lapse in report.reader.match.clock.lapses] if report.reader else []
    )


def check_audit(
    log: bytes, excused: bool = False, cheat: type[Cheat] | None = None, lying: bool = False
) -> AuditReport:
    """Check that the log verifies and names exactly the expected authors. Raises: Violation.

    These are the cheat, if it had an opportunity, and, with `excused`, a seat that lapsed. Only a
    table that is `lying` is doubted.
    """
    report = audit(log, GUESTS)
    if report.verdict not in (Verdict.CLEAN, Verdict.FAULT):
        raise Violation(f"the audit says {report.verdict}: {report.damage_code}")
    if (
        cheat is not None
        and report.faults
        and cheat.code not in {fault.code for fault in report.faults}
    ):
        raise Violation(
            f"the cheat was to be named for {cheat.code}, and the audit says {report.faults}"
        )
    if not lying and any(doubts_in(report)):
        raise Violation("a seat doubts an honest table")
    for fault in report.faults:
        is_cheat = cheat is not None and fault.seat == cheat.place
        if not is_cheat and not (excused and fault.code is Code.LAPSED and fault.seat != TABLE):
            raise Violation(f"the audit names somebody honest: {fault}")
    return report


class End(NamedTuple):
    """Final state in a seat's own program."""

    scores: tuple[int, ...]
    faults: tuple[Fault, ...]
    late: tuple[int, ...]  # by seat, for simultaneous play


def check_ends(report: AuditReport, ends: Mapping[str, End | None]) -> None:
    """Check that every seat that saw the end has the state that the audit replays. Raises:
    Violation.
    """
    assert report.reader is not None
    match = report.reader.match
    final = End(match.scores, report.faults, match.late_counts)
    for name, end in ends.items():
        if end not in (None, final):
            raise Violation(f"{name} came to {end}, the audit to {final}")


def check_left_over(found: Mapping[str, Sized], before: Mapping[str, Sized]) -> None:
    """Check that nothing has grown. Raises: Violation."""
    more = {name: some for name, some in found.items() if len(some) > len(before[name])}
    if more:
        raise Violation(f"left over after the match: {more}")
