"""A player's reaction to a refusal of its entry. The own fold judges the refusal, at the head that
the refusal names.
"""

from collections.abc import Callable
from enum import Enum
from hashlib import sha256
from typing import NamedTuple

from player.client import events
from player.storage.log_store import LogStore
from protocol.codes import Code, code_phrase, parse_code
from protocol.errors import LocalError
from protocol.limits import MAX_REPEATS
from protocol.match.log_reader import LogReader
from protocol.match.refusal import (
    UNDECIDABLE_CODES,
    Refusal,
    SavedRefusal,
    check_refusal,
    is_acceptable,
)
from protocol.view.phrase import Phrase, phrase


class PendingPost(NamedTuple):
    """An entry of ours that has been sent, and neither stands in the log nor was refused."""

    raw: bytes
    sequence: int
    seen_number: int

    def is_refused_by(self, refusal: Refusal) -> bool:
        """Check that the refusal is about the bytes of this entry."""
        return sha256(self.raw).digest() == refusal.entry_hash


class RejectionAnswer(Enum):
    """The reaction to a refusal."""

    # the refusal names a head that we have not read yet: our entry may already stand before it
    WAIT = "wait"
    ACCUSE = "accuse"  # the refusal names a head of another log: the table has signed two logs
    # the entry can stand: send the same bytes again, and nothing else in their place
    REPEAT = "repeat"
    STOP = "stop"  # the entry can stand, and was repeated often enough: stop without leaving
    DROP = "drop"  # the entry cannot stand


class Rejections:
    """The refusals that one player has had in one match."""

    def __init__(self, tell: Callable[[events.Event], None]) -> None:
        self.codes: list[Code] = []
        self._tell = tell
        # the newest entry that was refused although it can stand, and how often it was repeated
        self._raw = b""
        self._repeats = 0

    def answer(
        self, reader: LogReader, store: LogStore | None, pending: PendingPost, refusal: Refusal
    ) -> RejectionAnswer:
        """Decide how to react to a refusal of our pending entry. A refusal that proves a fault of the
        table is stored.

        Raises: RemoteError if the table did not sign the refusal.
        """
        log = reader.log
        code = parse_code(refusal.code)
        check_refusal(refusal, log.match_id, log.setup.table.key)
        self._tell(events.Declined(code))
        if refusal.number >= log.next_number:
            return RejectionAnswer.WAIT
        kept = SavedRefusal(pending.raw, refusal)
        if log.chain_hashes[refusal.number] != refusal.hash:
            self._keep(store, kept)
            return RejectionAnswer.ACCUSE
        self.codes.append(code)
        if not is_acceptable(log, reader.match, pending.raw):
            return RejectionAnswer.DROP
        if refusal.code not in UNDECIDABLE_CODES and refusal.number >= pending.seen_number:
            # a refusal at an earlier head than our entry names proves nothing
            self._keep(store, kept)
        return self._count_repeat(pending.raw)

    def _count_repeat(self, raw: bytes) -> RejectionAnswer:
        self._raw, self._repeats = raw, self._repeats + 1 if raw == self._raw else 1
        if self._repeats <= MAX_REPEATS:
            return RejectionAnswer.REPEAT
        return RejectionAnswer.STOP

    def _keep(self, store: LogStore | None, kept: SavedRefusal) -> None:
        """Store the first refusal of an entry as evidence."""
        if store is None:
            return
        try:
            path = store.keep_refusal(kept)
        except LocalError as error:
            self._tell(events.Notice(error.phrase))
            return
        if path is not None:
            command = f"fairdeal audit {store.path} --refusal {path}"
            self._tell(events.Notice(phrase("notice.refusal_kept", command=command)))


def why_stopped(code: str, remembered: bool) -> Phrase:
    """Return why the program stops after the table has refused a legal entry again and again.
    `remembered`: another run can continue the match.
    """
    if code in UNDECIDABLE_CODES:
        return phrase(
            "stop.takes_not.kept" if remembered else "stop.takes_not",
            why=code_phrase(parse_code(code)),
        )
    return phrase("stop.refuses.kept" if remembered else "stop.refuses")
