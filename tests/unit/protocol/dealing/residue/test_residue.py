"""A residue deal does what rules request, for hands and loose cards, and reveals nothing more."""

from dataclasses import replace
from random import Random

import pytest

from protocol.dealing.registry import DEALINGS, create_dealing
from protocol.dealing.residue import RESIDUE
from protocol.dealing.residue.seat import ResidueSeat
from protocol.dealing.residue.stages import ResidueStage
from protocol.errors import Refused
from protocol.games.operations import (
    EVERYBODY,
    Lay,
    Look,
    LookAt,
    OpenCard,
    Pile,
    PutAway,
    Reveal,
    RevealCards,
    Shuffle,
    ShuffleCards,
    Turn,
)
from protocol.limits import MAX_CHUNK, MAX_PILE
from protocol.options import BadOptions
from tests.support.residue import ResidueDeal, begun, residue_deal

SIX = tuple(range(6))


def loose(seats: int, seed: int = 1) -> ResidueDeal:
    """Return six loose cards, shuffled by all."""
    return residue_deal(seats, [Pile(6, loose=True)], seed).want(ShuffleCards(SIX))


@pytest.mark.slow
def test_hands_draws_and_upcards_are_distinct_pieces() -> None:
    deal = residue_deal(3, [Pile(6, 1), Pile(5)])
    assert all(piece < 6 for hand in deal.hands for piece in hand)
    deal.act(1, Look(1, 1, 1)).want(Look(2, EVERYBODY, 0))
    (drawn,) = set(deal.hands[1]) - set(range(6))
    pieces = [piece for hand in deal.hands for piece in hand] + list(deal.state.turned_up)
    assert drawn >= 6 and len(deal.state.turned_up) == 2 and len(set(pieces)) == len(pieces) == 6
    assert [deal.opened(card) for card in deal.state.open_cards] == list(deal.state.turned_up)


@pytest.mark.slow
def test_ten_seats_have_one_distinct_piece_each() -> None:
    deal = residue_deal(10, [Pile(11, 1)])
    assert sorted(piece for hand in deal.hands for piece in hand) == sorted(
        set(range(11)) - {deal.opened(10)}
    )


@pytest.mark.slow
def test_residue_hand_is_shown_exchanged_reshuffled_and_settled() -> None:
    deal = residue_deal(2, [Pile(8, 2)])
    first = deal.hands
    deal.act(0, Reveal(deal.seats[0].hand[1]))
    assert len(deal.seats[0].hand) == 1 and set(deal.state.shown.values()) == {*first[0]} - {
        *deal.seats[0].hand
    }
    deal.act(1, PutAway((0,)), Look(1, 1), Shuffle())
    assert deal.state.ready and len(deal.seats[1].hand) == 2 and len(deal.state.stock) == 4
    assert sorted(map(deal.opened, range(8))) == list(range(8))
    deal.close((1,))
    result = deal.state.result
    assert (
        result is not None
        and not result.faults
        and set(result.drawn[1]) <= set(deal.state.shown.values())
    )
    assert set(result.dealt[1]) | set(result.drawn[1]) == set(deal.hands[1] or ()) | {
        piece for card, piece in deal.state.shown.items() if deal.state.holders[card] == 1
    }


@pytest.mark.slow
def test_pieces_shown_by_one_action_have_one_proof() -> None:
    deal = residue_deal(2, [Pile(6, 3)])
    before = len(deal.entries)
    deal.act(0, *(Reveal(piece) for piece in deal.seats[0].hand))
    assert [kind for _, kind, _ in deal.entries[before:]] == ["move", "tell"] and not deal.seats[
        0
    ].hand


@pytest.mark.slow
def test_loose_cards_are_in_clear_until_shuffled() -> None:
    deal = residue_deal(2, [Pile(4, loose=True), Pile(3, loose=True)])
    assert (
        dict(deal.state.public_faces)
        == {card: card for card in range(7)}
        == dict(deal.seats[0].visible_cards)
    )
    deal.want(ShuffleCards((0, 1, 2, 3)))
    assert dict(deal.state.public_faces) == {4: 4, 5: 5, 6: 6} == dict(deal.seats[1].visible_cards)
    assert deal.want(ShuffleCards((5,))).state.public_faces[5] == 5


