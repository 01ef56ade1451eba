"""The log: entries signed by their authors, numbered and chained by the table, with a signed head
after each.

    content   = [author, sequence, seen number, seen hash, kind, body]         canonical MessagePack
    entry     = [content, signature of the author over ("entry", match id, content)]
    hash n    = SHA-256("chain", hash n-1, n, entry)
                hash -1 is 32 zero bytes; hash 0 is the match id
    head n    = signature of the table over ("head", match id, n, hash n)

`sequence` counts the entries of each author. No entry can be repeated, or dropped between two
others. `seen` is the newest head that the author has seen. An author who was shown another log
therefore reveals this with every signature.

A match without a table has nobody to number entries, so its seats post one at a time. Each entry
must have seen the entry before it, and its author also signs the head after it.
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

ENDED = "ended"

# kinds of the match itself, without those of the dealing protocols, and the shapes of their bodies
MATCH_ENTRY_SHAPES: dict[str, Shape] = {
    "sit": fields(exactly(32), exactly(32)),  # public match key; commitment to the roster nonce
    "nonce": fields(exactly(NONCE)),  # the roster nonce
    # an action of the game, and a part for each operation that the action asks of the dealing
    # protocol
    "move": fields(
        lambda action: type(action) is list,
        many(lambda part: type(part) is list, 0, MAX_OPERATIONS),
    ),
    # points of every seat; negative points as a list with the absolute value, because the wire
    # format has no negative numbers
    "receipt": fields(many(either(uint(), fields(uint())), 1, MAX_SEATS)),
    "protest": fields(uint()),  # log number of the wrong entry
    "leave": fields(),
    # log number of a lapse, and the longest possible wait for it in milliseconds
    "doubt": fields(uint(), uint()),
    "sit_out": fields(),
    "sit_in": fields(),
    # clock entries of the table: a seat, and the milliseconds that the table has waited for it
    "warning": fields(uint(MAX_SEATS - 1), uint()),  # the seat's time is nearly over
    "extension": fields(uint(MAX_SEATS - 1), uint()),  # the seat's turn gets more time
    "lapse": fields(uint(MAX_SEATS - 1), uint()),  # the seat's time is over
    "slow": fields(uint(MAX_SEATS - 1), uint()),  # the seat's step of the deal takes long
    ENDED: fields(),  # the table ends the match
}


class Record(NamedTuple):
    """An entry with its head, as stored on disk, in a log file or in a parcel."""

    entry: bytes
    head: bytes  # signature of the head after the entry


@dataclass(frozen=True)
class Entry:
    """A decoded entry; `raw` contains its exact bytes."""

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
    """The signed content of an entry."""

    author: int
    sequence: int  # number of the entry among those of its author, from 0
    seen: tuple[int, bytes]  # number and hash of the newest entry that the author has seen
    kind: str
    body: list[Any]


def chain_position(entries: Iterable[bytes]) -> tuple[int, bytes]:
    """Return number and hash of the head after `entries`, a log from its first entry on. Nothing is
    checked.
    """
    hashed = (-1, NO_HASH)
    for number, raw in enumerate(entries):
        hashed = number, digest("chain", hashed[1], number, raw)
    return hashed


def encode_content(content: EntryContent) -> bytes:
    """Return the bytes of the content that are signed."""
    author, sequence, seen, kind, body = content
    return wire.encode([author, sequence, *seen, kind, body])


def encode_entry(content: bytes, signature: bytes) -> bytes:
    """Return the bytes of an entry from the bytes of its content."""
    return wire.encode([content, signature])


def make_entry(identity: Identity, match_id: bytes, content: EntryContent) -> bytes:
    """Return the bytes of a signed entry."""
    raw = encode_content(content)
    return encode_entry(raw, identity.sign("entry", match_id, raw))


def decode_entry(raw: bytes) -> Entry:
    """Decode an entry without a check of its signature. Raises: Refused(BAD_ENTRY)."""
    try:
        outer = wire.decode(raw) if len(raw) <= MAX_ENTRY else None
        inner: Any = wire.decode(outer[0]) if outer is not None and _ENTRY(outer) else None
    except RemoteError as error:
        raise Refused(Code.BAD_ENTRY) from error
    if outer is None or not _CONTENT(inner):
        raise Refused(Code.BAD_ENTRY)
    return Entry(raw, outer[0], outer[1], *inner)


class Log:
    """The chain of one match: checks and numbers entries.

    A log depends on the authors that may sign, but not on the meaning of entries.
    """

    def __init__(self, raw: bytes, games: Games = BUILT_IN) -> None:
        """Begin with a first entry for one of `games`.

        Raises: UnknownRules for another game; Refused unless the table named in the entry signed
        it. Without a table, one of the seats must have signed the entry.
        """
        entry = decode_entry(raw)
        if entry.kind == KIND:
            setup = parse_setup(entry.body, games)
        else:
            setup = None
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
        """32 bytes that identify the match and everything in its first entry."""
        return self.chain_hashes[0]

    @property
    def next_number(self) -> int:
        """Number of entries, and so the number of the next one."""
        return len(self.chain_hashes)

    @property
    def newest_head(self) -> tuple[int, bytes]:
        """Number and hash of the newest entry, in the form of `EntryContent.seen`."""
        return self.next_number - 1, self.chain_hashes[-1]

    def sequence(self, author: int) -> int:
        """Return the number of entries of this author, and so the sequence number of the next
        one.
        """
        return self._sequences.get(author, 0)

    def check(self, raw: bytes) -> Entry:
        """Decode the entry `raw` and check that it may come next in this log.

        Its author is permitted, its signature is good, its sequence number is the author's next,
        and its seen head belongs to this log. Raises: Refused.
        """
        return self._check(raw, is_signed=False)

    def check_proven(self, raw: bytes) -> Entry:
        """Do the same as `check` for an entry that stood here before: its signature is known to be
        good.
        """
        return self._check(raw, is_signed=True)

    def _check(self, raw: bytes, is_signed: bool) -> Entry:
        entry = decode_entry(raw)
        if not _is_author(entry.author, self.setup):
            raise Refused(Code.WRONG_AUTHOR)
        if not is_signed:
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
        """Chain bytes that were signed as the next entry, although the fold must refuse them."""
        self.chain_hashes.append(digest("chain", self.chain_hashes[-1], self.next_number, raw))

    def head(self, signer: Identity, number: int | None = None) -> bytes:
        """Sign the head after entry `number`, by default the newest. Returns 64 bytes.

        `signer` is the table, or without a table the author of the entry.
        """
        number = self.next_number - 1 if number is None else number
        return signer.sign("head", self.match_id, number, self.chain_hashes[number])

    def next_head(self, signer: Identity, raw: bytes) -> bytes:
        """Sign the head that results when `raw` is the next entry."""
        hashed = digest("chain", self.chain_hashes[-1], self.next_number, raw)
        return signer.sign("head", self.match_id, self.next_number, hashed)

    def check_head(self, signature: bytes) -> None:
        """Check the signature of the present head. Raises: RemoteError(BAD_SIGNATURE)."""
        signer = self.head_signer(self.last_author)
        verify(
            signer, signature, "head", self.match_id, self.next_number - 1, self.chain_hashes[-1]
        )

    def check_next_head(self, raw: bytes, signature: bytes) -> None:
        """Check the signature of the head that results when `raw` is the next entry. Raises:
        RemoteError.
        """
        hashed = digest("chain", self.chain_hashes[-1], self.next_number, raw)
        if self.setup.has_table:
            author = TABLE
        else:
            author = decode_entry(raw).author
        verify(self.head_signer(author), signature, "head", self.match_id, self.next_number, hashed)

    def fork_signer(self, number: int, raw: bytes, head: bytes) -> int | None:
        """Return the author who signed `raw` for a number that has another entry here; None for the
        same entry.

        A different first entry means another match. This proves a fork only if the bytes came from
        the table that the session has authenticated. Raises: RemoteError if nobody who may sign the
        head has signed it.
        """
        hashed = digest("chain", self.chain_hashes[number - 1] if number else NO_HASH, number, raw)
        if hashed == self.chain_hashes[number]:
            return None
        if self.setup.has_table:
            author = TABLE
        else:
            author = decode_entry(raw).author
        if number == 0 and self.setup.has_table:
            match_id = hashed
        else:
            match_id = self.match_id
        verify(self.head_signer(author), head, "head", match_id, number, hashed)
        return author

    def head_signer(self, author: int) -> bytes:
        """Return the public key that signs the head after an entry of `author`. Raises:
        Refused(WRONG_AUTHOR).
        """
        if self.setup.has_table:
            return self.setup.table.key
        if not _is_author(author, self.setup):
            raise Refused(Code.WRONG_AUTHOR)
        return self.setup.people[author].identity

    def _check_signature(self, entry: Entry, match_id: bytes) -> None:
        if entry.author == TABLE:
            author = self.setup.table.key
        else:
            author = self.setup.people[entry.author].identity
        try:
            verify(author, entry.signature, "entry", match_id, entry.content)
        except RemoteError as error:
            raise Refused(Code.BAD_ENTRY_SIGNATURE) from error


def _is_author(author: int, setup: Setup) -> bool:
    """Check that `author` is a seat of the match, or the table of a match that has one."""
    if author == TABLE:
        return setup.has_table
    return author < setup.seats
