"""Sitting out in poker: turns end at once without the clock, chips and claims stay, and nobody is
named.
"""

from random import Random

import pytest

from protocol.audit.report_text import match_phrase_renderer
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.games.poker.phases import Decision
from protocol.match.log import decode_entry
from protocol.match.narration import narrate_entry
from protocol.match.state import Match, MatchStage
from protocol.view.board import SeatStatus
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

SHARED = {"leavers": "threshold"}


def caller(view, rng):
    """Bot: call, and muck a beaten hand."""
    offers = {offer.action[0]: offer for offer in view.offers}
    return offers.get("call", view.offers[-1]).action


def gambler(view, rng):
    """Bot: go all in."""
    offer = view.offers[-1]
    return (*offer.action, offer.amount.most) if offer.amount else offer.action


def drawing(view, rng):
    """Bot: exchange two cards, and call."""
    offers = {offer.action[0]: offer for offer in view.offers}
    return (
        ("exchange", 0, 2) if "exchange" in offers else offers.get("call", view.offers[-1]).action
    )


def match_of(
    seats: int = 3, game: str = "texas-holdem", dealing: str = "verified", options=SHARED, **terms
) -> Offline:
    match = make_offline(seats, 1, game, {"hands": 3, **terms}, options, dealing=dealing)
    match.bots = (caller,)
    return match


def says(match: Offline, seat: int, kind: str) -> Match:
    """Let the seat post an entry of this kind now."""
    match.catch_up(match.readers[seat])
    match.live.offer(match.seats[seat].entry(match.readers[seat].log, Post(kind, [])), seat)
    return match.live.match


def until(match: Offline, when) -> Match:
    while match.live.match.game is None or not when(match.live.match):
        assert any(match.step(seat) for seat in match.seats)
    return match.live.match


def betting(match: Match) -> bool:
    return match.stage is MatchStage.PLAYING and match.game.decision is Decision.BET


def moves(match: Offline, seat: int) -> list[str]:
    entries = [decode_entry(record.entry) for record in match.live.records]
    return [entry.body[0][0] for entry in entries if entry.kind == "move" and entry.author == seat]


def test_sitting_out_folds_at_once_and_next_seat_acts():
    match = match_of()
    actor = until(match, betting).game.to_act
    after = says(match, actor, "sit_out")
    assert (
        not after.game.running.live[after.game.players.index(actor)]
        and after.game.to_act != actor
        and after.duties_since == after.next_number - 1
    )
    assert after.clock.lapses_in_row == (0, 0, 0) and after.faults == ()


def test_sitting_out_and_its_actions_are_shown():
    match = match_of()
    before = until(match, betting)
    actor = before.game.to_act
    after = says(match, actor, "sit_out")
    entry = decode_entry(match.live.records[-1].entry)
    say, name = match_phrase_renderer(after), after.setup.people[actor].name
    assert [say(deed.phrase) for deed in narrate_entry(before, entry, after)] == [
        f"{name} sits out.",
        f"{name} folds.",
    ]
    other = after.game.to_act
    before, after = (
        after,
        says(match, (other + 1) % 3 if (other + 1) % 3 != actor else (other + 2) % 3, "sit_out"),
    )
    entry = decode_entry(match.live.records[-1].entry)
    assert len(narrate_entry(before, entry, after)) == 1


def test_sitting_out_starts_next_turn_and_moves_no_clock():
    match = match_of()
    before = until(match, betting)
    sitter = next(seat for seat in range(3) if seat != before.game.to_act)
    after = says(match, sitter, "sit_out")
    assert (after.duties_since, after.game.betting, after.duties()) == (
        before.duties_since,
        before.game.betting,
        before.duties(),
    )
    match.play()
    over = match.live.match
    assert over.over and over.faults == () and moves(match, sitter).count("call") == 0
    assert over.scores[sitter] < 200, "its blinds were paid"
    assert (
        sum(over.scores) == 600
        and audit(match.file()).verdict is Verdict.CLEAN
        and match.refused == []
    )


def test_sitting_out_is_declared_once_in_a_hand():
    match = match_of()
    until(match, betting)
    says(match, 0, "sit_out")
    for kind in ("sit_out", "sit_in"):
        with pytest.raises(Refused) as refusal:
            says(match, 0, kind)
        assert refusal.value.code is Code.NOT_NOW
    hand = match.live.match.game.hand
    until(match, lambda now: now.game.hand > hand)
    with pytest.raises(Refused):
        says(match, 0, "sit_out")
    after = says(match, 0, "sit_in")
    assert after.game.away == frozenset()
    match.play()
    assert "call" in moves(match, 0) and match.live.match.faults == ()


def test_all_in_seat_sitting_out_keeps_claim():
    match = match_of(stack=20)
    match.bots = (gambler,)
    before = until(match, lambda now: betting(now) and 0 in now.game.running.stacks)
    seat = before.game.players[before.game.running.stacks.index(0)]
    says(match, seat, "sit_out")
    match.play()
    assert "show" in moves(match, seat) and "muck" not in moves(match, seat)
    assert sum(match.live.match.scores) == 60 and match.live.match.faults == ()


