"""Views of positions that did not come from a match."""

from collections.abc import Sequence

from protocol.games import Action, Game, Hand
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.view.text import Say, phrase_renderer
from protocol.view.view import SeatView, TrustView, View

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal", "Ivy", "Jo")


def saying(names: Sequence[str] = NAMES) -> Say:
    """Make a function that renders phrases in English with these names."""
    return phrase_renderer(english, names)


def legal_in(view: View) -> tuple[Action, ...]:
    """Return all legal actions, in the order of the offers."""
    return tuple(action for offer in view.offers for action in offer.actions())


def position(
    game: Game, state, seat: int | None = None, hand: Hand = (), names: Sequence[str] = NAMES
) -> View:
    """Make the view of a seat with this hand in a state of the rules."""
    view = BUILT_IN.specs[game.name].load_view()
    people = zip(names, view.standings(game, state), strict=False)
    return View(
        version=1,
        match="",
        game=game.name,
        number=0,
        stage="playing",
        seats=tuple(
            SeatView(number, name, "", standing) for number, (name, standing) in enumerate(people)
        ),
        you=seat,
        board=view.board(game, state),
        hand=tuple(view.piece(game, piece) for piece in hand),
        made=view.hand_name(game, state, hand),
        offers=() if seat is None else view.offers(game, state, seat, hand),
        turns=(),
        deal=None,
        result=view.result(game, state),
        winners=(),
        trust=TrustView(0, (), None, None, "", ()),
    )
