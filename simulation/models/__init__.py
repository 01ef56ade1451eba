"""What is simulated, and what a simulated round comes to: plain values.

`simulation.models.run` plays them. Cards are 0–39 here, 10 · colour + number − 1: whose a
card is, its holder tells.
"""

from dataclasses import dataclass

CARDS, NUMBERS = 40, 10  # of a deck; of a colour
STOCK, FLIP = 10, 3

# as `protocol.games.ligretto` deals it: the stock, the row, the hand in the order of turning
Deck = tuple[int, ...]


@dataclass(frozen=True)
class TableModel:
    """Seats round one table, whose order of arrival decides (M1 in docs/ligretto.md).

    Times are in mean think times of a seat whose factor is 1. A tuple that is shorter than the
    seats is filled up: with factor 1, with latency 0.
    """

    seats: int = 4
    row: int = 4
    decks: tuple[Deck, ...] | None = None  # the same in every round; None, shuffled anew for each
    think: tuple[float, ...] = ()  # by seat: its mean think time
    cv: float = 0.5  # the standard deviation of a think time, over its mean
    latency: tuple[float, ...] = ()  # by seat: one way
    # latency up to which the table holds back what nearer seats send and are sent
    level: float = 0.0
    # lays that arrive in a window of this length are taken in drawn order at its end; 0, at once
    windows: float = 0.0
    late_news: bool = False  # what others do is seen as late as answers are; else at once
    rescues: int = 10  # of these, without a lay between, a gridlocked round is given up
    # by seat: it plans a few acts ahead, as far as it has seen its cards
    careful: tuple[bool, ...] = ()
    # by seat: so does its program, which reads its own deck before it is turned
    ahead: tuple[bool, ...] = ()


@dataclass(frozen=True)
class MachinesModel:
    """The paper's machines: a process for each player, asking its neighbours (M2 in
    docs/ligretto.md).

    Times are in microseconds.
    """

    players: int = 4
    row: int = 4
    decks: tuple[Deck, ...] | None = None
    # whether a player looks at a neighbour's piles first, or offers it each card blindly
    look: bool = False
    call: float = 60.0  # to a neighbour and back
    spread: float = 0.1  # of a call's time, either way, evenly
    own: float = 1.0  # to try a card on the own piles
    flip: float = 1.0
    # between two signals of the coordinator, which go out in the players' order
    delta: float = 60.0
    instants: bool = False  # all start at one instant, and what was laid after the stop's is undone
    # played on until the end has reached all; else nothing is known of lays after the stop
    to_end: bool = True


Model = TableModel | MachinesModel


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What came of one round. Tuples are by seat; the time unit is the model's."""

    stop: int | None  # who turned its last stock card first; None, a gridlocked round
    duration: float  # until the stop, or until the round was given up
    points: tuple[int, ...]
    laid: tuple[int, ...]  # cards on shared piles, without those that were undone
    attempts: tuple[int, ...]  # lays tried; of machines, calls to neighbours
    late: tuple[int, ...]  # lays that fitted what was seen, and no longer when they arrived
    flips: tuple[int, ...]
    rescues: int
    after_stop: int  # lays under way at the stop, of a table; made after it, of machines
