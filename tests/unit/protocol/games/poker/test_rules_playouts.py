"""Random whole matches of poker: no chip is lost, actions cause nothing but `Refused`, and legal
ones are accepted.
"""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import Refused
from protocol.games import Act
from protocol.games.poker.phases import PokerPhase, PokerResult
from protocol.games.poker.rules import ACTIONS, DRAW, HOLDEM, OMAHA, Poker
from tests.support.poker import Table, any_kind, poker, table

pytestmark = pytest.mark.match

SEATS = {HOLDEM: range(2, 11), DRAW: range(2, 7), OMAHA: range(2, 11)}


def check_chips(game: Poker, state) -> None:
    total = game.stack * (game.seats + sum(state.bought))
    assert max(state.bought) <= game.rebuys
    assert sum(state.chips) + state.pot == total and min(state.chips) >= 0 <= state.pot
    if state.phase in (PokerPhase.DEAL, PokerPhase.SETTLE, PokerPhase.REBUY, PokerPhase.OVER):
        assert sum(state.chips) == total
    if state.result is not None:
        check_account(state.result)


def check_account(result: PokerResult) -> None:
    """Check seat by seat that the chips won equal the chips paid, and that nobody wins its own
    unmatched bet.
    """
    assert sum(result.gains) == 0
    won = Counter(dict.fromkeys(range(len(result.gains)), 0))
    for pot in result.pots:
        assert pot and all(chips > 0 for _, chips in pot)
        won.update(dict(pot))
    paid = [won[seat] - gain for seat, gain in enumerate(result.gains)]
    assert min(paid) >= 0 and all(
        paid[seat] <= max(paid[:seat] + paid[seat + 1 :]) for seat in +won
    )
    assert all(chips > 0 for _, chips in result.uncalled)


def anything(rng: Random, table: Table) -> object:
    """Return a random action: mostly of the right shape, seldom legal."""
    verb = rng.choice([*ACTIONS, "bet", 7])
    numbers = [
        rng.choice((0, 1, 2, 4, 5, 51, rng.randrange(52), rng.randrange(500)))
        for _ in range(rng.randrange(6))
    ]
    if verb == "show" and rng.random() < 0.5:
        numbers = list(table.hands.get(rng.randrange(table.game.seats), ()))
    return [verb, *numbers]


def check_actions(table: Table, rng: Random) -> None:
    """Check that exactly the legal actions are accepted, and that the others cause only
    `Refused`.
    """
    game, state = table.game, table.state
    want = game.wants(state)
    for seat in range(game.seats):
        hand = table.hands.get(seat, ())
        legal = game.legal(state, seat, hand)
        assert bool(legal) == (isinstance(want, Act) and want.seats == (seat,))
        for action in rng.sample(legal, min(len(legal), 3)):
            assert game.parse(list(action)) == action
            game.check(state, seat, action)
            check_chips(game, game.apply(state, seat, action))
        for _ in range(4):
            raw = anything(rng, table)
            try:
                action = game.parse(raw)
                game.check(state, seat, action)
            except Refused:
                continue
            # the dealing checks whether the seat has these cards; nobody else knows whether they
            # win
            assert action in legal or action[0] in ("show", "muck")
            check_chips(game, game.apply(state, seat, action))


