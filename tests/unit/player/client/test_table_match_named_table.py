"""A table accused without proof ends no match: seed and outbox stay, and no number is signed
twice.
"""

from collections.abc import Callable

import pytest

from player.client import events
from player.storage.recovery_state import any_recovery_states
from protocol.audit.verdict import Verdict
from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.i18n import english_text
from protocol.identity.keys import Identity
from protocol.match.log import Log, decode_entry
from tests.support.at_once import StoredAtOnce
from tests.support.direct import Direct
from tests.support.fake_table import FakeTable
from tests.support.offline import make_setup

pytestmark = pytest.mark.match

LIED_TO = 3  # number of the client's own entry that is answered with a lie


class Liar(FakeTable):
    """Table that answers the client's entry of that number with a lie, once, and does not log
    it.
    """

    def __init__(self, lie: Callable[["Liar", Direct], None], **options: object) -> None:
        super().__init__(**options)
        self.lie: Callable[[Liar, Direct], None] | None = lie
        self.posts: list[bytes] = []

    def on_post(self, wire, match_id, raw):
        self.posts.append(raw)
        if self.lie is None or self.live.log.sequence(0) != LIED_TO:
            super().on_post(wire, match_id, raw)
            return
        self.lie(self, wire)
        self.lie = None

    def entry(self, wire: Direct, number: int, raw: bytes, head: bytes) -> None:
        wire.say("entry", self.live.log.match_id, number, raw, head)


def gap(table: Liar, wire: Direct) -> None:
    last = table.live.records[-1]
    table.entry(wire, len(table.live.records) + 1, last.entry, last.head)


def unsigned(table: Liar, wire: Direct) -> None:
    table.entry(wire, len(table.live.records), table.live.records[-1].entry, bytes(64))


def unsigned_before(table: Liar, wire: Direct) -> None:
    table.entry(wire, 2, table.live.records[3].entry, bytes(64))


def other_match(table: Liar, wire: Direct) -> None:
    """Send a valid first entry of another match of the table."""
    people = [Identity(bytes([seat]) * 32) for seat in (1, 2)]
    other = StoredAtOnce(table.identity, make_setup(table.identity, people, table.rng), bytes(32))
    table.entry(wire, 0, *other.records[0])


def fork(table: Liar, wire: Direct) -> None:
    """Send a different second entry, with a head that the table has signed."""
    first, *_, last = table.live.records
    table.entry(wire, 1, last.entry, Log(first.entry).next_head(table.identity, last.entry))


@pytest.mark.parametrize("lie", [gap, unsigned, unsigned_before, other_match])
def test_false_accusation_without_proof_resumes_with_same_command(tmp_path, lie):
    table = Liar(lie)
    run = Direct(table, tmp_path).run()
    outcome = run.stop()
    assert [fault.seat for fault in outcome.faults] == [TABLE] and outcome.verdict is Verdict.FAULT
    assert any_recovery_states(tmp_path)
    said = [english_text(event.phrase) for event in run.told if isinstance(event, events.Notice)]
    assert any(
        "you have not left" in text and "same command" in text and "--forget" in text
        for text in said
    )
    assert Direct(table, tmp_path).run().stop().verdict is Verdict.CLEAN
    signed = {raw for raw in table.posts if decode_entry(raw).sequence == LIED_TO}
    assert len(signed) == 1 and "leave" not in [decode_entry(raw).kind for raw in table.posts]


def test_proven_fork_ends_the_match_for_good(tmp_path):
    run = Direct(Liar(fork), tmp_path).run()
    assert [fault.code for fault in run.stop().faults] == [Code.TABLE_FORKED]
    assert not any_recovery_states(tmp_path)
    assert not any(
        "--forget" in english_text(event.phrase)
        for event in run.told
        if isinstance(event, events.Notice)
    )
