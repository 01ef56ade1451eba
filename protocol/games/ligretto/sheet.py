"""Rule sheet of Ligretto. A `protocol.games.rule_sheet.RuleSheetWriter`."""

from typing import Final

from protocol.games.ligretto.blitz import create_game
from protocol.games.ligretto.cards import BLOCK, COLOURS, DECK, HIGHEST, STOCK
from protocol.games.ligretto.rules import REDEAL_SUM, Ligretto
from protocol.games.ligretto.scoring import PENALTY
from protocol.games.ligretto.view import CARDS, piece
from protocol.games.rule_sheet import SheetRequest, bullets, section
from protocol.limits import LIGRETTO_TAKE_UPS, LIGRETTO_TIE_ROUNDS
from protocol.view.board import PieceView
from protocol.view.phrase import Phrase, phrase
from protocol.view.rule_sheet import Block, Figure, Paragraph, PieceRow, RuleSheet

# The example: the tops of two piles, a row (its later cards are for larger rows), and the top of
# the discards. Each is a colour and a number.
BELOW: Final = ("red", 3)
PILES: Final = (BELOW, ("blue", 6))
FITS, OPENS, WAITS, LATER = ("red", 4), ("green", 1), ("blue", 8), ("blue", 7)
ROW: Final = (FITS, OPENS, ("yellow", 5), ("green", 9), ("yellow", 2))
TOP: Final = WAITS
LAID, LEFT = 14, 3  # cards laid and left in the stock, in the example of a score


def rule_sheet(request: SheetRequest) -> RuleSheet:
    """Write the rules for the options in force."""
    game = create_game(request.game, request.seats, request.values)
    return RuleSheet(
        (
            *section(phrase("sheet.goal"), Paragraph(_goal(game))),
            *section(phrase("sheet.setup"), bullets(*_setup(game))),
            *section(phrase("sheet.ligretto.play"), bullets(*_play())),
            *_blitz(game),
            *section(phrase("sheet.ligretto.special"), Paragraph(_rescue(game))),
            *section(phrase("sheet.ligretto.scoring"), bullets(*_scoring(game))),
            *section(phrase("sheet.example"), _example(game), Paragraph(_example_points())),
        )
    )


def _goal(game: Ligretto) -> Phrase:
    return phrase("sheet.ligretto.goal", count=game.target)


def _setup(game: Ligretto) -> tuple[Phrase | None, ...]:
    return (
        phrase("sheet.ligretto.deck", deck=DECK, colours=len(COLOURS), highest=HIGHEST),
        phrase("sheet.ligretto.stock", stock=STOCK),
        phrase("sheet.ligretto.row", row=game.row),
        phrase("sheet.ligretto.redeal", sum=REDEAL_SUM) if game.redeal else None,
    )


def _play() -> tuple[Phrase, ...]:
    return (
        phrase("sheet.ligretto.open", highest=HIGHEST),
        phrase("sheet.ligretto.from"),
        phrase("sheet.ligretto.flip", block=BLOCK),
        phrase("sheet.ligretto.dry", count=LIGRETTO_TAKE_UPS),
    )


def _blitz(game: Ligretto) -> tuple[Block, ...]:
    """Section that only Dutch Blitz needs."""
    if not game.blitz:
        return ()
    rules = bullets(
        phrase("sheet.ligretto.blitz.stock"),
        phrase("sheet.ligretto.blitz.post"),
        phrase("sheet.ligretto.blitz.move", count=LIGRETTO_TAKE_UPS),
        phrase("sheet.ligretto.blitz.fill"),
    )
    return section(phrase("sheet.ligretto.blitz"), rules)


def _rescue(game: Ligretto) -> Phrase:
    if not game.rescues:
        return phrase("sheet.ligretto.rescue.none")
    return phrase("sheet.ligretto.rescue", count=game.rescues)


def _scoring(game: Ligretto) -> tuple[Phrase, ...]:
    return (
        phrase("sheet.ligretto.over"),
        phrase("sheet.ligretto.points", penalty=PENALTY),
        phrase(
            "sheet.ligretto.end",
            target=game.target,
            count=game.rounds,
            extra=LIGRETTO_TIE_ROUNDS,
        ),
    )


def _example(game: Ligretto) -> Figure:
    return Figure(
        phrase(
            "sheet.ligretto.example",
            one=_name(FITS),
            below=_name(BELOW),
            first=_name(OPENS),
            third=_name(WAITS),
            second=_name(LATER),
        ),
        (
            PieceRow(phrase("sheet.ligretto.middle"), _cards(game, *PILES)),
            PieceRow(phrase("sheet.ligretto.own"), _cards(game, *ROW[: game.row])),
            PieceRow(phrase("sheet.ligretto.top"), _cards(game, TOP)),
        ),
    )


def _example_points() -> Phrase:
    return phrase(
        "sheet.ligretto.example.points",
        laid=LAID,
        left=LEFT,
        penalty=PENALTY,
        points=LAID - LEFT * PENALTY,
    )


def _cards(game: Ligretto, *cards: tuple[str, int]) -> tuple[PieceView, ...]:
    """Show cards of the first seat's deck."""
    places = (COLOURS.index(name) * HIGHEST + value - 1 for name, value in cards)
    return tuple(piece(game, place) for place in places)


def _name(card: tuple[str, int]) -> Phrase:
    name, value = card
    return phrase(CARDS[COLOURS.index(name)], number=value)
