"""Hints for a person in a game without hidden pieces: the best move, and the value of each move.

Only that person sees a hint.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from bots.bot_view import OpenView
from bots.hint import Hint
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

LINE = 8  # most moves of a line in a hint
MOST_LINES = 6  # most moves of the same value that have a line each
EVEN = 0.1  # an estimated value nearer to zero favours nobody, on a scale from −1 to 1


def hint(view: View, spec: GameSpec, strength: SearchStrength, *, why: bool) -> Hint:
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
        told += _move_values(found, named)
        if len(found[0].line) > 1:
            told.append(
                phrase(
                    "hint.line", moves=tuple(line_phrases(spec, game, state, found[0].line[:LINE]))
                )
            )
    return Hint(tuple(told), found[0].line[0])


def _move_values(found: Sequence[RatedMove], named: Sequence[Phrase]) -> list[Phrase]:
    """Say the value of each move; many moves of the same value in a row come into one line."""
    told = []
    rated = zip(map(_value, found), named, strict=True)
    for value, group in groupby(rated, key=itemgetter(0)):
        moves = tuple(move for _, move in group)
        if len(moves) > MOST_LINES:
            told.append(phrase("hint.moves", moves=moves, value=value))
        else:
            told += [phrase("hint.move", move=move, value=value) for move in moves]
    return told


def _guess(value: float) -> Phrase:
    """Return an estimated value in words."""
    if abs(value) < EVEN:
        return phrase("hint.value.even")
    return phrase("hint.value.good" if value > 0 else "hint.value.bad")


def _best(judged: RatedMove, move: Phrase, nodes: int) -> Phrase:
    sure = certain_outcome(judged)
    if sure is None:
        return phrase("hint.best.guess", move=move, value=_guess(judged.value), count=nodes)
    if sure == DRAW:
        return phrase("hint.best.draw", move=move)
    return phrase("hint.best.wins" if sure == WIN else "hint.best.loses", move=move)


def _value(judged: RatedMove) -> Phrase:
    sure = certain_outcome(judged)
    if sure is None:
        return phrase("hint.value.guess", value=_guess(judged.value))
    if sure == DRAW:
        return phrase("hint.value.draw")
    return phrase("hint.value.wins" if sure == WIN else "hint.value.loses")
