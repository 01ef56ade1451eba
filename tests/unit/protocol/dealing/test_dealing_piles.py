"""Several piles in one deal: each is shuffled separately, and no card of one is accepted as a card
of another.
"""

from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.crypto.group import ELEMENT_BYTES, decode_points, encode
from protocol.crypto.shuffle import prove_shuffle, shuffle
from protocol.dealing import Post
from protocol.dealing.registry import DEALINGS
from protocol.errors import ProtocolViolation, Refused
from protocol.games.operations import EVERYBODY, Lay, Look, Pile, PutAway, Reveal, Shuffle, Turn
from tests.support.commutative import CommutativeDeal, commutative_piles
from tests.support.verified import DEALING, VerifiedDeal, begin_piles
from tests.support.verified_moments import offer

PILES = [Pile(6, 1), Pile(9, 2), Pile(3)]
OF_PILE = [range(6), range(6, 15), range(15, 18)]


def ready(seats: int = 3, seed: int = 1) -> VerifiedDeal:
    deal = begin_piles(seats, PILES, seed)
    deal.run()
    assert deal.state.ready
    return deal


def any_deal(name: str, seed: int = 1) -> VerifiedDeal | CommutativeDeal:
    return ready(seed=seed) if name == "verified" else commutative_piles(3, PILES, seed)


def of_piles(hand: tuple[int, ...]) -> list[int]:
    """Count the cards of each pile in a hand."""
    return [sum(piece in pile for piece in hand) for pile in OF_PILE]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["verified", "commutative"])
def test_seat_gets_its_count_per_pile_and_draws_correctly(name: str) -> None:
    deal = any_deal(name)
    assert [of_piles(hand) for hand in deal.hands] == [[1, 2, 0]] * 3
    assert len({piece for hand in deal.hands for piece in hand}) == 9
    for pile in (2, 0, 1):
        before = set(deal.hands[1])
        deal.draw(1, pile)
        (drawn,) = set(deal.hands[1]) - before
        assert drawn in OF_PILE[pile]
    deal.operate(EVERYBODY, Look(2, EVERYBODY, 2))
    assert set(deal.state.turned_up) <= set(OF_PILE[2])
    deal.close()
    assert deal.state.result is not None and not deal.state.result.faults
    assert [of_piles(hand) for hand in deal.state.result.drawn] == [[0, 0, 0], [1, 1, 1], [0, 0, 0]]


@pytest.mark.slow
def test_each_pile_has_an_independent_order() -> None:
    orders = {
        tuple(deal.opened(card, range(3)) for card in range(18))
        for deal in (ready(seed=n) for n in range(4))
    }
    assert len(orders) == 4
    for order in orders:
        assert all(set(order[pile.start : pile.stop]) == set(pile) for pile in OF_PILE)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["verified", "commutative"])
def test_empty_pile_gives_nothing_despite_other_piles(name: str) -> None:
    deal = any_deal(name)
    for _ in range(3):
        deal.draw(0, 2)
    with pytest.raises(Refused) as refusal:
        deal.operate(EVERYBODY, Look(1, EVERYBODY, 2))
    assert refusal.value.code is Code.NOT_IN_STOCK
    part = [deal.state.stock_of(1)[0]] if name == "commutative" else []
    with pytest.raises(Refused) as refusal:
        DEALINGS[name].apply_operation(deal.state, 0, Look(1, 0, 2), part, deal.at)
    assert refusal.value.code is Code.NOT_IN_STOCK


@pytest.mark.slow
def test_card_opened_from_another_pile_is_named() -> None:
    deal = ready()
    first, *others = deal.seats[0].hand  # one card of the first pile, two of the second
    for other in others:
        part = deal.seats[0].part(deal.state, Reveal(other))
        with pytest.raises(ProtocolViolation) as lie:
            DEALING.apply_operation(deal.state, 0, Reveal(first), part, deal.at)
        assert lie.value.code is Code.BAD_OPENING


def test_share_for_card_of_another_pile_is_named() -> None:
    deal = ready()
    deal.state = DEALING.apply_operation(deal.state, 0, Look(1, 0, 2), [], deal.at)
    deal.entries.append((0, "move", []))
    (asked,), elsewhere = deal.state.requested, deal.state.stock_of(0)[0]
    assert asked in OF_PILE[2]
    outcome = offer(deal.state, 1, "shares", deal.seats[1]._give_shares(deal.state, [elsewhere]))
    assert isinstance(outcome, ProtocolViolation) and outcome.code is Code.BAD_PROOF


def test_shuffle_of_wrong_pile_or_foreign_card_is_named() -> None:
    deal = begin_piles(3, [Pile(4), Pile(4)], 1)
    deal.run("shuffle")
    seat, state = deal.seats[0], deal.state
    assert (
        state.key is not None
        and state.pile == (0, 1, 2, 3)
        and state.pending_piles == ((4, 5, 6, 7),)
    )
    for cards in ((4, 5, 6, 7), (0, 1, 2, 4)):
        before = tuple(state.deck[card] for card in cards)
        after, witness = shuffle(before, state.key, seat._rng)
        proof = prove_shuffle(
            before, after, witness, state.key, state.proof_place(0, "shuffle", 0), seat._rng
        )
        body = [b"".join(e.C1.encoded + e.C2.encoded for e in after), proof]
        outcome = offer(state, 0, "shuffle", body)
        assert isinstance(outcome, ProtocolViolation) and outcome.code is Code.BAD_PROOF


