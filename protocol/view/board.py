"""What a game shows: pieces, the board, how the seats stand, and what one of them may do."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from protocol.view.phrase import Faces, Phrase


@dataclass(frozen=True)
class PieceView:
    """One piece. `faces` None: it lies face down. `offers`: the ids of those that play it."""

    index: int
    faces: Faces | None
    offers: tuple[int, ...] = ()


@dataclass(frozen=True)
class CardView(PieceView):
    """A card of rules that say what is on it. `faces`: its name, and what is to be read at once."""

    values: tuple[tuple[str, int | str], ...] = ()  # all that is known of it, by name
    marks: tuple[tuple[str, int], ...] = ()  # that lie on it
    down: bool = False  # others do not see what is on it


@dataclass(frozen=True)
class DominoLine:
    """Dominoes: tiles in a row."""

    hand: int  # number of the hand, from 1; 0 before the first
    target: int  # points to play to
    tiles: tuple[tuple[int, int], ...]  # left to right, each as it lies
    leader: int  # the place in `tiles` of the tile that led
    newest: int | None  # that of the last tile played
    ends: tuple[int, int] | None  # the open numbers
    stock: int | None  # tiles that can be drawn; None where nobody draws
    # what the ends add up to, in all-fives, where a multiple of five scores; else None
    count: int | None = None
    # the seats that play together and have one score; none: each for itself
    teams: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Pot:
    """Chips that these seats can win."""

    chips: int
    seats: tuple[int, ...]


class PokerStreet(StrEnum):
    """How far a hand of poker is."""

    PREFLOP = "preflop"
    FLOP = "flop"
    TURN = "turn"
    RIVER = "river"
    DEAL = "deal"  # at draw: before the exchange
    EXCHANGE = "exchange"
    DRAW = "draw"  # after it
    NONE = "none"  # no hand is being played


@dataclass(frozen=True)
class PokerTable:
    """Poker: what lies in the middle, in chips."""

    hand: int  # number of the hand, from 1; 0 before the first
    hands: int  # in the match
    street: PokerStreet
    cards: tuple[PieceView, ...]  # turned up for all; the last hand's, until the next one is dealt
    pot: int  # all chips that are not before their owners, bets on this street too
    pots: tuple[Pot, ...]  # the main pot and the side pots, without those bets
    ante: int
    blinds: tuple[int, ...]  # small and big; none at draw
    least_bet: int  # on this street
    rises: int = 0  # the hand with which blinds and ante rise next; 0: none
    fixed: bool = False  # limit: every bet and raise is as large as the least bet


class RegionKind(StrEnum):
    """What a region holds, and how it lies."""

    PILE = "pile"  # pieces upon one another: the last is on top
    ROW = "row"  # pieces beside one another
    HAND = "hand"  # pieces that somebody holds
    COUNTER = "counter"  # a number, or what it stands for as its text
    TEXT = "text"  # a sentence


@dataclass(frozen=True)
class Region:
    """A part of the table, and what everybody sees of it."""

    name: Phrase
    kind: RegionKind
    pieces: tuple[PieceView, ...] = ()
    # a counter's number; else how many pieces lie there unseen besides: under those of a pile
    count: int = 0
    seat: int | None = None  # whose it is; None: everybody's
    text: Phrase | None = None
    # how far from the middle it lies, where that matters: a seat's regions in front of it
    row: int | None = None


@dataclass(frozen=True)
class RegionBoard:
    """Any other game: its regions, in the order in which they are shown."""

    hand: int  # number of the hand, from 1; 0 before the first, and where none are counted
    regions: tuple[Region, ...] = ()


class GridPieces(StrEnum):
    """What stands on a grid."""

    STONES = "stones"
    PAWNS = "pawns"


@dataclass(frozen=True)
class GridBoard:
    """A board of cells. An offer's `piece` is the cell that a man leaves; its `place` where one
    goes: a cell, or, where stones fall, a column."""

    width: int
    height: int
    men: GridPieces
    # whose man stands there: row by row from below, each from the left, by seat
    cells: tuple[int | None, ...]
    line: tuple[int, ...] = ()  # the cells that have won
    hand: int = 1  # there is one


@dataclass(frozen=True)
class HeapRows:
    """Rows of things that are taken. An offer's `place` is the row that it takes from, its amount
    how many.
    """

    rows: tuple[int, ...]  # what is left in each
    full: tuple[int, ...]  # what there was
    most: int  # that may be taken at once
    misere: bool  # who takes the last one loses
    hand: int = 1  # there is one


Board = DominoLine | PokerTable | GridBoard | HeapRows | RegionBoard


class SeatStatus(StrEnum):
    """How a seat stands in the game, where that needs saying."""

    LEFT = "left"
    OUT = "out"  # it has nothing to play with
    FOLDED = "folded"
    AWAY = "sits out"
    ALL_IN = "all in"


@dataclass(frozen=True)
class SeatSummary:
    """What the game shows of one seat."""

    score: int  # points, or chips
    held: int  # pieces in its hand
    to_act: bool = False
    status: SeatStatus | None = None
    bet: int = 0  # chips before it
    dealer: bool = False
    shown: tuple[PieceView, ...] = ()  # pieces of its hand that it has shown, until the next deal
    bought: int = 0  # stacks of chips that it has bought since the match began


@dataclass(frozen=True)
class Preset:
    """An amount that people like."""

    amount: int
    label: Phrase


@dataclass(frozen=True)
class Amount:
    """A number that goes with an offer."""

    least: int
    most: int
    step: int = 1
    presets: tuple[Preset, ...] = ()  # ascending


@dataclass(frozen=True)
class PieceSelection:
    """Some pieces of the own hand that go with an offer, by their places in it, from 0."""

    most: int  # pieces
    hand: int  # places


@dataclass(frozen=True)
class Offer:
    """One thing that a seat may do. `action` is all of it, or what the amount or the places are put
    after.
    """

    id: int
    kind: str  # "play", "draw", "pass", "fold", "raise" …
    action: tuple[Any, ...]
    label: Phrase
    piece: int | None = None  # the one that is played; on a grid, the cell that it leaves
    # where it goes, if there is a choice; of heaps, the row that is taken from
    place: int | None = None
    cost: int = 0  # chips
    amount: Amount | None = None
    places: PieceSelection | None = None
    points: int = 0  # that it scores at once
    # each of these characters is a key that takes it, where keys do (`Row.keys`); of several the
    # first
    key: str = ""

    def build_action(self, *numbers: int) -> tuple[Any, ...] | None:
        """The action, with an amount or places if it takes any; None for what is not on offer."""
        if self.places is not None:
            ascending = list(numbers) == sorted(set(numbers).intersection(range(self.places.hand)))
            fits = ascending and len(numbers) <= self.places.most
        elif self.amount is not None:
            least, step = self.amount.least, self.amount.step
            fits = len(numbers) == 1 and numbers[0] in range(least, self.amount.most + 1, step)
        else:
            fits = not numbers
        return (*self.action, *numbers) if fits else None

    def actions(self) -> Iterator[tuple[Any, ...]]:
        """All that can be chosen from it, in the order in which the rules list it."""
        if self.places is not None:
            hand, most = range(self.places.hand), self.places.most
            masks = (
                tuple(place for place in hand if mask >> place & 1)
                for mask in range(1 << len(hand))
            )
            yield from ((*self.action, *places) for places in masks if len(places) <= most)
        elif self.amount is not None:
            amounts = range(self.amount.least, self.amount.most + 1, self.amount.step)
            yield from ((*self.action, amount) for amount in amounts)
        else:
            yield self.action
