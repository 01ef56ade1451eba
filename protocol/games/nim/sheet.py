"""Rule sheet of Nim. A `protocol.games.rule_sheet.RuleSheetWriter`."""

from typing import Final

from protocol.games.nim.rules import Nim
from protocol.games.nim.view import board
from protocol.games.open_game.heaps import end_phrase, goal_phrase
from protocol.games.rule_sheet import SheetRequest, bullets, section
from protocol.view.phrase import phrase
from protocol.view.rule_sheet import Figure, Paragraph, RuleSheet

TAKEN: Final = 3  # taken in the example, from a row that has more


def rule_sheet(request: SheetRequest) -> RuleSheet:
    """Write the rules for the options in force."""
    game = Nim(request.game, request.seats, request.values)
    rows = phrase("sheet.nim.rows", count=len(game.rows), rows=", ".join(map(str, game.rows)))
    return RuleSheet(
        (
            *section(phrase("sheet.goal"), Paragraph(goal_phrase(game.misere))),
            *section(phrase("sheet.setup"), bullets(rows, phrase("sheet.begins"))),
            *section(phrase("sheet.turn"), Paragraph(phrase("sheet.nim.turn"))),
            *section(phrase("sheet.end"), bullets(end_phrase(game.misere), phrase("sheet.leaver"))),
            *section(phrase("sheet.example"), _example(game), Paragraph(phrase("sheet.hint"))),
        )
    )


def _example(game: Nim) -> Figure:
    """Show the rows after a move that leaves some things; the full rows if there is none."""
    largest = max(game.rows)
    if largest == 1:
        opening = board(game, game.opening(0))
        return Figure(phrase("sheet.nim.start"), board=opening)
    row = game.rows.index(largest)
    taken = min(TAKEN, largest - 1)
    state = game.apply(game.opening(0), 0, ("take", row, taken))
    return Figure(phrase("sheet.nim.example", count=taken, row=row + 1), board=board(game, state))
