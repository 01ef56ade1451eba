"""Duties of a stage, and the stage tables of the dealings."""

from importlib import import_module

import pytest

from protocol.dealing import TABLE, Duty
from protocol.dealing.registry import DEALINGS
from protocol.dealing.stages import CLOSED_ROW, READY_ROW, DutyHolder, StageSpec, stage_duties

SEATS = (0, 2, 3)
TABLES = {
    name: import_module(f"protocol.dealing.{name}.stages").STAGES
    for name in DEALINGS
    if name != "none"
}


def duties(holder: DutyHolder, turn: int | None = 2) -> list[tuple[int, str]]:
    spec = StageSpec(holder, ("give",), "deal.ready", 0)
    return [tuple(duty) for duty in stage_duties(spec, SEATS, turn, lambda seat: seat > 2)]


def test_stage_duties_falls_to_the_holder_of_the_stage():
    assert duties(DutyHolder.TABLE) == [(TABLE, "give")]
    assert duties(DutyHolder.TURN) == [(2, "give")]
    assert duties(DutyHolder.EVERYONE) == [(0, "give"), (2, "give"), (3, "give")]
    assert duties(DutyHolder.CONCERNED) == [(3, "give")]
    assert duties(DutyHolder.NOBODY) == []


def test_stage_duties_of_a_turn_that_is_over_are_none():
    assert duties(DutyHolder.TURN, turn=1) == duties(DutyHolder.TURN, turn=None) == []


def test_stage_duties_lists_each_kind_that_may_be_posted():
    spec = StageSpec(DutyHolder.TURN, ("hop", "stock"), "deal.layered.select", 0)
    assert stage_duties(spec, SEATS, 0) == (Duty(0, "hop"), Duty(0, "stock"))


@pytest.mark.parametrize("name", TABLES)
def test_stage_table_has_a_row_for_every_stage(name):
    stages = type(next(iter(TABLES[name])))
    assert set(TABLES[name]) == set(stages)
    assert TABLES[name][stages.READY] is READY_ROW
    assert TABLES[name][stages.CLOSED] is CLOSED_ROW


@pytest.mark.parametrize("name", TABLES)
def test_stage_table_lists_the_kinds_of_its_dealing(name):
    kinds = {kind for row in TABLES[name].values() for kind in row.kinds}
    assert kinds == DEALINGS[name].entry_shapes.keys()
