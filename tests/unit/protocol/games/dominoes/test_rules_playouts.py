"""Random playouts of dominoes: invariants of every position, and every lie is named."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Action, Hand, Misplay, Over, Settle
from protocol.games.dominoes import Dominoes
from protocol.games.dominoes.state import PHASES, DominoesPhase, DominoesState
from protocol.games.operations import Lay, Look
from tests.support.dominoes import dominoes
from tests.unit.protocol.games.dominoes.score_sheet import Sheet

pytestmark = pytest.mark.match

LIES = {
    "pass": Code.FALSE_PASS,
    "draw": Code.FALSE_DRAW,
    "deny": Code.FALSE_DENIAL,
    "play": Code.NOT_HELD,
}


@dataclass
class Table:
    """One hand in progress, with all information that only the test's dealer may see."""

    game: Dominoes
    rng: Random
    state: DominoesState
    hands: list[set[int]] = field(default_factory=list)
    dealt: tuple[Hand, ...] = ()
    drawn: list[list[int]] = field(default_factory=list)
    stock: list[int] = field(default_factory=list)
    lies: list[Misplay] = field(default_factory=list)
    leaving: float = 0  # chance that a seat leaves at each opportunity
    silent: float = 0  # chance that a seat lets its time run out
    steps: set[tuple[DominoesPhase, str, DominoesPhase]] = field(default_factory=set)
    sheet: Sheet | None = None  # score sheet of the hand
    # a state, and its accepted actions by seat
    looked_at: tuple[DominoesState, dict[int, tuple[Action, ...]]] | None = None

    def deal(self) -> None:
        want = self.game.wants(self.state)
        assert isinstance(want, Lay)
        deck = list(range(len(self.game.pieces)))
        self.rng.shuffle(deck)
        each = [
            0 if seat in self.state.out else want.piles[0].hand_size
            for seat in range(self.game.seats)
        ]
        self.dealt = tuple(tuple(deck.pop() for _ in range(count)) for count in each)
        self.hands = [set(hand) for hand in self.dealt]
        self.stock, self.drawn, self.lies = deck, [[] for _ in self.dealt], []
        scoring = self.game.scoring
        self.sheet = Sheet(
            self.game.seats, scoring.fives, scoring.partners, scoring.target, self.game.empty.spins
        )
        self.step("dealt", self.game.after_deal(self.state))

    def act(self, lying: float = 0) -> None:
        seat = self.state.to_act
        assert seat is not None
        if self.silent and self.rng.random() < self.silent:
            action = self.game.timeout(self.state, seat)
            assert action is not None
            self.step(action[0], self.game.apply(self.state, seat, action))
            return
        honest = self.game.legal(self.state, seat, tuple(self.hands[seat]))
        false = [action for action in self.accepted(seat) if action not in honest]
        if false and self.rng.random() < lying:
            action = self.rng.choice(false)
            self.lies.append(Misplay(seat, len(self.state.events), LIES[action[0]]))
        else:
            action = self.rng.choice(honest)
        operations = self.game.check(self.state, seat, action)
        if operations:
            self.leave(but=seat)
            if self.state.phase is DominoesPhase.OVER:
                return
        if operations == (Look(1, seat),):
            self.drawn[seat].append(self.stock.pop())
            self.hands[seat].add(self.drawn[seat][-1])
        elif action[0] == "play":
            self.hands[seat].discard(action[1])
            assert self.sheet is not None
            self.sheet.play(seat, self.game.tiles[action[1]], action[2])
        self.step(action[0], self.game.apply(self.state, seat, action))

    def leave(self, but: int | None = None) -> None:
        """Let a seat leave now and then, but never seat `but`, whose action has begun."""
        while self.state.phase is not DominoesPhase.OVER and self.rng.random() < self.leaving:
            seat = self.rng.choice([seat for seat in self.state.present if seat != but])
            self.step("forfeit", self.game.forfeit(self.state, seat))
            assert self.state.out >= {seat}

    def settle(self) -> tuple[Misplay, ...]:
        drawn = tuple(tuple(hand) for hand in self.drawn)
        state, misplays = self.game.settle(self.state, self.dealt, drawn)
        self.step("settle", state)
        return misplays

    def accepted(self, seat: int) -> tuple[Action, ...]:
        """Return every action that the public state accepts, computed once for each state."""
        if self.looked_at is None or self.looked_at[0] is not self.state:
            self.looked_at = self.state, {}
        known = self.looked_at[1]
        if seat not in known:
            known[seat] = tuple(accepted(self.game, self.state, seat))
        return known[seat]

    def step(self, what: str, after: DominoesState) -> None:
        assert after.phase in PHASES[self.state.phase, what]
        assert after.to_act is None or after.to_act in after.present
        self.steps.add((self.state.phase, what, after.phase))
        assert all(
            now >= before for now, before in zip(after.scores, self.state.scores, strict=True)
        )
        self.state = after


