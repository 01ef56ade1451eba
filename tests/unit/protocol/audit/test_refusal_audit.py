"""A signed refusal is evidence only against a table that refused a valid entry."""

import pytest

from protocol.__main__ import main
from protocol.audit.refusal_audit import TABLE_FAULTS, RefusalFinding, judge_refusal
from protocol.codes import Code
from protocol.dealing import Post
from protocol.identity.keys import Identity
from protocol.match.log import decode_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.refusal import (
    UNDECIDABLE_CODES,
    SavedRefusal,
    encode_saved_refusal,
    sign_refusal,
)
from tests.support.offline import make_offline
from tests.support.refusals import refused


def file_of(live) -> bytes:
    return MAGIC + b"".join(encode_record(record.entry, record.head) for record in live.records)


@pytest.fixture
def match():
    """Return a match at its third entry, with a valid and an invalid post of a seat."""
    offline = make_offline(2)
    for seat in offline.seats:
        offline.step(seat)
    live, seat = offline.live, offline.seats[0]
    legal = seat.entry(live.log, seat.respond(live.match))
    return live, legal, seat.entry(live.log, Post("receipt", [[0, 0]]))


def kept(live, raw, code=Code.NOT_NOW) -> bytes:
    return encode_saved_refusal(SavedRefusal(raw, refused(live, raw, code)))


def test_refusal_of_legal_entry_convicts_the_table(match):
    live, legal, _ = match
    assert judge_refusal(file_of(live), kept(live, legal)) is RefusalFinding.FALSE
    assert TABLE_FAULTS[RefusalFinding.FALSE] is Code.TABLE_REFUSED


def test_entries_after_refusal_head_do_not_matter(match):
    live, legal, wrong = match
    words = kept(live, legal), kept(live, wrong)
    live.offer(legal, decode_entry(legal).author)
    assert [judge_refusal(file_of(live), word) for word in words] == [
        RefusalFinding.FALSE,
        RefusalFinding.RIGHT,
    ]
    # sent twice
    assert (
        judge_refusal(file_of(live), kept(live, legal, Code.WRONG_SEQUENCE)) is RefusalFinding.RIGHT
    )


def test_impossible_entry_is_refused_rightly_with_any_code(match):
    live, _, wrong = match
    for code in (Code.NOT_NOW, Code.BAD_ENTRY, Code.MATCH_OVER):
        assert judge_refusal(file_of(live), kept(live, wrong, code)) is RefusalFinding.RIGHT
    assert judge_refusal(file_of(live), kept(live, b"no entry")) is RefusalFinding.RIGHT


@pytest.mark.parametrize("code", sorted(UNDECIDABLE_CODES))
def test_refusal_reason_outside_log_is_judged_by_nobody(match, code):
    """`wrong_author` is included: two colluding seats may submit an entry over the wrong
    connection, and frame nobody by that.
    """
    live, legal, _ = match
    assert judge_refusal(file_of(live), kept(live, legal, code)) is RefusalFinding.OUTSIDE
    assert RefusalFinding.OUTSIDE not in TABLE_FAULTS


def test_entry_sent_before_its_seen_head_frames_nobody(match):
    """A seat can compute the hash of its own entry and send a second entry before the first
    arrives. The table may refuse the second as `wrong_sequence`, and is not at fault.
    """
    live, legal, _ = match
    ahead = make_offline(2)
    for seat in ahead.seats:
        ahead.step(seat)
    ahead.live.offer(legal, 0)
    early = ahead.seats[0].entry(ahead.live.log, Post("leave", []))
    word = kept(live, early, Code.WRONG_SEQUENCE)
    live.offer(legal, 0)
    assert live.records == ahead.live.records
    assert judge_refusal(file_of(live), word) is RefusalFinding.RIGHT
    assert judge_refusal(file_of(live), kept(live, early)) is RefusalFinding.FALSE


@pytest.mark.parametrize(
    "other",
    [
        {"signature": bytes(64)},
        {"code": "stale"},
        {"number": 1},
        {"hash": bytes(32)},
        {"code": "no code"},
    ],
)
def test_unsigned_refusal_proves_nothing(match, other):
    live, legal, _ = match
    word = refused(live, legal, Code.NOT_NOW)._replace(**other)
    assert (
        judge_refusal(file_of(live), encode_saved_refusal(SavedRefusal(legal, word)))
        is RefusalFinding.UNSIGNED
    )


def test_invalid_refusal_or_log_proves_nothing(match):
    live, legal, _ = match
    word, log = kept(live, legal), file_of(live)
    for odd in (b"", b"\xc0", word[:-1], word + b"\0"):
        assert judge_refusal(log, odd) is RefusalFinding.UNSIGNED
    for odd in (b"", MAGIC, b"no log", log[: len(log) // 2]):
        assert judge_refusal(odd, word) is RefusalFinding.SHORT


def test_refusal_signed_by_another_key_proves_nothing(match):
    live, legal, _ = match
    word = sign_refusal(
        Identity(bytes(32)), live.log.match_id, legal, live.log.newest_head, Code.NOT_NOW
    )
    assert (
        judge_refusal(file_of(live), encode_saved_refusal(SavedRefusal(legal, word)))
        is RefusalFinding.UNSIGNED
    )


def test_refusal_with_head_of_another_log_proves_fork(match):
    live, legal, _ = match
    word = sign_refusal(
        live._identity,
        live.log.match_id,
        legal,
        (live.log.next_number - 1, bytes(32)),
        Code.NOT_NOW,
    )
    assert (
        judge_refusal(file_of(live), encode_saved_refusal(SavedRefusal(legal, word)))
        is RefusalFinding.FORKED
    )
    assert TABLE_FAULTS[RefusalFinding.FORKED] is Code.TABLE_FORKED


def test_refusal_command_prints_verdict_and_proof(match, tmp_path, capsys):
    live, legal, wrong = match
    log, word = tmp_path / "a.fairdeal", tmp_path / "a.refusal"
    log.write_bytes(file_of(live))
    for raw, code, status, said in (
        (legal, Code.NOT_NOW, 1, "The table refused a legal entry (table_refused)"),
        (wrong, Code.NOT_NOW, 0, "Rightly refused"),
        (legal, Code.INTERNAL, 3, "Cannot be judged"),
        (b"", None, 1, "proves nothing"),
    ):
        word.write_bytes(kept(live, raw, code) if code else b"")
        assert main(["audit", str(log), "--refusal", str(word)]) == status
        heard = capsys.readouterr().out
        assert said in heard
        assert code is None or refused(live, raw, code).signature.hex() in heard