@pytest.mark.parametrize("name", [HOLDEM, DRAW, OMAHA])
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_random_poker_matches_keep_every_chip(name: str, data) -> None:
    """Short and long stacks, leavers at any moment, lapsed turns, and random actions now and
    then.
    """
    seats = data.draw(st.sampled_from(SEATS[name]))
    seed = data.draw(st.integers(0, 10**6))
    blind = data.draw(st.sampled_from((2, 3, 10)))
    stack = data.draw(st.sampled_from((blind, blind + 1, 20, 200)))
    terms = {"levels": data.draw(st.integers(0, 2)), "rebuys": data.draw(st.integers(0, 2))}
    terms |= {"limit": data.draw(st.sampled_from(("none", "pot", "fixed")))}
    terms |= {"folds": data.draw(st.sampled_from(("priced", "free")))}
    if name != DRAW:
        terms |= {"button": data.draw(st.sampled_from(("moving", "dead")))}
        terms |= {"small": data.draw(st.integers(0, blind))}
    game = poker(
        name, seats, hands=4, stack=stack, blind=blind, ante=data.draw(st.integers(1, 2)), **terms
    )
    leaving, lapsing = data.draw(st.sampled_from(((0, 0), (0.03, 0), (0, 0.1), (0.02, 0.05))))
    match, rng = table(game, seed), Random(seed)
    for state in match.run():
        check_chips(game, state)
        if rng.random() < 0.15:
            check_actions(match, rng)
        state = match.state
        if state.phase in (PokerPhase.PLAY, PokerPhase.RESHUFFLE):
            assert (state.stock, state.put_away) == (len(match.pack), len(match.away))
        staying = [seat for seat in range(seats) if seat not in state.out]
        if rng.random() < leaving and len(staying) > 1 and state.phase is not PokerPhase.OVER:
            match.state = game.forfeit(state, rng.choice(staying))
        elif state.to_act is not None and rng.random() < lapsing:
            action = game.timeout(state, state.to_act)
            assert action is not None
            match.state = game.apply(state, state.to_act, action)
        check_chips(game, match.state)
    check_chips(game, match.state)
    assert match.state.hand <= game.hands
    winner = game.winner(match.state)
    assert winner is None or winner not in match.state.out


def test_poker_playouts_reach_every_action() -> None:
    """The playouts include every kind of action, and the shuffling back of discards."""

    def wasteful(game, state, seat, hand, legal, rng):
        """Choose at random, but exchange all five cards, and never fold where a call is
        possible.
        """
        action = any_kind(game, state, seat, hand, legal, rng)
        return (
            legal[-1] if action[0] == "exchange" else ("call",) if action[0] == "fold" else action
        )

    def quiet(game, state, seat, hand, legal, rng):
        """Never raise: hands are shown and mucked without anybody all in."""
        return ("call",) if ("call",) in legal else any_kind(game, state, seat, hand, legal, rng)

    seen: Counter[str] = Counter()
    for seed in range(4):
        for name, seats, chooser in (
            (HOLDEM, 9, any_kind),
            (HOLDEM, 4, quiet),
            (DRAW, 6, any_kind),
            (DRAW, 6, wasteful),
        ):
            match = table(poker(name, seats, hands=3, rebuys=1), seed, chooser)
            for state in match.run():
                check_chips(match.game, state)
            seen += match.seen
    assert set(seen) == {*ACTIONS, "reshuffle"}


@pytest.mark.parametrize("name", [HOLDEM, DRAW])
@pytest.mark.parametrize("seats", [3, 6])
def test_seat_may_leave_in_any_state(name: str, seats: int) -> None:
    """From every state of a match each seat leaves in turn: the rest is played to its end without
    losing a chip.
    """
    base = table(poker(name, seats, hands=2, stack=30, rebuys=1), seats)
    states = [base.state, *base.run()]
    for number, state in enumerate(states[:-1]):
        if state.phase is PokerPhase.OVER:
            continue
        for seat in range(seats):
            left = base.game.forfeit(state, seat)
            with pytest.raises(Refused):
                base.game.forfeit(left, seat)
            check_chips(base.game, left)
            if (number + seat) % 5 == 0:
                rest = replayed(base, number, left)
                assert all(each.to_act != seat for each in rest.run())
                check_chips(base.game, rest.state)


def replayed(base: Table, number: int, left) -> Table:
    """Return the table after `number` steps, with one seat gone."""
    again = table(base.game, base.game.seats)
    for _ in range(number):
        again.step()
    again.state = left
    return again


@pytest.mark.parametrize("name", [HOLDEM, DRAW])
def test_all_poker_seats_but_one_may_leave(name: str) -> None:
    for seed in range(10):
        match = table(poker(name, 5, hands=3, rebuys=2), seed)
        rng = Random(seed)
        for _ in range(rng.randrange(20)):
            match.step()
        order = rng.sample(range(5), 5)
        for seat in order[:-1]:
            if match.state.phase is not PokerPhase.OVER:
                match.state = match.game.forfeit(match.state, seat)
                check_chips(match.game, match.state)
        for _ in match.run():
            pass
        check_chips(match.game, match.state)
        assert match.game.winner(match.state) in (order[-1], None)