def accepted(game: Dominoes, state: DominoesState, seat: int) -> Iterator[Action]:
    """Yield every action that the public state accepts."""
    plays = [("play", piece, end) for piece in range(len(game.pieces)) for end in range(4)]
    for action in (*plays, ("draw",), ("pass",), ("deny",)):
        try:
            game.check(state, seat, action)
        except Refused:
            continue
        yield action


def look_at(table: Table) -> None:
    """Check the invariants whenever a seat is to act in an honest hand."""
    game, state = table.game, table.state
    assert state.hidden == tuple(len(hand) for hand in table.hands)
    assert state.stock == len(table.stock)
    laid = (*state.line, *state.layout.up, *state.layout.down)
    line = [game.pieces.index(f"{max(tile)}-{min(tile)}") for tile in laid]
    assert sorted([*line, *table.stock, *(p for hand in table.hands for p in hand)]) == list(
        range(len(game.pieces))
    )
    assert all(left[1] == right[0] for left, right in zip(state.line, state.line[1:], strict=False))
    for seat in range(game.seats):
        legal = game.legal(state, seat, tuple(table.hands[seat]))
        assert bool(legal) == (seat == state.to_act)
        publicly = table.accepted(seat)
        assert set(legal) <= set(publicly)
        assert all(game.parse(list(action)) == action for action in legal)
        plays = [
            action for action in publicly if action[0] == "play" and action[1] in table.hands[seat]
        ]
        assert [action for action in legal if action[0] == "play"] == plays
        assert not plays or len(plays) == len(legal)
        assert table.sheet is not None
        if state.phase in (DominoesPhase.LEAD, DominoesPhase.PLAY) and seat == state.to_act:
            expected = [
                ("play", piece, end)
                for piece in sorted(table.hands[seat])
                for end in table.sheet.choices(game.tiles[piece])
            ]
            assert plays == expected
            drawing = game.draws and len(table.stock) > game.reserve
            assert expected or legal == ((("draw",),) if drawing else (("pass",),))


SCORING = st.sampled_from(["points", "fives"])


def built(least: int, most: int) -> st.SearchStrategy[Dominoes]:
    """Draw games for `least` to `most` seats, with options of all kinds."""
    every = {
        "target": st.integers(1, most),
        "hand": st.none() | st.integers(1, 7),
        "scoring": SCORING,
        "spinner": st.sampled_from([None, "no", "yes"]),
    }
    every |= {"highest": st.sampled_from([6, 6, 9])}
    reserves = {"block": st.just(None), "draw": st.integers(0, 2)}
    kinds = []
    for variant, reserve in reserves.items():
        more = {**every, "reserve": reserve}
        alone = st.builds(dominoes, st.integers(least, 4), st.just(variant), **more)
        kinds += [alone, alone]
        kinds.append(
            st.builds(dominoes, st.just(4), st.just(variant), partners=st.just("yes"), **more)
        )
    return st.one_of(kinds)


games = built(2, 120)


@settings(max_examples=60, deadline=None)
@given(games, st.integers(0, 2**64), st.sampled_from([0, 0, 0.05, 0.4]))
@example(dominoes(2, "block", target=1, hand=1), 218, 0.4)  # all are silent before anybody leads
def test_honest_matches_end_with_a_winner_and_no_misplay(
    game: Dominoes, seed: int, silent: float
) -> None:
    """Lapsed turns are included: a lapse is never counted as a misplay."""
    table = Table(game, Random(seed), game.start(), silent=silent)
    for _ in range(8):
        table.deal()
        while isinstance(game.wants(table.state), Act):
            look_at(table)
            table.act()
        assert game.wants(table.state) == Settle()
        before = table.state
        assert table.settle() == ()
        check_result(table, before)
        if table.state.phase is DominoesPhase.OVER:
            break
    winner = game.winner(table.state)
    assert (winner is not None) == (max(table.state.scores) >= game.scoring.target)
    assert winner is None or table.state.scores[winner] >= game.scoring.target


