"""Random rounds of Ligretto: no card is lost, an independent sheet agrees, and late actions change
nothing.
"""

from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Action
from protocol.games.ligretto.state import LigrettoPhase, LigrettoState
from tests.support.ligretto import Dealer, ligretto
from tests.unit.protocol.games.ligretto.score_sheet import Cards, Sheet

pytestmark = pytest.mark.slow


def sheet(dealer: Dealer) -> Sheet:
    return Sheet([Cards.of(deck, dealer.game.row) for deck in dealer.decks])


def census(dealer: Dealer) -> list[int]:
    """Return every card in the round in ascending order; unseen ones as the dealer knows them."""
    state, found = dealer.state, [card for pile in dealer.state.piles for card in pile.cards]
    for seat, own in enumerate(state.seats):
        if own.row:
            deck = dealer.decks[seat]
            found += [
                *own.row,
                *deck[10 - own.stock : 10],
                *(deck[~card] if card < 0 else card for card in own.hand),
            ]
    return sorted(found)


def agree(dealer: Dealer, other: Sheet) -> None:
    """Check that the rules and the sheet have every card at the same place."""
    for deck, own, cards in zip(dealer.decks, dealer.state.seats, other.seats, strict=True):
        known = [deck[~card] if card < 0 else card for card in own.hand]
        assert (list(own.row), own.stock) == (cards.row, len(cards.stock))
        assert (known[: own.mark], known[own.mark :]) == (cards.discards, cards.hand[::-1])
        assert own.top == (cards.discards[-1] if cards.discards else None)
    assert [list(pile.cards) for pile in dealer.state.piles] == other.piles


def choice(dealer: Dealer, seat: int, state: LigrettoState, eager: float = 1) -> Action | None:
    """Return the action of a seat that sees this state: it lays a fitting card, or overlooks it."""
    *others, last = dealer.game.legal(state, seat) or (None,)
    if others and dealer.rng.random() < eager:
        return dealer.rng.choice(others)
    return last


def play_round(dealer: Dealer, eager: float = 1, lag: int = 0) -> Sheet:
    """Play a round in which every seat has missed the newest `lag` actions of the others."""
    other, own, everything = sheet(dealer), [0] * dealer.game.seats, census(dealer)
    while dealer.state.phase in (LigrettoPhase.PLAY, LigrettoPhase.RESCUE):
        if dealer.go_on():
            if dealer.state.phase is LigrettoPhase.PLAY:
                [cards.rescue() for cards in other.seats]
                dealer.states = [dealer.state] * (dealer.state.actions + 1)
                own = [dealer.state.actions] * dealer.game.seats
            continue
        seat = dealer.rng.choice(dealer.state.present)
        seen = max(own[seat], dealer.state.actions - dealer.rng.randint(0, lag))
        action = choice(dealer, seat, dealer.states[seen], eager)
        before = dealer.state
        if action is None:
            continue
        if dealer.act(seat, action, seen):
            other.act(seat, action)
            own[seat] = dealer.state.actions
        else:
            assert dealer.state is before
        agree(dealer, other)
        assert census(dealer) == everything
    return other


@pytest.mark.parametrize(("seats", "row"), [(2, 5), (2, 4), (3, 4), (4, 3), (6, 3), (9, 3)])
def test_independent_sheet_agrees_and_no_card_is_lost(seats: int, row: int):
    for seed in range(4):
        dealer = Dealer.of(ligretto(seats, row=row), seed)
        dealer.deal()
        everything = census(dealer)
        assert everything == list(range(40 * seats))
        other = play_round(dealer, eager=0.9, lag=4)
        assert census(dealer) == everything
        assert sorted(other.everything()) == everything
        stopped = dealer.state.stopped
        assert dealer.go_on() and dealer.state.result is not None
        points = dealer.state.result.points
        assert points == dealer.state.totals == tuple(other.points(seat) for seat in range(seats))
        assert all(-20 <= each <= 40 - row for each in points if each is not None)
        assert stopped is None or (points[stopped] >= 10 and not other.seats[stopped].stock)


def test_late_action_was_legal_when_seen():
    """Nobody is late more often than others have laid: each lay explains one late action."""
    late = laid = 0
    for seed in range(6):
        dealer = Dealer.of(ligretto(4), seed)
        dealer.deal()
        play_round(dealer, lag=8)
        late, laid = late + sum(dealer.late), laid + sum(own.laid for own in dealer.state.seats)
        for seat, own in enumerate(dealer.state.seats):
            assert dealer.late[seat] <= sum(seat.laid for seat in dealer.state.seats) - own.laid
    assert late > 20


def test_action_is_late_exactly_when_legal_at_seen_state():
    rng, found = Random(1), {True: 0, False: 0}
    for seed in range(3):
        dealer = Dealer.of(ligretto(4), seed)
        dealer.deal()
        play_round(dealer)
        rules, states = dealer.game, dealer.states
        first = max(number for number, state in enumerate(states) if state is states[0])
        for seen in range(first, len(states) - 1):
            old, new = states[seen], states[min(seen + rng.randint(1, 30), len(states) - 1)]
            for seat in (seat for seat in range(4) if old.seats[seat] == new.seats[seat]):
                was, is_ = rules.legal(old, seat), rules.legal(new, seat)
                for action in {
                    *was,
                    *is_,
                    ("open", rng.randrange(4)),
                    ("lay", rng.randrange(4), rng.randrange(16)),
                }:
                    late = action in was and action not in is_
                    assert rules.was_overtaken(new, seat, action, seen) == late
                    found[late] += 1
    assert found[True] > 50


def test_offers_are_exactly_the_legal_actions():
    for seed in range(2):
        dealer = Dealer.of(ligretto(3), seed)
        dealer.deal()
        play_round(dealer)
        for state in dealer.states[::9]:
            everything = [("flip",), *(("open", slot) for slot in range(5))]
            everything += [("lay", slot, pile) for slot in range(5) for pile in range(12)]
            for seat in range(3):
                right = {action for action in everything if _may(dealer, state, seat, action)}
                assert right == set(dealer.game.legal(state, seat))


def _may(dealer: Dealer, state: LigrettoState, seat: int, action: Action) -> bool:
    if any(type(number) is int and number > dealer.game.row for number in action[1:2]):
        with pytest.raises(Refused) as refusal:
            dealer.game.parse(list(action))
        assert refusal.value.code is Code.BAD_ACTION
        return False
    assert dealer.game.parse(list(action)) == action
    try:
        dealer.game.check(state, seat, action)
    except Refused:
        return False
    return True


def test_round_of_two_seats_always_ends():
    """Two seats often reach gridlock: every such round is noticed, and ends."""
    stopped = gridlocked = 0
    for seed in range(60):
        dealer = Dealer.of(ligretto(2, rescues=0), seed)
        dealer.deal()
        _to_the_end(dealer)
        stopped += dealer.state.stopped is not None
        gridlocked += dealer.state.stopped is None
    assert stopped and gridlocked > stopped


def _to_the_end(dealer: Dealer) -> None:
    for _ in range(5000):
        if dealer.state.phase is LigrettoPhase.SCORE:
            return
        if not dealer.go_on():
            want = dealer.game.wants(dealer.state)
            assert isinstance(want, Act) and want.simultaneous and want.seats
            seat = dealer.rng.choice(want.seats)
            action = choice(dealer, seat, dealer.state)
            assert action is not None
            dealer.act(seat, action)
    raise AssertionError("it does not end")
