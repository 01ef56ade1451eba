"""Seeded deals: who sees each card, and every card is drawn uniformly, once, from the cards hidden
with it.
"""

from collections import Counter
from math import sqrt

import pytest

from protocol.codes import Code
from protocol.dealing import Post
from protocol.dealing.facts import Commitment, Opening, Reading, Sealing
from protocol.dealing.knowledge import KnowledgeCell, apply_facts, initial_knowledge
from protocol.dealing.seeded.deck import SeededDeck, draw_stream, order_stream
from protocol.dealing.seeded.facts import card_locks, entry_facts
from protocol.dealing.seeded.stages import SeededStage
from protocol.dealing.seeded.state import HideStep
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games.operations import (
    EVERYBODY,
    Lay,
    Look,
    LookAt,
    OpenCard,
    Pile,
    RevealCards,
    ShuffleCards,
)
from protocol.limits import MAX_SEEDED_STEPS
from tests.support.seeded import DEALING, seeded_deal


@pytest.mark.parametrize("seats", [1, 2, 3, 10])
def test_pile_is_ordered_until_hidden_then_private_to_drawer(seats):
    deal = seeded_deal(seats, 6)
    assert deal.state.ready and dict(deal.state.public_faces) == {
        card: card for card in range(6 * seats)
    }
    deal.hide(*range(6))
    assert not set(range(6)) & (deal.state.public_faces.keys() | deal.seats[0].visible_cards.keys())
    drawn = deal.draw(0, 4, 2)
    assert {*drawn} <= set(range(6)) and deal.seats[0].hand == (
        deal.seats[0].visible_cards[2],
        deal.seats[0].visible_cards[4],
    )
    assert all(not {2, 4} & half.visible_cards.keys() for half in deal.seats[1:])
    # a seat that knows a card needs no second look
    assert deal.draw(0, 4, 2) == drawn and deal.state.draws == 2
    assert deal.reveal(4, 5)[0] == drawn[0]
    assert all({4, 5} <= half.visible_cards.keys() for half in deal.seats) and deal.seats[
        0
    ].hand == (drawn[1],)
    assert deal.close() == []


def test_seeded_draw_takes_one_number_of_each_seat():
    deal = seeded_deal(3, 4)
    first = len(deal.entries)
    deal.want(
        ShuffleCards((0, 1, 2)),
        ShuffleCards((4, 5)),
        LookAt((0, 1), (0,)),
        LookAt((4,), (1,)),
        RevealCards((5,)),
    )
    assert [(seat, kind) for seat, kind, _ in deal.entries[first:]] == [
        (0, "give"),
        (1, "give"),
        (2, "give"),
        (1, "show"),
    ]
    deal.want(LookAt((2,), (0,)))
    assert [(seat, kind) for seat, kind, _ in deal.entries[first + 4 :]] == [
        (1, "give"),
        (2, "give"),
    ]
    assert len({body[0] for _, kind, body in deal.entries if kind == "give"}) == 5
    assert deal.close() == []


def test_card_viewed_hidden_and_viewed_again_is_drawn_twice():
    deal = seeded_deal(2, 8)
    deal.hide(*range(8))
    before = deal.draw(0, 0)
    deal.want(
        LookAt((1,), (0,)), ShuffleCards(tuple(range(8))), LookAt((1,), (0,)), RevealCards((0,))
    )
    assert (
        deal.state.draws == 4
        and {1} == deal.seats[0].visible_cards.keys() - deal.state.public_faces.keys()
    )
    assert deal.close() == [] and before


def test_hidden_again_card_is_forgotten_except_by_sole_owner():
    deal = seeded_deal(2, 6)
    deal.hide(*range(6))
    known = sorted(deal.draw(0, 0, 1, 2))
    deal.hide(0, 1, 2, by=(0,))
    assert sorted(deal.seats[0].hand) == known and not deal.state.hidden & {0, 1, 2}
    deal.open(0, 1)
    deal.hide(0, 1, by=(1,))  # another seat's hands: then all seats shuffle
    assert (
        len(deal.seats[0].hand) == 1
        and deal.state.hidden >= {0, 1}
        and 1 not in deal.state.public_faces
    )
    assert deal.close() == []