def check_result(table: Table, before: DominoesState) -> None:
    """Check the result by counting the hands that are left."""
    result = table.state.result
    assert result is not None and not result.void
    numbers = [[int(n) for n in name.split("-")] for name in table.game.pieces]
    left = tuple(sum(sum(numbers[piece]) for piece in hand) for hand in table.hands)
    assert result.pips == left
    layout = before.layout
    laid = (*layout.line, *layout.up, *layout.down)
    lying = sum(sum(numbers[piece]) for piece in table.stock) + sum(map(sum, laid))
    assert lying + sum(left) == sum(map(sum, numbers))  # no pip appears or vanishes
    present = [seat for seat in range(table.game.seats) if seat not in before.out]
    empty = [seat for seat in present if not table.hands[seat]]
    assert not empty or not result.blocked
    assert result.unled == (not laid)
    gained = [now - then for now, then in zip(table.state.scores, before.scores, strict=True)]
    assert table.sheet is not None
    held = {
        seat: [table.game.tiles[tile] for tile in table.hands[seat]]
        for seat, had in enumerate(table.dealt)
        if had
    }
    assert gained == table.sheet.gains(before.scores, held, before.out)
    team = () if result.winner is None else table.game.team(table.state, result.winner)
    assert result.winner is None or result.winner in team
    assert all(gain >= result.points for seat, gain in enumerate(gained) if seat in team)
    fewest = min(left[seat] for seat in present)
    alone = not table.game.scoring.partners and result.blocked and result.winner is not None
    assert not alone or left[result.winner] == fewest


def play_on(table: Table) -> None:
    """Play an honest match to the end, with seats leaving at any moment."""
    game = table.game
    for _ in range(1000):
        table.leave()
        if game.wants(table.state) == Over():
            return
        table.deal()
        while isinstance(game.wants(table.state), Act):
            look_at(table)
            table.act()
            table.leave()
        if game.wants(table.state) == Over():
            return
        table.leave()
        if game.wants(table.state) == Over():
            return
        before = table.state
        assert before.line  # the calling has found a leader: nobody seems to have lied
        assert table.settle() == ()
        check_result(table, before)
    raise AssertionError("the match does not end")


@settings(max_examples=100, deadline=None)
@given(
    built(3, 60),
    st.integers(0, 2**64),
    st.sampled_from([0.005, 0.02, 0.1]),
)
def test_honest_playouts_with_leavers_end_with_one_winner(
    game: Dominoes, seed: int, leaving: float
) -> None:
    table = Table(game, Random(seed), game.start(), leaving=leaving)
    play_on(table)
    state = table.state
    winner = game.winner(state)
    assert winner is not None and winner not in state.out
    winners = game.team(state, winner)
    assert set(winners) == set(game.scoring.team(winner)) - state.out
    done = [seat for seat in state.present if state.scores[seat] >= game.scoring.target]
    assert done == list(winners) or (state.present == winners and done in ([], list(winners)))
    for seat in range(game.seats):
        with pytest.raises(Refused):
            game.forfeit(state, seat)


def test_playouts_reach_leaving_in_every_phase() -> None:
    """Without this the property test above could pass without any leavers."""
    steps = set()
    for seed in range(300):
        game = dominoes(3 + seed % 2, ("block", "draw")[seed // 2 % 2], target=30, hand=3)
        table = Table(game, Random(seed), game.start(), leaving=(0.03, 0.2)[seed // 4 % 2])
        play_on(table)
        steps |= {step for step in table.steps if step[1] == "forfeit"}
    assert steps == {
        (*how, after) for how, later in PHASES.items() if how[1] == "forfeit" for after in later
    }


@settings(max_examples=200, deadline=None)
@given(
    games,
    st.integers(0, 2**64),
    st.sampled_from([0.02, 0.2, 0.7, 1.0]),
    st.sampled_from([0, 0, 0.03]),
)
def test_every_lie_alone_is_named_at_its_entry(
    game: Dominoes, seed: int, lying: float, leaving: float
) -> None:
    table = Table(game, Random(seed), game.start(), leaving=leaving, silent=leaving)
    for _ in range(3):
        table.deal()
        scores = table.state.scores
        while isinstance(game.wants(table.state), Act):
            table.act(lying)
            table.leave()
        if game.wants(table.state) == Over():
            break
        assert list(table.settle()) == table.lies
        assert table.state.result is not None and table.state.result.void == bool(table.lies)
        first = table.lies[0].action if table.lies else 0
        made = [event.points for event in table.state.events[:first]]
        assert not table.lies or table.state.scores == scores or sum(made)
        if table.state.phase is DominoesPhase.OVER:
            break


def test_playouts_reach_each_kind_of_lie() -> None:
    """Without this the property test above could pass without some kinds of lies."""
    told = set()
    for seed in range(40):
        table = Table(dominoes(2 + seed % 3, ("block", "draw")[seed % 2]), Random(seed), None)  # type: ignore[arg-type]
        table.state = table.game.start()
        table.deal()
        while isinstance(table.game.wants(table.state), Act):
            table.act(0.3)
        told |= {lie.code for lie in table.lies}
    assert told == set(LIES.values())
