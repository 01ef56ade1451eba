"""The choice of a seat's moves: a bot chooses at once, and a person is asked first."""

from collections.abc import Callable
from random import Random

from bots.registry import Bot
from player.client import events
from player.client.deterministic_seat import DeterministicSeat
from protocol.dealing import Post
from protocol.games import Action
from protocol.match.state import Match


class ActionChooser:
    """The moves of one seat in one match. `chooser` None: a person chooses, through `choose`."""

    def __init__(
        self, chooser: Bot | None, rng: Random, tell: Callable[[events.Event], None]
    ) -> None:
        self._chooser = chooser
        self._rng = rng
        self._tell = tell
        # a person's choice, and the match in which it was made
        self._chosen: tuple[Match, Action] | None = None
        # the newest question to the person: the entry since which it is our turn, and the choices
        self._asked: tuple[int, tuple[Action, ...]] = (-1, ())

    def choose(self, match: Match, action: Action) -> None:
        """Take a person's choice for the present turn."""
        self._chosen = match, action

    def move(self, own: DeterministicSeat, match: Match) -> Post | None:
        """Return the chosen move, if it is this seat's turn. A person who has not chosen yet is
        asked once.
        """
        choices = own.seat.choices(match)
        if choices:
            action = self._choice(own, match, choices)
        else:
            action = None
        return None if action is None else own.move(action)

    def _choice(
        self, own: DeterministicSeat, match: Match, choices: tuple[Action, ...]
    ) -> Action | None:
        seat = own.seat
        turn = match.duty_since(own.seat.number)
        if self._chooser is not None:
            return self._chooser(seat.seen(match), self._rng)
        if self._chosen is not None:
            chosen_at, action = self._chosen
            if chosen_at.duty_since(seat.number) == turn and action in choices:
                return action
        if self._asked != (turn, choices):
            self._asked = turn, choices
            self._tell(events.YourTurn(match, choices))
        return None
