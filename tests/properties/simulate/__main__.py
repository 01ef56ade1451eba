"""Command line of `scripts/simulate`."""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import product
from multiprocessing import Pool
from typing import NamedTuple, TypeVar

from protocol.games.dominoes.scoring import PARTNERS
from protocol.limits import MAX_CLOCK_SECONDS
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import OptionList, Selection
from tests.properties.simulate.cheats import CHEATS, terms_of
from tests.properties.simulate.weather import WEATHERS
from tests.properties.simulate.world import Failed, Spec, Tally, run_world
from tests.support.guest_games.offline_match import GUESTS
from tests.support.memo import memoised

GAMES = ("block-dominoes", "draw-dominoes")
# games without hidden pieces and deals
OPEN = ("matches", "nim", "hexapawn", "connect-four")
AT_ONCE = (  # simultaneous play; the first two are guests
    ("scuffle", "none", (2, 3, 4)),
    ("shed evenly", "verified", (2,)),
    ("ligretto", "verified", (2, 3)),
    ("ligretto", "threshold", (3, 4)),
)
SCRIPTS = (  # games by rule files
    ("element-duel", "threshold", (2,)),
    ("element-duel", "seeded", (2,)),
    ("element-duel", "residue", (2,)),
    ("mau-mau", "threshold", (2,)),
    ("mau-mau", "seeded", (2,)),
    ("mau-mau-shared", "threshold", (3, 4)),
)
# threshold: verified dealing in which the others play on when a seat leaves
DEALINGS = ("layered", "verified", "threshold")
SEATS = (2, 3, 4)
RULES: dict[str, OptionList] = {  # short matches with each way of scoring; partners are four
    "points": (("target", 1),),
    "fives": (("scoring", "fives"), ("target", 15)),
    "partners": (("partners", "yes"), ("target", 1)),
    "partners-fives": (("partners", "yes"), ("scoring", "fives"), ("target", 15)),
}
ROUND: OptionList = (("rounds", 1), ("target", 1))  # a tie extends the match
PATIENT, IMPATIENT = Allowance(0, MAX_CLOCK_SECONDS, MAX_CLOCK_SECONDS), Allowance(1, 6, 6)
# shorter than a standstill of the table may take, and long enough for a player to come back
STRICT = Allowance(0, 45, 45)
# points that as many hands of one tile bring, on the average
HAND_POINTS = 5.75
# matches of a world in its weather by default; one in calm weather follows them
EACH = 4
MOST_FAILURES = 5

EXAMPLES = """\
A world is a table and its players, who play some matches one after the other in the weather of --faults, and one more
in calm weather. World number n has seed S + n. Everything in it comes from its seed: a failing world prints the command
that runs it again, step for step.

examples:
  scripts/simulate --matches 100                                    a minute of everything
  scripts/simulate --seed 7 --matches 2000 --jobs 2                 both dealing protocols, all faults
  scripts/simulate --faults link --dealing layered --seats 4        one kind of match, a bad line
  scripts/simulate --rule-files --share --matches 200               duels and Mau-Mau, dealt in three ways
  scripts/simulate --cheat ALL --matches 700                        every cheat once, over bad lines
  scripts/simulate --hosts --worlds 100                             hosts of one table, over one store
  scripts/simulate --hands 200 --workers 2 --faults long --each 1  long matches, workers that hang and die
"""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="scripts/simulate",
        description="Play matches in simulated worlds full of faults, and check that every promise holds.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--seed", type=int, default=1, metavar="S", help="of the first world (default 1)"
    )
    made.add_argument(
        "--matches", type=int, default=50, metavar="N", help="how many at least (default 50)"
    )
    made.add_argument(
        "--faults", choices=sorted(WEATHERS), default="all", help="what may go wrong (default all)"
    )
    games = (*GAMES, *OPEN, *dict.fromkeys(game for game, _, _ in (*AT_ONCE, *SCRIPTS)))
    made.add_argument(
        "--each",
        type=int,
        default=EACH,
        metavar="N",
        help=f"of a world in its weather (default {EACH})",
    )
    made.add_argument(
        "--hosts",
        action="store_true",
        help="worlds of several hosts over one store; --hosts --help",
    )
    made.add_argument("--game", choices=games, help="default: each in turn")
    made.add_argument(
        "--dealing", choices=(*DEALINGS, "none", "seeded", "residue"), help="default: each in turn"
    )
    made.add_argument("--seats", type=int, choices=SEATS, help="default: each in turn")
    made.add_argument("--rules", choices=RULES, help="how dominoes score; default: each in turn")
    made.add_argument(
        "--hands",
        type=int,
        metavar="N",
        help="matches of about N hands of one tile, under a clock that no standstill may use up",
    )
    made.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="simulated workers of the table (default 0: it folds itself)",
    )
    made.add_argument("--rule-files", action="store_true", help="games by rule files alone")
    made.add_argument(
        "--impatient", action="store_true", help="a short clock: whom something befalls may lapse"
    )
    made.add_argument(
        "--lying-table",
        action="store_true",
        help="a table that says once a match that a time is over",
    )
    made.add_argument(
        "--cheat", metavar="NAME", help="a cheat at one seat, who must be named; ALL: each in turn"
    )
    made.add_argument(
        "--share", action="store_true", help="compute once what every party would check for itself"
    )
    made.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    made.add_argument("--quiet", action="store_true", help="no progress, only the sum")
    return made


