"""Rule sheet of Hexapawn. A `protocol.games.rule_sheet.RuleSheetWriter`."""

from dataclasses import replace

from protocol.games.hexapawn.rules import Hexapawn
from protocol.games.hexapawn.view import board
from protocol.games.open_game.grid import cell_name
from protocol.games.rule_sheet import SheetRequest, bullets, section
from protocol.view.phrase import phrase
from protocol.view.rule_sheet import Figure, Paragraph, RuleSheet


def rule_sheet(request: SheetRequest) -> RuleSheet:
    """Write the rules for the options in force."""
    game = Hexapawn(request.game, request.seats, request.values)
    setup = phrase("sheet.hexapawn.board", width=game.width, height=game.height)
    opening = Figure(phrase("sheet.hexapawn.opening"), board=board(game, game.opening(0)))
    return RuleSheet(
        (
            *section(phrase("sheet.goal"), Paragraph(phrase("sheet.hexapawn.goal"))),
            *section(phrase("sheet.setup"), bullets(setup, phrase("sheet.begins")), opening),
            *section(
                phrase("sheet.turn"),
                bullets(
                    phrase("sheet.hexapawn.move"),
                    phrase("sheet.hexapawn.take"),
                    phrase("sheet.hexapawn.never"),
                ),
            ),
            *section(
                phrase("sheet.end"),
                bullets(phrase("sheet.hexapawn.end"), phrase("sheet.leaver")),
            ),
            *section(phrase("sheet.example"), _example(game), Paragraph(phrase("sheet.hint"))),
        )
    )


def _example(game: Hexapawn) -> Figure:
    """Show a pawn in the corner with one that it can take."""
    pawn, ahead, other = 0, game.width, game.width + 1
    cells = {pawn: 0, other: 1}
    empty = board(game, game.opening(0))
    men = tuple(cells.get(cell) for cell in range(len(empty.cells)))
    caption = phrase(
        "sheet.hexapawn.example",
        pawn=cell_name(pawn, game.width),
        ahead=cell_name(ahead, game.width),
        other=cell_name(other, game.width),
    )
    return Figure(caption, board=replace(empty, cells=men))
