"""Recorded matches of `scripts/cluster`: a real table repeats them byte for byte."""

from pathlib import Path

import pytest

from scripts.clusters.match_player import Moves, come, play
from scripts.clusters.measure import Figures, Ground, host, record_matches
from scripts.clusters.recorded_match import Number, record

RUN = "test"


@pytest.mark.match
def test_a_match_is_recorded_from_its_number_alone():
    one, again, other = record(Number(RUN, 1)), record(Number(RUN, 1)), record(Number(RUN, 2))
    assert one == again != other
    assert one.entries == other.entries


def test_load_cpu_time_on_slow_machine_is_not_counted():
    quick = Figures(
        hosts=1, entries=1000, seconds=1.0, busiest=0.5, store=0.1, driver=0.1, memory=0, matches=10
    )
    slow = Figures(
        hosts=1, entries=1000, seconds=9.0, busiest=1.5, store=0.1, driver=0.3, memory=0, matches=10
    )
    assert quick.rate == 2000 == 3 * slow.rate
    assert quick.evened == pytest.approx(slow.evened)


@pytest.mark.process
async def test_a_table_makes_the_same_entries_again(tmp_path: Path):
    canned = record_matches(RUN, [1, 2])
    moves = Moves()
    async with host(Ground(None, tmp_path), "one", RUN, [1, 2], journal=True) as there:
        played = await come(canned, [there.link])
        for match in played:
            await match.begin()
        await play(played, moves, 2)
        assert there.cpu > 0
    assert len(moves.seconds) == sum(len(posts) for each in canned for posts in each.posts)