def test_seeded_restart_draws_the_same():
    """The private half is a function of its seed and the states that it has seen, however many at a
    time.
    """
    deal = seeded_deal(2, 10)
    deal.hide(*range(10)).draw(0, 0, 1, 2)
    deal.hide(0, 1, 5).draw(0, 5, 6)
    half = deal.seats[0]
    again = type(half).__new__(type(half))
    vars(again).update({**vars(half), "_replay": None, "_own": {}, "_faces": {}})
    again.next_post(deal.state)
    assert again.visible_cards == half.visible_cards and len(half.hand) == 3


def counted(draw, rounds: int = 6000) -> Counter:
    return Counter(draw(number.to_bytes(32, "big")) for number in range(rounds))


def even(counts: Counter, kinds: int) -> bool:
    """Return whether each count is within five standard deviations; chance exceeds this about once
    in a million tests.
    """
    mean = counts.total() / kinds
    return len(counts) == kinds and all(
        abs(count - mean) < 5 * sqrt(mean) for count in counts.values()
    )


def stream(seed: bytes, number: int):
    return draw_stream(b"deal", 0, seed, (number, 1), [b"given"])


@pytest.mark.slow
def test_seeded_draws_are_uniform_for_any_size():
    def one(seed: bytes) -> int:
        deck = SeededDeck(range(5))
        deck.hide(range(5))
        deck.draw(3, stream(seed, 0))
        return deck.piece(3)

    assert even(counted(one), 5)


@pytest.mark.slow
def test_cards_hidden_with_unseen_ones_are_evenly_distributed():
    """Two of three undrawn cards and one that was drawn make a new pile: every order is equally
    likely.
    """

    def two(seed: bytes) -> tuple[int, ...]:
        deck = SeededDeck(range(4))
        deck.hide(range(4))
        deck.draw(0, stream(seed, 0))
        deck.hide([0, 1, 2])
        deck.draw(1, stream(seed, 1))
        deck.draw(3, stream(seed, 2))
        return deck.piece(1), deck.piece(3)

    counts = counted(two)
    assert even(counts, 12)


@pytest.mark.slow
def test_order_of_a_sole_shuffler_is_uniform():
    def order(seed: bytes) -> tuple[int, ...]:
        deck = SeededDeck(range(3))
        deck.reorder([0, 1, 2], order_stream(b"deal", 0, seed, 1))
        return tuple(deck.piece(card) for card in range(3))

    assert even(counted(order), 6)


def test_deck_draws_every_card_once_despite_repeated_hiding():
    deck, number = SeededDeck(range(20)), 0
    for start in range(0, 20, 3):
        deck.hide([*range(start, 20)])
        for card in range(0, start + 5, 2):
            deck.draw(card % 20, stream(bytes(32), number := number + 1))
        deck.hide([card for card in range(20) if card % 3 == start % 3])
    for card in range(20):
        deck.draw(card, stream(bytes(32), number := number + 1))
    assert sorted(deck.piece(card) for card in range(20)) == list(range(20))


def test_pile_hidden_repeatedly_does_not_grow():
    deck = SeededDeck(range(30))
    deck.hide(range(30))
    heap = deck._hidden_under[0]
    for _ in range(10):
        deck.hide(range(10, 25))
    assert deck._hidden_under[12] is heap and len(heap.remaining) == 30
    deck.draw(0, stream(bytes(32), 0))
    deck.hide(range(30))
    assert not any(not isinstance(under, int) for under in deck._hidden_under[0].remaining)


