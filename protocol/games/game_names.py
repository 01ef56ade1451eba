"""Error for a name that no game has."""

from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.i18n.near_names import near_names
from protocol.options import or_phrase
from protocol.view.text import Translate


def no_game(name: str, games: Games, translate: Translate) -> LocalError:
    """Return the error for a name that is no game's. `translate` gives the games' descriptions."""
    described = {spec.name: translate(spec.about, None) for spec in games.specs.values()}
    if near := near_names(name, described):
        return LocalError("wrong.no_game.near", name=name, near=or_phrase(near))
    return LocalError("wrong.no_game", name=name, names=or_phrase(tuple(games.specs)))
