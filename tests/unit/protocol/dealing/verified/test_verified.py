"""Honest verified deals: every piece occurs once, known only to its holder; and whole matches with
them.
"""

from collections import Counter
from itertools import combinations, pairwise
from random import Random

import pytest

from protocol import wire
from protocol.audit.verdict import Verdict, audit
from protocol.crypto.elgamal import Ciphertext, decode_ciphertexts, share
from protocol.crypto.group import Point
from protocol.dealing.verified import fold
from protocol.dealing.verified.stages import VerifiedStage
from protocol.games.operations import Look
from tests.support.offline import make_offline
from tests.support.verified import VerifiedDeal, begin, verified_deal


def check_every_piece_once(deal: VerifiedDeal) -> None:
    """Check by all secret keys that hands and stock together are the deck."""
    everybody = range(len(deal.seats))
    pieces = [deal.opened(card, everybody) for card in range(deal.state.context.piece_count)]
    assert sorted(pieces) == list(range(deal.state.context.piece_count))
    stock = [pieces[card] for card in deal.state.stock]
    shown = list(deal.state.shown.values())
    assert sorted([*(piece for hand in deal.hands for piece in hand), *stock, *shown]) == sorted(
        pieces
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "pieces", "each"),
    [
        (2, 28, 7),
        (3, 28, 7),
        (4, 28, 7),
        (2, 52, 13),
        (8, 28, 3),
        (5, 10, 2),
        (6, 13, 2),
        (7, 7, 1),
        (2, 2, 1),
    ],
)
def test_verified_deal_has_every_piece_once(seats: int, pieces: int, each: int) -> None:
    deal = verified_deal(seats, pieces, each, seed=seats + pieces)
    assert [len(hand) for hand in deal.hands] == [each] * seats
    assert len(deal.state.stock) == pieces - seats * each
    check_every_piece_once(deal)
    hands = deal.hands
    deal.close()
    assert deal.state.result is not None
    assert list(deal.state.result.dealt) == hands
    assert deal.state.result.drawn == ((),) * seats
    assert deal.state.result.faults == ()


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_verified_stock_can_be_drawn_to_its_end(seats: int) -> None:
    deal = verified_deal(seats, 3 * seats + 2, 1, seats)
    for number in range(2 * seats + 2):
        before = deal.hands
        deal.draw(number % seats)
        grown = [len(after) - len(held) for held, after in zip(before, deal.hands, strict=True)]
        assert grown == [int(seat == number % seats) for seat in range(seats)]
    assert not deal.state.stock
    hands = deal.hands
    deal.close()
    result = deal.state.result
    assert result is not None
    together = [tuple(sorted((*result.dealt[seat], *result.drawn[seat]))) for seat in range(seats)]
    assert together == hands
    assert sorted(piece for hand in hands for piece in hand) == list(range(3 * seats + 2))


@pytest.mark.slow
def test_drawn_cards_are_reported_in_drawing_order() -> None:
    deal = verified_deal(2, 12, 2, 4)
    drawn: dict[int, list[int]] = {0: [], 1: []}
    for seat in (1, 0, 0, 1, 1):
        before = deal.hands[seat]
        deal.draw(seat)
        drawn[seat] += set(deal.hands[seat]) - set(before)
    deal.show(1, drawn[1][1])  # shown in play or at the end: the same result
    deal.close()
    assert deal.state.result is not None
    assert deal.state.result.drawn == (tuple(drawn[0]), tuple(drawn[1]))


