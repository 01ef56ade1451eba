"""The command line of the kit: the program to check, the cases to run, and the reports to write."""

import argparse
import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conformance import report
from conformance.auditor.kit import make_auditor_kit
from conformance.auditor.program import ANSWER_SECONDS
from conformance.case import Case, CaseFailed, select_cases
from conformance.direct.environment import SECONDS
from conformance.direct.kit import make_peer_kit
from conformance.player.kit import make_player_kit
from conformance.runner import PARALLEL_CASES, CaseOutcome, ConformanceKit, run_kit
from conformance.scope import PROFILES, Scope, read_scope
from conformance.table.connection import TIMEOUT
from conformance.table.kit import make_table_kit
from conformance.table.started_table import table_starter
from conformance.trace import Trace
from conformance.trade.kit import make_trade_kit
from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.identity.keys import JoinLink
from protocol.view.phrase import phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import translate_phrase

PROGRAMS = ("table", "player", "peer", "trader", "auditor")  # options with a command
UNUSED_LINK = "fairdeal://127.0.0.1:1"  # for `--list`

EXAMPLES = (
    ("fairdeal://127.0.0.1:7500/FINGERPRINT", "help.conformance.example.link"),
    ("LINK --only verified/ --junit report.xml", "help.conformance.example.only"),
    ("--list", "help.conformance.example.list"),
    (
        "--table 'fairdeal host --allow-create any --listen 127.0.0.1:0 --data {data}'",
        "help.conformance.example.table",
    ),
    (
        "--player 'fairdeal join {link} --name Ann --bot greedy --data {data}'",
        "help.conformance.example.player",
    ),
    ("--auditor 'fairdeal audit {log} --json' --traces failed", "help.conformance.example.auditor"),
)


def make_parser(program: str) -> argparse.ArgumentParser:
    """Return the parser."""
    parser = HelpParser(
        program,
        about="help.command.conformance",
        description="help.conformance.more",
        examples=[(f"{program} {words}", about) for words, about in EXAMPLES],
        epilog="help.conformance.next",
    )
    parser.add_argument("link", nargs="?", metavar="LINK", help="help.conformance.link")
    tested = parser.add_argument_group("help.group.tested")
    tested.add_argument(
        "--table", metavar="COMMAND", help=HelpText(phrase("help.conformance.table"))
    )
    tested.add_argument(
        "--player", metavar="COMMAND", help=HelpText(phrase("help.conformance.player"))
    )
    tested.add_argument(
        "--auditor", metavar="COMMAND", help=HelpText(phrase("help.conformance.auditor"))
    )
    tested.add_argument("--peer", metavar="COMMAND", help=HelpText(phrase("help.conformance.peer")))
    tested.add_argument(
        "--trader", metavar="COMMAND", help=HelpText(phrase("help.conformance.trader"))
    )
    tested.add_argument("--websocket", action="store_true", help="help.conformance.websocket")
    _add_cases(parser.add_argument_group("help.group.cases"))
    _add_report(parser.add_argument_group("help.group.output"))
    add_language_flag(parser)
    return parser


def _add_cases(made: "argparse._ActionsContainer") -> None:
    made.add_argument("--list", action="store_true", help="help.conformance.list")
    made.add_argument("--only", metavar="PATTERN", default="", help="help.conformance.only")
    made.add_argument(
        "--profile", choices=PROFILES, default="whole", help="help.conformance.profile"
    )
    made.add_argument("--games", metavar="NAMES", default="", help="help.conformance.games")
    made.add_argument("--dealings", metavar="NAMES", default="", help="help.conformance.dealings")
    made.add_argument(
        "--together",
        type=int,
        metavar="N",
        default=PARALLEL_CASES,
        help=HelpText(phrase("help.conformance.together", usual=PARALLEL_CASES)),
    )
    made.add_argument(
        "--patience",
        type=float,
        metavar="SECONDS",
        help=HelpText(
            phrase(
                "help.conformance.patience",
                table=f"{TIMEOUT:g}",
                others=f"{SECONDS:g}",
                auditor=f"{ANSWER_SECONDS:g}",
            )
        ),
    )


