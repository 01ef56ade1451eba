"""The suite over each store."""

import pytest

from tests.storage.calls import game
from tests.storage.suite import SUITE
from tests.storage.worlds import WORLDS, Case


@pytest.mark.parametrize("case", SUITE, ids=lambda case: case.__name__)
@pytest.mark.parametrize("world", WORLDS)
def test_what_every_store_promises(world: str, case: Case, tmp_path) -> None:
    WORLDS[world](tmp_path).run(case)


def test_the_match_that_it_is_tried_with_is_long_enough() -> None:
    assert all(len(game(seed).records) > 9 for seed in range(1, 5))
