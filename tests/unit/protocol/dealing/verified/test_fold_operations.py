"""Poker operations in verified dealing: cards turned up, exchanged and shuffled back, and hands
that are never shown.
"""

from itertools import combinations

import pytest

from protocol import wire
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.crypto.elgamal import share
from protocol.dealing import DealLoss, Post
from protocol.dealing.facts import NOBODY
from protocol.dealing.verified.stages import VerifiedStage
from protocol.errors import ProtocolViolation, Refused
from protocol.games.operations import EVERYBODY, Look, PutAway, Reveal, Shuffle
from protocol.games.poker.phases import PokerPhase
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage as MatchStage
from tests.support.offline import make_offline
from tests.support.verified import DEALING, VerifiedDeal, verified_deal

SHARED = {"leavers": "threshold"}


def everything(deal: VerifiedDeal) -> list[int | None]:
    """Return every card of the deck, by the secret keys of all seats."""
    return [
        deal.opened(card, range(len(deal.seats))) for card in range(deal.state.context.piece_count)
    ]


def check_secret(deal: VerifiedDeal, card: int, holder: int) -> None:
    """Check that only the holder can read this card: its share is nowhere, and no other keys open
    the card.
    """
    log = wire.encode([list(entry) for entry in deal.entries])
    own = share(deal.seats[holder]._x, deal.state.deck[card])
    assert own.encoded not in log and deal.seats[holder]._x.encoded not in log
    assert holder not in deal.state.shares.get(card, {})
    others = [seat for seat in range(len(deal.seats)) if seat != holder]
    for number in range(1, len(others) + 1):
        assert all(deal.opened(card, keys) is None for keys in combinations(others, number))
    assert card not in deal.state.shown


# --- turned up ---


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 6, 10])
def test_next_stock_cards_are_turned_up_for_all(seats: int) -> None:
    deal = verified_deal(seats, 52, 2, seats)
    stock, faces = deal.state.stock, everything(deal)
    for count, total in ((3, 3), (1, 4), (1, 5)):
        deal.turn_up(count)
        assert deal.state.ready
        assert deal.state.turned_up == tuple(faces[card] for card in stock[:total])
        assert deal.state.stock == stock[total:]
    assert all(deal.state.holders[card] == EVERYBODY for card in stock[:5])
    assert [entry[1] for entry in deal.entries].count("shares") == 4 * seats
    for seat, half in enumerate(deal.seats):
        assert half.hand == tuple(faces[card] for card in range(2 * seat, 2 * seat + 2))
    for card in stock[5:]:
        assert card not in deal.state.shares


def test_turning_up_more_than_stock_is_refused() -> None:
    deal = verified_deal(2, 6, 2, 1)
    with pytest.raises(Refused) as refusal:
        deal.turn_up(3)
    assert refusal.value.code is Code.NOT_IN_STOCK


# --- exchanged ---


@pytest.mark.slow
def test_exchanged_cards_are_unreadable_for_others() -> None:
    deal = verified_deal(3, 30, 5, 4)
    faces = everything(deal)
    before, stock = deal.seats[1].hand, deal.state.stock
    held = deal.state.hidden_of(1)
    deal.exchange(1, 0, 3)
    assert deal.seats[1].hand == (
        before[1],
        before[2],
        before[4],
        *(faces[card] for card in stock[:2]),
    )
    assert deal.state.discarded == (held[0], held[3])
    assert all(deal.state.holders[card] == NOBODY for card in deal.state.discarded)
    for card in (*held, *stock[:2]):
        check_secret(deal, card, 1)
    assert deal.state.drawn == stock[:2]
    assert sorted(filter(None, everything(deal))) == sorted(filter(None, faces))


def test_exchange_of_no_cards_requests_no_shares() -> None:
    deal = verified_deal(2, 12, 2, 4)
    before = deal.state
    deal.operate(0)
    assert deal.state == before


@pytest.mark.slow
@pytest.mark.parametrize("slots", [(5,), (0, 1, 2, 3, 4, 5)])
def test_exchange_of_missing_places_is_refused(slots: tuple[int, ...]) -> None:
    deal = verified_deal(2, 30, 5, 4)
    with pytest.raises(Refused) as refusal:
        DEALING.apply_operation(deal.state, 0, PutAway(slots), [], deal.at)
    assert refusal.value.code is Code.NOT_HELD


def test_exchange_beyond_the_stock_is_refused() -> None:
    deal = verified_deal(2, 12, 5, 4)
    with pytest.raises(Refused) as refusal:
        deal.exchange(0, 0, 1, 2)
    assert refusal.value.code is Code.NOT_IN_STOCK
    for operation in (PutAway((0,)), Look(1, 0), Shuffle()):
        with pytest.raises(Refused) as refusal:
            DEALING.apply_operation(deal.state, 0, operation, [1], deal.at)
        assert refusal.value.code is Code.BAD_ENTRY


