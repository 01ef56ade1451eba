"""Honest layered deals: every piece occurs once, known only to its holder, for all numbers of seats
and pieces.
"""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import wire
from protocol.crypto.envelopes import envelope_size
from protocol.dealing.layered.primitives import encode_piece
from protocol.dealing.layered.stages import LayeredStage
from protocol.games import Piece
from protocol.limits import MAX_SEATS
from tests.support.deal import DirectDeal, direct_deal


def hands(deal: DirectDeal) -> list[tuple[Piece, ...]]:
    """Return every seat's hand as the seat reports it."""
    return [seat.hand for seat in deal.seats]


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True)
@given(data=st.data())
def test_layered_deal_has_every_piece_once(data: st.DataObject) -> None:
    seats = data.draw(st.integers(2, MAX_SEATS))
    pieces = data.draw(st.sampled_from((28, 55, 52)))
    each = data.draw(st.integers(1, min(7, pieces // seats)))
    options = {"take": data.draw(st.integers(1, 100)), "swap": data.draw(st.integers(0, 100))}
    deal = direct_deal(seats, pieces, each, data.draw(st.integers(0, 1000)), options)
    dealt = [piece for hand in hands(deal) for piece in hand]
    assert all(len(hand) == each for hand in hands(deal))
    assert len(set(dealt)) == seats * each
    assert set(dealt) <= set(range(pieces))
    before = hands(deal)
    assert deal.close() == ()
    assert deal.state.result is not None
    assert list(deal.state.result.dealt) == before


@pytest.mark.slow
@pytest.mark.parametrize("take", [1, 100])
@pytest.mark.parametrize("swap", [0, 100])
def test_selection_ends_within_its_bound(take: int, swap: int) -> None:
    for seed in range(3):
        deal = direct_deal(4, 28, 7, seed, {"take": take, "swap": swap})
        for stage in (LayeredStage.SELECT, LayeredStage.PREPARE):
            assert len(deal.state.route(stage)) <= deal.state.last_hop


def test_layered_deal_can_deal_all_pieces() -> None:
    deal = direct_deal(4, 28, 7, 5)
    assert sorted(piece for hand in hands(deal) for piece in hand) == list(range(28))


def test_layered_hops_have_one_length() -> None:
    deal = direct_deal(4, 28, 7, 1)
    for kind, padded in (("hop", 4), ("slot_hop", 28 * 32)):
        sizes = {len(body[0]) for _, posted, body in deal.entries if posted == kind}
        assert sizes == {envelope_size(padded)}


def test_layered_stock_can_be_drawn_to_its_end() -> None:
    deal = direct_deal(3, 28, 7, 2)
    for number in range(7):
        before = hands(deal)
        deal.draw(number % 3)
        grown = [len(after) - len(held) for held, after in zip(before, hands(deal), strict=True)]
        assert grown == [int(seat == number % 3) for seat in range(3)]
    assert sorted(piece for hand in hands(deal) for piece in hand) == list(range(28))
    assert deal.close() == ()
    result = deal.state.result
    assert result is not None
    assert [len(drawn) for drawn in result.drawn] == [3, 2, 2]
    all_of = zip(result.dealt, result.drawn, strict=True)
    assert [tuple(sorted((*dealt, *drawn))) for dealt, drawn in all_of] == hands(deal)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 5, 10])
def test_layered_draws_work_for_every_seat(seats: int) -> None:
    deal = direct_deal(seats, 30, 2, seats)
    for seat in range(seats):
        deal.draw(seat)
    assert all(len(hand) == 3 for hand in hands(deal))
    assert len({piece for hand in hands(deal) for piece in hand}) == 3 * seats
    assert deal.close() == ()


def leaves(value: object) -> Iterator[bytes]:
    """Return all byte strings in any value."""
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, dict):
        for pair in value.items():
            yield from leaves(list(pair))
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from leaves(item)
    elif hasattr(value, "__dict__"):
        yield from leaves(vars(value))


def test_layered_piece_secrets_are_held_only_by_holder() -> None:
    deal = direct_deal(4, 28, 5, 3)
    deal.draw(1)
    log = wire.encode([[author, kind, body] for author, kind, body in deal.entries])
    for seat, half in enumerate(deal.seats):
        others = [
            leaf
            for other, theirs in enumerate(deal.seats)
            if other != seat
            for leaf in leaves(vars(theirs._own))
        ]
        for piece, known in half._own.known_pieces.items():
            assert known.key not in others
            assert known.key not in log
            assert encode_piece(piece, known.key) not in log
        for slot in half._own.slot_keys.values():
            assert slot.private not in others
            assert slot.private not in log
            assert slot.private not in list(leaves(vars(deal.table)))


def test_table_has_no_secret_of_the_seats() -> None:
    deal = direct_deal(4, 28, 5, 3)
    deal.draw(1)
    at_table = set(leaves(vars(deal.table)))
    log = wire.encode([[author, kind, body] for author, kind, body in deal.entries])
    for half in deal.seats:
        own = half._own
        unpublished = {key for key in own.layer_keys if key not in log}
        secrets = {own.key.private, own.r2, *unpublished, *(secret for _, secret in own.choices)}
        assert secrets.isdisjoint(at_table)
        assert all(secret not in log for secret in secrets)


def test_layer_keys_of_the_stock_stay_secret() -> None:
    deal = direct_deal(4, 28, 5, 3)
    log = wire.encode([[author, kind, body] for author, kind, body in deal.entries])
    for half in deal.seats:
        published = sum(key in log for key in half._own.layer_keys)
        assert published == 4 * 5


@pytest.mark.slow
def test_layered_deal_is_uniform() -> None:
    """Chi-square over deals with fixed seeds; 4 seats of 7 out of 28."""
    deals = 200
    counts = Counter(
        (seat, piece)
        for seed in range(deals)
        for seat, hand in _quick_hands(seed)
        for piece in hand
    )
    expected = deals / 4
    chi = sum(
        (counts[seat, piece] - expected) ** 2 / expected for seat in range(4) for piece in range(28)
    )
    assert chi < 150  # 81 degrees of freedom: the 99.99th percentile is under 140


def _quick_hands(seed: int) -> list[tuple[int, tuple[Piece, ...]]]:
    return list(enumerate(hands(direct_deal(4, 28, 7, seed, {"take": 100}))))


@pytest.mark.slow
def test_table_order_reveals_nothing_of_the_holder() -> None:
    """The same test for positions in the table's order instead of faces."""
    deals = 150
    counts: Counter[tuple[int, int]] = Counter()
    for seed in range(1000, 1000 + deals):
        deal = direct_deal(2, 28, 7, seed, {"take": 100})
        for seat, half in enumerate(deal.seats):
            counts.update((seat, known.position) for known in half._own.known_pieces.values())
    expected = deals / 4
    chi = sum(
        (counts[seat, position] - expected) ** 2 / expected
        for seat in range(2)
        for position in range(28)
    )
    assert chi < 105  # 54 degrees of freedom at most: the 99.99th percentile is 101
