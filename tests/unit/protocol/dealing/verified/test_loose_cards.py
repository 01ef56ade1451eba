"""Loose cards in verified dealing are hidden, viewed, revealed and opened one by one, only by the
seats concerned.
"""

from itertools import combinations

import pytest

from protocol.codes import Code
from protocol.crypto.elgamal import combine_shares, encode_ciphertexts, share
from protocol.crypto.shuffle import prove_shuffle, shuffle
from protocol.dealing import DealLoss, Post, public_pieces
from protocol.dealing.facts import Reading
from protocol.dealing.verified import loose_cards
from protocol.errors import ProtocolViolation, Refused
from protocol.fast_replace import replace
from protocol.games.operations import (
    EVERYBODY,
    Lay,
    LookAt,
    OpenCard,
    Pile,
    RevealCards,
    ShuffleCards,
)
from protocol.limits import MAX_LOOSE, MAX_PIECES, MAX_PILE
from tests.support.liars import flipped
from tests.support.verified import DEALING, VerifiedDeal, begin_piles, piece_of

SIZE = 5
FIRST, SECOND = tuple(range(SIZE)), tuple(range(SIZE, 2 * SIZE))
SHARED = {"leavers": "threshold"}


def laid(seats: int = 2, seed: int = 1, options: dict | None = None) -> VerifiedDeal:
    """Return two loose piles as laid out."""
    deal = begin_piles(seats, [Pile(SIZE, loose=True), Pile(SIZE, loose=True)], seed, options)
    deal.run()
    assert deal.state.ready
    return deal


def hidden(seats: int = 2, seed: int = 1, options: dict | None = None) -> VerifiedDeal:
    """Return the same after both have been shuffled."""
    deal = laid(seats, seed, options)
    deal.operate(EVERYBODY, ShuffleCards(FIRST), ShuffleCards(SECOND))
    return deal


def true_faces(deal: VerifiedDeal) -> dict[int, int | None]:
    """Return the piece of each card, by the secret keys of all seats."""
    cards = range(deal.state.context.piece_count)
    return {
        card: deal.opened(card, range(len(deal.seats)))
        for card in cards
        if card not in deal.state.shown
    }


def can_read(deal: VerifiedDeal, card: int) -> set[frozenset[int]]:
    """Return the smallest groups of seats that can read a card with their keys and all posted
    shares of it.
    """
    seats, found = range(len(deal.seats)), set[frozenset[int]]()
    for size in range(len(deal.seats)):
        for group in map(frozenset, combinations(seats, size)):
            e, posted = deal.state.deck[card], deal.state.shares.get(card, {})
            own = [share(deal.seats[seat]._x, e) for seat in group if seat not in posted]
            point = combine_shares(e, [*posted.values(), *own])
            if piece_of(point, deal.state.context.piece_count) is not None and not any(
                less < group for less in found
            ):
                found.add(group)
    return found


def wrong(deal: VerifiedDeal, seat: int, operation: OpenCard, part: list) -> Code:
    """Return the fault code of this action of a seat."""
    with pytest.raises(ProtocolViolation) as lie:
        DEALING.apply_operations(deal.state, seat, (operation,), [part], deal.at)
    return lie.value.code


def refused(deal: VerifiedDeal, seat: int, operation: object, part: list) -> Code:
    """Return the code with which the action is refused without a fault."""
    with pytest.raises(Refused) as refusal:
        DEALING.apply_operations(deal.state, seat, (operation,), [part], deal.at)
    return refusal.value.code


def kinds(deal: VerifiedDeal, since: int = 0) -> list[tuple[int, str]]:
    return [(author, kind) for author, kind, _ in deal.entries[since:]]


# --- requests ---


