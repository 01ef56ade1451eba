"""Views are plain data, complete in their offers, and without hidden pieces of others."""

import json
from dataclasses import fields, is_dataclass, replace
from functools import cache

import pytest

from protocol.dealing import Post
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.match.clock import Allowance
from protocol.match.fold import apply, begin
from protocol.match.log import decode_entry
from protocol.match.narration import narrate_entry
from protocol.match.seat_view import ClientKnowledge, view_of
from protocol.match.setup import Person
from protocol.match.state import MatchStage
from protocol.view.encoding import encode_json, encode_with_sentences
from protocol.view.phrase import Phrase
from protocol.view.text import phrase_renderer
from protocol.view.view import Narration
from tests.support.offline import NAMES, Offline, make_offline

SAY = phrase_renderer(english, NAMES)
DEALT = [
    ("block-dominoes", "layered", {"target": 30}),
    ("draw-dominoes", "layered", {}),
    ("draw-dominoes", "verified", {}),
    ("draw-dominoes", "commutative", {}),
    ("texas-holdem", "verified", {"hands": 2}),
    ("omaha", "commutative", {"hands": 2}),
    ("five-card-draw", "verified", {"hands": 2}),
    ("five-card-draw", "commutative", {}),
    ("ligretto", "verified", {}),
    ("element-duel", "seeded", {}),
    ("mau-mau", "verified", {}),
    ("mau-mau-shared", "verified", {}),
    ("crazy-eights", "verified", {}),
    ("script", "verified", {}),
    ("matches", "none", {}),
    ("nim", "none", {}),
    ("hexapawn", "none", {}),
    ("connect-four", "none", {}),
    ("intruder", "none", {}),
]
# seeds of matches that random bots end soon: others take 3,000 entries
SHORT = {"script": 7, "mau-mau-shared": 7}


def whole(game: str, dealing: str, options: dict, seats: int = 2) -> Offline:
    seats = min(seats, BUILT_IN.specs[game].seats[1])
    offline = make_offline(seats, SHORT.get(game, 3), game, options, dealing=dealing)
    offline.bots = ("random",)
    offline.play()
    assert offline.live.match.over and not offline.live.match.faults
    return offline


def steps(offline: Offline):
    match = begin(offline.live.log.setup, offline.live.log.match_id)
    for record in offline.live.records[1:]:
        entry = decode_entry(record.entry)
        after = apply(match, entry)
        yield match, entry, after
        match = after


def test_page_view_has_every_phrase_as_text():
    data = encode_with_sentences(view_of(make_offline(2).live.match), SAY)
    assert data["seats"][0]["name"] == "Ann" and data["board"] is None
    told = Narration(3, 0, "news", Phrase("match.dealing", (("number", 2),)))
    assert encode_with_sentences(told, SAY) == {
        "entry": 3,
        "author": 0,
        "kind": "news",
        "phrase": "Dealing hand 2.",
    }


@pytest.mark.match
@pytest.mark.parametrize(("game", "dealing", "options"), DEALT)
def test_views_and_deeds_are_plain_printable_data(game, dealing, options):
    assert {name for name, _, _ in DEALT} == set(BUILT_IN.specs)
    for before, entry, after in steps(whole(game, dealing, options)):
        for value in (
            view_of(after),
            view_of(after, after.setup.seats - 1),
            *narrate_entry(before, entry, after),
        ):
            is_frozen_data(value)
            assert json.loads(encode_json(value))
            for phrase in phrases_in(value):
                said = SAY(phrase)
                assert said and said.count("{") == str(phrase.args).count("{"), (
                    "but for a protocol's own"
                )
                assert said != phrase.key


@cache
def names_in(kind) -> tuple[str, ...] | None:
    """Return the fields of a frozen class; None for any other type."""
    if not is_dataclass(kind):
        return None
    assert kind.__dataclass_params__.frozen
    return tuple(field.name for field in fields(kind))


def is_frozen_data(value) -> None:
    names = names_in(type(value))
    if names is not None:
        for name in names:
            is_frozen_data(getattr(value, name))
    elif isinstance(value, tuple):
        for each in value:
            is_frozen_data(each)
    else:
        assert value is None or isinstance(value, int | str | bytes)


def phrases_in(value):
    if isinstance(value, Phrase):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from phrases_in(each)
    elif not isinstance(value, int | str | bytes | None):
        for name in names_in(type(value)):
            yield from phrases_in(getattr(value, name))


