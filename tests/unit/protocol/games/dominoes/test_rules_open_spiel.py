"""Block dominoes in lockstep with OpenSpiel: `python_block_dominoes` (2 players),
`python_team_dominoes` (4).

OpenSpiel (Apache-2.0) is an independent implementation; both of its games use the double-six set
and hands of seven. Its rules differ from ours, and are mapped, as follows:

- Lead. OpenSpiel's player 0 leads with any tile. Half of the games here set up a later hand, in
  which our leader may lead any tile too. In the others our call finds the leader, who is
  OpenSpiel's player 0 and leads the called tile.
- Seats. OpenSpiel's player p is our seat (leader + p) modulo seats.
- Passing. OpenSpiel skips a player who cannot play; we log a pass. When its next player is not our
  next seat, the seats between must have ("pass",) as their only action. When a block ends the hand,
  all of our seats must.
- Actions. OpenSpiel names a play by tile and covered number (None on the empty line), we by piece
  and end. Where both ends show one number either has one action for it, so the sets must be equal.
- Points for two. OpenSpiel gives the player with fewer pips all pips of the other, also in a
  blocked hand; we subtract the winner's own. So ours = its return - the winner's pips. Equal pips
  score nothing in both.
- Points for four. OpenSpiel scores teams (0 and 2 against 1 and 3), we each seat. The test checks
  that its team returns follow from the pips in our settlement, and that both agree on how the hand
  ended.
- Matches, the draw game, three seats and other hand sizes do not exist there.
"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from protocol.games import Hand
from protocol.games.dominoes.state import DominoesPhase, DominoesState
from protocol.games.dominoes.tiles import index
from tests.support.dominoes import dominoes

pytestmark = pytest.mark.match

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
block = pytest.importorskip("open_spiel.python.games.block_dominoes")
team = pytest.importorskip("open_spiel.python.games.team_dominoes")

GAMES = {2: 2000, 4: 1000}  # seats -> games played in lockstep
PASS = (("pass",),)


class Lockstep:
    """One hand in both implementations."""

    def __init__(self, seats: int, rng: Random) -> None:
        self.module = block if seats == 2 else team
        self.game = dominoes(seats, "block")
        self.rng = rng
        deck = list(range(28))
        rng.shuffle(deck)
        self.dealt: tuple[Hand, ...] = tuple(tuple(deck[7 * s : 7 * s + 7]) for s in range(seats))
        self.hands = [set(hand) for hand in self.dealt]
        self.ours: DominoesState = self.lead()
        self.leader = self.ours.to_act or 0
        self.theirs = pyspiel.load_game(
            "python_block_dominoes" if seats == 2 else "python_team_dominoes"
        ).new_initial_state()
        for piece in self.their_deal():
            high, low = self.game.tiles[piece]
            self.theirs.apply_action(self.module._DECK.index((low, high)))

    def lead(self) -> DominoesState:
        """Return our state when the leader is to act: of a later hand, or of a first one after the
        call.
        """
        start = self.game.start()
        if self.rng.random() < 0.5:
            return self.game.after_deal(replace(start, leader=self.rng.randrange(self.game.seats)))
        state = self.game.after_deal(start)
        while self.game.calls[state.denials] not in self.hands[state.to_act or 0]:
            state = self.act(state, ("deny",))
        return state

    def their_deal(self) -> Iterator[int]:
        """Yield our hands in OpenSpiel's dealing order: two players get a hand each in turn, four
        get tile by tile.
        """
        hands = [self.dealt[self.seat(player)] for player in range(self.game.seats)]
        turns = zip(*hands, strict=True) if self.game.seats == 4 else hands
        return (piece for turn in turns for piece in turn)

    def seat(self, player: int) -> int:
        return (self.leader + player) % self.game.seats

    def act(self, state: DominoesState, action: Any) -> DominoesState:
        """Do an action that must be legal for the seat in turn."""
        seat = state.to_act
        assert seat is not None
        assert action in self.game.legal(state, seat, tuple(self.hands[seat]))
        self.game.check(state, seat, action)
        self.hands[seat].discard(action[1] if action[0] == "play" else -1)
        return self.game.apply(state, seat, action)

    def our_plays(self) -> dict[tuple[int, int | None], Any]:
        """Return our legal plays by piece and covered number."""
        seat = self.ours.to_act
        assert seat is not None
        ends = self.ours.ends
        legal = self.game.legal(self.ours, seat, tuple(self.hands[seat]))
        plays = {
            (piece, ends[end].number if ends else None): ("play", piece, end)
            for _, piece, end in legal
        }
        assert len(plays) == len(legal)
        return plays

    def their_plays(self) -> dict[tuple[int, int | None], int]:
        """Return OpenSpiel's legal plays by piece and covered number."""
        named = {}
        for number in self.theirs.legal_actions():
            action = self.module._ACTIONS[number]
            low, high = action.tile
            named[index(int(low), int(high)), None if action.edge is None else int(action.edge)] = (
                number
            )
        return named

    def pass_until(self, seat: int | None) -> None:
        """Pass for all seats that OpenSpiel skips; None passes until our hand is over."""
        while self.ours.to_act != seat:
            assert self.ours.to_act is not None
            hand = tuple(self.hands[self.ours.to_act])
            assert self.game.legal(self.ours, self.ours.to_act, hand) == PASS
            self.ours = self.act(self.ours, PASS[0])

    def play(self) -> None:
        while not self.theirs.is_terminal():
            assert self.ours.phase in (DominoesPhase.CALL, DominoesPhase.LEAD, DominoesPhase.PLAY)
            self.pass_until(self.seat(self.theirs.current_player()))
            ours, theirs = self.our_plays(), self.their_plays()
            if self.ours.phase is DominoesPhase.CALL:  # OpenSpiel's leader may play anything
                assert ours.keys() < theirs.keys()
            else:
                assert ours.keys() == theirs.keys()
            choice = self.rng.choice(sorted(ours, key=str))
            self.theirs.apply_action(theirs[choice])
            self.ours = self.act(self.ours, ours[choice])
        self.pass_until(None)
        assert self.ours.phase is DominoesPhase.SETTLE


