"""The hash chain: permitted signers, the order of entries, and the head that each entry has
seen.
"""

from random import Random

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.errors import Refused, RemoteError
from protocol.identity.keys import Identity
from protocol.limits import MAX_ENTRY
from protocol.match.log import NO_HASH, EntryContent, Log, decode_entry, make_entry
from protocol.match.setup import KIND
from tests.support.offline import make_setup

RNG = Random(4)
ME, TABLE_ID, OTHER = (Identity(RNG.randbytes(32)) for _ in range(3))
SETUP = make_setup(TABLE_ID, [ME, OTHER], Random(2))
FIRST = make_entry(TABLE_ID, NO_HASH, EntryContent(TABLE, 0, (0, NO_HASH), KIND, SETUP.body()))


def fresh() -> Log:
    """Return a log with only its first entry."""
    return Log(FIRST)


def entry(
    log: Log,
    who: Identity = ME,
    author: int = 0,
    sequence: int = 0,
    seen: tuple[int, bytes] | None = None,
) -> bytes:
    """Return a next entry."""
    return make_entry(
        who, log.match_id, EntryContent(author, sequence, seen or log.newest_head, "leave", [])
    )


def refused(log: Log, raw: bytes) -> Code:
    """Check that the log refuses an entry without any change; return the code."""
    before = (log.next_number, list(log.chain_hashes), log.sequence(0))
    with pytest.raises(Refused) as refusal:
        log.check(raw)
    assert (log.next_number, list(log.chain_hashes), log.sequence(0)) == before
    return refusal.value.code


def test_entries_are_numbered_and_chained() -> None:
    log = fresh()
    for sequence in range(3):
        checked = log.check(entry(log, sequence=sequence))
        assert checked.seen_number == log.next_number - 1
        log.append(checked)
    assert (log.next_number, log.sequence(0), log.sequence(1)) == (4, 3, 0)
    assert len(set(log.chain_hashes)) == 4


def test_entry_is_logged_once() -> None:
    log = fresh()
    raw = entry(log)
    log.append(log.check(raw))
    assert refused(log, raw) is Code.WRONG_SEQUENCE


def test_skipped_sequence_number_is_refused() -> None:
    assert refused(fresh(), entry(fresh(), sequence=1)) is Code.WRONG_SEQUENCE


@pytest.mark.parametrize(("who", "author"), [(OTHER, 0), (ME, 1), (ME, TABLE), (TABLE_ID, 0)])
def test_entry_signed_by_another_is_refused(who: Identity, author: int) -> None:
    sequence = int(author == TABLE)
    assert refused(fresh(), entry(fresh(), who, author, sequence)) is Code.BAD_ENTRY_SIGNATURE


def test_entry_of_nonexistent_seat_is_refused() -> None:
    assert refused(fresh(), entry(fresh(), author=2)) is Code.WRONG_AUTHOR


@pytest.mark.parametrize("seen", [(0, NO_HASH), (1, NO_HASH), (2**62, NO_HASH)])
def test_entry_with_unknown_head_is_refused(seen: tuple[int, bytes]) -> None:
    assert refused(fresh(), entry(fresh(), seen=seen)) is Code.WRONG_HEAD


def test_entry_of_another_match_is_refused() -> None:
    raw = make_entry(ME, NO_HASH, EntryContent(0, 0, fresh().newest_head, "leave", []))
    assert refused(fresh(), raw) is Code.BAD_ENTRY_SIGNATURE


@pytest.mark.slow
def test_entry_with_any_flipped_bit_is_refused() -> None:
    raw = entry(fresh())
    for place in range(len(raw)):
        for bit in range(8):
            flipped = raw[:place] + bytes([raw[place] ^ 1 << bit]) + raw[place + 1 :]
            refused(fresh(), flipped)


def test_entry_has_one_encoding_and_maximum_size() -> None:
    raw = entry(fresh())
    for bad in (
        b"",
        raw + b"\0",
        raw[:-1],
        wire.encode([]),
        wire.encode([b"", bytes(64)]),
        bytes(MAX_ENTRY + 1),
    ):
        with pytest.raises(Refused) as refusal:
            decode_entry(bad)
        assert refusal.value.code is Code.BAD_ENTRY


@pytest.mark.parametrize(
    "content",
    [
        [256, 0, 0, NO_HASH, "leave", []],
        [0, 0, 0, NO_HASH[1:], "leave", []],
        [0, 0, 0, NO_HASH, "", []],
        [0, 0, 0, NO_HASH, "leave", None],
        [0, False, 0, NO_HASH, "leave", []],
        [0, 0, 0, NO_HASH, "leave"],
    ],
)
def test_signed_bytes_have_documented_form(content: list[object]) -> None:
    raw = wire.encode([wire.encode(content), bytes(64)])
    with pytest.raises(Refused) as refusal:
        decode_entry(raw)
    assert refusal.value.code is Code.BAD_ENTRY


def test_head_is_bound_to_number_and_log() -> None:
    log = fresh()
    head = log.head(TABLE_ID)
    log.check_head(head)
    raw = entry(log)
    log.append(log.check(raw))
    for signature in (head, log.head(ME), bytes(64)):
        with pytest.raises(RemoteError):
            log.check_head(signature)
    fresh().check_next_head(raw, log.head(TABLE_ID))
    with pytest.raises(RemoteError):
        fresh().check_next_head(entry(log, sequence=1), log.head(TABLE_ID))


@pytest.mark.parametrize(
    "raw",
    [
        make_entry(ME, NO_HASH, EntryContent(TABLE, 0, (0, NO_HASH), KIND, SETUP.body())),
        make_entry(TABLE_ID, NO_HASH, EntryContent(0, 0, (0, NO_HASH), KIND, SETUP.body())),
        make_entry(TABLE_ID, NO_HASH, EntryContent(TABLE, 1, (0, NO_HASH), KIND, SETUP.body())),
        make_entry(TABLE_ID, NO_HASH, EntryContent(TABLE, 0, (1, NO_HASH), KIND, SETUP.body())),
        make_entry(
            TABLE_ID, NO_HASH, EntryContent(TABLE, 0, (0, bytes([1] * 32)), KIND, SETUP.body())
        ),
        make_entry(TABLE_ID, NO_HASH, EntryContent(TABLE, 0, (0, NO_HASH), "sit", SETUP.body())),
        make_entry(TABLE_ID, NO_HASH, EntryContent(TABLE, 0, (0, NO_HASH), KIND, [])),
    ],
)
def test_log_begins_with_setup_of_its_table(raw: bytes) -> None:
    with pytest.raises(Refused):
        Log(raw)
