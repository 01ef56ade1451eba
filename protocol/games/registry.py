"""The games there are, by the names that people and tables call them by."""

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Game, Options
from protocol.games.dominoes import Dominoes

GAMES = {"block-dominoes": Dominoes.create, "draw-dominoes": Dominoes.create}


def create_game(name: str, seats: int, options: Options) -> Game:
    """The rules of a game; raises `Refused(BAD_OPTIONS)` for an unknown name, option or value."""
    if name not in GAMES:
        raise Refused(Code.BAD_OPTIONS)
    return GAMES[name](name, seats, options)