@pytest.mark.slow
def test_looked_card_is_known_to_looker_until_opened() -> None:
    deal = loose(3).want(LookAt((2, 4), (1,)))
    assert {card: deal.opened(card) for card in (2, 4)} == deal.seats[1].visible_cards
    assert (
        not deal.state.public_faces
        and not deal.seats[0].visible_cards
        and not deal.seats[2].visible_cards
    )
    deal.act(1, OpenCard(4, deal.seats[1].visible_cards[4]))
    assert dict(deal.state.public_faces) == {4: deal.opened(4)} == dict(deal.seats[0].visible_cards)


@pytest.mark.slow
def test_public_reveal_is_reported_in_tuple_order() -> None:
    deal = loose(2)
    before = len(deal.entries)
    deal.want(LookAt((0,), (0,)), LookAt((1,), (1,)), RevealCards((5,)))
    assert sorted((author, kind) for author, kind, _ in deal.entries[before + 1 :]) == [
        (0, "tell"),
        (1, "tell"),
    ]
    deal.want(RevealCards((2,)), ShuffleCards((2, 3)), RevealCards((3,)))
    assert set(deal.state.public_faces) == {5, 3} and deal.state.public_faces[3] == deal.opened(3)


@pytest.mark.slow
def test_second_looker_hides_card_so_third_learns_nothing() -> None:
    deal = loose(3).want(LookAt((2,), (0,)))
    was = deal.state.deck[2]
    deal.want(LookAt((2,), (1,)))
    assert (
        deal.state.deck[2] != was
        and not deal.state.public_faces
        and not deal.seats[2].visible_cards
    )
    assert deal.seats[0].visible_cards == deal.seats[1].visible_cards == {2: deal.opened(2)}
    assert deal.state.missing_seats(2) == {1}, "of what lies there now not all bits are told"
    deal.want(LookAt((2,), (2,)))
    assert dict(deal.state.public_faces) == {2: deal.opened(2)}, (
        "now all have seen it, so it lies open"
    )


@pytest.mark.slow
def test_bits_given_before_sole_shuffle_still_count() -> None:
    deal = loose(3).want(LookAt((0, 1), (0,)), ShuffleCards((0, 1), by=(2,)))
    was = deal.state.deck[0]
    deal.want(LookAt((0,), (1,)))
    assert (
        deal.state.deck[0] != was
        and deal.seats[1].visible_cards == {0: deal.opened(0)}
        and not deal.seats[2].visible_cards
    )


@pytest.mark.slow
def test_sole_shuffler_keeps_knowledge_and_others_forget() -> None:
    deal = loose(2).want(LookAt((0, 1, 2), (0,)))
    knew = set(deal.seats[0].visible_cards.values())
    deal.want(ShuffleCards((0, 1, 2), by=(0,)))
    assert {card: deal.opened(card) for card in (0, 1, 2)} == deal.seats[0].visible_cards
    assert set(deal.seats[0].visible_cards.values()) == knew and not deal.seats[1].visible_cards
    deal.want(ShuffleCards(SIX))
    assert not deal.seats[0].visible_cards and not deal.seats[1].visible_cards


@pytest.mark.slow
@pytest.mark.parametrize("seats", [(0, 1), (0,)])
def test_card_viewed_by_two_becomes_open_to_both(
    seats: tuple[int, ...],
) -> None:
    deal = loose(2).want(LookAt((3,), seats), LookAt((3,), (1,)))
    assert dict(deal.state.public_faces) == {3: deal.opened(3)}


@pytest.mark.slow
def test_opener_of_open_card_under_another_name_is_not_named() -> None:
    deal = loose(2).want(RevealCards((3,)))
    with pytest.raises(Refused) as caught:
        deal.begin(0, OpenCard(3, (deal.opened(3) + 1) % 4))
    assert caught.value.code == "stale"


