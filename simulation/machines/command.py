"""Command line of the machines: play and report a round, in this process or in several over
NATS.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from random import Random

from protocol.errors import LocalError
from protocol.i18n.argument_errors import WrongArgument
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.installation import install_command
from protocol.limits import MACHINES_ROUND_SECONDS, MAX_CLUSTER_PROCESSES, MAX_MACHINES
from protocol.view.phrase import Phrase, phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import phrase_renderer, translate_phrase
from simulation.machines.coordinator import RoundPlan, RoundScore, VoidRound
from simulation.machines.messages import RUN
from simulation.machines.result import as_round
from simulation.machines.strategies import STRATEGIES
from simulation.machines.virtual_time import VirtualRound
from simulation.models import MachinesModel, RoundResult
from simulation.models.random_draws import shuffled

PROGRAM = "python -P -m simulation.machines"
EXAMPLES = (
    (f"{PROGRAM} --players 100 --strategy look", "help.machines.example.here"),
    (f"{PROGRAM} --nats nats://127.0.0.1:4222 --players 100", "help.machines.example.nats"),
    (f"{PROGRAM} --nats URL --players 100 --here 1-50", "help.machines.example.begin"),
    (f"{PROGRAM} --nats URL --join RUN --here 51-100", "help.machines.example.join"),
)
# exit codes
FINE = 0
FAILED = 1
USAGE = 2
VOID = 3


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    made = HelpParser(
        PROGRAM,
        about="help.machines",
        description="help.machines.more",
        examples=EXAMPLES,
        epilog="help.machines.next",
    )
    _add_round(made.add_argument_group("help.group.settings"))
    _add_processes(made.add_argument_group("help.group.processes"))
    made.add_argument("--json", action="store_true", help="help.machines.json")
    add_language_flag(made)
    return made


def _add_round(made: "argparse._ActionsContainer") -> None:
    made.add_argument(
        "--players",
        type=_within(2, MAX_MACHINES),
        default=10,
        metavar="N",
        help=HelpText(phrase("help.machines.players", most=f"{MAX_MACHINES:,}", usual=10)),
    )
    made.add_argument("--row", type=_within(3, 5), default=4, metavar="N", help="help.machines.row")
    made.add_argument(
        "--seed", type=_within(0, 2**63 - 1), default=0, metavar="N", help="help.machines.seed"
    )
    made.add_argument(
        "--strategy", choices=STRATEGIES, default="blind", help="help.machines.strategy"
    )
    made.add_argument("--instants", action="store_true", help="help.machines.instants")


def _add_processes(made: "argparse._ActionsContainer") -> None:
    made.add_argument("--nats", metavar="URL", help="help.machines.nats")
    made.add_argument(
        "--processes",
        type=_within(1, MAX_CLUSTER_PROCESSES),
        default=2,
        metavar="N",
        help=HelpText(phrase("help.simulate.processes", most=MAX_CLUSTER_PROCESSES, usual=2)),
    )
    made.add_argument("--here", type=_span, metavar="A-B", help="help.machines.players.here")
    made.add_argument("--join", type=_run, metavar="RUN", help="help.machines.join")
    made.add_argument(
        "--patience",
        type=_within(1, 3600),
        default=MACHINES_ROUND_SECONDS,
        metavar="SECONDS",
        help=HelpText(phrase("help.machines.patience", usual=MACHINES_ROUND_SECONDS)),
    )


def _within(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if text.isascii() and text.isdigit() and low <= int(text) <= high:
            return int(text)
        raise WrongArgument("usage.range", least=f"{low:,}", most=f"{high:,}", word=text)

    return number


def _span(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    low = _within(1, MAX_MACHINES)(first)
    return low - 1, _within(low, MAX_MACHINES)(last or first) - low + 1


def _run(text: str) -> str:
    if len(text) == 2 * RUN and all(char in "0123456789abcdef" for char in text):
        return text
    raise WrongArgument("usage.run", letters=2 * RUN, word=text)


def plan_of(options: argparse.Namespace) -> RoundPlan:
    """Plan a round with the decks of the seed."""
    random = Random(options.seed)
    decks = tuple(tuple(shuffled(random)) for _ in range(options.players))
    return RoundPlan(decks, options.row, options.instants, patience=options.patience * 1_000_000)


def play_round(options: argparse.Namespace) -> RoundScore | VoidRound:
    """Play the round, in this process or over NATS. Raises: LocalError if it cannot be played."""
    plan = plan_of(options)
    if options.nats is not None:
        return _over_nats(options, plan)
    timing = MachinesModel(
        options.players, options.row, look=options.strategy == "look", instants=options.instants
    )
    return VirtualRound(
        plan, STRATEGIES[options.strategy], timing, Random(options.seed).random
    ).play()


def _over_nats(options: argparse.Namespace, plan: RoundPlan) -> RoundScore | VoidRound:
    try:
        from simulation.machines.processes.launcher import ProcessPlan, play
    except ImportError:
        raise LocalError("wrong.machines.cluster", install=install_command("cluster")) from None
    cluster = ProcessPlan(options.nats, options.processes, options.strategy, options.here)
    if cluster.here is not None:
        if sum(cluster.here) > options.players:
            raise LocalError("wrong.machines.here", players=options.players)
        print(
            phrase_renderer(environment_translator(os.environ), ())(
                phrase("machines.run", run=cluster.run)
            ),
            file=sys.stderr,
            flush=True,
        )
    return asyncio.run(play(plan, cluster))


def join_round(options: argparse.Namespace) -> int:
    """Play for some players of a round that another machine has begun. Return the exit code.
    Raises: LocalError.
    """
    if options.nats is None or options.here is None:
        raise LocalError("wrong.machines.join")
    try:
        from simulation.machines.processes.child import FINE as OVER
        from simulation.machines.processes.child import SERVER_GONE, serve
        from simulation.machines.processes.child_spec import ProcessSpec
    except ImportError:
        raise LocalError("wrong.machines.cluster", install=install_command("cluster")) from None
    first, count = options.here
    code = asyncio.run(
        serve(ProcessSpec(options.nats, options.join, first, count, options.strategy))
    )
    if code == OVER:
        return FINE
    raise LocalError(
        "wrong.machines.joined.server"
        if code == SERVER_GONE
        else "wrong.machines.joined.coordinator"
    )


def void_phrase(void: VoidRound, seed: int) -> Phrase:
    """Say why a round does not count, and how to play it again."""
    seconds = f"{void.at / 1e6:.1f}"
    again = phrase("machines.again", seed=seed)
    if void.why in ("server", "coordinator"):
        if void.why == "server":
            key = "machines.void.server"
        else:
            key = "machines.void.coordinator"
        return phrase(key, seconds=seconds, again=again)
    who = ranges(void.players)
    if void.why == "cards":
        return phrase("machines.void.cards", who=who, cards=len(void.cards), again=again)
    return phrase(VOIDS[void.why], who=who, seconds=seconds, again=again)


VOIDS = {
    "died": "machines.void.died",
    "silent": "machines.void.silent",
    "unready": "machines.void.unready",
    "unscored": "machines.void.unscored",
}


def ranges(numbers: Sequence[int]) -> str:
    """Write player numbers from 1, in ranges: 1–50, 53."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("–".join(str(end + 1) for end in run) for run in runs)