def test_loose_pile_keeps_piece_order_until_shuffled():
    deal = laid()
    assert dict(deal.state.public_faces) == {card: card for card in range(2 * SIZE)}
    assert all(
        dict(half.visible_cards) == dict(deal.state.public_faces) and half.hand == ()
        for half in deal.seats
    )
    assert kinds(deal) == [(0, "key"), (1, "key")] and deal.state.stock == ()
    deal.operate(EVERYBODY, ShuffleCards(SECOND))
    assert dict(deal.state.public_faces) == {card: card for card in FIRST}
    assert set(true_faces(deal).values()) == set(SECOND), (
        "what was shuffled is the pile, and nothing else"
    )


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3])
def test_look_reveals_card_to_looker_alone(seats):
    deal = hidden(seats)
    faces = true_faces(deal)
    deal.operate(EVERYBODY, LookAt((0, 1), (0,)), LookAt((5,), (seats - 1,)))
    assert deal.seats[0].visible_cards == {0: faces[0], 1: faces[1]}
    assert deal.seats[-1].visible_cards == {5: faces[5]}
    assert deal.state.public_faces == {} and not any(half.hand for half in deal.seats)
    assert can_read(deal, 0) == {frozenset({0})} and can_read(deal, 5) == {frozenset({seats - 1})}
    assert all(can_read(deal, card) == set() for card in (2, 3, 4, 6)), (
        "what nobody looks at nobody reads"
    )


def test_reveal_shows_cards_in_requested_order():
    deal = hidden()
    faces = true_faces(deal)
    deal.operate(EVERYBODY, LookAt((3,), (1,)))
    asked = RevealCards((7, 3, 0))
    deal.operate(EVERYBODY, asked)
    assert deal.state.public_faces == {card: faces[card] for card in (7, 3, 0)}
    assert public_pieces(deal.state, (asked,)) == (faces[7], faces[3], faces[0])
    given = [
        len(body[0]) // 32
        for author, kind, body in deal.entries
        if kind == "shares" and author == 0
    ]
    assert given == [1, 2], "nobody gives a share twice"


def test_looker_opens_card_at_once():
    deal = hidden()
    deal.operate(EVERYBODY, LookAt((2,), (0,)))
    before, piece = len(deal.entries), deal.seats[0].visible_cards[2]
    deal.operate(0, OpenCard(2, piece))
    assert (
        deal.state.ready
        and deal.state.public_faces == {2: piece}
        and kinds(deal, before) == [(0, "move")]
    )
    deal.operate(0, OpenCard(2, piece))
    assert deal.entries[-1][2] == [[]], "of what everybody knows there is nothing to prove"


def test_loose_requests_of_one_entry_use_one_share_round():
    deal = laid()
    deal.operate(
        EVERYBODY, ShuffleCards(FIRST), LookAt((0, 1), (0,)), LookAt((2,), (1,)), RevealCards((3,))
    )
    assert kinds(deal)[3:] == [(0, "shuffle"), (1, "shuffle"), (0, "shares"), (1, "shares")]
    first = dict(deal.seats[0].visible_cards)
    deal.operate(EVERYBODY, RevealCards((0,)), ShuffleCards((0, 1)), LookAt((0,), (1,)))
    assert deal.state.public_faces.keys() == {3, *SECOND}, "it was hidden again"
    assert {deal.seats[1].visible_cards[0]} < {first[0], first[1]} and 0 not in deal.seats[
        0
    ].visible_cards


def test_loose_shuffle_is_forgotten_by_all_but_sole_shuffler():
    deal = hidden(3)
    deal.operate(EVERYBODY, LookAt((0, 1, 2), (1,)), RevealCards((3,)))
    known = dict(deal.seats[1].visible_cards)
    deal.operate(EVERYBODY, ShuffleCards((0, 1, 2, 3), by=(1,)))
    faces = true_faces(deal)
    assert deal.seats[1].visible_cards == {card: faces[card] for card in range(4)} != known
    assert sorted(deal.seats[1].visible_cards.values()) == sorted(known.values())
    assert deal.state.public_faces == {} and deal.seats[0].visible_cards == {}
    deal.operate(EVERYBODY, ShuffleCards((0, 1, 2, 3), by=(0, 1)))
    assert all(half.visible_cards == {} for half in deal.seats), "another one has done it since"


def test_shuffle_of_one_card_is_refused():
    deal = hidden()
    deal.operate(EVERYBODY, LookAt((0,), (0,)))
    before, known = len(deal.entries), dict(deal.seats[0].visible_cards)
    deal.operate(
        EVERYBODY, ShuffleCards((0,)), ShuffleCards(()), LookAt((), (0,)), LookAt((0,), (0,))
    )
    assert kinds(deal, before) == [(0, "move")] and deal.seats[0].visible_cards == known


