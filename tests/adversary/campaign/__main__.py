"""Command line of `scripts/campaign`."""

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import Pool
from typing import NamedTuple

from tests.adversary.campaign.checks import Broken, check
from tests.adversary.campaign.match_plan import Plot, by_a_file, by_a_stranger, plot
from tests.adversary.campaign.play import begun
from tests.support.memo import memoised

MOST_FAILURES = 20
ABOUT = """\
Plays matches in which everything meets everything, and checks that nobody honest is named, that nobody has more by
cheating than by folding, that honest seats agree, and that every match with an honest table ends.

All games and dealings, two to four seats, with and without a table; some of the seats, by themselves or in league,
change what they post, act out of turn, protest for nothing, leave, or fall silent; some tables change what they
log, log what they must refuse, say that somebody's time is over, or change entries; honest seats are slow, programs
and tables start again. Each match comes from its seed, and a failing one prints how to play it again.

examples:
  scripts/campaign --matches 200                          a few minutes of everything
  scripts/campaign --seed 70000 --matches 5000 --jobs 2   as many as one likes
  scripts/campaign --matches 100 --rule-files             duels and Mau-Mau over all their dealings
  scripts/campaign --matches 100 --strangers              hostile rule files, protocols and messages
  scripts/campaign --seed 4711 --matches 1                one match again, step for step"""


class Played(NamedTuple):
    """Result of one match."""

    about: str
    end: str
    named: tuple[str, ...] = ()
    entries: int = 0
    failure: str = ""


def played(seed: int, plots: Callable[[int], Plot] = plot) -> Played:
    """Play and check the match of a seed."""
    drawn = plots(seed)
    try:
        with memoised():
            match = begun(drawn)
            match.run()
            end = check(match)
    except Broken as broken:
        return Played(str(drawn), "BROKEN", failure=str(broken))
    except Exception:
        return Played(str(drawn), "BROKEN", failure=traceback.format_exc())
    codes = tuple(sorted({str(fault.code) for fault in match.match.faults}))
    return Played(str(drawn), end, codes, len(match.live.records))


def main(words: list[str] | None = None) -> int:
    """Play the matches; return 0 if every promise held, else 1."""
    parser = argparse.ArgumentParser(
        prog="scripts/campaign",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="of the first match (default 1)"
    )
    parser.add_argument(
        "--matches", type=int, default=50, metavar="N", help="how many (default 50)"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--rule-files", action="store_true", help="games by rule files alone")
    parser.add_argument(
        "--strangers", action="store_true", help="random rule files, and the intruder's game"
    )
    args = parser.parse_args(words)
    one = played
    if args.rule_files or args.strangers:
        one = partial(played, plots=by_a_stranger if args.strangers else by_a_file)
    began, ends, codes, entries, broken = time.monotonic(), Counter[str](), Counter[str](), 0, 0
    for number, match in enumerate(
        _all(one, range(args.seed, args.seed + args.matches), args.jobs), 1
    ):
        ends[match.end] += 1
        codes.update(match.named)
        entries += match.entries
        if match.failure:
            broken += 1
            print(f"\nBROKEN: {match.about}\n{match.failure}", flush=True)
            if broken == MOST_FAILURES:
                break
        print(f"\r{number} matches, {broken} broken ", end="", file=sys.stderr, flush=True)
    named = ", ".join(f"{code} {times}" for code, times in codes.most_common())
    how = ", ".join(f"{times} {end}" for end, times in sorted(ends.items()))
    print(
        f"\n{how}; {entries} entries in {time.monotonic() - began:.0f} s\nmatches that name "
        f"somebody for {named}"
    )
    return 1 if broken else 0


def _all(one: Callable[[int], Played], seeds: range, jobs: int) -> Iterator[Played]:
    if jobs == 1:
        yield from map(one, seeds)
        return
    with Pool(jobs) as pool:
        yield from pool.imap(one, seeds)


if __name__ == "__main__":
    sys.exit(main())
