"""Who makes a seat's moves: a bot, at once, or a person, who is asked first."""

from collections.abc import Callable
from random import Random

from bots.registry import Bot
from player import events
from player.seat.deterministic import DeterministicSeat
from protocol.dealing import Post
from protocol.games import Action
from protocol.match.state import Match


class Choosing:
    """The moves of one seat in one match. `chooser` None: a person chooses, through `choose`."""

    def __init__(self, chooser: Bot | None, rng: Random, tell: Callable[[events.Event], None]) -> None:
        self._chooser, self._rng, self._tell = chooser, rng, tell
        self._chosen: tuple[int, Action] | None = None  # a person's choice, and since which entry it was our turn
        self._asked = -1  # since which entry it is the turn that a person has been asked about

    def choose(self, match: Match, action: Action) -> None:
        """A person's choice for the present turn."""
        self._chosen = match.since, action

    def move(self, own: DeterministicSeat, match: Match) -> Post | None:
        """The move that is chosen, if it is our turn; a person who has not chosen yet is asked, once."""
        choices = own.seat.choices(match)
        action = self._choice(own, match, choices) if choices else None
        return None if action is None else own.move(action)

    def _choice(self, own: DeterministicSeat, match: Match, choices: tuple[Action, ...]) -> Action | None:
        seat = own.seat
        if self._chooser is not None:
            return self._chooser(match.setup.game, match.game, seat.number, seat.hand, choices, self._rng)
        if self._chosen is not None and self._chosen[0] == match.since and self._chosen[1] in choices:
            return self._chosen[1]
        if self._asked != match.since:
            self._asked = match.since
            self._tell(events.YourTurn(match, choices))
        return None
