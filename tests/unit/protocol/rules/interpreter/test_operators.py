"""Operators of the rule language: results, faults for wrong kinds, and bounds."""

from itertools import product

import pytest

from protocol.limits import MAX_RULE_INT, MAX_RULE_LIST, MAX_RULE_TEXT
from protocol.rules.interpreter.operators import (
    ARITHMETIC,
    COMPARED,
    negative,
    slice_of,
    subscript,
)
from protocol.rules.interpreter.step_meter import StepMeter, kind
from tests.support.rule_faults import fault_of

VALUES = [None, True, 7, "ab", [1], (1,), {"a": 1}]
# pairs of kinds that each arithmetic operator takes
TAKEN = {
    "+": {("int", "int"), ("string", "string"), ("list", "list"), ("tuple", "tuple")},
    "-": {("int", "int")},
    "*": {("int", "int")}
    | {pair for many in ("string", "list", "tuple") for pair in ((many, "int"), ("int", many))},
    "//": {("int", "int")},
    "%": {("int", "int")},
}


def meter(steps: int = 10**6) -> StepMeter:
    return StepMeter(steps)


@pytest.mark.parametrize("sign", TAKEN)
def test_operator_with_each_pair_takes_only_its_kinds(sign):
    for left, right in product(VALUES, repeat=2):
        if sign == "%" and type(left) is str:
            continue
        if (kind(left), kind(right)) in TAKEN[sign]:
            ARITHMETIC[sign](meter(), left, right)
        else:
            assert fault_of(ARITHMETIC[sign], meter(), left, right) == "rules.operands"


@pytest.mark.parametrize(
    ("sign", "left", "right", "result"),
    [
        ("+", [1], [2], [1, 2]),
        ("+", (1,), (2,), (1, 2)),
        ("*", "ab", 2, "abab"),
        ("*", -1, [1], []),
        ("//", -7, 2, -4),
        ("%", -7, 2, 1),
        ("%", 7, -2, -1),
        ("%", "%d of %s%%", (3, "a"), ...),
        ("%", "%s", None, "None"),
    ],
)
def test_operator_with_values_returns_result(sign, left, right, result):
    assert ARITHMETIC[sign](meter(), left, right) == ("3 of a%" if result is ... else result)


@pytest.mark.parametrize(
    ("pattern", "given", "fault"),
    [
        ("%d", "a", "rules.format.number"),
        ("%d", True, "rules.format.number"),
        ("%s%s", "a", "rules.format.few"),
        ("%s", ("a", "b"), "rules.format.many"),
        ("%x", 1, "rules.format"),
        ("%", 1, "rules.format"),
    ],
)
def test_format_with_wrong_values_is_a_fault(pattern, given, fault):
    assert fault_of(ARITHMETIC["%"], meter(), pattern, given) == fault


@pytest.mark.parametrize("sign", ["//", "%"])
def test_division_by_zero_is_a_fault(sign):
    assert fault_of(ARITHMETIC[sign], meter(), 1, 0) == "rules.zero"


@pytest.mark.parametrize(
    ("sign", "left", "right"),
    [("+", MAX_RULE_INT, 1), ("-", -MAX_RULE_INT, 1), ("*", MAX_RULE_INT, 2)],
)
def test_number_beyond_bound_is_a_fault(sign, left, right):
    assert fault_of(ARITHMETIC[sign], meter(), left, right) == "rules.range"
    assert ARITHMETIC["+"](meter(), MAX_RULE_INT, 0) == MAX_RULE_INT


@pytest.mark.parametrize(
    ("most", "one", "fault"),
    [(MAX_RULE_TEXT, "a", "rules.text.long"), (MAX_RULE_LIST, [0], "rules.list.long")],
)
def test_value_one_beyond_longest_is_a_fault(most, one, fault):
    longest = ARITHMETIC["*"](meter(), one, most)
    assert len(longest) == most
    assert fault_of(ARITHMETIC["*"], meter(), one, most + 1) == fault
    assert fault_of(ARITHMETIC["+"], meter(), longest, one) == fault


@pytest.mark.parametrize(
    ("what", "where", "result"),
    [
        (1, [2, 1], True),
        (1, (2,), False),
        ("a", {"a": 0}, True),
        ("b", "abc", True),
        (1, "abc", "rules.operands"),
        (1, 5, "rules.operands"),
        ([], {"a": 0}, "rules.dict.key"),
        (True, [1], False),
    ],
)
def test_contains_searches_lists_dicts_and_texts(what, where, result):
    if isinstance(result, str):
        assert fault_of(COMPARED["in"], meter(), what, where) == result
    else:
        assert COMPARED["in"](meter(), what, where) is result
        assert COMPARED["not in"](meter(), what, where) is not result


def test_search_costs_a_step_for_each_element():
    short = meter(3)
    assert COMPARED["in"](short, 3, [1, 2, 3]) and short.left == 0
    assert fault_of(COMPARED["in"], meter(2), 3, [1, 2, 3]) == "rules.steps"


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
def test_order_of_different_kinds_is_a_fault(sign):
    assert fault_of(COMPARED[sign], meter(), 1, "a") == "rules.order"
    assert fault_of(COMPARED[sign], meter(), {}, {}) == "rules.order"


@pytest.mark.parametrize(
    ("of", "index", "fault"),
    [
        ({"a": 1}, "b", "rules.no_key"),
        ({"a": 1}, True, "rules.dict.key"),
        ([1], 1, "rules.no_index"),
        ([1], -2, "rules.no_index"),
        ([1], True, "rules.index.kind"),
        (5, 0, "rules.subscript"),
    ],
)
def test_subscript_without_element_is_a_fault(of, index, fault):
    assert fault_of(subscript, meter(), of, index) == fault
    assert subscript(meter(), [1, 2], -1) == 2


@pytest.mark.parametrize(
    ("bounds", "result"),
    [
        ((1, None, None), [2, 3]),
        ((None, None, -1), [3, 2, 1]),
        ((5, 9, 1), []),
        ((0, 1, 0), "rules.step"),
        (("a", 1, 1), "rules.index.kind"),
    ],
)
def test_slice_returns_new_list_or_fault(bounds, result):
    if isinstance(result, str):
        assert fault_of(slice_of, meter(), [1, 2, 3], *bounds) == result
        return
    run = meter()
    found = slice_of(run, [1, 2, 3], *bounds)
    assert found == result and run.check_may_grow(found) is found


def test_negative_of_a_bool_is_a_fault():
    assert negative("-", 3) == -3 and negative("+", 3) == 3
    assert fault_of(negative, "-", True) == "rules.operand"
