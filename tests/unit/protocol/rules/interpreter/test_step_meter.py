"""Meter of a run: each bound exactly reached, and exceeded by one."""

import pytest

from protocol.limits import MAX_RULE_INT, MAX_RULE_LIST, MAX_RULE_TEXT
from protocol.rules.interpreter.step_meter import TEXT_STEP, StepMeter, in_range, kind
from tests.support.rule_faults import fault_of


def test_meter_spends_all_steps_and_not_one_more():
    meter = StepMeter(3)
    meter.spend(2)
    meter.spend(1)
    assert fault_of(meter.spend, 1) == "rules.steps"


@pytest.mark.parametrize(
    ("characters", "steps"), [(0, 0), (1, 1), (TEXT_STEP, 1), (TEXT_STEP + 1, 2)]
)
def test_text_costs_a_step_for_each_begun_part(characters, steps):
    meter = StepMeter(steps)
    meter.check_text(characters)
    assert meter.left == 0


def test_elements_cost_a_step_each():
    meter = StepMeter(10)
    meter.check_room(4)
    assert meter.left == 6


@pytest.mark.parametrize(
    ("name", "most", "fault"),
    [
        ("check_text", MAX_RULE_TEXT, "rules.text.long"),
        ("check_room", MAX_RULE_LIST, "rules.list.long"),
    ],
)
def test_size_beyond_most_is_a_fault_whatever_steps_are_left(name, most, fault):
    meter = StepMeter(10 * most)
    getattr(meter, name)(most)
    assert fault_of(getattr(meter, name), most + 1) == fault


def test_new_list_beyond_most_is_a_fault():
    meter = StepMeter(0)
    meter.add_list([0] * MAX_RULE_LIST)
    assert fault_of(meter.add_list, [0] * (MAX_RULE_LIST + 1)) == "rules.list.long"


def test_only_own_lists_outside_of_loops_may_grow():
    meter = StepMeter(0)
    own = meter.add_list([1])
    assert meter.check_may_grow(own) is own
    assert fault_of(meter.check_may_grow, [1]) == "rules.frozen"
    assert fault_of(meter.check_may_grow, (1,)) == "rules.append.kind"
    meter.busy.append(id(own))
    assert fault_of(meter.check_may_grow, own) == "rules.busy"


@pytest.mark.parametrize("sign", [1, -1])
def test_number_is_in_range_up_to_most(sign):
    assert in_range(sign * MAX_RULE_INT) == sign * MAX_RULE_INT
    assert fault_of(in_range, sign * (MAX_RULE_INT + 1)) == "rules.range"


@pytest.mark.parametrize(
    ("value", "name"),
    [(None, "NoneType"), ("", "string"), (True, "bool"), (0, "int"), ([], "list"), ({}, "dict")],
)
def test_kind_is_the_name_in_the_rule_language(value, name):
    assert kind(value) == name
