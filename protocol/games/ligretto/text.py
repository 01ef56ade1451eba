"""Ligretto on a terminal: a line for the piles, a line for each seat, and a key for each slot. A
`protocol.games.game_text.GameText`.
"""

from collections.abc import Sequence
from textwrap import wrap

from protocol.errors import LocalError
from protocol.games import Action, numbered_choices
from protocol.games.ligretto.cards import COLOURS
from protocol.games.ligretto.view import CARDS, FRONT_KEY, KEYS, ROW_KEYS, TOP_KEY
from protocol.view.board import PieceView, Region, RegionBoard
from protocol.view.phrase import phrase
from protocol.view.text import Say, display_width, isolate_name, pad_to_width
from protocol.view.view import View

__all__ = [
    "changed_board_text",
    "hand_text",
    "help_text",
    "menu_text",
    "parse_choice",
    "table_text",
]


def card_text(piece: PieceView, say: Say) -> str:
    """Name a card in words."""
    colour, number = piece.faces or ("", "")
    return say(phrase(CARDS[COLOURS.index(str(colour))], number=str(number)))


def hand_text(hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
    """Name cards in words."""
    return ", ".join(card_text(piece, say) for piece in hand)


def table_text(view: View, say: Say, width: int) -> list[str]:
    """Draw the shared piles, and the public cards of each seat. The reader's seat comes last, with
    the keys of its cards.
    """
    if not (isinstance(view.board, RegionBoard) and view.board.regions):
        return [f"{isolate_name(seat.name)}  {seat.game.score}" for seat in view.seats]
    wide = max(display_width(seat.name) for seat in view.seats)
    own = {
        seat.seat: [region for region in view.board.regions if region.seat == seat.seat]
        for seat in view.seats
    }
    seats = sorted(view.seats, key=lambda seat: seat.seat == view.you)
    rows = [
        f"{pad_to_width(isolate_name(seat.name), wide)} {seat.game.score:>4}  "
        f"{_seat_text(own[seat.seat], say, seat.seat == view.you)}"
        for seat in seats
        if own[seat.seat]
    ]
    lines = [_piles_text(view.board, say), "", *rows]
    return [
        part for line in lines for part in wrap(line, max(width, 1), subsequent_indent="  ") or [""]
    ]


def _seat_text(regions: Sequence[Region], say: Say, keys: bool) -> str:
    """Draw the cards in front of a seat in one line."""
    *rows, discards, hand, stock = regions
    if stock.pieces or len(rows) > 1:
        slots = [_post_text(row, say) for row in rows]  # the post piles of Dutch Blitz
    else:
        slots = [card_text(card, say) for row in rows for card in row.pieces]
    shown = [
        _with_key(slot, key if keys else "") for slot, key in zip(slots, ROW_KEYS, strict=False)
    ]
    tops = [_with_key(card_text(card, say), TOP_KEY[0] if keys else "") for card in discards.pieces]
    fronts = [
        _with_key(
            say(phrase("blitz.front", name=stock.name, card=card_text(card, say))),
            FRONT_KEY if keys else "",
        )
        for card in stock.pieces
    ]
    left = stock.count + len(stock.pieces)
    counts = say(phrase("ligretto.counts", hand=hand.count, stock=left))
    return " | ".join([", ".join(shown), *tops, *fronts, counts])


def _post_text(post: Region, say: Say) -> str:
    """Name the cards of a post pile, from the top."""
    top, *below = (card_text(card, say) for card in reversed(post.pieces))
    if not below:
        return top
    return say(phrase("blitz.post.cards", top=top, below=", ".join(below)))


def _with_key(text: str, key: str) -> str:
    return f"{key}: {text}" if key else text


def _piles_text(board: RegionBoard, say: Say) -> str:
    """Draw the top cards of the shared piles, with the numbers of the piles."""
    tops = board.regions[0].pieces if board.regions else ()
    if not tops:
        return say(phrase("ligretto.piles.none"))
    shown = ", ".join(f"{at + 1}: {card_text(top, say)}" for at, top in enumerate(tops))
    return say(phrase("ligretto.piles.are", piles=shown))


def changed_board_text(before: RegionBoard, after: RegionBoard, say: Say, width: int) -> list[str]:
    """Return nothing: every lay is already described when it happens."""
    return []


def menu_text(view: View, say: Say) -> list[str]:
    """List the possible actions, each with its key."""
    return [
        say(phrase("ligretto.menu")),
        *(f"  {offer.key.strip()[0]}  {say(offer.label)}" for offer in view.offers),
    ]


def help_text(view: View, say: Say) -> str:
    return say(phrase("ligretto.help"))


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """Read a choice by its key (the first offer with this key) or by its words.

    Raises: LocalError.
    """
    if len(line) == 1 and line in KEYS:
        chosen = next((offer.build_action() for offer in view.offers if line in offer.key), None)
        if chosen is None:
            raise LocalError("ligretto.typed.nothing", key=line)
        return chosen
    return numbered_choices.parse_choice(view, say, line)