def test_seat_sitting_out_at_showdown_is_not_asked():
    match = match_of(hands=1)
    shown = until(match, lambda now: now.game.decision is Decision.SHOW)
    for seat in range(3):
        after = says(match, seat, "sit_out")
        assert after.game.betting == shown.game.betting, "a step is no turn"
    while not match.live.match.over:
        assert any(match.step(seat) for seat in match.seats)
    assert all(moves(match, seat)[-1] in ("show", "muck") for seat in range(3))
    winners = {seat for seat, gain in enumerate(match.live.match.game.result.gains) if gain > 0}
    assert all(moves(match, seat)[-1] == "show" for seat in winners)


@pytest.mark.parametrize("game", ["texas-holdem", "five-card-draw"])
def test_all_may_sit_out_and_the_match_ends(game):
    match = match_of(game=game)
    until(match, betting)
    for seat in range(3):
        says(match, seat, "sit_out")
    match.play()
    over = match.live.match
    assert over.over and over.faults == () and sum(over.scores) == 600 and over.game.hand == 3


def test_seat_sits_out_while_cards_are_dealt():
    """Its exchange has begun and is completed. It makes no later choices."""
    match = match_of(2, "five-card-draw", hands=1)
    match.bots = (drawing,)
    before = until(match, lambda now: now.pending_action is not None)
    seat = before.pending_action.seat
    after = says(match, seat, "sit_out")
    assert (
        after.pending_action == before.pending_action and after.game.betting == before.game.betting
    )
    match.play()
    assert (
        match.live.match.game.betting is None
        and match.live.match.over
        and match.live.match.faults == ()
    )
    assert moves(match, seat).count("exchange") == 1 and match.refused == []


def test_sitting_out_draw_survives_a_leaver_before_cards_arrive():
    """No second choice is made for a seat that sits out: the rules have yet to receive its own
    choice.
    """
    match = match_of(4, "five-card-draw", options={**SHARED, "quorum": 2}, hands=1)
    match.bots = (drawing,)
    before = until(match, lambda now: now.pending_action is not None)
    seat = before.pending_action.seat
    says(match, seat, "sit_out")
    left = next(other for other in range(4) if other != seat and other not in before.gone)
    after = says(match, left, "leave")
    assert (
        after.pending_action == before.pending_action and after.game.betting == before.game.betting
    )
    match.seats = [one for one in match.seats if one.number != left]
    match.play()
    assert match.live.match.over and {fault.seat for fault in match.live.match.faults} == {left}
    assert moves(match, seat).count("exchange") == 1 and match.refused == []


def test_sitting_out_needs_poker_and_a_table():
    match = make_offline(2, 1)
    while match.live.match.stage is not MatchStage.PLAYING:
        assert any(match.step(seat) for seat in match.seats)
    assert match.live.match.sit_kind(0) is None
    with pytest.raises(Refused) as refusal:
        says(match, 0, "sit_out")
    assert refusal.value.code is Code.NOT_NOW


def test_sitting_out_is_visible_with_permitted_actions():
    match = match_of()
    until(match, betting)
    match.catch_up(match.readers[0])
    assert match.seats[0].view(match.readers[0].match).sit.kind == "sit_out"
    says(match, 0, "sit_out")
    match.catch_up(match.readers[0])
    view = match.seats[0].view(match.readers[0].match)
    assert view.seats[0].game.status is SeatStatus.AWAY and view.sit is None


@pytest.mark.parametrize("seed", range(6))
def test_combined_events_conserve_chips_and_name_only_leavers(seed):
    """Seats sit out and in, buy, leave and let time pass at random moments of all kinds."""
    rng = Random(seed)
    game = rng.choice(["texas-holdem", "five-card-draw"])
    match = make_offline(
        3,
        seed,
        game,
        {"hands": 3, "stack": 12, "rebuys": 1, "levels": 1},
        SHARED,
        dealing="verified",
    )
    match.bots = ("random",)
    left: set[int] = set()
    while not match.live.match.over:
        if not any(match.step(seat) for seat in match.seats if seat.number not in left):
            break
        now, seat = match.live.match, rng.randrange(3)
        if now.game is None or seat in left:
            continue
        kind = now.sit_kind(seat)
        if kind is not None and rng.random() < 0.1:
            says(match, seat, kind)
        elif (
            rng.random() < 0.004
            and len(left) < 1
            and now.stage in (MatchStage.DEALING, MatchStage.PLAYING)
        ):
            says(match, seat, "leave")
            left.add(seat)
        elif now.stage is MatchStage.PLAYING and now.waits_for_move and rng.random() < 0.05:
            match.lapse(now.game.to_act)
            left |= {fault.seat for fault in match.live.match.faults}
    over = match.live.match
    assert over.over and {fault.seat for fault in over.faults} == left and match.refused == []
    assert sum(over.scores) == 12 * (3 + sum(over.game.bought))
