"""A share of `scripts/worst_entries`: no entry that is taken costs many times an ordinary one."""

from random import Random

import pytest

from tests.properties.worst_entries.__main__ import MOST, search

# times `MOST` here: other programs of the machine disturb so short a measurement
ROOM = 2


@pytest.mark.slow
def test_worst_entry_costs_few_times_an_ordinary_one():
    found = list(search(8, Random(1)))
    assert {one.kind for one in found} >= {"steps", "choice by a rule file", "nim"}
    assert all(one.ratio < ROOM * MOST for one in found), found
