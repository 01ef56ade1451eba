"""A reshuffled pile: hidden again, unknown to everybody, and equal to the rest of the stock."""

from itertools import combinations
from random import Random

import pytest

from protocol.codes import Code
from protocol.crypto.elgamal import share
from protocol.crypto.shuffle import shuffle
from protocol.dealing import Post
from protocol.dealing.verified import fold
from protocol.dealing.verified.stages import VerifiedStage
from protocol.errors import ProtocolViolation
from protocol.games.operations import (
    EVERYBODY,
    Look,
    LookAt,
    Operation,
    Pile,
    Shuffle,
    ShuffleCards,
)
from tests.support.verified import VerifiedDeal, begin_piles, piece_of, verified_deal


def everything(deal: VerifiedDeal) -> list[int | None]:
    """Return the piece of every card, by all secret keys."""
    return [
        deal.opened(card, range(len(deal.seats))) for card in range(deal.state.context.piece_count)
    ]


def with_shown(seats: int = 3, pieces: int = 9, each: int = 2, seed: int = 1) -> VerifiedDeal:
    """Return a deal in which every seat has shown its lowest piece."""
    deal = verified_deal(seats, pieces, each, seed)
    for seat, hand in enumerate(deal.hands):
        deal.show(seat, hand[0])
    return deal


@pytest.mark.slow
@pytest.mark.parametrize(
    "back", ["shown", "hidden", "both", "with the stock", "stock alone", "one"]
)
def test_returned_cards_are_forgotten_and_hidden_again(back: str) -> None:
    deal = with_shown()
    shown, hidden = (
        sorted(deal.state.shown),
        sorted(set(deal.state.holders) - set(deal.state.shown)),
    )
    cards = {
        "shown": shown,
        "hidden": hidden[1:],
        "both": [shown[0], *hidden[1:]],
        "with the stock": [*shown, *deal.state.stock],
        "stock alone": list(deal.state.stock),
        "one": shown[:1],
    }[back]
    before, pieces = deal.state, everything(deal)
    deal.reshuffle(cards)
    after = deal.state
    assert after.ready
    assert after.shuffles == before.shuffles + 3
    for card in cards:
        assert card not in after.holders and card not in after.shown and card not in after.shares
        assert card in after.stock
        assert {after.deck[card].C1, after.deck[card].C2}.isdisjoint(
            half for e in before.deck for half in (e.C1, e.C2)
        )
        assert all(
            deal.opened(card, some) is None
            for size in range(3)
            for some in combinations(range(3), size)
        )
    kept = set(range(9)) - set(cards)
    assert all(after.deck[card] == before.deck[card] for card in kept)
    assert {card: after.holders.get(card) for card in kept} == {
        card: before.holders.get(card) for card in kept
    }
    now = everything(deal)
    assert sorted(now) == list(range(9))
    assert sorted(now[card] for card in cards) == sorted(pieces[card] for card in cards)


@pytest.mark.slow
def test_reshuffle_gives_new_orders() -> None:
    """Over some seeds every pile of three comes back in different orders."""
    orders = set()
    for seed in range(12):
        deal = with_shown(seed=seed)
        cards = sorted(deal.state.shown)
        before = [everything(deal)[card] for card in cards]
        deal.reshuffle(cards)
        after = [everything(deal)[card] for card in cards]
        orders.add(tuple(before.index(piece) for piece in after))
    assert len(orders) >= 4


