"""Built-in functions and methods of the rule language: results, faults and cost."""

import pytest

from protocol.limits import MAX_RULE_LIST
from protocol.rules.interpreter.builtins import (
    FUNCTIONS,
    METHODS,
    extend,
    min_or_max,
    sort_values,
)
from protocol.rules.interpreter.step_meter import StepMeter
from tests.support.rule_faults import fault_of


def meter(steps: int = 10**6) -> StepMeter:
    return StepMeter(steps)


@pytest.mark.parametrize(
    ("name", "given", "result"),
    [
        ("bool", [[]], False),
        ("bool", ["a"], True),
        ("len", ["abc"], 3),
        ("len", [{"a": 1}], 1),
        ("list", [], []),
        ("list", [{"a": 1, "b": 2}], ["a", "b"]),
        ("list", [range(3)], [0, 1, 2]),
        ("enumerate", [("a", "b")], [(0, "a"), (1, "b")]),
        ("range", [1, 7, 3], range(1, 7, 3)),
        ("str", [(1, "a")], '(1, "a")'),
        ("type", [None], "NoneType"),
    ],
)
def test_function_returns_its_result(name, given, result):
    assert FUNCTIONS[name](meter(), given) == result


@pytest.mark.parametrize(
    ("name", "given", "fault"),
    [
        ("len", [5], "rules.iterate"),
        ("list", ["abc"], "rules.iterate"),
        ("enumerate", [None], "rules.iterate"),
        ("range", [True], "rules.range.kind"),
        ("range", [1, 2, 0], "rules.step"),
        ("range", [MAX_RULE_LIST + 1], "rules.list.long"),
        ("range", [0, -MAX_RULE_LIST - 1, -1], "rules.list.long"),
        ("str", [range(3)], "rules.range.list"),
    ],
)
def test_function_with_wrong_value_is_a_fault(name, given, fault):
    assert fault_of(FUNCTIONS[name], meter(), given) == fault


def test_range_may_be_as_long_as_a_list():
    assert len(FUNCTIONS["range"](meter(), [0, MAX_RULE_LIST * 2, 2])) == MAX_RULE_LIST


@pytest.mark.parametrize(("name", "steps"), [("list", 2), ("enumerate", 6)])
def test_copy_costs_steps_and_may_grow(name, steps):
    run = meter(steps)
    found = FUNCTIONS[name](run, [(4, 5)])
    assert run.left == 0 and run.check_may_grow(found) is found
    assert fault_of(FUNCTIONS[name], meter(steps - 1), [(4, 5)]) == "rules.steps"


@pytest.mark.parametrize(("least", "result"), [(True, (1, "a")), (False, (2, "b"))])
def test_min_and_max_return_the_first_of_equals(least, result):
    given = [[(1, "a"), (2, "b"), (1, "c"), (2, "d")]]
    assert min_or_max(meter(), given, lambda _, each: each[0], least=least) == result
    assert min_or_max(meter(), [3, 1, 2], None, least=least) == (1 if least else 3)


def test_min_of_nothing_is_a_fault():
    assert fault_of(lambda: min_or_max(meter(), [[]], None, least=True)) == "rules.empty"


@pytest.mark.parametrize("reverse", [False, True])
def test_sorted_keeps_the_order_of_equals(reverse):
    values = [(2, "a"), (1, "b"), (2, "c"), (1, "d")]
    found = sort_values(meter(), [values], lambda _, each: each[0], reverse)
    low, high = [(1, "b"), (1, "d")], [(2, "a"), (2, "c")]
    assert found == (high + low if reverse else low + high)


def test_sorted_with_a_number_for_reverse_is_a_fault():
    assert fault_of(sort_values, meter(), [[1]], None, 1) == "rules.reverse"


def test_sort_key_cannot_change_the_sorted_list():
    run = meter()
    own = run.add_list([2, 1])
    key = lambda meter, each: METHODS["append"](meter, own, [each])  # noqa: E731
    assert fault_of(sort_values, run, [own], key, False) == "rules.busy"


def test_list_grows_to_its_bound_and_no_further():
    run = meter()
    own = run.add_list([0] * (MAX_RULE_LIST - 1))
    assert fault_of(extend, run, own, [1, 2]) == "rules.list.long"
    METHODS["append"](run, own, [1])
    assert fault_of(METHODS["append"], run, own, [1]) == "rules.list.long"
    assert len(own) == MAX_RULE_LIST and own[-1] == 1


def test_extend_changes_the_list_in_place():
    run = meter()
    own = run.add_list([1])
    assert extend(run, own, [2, 3]) is own and own == [1, 2, 3]
    assert fault_of(extend, run, own, (4,)) == "rules.operands"
    assert fault_of(extend, run, [1], [2]) == "rules.frozen"


@pytest.mark.parametrize(
    ("name", "of", "given", "result"),
    [
        ("index", [5, 6, 6], [6], 1),
        ("get", {"a": 1}, ["a"], 1),
        ("get", {"a": 1}, ["b"], None),
        ("get", {"a": 1}, ["b", 9], 9),
        ("keys", {"a": 1, 2: 2}, [], ["a", 2]),
    ],
)
def test_method_returns_its_result(name, of, given, result):
    assert METHODS[name](meter(), of, given) == result


@pytest.mark.parametrize(
    ("name", "of", "given", "fault"),
    [
        ("index", [5], [6], "rules.index.none"),
        ("index", (5,), [5], "rules.method.kind"),
        ("get", [5], [0], "rules.method.kind"),
        ("get", {"a": 1}, [None], "rules.dict.key"),
        ("keys", [5], [], "rules.method.kind"),
        ("append", [5], [6], "rules.frozen"),
    ],
)
def test_method_with_wrong_value_is_a_fault(name, of, given, fault):
    assert fault_of(METHODS[name], meter(), of, given) == fault
