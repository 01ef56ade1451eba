"""List comprehensions of the rule language."""

import pytest

from protocol.limits import MAX_RULE_LIST
from tests.support.rule_calls import call, error_of, function, steps_of


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("[i for i in x]", [1, 2, 3]),
        ("[i for i in x if i % 2]", [1, 3]),
        ("[(i, j) for i in x if i > 1 for j in range(i) if j]", [(2, 1), (3, 1), (3, 2)]),
        ("[a + b for a, b in [(1, 2), (3, 4)]]", [3, 7]),
        ("[[j for j in range(i)] for i in x]", [[0], [0, 1], [0, 1, 2]]),
        ('[key for key in {"a": 1}]', ["a"]),
    ],
)
def test_comprehension_lists_its_values(expression, result):
    assert call(function(f"return {expression}"), [1, 2, 3]) == result


def test_name_of_a_comprehension_ends_with_it():
    text = function("i = 9", "y = [i for i in x]", "return (i, y)")
    assert call(text, [1, 2]) == (9, [1, 2])


def test_comprehension_pays_for_the_elements_that_it_takes():
    def steps(expression: str, size: int) -> int:
        return steps_of(function(f"return {expression}"), list(range(size)))

    # the result costs a step for each element too
    assert steps("[i for i in x]", 3) - steps("[i for i in x]", 2) == 3
    assert steps("[i + 1 for i in x]", 3) - steps("[i + 1 for i in x]", 2) == 5
    # the body is not paid for an element that is left out
    assert steps("[i + 1 for i in x if i > 9]", 3) - steps("[i + 1 for i in x if i > 9]", 2) == 4


def test_list_of_a_comprehension_may_not_be_too_long():
    text = "X = len([0 for i in range({size}) for j in range(2)])\ndef f():\n  return X\n"
    most = MAX_RULE_LIST // 2
    assert call(text.replace("{size}", str(most))) == MAX_RULE_LIST
    assert error_of(text.replace("{size}", str(most + 1)))[2] == "rules.list.long"


@pytest.mark.parametrize(
    ("expression", "key"),
    [
        ("[i for i in 5]", "rules.iterate"),
        ("[a for a, b in x]", "rules.unpack.kind"),
        ("[x.append(i) for i in x]", "rules.frozen"),
        ("[y.append(i) for i in y]", "rules.busy"),
    ],
)
def test_comprehension_over_wrong_values_is_an_error(expression, key):
    assert error_of(function("y = [1]", f"return {expression}"), [1])[2] == key