@pytest.mark.slow
def test_impossible_operation_is_refused_without_effect() -> None:
    deal = residue_deal(2, [Pile(4, 1), Pile(4, loose=True)])
    assert deal.refused(EVERYBODY, Look(3, 0)) == "not_in_stock"
    assert deal.refused(0, PutAway((1,))) == "not_held"
    assert (
        deal.refused(EVERYBODY, RevealCards((0,)))
        == deal.refused(0, ShuffleCards((3, 4)))
        == "not_now"
    )
    assert (
        deal.refused(0, Reveal(0), parts=[[]])
        == deal.refused(0, Look(1, 0), parts=[[1]])
        == "bad_entry"
    )
    deal.want(ShuffleCards((4, 5, 6, 7)))
    assert deal.refused(0, OpenCard(4, 4)) == "not_held", "it has not looked"
    assert deal.refused(EVERYBODY, Turn(0, (0,))) == "not_now" and deal.state.ready


@pytest.mark.slow
def test_replayed_stream_sends_the_same_chunks() -> None:
    deal = begun(2, [Pile(3, 1)])
    context, first = deal.state.context, deal.seats[0]
    again = ResidueSeat(context, 0, Random(7)), ResidueSeat(context, 0, Random(7))
    deal.seats[0] = again[0]
    while deal.state.stage != ResidueStage.TELL:
        post = again[1].next_post(deal.state)
        assert post == deal.duty(0)
        deal.step(0 if post else 1)
    other = first.next_post(replace(deal.states[2]))
    assert other is None or other != again[0].next_post(deal.states[2])


@pytest.mark.slow
def test_long_shuffle_is_checked_in_parts_with_renewed_time() -> None:
    deal = begun(2, [Pile(104, 0)])
    deal.run(ResidueStage.SHUFFLE)
    began, percents = deal.state.duties_since, set()
    for _ in range(40):
        deal.step(0)
        percents.add(deal.state.progress()[1])
        assert deal.state.partial_shuffle is not None
    assert began < deal.state.duties_since < deal.at - 1 and len(percents) > 10
    assert {len(body[2]) for _, kind, body in deal.entries if kind == "chunk"} == {MAX_CHUNK}


@pytest.mark.slow
def test_refused_chunk_leaves_no_trace_in_running_check() -> None:
    deal = begun(2, [Pile(40, 0)])
    deal.run(ResidueStage.SHUFFLE)
    for _ in range(5):
        deal.step(0)
    post = deal.duty(0)
    assert post is not None
    assert deal.lie(0, post._replace(body=[*post.body[:2], bytes(len(post.body[2]))])) in (
        "bad_proof",
        "nothing",
    )
    deal.run()
    assert deal.state.ready


def test_residue_dealing_lists_its_abilities() -> None:
    assert RESIDUE.supports(Lay((Pile(52, 5), Pile(60, loose=True), Pile(60, owner=1, loose=True))))
    assert not RESIDUE.supports(Lay((Pile(MAX_PILE + 1),))) and not RESIDUE.supports(
        Lay((Pile(9, owner=0),))
    )
    assert not RESIDUE.supports(ShuffleCards(tuple(range(MAX_PILE + 1)))) and not RESIDUE.supports(
        Turn(0, (0,))
    )
    assert DEALINGS["residue"] is RESIDUE
    # names are known before the dealings are loaded
    assert [dealing.name for dealing in DEALINGS.values()] == list(DEALINGS)


@pytest.mark.parametrize("bits", [512, 1024, "512", "breakable", 0])
def test_short_keys_require_their_own_dealing_name(bits: int | str) -> None:
    with pytest.raises(BadOptions):
        create_dealing("residue", {"bits": bits}, 2)
    assert create_dealing("residue", {"bits": "breakable-512"}, 2) is RESIDUE


@pytest.mark.slow
def test_repeated_request_is_answered_once_without_recursion() -> None:
    deal = begun(2, [Pile(2, loose=True)]).run()
    deal.want(ShuffleCards((0, 1)), *[RevealCards((0,))] * 1100)
    assert deal.state.ready and deal.state.public_faces.keys() == {0}
    assert [kind for _, kind, _ in deal.entries].count("tell") == 2
