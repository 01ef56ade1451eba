"""A signer's memory: one hash for each number of a match, and one own entry of the table after each
head.
"""

from contextlib import closing
from random import Random
from shutil import copy, copytree

import pytest

from protocol.dealing import TABLE
from protocol.errors import LocalError
from protocol.limits import MAX_CHANGE_ENTRIES, SIGNER_TAIL
from protocol.match.log import NO_HASH, EntryContent, encode_content
from protocol.match.refusal import Refusal
from table.signer import requests
from table.signer.requests import Request
from table.signer.sign_state import BOOK_FILE, SignState
from table.signer.signer import Denied
from tests.support.errors import raises_text

MATCH = b"m" * 32


def hashed(number, which=0):
    return MATCH if number == 0 else bytes([number, which]) * 16


def head(number, which=0):
    return requests.head(MATCH, number, hashed(number, which))


def own(number, which=0, what=0, author=TABLE, match=MATCH):
    """Return a request for an own entry after the head of this number."""
    content = EntryContent(author, 1, (number, hashed(number, which)), "warning", [0, what])
    return requests.entry(match, encode_content(content))


def first(**other):
    content = {
        "author": TABLE,
        "sequence": 0,
        "seen": (0, NO_HASH),
        "kind": "open",
        "body": [],
    } | other
    return requests.first_entry(encode_content(EntryContent(**content)))


def refusal(number, which=0):
    return requests.refusal(
        MATCH, Refusal(b"e" * 32, number, hashed(number, which), "not_now", b"")
    )


def judged(book, *asked):
    """Return the outcome of each request; a signature is always over the requested content."""
    said = book.judge(asked)
    assert all(one in asked for one in said if isinstance(one, Request))
    return [True if isinstance(one, Request) else one for one in said]


@pytest.fixture
def book(tmp_path):
    with closing(SignState(tmp_path)) as made:
        yield made


def test_book_keeps_one_hash_per_number_and_repeats_it(book):
    assert judged(book, head(0), head(1), head(2), head(3)) == [True] * 4
    assert judged(book, head(2, 1), head(3, 1), head(1), head(3), head(4)) == [
        Denied.FORK,
        Denied.FORK,
        True,
        True,
        True,
    ]
    assert judged(book, head(6), head(5)) == [Denied.GAP, True]


def test_first_request_of_match_is_its_setup(book):
    assert judged(book, requests.head(MATCH, 0, b"x" * 32), head(1)) == [
        Denied.FORK,
        Denied.UNKNOWN,
    ]
    assert judged(book, head(0), requests.head(MATCH, 1, MATCH)) == [True, Denied.FORK]


def test_book_keeps_everything_after_restart(tmp_path):
    with closing(SignState(tmp_path)) as book:
        assert book.synced
        judged(book, head(0), head(1), own(1))
    with closing(SignState(tmp_path)) as book:
        assert judged(book, head(1, 1), head(1), head(0)) == [Denied.FORK, True, True]
        assert book.judge([own(1, what=7)]) == [own(1)]


def test_one_own_entry_after_the_highest_head(book):
    judged(book, head(0), head(1))
    assert judged(book, own(2), own(1, 1), own(0)) == [Denied.GAP, Denied.FORK, Denied.BEHIND]
    assert book.judge([own(1), own(1, what=1), own(1)]) == [own(1)] * 3, (
        "two contents for one number"
    )
    assert book.judge([head(2), own(1), own(2, what=1)]) == [head(2), Denied.BEHIND, own(2, what=1)]


def test_impossible_own_entries_are_refused(book):
    judged(book, head(0))
    wrong = (
        own(0, author=0),
        requests.entry(MATCH, b"\xc0"),
        first(kind="move"),
        first(sequence=1),
        first(author=1),
    )
    assert judged(book, *wrong) == [Denied.MALFORMED] * len(wrong)
    assert judged(book, first(), own(0, match=b"o" * 32)) == [True, Denied.UNKNOWN]