@pytest.mark.slow
def test_old_shares_open_nothing_new_and_are_refused() -> None:
    deal = with_shown()
    cards = sorted(deal.state.shown)
    old = {card: dict(deal.state.shares[card]) for card in cards}
    proofs = {
        (author, card): (body[0], body[1])
        for author, kind, body in deal.entries
        if kind == "shares"
        for card in cards
    }
    assert proofs
    deal.reshuffle(cards)
    card = deal.state.stock[0]
    assert card in cards
    for seat in (0, 1):
        e = deal.state.deck[card]
        point = e.C2
        for given in old[card].values():
            point = point - given
        assert piece_of(point - share(deal.seats[seat]._x, e), 9) is None
    deal.state = fold.apply_operation(deal.state, 2, Look(1, 2), [], deal.at)
    for seat in (0, 1):
        shares_, proofs_ = next(
            body for author, kind, body in deal.entries if kind == "shares" and author == seat
        )
        # the cards that the first deal asked of it
        owed = [other for other in range(6) if other // 2 != seat]
        if card in owed:
            place = owed.index(card)
            body = [shares_[32 * place : 32 * place + 32], proofs_[64 * place : 64 * place + 64]]
            with pytest.raises(ProtocolViolation) as lie:
                fold.apply(deal.state, seat, "shares", body, deal.at)
            assert lie.value.code is Code.BAD_PROOF
    deal.run()
    assert deal.state.ready


@pytest.mark.slow
@pytest.mark.parametrize("who", [0, 1, 2])
def test_draws_after_reshuffle_are_read_as_new_pieces(who: int) -> None:
    """Returned cards belong to nobody; a card drawn later is read as its new piece, also by a seat
    that had it before.
    """
    deal = with_shown(seed=who)
    hands = deal.hands
    # one shown, one hidden
    mine = [card for card, holder in deal.state.holders.items() if holder == who]
    deal.reshuffle([*mine, *sorted(deal.state.shown)])
    assert deal.hands[who] == ()
    assert [deal.hands[seat] for seat in range(3) if seat != who] == [
        hands[seat] for seat in range(3) if seat != who
    ]
    pieces = everything(deal)
    while deal.state.stock:
        card = deal.state.stock[0]
        deal.draw(who)
        assert pieces[card] in deal.hands[who]
    held = {pieces[card] for card, holder in deal.state.holders.items() if holder == who}
    assert set(deal.hands[who]) == held
    for piece in deal.hands[who]:
        deal.show(who, piece)
    assert deal.hands[who] == ()
    deal.close()
    assert deal.state.result is not None
    assert deal.state.result.drawn[who] and not deal.state.result.dealt[who]


@pytest.mark.slow
def test_seat_away_during_reshuffle_reads_its_new_cards() -> None:
    """The seat sees the state only after a draw: nothing that it knew of these cards may remain."""
    deal = with_shown(seed=5)
    for seat in range(3):
        deal.seats[seat].next_post(deal.state)
    deal.state = fold.reshuffle_cards(deal.state, range(9), deal.at)
    secrets = [(half._x, Random(seat)) for seat, half in enumerate(deal.seats)]
    for seat, (_, rng) in enumerate(secrets):  # the seats' own halves are not asked
        post = shuffled(deal, seat, rng)
        deal.state = fold.apply(deal.state, seat, "shuffle", post.body, deal.at)
        deal.entries.append((seat, "shuffle", post.body))
    if deal.state.stage is VerifiedStage.READY:
        deal.state = fold.apply_operation(deal.state, 0, Look(1, 0), [], deal.at)
    deal.run()
    pieces = everything(deal)
    for seat in range(3):
        held = sorted(
            pieces[card] or 0 for card, holder in deal.state.holders.items() if holder == seat
        )
        assert list(deal.hands[seat]) == held


def shuffled(deal: VerifiedDeal, seat: int, rng: Random) -> Post:
    """Return the seat's post from an independent random source."""
    half = type(deal.seats[seat])(deal.state.context, seat, deal.seats[seat]._key, rng)
    half._x, half._X = deal.seats[seat]._x, deal.seats[seat]._X
    return half._shuffle(deal.state)


@pytest.mark.slow
def test_reshuffle_of_all_cards_deals_to_nobody() -> None:
    deal = verified_deal(2, 6, 2, 3)
    deal.reshuffle(range(6))
    assert deal.state.ready
    assert deal.state.stock == tuple(range(6))
    assert deal.hands == [(), ()]
    deal.draw(1)
    assert [len(hand) for hand in deal.hands] == [0, 1]


def test_reshuffle_of_no_cards_asks_nobody() -> None:
    """Shuffling no cards is impossible, so nobody may be asked to."""
    deal = verified_deal(2, 6, 2, 3)
    deal.reshuffle([])
    assert deal.state.ready
    deal.draw(0)
    assert len(deal.hands[0]) == 3


@pytest.mark.slow
def test_repeated_reshuffles_keep_every_piece() -> None:
    """Draws, shows and reshuffles in a random order: every piece stays, once."""
    rng = Random(12)
    deal = verified_deal(2, 7, 2, 9)
    for _ in range(25):
        held = [(seat, piece) for seat, hand in enumerate(deal.hands) for piece in hand]
        choice = rng.randrange(3)
        if choice == 0 and deal.state.stock:
            deal.draw(rng.randrange(2))
        elif choice == 1 and held:
            deal.show(*rng.choice(held))
        elif deal.state.holders:
            cards = rng.sample(sorted(deal.state.holders), rng.randint(1, len(deal.state.holders)))
            deal.reshuffle(cards)
        pieces = everything(deal)
        assert sorted(pieces) == list(range(7))
        for seat, hand in enumerate(deal.hands):
            cards = deal.state.hidden_of(seat)
            assert list(hand) == sorted(pieces[card] for card in cards)
    deal.close()
    assert deal.state.result is not None


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["whole deck", "too few", "as it was", "other cards"])
def test_pile_shuffle_is_checked_like_the_deck(wrong: str) -> None:
    deal = with_shown()
    cards = sorted(deal.state.shown)
    state = fold.reshuffle_cards(deal.state, cards, deal.at)
    post = deal.seats[0].next_post(state)
    assert post is not None and post.kind == "shuffle"
    first = next(body for _, kind, body in deal.entries if kind == "shuffle")
    other = [deal.state.deck[card] for card in (0, 1, 2)]
    assert state.key is not None
    body = {
        "whole deck": first,
        "too few": [post.body[0][64:], post.body[1]],
        "as it was": [
            b"".join(half.encoded for c in cards for half in (state.deck[c].C1, state.deck[c].C2)),
            post.body[1],
        ],
        "other cards": [
            b"".join(
                p.encoded for e in shuffle(other, state.key, Random(1))[0] for p in (e.C1, e.C2)
            ),
            post.body[1],
        ],
    }[wrong]
    with pytest.raises(ProtocolViolation):
        fold.apply(state, 0, "shuffle", body, deal.at)
    fold.apply(state, 0, "shuffle", post.body, deal.at)


@pytest.mark.slow
@pytest.mark.parametrize(
    "alone", [[ShuffleCards((3, 4), (1,))], [LookAt((3,), (0,)), LookAt((3,), (1,))]]
)
def test_stock_after_sole_hiding_is_hidden_by_all(
    alone: list[Operation],
) -> None:
    deal = begin_piles(3, [Pile(3), Pile(2, loose=True)], 1)
    deal.run()
    deal.operate(EVERYBODY, ShuffleCards((3, 4)))
    for operation in alone:
        deal.operate(EVERYBODY, operation)
    since = len(deal.entries)
    deal.operate(EVERYBODY, Shuffle(0))
    assert [author for author, kind, _ in deal.entries[since:] if kind == "shuffle"] == [0, 1, 2]
