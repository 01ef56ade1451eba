"""Facts of a residue deal, entry by entry."""

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
from protocol.dealing.residue.facts import card_locks, entry_facts
from protocol.games.operations import (
    EVERYBODY,
    Look,
    LookAt,
    Operation,
    Pile,
    PutAway,
    Reveal,
    RevealCards,
    Shuffle,
    ShuffleCards,
)
from tests.support.residue import ResidueDeal, begun, residue_deal


def facts_of(deal: ResidueDeal, since: int = 0) -> list[tuple[Fact, ...]]:
    """Return the facts of each entry since this number."""
    states = [*deal.states, deal.state]
    return [
        entry_facts(states[at], author, Post(kind, body), states[at + 1])
        for at, (author, kind, body) in enumerate(deal.entries)
        if at >= since
    ]


def after(deal: ResidueDeal, seat: int, *operations: Operation) -> list[tuple[Fact, ...]]:
    """Return the facts of an entry with these operations, and of the entries that follow."""
    since = len(deal.entries)
    deal.act(seat, *operations)
    return facts_of(deal, since)


def hands() -> ResidueDeal:
    """Two seats with one card each, and a stock of one."""
    return residue_deal(2, [Pile(3, 1)])


def loose() -> ResidueDeal:
    """Two seats and three loose cards, shuffled by both."""
    return residue_deal(2, [Pile(3, loose=True)]).want(ShuffleCards((0, 1, 2)))


def test_deal_seals_all_cards_and_opens_hands_to_seats():
    assert facts_of(begun(2, [Pile(3, 1)]).run()) == [
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


def test_shown_card_is_public_once_its_bits_are_posted():
    deal = hands()
    piece = deal.opened(0)
    assert after(deal, 0, Reveal(piece)) == [
        (),
        (Proof(0, PARTS_PHRASE), Opening(0, (0,)), Reading(EVERYBODY, (0,), (piece,))),
    ]


def test_turned_card_goes_from_the_stock_to_everybody():
    deal = hands()
    piece = deal.opened(2)
    assert after(deal, EVERYBODY, Look(1, EVERYBODY)) == [
        (Transfer((2,), STOCK, EVERYBODY),),
        (Proof(0, PARTS_PHRASE), Opening(0, (2,)), Reading(1, (2,))),
        (Proof(1, PARTS_PHRASE), Opening(1, (2,)), Reading(EVERYBODY, (2,), (piece,))),
    ]


def test_reshuffle_seals_what_was_put_away():
    deal = hands()
    assert after(deal, 0, PutAway((0,))) == [(Transfer((0,), 0, NOBODY),)]
    moved, *shuffled = after(deal, EVERYBODY, Shuffle())
    assert moved == (Transfer((0,), NOBODY, STOCK), Sealing(EVERYBODY, (0,), (0, 1)))
    assert [found[1] for found in shuffled] == [
        Sealing(0, (0, 2), (0, 1)),
        Sealing(1, (0, 2), (0, 1)),
    ]


def test_look_at_loose_card_is_read_by_its_seat_alone():
    deal = loose()
    assert after(deal, EVERYBODY, LookAt((0,), (1,))) == [
        (),
        (Proof(0, PARTS_PHRASE), Opening(0, (0,)), Reading(1, (0,))),
    ]


def test_seat_that_shuffles_what_it_knows_alone_still_knows_it():
    deal = loose().want(LookAt((0, 1), (1,)))
    shuffle = ShuffleCards((0, 1), (1,))
    assert after(deal, EVERYBODY, shuffle)[1:] == [
        (Proof(1, SHUFFLE_PHRASE), Sealing(1, (0, 1), (0, 1)), Reading(1, (0, 1)))
    ]
    # it has read one of two cards alone
    other = loose().want(LookAt((0,), (1,)))
    assert after(other, EVERYBODY, shuffle)[1:] == [
        (Proof(1, SHUFFLE_PHRASE), Sealing(1, (0, 1), (0, 1)))
    ]


def test_locks_are_the_seats_whose_bits_are_missing():
    deal = residue_deal(2, [Pile(3, loose=True)])
    assert card_locks(deal.state) == (None, None, None)
    deal.want(ShuffleCards((0, 1))).want(LookAt((0,), (1,)))
    assert card_locks(deal.state) == (frozenset({1}), frozenset({0, 1}), None)
    deal.want(RevealCards((0,)))
    assert card_locks(deal.state)[0] == frozenset()
