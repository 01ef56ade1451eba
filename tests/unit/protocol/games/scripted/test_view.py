"""A view of a game by a rule file shows public knowledge and the cards that its own seat has looked
at, no more.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest

from bots.random_bot import random_bot
from protocol.games.decks.deck_hand import DeckHand
from protocol.match.seat_view import view_of
from protocol.match.state import Match
from protocol.view.board import PieceView
from tests.support.offline import make_offline

pytestmark = pytest.mark.match


def pieces_in(value: object) -> Iterator[PieceView]:
    """Yield all cards in a view."""
    if isinstance(value, PieceView):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from pieces_in(each)
    elif is_dataclass(value):
        for field in fields(value):
            yield from pieces_in(getattr(value, field.name))


def readable(match: Match, held: DeckHand) -> set[int]:
    """Return the cards whose faces a seat can know: slots of others that it sees are numbers
    without a face.
    """
    state = match.game
    shown = state.decks.faces.keys() if state.decks is not None else range(len(state.pieces))
    open_cards = {card for card, piece in enumerate(state.pieces) if piece is not None}
    sees = {card: piece for card, piece in held.visible.items() if card not in open_cards}
    own = {
        card
        for card, piece in sees.items()
        if state.decks is None or piece in held.openings or piece in shown
    }
    return open_cards | own


@pytest.mark.parametrize(
    ("game", "dealing", "seats"),
    [("element-duel", "verified", 2), ("mau-mau", "seeded", 2), ("mau-mau-shared", "verified", 3)],
)
def test_view_shows_no_secret_face_of_others(game, dealing, seats):
    found = make_offline(seats, 7, game, {}, dealing=dealing)
    found.bots, shown, hidden = (random_bot,) * seats, 0, 0
    while found.live.match.next_number < 90 and sum(found.step(seat) for seat in found.seats):
        for seat in found.seats:
            match = found.readers[seat.number].match
            state = match.game
            if match.over or match.stage != "playing" or not getattr(state, "lies", ()):
                continue
            held = seat.held(match)
            assert isinstance(held, DeckHand)
            for you, holds in ((seat.number, held), (None, DeckHand({}, {}))):
                may = readable(match, holds)
                faces = {
                    piece.index for piece in pieces_in(view_of(match, you, holds)) if piece.faces
                }
                assert faces <= may
                shown, hidden = (
                    shown + len(faces),
                    hidden + len(set(range(len(state.pieces))) - may),
                )
    assert shown and hidden
