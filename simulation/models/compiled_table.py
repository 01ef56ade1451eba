"""Rounds of the table model, compiled: every draw, sum and comparison in the order of
`table_round`.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from protocol.games.ligretto.moves import DRY_FLIPS
from protocol.limits import LIGRETTO_TAKE_UPS
from protocol.numba_compile import compile_function
from simulation.models import RoundResult, TableModel
from simulation.models.compiled_cards import (
    AFTER,
    ATTEMPTS,
    CARDS,
    LAID,
    LATE,
    LEFT,
    MARK,
    NUMBERS,
    RESCUES,
    ROW,
    ROWS,
    SIZE,
    SLOT,
    STOPPED,
    TAKEN,
    TARGET,
    Results,
    card_at,
    copy_counters,
    deal,
    deck_array,
    draw,
    empty_results,
    empty_seats,
    flip,
    generator_words,
    give,
    round_results,
)
from simulation.models.random_draws import quantiles
from simulation.models.table_round import latencies, mean_think_times

# first digits of the SHA-256 of compiled_cards.py; numba sees only changes of this file
SHARED: Final = "19bacf0f"
CELLS: Final = 4096
CHUNK = 256  # rounds in one call
# as in `table_round`
FLIPPING = -1
WAITING = -2
NEW = -1
TIME, LOT, THINK, AWAY, BACK, WINDOW, CLOCK = range(7)  # columns of `clock`, one row for each seat
# `middle`: for each card, a row with the number of piles that it fits on, then these piles. The
# last row has the counters:
TRIED = CARDS
IN_VAIN = 0
RESCUED = 1
PILES = 2
COUNTED = 3


def table_rounds(table: TableModel, seed: int, rounds: int) -> Iterator[RoundResult]:
    """Play `rounds` rounds, the same as in `table_round`."""
    words, seats, (decks, shuffles) = (
        generator_words(seed),
        empty_seats(table.seats, table.row),
        deck_array(table, table.seats),
    )
    clock = np.zeros((table.seats, CLOCK))
    clock[:, THINK] = mean_think_times(table)
    clock[:, AWAY], clock[:, BACK] = latencies(table)
    clock[:, WINDOW] = table.windows
    given = np.array(quantiles(table.cv)), decks, shuffles, table.rescues
    for done in range(0, rounds, CHUNK):
        results = empty_results(min(CHUNK, rounds - done), table.seats)
        _rounds(words, given, clock, seats, results)
        yield from round_results(results)


@compile_function
def _rounds(words: Any, given: Any, clock: Any, seats: Any, results: Results) -> None:
    """Fill `results` with rounds."""
    quantiles, decks, shuffles, rescues = given
    durations, counts, found = results
    middle = np.zeros((CARDS + 1, max(1 + len(seats), COUNTED)), np.int64)
    for number in range(len(durations)):
        deal(words, decks, shuffles, seats)
        middle[:] = 0
        for first in range(0, CARDS, NUMBERS):
            middle[first, 0], middle[first, 1] = 1, NEW
        last = _play(words, quantiles, rescues, clock, seats, middle)
        stopped = seats[last, LEFT] == 0
        copy_counters(seats, found[number])
        durations[number], counts[number, STOPPED] = clock[last, TIME], last if stopped else -1
        counts[number, RESCUES] = middle[TRIED, RESCUED]
        counts[number, AFTER] = (seats[:, SLOT] >= 0).sum() - stopped


@compile_function
def _play(words: Any, quantiles: Any, rescues: int, clock: Any, seats: Any, middle: Any) -> int:
    """Play a round. Return the seat whose act has ended it."""
    clock[:, TIME] = 0.0
    for seat in range(len(seats)):
        _choose(words, quantiles, clock, seats, middle, seat)
    while True:
        seat = _next_seat(clock)
        if seats[seat, SLOT] == FLIPPING:
            if _turn(seats, middle, rescues, seat):
                return seat
        elif seats[seat, SLOT] != WAITING:
            if _lay(seats, middle, rescues, seat):
                return seat
            if clock[seat, BACK] > 0.0:
                seats[seat, SLOT] = WAITING
                clock[seat, TIME] += clock[seat, BACK]
                clock[seat, LOT] = 0.0
                continue
        _choose(words, quantiles, clock, seats, middle, seat)


@compile_function
def _next_seat(clock: Any) -> int:
    """Find the seat whose act arrives next."""
    seat = 0
    time = clock[0, TIME]
    lot = clock[0, LOT]
    for other in range(1, len(clock)):
        at = clock[other, TIME]
        if at < time or (at == time and clock[other, LOT] < lot):
            seat = other
            time = at
            lot = clock[other, LOT]
    return seat


@compile_function
def _choose(words: Any, quantiles: Any, clock: Any, seats: Any, middle: Any, seat: int) -> None:
    """Choose the next act of a seat and the time of its arrival."""
    slot = seats[seat, SLOT] = _choice(words, seats, middle, seat)
    at = draw(words) * CELLS
    cell = int(at)
    low = quantiles[cell]
    time = clock[seat, TIME] + clock[seat, THINK] * (
        low + (at - cell) * (quantiles[cell + 1] - low)
    )
    lot = 0.0
    if slot != FLIPPING:
        seats[seat, TARGET] = middle[card_at(seats, seat, slot), 1]
        time += clock[seat, AWAY]
        window = clock[seat, WINDOW]
        if window > 0.0:
            time = (int(time / window) + 1) * window
            lot = draw(words)
    clock[seat, TIME], clock[seat, LOT] = time, lot


@compile_function
def _choice(words: Any, seats: Any, middle: Any, seat: int) -> int:
    """Choose a random row card that fits, else the top of the discards, else a flip."""
    row = seats[seat, ROW]
    found = 0
    for place in range(ROWS, ROWS + row):
        found += middle[seats[seat, place], 0] > 0
    if found:
        left = int(draw(words) * found) if found > 1 else 0
        for slot in range(row):
            if middle[seats[seat, ROWS + slot], 0]:
                if left == 0:
                    return slot
                left -= 1
    if seats[seat, MARK] and middle[card_at(seats, seat, row), 0]:
        return int(row)
    return FLIPPING


@compile_function
def _lay(seats: Any, middle: Any, rescues: int, seat: int) -> bool:
    """Take a lay that arrives. Return True if it ends the round."""
    slot = seats[seat, SLOT]
    pile = seats[seat, TARGET]
    seats[seat, ATTEMPTS] += 1
    card = card_at(seats, seat, slot)
    at = 1
    count = middle[card, 0]
    while at <= count and middle[card, at] != pile:
        at += 1
    if at > count or not (seats[seat, MARK] or slot < seats[seat, ROW]):
        seats[seat, LATE] += 1
        return False
    if pile == NEW:
        pile = middle[TRIED, PILES]
        middle[TRIED, PILES] += 1
    else:
        middle[card, 0] -= 1
        for place in range(at, count):
            middle[card, place] = middle[card, place + 1]
    if card % NUMBERS < NUMBERS - 1:
        middle[card + 1, 0] += 1
        middle[card + 1, middle[card + 1, 0]] = pile
    seats[seat, LAID] += 1
    middle[TRIED, IN_VAIN] = 0
    for other in range(len(seats)):
        seats[other, TAKEN] = 0
    return give(seats, seat, slot) or (
        not seats[seat, SIZE] and _rescue_or_give_up(seats, middle, rescues)
    )


@compile_function
def _turn(seats: Any, middle: Any, rescues: int, seat: int) -> bool:
    """Flip for a seat, or let it wait if it may not flip. Return True if the round is given up."""
    if not seats[seat, SIZE] or seats[seat, TAKEN] >= LIGRETTO_TAKE_UPS:
        return False
    seats[seat, TAKEN] += flip(seats, seat)
    return seats[seat, TAKEN] >= DRY_FLIPS and _rescue_or_give_up(seats, middle, rescues)


@compile_function
def _rescue_or_give_up(seats: Any, middle: Any, rescues: int) -> bool:
    """Rescue a gridlocked round. Return True if the limit of rescues is reached, so the round is
    given up.
    """
    if not _stuck(seats, middle):
        return False
    if middle[TRIED, IN_VAIN] == rescues or not seats[:, SIZE].any():
        return True
    middle[TRIED, IN_VAIN] += 1
    middle[TRIED, RESCUED] += 1
    for seat in range(len(seats)):
        seats[seat, MARK] = seats[seat, TAKEN] = 0
        if seats[seat, SIZE]:
            at = ROWS + seats[seat, ROW]
            end = at + seats[seat, SIZE] - 1
            first = seats[seat, at]
            for place in range(at, end):
                seats[seat, place] = seats[seat, place + 1]
            seats[seat, end] = first
    return False


@compile_function
def _stuck(seats: Any, middle: Any) -> bool:
    """Check that no seat can lay."""
    for seat in range(len(seats)):
        if seats[seat, SIZE] and seats[seat, TAKEN] < DRY_FLIPS:
            return False
    for seat in range(len(seats)):
        row = seats[seat, ROW]
        for slot in range(row + (seats[seat, MARK] > 0)):
            if middle[card_at(seats, seat, slot), 0]:
                return False
    return True
