"""Transcript of a match in readable form."""

from dataclasses import replace

import pytest

from protocol.audit import transcript
from protocol.audit.report_text import report_lines
from protocol.audit.transcript import setup_lines
from protocol.audit.verdict import audit
from protocol.dealing.registry import DEALINGS
from protocol.match import fold as match
from protocol.match.log_file import read_records
from tests.support.log_files import Leaver, Passer, clean, first_records, played


def test_every_kind_of_entry_has_a_text():
    assert set(transcript.MATCH_MEANINGS) == set(match.MATCH_ENTRY_SHAPES)
    for dealing in DEALINGS.values():
        assert set(dealing.entry_meanings) == set(dealing.entry_shapes)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["block-dominoes", "draw-dominoes"])
def test_transcript_lists_honest_match_entry_by_entry(game):
    offline = played(game=game)
    lines = list(transcript.transcript_lines(offline.file(), everything=True))
    numbers = [int(line[:6]) for line in lines if line[:6].strip().isdigit()]
    assert numbers == list(range(1, len(offline.live.records)))
    text = "\n".join(lines)
    assert (
        " leads 6-6\n        6 ◂ [6‖6] ▸ 6\n" in text
        or " does not have 6-6, which would lead\n" in text
    )
    assert "Ann was dealt [" in text
    assert ("drew [" in text) is (game == "draw-dominoes")
    assert f"Scores: Ann {offline.live.match.scores[0]}, Bob {offline.live.match.scores[1]}" in text
    assert "Check words: " in text
    assert text.count("Check words: ") == 1
    assert lines[-1:] == report_lines(audit(offline.file()))


@pytest.mark.match
def test_transcript_lists_each_hand():
    from tests.support.offline import make_offline

    offline = make_offline(2, options={"target": 40})
    offline.play()
    text = "\n".join(transcript.transcript_lines(offline.file()))
    assert text.count("Ann was dealt") == offline.live.match.game.hand > 1
    assert text.count("  Scores: ") == offline.live.match.game.hand


@pytest.mark.slow
def test_false_pass_is_shown_with_proving_hand():
    offline = played(cheat=Passer)
    text = "\n".join(transcript.transcript_lines(offline.file()))
    assert f"!! Bob, entry {offline.live.match.faults[0].entry}: false_pass" in text
    assert "Bob was dealt [" in text
    assert "wins it" not in text
    assert "\nfault: " in text


def test_transcript_shows_leaving_as_fault():
    text = "\n".join(transcript.transcript_lines(played(cheat=Leaver).file()))
    assert "leave       leaves the match\n        !! Bob, entry" in text


@pytest.mark.parametrize("size", [0, 1, 15, 16, 200, 5000])
def test_transcript_of_cut_log_ends_at_cut(size):
    lines = list(transcript.transcript_lines(clean()[:size]))
    assert lines[-1].startswith("incomplete: ")


def test_transcript_of_beginning_has_same_lines():
    part = list(transcript.transcript_lines(first_records(clean(), 9), everything=True))
    assert list(transcript.transcript_lines(clean(), everything=True))[: len(part) - 2] == part[:-2]


@pytest.mark.slow
def test_automatic_entries_are_omitted_and_results_shown():
    entries = [entry for _, entry in numbered(transcript.transcript_lines(clean()))]
    assert entries and all(entry.split()[3] == "move" for entry in entries)
    whole = [entry for _, entry in numbered(transcript.transcript_lines(clean(), everything=True))]
    assert [entry for entry in whole if entry in entries] == entries
    text = "\n".join(transcript.transcript_lines(clean()))
    assert "Check words: " in text and "Ann was dealt [" in text and "  Scores: " in text
    assert f"({len(whole) - len(entries)} entries of dealing and signing are left out" in text
    assert text.index("Check words") < text.index(entries[0]) < text.index("was dealt")


def numbered(lines):
    """Return the lines that describe an entry, with its number."""
    return [(int(line[:6]), line) for line in lines if line[:6].strip().isdigit()]


@pytest.mark.slow
def test_entry_with_fault_is_never_omitted():
    offline = played(cheat=Passer)
    shown = (
        "\n".join(transcript.transcript_lines(offline.file())).split("!! Bob")[0].splitlines()[-1]
    )
    whole = (
        "\n".join(transcript.transcript_lines(offline.file(), everything=True))
        .split("!! Bob")[0]
        .splitlines()[-1]
    )
    assert shown == whole


def test_transcript_of_garbage_is_only_the_verdict():
    assert [line[:11] for line in transcript.transcript_lines(b"garbage" * 9)] == [
        "",
        "unreadable:",
    ]


def test_transcript_escapes_hostile_names_and_dates():
    """The fold of another version may accept texts that a terminal should not show."""
    setup = played().live.match.setup
    setup = replace(setup, table=setup.table._replace(id="\x1b[2J"), created=2**63 - 1)
    lines = list(setup_lines(replace(played().live.match, setup=setup)))
    assert all(line.isprintable() for line in lines)
    assert f"begun    {2**63 - 1} seconds after 1970 by the table's clock" in lines


def test_transcript_reads_no_more_than_shown():
    """The first lines come before the last entry is read."""
    lines = transcript.transcript_lines(clean())
    assert next(lines).startswith(f"match    {played().live.log.match_id.hex()}")
    assert len(list(read_records(clean()))) > 9