def test_look_by_all_seats_is_a_reveal():
    deal = hidden()
    faces = true_faces(deal)
    deal.operate(EVERYBODY, LookAt((0,), (0,)))
    deal.operate(EVERYBODY, LookAt((0,), (1,)), LookAt((5,), (1, 0)))
    assert deal.state.public_faces == {0: faces[0], 5: faces[5]}


def test_second_looker_and_first_both_know_card():
    deal = hidden(3)
    faces = true_faces(deal)
    deal.operate(EVERYBODY, LookAt((0, 1), (0,)))
    deal.operate(EVERYBODY, LookAt((0,), (2,)), LookAt((6,), (0, 1)))
    assert [half.visible_cards for half in deal.seats] == [
        {card: faces[card] for card in (0, 1, 6)},
        {6: faces[6]},
        {0: faces[0]},
    ]
    assert deal.state.public_faces == {} and frozenset({1}) not in can_read(deal, 0)
    deal.operate(EVERYBODY, RevealCards((0, 6)))
    assert deal.state.public_faces == {0: faces[0], 6: faces[6]}


# --- knowledge beyond the promise (docs/attacks.md, 94) ---


def test_loose_shares_across_hiding_do_not_open_for_hider():
    """Seat 0 looks, seat 1 shuffles alone, seat 2 looks: the shares of seats 0 and 2 would be of
    one card.
    """
    deal = hidden(3)
    deal.operate(EVERYBODY, LookAt((0, 1), (0,)))
    old = {card: (deal.state.deck[card], dict(deal.state.shares[card])) for card in (0, 1)}
    state = DEALING.apply_operations(
        deal.state, EVERYBODY, (ShuffleCards((0, 1), by=(1,)),), [[]], deal.at
    )
    deal.entries.append((0, "move", []))
    before = tuple(state.deck[card] for card in (0, 1))
    after, witness = shuffle(before, state.key, deal.seats[1]._rng)
    proof = prove_shuffle(
        before,
        after,
        witness,
        state.key,
        state.proof_place(1, "shuffle", state.shuffles),
        deal.seats[1]._rng,
    )
    deal.state = state
    deal.post(1, Post("shuffle", [encode_ciphertexts(after), proof]))
    own = share(deal.seats[0]._x, deal.state.deck[0])
    which = witness.psi[0]  # present card 0 was this one

    def guess(D):
        masked = witness.r_prime[which] * deal.state.keys[0]
        e, shares = old[which]
        return piece_of(combine_shares(e, [*shares.values(), D - masked]), 2 * SIZE)

    assert guess(own) is not None, "so the shuffler reads it as soon as it has this share"
    deal.operate(EVERYBODY, LookAt((0,), (2,)))
    assert deal.seats[2].visible_cards.keys() == {0}
    assert deal.state.shares[0][0] != own and guess(deal.state.shares[0][0]) is None


@pytest.mark.slow
@pytest.mark.parametrize("second", [(1,), (2,), (1, 2)])
def test_seat_looks_only_at_cards_it_withheld_or_hid(second):
    """Shares of all seats therefore never exist of one ciphertext, nor of two that a seat can
    connect.
    """
    deal = hidden(4)
    deal.operate(EVERYBODY, LookAt((0, 1), (0,)))
    since = len(deal.entries)
    deal.operate(EVERYBODY, LookAt((0, 1), second))
    for seat in second:
        own = [kind for author, kind in kinds(deal, since) if author == seat]
        assert own.count("shuffle") == 2, "each card by itself, or nobody could tell which is which"
    assert all(deal.seats[seat].visible_cards == deal.seats[0].visible_cards for seat in second)
    assert deal.seats[3].visible_cards == {} and all(
        deal.state.given_shares[card] == {0, 1, 2, 3} for card in (0, 1)
    )
    deal.operate(EVERYBODY, ShuffleCards((0, 1)))
    assert all(deal.state.given_shares[card] == frozenset() for card in (0, 1))


# --- lies, each named at once ---


def opening(deal: VerifiedDeal, card: int = 0) -> tuple[OpenCard, list]:
    operation = OpenCard(card, deal.seats[0].visible_cards[card])
    return operation, deal.seats[0].part(deal.state, operation)


