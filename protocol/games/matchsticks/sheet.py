"""Rule sheet of the game of matches. A `protocol.games.rule_sheet.RuleSheetWriter`."""

from protocol.games.matchsticks.rules import Matchsticks, MatchsticksState
from protocol.games.matchsticks.view import board
from protocol.games.open_game.heaps import end_phrase, goal_phrase
from protocol.games.rule_sheet import SheetRequest, bullets, section
from protocol.limits import MAX_MATCHES_TAKEN
from protocol.view.phrase import phrase
from protocol.view.rule_sheet import Figure, Paragraph, RuleSheet


def rule_sheet(request: SheetRequest) -> RuleSheet:
    """Write the rules for the options in force."""
    game = Matchsticks(request.game, request.seats, request.values)
    heap = phrase("sheet.matchsticks.heap", count=game.matches)
    turn = phrase("sheet.matchsticks.turn", most=MAX_MATCHES_TAKEN)
    return RuleSheet(
        (
            *section(phrase("sheet.goal"), Paragraph(goal_phrase(game.misere))),
            *section(phrase("sheet.setup"), bullets(heap, phrase("sheet.begins"))),
            *section(phrase("sheet.turn"), Paragraph(turn)),
            *section(phrase("sheet.end"), bullets(end_phrase(game.misere), phrase("sheet.leaver"))),
            *section(phrase("sheet.example"), _example(game), Paragraph(phrase("sheet.hint"))),
        )
    )


def _example(game: Matchsticks) -> Figure:
    """Show a heap of which one match is to be taken; the whole heap if that is smaller."""
    rest = MAX_MATCHES_TAKEN + 1 + game.misere
    take = 1
    left = rest + take
    if left > game.matches:
        opening = board(game, game.opening(0))
        return Figure(phrase("sheet.matchsticks.start"), board=opening)
    caption = phrase(
        "sheet.matchsticks.example.misere" if game.misere else "sheet.matchsticks.example",
        left=left,
        take=take,
        rest=rest,
    )
    return Figure(caption, board=board(game, MatchsticksState(left, 0)))