@pytest.mark.slow
def test_shown_pieces_leave_hand_and_only_rest_is_opened() -> None:
    deal = verified_deal(3, 9, 2, 8)
    hands = deal.hands
    deal.show(1, hands[1][0])
    deal.show(1, hands[1][1])
    deal.show(2, hands[2][1])
    assert deal.hands == [hands[0], (), hands[2][:1]]
    check_every_piece_once(deal)
    deal.close()
    assert [
        (author, len(body[0]) // 32) for author, kind, body in deal.entries if kind == "show"
    ] == [(0, 2), (2, 1)]
    assert deal.state.result is not None and list(deal.state.result.dealt) == hands


def test_deal_with_all_hands_shown_closes_at_once() -> None:
    deal = verified_deal(2, 4, 1, 8)
    for seat, hand in enumerate(deal.hands):
        deal.show(seat, hand[0])
    before = len(deal.entries)
    deal.close()
    assert len(deal.entries) == before + 1
    assert deal.state.result is not None


# --- who can read what ---


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_only_holder_can_read_card_from_log(seats: int) -> None:
    """The secret keys of all others, with every share in the log, give no piece."""
    deal = verified_deal(seats, 3 * seats, 2, seats)
    deal.draw(1)
    log = wire.encode([list(entry) for entry in deal.entries])
    for card, holder in deal.state.holders.items():
        others = [seat for seat in range(seats) if seat != holder]
        assert set(deal.state.shares[card]) == set(others)
        own = share(deal.seats[holder]._x, deal.state.deck[card])
        assert own.encoded not in log
        assert deal.opened(card, others) is None
        assert deal.opened(card, range(seats)) in deal.hands[holder]
        assert deal.state.piece_of(card, own) in deal.hands[holder]
    for half in deal.seats:
        assert half._x.encoded not in log


def coalitions(seats: int) -> list[tuple[int, ...]]:
    """Return every group of seats without one or more of them."""
    return [some for size in range(seats) for some in combinations(range(seats), size)]


@pytest.mark.slow
def test_stock_stays_hidden_after_close_without_all_keys() -> None:
    deal = verified_deal(3, 10, 2, 3)
    deal.draw(0)
    deal.close()
    assert deal.state.stock
    for card in deal.state.stock:
        assert card not in deal.state.shares  # nobody has given a share for it
        assert all(deal.opened(card, some) is None for some in coalitions(3))
        assert deal.opened(card, range(3)) is not None


@pytest.mark.slow
def test_order_is_secret_if_one_seat_shuffles_secretly() -> None:
    """From one deck of the log to the next, no card is recognised by its points, nor by one
    difference common to all.
    """
    deal = verified_deal(3, 8, 1, 6)
    clear = deal.state.first_deck()
    decks = [
        clear,
        *(decode_ciphertexts(body[0], 8) for _, kind, body in deal.entries if kind == "shuffle"),
    ]
    assert len(decks) == 4
    halves = [half for deck in decks for e in deck for half in (e.C1, e.C2) if not half.is_identity]
    assert len(halves) == len(set(halves))
    for before, after in pairwise(decks):
        assert most_common_difference(before, after) == 1
        assert sorted(orders := order_of(deal, before, after)) == list(range(8)) and orders != list(
            range(8)
        )


def most_common_difference(before: tuple[Ciphertext, ...], after: tuple[Ciphertext, ...]) -> int:
    """Count the most common difference of two cards; N if one mask was used for all."""
    differences: Counter[Point] = Counter(
        y.C1 - x.C1 for x in before for y in after if not x.C1.is_identity
    )
    differences.update(y.C1 for y in after if before[0].C1.is_identity)
    return max(differences.values())


def order_of(
    deal: VerifiedDeal, before: tuple[Ciphertext, ...], after: tuple[Ciphertext, ...]
) -> list[int]:
    """Return the new place of each card, by all secret keys."""
    x = [half._x for half in deal.seats]

    def faces_of(deck: tuple[Ciphertext, ...]) -> list[Point]:
        return [e.C2 if e.C1.is_identity else e.C2 - (x[0] + x[1] + x[2]) * e.C1 for e in deck]

    held = faces_of(before)
    return [held.index(face) for face in faces_of(after)]


@pytest.mark.slow
def test_verified_deal_is_uniform() -> None:
    """Chi-square over deals with fixed seeds: 2 seats of 1 out of 4; every position and piece
    equally often.
    """
    deals = 160
    counts: Counter[tuple[int, int | None]] = Counter()
    for seed in range(deals):
        deal = verified_deal(2, 4, 1, seed)
        counts.update((card, deal.opened(card, (0, 1))) for card in range(4))
    expected = deals / 4
    chi = sum(
        (counts[card, piece] - expected) ** 2 / expected for card in range(4) for piece in range(4)
    )
    assert set(counts) <= {(card, piece) for card in range(4) for piece in range(4)}
    assert chi < 33.7  # 9 degrees of freedom: the 99.99th percentile


@pytest.mark.slow
def test_one_shuffling_seat_suffices_for_uniform_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other two seats leave all cards in place (with valid masks and proofs): the order is
    still uniform.
    """
    monkeypatch.setattr("protocol.crypto.shuffle.random_permutation", _honest_only)
    counts: Counter[tuple[int, int | None]] = Counter()
    deals = 120
    for seed in range(deals):
        _honest_only.rng = Random(seed)
        deal = verified_deal(3, 3, 1, seed)
        counts.update((card, deal.opened(card, (0, 1, 2))) for card in range(3))
    expected = deals / 3
    chi = sum(
        (counts[card, piece] - expected) ** 2 / expected for card in range(3) for piece in range(3)
    )
    assert chi < 23.6  # 4 degrees of freedom: the 99.99th percentile


class _OneShuffles:
    """Random source with which only the second of three seats permutes the cards."""

    def __init__(self) -> None:
        self.calls, self.rng = 0, Random(0)

    def __call__(self, N: int, rng: Random) -> tuple[int, ...]:
        self.calls += 1
        order = list(range(N))
        if self.calls % 3 == 2:
            self.rng.shuffle(order)
        return tuple(order)


_honest_only = _OneShuffles()


@pytest.mark.slow
def test_every_deal_has_new_keys() -> None:
    offline = make_offline(2, 3, options={"target": 30}, dealing="verified")
    keys = set()
    while not offline.live.match.over:
        assert sum(offline.step(seat) for seat in offline.seats)
        deal = offline.live.match.deal
        if deal is not None and deal.stage is VerifiedStage.SHUFFLE:
            keys |= {(offline.live.match.deal_number, seat, key) for seat, key in deal.keys.items()}
    assert len({key for _, _, key in keys}) == len(keys) >= 4


# --- the table of duties ---


def test_verified_duties_follow_documented_table() -> None:
    deal = begin(3, 6, 1, 1)
    seen: dict[str, list[tuple[int, ...]]] = {}

    def note() -> None:
        kinds = {kind for _, kind in deal.state.duties()}
        assert len(kinds) <= 1
        seen.setdefault(str(deal.state.stage), []).append(
            tuple(seat for seat, _ in deal.state.duties())
        )

    def go_on() -> None:
        note()
        while deal.step(min((seat for seat, _ in deal.state.duties()), default=0)):
            note()

    go_on()
    assert deal.state.ready
    assert seen == {
        "keys": [(0, 1, 2), (1, 2), (2,)],
        "shuffle": [(0,), (1,), (2,)],
        "shares": [(0, 1, 2), (1, 2), (2,)],
        "ready": [()],
    }
    seen.clear()
    deal.state = fold.apply_operation(deal.state, 1, Look(1, 1), [], deal.at)
    go_on()
    assert seen == {"shares": [(0, 2), (2,)], "ready": [()]}
    deal.show(0, deal.hands[0][0])
    seen.clear()
    deal.state = fold.close(deal.state, None, deal.at)
    go_on()
    assert seen == {"show": [(1, 2), (2,)], "closed": [()]}


@pytest.mark.slow
def test_order_of_answers_makes_no_difference() -> None:
    """Keys, shares and shows may come in any order of seats."""
    for order in ((2, 0, 1), (1, 2, 0)):
        deal = begin(3, 8, 2, 5)
        while any(deal.step(seat) for seat in order):
            pass
        assert deal.state.ready
        check_every_piece_once(deal)


# --- whole matches ---


@pytest.mark.match
@pytest.mark.parametrize("game", ["block-dominoes", "draw-dominoes"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_whole_verified_matches_are_clean(seats: int, game: str) -> None:
    offline = make_offline(seats, seats, game, {"target": 40}, dealing="verified")
    offline.play()
    report = audit(offline.file())
    assert report.verdict is Verdict.CLEAN
    assert not offline.refused
    assert (
        report.reader is not None
        and report.reader.match.winner == offline.live.match.winner is not None
    )
    assert max(offline.live.match.scores) >= 40
