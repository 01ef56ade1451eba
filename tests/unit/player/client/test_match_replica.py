"""A player's program gives the same answers to the same log, at a table and without one."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from player.client.match_replica import MatchReplica
from player.client.seat import Seat
from player.storage.log_store import read_log
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.match.log import EntryContent, decode_entry, make_entry
from protocol.messages.parcel import EntriesParcel
from tests.adversary.player.test_forked_log import ME, OTHER, TABLE_KEY, Evil
from tests.support.without_table import Side, two


class AtTable:
    """Seat 0 at a table controlled by the test."""

    forked = TABLE, Code.TABLE_FORKED
    other, signer = OTHER, TABLE_KEY

    def __init__(self, folder: Path) -> None:
        self.evil = Evil(folder)
        self.log_path = folder / "log.fairdeal"

    def follow(self) -> MatchReplica:
        return self.evil.player

    def play(self) -> None:
        for _ in range(6):
            self.evil.step()

    def hand(self, number: int, raw: bytes, head: bytes) -> None:
        self.evil.player.read(number, raw, head)

    def restart(self, log: bytes) -> None:
        self.evil.crash(log)

    def posts(self) -> list[bytes]:
        raw = self.evil.player.next_post()
        return [] if raw is None else [raw]

    def play_elsewhere(self) -> None:
        stranger = Seat(ME, 0, Random(99))
        post = stranger.respond(self.evil.live.match)
        assert post is not None
        self.evil.live.offer(stranger.entry(self.evil.live.log, post), 0)
        self.evil.show()


class WithoutTable:
    """Seat 0 of two people without a table."""

    forked = 1, Code.FORKED

    def __init__(self, folder: Path) -> None:
        self.ann, self.bob = two(folder, "block-dominoes", "commutative")
        self.other: Identity = self.bob.identity
        self.signer = self.other
        self.folder, self.log_path = folder, self.ann.saved.log_path
        self.match = self.ann.open()

    def follow(self) -> MatchReplica:
        return self.match

    def play(self) -> None:
        first = self.bob.turn()
        assert first is not None
        self.match.take(first)
        self.match.post()

    def hand(self, number: int, raw: bytes, head: bytes) -> None:
        assert self.match.reader is not None
        self.match.take(EntriesParcel(self.match.reader.log.match_id, number, ((raw, head),)))

    def restart(self, log: bytes) -> None:
        self.match.close()
        self.log_path.write_bytes(log)
        self.match = self.ann.open()

    def posts(self) -> list[bytes]:
        before = self.match.number
        self.match.post()
        return [raw for raw, _ in read_log(self.log_path)[before:]]

    def play_elsewhere(self) -> None:
        copy = Side(self.folder / "copy", "Ann", 99)
        copy.identity, copy.person = self.ann.identity, self.ann.person
        copy.accept(self.match.invitation)
        first = self.bob.turn()
        assert first is not None
        self.match.take(first)
        answer = copy.turn(first)
        assert answer is not None
        self.match.take(answer)


Place = AtTable | WithoutTable


@pytest.fixture(params=[AtTable, WithoutTable])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    made = request.param(tmp_path)
    yield made
    made.follow().close()


def another(place: Place, number: int) -> tuple[bytes, bytes]:
    """Return a different entry for this number, and its head, signed as the original."""
    reader = place.follow().reader
    assert reader is not None
    log = reader.log
    raw = make_entry(
        place.other,
        log.match_id,
        EntryContent(1, 0, (number - 1, log.chain_hashes[number - 1]), "leave", []),
    )
    hashed = digest("chain", log.chain_hashes[number - 1], number, raw)
    return raw, place.signer.sign("head", log.match_id, number, hashed)


def test_conflicting_entry_for_held_number_is_kept_as_fork(place: Place) -> None:
    place.play()
    number = place.follow().number - 1
    raw, head = another(place, number)
    place.hand(number, raw, head)
    following = place.follow()
    assert [(fault.seat, fault.entry, fault.code) for fault in following.faults] == [
        (place.forked[0], number, place.forked[1])
    ]
    assert following.settled and place.posts() == []
    kept = read_log(place.log_path.with_name(f"{place.log_path.stem}-other.fairdeal"))
    assert kept == [*read_log(place.log_path)[:number], (raw, head)]


def test_repeated_entry_is_harmless(place: Place) -> None:
    place.play()
    before = place.follow().number
    for number, (raw, head) in enumerate(read_log(place.log_path)):
        place.hand(number, raw, head)
    assert (place.follow().faults, place.follow().number) == ((), before)


def test_unsigned_other_entry_proves_no_fork(place: Place) -> None:
    place.play()
    number = place.follow().number - 1
    raw, _ = another(place, number)
    try:
        place.hand(number, raw, bytes(64))
    except RemoteError as error:
        # a letter is refused; a table that sends this over a session is at fault
        assert error.code is Code.BAD_SIGNATURE
    assert {fault.code for fault in place.follow().faults} <= {Code.BAD_SIGNATURE}
    assert not list(place.log_path.parent.glob("*-other*"))


@pytest.mark.parametrize("missing", [1, 60])
def test_torn_end_of_log_is_cut_off(place: Place, missing: int) -> None:
    place.play()
    before, log = place.follow().number, place.log_path.read_bytes()
    place.follow().close()
    place.restart(log[:-missing])
    assert (place.follow().number, place.follow().faults, place.follow().stopped) == (
        before - 1,
        (),
        None,
    )
    assert log.startswith(place.log_path.read_bytes())
    assert len(read_log(place.log_path)) == before - 1


def test_log_with_damaged_end_continues_before_damage(place: Place) -> None:
    place.play()
    before, log = place.follow().number, bytearray(place.log_path.read_bytes())
    log[-1] ^= 1  # the last head
    place.restart(bytes(log))
    assert (place.follow().number, place.follow().faults) == (before - 1, ())


def test_seat_played_elsewhere_posts_nothing_more_here(place: Place) -> None:
    place.play_elsewhere()
    assert place.follow().leaving or place.follow().stopped
    assert place.follow().faults == ()
    assert {decode_entry(raw).kind for raw in place.posts()} <= {"leave"}
