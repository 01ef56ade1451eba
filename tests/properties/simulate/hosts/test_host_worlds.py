"""Some worlds of many hosts, from fixed seeds; `scripts/simulate --hosts` plays any number."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from table.storage.shared.store import SharedStore
from tests.properties.simulate.__main__ import terms
from tests.properties.simulate.hosts.mistakes import (
    ClaimsByReading,
    HeedsNobody,
    KeepsTheOldNumber,
    PrunesRunning,
    RefusesWhatIsLost,
    ShowsWhatItReads,
    SignsAtOnce,
    TakesATimeOutForARefusal,
    TrustsARead,
    table_of,
    table_over,
    table_with,
)
from tests.properties.simulate.hosts.world import HostsParts, HostsSpec, run_hosts
from tests.properties.simulate.weather import HOSTS
from tests.properties.simulate.world import Failed
from tests.support.memo import memoised_fold

pytestmark = pytest.mark.match
# seconds for which these hosts keep finished matches; all players are back by then
KEPT = 20.0
SHORT, HIDDEN = ("matches", "none"), ("block-dominoes", "layered")


def spec(
    seed: int, faults: str = "hosts", game: tuple[str, str] = SHORT, hosts: int = 3
) -> HostsSpec:
    return HostsSpec(seed, terms(*game, 2, False), HOSTS[faults], hosts)


@pytest.mark.parametrize(
    ("seed", "faults", "hosts"),
    [
        (6, "none", 2),
        (2, "store", 3),
        (3, "hosts", 2),
        (4, "hosts", 4),
        (2, "losing", 3),
        (5, "losing", 3),
    ],
)
def test_hosts_never_sign_two_heads_for_one_number(seed: int, faults: str, hosts: int) -> None:
    with memoised_fold():
        tally = run_hosts(spec(seed, faults, hosts=hosts))
    assert tally.matches >= 4 and bool(tally.happened) is (faults != "none")
    assert bool(tally.happened["store lost"]) is (faults == "losing")
    # by spectators who came to a host without the match
    assert tally.watched or faults != "none"


@pytest.mark.parametrize(
    ("seed", "faults"), [(2, "claims"), (3, "claims"), (2, "loading"), (3, "unheard")]
)
def test_contested_matches_end_with_one_log(seed: int, faults: str) -> None:
    with memoised_fold():
        tally = run_hosts(spec(seed, faults))
    assert tally.matches >= 4 and tally.happened


def test_hosts_with_hidden_pieces_never_sign_two_heads() -> None:
    with memoised_fold():
        assert run_hosts(spec(5, game=HIDDEN)).matches >= 4


class TrimsAlways(SharedStore):
    """Store that says anew with each look what it has of tables, and removes what is before."""

    lobby_items = 0


@pytest.mark.parametrize(("seed", "faults"), [(3, "hosts"), (7, "hosts"), (2, "store")])
def test_hosts_that_prune_remove_finished_matches_alone(seed: int, faults: str) -> None:
    parts = HostsParts(table=table_over(TrimsAlways))
    with memoised_fold():
        tally = run_hosts(replace(spec(seed, faults), kept=KEPT), parts)
    assert tally.matches >= 4 and tally.happened["pruned"] and tally.happened["trimmed"]


def test_host_that_prunes_running_matches_is_noticed() -> None:
    parts = HostsParts(table=table_over(PrunesRunning))
    with memoised_fold(), pytest.raises(Failed, match="not finished"):
        run_hosts(replace(spec(3), kept=KEPT / 20), parts)


def test_host_world_repeats_exactly_for_same_seed() -> None:
    assert run_hosts(spec(3)).trace == run_hosts(spec(3)).trace


# each with the worlds to try first. A change of any message on the wire changes every world, so
# the search goes on with further seeds when none of these shows the mistake.
FURTHER = 60
MISTAKES = [
    (HostsParts(match=SignsAtOnce), (30, 27, 1, 3)),
    (HostsParts(table=table_of(TrustsARead)), (6, 29, 12, 35, 38)),
    (
        HostsParts(table=table_of(TakesATimeOutForARefusal), room=RefusesWhatIsLost),
        (16, 14, 15, 1, 3),
    ),
    (HostsParts(table=table_with(ClaimsByReading)), (1, 12, 32, 36)),
    (HostsParts(table=table_with(KeepsTheOldNumber)), (1, 44, 23, 3)),
    (HostsParts(table=table_over(ShowsWhatItReads)), (29, 16, 20, 1)),
]


@pytest.mark.parametrize(("parts", "seeds"), MISTAKES)
def test_each_mistake_of_a_host_is_noticed(parts: HostsParts, seeds: tuple[int, ...]) -> None:
    seed = _first_failing(seeds, parts)
    assert not _fails(seed, HostsParts())


def test_host_ignoring_returning_heads_is_detected_after_loss() -> None:
    parts = HostsParts(room=HeedsNobody)
    seed = _first_failing((3, 22, 27, 28), parts, "losing")
    assert not _fails(seed, HostsParts(), "losing")


def _first_failing(first: tuple[int, ...], parts: HostsParts, faults: str = "hosts") -> int:
    for seed in _seeds(first):
        if _fails(seed, parts, faults):
            return seed
    pytest.fail("no world shows the mistake")


def _seeds(first: tuple[int, ...]) -> Iterator[int]:
    yield from first
    yield from (seed for seed in range(1, FURTHER) if seed not in first)


def _fails(seed: int, parts: HostsParts, faults: str = "hosts") -> bool:
    try:
        with memoised_fold():
            run_hosts(spec(seed, faults), parts)
    except Failed:
        return True
    return False
