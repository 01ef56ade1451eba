"""A player's reaction to a refusal of its entry. Its own fold judges the refusal, at the head that
it holds.
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
    """Our entry that is on its way into the log."""

    raw: bytes
    sequence: int
    seen_number: int

    def is_meant(self, refusal: Refusal) -> bool:
        """Check that these are the refused bytes."""
        return sha256(self.raw).digest() == refusal.entry_hash


class RejectionAnswer(Enum):
    """The reaction to a refusal."""

    # it was judged at what we have not been shown: it may be there that our entry stands
    WAIT = "wait"
    ACCUSE = "accuse"  # it was judged at another log than ours: the table signed two
    # the entry can stand: the same bytes once more, and nothing else in its place
    REPEAT = "repeat"
    STOP = "stop"  # it can stand, and was sent often enough: stop without leaving
    DROP = "drop"  # it cannot stand


class Rejections:
    """The refusals that one player has had in one match."""

    def __init__(self, tell: Callable[[events.Event], None]) -> None:
        self.codes: list[Code] = []
        self._tell = tell
        # the newest entry that can stand and was refused; how often it was repeated
        self._raw = b""
        self._repeats = 0

    def answer(
        self, reader: LogReader, store: LogStore | None, under_way: PendingPost, refusal: Refusal
    ) -> RejectionAnswer:
        """Ours to a refusal of these bytes of ours; one that proves something against the table
        goes on disk.

        Raises: RemoteError if the table did not sign it.
        """
        log = reader.log
        code = parse_code(refusal.code)
        check_refusal(refusal, log.match_id, log.setup.table.key)
        self._tell(events.Declined(code))
        if refusal.number >= log.next_number:
            return RejectionAnswer.WAIT
        kept = SavedRefusal(under_way.raw, refusal)
        if log.chain_hashes[refusal.number] != refusal.hash:
            self._keep(store, kept)
            return RejectionAnswer.ACCUSE
        self.codes.append(code)
        if not is_acceptable(log, reader.match, under_way.raw):
            return RejectionAnswer.DROP
        if refusal.code not in UNDECIDABLE_CODES and refusal.number >= under_way.seen_number:
            # judged at a head before the one that it names, it proves nothing
            self._keep(store, kept)
        return self._insist(under_way.raw)

    def _insist(self, raw: bytes) -> RejectionAnswer:
        self._raw, self._repeats = raw, self._repeats + 1 if raw == self._raw else 1
        if self._repeats <= MAX_REPEATS:
            return RejectionAnswer.REPEAT
        return RejectionAnswer.STOP

    def _keep(self, store: LogStore | None, kept: SavedRefusal) -> None:
        """Put the table's word on disk, the first one about an entry."""
        if store is None:
            return
        try:
            path = store.keep_refusal(kept)
        except LocalError as error:
            self._tell(events.Notice(error.phrase))
            return
        if path is not None:
            shown = f"fairdeal audit {store.path} --refusal {path}"
            self._tell(events.Notice(phrase("notice.refusal_kept", command=shown)))


def why_stopped(code: str, remembered: bool) -> Phrase:
    """Return why the program stops after a legal entry was refused to the end. `remembered`:
    another run can continue the match.
    """
    if code in UNDECIDABLE_CODES:
        return phrase(
            "stop.takes_not.kept" if remembered else "stop.takes_not",
            why=code_phrase(parse_code(code)),
        )
    return phrase("stop.refuses.kept" if remembered else "stop.refuses")
