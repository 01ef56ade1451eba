"""Rule sheet: the rules of a game as people read them, as plain data for every screen.

The pictures are pieces and boards, which terminal and page draw as in a match.
"""

from dataclasses import dataclass

from protocol.view.board import Board, PieceView
from protocol.view.phrase import Phrase


@dataclass(frozen=True)
class Heading:
    """Title of the blocks that follow, up to the next heading."""

    text: Phrase


@dataclass(frozen=True)
class Paragraph:
    """Sentences about one thing."""

    text: Phrase


@dataclass(frozen=True)
class BulletList:
    """A list of sentences."""

    items: tuple[Phrase, ...]


@dataclass(frozen=True)
class PieceRow:
    """Pieces beside each other, such as a hand. A name that renders as "" is not shown."""

    name: Phrase
    pieces: tuple[PieceView, ...]


@dataclass(frozen=True)
class Figure:
    """A picture: a board, rows of pieces, or both. The caption tells the same in words."""

    caption: Phrase
    rows: tuple[PieceRow, ...] = ()
    board: Board | None = None


Block = Heading | Paragraph | BulletList | Figure


@dataclass(frozen=True)
class RuleSheet:
    """The rules of one game with the options in force, from top to bottom."""

    blocks: tuple[Block, ...]
