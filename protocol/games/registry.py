"""The games there are, by the names that people and tables call them by."""

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Game, Options
from protocol.games.dominoes import Dominoes

GAMES = {"block-dominoes": Dominoes.create, "draw-dominoes": Dominoes.create}
DEALT_LAYERED = frozenset({"block-dominoes", "draw-dominoes"})  # unless said otherwise; all others are dealt verified


def default_dealing(name: str) -> str:
    """How a game is dealt when nobody says how."""
    return "layered" if name in DEALT_LAYERED else "verified"


def create_game(name: str, seats: int, options: Options) -> Game:
    """The rules of a game; raises `Refused(BAD_OPTIONS)` for an unknown name, option or value."""
    if name not in GAMES:
        raise Refused(Code.BAD_OPTIONS)
    return GAMES[name](name, seats, options)
