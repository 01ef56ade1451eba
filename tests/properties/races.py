"""Many races of two seats for one place at the same moment: `scripts/races`. A test runs a sample.

Both seats sign an entry that has seen the same head, and chance decides which comes first. One must
win and the other be late in every reader's view, and nobody may be named at the end.
"""

import argparse
import sys
from collections import Counter
from random import Random

from protocol.match.log import decode_entry
from tests.support.guest_games.grab import THINGS
from tests.support.guest_games.offline_match import agreed, guest_match, until_playing, written
from tests.support.offline import Offline

SEATS = 2


def races(count: int, seed: int = 0) -> Counter[int]:
    """Run `count` races and return the wins of each seat. Raises: AssertionError."""
    won: Counter[int] = Counter()
    rng, number = Random(seed), 0
    while won.total() < count:
        match = guest_match("grab", SEATS, seed + number)
        number += 1
        until_playing(match)
        while _both_may(match) and won.total() < count:
            first = rng.randrange(SEATS)
            free = [thing for thing in range(THINGS) if match.live.match.game.taken[thing] is None]
            race(match, first, rng.choice(free))
            won[first] += 1
        match.play()
        end = agreed(match)  # by the fold of every reader of the log, and by the audit
        assert end.over and not end.faults
    return won


def race(match: Offline, first: int, thing: int) -> None:
    """Let both seats take the same thing; the entry of seat `first` comes first."""
    raws = {seat: written(match, seat, ("take", thing)) for seat in range(SEATS)}
    heads = {decode_entry(raw).seen_hash for raw in raws.values()}
    before, second = match.live.match, 1 - first
    for seat in (first, second):
        match.live.offer(raws[seat], seat)
    after = match.live.match
    gained = [now - then for now, then in zip(after.scores, before.scores, strict=True)]
    late = [now - then for now, then in zip(after.late_counts, before.late_counts, strict=True)]
    assert len(heads) == 1 and gained[first] == late[second] == 1 and sum(gained) == sum(late) == 1
    assert after.game.taken[thing][0] == first and not after.faults


def _both_may(match: Offline) -> bool:
    return all(match.live.match.may_post(seat, "move") for seat in range(SEATS))


def main() -> None:
    """Run the requested number of races."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--races", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    won = races(args.races, args.seed)
    sys.stdout.write(
        f"{won.total()} races: one won and the other was late each time, nobody was named; "
        "won by seat: "
        f"{', '.join(str(won[seat]) for seat in range(SEATS))}\n"
    )


if __name__ == "__main__":
    main()
