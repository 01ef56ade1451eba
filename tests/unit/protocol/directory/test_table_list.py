"""Lists of directories: signed as a whole, one row for a key, bounds; old and forked ones."""

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.directory.report import encode_report
from protocol.directory.table_list import (
    SeenList,
    check_against_seen,
    decode_list,
    encode_list,
)
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_DIRECTORY_LIST, MAX_DIRECTORY_TABLES, MAX_SMALL
from tests.support.directories import (
    ANN,
    BOB,
    DIRECTORY,
    NOW,
    many_reports,
    refused,
    report,
    sign_rows,
)
from tests.support.errors import raises_text


def made(reports, number=3, expires=NOW + 900, identity=DIRECTORY):
    return encode_list(reports, number, expires, identity)


def test_list_decoded_has_its_reports_by_key():
    ann, bob = report(ANN), report(BOB, name="Bob's")
    found = decode_list(made([bob, ann]))
    assert found.reports == tuple(sorted((ann, bob)))
    assert (found.number, found.expires, found.public) == (3, NOW + 900, DIRECTORY.public)


def test_list_without_tables_is_a_list():
    assert decode_list(made([])).reports == ()


@pytest.mark.slow
def test_list_changed_in_any_byte_is_refused():
    data = made([report()])
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        with pytest.raises(RemoteError):
            decode_list(bytes(changed))


@pytest.mark.slow
def test_list_cut_anywhere_is_refused():
    data = made([report()])
    for size in range(len(data)):
        with pytest.raises(RemoteError):
            decode_list(data[:size])


def test_list_signed_by_another_is_refused():
    other = encode_list([], 3, NOW, BOB)
    forged = other.replace(BOB.public, DIRECTORY.public)
    with refused(Code.BAD_SIGNATURE):
        decode_list(forged)


@pytest.mark.parametrize("twice", [True, False])
def test_list_with_rows_out_of_order_is_refused(twice):
    ann, bob = sorted((report(ANN), report(BOB)))
    rows = [ann, ann] if twice else [bob, ann]
    with refused(Code.BAD_MESSAGE):
        decode_list(sign_rows(b"".join(map(encode_report, rows))))


@pytest.mark.parametrize(
    "rows",
    [
        b"\xc1",
        b"\xcc\x01",
        b"\x99" * 400,
        b"\xdd\xff\xff\xff\xff",
        wire.encode([b"x" * 600]),
        b"\x80",
        b"\x91",
    ],
)
def test_list_whose_rows_are_garbage_is_refused(rows):
    with refused(Code.BAD_ENCODING):
        decode_list(sign_rows(rows))


def test_list_with_too_many_rows_is_refused():
    with refused(Code.BAD_ENCODING):
        decode_list(sign_rows(b"\x90" * (MAX_DIRECTORY_TABLES + 1)))


def test_list_of_too_many_bytes_is_refused_unread():
    with refused(Code.FRAME_SIZE):
        decode_list(made([report()]) + bytes(MAX_DIRECTORY_LIST))


def test_list_with_endless_head_is_refused():
    with refused(Code.FRAME_SIZE):
        decode_list(b"\x7f\xff\xff\xff" + bytes(MAX_SMALL))


def test_list_that_is_newer_is_stored():
    found = decode_list(made([report()], number=4))
    seen = SeenList(3, NOW, bytes(32))
    assert check_against_seen(found, seen, NOW) == SeenList(4, NOW + 900, found.digest)
    assert check_against_seen(found, None, NOW).number == 4
    assert check_against_seen(found, check_against_seen(found, None, NOW), NOW).number == 4


def test_list_older_than_one_seen_is_refused():
    found = decode_list(made([report()]))
    with raises_text(LocalError, "old list: number 3, and you have seen 4"):
        check_against_seen(found, SeenList(4, NOW, bytes(32)), NOW)


@pytest.mark.parametrize("expires", [NOW + 900, NOW + 901])
def test_two_lists_with_one_number_are_refused(expires):
    seen = check_against_seen(decode_list(made([report()])), None, NOW)
    other = [report(BOB)] if expires == NOW + 900 else [report()]
    with raises_text(LocalError, "two lists with the number 3"):
        check_against_seen(decode_list(made(other, expires=expires)), seen, NOW)


def test_list_that_has_expired_is_refused():
    found = decode_list(made([report()]))
    with raises_text(LocalError, "expired 2 minutes ago"):
        check_against_seen(found, None, NOW + 1_020)


def test_list_of_many_tables_is_read_whole():
    reports = many_reports(500)
    assert len(decode_list(made(reports)).reports) == 500


YEAR = 365 * 86_400


def test_list_of_a_fast_clock_is_refused_and_not_remembered():
    found = decode_list(made([report()], number=NOW + YEAR, expires=NOW + YEAR))
    with raises_text(LocalError, "an hour ahead"):
        check_against_seen(found, None, NOW)
    slow = NOW - 3_000  # a reader's clock that is behind by less than an hour
    assert check_against_seen(decode_list(made([report()])), None, slow).number == 3


@pytest.mark.parametrize("expires", [NOW + YEAR, NOW - 901])
def test_number_of_a_wrong_clock_shuts_out_no_later_list(expires):
    """The directory has set its clock right since, and lost its file."""
    seen = SeenList(NOW + YEAR, expires, bytes(32))
    assert check_against_seen(decode_list(made([report()])), seen, NOW).number == 3
