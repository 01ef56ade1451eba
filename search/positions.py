"""A position outside any match: a game's beginning, moves as people type them, and a view to read
and show it by.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from protocol.errors import LocalError
from protocol.games import Action, Game
from protocol.games.game_view import GameView
from protocol.games.spec import GameSpec
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, Translate, phrase_renderer, sanitize
from protocol.view.view import SeatView, TrustView, TurnView, View
from search.search_game import State, search_game

SHOWN = 12  # choices that an error names


class _FirstBegins:
    """What is left to chance is decided so that seat 0 begins, and nothing is shuffled. A
    `Chance`.
    """

    def uniform_below(self, bound: int) -> int:
        return 0

    def coin(self) -> bool:
        return False

    def order(self, count: int) -> tuple[int, ...]:
        return tuple(range(count))


def opening_position(game: Game) -> State:
    """The position before the first move. Raises: LocalError for a game that search cannot
    judge.
    """
    search_game(game)
    chance: Any = _FirstBegins()
    return game.start(chance)


def seat_speaker(translate: Translate) -> Say:
    """What speaks of the two who play, who have no names here."""
    return phrase_renderer(
        translate, [translate("solve.first", None), translate("solve.second", None)]
    )


def view_at(row: GameSpec, game: Game, state: State, say: Say) -> View:
    """The position as who is to move sees it; nobody when the game is over."""
    seat, view = search_game(game).turn(state), row.load_view()
    names = say(phrase("solve.first")), say(phrase("solve.second"))
    standings = enumerate(view.standings(game, state))
    return View(
        version=0,
        match="",
        game=row.name,
        number=0,
        stage="",
        seats=tuple(SeatView(seat, names[seat], "", standing) for seat, standing in standings),
        you=seat,
        board=view.board(game, state),
        hand=(),
        made=None,
        offers=() if seat is None else view.offers(game, state, seat, ()),
        turns=() if seat is None else (TurnView(seat, 0),),
        deal=None,
        result=view.result(game, state),
        winners=(),
        trust=TrustView(0, (), None, None, row.dealing.name, ()),
    )


def move_phrase(view: GameView, game: Game, state: State, seat: int, action: Action) -> Phrase:
    """A move in a word or two: as the view calls it (its optional function `move`), else as it is
    offered.
    """
    named = getattr(view, "move", None)
    if named is not None:
        found: Phrase = named(game, state, seat, action)
        return found
    offers = view.offers(game, state, seat, ())
    labels = (offer.label for offer in offers if action in offer.actions())
    return next(labels, phrase("generic.offer", action=" ".join(map(str, action))))


def line_phrases(row: GameSpec, game: Game, state: State, moves: Sequence[Action]) -> list[Phrase]:
    """A line of play, each move as it is offered where it is made."""
    rules, view, said = search_game(game), row.load_view(), []
    for move in moves:
        seat = rules.turn(state)
        assert seat is not None
        said.append(move_phrase(view, game, state, seat, move))
        state = rules.child(state, seat, move)
    return said


def parse_position(row: GameSpec, game: Game, text: str, say: Say) -> State:
    """The position that a text says: as the game writes positions, or by the moves that lead to it.

    Moves stand between commas, semicolons or spaces. Raises: LocalError for what is neither.
    """
    read = getattr(game, "position", None)
    found = read(text.strip()) if read is not None else None
    if found is not None:
        return found
    state, rules = opening_position(game), search_game(game)
    words = _moves(
        text,
        lambda whole: (
            row.load_text().parse_choice(view_at(row, game, state, say), say, whole) is not None
        ),
    )
    for number, word in enumerate(words, 1):
        if (seat := rules.turn(state)) is None:
            raise LocalError("solve.moves.over", number=number - 1)
        action = _typed(row, game, state, word, say, number)
        state = rules.child(state, seat, action)
    return state


def _moves(text: str, is_one: Callable[[str], bool]) -> list[str]:
    """The moves of a text, apart: a move of several words stands whole between commas, or alone."""
    parts = re.split("[,;]", text) if re.search("[,;]", text) else text.split()
    if len(parts) > 1 and not re.search("[,;]", text):
        try:
            whole = is_one(text.strip().lower())
        except LocalError:  # it is one, if a wrong one
            whole = True
        parts = [text] if whole else parts
    return [part.strip() for part in parts if part.strip()]


def _typed(row: GameSpec, game: Game, state: State, word: str, say: Say, number: int) -> Action:
    view = view_at(row, game, state, say)
    try:
        action = row.load_text().parse_choice(view, say, word.lower())
    except LocalError as error:
        raise LocalError(
            "solve.moves.why", number=number, move=sanitize(word), why=error.phrase
        ) from None
    if action is None or action not in game.legal(state, view.you or 0, ()):
        labels = [offer.label for offer in view.offers]
        more = (phrase("solve.more"),) if labels[SHOWN:] else ()
        raise LocalError(
            "solve.moves.what", number=number, move=sanitize(word), offers=(*labels[:SHOWN], *more)
        )
    return action
