"""A share of scripts/evidence: nobody honest is named, robbed or without an answer by the rule of
the product, and the searches find what is wrong with other rules.
"""

import pytest

from tests.properties.evidence.giver_search import GiverSearch
from tests.properties.evidence.search import Search
from tests.properties.evidence.world import ListedRule, Menu, SlotRule


@pytest.mark.slow
@pytest.mark.parametrize(
    "menu", [Menu(2), Menu(3, over=False), Menu(2, upstream=False, witnesses=True)], ids=str
)
def test_no_set_of_records_names_somebody_honest(menu):
    search = Search(ListedRule(), menu, most=250)
    assert not search.found, search.report()
    assert search.disputes > 100


@pytest.mark.slow
def test_search_finds_what_was_wrong_before():
    search = Search(SlotRule(), Menu(3, upstream=False, over=False), most=1_500)
    assert set(search.found) >= {
        "somebody honest is named",
        "a void trade holds again",
        "a dispute has no answer",
    }


@pytest.mark.slow
def test_no_set_of_records_of_three_cheats_names_somebody_honest():
    search = Search(ListedRule(third=True), Menu(2, third=True), most=150)
    assert not search.found, search.report()
    assert search.disputes > 100


@pytest.mark.slow
@pytest.mark.parametrize("cheats", [2, 3])
def test_cheating_giver_robs_no_honest_receiver(cheats):
    disputes = 0
    for seed in range(5):  # how many a search meets depends on the order of sets
        search = GiverSearch(cheats=cheats, most=30, walks=15, seed=seed)
        assert not search.found, search.report()
        disputes += search.disputes
        if disputes > 100:
            return
    pytest.fail(f"{disputes} disputes")


@pytest.mark.slow
def test_search_finds_a_second_spend_that_names_nobody():
    search = GiverSearch(most=10, walks=24, conflicts=False)
    assert "a receiver has lost a card, and nobody is named" in search.found
