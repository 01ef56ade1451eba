"""Facts of a commutative deal, entry by entry."""

from random import Random

from protocol.dealing import Post
from protocol.dealing.commutative.facts import card_locks, entry_facts, public_piece
from protocol.dealing.commutative.seat import CommutativeSeat
from protocol.dealing.facts import (
    KEY_PHRASE,
    NOBODY,
    STOCK,
    Commitment,
    Fact,
    Opening,
    Reading,
    Sealing,
    Transfer,
)
from protocol.games.operations import EVERYBODY, Look, Operation, PutAway, Reveal
from tests.support.commutative import DEALING, CommutativeDeal, commutative_deal


def settled(deal: CommutativeDeal) -> list[tuple[Fact, ...]]:
    """Let all seats post what they have to; return the facts of each entry."""
    found = []
    while posts := [
        (seat, post) for seat, half in enumerate(deal.seats) if (post := half.next_post(deal.state))
    ]:
        seat, post = posts[0]
        before = deal.state
        deal.apply(lambda: DEALING.apply(before, seat, post.kind, post.body, deal.at))  # noqa: B023
        found.append(entry_facts(before, seat, post, deal.state))
    return found


def after(deal: CommutativeDeal, seat: int, operation: Operation) -> list[tuple[Fact, ...]]:
    """Return the facts of an entry with this operation, and of the entries that follow."""
    before = deal.state
    part = deal.seats[seat].part(before, operation) if seat != EVERYBODY else []
    deal.apply(lambda: DEALING.apply_operation(before, seat, operation, part, deal.at))
    return [entry_facts(before, seat, Post("move", [[], [part]]), deal.state), *settled(deal)]


def fresh() -> CommutativeDeal:
    """Two seats, three cards, one for each hand; nobody has posted anything."""
    context = commutative_deal(2, 3, 1).state.context
    halves = [CommutativeSeat(context, seat, Random(seat)) for seat in range(2)]
    return CommutativeDeal(DEALING.begin(context, 0), halves)


def cards_of(deal: CommutativeDeal) -> tuple[int, int, int]:
    """Return the card of seat 0, the card of seat 1 and the card of the stock, which seats chose by
    chance.
    """
    held = {seat: card for card, seat in deal.state.holders.items()}
    (left,) = {0, 1, 2} - set(held.values())
    return held[0], held[1], left


def test_deal_seals_all_cards_and_opens_hands_to_seats():
    deal = fresh()
    *first, second, third = settled(deal)
    mine, other, _ = cards_of(deal)
    assert first[:4] == [
        (Commitment(0, KEY_PHRASE),),
        (Commitment(1, KEY_PHRASE),),
        (Sealing(0, (0, 1, 2), (0,)), Reading(0, (0, 1, 2))),
        (Sealing(1, (0, 1, 2), (0, 1)),),
    ]
    moves = [one for entry in first[4:] for one in entry]
    assert sorted((one.slots, one.giver, one.receiver) for one in moves) == sorted(
        [((mine,), STOCK, 0), ((other,), STOCK, 1)]
    )
    assert second == (Opening(1, (mine,)), Reading(0, (mine,)))
    assert third == (Opening(0, (other,)), Reading(1, (other,)))


def test_locks_are_the_seats_whose_envelopes_are_on_a_card():
    deal = fresh()
    assert card_locks(deal.state) == (None, None, None)
    settled(deal)
    mine, other, left = cards_of(deal)
    locks = card_locks(deal.state)
    assert locks[mine] == {0} and locks[other] == {1} and locks[left] == {0, 1}


def test_shown_card_counts_as_what_its_holder_says():
    deal = commutative_deal(2, 3, 1)
    piece, (card, _, _) = deal.seats[0].hand[0], cards_of(deal)
    (shown,) = after(deal, 0, Reveal(piece))
    assert shown == (Opening(0, (card,)), Reading(EVERYBODY, (card,), (piece,)))
    assert public_piece(deal.state, card) == piece


def test_turned_card_loses_an_envelope_with_each_entry():
    deal = commutative_deal(2, 3, 1)
    *_, card = cards_of(deal)
    moved, first, second = after(deal, EVERYBODY, Look(1, EVERYBODY))
    piece = public_piece(deal.state, card)
    assert piece is not None and moved == (Transfer((card,), STOCK, EVERYBODY),)
    assert first == (Opening(1, (card,)), Reading(0, (card,)))
    assert second == (Opening(0, (card,)), Reading(EVERYBODY, (card,), (piece,)))


def test_exchanged_card_is_put_away_unseen():
    deal = commutative_deal(2, 3, 1)
    _, card, _ = cards_of(deal)
    assert after(deal, 1, PutAway((0,))) == [(Transfer((card,), 1, NOBODY),)]
    assert card_locks(deal.state)[card] == {1}


def test_opened_keys_take_off_all_envelopes():
    deal = commutative_deal(2, 3, 1)
    assert deal.close() == []
    assert card_locks(deal.state) == (frozenset(),) * 3
    assert sorted(public_piece(deal.state, card) for card in range(3)) == [0, 1, 2]
