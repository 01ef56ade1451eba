"""The table log: entries that their authors sign, numbered and chained by the table, with a signed
head after each.

    content   = [author, sequence, seen number, seen hash, kind, body]         canonical MessagePack
    entry     = [content, signature of the author over ("entry", match id, content)]
    hash n    = SHA-256("chain", hash n-1, n, entry)        hash -1 is 32 zero bytes; hash 0 is the match id
    head n    = signature of the table over ("head", match id, n, hash n)

`sequence` counts an author's own entries, so none can be repeated or dropped between two others.
`seen` is the newest head that the author had seen: an author that was shown another log says so
with everything it signs.

A match without a table has no one to number entries, so its seats post one at a time: an entry must
have seen the one before it, and its author signs the head after it too.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.crypto.joint_randomness import NONCE
from protocol.dealing import TABLE
from protocol.errors import Refused, RemoteError
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity, verify
from protocol.limits import MAX_ENTRY, MAX_NAME, MAX_OPERATIONS, MAX_SEATS
from protocol.match.setup import KIND, Setup, parse_setup
from protocol.schema import Shape, between, either, exactly, fields, many, text, uint

NO_HASH = bytes(32)
_ENTRY = fields(between(1, MAX_ENTRY), exactly(64))
_CONTENT = fields(
    uint(TABLE), uint(), uint(), exactly(32), text(MAX_NAME), lambda body: type(body) is list
)

# kinds that the match itself knows, beside those of the dealing protocol: what stands in their
# bodies
MATCH_ENTRY_SHAPES: dict[str, Shape] = {
    "sit": fields(exactly(32), exactly(32)),  # public match key; commitment to the roster nonce
    "nonce": fields(exactly(NONCE)),  # the roster nonce
    # an action of the game, and what goes with each operation that it asks of the dealing protocol
    "move": fields(
        lambda action: type(action) is list,
        many(lambda part: type(part) is list, 0, MAX_OPERATIONS),
    ),
    # the points of every seat; those below 0 as a list of how far below, since no number on the
    # wire is
    "receipt": fields(many(either(uint(), fields(uint())), 1, MAX_SEATS)),
    "protest": fields(uint()),  # the log number of the entry that is wrong
    "leave": fields(),
    # the log number of a lapse, and how many milliseconds the table can have waited for it at most
    "doubt": fields(uint(), uint()),
    "sit_out": fields(),
    "sit_in": fields(),
    # the table: how many milliseconds it has waited for this seat
    "warning": fields(uint(MAX_SEATS - 1), uint()),  # its time is nearly over
    "extension": fields(uint(MAX_SEATS - 1), uint()),  # its turn gets more time
    "lapse": fields(uint(MAX_SEATS - 1), uint()),  # its time is over
    "slow": fields(uint(MAX_SEATS - 1), uint()),  # its step of the deal takes long
}


class Record(NamedTuple):
    """An entry as it stands in a log: on disk, in a file, in a parcel."""

    entry: bytes
    head: bytes  # the signature of the head after it


@dataclass(frozen=True)
class Entry:
    """One decoded entry; `raw` are its exact bytes."""

    raw: bytes
    content: bytes
    signature: bytes
    author: int
    sequence: int
    seen_number: int
    seen_hash: bytes
    kind: str
    body: list[Any]


class EntryContent(NamedTuple):
    """What an author signs."""

    author: int
    sequence: int  # of this author's entries, from 0
    seen: tuple[int, bytes]  # number and hash of the newest entry that the author has seen
    kind: str
    body: list[Any]


def chain_position(entries: Iterable[bytes]) -> tuple[int, bytes]:
    """Number and hash of the head after these entries, unchecked, from the first one on."""
    hashed = (-1, NO_HASH)
    for number, raw in enumerate(entries):
        hashed = number, digest("chain", hashed[1], number, raw)
    return hashed


def encode_content(content: EntryContent) -> bytes:
    """The bytes of it that are signed."""
    author, sequence, seen, kind, body = content
    return wire.encode([author, sequence, *seen, kind, body])


def encode_entry(content: bytes, signature: bytes) -> bytes:
    """An entry's bytes, of those of its content."""
    return wire.encode([content, signature])


def make_entry(identity: Identity, match_id: bytes, content: EntryContent) -> bytes:
    """A signed entry's bytes."""
    raw = encode_content(content)
    return encode_entry(raw, identity.sign("entry", match_id, raw))


def decode_entry(raw: bytes) -> Entry:
    """An entry from its bytes, its signature not yet checked; raises `Refused(BAD_ENTRY)`."""
    try:
        outer = wire.decode(raw) if len(raw) <= MAX_ENTRY else None
        inner: Any = wire.decode(outer[0]) if outer is not None and _ENTRY(outer) else None
    except RemoteError as error:
        raise Refused(Code.BAD_ENTRY) from error
    if outer is None or not _CONTENT(inner):
        raise Refused(Code.BAD_ENTRY)
    return Entry(raw, outer[0], outer[1], *inner)


