"""Log files of small matches, for tests that read them."""

from functools import cache

from player.client.seat import Seat
from protocol import wire
from protocol.crypto.hashing import digest
from protocol.games.dominoes.state import DominoesPhase
from protocol.limits import MAX_FRAME
from protocol.match.log import EntryContent, make_entry
from protocol.match.log_file import MAGIC, encode_record, read_records
from tests.support.offline import Offline, make_offline


class Passer(Seat):
    """Seat that passes whenever possible, with any hand."""

    def move(self, match, action):
        return super().move(match, ("pass",) if match.game.phase is DominoesPhase.PLAY else action)


class Leaver(Seat):
    """Seat that leaves before its first move."""

    def respond(self, match):
        post = super().respond(match)
        return post if post or not self.choices(match) else ("leave", [])

    def entry(self, log, post):
        return make_entry(
            self._identity,
            log.match_id,
            EntryContent(self.number, log.sequence(self.number), log.newest_head, *post),
        )


@cache
def played(
    seats: int = 2, seed: int = 1, game: str = "block-dominoes", cheat: type[Seat] | None = None
) -> Offline:
    """Play a match. With a cheat at seat 1, play matches until the cheat has acted."""
    offline = make_offline(seats, seed, game, seat_types={1: cheat} if cheat else None)
    offline.play()
    return (
        offline
        if cheat is None or offline.live.match.faults
        else played(seats, seed + 1, game, cheat)
    )


def clean(**options) -> bytes:
    """Return the file of an honest match."""
    return played(**options).file()


def first_records(data: bytes, count: int) -> bytes:
    """Return a file with the first entries of another."""
    return MAGIC + b"".join(encode_record(*record) for record in list(read_records(data))[:count])


def forked(offline: Offline, number: int) -> bytes:
    """Return the first entries of a match, then another entry with this number, also signed by the
    table.
    """
    log, table = offline.live.log, offline.live._identity
    raw = make_entry(
        table,
        log.match_id,
        EntryContent(255, 1, (number - 1, log.chain_hashes[number - 1]), "lapse", [0, 10**9]),
    )
    head = table.sign(
        "head", log.match_id, number, digest("chain", log.chain_hashes[number - 1], number, raw)
    )
    return first_records(offline.file(), number) + encode_record(raw, head)


# bytes that anybody can append to a log without a key
ENDS = {
    "four zero bytes": bytes(4),
    "junk": b"junk" * 99,
    "a length above the bound": (MAX_FRAME + 1).to_bytes(4, "big") + bytes(99),
    "a frame that is no list": wire.encode_frame(b"\xc0"),
    "a frame without an entry": wire.encode_frame(wire.encode([b"", bytes(64)])),
    "a frame without a head": wire.encode_frame(wire.encode([b"entry", b"head"])),
    "an entry that does not decode": encode_record(b"no entry", bytes(64)),
    "an entry that nobody signed": encode_record(wire.encode([b"content", bytes(64)]), bytes(64)),
    "another log": MAGIC,
}
# such bytes, with which a file ends in the middle of a record
CUTS = {
    "one byte": b"\0",
    "half of a length": b"\0\0\1",
    "a length alone": b"\0\0\0\x10",
    "a cut-off frame": encode_record(b"entry", bytes(64))[:-1],
}