@pytest.mark.parametrize("seats", GAMES)
def test_dominoes_agree_with_open_spiel_in_lockstep(seats: int) -> None:
    rng = Random(f"lockstep {seats}")
    endings = set()
    for _ in range(GAMES[seats]):
        both = Lockstep(seats, rng)
        both.play()
        state, misplays = both.game.settle(both.ours, both.dealt, ((),) * seats)
        assert misplays == ()
        result = state.result
        assert result is not None
        assert result.blocked == all(both.theirs.hands)
        pips = [result.pips[both.seat(player)] for player in range(seats)]
        assert pips == [sum(map(sum, hand)) for hand in both.theirs.hands]
        returns = both.theirs.returns()
        if seats == 2:
            compare_two(both, state, pips, returns)
        else:
            compare_teams(pips, returns)
        endings.add((result.blocked, result.winner is None))
    assert endings == {(False, False), (True, False), (True, True)}


def compare_two(
    both: Lockstep, state: DominoesState, pips: list[int], returns: list[float]
) -> None:
    """Check the same winner, and OpenSpiel's points less the winner's own pips."""
    scores = [state.scores[both.seat(player)] for player in range(2)]
    assert scores == [
        max(0, got - own) if got > 0 else 0 for got, own in zip(returns, pips, strict=True)
    ]
    assert [score > 0 for score in scores] == [got > 0 for got in returns]


def compare_teams(pips: list[int], returns: list[float]) -> None:
    """Check that OpenSpiel's returns are those of the team with fewer of our pips."""
    even, odd = pips[0] + pips[2], pips[1] + pips[3]
    won = 0 if even == odd else odd if even < odd else -even
    assert returns == [won, -won, won, -won]
