"""Terminal text that all open games share: the seats, and one line about what can be typed."""

import re
from collections.abc import Sequence

from protocol.errors import LocalError
from protocol.view.board import Offer, PieceView
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say
from protocol.view.view import View


def hand_text(hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
    """Return nothing: open games have no hands."""
    return ""


def seats_text(view: View, marks: Sequence[str] = ()) -> list[str]:
    """Draw a row for each seat and point at the seat to act. `marks` are the symbols of the seats'
    stones or pawns, if any.
    """
    turn = {True: "→", False: " "}
    shown = [f"{mark} " for mark in marks] or [""] * len(view.seats)
    return [
        f"{turn[seat.game.to_act]} {mark}{seat.name}"
        for seat, mark in zip(view.seats, shown, strict=True)
    ]


def turn_menu(say: Say, how: Phrase) -> list[str]:
    """Say that it is the reader's turn, and what can be typed."""
    return [say(phrase("seat.turn")), f"  {say(how)}"]


def parse_numbers(line: str, count: int) -> tuple[int, ...] | None:
    """Read exactly `count` numbers from a line; None if the line is anything else."""
    found = re.fullmatch(
        r"\s*(\d{1,9})\s*" + r"[\s,:-]\s*(\d{1,9})\s*" * (count - 1), line, re.ASCII
    )
    return tuple(map(int, found.groups())) if found else None


def offers_on_turn(view: View) -> Sequence[Offer]:
    """Return the offers of a view. Raises: LocalError if it is not the reader's turn, so that there
    are none.
    """
    if not view.offers:
        raise LocalError("typed.not_your_turn")
    return view.offers
