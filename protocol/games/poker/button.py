"""Places of the button and the blinds from hand to hand (docs/protocol, 18.3)."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple


class ButtonRule(StrEnum):
    """Rule by which the button moves when seats drop out."""

    MOVING = "moving"  # to the next seat that plays
    # The big blind moves to the next seat that plays. The small blind and the button follow to the
    # places of the big and the small blind before, though nobody may be left there.
    DEAD = "dead"


class Places(NamedTuple):
    """Seats of the button and the blinds in a hand. The seats of button and small blind need not
    play: then both are dead.
    """

    button: int
    small: int | None = None  # None: the game has no blinds
    big: int | None = None


def first_places(seat: int) -> Places:
    """Places before the first hand, in which `seat` is to have the button."""
    return Places(seat - 1)


def next_places(able: Sequence[int], before: Places, rule: ButtonRule, *, blinds: bool) -> Places:
    """Places of the next hand. `able` are the seats that play it, ascending, two at least."""
    button = _after(able, before.button)
    if not blinds:
        return Places(button)
    if rule is ButtonRule.DEAD and before.big is not None:
        return _dead_places(able, before)
    if len(able) > 2:
        small = _after(able, button)
        return Places(button, small, _after(able, small))
    big = _after(able, button)
    # Nobody has the big blind twice in a row when two are left.
    return _of_two(able, button if big == before.big else big)


def _dead_places(able: Sequence[int], before: Places) -> Places:
    assert before.small is not None and before.big is not None
    big = _after(able, before.big)
    if len(able) == 2:
        return _of_two(able, big)
    return Places(before.small, before.big, big)


def _of_two(able: Sequence[int], big: int) -> Places:
    """Places of a hand of two: the button posts the small blind."""
    (button,) = (seat for seat in able if seat != big)
    return Places(button, button, big)


def _after(able: Sequence[int], seat: int) -> int:
    """Return the next seat that plays, ascending and around."""
    return next((one for one in able if one > seat), able[0])


def play_order(able: Sequence[int], button: int) -> tuple[int, ...]:
    """Return the seats that play in the order of play: after the button, and the button last."""
    return (
        *(seat for seat in able if seat > button),
        *(seat for seat in able if seat <= button),
    )
