"""Common code of both compiled models: the random draws of the reference, and the cards of seats.

numba keeps compiled code until the caller's own file changes. So each calling file names the state
of this file that it was compiled with (`SHARED`). Cards, counters and words of the generator have
64 bits.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from protocol.numba_compile import compile_function
from simulation.models import MachinesModel, RoundResult, TableModel

CARDS = 40
NUMBERS = 10
COLOURS = 4
STOCK_SIZE = 10
TURNED = 3
# of MT19937
WORDS = 624
MIDDLE = 397
OWN = -1  # as in `machines_round`
# A seat is a row of numbers: counters, then stock, row and hand. The next stock card is the last of
# those left.
LEFT, SIZE, MARK, TAKEN, SLOT, TARGET, LAID, ATTEMPTS, LATE, FLIPS, DRY_AT, ROW, STOCK = range(13)
ROWS = STOCK + STOCK_SIZE
POINTS, LAID_OUT, ATTEMPTS_OUT, LATE_OUT, FLIPS_OUT, OUT = range(6)  # rows of a seat's results
STOPPED, RESCUES, AFTER, ROUND = range(4)  # columns of a round's results


# Results of some rounds: durations, numbers of each round, numbers of each seat.
Results = tuple[Any, Any, Any]


def empty_seats(seats: int, row: int, more: int = 0) -> Any:
    """Make an empty array of seats, with `more` columns behind the cards."""
    found = np.zeros((seats, STOCK + CARDS + more), np.int64)
    found[:, ROW] = row
    return found


def empty_results(rounds: int, seats: int) -> Results:
    """Make empty arrays for the results of `rounds` rounds."""
    return (
        np.zeros(rounds),
        np.zeros((rounds, ROUND), np.int64),
        np.zeros((rounds, OUT, seats), np.int64),
    )


def round_results(results: Results) -> Iterator[RoundResult]:
    """Convert results into values of the models."""
    durations, counts, seats = (each.tolist() for each in results)
    for duration, (stop, rescues, after), (points, laid, attempts, late, flips) in zip(
        durations, counts, seats, strict=True
    ):
        yield RoundResult(
            None if stop < 0 else stop,
            duration,
            tuple(points),
            tuple(laid),
            tuple(attempts),
            tuple(late),
            tuple(flips),
            rescues,
            after,
        )


def deck_array(model: TableModel | MachinesModel, seats: int) -> Any:
    """Return the decks of all seats, and True if they must be shuffled for each round."""
    return np.array(model.decks or [range(CARDS)] * seats, np.int64), model.decks is None


def generator_words(seed: int) -> Any:
    """State of the generator of `random.Random` for a seed."""
    return np.array(Random(seed).getstate()[1], np.int64)


@compile_function
def word(words: Any) -> int:
    """Draw the next 32 bits of MT19937."""
    if words[WORDS] >= WORDS:
        for index in range(WORDS):
            after = index + 1
            far = index + MIDDLE
            both = words[index] & 0x80000000 | words[after if after < WORDS else 0] & 0x7FFFFFFF
            found = words[far if far < WORDS else far - WORDS] ^ both >> 1
            words[index] = found ^ 0x9908B0DF if both & 1 else found
        words[WORDS] = 0
    word = words[words[WORDS]]
    words[WORDS] += 1
    word ^= word >> 11
    word ^= word << 7 & 0x9D2C5680
    word ^= word << 15 & 0xEFC60000
    return int(word ^ word >> 18)


@compile_function
def draw(words: Any) -> float:
    """Draw a number like `random.Random.random`."""
    high = word(words) >> 5
    return (high * 67108864.0 + (word(words) >> 6)) * (1.0 / 9007199254740992.0)


@compile_function
def deal(words: Any, decks: Any, shuffles: bool, seats: Any) -> None:
    """Deal to all seats and set their counters to 0."""
    for seat in range(len(decks)):
        deck = decks[seat]
        row = seats[seat, ROW]
        if shuffles:
            for card in range(CARDS):
                deck[card] = card
            for last in range(CARDS - 1, 0, -1):
                at = int(draw(words) * (last + 1))
                deck[last], deck[at] = deck[at], deck[last]
        seats[seat, :ROW] = 0
        for place in range(STOCK_SIZE):
            seats[seat, STOCK + place] = deck[STOCK_SIZE - 1 - place]
        for place in range(STOCK_SIZE, CARDS):
            seats[seat, STOCK + place] = deck[place]
        seats[seat, LEFT], seats[seat, SIZE] = STOCK_SIZE, CARDS - STOCK_SIZE - row


@compile_function
def card_at(seats: Any, seat: int, slot: int) -> int:
    """Card of a slot: in the row, or, in the slot after the row, on top of the discards."""
    row = seats[seat, ROW]
    return int(seats[seat, ROWS + slot if slot < row else ROWS + row + seats[seat, MARK] - 1])


@compile_function
def flip(seats: Any, seat: int) -> bool:
    """Flip three cards. Return True if the discards had to be taken up first."""
    size = seats[seat, SIZE]
    mark = seats[seat, MARK]
    seats[seat, FLIPS] += size > 0
    again = mark == size
    seats[seat, MARK] = min((0 if again else mark) + TURNED, size)
    return bool(again)


@compile_function
def give(seats: Any, seat: int, slot: int) -> bool:
    """Remove a card. Return True if that turned the last stock card."""
    row = seats[seat, ROW]
    if slot < row:
        left = seats[seat, LEFT] - 1
        seats[seat, LEFT] = left
        seats[seat, ROWS + slot] = seats[seat, STOCK + left]
        return bool(left == 0)
    seats[seat, MARK] -= 1
    seats[seat, SIZE] -= 1
    for place in range(ROWS + row + seats[seat, MARK], ROWS + row + seats[seat, SIZE]):
        seats[seat, place] = seats[seat, place + 1]
    return False


@compile_function
def copy_counters(seats: Any, found: Any) -> None:
    """Copy the counters of a round into its results."""
    for seat in range(len(seats)):
        found[POINTS, seat] = seats[seat, LAID] - 2 * seats[seat, LEFT]
        found[LAID_OUT, seat], found[ATTEMPTS_OUT, seat] = seats[seat, LAID], seats[seat, ATTEMPTS]
        found[LATE_OUT, seat], found[FLIPS_OUT, seat] = seats[seat, LATE], seats[seat, FLIPS]
