"""Tiles: their fixed order, and where they fit."""

from protocol.games.dominoes import tiles


def test_order_is_fixed_and_the_same_in_every_set() -> None:
    six, nine = tiles.tiles(6), tiles.tiles(9)
    assert (len(six), len(nine)) == (28, 55)
    assert six[:7] == ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0))
    assert nine[:28] == six
    assert [tiles.index(low, high) for high, low in nine] == list(range(55))


def test_names_are_all_different_with_the_higher_number_first() -> None:
    names = [tiles.name(tile) for tile in tiles.tiles(9)]
    assert len(set(names)) == 55
    assert tiles.name((4, 6)) == tiles.name((6, 4)) == "6-4"


def test_lead_tiles_go_doubles_then_pips_then_high_number() -> None:
    six = tiles.tiles(6)
    called = [tiles.name(six[piece]) for piece in tiles.call_order(six)]
    assert called[:7] == ["6-6", "5-5", "4-4", "3-3", "2-2", "1-1", "0-0"]
    assert called[7:14] == ["6-5", "6-4", "6-3", "5-4", "6-2", "5-3", "6-1"]
    assert called[-1] == "1-0"
    assert len(set(called)) == 28
