"""Hidden pieces of others are in no view: two matches that differ only in them look the same until
the pieces are opened.
"""

import json
from random import Random
from typing import Any

import pytest

from protocol.dealing.registry import fitting_dealings
from protocol.games.registry import BUILT_IN
from protocol.games.spec import Information
from protocol.match.seat_view import view_of
from protocol.view.encoding import encode_json
from tests.support.relabelled import Moment, Played, played, swapped

pytestmark = pytest.mark.match
# these texts name the tile that the rules call for, whoever has it
CALLED = (
    "dominoes.denied",
    "dominoes.offer.deny",
    "dominoes.prompt.deny",
    "dominoes.unfit.call",
)
# a match of it takes minutes; its views use only hands and faces, as with `verified`
LONG = "residue"
HIDING = [
    row
    for row in BUILT_IN.specs.values()
    # games with private halves: `games/test_script_views`
    if row.information is Information.HIDDEN and not row.private_half
]
ALL: list[tuple[str, str, dict[str, int | str], int]] = [
    *(
        (row.name, dealing, {}, 3)
        for row in HIDING
        for dealing in fitting_dealings(row.create(3, {}))
        if dealing != LONG
    ),
    ("block-dominoes", "verified", {"partners": "yes"}, 4),
    ("draw-dominoes", "layered", {"scoring": "fives"}, 3),
    ("texas-holdem", "verified", {"limit": "fixed"}, 3),
]


def seen_by(you: int | None, moment: Moment) -> list[object]:
    """Return all information for this seat, or a spectator, at a moment."""
    hand = () if you is None else moment.hands[you]
    return [view_of(moment.match, you, hand), *moment.deeds]


@pytest.mark.parametrize(("game", "dealing", "options", "seats"), ALL)
def test_view_is_independent_of_pieces_hidden_by_others(game, dealing, options, seats):
    """For each seat and a spectator, at some moment: all pieces hidden from it are rearranged, and
    everything that it has seen stays the same.
    """
    match, rng = played(game, dealing, options, seats), Random(5)
    assert not match.offline.live.match.faults
    dealt = [at for at, moment in enumerate(match.moments) if of_first_deal(moment)]
    for you in (None, *range(seats)):
        until = dealt[-1] if you is None else rng.choice(dealt)
        other = otherwise(match, you, until, rng)
        for one, two in zip(match.moments[: until + 1], other.moments, strict=False):
            assert seen_by(you, one) == seen_by(you, two)
        assert len(other.moments) > until


def of_first_deal(moment: Moment) -> bool:
    """Return whether its cards are dealt, and none is owed."""
    deal = moment.match.deal
    return moment.match.deal_number == 0 and deal is not None and deal.ready


def otherwise(match: Played, you: int | None, until: int, rng: Random) -> Played:
    """Return the same match up to a moment, with all unseen pieces rearranged among places and
    other hands.
    """
    moment = match.moments[until]
    context = moment.match.deal.context
    piles = [context.pile_cards(number) for number in range(len(context.piles))]
    own = (
        set()
        if you is None
        else {piece for each in match.moments[: until + 1] for piece in each.hands[you]}
    )
    hidden = [piece for pile in piles for piece in pile if piece not in moment.public | own]
    for _ in range(20):
        other = match.again(swapped(hidden, piles, rng), until)
        there = other.moments[until].hands
        if you is None or len(hidden) < 2:
            # own decks belong to no hand
            changed = there != moment.hands or len(hidden) < 2 or not any(there)
        else:
            assert there[you] == moment.hands[you]
            changed = all(
                set(there[seat]) != set(hand)
                for seat, hand in enumerate(moment.hands)
                if seat != you and hand
            )
        if changed:
            return other
    raise AssertionError("nobody holds anything else")


@pytest.mark.parametrize(("game", "dealing", "options", "seats"), ALL)
def test_view_shows_no_secret_face_of_others(game, dealing, options, seats):
    """The view is in the form sent to a page."""
    match = played(game, dealing, options, seats)
    setup = match.offline.live.match.setup
    faces = [
        names(setup.view.piece(setup.game, piece).faces) for piece in range(len(setup.game.pieces))
    ]
    found = 0
    for moment in match.moments:
        for you in (None, *range(seats)):
            hand = () if you is None else moment.hands[you]
            told = json.loads(encode_json(view_of(moment.match, you, hand)))
            shown = set(faces_in(told)) | {
                face for deed in moment.deeds for face in faces_in(json.loads(encode_json(deed)))
            }
            assert shown <= {faces[piece] for piece in moment.public | set(hand)}
            found += len(shown)
    assert found


def names(faces: Any) -> tuple[str, ...]:
    return tuple(sorted(map(str, faces)))


def faces_in(value: Any) -> list[tuple[str, ...]]:
    """Return the faces of all pieces in the JSON of a view or a deed."""
    if isinstance(value, list):
        return [face for each in value for face in faces_in(each)]
    if not isinstance(value, dict):
        return []
    if value.get("key") in CALLED:
        return []
    found = [names(tile) for tile in value["tiles"]] if value.get("is") == "line" else []
    if value.get("faces") is not None:
        found += [
            names(each)
            for each in (value["faces"] if value.get("is") == "pieces" else [value["faces"]])
        ]
    return found + [face for each in value.values() for face in faces_in(each)]