def test_shuffle_posted_for_next_pile_is_named() -> None:
    """Two piles have the same number of cards: the proof names its place."""
    deal = begin_piles(2, [Pile(4), Pile(4)], 1)
    while not (deal.state.pending_piles == () and deal.state.pile == (4, 5, 6, 7)):
        assert deal.step(0) or deal.step(1)
    first = next(body for author, kind, body in deal.entries if (author, kind) == (0, "shuffle"))
    outcome = offer(deal.state, 0, "shuffle", first)
    assert isinstance(outcome, ProtocolViolation) and outcome.code is Code.BAD_PROOF


def test_card_packed_into_wrong_pile_is_named_at_close() -> None:
    def swap(state, post: Post) -> Post:
        if post.kind != "pack":
            return post
        points = decode_points(post.body[0])
        points[0], points[17] = points[17], points[0]
        assert len(post.body[0]) == 18 * ELEMENT_BYTES
        return Post("pack", [encode(points)])

    deal = commutative_piles(3, PILES, twists={1: swap})
    assert deal.close() == [(1, Code.BAD_PACK)]


@pytest.mark.parametrize("cheat", ["of another pile", "one more", "one less"])
def test_hands_chosen_against_the_rules_are_named_at_once(cheat: str) -> None:
    def choose(state, post: Post) -> Post:
        if post.kind != "choose":
            return post
        (hands,) = post.body
        chosen = {card for hand in hands for card in hand}
        free = [next(card for card in pile if card not in chosen) for pile in OF_PILE]
        first = {
            "of another pile": [free[1], *hands[0][1:]],
            "one more": [*hands[0], free[2]],
            "one less": hands[0][1:],
        }
        return Post("choose", [[first[cheat], *hands[1:]]])

    with pytest.raises(ProtocolViolation) as lie:
        commutative_piles(3, PILES, twists={2: choose})
    assert lie.value.code is Code.NOT_IN_STOCK


@pytest.mark.slow
def test_reshuffle_of_one_pile_leaves_others_unchanged() -> None:
    deal = ready()
    hand, before = deal.seats[0].hand, deal.state
    deal.operate(0, PutAway((0, 1)))  # one card of the first pile, one of the second
    deal.operate(EVERYBODY, Shuffle(1))
    after = deal.state
    assert len(after.stock_of(1)) == len(before.stock_of(1)) + 1
    assert after.stock_of(0) == before.stock_of(0) and len(after.discarded) == 1
    assert [after.deck[card] == before.deck[card] for card in range(18)] == [
        card not in after.stock_of(1) for card in range(18)
    ]
    assert deal.seats[0].hand == hand[2:]


@pytest.mark.slow
def test_action_may_discard_shuffle_and_look_together() -> None:
    """A hand is given back: cards to look at are requested after all have shuffled."""
    deal = ready()
    deal.operate(
        0,
        PutAway((0, 1, 2)),
        Shuffle(0),
        Shuffle(1),
        Look(1, 0, 0),
        Look(2, 0, 1),
        Look(1, EVERYBODY, 2),
    )
    assert deal.state.ready and of_piles(deal.seats[0].hand) == [1, 2, 0]
    assert deal.state.discarded == () and len(deal.state.turned_up) == 1
    everything = [deal.opened(card, range(3)) for card in range(18)]
    assert sorted(piece for piece in everything if piece is not None) == list(range(18))


def test_layered_dealing_refuses_several_piles() -> None:
    layered = DEALINGS["layered"]
    assert layered.supports(Lay((Pile(28, 7),))) and not layered.supports(
        Lay((Pile(14, 7), Pile(14)))
    )
    assert all(
        DEALINGS[name].supports(Lay((Pile(14, 7), Pile(14))))
        for name in ("verified", "commutative")
    )
    for operation in (Look(2, 0), Look(1, EVERYBODY), PutAway(()), Shuffle()):
        assert not layered.supports(operation)


def test_only_verified_dealing_supports_own_decks() -> None:
    for operation in (
        Lay((Pile(14, owner=0), Pile(14, owner=1))),
        Lay((Pile(14, owner=0),)),
        Turn(0, (0,)),
    ):
        assert [name for name, dealing in DEALINGS.items() if dealing.supports(operation)] == [
            "verified"
        ]


@pytest.mark.slow
def test_card_place_includes_its_pile() -> None:
    context = ready().state.context
    assert [context.pile_cards(number) for number in range(3)] == OF_PILE
    assert (context.piece_count, context.dealt_per_seat) == (18, 3)
    assert replace(context, piles=(Pile(18, 3),)).pile_cards(0) == range(18)
