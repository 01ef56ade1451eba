"""Rebuys in a match: signed between hands, whatever happens to the asked seat and to the others."""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.poker.phases import PokerPhase
from protocol.match.log import decode_entry
from protocol.match.state import Match, MatchStage
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

SHARED = {"leavers": "threshold"}


def gambler(view, rng):
    """Bot: go all in, and buy chips when all are lost."""
    offer = view.offers[-1]
    return (*offer.action, offer.amount.most) if offer.amount else offer.action


def match_of(seats: int = 2, dealing: str = "verified", options=None, **terms) -> Offline:
    match = make_offline(
        seats,
        3,
        "texas-holdem",
        {"stack": 20, "hands": 4, "rebuys": 1, **terms},
        options,
        dealing=dealing,
    )
    match.bots = (gambler,)
    return match


def until_asked(match: Offline) -> Match:
    while not (match.live.match.game and match.live.match.game.waiting):
        assert any(match.step(seat) for seat in match.seats)
    return match.live.match


def moves(match: Offline) -> list[str]:
    entries = [decode_entry(record.entry) for record in match.live.records]
    return [entry.body[0][0] for entry in entries if entry.kind == "move"]


@pytest.mark.parametrize(
    ("dealing", "options"), [("verified", None), ("verified", SHARED), ("commutative", None)]
)
def test_buyer_plays_on_with_all_chips_counted(dealing, options):
    match = match_of(2, dealing, options)
    asked = until_asked(match)
    assert asked.stage is MatchStage.PLAYING and asked.deal is None and sum(asked.scores) == 40
    match.play()
    over = match.live.match
    bought = sum(over.game.bought)
    assert bought == moves(match).count("rebuy") > 0
    assert sum(over.scores) == 20 * (2 + bought)
    assert audit(match.file()).verdict is Verdict.CLEAN and match.refused == []


def test_seat_asked_to_buy_has_no_cards():
    match = match_of()
    seat = match.seats[until_asked(match).game.waiting[0]]
    match.catch_up(match.readers[seat.number])
    assert seat.respond(match.readers[seat.number].match) is None
    view = seat.view(match.readers[seat.number].match)
    assert view.hand == () and [offer.kind for offer in view.offers] == ["decline", "rebuy"]


def test_silence_buys_nothing_and_is_no_fault():
    match = match_of(3)
    asked = until_asked(match).game
    silent = asked.waiting[0]
    match.lapse(silent)
    after = match.live.match
    assert silent in after.present and after.faults == () and silent in after.game.declined
    match.play()
    assert match.live.match.faults == () and match.live.match.over


@pytest.mark.parametrize("seats", [2, 3])
def test_seat_asked_to_buy_leaves(seats):
    match = match_of(seats, options=SHARED)
    leaver = until_asked(match).game.waiting[0]
    match.catch_up(match.readers[leaver])
    match.live.offer(
        match.seats[leaver].entry(match.readers[leaver].log, Post("leave", [])), leaver
    )
    match.play()
    over = match.live.match
    assert over.over and [(fault.seat, fault.code) for fault in over.faults] == [
        (leaver, Code.LEFT)
    ]
    assert sum(over.scores) == 20 * (seats + sum(over.game.bought)) and over.winner != leaver


def test_chip_owner_leaves_while_other_is_asked():
    match = match_of()
    asked = until_asked(match).game.waiting[0]
    rich = 1 - asked
    match.catch_up(match.readers[rich])
    match.live.offer(match.seats[rich].entry(match.readers[rich].log, Post("leave", [])), rich)
    match.play()
    over = match.live.match
    assert over.over and over.game.phase is PokerPhase.OVER and over.winner is None
    assert [(fault.seat, fault.code) for fault in over.faults] == [
        (rich, Code.LEFT)
    ] and over.scores[rich] == 40
