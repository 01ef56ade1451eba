"""The stored state of a running match: the seed of the seat's secrets, and the newest entry that it
has signed.

Small files for each match, beside the identity that they belong to (docs/protocol, chapter 15):

    matches/<match id>.json     the match, the place of its log, and the seed; before the first own entry
    matches/<match id>.ticket   the table's ticket, which brings the seat back to a full table
    matches/<match id>.outbox   the own entry that is about to be sent; on disk before it is sent
    matches/<match id>.claim    the newest claim of a host; on disk before anything is sent to that host

With the log they restore the whole memory of the seat. All are deleted when the match is over.
After that an empty file, ended/<match id>, says that nothing more may be signed in it.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EDQUOT, EFBIG, ENOSPC
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import Any

from player.storage.agreement import Agreement
from player.storage.files import read_json, write_json, write_whole
from player.storage.log_store import LogStore, StoredLog, damaged, usual_path
from protocol.crypto.seeded_random import SEED
from protocol.errors import LocalError, RemoteError
from protocol.games.decks.deck_hand import Loadout, loadout_bytes, read_loadout
from protocol.games.decks.ownership import Ownership
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink, fingerprint
from protocol.identity.names import check_name
from protocol.limits import MATCH_ROOM, MAX_ENDED_MATCHES, MAX_ENTRY, TICKET, TICKET_SECRET
from protocol.match.setup import Person
from protocol.messages.claim import SignedClaim, check_claim
from protocol.session.ticket import Ticket

FOLDER = "matches"
PEERS = "peers"  # the folder of matches without a table
SUFFIX = ".json"
OUTBOX = ".outbox"
CLAIM = ".claim"
TICKET_FILE = ".ticket"
ENDED = "ended"  # the folder with an empty file for each match that has ended for us
NOTHING = loadout_bytes(Loadout())
# what a log says that no disk takes
NOT_WRITTEN = "wrong.log.write", "wrong.log.write.now", "wrong.log.full"
ROOM = ".room"
DIGEST = 32  # bytes in front of the entry in an outbox
FULL = ENOSPC, EDQUOT, EFBIG  # what a system says when there is no room


@dataclass(frozen=True)
class RecoveryState(StoredLog):
    """One running match. Not shown by `repr`: the seed."""

    link: str  # where the table was
    agreement: Agreement
    seed: bytes = field(repr=False)
    # what our seat plays with (`protocol.games.decks.deck_hand`)
    brings: bytes = field(default=NOTHING, repr=False)

    @property
    def table(self) -> str:
        """The fingerprint of the table."""
        return fingerprint(self.agreement.table_key)

    @property
    def is_there(self) -> bool:
        """Return True if this match is stored."""
        return self._file(SUFFIX).exists()

    def save(self) -> None:
        """Put it on disk. Raises: LocalError; then nothing may be signed, and another start may
        begin it anew.
        """
        path = self._file(SUFFIX)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file(OUTBOX).touch(0o600)
            write_json(path, self._value())  # whole, and the folder with it
        except (OSError, LocalError):
            with suppress(LocalError):
                self.forget()
            raise LocalError("wrong.disk.begins", path=str(path)) from None

    def _value(self) -> dict[str, object]:
        agreement = self.agreement
        return {
            "link": self.link,
            "match": agreement.match_id.hex(),
            "table key": agreement.table_key.hex(),
            "table": agreement.table_id,
            "seat": agreement.seat,
            "name": agreement.person.name,
            "identity": agreement.person.identity.hex(),
            "log": str(self.log),
            "seed": self.seed.hex(),
            "brings": self.brings.hex(),
        }

    def open_store(self, records: int) -> LogStore:
        """See `StoredLog.open_store`. No other file can take its place: the match is stored with
        this one. Raises: LocalError.
        """
        try:
            return super().open_store(records)
        except LocalError as error:
            if error.phrase.key in NOT_WRITTEN:
                raise LocalError("wrong.disk.begins", path=str(self.log_path)) from None
            raise

    def brought(self, knows: Ownership) -> Loadout:
        """Return the loadout of the own seat, with what its program knows now. Raises: LocalError."""
        try:
            return read_loadout(self.brings, knows)
        except RemoteError:
            raise damaged(self._file(SUFFIX)) from None

    def put(self, entry: bytes) -> None:
        """Note the entry that is about to be sent. Raises: LocalError; then it must not be sent.

        It is written over the one before, which stands in the log by now or was refused: so a write
        that a crash cuts short loses nothing, and the digest tells. What the disk does not take
        leaves the one before as it was.
        """
        path = self._file(OUTBOX)
        try:
            with path.open("r+b", buffering=0) as file:
                before = file.read(DIGEST + MAX_ENTRY)
                try:
                    _write_over(file, sha256(entry).digest() + entry)
                except OSError:
                    with suppress(OSError):
                        _write_over(file, before)  # into the room that it had
                    raise
        except OSError as error:
            if error.errno in FULL:
                key = "wrong.disk.full"
            else:
                key = "wrong.disk.write"
            raise LocalError(key, path=str(path), why=str(error.strerror)) from None

    def last(self) -> bytes | None:
        """The entry that was about to be sent, whether or not it was; None if there is none, or not
        all of it.
        """
        return read_outbox(self._file(OUTBOX))

    def meet(self, claim: SignedClaim) -> None:
        """Note the newest claim that a host has stated; a crash leaves this one or the one before.
        Raises: LocalError.
        """
        write_json(self._file(CLAIM), {"id": claim.id.hex(), "signature": claim.signature.hex()})

    def claim(self) -> SignedClaim | None:
        """Return the newest claim that was met; None if there is none, or the file is damaged."""
        try:
            value = read_json(self._file(CLAIM))
            claim = SignedClaim(*(bytes.fromhex(value[name]) for name in ("id", "signature")))
            check_claim(claim, self.agreement.match_id, self.agreement.table_key)
        except (LocalError, RemoteError, KeyError, TypeError, ValueError):
            return None
        return claim

    def put_ticket(self, ticket: Ticket) -> None:
        """Store the newest ticket, whole, in place of the one before. Raises: LocalError."""
        write_whole(self._file(TICKET_FILE), ticket.shown + ticket.secret)

    def ticket(self) -> Ticket | None:
        """The newest ticket, if there is one."""
        try:
            stored = self._file(TICKET_FILE).read_bytes()
        except OSError:
            return None
        whole = len(stored) == TICKET + TICKET_SECRET
        return Ticket(stored[:TICKET], stored[TICKET:]) if whole else None

    def forget(self) -> None:
        """The match is over, or given up: the seed and the outbox go, the log stays. Raises:
        LocalError.
        """
        # what a crash has left
        half_written = (self.data / FOLDER).glob(f".{self.agreement.match_id.hex()}*")
        mine = map(self._file, (SUFFIX, OUTBOX, TICKET_FILE, CLAIM))
        for path in (*mine, *half_written):
            _remove(path)

    def end(self) -> None:
        """Delete the state of a match that can need nothing more of this seat, and note its end:
        nothing more may be signed in it, whatever a table shows later. Raises: LocalError.
        """
        note_end(self.data, self.agreement.match_id)
        self.forget()

    @property
    def changed(self) -> int:
        """Seconds since 1970 at which the log got its newest entry; 0 without a log."""
        try:
            return int(self.log_path.stat().st_mtime)
        except OSError:
            return 0

    def _file(self, suffix: str) -> Path:
        return self.data / FOLDER / f"{self.agreement.match_id.hex()}{suffix}"


@dataclass(frozen=True)
class MatchFiles:
    """The stored matches at one table: their logs, and the state for continuing after a crash."""

    data: Path
    link: JoinLink
    identity: bytes  # whose logs they are
    log: Path | None = None  # None: where logs usually are in the data folder
    resumable: bool = True  # False: only the log is kept, as for who only looks on
    # raises LocalError if it had better not be brought any more
    check: Callable[[Loadout], None] = lambda brings: None

    def open_store(self, match_id: bytes) -> LogStore:
        """The log file of a match that begins. Raises: LocalError."""
        return LogStore(self._log(match_id))

    def has_ended(self, match_id: bytes) -> bool:
        """Tell if this match has ended for this folder's player, who has no secrets of it any
        more.
        """
        return (self.data / ENDED / match_id.hex()).exists()

    def make_room(self) -> None:
        """Before a seat is taken: take of the disk what a match needs to begin. `free_room` gives
        it back.

        Raises: LocalError.
        """
        if not self.resumable:
            return
        path = self.data / FOLDER / ROOM
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with path.open("wb", buffering=0) as file:
                _write_over(file, os.urandom(MATCH_ROOM))  # zeros take no room on some disks
        except OSError as error:
            self.free_room()
            raise LocalError(
                "wrong.disk.no_room", path=str(path.parent), why=str(error.strerror)
            ) from None

    def free_room(self) -> None:
        """The match begins, or there is none. Raises: LocalError."""
        if self.resumable:
            _remove(self.data / FOLDER / ROOM)

    def remember(self, agreement: Agreement, seed: bytes, brings: Loadout) -> RecoveryState | None:
        """Begin to remember a match, on disk: no trade gives away what is brought from then on.

        Raises: LocalError, also if one has done so before; then it is not remembered.
        """
        if not self.resumable:
            return None
        self.free_room()
        secret = seed, loadout_bytes(brings)
        memory = new_recovery_state(
            self.data, self.link, agreement, self._log(agreement.match_id), secret
        )
        try:
            self.check(brings)
        except LocalError:
            memory.forget()
            raise
        return memory

    def _log(self, match_id: bytes) -> Path:
        return self.log or usual_path(self.data, match_id, self.identity)


def new_recovery_state(
    data: Path, link: JoinLink, agreement: Agreement, log: Path, secret: tuple[bytes, bytes]
) -> RecoveryState:
    """The memory of a match that begins, on disk; `secret`: its seed, and what is brought.

    Raises: LocalError, also if it has begun here before.
    """
    data = data.resolve()
    log = log.resolve()
    memory = RecoveryState(
        data,
        log.relative_to(data) if log.is_relative_to(data) else log,
        str(link),
        agreement,
        *secret,
    )
    if memory.is_there:  # with another seed our seat would sign everything a second time
        raise LocalError("wrong.elsewhere")
    memory.save()
    return memory


def read_recovery_states(data: Path, identity: Identity | None) -> list[RecoveryState]:
    """All matches of this identity that are not over, or of everybody for None, the oldest first.
    Raises: LocalError for a damaged one.
    """
    paths = sorted(
        (data / FOLDER).glob(f"*{SUFFIX}"), key=lambda path: (path.stat().st_mtime_ns, path.name)
    )
    memories = [_memory(data.resolve(), path, read_json(path)) for path in paths]
    if identity is None:
        return memories
    return [memory for memory in memories if memory.agreement.person.identity == identity.public]


def note_end(data: Path, match_id: bytes) -> None:
    """Note that a match has ended; of those that have, the newest are known. Raises: LocalError."""
    folder = data / ENDED
    path = folder / match_id.hex()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(0o600)
        ended = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime_ns)
    except OSError as error:
        raise LocalError("wrong.disk.ends", path=str(path)) from error
    for old in ended[:-MAX_ENDED_MATCHES]:
        _remove(old)


def _remove(path: Path) -> None:
    """Raises: LocalError."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise LocalError("wrong.disk.remove", path=str(path), why=str(error.strerror)) from None


