"""The packed form of a log file: nothing is lost, and nobody can make it take unbounded memory."""

import tracemalloc
import zlib
from random import Random

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_ENTRY
from protocol.local_files import read_log
from protocol.match.log import Record
from protocol.match.log_file import read_records
from protocol.match.packed_log import PACKED_MAGIC, LogPacker, plain_log, read_packed
from tests.support.errors import raises_text
from tests.support.log_files import clean


def packed(records):
    packer = LogPacker()
    return b"".join(map(packer.add, records)) + packer.finish()


def stream(*values):
    """Return a packed file of these values, whatever they are."""
    return PACKED_MAGIC + zlib.compress(
        b"".join(wire.encode_frame(wire.encode(value)) for value in values)
    )


def test_packed_log_unpacks_to_same_bytes_and_is_smaller():
    data = clean()
    small = packed(read_records(data))
    assert plain_log(small) == data and plain_log(data) == data
    assert len(small) < 0.9 * len(data)


def test_bytes_that_are_no_entries_survive_packing():
    rng = Random(1)
    records = [Record(rng.randbytes(1 + rng.randrange(90)), bytes([n]) * 64) for n in range(50)]
    records.append(Record(bytes(MAX_ENTRY), bytes(64)))
    assert list(read_packed(packed(records))) == records


@pytest.mark.parametrize(
    "data",
    [
        PACKED_MAGIC,
        PACKED_MAGIC + b"no stream",
        stream([b"a", b"b", 0, bytes(64)]),  # the hash of an entry that is not there yet
        stream([b"", b"b", 0, bytes(63)]),
        stream([b"", b"b", 0]),
        stream([b"", b"b", 0, bytes(64)]) + b"more",
        stream([b"", b"b", 0, bytes(64)])[:-1],
        PACKED_MAGIC + zlib.compress(b"\0\0\0\x05abc"),
    ],
)
def test_damaged_packed_log_is_refused_and_names_nobody(tmp_path, data):
    with pytest.raises(RemoteError) as caught:
        plain_log(data)
    assert caught.value.code is Code.BAD_ENCODING
    (path := tmp_path / "a.fairdeal").write_bytes(data)
    with raises_text(LocalError, "a log that a table has packed, and it is damaged"):
        read_log(path)


def test_every_changed_byte_of_packed_log_is_noticed():
    data = clean()
    small = packed(read_records(data))
    for at in range(0, len(small), 97):
        changed = small[:at] + bytes([small[at] ^ 1]) + small[at + 1 :]
        try:
            assert plain_log(changed) != data
        except RemoteError:
            continue


def test_packed_bomb_is_refused_before_it_is_large():
    bomb = stream(*[[b"", bytes(40_000), 0, bytes(64)]] * 2000)
    assert len(bomb) < 200_000
    read = 0
    with pytest.raises(RemoteError) as caught:
        for _ in read_packed(bomb, 1_000_000):
            read += 1
    assert caught.value.code is Code.LOG_SIZE and read < 25


def test_entry_larger_than_allowed_is_refused():
    values = [[b"", b"x", 0, bytes(64)], [b"a" * MAX_ENTRY, b"", 0, bytes(64)]]
    with pytest.raises(RemoteError) as caught:
        list(read_packed(stream(*values)))
    assert caught.value.code is Code.LOG_SIZE


def test_packed_log_may_be_as_long_as_a_plain_one():
    rng = Random(2)
    records = [Record(rng.randbytes(9_000), rng.randbytes(64)) for _ in range(30)]
    small = packed(records)
    most = len(plain_log(small))
    assert list(read_packed(small, most)) == records
    with pytest.raises(RemoteError) as caught:
        list(read_packed(small, most - 1))
    assert caught.value.code is Code.LOG_SIZE


def test_bomb_of_many_small_entries_is_refused_early():
    """Each entry takes work, however small: a megabyte would take most of a minute."""
    bomb = stream(*[[b"", b"x", 0, bytes(64)]] * 100_000)
    assert len(bomb) < 50_000
    read = 0
    with pytest.raises(RemoteError) as caught:
        for _ in read_packed(bomb):
            read += 1
    assert caught.value.code is Code.LOG_SIZE and read <= len(bomb) // 32


def test_unpacking_takes_little_more_memory_than_the_log():
    small = stream(*[[b"", bytes(40_000), 0, bytes(64)]] * 200)
    tracemalloc.start()
    try:
        size = len(plain_log(small))
        assert tracemalloc.get_traced_memory()[1] < 1.5 * size
    finally:
        tracemalloc.stop()