def _add_report(made: "argparse._ActionsContainer") -> None:
    made.add_argument("--quiet", action="store_true", help="help.conformance.quiet")
    made.add_argument("--traces", type=Path, metavar="DIR", help="help.conformance.traces")
    made.add_argument("--junit", type=Path, metavar="FILE", help="help.conformance.junit")
    made.add_argument("--json", type=Path, metavar="FILE", help="help.conformance.json")


def make_kit(options: argparse.Namespace, scope: Scope) -> ConformanceKit:
    """Return the kit for the program that the options name. Raises: LocalError."""
    seconds = SECONDS if options.patience is None else options.patience
    if options.player is not None:
        return make_player_kit(options.player, seconds, scope=scope, websocket=options.websocket)
    if options.peer is not None:
        return make_peer_kit(options.peer, seconds, scope=scope)
    if options.trader is not None:
        return make_trade_kit(options.trader, seconds)
    if options.auditor is not None:
        seconds = ANSWER_SECONDS if options.patience is None else options.patience
        return make_auditor_kit(options.auditor, scope, seconds, traces=options.traces)
    if options.table is None:
        hosts = None
    else:
        hosts = table_starter(options.table)
    link = JoinLink.parse(options.link or UNUSED_LINK)
    return make_table_kit(link, _table_patience(options), hosts, scope=scope)


def _table_patience(options: argparse.Namespace) -> float:
    return TIMEOUT if options.patience is None else float(options.patience)


def main(arguments: Sequence[str] | None, program: str) -> int:
    """Check the program that a command line names, and return the exit code. `program` is the name
    of this command.
    """
    install_output_fallback()
    parser = make_parser(program)
    options = parser.parse_args(
        take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    )
    translate = environment_translator(os.environ)
    given = sum(
        each is not None for each in (options.link, *(getattr(options, name) for name in PROGRAMS))
    )
    if given != 1 and not (options.list and given == 0):
        parser.error(translate("conformance.wrong.nothing", None))
    if options.websocket and options.player is None:
        parser.error(translate("conformance.wrong.websocket", None))
    try:
        scope = read_scope(options.profile, options.games, options.dealings)
        kit = make_kit(options, scope)
    except LocalError as error:
        parser.error(translate_phrase(error.phrase, translate))
    cases = select_cases(list(kit.cases), options.only)
    if not cases:
        parser.error(translate("conformance.wrong.no_case", None))
    if options.list:
        print(report.list_of(cases))
        return report.PASSED
    # A case reports a lost connection itself.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    try:
        outcomes = asyncio.run(_check(kit, cases, options, scope))
    except CaseFailed as failed:
        print(failed, file=sys.stderr)
        return report.UNREACHABLE
    print(report.to_text(outcomes, report.Tested(scope.to_text(), kit.left_out)))
    tested = next((name for name in PROGRAMS if getattr(options, name)), "table")
    suite = f"fairdeal.{tested}"
    if options.junit:
        options.junit.write_text(report.to_junit(outcomes, suite), "utf-8")
    if options.json:
        options.json.write_text(report.to_json(outcomes), "utf-8")
    return report.exit_code(outcomes)


async def _check(
    kit: ConformanceKit, cases: Sequence[Case], options: argparse.Namespace, scope: Scope
) -> list[CaseOutcome]:
    """Run the cases, and start the table first if the options have a command for one. Raises:
    CaseFailed.
    """
    if options.table is None:
        try:
            return await _run(replace(kit, cases=cases, traces=options.traces), options)
        finally:
            if kit.close is not None:
                await kit.close()
    with tempfile.TemporaryDirectory(
        prefix="fairdeal-table-", ignore_cleanup_errors=True
    ) as folder:
        hosts = table_starter(options.table)
        trace = Trace()
        host = hosts(Path(folder), trace)
        try:
            kit = make_table_kit(
                await host.start(), _table_patience(options), hosts, trace.output, scope=scope
            )
            return await _run(replace(kit, cases=cases, traces=options.traces), options)
        finally:
            await host.kill()


async def _run(kit: ConformanceKit, options: argparse.Namespace) -> list[CaseOutcome]:
    done = 0

    def tell(outcome: CaseOutcome) -> None:
        nonlocal done
        done += 1
        if not options.quiet:
            print(f"{done:3}/{len(kit.cases) + 2} {report.line(outcome)}", flush=True)

    return await run_kit(kit, tell, options.together)
