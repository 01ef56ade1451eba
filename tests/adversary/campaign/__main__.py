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

from protocol.match.log import decode_entry
from tests.adversary.campaign.checks import Broken, check
from tests.adversary.campaign.match_plan import (
    Plot,
    by_a_file,
    by_a_stranger,
    choosing_together,
    plot,
    with_cards,
)
from tests.adversary.campaign.play import Play, begun
from tests.support.memo import memoised

MOST_FAILURES = 20
KINDS: dict[str, tuple[Callable[[int], Plot], str]] = {
    "rule-files": (by_a_file, "games by rule files"),
    "strangers": (by_a_stranger, "random rule files, and the intruder's game"),
    "cards": (with_cards, "games with owned cards"),
    "together": (choosing_together, "games in which seats choose at once"),
}
ABOUT = """\
Plays matches in which everything meets everything, and checks that nobody honest is named, that nobody has more by
cheating than by folding, that honest seats agree, and that every match with an honest table ends.

All games and dealings, two to four seats, with and without a table; some of the seats, by themselves or in league,
change what they post, act out of turn, protest for nothing, leave, or fall silent; some tables change what they
log, log what they must refuse, say that somebody's time is over, or change entries; honest seats are slow, programs
and tables start again. In a third of the matches seats bring cards that they own, some of which cheats have refused,
spent twice, waived or revised, and people outside of the match trade, cheat, and show records to seats. In others
several seats choose at once, or the rules are a stranger's. Each match comes from its seed, and a failing one prints
how to play it again.

examples:
  scripts/campaign --matches 200                          a few minutes of everything
  scripts/campaign --seed 70000 --matches 5000 --jobs 2   as many as one likes
  scripts/campaign --matches 100 --rule-files             duels and Mau-Mau over all their dealings
  scripts/campaign --matches 100 --strangers              hostile rule files, protocols and messages
  scripts/campaign --matches 100 --cards                  owned cards, disputes, and people outside
  scripts/campaign --seed 4711 --matches 1                one match again, step for step"""


class Played(NamedTuple):
    """Result of one match."""

    about: str
    end: str
    named: tuple[str, ...] = ()
    entries: int = 0
    failure: str = ""
    steps: tuple[str, ...] = ()  # disputes, answers and refusals of decks


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
    return Played(str(drawn), end, codes, len(match.live.records), steps=tuple(_deck_steps(match)))


def _deck_steps(match: Play) -> Iterator[str]:
    """Yield the names of the steps about owned cards that a match went beyond."""
    for entry in map(decode_entry, match.entries()):
        if entry.kind == "move" and entry.body and type(entry.body[0]) is list:
            name = entry.body[0][0] if entry.body[0] else None
            if name in ("dispute", "answer", "decline"):
                honest = match.players[entry.author].honest
                yield f"{name} by {'the honest' if honest else 'cheats'}"


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
    for name, (_, about) in KINDS.items():
        parser.add_argument(f"--{name}", action="store_true", help=f"{about} alone")
    args = parser.parse_args(words)
    one = played
    for name, (plots, _) in KINDS.items():
        if getattr(args, name.replace("-", "_")):
            one = partial(played, plots=plots)
    began, entries, broken = time.monotonic(), 0, 0
    ends, codes, steps = Counter[str](), Counter[str](), Counter[str]()
    for number, match in enumerate(
        _all(one, range(args.seed, args.seed + args.matches), args.jobs), 1
    ):
        ends[match.end] += 1
        codes.update(match.named)
        steps.update(match.steps)
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
        f"somebody for {named}\n"
        + ", ".join(f"{step} {times}" for step, times in sorted(steps.items()))
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
