"""Rule sheet of dominoes. A `protocol.games.rule_sheet.RuleSheetWriter`."""

from typing import Final

from protocol.games.dominoes.rules import Dominoes
from protocol.games.dominoes.scoring import FIVE
from protocol.games.dominoes.state import DominoesState
from protocol.games.dominoes.tiles import Tile, index, name
from protocol.games.dominoes.view import board
from protocol.games.rule_sheet import SheetRequest, bullets, section
from protocol.view.board import PieceView
from protocol.view.phrase import Phrase, phrase
from protocol.view.rule_sheet import Block, Figure, Paragraph, PieceRow, RuleSheet

# The example: tiles with the ends at which they are laid, and a hand of which one tile fits at each
# end and one nowhere.
PLAYS: Final[tuple[tuple[Tile, int], ...]] = (((6, 6), 0), ((6, 4), 0), ((6, 1), 1))
LEFT, RIGHT, NEITHER = (4, 0), (3, 1), (5, 2)


def rule_sheet(request: SheetRequest) -> RuleSheet:
    """Write the rules for the options in force."""
    # edition 2 had no spinner
    values = {"spinner": "no", **request.values}
    game = Dominoes.create(request.game, request.seats, values)
    return RuleSheet(
        (
            *section(phrase("sheet.goal"), *_goal(game)),
            *section(phrase("sheet.setup"), bullets(*_setup(game))),
            *section(phrase("sheet.turn"), bullets(*_turn(game))),
            *_special(game),
            *section(phrase("sheet.hand_end"), bullets(*_hand_end(game))),
            *section(phrase("sheet.end"), Paragraph(_match_end(game))),
            *section(phrase("sheet.example"), _example(game)),
        )
    )


def _goal(game: Dominoes) -> tuple[Paragraph, ...]:
    target = game.scoring.target
    goal = (
        phrase("sheet.dominoes.goal.fives", five=FIVE)
        if game.scoring.fives
        else phrase("sheet.dominoes.goal")
    )
    wins = (
        phrase("sheet.dominoes.wins.partners", count=target)
        if game.scoring.partners
        else phrase("sheet.dominoes.wins", count=target)
    )
    return Paragraph(goal), Paragraph(wins)


def _setup(game: Dominoes) -> tuple[Phrase | None, ...]:
    left = len(game.tiles) - game.hand * game.seats
    rest = phrase("sheet.dominoes.stock" if game.draws else "sheet.dominoes.rest", count=left)
    return (
        phrase("sheet.dominoes.set", tiles=len(game.tiles), highest=game.tiles[-1][0]),
        phrase("sheet.dominoes.hand", count=game.hand),
        rest if left else phrase("sheet.dominoes.rest.none"),
        phrase("sheet.dominoes.partners") if game.scoring.partners else None,
        phrase("sheet.dominoes.lead"),
        phrase("sheet.dominoes.lead.next"),
    )


def _turn(game: Dominoes) -> tuple[Phrase | None, ...]:
    return (
        phrase("sheet.dominoes.play"),
        phrase("sheet.dominoes.draw" if game.draws else "sheet.dominoes.pass"),
        phrase("sheet.dominoes.reserve", count=game.reserve) if game.reserve else None,
        phrase("sheet.dominoes.must"),
        phrase("sheet.dominoes.time"),
    )


def _special(game: Dominoes) -> tuple[Block, ...]:
    """Sections that only some options need."""
    blocks: list[Block] = []
    if game.empty.spins:
        spinner = Paragraph(phrase("sheet.dominoes.spinner.ends"))
        blocks.extend(section(phrase("sheet.dominoes.spinner"), spinner))
    if game.scoring.fives:
        count = Paragraph(phrase("sheet.dominoes.fives.count", five=FIVE))
        sides = Paragraph(phrase("sheet.dominoes.spinner.sides")) if game.empty.spins else None
        blocks.extend(section(phrase("sheet.dominoes.fives"), count, sides))
    return tuple(blocks)


def _hand_end(game: Dominoes) -> tuple[Phrase | None, ...]:
    partners = game.scoring.partners
    return (
        phrase("sheet.dominoes.out.partners" if partners else "sheet.dominoes.out"),
        phrase("sheet.dominoes.blocked.partners" if partners else "sheet.dominoes.blocked"),
        phrase("sheet.dominoes.round", five=FIVE) if game.scoring.fives else None,
    )


def _match_end(game: Dominoes) -> Phrase:
    target, length = game.scoring.target, game.scoring.length
    return phrase("sheet.dominoes.end", target=target, count=length)


def example_state(game: Dominoes) -> DominoesState:
    """Play the example: the seats lay its tiles in turn."""
    state = game.after_deal(game.start())
    for number, (tile, end) in enumerate(PLAYS):
        state = game.apply(state, number % game.seats, ("play", index(*tile), end))
    return state


def _example(game: Dominoes) -> Figure:
    line = board(game, example_state(game))
    assert line.ends is not None
    left, right = line.ends[:2]
    one, second, none = (name(tile) for tile in (LEFT, RIGHT, NEITHER))
    caption = phrase(
        "sheet.dominoes.example", left=left, right=right, one=one, second=second, none=none
    )
    if line.count is not None:
        caption = phrase(
            "sheet.dominoes.example.fives",
            left=left,
            right=right,
            sum=line.count,
            one=one,
            second=second,
            none=none,
        )
    hand = tuple(map(_tile, (LEFT, RIGHT, NEITHER)))
    return Figure(caption, (PieceRow(phrase("sheet.dominoes.tiles"), hand),), line)


def _tile(tile: Tile) -> PieceView:
    return PieceView(index(*tile), tile)
