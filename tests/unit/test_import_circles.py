"""No module of the product imports itself through others."""

import pytest

from tests.support import architecture as rooms


@pytest.mark.slow
def test_product_has_no_import_circle():
    assert rooms.circles() == []


def test_circles_with_a_circle_of_three_modules_finds_it():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}
    assert rooms.circles(graph) == [{"a", "b", "c"}]


def test_circles_without_a_circle_finds_nothing():
    assert rooms.circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
