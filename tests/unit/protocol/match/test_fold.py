"""The fold moves on, refuses, or names an author, and nothing else, for any entry."""

from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.dealing import TABLE, Fault
from protocol.dealing.layered.stages import ENTRY_SHAPES as DEALING_KINDS
from protocol.errors import Refused
from protocol.match.clock import CLOCK_KINDS as CLOCK_KINDS
from protocol.match.clock import SLOW
from protocol.match.fold import MATCH_ENTRY_SHAPES, apply
from protocol.match.log_reader import fault_for_refused
from protocol.match.state import Match, MatchStage
from tests.adversary.cheats.mutate import mutate
from tests.support.match_states import Step, entry_like, steps

ALL_KINDS = sorted({*MATCH_ENTRY_SHAPES, *DEALING_KINDS, "open", "win", ""})
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(0, 2**63 - 1)
    | st.binary(max_size=40)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=6),
    max_leaves=12,
)


def refused(match: Match, entry: Any) -> Code:
    """Return the code with which this entry is refused."""
    with pytest.raises(Refused) as refusal:
        apply(match, entry)
    return refusal.value.code


def step_of(kind: str, index: int = 0) -> Step:
    """Return the step before an entry of this kind."""
    return [step for step in steps() if step.entry.kind == kind][index]


@pytest.mark.slow
def test_fold_tests_cover_all_entry_kinds() -> None:
    assert {step.entry.kind for step in steps()} >= {
        "draw_key",
        "draw_query",
        "draw_reply",
        "move",
        "receipt",
        "slots",
    }


@pytest.mark.match
@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.data())
def test_arbitrary_entries_are_refused_or_named(data: st.DataObject) -> None:
    step = data.draw(st.sampled_from(steps()))
    author = data.draw(st.sampled_from((0, 1, TABLE)))
    kind = data.draw(st.sampled_from(ALL_KINDS))
    body = data.draw(st.lists(VALUES, max_size=6))
    entry = entry_like(step, author=author, kind=kind, body=body)
    with suppress(Refused):
        match = apply(step.match, entry)
        assert match.next_number == step.match.next_number + 1
        assert all(fault.seat == author or kind in CLOCK_KINDS for fault in match.faults)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_damaged_entries_are_refused_or_named(seed: int) -> None:
    rng = Random(seed)
    for step in steps():
        entry = entry_like(step, body=mutate(step.entry.body, rng))
        with suppress(Refused):
            match = apply(step.match, entry)
            assert {fault.seat for fault in match.faults} <= {entry.author}


def test_refused_entry_changes_nothing() -> None:
    for step in steps():
        before = vars(step.match).copy()
        refused(step.match, entry_like(step, kind="win"))
        assert vars(step.match) == before


@pytest.mark.slow
def test_entry_out_of_turn_is_refused() -> None:
    for step in steps():
        duties = {(duty.author, duty.kind) for duty in step.match.duties()}
        for other in steps():
            if (other.entry.author, other.entry.kind) not in duties:
                assert refused(step.match, entry_like(step, **_of(other))) is Code.NOT_NOW


def _of(step: Step) -> dict[str, Any]:
    return {"author": step.entry.author, "kind": step.entry.kind, "body": step.entry.body}


def test_entry_before_seeing_its_duty_is_stale() -> None:
    for step in steps():
        deal = step.match.deal if step.match.stage is MatchStage.DEALING else None
        began = deal.duties_since if deal else step.match.duties_since
        if began:
            assert refused(step.match, entry_like(step, seen_number=began - 1)) is Code.STALE


def test_table_entry_with_old_head_is_refused() -> None:
    step = step_of("assign")
    assert (
        refused(step.match, entry_like(step, seen_number=step.match.next_number - 2)) is Code.STALE
    )


def test_entry_after_the_end_is_refused() -> None:
    last = steps()[-1]
    over = apply(last.match, last.entry)
    assert over.over
    for step in steps():
        assert refused(over, entry_like(step)) is Code.MATCH_OVER


