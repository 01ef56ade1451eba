"""Models of Ligretto, and the result of a simulated round: plain values. `simulation.models.run`
plays the rounds.

A card is a number 0–39, 10 · colour + number − 1. The number does not say whose card it is; that
follows from the seat that holds it.
"""

from dataclasses import dataclass

# cards of a deck; cards of a colour
CARDS = 40
NUMBERS = 10
STOCK = 10
FLIP = 3

# In the order in which `protocol.games.ligretto` deals: stock, row, and the hand as it is turned.
Deck = tuple[int, ...]


@dataclass(frozen=True)
class TableModel:
    """Seats round one table, where the order of arrival decides (M1 in docs/ligretto.md).

    The unit of time is the mean think time of a seat with factor 1. A tuple with too few values is
    filled up: factor 1, latency 0.
    """

    seats: int = 4
    row: int = 4
    decks: tuple[Deck, ...] | None = None  # the same in every round; None: shuffled for each round
    think: tuple[float, ...] = ()  # by seat: mean think time
    cv: float = 0.5  # standard deviation of a think time, divided by its mean
    latency: tuple[float, ...] = ()  # by seat: one way
    # The table delays messages from and to nearer seats, as if they had this latency.
    level: float = 0.0
    # Lays that arrive within a window of this length are taken at its end in random order; 0: at
    # once.
    windows: float = 0.0
    late_news: bool = False  # lays of other seats are seen as late as answers; else at once
    # most rescues of a gridlocked round without a lay between, before it is given up
    rescues: int = 10
    # By seat: the seat plans a few acts ahead, with the cards that it has seen.
    careful: tuple[bool, ...] = ()
    # By seat: its program plans, and knows its whole deck before the cards are turned.
    ahead: tuple[bool, ...] = ()


@dataclass(frozen=True)
class MachinesModel:
    """The machines of the paper: a process for each player, which asks its neighbours (M2 in
    docs/ligretto.md).

    Times are in microseconds.
    """

    players: int = 4
    row: int = 4
    decks: tuple[Deck, ...] | None = None
    # A player looks at a neighbour's piles before it offers a card; else it offers each card
    # blindly.
    look: bool = False
    call: float = 60.0  # to a neighbour and back
    # half-width of the uniform distribution of a call's time, as a part of `call`
    spread: float = 0.1
    own: float = 1.0  # to try a card on the own piles
    flip: float = 1.0
    # Time between two signals of the coordinator, which go out in the players' order.
    delta: float = 60.0
    # all start at one instant, and lays after the instant of the stop are undone
    instants: bool = False
    # Play on until the end signal has reached all; else lays after the stop are unknown.
    to_end: bool = True


Model = TableModel | MachinesModel


@dataclass(frozen=True, slots=True)
class RoundResult:
    """Result of one round. Tuples are by seat; the unit of time is the model's."""

    stop: int | None  # seat that turned its last stock card first; None: gridlock
    duration: float  # until the stop, or until the round was given up
    points: tuple[int, ...]
    laid: tuple[int, ...]  # cards on shared piles, without undone lays
    attempts: tuple[int, ...]  # lays tried; of machines: calls to neighbours
    late: tuple[int, ...]  # lays that fitted when they were chosen, and not when they arrived
    flips: tuple[int, ...]
    rescues: int
    after_stop: int  # at a table: lays under way at the stop; of machines: lays made after it
