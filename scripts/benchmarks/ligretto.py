"""Speed of the rules of Ligretto: attempts to lay a card per CPU second on one core, including late
ones.

The attempts come from rounds of four seats, each of which has not seen the newest few actions. The
state already contains the card that an attempt turns up, as at a table.
"""

import time
from random import Random
from typing import NamedTuple

from protocol.errors import Refused
from protocol.games import Action
from protocol.games.ligretto.rules import Ligretto
from protocol.games.ligretto.state import LigrettoPhase, LigrettoState
from tests.support.ligretto import Dealer, ligretto

SEATS = 4
ROW = 4
LAG = 4  # number of others' actions that a seat may not have seen
TIMES = 20  # repetitions of each attempt


class Attempt(NamedTuple):
    """An attempt of a seat to lay a card."""

    state: LigrettoState
    seat: int
    action: Action
    seen: int  # number of actions that the seat has seen


def attempts(rounds: int) -> list[Attempt]:
    """Collect the attempts of `rounds` rounds."""
    found: list[Attempt] = []
    for seed in range(rounds):
        dealer = Dealer.of(ligretto(SEATS, row=ROW), seed)
        dealer.deal()
        own = [0] * SEATS
        while dealer.state.phase is LigrettoPhase.PLAY:
            seat = dealer.rng.randrange(SEATS)
            seen = max(own[seat], dealer.state.actions - dealer.rng.randint(0, LAG))
            action = _choice(dealer.game, dealer.states[seen], seat, dealer.rng)
            if action[0] != "flip":
                found.append(Attempt(dealer.state, seat, action, seen))
            if dealer.act(seat, action, seen):
                own[seat] = dealer.state.actions
    return [each._replace(state=_turned(each)) for each in found]


def _choice(game: Ligretto, state: LigrettoState, seat: int, rng: Random) -> Action:
    *lays, flip = game.legal(state, seat)
    return rng.choice(lays) if lays else flip


def _turned(attempt: Attempt) -> LigrettoState:
    """Return the state in which the card that the attempt turns up is known."""
    game = ligretto(SEATS, row=ROW)
    try:
        operations = game.check(attempt.state, attempt.seat, attempt.action)
    except Refused:
        return attempt.state
    if operations:
        return game.after_turn(attempt.state, attempt.seat, (0,))
    return attempt.state


def measure(rounds: int) -> dict[str, float]:
    """Measure the attempts of `rounds` rounds."""
    game = ligretto(SEATS, row=ROW)
    made = attempts(rounds)
    late = 0
    begun = time.process_time()
    for _ in range(TIMES):
        for state, seat, action, seen in made:
            try:
                game.check(state, seat, action)
            except Refused:
                late += game.was_overtaken(state, seat, action, seen)
            else:
                game.apply(state, seat, action)
    seconds = time.process_time() - begun
    count = TIMES * len(made)
    return {"ligretto_attempts_per_s": count / seconds, "ligretto_attempts_late": late / count}