def test_refusal_requires_a_signed_head(book):
    assert judged(book, refusal(0)) == [Denied.UNKNOWN]
    judged(book, head(0), head(1))
    assert judged(book, refusal(0), refusal(1), refusal(1, 1), refusal(2)) == [
        True,
        True,
        Denied.FORK,
        Denied.GAP,
    ]


def others(book, numbers):
    """Add younger matches."""
    for number in numbers:
        judged(book, requests.head(bytes([number]) * 32, 0, bytes([number]) * 32))


def test_book_remembers_last_numbers_of_old_matches(tmp_path):
    """After an ordinary crash a host lacks the heads of one change, however many matches have begun
    since.
    """
    last = SIGNER_TAIL + 9
    with closing(SignState(tmp_path, recalls=2)) as book:
        judged(book, *map(head, range(last + 1)))
        others(book, range(1, 8))
        lacking = [head(number) for number in range(last + 1 - SIGNER_TAIL, last + 1)]
        assert judged(book, *lacking) == [True] * SIGNER_TAIL
        assert judged(book, head(last - SIGNER_TAIL), head(last, 1)) == [
            Denied.FORGOTTEN,
            Denied.FORK,
        ]
    with closing(SignState(tmp_path, recalls=2)) as book:  # the book continues
        assert judged(book, *map(head, range(last + 1, last + 4))) == [True] * 3
        assert judged(book, head(last + 4 - SIGNER_TAIL), head(last + 3 - SIGNER_TAIL)) == [
            True,
            Denied.FORGOTTEN,
        ]


def test_book_tail_is_at_least_one_store_change():
    assert SIGNER_TAIL >= MAX_CHANGE_ENTRIES


def test_book_older_copy_is_detected_when_table_resumes(tmp_path):
    """An honest host notices. docs/attacks.md covers a host that signs again the requests that the
    copy forgot.
    """
    with closing(SignState(tmp_path / "now")) as book:
        judged(book, head(0), head(1))
    copytree(tmp_path / "now", tmp_path / "old")
    with closing(SignState(tmp_path / "now")) as book:
        judged(book, head(2), head(3))
    copy(tmp_path / "old" / BOOK_FILE, tmp_path / "now" / BOOK_FILE)
    with closing(SignState(tmp_path / "now")) as book:
        assert judged(book, head(4)) == [Denied.GAP]
        assert judged(book, head(2, 1)) == [True]
    with closing(SignState(tmp_path / "old", adopt=True)) as book:
        assert judged(book, head(4), head(3), head(5)) == [True, Denied.FORGOTTEN, True]
        assert judged(book, requests.head(b"o" * 32, 9, b"x" * 32)) == [True]


def test_book_is_locked_to_one_process(tmp_path):
    with closing(SignState(tmp_path)):
        with raises_text(LocalError, match="another signer"):
            SignState(tmp_path)
        assert (tmp_path / BOOK_FILE).stat().st_mode & 0o777 == 0o600


def test_random_requests_never_sign_twice(tmp_path):
    rng, heads, owns, signed = Random(5), dict[int, bytes](), dict[tuple[int, bytes], bytes](), 0
    for _ in range(6):
        with closing(SignState(tmp_path)) as book:
            for _ in range(25):
                top = max(heads, default=0)
                asked = [
                    rng.choice((head, own))(max(0, top + rng.randint(-2, 2)), rng.randint(0, 1))
                    for _ in range(8)
                ]
                for one in book.judge(asked):
                    if isinstance(one, Denied):
                        continue
                    signed += 1
                    if one.purpose == requests.HEAD:
                        assert heads.setdefault(one.fields[1], one.fields[2]) == one.fields[2]
                    else:
                        seen = max(heads)
                        assert owns.setdefault((seen, heads[seen]), one.fields[1]) == one.fields[1]
    assert len(heads) > 20 and signed > 100