def main(words: list[str] | None = None) -> int:
    """Run worlds; return 0 if every promise held in all of them, else 1."""
    words = sys.argv[1:] if words is None else words
    if "--hosts" in words:
        from tests.properties.simulate.hosts import command

        return command.main(words)
    args = parser().parse_args(words)
    kinds = _cheats(args) if args.cheat else [*_honest(args), *_open(args), *_others(args, AT_ONCE)]
    kinds = (
        _others(args, SCRIPTS)
        if args.rule_files
        else [*kinds, *(_others(args, SCRIPTS) if not args.cheat else ())]
    )
    if args.hands:
        kinds = _long(args)
    seeds = range(args.seed, args.seed + -(-args.matches // (args.each + 1)))
    jobs = [
        kinds[seed % len(kinds)]._replace(
            seed=seed, share=args.share, each=args.each, workers=args.workers
        )
        for seed in seeds
    ]
    began, total, failures = time.monotonic(), Tally(), 0
    for job, tally, wrong in results(run_job, jobs, args.jobs):
        total.add(tally)
        if wrong is not None:
            failures += 1
            print(
                "\n".join(
                    ["", *tally.notes, f"FAILED: {wrong}", f"again: scripts/simulate {job.again}"]
                ),
                flush=True,
            )
            if failures == MOST_FAILURES:
                break
        if not args.quiet:
            print(
                f"\r{total.matches} matches, {failures} worlds failed ",
                end="",
                file=sys.stderr,
                flush=True,
            )
    print(_report(total, failures, time.monotonic() - began))
    return 1 if failures else 0


class Job(NamedTuple):
    """One world to run; `again` are the arguments that repeat it."""

    again: str
    faults: str
    impatient: bool
    terms: Terms
    cheat: str = ""
    seed: int = 0
    lying: bool = False
    share: bool = False
    each: int = EACH
    workers: int = 0


def _honest(args: argparse.Namespace) -> list[Job]:
    kinds = product(
        [name for name in DEALINGS if args.dealing in (None, name)],
        [args.seats] if args.seats else SEATS,
        [game for game in GAMES if args.game in (None, game)],
        [args.rules] if args.rules else RULES,
    )
    jobs = []
    for dealing, seats, game, rules in kinds:
        if rules.startswith("partners") and seats != PARTNERS:
            continue
        again = f"--dealing {dealing} --seats {seats} --game {game} --rules {rules}"
        again += f"{' --impatient' if args.impatient else ''}{' --lying-table' if args.lying_table else ''}"
        made = terms(game, dealing, seats, args.impatient, rules)
        jobs.append(Job(again, args.faults, args.impatient, made, lying=args.lying_table))
    return jobs


def _open(args: argparse.Namespace) -> list[Job]:
    """Return worlds of games without hidden pieces, unless the arguments ask for others."""
    games = [game for game in OPEN if args.game in (None, game)]
    if args.dealing or args.rules or args.lying_table or args.seats not in (None, 2):
        return []
    more = " --impatient" if args.impatient else ""
    made = [(f"--game {game}{more}", terms(game, "none", 2, args.impatient)) for game in games]
    return [Job(again, args.faults, args.impatient, each) for again, each in made]


def _long(args: argparse.Namespace) -> list[Job]:
    """Return worlds of long matches."""
    seats = [args.seats] if args.seats else (2, 3)
    return [
        Job(
            f"--hands {args.hands} --seats {each}", args.faults, False, long_terms(args.hands, each)
        )
        for each in seats
    ]


def long_terms(hands: int, seats: int = 2) -> Terms:
    """Return terms for matches of about so many hands, which are cheap to deal."""
    options: OptionList = (("hand", 1), ("target", round(hands * HAND_POINTS)))
    chosen = Selection("block-dominoes", options)
    return make_terms(chosen, Selection("layered"), STRICT.options(), seats, GUESTS)


def _others(
    args: argparse.Namespace, rows: tuple[tuple[str, str, tuple[int, ...]], ...]
) -> list[Job]:
    """Return worlds of games with simultaneous play or by rule files, unless the arguments ask for
    a way of scoring.
    """
    if args.rules:
        return []
    more = (
        f"{' --impatient' if args.impatient else ''}{' --lying-table' if args.lying_table else ''}"
    )
    jobs = []
    for game, dealing, each in rows:
        for seats in each:
            if (
                args.game in (None, game)
                and args.seats in (None, seats)
                and args.dealing in (None, dealing)
            ):
                again = f"--game '{game}' --dealing {dealing} --seats {seats}{more}"
                made = terms(game, dealing, seats, args.impatient)
                jobs.append(Job(again, args.faults, args.impatient, made, lying=args.lying_table))
    return jobs


def _cheats(args: argparse.Namespace) -> list[Job]:
    """Return worlds of cheats, over bad lines only: a cheat whose program restarts may forget its
    plan.
    """
    names = list(CHEATS) if args.cheat == "ALL" else [args.cheat]
    faults = args.faults if args.faults in ("none", "disk") else "link"
    return [Job(f"--cheat {name}", faults, False, terms_of(name), name) for name in names]


Result = tuple[Job, Tally, str | None]


J, R = TypeVar("J"), TypeVar("R")


def results(run: Callable[[J], R], jobs: Iterable[J], processes: int) -> Iterator[R]:
    """Yield the result of each job, in order."""
    if processes == 1:
        yield from map(run, jobs)
        return
    with Pool(processes) as pool:
        yield from pool.imap(run, jobs)


def run_job(job: Job) -> Result:
    """Run one world and return its events and its failure."""
    job = job._replace(
        again=f"--seed {job.seed} --matches 1 --each {job.each} --faults {job.faults} {job.again}"
        + (f" --workers {job.workers}" if job.workers else "")
    )
    try:
        spec = Spec(
            job.seed,
            job.terms,
            WEATHERS[job.faults],
            job.each,
            job.cheat,
            job.impatient,
            job.lying,
            job.workers,
        )
        with memoised() if job.share else nullcontext():
            return job, run_world(spec), None
    except Failed as failed:
        return job, failed.tally, str(failed)


def terms(game: str, dealing: str, seats: int, impatient: bool, rules: str = "points") -> Terms:
    """Return terms for matches of a hand or two."""
    more: dict[str, OptionList] = {
        "threshold": (("leavers", "threshold"),),
        "residue": (("bits", "breakable-512"),),
    }
    options = more.get(dealing, ())
    name = "verified" if dealing == "threshold" else dealing
    clock = (IMPATIENT if impatient else PATIENT).options()
    chosen = Selection(game, RULES[rules] if game in GAMES else ROUND if game == "ligretto" else ())
    return make_terms(chosen, Selection(name, options), clock, seats, GUESTS)


def _report(total: Tally, failures: int, seconds: float) -> str:
    faults = ", ".join(f"{kind} {count}" for kind, count in sorted(total.happened.items()))
    return (
        f"\n{total.matches} matches, {total.entries} entries, {total.seconds / 3600:.1f} "
        "virtual hours "
        f"in {seconds:.0f} s ({60 * total.matches / max(seconds, 0.001):.0f} matches a minute)\n"
        f"faults: {faults or 'none'}\ntrace: {total.trace.hex()[:16]}\n"
        f"{'every promise held' if not failures else f'{failures} worlds FAILED'}"
    )


if __name__ == "__main__":
    sys.exit(main())
