"""Data that a game shows: pieces, the board, summaries of the seats, and offers to one seat."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from protocol.view.phrase import Faces, Phrase


@dataclass(frozen=True)
class PieceView:
    """A piece. `faces` is None for a piece face down. `offers` are the ids of the offers that
    play the piece.
    """

    index: int
    faces: Faces | None
    offers: tuple[int, ...] = ()


@dataclass(frozen=True)
class OwnedView:
    """Origin of an owned card."""

    creator: str  # short fingerprint of the creator's key
    fingerprint: str  # the whole one, by which a program knows the creator
    image: str | None  # digest of the picture of the card, in hexadecimal


@dataclass(frozen=True)
class CardView(PieceView):
    """A card of a game by a rule file. `faces` are its name and the values that are shown at
    once.
    """

    values: tuple[tuple[str, int | str], ...] = ()  # all known values of the card, by name
    marks: tuple[tuple[str, int], ...] = ()  # markers on the card, with their numbers
    down: bool = False  # face down for the other seats
    owned: OwnedView | None = None  # None for a card that the rules provide


@dataclass(frozen=True)
class DominoLine:
    """Board of dominoes: tiles in a row, and the arms of a spinner."""

    hand: int  # number of the hand, from 1; 0 before the first
    target: int  # points that win the match
    tiles: tuple[tuple[int, int], ...]  # left to right, each in its direction
    leader: int  # index in `tiles` of the first tile played
    newest: int | None  # index of the last tile played: in `tiles`, then the arms up and down
    ends: tuple[int, ...] | None  # open numbers: left, right, and with `arms` also up, down
    stock: int | None  # tiles in the stock; None for a game without drawing
    # sum of the ends in all-fives, where a multiple of five scores; None in other games
    count: int | None = None
    # seats of each team, which share one score; empty without teams
    teams: tuple[tuple[int, ...], ...] = ()
    spinner: int | None = None  # index in `tiles` of the double that may get arms
    # Arms up and down from the spinner outwards, each tile (inner, outer); None while they are
    # closed, because a long side of the spinner has no tile.
    arms: tuple[tuple[tuple[int, int], ...], ...] | None = None
    reserve: int = 0  # tiles of the stock that nobody may draw


@dataclass(frozen=True)
class Pot:
    """Chips that these seats can win."""

    chips: int
    seats: tuple[int, ...]


class PokerStreet(StrEnum):
    """Phase of a hand of poker."""

    PREFLOP = "preflop"
    FLOP = "flop"
    TURN = "turn"
    RIVER = "river"
    DEAL = "deal"  # draw poker, before the exchange
    EXCHANGE = "exchange"
    DRAW = "draw"  # draw poker, after the exchange
    NONE = "none"  # between hands


@dataclass(frozen=True)
class WinningHand:
    """A hand that won the main pot at the showdown."""

    seat: int
    name: Phrase
    cards: tuple[int, ...]  # the five that make it, of its own cards and of the board


@dataclass(frozen=True)
class PokerTable:
    """Board of poker: cards and chips in the middle."""

    hand: int  # number of the hand, from 1; 0 before the first
    hands: int  # number of hands in the match
    street: PokerStreet
    cards: tuple[PieceView, ...]  # community cards; those of the last hand until the next is dealt
    pot: int  # chips bet in this hand, with the bets on this street
    pots: tuple[Pot, ...]  # main pot and side pots, without the bets on this street
    ante: int
    blinds: tuple[int, ...]  # small and big blind; empty in draw poker
    least_bet: int  # smallest bet on this street
    rises: int = 0  # number of the hand in which blinds and ante rise next; 0: never
    fixed: bool = False  # limit poker: every bet and raise equals the smallest bet
    pot_limit: bool = False  # a raise is at most by what is in the pot
    winning: tuple[WinningHand, ...] = ()  # of the last hand, until the next is dealt


class RegionKind(StrEnum):
    """Content and layout of a region."""

    PILE = "pile"  # pieces on top of each other, the last on top
    ROW = "row"  # pieces beside each other
    HAND = "hand"  # pieces in the hand of a seat
    COUNTER = "counter"  # a number, or its meaning as text
    TEXT = "text"  # a sentence


@dataclass(frozen=True)
class Region:
    """A part of the board, as everybody sees it."""

    name: Phrase
    kind: RegionKind
    pieces: tuple[PieceView, ...] = ()
    # number of a counter; in other regions, number of hidden pieces besides `pieces`
    count: int = 0
    seat: int | None = None  # owner of the region; None: common to all
    text: Phrase | None = None
    # distance from the middle, for a seat's regions in rows in front of it
    row: int | None = None


@dataclass(frozen=True)
class RegionBoard:
    """Board of other games: regions in the order in which they are shown."""

    hand: int  # number of the hand, from 1; 0 before the first, and in games without hands
    regions: tuple[Region, ...] = ()


class GridPieces(StrEnum):
    """Kind of men on a grid."""

    STONES = "stones"
    PAWNS = "pawns"


@dataclass(frozen=True)
class GridBoard:
    """A board of cells. `Offer.piece` is the cell that a man leaves. `Offer.place` is the cell that
    a man goes to, or the column where stones fall; none if the man leaves the board.
    """

    width: int
    height: int
    men: GridPieces
    # seat of the man in each cell: row by row from below, each from the left
    cells: tuple[int | None, ...]
    line: tuple[int, ...] = ()  # cells of the winning line
    hand: int = 1  # the only hand


@dataclass(frozen=True)
class HeapRows:
    """Rows of things to take. `Offer.place` is the row, and `Offer.amount` the number to take from
    it.
    """

    rows: tuple[int, ...]  # number left in each row
    full: tuple[int, ...]  # number in each row at the start
    most: int  # maximum to take at once
    misere: bool  # the seat that takes the last one loses
    hand: int = 1  # the only hand


Board = DominoLine | PokerTable | GridBoard | HeapRows | RegionBoard


class SeatStatus(StrEnum):
    """Status of a seat in the game, if it is a special one."""

    LEFT = "left"
    OUT = "out"  # the seat has nothing left to play with
    FOLDED = "folded"
    AWAY = "sits out"
    ALL_IN = "all in"


@dataclass(frozen=True)
class SeatSummary:
    """Values of one seat that the game shows."""

    score: int  # points, or chips
    held: int  # number of pieces in its hand
    to_act: bool = False
    status: SeatStatus | None = None
    bet: int = 0  # chips bet on this street
    dealer: bool = False
    shown: tuple[PieceView, ...] = ()  # pieces of its hand that it has shown, until the next deal
    bought: int = 0  # stacks of chips bought since the match began


@dataclass(frozen=True)
class Preset:
    """A frequent amount, as a shortcut."""

    amount: int
    label: Phrase


@dataclass(frozen=True)
class Amount:
    """Range of the number in an offer."""

    least: int
    most: int
    step: int = 1
    presets: tuple[Preset, ...] = ()  # ascending


@dataclass(frozen=True)
class PieceSelection:
    """Selection of pieces in the own hand for an offer, by their places in the hand, from 0."""

    most: int  # maximum number of pieces
    hand: int  # number of places in the hand


@dataclass(frozen=True)
class Offer:
    """An action that a seat may choose. `action` is complete, or is followed by the amount or the
    places.
    """

    id: int
    kind: str  # "play", "draw", "pass", "fold", "raise" …
    action: tuple[Any, ...]
    label: Phrase
    piece: int | None = None  # the piece that is played; on a grid, the cell that a man leaves
    # destination, if there is a choice; in heaps, the row to take from
    place: int | None = None
    cost: int = 0  # chips
    amount: Amount | None = None
    places: PieceSelection | None = None
    points: int = 0  # points that it scores at once
    # each character is a key that takes the offer, in games played by keys; of several offers with
    # the same key the first is taken
    key: str = ""

    def build_action(self, *numbers: int) -> tuple[Any, ...] | None:
        """Return the action with an amount or places; None for values that are not on offer."""
        if self.places is not None:
            ascending = list(numbers) == sorted(set(numbers).intersection(range(self.places.hand)))
            fits = ascending and len(numbers) <= self.places.most
        elif self.amount is not None:
            least = self.amount.least
            step = self.amount.step
            fits = len(numbers) == 1 and numbers[0] in range(least, self.amount.most + 1, step)
        else:
            fits = not numbers
        return (*self.action, *numbers) if fits else None

    def actions(self) -> Iterator[tuple[Any, ...]]:
        """Yield all actions of this offer in the order of the rules."""
        if self.places is not None:
            hand = range(self.places.hand)
            most = self.places.most
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
