"""Game of own decks without turns at a table: only a seat that lies, leaves or falls silent is
named.
"""

from random import Random

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.crypto.elgamal import share
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.support.guest_games.offline_match import (
    GUESTS,
    agreed,
    guest_match,
    leave,
    until_playing,
    written,
)
from tests.support.guest_games.peel import DECK
from tests.support.liars import STEPS, Liar, flipped
from tests.support.offline import Offline

pytestmark = pytest.mark.match


def playing(seats: int = 2, seed: int = 1, **options: str) -> Offline:
    match = guest_match("peel", seats, seed, "verified", **options)
    until_playing(match)
    return match


def test_game_with_any_deal_is_played_to_its_end():
    anew = 0
    for seed in range(4):
        match = guest_match("peel", 2 + seed % 2, seed, "verified")
        match.play()
        end = agreed(match)
        assert end.over and not end.faults and match.refused == []
        assert audit(match.file(), GUESTS).verdict is Verdict.CLEAN
        kinds = [decode_entry(record.entry).kind for record in match.live.records]
        anew += kinds.count("turn_up") > end.setup.seats
    assert anew, "nobody was dealt anew"


@pytest.mark.parametrize("dealing", ["layered", "commutative", "none"])
def test_no_other_dealing_has_own_decks(dealing):
    with pytest.raises(Refused) as refusal:
        make_terms(Selection("peel"), Selection(dealing), (), 2, GUESTS)
    assert refusal.value.code is Code.BAD_OPTIONS


def test_rules_receive_turned_cards_before_the_action():
    match = playing()
    before = match.live.match.game
    match.live.offer(written(match, 0, ("lay", 0)), 0)
    after = match.live.match
    assert after.stage is MatchStage.PLAYING and after.pending_action is None
    assert after.game.laid[0] == (before.tops[0],) and after.game.turned[0] == 2
    match.live.offer(written(match, 0, ("dig",)), 0)
    deal = match.live.match.deal
    assert match.live.match.game.turned[0] == 4 and match.live.match.game.tops[0] == deal.shown[3]
    assert set(deal.shown) == {0, 1, 2, 3, DECK}


def test_hand_and_view_contain_only_turned_cards():
    """A program could read ahead in its own deck, but the code that chooses sees none of it."""
    match = playing()
    reader, seat = match.readers[0], match.seats[0]
    match.catch_up(reader)
    seat.respond(reader.match)
    assert seat.hand == () and seat.view(reader.match).hand == ()
    half, deal = seat._private_half(reader.match), reader.match.deal
    hidden = [deal.piece_of(card, share(half._x, deal.deck[card])) for card in range(1, DECK)]
    assert None not in hidden
    seen, own = repr(seat.view(reader.match)), repr(vars(half))
    assert not any(f"0/{piece}" in seen for piece in hidden)
    assert "_known': {}" in own and "_read': {}" in own


def test_late_action_turns_up_no_card():
    """Its share is in the log all the same, so from then on everybody can read that one place
    (docs/attacks.md).
    """
    match = playing()
    first, second = written(match, 0, ("lay", 0)), written(match, 1, ("lay", 0))
    match.live.offer(first, 0)
    before = match.live.match
    match.live.offer(second, 1)
    after = match.live.match
    assert after.late_counts == (0, 1) and (after.game, after.deal) == (before.game, before.deal)
    (part,) = decode_entry(second).body[1]
    assert part[0] == [1] and DECK + 1 not in after.deal.shown
    match.live.offer(written(match, 1, ("lay", 1)), 1)
    assert DECK + 1 in match.live.match.deal.shown and not match.live.match.faults
    match.play()
    assert agreed(match).over and not match.live.match.faults


def spoilt(match: Offline, seat: int, action: tuple, spoil) -> bytes:
    """Make the entry of an action with a wrong part."""
    reader, player = match.readers[seat], match.seats[seat]
    match.catch_up(reader)
    action, (part,) = player.move(reader.match, action).body
    return player.entry(reader.log, Post("move", [action, [spoil(part)]]))


def test_part_of_late_action_is_not_checked():
    match = playing()
    late = spoilt(match, 1, ("lay", 0), lambda part: ["nonsense"])
    match.live.offer(written(match, 0, ("lay", 0)), 0)
    match.live.offer(late, 1)
    assert match.live.match.late_counts == (0, 1) and not match.live.match.faults


