"""Verdicts of the audit as text."""

import pytest

from protocol.audit.report_text import author_name, report_lines
from protocol.audit.verdict import audit
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.identity.roster_words import roster_words
from protocol.match.roster_digest import roster_digest
from protocol.view.text import sanitize
from tests.support.log_files import Leaver, Passer, clean, first_records, played


def test_clean_verdict_is_one_line_to_compare():
    offline = played()
    (line,) = report_lines(audit(offline.file()))
    match = offline.live.match
    assert line.startswith(f"clean: {match.setup.people[match.winner].name} won block-dominoes; ")
    assert f"scores Ann {match.scores[0]}, Bob {match.scores[1]};" in line
    assert f"; {len(offline.live.records)} entries;" in line
    for number, person in enumerate(match.setup.people, 1):
        assert f"{number} {person.name} ({short_fingerprint(person.identity)})" in line
    assert f"Test table ({short_fingerprint(match.setup.table.key)})" in line
    assert line.endswith(f"check words {roster_words(roster_digest(match))}")


@pytest.mark.slow
@pytest.mark.parametrize(("cheat", "code"), [(Passer, "false_pass"), (Leaver, "left")])
def test_fault_text_names_seat_person_entry_and_reason(cheat, code):
    offline = played(cheat=cheat)
    first, *faults = report_lines(audit(offline.file()))
    expected = offline.live.match.faults
    assert first.startswith(f"fault: {len(expected)} fault")
    assert len(faults) == len(expected) > 0
    for line, fault in zip(faults, expected, strict=True):
        assert line.startswith(
            f"  seat 2, Bob ({fingerprint(offline.live.match.setup.people[1].identity)}), "
        )
        assert f"entry {fault.entry}: " in line
        assert line.endswith(f"[{code}]")


def test_incomplete_text_says_what_is_missing():
    (line,) = report_lines(audit(first_records(clean(), 2)))
    assert line.startswith("incomplete: nothing is wrong in these 2 entries")
    assert "Missing next: sit by Bob." in line
    (line,) = report_lines(audit(clean() + bytes(2)))
    assert line.startswith(
        f"incomplete: the whole match is here ({len(played().live.records)} entries)"
    )
    (line,) = report_lines(audit(b""))
    assert line.startswith("incomplete: the file ends before its first entry")


def test_unreadable_text_says_where_and_why():
    (line,) = report_lines(audit(b"hello"))
    assert (
        line.startswith("unreadable: this file is not the log of a match") and "*.fairdeal" in line
    )
    (line,) = report_lines(audit(clean()[:15] + bytes(4)))
    assert line.startswith("unreadable: at its beginning: ")
    changed = bytearray(clean())
    changed[-1] ^= 1
    (line,) = report_lines(audit(bytes(changed)))
    assert line.startswith(
        f"unreadable: after {len(played().live.records) - 1} good entries: a signature"
    )


def test_report_text_has_no_control_characters():
    assert sanitize("Ann\x1b[31m\n\u202eB\x00") == "Ann\ufffd[31m\ufffd\ufffdB\ufffd"
    assert sanitize("Zoë 李 [6‖6]") == "Zoë 李 [6‖6]"


def test_report_names_nonexistent_authors():
    match = played().live.match
    assert [author_name(match, author) for author in (0, 255, 7)] == ["Ann", "the table", "seat 8"]
