"""The command line of the kit: the program to check, the cases to run, and the reports to write."""

import argparse
import asyncio
import logging
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from conformance import report
from conformance.case import Case, CaseFailed, select_cases
from conformance.direct.kit import make_peer_kit
from conformance.player.kit import make_player_kit
from conformance.runner import PARALLEL_CASES, CaseOutcome, ConformanceKit, run_kit
from conformance.table.connection import TIMEOUT
from conformance.table.kit import make_table_kit
from conformance.table.started_table import table_starter
from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser, help_renderer
from protocol.identity.keys import JoinLink
from protocol.view.terminal_output import install_output_fallback

UNUSED_LINK = "fairdeal://127.0.0.1:1"  # for `--list`

DESCRIPTION = """\
Check a table, with --player a player, or with --peer a program that plays without a table, against the specification
in docs/protocol.

The kit is a black box: it speaks the protocol over TCP and looks at what comes back. An honest match runs first and
last; between them each case makes one mistake and says what the specification demands as an answer.
"""
EPILOG = """\
exit code: 0 all passed, 1 some failed, 2 no honest match could be played (or the command line is wrong)

examples:
  {program} fairdeal://127.0.0.1:7500/FINGERPRINT
  {program} LINK --only verified/ --junit report.xml
  {program} --list
  {program} fairdeal+wss://example.org/table/FINGERPRINT      (only what its WebSocket door adds)
  {program} --table 'fairdeal host --allow-create any --listen 127.0.0.1:0 --data {{data}}'
  {program} --player 'fairdeal join {{link}} --name Ann --bot greedy --data {{data}}'

docs/conformance.md says what a table must allow for it, how to read the report, and how to add a case.
"""


def make_parser(program: str) -> argparse.ArgumentParser:
    """Return the parser."""
    parser = HelpParser(
        program,
        description=DESCRIPTION,
        epilog=EPILOG.format(program=program),
    )
    add = parser.add_argument
    add("link", nargs="?", metavar="LINK", help="the join link of the table to check")
    add(
        "--table",
        metavar="COMMAND",
        help="the command that starts a table, with {data} in it: the kit starts its own",
    )
    add(
        "--player",
        metavar="COMMAND",
        help="check a player instead: the command that starts it, with {link} in it",
    )
    add(
        "--peer",
        metavar="COMMAND",
        help="check a program that plays without a table: a guest's command has {link} in "
        "it, that of who invites {port}, and both {data}",
    )
    add(
        "--only",
        metavar="PATTERN",
        default="",
        help="only cases whose name or group has this in it (* and ? work)",
    )
    add("--list", action="store_true", help="list the cases, and run none")
    add("--junit", type=Path, metavar="FILE", help="write the report as JUnit XML")
    add("--json", type=Path, metavar="FILE", help="write the report as JSON")
    add(
        "--together",
        type=int,
        metavar="N",
        default=PARALLEL_CASES,
        help="cases run at a time (default: %(default)s)",
    )
    add(
        "--patience",
        type=float,
        metavar="SECONDS",
        default=TIMEOUT,
        help="how long to wait for an answer that is due (default: %(default)g)",
    )
    add("--quiet", action="store_true", help="print the report only, not each case as it ends")
    return parser


def make_kit(options: argparse.Namespace) -> ConformanceKit:
    """Return the kit for the program that the options name. Raises: LocalError."""
    if options.player is not None:
        return make_player_kit(options.player)
    if options.peer is not None:
        return make_peer_kit(options.peer)
    if options.table is None:
        hosts = None
    else:
        hosts = table_starter(options.table)
    return make_table_kit(JoinLink.parse(options.link or UNUSED_LINK), options.patience, hosts)


def main(arguments: Sequence[str] | None, program: str) -> int:
    """Check the program that a command line names, and return the exit code. `program` is the name
    of this command.
    """
    install_output_fallback()
    parser = make_parser(program)
    options = parser.parse_args(arguments)
    given = sum(
        each is not None for each in (options.link, options.table, options.player, options.peer)
    )
    if given != 1 and not (options.list and given == 0):
        parser.error(
            "give the join link of a table, or --table, --player or --peer and the command "
            "that starts one"
        )
    try:
        kit = make_kit(options)
    except LocalError as error:
        parser.error(help_renderer()(error.phrase))
    cases = select_cases(list(kit.cases), options.only)
    if not cases:
        parser.error("no case has that in its name; --list shows them all")
    if options.list:
        print(report.list_of(cases))
        return report.PASSED
    # A case reports a lost connection itself.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    try:
        outcomes = asyncio.run(_check(kit, cases, options))
    except CaseFailed as failed:
        print(failed, file=sys.stderr)
        return report.UNREACHABLE
    print(report.to_text(outcomes))
    if options.player:
        suite = "fairdeal.player"
    elif options.peer:
        suite = "fairdeal.peer"
    else:
        suite = "fairdeal.table"
    if options.junit:
        options.junit.write_text(report.to_junit(outcomes, suite), "utf-8")
    if options.json:
        options.json.write_text(report.to_json(outcomes), "utf-8")
    return report.exit_code(outcomes)


async def _check(
    kit: ConformanceKit, cases: Sequence[Case], options: argparse.Namespace
) -> list[CaseOutcome]:
    """Run the cases, and start the table first if the options have a command for one. Raises:
    CaseFailed.
    """
    if options.table is None:
        return await _run(ConformanceKit(kit.arena, kit.sanity, cases, kit.well), options)
    with tempfile.TemporaryDirectory(
        prefix="fairdeal-table-", ignore_cleanup_errors=True
    ) as folder:
        hosts = table_starter(options.table)
        host = hosts(Path(folder))
        try:
            kit = make_table_kit(await host.start(), options.patience, hosts)
            return await _run(ConformanceKit(kit.arena, kit.sanity, cases, kit.well), options)
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
