"""While pieces are dealt, a view shows no face but those that the seat knows afterwards."""

from collections.abc import Iterator
from typing import Any

import pytest

from protocol.games.registry import BUILT_IN
from protocol.match.seat_view import view_of
from protocol.match.state import Match, MatchStage
from protocol.view.view import View
from tests.support.offline import make_offline

DEALT = [
    (game, seats)
    for game, spec in BUILT_IN.specs.items()
    if spec.dealing.name != "none" and game != "script"
    for seats in sorted({min(spec.seats), min(3, max(spec.seats))})
]


def faces(view: View) -> set[Any]:
    """Return each face that the view shows, with its place."""
    shown = {("hand", piece.index, piece.faces) for piece in view.hand if piece.faces}
    for at, region in enumerate(getattr(view.board, "regions", ())):
        shown |= {(at, piece.index, piece.faces) for piece in region.pieces if piece.faces}
    for name in ("tiles", "cards"):
        shown |= {(name, str(piece)) for piece in getattr(view.board, name, ())}
    return shown


def first_deal(game: str, seats: int) -> Iterator[tuple[Match, int, View]]:
    """Yield each seat's view after each entry of the first deal, and those of the first moment at
    which a seat chooses.
    """
    dealing = BUILT_IN.specs[game].dealing.name
    shared = {"leavers": "threshold"} if dealing == "verified" else {}
    played = make_offline(seats, 3, game, {}, shared, dealing=dealing)
    reader, done = played.readers[0], False
    while not done:
        for seat in played.seats:
            played.step(seat)
            played.catch_up(reader)
            match = reader.match
            if match.deal is None:
                continue
            done = match.stage is MatchStage.PLAYING and any(
                one.choices(match) for one in played.seats if one.respond(match) is None
            )
            for one in played.seats:
                one.respond(match)
                yield match, one.number, view_of(match, one.number, one.held(match))
            if done:
                break


@pytest.mark.parametrize(("game", "seats"), DEALT)
def test_deal_shows_no_face_that_seat_does_not_know(game, seats):
    seen = list(first_deal(game, seats))
    known = {seat: faces(view) for _, seat, view in seen[-seats:]}
    assert all(known.values())  # something is dealt to everybody
    dealt = [(seat, view) for match, seat, view in seen if match.stage is MatchStage.DEALING]
    assert len(dealt) >= seats
    for seat, view in dealt:
        assert faces(view) <= known[seat]
