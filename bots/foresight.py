"""Bot for games by rule files. It knows nothing about the game in advance, and tries what the file
does.
"""

from random import Random

from bots.bot_view import HeldView
from bots.random_bot import random_bot
from protocol.games import Action
from protocol.games.scripted.engine.state import ScriptState
from protocol.games.scripted.foresight import choose_by_lookahead
from protocol.games.scripted.game import ScriptGame
from protocol.view.view import View


def foresight_bot(view: View, rng: Random) -> Action:
    """Choose an action whose outcome is rated best in random worlds that agree with the seat's
    knowledge. With a plain view, or in a game without a rule file, choose as `random`.
    """
    if not isinstance(view, HeldView) or view.you is None:
        return random_bot(view, rng)
    game, state = view.position.game, view.position.state
    if not isinstance(game, ScriptGame) or not isinstance(state, ScriptState):
        return random_bot(view, rng)
    return choose_by_lookahead(game, state, view.you, view.held, rng)
