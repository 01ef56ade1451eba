"""Every cheat in commutative dealing is refused, noticed at once, or named when the keys are
opened; nobody else is.
"""

import pytest

from protocol.codes import Code
from protocol.crypto.group import ELEMENT_BYTES, IDENTITY, decode_points, encode, scalar_from_int
from protocol.dealing import Post
from protocol.dealing.card_state import piece_points
from protocol.dealing.commutative.state import key_commitment
from protocol.errors import ProtocolViolation, Refused
from protocol.games.operations import Look, Reveal
from tests.support.commutative import DEALING, commutative_deal

TWO = scalar_from_int(2)


def twist(kind, change):
    """Change one seat's posts of one kind by a function of the state and the points, or the
    body.
    """

    def twisted(state, post):
        return Post(kind, change(state, post.body)) if post.kind == kind else post

    return twisted


def on_points(change):
    return lambda state, body: [encode(change(state, decode_points(body[0])))]


def test_opening_an_uncommitted_key_is_named():
    deal = commutative_deal(
        twists={1: twist("open_key", lambda state, body: [TWO.encoded, body[1]])}
    )
    with pytest.raises(ProtocolViolation) as lie:
        deal.close()
    assert lie.value.code is Code.BAD_KEY_OPENING


def test_opening_another_salt_is_named_like_another_key():
    deal = commutative_deal(twists={0: twist("open_key", lambda state, body: [body[0], bytes(32)])})
    with pytest.raises(ProtocolViolation) as lie:
        deal.close()
    assert lie.value.code is Code.BAD_KEY_OPENING


def test_copied_commitment_cannot_be_opened_even_with_copied_key():
    opened = []

    def commit(state, post):
        if post.kind == "commit":
            return Post("commit", [state.commitments[0]])
        if post.kind == "open_key":
            opened.append(post)
            first = deal.seats[0]
            return Post("open_key", [first._key.encoded, first._salt])
        return post

    deal = commutative_deal(twists={1: commit})
    with pytest.raises(ProtocolViolation) as lie:
        deal.close()
    assert lie.value.code is Code.BAD_KEY_OPENING and opened


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_card_swapped_while_packing_is_named(seat):
    """The first card of the deck is replaced by the face of the last one under a different key."""

    def swap(state, points):
        return [TWO * points[0], *points[1:]]

    deal = commutative_deal(3, 12, 4, twists={seat: twist("pack", on_points(swap))})
    assert deal.close() == [(seat, Code.BAD_PACK)]


@pytest.mark.parametrize(
    "change",
    [
        lambda state, points: [points[0], *points[:-1]],  # a card doubled
        lambda state, points: points[:-1],  # one dropped
        lambda state, points: [*points, TWO * points[0]],  # one added
        lambda state, points: list(state.deck)[::-1],  # not packed at all
    ],
)
def test_wrongly_packed_deck_is_refused_at_once(change):
    with pytest.raises(ProtocolViolation) as lie:
        commutative_deal(twists={1: twist("pack", on_points(change))})
    assert lie.value.code is Code.BAD_LIST


def test_card_taken_twice_is_refused():
    def choose(state, body):
        return [[body[0][0], [*body[0][1][:-1], body[0][0][0]]]]

    with pytest.raises(ProtocolViolation) as lie:
        commutative_deal(twists={1: twist("choose", choose)})
    assert lie.value.code is Code.NOT_IN_STOCK


def test_card_held_or_discarded_cannot_be_drawn():
    deal = commutative_deal()
    deal.exchange(0, 0)
    for card in deal.state.holders:
        with pytest.raises(Refused) as refusal:
            DEALING.apply_operation(deal.state, 1, Look(1, 1), [card], deal.at)
        assert refusal.value.code is Code.NOT_IN_STOCK
    stock = deal.state.stock[0]
    with pytest.raises(Refused):
        DEALING.apply_operation(deal.state, 1, Look(2, 1), [stock, stock], deal.at)


def test_discarded_card_cannot_be_shown_as_its_face():
    deal = commutative_deal()
    (card,) = deal.seats[0].part(deal.state, Reveal(deal.hands[0][2]))
    piece = deal.hands[0][2]
    deal.exchange(0, 2)
    with pytest.raises(ProtocolViolation) as lie:
        deal.show(0, piece, [card])
    assert lie.value.code is Code.NOT_HELD


