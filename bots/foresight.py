"""The bot for games by rule files: whatever the file is, it knows no more of it than what it
does.
"""

from random import Random
from typing import cast

from bots.bot_view import HeldView
from bots.random_bot import random_bot
from protocol.games import Action
from protocol.games.scripted.foresight import choose_by_lookahead
from protocol.games.scripted.game import ScriptGame
from protocol.view.view import View


def foresight_bot(view: View, rng: Random) -> Action:
    """An action after which it stands best in worlds that it can think of; as random where it sees
    the view alone.
    """
    if not isinstance(view, HeldView) or view.you is None:
        return random_bot(view, rng)
    return choose_by_lookahead(
        cast(ScriptGame, view.position.game), view.position.state, view.you, view.held, rng
    )