def test_opening_with_wrong_card_or_share_is_named():
    deal = hidden()
    deal.operate(EVERYBODY, LookAt((0, 1), (0,)), LookAt((5,), (1,)))
    operation, part = opening(deal)
    other, others = opening(deal, 1)
    count, D, proof = part
    assert wrong(deal, 0, replace(operation, piece=other.piece), part) is Code.BAD_OPENING
    assert wrong(deal, 0, operation, others) is Code.BAD_PROOF, "another card's share"
    assert wrong(deal, 0, operation, [count, flipped(D, 31), proof]) in (
        Code.BAD_POINT,
        Code.BAD_PROOF,
    )
    assert wrong(deal, 0, operation, [count, D, flipped(proof)]) is Code.BAD_PROOF
    assert wrong(deal, 0, OpenCard(5, 5), part) is Code.NOT_HELD, "what another one looked at"
    assert wrong(deal, 0, OpenCard(3, 3), part) is Code.NOT_HELD, "what nobody has looked at"
    assert wrong(deal, 1, operation, part) is Code.NOT_HELD, "another seat's share"


def test_old_loose_share_opens_nothing_and_names_only_liar():
    deal = hidden()
    deal.operate(EVERYBODY, LookAt((0,), (0,)))
    operation, part = opening(deal)
    deal.operate(EVERYBODY, ShuffleCards(FIRST), LookAt((0,), (0,)))
    assert refused(deal, 0, operation, part) is Code.STALE, "its author had not seen the shuffle"
    assert wrong(deal, 0, operation, [deal.state.shuffles, *part[1:]]) is Code.BAD_PROOF


def test_wrong_loose_share_names_its_author():
    deal = hidden()
    deal.state = DEALING.apply_operations(
        deal.state, EVERYBODY, (LookAt((0, 1), (0,)),), [[]], deal.at
    )
    D, proof = deal.duty(1).body
    for body in ([D, flipped(proof, 70)], [D[32:] + D[:32], proof], [D[:32], proof[:64]]):
        with pytest.raises(ProtocolViolation) as lie:
            DEALING.apply(deal.state, 1, "shares", body, deal.at)
        assert lie.value.code is Code.BAD_PROOF


def test_refused_loose_operation_names_nobody():
    deal = hidden()
    deal.operate(EVERYBODY, LookAt((0,), (0,)), RevealCards((5,)))
    operation, part = opening(deal)
    assert refused(deal, 0, operation, []) is Code.BAD_ENTRY
    assert refused(deal, 0, operation, part[:2]) is Code.BAD_ENTRY
    assert refused(deal, 0, OpenCard(5, deal.state.public_faces[5]), part) is Code.STALE
    assert (
        refused(deal, 0, OpenCard(5, 6 if deal.state.public_faces[5] != 6 else 7), []) is Code.STALE
    )
    assert refused(deal, EVERYBODY, LookAt((2 * SIZE,), (0,)), []) is Code.NOT_NOW
    assert refused(deal, EVERYBODY, RevealCards((0,)), part) is Code.BAD_ENTRY
    assert deal.seats[1].part(deal.state, operation) == [], (
        "an honest program says nothing of what it cannot open"
    )


# --- bounds ---


def test_deal_may_exceed_shuffle_and_request_batch_sizes():
    assert DEALING.supports(Lay((Pile(MAX_LOOSE - 1, loose=True), Pile(1, loose=True))))
    assert not DEALING.supports(Lay((Pile(MAX_LOOSE, loose=True), Pile(1, loose=True))))
    assert DEALING.supports(ShuffleCards(tuple(range(MAX_PILE)) * 2))
    assert not DEALING.supports(ShuffleCards(tuple(range(MAX_PILE + 1))))
    state = replace(hidden().state, shown={}, card_readers={}, given_shares={})
    asks = loose_cards.required_steps(state, RevealCards(tuple(range(2 * MAX_PIECES + 1))))
    assert [len(ask.cards) for ask in asks] == [MAX_PIECES, MAX_PIECES, 1]


# --- leaving ---

DONE = (
    ShuffleCards(FIRST),
    LookAt((0, 1), (0,)),
    LookAt((1,), (2,)),
    ShuffleCards((2, 3), by=(1,)),
    LookAt((2,), (0,)),
    RevealCards((0, 2, 3)),
)


