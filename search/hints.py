"""Hints for a person in a game without hidden pieces: the best move, and the value of each move.

Only that person sees a hint.
"""

from bots.bot_view import OpenView
from bots.think_limits import SearchStrength
from protocol.errors import LocalError
from protocol.games.spec import GameSpec
from protocol.limits import HINT_NODES
from protocol.view.phrase import Phrase, phrase
from protocol.view.view import View
from search import DRAW, WIN, SearchEffort
from search.move_values import RatedMove, certain_outcome, rate_moves
from search.positions import line_phrases, move_phrase
from search.search_game import search_game
from search.tree_drawing import number_text

LINE = 8  # most moves of a line in a hint


def hint(view: View, spec: GameSpec, strength: SearchStrength, *, why: bool) -> list[Phrase]:
    """Say the best move of the seat to move. `why` adds the value of each move and the expected
    play.

    Raises: LocalError if pieces are hidden, if search cannot judge the game, or if another seat is
    to move.
    """
    if not isinstance(view, OpenView):
        raise LocalError("hint.hidden")
    game = view.position.game
    state = view.position.state
    rules = search_game(game, spec.load_solver())
    if view.you is None or rules.turn(state) != view.you:
        raise LocalError("typed.not_your_turn")
    found = rate_moves(rules, state, SearchEffort(strength.nodes or HINT_NODES, strength.stop))
    named = [
        move_phrase(spec.load_view(), game, state, view.you, judged.line[0]) for judged in found
    ]
    told = [_best(found[0], named[0], sum(judged.nodes for judged in found))]
    if why:
        told += [
            phrase("hint.move", move=name, value=_value(one))
            for one, name in zip(found, named, strict=True)
        ]
        if len(found[0].line) > 1:
            told.append(
                phrase(
                    "hint.line", moves=tuple(line_phrases(spec, game, state, found[0].line[:LINE]))
                )
            )
    return told


def _best(judged: RatedMove, move: Phrase, nodes: int) -> Phrase:
    sure = certain_outcome(judged)
    if sure is None:
        return phrase("hint.best.guess", move=move, value=number_text(judged.value), count=nodes)
    if sure == DRAW:
        return phrase("hint.best.draw", move=move)
    return phrase("hint.best.wins" if sure == WIN else "hint.best.loses", move=move)


def _value(judged: RatedMove) -> Phrase:
    sure = certain_outcome(judged)
    if sure is None:
        return phrase("hint.value.guess", value=number_text(judged.value))
    if sure == DRAW:
        return phrase("hint.value.draw")
    return phrase("hint.value.wins" if sure == WIN else "hint.value.loses")
