"""Rounds of the machines model, compiled: every draw, sum and comparison in the order of
`machines_round`.
"""

from collections.abc import Iterator
from math import inf
from typing import Any, Final

import numpy as np

from protocol.numba_compile import compile_function
from simulation.models import MachinesModel, RoundResult
from simulation.models.compiled_cards import (
    AFTER,
    ATTEMPTS,
    CARDS,
    COLOURS,
    DRY_AT,
    LAID,
    LAID_OUT,
    LATE,
    LEFT,
    MARK,
    NUMBERS,
    OWN,
    ROW,
    SLOT,
    STOCK,
    STOPPED,
    TARGET,
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
from simulation.models.machines_round import neighbours

# first digits of the SHA-256 of compiled_cards.py; numba sees only changes of this file
SHARED: Final = "19bacf0f"
# as in `machines_round`
LOOK = -1
FLIP = -2
STOP = -3
# Columns behind the cards of a seat: the cards that fit next on its own piles, its neighbours, and
# their number.
NEEDED = STOCK + CARDS
NEIGHBOURS = NEEDED + COLOURS
AROUND = 6
BESIDE = NEIGHBOURS + AROUND
# columns of `times`, one row for each player
START = 0
END = 1
BEGAN = 2
FREE = 3
CHANGED = 4
TIMES = 8
CALL, SPREAD, OWN_TIME, FLIP_TIME, DELTA = range(5)  # Indexes of `given`: times, then flags.
LOOKS, INSTANTS, TO_END = range(5, 8)
WAITING, STOPPED_AT, BEFORE, LAYS, DRY, STATE = range(6)  # indexes of `state`


def machines_rounds(machines: MachinesModel, seed: int, rounds: int) -> Iterator[RoundResult]:
    """Play `rounds` rounds, the same as in `machines_round`."""
    words, count, (decks, shuffles) = (
        generator_words(seed),
        machines.players,
        deck_array(machines, machines.players),
    )
    costs = (machines.call, machines.spread, machines.own, machines.flip, machines.delta)
    given = np.array([*costs, machines.look, machines.instants, machines.to_end], np.float64)
    seats = empty_seats(count, machines.row, BESIDE + 1 - NEEDED)
    times = np.zeros((count, TIMES))
    for place in range(count):
        around = neighbours(place, count)
        seats[place, NEIGHBOURS : NEIGHBOURS + len(around)], seats[place, BESIDE] = (
            around,
            len(around),
        )
    for _ in range(rounds):
        durations, counts, found = empty_results(1, count)
        deal(words, decks, shuffles, seats)
        durations[0], counts[0, STOPPED], counts[0, AFTER] = _play(
            words, given, seats, times, found[0]
        )
        yield from round_results((durations, counts, found))


@compile_function
def _play(words: Any, given: Any, seats: Any, times: Any, found: Any) -> Any:
    """Play a round. Return its duration, the player that stopped it, and the lays after the
    stop.
    """
    count = len(seats)
    when = np.zeros(count)
    who = np.arange(count)
    state = np.zeros(STATE, np.int64)
    state[WAITING], state[STOPPED_AT] = count, -1
    for place in range(count):
        _ready(given, seats, times, place)
        when[place] = _begin_step(words, given, seats, times, place)
    for at in range(count // 2 - 1, -1, -1):
        _sift(when, who, at, count)
    stopped = inf
    while state[WAITING]:
        now = when[0]
        place = who[0]
        if _has_ended(seats, times, place, now):
            state[WAITING] -= 1
            when[0] = when[state[WAITING]]
            who[0] = who[state[WAITING]]
            _sift(when, who, 0, state[WAITING])
            continue
        again = _step(given, seats, times, state, place, now)
        if not again and stopped == inf:
            stopped = now
            times[:, END] = now + np.arange(count) * given[DELTA]
            copy_counters(seats, found)
        if state[STOPPED_AT] >= 0:
            if not given[TO_END]:
                break
        elif state[DRY] == count:
            stopped = now
            break
        if again and times[place, FREE] < times[place, END]:
            when[0] = _begin_step(words, given, seats, times, place)
        else:
            state[WAITING] -= 1
            when[0] = when[state[WAITING]]
            who[0] = who[state[WAITING]]
        _sift(when, who, 0, state[WAITING])
    kept = found[: LAID_OUT + 1].copy()
    copy_counters(seats, found)
    if state[STOPPED_AT] >= 0 and given[INSTANTS]:
        found[: LAID_OUT + 1] = kept
    return stopped, state[STOPPED_AT], state[LAYS] - state[BEFORE] if state[STOPPED_AT] >= 0 else 0


@compile_function
def _ready(given: Any, seats: Any, times: Any, place: int) -> None:
    """Prepare a player for its first step."""
    for colour in range(COLOURS):
        seats[place, NEEDED + colour], times[place, CHANGED + colour] = colour * NUMBERS, 0.0
    times[place, START] = times[place, FREE] = 0.0 if given[INSTANTS] else place * given[DELTA]
    times[place, END] = inf
    seats[place, TARGET], seats[place, DRY_AT] = OWN, -1


@compile_function
def _has_ended(seats: Any, times: Any, place: int, now: float) -> bool:
    """Check that the end signal reached a player before its next step."""
    slot = seats[place, SLOT]
    end = times[place, END]
    if slot in (FLIP, STOP) or seats[place, TARGET] == OWN:
        return bool(now >= end)
    ended = times[place, BEGAN] >= end
    seats[place, ATTEMPTS] -= ended
    return bool(ended)


@compile_function
def _step(given: Any, seats: Any, times: Any, state: Any, place: int, now: float) -> bool:
    """Finish the step of a player. Return True if the player goes on."""
    slot = seats[place, SLOT]
    if slot == STOP:
        if state[STOPPED_AT] < 0:
            state[STOPPED_AT], state[BEFORE] = place, state[LAYS]
        return False
    if slot == FLIP:
        if flip(seats, place):
            lays = state[LAYS]
            state[DRY] += seats[place, DRY_AT] == lays
            seats[place, DRY_AT] = -2 if seats[place, DRY_AT] == lays else lays
        seats[place, SLOT], seats[place, TARGET] = 0, OWN
    elif slot == LOOK:
        _look(seats, place)
    elif _offer(seats, times, place, now):
        state[LAYS] += 1
        state[DRY] = 0
        seats[place, SLOT], seats[place, TARGET] = STOP if seats[place, LEFT] == 0 else 0, OWN
    else:
        _advance(seats, place, given[LOOKS] > 0.0)
    return True


@compile_function
def _sift(when: Any, who: Any, at: int, count: int) -> None:
    """Sift the entry at `at` down in the heap."""
    time = when[at]
    place = who[at]
    while True:
        least = 2 * at + 1
        if least >= count:
            break
        other = least + 1
        if other < count and (when[other], who[other]) < (when[least], who[least]):
            least = other
        if (time, place) < (when[least], who[least]):
            break
        when[at], who[at] = when[least], who[least]
        at = least
    when[at], who[at] = time, place


@compile_function
def _begin_step(words: Any, given: Any, seats: Any, times: Any, place: int) -> float:
    """Begin the next step of a player. Return the time of its arrival."""
    slot = seats[place, SLOT]
    began = times[place, FREE]
    times[place, BEGAN] = began
    if slot == STOP:
        return float(began)
    if slot == FLIP:
        times[place, FREE] = began + given[FLIP_TIME]
    elif seats[place, TARGET] == OWN:
        times[place, FREE] = began + given[OWN_TIME]
    else:
        seats[place, ATTEMPTS] += 1
        time = given[CALL] * (1.0 + given[SPREAD] * (2.0 * draw(words) - 1.0))
        times[place, FREE] = began + time
        return float(began + time / 2.0)
    return float(times[place, FREE])


@compile_function
def _offer(seats: Any, times: Any, place: int, now: float) -> bool:
    """Offer a card. Return True if it is laid."""
    target = seats[place, TARGET]
    slot = seats[place, SLOT]
    if target == OWN:
        owner = place
    else:
        owner = seats[place, NEIGHBOURS + target]
    card = card_at(seats, place, slot)
    colour = card // NUMBERS
    needed = seats[owner, NEEDED + colour]
    if needed != card or now < times[owner, START] or now >= times[owner, END]:
        seats[place, LATE] += (
            needed == card + 1 and times[owner, CHANGED + colour] > times[place, BEGAN]
        )
        return False
    seats[owner, NEEDED + colour] = card + 1 if card % NUMBERS < NUMBERS - 1 else -1
    times[owner, CHANGED + colour] = now
    give(seats, place, slot)
    seats[place, LAID] += 1
    return True


@compile_function
def _look(seats: Any, place: int) -> None:
    """Look at a neighbour's piles."""
    owner = seats[place, NEIGHBOURS + seats[place, TARGET]]
    for slot in range(seats[place, ROW] + (seats[place, MARK] > 0)):
        card = card_at(seats, place, slot)
        if seats[owner, NEEDED + card // NUMBERS] == card:
            seats[place, SLOT] = slot
            return
    _advance(seats, place, True)


@compile_function
def _advance(seats: Any, place: int, looks: bool) -> None:
    """Go to the next pile or card; after the last, to a flip."""
    count = seats[place, ROW] + (seats[place, MARK] > 0)
    beside = seats[place, BESIDE]
    slot = seats[place, SLOT]
    target = seats[place, TARGET] + 1
    if looks and (target > 0 or slot + 1 == count):
        slot = LOOK
    elif looks or target == beside:
        slot = slot + 1
        target = OWN
    seats[place, SLOT], seats[place, TARGET] = (
        FLIP if target == beside or slot == count else slot,
        target,
    )