def with_leaver(leaver: int, after: int) -> VerifiedDeal | None:
    """Return the deal with a seat that leaves after `after` entries since the request; None if the
    request was done before.
    """
    deal = hidden(3, options=SHARED)
    deal.state = DEALING.apply_operations(deal.state, EVERYBODY, DONE, [[]] * len(DONE), deal.at)
    deal.entries.append((0, "move", []))
    for _ in range(after):
        ready = [seat for seat in range(3) if deal.duty(seat) is not None]
        if not ready:
            return None
        deal.step(ready[0])
    left = DEALING.leave(deal.state, leaver, deal.at)
    assert not isinstance(left, DealLoss)
    deal.state = left
    deal.entries.append((leaver, "leave", []))
    while any(deal.step(seat) for seat in left.present):
        pass
    return deal


@pytest.mark.slow
@pytest.mark.parametrize("leaver", range(3))
def test_leaver_share_is_replaced_and_others_learn_nothing_more(leaver):
    for after in range(100):
        deal = with_leaver(leaver, after)
        if deal is None:
            assert after > 10
            return
        assert deal.state.ready and deal.state.pending_steps == ()
        known = set(deal.state.public_faces)
        assert known == {0, 2, 3}, after
        for seat in deal.state.present:
            mine = set(deal.seats[seat].visible_cards) - known
            assert mine <= ({1} if seat in (0, 2) else set()), (after, seat)
        assert {deal.opened(card, range(3)) for card in FIRST} == set(FIRST)


@pytest.mark.slow
def test_leaver_due_to_hide_alone_is_replaced_by_all():
    deal = hidden(3, options=SHARED)
    deal.operate(EVERYBODY, RevealCards((0, 1)))
    deal.state = DEALING.apply_operations(
        deal.state, EVERYBODY, (ShuffleCards((0, 1), by=(1,)),), [[]], deal.at
    )
    deal.entries.append((0, "move", []))
    assert set(deal.state.public_faces) == {0, 1}, "nothing is hidden before somebody has done it"
    deal.state = DEALING.leave(deal.state, 1, deal.at)
    deal.entries.append((1, "leave", []))
    since = len(deal.entries)
    deal.run()
    assert kinds(deal, since) == [(0, "shuffle"), (2, "shuffle")] and deal.state.public_faces == {}


def test_deal_of_two_seats_is_lost_after_leaver():
    deal = hidden(options=SHARED)
    assert DEALING.leave(deal.state, 1, deal.at) is DealLoss.DROPPED
    assert DEALING.leave(hidden().state, 1, deal.at) is DealLoss.VOID


# --- knowledge from a log ---


def test_loose_facts_say_who_knows_each_card():
    deal = hidden(3)
    deal.operate(EVERYBODY, LookAt((0, 1), (0,)))
    told = facts_of(deal, ShuffleCards((0, 1), by=(0,)))
    assert Reading(0, (0, 1)) in told, "who shuffles alone knows still which is which"
    assert Reading(0, (0, 1)) not in facts_of(deal, ShuffleCards((0, 1)))
    told = facts_of(deal, LookAt((5,), (1,)), LookAt((5,), (2,)))
    assert told.count(Reading(1, (5,))) == 2 and told.count(Reading(2, (5,))) == 1, (
        "hidden anew for one, still known"
    )


def facts_of(deal: VerifiedDeal, *operations: object) -> list:
    """Return the facts that the entries of these operations have caused."""
    states, since = (
        [
            DEALING.apply_operations(
                deal.state, EVERYBODY, operations, [[]] * len(operations), deal.at
            )
        ],
        deal.at,
    )
    deal.state = states[0]
    deal.entries.append((0, "move", []))
    while any(step(deal, seat, states) for seat in range(len(deal.seats))):
        pass
    entries = deal.entries[since:]
    pairs = zip(states, entries, states[1:], strict=False)
    return [
        fact
        for old, (author, kind, body), new in pairs
        for fact in DEALING.facts(old, author, Post(kind, body), new)
    ]


def step(deal: VerifiedDeal, seat: int, states: list) -> bool:
    moved = deal.step(seat)
    if moved:
        states.append(deal.state)
    return moved
