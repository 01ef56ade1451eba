"""The outcome of an append, for every answer of the store."""

import pytest

from table.storage.shared.backend import Conflict, Unanswered
from table.storage.shared.subject_append import AppendOutcome, SubjectAppend
from tests.support.table_stores.memory import MemoryEngine, Shared, in_no_time


class Scripted(MemoryEngine):
    """Engine whose appends follow a script, then work normally."""

    def __init__(self, *script):
        super().__init__(Shared())
        self.script = list(script)

    async def append(self, subject, after, data):
        match self.script.pop(0) if self.script else "stands":
            case "unheard":
                settled = self.shared.settled
                await super().append(subject, after, data)
                self.shared.settled = settled
                raise Unanswered
            case "never came":
                raise Unanswered
            case "conflict":  # from a leader that lacks the newest items
                raise Conflict
            case "rival":
                await super().append(subject, after, b"the rival's")
                raise Unanswered
            case "new leader":
                self.shared.lead_anew()
                raise Unanswered
            case "loses":
                self.shared.lose(1)
                raise Unanswered
            case "stands":
                return await super().append(subject, after, data)


def appended(*script, before=1):
    engine = Scripted()

    async def work():
        number = 0
        for _ in range(before):
            number = await engine.append("m", number, b"before")
        engine.script = list(script)
        tail = SubjectAppend(engine, "m", number, lambda after: b"proof of %d" % after)
        tail.last = b"before"
        return await tail.append(b"ours"), tail

    outcome, tail = in_no_time(work())
    return outcome, tail, [data for _, data in engine.shared.items if data != b"before"]


@pytest.mark.parametrize(
    ("script", "stands"),
    (
        (("stands",), [b"ours"]),
        (("never came",), [b"ours"]),
        (("conflict", "conflict"), [b"ours"]),
        (("unheard",), [b"ours", b"proof of 2"]),
        (("unheard", "unheard"), [b"ours", b"proof of 2", b"proof of 3"]),
        # the item that was read was lost, and has been appended again
        (("unheard", "new leader"), [b"ours"]),
        (("unheard", "unheard", "new leader", "conflict"), [b"ours"]),
    ),
    ids=str,
)
def test_append_without_rivals_succeeds_in_the_end(script, stands):
    outcome, tail, found = appended(*script)
    assert (outcome, found) == (AppendOutcome.DONE, stands)
    assert (tail.number, tail.placed) == (1 + len(stands), 2)


def test_append_yields_to_earlier_rival():
    outcome, _, found = appended("rival")
    assert (outcome, found) == (AppendOutcome.LOST, [b"the rival's"])


def test_append_to_emptied_log_is_refused():
    outcome, _, found = appended("loses")
    assert (outcome, found) == (AppendOutcome.GONE, [])


def test_tail_loss_is_reported_after_an_append_shows_it():
    outcome, _, found = appended("loses", "conflict", before=2)
    assert (outcome, found) == (AppendOutcome.GONE, [b"proof of 1"])


def test_tail_note_with_reused_number_does_not_block_appends():
    outcome, _, found = appended("loses", "unheard", before=2)
    assert (outcome, found) == (AppendOutcome.GONE, [b"proof of 1", b"proof of 2"])
