"""Help for a person where nothing is hidden: the best move, and what each is worth, in words.
Nobody else hears.
"""

from bots.bot_view import OpenView
from bots.think_limits import Strength
from protocol.errors import LocalError
from protocol.games.spec import Row
from protocol.limits import HINT_NODES
from search import (DRAW, WIN, Effort)
from search.move_values import (Judged, judge, outcome)
from search.tree_drawing import number_text
from search.positions import (move_phrase, moves_in_words)
from search.search_game import rules_of
from protocol.view.phrase import Phrase, phrase
from protocol.view.view import View

LINE = 8  # moves of a line that are told


def hint(view: View, row: Row, strength: Strength, *, why: bool) -> list[Phrase]:
    """The best move of who is to move, and with `why` all moves and how it would go on.

    Raises: LocalError where something is hidden, where search cannot judge, and when it is not
    one's turn.
    """
    if not isinstance(view, OpenView):
        raise LocalError("hint.hidden")
    game, state = view.position.game, view.position.state
    rules = rules_of(game, row.own_solver())
    if view.you is None or rules.turn(state) != view.you:
        raise LocalError("typed.not_your_turn")
    found = judge(rules, state, Effort(strength.nodes or HINT_NODES, strength.stop))
    named = [
        move_phrase(row.game_view(), game, state, view.you, judged.line[0]) for judged in found
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
                    "hint.line", moves=tuple(moves_in_words(row, game, state, found[0].line[:LINE]))
                )
            )
    return told


def _best(judged: Judged, move: Phrase, nodes: int) -> Phrase:
    sure = outcome(judged)
    if sure is None:
        return phrase("hint.best.guess", move=move, value=number_text(judged.value), count=nodes)
    if sure == DRAW:
        return phrase("hint.best.draw", move=move)
    return phrase("hint.best.wins" if sure == WIN else "hint.best.loses", move=move)


def _value(judged: Judged) -> Phrase:
    sure = outcome(judged)
    if sure is None:
        return phrase("hint.value.guess", value=number_text(judged.value))
    if sure == DRAW:
        return phrase("hint.value.draw")
    return phrase("hint.value.wins" if sure == WIN else "hint.value.loses")
