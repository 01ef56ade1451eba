"""Traces of failed cases: what was said, opened and decoded, the program's last words, no secret of
others.
"""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance import report
from conformance.case import Case, CaseFailed
from conformance.decoded import FIELDS, MERGE_FIELDS, TRADE_FIELDS, decode_payload, entry_text
from conformance.direct.kit import make_peer_kit
from conformance.player.kit import make_player_kit
from conformance.runner import CaseState, run_case
from conformance.table.kit import make_table_kit
from conformance.trace import OutputLines, Trace, printable_line, split_frames, write_trace
from protocol import wire
from protocol.identity.keys import INVITE_SIZE, Identity, JoinLink
from protocol.ledger.merge.messages import _FORMS as MERGE_MESSAGES
from protocol.ledger.trading.messages import MESSAGES as TRADE_MESSAGES
from protocol.match.log import EntryContent, make_entry
from protocol.messages.table import MESSAGES
from table.manager.server import TableServer
from tests.conformance.test_peer_kit import GUEST
from tests.conformance.test_player_kit import OURS
from tests.support.ready import Ready
from tests.support.tables import config

NO_SENSE = ("of another shape", "no message", "no entry")


def _then_fails(case: Case) -> Case:
    """Return the case with a failure at its end."""

    async def run(arena) -> None:
        await case.run(arena)
        raise CaseFailed("on purpose")

    return replace(case, run=run)


async def _trace_of(kit, tmp_path):
    outcome = await run_case(replace(kit, traces=tmp_path), _then_fails(kit.sanity))
    assert (outcome.state, outcome.why) == (CaseState.FAILED, "on purpose")
    return outcome, Path(outcome.trace).read_text()


@pytest.mark.process
@pytest.mark.parametrize("kit", [make_player_kit, make_peer_kit], ids=["player", "peer"])
async def test_failed_case_of_a_program_leaves_a_decoded_trace(kit, tmp_path):
    command = OURS if kit is make_player_kit else GUEST.replace("PROGRAM", "player")
    outcome, text = await _trace_of(kit(command, programs=Ready), tmp_path)
    assert not [words for words in NO_SENSE if words in text]
    assert "opened" in text and "entry: author=" in text and "seen=" in text
    if kit is make_player_kit:
        assert "hello(version=2, name='Ann')" in text
        assert "said: Connected to: Kit table" in text and outcome.last_words
    assert all(each in report.line(outcome) for each in (*outcome.last_words, outcome.trace))


@pytest.mark.process
async def test_last_words_of_a_program_that_dies_are_reported(tmp_path):
    kit = make_player_kit(
        f"{sys.executable} -c 'raise SystemExit(\"no idea: \\x1b[2J\")' {{link}}", 1
    )
    outcome = await run_case(replace(kit, traces=tmp_path), kit.sanity)
    assert outcome.last_words == ("no idea: ?[2J",)
    assert "no idea: ?[2J" in (tmp_path / "sanity" / "honest-match.trace").read_text()
    assert "no idea" in report.to_junit([outcome], "x") and "no idea" in report.to_json([outcome])


@pytest.mark.match
async def test_trace_at_a_table_has_no_secret_of_an_invitation(tmp_path):
    secret = bytes(range(INVITE_SIZE))
    async with TableServer(config(tmp_path / "data")) as table:
        link = replace(JoinLink.parse(str(table.link)), invite=secret)
        _, text = await _trace_of(make_table_kit(link), tmp_path)
    assert not [words for words in NO_SENSE if words in text]
    assert "left out: the secret of an invitation" in text
    assert secret.hex() not in text
    assert "match(table=" in text and "entry(match=" in text


def test_every_message_has_names_for_its_fields():
    assert MESSAGES.keys() <= FIELDS.keys()
    assert TRADE_MESSAGES.keys() == TRADE_FIELDS.keys()
    assert MERGE_MESSAGES.keys() == MERGE_FIELDS.keys()


def test_wrong_payloads_are_shown_as_wrong():
    assert decode_payload(b"\xc1") == ["no message: bad_encoding"]
    assert decode_payload(wire.encode(7)) == ["no message: 7"]
    assert decode_payload(wire.encode(["hello", 1])) == ["'hello', of another shape: [1]"]
    assert decode_payload(wire.encode(["post", bytes(32), b"x"]))[1].startswith("no entry")


def test_payload_of_a_trade_shows_the_merge_inside():
    payload = wire.encode([bytes(16), 3, "merge", 0, 1, wire.encode(["turn"])])
    assert decode_payload(payload)[1:] == [
        f"merge(own_revision=0, other_revision=1, message=0x{wire.encode(['turn']).hex()})",
        "turn()",
    ]


def test_entry_shows_the_names_of_its_fields():
    raw = make_entry(
        Identity(bytes(32)), bytes(32), EntryContent(1, 2, (3, bytes(32)), "doubt", [4, 5])
    )
    assert entry_text(raw) == "entry: author=1 sequence=2 seen=3 'doubt'(number=4, most=5)"


def test_frames_are_split_at_their_lengths():
    one, two = wire.encode_frame(b"abc"), wire.encode_frame(b"d")
    assert split_frames(one + two + one[:5]) == ([one, two], one[:5])


def test_frames_in_parts_are_opened_in_order():
    trace = Trace()
    line = trace.line("a")
    frames = [wire.encode_frame(bytes([n]) * 5) for n in range(3)]
    data = b"".join(frames)
    for at in range(0, len(data), 4):
        line.received(data[at : at + 4])
    line.handshake_done(1)
    line.opened(b"x")
    line.closed("gap")
    assert [(event.data, event.opened) for event in trace.events] == list(
        zip(frames, (None, b"x", None), strict=True)
    )
    assert trace.events[2].what == "received a close record with gap"


def test_trace_is_bounded_in_events_and_bytes(tmp_path):
    trace = Trace()
    line = trace.line("a")
    for _ in range(5_000):
        line.sent(b"x" * 40_000)
    case = Case("flood", "6.7", "stops", None, "a group/with ../letters")
    path = write_trace(tmp_path, case, trace, "why")
    assert path.parent.parent == tmp_path and ".." not in path.parent.name.replace(".trace", "")[:2]
    assert "23616 bytes more" in path.read_text()
    assert len(trace.events) == 4_000


def test_output_of_a_program_is_printable_and_short():
    assert printable_line("\x1b]0;\u202e gr\u00fc\u00df".encode()) == "?]0;? gr\u00fc\u00df"
    output = OutputLines(None, "x")
    output.feed(b"".join(b"line %d\n" % n for n in range(100)) + b"end")
    assert output.lines()[-2:] == ["line 99", "end"] and len(output.lines()) == 13
