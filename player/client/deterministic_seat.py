"""A seat that survives a crash: all its secrets are a function of a seed and the log.

The seat's randomness is a stream that follows the log's head after every entry, and the seat is
asked after every entry what it would post. A program that has the seed and reads the log again
therefore has the same secrets and gives the same answers, byte for byte. Where a log continues in
two ways, no random value serves both (docs/protocol, chapter 15).
"""

from collections.abc import Callable
from random import Random
from typing import Protocol

from player.client.seat import Seat
from protocol import wire
from protocol.crypto.seeded_random import SeededRandom
from protocol.dealing import Post
from protocol.games import Action
from protocol.identity.keys import Identity
from protocol.match.log import Entry
from protocol.match.state import Match

SeatMaker = Callable[[Identity, int, Random], Seat]
CHOSEN = ("move", "sit_out", "sit_in", "doubt", "leave", "protest")


class Heads(Protocol):
    """The log that has been read so far."""

    @property
    def newest_head(self) -> tuple[int, bytes]:
        """See `Log.newest_head`."""


class Reading(Protocol):
    """Reader of a log, entry by entry, such as `LogReader`."""

    @property
    def log(self) -> Heads:
        """Return the log up to the newest entry that was read."""

    @property
    def match(self) -> Match:
        """Return the state after that entry."""

    @property
    def over(self) -> bool:
        """Return True if the match is over."""


class DeterministicSeat:
    """One seat and its stream. `due` is what it posts now without being asked to choose, if
    anything.
    """

    def __init__(
        self, seat_type: SeatMaker, identity: Identity, number: int, seed: bytes, reader: Reading
    ) -> None:
        """`reader` has read the first entry and no more. The seed is of no use without the
        identity's own secret.
        """
        self._reader = reader
        self._stream = SeededRandom(
            identity.secret("seat of a match", seed), *reader.log.newest_head
        )
        self.seat = seat_type(identity, number, self._stream)
        self.due: Post | None = self.seat.respond(reader.match)

    def follow(self) -> None:
        """The reader has read the next entry."""
        reader = self._reader
        if not reader.over:
            self._stream.seek(*reader.log.newest_head)
            self.due = self.seat.respond(reader.match)

    def would_post(self, entry: Entry) -> bool:
        """Check that the next entry of this seat is the one that its secrets produce.

        Moves, sitting out, doubts and leaving are choices from outside, and change no secrets. A
        protest may have been overtaken by entries that made it needless.
        """
        return entry.kind in CHOSEN or Post(entry.kind, entry.body) == self.due

    def move(self, action: Action) -> Post:
        """The post that makes one of `seat.choices`, with randomness of its own: another move here
        has other.
        """
        self._stream.seek(*self._reader.log.newest_head, wire.encode(list(action)))
        return self.seat.move(self._reader.match, action)
