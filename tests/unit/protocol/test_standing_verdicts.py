"""A fault that was found remains the verdict, although later bytes are unreadable (docs/protocol,
10.2).
"""

from functools import cache
from itertools import product

import pytest

from protocol import wire
from protocol.audit.history import MatchHistory
from protocol.audit.replay import Replay
from protocol.audit.report_text import report_lines
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import (
    ORDER,
    Facts,
    Verdict,
    audit,
    replay_report,
    report_data,
    verdict_of,
)
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE, Fault, Post
from protocol.games.registry import BUILT_IN
from protocol.i18n import load_translator
from protocol.match.log import EntryContent, make_entry
from protocol.match.log_file import count_records, encode_record, read_records
from protocol.match.setup import KIND
from tests.integration.matches.test_without_table import LEAVE, Pair
from tests.support.guest_games.nim import Nim
from tests.support.guest_games.offline_match import GUESTS, guest_match, leave, row, until_playing
from tests.support.log_files import CUTS, ENDS, Leaver, clean, first_records, forked, played
from tests.support.offline import Offline
from tests.unit.protocol.audit.test_history import data_of


@cache
def by_seat() -> bytes:
    """Return a log in which a seat leaves, and the match ends."""
    return played(cheat=Leaver).file()


@cache
def by_table() -> bytes:
    """Return a log in which the table declares a lapse too early."""
    return forked(played(), 4)


@cache
def by_both() -> bytes:
    """Return a log in which a seat leaves, and the table then adds an entry after the end."""
    offline = played(cheat=Leaver)
    return offline.file() + signed(offline, Post("lapse", [0, 10**9]))


def signed(offline: Offline, post: Post) -> bytes:
    """Return another entry of the table after the last one, in the form of a file record."""
    log, table = offline.live.log, offline.live._identity
    raw = make_entry(table, log.match_id, EntryContent(TABLE, 1, log.newest_head, *post))
    hashed = digest("chain", log.chain_hashes[-1], log.next_number, raw)
    return encode_record(raw, table.sign("head", log.match_id, log.next_number, hashed))


@cache
def among_two() -> bytes:
    """Return a log without a table in which a seat posts out of turn."""
    pair = Pair(upto=9)
    assert pair.add(1 - pair.reader.match.next_author, LEAVE) is None
    return pair.file()


LOGS = {"a seat": by_seat, "the table": by_table, "both": by_both, "without a table": among_two}


def last_of(data: bytes) -> int:
    """Return the number of the last entry."""
    return len(list(read_records(data))) - 1


@pytest.mark.parametrize("end", [*ENDS, *CUTS])
@pytest.mark.parametrize("whose", LOGS)
def test_audit_of_fault_with_unreadable_end_keeps_verdict(whose: str, end: str) -> None:
    data = LOGS[whose]()
    before, after = audit(data), audit(data + (ENDS | CUTS)[end])
    assert before.verdict is after.verdict is Verdict.FAULT and before.faults
    assert (before.faults, before.entries) == (after.faults, after.entries)
    assert before.rest is None and after.rest is not None and after.rest.after == last_of(data)


def test_audit_of_both_faults_lists_them_in_log_order() -> None:
    faults = audit(by_both()).faults
    assert [(fault.seat, fault.code) for fault in faults] == [
        (1, Code.LEFT),
        (TABLE, Code.TABLE_ACCEPTED),
    ]


@pytest.mark.parametrize(("cheat", "seats"), [(Leaver, [1, TABLE]), (None, [TABLE])])
def test_audit_of_later_entry_with_unknown_rules_is_a_verdict(cheat, seats) -> None:
    offline = played(cheat=cheat)
    body = wire.decode(wire.encode(offline.live.log.setup.body()).replace(b"block-", b"block_"))
    report = audit(offline.file() + signed(offline, Post(KIND, body)) + bytes(4))
    assert report.verdict is Verdict.FAULT and [fault.seat for fault in report.faults] == seats


@pytest.mark.parametrize("end", [*ENDS, *CUTS])
@pytest.mark.parametrize("entries", [1, 12, None])
def test_audit_of_honest_log_with_any_end_names_nobody(entries: int | None, end: str) -> None:
    data = clean() if entries is None else first_records(clean(), entries)
    report = audit(data + (ENDS | CUTS)[end])
    assert report.faults == ()
    assert report.verdict is (Verdict.INCOMPLETE if end in CUTS else Verdict.UNREADABLE)
    assert report.rest is not None and report.rest.after == last_of(data)


