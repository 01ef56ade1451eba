"""The audit is clean only for a complete log without any change."""

from functools import cache
from random import Random

import pytest

from protocol.audit.verdict import Verdict, audit, report_data, verdict_of
from protocol.errors import RemoteError
from protocol.match.log_file import MAGIC, TruncatedLog, encode_record, read_records
from protocol.match.log_reader import LogReader
from tests.support.match_states import honest
from tests.support.offline import Offline, make_offline


@pytest.mark.slow
def test_honest_match_is_clean() -> None:
    offline = honest()
    report = audit(offline.file())
    assert (report.verdict, report.faults, report.damage_code) == (Verdict.CLEAN, (), None)
    assert report.entries == len(offline.live.records)
    assert all(reader.faults == report.faults for reader in offline.readers)


@pytest.mark.match
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("game", ["block-dominoes", "draw-dominoes"])
def test_matches_of_several_hands_are_clean(seats: int, game: str) -> None:
    offline = make_offline(seats, seats, game, {"target": 40})
    offline.play()
    assert offline.refused == []
    report = audit(offline.file())
    assert report.verdict is Verdict.CLEAN
    assert max(entry["score"] for entry in report_data(report)["seats"]) >= 40


@pytest.mark.match
def test_log_with_any_flipped_bit_is_never_clean() -> None:
    """The test folds the log once, and at each entry every damaged form of it must be refused."""
    data, rng, reader, at = small().file(), Random(1), None, len(MAGIC)
    for raw, head in list(read_records(data)):
        size = len(encode_record(raw, head))
        for place in range(size):
            with pytest.raises((RemoteError, TruncatedLog)):
                _feed(reader, MAGIC + flipped(data[at:], place, rng))
        assert verdict_of(reader) is Verdict.INCOMPLETE
        reader = _feed(reader, MAGIC + data[at:])
        at += size
    assert reader is not None
    assert reader.over
    for place in (*range(len(MAGIC)), *rng.sample(range(len(data)), 100)):
        assert audit(flipped(data, place, rng)).verdict is not Verdict.CLEAN


@cache
def small() -> Offline:
    """Return the shortest possible match."""
    offline = make_offline(2, 1, "block-dominoes", {"hand": 1})
    offline.play()
    assert audit(offline.file()).verdict is Verdict.CLEAN
    return offline


def flipped(data: bytes, place: int, rng: Random) -> bytes:
    """Return the data with one bit of this byte flipped."""
    return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


def _feed(reader: LogReader | None, data: bytes) -> LogReader:
    raw, head = next(read_records(data))
    if reader is None:
        return LogReader(raw, head)
    reader.feed(raw, head)
    return reader


@pytest.mark.match
def test_log_cut_anywhere_is_incomplete() -> None:
    data = small().file()
    for size in (*range(0, len(data), 61), *range(40), *range(len(data) - 90, len(data))):
        assert audit(data[:size]).verdict is Verdict.INCOMPLETE


@pytest.mark.slow
@pytest.mark.parametrize("more", [b"\0", b"\0\0\0", b"\0\0\0\1", b"\0\0\0\1\xc0", b"\n", MAGIC])
def test_log_with_added_bytes_is_not_clean(more: bytes) -> None:
    assert audit(honest().file() + more).verdict in (Verdict.INCOMPLETE, Verdict.UNREADABLE)


def test_two_matches_in_one_file_are_not_clean() -> None:
    data = honest().file()
    assert audit(data + data[len(MAGIC) :]).verdict is Verdict.UNREADABLE


def test_records_in_another_order_or_missing_are_unreadable() -> None:
    records = list(read_records(honest().file()))
    swapped = [records[0], records[2], records[1], *records[3:]]
    for changed in (swapped, records[:5] + records[6:], records[1:], [records[0], *records]):
        data = MAGIC + b"".join(encode_record(*record) for record in changed)
        assert audit(data).verdict is Verdict.UNREADABLE


@pytest.mark.parametrize("data", [b"", MAGIC])
def test_empty_file_is_incomplete(data: bytes) -> None:
    report = audit(data)
    assert (report.verdict, report.reader) == (Verdict.INCOMPLETE, None)


def test_audit_json_has_the_documented_fields() -> None:
    report = report_data(audit(honest().file()))
    members = {
        "verdict",
        "game",
        "edition",
        "dealing",
        "seats",
        "entries",
        "faults",
        "doubts",
        "ended",
        "fairness",
        "rest",
    }
    assert set(report) == members and report["rest"] is None
    assert [set(seat) for seat in report["seats"]] == [{"name", "fingerprint", "score"}] * 2