class Log:
    """The chain of one match: checks and numbers entries. It knows who may sign, not what an entry
    means.
    """

    def __init__(self, raw: bytes, games: Games = BUILT_IN) -> None:
        """Begin with a first entry, played by one of these games.

        Raises: Refused unless its table signed it (one of its seats if it has none): UnknownRules
        for another game.
        """
        entry = decode_entry(raw)
        setup = parse_setup(entry.body, games) if entry.kind == KIND else None
        if setup is None or (entry.sequence, entry.seen_number, entry.seen_hash) != (0, 0, NO_HASH):
            raise Refused(Code.BAD_SETUP)
        if not _is_author(entry.author, setup) or (entry.author == TABLE) is not setup.has_table:
            raise Refused(Code.BAD_SETUP)
        self.setup: Setup = setup
        self._check_signature(entry, NO_HASH)
        self.chain_hashes: list[bytes] = [digest("chain", NO_HASH, 0, raw)]
        self._sequences = {entry.author: 1}
        self.last_author = entry.author

    @property
    def match_id(self) -> bytes:
        """32 bytes that name the match and everything its first entry says."""
        return self.chain_hashes[0]

    @property
    def next_number(self) -> int:
        """How many entries there are: the number of the next one."""
        return len(self.chain_hashes)

    @property
    def newest_head(self) -> tuple[int, bytes]:
        """Number and hash of the newest entry, as an author states them."""
        return self.next_number - 1, self.chain_hashes[-1]

    def sequence(self, author: int) -> int:
        """How many entries this author has in the log: the sequence number of its next one."""
        return self._sequences.get(author, 0)

    def check(self, raw: bytes) -> Entry:
        """The entry, if it may come next: known author, good signature, its author's next, and of
        this log.

        Raises: Refused.
        """
        entry = decode_entry(raw)
        if not _is_author(entry.author, self.setup):
            raise Refused(Code.WRONG_AUTHOR)
        self._check_signature(entry, self.match_id)
        if entry.sequence != self.sequence(entry.author):
            raise Refused(Code.WRONG_SEQUENCE)
        if (
            entry.seen_number >= self.next_number
            or self.chain_hashes[entry.seen_number] != entry.seen_hash
        ):
            raise Refused(Code.WRONG_HEAD)
        if not self.setup.has_table and entry.seen_number != self.next_number - 1:
            raise Refused(Code.STALE)
        return entry

    def append(self, entry: Entry) -> None:
        """Chain a checked entry."""
        self.append_unchecked(entry.raw)
        self._sequences[entry.author] = self.sequence(entry.author) + 1
        self.last_author = entry.author

    def append_unchecked(self, raw: bytes) -> None:
        """Chain what was signed for as the next entry, although it cannot stand."""
        self.chain_hashes.append(digest("chain", self.chain_hashes[-1], self.next_number, raw))

    def head(self, signer: Identity, number: int | None = None) -> bytes:
        """The signature, 64 bytes, of the head after this entry, or the newest: the table's, or its
        author's.
        """
        number = self.next_number - 1 if number is None else number
        return signer.sign("head", self.match_id, number, self.chain_hashes[number])

    def next_head(self, signer: Identity, raw: bytes) -> bytes:
        """The signature of the head that there is with these bytes as next entry."""
        hashed = digest("chain", self.chain_hashes[-1], self.next_number, raw)
        return signer.sign("head", self.match_id, self.next_number, hashed)

    def check_head(self, signature: bytes) -> None:
        """Raises `RemoteError(BAD_SIGNATURE)` unless the present head is signed by whom it must
        be.
        """
        signer = self.head_signer(self.last_author)
        verify(
            signer, signature, "head", self.match_id, self.next_number - 1, self.chain_hashes[-1]
        )

    def check_next_head(self, raw: bytes, signature: bytes) -> None:
        """Raises `RemoteError` unless the head with these bytes as next entry is signed by whom it
        must be.
        """
        hashed = digest("chain", self.chain_hashes[-1], self.next_number, raw)
        author = TABLE if self.setup.has_table else decode_entry(raw).author
        verify(self.head_signer(author), signature, "head", self.match_id, self.next_number, hashed)

    def fork_signer(self, number: int, raw: bytes, head: bytes) -> int | None:
        """Who signed these bytes for a number that another entry has here; None if it is the same
        entry.

        Another first entry is another match, which proves something only if it came as this one:
        from the table that the session has authenticated. Raises: RemoteError if the head is signed
        by nobody whose it may be.
        """
        hashed = digest("chain", self.chain_hashes[number - 1] if number else NO_HASH, number, raw)
        if hashed == self.chain_hashes[number]:
            return None
        author = TABLE if self.setup.has_table else decode_entry(raw).author
        match_id = hashed if number == 0 and self.setup.has_table else self.match_id
        verify(self.head_signer(author), head, "head", match_id, number, hashed)
        return author

    def head_signer(self, author: int) -> bytes:
        """Whose key signs the head after an entry of this author. Raises: Refused(WRONG_AUTHOR)."""
        if self.setup.has_table:
            return self.setup.table.key
        if not _is_author(author, self.setup):
            raise Refused(Code.WRONG_AUTHOR)
        return self.setup.people[author].identity

    def _check_signature(self, entry: Entry, match_id: bytes) -> None:
        author = (
            self.setup.table.key
            if entry.author == TABLE
            else self.setup.people[entry.author].identity
        )
        try:
            verify(author, entry.signature, "entry", match_id, entry.content)
        except RemoteError as error:
            raise Refused(Code.BAD_ENTRY_SIGNATURE) from error


def _is_author(author: int, setup: Setup) -> bool:
    """Whether there is such an author: a seat, or the table if the match has one."""
    return setup.has_table if author == TABLE else author < setup.seats
