"""What both compiled models have in common: chance as the reference draws it, and what seats hold.

Whoever calls these from another file says which state of this one it was compiled with (`SHARED`):
numba keeps what it has compiled until the caller's own file changes. Cards, counters and words of
the generator are 64 bits.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from protocol.numba_compile import compile_function
from simulation.models import MachinesModel, RoundResult, TableModel

CARDS, NUMBERS, COLOURS, STOCK_SIZE, TURNED = 40, 10, 4, 10, 3
WORDS, MIDDLE = 624, 397  # of MT19937
OWN = -1  # as in `machines_round`
# A seat is a row of numbers: counters, then its stock (the next one is the last that is left), its
# row and its hand.
LEFT, SIZE, MARK, TAKEN, SLOT, TARGET, LAID, ATTEMPTS, LATE, FLIPS, DRY_AT, ROW, STOCK = range(13)
ROWS = STOCK + STOCK_SIZE
POINTS, LAID_OUT, ATTEMPTS_OUT, LATE_OUT, FLIPS_OUT, OUT = range(6)  # of a seat, in a result
STOPPED, RESCUES, AFTER, ROUND = range(4)  # of a round, in a result


# of some rounds: how long they took, numbers of each, numbers of each seat in it
Results = tuple[Any, Any, Any]


def seats_of(seats: int, row: int, more: int = 0) -> Any:
    """Room for what they hold, and for more numbers behind it."""
    found = np.zeros((seats, STOCK + CARDS + more), np.int64)
    found[:, ROW] = row
    return found


def results_of(rounds: int, seats: int) -> Results:
    """Room for what comes of some rounds."""
    return (
        np.zeros(rounds),
        np.zeros((rounds, ROUND), np.int64),
        np.zeros((rounds, OUT, seats), np.int64),
    )


def rounds_of(results: Results) -> Iterator[RoundResult]:
    """What came of them."""
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


def decks_of(model: TableModel | MachinesModel, seats: int) -> Any:
    """As they are given, or as each is before it is shuffled; and whether they are."""
    return np.array(model.decks or [range(CARDS)] * seats, np.int64), model.decks is None


def words_of(seed: int) -> Any:
    """The state of the generator that `random.Random` has for a seed."""
    return np.array(Random(seed).getstate()[1], np.int64)


@compile_function
def word(words: Any) -> int:
    """The next 32 bits of MT19937."""
    if words[WORDS] >= WORDS:
        for index in range(WORDS):
            after, far = index + 1, index + MIDDLE
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
    """As `random.Random.random` has it."""
    high = word(words) >> 5
    return (high * 67108864.0 + (word(words) >> 6)) * (1.0 / 9007199254740992.0)


@compile_function
def deal(words: Any, decks: Any, shuffles: bool, seats: Any) -> None:
    """Everybody has its cards, and counters of 0."""
    for seat in range(len(decks)):
        deck, row = decks[seat], seats[seat, ROW]
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
    """In the row, or, in the slot behind it, on top of the discards."""
    row = seats[seat, ROW]
    return int(seats[seat, ROWS + slot if slot < row else ROWS + row + seats[seat, MARK] - 1])


@compile_function
def flip(seats: Any, seat: int) -> bool:
    """Three cards; whether the discards were taken up for it."""
    size, mark = seats[seat, SIZE], seats[seat, MARK]
    seats[seat, FLIPS] += size > 0
    again = mark == size
    seats[seat, MARK] = min((0 if again else mark) + TURNED, size)
    return bool(again)


@compile_function
def give(seats: Any, seat: int, slot: int) -> bool:
    """Away with a card; whether that turned the last of the stock."""
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
def told(seats: Any, found: Any) -> None:
    """The counters of a round, into its result."""
    for seat in range(len(seats)):
        found[POINTS, seat] = seats[seat, LAID] - 2 * seats[seat, LEFT]
        found[LAID_OUT, seat], found[ATTEMPTS_OUT, seat] = seats[seat, LAID], seats[seat, ATTEMPTS]
        found[LATE_OUT, seat], found[FLIPS_OUT, seat] = seats[seat, LATE], seats[seat, FLIPS]