@pytest.mark.match
@pytest.mark.parametrize(("game", "dealing", "options"), DEALT)
def test_legal_actions_and_offers_are_equal(game, dealing, options):
    """Each action comes from one offer, and the rules accept every offer."""
    seats = 2 if game in SHORT else BUILT_IN.specs[game].default_seats
    offline = make_offline(seats, SHORT.get(game, 5), game, options, dealing=dealing)
    asked = 0

    def accept(live, raw, seat):
        nonlocal asked
        match, own = live.match, offline.seats[seat]
        legal = own.choices(match)
        if legal and decode_entry(raw).kind == "move":
            view = view_of(match, seat, own.held(match))
            asked += 1
            assert [offer.id for offer in view.offers] == list(range(len(view.offers)))
            assert sorted(every_action(view)) == sorted(legal)
            assert tuple(action for offer in view.offers for action in offer.actions()) == legal
        return live.offer(raw, seat)

    offline.accept = accept
    offline.play()
    assert asked and offline.live.match.over


def every_action(view):
    for offer in view.offers:
        if offer.amount:
            amounts = range(offer.amount.least, offer.amount.most + 1, offer.amount.step)
            yield from (offer.build_action(amount) for amount in amounts)
            assert {preset.amount for preset in offer.amount.presets} <= set(amounts)
            assert (
                offer.build_action(offer.amount.least - 1)
                is offer.build_action(offer.amount.most + 1)
                is offer.build_action()
                is None
            )
        elif offer.places:
            masks = range(1 << offer.places.hand)
            chosen = (
                offer.build_action(*(place for place in range(5) if mask >> place & 1))
                for mask in masks
            )
            yield from (action for action in chosen if action)
            assert (
                offer.build_action(1, 0)
                is offer.build_action(0, 0)
                is offer.build_action(-1)
                is None
            )
        else:
            yield offer.build_action()
            assert offer.build_action(0) is None


@pytest.mark.slow
def test_client_knowledge_is_only_in_its_view():
    match = whole("block-dominoes", "layered", {}).live.match
    aside = ClientKnowledge(
        last_met={1: 1_700_000_000},
        connected={0: True, 1: False},
        last_remarks={1: "hello"},
        log_path="mine.fairdeal",
    )
    view = view_of(match, 0, (), aside)
    assert (view.seats[1].since, view.seats[1].connected, view.seats[1].said) == (
        1_700_000_000,
        False,
        "hello",
    )
    assert view.seats[0].since is None and view.trust.saved == "mine.fairdeal"
    assert view_of(match).seats[1].connected is None


@pytest.mark.slow
def test_turn_view_shows_next_clock_event():
    offline = make_offline(2, 4, allowance=Allowance(1, 300, 60))
    while offline.live.match.stage is not MatchStage.PLAYING:
        assert sum(offline.step(seat) for seat in offline.seats)
    waited = dict.fromkeys(range(2), 1500)
    (turn,) = view_of(offline.live.match, aside=ClientKnowledge(waited=waited)).turns
    assert (turn.due, turn.after, turn.extensions, turn.waited) == ("warning", 50_000, 1, 1500)
    assert turn.since == offline.live.match.duty_since(turn.seat)
    offline.live.post_clock(Post("warning", [turn.seat, turn.after]))
    (turn,) = view_of(offline.live.match).turns
    assert (turn.due, turn.after) == ("extension", 60_000)


@pytest.mark.slow
def test_view_names_have_no_control_characters():
    match = whole("block-dominoes", "layered", {}).live.match
    people = (Person("A\x1b[2J", match.setup.people[0].identity), match.setup.people[1])
    match = replace(match, setup=replace(match.setup, people=people))
    assert view_of(match).seats[0].name == "A\ufffd[2J"


@pytest.mark.slow
def test_turn_view_marks_wait_that_may_be_longer():
    offline = make_offline(2, 4)
    while offline.live.match.stage is not MatchStage.PLAYING:
        assert sum(offline.step(seat) for seat in offline.seats)
    (turn,) = view_of(offline.live.match).turns
    assert turn.sure
    aside = ClientKnowledge(
        waited={turn.seat: 700, 1 - turn.seat: 900}, unsure=frozenset({turn.seat})
    )
    (turn,) = view_of(offline.live.match, aside=aside).turns
    assert (turn.waited, turn.sure) == (700, False)
