"""A share of scripts/evidence: nobody honest is named, robbed or without an answer by the rule of
the product, and the search finds what was wrong with the rule before.
"""

import pytest

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
