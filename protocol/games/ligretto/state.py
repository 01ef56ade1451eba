"""Public state of a game of Ligretto."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from protocol.games import Hand, Piece
from protocol.games.ligretto.cards import HIGHEST, colour, fits_post, number


class LigrettoPhase(StrEnum):
    """Phase of a match."""

    DEAL = "deal"  # decks are to be dealt; the cards of the last round are still visible
    # The numbers of a row were too high (option `redeal`): all decks are collected and dealt anew.
    AGAIN = "again"
    PLAY = "play"
    RESCUE = "rescue"  # no seat can go on: one card of every hand is to be moved
    SCORE = "score"  # the round is over
    OVER = "over"


class SeatCards(NamedTuple):
    """Cards in front of one seat. In `hand`, a card that nobody has seen is −1 − its place in the
    deck.
    """

    row: Hand = ()  # open cards, left to right
    stock: int = 0  # number of cards face down
    # In the order in which the cards are turned. The first `mark` cards are the discards.
    hand: tuple[int, ...] = ()
    mark: int = 0
    laid: int = 0  # number of own cards on shared piles
    # In Dutch Blitz: for each card of the row, the cards below it, from below. The row then has the
    # top cards of the post piles.
    below: tuple[Hand, ...] = ()
    front: Piece | None = None  # in Dutch Blitz: top card of the stock, which lies face up

    @property
    def top(self) -> Piece | None:
        """Top card of the discards, if any."""
        return self.hand[self.mark - 1] if self.mark else None


class SharedPile(NamedTuple):
    """Pile of one colour, from 1 upwards, on which every seat may lay."""

    cards: Hand
    at: tuple[int, ...]  # for each card: number of the action of the deal that laid it, from 0


class LigrettoResult(NamedTuple):
    """Result of a round."""

    stopped: int | None  # seat whose stock ran out; None after a deadlock, or if the deal was lost
    points: tuple[int | None, ...]  # points of each seat; None for a seat that had left
    laid: tuple[int, ...]
    stock: tuple[int, ...]


@dataclass(frozen=True)
class LigrettoState:
    """Public state of a match."""

    phase: LigrettoPhase
    round: int  # from 1; 0 before the first deal
    totals: tuple[int, ...]  # points from the scored rounds
    seats: tuple[SeatCards, ...]
    piles: tuple[SharedPile, ...] = ()  # in the order of opening
    # By seat: number of times that it has taken up its discards since the last lay or rescue.
    dry: tuple[int, ...] = ()
    # By seat: number of times that it has moved a card from a longer post pile to another since the
    # last lay or rescue. Empty except in Dutch Blitz.
    shifts: tuple[int, ...] = ()
    rescues: int = 0  # number of rescues since the last lay
    actions: int = 0  # number of actions in this deal
    turned: Hand = ()  # pieces turned up by the current action
    stopped: int | None = None  # the seat that has ended the round
    ended: int | None = None  # number of the action that has ended the round, from 0
    result: LigrettoResult | None = None  # result of the last scored round
    redeals: int = 0  # consecutive times that the decks were dealt anew
    out: frozenset[int] = frozenset()  # seats that have left

    @property
    def present(self) -> tuple[int, ...]:
        """Seats that have not left, in ascending order."""
        return tuple(seat for seat in range(len(self.seats)) if seat not in self.out)


def visible(seat: SeatCards) -> Hand:
    """Cards that this seat could lay if they fit: its row, then the top of its discards, then, in
    Dutch Blitz, the top of its stock.
    """
    cards = (*seat.row, seat.hand[seat.mark - 1]) if seat.mark else seat.row
    return cards if seat.front is None else (*cards, seat.front)


def next_cards(state: LigrettoState) -> frozenset[tuple[int, int]]:
    """Colour and number of every card that fits on a shared pile. Ones are left out, because they
    always fit.
    """
    return frozenset(
        (colour(pile.cards[0]), len(pile.cards) + 1)
        for pile in state.piles
        if len(pile.cards) < HIGHEST
    )


def can_lay(state: LigrettoState, seat: int, fits: frozenset[tuple[int, int]]) -> bool:
    """Check whether one of this seat's visible cards fits. `fits` is the result of `next_cards`."""
    return any(
        number(card) == 1 or (colour(card), number(card)) in fits
        for card in visible(state.seats[seat])
    )


def can_post(seat: SeatCards) -> bool:
    """Check whether this seat can put a card on one of its post piles, other than a card from a
    longer post pile: each such move leaves fewer cards in its stock or in its hand.
    """
    if not seat.below:
        return False
    alone = [card for card, below in zip(seat.row, seat.below, strict=True) if not below]
    others = [card for card in (seat.top, seat.front) if card is not None]
    return any(fits_post(card, below) for card in (*alone, *others) for below in seat.row)
