"""Comparison and text of values: results, cost and depth."""

import pytest

from protocol.limits import MAX_RULE_NESTING
from protocol.rules.interpreter.step_meter import StepMeter
from protocol.rules.interpreter.value_operations import (
    check_sortable,
    compare,
    equal,
    measure,
    to_text,
)
from tests.support.rule_faults import fault_of


def meter(steps: int = 10**6) -> StepMeter:
    return StepMeter(steps)


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        ([1, [2]], [1, [2]], True),
        ([1, [2]], [1, (2,)], False),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": [1]}, {"a": [True]}, False),
        ([1], [1, 2], False),
        ([1, 2], [1, 3], False),
        ({"a": 1}, {"a": 2}, False),
        (None, None, True),
    ],
)
def test_equal_compares_kinds_and_contents(left, right, same):
    assert equal(meter(), left, right) is same
    assert equal(meter(), right, left) is same


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [
        (1, 2, -1),
        ("b", "a", 1),
        (False, True, -1),
        ([1, 2], [1, 3], -1),
        ([1], [1, 0], -1),
        ((2,), (1, 9), 1),
        ([], [], 0),
        ([[1], 2], [[1], 1], 1),
    ],
)
def test_compare_gives_the_sign_of_the_order(left, right, sign):
    assert compare(meter(), left, right) == sign
    assert compare(meter(), right, left) == -sign


@pytest.mark.parametrize(
    ("left", "right"), [(1, True), ({}, {}), (None, None), ([1], (2,)), ([1], ["a"])]
)
def test_compare_without_an_order_is_a_fault(left, right):
    assert fault_of(compare, meter(), left, right) == "rules.order"


@pytest.mark.parametrize(
    ("call", "steps"),
    [
        (lambda run: equal(run, [1, 2], [1, 2]), 4),
        (lambda run: equal(run, [[1]], [[1]]), 6),
        (lambda run: equal(run, {"a": 1}, {"a": 1}), 5),
        (lambda run: compare(run, [1, 2], [1, 3]), 2),
        (lambda run: to_text(run, [1, 2]), 12),
        (lambda run: measure(run, [1, (2, 3)]), 4),
        (lambda run: check_sortable(run, [3, 1, 2]), 6),
        (lambda run: check_sortable(run, [(1, 2), (1, 3)]), 12),
    ],
)
def test_operation_costs_exactly_its_steps(call, steps):
    run = meter()
    call(run)
    spent = 10**6 - run.left
    assert spent == steps
    assert fault_of(call, meter(steps - 1)) == "rules.steps"


@pytest.mark.parametrize("call", [to_text, measure, lambda run, value: equal(run, value, value)])
def test_value_nested_too_deep_is_a_fault(call):
    call(meter(), nested(MAX_RULE_NESTING))
    assert fault_of(call, meter(), nested(MAX_RULE_NESTING + 1)) == "rules.deep"


def test_cyclic_value_stops_at_the_depth():
    value: list = []
    value.append(value)
    assert fault_of(to_text, meter(), value) == "rules.deep"
    assert fault_of(measure, meter(), value) == "rules.deep"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        (["a"], '["a"]'),
        ((1,), "(1,)"),
        ((1, True), "(1, True)"),
        ({"a": None}, '{"a": None}'),
        (['"\\\n'], '["\\"\\\\\\n"]'),
        (["\x07é€😀"], '["\\x07\\xe9\\u20ac\\U0001f600"]'),
    ],
)
def test_text_of_a_value_is_its_source(value, text):
    assert to_text(meter(), value) == text


@pytest.mark.parametrize("call", [to_text, measure, lambda run, value: equal(run, value, value)])
def test_range_has_no_text_size_or_equal(call):
    assert fault_of(call, meter(), range(3)) == "rules.range.list"


@pytest.mark.parametrize(
    "keys",
    [
        [1, "a"],
        [1, True],
        [None],
        [{}],
        [(1,), [1]],
        [(1,), ("a",)],
        [(1, [2])],
        [(1,), (1, None)],
    ],
)
def test_keys_of_several_kinds_are_not_sortable(keys):
    assert fault_of(check_sortable, meter(), keys) == "rules.order"


@pytest.mark.parametrize("keys", [[], [2, 1], ["b", "a"], [(1, "a"), (1,)], [[True], [False]]])
def test_keys_of_one_kind_are_sortable(keys):
    check_sortable(meter(), keys)
