"""Ligretto without cryptography: a dealer that knows all decks turns up cards."""

from dataclasses import dataclass, field
from random import Random

from protocol.errors import Refused
from protocol.games import Action, Settle
from protocol.games.ligretto.rules import Ligretto
from protocol.games.ligretto.spec import SPECS
from protocol.games.ligretto.state import LigrettoState
from protocol.games.operations import Lay
from protocol.options import Values

DECK = 40


def ligretto(seats: int, **options: int | str) -> Ligretto:
    given: Values = options
    game = SPECS[0].create(seats, given)
    assert isinstance(game, Ligretto)
    return game


@dataclass
class Dealer:
    """A match. `decks` are by seat, in the order of places. All states of the deal are kept, by
    number of actions.
    """

    game: Ligretto
    rng: Random
    state: LigrettoState
    decks: list[list[int]] = field(default_factory=list)
    states: list[LigrettoState] = field(default_factory=list)
    late: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, game: Ligretto, seed: int = 0) -> "Dealer":
        return cls(game, Random(seed), game.start(), late=[0] * game.seats)

    def deal(self, decks: list[list[int]] | None = None) -> None:
        """Deal a round, with these decks or random ones."""
        want = self.game.wants(self.state)
        assert isinstance(want, Lay)
        own = [list(range(DECK * seat, DECK * (seat + 1))) for seat in range(self.game.seats)]
        self.decks = decks or [self.rng.sample(deck, DECK) for deck in own]
        dealt = [
            self.decks[pile.owner][place]
            for pile in want.piles
            if pile.owner is not None and pile.owner not in self.state.out
            for place in pile.face_up_places
        ]
        self.state = self.game.after_deal(self.state, tuple(dealt))
        self.states = [self.state]

    def act(self, seat: int, action: Action, seen: int | None = None) -> bool:
        """Apply an action. Return False if it was late. Raises: Refused for an action that was
        illegal in the state that its author saw.
        """
        try:
            operations = self.game.check(self.state, seat, action)
        except Refused:
            if seen is None or not self.game.was_overtaken(self.state, seat, action, seen):
                raise
            self.late[seat] += 1
            return False
        if operations:
            (turn,) = operations
            assert turn.pile == seat
            pieces = tuple(self.decks[seat][place] for place in turn.places)
            self.state = self.game.after_turn(self.state, seat, pieces)
        self.state = self.game.apply(self.state, seat, action)
        self.states.append(self.state)
        return True

    def go_on(self) -> bool:
        """Do everything that needs no seat. Return True if there was something."""
        want = self.game.wants(self.state)
        if want == ():
            self.state = self.game.after_deal(self.state)
        elif isinstance(want, Settle):
            self.state, misplays = self.game.settle(self.state)
            assert not misplays
        else:
            return False
        return True