def test_discarded_card_cannot_be_shown() -> None:
    deal = verified_deal(2, 30, 5, 4)
    piece = deal.seats[0].hand[2]
    part = deal.seats[0].part(deal.state, Reveal(piece))
    deal.exchange(0, 2)
    assert piece not in deal.seats[0].hand
    with pytest.raises(ProtocolViolation) as lie:
        DEALING.apply_operation(deal.state, 0, Reveal(piece), part, deal.at)
    assert lie.value.code is Code.NOT_HELD


@pytest.mark.slow
def test_discards_return_to_an_unreadable_stock() -> None:
    deal = verified_deal(2, 14, 5, 4)
    faces = everything(deal)
    deal.exchange(0, 0, 1, 2)
    hands = [half.hand for half in deal.seats]
    away = {faces[card] for card in deal.state.discarded}
    pile = set(deal.state.stock) | set(deal.state.discarded)
    deal.operate(EVERYBODY, Shuffle())
    assert set(deal.state.stock) == pile and deal.state.discarded == ()
    assert [half.hand for half in deal.seats] == hands
    after = everything(deal)
    assert sorted(filter(None, after)) == sorted(filter(None, faces))
    assert away <= {after[card] for card in pile}
    for card in pile:
        assert deal.state.shares.get(card) is None
    deal.exchange(1, 0, 1, 2, 3)
    assert len(deal.seats[1].hand) == 5 and deal.state.stock == ()


# --- hands that are not shown ---


@pytest.mark.slow
def test_hand_not_owed_is_never_shown() -> None:
    deal = verified_deal(3, 20, 3, 5)
    hands = [half.hand for half in deal.seats]
    deal.show(2, hands[2][0])
    entries = len(deal.entries)
    deal.close(())
    assert deal.state.stage is VerifiedStage.CLOSED and deal.state.result is not None
    assert len(deal.entries) == entries + 1
    assert deal.state.result.dealt == ((), (), (hands[2][0],))
    for card in (*deal.state.hidden_of(0), *deal.state.hidden_of(1), *deal.state.hidden_of(2)):
        check_secret(deal, card, deal.state.holders[card])


@pytest.mark.slow
def test_only_seats_owing_a_hand_show_it() -> None:
    deal = verified_deal(3, 20, 3, 5)
    hands = [half.hand for half in deal.seats]
    deal.close((1,))
    assert [(seat, kind) for seat, kind, _ in deal.entries if kind == "show"] == [(1, "show")]
    assert deal.state.result is not None
    assert deal.state.result.dealt == ((), tuple(sorted(hands[1])), ())
    for seat in (0, 2):
        for card in deal.state.hidden_of(seat):
            check_secret(deal, card, seat)


@pytest.mark.match
@pytest.mark.parametrize("name", ["texas-holdem", "five-card-draw"])
def test_folded_and_mucked_hands_stay_hidden_in_whole_matches(name: str) -> None:
    """The log has no share of the holder unless the hand was shown; the audit reveals nothing
    either.
    """
    hidden = 0
    for seed in range(2):
        match = make_offline(4, seed, name, {"hands": 2}, SHARED, dealing="verified")
        match.bots = ("random", "sensible")
        own: set[bytes] = set()
        for _ in range(1000):
            own.update(_unshown(match))
            game = match.live.match.game
            assert game is None or sum(game.chips) + game.pot == 800
            if not sum(match.step(seat) for seat in match.seats):
                break
        log = match.file()
        assert audit(log).verdict is Verdict.CLEAN
        shown = {share for record in match.live.records for share in _shown(record.entry)}
        assert all(share in log for share in shown) and own > shown
        assert not any(share in log for share in own - shown)
        hidden += len(own - shown)
    assert hidden > 20


def _unshown(match):
    """Return the shares that alone keep the seats' present cards secret."""
    deal, number = match.live.match.deal, match.live.match.deal_number
    if deal is None or match.live.match.stage is not MatchStage.PLAYING:
        return
    for seat in match.seats:
        half = seat._half
        if half is not None and seat._half_of == number:
            for card in deal.hidden_of(seat.number):
                yield share(half._x, deal.deck[card]).encoded


def _shown(raw: bytes) -> list[bytes]:
    """Return the shares in a move that shows a hand."""
    entry = decode_entry(raw)
    return (
        [part[1] for part in entry.body[1]]
        if entry.kind == "move" and entry.body[0][0] == "show"
        else []
    )


# --- with leavers ---