def test_seeded_facts_say_who_can_read_each_card():
    deal = seeded_deal(3, 2)
    commits = entry_facts(DEALING.begin(deal.state.context, 0), 1, _post("commit"), deal.state)
    assert Commitment(1, commits[0].what) == commits[0]
    before = deal.state
    deal.want(ShuffleCards((0, 1)), LookAt((0,), (0,)), until=SeededStage.GIVE)
    known = apply_facts(
        initial_knowledge(0, (0, 1, 2), 6),
        entry_facts(before, EVERYBODY, _post("move"), deal.state),
    )
    assert known.cell(0, 0) is KnowledgeCell.SEALED and card_locks(deal.state)[0] == {0, 1, 2}
    states = [deal.state]
    while deal.state.stage is SeededStage.GIVE:
        author = deal.state.duties()[0].author
        deal.step(author)
        states.append(deal.state)
    told = [
        entry_facts(old, author, _post("give"), new)
        for old, new, author in zip(states[:-1], states[1:], (1, 2), strict=True)
    ]
    assert told == [(Opening(1, (0,)),), (Opening(2, (0,)), Reading(0, (0,)))]
    before = deal.state
    (piece,) = deal.reveal(0)
    assert Reading(EVERYBODY, (0,), (piece,)) in entry_facts(before, 0, _post("show"), deal.state)
    deal.hide(0)
    assert Sealing(EVERYBODY, (0,), (0, 1, 2)) in entry_facts(
        before, EVERYBODY, _post("move"), deal.state
    )


def _post(kind: str) -> Post:
    return Post(kind, [])


def test_hindsight_shows_opened_hands_and_later_shown_cards():
    deal = seeded_deal(2, 6)
    deal.hide(*range(6)).draw(0, 0, 1)
    hand = deal.seats[0].hand
    at = len(deal.states)
    deal.open(0, 1)
    open_before = DEALING.revealed_hands([*deal.states, deal.state])
    assert open_before(deal.states[at], 0) == (None, hand[1])
    deal.close()
    seen = DEALING.revealed_hands([*deal.states, deal.state])
    assert seen(deal.states[at], 0) == hand and seen(deal.states[at], 1) == ()


@pytest.mark.parametrize(
    "wanted",
    [
        ShuffleCards((0, 6)),  # cards of two owners
        LookAt((0,), (1,)),  # a card of another owner
        LookAt((99,), (0,)),
        RevealCards((99,)),
        ShuffleCards((-1,)),
    ],
)
def test_unsupported_seeded_operation_is_refused(wanted):
    deal = seeded_deal(2, 6)
    deal.hide(*range(6))
    with pytest.raises(Refused):
        deal.want(wanted)


def test_deal_with_endless_hiding_ends():
    deal = seeded_deal(2, 6)
    many = replace(deal.state, steps=(HideStep(0, (0, 1), 0, False),) * MAX_SEEDED_STEPS)
    with pytest.raises(Refused) as refusal:
        DEALING.apply_operation(many, EVERYBODY, ShuffleCards((0, 1)), [], deal.at)
    assert refusal.value.code is Code.TOO_MANY


def test_seeded_dealing_supports_only_owned_loose_piles():
    loose = Pile(3, owner=0, loose=True)
    assert DEALING.supports(Lay((loose, loose)))
    assert not any(
        DEALING.supports(Lay((pile, loose)))
        for pile in (Pile(3), Pile(3, loose=True), Pile(3, owner=0))
    )
    assert not DEALING.supports(Look(1, 0)) and not DEALING.supports(LookAt((0,), (0, 1)))


def test_owner_opens_card_as_last_seen():
    deal = seeded_deal(2, 6)
    deal.hide(*range(6)).draw(0, 0)
    piece = deal.seats[0].visible_cards[0]
    part = deal.seats[0].part(deal.state, OpenCard(0, piece))
    for seat, card in ((1, 0), (0, 1)):
        with pytest.raises(Refused) as refusal:
            DEALING.apply_operation(deal.state, seat, OpenCard(card, piece), part, deal.at)
        assert refusal.value.code is Code.NOT_HELD
    deal.hide(0, 1).draw(0, 0)
    with pytest.raises(Refused) as refusal:
        DEALING.apply_operation(deal.state, 0, OpenCard(0, piece), part, deal.at)
    assert refusal.value.code is Code.STALE
    deal.open(0, 0)
    known = deal.state.public_faces[0]
    assert DEALING.apply_operation(deal.state, 0, OpenCard(0, known), [], deal.at) == deal.state
    with pytest.raises(Refused) as refusal:
        DEALING.apply_operation(deal.state, 0, OpenCard(0, (known + 1) % 6), [], deal.at)
    assert refusal.value.code is Code.STALE