@pytest.mark.parametrize("end", [*ENDS, *CUTS])
def test_audit_without_table_and_fault_names_nobody(end: str) -> None:
    report = audit(Pair(upto=9).file() + (ENDS | CUTS)[end])
    assert report.faults == () and report.verdict is not Verdict.FAULT


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("end", ["four zero bytes", "a cut-off frame"])
def test_fault_text_states_end_of_reading(language: str, end: str) -> None:
    translate, data = load_translator(language), by_seat()
    before = report_lines(audit(data), translate)
    after = report_lines(audit(data + (ENDS | CUTS)[end]), translate)
    assert after[:-1] == before
    where = {"en": "Nothing after entry", "de": "Nach Eintrag"}[language]
    assert after[-1].startswith(f"{where} {last_of(data)} ")
    assert list(transcript_lines(data + (ENDS | CUTS)[end], translate))[-len(after) :] == after


def test_fault_json_has_verdict_and_unread_rest() -> None:
    before, after = report_data(audit(by_table())), report_data(audit(by_table() + bytes(4)))
    rest = {"after": 4, "reason": "a frame's length is zero or above the limit"}
    assert before["rest"] is None and after == before | {"rest": rest}
    cut = report_data(audit(by_table() + bytes(1)))
    assert cut["rest"] == {"after": 4, "reason": "the file ends inside an entry"}
    nothing = report_data(audit(b""))
    assert nothing["verdict"] == "incomplete" and nothing["rest"]["after"] is None


def test_replay_of_fault_with_unreadable_end_keeps_verdict() -> None:
    whole, spoilt = (
        data_of(MatchHistory(data).read()) for data in (by_seat(), by_seat() + bytes(400))
    )
    lines = spoilt["verdict"].pop("lines")
    assert lines[:-1] == whole["verdict"].pop("lines") and "Nothing after entry" in lines[-1]
    assert spoilt == whole
    assert count_records(by_seat() + bytes(400)) == whole["read"]


def test_verdict_order_puts_fault_before_all_but_unknown() -> None:
    verdicts = [verdict for verdict, _ in ORDER]
    assert sorted(verdicts) == sorted(Verdict)
    for facts in (Facts(*values) for values in product((False, True), repeat=len(Facts._fields))):
        assert (facts.verdict is Verdict.FAULT) is (facts.fault and not facts.unknown)
        assert (facts.verdict is Verdict.CLEAN) is (facts == Facts(over=True))


def test_verdict_of_player_takes_faults_beside_the_log() -> None:
    fork = (Fault(TABLE, 3, Code.TABLE_FORKED),)
    for data, alone in ((clean(), Verdict.CLEAN), (first_records(clean(), 9), Verdict.INCOMPLETE)):
        reader = Replay(data).finish().reader
        assert verdict_of(reader) is alone and verdict_of(reader, fork) is Verdict.FAULT
    assert verdict_of(None) is Verdict.INCOMPLETE and verdict_of(None, fork) is Verdict.FAULT


class Failing(Nim):
    """Nim with a defect in its rules."""

    def apply(self, state, seat, action):
        raise ZeroDivisionError


MISTAKEN = BUILT_IN.with_specs(row("nim for all", Failing))


def nim(leaver: int | None) -> bytes:
    """Return a match of three, which one seat may leave before the others move."""
    match = guest_match("nim for all", 3)
    until_playing(match)
    if leaver is not None:
        leave(match, leaver)
    match.play()
    return match.file()


def test_failing_rules_after_a_fault_keep_the_verdict() -> None:
    data = nim(leaver=1)
    assert audit(data, GUESTS).faults == audit(data, MISTAKEN).faults != ()
    report = audit(data, MISTAKEN)
    assert report.verdict is Verdict.FAULT and report.rest is not None
    assert report.rest.after == report.faults[-1].entry
    assert "ZeroDivisionError" in report_lines(report)[-1]
    assert replay_report(Replay(data, MISTAKEN).finish()).verdict is Verdict.FAULT


def test_failing_rules_without_a_fault_raise() -> None:
    with pytest.raises(ZeroDivisionError):
        audit(nim(leaver=None), MISTAKEN)