def left(deal: VerifiedDeal, seat: int) -> None:
    """Let a seat leave, and the others stand in for it as required."""
    after = DEALING.leave(deal.state, seat, deal.at)
    assert not isinstance(after, DealLoss)
    deal.state = after
    deal.entries.append((seat, "leave", []))
    others = [number for number in range(len(deal.seats)) if number != seat]
    while any(deal.step(number) for number in others):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "asked", "after"])
def test_board_is_turned_up_despite_any_leaver(when: str) -> None:
    deal = verified_deal(4, 30, 2, 6, SHARED)
    faces, stock = everything(deal), deal.state.stock
    if when == "before":
        left(deal, 1)
    deal.state = DEALING.apply_operation(deal.state, EVERYBODY, Look(3, EVERYBODY), [], deal.at)
    deal.entries.append((0, "move", []))
    if when == "asked":
        deal.step(0)
        left(deal, 1)
    seats = (0, 2, 3) if when != "after" else range(4)
    while any(deal.step(seat) for seat in seats):
        pass
    assert deal.state.ready and deal.state.turned_up == tuple(faces[card] for card in stock[:3])
    if when == "after":
        left(deal, 1)
        assert deal.state.turned_up == tuple(faces[card] for card in stock[:3])
    assert all(deal.state.hidden_of(seat) for seat in range(4)), (
        "what a seat held when it left stays hidden"
    )
    for card in deal.state.hidden_of(1):
        check_secret(deal, card, 1)


@pytest.mark.slow
@pytest.mark.parametrize("leaver", [1, 2])
def test_exchange_continues_despite_any_leaver(leaver: int) -> None:
    """The exchanging seat, or another, leaves while the shares are given."""
    deal = verified_deal(4, 40, 5, 6, SHARED)
    faces, stock = everything(deal), deal.state.stock
    before = deal.seats[1].hand
    deal.state = DEALING.apply_operations(
        deal.state, 1, (PutAway((0, 4)), Look(2, 1)), [[], []], deal.at
    )
    deal.entries.append((1, "move", []))
    deal.step(0)
    left(deal, leaver)
    assert deal.state.ready
    if leaver != 1:
        deal.step(1)
        assert deal.seats[1].hand == (*before[1:4], *(faces[card] for card in stock[:2]))
    assert len(deal.state.hidden_of(1)) == 5
    for card in deal.state.hidden_of(1):
        check_secret(deal, card, 1)


@pytest.mark.slow
def test_discards_are_shuffled_back_despite_any_leaver() -> None:
    for turn in range(4):
        deal = verified_deal(4, 26, 5, 6, SHARED)
        deal.exchange(0, 0, 1, 2)
        deal.state = DEALING.apply_operation(deal.state, EVERYBODY, Shuffle(), [], deal.at)
        for seat in range(turn):
            deal.step(seat)
        left(deal, 2)
        others = [seat for seat in range(4) if seat != 2]
        while any(deal.step(seat) for seat in others):
            pass
        assert deal.state.ready and len(deal.state.stock) == 6
        assert sorted(face for face in everything(deal) if face is not None) == list(range(26))


@pytest.mark.slow
def test_hands_stay_hidden_when_another_leaves_at_the_showdown() -> None:
    deal = verified_deal(4, 30, 2, 6, SHARED)
    deal.state = DEALING.close(deal.state, (1, 3), deal.at)
    left(deal, 0)
    while any(deal.step(seat) for seat in (1, 2, 3)):
        pass
    assert deal.state.result is not None
    assert deal.state.result.dealt[2] == () and len(deal.state.result.dealt[1]) == 2
    for card in deal.state.hidden_of(2):
        check_secret(deal, card, 2)


# --- seats without chips, and default terms ---


@pytest.mark.slow
def test_undealt_seat_may_leave_without_harm() -> None:
    """The seat has no key of the deal: nobody stands in for it, and where leavers void a match it
    voids nothing.
    """
    for options in ({}, SHARED):
        match = make_offline(
            3, 3, "texas-holdem", {"hands": 3, "stack": 10}, options, dealing="verified"
        )
        match.bots = ("random", "random", "random")
        for _ in range(3000):
            game = match.live.match.game
            if game is not None and game.phase is PokerPhase.PLAY and len(game.players) == 2:
                break
            if not sum(match.step(seat) for seat in match.seats):
                break
        else:
            pytest.fail("no end")
        if match.live.match.over:
            continue
        (idle,) = {0, 1, 2} - set(match.live.match.game.players)
        match.catch_up(match.readers[idle])
        match.live.offer(match.seats[idle].entry(match.readers[idle].log, Post("leave", [])), idle)
        assert idle in match.live.match.gone and not match.live.match.over
        match.play()
        faults = audit(match.file()).faults
        assert [(fault.seat, fault.code) for fault in faults] == [(idle, Code.LEFT)]
        assert sum(match.live.match.scores) == 30
        return
    pytest.fail("nobody lost all its chips")