@pytest.mark.parametrize("shared", ["void", "threshold"])
def test_lie_about_place_is_named_and_deck_is_dead(shared):
    match = playing(3, leavers=shared)
    lie = spoilt(match, 1, ("lay", 0), lambda part: [part[0], part[1], flipped(part[2])])
    match.live.offer(lie, 1)
    state = match.live.match
    assert [(fault.seat, fault.code) for fault in state.faults] == [(1, Code.BAD_PROOF)]
    assert state.game.spots[0] is None and DECK + 1 not in (state.deal.shown if state.deal else ())
    match.seats = [seat for seat in match.seats if seat.number != 1]
    match.play()
    end = agreed(match)
    assert end.over and len(end.faults) == 1 and (end.winner in (0, 2)) == (shared == "threshold")


def test_two_entries_in_transit_for_one_place_are_resolved():
    """The second entry is refused or late. If it has seen the first, it must turn up the next
    card.
    """
    match = playing()
    one, two = written(match, 0, ("lay", 0)), written(match, 0, ("lay", 1))
    match.live.offer(one, 0)
    with pytest.raises(Refused):
        match.live.offer(two, 0)
    again = spoilt(match, 0, ("lay", 1), lambda part: decode_entry(one).body[1][0])
    with pytest.raises(Refused) as refused:
        match.live.offer(again, 0)
    assert refused.value.code is Code.STALE and not match.live.match.faults


@pytest.mark.parametrize("kind", ["key", "shuffle", "shares", "turn_up", "stand_in"])
def test_lie_at_any_deal_step_is_named_and_others_play(kind):
    match = guest_match(
        "peel",
        4,
        3,
        "verified",
        leavers="threshold",
        **({"quorum": 2} if kind == "stand_in" else {}),
    )
    match.seats[1] = Liar(match.seats[1]._identity, 1, match.seats[1]._rng)
    match.seats[1].kinds = (kind,)
    if kind == "stand_in":
        while match.live.match.deal is None or match.live.match.deal.stage != "shares":
            assert any(match.step(seat) for seat in match.seats)
        leave(match, 3)
    match.play()
    end, bad = agreed(match), {1, 3} if kind == "stand_in" else {1}
    assert end.over and not match.refused and end.receipts == end.present == {0, 1, 2, 3} - bad
    assert {fault.seat for fault in end.faults} == bad and match.seats[1].told is not None
    assert end.winner not in bad


class Interrupted:
    """Match in which two seats each lie, leave or fall silent at any two moments."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        seats = rng.choice((3, 4))
        self.match = guest_match(
            "peel", seats, seed, "verified", leavers=rng.choice(("threshold", "threshold", "void"))
        )
        self.match.seats = [
            Liar(seat._identity, seat.number, seat._rng) for seat in self.match.seats
        ]
        for seat in self.match.seats:
            seat.since = 10_000
        self.bad = rng.sample(range(seats), 2)
        self.plan = {
            bad: (rng.randrange(2 * seats, 55), rng.choice(("lie", "leave", "lapse")))
            for bad in self.bad
        }
        self.silent: list[int] = []

    def play(self) -> None:
        """Play until nobody has anything to post."""
        while not self.match.live.match.over:
            state = self.match.live.match
            for number in [
                bad
                for bad in self.plan
                if state.next_number >= self.plan[bad][0] and bad in state.present
            ]:
                self._go_wrong(number, self.plan.pop(number)[1])
            if self.match.live.match.over or any(
                self.match.step(seat) for seat in self.match.seats
            ):
                continue
            self.match.lapse(
                next(seat for seat in self.silent if self.match.live.match.next_clock_entry(seat))
            )

    def _go_wrong(self, number: int, how: str) -> None:
        if self.match.live.match.over:
            return
        if how == "leave":
            leave(self.match, number)
            return
        seat = next(seat for seat in self.match.seats if seat.number == number)
        if how == "lie":
            seat.since, seat.kinds = 0, (*STEPS, "move")
            return
        self.silent.append(number)
        self.match.seats.remove(seat)


@pytest.mark.parametrize("seed", range(12))
def test_faulty_seat_is_named_and_others_go_on(seed):
    interrupted = Interrupted(seed)
    interrupted.play()
    end = agreed(interrupted.match)
    assert end.over and {fault.seat for fault in end.faults} <= set(interrupted.bad)
    assert interrupted.match.refused == []
