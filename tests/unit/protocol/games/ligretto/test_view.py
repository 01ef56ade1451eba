"""Ligretto as data and on a terminal: open cards, actions with their keys, and no face-down
card.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from random import Random

import pytest

from bots.ligretto import ligretto_bot
from protocol.errors import LocalError
from protocol.games.ligretto import text, view
from protocol.games.ligretto.spec import SPECS
from protocol.games.ligretto.state import LigrettoPhase
from protocol.view.board import PieceView, Region, RegionKind, SeatStatus
from protocol.view.view import View
from tests.support.ligretto import Dealer, ligretto
from tests.support.views import legal_in, position, saying
from tests.unit.protocol.games.ligretto.test_rules_playouts import play_round

SAY = saying()


def dealt(seats: int = 3, seed: int = 1, **options: int | str) -> Dealer:
    dealer = Dealer.of(ligretto(seats, **options), seed)
    dealer.deal()
    return dealer


def with_rows(*rows: str) -> Dealer:
    """Return decks whose rows, and then hands, begin with these cards: "r1" is a red one."""
    dealer, decks = Dealer.of(ligretto(len(rows))), []
    for seat, names in enumerate(rows):
        first = [
            40 * seat + 10 * "rygb".index(name[0]) + int(name[1:]) - 1 for name in names.split()
        ]
        rest = [card for card in range(40 * seat, 40 * seat + 40) if card not in first]
        decks.append([*rest[:10], *first, *rest[10:]])
    dealer.deal(decks)
    return dealer


def seen(dealer: Dealer, seat: int = 0) -> View:
    return position(dealer.game, dealer.state, seat)


def moments(seed: int = 3) -> Iterator[Dealer]:
    """Yield some moments of a round of three."""
    dealer = dealt(seed=seed)
    play_round(dealer)
    for state in dealer.states[::11]:
        dealer.state = state
        yield dealer


def test_view_has_regions_per_seat_and_common_piles():
    dealer = with_rows("r1 g5 b7 y9 r4", "r2 g6 b8 y8 r9")
    dealer.act(0, ("open", 0))
    dealer.act(1, ("lay", 0, 0))
    dealer.act(0, ("flip",))
    board = seen(dealer).board
    shared, *own = board.regions
    assert [piece.faces for piece in shared.pieces] == [("red", "2")] and shared.seat is None
    row, discards, hand, stock = (region for region in own if region.seat == 0)
    assert [piece.faces for piece in row.pieces[1:]] == [
        ("green", "5"),
        ("blue", "7"),
        ("yellow", "9"),
        ("red", "4"),
    ]
    assert (len(discards.pieces), discards.count, hand.count, stock.count) == (1, 2, 22, 9)
    assert {region.kind for region in own} == {RegionKind.ROW, RegionKind.PILE}


def test_each_legal_action_is_one_offer_with_slot_key():
    for dealer in moments():
        for seat in range(3):
            shown = seen(dealer, seat)
            assert legal_in(shown) == dealer.game.legal(dealer.state, seat)
            own = dealer.state.seats[seat]
            for offer in shown.offers:
                assert set(offer.key) <= set(SPECS[0].keys)
                if offer.kind != "flip":
                    slot = offer.action[1]
                    assert (offer.key == "0d") == (slot == dealer.game.row)
                    assert offer.piece == (
                        own.top if offer.key == "0d" else own.row[int(offer.key) - 1]
                    )


def spied(value: object) -> Iterator[PieceView]:
    """Yield every piece anywhere in a view."""
    if isinstance(value, PieceView):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from spied(getattr(value, field.name))
    elif isinstance(value, tuple | list | dict | frozenset):
        for each in value:
            yield from spied(each)


def test_view_has_no_unturned_card_even_of_own_seat():
    """The view has exactly the open cards; a bot that searches it finds no others."""
    for dealer in moments():
        state = dealer.state
        turned = {
            card for own in state.seats for card in (*own.row, *([own.top] if own.mark else []))
        }
        turned |= {pile.cards[-1] for pile in state.piles}
        for seat in range(3):
            assert {piece.index for piece in spied(seen(dealer, seat))} == turned


def test_view_is_independent_of_unturned_card_positions():
    rng = Random(4)
    for dealer in moments():
        views = [seen(dealer, seat) for seat in range(3)]
        for deck, own in zip(dealer.decks, dealer.state.seats, strict=True):
            unseen = [*range(10 - own.stock, 10), *(~card for card in own.hand if card < 0)]
            for place, card in zip(
                unseen, rng.sample([deck[place] for place in unseen], len(unseen)), strict=True
            ):
                deck[place] = card
        assert [seen(dealer, seat) for seat in range(3)] == views


def test_bot_plays_row_then_discards_then_flips():
    dealer = with_rows("r1 g1 b7 y9 r4 y3 y4 y1", "r2 g6 b8 y8 r9")
    rng = Random(1)
    picked = {ligretto_bot(seen(dealer), rng) for _ in range(50)}
    assert picked == {("open", 0), ("open", 1)}
    dealer = with_rows("r5 g5 b7 y9 r4 y3 y4 y1", "r2 g6 b8 y8 r9")
    assert ligretto_bot(seen(dealer), rng) == ("flip",)
    dealer.act(0, ("flip",))
    assert {ligretto_bot(seen(dealer), rng) for _ in range(20)} == {("open", 5)}


@pytest.mark.slow
def test_ligretto_round_by_bots_ends():
    dealer = dealt(4)
    for _ in range(2000):
        if dealer.go_on():
            continue
        if dealer.state.phase is not LigrettoPhase.PLAY:
            break
        seat = dealer.rng.randrange(4)
        if dealer.game.legal(dealer.state, seat):
            dealer.act(seat, ligretto_bot(seen(dealer, seat), dealer.rng))
    assert dealer.state.result is not None


def test_ligretto_is_drawn_on_terminal():
    dealer = with_rows("r1 g5 b7 y9 r4 y3 y4 y2", "r2 g6 b8 y8 r9")
    shown = seen(dealer)
    assert text.table_text(shown, SAY, 100) == [
        "No piles yet: a 1 opens one.",
        "",
        "Bob    0  red 2, green 6, blue 8, yellow 8, red 9 | hand 25, stock 10",
        "Ann    0  1: red 1, 2: green 5, 3: blue 7, 4: yellow 9, 5: red 4 | hand 25, stock 10",
    ]
    assert text.menu_text(shown, SAY) == [
        "You may, at any time:",
        "  1  open a pile with red 1",
        "  f  flip three cards",
    ]
    dealer.act(0, ("flip",))
    dealer.act(0, ("open", 0))
    lines = text.table_text(seen(dealer), SAY, 100)
    assert lines[0] == "Piles: 1: red 1." and "| 0: yellow 2 | hand 22, stock 9" in lines[-1]


def test_no_line_is_wider_than_the_terminal():
    for dealer in moments():
        assert max(map(len, text.table_text(seen(dealer), SAY, 60))) <= 60


def test_ligretto_accepts_keys_and_words():
    dealer = with_rows("r1 g5 b7 y9 r4", "r2 g6 b8 y8 r9")
    shown = seen(dealer)
    assert [text.parse_choice(shown, SAY, line) for line in ("1", "f", " ", "open", "flip")] == [
        *[("open", 0), ("flip",), ("flip",)],
        *[("open", 0), ("flip",)],
    ]
    assert text.parse_choice(shown, SAY, "what") is None
    with pytest.raises(LocalError):
        text.parse_choice(shown, SAY, "3")


def test_ligretto_news_have_texts():
    dealer = with_rows("r1 g5 b7 y9 r4", "r2 g6 b8 y8 r9")
    deeds = [(0, ("open", 0)), (1, ("lay", 0, 0)), (1, ("flip",)), (0, ("rest",))]
    told = []
    for seat, action in deeds:
        told.append(SAY(view.narrate(dealer.game, dealer.state, seat, action)))
        if action != ("rest",):
            dealer.act(seat, action)
    assert told == [
        "Ann opens a pile with red 1.",
        "Bob lays red 2 on pile 1.",
        "Bob flips.",
        "Ann rests.",
    ]


def test_ligretto_round_end_is_reported_once():
    dealer = dealt()
    play_round(dealer)
    before = dealer.state
    dealer.go_on()
    ended, points = map(SAY, view.result(dealer.game, dealer.state, before))
    assert "the round is over" in ended and points.startswith("Points of the round: Ann ")
    assert view.result(dealer.game, dealer.state, dealer.state) == ()


def test_ligretto_view_marks_leavers():
    dealer = dealt()
    dealer.state = dealer.game.forfeit(dealer.state, 1)
    shown = seen(dealer)
    assert [seat.game.status for seat in shown.seats] == [None, SeatStatus.LEFT, None]
    assert [seat.game.to_act for seat in shown.seats] == [True, False, True]
    assert any(isinstance(region, Region) and region.seat == 1 for region in shown.board.regions)
