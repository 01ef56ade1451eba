"""The log file: every byte counts, and a truncated file is reported as such."""

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.match.log_file import MAGIC, TruncatedLog, encode_record, read_records
from tests.support.match_states import honest


def test_log_file_round_trips() -> None:
    offline = honest()
    wanted = [(record.entry, record.head) for record in offline.live.records]
    assert list(read_records(offline.file())) == wanted


def test_log_cut_inside_a_record_is_noticed() -> None:
    data = MAGIC + encode_record(b"one", bytes(64)) + encode_record(b"two", bytes(64))
    whole = {len(MAGIC), len(MAGIC) + len(encode_record(b"one", bytes(64))), len(data)}
    for size in range(len(data) + 1):
        if size in whole:
            list(read_records(data[:size]))
        else:
            with pytest.raises(TruncatedLog):
                list(read_records(data[:size]))


def test_oversized_log_file_is_read_up_to_bound() -> None:
    first, second = encode_record(b"one", bytes(64)), encode_record(b"two", bytes(64))
    data = MAGIC + first + second
    assert len(list(read_records(data, most=len(data)))) == 2
    for more in (b"\0", b"\0" * 9, first, first[:9]):
        records = read_records(data + more, most=len(data))
        assert [next(records).entry, next(records).entry] == [b"one", b"two"]
        with pytest.raises(RemoteError) as error:
            next(records)
        assert error.value.code is Code.LOG_SIZE
    with pytest.raises(RemoteError):
        list(read_records(data, most=len(data) - 1))
    with pytest.raises(TruncatedLog):
        list(read_records(data[:-1], most=len(data) - 1))


@pytest.mark.parametrize(
    "data",
    [
        b"x",
        MAGIC[:-1] + b"\0",
        b" " + MAGIC,
        MAGIC + bytes(4),
        MAGIC + b"\xff" * 4,
        MAGIC + b"\0\0\0\1\xc1",
        MAGIC + b"\0\0\0\1\xc0",
        MAGIC + b"\0\0\0\1\x90",
    ],
)
def test_file_of_another_format_is_refused(data: bytes) -> None:
    with pytest.raises(RemoteError):
        list(read_records(data))
