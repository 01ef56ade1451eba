"""`fairdeal cluster status | drain | release | demo`: the command line."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence

from commandline.console_text import console_text, print_error
from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser, HelpText, add_command, add_commands
from protocol.i18n.language_choice import add_language_flag, take_language_flag
from protocol.view.phrase import Phrase, phrase

# exit codes
CLEAN = 0
FAILED = 1

STORE = "'nats://a,b,c?login=host'"
EXAMPLES = (
    ("fairdeal cluster demo", "help.cluster.example.demo"),
    (f"fairdeal cluster status {STORE}", "help.cluster.example.status"),
    (f"fairdeal cluster drain {STORE} --host north", "help.cluster.example.drain"),
)
MAX_MATCHES = 8  # of the demonstration: more do not fit on a screen


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    made = HelpParser(
        "fairdeal cluster",
        about="help.command.cluster",
        description="help.cluster.more",
        examples=EXAMPLES,
        epilog="help.cluster.next",
    )
    commands = add_commands(made)
    demo = add_command(
        commands,
        "demo",
        "help.cluster.demo",
        description="help.cluster.demo.more",
        examples=[("fairdeal cluster demo --matches 2", "")],
    )
    demo.add_argument("--store", metavar="STORE", help="help.cluster.demo.store")
    demo.add_argument(
        "--matches",
        type=int,
        default=4,
        choices=range(1, MAX_MATCHES + 1),
        metavar="N",
        help=HelpText(phrase("help.cluster.demo.matches", most=MAX_MATCHES, usual=4)),
    )
    status = add_command(
        commands,
        "status",
        "help.cluster.status",
        description="help.cluster.status.more",
        examples=[(f"fairdeal cluster status {STORE}", "")],
    )
    drain = add_command(
        commands,
        "drain",
        "help.cluster.drain",
        description="help.cluster.drain.more",
        examples=[(f"fairdeal cluster drain {STORE} --host north", "")],
    )
    release = add_command(
        commands,
        "release",
        "help.cluster.release",
        description="help.cluster.release.more",
        examples=[(f"fairdeal cluster release {STORE} --match ID", "")],
    )
    release.add_argument("--match", required=True, metavar="ID", help="help.cluster.release.match")
    for each in (status, drain, release):
        each.add_argument("store", metavar="STORE", help="help.cluster.store")
    drain.add_argument("--host", required=True, metavar="NAME", help="help.cluster.drain.host")
    drain.add_argument("--force", action="store_true", help="help.cluster.drain.force")
    for each in (status, drain, release, demo):
        add_language_flag(each)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    words = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    options = make_parser().parse_args(words)
    try:
        return asyncio.run(_run(options))
    except KeyboardInterrupt:
        return FAILED
    except LocalError as error:
        print_error(error)
        return FAILED


async def _run(options: argparse.Namespace) -> int:
    """Run the command that the options name. Raises: LocalError."""
    if options.command == "demo":
        from fairdeal.cluster.demo import demonstrate

        if await demonstrate(options.matches, tell, options.store):
            return CLEAN
        return FAILED
    from fairdeal.cluster.operator import drain_host, parse_match_id, release_match, report_status

    if options.command == "drain":
        await drain_host(options.store, options.host, tell, options.force)
        return CLEAN
    if options.command == "release":
        await release_match(options.store, parse_match_id(options.match), tell)
        return CLEAN
    return CLEAN if await report_status(options.store, tell) else FAILED


def tell(line: Phrase) -> None:
    """Print one line for a person, and flush."""
    print(console_text(line), flush=True)
