"""`fast_replace` gives the results of `dataclasses.replace` for the values of a fold."""

import dataclasses
from functools import cached_property

import pytest

from protocol.fast_replace import replace
from tests.golden.play import play
from tests.golden.scenarios import SCENARIOS


@dataclasses.dataclass(frozen=True)
class Line:
    """Class with two fields and a derived one."""

    start: int
    end: int = 3

    @cached_property
    def length(self) -> int:
        return self.end - self.start


@dataclasses.dataclass(frozen=True)
class Checked(Line):
    """Class that checks its values."""

    def __post_init__(self) -> None:
        assert self.start <= self.end


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    """Class with slots."""

    start: int


def test_replace_changes_named_fields_and_recomputes_derived_ones():
    old = Line(1)
    assert old.length == 2
    new = replace(old, end=9)
    assert (new, new.length) == (Line(1, 9), 8)
    assert (old, old.length) == (Line(1), 2)
    assert replace(old) == old and hash(replace(old)) == hash(old)


@pytest.mark.parametrize(
    "value", [Checked(1), Slotted(1), (1, 2), 1], ids=["checked", "slotted", "tuple", "number"]
)
def test_unknown_field_is_refused(value):
    with pytest.raises(TypeError, match="more than its fields"):
        replace(value, start=0)


def test_replacing_with_equal_value_changes_nothing():
    with pytest.raises(TypeError, match="ends"):
        replace(Line(1), ends=2)


@pytest.mark.match
@pytest.mark.parametrize("name", ["draw layered", "block verified", "holdem commutative"])
def test_whole_match_has_same_states_with_fast_replace(name):
    for moment in play(SCENARIOS[name]):
        for value in (moment.after, moment.after.deal, moment.after.game):
            if dataclasses.is_dataclass(value):
                made = replace(value)
                assert made == dataclasses.replace(value)
                assert vars(made).keys() == {field.name for field in dataclasses.fields(value)}
