"""Guidance in views: what a seat can do, why other pieces cannot be played, why the match is over."""

import re
from collections.abc import Iterator

import pytest

from bots.random_bot import random_bot
from protocol.audit.report_text import match_phrase_renderer
from protocol.i18n import english, load_translator
from protocol.match.seat_view import view_of
from protocol.match.state import MatchStage
from protocol.view.view import View
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match
ENDS = {  # by game: its options, and the reason of the end as a spectator reads it
    "matches": ({}, r"(Ann|Bob) takes the last one, and wins\."),
    "connect-four": ({}, r"(Ann|Bob) has four in a line\."),
    "block-dominoes": ({"target": 30}, r"(Ann|Bob) has reached 30 points: \d+ : \d+\."),
    "five-card-draw": (
        {"hands": 4},
        r"4 hands are over; (Ann|Bob) has the most chips: \d+ : \d+\."
        r"|4 hands are over, and several have the most chips: \d+ : \d+\.",
    ),
    "crazy-eights": ({}, r"(Ann|Bob) has laid the last card of the hand\."),
}
DEALINGS = {
    "block-dominoes": "layered",
    "five-card-draw": "commutative",
    "crazy-eights": "verified",
}
PROMPTS = {  # sentences that one of the seats reads in such a match
    "matches": {"Your turn: take 1 to 3."},
    "connect-four": {"Your turn: drop a stone into a column."},
    "block-dominoes": {
        "Your turn: lay any of your tiles.",
        "Your turn: lay a tile that fits.",
        "Your turn: none of your tiles fits. You have to pass.",
    },
    "five-card-draw": {"Your turn: put away up to 5 cards, or keep all."},
    "crazy-eights": {
        "Your turn: play a card that fits.",
        "Your turn: none of your cards fits. Draw a card.",
        "Your turn: name the suit that comes next.",
    },
}


def match_of(game: str) -> Offline:
    options, _ = ENDS[game]
    match = make_offline(2, 3, game, options, dealing=DEALINGS.get(game, "none"))
    match.bots = (random_bot, random_bot)
    return match


def views(match: Offline) -> Iterator[View]:
    """Play to the end; yield the views of seats that have something on offer."""
    while sum(match.step(each) for each in match.seats):
        for seat, reader in zip(match.seats, match.readers, strict=True):
            match.catch_up(reader)
            view = seat.view(reader.match)
            if reader.match.stage is MatchStage.PLAYING and view.offers:
                yield view


@pytest.mark.parametrize("game", ENDS)
def test_seat_is_told_what_to_do_and_why_it_ended(game: str) -> None:
    match = match_of(game)
    say = match_phrase_renderer(match.live.match, translate=english)
    told = set()
    for view in views(match):
        assert view.ending is None
        told |= {"" if view.prompt is None else say(view.prompt)}
        for reason in (view.prompt, view.unfit):
            assert reason is None or "{" not in match_phrase_renderer(
                match.live.match, translate=load_translator("de")
            )(reason)
    assert PROMPTS[game] <= told and "" not in told
    end = view_of(match.live.match)
    assert match.live.match.over and end.ending is not None
    assert re.fullmatch(ENDS[game][1], say(end.ending)) and end.prompt is end.unfit is None


def test_unfit_tile_is_explained_by_ends_or_call() -> None:
    match = match_of("block-dominoes")
    say = match_phrase_renderer(match.live.match, translate=english)
    found = set()
    for view in views(match):
        if view.unfit is not None and view.board.ends is None:
            assert re.fullmatch(r"\d-\d begins the hand\.", say(view.unfit))
            found.add(0)
        elif view.unfit is not None:
            ends = sorted(set(view.board.ends))
            numbers = " and ".join(map(str, ends))
            said = "open end is" if len(ends) == 1 else "open ends are"
            assert say(view.unfit) == f"The {said} {numbers}."
            found.add(len(ends))
    assert found == {0, 1, 2}


@pytest.mark.parametrize("game", ["mau-mau", "mau-mau-shared"])
def test_jack_that_does_not_fit_has_the_rule_as_reason(game: str) -> None:
    match = make_offline(2, 3, game, {}, {"leavers": "threshold"}, dealing="verified")
    match.bots = (random_bot, random_bot)
    say = match_phrase_renderer(match.live.match, translate=english)
    view = next(view for view in views(match) if view.unfit is not None)
    assert "A jack does not go on a jack" in say(view.unfit)


def test_card_of_a_duel_that_always_fits_has_no_reason() -> None:
    match = make_offline(2, 3, "element-duel", {}, {"leavers": "threshold"}, dealing="verified")
    match.bots = (random_bot, random_bot)
    assert next(views(match)).unfit is None
