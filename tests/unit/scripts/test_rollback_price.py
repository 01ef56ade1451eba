"""The figures of chapter 24: the effect of a double spend grows with the number of trades, and ends
at certified ones.
"""

from random import Random

from scripts.rollback_price import Market, count_reachable, measure, play


def test_double_spend_undoes_only_dependent_trades():
    assert count_reachable(0, [[1, 2], [3], [3], [], []]) == 4
    assert count_reachable(0, [[1, 2], [3], [3], [], []], beyond=0) == 0
    assert count_reachable(3, [(), (0,), (0, 1), (2,)]) == 4


def test_trade_depends_on_last_trades_of_its_cards():
    before, last = play(Market(10, 20, 50), Random(1))
    assert len(before) == 70
    assert all(earlier < trade for trade, links in enumerate(before) for earlier in links)
    assert len(last) == 20


def test_rollback_grows_and_certified_trade_ends_it():
    few, many, walled = (
        measure(Market(20, 50, n, walls=w), 50) for n, w in ((50, None), (500, None), (500, 50))
    )
    assert few.mean < many.mean
    assert walled.worst < many.worst
