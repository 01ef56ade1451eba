"""Comparison of two copies of one match: equal, one the beginning of the other, or a proof against
the table.
"""

import pytest

from protocol.audit.compare import (
    DamagedCopy,
    DifferentMatches,
    ForkProof,
    SameLog,
    compare,
    comparison_lines,
    farther,
)
from protocol.codes import Code
from protocol.identity.keys import verify
from protocol.match.log_file import MAGIC
from tests.support.log_files import clean, first_records, forked, played

NAMES = ("ann", "bob")


def test_equal_copies_compare_as_same():
    entries = len(played().live.records)
    assert compare(clean(), clean()) == SameLog(entries, None)
    assert comparison_lines(SameLog(7, None), NAMES) == [
        "same: both copies have the same 7 entries."
    ]


def test_shorter_copy_compares_as_beginning():
    assert compare(first_records(clean(), 5), clean()) == SameLog(5, 1)
    assert compare(clean(), first_records(clean(), 5) + b"\0\0") == SameLog(5, 0)
    (line,) = comparison_lines(SameLog(5, 0), NAMES)
    assert "the 5 entries of bob are the first of ann" in line


def test_fork_is_proven_by_signatures_alone():
    result = compare(clean(), forked(played(), 4))
    assert isinstance(result, ForkProof)
    one, other = result.heads
    assert (one.number, one.match_id, one.signer) == (other.number, other.match_id, other.signer)
    assert one.number == 4
    assert one.hash != other.hash
    for head in result.heads:
        verify(head.signer, head.signature, "head", head.match_id, head.number, head.hash)
    text = "\n".join(comparison_lines(result, NAMES))
    for proof in (one.signer, one.match_id, one.hash, one.signature, other.hash, other.signature):
        assert proof.hex() in text


def test_fork_with_invalid_signatures_is_not_proven():
    """A person who wants to blame the table changes an entry: the copy is invalid, and the table is
    not blamed.
    """
    changed = bytearray(forked(played(), 4))
    changed[-1] ^= 1
    assert compare(clean(), bytes(changed)) == DamagedCopy(1, 4, Code.BAD_SIGNATURE, farther=0)


def test_entries_after_shared_part_are_checked():
    changed = bytearray(clean())
    changed[-1] ^= 1
    number = len(played().live.records) - 1
    spoilt = DamagedCopy(0, number, Code.BAD_SIGNATURE, farther=0)
    assert compare(bytes(changed), first_records(clean(), 3)) == spoilt
    assert farther(spoilt) == 0


def test_file_that_is_no_log_is_named_as_such():
    result = compare(clean(), b"This is a letter.")
    (line,) = comparison_lines(result, NAMES)
    assert line.startswith(f"unreadable: {NAMES[1]} is not the log of a match")


def test_longer_of_two_agreeing_copies_is_named():
    short, whole = first_records(clean(), 3), clean()
    for left, right, copy in (
        (whole, whole, 0),
        (short, whole, 1),
        (whole, short + bytes(4), 0),
        (short + bytes(4), whole, 1),
        (short, whole + bytes(4), 1),
        (whole + bytes(4), short, 0),
        (whole, forked(played(), 4), None),
        (whole, clean(seed=2), None),
        (whole, b"", None),
    ):
        assert farther(compare(left, right)) == copy


def test_comparison_without_valid_copy_is_reported():
    for nothing in (b"", MAGIC, MAGIC[:4], b"hello"):
        assert compare(clean(), nothing) == DamagedCopy(1, 0, Code.BAD_ENCODING)


@pytest.mark.slow
def test_logs_of_two_matches_are_not_compared():
    assert compare(clean(), clean(seed=2)) == DifferentMatches()
