"""Facts of a verified deal, entry by entry."""

from protocol.dealing import Post
from protocol.dealing.facts import (
    NOBODY,
    OWN_KEY_PHRASE,
    PARTS_PHRASE,
    SHUFFLE_PHRASE,
    STOCK,
    Fact,
    Opening,
    Proof,
    Reading,
    Sealing,
    Transfer,
)
from protocol.dealing.verified.facts import card_locks, entry_facts
from protocol.fast_replace import replace
from protocol.games.operations import EVERYBODY, Look, Operation, Pile, PutAway, Reveal, Shuffle
from tests.support.verified import DEALING, VerifiedDeal, begin_piles


def settled(deal: VerifiedDeal) -> list[tuple[Fact, ...]]:
    """Let all seats post what they have to; return the facts of each entry."""
    found = []
    while posts := [(seat, post) for seat in range(len(deal.seats)) if (post := deal.duty(seat))]:
        seat, post = posts[0]
        before = deal.state
        deal.post(seat, post)
        found.append(entry_facts(before, seat, post, deal.state))
    return found


def after(deal: VerifiedDeal, seat: int, operation: Operation) -> list[tuple[Fact, ...]]:
    """Return the facts of an entry with this operation, and of the entries that follow."""
    before = deal.state
    part = deal.seats[seat].part(before, operation) if seat != EVERYBODY else []
    deal.state = DEALING.apply_operation(before, seat, operation, part, deal.at)
    deal.entries.append((max(seat, 0), "move", [[], [part]]))
    return [entry_facts(before, seat, Post("move", [[], [part]]), deal.state), *settled(deal)]


def hands(size: int = 3) -> VerifiedDeal:
    """Two seats with one card each, and a stock."""
    deal = begin_piles(2, [Pile(size, 1)], 1)
    settled(deal)
    return deal


def test_deal_seals_all_cards_and_opens_hands_to_seats():
    assert settled(begin_piles(2, [Pile(3, 1)], 1)) == [
        (Proof(0, OWN_KEY_PHRASE),),
        (Proof(1, OWN_KEY_PHRASE),),
        (Proof(0, SHUFFLE_PHRASE), Sealing(0, (0, 1, 2), (0, 1))),
        (
            Proof(1, SHUFFLE_PHRASE),
            Sealing(1, (0, 1, 2), (0, 1)),
            Transfer((0,), STOCK, 0),
            Transfer((1,), STOCK, 1),
        ),
        (Proof(0, PARTS_PHRASE), Opening(0, (1,)), Reading(1, (1,))),
        (Proof(1, PARTS_PHRASE), Opening(1, (0,)), Reading(0, (0,))),
    ]


def test_shown_card_is_public_at_once():
    deal = hands()
    piece = deal.seats[0].hand[0]
    assert after(deal, 0, Reveal(piece)) == [(Opening(0, (0,)), Reading(EVERYBODY, (0,), (piece,)))]


def test_turned_card_is_opened_by_each_seat():
    deal = hands()
    piece = deal.opened(2, (0, 1))
    assert after(deal, EVERYBODY, Look(1, EVERYBODY)) == [
        (Transfer((2,), STOCK, EVERYBODY),),
        (Proof(0, PARTS_PHRASE), Opening(0, (2,)), Reading(1, (2,))),
        (Proof(1, PARTS_PHRASE), Opening(1, (2,)), Reading(EVERYBODY, (2,), (piece,))),
    ]


def test_reshuffle_seals_what_was_put_away():
    deal = hands()
    assert after(deal, 1, PutAway((0,))) == [(Transfer((1,), 1, NOBODY),)]
    moved, *shuffled = after(deal, EVERYBODY, Shuffle())
    assert moved[0] == Transfer((1,), NOBODY, STOCK)
    assert [found for each in shuffled for found in each if isinstance(found, Sealing)] == [
        Sealing(0, (1, 2), (0, 1)),
        Sealing(1, (1, 2), (0, 1)),
    ]


def test_card_of_own_deck_is_open_to_its_owner():
    deal = begin_piles(2, [Pile(3, owner=seat, face_up_places=(2,)) for seat in range(2)], 1)
    settled(deal)
    locks = card_locks(deal.state)
    assert locks[2] == locks[5] == frozenset()
    # only the owner's share is missing, so the owner can read its deck at any time
    assert locks[0] == frozenset({0}) and locks[3] == frozenset({1})


def test_post_of_a_proven_liar_is_no_proof():
    deal = begin_piles(2, [Pile(3, 1)], 1)
    post = deal.duty(0)
    assert post is not None
    before = deal.state
    deal.post(0, post)
    lied = replace(deal.state, departed=frozenset({0}))
    assert entry_facts(before, 0, post, lied) == ()
    assert entry_facts(before, 0, post, deal.state) == (Proof(0, OWN_KEY_PHRASE),)


def test_cards_in_clear_have_no_locks():
    deal = begin_piles(2, [Pile(3, 1)], 1)
    assert card_locks(deal.state) == (None, None, None)
    assert card_locks(hands().state) == (frozenset({0}), frozenset({1}), frozenset({0, 1}))
