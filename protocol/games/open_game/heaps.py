"""Rows of objects to take: as data, as plain text, and as typed choices."""

from collections.abc import Sequence
from typing import Final

from protocol.errors import LocalError
from protocol.games.open_game.text import seats_text
from protocol.view.board import Amount, HeapRows, Offer
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say
from protocol.view.view import View

STROKE: Final = "|"


def take_offer(row: int, most: int, before: tuple[str | int, ...], label: Phrase, id: int) -> Offer:
    """Offer to take 1 to `most` objects from a row. `before` is the action without the count."""
    return Offer(id, "take", before, label, place=row, amount=Amount(1, most))


def result_phrases(winner: int, misere: bool) -> tuple[Phrase, ...]:
    """Describe the end of a game in which all objects were taken."""
    if misere:
        return (phrase("heaps.last.misere", who=SeatRef(1 - winner)),)
    return (phrase("heaps.last", who=SeatRef(winner)),)


def goal_phrase(misere: bool) -> Phrase:
    """Say in a rule sheet what a seat wants to achieve."""
    return phrase("sheet.heaps.goal.misere" if misere else "sheet.heaps.goal")


def end_phrase(misere: bool) -> Phrase:
    """Say in a rule sheet how the game ends."""
    return phrase("sheet.heaps.end.misere" if misere else "sheet.heaps.end")


def table_text(view: View, say: Say, width: int) -> list[str]:
    """Draw the seats and the rows, and say whether taking the last object wins or loses."""
    assert isinstance(view.board, HeapRows)
    goal = phrase("heaps.misere" if view.board.misere else "heaps.normal")
    return [*seats_text(view), "", *_rows_text(view.board, width), "", say(goal)]


def _rows_text(board: HeapRows, width: int) -> list[str]:
    """Draw each row: its number if there are several, the count of its objects, and strokes in
    groups of five.
    """
    wide = len(str(max(board.full)))
    several = len(board.rows) > 1
    rows = []
    for row, left in enumerate(board.rows):
        number = f"{row + 1:>2}  " if several else ""
        rows.append(f"  {number}{left:>{wide}}  {_strokes(left, width - 12)}".rstrip())
    return rows


def _strokes(count: int, width: int) -> str:
    """Draw `count` strokes in groups of five; nothing if they do not fit into `width`."""
    fives = [STROKE * min(5, count - at) for at in range(0, count, 5)]
    text = " ".join(fives)
    return text if len(text) <= width else ""


def picture_text(board: HeapRows, say: Say, width: int) -> list[str]:
    """Draw the rows."""
    return _rows_text(board, width)


def changed_board_text(before: HeapRows, after: HeapRows, say: Say, width: int) -> list[str]:
    """Draw the rows if they have changed."""
    return [] if after.rows == before.rows else _rows_text(after, width)


def parse_take(offers: Sequence[Offer], row: int, count: int, rows: int) -> tuple[str | int, ...]:
    """Build the action that takes `count` objects from a row, counted from 0. Raises: LocalError,
    with the possible choices, if this is illegal.
    """
    if not 0 <= row < rows:
        raise LocalError("heaps.wrong.row", most=rows)
    offer = next((offer for offer in offers if offer.place == row), None)
    if offer is None:
        raise LocalError("heaps.wrong.empty", row=row + 1)
    chosen = offer.build_action(count)
    if chosen is None:
        assert offer.amount is not None
        raise LocalError("heaps.wrong.count", row=row + 1, most=offer.amount.most)
    return chosen
