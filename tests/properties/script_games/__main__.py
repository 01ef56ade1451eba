"""Command line of `scripts/script_games`."""

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool
from random import Random
from typing import NamedTuple

from protocol.games.scripted.rule_file.built_in import built_in_text
from protocol.games.scripted.rule_file.contract import parse_contract
from tests.properties.script_games import hazards
from tests.properties.script_games.checks import Wrong, check
from tests.properties.script_games.golden import write
from tests.properties.script_games.play import Kind, played
from tests.support.memo import memoised

ABOUT = """\
Plays matches of games by rule files by bots, over the dealings in turn, and checks of each that its log is clean, that
every call of its rules comes to the same in a Starlark that others wrote, and that the same choices with the same
chance come to the same where everything lies open; of some, over verified dealing too.

examples:
  scripts/script_games --matches 12                    half a minute of everything
  scripts/script_games --matches 400 --jobs 2          200 duels and 200 matches of Mau-Mau
  scripts/script_games --seed 4711 --matches 1         one match again
  scripts/script_games --hazards --seed 5              half an hour: duels in all dealings, Mau-Mau of 2 to 4"""
# dealings; residue takes four times as long
TURNS = ("verified", "seeded", "verified", "seeded", "residue")
DECKS = {"element-duel": (10, 10), "mau-mau": (12, 32)}  # minimum and maximum cards of a deck
AGAIN = 5  # every fifth match is played again over verified dealing
THINKING = 10  # in every tenth match one of the bots looks ahead


class Result(NamedTuple):
    """Result of a match."""

    kind: Kind
    entries: int = 0
    calls: int = 0
    failure: str = ""


def kind_of(seed: int) -> Kind:
    """Return the game of a seed: duels and Mau-Mau by turns."""
    rng = Random(f"script game {seed}")
    dealing = TURNS[seed // 2 % len(TURNS)]
    if seed % 2 == 0:
        return _own("element-duel", dealing, rng, ("early", "together"))
    if dealing != "seeded" and rng.random() < 0.4:
        return Kind("mau-mau-shared", dealing, rng.choice((2, 3, 4)))
    return _own("mau-mau", dealing, rng, ())


def _own(game: str, dealing: str, rng: Random, switches: tuple[str, ...]) -> Kind:
    options = [("mode", rng.choice(("closing", "open", "hidden")))]
    options += [(name, rng.choice(("no", "yes"))) for name in switches]
    cards, (least, most) = range(len(parse_contract(built_in_text(game)).cards)), DECKS[game]
    decks = tuple(tuple(rng.sample(cards, rng.randint(least, most))) for _ in range(2))
    return Kind(game, dealing, 2, tuple(options), decks if rng.random() < 0.5 else ())


def one(seed: int) -> Result:
    """Play and check the match of a seed."""
    kind = kind_of(seed)
    try:
        with memoised():
            course = played(kind, seed, thinking=seed % THINKING == 0)
            calls = check(course, over="verified" if seed % AGAIN == 0 else None)
    except Wrong as wrong:
        return Result(kind, failure=str(wrong))
    except Exception:
        return Result(kind, failure=traceback.format_exc())
    assert course.played is not None
    return Result(kind, course.played.live.match.next_number, calls)


def main(words: list[str] | None = None) -> int:
    """Play the matches; return 0 if all checks pass, else 1."""
    parser = argparse.ArgumentParser(
        prog="scripts/script_games",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of the first match (default 0)"
    )
    parser.add_argument(
        "--matches", type=int, default=12, metavar="N", help="how many (default 12)"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument(
        "--hazards", action="store_true", help="a leaver, a lapse, a restart at every entry"
    )
    parser.add_argument(
        "--golden",
        action="store_true",
        help="write the texts that are kept anew, and do nothing else",
    )
    args = parser.parse_args(words)
    if args.hazards:
        return _hazards(args.seed)
    if args.golden:
        write()
        return 0
    began, found, failed, entries, calls = time.monotonic(), Counter[str](), 0, 0, 0
    seeds = range(args.seed, args.seed + args.matches)
    for seed, result in zip(seeds, _results(seeds, args.jobs), strict=True):
        found[f"{result.kind.game} over {result.kind.dealing}"] += 1
        entries, calls, failed = (
            entries + result.entries,
            calls + result.calls,
            failed + bool(result.failure),
        )
        if result.failure:
            print(f"\nFAILED: {seed}: {result.kind}\n{result.failure}", flush=True)
        print(
            f"\r{seed - args.seed + 1} matches, {failed} failed ",
            end="",
            file=sys.stderr,
            flush=True,
        )
    print("\n" + "\n".join(f"{times:4} {name}" for name, times in sorted(found.items())))
    print(
        f"{entries} entries, {calls} calls of rules compared, {time.monotonic() - began:.0f} "
        f"s, {failed} failed"
    )
    return 1 if failed else 0


def _hazards(seed: int) -> int:
    """Try each hazard by each seat at every entry of whole matches. Raises: Wrong."""
    for ground in hazards.GROUNDS:
        began = time.monotonic()
        with memoised():
            whole = hazards.played(ground, seed)
            numbers, seats = range(1, len(whole.dues)), range(ground.seats)
            for how in hazards.HOWS:
                happened = sum(
                    hazards.befall(whole, number, seat, how) for number in numbers for seat in seats
                )
                print(
                    f"{ground}: {how}: {happened} times in {len(numbers)} entries: {hazards.HOLDS}",
                    flush=True,
                )
        print(f"{time.monotonic() - began:.0f} s", flush=True)
    return 0


def _results(seeds: range, jobs: int) -> Iterator[Result]:
    if jobs == 1:
        yield from map(one, seeds)
        return
    with Pool(jobs) as pool:
        yield from pool.imap(one, seeds)


if __name__ == "__main__":
    sys.exit(main())
