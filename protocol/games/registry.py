"""The games there are, by the names that people and tables call them by."""

from collections.abc import Callable

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Game, Options
from protocol.games.dominoes import Dominoes


def _poker(name: str, seats: int, options: Options) -> Game:
    """Poker's rules need pokerkit, which not everybody has installed."""
    try:
        from protocol.games.poker.rules import Poker
    except ModuleNotFoundError:
        raise Refused(Code.GAME_NOT_INSTALLED) from None
    return Poker.create(name, seats, options)


GAMES: dict[str, Callable[[str, int, Options], Game]] = {
    "block-dominoes": Dominoes.create,
    "draw-dominoes": Dominoes.create,
    "texas-holdem": _poker,
    "five-card-draw": _poker,
}
DEALT_LAYERED = frozenset({"block-dominoes", "draw-dominoes"})  # unless said otherwise; all others are dealt verified


def default_dealing(name: str) -> str:
    """How a game is dealt when nobody says how."""
    return "layered" if name in DEALT_LAYERED else "verified"


def default_dealing_options(name: str, dealing: str) -> Options:
    """What is told to a dealing when nobody says what: a leaver must not void a game for chips that others play on."""
    return {"leavers": "threshold"} if name not in DEALT_LAYERED and dealing == "verified" else {}


def create_game(name: str, seats: int, options: Options) -> Game:
    """The rules of a game; raises `Refused(BAD_OPTIONS)` for an unknown name, option or value."""
    if name not in GAMES:
        raise Refused(Code.BAD_OPTIONS)
    return GAMES[name](name, seats, options)
