"""What everybody at the table knows of a game of Ligretto."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from protocol.games import Hand, Piece
from protocol.games.ligretto.cards import HIGHEST, colour, number


class LigrettoPhase(StrEnum):
    """Where a match stands."""

    DEAL = "deal"  # decks are to be dealt; the last round still lies there
    # a row was too high (option `redeal`): all decks are put together to be dealt anew
    AGAIN = "again"
    PLAY = "play"
    RESCUE = "rescue"  # nobody can go on: a card of every hand is to be moved
    SCORE = "score"  # the round is over
    OVER = "over"


class SeatCards(NamedTuple):
    """What lies before one seat. A card of the hand that nobody has seen is −1 − its place in the
    deck.
    """

    row: Hand = ()  # open cards, left to right
    stock: int = 0  # cards face down
    # in the order in which it is turned; the first `mark` are the discards
    hand: tuple[int, ...] = ()
    mark: int = 0
    laid: int = 0  # own cards on shared piles

    @property
    def top(self) -> Piece | None:
        """The top of the discards."""
        return self.hand[self.mark - 1] if self.mark else None


class SharedPile(NamedTuple):
    """A pile of one colour, from 1 upwards, that everybody lays on."""

    cards: Hand
    at: tuple[int, ...]  # for each card: in which action of the deal it was laid, from 0


class LigrettoResult(NamedTuple):
    """How a round ended."""

    stopped: int | None  # whose stock ran out; None after a gridlock, or when the deal was lost
    points: tuple[int | None, ...]  # of each seat; None for one that had left
    laid: tuple[int, ...]
    stock: tuple[int, ...]


@dataclass(frozen=True)
class LigrettoState:
    """Public knowledge only."""

    phase: LigrettoPhase
    round: int  # from 1; 0 before the first deal
    totals: tuple[int, ...]  # points of the rounds that are scored
    seats: tuple[SeatCards, ...]
    piles: tuple[SharedPile, ...] = ()  # in the order in which they were opened
    # how often each seat has taken up its discards since the last lay or rescue
    dry: tuple[int, ...] = ()
    rescues: int = 0  # since the last lay
    actions: int = 0  # of this deal
    turned: Hand = ()  # what the action under way has turned up
    stopped: int | None = None  # the seat that has ended the round
    ended: int | None = None  # the action that has, from 0
    result: LigrettoResult | None = None  # of the last round that was scored
    out: frozenset[int] = frozenset()  # seats that have left

    @property
    def present(self) -> tuple[int, ...]:
        """The seats that have not left, ascending."""
        return tuple(seat for seat in range(len(self.seats)) if seat not in self.out)


def visible(seat: SeatCards) -> Hand:
    """What this seat can lay if it fits: its row, then the top of its discards."""
    return (*seat.row, seat.hand[seat.mark - 1]) if seat.mark else seat.row


def next_cards(state: LigrettoState) -> frozenset[tuple[int, int]]:
    """What fits somewhere, but for ones, which always do: colour and number."""
    return frozenset(
        (colour(pile.cards[0]), len(pile.cards) + 1)
        for pile in state.piles
        if len(pile.cards) < HIGHEST
    )


def can_lay(state: LigrettoState, seat: int, fits: frozenset[tuple[int, int]]) -> bool:
    """Whether one of this seat's visible cards fits; `fits` as `next_cards` has it."""
    return any(
        number(card) == 1 or (colour(card), number(card)) in fits
        for card in visible(state.seats[seat])
    )