def test_discarded_card_shown_as_held_is_found_at_close():
    deal = commutative_deal()
    piece = deal.hands[0][2]
    deal.exchange(0, 2)
    held = deal.state.hidden_of(0)[0]
    deal.show(0, piece, [held])
    assert deal.close() == [(0, Code.BAD_OPENING)]


def test_card_never_held_is_found_at_close():
    deal = commutative_deal()
    foreign = deal.hands[1][0]
    deal.show(0, foreign, [deal.state.hidden_of(0)[0]])
    assert deal.close() == [(0, Code.BAD_OPENING)]


def test_card_of_another_seat_cannot_be_shown():
    deal = commutative_deal()
    with pytest.raises(ProtocolViolation) as lie:
        deal.show(0, deal.hands[1][0], [deal.state.hidden_of(1)[0]])
    assert lie.value.code is Code.NOT_HELD


def test_blinded_swap_to_peek_at_hidden_card_is_named():
    """The first seat to unwrap hands on 2·D for a card D of the stock; the next one removes its
    layer from it unknowingly.
    """
    peeked = {}

    def slip(state, points):
        card = state.stock[0]
        peeked["card"], peeked["on"] = card, state.owed(2)[0]
        return [TWO * (deal_of[0].seats[2]._inverse * state.deck[card]), *points[1:]]

    deal_of = []
    deal = commutative_deal(3, 12, 2)
    deal_of.append(deal)
    deal.twists[2] = twist("unwrap", on_points(slip))
    deal.turn_up(1)
    stolen = TWO.inverse() * deal.state.points[peeked["on"]]
    assert stolen in piece_points(12), "the cheat works: it has read a card that nobody asked for"
    assert deal.close() == [(2, Code.BAD_UNWRAP)]


@pytest.mark.parametrize("cheat", [0, 1, 2])
def test_card_spoilt_while_unwrapping_is_protested_and_author_named(cheat):
    def spoil(state, points):
        return [TWO * point for point in points]

    deal = commutative_deal(3, 12, 2, twists={cheat: twist("unwrap", on_points(spoil))})
    assert deal.state.protest is not None and deal.state.protest.seat != cheat
    assert deal.close() == [(cheat, Code.BAD_UNWRAP)]


def test_protest_without_reason_names_its_author():
    deal = commutative_deal()
    deal.apply(lambda: DEALING.protest(deal.state, 1, deal.at))
    assert deal.close() == [(1, Code.FALSE_PROTEST)]


@pytest.mark.parametrize("stage", ["commit", "open"])
def test_protest_before_envelopes_or_during_opening_is_refused(stage):
    deal = commutative_deal()
    state = (
        DEALING.begin(deal.state.context, 0)
        if stage == "commit"
        else DEALING.close(deal.state, None, deal.at)
    )
    with pytest.raises(Refused):
        DEALING.protest(state, 0, deal.at)


@pytest.mark.parametrize("raw", [bytes(ELEMENT_BYTES), b"\xff" * ELEMENT_BYTES, IDENTITY.encoded])
@pytest.mark.parametrize("kind", ["pack", "unwrap"])
def test_invalid_card_is_refused_on_entry(kind, raw):
    with pytest.raises(ProtocolViolation) as lie:
        commutative_deal(
            twists={1: twist(kind, lambda state, body: [raw + body[0][ELEMENT_BYTES:]])}
        )
    assert lie.value.code is Code.BAD_POINT


@pytest.mark.parametrize(
    "change", [lambda points: points[:-1], lambda points: [*points, points[0]]]
)
def test_wrong_number_of_cards_is_refused(change):
    with pytest.raises(ProtocolViolation) as lie:
        commutative_deal(
            twists={1: twist("unwrap", on_points(lambda state, points: change(points)))}
        )
    assert lie.value.code is Code.BAD_LIST


def test_commitment_is_bound_to_one_deal_and_seat():
    made = {
        key_commitment(deal, seat, TWO, bytes(32))
        for deal in (b"a" * 32, b"b" * 32)
        for seat in (0, 1)
    }
    assert len(made) == 4