def test_any_seat_may_leave_at_any_time() -> None:
    for step in steps():
        left = apply(step.match, entry_like(step, author=1, kind="leave", body=[]))
        assert left.over
        assert left.faults == (Fault(1, step.match.next_number, Code.LEFT),)


def test_clock_entry_requires_a_duty() -> None:
    for step in steps():
        owing = {duty.author for duty in step.match.duties()}
        for seat in range(2):
            due = step.match.next_clock_entry(seat)
            assert (due is not None) == (seat in owing)
            body = [seat, 10**9]
            for kind in CLOCK_KINDS:
                entry = entry_like(step, author=TABLE, kind=kind, body=body)
                slow = kind == SLOW and step.match.slow_due_after(seat) is not None
                assert not slow or step.match.stage is MatchStage.DEALING
                if slow or (due is not None and kind == due.kind):
                    assert apply(step.match, entry).duties() == step.match.duties()
                else:
                    assert refused(step.match, entry) is Code.NOT_NOW


def test_fold_accepts_clock_from_table_and_protest_from_seat() -> None:
    step = step_of("move")
    for kind in CLOCK_KINDS:
        assert (
            refused(step.match, entry_like(step, author=0, kind=kind, body=[1, 10**9]))
            is Code.WRONG_AUTHOR
        )
    for kind, body in (("protest", [0]), ("leave", [])):
        assert (
            refused(step.match, entry_like(step, author=TABLE, kind=kind, body=body))
            is Code.WRONG_AUTHOR
        )


def test_fold_accepts_protest_once_during_a_deal() -> None:
    for step in steps():
        entry = entry_like(step, author=0, kind="protest", body=[0])
        stage = step.match.deal.stage if step.match.deal else None  # type: ignore[attr-defined]
        if (
            stage is None
            or stage == "open table"
            or (0 in getattr(step.match.deal, "posted", ()) and stage == "open seats")
        ):
            assert refused(step.match, entry) is Code.NOT_NOW
            continue
        after = apply(step.match, entry)
        assert {duty.kind for duty in after.duties()} == {"open_seat"}
        assert after.deal is not None
        again = entry_like(Step(after, entry), author=1)
        assert refused(after, again) is Code.NOT_NOW


def test_protest_must_name_an_entry_seen() -> None:
    step = step_of("move")
    entry = entry_like(
        step,
        author=0,
        kind="protest",
        body=[step.match.next_number],
        seen_number=step.match.next_number - 1,
    )
    assert refused(step.match, entry) is Code.STALE


def test_copied_match_key_is_refused() -> None:
    step = step_of("sit", 1)
    key = next(key for key in step.match.keys if key is not None)
    assert (
        refused(step.match, entry_like(step, body=[key, *step.entry.body[1:]]))
        is Code.BAD_MATCH_KEY
    )


def test_copied_commitment_does_not_name_second_author() -> None:
    """A table that colludes with a seat may log the copy first."""
    step = step_of("commit", 1)
    committed = step.match.deal.commitments[1 - step.entry.author]  # type: ignore[union-attr]
    assert apply(step.match, entry_like(step, body=list(committed[:2]))).faults == ()


def test_fold_names_author_of_refused_entry_with_full_sight() -> None:
    step = step_of("move")
    seen = entry_like(step)
    table = Fault(TABLE, step.match.next_number, Code.TABLE_ACCEPTED)
    author = Fault(seen.author, step.match.next_number, Code.NOT_NOW)
    assert fault_for_refused(step.match, seen, Code.NOT_NOW) == (table, author)
    late = entry_like(step, seen_number=step.match.next_number - 2)
    assert fault_for_refused(step.match, late, Code.NOT_NOW) == (table,)
    own = entry_like(step, author=TABLE)
    assert fault_for_refused(step.match, own, Code.NOT_NOW) == (
        Fault(TABLE, step.match.next_number, Code.NOT_NOW),
    )