def round_phrases(round_: RoundResult) -> list[Phrase]:
    """Say the result of a round, a sentence for each fact."""
    laid = sum(round_.laid)
    tried = sum(round_.attempts)
    best = max(range(len(round_.points)), key=round_.points.__getitem__)
    milliseconds = f"{round_.duration / 1000:,.1f}"
    if round_.stop is None:
        first = phrase("machines.nobody", milliseconds=milliseconds)
    else:
        first = phrase("machines.stopped", who=round_.stop + 1, milliseconds=milliseconds)
    return [
        first,
        phrase(
            "machines.laid",
            laid=f"{laid:,}",
            tried=f"{tried:,}",
            each=f"{tried / max(laid, 1):,.1f}",
        ),
        phrase("machines.after", after=f"{round_.after_stop:,}", late=f"{sum(round_.late):,}"),
        phrase("machines.best", who=best + 1, points=round_.points[best]),
    ]


def report(outcome: RoundScore | VoidRound, options: argparse.Namespace) -> int:
    """Print the outcome and return the exit code."""
    say = phrase_renderer(environment_translator(os.environ), ())
    if isinstance(outcome, VoidRound):
        print(say(void_phrase(outcome, options.seed)), file=sys.stderr)
        return VOID
    round_ = as_round(outcome)
    if options.json:
        print(json.dumps(asdict(round_)))
    else:
        print("\n".join(map(say, round_phrases(round_))))
    return FINE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return 0 for success, 1 if the round cannot be played, 2 for wrong usage, 3
    for a void round.
    """
    install_output_fallback()
    try:
        words = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
        options = make_parser().parse_args(words)
        if options.join is None:
            return report(play_round(options), options)
        return join_round(options)
    except LocalError as error:
        print(translate_phrase(error.phrase, environment_translator(os.environ)), file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return FAILED
