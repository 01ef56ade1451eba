"""A game by a rule file with open cards: the engine without keys, entries or a table."""

from collections.abc import Callable
from random import Random

from protocol.crypto.joint_randomness import JointRandomness
from protocol.games import Act, Action, MatchBinding, Misplay, Over, Settle
from protocol.games.decks.deck_hand import DeckHand, Loadout
from protocol.games.operations import Lay, OpenCard
from protocol.games.scripted.engine.state import ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.open_deal import OpenDeal
from protocol.games.scripted.private_half import ScriptPrivateHalf
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest

BOUND = MatchBinding(b"match", (b"0" * 32, b"1" * 32, b"2" * 32, b"3" * 32))
Choose = Callable[[tuple[Action, ...]], Action]
USUAL = {"cards": "proxies", "mode": "closing"}


def script(text: str, seats: int = 2, **options: str) -> ScriptGame:
    """Make the game of a rule file. `text` is its text, or the name of a built-in one."""
    text = text if "\n" in text else built_in_text(text)
    return ScriptGame("script", seats, {**USUAL, "rules": rule_digest(text), **options})


class ClearTable:
    """Match in which the dealer sees all cards. `sees` has the cards that each seat has been
    shown.
    """

    def __init__(
        self,
        game: ScriptGame,
        seed: int = 0,
        texts: str = "",
        decks: tuple[Loadout, ...] = (),
        kind: type = Random,
    ) -> None:
        """Begin a match. `kind` is the kind of randomness."""
        self.game, self.rng = game, kind(seed)
        bound = MatchBinding(BOUND.match_id, BOUND.identities[: game.seats])
        brings = decks or (Loadout(text=texts),) * game.seats
        self.halves = [
            ScriptPrivateHalf(game, bound, seat, self.rng, brings[seat])
            for seat in range(game.seats)
        ]
        self.state: ScriptState = game.bind(
            game.start(JointRandomness(b"", [seed.to_bytes(32, "big")])), bound
        )
        self.deal = OpenDeal(game.seats, self.rng)
        self.moves: list[tuple[int, Action]] = []
        self.misplays: tuple[Misplay, ...] = ()

    def held(self, seat: int) -> DeckHand:
        half = self.halves[seat]
        # so that the half learns of every entry
        half.respond(self.state, half.hand(self.deal.sees[seat]))
        return half.hand(self.deal.sees[seat])

    def post(self, seat: int, action: Action) -> None:
        """Post an action in decoded form. Raises: Refused, Broken."""
        action = self.game.parse(list(action))
        for operation in self.game.check(self.state, seat, action):
            assert isinstance(operation, OpenCard)
            assert self.deal.reveal(operation)
        self.state = self.game.apply(self.state, seat, action)
        self.moves.append((seat, action))

    def onward(self) -> Act | None:
        """Deal, and post the actions of programs, until a seat has a choice. Return None if the
        match is over.
        """
        while True:
            want = self.game.wants(self.state)
            match want:
                case Over():
                    return None
                case Settle():
                    self.state, wrong = self.game.settle(self.state, (), ())
                    self.misplays += wrong
                    if wrong:  # these seats are out, as in the fold
                        return None
                case Act() if want.automatic:
                    seat = self.rng.choice(want.seats)
                    action = self.halves[seat].respond(self.state, self.held(seat))
                    assert action is not None
                    self.post(seat, action)
                case Act():
                    return want
                case Lay(piles):
                    self.deal.lay(piles)
                    self.state = self.game.after_deal(self.state, ())
                case tuple():
                    self.state = self.game.after_deal(self.state, self.deal.handle(want))

    def choices(self, seat: int) -> tuple[Action, ...]:
        return self.game.legal(self.state, seat, self.held(seat))

    def play(self, most: int = 2000) -> ScriptState:
        """Play to the end with random choices."""
        for _ in range(most):
            want = self.onward()
            if want is None:
                return self.state
            seat = self.rng.choice(want.seats)
            choices = self.choices(seat)
            assert choices, (self.state, seat)
            kinds = sorted({action[0] for action in choices})
            kind = self.rng.choice(kinds)
            self.post(seat, self.rng.choice([action for action in choices if action[0] == kind]))
        raise AssertionError("no end")
