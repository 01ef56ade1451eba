"""Positions outside a match: the opening, positions that a person types, and views to show them."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from protocol.errors import LocalError
from protocol.games import Action, AnyGame
from protocol.games.game_view import AnyGameView
from protocol.games.open_game import OpenGame
from protocol.games.spec import GameSpec
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, Translate, phrase_renderer, sanitize
from protocol.view.view import SeatView, TrustView, TurnView, View
from search.search_game import State, search_game

SHOWN = 12  # most choices that an error lists


class _FirstBegins:
    """Chance that lets seat 0 begin and shuffles nothing. Stands in for a `JointRandomness`."""

    def uniform_below(self, bound: int) -> int:
        return 0

    def coin(self) -> bool:
        return False

    def permutation(self, count: int) -> tuple[int, ...]:
        return tuple(range(count))


def opening_position(game: AnyGame) -> State:
    """Return the position before the first move. Raises: LocalError for a game that search cannot
    judge.
    """
    search_game(game)
    chance: Any = _FirstBegins()
    return game.start(chance)


def seat_speaker(translate: Translate) -> Say:
    """Make a `Say` that calls the two seats first and second: seats have no names here."""
    return phrase_renderer(
        translate, [translate("solve.first", None), translate("solve.second", None)]
    )


def view_at(spec: GameSpec, game: AnyGame, state: State, say: Say) -> View:
    """Make the view of the seat to move; of no seat when the game is over."""
    seat = search_game(game).turn(state)
    view = spec.load_view()
    names = say(phrase("solve.first")), say(phrase("solve.second"))
    standings = enumerate(view.standings(game, state))
    return View(
        version=0,
        match="",
        game=spec.name,
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
        trust=TrustView(0, (), None, None, spec.dealing.name, ()),
    )


def move_phrase(
    view: AnyGameView, game: AnyGame, state: State, seat: int, action: Action
) -> Phrase:
    """Name a move in a word or two: by the optional function `move` of the view, else by its
    offer.
    """
    named = getattr(view, "move", None)
    if named is not None:
        found: Phrase = named(game, state, seat, action)
        return found
    offers = view.offers(game, state, seat, ())
    labels = (offer.label for offer in offers if action in offer.actions())
    return next(labels, phrase("generic.offer", action=" ".join(map(str, action))))


def line_phrases(
    spec: GameSpec, game: AnyGame, state: State, moves: Sequence[Action]
) -> list[Phrase]:
    """Name the moves of a line, each by its offer in the position where the move is made."""
    rules = search_game(game)
    view = spec.load_view()
    said = []
    for move in moves:
        seat = rules.turn(state)
        assert seat is not None
        said.append(move_phrase(view, game, state, seat, move))
        state = rules.child(state, seat, move)
    return said


def parse_position(spec: GameSpec, game: AnyGame, text: str, say: Say) -> State:
    """Read a position: in the game's own notation, or as the moves that lead to the position.

    Commas, semicolons or spaces separate moves. Raises: LocalError for any other text.
    """
    if isinstance(game, OpenGame):
        found = game.position(text.strip())
    else:
        found = None
    if found is not None:
        return found
    state, rules = opening_position(game), search_game(game)
    words = _moves(
        text,
        lambda whole: (
            spec.load_text().parse_choice(view_at(spec, game, state, say), say, whole) is not None
        ),
    )
    for number, word in enumerate(words, 1):
        if (seat := rules.turn(state)) is None:
            raise LocalError("solve.moves.over", number=number - 1)
        action = _typed(spec, game, state, word, say, number)
        state = rules.child(state, seat, action)
    return state


def _moves(text: str, is_one: Callable[[str], bool]) -> list[str]:
    """Split a text into moves. A move of several words needs commas around it, or must be the only
    move.
    """
    if re.search("[,;]", text):
        parts = re.split("[,;]", text)
    else:
        parts = text.split()
    if len(parts) > 1 and not re.search("[,;]", text):
        try:
            whole = is_one(text.strip().lower())
        except LocalError:  # a move of this form, though an illegal one
            whole = True
        parts = [text] if whole else parts
    return [part.strip() for part in parts if part.strip()]


def _typed(spec: GameSpec, game: AnyGame, state: State, word: str, say: Say, number: int) -> Action:
    view = view_at(spec, game, state, say)
    try:
        action = spec.load_text().parse_choice(view, say, word.lower())
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