def _write_over(file: FileIO, record: bytes) -> None:
    """Raises: OSError."""
    file.seek(0)
    if file.write(record) != len(record):
        raise OSError(ENOSPC, os.strerror(ENOSPC))
    file.truncate()
    os.fsync(file.fileno())


def read_outbox(path: Path) -> bytes | None:
    """The entry in an outbox; None if there is none, or not all of it."""
    try:
        with path.open("rb") as file:
            record = file.read(DIGEST + MAX_ENTRY + 1)
    except OSError:
        return None
    entry = record[DIGEST:]
    if entry and sha256(entry).digest() == record[:DIGEST]:
        return entry
    return None


def any_recovery_states(data: Path) -> bool:
    """Return True if a data folder has an unfinished match, of any identity."""
    return any((data / FOLDER).glob(f"*{SUFFIX}"))


def of_table(
    memories: list[RecoveryState], link: JoinLink, table: str | None
) -> RecoveryState | None:
    """The oldest that was begun at the table of this fingerprint or, if that is not known, at this
    address.
    """
    for memory in memories:
        where = JoinLink.parse(memory.link)
        if memory.table == table or (table is None and where.address_text == link.address_text):
            return memory
    return None


def _memory(data: Path, path: Path, value: dict[str, Any]) -> RecoveryState:
    try:
        match_id, table_key, identity = (
            bytes.fromhex(value[name]) for name in ("match", "table key", "identity")
        )
        check_name(value["name"])
        agreement = Agreement(
            match_id,
            table_key,
            str(value["table"]),
            int(value["seat"]),
            Person(value["name"], identity),
            None,
        )
        link = str(JoinLink.parse(value["link"]))
        log = Path(value["log"])
        seed = bytes.fromhex(value["seed"])
        brings = bytes.fromhex(value["brings"])
        if (path.stem, len(seed), len(table_key)) != (match_id.hex(), SEED, KEY_SIZE):
            raise ValueError("a field of the wrong size")
    except (KeyError, TypeError, ValueError, LocalError, RemoteError):
        raise damaged(path) from None
    return RecoveryState(data, log, link, agreement, seed, brings)
