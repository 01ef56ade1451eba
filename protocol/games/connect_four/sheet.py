"""Rule sheet of Connect Four. A `protocol.games.rule_sheet.RuleSheetWriter`."""

from typing import Final

from protocol.games.connect_four.popout import PopOut, create_game
from protocol.games.connect_four.rules import ConnectFour
from protocol.games.connect_four.view import board
from protocol.games.rule_sheet import SheetRequest, bullets, section
from protocol.limits import MAX_POPOUT_MOVES
from protocol.view.phrase import phrase
from protocol.view.rule_sheet import Figure, Paragraph, RuleSheet

LINE: Final = 4  # stones of a line that wins
# The example: columns of a short game, on a board of any size, that a diagonal line wins.
GAME: Final = (0, 1, 1, 2, 2, 3, 2, 3, 3, 0, 3)


def rule_sheet(request: SheetRequest) -> RuleSheet:
    """Write the rules for the options in force."""
    game = create_game(request.game, request.seats, request.values)
    pops = isinstance(game, PopOut)
    setup = phrase("sheet.connect_four.board", width=game.width, height=game.height)
    return RuleSheet(
        (
            *section(phrase("sheet.goal"), Paragraph(phrase("sheet.connect_four.goal", line=LINE))),
            *section(phrase("sheet.setup"), bullets(setup, phrase("sheet.begins"))),
            *section(
                phrase("sheet.turn"),
                bullets(
                    phrase("sheet.connect_four.turn"),
                    phrase("sheet.connect_four.pop" if pops else "sheet.connect_four.stays"),
                ),
            ),
            *section(
                phrase("sheet.end"),
                bullets(
                    phrase("sheet.connect_four.end.pop", count=MAX_POPOUT_MOVES)
                    if pops
                    else phrase("sheet.connect_four.end"),
                    phrase("sheet.leaver"),
                ),
            ),
            *section(phrase("sheet.example"), _example(game), Paragraph(phrase("sheet.hint"))),
        )
    )


def _example(game: ConnectFour) -> Figure:
    state = game.opening(0)
    for column in GAME:
        state = game.apply(state, state.to_act, ("drop", column))
    caption = phrase("sheet.connect_four.example", column=GAME[-1] + 1)
    return Figure(caption, board=board(game, state))
